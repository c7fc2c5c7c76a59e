//! TLS to clients, and HTTP/2 with it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use provstream::provenance::Timestamp;
use provstream_proxy::Proxy;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::support::{
    Answer, LONG, Running, Step, Upstream, WITHHOLD, chat, chunk, config, config_at, gate,
    last_chunk, metrics, request, run, streamed, text_of,
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/");

/// Settings for a certificate of a folder.
fn tls(folder: &Path, name: &str) -> String {
    let folder = folder.display();
    format!("[tls]\ncert = \"{folder}/{name}.pem\"\nkey = \"{folder}/{name}.key\"\n")
}

/// A proxy that serves TLS.
async fn proxy(
    more: &str,
    script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static,
) -> (Running, Upstream) {
    let more = format!("{}{more}", tls(Path::new(FOLDER), "server"));
    crate::support::proxy(&more, script).await
}

/// A connection with TLS that trusts a certificate and offers these protocols.
async fn connect(address: &str, trusted: &str, protocols: &[&str]) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_file(format!("{FOLDER}{trusted}.pem"));
    roots
        .add(certificate.expect("a certificate"))
        .expect("an authority");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let protocols = protocols.iter().map(|name| name.as_bytes().to_vec());
    config.alpn_protocols = protocols.collect();
    let stream = TcpStream::connect(address).await.expect("the proxy");
    let name = ServerName::try_from("localhost").expect("a name");
    let connected = TlsConnector::from(Arc::new(config)).connect(name, stream);
    connected.await.expect("TLS")
}

/// A connection of HTTP/2 whose streams have a window of this size.
async fn client(running: &Running, window: u32) -> SendRequest<Full<Bytes>> {
    let stream = connect(&running.address, "authority", &["h2"]).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(window);
    let (sender, connection) = builder
        .handshake(TokioIo::new(stream))
        .await
        .expect("HTTP/2");
    tokio::spawn(connection);
    sender
}

async fn ask(sender: &mut SendRequest<Full<Bytes>>) -> Response<Incoming> {
    let request = Request::post("https://localhost/v1/chat/completions")
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from_static(b"{\"stream\":true}")));
    let sent = sender.send_request(request.expect("a request"));
    let response = timeout(LONG, sent).await.expect("an answer");
    response.expect("a response")
}

/// Reads until the body has a text.
async fn read_until(response: &mut Response<Incoming>, what: &str) -> String {
    let mut read = String::new();
    let reads = async {
        while !read.contains(what) {
            let frame = response.frame().await.expect("more").expect("a frame");
            let data = frame.into_data().expect("data");
            read.push_str(str::from_utf8(&data).expect("UTF-8"));
        }
    };
    timeout(LONG, reads).await.expect("the text comes");
    read
}

/// The events of a stream, without its end.
fn events(texts: &[&str]) -> Vec<u8> {
    let stream = chat(texts);
    let end = stream.match_indices("data: ").nth(texts.len());
    stream.as_bytes()[..end.expect("an end").0].to_vec()
}

#[tokio::test]
async fn the_protocol_is_the_one_that_tls_agrees_on() {
    let (running, _) = proxy("", |_| whole_chat(&["It rains. [substrate.grep]"])).await;
    for protocols in [&["http/1.1"][..], &[][..]] {
        let mut stream = connect(&running.address, "authority", protocols).await;
        let agreed = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
        assert_eq!(
            agreed,
            protocols.first().map(|name| name.as_bytes().to_vec())
        );
        let request = request("/v1/chat/completions", "{}");
        stream
            .write_all(request.as_bytes())
            .await
            .expect("a request");
        let mut bytes = Vec::new();
        let read = timeout(LONG, stream.read_to_end(&mut bytes)).await;
        // The end has the alert that says so: nobody has cut the connection.
        read.expect("an end").expect("a proper end");
        let answer = Answer::of(&bytes);
        assert_eq!(text_of(&answer.text()), "It rains.");
    }
    let mut sender = client(&running, 65_535).await;
    let response = ask(&mut sender).await;
    assert_eq!(
        (response.status().as_u16(), response.version()),
        (200, Version::HTTP_2)
    );
    let body = response.into_body().collect().await.expect("a body");
    let body = body.to_bytes();
    assert_eq!(text_of(str::from_utf8(&body).expect("UTF-8")), "It rains.");
}

fn whole_chat(texts: &[&str]) -> Vec<Step> {
    let body = chat(texts);
    crate::support::whole("200 OK", "text/event-stream", &body)
}

#[tokio::test]
async fn a_gate_streams_over_http_2() {
    // The upstream sends no more before the client has the first sentence.
    let (running, upstream) = proxy(&gate(WITHHOLD), |_| {
        let now = Timestamp::now().to_rfc3339().expect("a year of today");
        vec![
            streamed("text/event-stream"),
            chunk(&events(&[&format!(
                "It rains. [substrate.grep; ts={now}] So it pours. [unverified-inference] Then"
            )])),
            Step::Hang,
        ]
    })
    .await;
    let mut sender = client(&running, 65_535).await;
    let mut response = ask(&mut sender).await;
    let read = read_until(&mut response, "(withheld)").await;
    assert!(text_of(&read).starts_with("It rains."), "{read}");
    assert!(!read.contains("pours"), "{read}");
    // A client that resets the stream ends the upstream's, and keeps its connection.
    drop(response);
    upstream.wait_for(|seen| seen.cancelled == 1).await;
    drop(ask(&mut sender).await);
    upstream.wait_for(|seen| seen.cancelled == 2).await;
    let counted = metrics(&running.admin).await;
    let line = "provstream_requests_total{route=\"*\",action=\"gate\",status=\"2xx\",end=\"client_gone\"} 2\n";
    assert!(counted.contains(line), "{counted}");
    assert!(counted.contains("provstream_connections 1\n"), "{counted}");
}

/// An upstream that sends 64 MiB of text.
fn long_stream(_: &str) -> Vec<Step> {
    let piece = events(&[&"It rains. ".repeat(1_600)]);
    let mut steps = vec![streamed("text/event-stream")];
    steps.extend((0..4_096).map(|_| chunk(&piece)));
    steps.push(last_chunk());
    steps
}

#[tokio::test]
async fn a_client_of_http_2_that_reads_slowly_slows_the_upstream_down() {
    let pass = "[[route]]\npath = \"*\"\naction = \"pass\"\n";
    for settings in ["", pass] {
        let (running, upstream) = proxy(settings, long_stream).await;
        let mut sender = client(&running, 65_535).await;
        let mut response = ask(&mut sender).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let before = upstream.seen(|seen| seen.sent);
        // What the buffers of the sockets and of the proxy have.
        assert!(before < 16 << 20, "{before}");
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(upstream.seen(|seen| seen.sent), before);
        let mut length = 0;
        while let Some(frame) = response.frame().await {
            let data = frame.expect("a frame").into_data();
            length += data.map_or(0, |data| data.len());
        }
        assert!(length > 60 << 20, "{length}");
    }
}

#[tokio::test]
async fn a_client_of_http_2_that_stops_reading_is_given_up() {
    let (running, upstream) = proxy("[timeouts]\nclient = \"1s\"\n", long_stream).await;
    let mut sender = client(&running, 65_535).await;
    let stalled = ask(&mut sender).await;
    let started = Instant::now();
    // Another stream of the connection goes on for longer than that.
    let mut other = ask(&mut sender).await;
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        other.frame().await.expect("more").expect("a frame");
    }
    upstream.wait_for(|seen| seen.cancelled == 1).await;
    assert!(started.elapsed() < Duration::from_secs(10));
    let rest = timeout(LONG, stalled.into_body().collect()).await;
    assert!(rest.expect("an end").is_err());
    other.frame().await.expect("more").expect("a frame");
}

#[tokio::test]
async fn a_connection_without_tls_or_without_any_byte_is_closed() {
    let (running, upstream) = proxy("[timeouts]\nhead = \"1s\"\ndrain = \"20s\"\n", |_| {
        whole_chat(&["Yes."])
    })
    .await;
    for bytes in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        &b""[..],
        &b"\x16\x03"[..],
    ] {
        let mut stream = TcpStream::connect(&running.address)
            .await
            .expect("the proxy");
        stream.write_all(bytes).await.expect("bytes");
        let mut read = Vec::new();
        let ended = timeout(Duration::from_secs(10), stream.read_to_end(&mut read)).await;
        assert!(ended.is_ok(), "{bytes:?}");
        assert!(!read.starts_with(b"HTTP"), "{bytes:?}");
    }
    assert!(upstream.seen(|seen| seen.requests.is_empty()));
    let counted = metrics(&running.admin).await;
    assert!(
        counted.contains("provstream_tls_failures_total{} 3\n"),
        "{counted}"
    );
    assert!(counted.contains("provstream_connections 0\n"), "{counted}");
    // A client may agree on HTTP/2 and say nothing then.
    let mut silent = connect(&running.address, "authority", &["h2"]).await;
    let ended = timeout(Duration::from_secs(10), silent.read_to_end(&mut Vec::new())).await;
    assert!(ended.is_ok());
    // Nobody waits for a handshake at the end.
    let _open = TcpStream::connect(&running.address)
        .await
        .expect("the proxy");
    tokio::time::sleep(Duration::from_millis(50)).await;
    let started = Instant::now();
    running.handle.shutdown();
    running.task.await.expect("an end");
    assert!(started.elapsed() < Duration::from_secs(5));
}

/// A new folder with a copy of a certificate and its key.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("provstream-tls-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    copy(&folder, "server", "server");
    folder
}

fn copy(folder: &Path, pem: &str, key: &str) {
    for (from, to) in [
        (format!("{pem}.pem"), "own.pem"),
        (format!("{key}.key"), "own.key"),
    ] {
        std::fs::copy(format!("{FOLDER}{from}"), folder.join(to)).expect("a copy");
    }
}

#[tokio::test]
async fn a_certificate_is_reloaded_while_streams_go_on() {
    let folder = folder("reload");
    let upstream = Upstream::start(|_| {
        vec![
            streamed("text/event-stream"),
            chunk(&events(&["It rains. [substrate.grep] So"])),
            Step::Wait(700),
            chunk(&events(&[" it pours."])),
            last_chunk(),
        ]
    })
    .await;
    let settings = tls(&folder, "own");
    let running = run(config(&upstream, &settings)).await;
    let mut sender = client(&running, 65_535).await;
    let mut response = ask(&mut sender).await;
    copy(&folder, "other", "other");
    let reload = || running.handle.reload(config(&upstream, &settings));
    reload().expect("another pair");
    connect(&running.address, "other", &["h2"]).await;
    // The key is not of the certificate: the files are being replaced, one after the other.
    copy(&folder, "server", "other");
    let error = reload().expect_err("two pairs").to_string();
    assert!(
        error.contains("line 7, column 7: \"key\", the file "),
        "{error}"
    );
    assert!(error.contains("found another key"), "{error}");
    std::fs::remove_file(folder.join("own.pem")).expect("a file");
    let error = reload().expect_err("no file").to_string();
    assert!(
        error.contains("line 6, column 8: \"cert\", the file "),
        "{error}"
    );
    connect(&running.address, "other", &["h2"]).await;
    let text = text_of(&read_until(&mut response, "pours").await);
    assert_eq!(text, "It rains. So it pours.");
    // The old connection takes further requests.
    read_until(&mut ask(&mut sender).await, "pours").await;
    std::fs::remove_dir_all(folder).expect("a folder");
}

#[tokio::test]
async fn a_wrong_certificate_is_an_error_with_its_place() {
    // `config_at` has four lines before these.
    for (more, part) in [
        (
            "[tls]\ncert = \"/nowhere/cert.pem\"\nkey = \"/nowhere/key.pem\"\n".to_owned(),
            "line 6, column 8: \"cert\", the file /nowhere/cert.pem: ".to_owned(),
        ),
        (
            format!("[tls]\ncert = \"{FOLDER}server.pem\"\nkey = \"{FOLDER}server.pem\"\n"),
            format!(
                "line 7, column 7: \"key\", the file {FOLDER}server.pem: expected a private key in PEM, found none"
            ),
        ),
        (
            format!("[tls]\ncert = \"{FOLDER}server.pem\"\nkey = \"{FOLDER}other.key\"\n"),
            format!(
                "line 7, column 7: \"key\", the file {FOLDER}other.key: expected the key of the first certificate of \"cert\", found another key"
            ),
        ),
        (
            format!("[tls]\ncert = \"/dev/zero\"\nkey = \"{FOLDER}other.key\"\n"),
            "line 6, column 8: \"cert\", the file /dev/zero: expected a regular file".to_owned(),
        ),
    ] {
        let config = config_at("http://127.0.0.1:1", &more);
        let error = Proxy::bind(config).await.expect_err("an error").to_string();
        assert!(error.contains(&part), "{error}");
    }
}

/// A client that the operating system has, curl with HTTP/2, verifies the certificate.
#[tokio::test(flavor = "multi_thread")]
async fn curl_streams_over_http_2() {
    let version = Command::new("curl").arg("--version").output();
    let has_http2 =
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("HTTP2"));
    if !has_http2 {
        return;
    }
    let (running, upstream) = proxy(&gate(WITHHOLD), |_| {
        whole_chat(&[
            "It rains. [substrate.grep] So it pours. [unverified-inference]",
            " That is all.",
        ])
    })
    .await;
    let port = running
        .address
        .rsplit(':')
        .next()
        .expect("a port")
        .to_owned();
    for version in ["--http2", "--http1.1"] {
        let url = format!("https://localhost:{port}/v1/chat/completions");
        let output = tokio::task::spawn_blocking(move || {
            Command::new("curl")
                .args([
                    "--silent",
                    "--show-error",
                    "--no-buffer",
                    "--noproxy",
                    "*",
                    "--resolve",
                ])
                .arg(format!(
                    "localhost:{}:127.0.0.1",
                    url.rsplit(':')
                        .next()
                        .and_then(|rest| rest.split('/').next())
                        .expect("a port")
                ))
                .args([
                    version,
                    "--cacert",
                    &format!("{FOLDER}authority.pem"),
                    "--data",
                    "{}",
                    "--write-out",
                    "HTTP/%{http_version} %{http_code}",
                    &url,
                ])
                .output()
                .expect("curl")
        })
        .await
        .expect("curl");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let expected = match version {
            "--http2" => "HTTP/2 200",
            _ => "HTTP/1.1 200",
        };
        assert!(
            text.ends_with(expected),
            "{text} {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(text_of(&text).ends_with(" That is all."), "{text}");
        assert!(!text.contains("[unverified"), "{text}");
    }
    assert_eq!(upstream.seen(|seen| seen.requests.len()), 2);
}
