//! `--fail`: the status, and the reason for it on standard error.

use crate::common::{Files, Run, run, sh};

/// The folder of a policy and of other inputs.
const GOLDEN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../provstream-report/tests/golden"
);

/// Runs a command with `--fail` and asserts its status and its only line on standard error.
#[track_caller]
fn assert_fails(args: &str, input: &str, reason: &str) {
    let words: Vec<&str> = args.split(' ').chain(["--fail"]).collect();
    let Run { stderr, status, .. } = run(&words, input);
    assert_eq!(
        (status, stderr.as_str()),
        (3, &*format!("provstream: {reason}\n")),
        "{args}"
    );
    // Without it, a command neither fails nor speaks of it.
    let without = run(&words[..words.len() - 1], input);
    assert_eq!(without.status, 0, "{args}: {}", without.stderr);
}

/// An empty text has nothing that was not read. Where a response was promised, something is missing.
#[test]
fn an_empty_input_is_a_text_but_not_a_response() {
    let gate = format!("gate --policy {GOLDEN}/policy.toml");
    let files = Files::new();
    let page = files.path("page.html");
    let report = format!(
        "report --policy {GOLDEN}/policy.toml -o {}",
        page.to_str().expect("the path is UTF-8")
    );
    for command in [
        "extract",
        "strip",
        "strip --text-only",
        "admit --floor 1 --window 1h",
        &gate,
        &report,
    ] {
        for input in ["", " \r\n\n"] {
            let reason = "the input is empty: expected a response of";
            let auto = format!("{command} --input auto");
            assert_fails(&auto, input, &format!("{reason} a provider"));
            let named = format!("{command} --input anthropic");
            assert_fails(&named, input, &format!("{reason} anthropic"));
        }
        if !command.starts_with("strip") && command != report {
            let words: Vec<&str> = command.split(' ').chain(["--fail"]).collect();
            let text = run(&words, "");
            assert_eq!((text.status, &*text.stderr), (0, ""), "{command}");
        }
    }
}

#[test]
fn an_error_of_the_provider_is_a_reason() {
    let error = "data: {\"error\":{\"message\":\"overloaded\"}}\n\n";
    let unread = "not all was read: 1 error of the provider (\"overloaded\")";
    let gate = format!("gate --policy {GOLDEN}/policy.toml");
    for (command, reason) in [
        ("strip", unread),
        ("admit --floor 1 --window 1h", unread),
        (&gate, unread),
        (
            "extract",
            "errors of the provider: 1; the lines with the event `diagnostic` or `error` say where and what",
        ),
    ] {
        assert_fails(&format!("{command} --input openai-chat"), error, reason);
    }
}

#[test]
fn extract_fails_for_what_was_not_read_and_for_diagnostics() {
    let unknown = "data: {\"output\":\"It is so. [substrate.grep]\"}\n\n";
    let failing = run(&["extract", "--fail", "--input", "auto"], unknown);
    assert_eq!(failing.status, 3, "{}", failing.stderr);
    assert_eq!(failing.stderr.lines().count(), 2, "{}", failing.stderr);
    // Nothing is odd about an assertion that no class corroborates.
    let fine = run(&["extract", "--fail"], "It is so. [unverified-inference]");
    assert_eq!((fine.status, fine.stderr.as_str()), (0, ""));
    let quiet = run(&["extract", "--fail", "-q"], "It is. [substrate.grep; ts=");
    assert_eq!((quiet.status, quiet.stderr.as_str()), (3, ""));
    // Of several files, one is enough.
    let files = Files::new();
    let good = files.write("good.txt", "It is. [substrate.grep]");
    let bad = files.write("bad.txt", "It is. [substrate.grep; ts=");
    let several = run(&["extract", "--fail", &bad, &good], "");
    let reason =
        "diagnostics: 1; the lines with the event `diagnostic` or `error` say where and what";
    assert_eq!(several.status, 3);
    assert_eq!(several.stderr, format!("provstream: {reason}\n"));
    // Lines for people have no names of events.
    let pretty = run(&["extract", "--fail", "--pretty", &bad], "");
    let reason = "diagnostics: 1; the lines above say where and what";
    assert_eq!(pretty.stderr, format!("provstream: {reason}\n"));
    let path = files.path("out.txt");
    let path = path.to_str().expect("the path is UTF-8");
    let written = run(&["extract", "--fail", "--pretty", "-o", path, &bad], "");
    let reason = format!("diagnostics: 1; the lines of {path} say where and what");
    assert_eq!(written.stderr, format!("provstream: {reason}\n"));
}

#[test]
fn extract_fails_for_what_it_takes_for_a_terminal_or_does_not_find() {
    let faulty = "malformed or unknown annotations: ";
    let repeated = "It is. [substrate.grep; ts=2026-01-01T00:00:00Z; ts=2026-01-01T00:00:00Z]";
    for (text, reason) in [
        (
            repeated,
            "1 (at byte 7: malformed (a repeated parameter): substrate.grep)",
        ),
        (
            "It is. [substrate.grep] Is it? [substrate.grap] No. [9.0.substrate.grep]",
            "2 (the first at byte 31: unknown-identifier: substrate.grap)",
        ),
        (
            "{\"assertion\": \"It is.\", \"provenance\": 1}",
            "1 (at byte 38: malformed: no class)",
        ),
    ] {
        assert_fails("extract", text, &format!("{faulty}{reason}"));
    }
    let files = Files::new();
    let sources = files.write("sources.json", "[{\"id\": \"1\"}]");
    let extract = format!("extract --dialect numeric --sources {sources}");
    let reason = "cited identifiers that are not listed: 1 (at byte 0: 7)";
    assert_fails(&extract, "It is [1][7].", reason);
    for pretty in ["extract --pretty", "admit --pretty --floor 1 --window any"] {
        let text = format!("{repeated} So. [substrate.grep; x]");
        let printed = sh(pretty, &text).stdout;
        for fault in ["(a repeated parameter)", "(a parameter without `=`)"] {
            let line = format!("\n    unverified-inference  malformed {fault}: substrate.grep");
            assert!(printed.contains(&line), "{printed}");
        }
    }
}

#[test]
fn what_was_not_judged_is_shown_by_extract_with_the_input_options() {
    let odd = "It is. [substrate.grep; ts=";
    let policy = format!("{GOLDEN}/policy.toml");
    let advice = "; `provstream extract` with the same input options shows where\n";
    for args in [
        &["admit", "--fail", "--floor", "1", "--window", "1h"][..],
        &["gate", "--fail", "--policy", &policy],
    ] {
        let found = run(args, odd);
        assert_eq!(found.status, 3, "{}", found.stderr);
        assert!(found.stderr.ends_with(advice), "{}", found.stderr);
    }
}

#[test]
fn a_marker_that_is_not_closed_does_not_pass() {
    let files = Files::new();
    let policy = files.write(
        "policy.toml",
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"release\"\n",
    );
    let sources = files.write("sources.json", "[]");
    let gate = ["gate", "--policy", &policy, "--sources", &sources];
    let gate = [&gate[..], &["--dialect", "openai-file", "--fail"]].concat();
    let found = run(&gate, "One 【4:0†sour");
    assert_eq!((found.status, &*found.stdout), (3, "One 【4:0†sour"));
    assert!(found.stderr.contains("unclosed-marker"), "{}", found.stderr);
}

#[test]
fn a_marker_that_is_not_read_does_not_pass() {
    let files = Files::new();
    let policy = files.write(
        "policy.toml",
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"release\"\n",
    );
    let sources = files.write("sources.json", "[{\"id\": \"1\"}]");
    let gate = ["gate", "--policy", &policy, "--sources", &sources];
    let gate = [&gate[..], &["--dialect", "numeric", "--fail"]].concat();
    for (text, status) in [
        ("The ` sign. So it is [7].", 3),
        ("So it is [7, 8].", 3),
        ("It snows every day[7].", 3),
        ("So it is ([7]).", 3),
        ("{\"answer\": \"So it is [7].\"}", 3),
        ("So `x[7]` and y[7] are [text][7], so [1].", 0),
    ] {
        let found = run(&gate, text);
        assert_eq!(found.status, status, "{text}: {}", found.stderr);
        assert_eq!(
            found.stderr.contains("unread-marker"),
            status == 3,
            "{text}"
        );
    }
}

#[test]
fn lines_of_which_none_has_a_string_at_the_pointer_do_not_pass() {
    let files = Files::new();
    let policy = files.write(
        "policy.toml",
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"release\"\n",
    );
    let page = files.write("page.html", "");
    let lines = "{\"text\":\"It rains. [substrate.grep]\"}\n{\"text\":\"So.\"}\n";
    for lines in [lines.to_owned(), format!("{lines}no JSON\n")] {
        for command in [
            &["gate", "--policy", &policy][..],
            &["report", "--policy", &policy, "-o", &page],
            &["strip"],
        ] {
            let mistyped = run(
                &[command, &["--fail", "--field", "/txt"][..]].concat(),
                &lines,
            );
            assert_eq!(mistyped.status, 3, "{command:?}: {}", mistyped.stderr);
            let message = "no line has a string at /txt (--field)";
            assert!(mistyped.stderr.contains(message), "{}", mistyped.stderr);
        }
    }
    // A line without text passes, but nothing was judged in it.
    let absent = format!("{lines}{{\"txt\":\"A. [substrate.grep]\"}}\n");
    let nulls = format!("{lines}{{\"text\":null}}\n\n");
    for command in ["gate", "report"] {
        let command = [command, "--policy", &policy, "--fail", "--field", "/text"];
        let missed = run(&command, &absent);
        let note = "provstream: lines that pass unjudged: 1 (line 3: nothing at /text)\n";
        assert_eq!((missed.status, &*missed.stderr), (3, note), "{command:?}");
        assert!(
            command[0] == "report"
                || missed
                    .stdout
                    .ends_with("{\"txt\":\"A. [substrate.grep]\"}\n")
        );
        let judged = run(&command, &nulls);
        assert_eq!((judged.status, &*judged.stderr), (0, ""), "{command:?}");
    }
    let blank = run(&["strip", "--fail", "--field", "/txt"], "\n");
    assert_eq!(blank.status, 0, "{}", blank.stderr);
}
