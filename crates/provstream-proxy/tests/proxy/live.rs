//! The page about streams in flight.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{
    Answer, LONG, Running, Step, WITHHOLD, chat, chunk, config, gate, last_chunk, proxy, request,
    send, streamed,
};

/// Text of the upstream: released text, an assertion that the policy withholds, markup, and text
/// that is held back.
const TEXT: &str = "It rains. It pours SECRETLY. [unverified-inference] <script>alert(1)</script> is text. It is so";

/// A stream that does not end before the client goes.
fn begun() -> Vec<Step> {
    let body = chat(&[TEXT]);
    let first = body.split_inclusive("\n\n").next().expect("an event");
    vec![
        streamed("text/event-stream"),
        chunk(first.as_bytes()),
        Step::Hang,
    ]
}

async fn page(running: &Running) -> Answer {
    let get = b"GET /_provstream/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    send(&running.admin, get).await
}

/// The page once this is in it.
async fn page_with(running: &Running, what: impl Fn(&str) -> bool) -> Answer {
    let found = async {
        loop {
            let answer = page(running).await;
            if what(&answer.text()) {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    match timeout(LONG, found).await {
        Ok(answer) => answer,
        Err(_) => panic!("not on the page: {}", page(running).await.text()),
    }
}

/// A client in mid-stream, and what its request is called.
async fn open(running: &Running, path: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(&running.address)
        .await
        .expect("the proxy");
    let request = request(path, "{}");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the proxy reads");
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        let mut buffer = [0; 512];
        let count = timeout(LONG, stream.read(&mut buffer)).await;
        let count = count.expect("a head").expect("a head");
        assert_ne!(count, 0, "the proxy closed the connection");
        bytes.extend_from_slice(&buffer[..count]);
    }
    let id = Answer::of(&bytes);
    let id = id.header("provstream-request").expect("a name").to_owned();
    (stream, id)
}

#[tokio::test]
async fn without_the_setting_there_is_no_page_and_nothing_is_kept() {
    let (running, upstream) = proxy(&gate(WITHHOLD), |_| begun()).await;
    let (_stream, id) = open(&running, "/v1/chat/completions").await;
    let answer = page(&running).await;
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("[live]"), "{}", answer.text());
    // Turned on by a reload, it lists what begins from then on.
    let settings = format!("[live]\n{}", gate(WITHHOLD));
    let config = config(&upstream, &settings);
    running.handle.reload(config).expect("settings");
    let text = page(&running).await.text();
    assert!(
        !text.contains(&id) && text.contains("In flight: 0"),
        "{text}"
    );
}

#[tokio::test]
async fn streams_in_flight_are_listed_without_their_texts() {
    let settings = format!("[live]\n{}", gate(WITHHOLD));
    let (running, _) = proxy(&settings, |_| begun()).await;
    let (first, id) = open(&running, "/v1/chat/completions").await;
    let (second, other) = open(&running, "/v1/chat/completions").await;
    let answer = page_with(&running, |text| {
        text.contains(&id) && text.contains(&other) && text.matches("1 Terminal").count() == 2
    })
    .await;
    let text = answer.text();
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let policy = answer.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-")
            && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    for what in [
        "<bdi>*</bdi>",
        "<bdi>gate</bdi>",
        "<bdi>openai-chat</bdi>",
        ": <bdi>replace</bdi>",
        "http-equiv=\"refresh\"",
        "<h2 id=\"in-flight\">In flight: 2</h2>",
    ] {
        assert!(text.contains(what), "{what}\n{text}");
    }
    // "It is so" is held back.
    assert!(text.contains("data-l=\"Bytes held\">8</td>"), "{text}");
    for never in ["rains", "SECRET", "is text", "<script"] {
        assert!(!text.contains(never), "{never}\n{text}");
    }
    let metrics = send(
        &running.admin,
        b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    let metrics = metrics.await.text();
    for line in [
        "provstream_requests_in_flight 2",
        "provstream_held_bytes 16",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{metrics}");
    }
    assert!(!metrics.contains("_provstream"), "{metrics}");
    drop((first, second));
    let text = page_with(&running, |text| !text.contains(&id)).await.text();
    page_with(&running, |text| text.contains("No streams.")).await;
    let get =
        b"GET /_provstream/live?paused HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let paused = send(&running.admin, get).await.text();
    assert!(
        !paused.contains("http-equiv=\"refresh\"") && paused.contains("<a href=\"?\">"),
        "{paused}"
    );
    assert!(!text.contains("Ended"), "{text}");
}

#[tokio::test]
async fn the_end_of_a_text_is_shown_if_it_is_asked_for() {
    for (bytes, shown, not) in [
        (
            4_096,
            "It rains. <mark class=\"no\">(withheld)</mark> &lt;script&gt;alert(1)&lt;/script&gt; is text. ",
            "rains. It",
        ),
        (17, "lang=\"\">script&gt; is text. </div>", "alert"),
    ] {
        let settings = format!("[live]\ntext = {bytes}\n{}", gate(WITHHOLD));
        let (running, _) = proxy(&settings, |_| begun()).await;
        let (_stream, _) = open(&running, "/v1/chat/completions").await;
        let text = page_with(&running, |text| text.contains("is text. "))
            .await
            .text();
        assert!(text.contains(shown), "{shown}\n{text}");
        for never in [not, "SECRET", "It is so", "<script"] {
            assert!(!text.contains(never), "{never}\n{text}");
        }
    }
}

#[tokio::test]
async fn texts_that_are_stripped_or_pass_are_listed_as_well() {
    let settings = "[live]\ntext = 100\n[[route]]\npath = \"/pass\"\naction = \"pass\"\n";
    let (running, _) = proxy(settings, |_| begun()).await;
    let (_pass, _) = open(&running, "/pass/v1/chat/completions").await;
    let (_strip, _) = open(&running, "/v1/chat/completions").await;
    let text = page_with(&running, |text| text.contains("is text. ")).await;
    let text = text.text();
    assert!(text.contains("<bdi>pass</bdi>") && text.contains("<bdi>strip</bdi>"));
    // What passes is not read, so there is no text of it.
    assert_eq!(text.matches("<tr class=\"lt\">").count(), 1, "{text}");
    assert!(
        text.contains("<mark class=\"an\">It pours SECRETLY.</mark> &lt;script"),
        "{text}"
    );
}

#[tokio::test]
async fn lists_are_bounded() {
    let settings = format!(
        "[live]\nstreams = 2\nended = 3\nrefresh = \"7s\"\n{}",
        gate(WITHHOLD)
    );
    let (running, _) = proxy(&settings, |request| {
        if request.contains("/whole") {
            let body = chat(&["It rains. [unverified-inference] So."]);
            return vec![
                streamed("text/event-stream"),
                chunk(body.as_bytes()),
                last_chunk(),
            ];
        }
        begun()
    })
    .await;
    let mut open_streams = Vec::new();
    for _ in 0..5 {
        open_streams.push(open(&running, "/v1/chat/completions").await);
    }
    let text = page(&running).await.text();
    assert!(
        text.contains("In flight: 5") && text.contains("3 more are in flight"),
        "{text}"
    );
    assert!(text.contains("content=\"7\""), "{text}");
    drop(open_streams);
    page_with(&running, |text| text.contains("In flight: 0")).await;
    let mut last = String::new();
    for _ in 0..5 {
        let answer = send(
            &running.address,
            request("/whole/v1/chat/completions", "{}").as_bytes(),
        )
        .await;
        last = answer.header("provstream-request").expect("a name").into();
    }
    let text = page_with(&running, |text| text.contains(&last))
        .await
        .text();
    assert_eq!(text.matches("<th scope=\"row\">").count(), 3, "{text}");
    assert_eq!(text.matches("<bdi>complete</bdi>").count(), 3, "{text}");
}

#[tokio::test]
async fn a_reload_keeps_what_is_in_flight() {
    let settings = format!("[live]\n{}", gate(WITHHOLD));
    let (running, upstream) = proxy(&settings, |_| begun()).await;
    let (_stream, id) = open(&running, "/v1/chat/completions").await;
    let reload = |settings: &str| {
        let config = config(&upstream, settings);
        running.handle.reload(config).expect("settings");
    };
    reload(&settings);
    assert!(page(&running).await.text().contains(&id));
    reload("");
    assert_eq!(page(&running).await.status, 404);
}

#[test]
fn errors_name_key_and_line() {
    for (settings, expected) in [
        (
            "[live]\nstream = 5\n",
            "line 2, column 1: unknown key \"stream\" in \"live\", did you mean \"streams\"",
        ),
        (
            "[live]\ntext = 5000\n",
            "line 2, column 8: expected a whole number from 0 to 4096 for \"text\", found 5000",
        ),
        (
            "[live]\nstreams = 0\n",
            "line 2, column 11: expected a whole number from 1 to 1024 for \"streams\", found 0",
        ),
    ] {
        let upstream = "http://127.0.0.1:1".parse().expect("a URL");
        let folder = std::env::temp_dir();
        let error =
            provstream_proxy::Config::from_toml(settings.as_bytes(), &folder, Some(upstream));
        assert_eq!(error.expect_err(settings).to_string(), expected);
    }
}
