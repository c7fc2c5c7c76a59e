//! `provstream emit`: prompts, schemas, grammars and examples.

use crate::common::{Files, run};

const OBSERVATIONS: &str = r#"[{"class":"substrate.grep","id":"src/a.rs:7","ts":"2026-05-28T11:40:00Z","summary":"fn main"}]"#;
const LATER: &str = "version = \"1.1\"\n[[class]]\nid = \"substrate.ct.log\"\nsince = \"1.1\"\ndescription = \"a log entry\"\n";

#[test]
fn one_vocabulary_file_changes_all() {
    let files = Files::new();
    let later = files.write("later.toml", LATER);
    let marked = "So. [substrate.ct.log]";
    for args in [
        &["prompt"][..],
        &["prompt", "--language=ja", "--length=full", "--form=json"],
        &["schema", "--target=openai"],
        &["grammar", "--target=gbnf"],
        &["grammar", "--target=structural-tag"],
    ] {
        let plain = run(&[&["emit"], args].concat(), "");
        let with = run(&[&["emit"], args, &["--vocabulary", &later]].concat(), "");
        assert_eq!((plain.status, plain.stderr.as_str()), (0, ""), "{args:?}");
        assert_eq!((with.status, with.stderr.as_str()), (0, ""), "{args:?}");
        assert!(!plain.stdout.contains("substrate.ct.log"), "{args:?}");
        assert!(with.stdout.contains("substrate.ct.log"), "{args:?}");
    }
    let reason = r#""reason":"unknown-identifier""#;
    assert!(run(&["extract"], marked).stdout.contains(reason));
    assert!(
        !run(&["extract", "--vocabulary", &later], marked)
            .stdout
            .contains(reason)
    );
}

#[test]
fn observations_are_listed_and_enforced() {
    let files = Files::new();
    let made = files.write("made.json", OBSERVATIONS);
    let prompt = run(&["emit", "prompt", "--observations", &made], "");
    let cited = "[substrate.grep; observation-id=src/a.rs:7; ts=2026-05-28T11:40:00Z]";
    assert!(
        prompt.stdout.contains(&format!("- {cited} fn main\n")),
        "{}",
        prompt.stdout
    );
    let schema = run(&["emit", "schema", "--observations", &made], "");
    assert!(schema.stdout.contains("\"src/a.rs:7\""));
    for target in [
        "lark",
        "gbnf",
        "ebnf",
        "regex",
        "structural-tag",
        "structural-tag-legacy",
    ] {
        let open = run(&["emit", "grammar", "--target", target], "");
        let closed = run(
            &[
                "emit",
                "grammar",
                "--target",
                target,
                "--observations",
                &made,
            ],
            "",
        );
        assert_eq!(
            (open.status, closed.status),
            (0, 0),
            "{target}: {}",
            closed.stderr
        );
        assert!(
            closed.stdout.contains("rs:7") && !open.stdout.contains("rs:7"),
            "{target}"
        );
    }
}

#[test]
fn a_prompt_can_be_identified() {
    let plain = run(&["emit", "prompt"], "").stdout;
    let json = run(&["emit", "prompt", "--json"], "").stdout;
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["text"], plain.as_str());
    assert_eq!(object["prompt_version"], 2);
    assert_eq!(object["require"], "nothing");
    let every = run(&["emit", "prompt", "--require=every-sentence"], "").stdout;
    assert!(every.contains("Annotate every sentence"), "{every}");
    assert_eq!(object["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(run(&["emit", "prompt"], "").stdout, plain);
}

#[test]
fn examples_come_in_pairs() {
    let input = concat!(
        r#"{"messages":[{"role":"user","content":"Ready?"},{"role":"assistant","content":"It is. [substrate.grep]"}]}"#,
        "\n\n",
        r#"{"messages":[{"role":"assistant","content":"It is."}]}"#,
        "\n{\n",
        r#"{"messages":[{"role":"assistant","content":"It is. [substrate.telepathy]"}]}"#,
    );
    let run = run(&["emit", "examples", "--language=fr"], input);
    let lines: Vec<serde_json::Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((run.status, lines.len()), (0, 2));
    assert!(
        lines[0]["messages"][0]["content"]
            .as_str()
            .unwrap()
            .starts_with("Après chaque phrase")
    );
    assert_eq!(
        lines[0]["messages"][2]["content"],
        "It is. [substrate.grep]"
    );
    assert_eq!(lines[1]["messages"][1]["content"], "It is.");
    for told in [
        "without annotations: 1, the first in line 3: no message of the assistant has an annotation",
        "faulty annotations: 1, the first in line 5: message 1: unknown-identifier, found \"substrate.telepathy\" (1 in all)",
        "chat format: 1, the first in line 4: expected one conversation a line, found one that goes on in the next line or is not complete; `jq -c .` writes each on one line; `provstream emit examples --help` shows the format\n",
    ] {
        assert!(run.stderr.contains(told), "{}", run.stderr);
    }
}

#[test]
fn examples_keep_what_they_need_not_change() {
    let line = r#"{"n":12345678901234567890123,"f":1.10,"e":1e400,"messages":[{"role":"assistant","content":"It is. [substrate.grep]"}]}"#;
    let run = run(&["emit", "examples"], format!("\u{feff}{line}\r\n"));
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let start = r#"{"n":12345678901234567890123,"f":1.10,"e":1e400,"messages":["#;
    assert_eq!(run.stdout.lines().count(), 2);
    for line in run.stdout.lines() {
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn schemas_keep_to_the_limits_of_their_provider() {
    let files = Files::new();
    let items: Vec<String> = (0..333)
        .map(|index| {
            format!(r#"{{"class":"substrate.grep","id":"{index}","ts":"2026-05-28T11:40:00Z"}}"#)
        })
        .collect();
    let many = files.write("many.json", format!("[{}]", items.join(",")));
    let run = run(
        &["emit", "schema", "--target=openai", "--observations", &many],
        "",
    );
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    let told =
        "openai allows at most 1000 enum values in a schema, found 1334: list fewer observations";
    assert!(run.stderr.contains(told), "{}", run.stderr);
}

/// The commands of the recipes work as they are written.
#[test]
fn recipes_are_commands() {
    let files = Files::new();
    let made = files.write("made.json", OBSERVATIONS);
    let package = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = package.join("../../docs/emission.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let mut count = 0;
    for line in guide.lines() {
        let Some((command, _)) = line.split_once(" > ") else {
            continue;
        };
        let mut words = command.split(' ');
        if (words.next(), words.next()) != (Some("provstream"), Some("emit")) {
            continue;
        }
        let args: Vec<&str> = words
            .map(|word| {
                if word == "made.json" {
                    made.as_str()
                } else {
                    word
                }
            })
            .collect();
        let run = run(&[&["emit"], args.as_slice()].concat(), "");
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{line}");
        assert!(run.stdout.contains("src/a.rs:7"), "{line}");
        count += 1;
    }
    assert_eq!(count, 10);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn wrong_arguments_and_files_are_usage() {
    let files = Files::new();
    let bad = files.write(
        "bad.json",
        "[{\"class\": \"substrate.telepathy\", \"id\": \"a\"}]",
    );
    let empty = files.write("empty.json", "[]");
    let hiding = files.write(
        "hiding.json",
        "[{\"class\": \"substrate.code.read\", \"id\": \"m[substrate.nope]\"}]",
    );
    let missing = files.path("missing").to_str().unwrap().to_owned();
    for (args, status, told) in [
        (&[][..], 2, "Usage:"),
        (&["grammar"], 2, "--target"),
        (
            &["grammar", "--target=GBNF"],
            2,
            "--target: expected one of lark, gbnf, ebnf, regex, structural-tag, structural-tag-legacy, found `GBNF`",
        ),
        (
            &["grammar", "--target=gbnf", "--require=all"],
            2,
            "--require: expected one of nothing, every-sentence, found `all`",
        ),
        (
            &[
                "grammar",
                "--target=structural-tag-legacy",
                "--require=every-sentence",
            ],
            2,
            "cannot express the requirement every-sentence (--require)",
        ),
        (
            &[
                "grammar",
                "--target=structural-tag-legacy",
                "--observations",
                &empty,
            ],
            2,
            "cannot express annotations: --observations lists none",
        ),
        (
            &["schema", "--target=azure"],
            2,
            "--target: expected one of json-schema, openai, anthropic, gemini, ollama, bedrock, cohere, found `azure`",
        ),
        (
            &["prompt", "--language=it"],
            2,
            "--language: expected one of en, de, es, fr, ja, found `it`",
        ),
        (
            &["prompt", "--length=long"],
            2,
            "expected one of short, full",
        ),
        (
            &["prompt", "--form=json", "--require=every-sentence"],
            2,
            "--require every-sentence: expected --form bracketed, found json",
        ),
        (
            &["prompt", "--form=xml"],
            2,
            "expected one of bracketed, json",
        ),
        (
            &["prompt", "--observations=-"],
            2,
            "--observations: standard input is not read for it",
        ),
        (
            &["prompt", "--observations", &bad],
            2,
            "observation 1: \"class\": expected a class of vocabulary 1.0 (substrate.git.log, substrate.grep, substrate.code.read, substrate.fs.mtime, substrate.mcp.brief, substrate.do.sse-count, substrate.unix.peercred), found \"substrate.telepathy\"",
        ),
        (
            &["grammar", "--target=gbnf", "--observations", &hiding],
            2,
            "hiding.json: line 1, column 2: observation 1: the id \"m[substrate.nope]\" contains what a reader takes for an annotation",
        ),
        (&["prompt", "--observations", &missing], 1, "cannot read"),
        (&["schema", "--vocabulary", &missing], 1, "cannot read"),
        (&["schema", "--vocabulary", &bad], 2, "bad.json: line 1"),
        (&["examples", &missing], 1, "cannot read"),
        (&["examples", "a", "b"], 2, "found a second one: `b`"),
        (&["promt"], 2, "prompt"),
    ] {
        let run = run(&[&["emit"], args].concat(), "");
        assert_eq!(
            (run.status, run.stdout.as_str()),
            (status, ""),
            "{args:?}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(told), "{args:?}: {}", run.stderr);
    }
    for help in ["prompt", "schema", "grammar", "examples"] {
        let run = run(&["emit", help, "--help"], "");
        assert!(
            run.status == 0 && run.stdout.contains("Exit status:"),
            "{help}"
        );
    }
}
