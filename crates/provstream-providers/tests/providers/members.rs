//! Compares a client's view of a response, member by member, after it was stripped or gated. The oracle knows no
//! format's texts.

use provstream::{Gate, Parser, Policy};
use provstream_providers::{Decoder, Format, Item, Reasoning, StreamGate, StreamRewriter};
use testkit::gate::policies::{no_inference, nothing, upto_inference};
use testkit::wire::generate::Random;
use testkit::wire::hostile::{
    Notation, contradicting, sentences, wholes, with_copies, with_unread, words,
};
use testkit::wire::members::{Members, members};
use testkit::wire::oracle::Client;

use crate::notation::{all, parser};
use testkit::wire::output::Output;

/// Streams of each format: 100, or as many as `PROVSTREAM_SEEDS` says; of those with markers, whose naive reference is slow, a
/// tenth.
fn seeds(notation: Notation) -> u64 {
    match notation {
        Notation::Annotations => testkit::search::seeds(100),
        Notation::Markers => testkit::search::seeds(100) / 10,
    }
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

/// The format by its name or found out, and a parser.
type Setup = (Option<Format>, Parser);

fn stripped((format, parser): Setup, stream: &[u8], seed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rewriter = match format {
        Some(format) => StreamRewriter::new(format, parser),
        None => StreamRewriter::detect(parser),
    };
    rewriter = rewriter.with_reasoning(reasoning(stream));
    in_pieces(stream, seed, |chunk| {
        rewriter.push(chunk, Output(&mut out));
    });
    rewriter.finish(Output(&mut out));
    out
}

fn gated(
    (format, parser): Setup,
    policy: impl Policy + Clone,
    stream: &[u8],
    seed: u64,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut gate = match format {
        Some(format) => StreamGate::new(format, parser, policy),
        None => StreamGate::detect(parser, policy),
    };
    gate = gate.with_reasoning(reasoning(stream));
    in_pieces(stream, seed, |chunk| {
        gate.push(chunk, Output(&mut out));
    });
    gate.finish(Output(&mut out));
    out
}

/// A whole text after a gate.
fn released(notation: Notation, text: &str) -> String {
    released_by(no_inference(), notation, text)
}

fn released_by(policy: impl Policy, notation: Notation, text: &str) -> String {
    let mut gate = Gate::new(parser(notation), policy);
    let mut out = Vec::new();
    gate.push(text.as_bytes(), &mut out);
    gate.finish(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// The format by its name, or found out.
fn asked((format, notation): (Format, Notation), seed: u64) -> Setup {
    (seed.is_multiple_of(2).then_some(format), parser(notation))
}

/// Checks each member with text: what is there now is what is expected of what was there.
fn check(found: &Members, before: &Members, expected: impl Fn(&str) -> String, what: &str) {
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
    for of in all() {
        let notation = of.1;
        for seed in 0..seeds(notation) {
            let stream = sentences(of, &mut Random::new(seed));
            let before = members(&stream);
            let out = stripped(asked(of, seed), &stream, seed);
            let what = |out: &[u8]| {
                let [stream, out] = [&stream[..], out].map(String::from_utf8_lossy);
                format!("{of:?}, seed {seed}: {stream}\nbecame {out}")
            };
            check(
                &members(&out),
                &before,
                |text| notation.clean(text),
                &what(&out),
            );
            let out = gated(asked(of, seed), no_inference(), &stream, seed);
            let found = members(&out);
            check_none(&found, b"W", &what(&out));
            check(
                &found,
                &before,
                |text| released(notation, text),
                &what(&out),
            );
        }
    }
}

#[test]
fn no_member_has_what_a_gate_withholds_or_cannot_read() {
    for of in all() {
        let notation = of.1;
        for seed in 0..seeds(notation) {
            let (stream, errors) = with_unread(of, &mut Random::new(seed));
            let out = gated(asked(of, seed), no_inference(), &stream, seed);
            let [before, after] = [&stream, &out].map(|text| String::from_utf8_lossy(text));
            let what = format!("{of:?}, seed {seed}: {before}\nbecame {after}");
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
    for of in all() {
        let notation = of.1;
        for seed in 0..seeds(notation) {
            let stream = contradicting(of, &mut Random::new(seed));
            let out = gated(asked(of, seed), nothing(""), &stream, seed);
            let [before, after] = [&stream, &out].map(|text| String::from_utf8_lossy(text));
            let what = format!("{of:?}, seed {seed}: {before}\nbecame {after}");
            check_none(&members(&out), b"WRPZ", &what);
        }
    }
}

#[test]
fn no_copy_of_a_text_has_what_a_gate_withholds() {
    for of in all() {
        let notation = of.1;
        for seed in 0..seeds(notation) {
            let stream = with_copies(of, &mut Random::new(seed));
            let out = gated(asked(of, seed), no_inference(), &stream, seed);
            let [before, after] = [&stream, &out].map(|text| String::from_utf8_lossy(text));
            let what = format!("{of:?}, seed {seed}: {before}\nbecame {after}");
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
    for of in all().filter(|(format, _)| formats.contains(format)) {
        let (format, notation) = of;
        for seed in 0..seeds(notation) {
            let stream = with_copies(of, &mut Random::new(seed));
            let out = gated(asked(of, seed), upto_inference(), &stream, seed);
            let [before, after] = [&stream, &out].map(|text| String::from_utf8_lossy(text));
            let what = format!("{of:?}, seed {seed}: {before}\nbecame {after}");
            let texts = Client::of(format, &stream).texts;
            let released: String = texts
                .values()
                .map(|text| released_by(upto_inference(), notation, text) + " ")
                .collect();
            check_only(&members(&out), &released, &what);
        }
    }
}

/// In a stream without deltas, the first whole text is judged, and what follows repeats the decisions about it.
#[test]
fn no_whole_text_without_deltas_has_what_a_gate_withholds() {
    for of in all() {
        let (format, notation) = of;
        for seed in 0..seeds(notation) {
            let Some((stream, texts)) = wholes(of, &mut Random::new(seed)) else {
                continue;
            };
            let before = String::from_utf8_lossy(&stream);
            let out = gated(
                (Some(format), parser(notation)),
                no_inference(),
                &stream,
                seed,
            );
            let what = format!("{of:?}, seed {seed}: {before}");
            let what = |out: &[u8]| format!("{what}\nbecame {}", String::from_utf8_lossy(out));
            let released = texts.iter().map(|text| released(notation, text) + " ");
            check_only(&members(&out), &released.collect::<String>(), &what(&out));
            let out = gated(
                (Some(format), parser(notation)),
                upto_inference(),
                &stream,
                seed,
            );
            let released = texts
                .iter()
                .map(|text| released_by(upto_inference(), notation, text) + " ");
            check_only(&members(&out), &released.collect::<String>(), &what(&out));
        }
    }
}
