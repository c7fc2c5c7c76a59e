//! A client reads the same from a rewritten response as from the original, without annotations.

use provstream::Parser;
use provstream_providers::{Decoder, Format, StreamRewriter};
use testkit::wire::decoded;
use testkit::wire::generate::{Random, stream};
use testkit::wire::oracle::Client;
use testkit::wire::output::Output;

/// Streams of each format: 200, or as many as `PROVSTREAM_SEEDS` says.
fn seeds() -> u64 {
    testkit::search::seeds(200)
}

fn rewritten(rewriter: &StreamRewriter, stream: &[u8], random: &mut Random) -> Vec<u8> {
    let mut rewriter = rewriter.clone();
    let mut out = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let len = [1, 3, 17, 90, 400, 5_000][random.below(6)].min(rest.len());
        let (chunk, later) = rest.split_at(len);
        rewriter.push(chunk, Output(&mut out));
        rest = later;
    }
    rewriter.finish(Output(&mut out));
    assert!(rewriter.report().is_complete(), "{:?}", rewriter.report());
    assert_eq!(rewriter.position(), stream.len() as u64);
    out
}

#[test]
fn a_client_reads_the_clean_text_of_made_up_streams_cut_at_random() {
    for format in Format::ALL {
        for seed in 0..seeds() {
            let stream = stream(format, seed);
            let mut random = Random::new(seed + 1);
            let what = format!(
                "{format}, seed {seed}: {}",
                String::from_utf8_lossy(&stream)
            );
            let before = Client::of(format, &stream);
            let mut texts: Vec<String> = before.reported().into_values().collect();
            texts.sort_unstable();
            let decoded = decoded::texts(Decoder::detect(), &stream);
            let mut decoded: Vec<String> = decoded.into_values().collect();
            decoded.sort_unstable();
            assert_eq!(decoded, texts, "{what}");
            let mut outs = Vec::new();
            for rewriter in [
                StreamRewriter::new(format, Parser::new()),
                StreamRewriter::detect(Parser::new()),
            ] {
                outs.push(rewritten(&rewriter, &stream, &mut random));
            }
            let out = String::from_utf8_lossy(&outs[0]);
            assert_eq!(outs[0], outs[1], "{what}");
            let mut after = Client::of(format, &outs[0]);
            // Text after an end or a tool call may be part of an annotation.
            after.is_late |= before.is_late;
            after.text_after_tool |= before.text_after_tool;
            assert_eq!(after, before.cleaned(), "{what}\nwas rewritten to {out}");
        }
    }
}

#[test]
fn events_that_differ_in_their_text_alone_are_read_as_by_a_walk_over_each() {
    const PING: &str = "data: {\"ping\":1}\n\n";
    let mut count = 0;
    for format in Format::ALL {
        for seed in 0..seeds() {
            let stream = String::from_utf8(stream(format, seed)).expect("UTF-8");
            // Server-sent events with line feeds.
            if !stream.starts_with("data") || stream.contains('\r') || !stream.ends_with("\n\n") {
                continue;
            }
            // After a ping, nothing is known of the event before.
            let pings: String = stream
                .split_inclusive("\n\n")
                .flat_map(|event| [event, PING])
                .collect();
            let rewriter = StreamRewriter::new(format, Parser::new());
            let mut random = Random::new(seed);
            let by_fast_path = rewritten(&rewriter, stream.as_bytes(), &mut random);
            let by_walk = rewritten(&rewriter, pings.as_bytes(), &mut random);
            let by_walk = String::from_utf8(by_walk).expect("UTF-8").replace(PING, "");
            let by_fast_path = String::from_utf8(by_fast_path)
                .expect("UTF-8")
                .replace(PING, "");
            assert_eq!(by_fast_path, by_walk, "{format}, seed {seed}: {stream}");
            count += 1;
        }
    }
    assert!(count > 500, "{count} streams");
}
