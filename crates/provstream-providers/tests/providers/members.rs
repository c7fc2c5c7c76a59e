//! Compares a client's view of a response, member by member, after it was stripped or gated. The oracle knows no
//! format's texts.

use provstream::{Gate, Parser, Policy};
use provstream_providers::{Decoder, Format, Item, Reasoning, StreamGate, StreamRewriter};
use testkit::gate::policies::{NoInference, Nothing, UptoInference};
use testkit::wire::generate::Random;
use testkit::wire::hostile::{contradicting, sentences, wholes, with_copies, with_unread, words};
use testkit::wire::members::{Members, members};
use testkit::wire::oracle::{Client, clean};

/// Streams of each format: 200, or as many as `PROVSTREAM_SEEDS` says.
fn seeds() -> u64 {
    testkit::search::seeds(200)
}

/// Pushes a stream in pieces of random lengths.
pub(crate) fn in_pieces(stream: &[u8], seed: u64, mut push: impl FnMut(&[u8])) {
    let mut random = Random::new(seed + 1);
    let mut rest = stream;
    while !rest.is_empty() {
        let len = [1, 3, 17, 90, 400, 5_000][random.below(6)].min(rest.len());
        let (chunk, later) = rest.split_at(len);
        push(chunk);
        rest = later;
    }
}

/// Treatment of reasoning: where it has sentences, it is an ordinary text.
fn reasoning(stream: &[u8]) -> Reasoning {
    match stream.windows(15).any(|bytes| bytes == b"reasoning-delta") {
        true => Reasoning::Rewrite,
        false => Reasoning::Leave,
    }
}

fn stripped(format: Option<Format>, stream: &[u8], seed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rewriter = match format {
        Some(format) => StreamRewriter::new(format, Parser::new()),
        None => StreamRewriter::detect(Parser::new()),
    };
    rewriter = rewriter.with_reasoning(reasoning(stream));
    in_pieces(stream, seed, |chunk| {
        rewriter.push(chunk, |bytes: &[u8]| out.extend_from_slice(bytes));
    });
    rewriter.finish(|bytes: &[u8]| out.extend_from_slice(bytes));
    out
}

fn gated(format: Option<Format>, policy: impl Policy + Clone, stream: &[u8], seed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut gate = match format {
        Some(format) => StreamGate::new(format, Parser::new(), policy),
        None => StreamGate::detect(Parser::new(), policy),
    };
    gate = gate.with_reasoning(reasoning(stream));
    in_pieces(stream, seed, |chunk| {
        gate.push(chunk, |bytes: &[u8]| out.extend_from_slice(bytes));
    });
    gate.finish(|bytes: &[u8]| out.extend_from_slice(bytes));
    out
}

/// A whole text after a gate.
fn released(text: &str) -> String {
    released_by(NoInference, text)
}

fn released_by(policy: impl Policy, text: &str) -> String {
    let mut gate = Gate::new(Parser::new(), policy);
    let mut out = Vec::new();
    gate.push(text.as_bytes(), &mut out);
    gate.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// The format by its name, or found out.
fn asked(format: Format, seed: u64) -> Option<Format> {
    seed.is_multiple_of(2).then_some(format)
}

/// Checks each member with text: what is there now is what is expected of what was there.
fn check(found: &Members, before: &Members, expected: fn(&str) -> String, what: &str) {
    for (path, text) in before {
        if words(text).next().is_some() {
            let found = found.get(path).map_or("", |text| text);
            assert_eq!(found, expected(text), "{path} of {what}");
        }
    }
}

/// No member has a word that begins with one of these letters.
fn check_none(found: &Members, letters: &[u8], what: &str) {
    for (path, text) in found {
        let bad = words(text).find(|word| letters.contains(&word.as_bytes()[0]));
        assert_eq!(bad, None, "{path} of {what}");
    }
}

/// No member has a word that is not in `released`.
fn check_only(found: &Members, released: &str, what: &str) {
    let released: Vec<&str> = words(released).collect();
    for word in found.values().flat_map(|text| words(text)) {
        assert!(released.contains(&word), "{word} of {what}");
    }
}

#[test]
fn each_member_has_the_clean_text_and_what_a_gate_releases() {
    for format in Format::ALL {
        for seed in 0..seeds() {
            let stream = sentences(format, &mut Random::new(seed));
            let before = members(&stream);
            let out = stripped(asked(format, seed), &stream, seed);
            let what = |out: &[u8]| {
                let [stream, out] = [&stream[..], out].map(String::from_utf8_lossy);
                format!("{format}, seed {seed}: {stream}\nbecame {out}")
            };
            check(&members(&out), &before, clean, &what(&out));
            let out = gated(asked(format, seed), NoInference, &stream, seed);
            let found = members(&out);
            check_none(&found, b"W", &what(&out));
            check(&found, &before, released, &what(&out));
        }
    }
}

#[test]
fn no_member_has_what_a_gate_withholds_or_cannot_read() {
    for format in Format::ALL {
        for seed in 0..seeds() {
            let (stream, errors) = with_unread(format, &mut Random::new(seed));
            let out = gated(asked(format, seed), NoInference, &stream, seed);
            let [before, after] = [&stream, &out].map(|text| String::from_utf8_lossy(text));
            let what = format!("{format}, seed {seed}: {before}\nbecame {after}");
            check_none(&members(&out), b"WZ", &what);
            assert_eq!(after.matches("boom").count(), errors, "{what}");
            let mut found = 0;
            let mut decoder = Decoder::detect();
            let mut take = |item: Item<'_>| found += usize::from(matches!(item, Item::Error(_)));
            in_pieces(&stream, seed, |chunk| decoder.push(chunk, &mut take));
            decoder.finish(&mut take);
            assert_eq!(found, errors, "{what}");
        }
    }
}

#[test]
fn no_member_of_a_response_that_contradicts_itself_has_text_where_all_is_withheld() {
    for format in Format::ALL {
        for seed in 0..seeds() {
            let stream = contradicting(format, &mut Random::new(seed));
            let out = gated(asked(format, seed), Nothing(""), &stream, seed);
            let [before, after] = [&stream, &out].map(|text| String::from_utf8_lossy(text));
            let what = format!("{format}, seed {seed}: {before}\nbecame {after}");
            check_none(&members(&out), b"WRPZ", &what);
        }
    }
}

#[test]
fn no_copy_of_a_text_has_what_a_gate_withholds() {
    for format in Format::ALL {
        for seed in 0..seeds() {
            let stream = with_copies(format, &mut Random::new(seed));
            let out = gated(asked(format, seed), NoInference, &stream, seed);
            let [before, after] = [&stream, &out].map(|text| String::from_utf8_lossy(text));
            let what = format!("{format}, seed {seed}: {before}\nbecame {after}");
            check_none(&members(&out), b"W", &what);
        }
    }
}

/// After the policy ended a text, nothing has what comes after that end.
#[test]
fn no_copy_of_a_text_has_what_comes_after_its_end() {
    let formats = [
        Format::OpenAiChat,
        Format::OpenAiResponses,
        Format::Tgi,
        Format::GeminiInteractions,
    ];
    for format in formats {
        for seed in 0..seeds() {
            let stream = with_copies(format, &mut Random::new(seed));
            let out = gated(asked(format, seed), UptoInference, &stream, seed);
            let [before, after] = [&stream, &out].map(|text| String::from_utf8_lossy(text));
            let what = format!("{format}, seed {seed}: {before}\nbecame {after}");
            let texts = Client::of(format, &stream).texts;
            let released: String = texts
                .values()
                .map(|text| released_by(UptoInference, text) + " ")
                .collect();
            check_only(&members(&out), &released, &what);
        }
    }
}

/// In a stream without deltas, the first whole text is judged, and what follows repeats the decisions about it.
#[test]
fn no_whole_text_without_deltas_has_what_a_gate_withholds() {
    for format in Format::ALL {
        for seed in 0..seeds() {
            let Some((stream, texts)) = wholes(format, &mut Random::new(seed)) else {
                continue;
            };
            let before = String::from_utf8_lossy(&stream);
            let out = gated(Some(format), NoInference, &stream, seed);
            let what = format!("{format}, seed {seed}: {before}");
            let what = |out: &[u8]| format!("{what}\nbecame {}", String::from_utf8_lossy(out));
            let released = texts.iter().map(|text| released(text) + " ");
            check_only(&members(&out), &released.collect::<String>(), &what(&out));
            let out = gated(Some(format), UptoInference, &stream, seed);
            let released = texts
                .iter()
                .map(|text| released_by(UptoInference, text) + " ");
            check_only(&members(&out), &released.collect::<String>(), &what(&out));
        }
    }
}
