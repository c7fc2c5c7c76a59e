//! Trailers, and HTTP/2 on both sides.

use crate::client::get;
use crate::expected::{answer, event, gated, stripped};
use crate::gateway::{Gateway, Kind, Programs, ROUTES};
use crate::upstream::{End, Script};

const KINDS: [(Kind, &str); 3] = [
    (Kind::Filter, "filter"),
    (Kind::WaitingFilter, "waiting-filter"),
    (Kind::Processor, "processor"),
];

/// The example with trailers of HTTP/1.1 on both sides.
fn with_trailers(config: String) -> String {
    const CLUSTER: &str = "  - name: upstream\n    connect_timeout: 5s\n";
    const OPTIONS: &str = r#"    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: { http_protocol_options: { enable_trailers: true } }
"#;
    let codec = "codec_type: AUTO\n";
    assert!(config.contains(CLUSTER) && config.contains(codec));
    let options = "          http_protocol_options: { enable_trailers: true }\n";
    config
        .replace(codec, &format!("{codec}{options}"))
        .replace(CLUSTER, &format!("{CLUSTER}{OPTIONS}"))
}

#[test]
fn trailers_follow_all_of_the_text() {
    let Some(programs) = Programs::find() else {
        return;
    };
    for (kind, name) in KINDS {
        let name = format!("trailers-{name}");
        let gateway = Gateway::start(&programs, kind, &name, ROUTES, with_trailers);
        let trailers = || End::Trailers(vec![("x-checked", "yes")]);
        // What is held back at the end comes before the trailers.
        let ends = [
            answer(40),
            (event("It rained. ") + &event("[substrate.gr")).into_bytes(),
            event("A [substrate.grep").trim_end().as_bytes().to_vec(),
        ];
        for (number, body) in ends.iter().enumerate() {
            for route in ["strip", "gate", "pass"] {
                // Envoy may not ask the processor for trailers that come together with the head.
                let pieces: &[usize] = if kind == Kind::Processor {
                    &[3]
                } else {
                    &[3, 4096]
                };
                for &piece in pieces {
                    let script = Script::sse(body.clone(), piece).ends(trailers());
                    gateway.upstream.set("end", script);
                    let response = get(gateway.port(), &format!("/{route}/v1/end"));
                    let expected = match route {
                        "strip" => stripped(body),
                        "gate" => gated("gate", body),
                        _ => body.clone(),
                    };
                    // What is held back while something else was released is lost to a filter, and the client sees that.
                    let is_lost = kind != Kind::Processor && number == 1 && route != "pass";
                    if is_lost && !response.is_complete {
                        assert!(expected.starts_with(&response.body), "{response:?}");
                        continue;
                    }
                    let place = format!("{kind:?}, {route}, {number}, {piece}: {response:?}");
                    assert_eq!(
                        response.text(),
                        String::from_utf8_lossy(&expected),
                        "{place}"
                    );
                    assert!(response.is_complete, "{place}");
                    assert!(response.trailers.contains("x-checked: yes"), "{place}");
                }
            }
        }
    }
}
