//! Control characters for terminals are never printed to one.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{Files, Run, provstream};

/// The styles in which the program's own name is written before a message.
const STYLES: [&str; 3] = ["\x1b[1m", "\x1b[31m", "\x1b[0m"];

/// Returns `true` if a character can control a terminal, break a line in some reader, or reorder
/// the displayed text.
fn steers(character: char) -> bool {
    let c = u32::from(character);
    matches!(c, 0..=0x1F | 0x7F..=0x9F | 0x2028..=0x202E | 0x2066..=0x2069)
}

/// All of them.
fn steering() -> impl Iterator<Item = char> {
    ('\0'..='\u{ffff}').filter(|&character| steers(character))
}

/// They, an escape sequence, bytes that are C1 controls in other encodings, and ordinary characters between them.
fn hostile() -> Vec<u8> {
    let mut bytes: Vec<u8> = "é\x1b[2J\x1b]0;title\x07".into();
    steering().for_each(|character| bytes.extend(format!("{character}x").bytes()));
    bytes.extend(0x80..=0xFF);
    bytes
}

/// Encodes all control characters as a JSON string in which only C0 controls are escaped.
fn in_json() -> Vec<u8> {
    let mut json = vec![b'"'];
    for byte in hostile() {
        match byte {
            0..=0x1F => json.extend(format!("\\u{byte:04x}").bytes()),
            _ => json.push(byte),
        }
    }
    json.push(b'"');
    json
}

/// The template with each `@` replaced.
fn filled(template: &str, with: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = template.split('@').map(str::as_bytes).collect();
    parts.join(with)
}

fn check(text: &str, of: &str) {
    let plain = STYLES
        .iter()
        .fold(text.to_owned(), |text, style| text.replace(style, ""));
    let found: Vec<_> = plain
        .chars()
        .filter(|&character| steers(character) && character != '\n')
        .collect();
    assert!(found.is_empty(), "{of}: {found:?} in {plain:?}");
}

/// Runs the program as if its messages went to a terminal, where nothing takes escape sequences out of them.
fn run(args: &[OsString], input: &[u8]) -> Run {
    let files = Files::new();
    let input = files.write("input", input);
    provstream(&[])
        .args(args)
        .env("CLICOLOR_FORCE", "1")
        .stdin(std::fs::File::open(input).expect("the file is there"))
        .output()
        .expect("the program starts")
        .into()
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

const TEXTS: [&str; 3] = [
    "It is @ so. [substrate.grep; observation-id=@; ts=2026-05-28T11:40:00Z; note=\"@\"] @",
    "It is @ so. [substrate.grep; observation-id=\"a\u{9b}b\u{202e}\u{85}\"; ts=@] [substrate.@] @",
    "@",
];

const VALUES: [&str; 4] = [
    r#"{"assertion":@,"provenance":{"substrate_class":@,"observation_id":@,"ts":@}}"#,
    r#"{@:[{"assertion":@,"provenance":[{"substrate_class":"substrate.grep","observation_id":@},@]}]}"#,
    r#"{"marc_version":@,"decision_id":@,@:@,"pre_capability":@,"uncertainty":{@:1},"selected_action":@}"#,
    r#"{"answer":@,"confidence_band":@,"uncertainty_source":@,@:[@]}"#,
];

#[test]
fn output_lines_are_json_without_controls() {
    let raw = hostile();
    let json = in_json();
    let texts = TEXTS.iter().map(|text| filled(text, &raw));
    let values = VALUES.iter().map(|value| filled(value, &json));
    let inputs: Vec<_> = texts.chain(values).collect();
    for command in [
        "extract",
        "extract --text",
        "extract --text --chunk-size 1",
        "extract --mode json",
        "extract --mode ndjson",
        "extract --input auto --text",
        "extract --input anthropic",
        "admit --floor 1 --window 15m",
        "admit --floor 1 --window 15m --mode json",
        "marc validate --session",
        "marc validate --strict",
        "marc project",
    ] {
        let command: Vec<_> = command.split(' ').collect();
        for input in &inputs {
            let run = run(&words(&command), input);
            check(&run.stdout, &command.join(" "));
            check(&run.stderr, &command.join(" "));
            for line in run.stdout.lines() {
                serde_json::from_str::<Value>(line).expect("a line is JSON");
            }
        }
    }
}

#[test]
fn event_streams_print_no_controls() {
    // Of an event that is not UTF-8 only the notice would be printed.
    let json = String::from_utf8_lossy(&in_json()).into_owned();
    for (format, event) in [
        (
            "openai-chat",
            r#"{"choices":[{"index":0,"delta":{"content":@}}]}"#,
        ),
        ("openai-chat", r#"{"error":{"message":@,"type":@}}"#),
        (
            "anthropic",
            r#"{"type":"error","error":{"type":@,"message":@}}"#,
        ),
        ("anthropic", r#"{"type":@}"#),
        (
            "gemini",
            r#"{"candidates":[{"index":0,"content":{"parts":[{"text":@}]}}]}"#,
        ),
    ] {
        let mut input = b"data: ".to_vec();
        input.extend(filled(event, json.as_bytes()));
        input.extend(b"\n\n");
        for command in ["extract --text", "admit --floor 1 --window 15m"] {
            let mut args: Vec<_> = command.split(' ').collect();
            args.extend(["--input", format]);
            let run = run(&words(&args), &input);
            check(&run.stdout, event);
            check(&run.stderr, event);
        }
        if !event.starts_with("{\"type\":@") {
            let told = run(&words(&["extract", "--text", "--input", format]), &input).stdout;
            assert!(told.contains("\\u202e"), "{event}: {told}");
        }
        let strip = words(&["strip", "--input", format]);
        check(&run(&strip, &input).stderr, event);
    }
}

#[test]
fn decisions_print_no_controls() {
    let deployment = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../corpus/marc/deployment.toml"
    );
    let json = in_json();
    let mut input = hostile();
    for line in [
        "\n{@:1}\n",
        "{\"spent\":{@:1}}\n",
        "{\"primary_source\":@}\n",
        "{\"answer\":@,\"scores\":{\"ambiguity\":@}}\n",
    ] {
        input.extend(filled(line, &json));
    }
    let run = run(
        &words(&["marc", "decide", "--deployment", deployment]),
        &input,
    );
    check(&run.stdout, "marc decide");
    check(&run.stderr, "marc decide");
    assert!(run.stdout.lines().count() >= 4, "{}", run.stdout);
    for line in run.stdout.lines() {
        serde_json::from_str::<Value>(line).expect("a line is JSON");
    }
}

#[test]
fn what_files_of_settings_say_is_quoted_without_controls() {
    let files = Files::new();
    let raw = String::from_utf8_lossy(&hostile()).into_owned();
    // What TOML lets stand in a string and a comment is less than what stands here, so all kinds of faults come.
    let quoted: String = steering().filter(|&c| c > '\u{7f}' || c == '\t').collect();
    let escaped: String = steering()
        .map(|c| format!("\\u{:04X}", u32::from(c)))
        .collect();
    for (number, with) in [raw, quoted, escaped].iter().enumerate() {
        for (place, template) in [
            "@",
            "\"@\" = 1",
            "version = \"@\"",
            "version = \"1.1\"\n[[class]]\nid = \"@\"\nsince = \"1.1\"",
            "version = \"1.1\"\n[[class]]\n\"@\" = \"@\"",
            "draft = \"@\"",
            "claims = [\"@\"]",
            "[@]",
        ]
        .iter()
        .enumerate()
        {
            let file = files.write(
                &format!("{number}-{place}.toml"),
                template.replace('@', with),
            );
            for args in [
                &["vocabulary", "--vocabulary", &file][..],
                &["marc", "conformance", &file],
                &["marc", "conformance", "--table", &file],
                &["marc", "project", "--deployment", &file],
                &["marc", "decide", "--deployment", &file],
            ] {
                let run = run(&words(args), b"");
                check(&run.stdout, template);
                check(&run.stderr, template);
            }
        }
    }
    let deployment = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../corpus/marc/deployment.toml"
    );
    let args = ["marc", "conformance", "--table", deployment];
    check(&run(&words(&args), b"").stdout, "--table");
}

#[test]
fn strip_writes_bytes_as_they_are_where_no_terminal_is() {
    let hostile = hostile();
    let files = Files::new();
    let path = files.write("hostile", &hostile);
    let output = provstream(&["strip", "--mode", "text", &path])
        .output()
        .unwrap();
    assert_eq!(output.stdout, hostile);
}

/// The program with its standard output on a terminal, which `script` of util-linux makes; none if that is not there.
fn on_a_terminal(command: &str) -> Option<Vec<u8>> {
    let output = Command::new("script")
        .args(["-q", "-e", "-c", command, "/dev/null"])
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(output.stdout),
        Err(error) => {
            eprintln!("SKIPPED: no terminal could be made: script: {error}");
            None
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_strip_escapes_controls() {
    let files = Files::new();
    let mut input = b"It is\tso. [substrate.grep]\n".to_vec();
    input.extend(hostile());
    let path = files.write("hostile", &input);
    let program = env!("CARGO_BIN_EXE_provstream");
    let Some(shown) = on_a_terminal(&format!("'{program}' strip --quiet '{path}'")) else {
        return;
    };
    let shown = String::from_utf8(shown).expect("what is shown is UTF-8");
    // The terminal itself makes two characters of a line feed.
    let shown = shown.replace("\r\n", "\n");
    assert!(
        shown.starts_with("It is\tso.\né\\u{1b}[2J\\u{1b}]0;title\\u{7}"),
        "{shown:?}"
    );
    assert!(
        shown.contains("\\u{9b}x") && shown.contains("\\u{202e}x"),
        "{shown:?}"
    );
    check(&shown.replace('\t', ""), "strip");
}

#[test]
#[cfg(target_os = "linux")]
fn a_person_learns_that_a_text_has_no_annotations() {
    let files = Files::new();
    let (none, some) = (
        files.write("none.txt", "It is so.\n"),
        files.write("some.txt", "It is so. [substrate.grep]\n"),
    );
    let program = env!("CARGO_BIN_EXE_provstream");
    for command in [
        "extract",
        "admit --floor 1 --window 1h",
        "gate --policy own-state",
        "report --policy own-state -o /dev/null",
    ] {
        for (path, is_said) in [(&none, true), (&some, false)] {
            let Some(shown) = on_a_terminal(&format!("'{program}' {command} '{path}'")) else {
                return;
            };
            let shown = String::from_utf8_lossy(&shown);
            let is_found = shown.contains("no annotations; `provstream emit`");
            assert_eq!(is_found, is_said, "{command}: {shown}");
        }
        // Programs that read standard error do not.
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push(&none);
        let output = provstream(&words).output().expect("the program runs");
        assert!(
            !String::from_utf8_lossy(&output.stderr).contains("no annotations"),
            "{command}"
        );
    }
}
