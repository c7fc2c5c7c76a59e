//! Observation ids in lines and audit logs: kept, dropped or hashed.

use std::fs;

use serde_json::Value;

use crate::common::{Files, run};

const ANSWER: &str = "It runs. [substrate.grep; observation-id=src/a.rs:7; ts=2026-05-28T11:40:00Z] So.\n\
    {\"assertion\": \"It stops.\", \"provenance\": {\"substrate_class\": \"substrate.grep\", \"observation_id\": \"src/a.rs:7\"}}\n";
/// SHA-256 of `provstream observation id 1`, a line feed, and the SHA-256 digests of sixteen bytes 7 and of `src/a.rs:7`.
const HASHED: &str =
    "salted-sha256:e6e8951ccc25095548d70495bce9434fec575b4aa9354bb493ba5228445c95b1";

/// The ids of the annotations in lines; null without one.
fn ids(lines: &str) -> Vec<Value> {
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    // Totals have the number of annotations.
    let annotations = lines.filter_map(|line| line["annotations"].get(0).cloned());
    annotations
        .map(|annotation| annotation["observation_id"].clone())
        .collect()
}

#[test]
fn ids_in_lines_and_audit_logs_have_their_form() {
    let files = Files::new();
    let salt = files.write("salt", [7; 16]);
    let policy = files.write(
        "policy.toml",
        "floor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"discard\" }\n",
    );
    let audit = files.path("audit.ndjson");
    let audit = audit.to_str().expect("UTF-8");
    for (form, more, id) in [
        ("keep", &[][..], Value::from("src/a.rs:7")),
        ("drop", &[], Value::Null),
        ("hash", &["--salt", &salt], HASHED.into()),
    ] {
        let expected = [id.clone(), id];
        let form = [&["--observation-ids", form], more].concat();
        let admit = ["--floor", "1", "--window", "any"];
        let gate = ["--policy", &policy, "--audit", audit];
        for (command, args) in [("extract", &[][..]), ("admit", &admit), ("gate", &gate)] {
            let found = run(&[&[command], args, &form].concat(), ANSWER);
            assert_eq!(found.status, 0, "{command} {form:?}: {}", found.stderr);
            let lines = match command {
                "gate" => fs::read_to_string(audit).expect("a log"),
                _ => found.stdout,
            };
            assert_eq!(ids(&lines), expected, "{command} {form:?}: {lines}");
            assert!(lines.contains("substrate.grep"), "{lines}");
            assert_eq!(lines.contains("a.rs"), form[1] == "keep", "{lines}");
        }
        fs::remove_file(audit).expect("removed");
    }
}

#[test]
fn wrong_forms_are_refused() {
    let files = Files::new();
    let short = files.write("short", [7; 15]);
    for (args, error) in [
        (&["extract", "--observation-ids", "hash"][..], "--salt"),
        (
            &["extract", "--observation-ids", "hash", "--salt", &short],
            "expected a salt of at least 16 bytes, found 15",
        ),
        (
            &["extract", "--observation-ids", "hash", "--salt", "absent"],
            "cannot read absent",
        ),
        (
            &["gate", "--policy", "own-state", "--observation-ids", "drop"],
            "--observation-ids: expected --audit",
        ),
    ] {
        let found = run(args, ANSWER);
        assert_ne!(found.status, 0, "{args:?}");
        assert!(found.stderr.contains(error), "{args:?}: {}", found.stderr);
    }
}
