//! Message about the first place at which a command with `--fail` fails: its position and the
//! reason.

use crate::common::{Files, Run, run};

const POLICY: &str = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";

/// A time at which the observation of [`TEXT`] is a day and a minute too old.
const NOW: &str = "2026-05-29T12:41:00Z";

const TEXT: &str = "The build is green. [substrate.grep; ts=2026-05-28T11:40:00Z] It is so. [unverified-inference]";

/// An event of Anthropic's with a text.
fn event(text: &str) -> String {
    let delta = format!("{{\"type\":\"text_delta\",\"text\":\"{text}\"}}");
    format!(
        "data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{delta}}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
    )
}

/// Runs a command with `--fail`, and asserts the status 3 and the lines on standard error.
#[track_caller]
fn assert_reason(args: &[&str], input: &str, lines: &[&str]) {
    let args = [args, &["--fail"]].concat();
    let Run { stderr, status, .. } = run(&args, input);
    let found: Vec<_> = stderr
        .lines()
        .map(|line| line.strip_prefix("provstream: ").expect("a message"))
        .collect();
    assert_eq!((status, &*found), (3, lines), "{args:?}");
    // With -q, only the status says it.
    let quiet = run(&[&args[..], &["-q"]].concat(), input);
    assert_eq!((quiet.status, &*quiet.stderr), (3, ""), "{args:?}");
}

#[test]
fn gate_names_the_first_assertion_that_it_withholds() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let gate = |more: &[&'static str]| {
        let mut args = vec!["gate", "--policy", &*policy, "--now", NOW];
        args.extend(more);
        args.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let stale = "below-floor, 0 of 1 classes count, substrate.grep is 1d1m too old";
    let advice = "";
    for (more, input, reason) in [
        (
            &[][..],
            TEXT.to_owned(),
            format!("withheld: 2 of 2 assertions (the first at byte 0: {stale}){advice}"),
        ),
        (
            &[],
            "Well. So. [unverified-inference]".to_owned(),
            format!(
                "withheld: 1 of 1 assertions (at byte 6: terminal, unverified-inference is a terminal){advice}"
            ),
        ),
        (
            &[],
            "So. [substrate.nope]".to_owned(),
            format!(
                "withheld: 1 of 1 assertions (at byte 0: unknown, substrate.nope is not in the vocabulary){advice}"
            ),
        ),
        (
            &[],
            "So. [substrate.grep]".to_owned(),
            format!(
                "withheld: 1 of 1 assertions (at byte 0: below-floor, 0 of 1 classes count, substrate.grep has no `ts` that is a time){advice}"
            ),
        ),
        (
            &["--mode", "json"],
            "{\"assertion\":\"So.\"}".to_owned(),
            format!("withheld: 1 of 1 assertions (at byte 14: unannotated){advice}"),
        ),
        (
            &["--input", "anthropic"],
            event(TEXT),
            format!(
                "withheld: 2 of 2 assertions (the first at byte 0 of channel 0: {stale}){advice}"
            ),
        ),
    ] {
        let args = gate(more);
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        assert_reason(&args, &input, &[&reason]);
    }
    // An audit log that is written has all of them.
    let log = files.path("audit.ndjson");
    let log = log.to_str().expect("the path is UTF-8");
    let mut args = gate(&["--audit"]);
    args.push(log.to_owned());
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let reason = format!("withheld: 2 of 2 assertions (the first at byte 0: {stale})");
    assert_reason(&args, TEXT, &[&reason]);
}

#[test]
fn admit_names_the_first_assertion_that_it_does_not_admit() {
    let admit = [
        "admit", "--floor", "1", "--window", "1h", "--now", NOW, "--fail",
    ];
    let stale = "below-floor, 0 of 1 classes count, substrate.grep is 1d1m too old";
    let files = Files::new();
    let good = files.write("good.txt", "Hm.");
    let bad = files.write("bad.txt", TEXT);
    let lines = "{\"t\":\"Hm.\"}\n{\"t\":\"So. [substrate.grep; ts=2026-05-28T11:40:00Z]\"}\n";
    let several =
        format!("not admitted: 2 of 2 assertions (the first in {bad} at byte 0: {stale})");
    for (more, input, reason) in [
        (
            &[][..],
            TEXT,
            format!("not admitted: 2 of 2 assertions (the first at byte 0: {stale})"),
        ),
        (
            &["--pretty"],
            "Hm.\nSo. [substrate.nope]",
            "not admitted: 1 of 1 assertions (at 2:1: terminal, substrate.nope is not in the vocabulary)".to_owned(),
        ),
        (
            &["--field", "/t"],
            lines,
            format!("not admitted: 1 of 1 assertions (at line 2, byte 0: {stale})"),
        ),
        (
            &["--field", "/t", "--field", "/u", "--jobs", "3"],
            "{\"t\":\"Hm.\",\"u\":\"So. [substrate.grep; ts=2026-05-28T11:40:00Z]\"}\n",
            format!("not admitted: 1 of 1 assertions (at line 1, /u, byte 0: {stale})"),
        ),
        (&[&good, &bad], "", several.clone()),
        (&["--jobs", "2", &good, &bad], "", several),
    ] {
        let Run { stderr, status, .. } = run(&[&admit[..], more].concat(), input);
        assert_eq!((status, stderr), (3, format!("provstream: {reason}\n")));
    }
    let Run { stderr, .. } = run(
        &[&admit[..], &["--input", "anthropic"]].concat(),
        event(TEXT),
    );
    assert_eq!(
        stderr,
        format!(
            "provstream: not admitted: 2 of 2 assertions (the first at channel 0, byte 0: {stale})\n"
        )
    );
}

#[test]
fn what_was_not_judged_or_read_has_a_place() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let gate = ["gate", "--policy", &policy];
    let admit = ["admit", "--floor", "1", "--window", "1h"];
    let open = "Well. So. [substrate.grep; ts=";
    let shows = "; `provstream extract` with the same input options shows where";
    for command in [&gate[..], &admit] {
        let reason = format!(
            "not all was judged: 1 unterminated (at byte 10: an annotation that is not closed or has a byte that cannot be in it, or a JSON value that is open at the end; it is read as text){shows}"
        );
        assert_reason(command, open, &[&reason]);
    }
    let reason = format!(
        "not all was judged: 1 json-syntax, 2 no-field (the first at line 1, byte 0: not JSON from here; reading goes on after it){shows}"
    );
    assert_reason(
        &[&admit[..], &["--field", "/t"]].concat(),
        "x\n{\"a\":1}\n{\"t\":3}\n{\"t\":\"ok\"}\n",
        &[&reason],
    );
    let response = event("Hm.");
    let at = response.len();
    let odd = format!("{response}data: {{x\n\n");
    let error = format!(
        "{response}data: {{\"type\":\"error\",\"error\":{{\"message\":\"Overloaded\"}}}}\n\n"
    );
    for command in [&gate[..], &admit, &["strip"]] {
        let args = [command, &["--input", "anthropic"]].concat();
        let reason = format!(
            "not all was read: 1 malformed-event (at byte {at} of the response: an event that is not JSON; its text is not read)"
        );
        assert_reason(&args, &odd, &[&reason]);
        let reason = "not all was read: 1 error of the provider (\"Overloaded\")";
        assert_reason(&args, &error, &[reason]);
        let long = error.replace("Overloaded", &"o".repeat(200));
        let shown = format!("{}…", "o".repeat(120));
        let reason = format!("not all was read: 1 error of the provider ({shown:?})");
        assert_reason(&args, &long, &[&reason]);
    }
}
