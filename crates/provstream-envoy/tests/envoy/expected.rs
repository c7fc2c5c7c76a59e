//! Bodies, and what is to become of them.

use std::fs;
use std::path::Path;

use provstream::provenance::{Timestamp, Vocabulary};
use provstream::{Parser, Rules};
use provstream_providers::{StreamGate, StreamRewriter};

use crate::gateway::ROUTES;

/// Computes the output of `provstream strip`.
pub(crate) fn stripped(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rewriter = StreamRewriter::detect(Parser::new());
    rewriter.push(body, |bytes: &[u8]| out.extend_from_slice(bytes));
    rewriter.finish(|bytes: &[u8]| out.extend_from_slice(bytes));
    out
}

/// Computes the output of `provstream gate` with the policy of a route.
pub(crate) fn gated(route: &str, body: &[u8]) -> Vec<u8> {
    let (_, rest) = ROUTES
        .split_once(&format!("name = \"{route}\""))
        .expect("a route");
    let (_, rest) = rest.split_once("[route.policy]\n").expect("a policy");
    let policy = rest.split("[[").next().expect("the policy");
    let rules = Rules::from_toml(policy.as_bytes(), &Vocabulary::memo()).expect("a policy");
    let mut out = Vec::new();
    let mut gate = StreamGate::detect(Parser::new(), rules.policy(Timestamp::now));
    gate.push(body, |bytes: &[u8]| out.extend_from_slice(bytes));
    gate.finish(|bytes: &[u8]| out.extend_from_slice(bytes));
    out
}

/// An event of a chat completion with this text.
pub(crate) fn event(text: &str) -> String {
    choice(0, text)
}

/// An event of a chat completion with text of one of its choices. The role of a later one says that it is one.
pub(crate) fn choice(index: usize, text: &str) -> String {
    let role = if index > 0 {
        "\"role\":\"assistant\","
    } else {
        ""
    };
    format!(
        "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":{index},\"delta\":{{{role}\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
    )
}

/// A chat completion in events, with annotations in some.
pub(crate) fn answer(events: usize) -> Vec<u8> {
    const TEXTS: [&str; 7] = [
        "The build",
        " is green.",
        " [substrate",
        ".grep; ts=2026-05-28T11:40:00Z]",
        " It will stay so. [unverified",
        "-inference]",
        " Grüße 🚀 ",
    ];
    let mut body: String = (0..events)
        .map(|number| event(TEXTS[number % TEXTS.len()]))
        .collect();
    body += "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    (body + "data: [DONE]\n\n").into_bytes()
}

/// A chat completion that is not streamed.
pub(crate) fn whole(text: &str) -> Vec<u8> {
    format!(
        "{{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{text}\"}},\"finish_reason\":\"stop\"}}],\"usage\":{{\"total_tokens\":3}}}}"
    )
    .into_bytes()
}

/// The streamed responses with annotations that the repository has, with their names.
pub(crate) fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/wire");
    let files = fs::read_dir(folder)
        .expect("the corpus")
        .map(|file| file.expect("a file").path());
    let name = |path: &Path| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    let mut all: Vec<(String, Vec<u8>)> = files
        .map(|path| (name(&path), path))
        .filter(|(name, _)| name.ends_with(".annotated.sse"))
        .map(|(name, path)| (name, fs::read(path).expect("a readable file")))
        .collect();
    all.sort();
    assert!(all.len() >= 5, "the corpus has responses");
    all
}
