//! A gate in a provider's stream writes what a naive one writes of each text, and nothing else of what is withheld.

use std::collections::BTreeSet;

use provstream::{Handler, Parser, Policy};
use provstream_providers::{Decoder, Format, ReadReport, Reasoning, StreamGate, StreamHandler};
use serde::de::IgnoredAny;
use serde_json::Value;
use testkit::gate::naive::Drawn;
use testkit::gate::policies::{no_inference, nothing};
use testkit::wire::decoded::texts;
use testkit::wire::gated::Expected;
use testkit::wire::generate::Random;
use testkit::wire::hostile::{Notation, contradicting, sentences, with_copies, with_unread, words};
use testkit::wire::members::members;
use testkit::wire::repeating::{LETTERS, stream, with_other_letter};

use super::super::case::Case;
use super::same_bytes;

/// The first byte of input that is the choices of a response; it appears nowhere in UTF-8.
pub(crate) const MADE_UP: u8 = 0xFC;

/// The first byte of input that is the choices of a hostile response: of sentences with a word each,
/// and with what no server should send.
pub(crate) const HOSTILE: u8 = 0xFB;

/// Most bytes of events that are held back; what more of them wait for is decided at once.
pub(super) const MOST_HELD: usize = 64 << 10;

/// Output of a gate, and its report of what it read.
#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
    report: ReadReport,
}

impl Handler for Out {}

impl StreamHandler for Out {
    fn bytes(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "nothing is not written");
        self.bytes.extend_from_slice(bytes);
    }

    fn report(&mut self, report: &ReadReport) {
        self.report = report.clone();
    }
}

/// Checks that neither the chunking nor earlier input changes the output of a gate. Where
/// everything is withheld, no text of any response can be read. A client of a generated response
/// reads the texts that a naive gate writes, and everything else unchanged; if nothing of some
/// texts is released, no output depends on them, whatever repeats them. No member of a hostile
/// response has a word of what is withheld.
pub(super) fn check(data: &[u8]) {
    match data.split_first() {
        Some((&MADE_UP, choices)) => check_made_up(choices, data),
        Some((&HOSTILE, choices)) => check_hostile(choices, data),
        _ => check_any(data),
    }
}

fn check_made_up(choices: &[u8], data: &[u8]) {
    let mut random = Random::chosen(choices);
    let format = Format::ALL[random.below(Format::ALL.len())];
    let policy = Drawn(random.below(256) as u64 * 256 + random.below(256) as u64);
    let detects = random.one_in(3);
    let stream = stream(format, &mut random);
    let gate = || match detects {
        true => StreamGate::detect(Parser::new(), policy),
        false => StreamGate::new(format, Parser::new(), policy),
    };
    for way in Case::new(data).ways(2) {
        if way == 0 {
            check_cuts(&gate, data, &stream);
            continue;
        }
        if stream.len() > MOST_HELD {
            return;
        }
        let whole = written(&mut gate(), &[&stream]).bytes;
        let expected = Expected::of(format, &stream, policy);
        expected.check(&whole);
        if !expected.has(LETTERS[0]) && !detects {
            let other = with_other_letter(&stream);
            let found = written(&mut gate(), &[&other]).bytes;
            same_bytes(&found, &whole, "a letter that is withheld is another one");
        }
    }
}

fn check_hostile(choices: &[u8], data: &[u8]) {
    let mut random = Random::chosen(choices);
    let format = Format::ALL[random.below(Format::ALL.len())];
    let detects = random.one_in(2);
    let of = (format, Notation::Annotations);
    let (stream, has_all_withheld) = match random.below(4) {
        0 => (sentences(of, &mut random), false),
        1 => (with_unread(of, &mut random).0, false),
        2 => (with_copies(of, &mut random), false),
        _ => (contradicting(of, &mut random), true),
    };
    match has_all_withheld {
        true => check_words((format, detects), nothing(""), b"WRPZ", (data, &stream)),
        // At the limit, this policy releases what it has not decided about.
        false if stream.len() > MOST_HELD => {}
        false => check_words((format, detects), no_inference(), b"WZ", (data, &stream)),
    }
}

/// Checks that no member of a gated response has a word that begins with one of these letters.
fn check_words<P: Policy + Clone>(
    (format, detects): (Format, bool),
    policy: P,
    letters: &[u8],
    (data, stream): (&[u8], &[u8]),
) {
    let mut gate = match detects {
        true => StreamGate::detect(Parser::new(), policy),
        false => StreamGate::new(format, Parser::new(), policy),
    };
    gate = gate.with_reasoning(Reasoning::Rewrite);
    let out = written(&mut gate, &Case::new(data).pieces(stream)).bytes;
    for (path, text) in members(&out) {
        let bad = words(&text).find(|word| letters.contains(&word.as_bytes()[0]));
        assert_eq!(bad, None, "{path} in {}", out.escape_ascii());
    }
}

fn check_any(data: &[u8]) {
    let asked = Format::ALL[data.len() % Format::ALL.len()];
    let case = Case::new(data);
    let seed = case.seed();
    let gate = || match seed & 0x100 {
        0 => StreamGate::detect(Parser::new(), Drawn(seed)),
        _ => StreamGate::new(asked, Parser::new(), Drawn(seed)),
    };
    for way in case.ways(2) {
        match way {
            0 => check_cuts(&gate, data, data),
            _ => check_nothing(data),
        }
    }
}

/// Nothing can be read where everything is withheld, in events or between them.
fn check_nothing(data: &[u8]) {
    let mut nothing = StreamGate::detect(Parser::new(), nothing(""));
    let out = written(&mut nothing, &[data]).bytes;
    if is_server_sent(data) {
        for line in out.split(|byte| b"\r\n".contains(byte)) {
            assert!(!may_be_prose(line), "{}", line.escape_ascii());
        }
    }
    let Some(format) = nothing.format().filter(|_| is_of_one_format(data)) else {
        return;
    };
    for (channel, text) in texts(Decoder::new(format), &out) {
        let may_stay = |char: char| char.is_whitespace() || testkit::reference::is_closing(char);
        assert!(
            text.chars().all(may_stay),
            "{channel}: {text:?} in {}",
            out.escape_ascii()
        );
    }
}

/// Returns `true` if a response begins like server-sent events, with a field or a comment.
fn is_server_sent(data: &[u8]) -> bool {
    let first = data.first();
    first.is_some_and(|&first| first.is_ascii_lowercase() || first == b':')
}

/// Returns `true` if a line of server-sent events without data has a comment, several words, or a
/// field that events do not have. An error of the provider is no prose of the model.
fn may_be_prose(line: &[u8]) -> bool {
    if let Ok(value) = serde_json::from_slice::<Value>(line) {
        return value["type"] != "error" && has_prose(&value);
    }
    if !line
        .iter()
        .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
    {
        return false;
    }
    let mut parts = line.splitn(2, |&byte| byte == b':');
    let name = parts.next().unwrap_or_default();
    let value = parts.next().unwrap_or_default().trim_ascii();
    let is_of_word = |byte: &u8| byte.is_ascii_graphic() && !b"[]{}\"".contains(byte);
    match name {
        b"data" => false,
        b"" => !value.is_empty(),
        b"event" | b"id" | b"retry" => !value.iter().all(is_of_word),
        _ => true,
    }
}

/// Returns `true` if a string in JSON has several words, other than in an error.
fn has_prose(value: &Value) -> bool {
    match value {
        Value::String(text) => text.split_whitespace().count() > 1,
        Value::Array(values) => values.iter().any(has_prose),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name != "error" && has_prose(value)),
        _ => false,
    }
}

/// Returns `true` if all lines are JSON of at most one format, or not JSON at all. In a mix of
/// formats, the text of one is not text of another.
fn is_of_one_format(data: &[u8]) -> bool {
    let mut formats = BTreeSet::new();
    data.split(|byte| b"\r\n".contains(byte)).all(|line| {
        let start = line.iter().position(|&byte| byte == b'{');
        let line = line[start.unwrap_or(line.len())..].trim_ascii_end();
        let line = line.strip_suffix(b"]").unwrap_or(line);
        let line = line.strip_suffix(b",").unwrap_or(line);
        formats.extend(Format::detect(line).map(Format::as_str));
        let is_json = serde_json::from_slice::<IgnoredAny>(line).is_ok();
        (line.is_empty() || is_json) && formats.len() <= 1
    })
}

/// Checks that the output of a gate depends neither on the chunking nor on earlier input.
fn check_cuts(gate: &dyn Fn() -> StreamGate<Drawn>, data: &[u8], stream: &[u8]) {
    let case = Case::new(data);
    let whole = written(&mut gate(), &[stream]);
    // One that has read a part of the response before.
    let mut used = gate();
    let upto = case.seed() as usize % (stream.len() + 1);
    used.push(&stream[..upto], ());
    if case.finishes_earlier() {
        used.finish(());
    }
    used.reset();
    let cut = written(&mut used, &case.pieces(stream));
    same_bytes(&cut.bytes, &whole.bytes, "in pieces");
    assert_eq!(cut.report, whole.report);
    if case.seed() & 0x60 == 0 {
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        let cut = written(&mut gate(), &bytes);
        same_bytes(&cut.bytes, &whole.bytes, "byte by byte");
        assert_eq!(cut.report, whole.report);
    }
}

fn written<P: Policy + Clone>(gate: &mut StreamGate<P>, pieces: &[&[u8]]) -> Out {
    let mut out = Out::default();
    for piece in pieces {
        gate.push(piece, &mut out);
    }
    gate.finish(&mut out);
    out
}
