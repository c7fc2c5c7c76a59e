//! HTTP/2 on both sides, and TLS to the upstream.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::support::{chat, config_at, post, run, text_of};

const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/authority.pem");

/// An upstream with TLS that answers with the version of HTTP that it is asked with; its URL.
async fn upstream(protocols: &[&str]) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/");
    let certificate =
        CertificateDer::from_pem_file(format!("{folder}server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(format!("{folder}server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a pair");
    tls.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else {
                    return;
                };
                let service = service_fn(|request: Request<Incoming>| async move {
                    let body = chat(&[
                        "It rains. [substrate.grep] ",
                        &format!("{:?}", request.version()),
                    ]);
                    let mut response = Response::new(Full::new(Bytes::from(body)));
                    let value = http::HeaderValue::from_static("text/event-stream");
                    response.headers_mut().insert("content-type", value);
                    Ok::<_, Infallible>(response)
                });
                let builder = auto::Builder::new(TokioExecutor::new());
                let _ = builder
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
    format!("https://localhost:{port}")
}

#[tokio::test]
async fn the_upstream_is_asked_in_the_version_that_tls_agrees_on() {
    let trust = format!("upstream_ca = \"{AUTHORITY}\"\n");
    for (protocols, version) in [
        (&["h2", "http/1.1"][..], "HTTP/2.0"),
        (&["http/1.1"][..], "HTTP/1.1"),
    ] {
        let running = run(config_at(&upstream(protocols).await, &trust)).await;
        let answer = post(&running.address, "/v1/chat/completions", "{}").await;
        assert_eq!(text_of(&answer.text()), format!("It rains. {version}"));
    }
}

#[tokio::test]
async fn an_upstream_whose_certificate_nobody_vouches_for_is_not_reached() {
    let running = run(config_at(&upstream(&["h2"]).await, "")).await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert_eq!(answer.status, 502, "{}", answer.text());
    // The certificate is for another name.
    let url = upstream(&["h2"]).await.replace("localhost", "127.0.0.1");
    let running = run(config_at(&url, &format!("upstream_ca = \"{AUTHORITY}\"\n"))).await;
    assert_eq!(
        post(&running.address, "/v1/chat/completions", "{}")
            .await
            .status,
        502
    );
}

#[tokio::test]
async fn clients_may_speak_http_2_with_many_streams_at_a_time() {
    let trust = format!(
        "upstream_ca = \"{AUTHORITY}\"\n{}",
        crate::support::gate(crate::support::WITHHOLD)
    );
    let running = run(config_at(&upstream(&["h2"]).await, &trust)).await;
    let stream = TcpStream::connect(&running.address)
        .await
        .expect("the proxy");
    let (sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .expect("HTTP/2");
    tokio::spawn(connection);
    let mut asked = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let mut sender = sender.clone();
        asked.spawn(async move {
            let request = Request::post("http://proxy/v1/chat/completions")
                .body(Full::new(Bytes::from_static(b"{}")));
            let response = sender
                .send_request(request.expect("a request"))
                .await
                .expect("a response");
            assert_eq!(response.version(), Version::HTTP_2);
            let body = response
                .into_body()
                .collect()
                .await
                .expect("a body")
                .to_bytes();
            text_of(str::from_utf8(&body).expect("UTF-8"))
        });
    }
    while let Some(text) = asked.join_next().await {
        assert_eq!(text.expect("no panic"), "(withheld) HTTP/2.0");
    }
}
