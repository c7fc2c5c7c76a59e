//! Messages that say what to do: each names what was expected, what was found, and where.

use std::fs;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::common::{Files, Run, provstream, run};

const TEXT: &str = "The build is green. [substrate.grep; ts=2026-05-28T11:40:00Z] Ship it.";

const POLICY: &str = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";

/// An event of a provider's stream whose text has an annotation.
const EVENT: &str = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi. [substrate.grep]\"}}\n\n";

/// The message of a run that ends with this status.
fn message(args: &[&str], input: &str, status: i32) -> String {
    let Run {
        stderr,
        status: found,
        ..
    } = run(args, input);
    assert_eq!(found, status, "{args:?}: {stderr}");
    stderr
}

#[track_caller]
fn says(message: &str, part: &str) {
    assert!(message.contains(part), "{part:?} is not in {message:?}");
}

#[test]
fn an_output_that_is_also_read_is_refused() {
    let files = Files::new();
    let text = files.write("a.txt", TEXT);
    let policy = files.write("policy.toml", POLICY);
    let vocabulary = files.write("classes.toml", "version = \"1.1\"\n");
    let window = ["--floor", "1", "--window", "1h"];
    for (args, output, name) in [
        (
            &["gate", "--policy", &policy, &text][..],
            &policy,
            "--policy",
        ),
        (&["report", "--policy", &policy, &text], &policy, "--policy"),
        (&["report", "--policy", &policy, &text], &text, "FILE"),
        (&["report", "--audit-log", &text], &text, "FILE"),
        (&["extract", &text], &text, "FILE"),
        (&[&["admit", &text][..], &window].concat(), &text, "FILE"),
        (
            &["strip", &text, "--vocabulary", &vocabulary],
            &vocabulary,
            "--vocabulary",
        ),
        (
            &["citations", "read", "--from", "openai", &text],
            &text,
            "FILE",
        ),
        (
            &[
                "citations",
                "write",
                "--as",
                "gemini",
                "--link",
                "https://e.org/",
                &text,
            ],
            &text,
            "FILE",
        ),
    ] {
        let args = [args, &["-o", output]].concat();
        let found = message(&args, "", 2);
        let what = match name {
            "FILE" => "which is also read".to_owned(),
            name => format!("which is that of {name}"),
        };
        let expected = format!(
            "--output: expected a file of its own, found {output}, {what}; give another path"
        );
        says(&found, &expected);
    }
    // Nothing was lost; a text may be replaced by itself without annotations.
    assert_eq!(fs::read_to_string(&text).expect("a file"), TEXT);
    assert_eq!(fs::read_to_string(&policy).expect("a file"), POLICY);
    message(&["strip", &text, "-o", &text], "", 0);
    assert_eq!(
        fs::read_to_string(&text).expect("a file"),
        "The build is green. Ship it."
    );
}

#[test]
fn directories_without_files_are_an_error_that_names_them() {
    let files = Files::new();
    let folder = files.path("nothing");
    fs::create_dir(&folder).expect("a folder can be made");
    let folder = folder.to_str().expect("UTF-8");
    let found = message(&["extract", "-r", folder, "--fail"], "", 1);
    says(
        &found,
        &format!("expected at least one file in {folder}, found none"),
    );
}

#[test]
fn citations_that_are_left_out_are_counted_with_the_reason() {
    let write = |link: &str, text: &str| {
        let args = ["citations", "write", "--as", "gemini", "--link", link];
        message(&args, text, 0)
    };
    let found = write("https://e.org/{id}", TEXT);
    says(
        &found,
        "1 annotation is left out, without an observation id for {id}",
    );
    let found = write("substrate.git.log=https://e.org/", TEXT);
    says(
        &found,
        "1 annotation is left out, without a --link for the class (substrate.grep)",
    );
    assert_eq!(write("https://e.org/{class}", TEXT), "");
    let found = write(
        "https://e.org/",
        "So. [unverified-inference] It is. [substrate.x]",
    );
    says(
        &found,
        "2 annotations are left out, as a terminal or an unknown class cites nothing",
    );
    says(
        &write("https://e.org/", EVENT),
        "expected the text of an answer with its annotations, found a response of anthropic",
    );
    says(&write("https://e.org/", ""), "there is no text");
    says(
        &write("https://e.org/", "It runs."),
        "there are no annotations",
    );
}

#[test]
fn annotations_that_strip_leaves_in_json_are_mentioned() {
    let found = run(&["strip"], EVENT);
    assert_eq!((found.status, &*found.stdout), (0, EVENT));
    says(
        &found.stderr,
        "annotations in brackets within JSON strings were not removed; a provider's response is read with --input auto",
    );
    for input in [TEXT, "{\"assertion\":\"It runs. [substrate.grep]\"}"] {
        assert_eq!(message(&["strip"], input, 0), "");
    }
}

#[test]
fn empty_inputs_are_mentioned() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    for (args, part) in [
        (
            &["emit", "examples"][..],
            "standard input is empty: expected at least one conversation",
        ),
        (
            &["citations", "read", "--from", "openai"],
            "standard input is empty: expected a response of openai",
        ),
        (
            &["report", "--policy", &policy],
            "there is no text in standard input, expected an answer",
        ),
        (
            &["report", "--audit-log"],
            "there is no line in standard input, expected those that `provstream gate --audit` writes",
        ),
    ] {
        says(&message(args, "", 0), part);
    }
}

#[test]
fn lines_that_are_not_of_an_audit_log_are_explained() {
    let files = Files::new();
    for (line, part) in [
        (
            "{\"decision\":\"end\",\"acti",
            "expected JSON, found its end too early: the line was cut short",
        ),
        (
            "{\"event\":\"end\",\"annotations\":1}",
            "found an object without the member \"decision\"",
        ),
        (
            "{\"decision\":\"limit\",\"annotations\":1}",
            "\"annotations\": expected an array of annotations",
        ),
        (
            "{\"decision\":\"end\"}",
            "found an object without the member \"action\"",
        ),
        (
            "{\"decision\":\"end\",\"action\":\"drop\"}",
            "unknown action \"drop\", expected one of \"release\", \"mark\"",
        ),
        ("It runs.", "expected JSON, found \"It runs.\" at byte 1"),
        (
            "{\"decision\":\"end\";\"action\":\"suspend and then some more\"}",
            "expected JSON, found \";\\\"action\\\":\\\"suspend and then so…\" at byte 18",
        ),
    ] {
        let log = files.write("au.ndjson", format!("{line}\n"));
        let found = message(&["report", "--audit-log", &log], "", 1);
        says(&found, &format!("{log}: line 1 is left out: "));
        says(&found, part);
        assert!(!found.contains("column"), "{found}");
    }
}

#[test]
fn conversations_that_are_skipped_are_explained() {
    for (line, part) in [
        (
            "{\"messages\":[{\"role\":\"bot\",\"content\":\"It runs. [substrate.grep]\"}]}",
            "not in the chat format: 1, the first in line 1: expected a message with the role \"assistant\", found \"bot\"",
        ),
        (
            "{\"messages\":{}}",
            "\"messages\": expected an array, found an object",
        ),
        (
            "[{\"messages\":[]}]",
            "expected an object with an array \"messages\", found an array",
        ),
        (
            "{\"messages\":[{\"role\":1}]}",
            "message 1: \"role\": expected a string, found a number",
        ),
        (
            "{\"messages\":[{\"role\":\"assistant\",\"content\":\"It runs. [substrate.grp]\"}]}",
            "message 1: unknown-identifier, found \"substrate.grp\"",
        ),
        (
            "{\n  \"messages\": [\n    {\n      \"role\": \"assistant\",\n      \"content\": \"It runs.\"\n    }\n  ]\n}\n",
            "the first in line 1: expected one conversation a line, found one that goes on in the next line or is not complete; `jq -c .` writes each on one line",
        ),
    ] {
        says(&message(&["emit", "examples"], line, 0), part);
    }
}

#[test]
fn a_missing_field_differs_from_one_of_another_type() {
    let lines = "{\"txt\":\"B\"}\n{\"text\":5}\n";
    let pretty = run(&["extract", "--field", "/text", "--pretty"], lines);
    says(&pretty.stdout, "no-field: nothing at /text\n");
    says(
        &pretty.stdout,
        "no-field: expected a string at /text, found a number\n",
    );
    let json = run(&["extract", "--field", "/text"], lines);
    says(&json.stdout, "\"message\":\"nothing at /text\",\"line\":1}");
    let both = run(&["extract", "--field", "/a", "--field", "/b"], lines);
    says(&both.stdout, "\"message\":\"nothing at /a or /b\"");
}

#[test]
fn compressed_files_that_are_cut_differ_from_those_with_more_after_them() {
    let files = Files::new();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    std::io::Write::write_all(&mut gzip, TEXT.as_bytes()).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let length = gzip.len();
    for end in [1, 9, 12, length - 9, length - 1] {
        let cut = files.write("cut.gz", &gzip[..end]);
        // One byte is not known to be gzip.
        if end > 1 {
            let expected = format!("gzip: the file ends after {end} bytes, in the middle");
            says(&message(&["extract", &cut], "", 1), &expected);
        }
    }
    for more in [&b"x"[..], b"\x1f\x8b", b"It runs. It runs."] {
        let path = files.write("more.gz", [&gzip, more].concat());
        let expected = format!(
            "gzip: expected the end of the file after {length} bytes of compressed data, found other bytes; `head -c {length}` leaves them out"
        );
        says(&message(&["extract", &path], "", 1), &expected);
    }
    let mut damaged = gzip.clone();
    damaged[length - 6] ^= 1;
    let damaged = files.write("damaged.gz", damaged);
    says(
        &message(&["extract", &damaged], "", 1),
        "gzip: the compressed data are damaged",
    );
    let twice = files.write("twice.gz", [&gzip[..], &gzip].concat());
    assert_eq!(run(&["strip", &twice], "").stdout.len(), 2 * 28);
}

#[test]
fn unknown_classes_are_compared_with_the_known_ones() {
    for args in [
        &["admit", "--floor", "1", "--window", "substrate.grp=15m"][..],
        &[
            "citations",
            "write",
            "--as",
            "gemini",
            "--link",
            "substrate.grp=https://e.org/",
        ],
    ] {
        says(&message(args, "", 2), "did you mean substrate.grep");
    }
    let files = Files::new();
    let file = files.write("o.json", "[{\"class\":\"substrate.grp\",\"id\":\"a\"}]");
    let found = message(&["emit", "prompt", "--observations", &file], "", 2);
    says(&found, "substrate.grep");
}

#[test]
fn observations_that_are_not_json_are_explained() {
    let files = Files::new();
    for (json, part) in [
        (
            "[{\"class\":\"substrate.grep\",\"id\":\"a\",}]",
            "expected more after the comma, or no comma before \"}]\"",
        ),
        (
            "[{\"class\":\"substrate.grep\",\"id\":\"a\"},]",
            "expected more after the comma, or no comma before \"]\"",
        ),
        (
            "[{\"class\":\"substrate.grep\",\"id\":\"a\"}",
            "found its end in an array: the closing ] is missing",
        ),
        ("[{\"class\":\"sub", "found its end in a string"),
        ("[{\"class\":1", "found its end in an object"),
        (
            "[{'class':1}]",
            "expected a name in double quotes, found \"'class'",
        ),
        ("", ", found an empty file"),
        (
            "not json",
            ": line 1, column 1: expected JSON, found \"not json\"; give an array",
        ),
        (
            "[{\"class\":\"substrate.grep\",\n\"id\":tru}]",
            ": line 2, column 6: expected JSON, found \"tru}]\"\n",
        ),
    ] {
        let file = files.write("o.json", json);
        says(
            &message(&["emit", "prompt", "--observations", &file], "", 2),
            part,
        );
    }
}

#[test]
fn settings_of_another_type_come_with_an_example() {
    let files = Files::new();
    let window = "floor = 1\ndefault_window = \"1h\"\n";
    let rule = "[inadmissible]\naction = \"discard\"\n";
    for (policy, part) in [
        (
            "floor = 1\ndefault_window = 3600\n".to_owned() + rule,
            "expected a duration such as \"90s\", \"1h30m\" or \"2d\" for \"default_window\", found 3600",
        ),
        (
            window.to_owned() + "[inadmissible]\naction = true\n",
            "expected one of \"release\", \"mark\"",
        ),
        (
            window.to_owned() + "inadmissible = \"discard\"\n",
            "expected a table such as { action = \"discard\" } for \"inadmissible\"",
        ),
        (
            "floor = 1\nwindows = \"1h\"\n".to_owned() + rule,
            "expected a table of classes, such as { \"substrate.grep\" = \"1h\" }",
        ),
        (
            window.to_owned() + "required = \"substrate.grep\"\n" + rule,
            "expected an array, such as [\"substrate.grep\"], for \"required\"",
        ),
        (
            window.to_owned() + rule + rule,
            "line 5, column 2: expected each key and each table once, found \"inadmissible\" again (first in line 3)",
        ),
        (
            window.to_owned() + "floor = 2\n" + rule,
            "line 3, column 1: expected each key and each table once, found \"floor\" again (first in line 1)",
        ),
    ] {
        let path = files.write("policy.toml", policy);
        says(&message(&["gate", "--policy", &path], "", 2), part);
    }
    for (classes, part) in [
        (
            "version = 1.1\n",
            "expected a version in quotes, such as \"1.1\", for \"version\", found 1.1",
        ),
        (
            "[[class]]\n",
            "missing key \"version\", such as version = \"1.1\"",
        ),
    ] {
        let path = files.write("classes.toml", classes);
        says(
            &message(&["vocabulary", "--vocabulary", &path], "", 2),
            part,
        );
    }
    let complete = fs::read_to_string("../../corpus/marc/deployment.toml").expect("the corpus");
    let wording = complete.replace("unit = \"How sure {target}:", "unit = \"How sure {taget}:");
    assert_ne!(wording, complete);
    let path = files.write("deployment.toml", wording);
    says(
        &message(&["marc", "conformance", &path], "", 2),
        "unit: expected one of {band}, {target}, {source}, {next_step}, found {taget} at byte 9",
    );
}

#[test]
fn options_of_other_commands_and_missing_values_are_explained() {
    for (args, part) in [
        (
            &["report", "--title", "-o", "r.html"][..],
            "--title: expected a value, found the option -o",
        ),
        (
            &["extract", "-o", "--fail"],
            "--output: expected a value, found the option --fail",
        ),
        (
            &["extract", ""],
            "FILE: expected a value, found an empty one",
        ),
        (
            &["gate", "--floor", "2"],
            "it is a key of the policy, as in floor = 2",
        ),
        (
            &["emit", "schema", "--require", "every-sentence"],
            "`provstream emit prompt` and `provstream emit grammar` have it",
        ),
        (
            &["report", "a.txt", "--audit-log", "au.ndjson"],
            "--audit-log takes no value, the log is the file",
        ),
        (&["report", "a.txt"], "or --audit-log for the log of a gate"),
        (
            &["extract", "--json"],
            "it prints JSON unless --pretty is given",
        ),
        (
            &["citations", "read"],
            "needs --from <PROVIDER> (whose response it is: anthropic, openai, gemini or cohere)",
        ),
        (&["admit"], "as in --floor 2 --window 15m"),
        (
            &["completions", "--shell", "bash"],
            "SHELL is given without an option",
        ),
    ] {
        says(&message(args, "", 2), part);
    }
    let found = message(&["marc", "show", "--json"], "", 2);
    assert!(!found.contains("strip"), "{found}");
}

#[test]
fn responses_that_were_cut_short_are_called_so() {
    let whole = "{\"choices\":[{\"message\":{\"content\":\"A. [substrate.grep]\"}}]";
    let read = ["citations", "read", "--from", "openai"];
    says(
        &message(&read, whole, 0),
        "standard input ends in the middle of an event: the response was cut short",
    );
    let found = run(&read, "It runs.");
    assert!(
        !found.stdout.contains("unterminated-event"),
        "{}",
        found.stdout
    );
    says(
        &message(&read, "{\"text\":1}", 0),
        "expected a response of openai, found other JSON",
    );
    let cut = "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"Hi\n\n";
    says(
        &message(&["strip", "--input", "anthropic", "--fail"], cut, 3),
        "expected JSON as the data of each event, found something else, so the response was cut short or changed",
    );
    let wrong = "{\"type\":\"response.output_text.annotation.added\",\"annotation\":{\"type\":\"url_citation\",\"start_index\":\"0\",\"end_index\":5,\"url\":\"u\"}}";
    says(
        &run(&read, wrong).stdout,
        "\"message\":\"expected a whole number from 0 on, found a string\"",
    );
}

#[test]
fn bytes_that_no_text_has_are_mentioned() {
    let found = message(&["extract"], "a\0b", 0);
    says(&found, "standard input contains NUL bytes, expected text");
}

#[test]
fn input_that_is_not_text_is_mentioned() {
    const PDF: &[u8] =
        b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj <</Length 9>> stream\nx\x9C\xED\nendstream endobj";
    const LATIN1: &[u8] = b"Das Geb\xE4ude ist gr\xFCn. [unverified-inference]";
    let pdf = "is a PDF document, expected text; extract its text first, as with `pdftotext`\n";
    let html = "is an HTML document, whose tags and entities are read as text; convert it first, as with `pandoc -t plain`\n";
    let latin1 = "has 2 bytes that are not UTF-8 (the first, 0xE4, at byte 7), expected text; if it is text in another encoding, convert it first, as with `iconv -f LATIN1 -t UTF-8`\n";
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let commands = [
        &["extract"][..],
        &["extract", "--mode", "ndjson", "--jobs", "2"],
        &[
            "extract",
            "--mode",
            "ndjson",
            "--jobs",
            "2",
            "--chunk-size",
            "4",
        ],
        &["strip"],
        &["admit", "--floor", "1", "--window", "1h"],
        &["gate", "--policy", &policy],
        &["report", "--policy", &policy, "-o", "-"],
    ];
    for command in commands {
        let is_report = command[0] == "report";
        for (input, part) in [
            (PDF, pdf),
            (b"<!doctype html>\n<p>It is so.</p>", html),
            (LATIN1, latin1),
            (
                "Das Gebäude ist grün. [unverified-inference]".as_bytes(),
                "",
            ),
        ] {
            // What is written of these bytes is not UTF-8 either.
            let file = files.write("input", input);
            let output = provstream(command).arg(&file).output();
            let output = output.expect("the program runs");
            assert_eq!(output.status.code(), Some(0), "{command:?}");
            let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
            let expected = match part {
                "" => String::new(),
                part => format!("provstream: {file} {part}"),
            };
            assert!(
                stderr == expected || is_report && stderr.contains(part),
                "{command:?}: {stderr}"
            );
        }
    }
    let quiet = provstream(&["-q", "strip", &files.write("q", PDF)]).output();
    assert!(quiet.expect("the program runs").stderr.is_empty());
    let page = run(&["strip", "--input", "auto"], "<!doctype html>");
    assert!(!page.stderr.contains("HTML"), "{}", page.stderr);
}

#[test]
fn a_response_that_is_read_as_text_is_noticed() {
    // In no event is the annotation whole, so nothing else shows that there is one.
    let events = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"It runs. [substr\"}}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"ate.grep]\"}}\n\n";
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    let page = files.path("page.html");
    let page = page.to_str().expect("UTF-8");
    let note = "looks like a response of anthropic in server-sent events, expected text; give --input anthropic to read the text in it";
    for args in [
        &["strip"][..],
        &["extract", "--fail"],
        &["admit", "--floor", "1", "--window", "1h", "--fail"],
        &["gate", "--policy", &policy, "--fail"],
        &["report", "--policy", &policy, "-o", page],
    ] {
        says(&message(args, events, 0), note);
    }
    for (args, input) in [
        (&["strip", "--input", "anthropic"][..], events),
        (&["strip"], TEXT),
        (&["strip"], "data: {\"type\":\"ping\"}\n\n"),
        (&["strip"], "It prints `data: {\"choices\":[]}`."),
    ] {
        let found = message(args, input, 0);
        assert!(!found.contains("looks like"), "{args:?}: {found}");
    }
}

#[test]
fn an_annotation_that_breaks_off_is_described() {
    let args = ["admit", "--floor", "1", "--window", "1h", "--fail"];
    let found = message(&args, "C d. [substrate.grep; =x] E f.", 3);
    says(
        &found,
        "an annotation that is not closed or has a byte that cannot be in it, or a JSON value that is open at the end",
    );
}

#[test]
fn a_malformed_annotation_without_a_class_is_named_all_the_same() {
    let json = "{\"assertion\":\"x\",\"provenance\":5}";
    let args = ["admit", "--floor", "1", "--window", "1h", "--fail"];
    let found = message(&args, json, 3);
    says(
        &found,
        "terminal, an annotation without a class is malformed",
    );
    let Run { stdout, .. } = run(&["extract", "--pretty"], json);
    says(&stdout, "malformed: no class");
}

#[test]
fn a_link_to_nothing_in_a_directory_is_an_input_that_cannot_be_read() {
    let files = Files::new();
    let folder = files.path("answers");
    fs::create_dir(&folder).expect("a folder can be made");
    fs::write(folder.join("b.txt"), TEXT).expect("a file can be written");
    std::os::unix::fs::symlink(folder.join("nothing"), folder.join("a.txt")).expect("a link");
    let folder = folder.to_str().expect("UTF-8");
    let found = message(&["extract", "-r", folder], "", 1);
    says(&found, "a.txt");
}

#[test]
fn what_looks_like_a_response_and_is_none_is_described() {
    let args = ["extract", "--input", "auto", "--fail"];
    let found = message(&args, "{\"id\":\"x\",\"choices\":[]}", 3);
    says(
        &found,
        "expected a response of openai-chat, found JSON like one that has no text; if it is something else, read it without --input",
    );
    let found = message(&args, "\u{1}\u{2}x\0\u{3}", 3);
    says(&found, "found bytes that are not text");
}
