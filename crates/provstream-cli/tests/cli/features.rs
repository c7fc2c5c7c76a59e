//! Several files, jobs, fields, compressed input, output files, lines for people, and what is generated.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use testkit::damaged;

use crate::common::{Files, provstream, run};

const TEXT: &str = "It runs. [substrate.grep; ts=2026-05-28T12:00:00Z]\n";
const RECORD: &str = "{\"assertion\":\"It runs.\"}\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// NDJSON with damaged lines, a byte order mark where none belongs, and lines longer than a part.
fn ndjson(lines: usize) -> String {
    let mut text: String = damaged::lines()
        .take(lines)
        .map(|(_, line)| line.bytes)
        .collect();
    text.push('\u{feff}');
    text.push_str(RECORD);
    text.push_str(&format!(
        "{{\"a\":\"{}\",\"assertion\":\"Long.\"}}\n",
        "x".repeat(5_000)
    ));
    text.push_str("\n\r\n{\"marc_version\":\"1.0\"}\n");
    text.push_str(RECORD);
    text.push_str("{\"assertion\":\"open");
    text
}

#[test]
fn lines_of_several_files_name_their_file() {
    let files = Files::new();
    let one = files.write("one.txt", TEXT);
    let two = files.write("two.txt", "Nothing.");
    let run = run(&["extract", &one, &two], "");
    let lines: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let events: Vec<_> = lines.iter().map(|line| line["event"].as_str()).collect();
    assert_eq!(
        events,
        [Some("assertion"), Some("end"), Some("end"), Some("end")]
    );
    assert_eq!(lines[0]["file"], one.as_str());
    assert_eq!(lines[1]["file"], one.as_str());
    assert_eq!(lines[2]["file"], two.as_str());
    assert_eq!(
        (lines[3].get("file"), &lines[3]["files"]),
        (None, &Value::from(2))
    );
    assert_eq!(lines[3]["assertions"], 1);
    // A single file is not named, however it is given.
    assert!(
        !crate::common::run(&["extract", &one], "")
            .stdout
            .contains("\"file\"")
    );
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let files = Files::new();
    let one = files.write("one.txt", TEXT);
    for jobs in ["1", "2"] {
        let run = run(&["extract", "--jobs", jobs, "/no/such/file", &one], "");
        assert_eq!(run.status, 1);
        assert!(
            run.stderr.contains("cannot read /no/such/file"),
            "{}",
            run.stderr
        );
        assert!(run.stdout.contains("\"event\":\"assertion\""));
        // Not all was read, so there are no totals of all.
        assert!(!run.stdout.contains("\"files\""), "{}", run.stdout);
    }
}

#[test]
fn directories_are_read_where_that_is_asked_for() {
    let files = Files::new();
    fs::create_dir(files.path("in")).expect("a directory");
    files.write("in/b.txt", TEXT);
    files.write("in/a.txt", "Nothing.");
    let folder = files.path("in");
    let folder = folder.to_str().expect("UTF-8");
    let refused = run(&["extract", folder], "");
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("--recursive"), "{}", refused.stderr);
    let read = run(&["extract", "--recursive", folder], "").stdout;
    let (a, b) = (read.find("a.txt"), read.find("b.txt"));
    assert!(a.is_some() && a < b, "{read}");
}

#[test]
fn jobs_do_not_affect_the_output() {
    let files = Files::new();
    let text = ndjson(400);
    let path = files.write("lines.ndjson", &text);
    for command in [
        &["extract", "--mode=ndjson", "--chunk-size=900"][..],
        &["extract", "--mode=ndjson", "--pretty", "--chunk-size=777"],
        &[
            "extract",
            "--field=/assertion",
            "--field=/a",
            "--chunk-size=1000",
        ],
        &[
            "admit",
            "--floor=1",
            "--window=1d",
            "--mode=ndjson",
            "--chunk-size=4096",
        ],
    ] {
        let of = |jobs: &str, file: &str, input: &str| {
            run(&[command, &["--jobs", jobs, file]].concat(), input)
        };
        let expected = of("1", &path, "");
        assert!(expected.stdout.len() > 500);
        for jobs in ["2", "3", "7"] {
            let found = of(jobs, &path, "");
            assert!(found.stdout == expected.stdout, "{command:?} {jobs}");
            assert_eq!(found.stderr, expected.stderr, "{command:?} {jobs}");
        }
        assert!(of("2", "-", &text).stdout == expected.stdout, "{command:?}");
    }
}

/// Several jobs may divide the text into other pieces, but they print the same text.
#[test]
fn jobs_do_not_affect_the_text() {
    let files = Files::new();
    let text = ndjson(400);
    let path = files.write("lines.ndjson", &text);
    let of = |jobs: &str| {
        let args = ["extract", "--mode=ndjson", "--text", "--chunk-size=900"];
        let printed = run(&[&args[..], &["--jobs", jobs, &path]].concat(), "").stdout;
        let (texts, others): (Vec<_>, Vec<_>) = printed
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .partition(|line| line["event"] == "text");
        let pieces = texts.iter().map(|line| line["text"].as_str().unwrap());
        (pieces.collect::<String>(), others)
    };
    let expected = of("1");
    assert!(expected.0 == text);
    for jobs in ["2", "3", "7"] {
        assert!(of(jobs) == expected, "{jobs}");
    }
}

/// Events that were certain before the input broke are printed, also those of the line that it
/// broke in.
#[test]
fn jobs_do_not_affect_what_is_printed_of_a_broken_input() {
    let files = Files::new();
    let line = r#"{"claims":[{"assertion":"One."},{"assertion":"Two."}],"rest":["#;
    let text = ndjson(50) + "\n" + line + &"x".repeat(100);
    let compressed = gzip(text.as_bytes());
    // The last block of the compressed data, which has the open line, is cut short.
    for cut in [8, 10, compressed.len() / 2] {
        let path = files.write("broken.gz", &compressed[..compressed.len() - cut]);
        let of = |jobs| run(&["extract", "--mode=ndjson", "--jobs", jobs, &path], "");
        let expected = of("1");
        assert_eq!(expected.status, 1);
        for jobs in ["2", "5"] {
            let found = of(jobs);
            assert!(
                found.stdout == expected.stdout,
                "{cut} {jobs}: {}",
                found.stdout
            );
            assert_eq!((found.status, found.stderr), (1, expected.stderr.clone()));
        }
    }
}

/// Jobs end when the reader of the output closes the pipe.
#[test]
fn jobs_end_when_nobody_reads_the_output() {
    let files = Files::new();
    let path = files.write("lines.ndjson", ndjson(400).repeat(20));
    let mut child = provstream(&["extract", "--mode=ndjson", "--jobs=3", &path])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn jobs_read_many_files_in_order() {
    let files = Files::new();
    let mut args = vec!["extract".to_owned(), "--jobs=1".to_owned()];
    for number in 0..30 {
        let content = TEXT.repeat(number % 7 * 100);
        args.push(files.write(&format!("{number:02}.txt"), content));
    }
    let of = |args: &[String]| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        run(&args, "").stdout
    };
    let expected = of(&args);
    for jobs in ["2", "5"] {
        args[1] = format!("--jobs={jobs}");
        assert!(of(&args) == expected, "{jobs}");
    }
}

#[test]
fn the_text_of_a_field_is_a_stream_of_its_own() {
    let input = "{\"id\":1,\"text\":\"\\u00c9 runs. [substrate.grep]\"}\n\n{\"text\":null}\n{\"text\":[1]}\n{}\nx\n\
        {\"text\":\"A. [substrate.grep] B.\",\"more\":{\"a/b\":\"C. [substrate.grep]\"}}";
    let run = run(&["extract", "--field=/text"], input);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(
        lines[0],
        "{\"event\":\"assertion\",\"encoding\":\"bracket\",\"text\":\"É runs.\",\"span\":{\"start\":0,\"end\":8},\
         \"clean_span\":{\"start\":0,\"end\":8},\"annotations\":[{\"class\":\"substrate.grep\",\
         \"declared\":\"substrate.grep\",\"span\":{\"start\":9,\"end\":25}}],\"line\":1}"
    );
    let diagnostics = [
        (
            "no-field",
            12,
            4,
            ",\"message\":\"expected a string at /text, found an array\"",
        ),
        ("no-field", 2, 5, ",\"message\":\"nothing at /text\""),
        ("json-syntax", 1, 6, ""),
    ];
    for (line, (code, end, number, message)) in lines[1..4].iter().zip(diagnostics) {
        let expected = format!(
            "{{\"event\":\"diagnostic\",\"code\":\"{code}\",\"span\":{{\"start\":0,\"end\":{end}}}{message},\"line\":{number}}}"
        );
        assert_eq!(*line, expected);
    }
    assert!(lines[4].ends_with("\"line\":7}"), "{}", lines[4]);
    let end = format!(
        "{{\"event\":\"end\",\"bytes\":{},\"assertions\":2,\"annotations\":2,\"marc\":0,\"diagnostics\":3}}",
        input.len()
    );
    assert_eq!(lines[5], end);
    let several = crate::common::run(&["extract", "--field=/text", "--field=/more/a~1b"], input);
    assert!(
        several
            .stdout
            .contains("\"line\":7,\"field\":\"/more/a~1b\"}"),
        "{}",
        several.stdout
    );
    let text = crate::common::run(&["extract", "--text", "--field=/text"], input).stdout;
    assert!(
        text.contains("{\"event\":\"text\",\"text\":\"A. B.\",\"line\":7}")
            || text.contains("\"text\":\"A.\",\"line\":7}"),
        "{text}"
    );
}

#[test]
fn compressed_input_is_read() {
    let text = TEXT.repeat(5_000);
    let expected = run(&["extract"], &text).stdout;
    let stripped = run(&["strip"], &text).stdout;
    let twice = [
        gzip(&text.as_bytes()[..1000]),
        gzip(&text.as_bytes()[1000..]),
    ]
    .concat();
    let mut skipped = vec![0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3];
    skipped.extend(zstd(&text.as_bytes()[1000..]));
    let frames = [zstd(&text.as_bytes()[..1000]), skipped].concat();
    for compressed in [gzip(text.as_bytes()), twice, zstd(text.as_bytes()), frames] {
        let run_with = |args: &[&str]| run(args, &compressed);
        let extract = run_with(&["extract"]);
        assert!(extract.stdout == expected, "{}", extract.stderr);
        assert!(run_with(&["extract", "--chunk-size=1"]).stdout == expected);
        assert!(run_with(&["strip"]).stdout == stripped);
    }
    for broken in [&gzip(text.as_bytes())[..60], &zstd(text.as_bytes())[..60]] {
        let run = run(&["extract"], broken);
        assert_eq!(run.status, 1);
        assert!(
            run.stderr.contains("cannot read standard input: "),
            "{}",
            run.stderr
        );
        assert!(!run.stdout.contains("\"event\":\"end\""), "{}", run.stdout);
    }
}

#[test]
fn an_output_file_is_replaced_as_a_whole() {
    let files = Files::new();
    let output = files.write("out.ndjson", "before");
    let broken = files.write("broken.gz", &gzip(TEXT.repeat(1_000).as_bytes())[..100]);
    assert_eq!(run(&["extract", "-o", &output, &broken], "").status, 1);
    assert_eq!(fs::read_to_string(&output).expect("a file"), "before");
    let direct = run(&["extract"], TEXT).stdout;
    let run = run(&["extract", "-o", &output], TEXT);
    assert_eq!(
        (run.status, run.stdout.as_str(), run.stderr.as_str()),
        (0, "", "")
    );
    assert_eq!(fs::read_to_string(&output).expect("a file"), direct);
    // Input and output can be the same file.
    let text = files.write("text", TEXT);
    assert_eq!(
        crate::common::run(&["strip", "-o", &text, &text], "").status,
        0
    );
    assert_eq!(fs::read_to_string(&text).expect("a file"), "It runs.\n");
    let left = fs::read_dir(files.path(".")).expect("a directory").count();
    assert_eq!(left, 3, "no file is left over");
    let missing = crate::common::run(&["strip", "-o", "/no/such/folder/file"], "");
    assert_eq!(missing.status, 1);
    assert!(
        missing.stderr.contains("cannot write /no/such/folder/file"),
        "{}",
        missing.stderr
    );
}

#[test]
fn lines_for_people_have_places_classes_and_messages() {
    let input = "One.\nÉ runs. [substrate.grep] [other.class]\n{\"marc_version\":\"1.0\"}\n[substrate.grep;";
    let run = run(&["extract", "--pretty"], input);
    for part in [
        "2:1  É runs.\n    substrate.grep\n",
        "3:1  MARC core: not valid\n",
        "4:1  unterminated: an annotation that is not closed or has a byte that cannot be in it",
        "1 assertion, ",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    assert!(!run.stdout.contains('\x1b'));
    let colored = crate::common::run(&["extract", "--pretty", "--color=always"], input).stdout;
    assert!(
        colored.contains("\x1b[32msubstrate.grep\x1b[0m"),
        "{colored:?}"
    );
    let never = provstream(&["extract", "--pretty", "--color=never"])
        .env("CLICOLOR_FORCE", "1")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the program starts");
    assert!(!never.stdout.contains(&0x1b));
    let admit = ["admit", "--floor=1", "--window=1d", "--pretty"];
    let judged = crate::common::run(&admit, "It is. [substrate.grep]").stdout;
    assert!(
        judged.contains("1:1  It is.  not admitted: below-floor (classes that count: 0, floor 1)"),
        "{judged}"
    );
}

#[test]
fn people_read_what_to_do_about_a_text_without_annotations() {
    for command in [&["extract"][..], &["admit", "--floor=1", "--window=1d"]] {
        let pretty = run(&[command, &["--pretty"]].concat(), "It rained.");
        let note = "provstream: no annotations; `provstream emit` makes a model write them, and `provstream proxy --demo` shows what they are for\n";
        assert_eq!((pretty.status, &*pretty.stderr), (0, note));
        for (options, input) in [
            (&["--json"][..], "It rained."),
            (&["--pretty", "--quiet"], "It rained."),
            (&["--pretty"], "It rained. [substrate.grep]"),
            (&["--pretty"], "It rained. [substrate.grep;"),
        ] {
            let other = run(&[command, options].concat(), input);
            assert!(
                !other.stderr.contains("no annotations"),
                "{options:?} {input}"
            );
        }
    }
}

#[test]
fn the_version_names_what_readers_depend_on() {
    assert_eq!(run(&["-V"], "").stdout.lines().count(), 1);
    let long = run(&["--version"], "").stdout;
    for part in [
        "provstream 0.",
        "\nvocabulary 1.0\n",
        "\nMARC drafts 01, 02\n",
        "\noutput format 1\n",
    ] {
        assert!(long.contains(part), "{long}");
    }
}

#[test]
fn the_vocabulary_is_listed_as_json() {
    let listed = run(&["vocabulary", "--json"], "").stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(
        lines[0],
        "{\"event\":\"class\",\"class\":\"substrate.git.log\",\"since\":\"1.0\",\"terminal\":false}"
    );
    assert_eq!(
        lines[8],
        "{\"event\":\"class\",\"class\":\"decayed-to-uncertainty\",\"terminal\":true}"
    );
    assert_eq!(
        lines[9],
        "{\"event\":\"end\",\"version\":\"1.0\",\"classes\":9}"
    );
}

#[test]
fn extract_can_fail() {
    for (input, status) in [
        ("It is. [substrate.grep]", 0),
        ("It is. [substrate.grep; ts=", 3),
    ] {
        let failing = run(&["extract", "--fail"], input);
        assert_eq!(failing.status, status, "{input}");
        let says = failing.stderr.contains("diagnostics: 1; the lines with");
        assert_eq!(says, status == 3, "{}", failing.stderr);
        assert_eq!(run(&["extract"], input).status, 0, "{input}");
    }
}

#[test]
fn a_floor_that_no_assertion_can_reach_is_refused() {
    for (args, most) in [
        (&["--floor=8", "--window=1m"][..], 7),
        (&["--floor=2", "--window=substrate.grep=1m"], 1),
    ] {
        let run = run(&[&["admit"], args].concat(), "");
        assert_eq!(run.status, 2);
        let expected = format!("--floor: expected at most {most}, ");
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
    }
}

#[test]
fn a_dash_is_standard_output() {
    let run = run(&["strip", "--output=-"], "It is. [substrate.grep]");
    assert_eq!((run.status, run.stdout.as_str()), (0, "It is."));
}

#[test]
fn links_and_sources_of_citations_are_checked() {
    let link = "--link=https://e.org/{id}";
    for (args, problem) in [
        (
            &["--as=openai-chat", "--link=substrate.foo=https://e.org"][..],
            "--link: unknown class `substrate.foo`",
        ),
        (
            &["--as=openai-chat", link, link],
            "--link: expected one for each class, found two for all classes",
        ),
        (
            &["--as=openai-chat", link, "--hide-ids"],
            "--hide-ids cannot be used with {id} in --link",
        ),
        (
            &[
                "--as=web-annotation",
                "--source=urn:x:1",
                "--link=substrate.grep=https://e.org/{id}",
                "--hide-ids",
            ],
            "--hide-ids cannot be used with {id} in --link",
        ),
        (
            &["--as=web-annotation", "--source=not an iri"],
            "expected an absolute IRI without a fragment",
        ),
        (
            &["--as=web-annotation", "--source=https://e.org#x"],
            "https://e.org#x",
        ),
    ] {
        let run = run(&[&["citations", "write"], args].concat(), TEXT);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.contains(problem), "{}", run.stderr);
    }
    let event = r#"{"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}"#;
    let run = run(&["citations", "read", "--from=openai"], event);
    assert!(
        run.stderr.contains("give --from anthropic"),
        "{}",
        run.stderr
    );
}

const CITING: &str = r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,"annotation":{"type":"url_citation","start_index":3,"end_index":8,"url":"https://example.org/","title":"Example"}}"#;

#[test]
fn citations_are_read_from_events() {
    let expected = concat!(
        r#"{"event":"citation","provider":"openai","part":"0/0","extent":{"start":3,"end":8,"unit":"code-points"},"#,
        r#""sources":[{"kind":"web","url":"https://example.org/","title":"Example"}]}"#,
        "\n",
        r#"{"event":"end","citations":1,"diagnostics":0}"#,
        "\n"
    );
    for input in [
        format!("data: {CITING}\n\ndata: [DONE]\n\n"),
        format!("{CITING}\n"),
        format!("[{CITING}]"),
    ] {
        let run = run(&["citations", "read", "--from=openai"], &input);
        assert_eq!(run.stdout, expected, "{}", run.stderr);
    }
    let broken = CITING.replace("8", "\"8\"");
    let run = run(&["citations", "read", "--from=openai"], broken);
    assert!(
        run.stdout
            .contains("\"code\":\"malformed-citation\",\"pointer\":\"/annotation/end_index\""),
        "{}",
        run.stdout
    );
    let prose = crate::common::run(&["citations", "read", "--from=openai"], "It rains.\n\n");
    assert!(prose.stdout.contains("unknown-format"), "{}", prose.stdout);
}

#[test]
fn annotations_are_written_as_citations() {
    let input = "É runs. [substrate.code.read; observation-id=\"src/a.rs\"] Yes.";
    let write = |args: &[&str]| {
        let run = run(&[&["citations", "write"], args].concat(), input);
        assert_eq!(run.status, 0, "{}", run.stderr);
        serde_json::from_str::<Value>(&run.stdout).expect("JSON")
    };
    let link = "--link=https://example.org/{id}";
    let chat = write(&["--as=openai-chat", link]);
    assert_eq!(
        chat[0]["url_citation"]["url"],
        "https://example.org/src%2Fa.rs"
    );
    assert_eq!(chat[0]["url_citation"]["end_index"], 7);
    assert_eq!(write(&["--as=openai-responses", link])[0]["end_index"], 7);
    let gemini = write(&["--as=gemini", link]);
    assert_eq!(gemini["groundingSupports"][0]["segment"]["endIndex"], 8);
    let web = write(&["--as=web-annotation", "--source=urn:x:1"]);
    assert_eq!(web[0]["body"][0]["observation_id"], "src/a.rs");
    assert_eq!(web[0]["target"]["selector"][0]["exact"], "É runs.");
    let hidden = write(&["--as=web-annotation", "--source=urn:x:1", "--hide-ids"]);
    assert_eq!(hidden[0]["body"][0].get("observation_id"), None);
    for args in [
        &["--as=gemini"][..],
        &["--as=web-annotation"],
        &["--as=x", link],
        &["--as=gemini", "--link={x}:"],
    ] {
        let run = run(&[&["citations", "write"], args].concat(), input);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
    }
}
