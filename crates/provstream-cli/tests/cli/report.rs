//! `provstream report`: the pages, what they have in common with the gate, and the exit status.

use std::fs;
use std::path::PathBuf;

use crate::common::{Files, run, sh};

const NOW: &str = "2026-05-28T12:00:00Z";

const POLICY: &str = r#"
version = "p1"
floor = 1
default_window = "1h"
language = "en"

[inadmissible]
action = "replace"
text = { en = "(withheld)", de = "(entfernt)" }

[malformed]
action = "refuse"
text = "stop"
"#;

const GOOD: &str = "[substrate.grep; ts=2026-05-28T11:40:00Z]";

fn golden(name: &str) -> String {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../provstream-report/tests/golden"
    );
    let path: PathBuf = [folder, name].iter().collect();
    path.to_str().expect("a path").to_owned()
}

/// Extracts the text of the body of a page, without tags.
fn text(page: &str) -> String {
    let (_, body) = page.split_once("<body").expect("a page");
    let texts = body
        .split('<')
        .map(|tag| tag.split_once('>').map_or("", |(_, text)| text));
    texts.collect()
}

#[test]
fn a_file_gives_the_page_that_the_library_gives() {
    let files = Files::new();
    let output = files.path("page.html");
    let output = output.to_str().expect("a path");
    let (answer, policy) = (golden("answer.txt"), golden("policy.toml"));
    let base = ["report", &answer, "--policy", &policy, "--now", NOW];
    let expected = fs::read_to_string(golden("answer.html")).expect("a page");
    let found = run(&base, "");
    assert!(found.stdout == expected && found.stderr.is_empty() && found.status == 0);
    let found = run(
        &[&base[..], &["-o", output, "--chunk-size", "7"]].concat(),
        "",
    );
    assert_eq!((&*found.stdout, found.status), ("", 0), "{}", found.stderr);
    assert!(fs::read_to_string(output).expect("a page") == expected);
}

#[test]
fn the_exit_status_is_that_of_the_gate() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let strict = files.write(
        "strict.toml",
        format!("{POLICY}\n[unannotated]\naction = \"discard\"\n"),
    );
    let event = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let done = "data: [DONE]\n\n";
    for (input, more) in [
        (String::new(), &[][..]),
        (format!("It runs. {GOOD} So."), &[]),
        ("It runs. [substrate.grep] So.".into(), &[]),
        ("It runs. [substrate.grep; x] So.".into(), &[]),
        ("So.".into(), &["--policy", &strict][..]),
        ("{\"assertion\":\"a\"}".into(), &["--mode", "json"]),
        ("x".repeat(70_000), &["--max-held", "1024"]),
        (format!("{}{done}", event("So.")), &["--input", "auto"]),
        (
            format!(
                "{}data: {{\"error\":{{\"message\":\"m\"}}}}\n\n",
                event("So.")
            ),
            &["--input", "openai-chat"],
        ),
        (
            format!("{}data: x\n\n{done}", event("So.")),
            &["--input", "openai-chat"],
        ),
        (event("So."), &["--input", "anthropic"]),
        ("So.".into(), &["--input", "auto"]),
        ("So.".into(), &["--language", "fr"]),
        ("So.".into(), &["--max-held", "7"]),
        ("So.".into(), &["/nowhere.txt"]),
        ("So.".into(), &["--vocabulary", "/nowhere.toml"]),
    ] {
        let with = |command: &'static str| {
            let mut words = vec![command, "--now", NOW, "--fail"];
            if !more.contains(&"--policy") {
                words.extend(["--policy", &policy]);
            }
            words.extend(more);
            run(&words, &input)
        };
        let (gate, report) = (with("gate"), with("report"));
        assert_eq!(
            report.status, gate.status,
            "{more:?} {input:.40}: {}",
            report.stderr
        );
        if ![0, 3].contains(&gate.status) {
            assert_eq!(report.stdout, "", "{more:?}");
            assert!(!report.stderr.is_empty(), "{more:?}");
        } else {
            assert!(report.stdout.ends_with("</html>\n"), "{more:?}");
            let is_passed = report.status == 0;
            let is_reason = !report.stderr.is_empty();
            assert!(is_passed || is_reason, "{more:?}: no reason");
        }
    }
}

#[test]
fn channels_that_come_side_by_side_are_shown_one_by_one() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let event = |index: usize, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let mut input = String::new();
    let pieces = [
        "Second it ",
        "First it ",
        "snowed. ",
        "rained. [subst",
        "B.",
        "rate.grep] A.",
    ];
    for (at, piece) in pieces.into_iter().enumerate() {
        input.push_str(&event((at + 1) % 2, piece));
    }
    input.push_str("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
    let words = [
        "report",
        "--policy",
        &policy,
        "--input",
        "openai-chat",
        "--title",
        "<two>",
    ];
    for chunk in ["1", "65536"] {
        let found = run(&[&words[..], &["--chunk-size", chunk]].concat(), &input);
        assert_eq!(found.status, 0, "{}", found.stderr);
        let shown = text(&found.stdout);
        let first = shown.find("Channel 0").expect("the first");
        let second = shown.find("Channel 1").expect("the second");
        assert!(first < second && shown.contains("&lt;two&gt;"));
        assert!(
            shown[first..second].contains("First it rained. A."),
            "{shown}"
        );
        assert!(shown[second..].contains("Second it snowed. B."), "{shown}");
        assert!(shown[first..second].contains("Replaced by (withheld)"));
    }
}

#[test]
fn reasoning_that_goes_through_the_gate_is_a_text_of_its_own() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let event = |member: &str, text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"{member}\":\"{text}\"}}}}]}}\n\n")
    };
    let input = [
        event("reasoning_content", "It may rain. [substrate.grep]"),
        event("content", "It rains."),
        "data: [DONE]\n\n".to_owned(),
    ];
    let input = input.concat();
    let words = [
        "report",
        "--policy",
        &policy,
        "--input",
        "openai-chat",
        "--reasoning",
    ];
    let found = run(&[&words[..], &["gate"]].concat(), &input);
    assert_eq!(found.status, 0, "{}", found.stderr);
    let shown = text(&found.stdout);
    assert!(shown.contains("Channel 0 reasoning") && shown.contains("It may rain."));
    let found = run(&[&words[..], &["leave"]].concat(), &input);
    let shown = text(&found.stdout);
    assert!(!shown.contains("reasoning") && shown.contains("It rains."));
}

#[test]
fn an_audit_log_is_shown_without_a_policy() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let log = files.path("audit.ndjson");
    let log = log.to_str().expect("a path");
    let input = format!("It runs. {GOOD} So it is. [substrate.grep] No. [substrate.grep; x] So.");
    let gate = sh(
        &format!("gate --policy {policy} --now {NOW} --audit {log} --stream-id s7"),
        &input,
    );
    assert_eq!(gate.stdout, "It runs. (withheld) stop");
    let found = run(&["report", "--audit-log", log, "--fail"], "");
    let reason = "provstream: the gate withholds 2 of 3 assertions, the rest of 1 text; the page shows which and why\n";
    assert_eq!((found.status, &*found.stderr), (3, reason));
    let shown = text(&found.stdout);
    for part in [
        "s7 · policy p1",
        "Admitted 1 class counts, floor 1",
        "Replaced",
        "Malformed",
        "Rest refused",
        "bytes 0 to 8",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // printf 'It runs.' | sha256sum
    assert!(shown.contains("6ea75a9c0abcb83c0010019c7ad88b92c6dba13009c4a27a1a6428587c5d7240"));
    assert!(!shown.contains("It runs"));

    let mut odd = fs::read_to_string(log).expect("a log");
    odd.push_str("{\"decision\":\"end\",\"action\":\"suspend\"}\nnot a line\n");
    let found = run(&["report", "--audit-log"], &odd);
    assert_eq!(found.status, 0);
    assert!(
        found.stderr.contains(
            "standard input: lines left out: 1 (line 6: expected a decision of a gate, found at column 2: expected ident)"
        ),
        "{}",
        found.stderr
    );
    assert!(text(&found.stdout).contains("Lines that are not of an audit log: 1."));
    let found = run(&["report", "--audit-log"], &input);
    assert_eq!((found.status, &*found.stdout), (1, ""));
    assert!(
        found
            .stderr
            .contains("nothing in standard input is a line of an audit log"),
        "{}",
        found.stderr
    );
}

#[test]
fn markers_of_citations_are_judged_like_the_gate_does() {
    let files = Files::new();
    let policy = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"release\"\n\
        [unknown_source]\naction = \"replace\"\ntext = \"(withheld)\"\n";
    let policy = files.write("policy.toml", policy);
    let sources =
        r#"[{"id": "1"}, {"id": "2", "class": "substrate.grep", "ts": "2026-05-28T11:40:00Z"}]"#;
    let sources = files.write("sources.json", sources);
    let answer = "Paris [1] is big. Lyon is, too [2]. It rains [7].";
    let base = [
        "--policy",
        &policy,
        "--now",
        NOW,
        "--fail",
        "--dialect",
        "numeric",
    ];
    let with_sources = [&base[..], &["--sources", &sources]].concat();
    let found = run(&[&["report"][..], &with_sources].concat(), answer);
    assert_eq!(found.status, 3, "{}", found.stderr);
    let shown = text(&found.stdout);
    assert!(
        shown.contains("Paris is big. Lyon is, too. It rains."),
        "{shown}"
    );
    for verdict in ["Listed source", "Admitted", "Unknown source"] {
        assert!(shown.contains(verdict), "{verdict}: {shown}");
    }
    for command in ["report", "gate"] {
        let found = run(&[&[command][..], &base].concat(), answer);
        assert_eq!(found.status, 2, "{command}: {}", found.stderr);
        assert!(
            found.stderr.contains("need a list of sources"),
            "{}",
            found.stderr
        );
    }
}
