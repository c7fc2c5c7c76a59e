//! An answer is shown as the Markdown that it is, with its marks in place, whatever is in it.

use std::time::{Duration, Instant};

use provstream::provenance::Vocabulary;
use provstream::{Gate, Parser, Rules};
use provstream_report::{Report, page};

use crate::decoder::{self, Shown};

const GOOD: &str = "[substrate.grep; ts=2026-05-28T11:40:00Z]";

fn rules() -> Rules {
    let rules = b"floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";
    Rules::from_toml(rules, &Vocabulary::memo()).expect("rules")
}

fn html(answer: &str) -> String {
    let now = "2026-05-28T12:00:00Z".parse().expect("a time");
    page("answer", answer, Parser::new(), Report::new(rules(), now))
}

fn shown(answer: &str) -> Shown {
    decoder::read(&html(answer))
}

/// The HTML of the answer.
fn body(answer: &str) -> String {
    let html = html(answer);
    let (_, body) = html.split_once("lang=\"\">").expect("a text");
    let (body, _) = body.split_once("<p class=\"end\"").expect("an end");
    let body = body.split("<ol class=\"n\">").next().unwrap_or_default();
    body.to_owned()
}

#[test]
fn markup_takes_effect_and_stays_in_the_page() {
    for (answer, expected) in [
        (
            "# A\n",
            "<h3 class=\"h1\" dir=\"auto\"><span class=\"m\"># </span>A\n</h3>",
        ),
        (
            "*a* **b**",
            "<em><span class=\"m\">*</span>a<span class=\"m\">*</span></em> <strong>",
        ),
        (
            "- a\n- b\n",
            "<ul><li dir=\"auto\"><span class=\"m\">- </span>a\n</li><li dir=\"auto\"><span class=\"m\">- </span>b\n</li></ul>",
        ),
        ("3. a", "<ol start=\"3\"><li dir=\"auto\">"),
        (
            "> a\n> b",
            "<blockquote><span class=\"m\">&gt; </span><p dir=\"auto\">a<br><span class=\"m\">\n&gt; </span>b</p></blockquote>",
        ),
        (
            "`` a`b ``",
            "<code><span class=\"m\">``</span> a`b <span class=\"m\">``</span></code>",
        ),
        (
            "```rust\na\n  b\n```\n",
            "<div class=\"c\" dir=\"auto\"><span class=\"m\">```rust\n</span>a\n  b\n<span class=\"m\">```</span></div>",
        ),
        (
            "|a|\n|-|\n|b|\n",
            "<table><thead><tr><th scope=\"col\" dir=\"auto\">",
        ),
        ("a\\*b", "a<span class=\"m\">\\</span>*b"),
        ("&amp;", "<p dir=\"auto\">&amp;amp;</p>"),
        ("---", "<hr><span class=\"m\">---</span>"),
        ("~~a~~", "<p dir=\"auto\">~~a~~</p>"),
        (
            "[x]: /u \"hidden\"\n",
            "<span class=\"m\">[x]: /u \"hidden\"\n</span>",
        ),
        (
            "{\"a\": \"*b*\"}",
            "<div class=\"c\" dir=\"auto\">{\"a\": \"*b*\"}</div>",
        ),
    ] {
        let found = body(answer);
        assert!(found.contains(expected), "{answer}: {found}");
        assert_eq!(shown(answer).answer, answer);
    }
}

#[test]
fn levels_of_headings_have_no_gap() {
    let found = body("#### A\n\n# B\n\n###### C\n");
    let levels: Vec<_> = found
        .match_indices("<h")
        .map(|(at, _)| &found[at..at + 3])
        .collect();
    assert_eq!(levels, ["<h3", "<h3", "<h4"]);
}

#[test]
fn marks_cross_markup_exactly() {
    for (answer, marks, visible) in [
        (
            format!("It **rained all** day. {GOOD} So."),
            "It **rained all** day.",
            "It rained all day. So.",
        ),
        (
            format!("**It rained.** {GOOD} So."),
            "**It rained.**",
            "It rained. So.",
        ),
        (
            format!("So it is. [It rained](https://a.example) here. {GOOD}"),
            "[It rained](https://a.example) here.",
            "It rained here.",
        ),
        (
            format!("- It\n  rained. {GOOD}\n"),
            "It\n  rained.",
            "It\nrained.",
        ),
        (
            format!("> It\n> rained. {GOOD}\n"),
            "It\n> rained.",
            "It\nrained.",
        ),
        (
            format!("`x.y` is *so. {GOOD}* B."),
            "`x.y` is *so.",
            "x.y is so.",
        ),
        (
            format!("| a | b |\n|---|---|\n| c | d {GOOD} |\n"),
            "d",
            "d",
        ),
    ] {
        let shown = shown(&answer);
        let class = "ok v-admitted";
        let of_class = shown.marks.iter().filter(|(it, _)| it == class);
        let found: String = of_class.map(|(_, text)| &**text).collect();
        let without_space = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(
            without_space(&found),
            without_space(marks),
            "{answer}: {}",
            body(&answer)
        );
        assert!(
            without_space(&shown.visible).contains(&without_space(visible)),
            "{answer}"
        );
    }
}

#[test]
fn an_entry_is_not_linked_within_a_link() {
    let answer = format!("[A. It rained. {GOOD} B](https://a.example) C.");
    let found = body(&answer);
    let (_, link) = found.split_once("<a class=\"l\"").expect("a link");
    let (inside, after) = link.split_once("</a>").expect("its end");
    assert!(
        !inside.contains("<a ") && after.starts_with("<a class=\"r"),
        "{found}"
    );
}

#[test]
fn links_lead_to_the_web_and_to_mail_only() {
    let safe = [
        "https://a.example/?a=1&b=%22",
        "HTTP://a",
        "mailto:a@a.example",
    ];
    let unsafe_ones = [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\u{1}script:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//a.example",
        "/a",
        "#top",
        "a",
        "",
    ];
    for target in safe {
        assert_eq!(
            shown(&format!("[a]({target})")).targets,
            [target],
            "{target}"
        );
    }
    for target in unsafe_ones {
        for answer in [
            format!("[a]({target})"),
            format!("[a](<{target}>)"),
            format!("[a][b]\n\n[b]: <{target}>"),
            format!("<{target}>"),
            format!("![a]({target})"),
        ] {
            let shown = shown(&answer);
            assert!(shown.targets.is_empty(), "{answer}");
            assert_eq!(shown.answer, answer, "{answer}");
        }
    }
    let encoded = shown("[a](https&#58;//a.example/&quot;onclick=&quot;x)");
    assert_eq!(encoded.targets, ["https://a.example/\"onclick=\"x"]);
}

#[test]
fn html_is_text_and_images_are_not_loaded() {
    for answer in [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<div onclick=\"x\">\n\n*a*\n\n</div>",
        "<!-- a --> b",
        "<svg/onload=alert(1)>",
        "a <b",
        "<style>p { color: red }</style>",
        "</div></div></section><h1>",
        "<a href=\"javascript:alert(1)\">a</a>",
        "<?php x ?> <![CDATA[ a ]]> <!DOCTYPE html>",
        "| <td> |\n|---|\n| </table> |",
        "> <iframe>\n",
        "![a](https://a.example/a.png \"t\")",
        "[a]: https://a.example\n\n[<img src=x>][a]",
        "# <h1>\n- <li>\n1. </ol>\n",
        "```<script>\n</div><script>\n",
        "[a](https://a.example/\"><script>alert(1)</script>)",
        "[a](https://a.example '\"><script>alert(1)</script>')",
    ] {
        let html = html(answer);
        for never in [
            "<script", "<img", "<iframe", "<svg/", "<style>p", "<b\n", "<!-- a",
        ] {
            assert!(!html.contains(never), "{never}: {answer}");
        }
        // Whatever is open, is closed, and no attribute comes from the answer.
        assert_eq!(decoder::read(&html).answer, answer);
    }
}

#[test]
fn nesting_is_bounded_and_loses_nothing() {
    for answer in [
        ">".repeat(5_000) + "a",
        "- ".repeat(5_000) + "a",
        "*a ".repeat(2_000) + &"b*".repeat(2_000),
        "[".repeat(3_000) + "a" + &"](u)".repeat(3_000),
        "![".repeat(3_000) + "a" + &"](u)".repeat(3_000),
        (0..200).map(|depth| "  ".repeat(depth) + "- a\n").collect(),
    ] {
        let html = html(&answer);
        let body = html.split_once("<body").expect("a body").1;
        let (mut depth, mut deepest) = (0_i32, 0);
        for tag in body.split('<').skip(1) {
            let is_empty = ["br", "hr", "input", "rect", "meta"]
                .iter()
                .any(|it| tag.starts_with(it));
            depth += if tag.starts_with('/') {
                -1
            } else {
                i32::from(!is_empty)
            };
            deepest = deepest.max(depth);
        }
        assert!(deepest < 40, "{deepest}");
        assert_eq!(decoder::read(&html).answer, answer);
    }
}

/// A table in which each row is annotated, and each other shape, is one block.
#[test]
fn a_long_block_is_shown_whole_up_to_a_limit() {
    let mut table = "| a | b |\n|---|---|\n".to_owned();
    for row in 0..2_000 {
        table += &format!("| row {row} | d {GOOD} |\n");
    }
    let found = html(&table);
    assert_eq!(found.matches("<table><thead>").count(), 1);
    assert_eq!(
        found.matches("<mark class=\"ok v-admitted\">").count(),
        2_000
    );
    let text = "A line of a long answer.\n\n".repeat(8_000);
    let shown = shown(&text);
    assert_eq!(shown.answer, text);
}

#[test]
fn a_long_answer_is_cut_at_the_same_places() {
    let mut answer = String::new();
    for number in 0..2_000 {
        answer += &format!("- Item {number} is so. {GOOD} It rained.\n");
        if number % 70 == 0 {
            answer += &format!("\nParagraph {number}.\n\n");
        }
    }
    answer += &"It snowed.\n\n".repeat(10_000);
    let of = |chunk: usize| {
        let now = "2026-05-28T12:00:00Z".parse().expect("a time");
        let mut report = Report::new(rules(), now);
        let mut transcript = report.transcript(None);
        let mut gate = Gate::new(Parser::new(), report.policy());
        let mut body = Vec::new();
        for piece in answer.as_bytes().chunks(chunk) {
            gate.push(piece, &mut transcript);
            transcript.write_to(&mut body).expect("memory");
        }
        gate.finish(&mut transcript);
        transcript.finish(&mut body).expect("memory");
        String::from_utf8(body).expect("UTF-8")
    };
    let whole = of(usize::MAX);
    assert!(whole.contains("Page 2</h3>"));
    for chunk in [1_000, 30_000] {
        assert!(of(chunk) == whole, "{chunk}");
    }
}

/// The time for 64 KiB is at most a few times that for a quarter of it.
#[test]
fn hostile_shapes_take_linear_time() {
    let took = |answer: &str| {
        let start = Instant::now();
        let length = html(answer).len();
        assert!(length > answer.len() / 2);
        start.elapsed()
    };
    for unit in [
        "[",
        "![",
        "](",
        "[a](",
        "*a_",
        "a**b",
        "`a",
        "<",
        "<!--",
        "<a b=\"",
        "> ",
        "- ",
        "&",
        "\\",
        "|",
        "a | b\n",
        "\n",
        "~~~\n",
        "\r",
        "\u{301}",
        "[a]: b (\n",
        "    a\n",
        "\t",
    ] {
        let (small, large) = (
            unit.repeat((1 << 14) / unit.len()),
            unit.repeat((1 << 16) / unit.len()),
        );
        let small = took(&small).max(Duration::from_millis(50));
        let large = took(&large);
        assert!(large < 12 * small, "{unit:?}: {small:?}, {large:?}");
    }
}

#[test]
fn what_is_not_annotated_is_counted_and_said() {
    let shown_of = |answer: &str| shown(answer).text;
    assert!(
        shown_of(&format!("Abcd. {GOOD} Efghi.")).contains("Text without annotation55 %"),
        "{}",
        shown_of(&format!("Abcd. {GOOD} Efghi."))
    );
    assert!(shown_of(&format!("**Abcd.** {GOOD}")).contains("Text without annotation0 %"));
    let none = shown_of("It rained. So.");
    assert!(
        none.contains("There are no annotations in this text")
            && none.contains("provstream emit prompt"),
        "{none}"
    );
    assert!(!shown_of(&format!("It rained. {GOOD}")).contains("There are no annotations"));
    assert!(!shown_of("").contains("There are no annotations"));
}

#[test]
fn diagnostics_have_words_and_lead_to_their_place() {
    let answer = format!("One. {GOOD} Two. [substrate.grep; ts=x] Three. [substrate.grep; ts=2026");
    let found = shown(&answer);
    for part in [
        "invalid-ts, 1 ×: a `ts` that is not a date-time",
        "In the text: at 2",
        "unterminated, 1 ×",
        "In the text: after 2",
    ] {
        assert!(found.text.contains(part), "{part}: {}", found.text);
    }
    assert!(found.links.is_subset(&found.ids));
}

#[test]
fn classes_are_counted() {
    let answer =
        format!("One. {GOOD} {GOOD} Two. [substrate.git.log] Three. [unverified-inference]");
    let found = shown(&answer).text;
    for row in [
        "substrate.grep220",
        "substrate.git.log101",
        "unverified-inference101",
    ] {
        assert!(found.contains(row), "{row}: {found}");
    }
}
