//! A filter writes what the rewriter or the gate inside it writes, however the body is cut.

use provstream::provenance::Vocabulary;
use provstream::{Parser, Rules};
use provstream_providers::{Format, StreamGate, StreamRewriter};
use provstream_route::Flow;
use testkit::wire::generate;

use crate::{REPLACE, filter, now, route, sse, through};

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
