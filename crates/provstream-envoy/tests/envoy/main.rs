//! The filter in the real Envoy, if `PROVSTREAM_ENVOY` names its program and `PROVSTREAM_ENVOY_FILTER` the filter.

mod client;
mod envoy;
mod upstream;

use std::env;

use envoy::{Envoy, free_port};
use provstream::Parser;
use provstream_providers::StreamRewriter;
use upstream::{End, Script, Upstream};

const EXAMPLE: &str = include_str!("../../config/wasm.yaml");

/// Envoy's program and the filter, or `None` if there are none.
fn programs() -> Option<(String, String)> {
    let found = env::var("PROVSTREAM_ENVOY")
        .ok()
        .zip(env::var("PROVSTREAM_ENVOY_FILTER").ok());
    if found.is_none() {
        println!(
            "SKIPPED: PROVSTREAM_ENVOY and PROVSTREAM_ENVOY_FILTER are not set; .ci/envoy sets them"
        );
    }
    found
}

/// The example with other ports.
fn example(upstream: u16, filter: &str) -> (String, (u16, u16)) {
    let (port, admin) = (free_port(), free_port());
    let config = EXAMPLE
        .replace("port_value: 10000", &format!("port_value: {port}"))
        .replace("port_value: 9901", &format!("port_value: {admin}"))
        .replace("port_value: 8081", &format!("port_value: {upstream}"))
        .replace("/etc/envoy/provstream_envoy.wasm", filter);
    (config, (port, admin))
}

fn stripped(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rewriter = StreamRewriter::detect(Parser::new());
    rewriter.push(body, |bytes: &[u8]| out.extend_from_slice(bytes));
    rewriter.finish(|bytes: &[u8]| out.extend_from_slice(bytes));
    out
}

fn answer(events: usize) -> Vec<u8> {
    let mut body = String::new();
    for number in 0..events {
        let text = [
            "The build",
            " is green.",
            " [substrate",
            ".grep; ts=2026-05-28T11:40:00Z]",
            " It rained ",
        ][number % 5];
        body += &format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        );
    }
    (body + "data: [DONE]\n\n").into_bytes()
}

#[test]
fn strips() {
    let Some((program, filter)) = programs() else {
        return;
    };
    let upstream = Upstream::start();
    let (config, ports) = example(upstream.port, &filter);
    let envoy = Envoy::start(&program, "strips", &config, ports);
    let body = answer(1600);
    println!("{} bytes", body.len());
    upstream.set("one", Script::sse(body.clone(), 97));
    let response = client::get(envoy.port, "/v1/one");
    println!("{} {}", response.status, response.head);
    assert!(response.is_complete);
    assert!(response.body == stripped(&body));
    let open = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It rained. [substrate.gr\"}}]}\n\n";
    upstream.set(
        "t",
        Script::sse(&open[..], 7).ends(End::Trailers(vec![("x-t", "1")])),
    );
    let response = client::get(envoy.port, "/v1/t");
    println!("{response:?} {}", response.text());
    upstream.set(
        "u",
        Script::sse(&open[..open.len() - 1], 7).ends(End::Trailers(vec![("x-t", "1")])),
    );
    let response = client::get(envoy.port, "/v1/u");
    println!("{response:?} {}", response.text());
    println!(
        "{}",
        envoy
            .log()
            .lines()
            .filter(|l| l.contains("wasm") || l.contains("rror"))
            .collect::<Vec<_>>()
            .join("\n")
    );
}
