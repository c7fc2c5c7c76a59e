//! The functions that C calls, beside the library in Rust and the corpus.
#![allow(unsafe_code, reason = "functions that C calls take pointers")]

use std::fs;

use parser::{
    Gate, Parser, RulePolicy, Rules,
    provenance::{Timestamp, Vocabulary},
};
use provstream::{
    Provstream, ProvstreamBytes, provstream_error, provstream_events, provstream_finish,
    provstream_free, provstream_new, provstream_push,
};
use provstream_providers::{Format, StreamGate, StreamRewriter};
use testkit::reference::generate;
use testkit::wire::generate::{Random, stream};

const POLICY: &str = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"replace\"\ntext = \"(withheld)\"\n\
                      [unannotated]\naction = \"discard\"\n";

/// Stream as C holds it.
struct Handle(*mut Provstream);

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { provstream_free(self.0) }
    }
}

fn copy(bytes: ProvstreamBytes) -> Vec<u8> {
    match bytes.len {
        0 => Vec::new(),
        len => unsafe { std::slice::from_raw_parts(bytes.data, len) }.to_vec(),
    }
}

impl Handle {
    fn new(settings: &str) -> Self {
        Self(unsafe { provstream_new(settings.as_ptr(), settings.len()) })
    }

    fn error(&self) -> String {
        String::from_utf8(copy(unsafe { provstream_error(self.0) })).unwrap()
    }

    /// Pushes chunks and finishes; returns the output and the events.
    fn run<'a>(&self, chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, String) {
        assert_eq!(self.error(), "");
        let (mut output, mut events) = (Vec::new(), Vec::new());
        for chunk in chunks {
            output.extend(copy(unsafe {
                provstream_push(self.0, chunk.as_ptr(), chunk.len())
            }));
            events.extend(copy(unsafe { provstream_events(self.0) }));
        }
        output.extend(copy(unsafe { provstream_finish(self.0) }));
        events.extend(copy(unsafe { provstream_events(self.0) }));
        (output, String::from_utf8(events).unwrap())
    }
}

fn settings(input: &str, policy: Option<&str>, events: bool) -> String {
    serde_json::json!({ "input": input, "policy": policy, "events": events }).to_string()
}

/// Cuts an input at random places.
fn cut<'a>(input: &'a [u8], random: &mut Random) -> Vec<&'a [u8]> {
    let mut rest = input;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at((1 + random.below(40)).min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    chunks
}

/// Removes what the command line adds to the library's lines, and the totals.
fn of_library(lines: &str) -> Vec<serde_json::Value> {
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines
        .filter(|line: &serde_json::Value| line["event"] != "end")
        .map(|mut line| {
            for member in ["valid", "violations", "record"] {
                line.as_object_mut().unwrap().remove(member);
            }
            line
        })
        .collect()
}

#[test]
fn every_corpus_file_has_its_events() {
    let mut files = 0;
    for folder in ["text", "transcripts"] {
        for entry in fs::read_dir(testkit::root().join("corpus").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "txt") {
                continue;
            }
            files += 1;
            let input = fs::read(&path).unwrap();
            let expected =
                of_library(&fs::read_to_string(path.with_extension("events.ndjson")).unwrap());
            for size in [1, 7, 1 << 20] {
                let stream = Handle::new(r#"{"events":true,"mode":"text"}"#);
                let (_, events) = stream.run(input.chunks(size));
                assert_eq!(
                    of_library(&events),
                    expected,
                    "{} in pieces of {size}",
                    path.display()
                );
            }
        }
    }
    assert!(files > 40, "the corpus is there");
}

#[test]
fn text_is_stripped_and_gated_as_in_rust() {
    let rules = Rules::from_toml(POLICY.as_bytes(), &Vocabulary::memo()).unwrap();
    for seed in 0..testkit::search::seeds(300) {
        let segments = generate::input(seed);
        let input: Vec<u8> = segments
            .iter()
            .flat_map(|segment| segment.bytes.clone())
            .collect();
        let mut random = Random::new(seed);
        let chunks = cut(&input, &mut random);
        let (output, _) = Handle::new(&settings("text", None, false)).run(chunks.iter().copied());
        assert_eq!(
            output,
            testkit::script::stripped(Parser::new(), &input),
            "seed {seed}"
        );

        let mut expected = Vec::new();
        let mut gate = Gate::new(
            Parser::new(),
            RulePolicy::new(rules.clone(), Timestamp::now),
        );
        gate.push(&input, &mut expected);
        gate.finish(&mut expected);
        let stream = Handle::new(&settings("text", Some(POLICY), true));
        let (output, _) = stream.run(chunks);
        assert_eq!(output, expected, "seed {seed}");
    }
}

#[test]
fn responses_are_stripped_and_gated_as_in_rust() {
    let rules = Rules::from_toml(POLICY.as_bytes(), &Vocabulary::memo()).unwrap();
    for seed in 0..testkit::search::seeds(30) {
        for format in Format::ALL {
            let input = stream(format, seed);
            let mut random = Random::new(seed);
            let chunks = cut(&input, &mut random);
            let mut expected = Vec::new();
            let mut rewriter = StreamRewriter::new(format, Parser::new());
            rewriter.push(&input, |bytes: &[u8]| expected.extend_from_slice(bytes));
            rewriter.finish(|bytes: &[u8]| expected.extend_from_slice(bytes));
            let stream = Handle::new(&settings(format.as_str(), None, true));
            assert_eq!(
                stream.run(chunks.iter().copied()).0,
                expected,
                "{format}, seed {seed}"
            );

            expected.clear();
            let policy = RulePolicy::new(rules.clone(), Timestamp::now);
            let mut gate = StreamGate::new(format, Parser::new(), policy);
            gate.push(&input, |bytes: &[u8]| expected.extend_from_slice(bytes));
            gate.finish(|bytes: &[u8]| expected.extend_from_slice(bytes));
            let stream = Handle::new(&settings(format.as_str(), Some(POLICY), true));
            assert_eq!(stream.run(chunks).0, expected, "{format}, seed {seed}");
        }
    }
}

#[test]
fn settings_that_are_not_valid_are_an_error_and_nothing_passes() {
    for (settings, error) in [
        ("{", "settings: "),
        (r#"{"polcy":""}"#, "settings: unknown field `polcy`"),
        (r#"{"policy":"flor = 1"}"#, "policy: line 1, column 1"),
        (r#"{"input":"open"}"#, "settings: input: "),
        (r#"{"mode":"xml"}"#, "settings: mode: "),
    ] {
        let stream = Handle::new(settings);
        assert!(stream.error().starts_with(error), "{}", stream.error());
        let text = b"It is so.";
        for bytes in [
            unsafe { provstream_push(stream.0, text.as_ptr(), text.len()) },
            unsafe { provstream_finish(stream.0) },
            unsafe { provstream_events(stream.0) },
        ] {
            assert_eq!(copy(bytes), b"");
        }
    }
}

#[test]
fn null_and_calls_after_the_end_return_nothing() {
    let none = std::ptr::null_mut();
    unsafe {
        assert_eq!(provstream_push(none, b"a".as_ptr(), 1).len, 0);
        assert_eq!(provstream_finish(none).len, 0);
        assert_eq!(provstream_events(none).len, 0);
        assert_eq!(provstream_error(none).len, 0);
        provstream_free(none);
        let stream = Handle(provstream_new(std::ptr::null(), 0));
        assert_eq!(copy(provstream_push(stream.0, std::ptr::null(), 0)), b"");
        assert_eq!(copy(provstream_push(stream.0, b"So.".as_ptr(), 3)), b"So.");
        provstream_finish(stream.0);
        assert_eq!(copy(provstream_push(stream.0, b"So.".as_ptr(), 3)), b"");
        assert_eq!(copy(provstream_finish(stream.0)), b"");
    }
}

#[test]
fn what_was_not_read_is_said_at_the_end() {
    let stream = Handle::new(&settings("openai-chat", Some("own-state"), true));
    let (_, events) =
        stream.run([&b"data: {\"choices\":[{\"delta\":{\"note\":\"It is so.\"}}]}\n\n"[..]]);
    let last: serde_json::Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!(last["complete"], false, "{last}");
    assert_eq!(last["unread"][0][0], "choices[].delta.note", "{last}");
}
