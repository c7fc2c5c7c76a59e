//! Routes and the bodies that go through them.

mod audits;
mod charsets;
#[cfg(feature = "dialects")]
mod dialects;
mod ends;
mod fails;
mod files;
mod keep_alives;
mod members;
mod paths;
#[cfg(feature = "dialects")]
mod rendering;
#[cfg(feature = "dialects")]
mod request_sources;
#[cfg(feature = "dialects")]
mod response_sources;
mod resumes;
mod same;

use provstream::provenance::{Timestamp, Vocabulary};
use provstream_route::{BodyFilter, Flow, Plan, ResponseHead, Routes};

/// The time that everything is judged by.
fn now() -> Timestamp {
    "2026-05-28T12:00:00Z".parse().expect("a time")
}

fn routes(file: &str) -> Routes {
    let none = |_: &str| Err("no files here");
    Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), none).expect("routes")
}

/// A route for everything, with an inline policy if it is a gate.
fn route(action: &str, more: &str, inadmissible: &str) -> Routes {
    let mut file = format!("[[route]]\npath = \"*\"\naction = \"{action}\"\n{more}\n");
    if action == "gate" {
        file.push_str("[route.policy]\nfloor = 1\ndefault_window = \"1h\"\n");
        file.push_str(&format!("inadmissible = {inadmissible}\n"));
    }
    routes(&file)
}

const REPLACE: &str = "{ action = \"replace\", text = \"(withheld)\" }";
const REFUSE: &str = "{ action = \"refuse\", text = \"I cannot say.\" }";

fn sse(path: &str) -> ResponseHead {
    ResponseHead::new(200)
        .with_content_type("text/event-stream; charset=utf-8")
        .with_path(path)
}

fn filter(routes: &Routes, head: &ResponseHead) -> BodyFilter {
    match routes.route("POST", "/").response(head) {
        Plan::Filter(filter) => *filter,
        other => panic!("expected a filter, found {other:?}"),
    }
}

/// Filters a body in pieces of `size` bytes; returns the output and how it ended.
fn through(filter: &mut BodyFilter, body: &[u8], size: usize) -> (Vec<u8>, Flow) {
    let mut out = Vec::new();
    for piece in body.chunks(size) {
        let flow = filter.push(piece, now(), &mut out);
        if flow != Flow::More {
            return (out, flow);
        }
    }
    let flow = filter.finish(now(), &mut out);
    (out, flow)
}
