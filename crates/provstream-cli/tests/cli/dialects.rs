//! Options `--dialect` and `--sources`.

use crate::common::{Files, run};

const TEXT: &str = "Paris is big [1]. Rome is bigger [1][7]. So it is.";

const SOURCES: &str = r#"[{"id": "1", "title": "Cities"}, {"id": "2"}]"#;

const POLICY: &str = r#"
floor = 1
default_window = "1h"

[inadmissible]
action = "release"

[unknown_source]
action = "replace"
text = "(withheld)"
"#;

#[test]
fn strip_removes_markers() {
    let found = run(&["strip", "--dialect", "numeric"], TEXT);
    assert_eq!(found.stdout, "Paris is big. Rome is bigger. So it is.");
    let found = run(
        &["strip", "--dialect", "numeric,openai-file"],
        "It is so【4:0†a】 [1].",
    );
    assert_eq!(found.stdout, "It is so.");
    let field = ["strip", "--dialect", "numeric", "--field", "/a"];
    let found = run(&field, "{\"a\":\"It is so [1].\",\"b\":\"[1]\"}\n");
    assert_eq!(found.stdout, "{\"a\":\"It is so.\",\"b\":\"[1]\"}\n");
}

#[test]
fn extract_prints_citations_with_reasons() {
    let files = Files::new();
    let sources = files.write("sources.json", SOURCES);
    let base = ["extract", "--json", "--dialect", "numeric"];
    let found = run(&base, TEXT);
    assert!(
        found.stdout.contains(r#""reason":"no-source-list""#),
        "{}",
        found.stdout
    );
    let found = run(&[&base[..], &["--sources", &sources]].concat(), TEXT);
    let lines: Vec<_> = found.stdout.lines().collect();
    let citations: Vec<_> = lines
        .iter()
        .filter(|line| line.contains(r#""citation""#))
        .collect();
    assert_eq!(citations.len(), 2, "{}", found.stdout);
    assert!(!citations[0].contains("reason"), "{}", citations[0]);
    assert!(
        citations[1].contains(r#""reason":"unknown-source""#),
        "{}",
        citations[1]
    );
}

#[test]
fn a_source_has_its_class_and_time() {
    let files = Files::new();
    let sources = files.write(
        "sources.json",
        r#"{"sources": [{"id": "1", "class": "substrate.grep", "ts": "2026-05-28T11:40:00Z"}], "complete": false}"#,
    );
    let args = [
        "extract",
        "--json",
        "--dialect",
        "numeric",
        "--sources",
        &sources,
    ];
    let found = run(&args, TEXT);
    assert!(
        found
            .stdout
            .contains(r#""class":"substrate.grep","ts":"2026-05-28T11:40:00Z""#),
        "{}",
        found.stdout
    );
    for (file, message) in [
        (
            r#"[{"id": "1", "class": "substrate.nope"}]"#,
            "source `1`: expected a class",
        ),
        (
            r#"[{"id": "1", "class": "unverified-inference"}]"#,
            "source `1`: expected a class",
        ),
        (
            r#"[{"id": "1", "ts": "today"}]"#,
            "source `1`: expected a time",
        ),
        (r#"{"id": "1"}"#, "unknown field `id`"),
        (
            r#"{"sources": [{"id": "1"}], "compleet": false}"#,
            "unknown field `compleet`",
        ),
        (
            "[{\"id\": \"1\"},\n {\"id\": 2}]",
            "invalid type: integer `2`, expected a string at line 2 column 9",
        ),
    ] {
        let sources = files.write("bad.json", file);
        let found = run(
            &["strip", "--dialect", "numeric", "--sources", &sources],
            TEXT,
        );
        assert_eq!(found.status, 2, "{file}");
        assert!(found.stderr.contains(message), "{file}: {}", found.stderr);
    }
}

#[test]
fn extract_and_summary_count_citations() {
    let found = run(&["extract", "--json", "--dialect", "numeric"], TEXT);
    let end = found.stdout.lines().last().unwrap_or_default();
    assert!(end.contains(r#""citations":2"#), "{end}");
    let found = run(&["summary", "--json", "--dialect", "numeric"], TEXT);
    assert!(
        found.stdout.contains(r#""unannotated":3,"#),
        "{}",
        found.stdout
    );
    let files = Files::new();
    let sources = files.write("sources.json", SOURCES);
    let cites = ["summary", "--dialect", "numeric", "--sources", &sources];
    let found = run(&[&cites[..], &["--json"]].concat(), TEXT);
    assert!(
        found
            .stdout
            .contains(r#""citations":2,"unlisted":{"unknown-source":1},"#),
        "{}",
        found.stdout
    );
    let found = run(&cites, TEXT);
    let table: Vec<Vec<&str>> = found
        .stdout
        .lines()
        .map(|line| line.split_whitespace().rev().take(2).collect())
        .collect();
    assert_eq!(table, [["unknown-source", "citations"], ["1", "2"]]);
    let without = run(&["summary", "--json"], TEXT);
    assert!(!without.stdout.contains("citations"), "{}", without.stdout);
}

#[test]
fn a_wrong_dialect_is_an_error() {
    let files = Files::new();
    let found = run(&["strip", "--dialect", "numerics"], TEXT);
    assert_eq!(found.status, 2);
    assert!(
        found.stderr.contains("expected one of openai-file"),
        "{}",
        found.stderr
    );
    let own = files.write("own.toml", "name = \"kb\"\n[[marker]]\nopen = '('\n");
    let found = run(&["strip", "--dialect", &own], TEXT);
    assert_eq!(found.status, 2);
    assert!(found.stderr.contains("line 3"), "{}", found.stderr);
    let found = run(&["strip", "--sources", "x.json"], TEXT);
    assert_eq!(found.status, 2);
}

#[test]
fn a_gate_withholds_invented_citations() {
    let files = Files::new();
    let (policy, sources) = (
        files.write("policy.toml", POLICY),
        files.write("sources.json", SOURCES),
    );
    let audit = files.path("audit.ndjson");
    let audit = audit.to_str().expect("UTF-8");
    let base = [
        "gate",
        "--policy",
        &policy,
        "--dialect",
        "numeric",
        "--sources",
        &sources,
    ];
    let found = run(&[&base[..], &["--fail", "--audit", audit]].concat(), TEXT);
    assert_eq!(found.stdout, "Paris is big. (withheld) So it is.");
    assert_eq!(found.status, 3);
    assert!(
        found
            .stderr
            .contains("unknown-source, `7` is not in the list of sources"),
        "{}",
        found.stderr
    );
    let log = std::fs::read_to_string(audit).expect("a log");
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(
        lines[0].contains(r#""disposition":"listed-source""#),
        "{log}"
    );
    assert!(
        lines[1].contains(r#""reason":"unknown-source""#)
            && lines[1].contains(r#""disposition":"unknown-source""#),
        "{log}"
    );
    // Each string is a text of its own.
    let found = run(
        &[&base[..], &["--field", "/a"]].concat(),
        "{\"a\":\"It is so [7].\"}\n{\"a\":\"It is so [2].\"}\n",
    );
    assert_eq!(
        found.stdout,
        "{\"a\":\"(withheld)\"}\n{\"a\":\"It is so.\"}\n"
    );
}

#[test]
fn a_policy_about_sources_needs_a_list() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    for more in [&[][..], &["--dialect", "numeric"]] {
        let found = run(&[&["gate", "--policy", &policy], more].concat(), TEXT);
        assert_eq!((found.status, found.stdout.as_str()), (2, ""));
        assert!(found.stderr.contains("--sources"), "{}", found.stderr);
    }
}

#[test]
fn strip_renders_links_and_notes() {
    let files = Files::new();
    let sources = r#"[{"id": "7", "title": "A] (b)", "url": "https://example.org/a_(b)"},
        {"id": "1", "title": "Cities", "url": "javascript:alert(1)"}]"#;
    let sources = files.write("sources.json", sources);
    let base = ["strip", "--dialect", "numeric", "--sources", &sources];
    let text = "Rome is big [7]. Paris is bigger [1][7]. So it is [9].";
    let render = |more: &[&str], text: &str| run(&[&base[..], more].concat(), text);
    let link = "[1](https://example.org/a_%28b%29)";
    let found = render(&["--render", "[{n}]({url})"], text);
    let expected = format!("Rome is big {link}. Paris is bigger \\[2\\]{link}. So it is.");
    assert_eq!(found.stdout, expected);

    let tag = "<a href=\"{url}\">{title}</a>";
    let html = ["--render", tag, "--render-as", "html", "--unlisted", "mark"];
    let found = render(&html, "Rome is big [7]. So it is [9].");
    let link = "<a href=\"https://example.org/a_%28b%29\">A&#93; (b)</a>";
    let expected = format!("Rome is big {link}. So it is &#91;?&#93;.");
    assert_eq!(found.stdout, expected);

    let notes = ["--render", "[{n}]", "--notes", "{n}. {title} {url}"];
    let found = render(&notes, text);
    let notes = "1. A\\] \\(b\\) https://example.org/a_%28b%29\n\\[2\\] Cities\n";
    let expected = format!("Rome is big [1]. Paris is bigger [2][1]. So it is.\n\n{notes}");
    assert_eq!(found.stdout, expected);
}

#[test]
fn rendered_texts_of_one_input_have_numbers_of_their_own() {
    let files = Files::new();
    let sources = files.write("sources.json", r#"[{"id": "1"}, {"id": "2"}]"#);
    let render = ["--sources", &sources, "--render", "({n})"];
    let base = ["strip", "--dialect", "numeric"];
    let field = [&base[..], &render, &["--field", "/a"]].concat();
    let found = run(&field, "{\"a\":\"So [2].\"}\n{\"a\":\"So [1][2].\"}\n");
    assert_eq!(
        found.stdout,
        "{\"a\":\"So (1).\"}\n{\"a\":\"So (1)(2).\"}\n"
    );

    let event = |index: u8, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let input = [
        event(0, "So ["),
        event(1, "It is [1"),
        event(0, "2]. Yes [1]."),
        event(1, "]."),
    ];
    let found = run(
        &[&base[..], &render, &["--input", "openai-chat"]].concat(),
        input.concat(),
    );
    for text in ["(1). Yes (2).", "(1)."] {
        assert!(found.stdout.contains(text), "{}", found.stdout);
    }
    assert_eq!(found.stdout.matches("(2)").count(), 1, "{}", found.stdout);
}

#[test]
fn templates_need_sources_and_known_values() {
    let files = Files::new();
    let sources = files.write("sources.json", "[]");
    let base = ["strip", "--dialect", "numeric"];
    let found = run(&[&base[..], &["--render", "{n}"]].concat(), "");
    assert!(found.stderr.contains("--sources"), "{}", found.stderr);
    let base = [&base[..], &["--sources", &sources]].concat();
    let found = run(&[&base[..], &["--render", "{number}"]].concat(), "");
    let message = "--render: expected {n}, {id}, {title} or {url}, found `{number}`";
    assert!(found.stderr.contains(message), "{}", found.stderr);
    let notes = ["--render", "{n}", "--notes", "{n}", "--field", "/a"];
    let found = run(&[&base[..], &notes].concat(), "");
    assert!(found.stderr.contains("--notes"), "{}", found.stderr);
    let help = run(&["strip", "--help"], "").stdout;
    let example = "--render '[{title}]({url})' answer.txt";
    assert!(help.contains(example), "{help}");
}
