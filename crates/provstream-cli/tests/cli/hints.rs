//! Messages that lead on from wrong input: each is about the command that was called, and says what is the case.

use std::fs;

use crate::common::{Files, Run, run};

const TEXT: &str = "The build is green. [substrate.grep; ts=2026-05-28T11:40:00Z] Ship it.";

/// Asserts the status and a part of the message.
#[track_caller]
fn assert_message(args: &[&str], input: &str, status: i32, part: &str) {
    let found = run(args, input);
    assert_eq!(found.status, status, "{args:?}: {}", found.stderr);
    assert!(found.stderr.contains(part), "{args:?}: {}", found.stderr);
}

#[test]
fn paths_that_lead_nowhere_are_reported_with_advice() {
    let files = Files::new();
    let text = files.write("a.txt", TEXT);
    let missing = files.path("missing");
    let missing = missing.to_str().expect("the path is UTF-8");
    assert_message(&["extract", missing], "", 1, "; check the path\n");
    let address = "expected a path, found an address: fetch it first, as with `curl`\n";
    assert_message(&["extract", "https://example.org/a.txt"], "", 1, address);
    let policy = ["gate", "--policy", "http://example.org/p.toml", &text];
    assert_message(&policy, "", 1, address);
    let observations = ["emit", "prompt", "--observations", &text];
    let array = "; give an array of observations, such as [{\"class\":\"substrate.grep\",\"id\":\"src/a.rs:7\"}]\n";
    assert_message(&observations, "", 2, array);
    let inside = format!("{missing}/out.txt");
    let advice = "does not exist; create it, or give another path\n";
    assert_message(&["strip", "-o", &inside, &text], "", 1, advice);
    let floor = ["admit", "--floor", "12", "--window", "1h", &text];
    let advice = "found 12; lower it, or give more classes a window\n";
    assert_message(&floor, "", 2, advice);
    let window = "--window <[CLASS=]DURATION>, as in --window 15m";
    assert_message(&["admit", "--floor", "2", &text], "", 2, window);
}

#[test]
fn options_before_the_command_leave_messages_as_they_are() {
    for args in [
        &["gate", "a.txt"][..],
        &["extract", "--modee", "text"],
        &["strip", "a", "b"],
        &["emit", "schema", "--form", "json"],
        &["marc", "validat"],
        &["help", "marc", "validat"],
        &["extract", "--mode"],
    ] {
        let expected = run(args, "");
        assert_eq!(expected.status, 2, "{args:?}");
        for options in [
            &["-q"][..],
            &["--quiet", "--no-progress"],
            &["--color", "never"],
            &["--color=never", "-q"],
        ] {
            let found = run(&[options, args].concat(), "");
            assert_eq!(
                (found.status, &found.stderr),
                (2, &expected.stderr),
                "{options:?} {args:?}"
            );
        }
    }
    assert_message(
        &["-q", "gate", "a.txt"],
        "",
        2,
        "see `provstream gate --help`",
    );
}

#[test]
fn annotations_in_a_value_that_breaks_off_are_not_called_strings() {
    let broken = "Use {\"k\": [unverified-inference]} here.";
    for (args, status, done) in [
        (&["extract", "--fail"][..], 3, "read"),
        (&["extract", "--mode", "ndjson"], 0, "read"),
        (&["admit", "--floor=1", "--window=1h", "--fail"], 3, "read"),
        (&["strip"], 0, "removed"),
    ] {
        let message = format!(
            "provstream: annotations in brackets were not {done}, since they are in a JSON value that breaks off; --mode text reads them"
        );
        assert_message(args, broken, status, &message);
    }
    let Run { stdout, stderr, .. } = run(&["extract", "--mode", "text"], broken);
    assert!(
        stdout.contains("\"class\":\"unverified-inference\"") && stderr.is_empty(),
        "{stdout}{stderr}"
    );
    let string = "Use {\"k\": \"It is so. [unverified-inference]\"} here.";
    assert_message(&["extract"], string, 0, "within JSON strings were not read");
}

#[test]
fn standard_input_is_given_once() {
    let message = "FILE: standard input (-) was given more than once, expected it once";
    assert_message(&["extract", "-", "-"], TEXT, 2, message);
    let admit = ["admit", "--floor=1", "--window=1h", "-", "a.txt", "-"];
    assert_message(&admit, TEXT, 2, message);
}

#[test]
fn a_variable_is_named_where_it_names_standard_input() {
    let mut command = crate::common::provstream(&["vocabulary"]);
    let found: Run = command
        .env("PROVSTREAM_VOCABULARY", "-")
        .output()
        .expect("the program runs")
        .into();
    assert_eq!(found.status, 2);
    let start = "provstream: PROVSTREAM_VOCABULARY: standard input is not read for it";
    assert!(found.stderr.starts_with(start), "{}", found.stderr);
    let option = "--vocabulary: standard input is not read for it";
    assert_message(&["vocabulary", "--vocabulary", "-"], "", 2, option);
}

#[test]
fn fields_that_no_line_has_are_mentioned() {
    let lines = "{\"text\":\"It runs.\"}\n{\"text\":\"It stops.\"}\n";
    let missing = "no line of standard input has a string at /nope or /none";
    let field = ["extract", "--field", "/nope"];
    let several = [&field[..], &["--field", "/none"]].concat();
    assert_message(&several, lines, 0, missing);
    let foreign = "no line of standard input is JSON, expected one with a string at /nope in each line; read text without --field";
    assert_message(&field, TEXT, 0, foreign);
    for (field, input) in [("/text", lines), ("/nope", ""), ("/a", "{\"a\":null}\n")] {
        let found = run(&["extract", "--field", field], input);
        assert_eq!((found.status, &*found.stderr), (0, ""), "{field}");
    }
    let files = Files::new();
    let good = files.write("good.ndjson", lines);
    let bad = files.write("bad.ndjson", "{\"a\":1}\n");
    let jobs = ["extract", "--field", "/text", "--jobs", "2", &good, &bad];
    let found = run(&jobs, "");
    let expected = format!(
        "provstream: no line of {bad} has a string at /text; give --field the JSON Pointer of a text\n"
    );
    assert_eq!(found.stderr, expected);
}

#[test]
fn similar_commands_are_suggested_wherever_they_are_named() {
    for (args, similar) in [
        (&["man", "extrct"][..], "extract"),
        (&["man", "marc", "valdate"], "validate"),
        (&["help", "extrakt"], "extract"),
        (&["help", "marc", "valdate"], "validate"),
    ] {
        let word = args[args.len() - 1];
        let message = format!("unknown command `{word}`, did you mean {similar}");
        assert_message(args, "", 2, &message);
    }
    assert_message(&["man", "xyzzy"], "", 2, "expected one of extract, strip");
}

#[test]
fn settings_that_are_too_long_are_not_measured() {
    let files = Files::new();
    let long = files.write("long", " ".repeat(3 << 20));
    let message = "expected a file of at most 1 MiB, found a larger one";
    assert_message(&["emit", "prompt", "--observations", &long], "", 2, message);
    let policy = ["gate", "--policy", &long];
    assert_message(&policy, "", 2, message);
}

#[test]
fn bytes_that_are_not_utf8_are_named() {
    let files = Files::new();
    let path = files.path("a.txt");
    fs::write(&path, b"ab\x96c").expect("the file can be written");
    let path = path.to_str().expect("the path is UTF-8");
    let write = ["citations", "write", "--as", "gemini", "--link"];
    let args = [&write[..], &["https://e.org/", path]].concat();
    let message = "expected UTF-8, found the byte 0x96 at byte 2 of the text without annotations";
    assert_message(&args, "", 1, message);
}

#[test]
fn comments_of_the_list_of_keys_are_no_keys() {
    let files = Files::new();
    let deployment = files.write("d.toml", "version = \"1\"\n");
    let decide = ["marc", "decide", "--deployment", &deployment];
    let message = "unknown key \"version\", expected one of \"name\", \"draft\", \"classes\"";
    assert_message(&decide, "", 2, message);
}

#[test]
fn examples_and_citations_can_fail() {
    let examples = ["emit", "examples"];
    let citations = ["citations", "read", "--from", "openai"];
    let chat = "{\"messages\":[{\"role\":\"user\",\"content\":\"Is it green?\"},{\"role\":\"assistant\",\"content\":\"It is green. [substrate.grep; observation-id=a]\"}]}\n";
    let cited = "{\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"It is green.\"}}]}";
    let foreign = "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"It is green.\"}]}";
    for (args, input, status) in [
        (&examples[..], chat, 0),
        (&examples, "", 3),
        (&examples, "It is green.\n", 3),
        (&examples, &format!("{chat}{{}}\n"), 3),
        (&citations, cited, 0),
        (&citations, "", 3),
        (&citations, foreign, 3),
        (&citations, "{\"a\":1}", 3),
        (&citations, "It is green.", 3),
    ] {
        let found = run(args, input);
        assert_eq!(found.status, 0, "{input}: {}", found.stderr);
        let failing = run(&[args, &["--fail"]].concat(), input);
        assert_eq!(failing.status, status, "{input}: {}", failing.stderr);
        assert_eq!(
            (failing.stdout, failing.stderr),
            (found.stdout, found.stderr),
            "{input}"
        );
    }
}

#[cfg(feature = "proxy")]
#[test]
fn files_that_a_proxy_cannot_use_are_named() {
    let files = Files::new();
    let folder = files.path("folder");
    fs::create_dir(&folder).expect("the folder can be made");
    let folder = folder.to_str().expect("the path is UTF-8");
    let start = |key: &str, value: &str| {
        let settings = format!(
            "upstream = \"http://127.0.0.1:1\"\nlisten = \"127.0.0.1:0\"\n{key} = \"{value}\"\n"
        );
        files.write("proxy.toml", settings)
    };
    let policy = "[[route]]\npath = \"/\"\naction = \"gate\"\npolicy";
    let no_certificates = files.write("none.pem", "x");
    let latin1 = files.write("latin1.toml", b"# B\xE4r\n");
    let nowhere = format!("{folder}/no/audit.ndjson");
    let inside = format!("{no_certificates}/ca.pem");
    let config = files.path("proxy.toml");
    let config = config.display();
    let directory = "it is a directory, expected a file; give the path of a file\n";
    for (key, value, part) in [
        (
            "audit",
            folder,
            format!("{config}: line 3, column 9: \"audit\", the file {folder}: {directory}"),
        ),
        (
            "upstream_ca",
            folder,
            format!("{config}: line 3, column 15: \"upstream_ca\", the file {folder}: {directory}"),
        ),
        (
            "vocabulary",
            folder,
            format!("{config}: line 3, column 14: vocabulary \"{folder}\": {directory}"),
        ),
        (
            policy,
            folder,
            format!(
                "{config}: line 6, column 10: the policy \"{folder}\" cannot be read: {directory}"
            ),
        ),
        (
            "vocabulary",
            "",
            "expected the path of a file for \"vocabulary\", found the string \"\"\n".to_owned(),
        ),
        (
            policy,
            "",
            "expected the name of a file or a table for \"policy\", found the string \"\"\n".to_owned(),
        ),
        (
            "audit",
            &nowhere,
            format!(
                "the file {nowhere}: the directory {folder}/no does not exist; create it, or name another file; "
            ),
        ),
        (
            "upstream_ca",
            &inside,
            format!(
                "the file {inside}: a part of the path is a file, expected a directory; check the path\n"
            ),
        ),
        (
            "vocabulary",
            &latin1,
            "expected UTF-8, found the byte 0xE4 at byte 3; save it as UTF-8\n".to_owned(),
        ),
        (
            "upstream_ca",
            &no_certificates,
            "none.pem: expected certificates in PEM, found none; convert one in DER first, as with `openssl x509 -inform der`\n".to_owned(),
        ),
    ] {
        assert_message(&["proxy", "--config", &start(key, value)], "", 2, &part);
    }
}

#[cfg(feature = "proxy")]
#[test]
fn values_that_a_proxy_cannot_use_are_named() {
    let files = Files::new();
    let without = files.write("proxy.toml", "listen = \"127.0.0.1:0\"\n");
    let example = "missing key \"upstream\", such as upstream = \"https://api.openai.com\"";
    assert_message(&["proxy", "--config", &without], "", 2, example);
    let route = "[[route]]\npath = \"/\"\n";
    for (more, part) in [
        (
            "audit = \"\"\n",
            "expected the path of a file for \"audit\", found the string \"\"",
        ),
        (
            "vocabulary = \"none.toml\"\n",
            "; check the path; a relative one begins at the folder of the settings file",
        ),
        (
            &format!("{route}action = \"gate\"\npolicy = \"none.toml\"\n"),
            "the policy \"none.toml\" cannot be read: ",
        ),
        (
            &format!("{route}action = \"strip\"\nemit = true\n"),
            "expected \"prompt\", \"schema\" or \"grammar\", or an array of \"prompt\" and one of the others for \"emit\", found true",
        ),
        (
            "[timeouts]\nidle = 5\n",
            "expected a duration from \"1s\" to \"1d\", such as \"5m\", for \"idle\", found 5",
        ),
    ] {
        let settings = format!("upstream = \"http://127.0.0.1:1\"\n{more}");
        let path = files.write("proxy.toml", settings);
        assert_message(&["proxy", "--config", &path], "", 2, part);
    }
}

#[cfg(feature = "proxy")]
#[test]
fn addresses_that_a_proxy_cannot_use_are_named() {
    let files = Files::new();
    let folder = files.path("");
    let folder = folder.to_str().expect("the path is UTF-8");
    // A user and a query may be secret.
    let url = "https://user:secret@example.com/?key=secret";
    let shown = "found \"…@example.com/?…\"";
    assert_message(&["proxy", "--upstream", url], "", 2, shown);
    let url = "http://x.org:99999";
    let port = "expected a URL with a port of at most 65535, found \"http://x.org:99999\"";
    assert_message(&["proxy", "--upstream", url], "", 2, port);
    let choice = "such as --upstream https://api.openai.com, or --config <FILE>, or --demo";
    assert_message(&["proxy"], "", 2, choice);
    let directory = "it is a directory, expected a file; give the path of a file\n";
    assert_message(&["proxy", "--config", folder], "", 1, directory);
    assert_message(
        &["proxy", "--config", "-"],
        "",
        2,
        "standard input is not read for it",
    );
    for address in ["8080", "localhost:8080"] {
        let args = [
            "proxy",
            "--upstream",
            "http://127.0.0.1:1",
            "--listen",
            address,
        ];
        let part = "expected an IP address and a port such as 127.0.0.1:8080";
        assert_message(&args, "", 2, part);
    }
}

/// What another reader tried.
#[test]
fn files_of_another_kind_and_full_disks_are_called_what_they_are() {
    let files = Files::new();
    let text = files.write("a.txt", TEXT);
    let json = files.write("policy.json", "{\"preset\": \"own-state\"}");
    let pdf = files.write("a.pdf", b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n");
    let html = files.write("a.html", "<!DOCTYPE html>\n<p>x</p>\n");
    let binary = files.write("binary", b"\x7fELF\x02\x01\x01\0\0\0\xd0");
    for (path, found) in [
        (&json, "JSON\n"),
        (&binary, "NUL bytes; it may be a binary file\n"),
        (&pdf, "a PDF document\n"),
        (&html, "an HTML document\n"),
    ] {
        let message = format!(
            "{path}: line 1, column 1: expected TOML, such as key = \"value\", found {found}"
        );
        assert_message(&["gate", "--policy", path, &text], "", 2, &message);
        assert_message(&["vocabulary", "--vocabulary", path], "", 2, &message);
        assert_message(&["marc", "conformance", path], "", 2, &message);
        let decide = ["marc", "decide", "--deployment", path];
        assert_message(&decide, "", 2, &message);
        #[cfg(feature = "proxy")]
        assert_message(&["proxy", "--config", path], "", 2, &message);
    }
    let inside = format!("{text}/b.txt");
    let part = "a part of the path is a file, expected a directory; ";
    #[cfg(unix)]
    assert_message(
        &["extract", &inside],
        "",
        1,
        &format!("{part}check the path\n"),
    );
    #[cfg(unix)]
    assert_message(
        &["strip", "-o", &inside],
        "",
        1,
        &format!("{part}give another path\n"),
    );
    #[cfg(target_os = "linux")]
    {
        let full = "; free some space, or write elsewhere\n";
        assert_message(&["strip", "-o", "/dev/full", &text], "", 1, full);
        let new =
            "cannot write /proc/provstream: its directory takes no new file; give another path\n";
        assert_message(&["strip", "-o", "/proc/provstream", &text], "", 1, new);
    }
}

#[test]
fn options_without_effect_or_given_twice_are_refused() {
    let message = "--recursive: expected a directory as FILE, found none; give one";
    assert_message(&["extract", "--recursive"], TEXT, 2, message);
    let admit = ["admit", "--floor=1", "--window=1h", "-r"];
    assert_message(&admit, TEXT, 2, message);
    let twice = ["extract", "--field=/a", "--field=/b", "--field=/a"];
    let message = "--field: expected each pointer once, found `/a` twice; leave out one of them";
    assert_message(&twice, "{}\n", 2, message);
    let message = "--max-depth: expected a whole number of levels between 1 and 65536, found `1k`";
    assert_message(&["extract", "--max-depth", "1k"], TEXT, 2, message);
    let message = "--max-pending: expected a whole number of bytes between 1 and 1048576";
    assert_message(&["extract", "--max-pending", "1MB"], TEXT, 2, message);
}

#[cfg(unix)]
#[test]
fn standard_input_that_cannot_be_read_is_said_to_be_that() {
    let program = env!("CARGO_BIN_EXE_provstream");
    let files = Files::new();
    let path = files.write("a.txt", TEXT);
    for (input, message) in [
        (
            format!("0>>'{path}'"),
            "it is open for writing only: give a FILE, a pipe or </dev/null",
        ),
        ("<&-".to_owned(), "it is closed"),
    ] {
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("'{program}' extract {input}")])
            .output()
            .expect("a shell starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let start = "provstream: cannot read standard input: ";
        assert!(
            stderr.starts_with(start) && stderr.contains(message),
            "{stderr}"
        );
    }
}
