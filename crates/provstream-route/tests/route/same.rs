//! A filter writes what the rewriter or the gate inside it writes, however the body is cut.

use provstream::provenance::Vocabulary;
use provstream::{Parser, Rules};
use provstream_providers::{Format, StreamGate, StreamRewriter};
use provstream_route::{BodyFilter, Flow, ResponseOutcome};
use testkit::wire::generate;

use crate::{REPLACE, filter, now, route, sse, through};

/// Filters a body in pieces. Returns the output, the outcome, whether a comment was allowed after
/// each piece, and, with `asks`, the number of pieces sent on unchanged.
fn written<'p>(
    mut filter: BodyFilter,
    pieces: impl Iterator<Item = &'p [u8]>,
    asks: bool,
) -> (Vec<u8>, ResponseOutcome, Vec<bool>, usize) {
    let (mut all, mut alive, mut sent) = (Vec::new(), Vec::new(), 0);
    for piece in pieces {
        let mut out = Vec::new();
        let flow = match asks {
            true => filter.push_or_pass(piece, now(), &mut out),
            false => Some(filter.push(piece, now(), &mut out)),
        };
        match flow {
            None => {
                assert!(out.is_empty());
                all.extend_from_slice(piece);
                sent += 1;
            }
            Some(_) => all.append(&mut out),
        }
        alive.push(filter.keep_alive().is_some());
        if flow.is_some_and(|flow| flow != Flow::More) {
            break;
        }
    }
    let mut out = Vec::new();
    let _ = filter.finish(now(), &mut out);
    all.append(&mut out);
    (all, filter.outcome().clone(), alive, sent)
}

#[test]
fn pieces_that_are_sent_on_as_they_are_are_written_all_the_same() {
    let mut sent = 0;
    for (action, more) in [
        ("strip", ""),
        ("strip", "fail = \"closed\""),
        ("strip", "max_event = 1024"),
        ("gate", "fail = \"open\""),
    ] {
        let routes = route(action, more, REPLACE);
        for format in Format::ALL {
            for seed in 0..12 {
                let body = generate::stream(format, seed);
                let filter = || filter(&routes, &sse("/"));
                for end in [b"\n\n".as_slice(), b"\n", b"}"] {
                    let pieces = || {
                        let mut rest = &*body;
                        core::iter::from_fn(move || {
                            let end = memchr::memmem::find(rest, end).map(|at| at + end.len());
                            let (piece, later) = rest.split_at(end.unwrap_or(rest.len()));
                            rest = later;
                            (!piece.is_empty()).then_some(piece)
                        })
                    };
                    let pushed = written(filter(), pieces(), false);
                    let asked = written(filter(), pieces(), true);
                    let what = format!("{action} {more}, {format}, seed {seed}");
                    assert_eq!(asked.0, pushed.0, "{what}");
                    assert_eq!((asked.1, asked.2), (pushed.1, pushed.2), "{what}");
                    sent += asked.3;
                }
            }
        }
    }
    assert!(sent > 30, "{sent} pieces");
}

#[test]
fn stripping_equals_the_rewriter_at_every_cut() {
    let routes = route("strip", "", "");
    for format in Format::ALL {
        for seed in 0..12 {
            let body = generate::stream(format, seed);
            let mut expected = Vec::new();
            let mut rewriter = StreamRewriter::detect(Parser::new());
            rewriter.push(&body, |bytes: &[u8]| expected.extend_from_slice(bytes));
            rewriter.finish(|bytes: &[u8]| expected.extend_from_slice(bytes));
            for size in [1, 2, 3, 7, 16, 33, 64, body.len().max(1)] {
                let mut filter = filter(&routes, &sse("/"));
                let (out, flow) = through(&mut filter, &body, size);
                assert_eq!(flow, Flow::Done);
                assert_eq!(out, expected, "{format}, seed {seed}, pieces of {size}");
            }
        }
    }
}

#[test]
fn gating_equals_the_gate_at_every_cut() {
    let routes = route("gate", "fail = \"open\"", REPLACE);
    let policy = format!("floor = 1\ndefault_window = \"1h\"\ninadmissible = {REPLACE}\n");
    let rules = Rules::from_toml(policy.as_bytes(), &Vocabulary::memo()).expect("a policy");
    let mut compared = 0;
    for format in Format::ALL {
        for seed in 0..12 {
            let body = generate::stream(format, seed);
            let mut expected = Vec::new();
            let mut gate = StreamGate::detect(Parser::new(), rules.clone().policy(now));
            gate.push(&body, |bytes: &[u8]| expected.extend_from_slice(bytes));
            gate.finish(|bytes: &[u8]| expected.extend_from_slice(bytes));
            if expected.is_empty() {
                continue;
            }
            compared += 1;
            for size in [1, 2, 5, 64, body.len()] {
                let mut filter = filter(&routes, &sse("/"));
                let (out, flow) = through(&mut filter, &body, size);
                assert_eq!(flow, Flow::Done);
                assert_eq!(out, expected, "{format}, seed {seed}, pieces of {size}");
                assert!(filter.outcome().format().is_some());
            }
        }
    }
    assert!(compared > 100, "only {compared} streams were compared");
}
