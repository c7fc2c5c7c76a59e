//! Finds of each built-in dialect.

use std::sync::Arc;

use super::common::{parser, run};
use provstream::{DiagnosticCode, Dialect, Dialects, Event, Mode, Parser, Source, Sources};

/// Clean text and citations of a text: `sentence <ids>`.
fn found(names: &str, text: &str) -> (String, Vec<String>) {
    let run = run(&parser(names, Mode::Auto), [text.as_bytes()]);
    let citations = run.events.iter().filter_map(|event| {
        let rest = event.strip_prefix("citation ")?;
        let mut parts = rest.rsplitn(4, ' ');
        let ids = parts.nth(2)?;
        let text = parts.next()?;
        Some(format!("{} <{ids}>", &text[1..text.len() - 1]))
    });
    (run.clean, citations.collect())
}

#[track_caller]
fn check(names: &str, text: &str, clean: &str, citations: &[&str]) {
    let (found_clean, found_citations) = found(names, text);
    assert_eq!(
        (
            found_clean.as_str(),
            found_citations
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
        ),
        (clean, citations.to_vec()),
        "{text:?}"
    );
}

#[test]
fn markers_of_one_sentence_belong_to_it() {
    check(
        "numeric",
        "Paris [1] is big [7]. So",
        "Paris is big. So",
        &["Paris is big. <1,7>"],
    );
    check(
        "numeric",
        "It rains. [1] Snow falls.[2]",
        "It rains. Snow falls.",
        &["It rains. <1>", "Snow falls. <2>"],
    );
    check(
        "doc",
        "- [doc1] says so.",
        "- says so.",
        &["says so. <doc1>"],
    );
    check(
        "numeric",
        "See p. [1] 55 of it. Then",
        "See p. 55 of it. Then",
        &["See p. 55 of it. <1>"],
    );
    check(
        "numeric",
        "It rains.\n\n[1]\n\nSnow.",
        "It rains.\n\n\n\nSnow.",
        &["It rains. <1>"],
    );
}

#[test]
fn each_built_in_dialect_finds_its_markers() {
    check(
        "openai-file",
        "It is 【4:0†source】 so【F:src/a.rs†L10-L20】. Yes.",
        "It is so. Yes.",
        &["It is so. <4:0,F:src/a.rs>"],
    );
    check(
        "openai-web",
        "It is so.\u{E200}cite\u{E202}turn0search1\u{E202}L1-L5\u{E202}turn0news2\u{E201} Yes.",
        "It is so. Yes.",
        &["It is so. <turn0search1,turn0news2>"],
    );
    check(
        "file-token",
        "It is so <|file-abc|>. Yes <|x|>",
        "It is so. Yes <|x|>",
        &["It is so. <file-abc>"],
    );
    check(
        "numeric",
        "Blue sky[1], green[2][3]. [4-6] [^1^] 【7】 [[8]](http://x.y/z). No",
        "Blue sky, green.. No",
        &["Blue sky, green.. <1,2,3,4,5,6,1,7,8>"],
    );
    check(
        "citation",
        "[cite_start]The sky is blue. [cite: 1, 2] Yes[citation:3].",
        "The sky is blue. Yes.",
        &["The sky is blue. <1,2>", "Yes. <3>"],
    );
    check(
        "cohere",
        "See <co: 0,1>the  thing</co: 0,1> now.",
        "See the  thing now.",
        &["the  thing <0,1>"],
    );
    let tag = [
        "<",
        "cite index=\"0-1,2-3\">It is.<",
        "/cite> So <cite>The Scream</cite>.",
    ]
    .concat();
    check(
        "cite-tag",
        &tag,
        "It is. So <cite>The Scream</cite>.",
        &["It is. <0-1,2-3>"],
    );
    check(
        "cite-tag",
        "It is.<ref id=\"a1\"/> So.",
        "It is. So.",
        &["It is. <a1>"],
    );
    check(
        "nova",
        "It is %[1]%%[2]%. So",
        "It is. So",
        &["It is. <1,2>"],
    );
}

#[test]
fn ordinary_text_has_no_numbers() {
    for text in [
        "x in [1, 5] stays. a = [1] is an array.",
        "Use arr[1] = 5 and a[2]. See x2[1].",
        "[1] Smith, J. 2020. [2] More.\n[2]: http://x.y\n",
        "The [text][1] and `a[1]` and [2020] and \\[1] and - [ ] x.",
        "![1](http://x) and vec[1]=3",
        "```\n[1]\n```\n",
        "The values are [1, 2, 3].",
    ] {
        let (clean, citations) = found("numeric", text);
        assert_eq!((clean.as_str(), citations.len()), (text, 0), "{text}");
    }
}

#[test]
fn words_before_lists_of_numbers_are_compared_whole_and_in_any_case() {
    for (word, is_marker) in [
        ("Berlin", true),
        ("This", true),
        ("in", false),
        ("IN", false),
        ("é", false),
        ("É", false),
        ("café", true),
        // Words of these scripts have no spaces between them.
        ("数値は", false),
    ] {
        let text = format!("So {word} [1, 2].");
        let (_, citations) = found("numeric", &text);
        assert_eq!(citations.len(), usize::from(is_marker), "{text}");
    }
}

#[test]
fn built_in_dialects_fit_into_64_kib_together() {
    let mut sizes = Vec::new();
    for name in provstream::Dialect::built_in_names() {
        let one = provstream::Dialects::built_in([name]).expect("it loads");
        sizes.push((name, one.compiled_len()));
    }
    let all = provstream::Dialects::built_in(provstream::Dialect::built_in_names());
    assert!(all.is_ok(), "{sizes:?}");
}

#[test]
fn a_line_that_ends_a_fenced_block_has_no_other_markers() {
    check(
        "numeric",
        "```\na\n```\n[substrate.grep]-  So it is [1].",
        "```\na\n```-  So it is.",
        &["-  So it is. <1>"],
    );
    check(
        "numeric",
        "```\na\n```\n[substrate.grep] [1]|---|---|\n",
        "```\na\n```|---|---|\n",
        &["|---|---| <1>"],
    );
}

#[test]
fn a_sentence_ends_before_the_mark_of_a_quote_that_goes_on() {
    check(
        "numeric,doc",
        "- > It is so.\" **It rains.** [1]\n> [doc3] 【重要】: x",
        "- > It is so.\" **It rains.**\n> 【重要】: x",
        &["**It rains.** <1,doc3>"],
    );
}

/// The line of an entry of a bibliography does not end within an annotation.
#[test]
fn a_line_feed_inside_an_annotation_ends_no_line() {
    let text = "[1] Rivers [substrate.grep;\n ts=2026-05-28T11:40:00Z] wrote so [2].\nSo [3].";
    let clean = "[1] Rivers wrote so [2].\nSo.";
    check("numeric", text, clean, &["So. <3>"]);
}

/// An annotation after a fenced block in a quote joins the block's last line, which is a line of the quote.
#[test]
fn a_quote_goes_on_after_the_last_line_of_a_block_in_it() {
    check(
        "doc",
        "> ~~~\n> a\n> ~~~\n\n[substrate.grep]It is so\n> for now. [doc1]",
        "> ~~~\n> a\n> ~~~It is so\n> for now.",
        &["It is so\\n> for now. <doc1>"],
    );
}

/// A marker in a row without text belongs to no sentence before the row, and one after it neither.
#[test]
fn a_row_without_text_has_no_assertion() {
    check(
        "numeric",
        "It rains.\n| [1] | |\n[2]\n\n| Snow |\n|\n[3]",
        "It rains.\n| | |\n\n\n| Snow |\n|\n",
        &[" <1>", " <2>", " <3>"],
    );
}

/// Code and other ends of prose decide about a marker that waits for what comes after the text.
#[test]
fn a_marker_does_not_wait_beyond_the_end_of_its_prose() {
    for (text, clean) in [
        ("It is blue[1] `x` so.", "It is blue `x` so."),
        ("It is blue[1]:`x` so.", "It is blue:`x` so."),
        ("It is blue[1] \t  `x", "It is blue \t  `x"),
        ("It is blue[1] [substrate.grep] so.", "It is blue so."),
    ] {
        let run = run(&parser("numeric", Mode::Auto), [text.as_bytes()]);
        assert_eq!(run.clean, clean);
    }
}

#[test]
fn what_may_be_a_marker_where_none_is_read_has_a_diagnostic() {
    for (text, unread) in [
        ("```[1]`` It rains. [2]", 1),
        ("```[1] ``", 1),
        ("```[1]", 0),
        ("```[1]\n[2]", 0),
        ("The ` sign. So [7]. More\nSnow [1].", 1),
        ("Use `x[7]` here [1].", 0),
        ("Use ``` in md. So [7].", 1),
        ("It is ` so, and so on.", 0),
        ("So {\"answer\": \"It is so [7].\", \"n\": [1]} it is.", 1),
        ("So {\"answer\": \"It is so.\", \"n\": [1]} it is.", 0),
    ] {
        let parser = parser("numeric", Mode::Auto);
        let whole = run(&parser, [text.as_bytes()]);
        let found = whole.events.iter();
        let found = found.filter(|event| event.starts_with("unread-marker"));
        assert_eq!(found.count(), unread, "{text}");
        assert_eq!(run(&parser, text.as_bytes().chunks(1)), whole, "{text}");
    }
}

/// A complete list of sources that has only `1`.
#[derive(Debug)]
struct One;

impl Sources for One {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        (id == "1").then(|| Source::new("1"))
    }

    fn is_complete(&self) -> bool {
        true
    }
}

#[test]
fn numbers_of_no_source_are_not_passed_over_in_silence() {
    let read = |text: &str, size: usize| {
        let dialects = Dialects::built_in(["numeric"]).expect("it is built in");
        let builder = Parser::builder().dialects(dialects);
        let mut parser = builder.sources(Arc::new(One)).build();
        let (mut cited, mut unread) = (0, 0);
        let mut sink = |event: Event<'_>| match event {
            Event::Citation(citation) => cited += citation.ids().count(),
            Event::Diagnostic(found) => {
                unread += usize::from(found.code() == DiagnosticCode::UnreadMarker);
            }
            _ => {}
        };
        for chunk in text.as_bytes().chunks(size) {
            parser.push(chunk, &mut sink);
        }
        parser.finish(&mut sink);
        (cited, unread)
    };
    let ones = "[1]".repeat(16);
    for (text, expected) in [
        (&*format!("It rains {ones}[99]. Snow."), (0, 1)),
        ("It rains [1-99]. Snow.", (0, 1)),
        ("Solar power is the cheapest option [7].", (0, 1)),
        ("Solar power is the cheapest option [1].", (1, 0)),
        ("根据[7]Python很流行。", (0, 1)),
        ("Rain falls.\n[7] \n\nSnow.", (1, 0)),
        ("Rain falls.\n[7]\t \n", (1, 0)),
        ("Rain falls.\n[7]", (1, 0)),
        ("See Fig. [7]. Eq. [8] holds.", (0, 2)),
        // A bibliography.
        ("[7] Smith 2020 [8].", (0, 0)),
        ("[7]: https://example.org", (0, 0)),
        ("[^7]: Smith", (0, 0)),
        ("Use xs[7]x here.", (0, 0)),
    ] {
        for size in [1, 2, usize::MAX] {
            assert_eq!(read(text, size), expected, "{text}");
        }
    }
}

/// The indentation of the line after a block in a quote is no end of the block's last line.
#[test]
fn a_line_of_markers_after_a_block_in_a_quote_is_blank() {
    check(
        "nova",
        "> ~~~\n> a\n %[2]%\n> So it is.",
        "> ~~~\n> a\n\n> So it is.",
        &[" <2>"],
    );
}

/// Bytes that are not UTF-8 hide no word after them.
#[test]
fn a_word_after_an_incomplete_character_is_compared() {
    let dialects = provstream::Dialects::built_in(["numeric"]).expect("a built-in dialect");
    let mut parser = provstream::Parser::with_dialects(dialects);
    let mut markers = 0;
    let mut count = |event: provstream::Event<'_>| {
        markers += usize::from(matches!(event, provstream::Event::Marker(_)));
    };
    parser.push(b"It \xE3\x80 is [1-3].", &mut count);
    parser.finish(&mut count);
    assert_eq!(markers, 0);
}

/// The cases of the tests of Codex' `CitationStreamParser`: the chunks, the clean text and the events.
///
/// Two results differ from those of Codex: the white space before a marker is removed with the marker, and a marker that is not closed
/// stays, with a diagnostic, where Codex takes all text after the tag for the citation.
#[test]
fn tags_of_codex_are_read_with_a_table_of_ones_own() {
    let table = "name = 'codex'\n[[marker]]\nopen = '<citation>'\nid = '[^<]{1,200}'\nclose = '</citation>'\n";
    let dialect = Dialect::from_toml(table.as_bytes()).expect("a dialect");
    let dialects = Dialects::new([dialect]).expect("one dialect");
    let parser = Parser::builder().dialects(dialects).build();
    let cases: [(&[&str], &str, &[&str]); 5] = [
        (
            &["Hello <cita", "tion>source A</cita", "tion> world"],
            "Hello world",
            &[
                "marker codex after source A 6..35",
                "citation \"Hello world\" source A 0..41 0..11",
            ],
        ),
        (
            &["abc <cita", "tion>x</citation>z"],
            "abcz",
            &[
                "marker codex after x 4..26",
                "citation \"abcz\" x 0..27 0..4",
            ],
        ),
        (
            &["a<citation>one</citation>b<citation>two</citation>c"],
            "abc",
            &[
                "marker codex after one 1..25",
                "marker codex after two 26..50",
                "citation \"abc\" one,two 0..51 0..3",
            ],
        ),
        (
            &["x<citation>source"],
            "x<citation>source",
            &["unclosed-marker at 1..17"],
        ),
        (&["hello <cita"], "hello <cita", &[]),
    ];
    for (pieces, clean, events) in cases {
        let found = run(&parser, pieces.iter().map(|piece| piece.as_bytes()));
        assert_eq!(found.clean, clean, "{pieces:?}");
        assert_eq!(found.events, events, "{pieces:?}");
    }
}
