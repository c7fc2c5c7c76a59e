//! What `provstream marc` reports of wrong arguments, wrong files and input without anything to do.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{Files, Run, run};

pub(crate) fn corpus(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus/marc")
        .join(name);
    path.to_str().expect("UTF-8").to_owned()
}

/// Runs a command about MARC, its words separated by spaces.
pub(crate) fn marc(command: &str, input: impl AsRef<[u8]>) -> Run {
    let words: Vec<&str> = ["marc"].into_iter().chain(command.split(' ')).collect();
    run(&words, input)
}

/// The line and the message of each refused line of output.
pub(crate) fn refused(run: &Run) -> Vec<(u64, String)> {
    let lines = run.stdout.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(line["event"] != "decision", "{line}");
        line
    });
    lines
        .filter(|line| line["event"] == "refused")
        .map(|line| {
            let message = line["message"].as_str().expect("a message");
            (line["line"].as_u64().expect("a number"), message.to_owned())
        })
        .collect()
}

/// Checks that a command is refused for its arguments or settings, with this message.
#[track_caller]
pub(crate) fn assert_refused(command: &str, message: &str) {
    let run = marc(command, "");
    assert_eq!(run.status, 2, "{command}: {}", run.stderr);
    let found = run.stderr.trim_start_matches("provstream: ").trim_end();
    let found = found.split("; see `provstream ").next();
    assert_eq!(found, Some(message), "{command}");
    assert_eq!(run.stdout, "", "{command}");
}

/// A situation with a member replaced.
pub(crate) fn situation(name: &str, value: Value) -> String {
    let mut line = json!({
        "pre_capability": 0.7,
        "uncertainty": {"ambiguity": 0.1, "missing_evidence": 0.1, "capability_limit": 0.1, "evidence_conflict": 0.1, "safety": 0},
        "primary_source": "ambiguity",
        "recommended_next_step": "wait",
        "post_answer_confidence": 0.95
    });
    line[name] = value;
    line.to_string()
}

#[test]
fn an_envelope_that_is_not_an_object_is_named_as_what_it_is() {
    for (input, line, message) in [
        (
            "CHANGELOG.md has been updated.",
            1,
            "expected a JSON object, found \"CHANGELOG.md has been updated.\"",
        ),
        (
            "\n{\"a\":",
            2,
            "expected the end of the JSON value, found the end of the input",
        ),
        ("[7]", 1, "expected a JSON object, found \"7\""),
        (
            "[\n  {\"metadata\" 7}]",
            2,
            "expected a JSON object, found a syntax error at column 15: expected `:` after the name of a member",
        ),
        (
            "{\"a\":1,\n\"b\":no}",
            2,
            "expected a JSON object, found a syntax error at column 6: expected true, false or null",
        ),
    ] {
        for way in [
            "--out-of mcp --prefix com.example",
            "--strip response-metadata",
            "--into sse",
        ] {
            let run = marc(&format!("carry --fail {way}"), input);
            assert_eq!(run.status, 3, "{way}");
            let expected = (line, message.to_owned());
            assert_eq!(refused(&run).first(), Some(&expected), "{way} {input}");
        }
        let validate = marc("validate", input).stdout;
        let first: Value = serde_json::from_str(validate.lines().next().unwrap()).unwrap();
        let violation = &first["violations"][0];
        assert_eq!(violation["line"], line, "{validate}");
        assert_eq!(violation["message"], message, "{validate}");
    }
    let run = marc("carry --out-of sse", "event: marc-core\ndata: prose\n\n");
    let message = "the data of the event: expected a JSON object, found \"prose\"";
    assert_eq!(refused(&run), [(1, message.to_owned())]);
}

#[test]
fn options_of_another_carrier_are_refused() {
    for (command, message) in [
        (
            "carry --into sse --prefix com.example",
            "--prefix is for mcp only, found sse; leave it out",
        ),
        (
            "carry --into mcp --prefix com.example --uri urn:x",
            "--uri is for a2a only, found mcp; leave it out",
        ),
        (
            "carry --into response-metadata --prefix x",
            "--prefix is for mcp only, found response-metadata; leave it out",
        ),
        (
            "carry --strip audit-log --uri urn:x",
            "--uri is for a2a only, found audit-log; leave it out",
        ),
        (
            "carry --out-of audit-log --envelope f",
            "--envelope is for --into only, found --out-of; leave it out",
        ),
        (
            "carry --strip audit-log --envelope f",
            "--envelope is for --into only, found --strip; leave it out",
        ),
        (
            "carry --into sse --envelope f",
            "--envelope is for response-metadata, mcp, a2a and audit-log only, found sse; leave it out",
        ),
        (
            "carry --into mcp",
            "--into mcp needs --prefix, such as com.example",
        ),
        (
            "carry --strip a2a",
            "--strip a2a needs --uri, such as https://example.com/marc/v1",
        ),
        (
            "project --emitter x",
            "--emitter is for --trust attested only, found untrusted; leave it out",
        ),
        (
            "project --trust attested",
            "--trust attested needs --emitter, such as example.com",
        ),
        (
            "project --trust local --emitter x",
            "--emitter is for --trust attested only, found local; leave it out",
        ),
    ] {
        assert_refused(command, message);
    }
}

#[test]
fn input_without_anything_to_do_is_reported() {
    for (command, input, what) in [
        ("carry --into sse", "", "MARC object"),
        ("carry --into audit-log", "[]", "MARC object"),
        ("carry --out-of audit-log", "", "envelope"),
        ("carry --strip response-metadata", "[]", "envelope"),
        ("carry --out-of sse", "prose\n", "event with a MARC object"),
        (
            "carry --out-of sse",
            "data: x\n\nevent: y\ndata: z\n\n",
            "event with a MARC object",
        ),
        ("carry --strip sse", "", "event"),
        ("carry --strip sse", ": a comment\n", "event"),
        ("upgrade", "", "MARC object"),
        ("upgrade", "[]", "MARC object"),
        ("show", "", "MARC-Disclosure object"),
    ] {
        for (fail, status) in [("", 0), (" --fail", 3)] {
            let run = marc(&format!("{command}{fail}"), input);
            assert_eq!(run.status, status, "{command} {input}");
            if input.starts_with(':') {
                assert_eq!(run.stdout, format!("{input}\n"));
            } else {
                assert_eq!(run.stdout, "", "{command} {input}");
            }
            assert_eq!(
                run.stderr,
                format!("provstream: standard input: expected at least one {what}, found none\n"),
                "{command} {input}"
            );
        }
    }
}

#[test]
fn stripping_an_event_stream_keeps_everything_else() {
    let kept = ": a comment\n\nid: 7\nevent: message\ndata:  two\ndata: lines\nretry: 10\n\n";
    let record = "id: 8\nevent: marc-core\ndata: {\"marc_version\":\"1.0\"}\n\n";
    let last = "event: marc-disclosure\ndata: {\"answer\":\"x\"}\n\n";
    let run = marc(
        "carry --strip sse --fail",
        format!("{kept}{record}{last}").replace('\n', "\r\n"),
    );
    assert_eq!(run.stdout, format!("{kept}{last}"));
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
}

#[test]
fn an_event_that_is_too_long_is_refused_whole() {
    let small = "event: x\ndata: y\n\n";
    let event = |data: &str| format!("event: marc-core\n{data}\n\n");
    let many = event(&"data: {\n".repeat(100));
    let long = event(&format!("data: {}", "x".repeat(1 << 17)));
    for (event, message) in [
        (
            many,
            "expected an event of at most 200 bytes (--max-record), found a longer one",
        ),
        (
            long,
            "expected lines of at most 65536 bytes in an event, found a longer one",
        ),
    ] {
        let run = marc(
            "carry --strip sse --max-record 200 --fail",
            format!("{small}{event}{small}"),
        );
        assert_eq!(run.status, 3);
        let rest: String = run
            .stdout
            .lines()
            .filter(|line| !line.starts_with('{'))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(rest, format!("{small}{small}"));
        let refused: Vec<&str> = run
            .stdout
            .lines()
            .filter(|line| line.starts_with('{'))
            .collect();
        let expected = format!("{{\"event\":\"refused\",\"line\":4,\"message\":\"{message}\"}}");
        assert_eq!(refused, [expected]);
    }
}

#[test]
fn values_of_options_are_quoted_once() {
    for (command, message) in [
        (
            "validate --draft 03",
            "--draft: expected one of 01, 02, found `03`",
        ),
        (
            "show --language xx",
            "--language: expected one of en, de, es, fr, ja, found `xx`",
        ),
        (
            "upgrade --action answer",
            "--action: expected one of ANSWER, CLARIFY, RETRIEVE, TOOL, DELIBERATE, ABSTAIN, ESCALATE, found `answer`",
        ),
        (
            "validate --max-record 0",
            "--max-record: expected a whole number between 1 and 16777216, found `0`",
        ),
        (
            "validate --max-record 16777217",
            "--max-record: expected a whole number between 1 and 16777216, found `16777217`",
        ),
        (
            "carry --into sse --max-record x",
            "--max-record: expected a whole number between 1 and 16777216, found `x`",
        ),
        (
            "schema x",
            "KIND: expected one of core, disclosure, found `x`",
        ),
        (
            "decide --deployment x --id=",
            "--id: expected 1 to 256 bytes, found a blank text",
        ),
        (
            "conformance -",
            "FILE: standard input is not read for it; give the path of a file (./- for one named -)",
        ),
        (
            "carry --into a2a --uri no",
            "--uri: expected an absolute URI such as https://example.com/marc/v1, found \"no\"",
        ),
    ] {
        assert_refused(command, message);
    }
}

#[test]
fn files_of_settings_that_are_not_text_are_named() {
    let files = Files::new();
    let utf16: Vec<u8> = "{\"a\":1}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let utf16 = files.write("utf16", [&[0xFF, 0xFE], &*utf16].concat());
    let xz = files.write("xz", b"\xFD7zXZ\0more");
    let folder = files.path("").to_str().expect("UTF-8").to_owned();
    for command in [
        "decide --deployment",
        "show --deployment",
        "project --texts",
        "carry --into audit-log --envelope",
        "conformance",
    ] {
        for (file, message) in [
            (&utf16, "it is UTF-16LE, expected UTF-8"),
            (&xz, "it is compressed with xz, expected text"),
            (&folder, "it is a directory, expected a file"),
        ] {
            let run = marc(&format!("{command} {file}"), "");
            assert_eq!(run.status, 1, "{command}: {}", run.stderr);
            let start = format!("provstream: cannot read {file}: {message}");
            assert!(run.stderr.starts_with(&start), "{command}: {}", run.stderr);
        }
    }
}

#[test]
fn a_file_that_is_too_large_is_refused_and_not_read_in_part() {
    let files = Files::new();
    let line = "{\"decision_id\":\"0000\",\"answer\":\"x\"}\n";
    let lines = (1 << 20) / line.len() + 1;
    let texts: String = (0..lines)
        .map(|number| line.replace("0000", &format!("{number:05}")))
        .collect();
    // All that is loaded of the second is well-formed.
    let blank_lines = format!("{{\"decision_id\":\"a\"}}{}", "\n".repeat(1 << 20));
    for content in [texts, blank_lines] {
        let file = files.write("file", content);
        for command in ["carry --into audit-log --envelope", "project --texts"] {
            let message = "expected a file of at most 1 MiB, found a larger one";
            assert_refused(&format!("{command} {file}"), &format!("{file}: {message}"));
        }
    }
}

#[test]
fn files_that_are_not_json_are_located_in_one_way() {
    let files = Files::new();
    for (content, envelope, texts) in [
        (
            "",
            "expected a JSON object, found an empty file",
            "expected at least one line with texts, found an empty file",
        ),
        (
            " \n",
            "expected a JSON object, found an empty file",
            "expected at least one line with texts, found an empty file",
        ),
        (
            "\n[]",
            "line 2: expected a JSON object, found an array",
            "line 2: expected a JSON object, found an array",
        ),
        (
            "prose",
            "line 1: expected a JSON object, found \"prose\"",
            "line 1: expected a JSON object, found \"prose\"",
        ),
        (
            "\u{feff}{\"decision_id\" 1}",
            "line 1: expected a JSON object, found a syntax error at column 16: expected `:` after the name of a member",
            "line 1: expected a JSON object, found a syntax error at column 16: expected `:` after the name of a member",
        ),
        (
            "{\"decision_id\":",
            "line 1: expected a JSON object, found one that is not complete",
            "line 1: expected a JSON object, found one that is not complete",
        ),
        (
            "{\"decision_id\":\"a\"} {}",
            "line 1: expected one JSON object, found more after it at column 21",
            "line 1: expected one JSON object, found more after it at column 21",
        ),
    ] {
        let file = files.write("file", content);
        for (command, message) in [
            ("carry --into audit-log --envelope", envelope),
            ("project --texts", texts),
        ] {
            assert_refused(&format!("{command} {file}"), &format!("{file}: {message}"));
        }
    }
    let file = files.write("file", "\u{feff}{\"decision_id\":\"a\",\"answer\":\"x\"}");
    for command in ["carry --into audit-log --envelope", "project --texts"] {
        let run = marc(&format!("{command} {file}"), "");
        assert_eq!(run.status, 0, "{command}: {}", run.stderr);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn situations_are_refused_with_what_was_found() {
    let decide = format!("decide --fail --deployment {}", corpus("deployment.toml"));
    for (line, message) in [
        ("[]".to_owned(), "expected a JSON object, found an array"),
        (
            "nothing".to_owned(),
            "expected a JSON object, found \"nothing\"",
        ),
        (
            "{\"pre_capability\" 1}".to_owned(),
            "expected a JSON object, found a syntax error at column 19: expected `:` after the name of a member",
        ),
        (
            situation("pre_capability", json!("x")),
            "`pre_capability`: expected a number from 0.0 to 1.0, found a string",
        ),
        (
            situation("remedies", json!({"human": 1})),
            "`remedies.human`: expected true, false, or an object with available, permitted, worthwhile, found a number",
        ),
        (
            situation("remedies", json!({"human": {"available": "yes"}})),
            "`remedies.human`: `available`: expected true or false, found a string",
        ),
        (
            situation("remedies", json!(7)),
            "`remedies`: expected an object, found a number",
        ),
        (
            situation("session", json!(7)),
            "`session`: expected a string, found a number",
        ),
        (
            situation("session", json!("")),
            "`session`: expected a string with content, found an empty one",
        ),
        (
            situation("session", json!(" ")),
            "`session`: expected a string with content, found a blank one",
        ),
        (
            situation("spent", json!({"time": "2s"})),
            "`spent`: expected a line after RETRIEVE, TOOL or DELIBERATE in its session, found one with no action running; leave `spent` out",
        ),
        (
            "{\"uncertainty\":{}}".to_owned(),
            "missing: `pre_capability` (a score), `primary_source` (one of the sources)",
        ),
        (
            "{}".to_owned(),
            "missing: `pre_capability` (a score), `uncertainty` (an object with a score for each source), `primary_source` (one of the sources)",
        ),
        (
            "{\"pre_capability\":".to_owned(),
            "expected one situation a line, found one that goes on in the next line or is not complete; `jq -c .` writes each on one line",
        ),
        (
            situation("spent", json!({"time": "2"})),
            "`spent.time`: expected a unit after 2, such as 2m for minutes; units are d, h, m and s, found \"2\"",
        ),
        (
            situation("spent", json!({"time": 2})),
            "`spent.time`: expected a duration in quotes, such as \"2s\", found a number",
        ),
        (
            situation("spent", json!({"cost": -1})),
            "`spent.cost`: expected a whole number from 0 to 18446744073709551615, found -1",
        ),
        (
            situation("spent", json!({"cost": "1"})),
            "`spent.cost`: expected a whole number from 0 to 18446744073709551615, found a string",
        ),
        (
            situation("judgements", json!([1])),
            "`judgements`: expected an array of strings, or an object with true or false, found an array of other values",
        ),
        (
            situation("judgements", json!(true)),
            "`judgements`: expected an array of strings, or an object with true or false, found a boolean",
        ),
        (
            situation("recommended_next_step", json!(["x"])),
            "`recommended_next_step`: expected a string, found an array",
        ),
        (
            situation("primary_source", json!("x")),
            "`primary_source`: unknown source of uncertainty \"x\", expected one of ambiguity, missing_evidence, \
             capability_limit, evidence_conflict, safety",
        ),
    ] {
        let run = marc(&decide, &line);
        assert_eq!(run.status, 3, "{line}");
        assert_eq!(refused(&run), [(1, message.to_owned())], "{line}");
    }
}

#[test]
fn an_unknown_name_of_the_deployment_is_refused_with_the_known_ones() {
    let files = Files::new();
    let plain = "name = \"x\"\nclasses = [\"core\"]\n[bands]\ncalibration_profile = \"p\"\nmedium_from = 0.5\n\
        high_from = 0.8\n[bounds]\nclarifications = 1\n[bounds.retrieve]\ncount = 1\ntime = \"1m\"\ncost = 9\n\
        [bounds.tool]\ncount = 1\ntime = \"1m\"\ncost = 9\n[bounds.deliberate]\ncount = 1\ntime = \"1m\"\ncost = 9\n";
    let families = "[bands.family.tax]\nmedium_from = 0.6\nhigh_from = 0.9\n\
        [bands.family.law]\nmedium_from = 0.6\nhigh_from = 0.9\n";
    let named = "[sub_actions]\nask_expert = \"ESCALATE\"\n";
    for (more, member, message) in [
        (
            families,
            "task_family",
            "unknown task family \"nope\", expected one of law, tax (MARC-02 8.5)",
        ),
        (
            named,
            "sub_action",
            "unknown sub-action \"nope\", expected one of ask_expert (MARC-02 8.7)",
        ),
        (
            "",
            "sub_action",
            "unknown sub-action \"nope\", the deployment has none (MARC-02 8.7)",
        ),
    ] {
        let file = files.write("d.toml", format!("{plain}{more}"));
        let run = marc(
            &format!("decide --deployment {file}"),
            situation(member, json!("nope")),
        );
        assert_eq!(refused(&run), [(1, message.to_owned())], "{}", run.stderr);
    }
}

#[test]
fn the_help_lists_what_each_command_reads() {
    for (command, arguments) in [
        ("validate", "an argument is wrong"),
        (
            "carry",
            "an argument or the envelope of --envelope is wrong",
        ),
        ("upgrade", "an argument is wrong"),
        ("schema", "an argument is wrong"),
        (
            "project",
            "an argument, the description of a deployment or a line of --texts is wrong",
        ),
        (
            "show",
            "an argument or the description of a deployment is wrong",
        ),
        (
            "decide",
            "an argument or the description of a deployment is wrong",
        ),
        (
            "conformance",
            "an argument or the description of a deployment is wrong",
        ),
    ] {
        let help = marc(&format!("{command} --help"), "").stdout;
        let status = help.lines().find(|line| line.starts_with("  2  "));
        assert_eq!(status, Some(&*format!("  2  {arguments}")), "{command}");
    }
    let about = "Validate, decide, disclose and carry MARC records";
    let short = run(&["--help"], "").stdout;
    assert!(short.contains(about), "{short}");
    assert!(run(&["marc", "--help"], "").stdout.starts_with(about));
    let flat = |command| {
        let help = marc(command, "").stdout;
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let decide = flat("decide --help");
    assert!(
        decide.contains(
            "spent, {\"time\":\"2s\",\"cost\":40}, what the previous decision's action cost."
        ),
        "{decide}"
    );
    assert!(
        decide.contains("Prefix of the decision ids: ID-1, ID-2 and so on"),
        "{decide}"
    );
    let schema = flat("schema --help");
    assert!(
        schema.contains("Repeated members and SHOULD-level rules are not part of it."),
        "{schema}"
    );
}

#[test]
fn objects_of_json_in_the_help_are_whole() {
    let commands = [
        "validate",
        "project",
        "decide",
        "carry",
        "upgrade",
        "conformance",
    ];
    let mut objects = 0;
    for command in commands {
        let help = marc(&format!("{command} --help"), "").stdout;
        let about = help.split("\nUsage: ").next().unwrap_or_default();
        for block in about
            .split("\n\n")
            .filter(|block| block.starts_with("    {"))
        {
            assert!(
                block.lines().all(|line| line.chars().count() <= 98),
                "{block}"
            );
            let json = block.replace("[…]", "[]").replace("{…}", "{}");
            // A string that is broken has a line feed in it, which is not JSON.
            assert!(serde_json::from_str::<Value>(&json).is_ok(), "{block}");
            objects += 1;
        }
    }
    assert_eq!(objects, 8);
}

#[test]
fn a_line_of_this_program_without_an_object_is_named() {
    let none = "expected a MARC object, found";
    let record = corpus("tv-m2-1.json");
    let withheld = marc(&format!("project {record}"), "").stdout;
    for (input, message) in [
        (
            &*withheld,
            "a line with the event `withheld`: the trust context of the record is not known; --trust states it",
        ),
        (
            "{\"event\":\"refused\",\"line\":1,\"message\":\"why\"}",
            "a line with the event `refused`: why",
        ),
        (
            "{\"event\":\"deferred\",\"line\":1,\"action\":\"TOOL\"}",
            "a line with the event `deferred`, which has none",
        ),
        (
            "{\"event\":\"other\",\"message\":\"m\"}",
            "none in this JSON object",
        ),
        (
            "{\"marc_version\":\"1.0\"}",
            "only the member `marc_version` of one; `provstream marc validate --kind core` reports what is missing",
        ),
    ] {
        let show = marc("show --fail", input);
        assert_eq!(show.status, 3);
        assert_eq!(
            show.stderr,
            format!("provstream: standard input: line 1: {none} {message}\n")
        );
        let validate = marc("validate", input).stdout;
        let line = validate.lines().next().unwrap_or_default();
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{validate}"));
        let violation = &line["violations"][0]["message"];
        assert_eq!(violation, &format!("{none} {message}"), "{validate}");
    }
}

#[test]
fn an_object_that_is_too_long_is_reported_with_both_lengths() {
    let validate = marc(
        "validate --fail --max-record 10",
        "{\"marc_version\":\"1.0\"}",
    );
    let message = "expected an object of at most 10 bytes (--max-record), found one of 22";
    assert_eq!(validate.status, 3);
    assert!(validate.stdout.contains(message), "{}", validate.stdout);
}
