//! `provstream emit`: prompts, schemas, grammars and examples.

use crate::common::{Files, run, sh};

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
        let closed = sh(
            &format!("emit grammar --target {target} --observations {made}"),
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
        "without annotations: 1 (in line 3: no message of the assistant has an annotation)",
        "faulty annotations: 1 (in line 5: message 1: unknown-identifier, found \"substrate.telepathy\" (1 in all))",
        "chat format: 1 (in line 4: expected one conversation a line",
    ] {
        assert!(run.stderr.contains(told), "{}", run.stderr);
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
    let run = sh(
        &format!("emit schema --target=openai --observations {many}"),
        "",
    );
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    let told =
        "openai allows at most 1000 enum values in a schema, found 1334: list fewer observations";
    assert!(run.stderr.contains(told), "{}", run.stderr);
}
