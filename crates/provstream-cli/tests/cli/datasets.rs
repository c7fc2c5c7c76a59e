//! Data sets: texts in fields of NDJSON, several files, summaries.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Files, run, sh};

const CHATS: &str = concat!(
    "{\"id\":1,\"messages\":[{\"role\":\"user\",\"content\":\"Does it run?\"},",
    "{\"role\":\"assistant\",\"content\":\"It runs. [substrate.grep; ts=2026-05-28T11:40:00Z]\"}]}\n",
    "{\"id\":2, \"messages\":[{\"content\":\"\\u00e9 [x\"},{\"content\":null}]}\n",
    "\n",
    "{\"id\":3,\"messages\":[{\"content\":\"\\\"No\\\". [unverified-inference]\"}]}",
);

const POLICY: &str = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"replace\"\ntext = \"(withheld)\"\n";

const FIELD: [&str; 2] = ["--field", "/messages/*/content"];

#[test]
fn strip_cleans_fields_and_keeps_all_other_bytes() {
    let cleaned = run(&[&["strip"][..], &FIELD].concat(), CHATS);
    assert_eq!((cleaned.status, &*cleaned.stderr), (0, ""));
    let expected = CHATS
        .replace(" [substrate.grep; ts=2026-05-28T11:40:00Z]", "")
        .replace(" [unverified-inference]", "");
    assert_eq!(cleaned.stdout, expected);
    let extracted = run(&[&["extract"][..], &FIELD].concat(), &*cleaned.stdout);
    assert!(
        !extracted.stdout.contains("\"event\":\"assertion\""),
        "{}",
        extracted.stdout
    );
}

#[test]
fn lines_that_cannot_be_read_are_kept_by_strip_and_withheld_by_gate() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let lines = "{\"text\":\"It runs. [substrate.grep]\"}\nnot json\n{\"text\":[\"x\"]}\n{}\n";
    let strip = run(&["strip", "--fail", "--field", "/text"], lines);
    assert_eq!(strip.status, 3);
    assert_eq!(strip.stdout, lines.replace(" [substrate.grep]", ""));
    assert!(
        strip
            .stderr
            .contains("lines written as they are: 2 (the first line 2: it is not JSON)"),
        "{}",
        strip.stderr
    );
    let gate = sh(
        &format!("gate --fail --policy {policy} --field /text"),
        lines,
    );
    assert_eq!(
        (gate.status, &*gate.stdout),
        (3, "{\"text\":\"(withheld)\"}\n{}\n")
    );
    assert!(gate.stderr.contains("lines withheld: 2"), "{}", gate.stderr);
    let none = run(&["strip", "--field", "/nothing"], lines);
    assert!(
        none.stderr.contains("lines written as they are: 1"),
        "{}",
        none.stderr
    );
}

#[test]
fn each_field_goes_through_a_gate_of_its_own() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let gate = ["gate", "--policy", &policy, "--now", "2026-05-28T12:00:00Z"];
    let gated = run(&[&gate[..], &FIELD].concat(), CHATS);
    assert_eq!(gated.status, 0, "{}", gated.stderr);
    let lines: Vec<&str> = gated.stdout.lines().collect();
    assert!(
        lines[0].ends_with("\"content\":\"It runs.\"}]}"),
        "{}",
        lines[0]
    );
    assert!(
        lines[3].contains("\"content\":\"(withheld)\""),
        "{}",
        lines[3]
    );
    assert_eq!(lines.len(), 4);
}

#[test]
fn several_files_go_to_one_output_or_a_directory() {
    let files = Files::new();
    let one = files.write("one.txt", "One. [substrate.grep]\n");
    let two = files.write("two.txt", "Two. [substrate.grep]\n");
    let all = run(&["strip", &one, "-", &two], "In. [substrate.grep]\n");
    assert_eq!((all.status, &*all.stdout), (0, "One.\nIn.\nTwo.\n"));
    let folder = files.path("clean");
    let folder = format!("{}/", folder.to_str().unwrap());
    let split = run(&["strip", &one, &two, "-o", &folder], "");
    assert_eq!((split.status, &*split.stdout), (0, ""), "{}", split.stderr);
    let written = |name: &str| fs::read_to_string(files.path("clean").join(name)).unwrap();
    assert_eq!(
        (written("one.txt"), written("two.txt")),
        ("One.\n".into(), "Two.\n".into())
    );
    let missing = run(&["strip", "/nowhere", &two], "");
    assert_eq!((missing.status, &*missing.stdout), (1, "Two.\n"));
    let ambiguous = run(&["strip", "--input", "auto", &one, &two], "");
    assert_eq!((ambiguous.status, &*ambiguous.stdout), (2, ""));
    let twins = run(&["strip", &one, &one, "-o", &folder], "");
    assert_eq!(twins.status, 2);
}

#[test]
fn summary_counts_by_class_file_and_field() {
    let files = Files::new();
    let file = files.write("chats.ndjson", CHATS);
    let options = [
        "summary",
        "--json",
        "--now",
        "2026-05-28T12:00:00Z",
        "--floor",
        "1",
        "--window",
        "1h",
    ];
    let rows = |by: &[&str]| -> Vec<Value> {
        let run = run(&[&options[..], &FIELD, by, &[&file]].concat(), "");
        assert_eq!((run.status, &*run.stderr), (0, ""));
        run.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let by_class = rows(&[]);
    assert_eq!(by_class.len(), 4);
    assert_eq!(
        (&by_class[0]["name"], &by_class[0]["annotations"]),
        (&"substrate.grep".into(), &1.into())
    );
    let all = &by_class[2];
    assert_eq!(
        (&all["assertions"], &all["annotations"], &all["unannotated"]),
        (&2.into(), &2.into(), &2.into())
    );
    assert_eq!(
        (&all["ages"]["oldest"], &all["ages"]["without_ts"]),
        (&1200.into(), &1.into())
    );
    assert_eq!(
        (&all["verdicts"]["admitted"], &all["verdicts"]["terminal"]),
        (&1.into(), &1.into())
    );
    assert_eq!(by_class[3], serde_json::json!({"event":"end","files":1}));
    assert_eq!(rows(&["--by", "field"])[0]["name"], "/messages/*/content");
    assert_eq!(rows(&["--by", "file"])[0]["name"], &*file);
    let table = sh("summary --by file", "It rained. It runs. [substrate.grep]");
    let lines: Vec<&str> = table.stdout.lines().collect();
    assert!(
        lines[0].contains("unannotated") && lines[1].starts_with("standard input"),
        "{}",
        table.stdout
    );
    assert!(!table.stdout.contains('\x1b'));
}

#[test]
fn a_report_of_several_files_has_an_index() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    fs::create_dir(files.path("answers")).unwrap();
    files.write("answers/a b.txt", "It runs. [substrate.grep]\n");
    files.write("answers/c.txt", "It rained.\n");
    let answers = files.path("answers");
    let answers = answers.to_str().unwrap();
    let pages = files.path("pages");
    let report = ["report", "--recursive", answers, "--policy", &policy];
    let run_to = |output: &[&str]| run(&[&report[..], output].concat(), "");
    let pages = pages.to_str().unwrap();
    let run = run_to(&["-o", pages, "--fail"]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    let index = fs::read_to_string(files.path("pages").join("index.html")).unwrap();
    assert!(
        index.contains("<a href=\"a%20b.txt.html\">") && index.contains("c.txt.html"),
        "{index}"
    );
    let page = fs::read_to_string(files.path("pages").join("a b.txt.html")).unwrap();
    assert!(page.contains("It runs."));
    assert_eq!(run_to(&[]).status, 2);
}

#[test]
fn fields_are_shown_as_texts_of_a_report() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let report = run(
        &[&["report", "--policy", &policy][..], &FIELD].concat(),
        CHATS,
    );
    assert_eq!(report.status, 0, "{}", report.stderr);
    assert!(report.stdout.contains("line 3") || report.stdout.contains("line 4"));
    assert!(report.stdout.contains("It runs."));
}

#[test]
fn sentences_without_annotation_can_fail() {
    let admit = ["admit", "--floor", "1", "--window", "any", "--fail"];
    let text = "# Title\n\nIt runs. [substrate.grep; ts=2001-01-01T00:00:00Z]\n";
    assert_eq!(run(&admit, text).status, 0);
    let required = [&admit[..], &["--require-annotations"]].concat();
    assert_eq!(run(&required, text).status, 0);
    let run = run(&required, format!("{text}\nIt rained.\n"));
    assert_eq!(run.status, 3);
    let line = r#"{"event":"unannotated","text":"It rained.","span":{"start":61,"end":71},"clean_span":{"start":19,"end":29}}"#;
    assert!(run.stdout.contains(line), "{}", run.stdout);
    let note = "provstream: sentences without an annotation: 1 (at byte 61: \"It rained.\")\n";
    assert_eq!(run.stderr, note);
    for (options, input, place) in [
        ("--pretty", format!("{text}\n  It rained.\n"), "5:3"),
        (
            "--pretty --field /text",
            json!({ "text": format!("{text}\nIt rained.") }).to_string(),
            "line 1:5:1",
        ),
        (
            "--pretty --input openai-chat",
            json!({ "choices": [{ "message": { "content": format!("{text}\nIt rained.") } }] })
                .to_string(),
            "channel 0:byte 61",
        ),
    ] {
        let command = format!("admit --floor 1 --window any --require-annotations {options}");
        let printed = sh(&command, &input).stdout;
        let line = format!("\n{place}  It rained.  no annotations\n");
        assert!(printed.contains(&line), "{printed}");
    }
}

#[test]
fn names_that_people_try_are_accepted() {
    for name in [
        "openai",
        "chat-completions",
        "claude",
        "google",
        "bedrock",
        "text",
    ] {
        let extract = run(&["extract", "--input", name], "");
        assert_eq!(extract.status, 0, "{name}: {}", extract.stderr);
    }
    let completions = run(&["completions", "bash"], "").stdout;
    for value in ["openai-responses", "ndjson", "substrate.grep="] {
        assert!(completions.contains(value), "{value}");
    }
}

#[test]
fn strings_of_one_line_have_their_pointers() {
    let files = Files::new();
    let policy = files.write(
        "policy.toml",
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"release\"\n[terminal]\naction = \"suspend\"\n",
    );
    let log = files.path("audit.ndjson");
    let log = log.to_str().unwrap();
    let line = concat!(
        "{\"messages\":[{\"content\":\"A. [substrate.grep]\"},{\"content\":\"It rained. So. [unverified-inference]\"},",
        "{\"content\":\"C. [unverified-inference]\"}]}\n"
    );
    let gate = ["gate", "--policy", &policy, "--audit", log];
    let gated = run(&[&gate[..], &FIELD].concat(), line);
    assert!(
        gated.stderr.contains("line 1 /messages/1/content"),
        "{}",
        gated.stderr
    );
    let found: Vec<_> = fs::read_to_string(log)
        .unwrap()
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let member = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            (
                member("decision"),
                member("channel"),
                line["offset"].as_u64(),
            )
        })
        .collect();
    let expected = [
        ("assertion", 0, None),
        ("assertion", 1, None),
        ("end", 1, Some(11)),
        ("assertion", 2, None),
        ("end", 2, Some(0)),
    ];
    let expected = expected.map(|(decision, at, offset)| {
        let channel = format!("line 1 /messages/{at}/content");
        (decision.to_owned(), channel, offset)
    });
    assert_eq!(found, expected);

    let extracted = run(&[&["extract"][..], &FIELD].concat(), line);
    let fields: Vec<_> = extracted
        .stdout
        .lines()
        .filter_map(|line| {
            Some(
                serde_json::from_str::<Value>(line).ok()?["field"]
                    .as_str()?
                    .to_owned(),
            )
        })
        .collect();
    assert_eq!(
        fields,
        [0, 1, 2].map(|at| format!("/messages/{at}/content"))
    );
}

#[test]
fn a_message_is_a_string_or_a_list_of_parts() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let both = [
        "--field",
        "/messages/*/content",
        "--field",
        "/messages/*/content/*/text",
    ];
    let lines = [
        r#"{"messages":[{"content":"It runs. [substrate.grep]"},{"content":[{"type":"text","text":"It rained. [substrate.grep]"},{"type":"image"}]}]}"#,
        r#"{"messages":[{"content":[]},{"content":null},{"content":[{"type":"text","text":"So."}]}]}"#,
        r#"{"messages":[{"content":"So."},{"content":[{"type":"text","note":"It is so. [substrate.grep]"}]}]}"#,
        r#"{"messages":[{"content":[{"type":"text","text":["So."]}]}]}"#,
        r#"{"messages":[{"content":7}]}"#,
    ];
    let input = lines.map(|line| format!("{line}\n")).concat();
    let gate = ["gate", "--policy", &policy, "--now", "2026-05-28T12:00:00Z"];
    let gated = run(&[&gate[..], &both].concat(), &*input);
    // Parts without the string may have text elsewhere.
    let expected = lines[..2].iter().map(|line| {
        line.replace("It runs. [substrate.grep]", "(withheld)")
            .replace("It rained. [substrate.grep]", "(withheld)")
            + "\n"
    });
    assert_eq!(
        gated.stdout,
        expected.collect::<String>(),
        "{}",
        gated.stderr
    );
    assert!(
        gated.stderr.contains("lines withheld: 3 (the first line 3: expected a string at /messages/*/content, found an array)"),
        "{}",
        gated.stderr
    );
}
