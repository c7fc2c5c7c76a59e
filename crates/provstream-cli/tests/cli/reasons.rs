//! What standard error says about the first thing that keeps a command with `--fail` from passing: where it is, and why.

use std::fs;

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
    let advice = "; --audit FILE logs each";
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
fn gate_names_the_first_run_that_it_withholds() {
    let files = Files::new();
    let rule = "[unannotated]\naction = \"discard\"\n";
    let policy = files.write("policy.toml", format!("{POLICY}{rule}"));
    let text = "So. [substrate.grep; ts=2026-05-29T12:40:00Z] Well.";
    assert_reason(
        &["gate", "--policy", &policy, "--now", NOW],
        text,
        &[
            "withheld: 1 run of text without annotation (at byte 4 of the clean text); --audit FILE logs each",
        ],
    );
}

#[test]
fn gate_names_the_class_that_is_refused_or_missing() {
    let files = Files::new();
    let keys = "required = [\"substrate.git.log\"]\nrefused = [\"substrate.fs.mtime\"]\n";
    let policy = files.write("policy.toml", format!("{keys}{POLICY}"));
    for (class, why) in [
        (
            "substrate.grep",
            "missing-class, substrate.git.log does not count",
        ),
        (
            "substrate.fs.mtime",
            "refused-class, substrate.fs.mtime is refused",
        ),
    ] {
        let reason =
            format!("withheld: 1 of 1 assertions (at byte 0: {why}); --audit FILE logs each");
        assert_reason(
            &["gate", "--policy", &policy, "--now", NOW],
            &format!("So. [{class}; ts=2026-05-29T12:40:00Z]"),
            &[&reason],
        );
    }
}

#[test]
fn gate_says_where_a_length_ended_the_stream() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let long = format!("Well. So {} [substrate.grep]", "so ".repeat(3_000));
    assert_reason(
        &["gate", "--policy", &policy],
        &long,
        &[
            "the policy refused the rest of the stream at byte 6 of the clean text (limit: a sentence is longer than --max-assertion, or the text that is held back than --max-held)",
        ],
    );
}

#[test]
fn report_refers_to_the_page() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let page = files.path("page.html");
    let page = page.to_str().expect("the path is UTF-8");
    assert_reason(
        &["report", "--policy", &policy, "--now", NOW, "-o", page],
        TEXT,
        &["the gate withholds 2 of 2 assertions; the page shows which and why"],
    );
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
    let shows = "; `provstream extract --pretty` with the same input options shows where";
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

#[test]
fn citations_read_names_the_first_diagnostic() {
    let advice = "; the lines with \"event\":\"diagnostic\" say what and where";
    let without_url = "{\"choices\":[{\"message\":{\"content\":\"Hi\",\"annotations\":[{\"type\":\"url_citation\"}]}}]}";
    let chunk = "data: {\"object\":\"chat.completion.chunk\",\"choices\":[]}\n\n";
    let long = format!("{chunk}data: {{\"a\":\"{}\"}}\n\n", "x".repeat(1 << 20));
    for (input, reason) in [
        (
            without_url.to_owned(),
            "1 (in event 1 at /choices/0/message/annotations/0/url: expected this member, found none)",
        ),
        (
            format!("{chunk}data: {{\"choices\":[\n\ndata: {{\n\n"),
            "2 (the first in event 2: expected JSON, found something else, or its end, at line 1, column 12)",
        ),
        (
            format!("{chunk}data: {{\"choices\":["),
            "1 (in event 2: an event that is open at the end; it is not read)",
        ),
        (
            long,
            "1 (in event 2: expected an event of at most 1048576 bytes, found a longer one)",
        ),
    ] {
        let reason = format!("standard input: diagnostics: {reason}{advice}");
        assert_reason(
            &["citations", "read", "--from", "openai"],
            &input,
            &[&reason],
        );
    }
    // A note of its own says that nothing is a response; without --fail, the lines say the rest.
    assert_reason(
        &["citations", "read", "--from", "openai"],
        "It runs.",
        &[
            "standard input: expected the events of a response of openai, server-sent or JSON, found neither; give the response as the provider sent it",
        ],
    );
    let error = r#"{"error":{"message":"bad key","type":"invalid_request_error"}}"#;
    let pretty = error.replace(':', ":\n").replace(',', ",\n");
    for error in [
        error.to_owned(),
        pretty,
        format!("[{error}]"),
        format!("data: {error}\n\n"),
    ] {
        assert_reason(
            &["citations", "read", "--from", "openai"],
            &error,
            &[
                "standard input: expected a response of openai, found an error of the provider (\"bad key\")",
            ],
        );
    }
    let without = run(&["citations", "read", "--from", "openai"], without_url);
    assert_eq!((without.status, &*without.stderr), (0, ""));
}

#[test]
fn show_says_what_a_record_is_before_what_is_wrong_with_it() {
    let record = include_str!("../../../../corpus/marc/tv-m2-1.json");
    let expected =
        "standard input: line 1: expected a MARC-Disclosure object, found a MARC-Core record";
    let found = run(&["marc", "show", "--fail"], record);
    let message = format!("provstream: {expected}; `provstream marc project` discloses it\n");
    assert_eq!((found.status, found.stderr), (3, message));
    let odd = record.replace("\"low\"", "\"Low\"");
    let found = run(&["marc", "show", "--fail"], &odd);
    let start = format!(
        "provstream: {expected}, which `provstream marc project` discloses once it is valid: "
    );
    assert_eq!(found.status, 3);
    assert!(found.stderr.starts_with(&start), "{}", found.stderr);
    assert!(
        found.stderr.contains("`confidence_band` is `Low`"),
        "{}",
        found.stderr
    );
}

#[test]
#[cfg(unix)]
fn an_audit_log_is_not_the_file_that_standard_output_goes_to() {
    use std::process::Stdio;

    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let text = files.write("a.txt", TEXT);
    let out = files.write("out.txt", "");
    for audit in [&*out, "/dev/stdout"] {
        for more in [&[][..], &["-o", "-"]] {
            let args = ["gate", "--policy", &policy, "--audit", audit, &text];
            let to = fs::File::create(&out).expect("the file can be written");
            let child = crate::common::provstream(&[&args[..], more].concat())
                .stdout(Stdio::from(to))
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program starts");
            let found: Run = child.wait_with_output().expect("the program ends").into();
            let expected = format!(
                "provstream: --audit: expected a file of its own, found {audit}, which is standard output; give another path\n"
            );
            assert_eq!((found.status, found.stderr), (2, expected));
            assert_eq!(fs::read_to_string(&out).expect("a file"), "");
        }
    }
    // Devices can be shared, and a pipe is not a file that is overwritten.
    let shared = run(
        &["gate", "--policy", &policy, "--audit", "/dev/stdout", &text],
        "",
    );
    assert_eq!(shared.status, 0, "{}", shared.stderr);
}

#[test]
#[cfg(unix)]
fn files_that_cannot_be_opened_come_with_advice() {
    use std::os::unix::fs::symlink;

    let files = Files::new();
    let folder = files.path("");
    let folder = folder.to_str().expect("the path is UTF-8");
    let text = files.write("a.txt", TEXT);
    let policy = files.write("policy.toml", POLICY);
    let circle = files.path("circle");
    symlink("circle", &circle).expect("a link can be made");
    let circle = circle.to_str().expect("the path is UTF-8");
    let long = format!("{folder}{}", "n".repeat(300));
    let directory = "it is a directory, expected a file; give the path of a file";
    for (args, part) in [
        (&["strip", folder][..], directory),
        (&["strip", &text, "-o", folder], directory),
        (&["gate", &text, "--policy", folder], directory),
        (
            &["gate", &text, "--policy", &policy, "--audit", folder],
            directory,
        ),
        (
            &["strip", circle],
            "the links lead back to themselves: check the path",
        ),
        (&["strip", &long], "; give a shorter path"),
        (&["strip", &text, "-o", &long], "; give a shorter path"),
    ] {
        let found = run(args, "");
        assert_eq!(found.status, 1, "{}", found.stderr);
        assert!(found.stderr.trim_end().ends_with(part), "{}", found.stderr);
    }
    let folder = fs::File::open(folder).expect("the folder exists");
    let found: Run = crate::common::provstream(&["strip"])
        .stdin(folder)
        .output()
        .expect("the program runs")
        .into();
    assert_eq!(found.status, 1);
    let end = ", expected a file; give a FILE or a pipe\n";
    assert!(found.stderr.ends_with(end), "{}", found.stderr);
}

#[test]
fn values_name_what_was_found() {
    let files = Files::new();
    let policy = |window: &str| POLICY.replace("\"1h\"", &format!("\"{window}\""));
    let long = files.write("long.toml", policy("99999999999999999999d"));
    let terminal = "version = \"1.1\"\n[[class]]\nid = \"unverified-inference\"\nsince = \"1.1\"\n";
    let terminal = files.write("terminal.toml", terminal);
    let object = files.write("object.json", "\n {\"class\":\"substrate.grep\"}");
    let id = "d".repeat(300);
    for (args, message) in [
        (
            &["extract", "--max-depth", ""][..],
            "--max-depth: expected a whole number of levels between 1 and 65536, found an empty value; see `provstream extract --help`".to_owned(),
        ),
        (
            &["gate", "--policy", &long],
            format!("{long}: line 2, column 18: expected a duration of at most 18446744073709551615 seconds for \"default_window\", found \"99999999999999999999d\""),
        ),
        (
            &["vocabulary", "--vocabulary", &terminal],
            format!("{terminal}: line 3, column 6: expected a class that is not a terminal (every vocabulary has the terminals; leave it out), found \"unverified-inference\""),
        ),
        (
            &["emit", "prompt", "--observations", &object],
            format!("{object}: line 2, column 2: expected an array of observations, such as [{{\"class\": \"substrate.grep\", \"id\": \"src/a.rs:7\"}}], found an object"),
        ),
        (
            &["marc", "decide", "--deployment", "x", "--id", &id],
            "--id: expected 1 to 256 bytes, found 300; see `provstream marc decide --help`".to_owned(),
        ),
        (
            &["marc", "decide", "d.toml", "s.ndjson"],
            "`provstream marc decide` reads one file, found a second one: `s.ndjson`; a deployment is given as --deployment FILE; see `provstream marc decide --help`".to_owned(),
        ),
        (
            &["admit", "--floor", "1", "--window", "1h,2h"],
            "--window: expected one duration, as in 15m or substrate.grep=15m; give the option once for each class, found `1h,2h`; see `provstream admit --help`".to_owned(),
        ),
        (
            &["strip", "--input", "auto", "--text-only", "--channel", "x"],
            "--channel: expected a channel, which is a number such as 0, or two such as 0/0, found `x`; see `provstream strip --help`".to_owned(),
        ),
    ] {
        let found = run(args, "");
        assert_eq!((found.status, found.stderr), (2, format!("provstream: {message}\n")));
    }
}
