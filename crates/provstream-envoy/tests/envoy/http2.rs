//! HTTP/2 on both sides of the filter.

use crate::client::get;
use crate::envoy::free_port;
use crate::expected::{answer, gated, stripped};
use crate::gateway::{Gateway, Kind, Programs, ROUTES};
use crate::upstream::Script;

/// A cluster at a port of this machine.
fn cluster(name: &str, port: u16) -> String {
    format!(
        r#"  - name: {name}
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: {{ {} }}
    load_assignment:
      cluster_name: {name}
      endpoints:
      - lb_endpoints:
        - endpoint:
            address:
              socket_address: {{ address: 127.0.0.1, port_value: {port} }}
"#,
        if name == "plain" {
            "http_protocol_options: {}"
        } else {
            "http2_protocol_options: {}"
        }
    )
}

/// A listener that passes everything on to a cluster.
fn listener(port: u16, cluster: &str) -> String {
    format!(
        r#"  - name: to-{cluster}
    address:
      socket_address: {{ address: 127.0.0.1, port_value: {port} }}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: to-{cluster}
          codec_type: AUTO
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - match: {{ prefix: "/" }}
                route: {{ cluster: {cluster}, timeout: 0s }}
          http_filters:
          - name: envoy.filters.http.router
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
"#
    )
}

/// HTTP/2 responses have the same content. One Envoy speaks HTTP/2 with itself: client, listener of
/// the test, listener with the filter, another listener, upstream.
#[test]
fn responses_of_http_2_are_the_same() {
    let Some(programs) = Programs::find() else {
        return;
    };
    for (kind, name) in [
        (Kind::WaitingFilter, "http2-filter"),
        (Kind::Processor, "http2-processor"),
    ] {
        let (front, back) = (free_port(), free_port());
        let gateway = Gateway::start(&programs, kind, name, ROUTES, |config| {
            let port = |at: &str| -> u16 {
                let (_, rest) = config.split_once(at).expect("the cluster or listener");
                let (_, rest) = rest.split_once("port_value: ").expect("a port");
                let digits = rest.split(|char: char| !char.is_ascii_digit()).next();
                digits
                    .and_then(|digits| digits.parse().ok())
                    .expect("a port")
            };
            let (filtered, upstream) = (
                port("name: listener"),
                port("- name: upstream\n    connect_timeout"),
            );
            let listeners = listener(front, "filtered") + &listener(back, "plain");
            let clusters = cluster("filtered", filtered)
                + &cluster("plain", upstream)
                + &cluster("back", back);
            config
                .replacen(
                    "                  cluster: upstream\n",
                    "                  cluster: back\n",
                    1,
                )
                .replacen(
                    "  clusters:\n",
                    &format!("{listeners}  clusters:\n{clusters}"),
                    1,
                )
        });
        let body = answer(300);
        for piece in [7, 97, 4096] {
            gateway.upstream.set("h2", Script::sse(body.clone(), piece));
            for (route, expected) in [
                ("strip", stripped(&body)),
                ("gate", gated("gate", &body)),
                ("pass", body.clone()),
            ] {
                let response = get(front, &format!("/{route}/v1/h2"));
                assert!(
                    response.is_complete && response.status == 200,
                    "{kind:?}, {route}, {piece}: {response:?}"
                );
                assert_eq!(
                    response.text(),
                    String::from_utf8_lossy(&expected),
                    "{kind:?}, {route}, {piece}"
                );
            }
        }
        let resets = gateway.envoy.stat("http2.rx_reset") + gateway.envoy.stat("http2.tx_reset");
        assert_eq!(resets, 0);
        assert!(gateway.envoy.stat("cluster.back.upstream_cx_http2_total") > 0);
        assert!(
            gateway
                .envoy
                .stat("cluster.filtered.upstream_cx_http2_total")
                > 0
        );
    }
}
