//! The numbers of metrics, the live page and the demonstration, after answers that are known.

use std::time::Duration;

use provstream_proxy::{Config, demo};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::asks::{QUESTION, stream};
use crate::support::{
    LONG, Running, Step, chat, chunk, config, last_chunk, metrics, post, proxy, request, requests,
    run, send, streamed, text_of, whole,
};

const SETTINGS: &str = r#"
[timeouts]
keep_alive = "1s"

[[route]]
path = "/v1/chat/completions"
action = "gate"
emit = "prompt"
reemit = 1
[route.policy]
floor = 1
default_window = "1h"
inadmissible = { action = "suspend" }
unknown = { action = "discard" }

[[route]]
path = "/pass"
action = "pass"

[[route]]
path = "/open"
action = "gate"
fail = "open"
[route.policy]
floor = 1
default_window = "1h"
inadmissible = { action = "refuse", text = "No." }
"#;

const SUSPENDED: &str = "It rains. It pours. [unverified-inference] SECRET";
const AGAIN: &str = "So it is wet. [substrate.nope] Bye.";
const REFUSED: &str = "It rains. It pours. [unverified-inference] So.";
const BROKEN: &str = "data: {\"choices\":[\n\n";

const EXPECTED: &str = r#"
provstream_requests_total{route="/open",action="gate",status="2xx",end="policy"} 1
provstream_requests_total{route="/pass",action="pass",status="4xx",end="complete"} 1
provstream_requests_total{route="/v1/chat/completions",action="gate",status="2xx",end="complete"} 1
provstream_emissions_total{route="/v1/chat/completions",added="prompt"} 1
provstream_uninspected_total{route="/open",reason="unread_events"} 1
provstream_uninspected_total{route="/pass",reason="route"} 1
provstream_annotations_total{route="/open",class="unverified-inference"} 1
provstream_annotations_total{route="/v1/chat/completions",class="unverified-inference"} 2
provstream_decisions_total{route="/open",disposition="terminal",action="refuse"} 1
provstream_decisions_total{route="/v1/chat/completions",disposition="terminal",action="suspend"} 1
provstream_decisions_total{route="/v1/chat/completions",disposition="unknown",action="discard"} 1
provstream_unread_events_total{route="/open",kind="malformed-event"} 1
provstream_streams_ended_total{route="/open",end="refuse"} 1
provstream_upstream_bytes_total{route="/open"} UPSTREAM-OPEN
provstream_upstream_bytes_total{route="/v1/chat/completions"} UPSTREAM-CHAT
provstream_client_bytes_total{route="/open"} CLIENT-OPEN
provstream_client_bytes_total{route="/pass"} 7
provstream_client_bytes_total{route="/v1/chat/completions"} CLIENT-CHAT
provstream_text_bytes_total{route="/open",what="released"} 10
provstream_text_bytes_total{route="/v1/chat/completions",what="released"} 14
provstream_text_bytes_total{route="/v1/chat/completions",what="withheld"} 14
provstream_keep_alives_total{route="/v1/chat/completions"} 1
provstream_reemissions_total{route="/v1/chat/completions"} 1
provstream_config_reloads_total{result="failed"} 1
provstream_config_reloads_total{result="ok"} 1
provstream_connections 0
provstream_requests_in_flight 0
provstream_held_bytes 0
provstream_time_to_first_byte_seconds_count{route="/open"} 1
provstream_time_to_first_byte_seconds_count{route="/pass"} 1
provstream_time_to_first_byte_seconds_count{route="/v1/chat/completions"} 1
provstream_time_to_upstream_head_seconds_count{route="/open"} 1
provstream_time_to_upstream_head_seconds_count{route="/pass"} 1
provstream_time_to_upstream_head_seconds_count{route="/v1/chat/completions"} 1
provstream_time_between_chunks_seconds_count{route="/open"} 0
provstream_time_between_chunks_seconds_count{route="/pass"} 0
provstream_time_between_chunks_seconds_count{route="/v1/chat/completions"} 2
provstream_request_duration_seconds_count{route="/open"} 1
provstream_request_duration_seconds_count{route="/pass"} 1
provstream_request_duration_seconds_count{route="/v1/chat/completions"} 1
"#;

/// The metrics without the times, which are not known, but with how many there are of each.
fn counts(metrics: &str) -> Vec<&str> {
    let is_time = |line: &&str| line.contains("_bucket{") || line.contains("_seconds_sum{");
    let lines = metrics.lines().filter(|line| !line.starts_with('#'));
    lines.filter(|line| !is_time(line)).collect()
}

#[tokio::test]
async fn every_family_of_metrics_has_its_value() {
    let (running, upstream) = proxy(SETTINGS, |request| {
        if request.starts_with("POST /pass") {
            return whole("404 Not Found", "text/plain", "nothing");
        }
        if request.starts_with("POST /open") {
            let body = BROKEN.to_owned() + &chat(&[REFUSED]);
            return vec![
                streamed("text/event-stream"),
                chunk(body.as_bytes()),
                last_chunk(),
            ];
        }
        if request.contains("It was rejected") {
            let mut steps = stream(AGAIN);
            steps.insert(1, Step::Wait(1_300));
            return steps;
        }
        stream(SUSPENDED)
    })
    .await;
    let first = post(&running.address, "/v1/chat/completions", QUESTION).await;
    assert_eq!(text_of(&first.text()), "It rains. Bye.", "{}", first.text());
    let second = post(&running.address, "/pass", "{}").await;
    assert_eq!(second.status, 404);
    let third = post(&running.address, "/open/v1/chat/completions", "{}").await;
    assert_eq!(text_of(&third.text()), "It rains. No.", "{}", third.text());
    let config = config(&upstream, SETTINGS);
    running.handle.reload(config).expect("settings");
    running.handle.note_failed_reload();
    let settled = async {
        loop {
            let text = metrics(&running.admin).await;
            if text.contains("provstream_connections 0\n") && requests(&text) == 3 {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let text = timeout(LONG, settled).await.expect("all end");
    let chat_bytes = chat(&[SUSPENDED]).len() + chat(&[AGAIN]).len();
    let open_bytes = BROKEN.len() + chat(&[REFUSED]).len();
    let expected = EXPECTED
        .replace("UPSTREAM-CHAT", &chat_bytes.to_string())
        .replace("UPSTREAM-OPEN", &open_bytes.to_string())
        .replace("CLIENT-CHAT", &first.body.len().to_string())
        .replace("CLIENT-OPEN", &third.body.len().to_string());
    assert_eq!(counts(&text).join("\n"), expected.trim());
    let families = text.lines().filter(|line| line.starts_with("# TYPE "));
    // The tests of the listener, of citations and of observations have these.
    let elsewhere = [
        "provstream_tls_failures_total",
        "provstream_incomplete_sources_total",
        "provstream_observations_total",
        "provstream_cited_ids_total",
        "provstream_recordings_total",
    ];
    let others = |family: &&str| !elsewhere.contains(family);
    let names = families.filter_map(|line| line.split(' ').nth(2));
    for family in names.filter(others) {
        assert!(expected.contains(family), "{family} has no value");
    }
}

/// The cells of the only row of a page, without markup.
fn cells(page: &str) -> String {
    let row = page.split("<th scope=\"row\">").nth(1).expect("a row");
    let row = row.split("</tr>").next().expect("a row");
    let pieces = row
        .split('<')
        .map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    let text = pieces.collect::<Vec<_>>().join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A stream in mid-flight, and what the page says about it.
#[tokio::test]
async fn the_page_has_the_numbers_of_a_stream() {
    let body = chat(&["It rains. [substrate.grep] It pours. [unverified-inference] It is so"]);
    let settings = "[live]\nended = 5\n".to_owned()
        + &crate::support::gate("{ action = \"replace\", text = \"(withheld)\" }");
    let (running, _) = proxy(&settings, move |_| {
        let first = body.split_inclusive("\n\n").next().expect("an event");
        vec![
            streamed("text/event-stream"),
            chunk(first.as_bytes()),
            Step::Hang,
        ]
    })
    .await;
    let mut stream = TcpStream::connect(&running.address)
        .await
        .expect("the proxy");
    let request = request("/v1/chat/completions", "{}");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the proxy reads");
    let mut bytes = Vec::new();
    let reads = async {
        while !String::from_utf8_lossy(&bytes).contains("(withheld) (withheld) ") {
            let mut buffer = [0; 4096];
            let count = stream.read(&mut buffer).await.expect("bytes");
            bytes.extend_from_slice(&buffer[..count]);
        }
    };
    timeout(LONG, reads).await.expect("the text");
    let answer = crate::support::Answer::of(&bytes);
    let id = answer.header("provstream-request").expect("a name");
    let sent = answer.body.len();
    let page = async || {
        let get = format!(
            "GET /_provstream/live HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            running.admin
        );
        send(&running.admin, get.as_bytes()).await.text()
    };
    let text = page().await;
    let (row, about) = (cells(&text), format!("{id} * gate openai-chat"));
    let verdicts = "1 Below the floor: replace 1 Terminal: replace";
    assert!(row.starts_with(&format!("{about} {verdicts} ")), "{row}");
    // "It is so" is held back.
    assert!(row.ends_with(&format!(" 8 {sent} 2")), "{row}");
    drop(stream);
    let ended = async {
        loop {
            let text = page().await;
            if text.contains("client_gone") {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let text = timeout(LONG, ended).await.expect("the stream ends");
    let row = cells(&text);
    assert!(
        row.starts_with(&format!("{about} {verdicts} client_gone ")),
        "{row}"
    );
    assert!(row.ends_with(&format!(" {sent} 2")), "{row}");
}

/// RFC 4648 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = bytes.chunks(3).flat_map(|three| {
        let bits = (0..3).fold(0_usize, |bits, at| {
            bits << 8 | usize::from(three.get(at).copied().unwrap_or_default())
        });
        (0..4).map(move |digit| match digit <= three.len() {
            true => char::from(DIGITS[bits >> (18 - 6 * digit) & 63]),
            false => '=',
        })
    });
    digits.collect()
}

async fn demonstration() -> Running {
    let upstream = demo::upstream().await.expect("a port");
    let upstream = format!("http://{upstream}").parse().expect("a URL");
    let folder = std::env::temp_dir();
    let settings = format!(
        "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n{}",
        demo::SETTINGS
    );
    let config = Config::from_toml(settings.as_bytes(), &folder, Some(upstream)).expect("settings");
    run(config).await
}

/// The requests and the page that `provstream proxy --demo` prints.
#[tokio::test]
async fn the_demonstration_shows_the_three_actions() {
    let running = demonstration().await;
    let paths = ["/raw", "", "/gated"].map(|prefix| format!("{prefix}/v1/chat/completions"));
    let texts = [
        "I looked at the repository. The last release is tagged v0.1.0. [substrate.git.log; ts=T] The parser has no unsafe code. [substrate.grep; observation-id=src; ts=T] The tests took four minutes. [substrate.fs.mtime; ts=T] Nobody will ever find a bug in it. [unverified-inference] Ask me for more.",
        "I looked at the repository. The last release is tagged v0.1.0. The parser has no unsafe code. The tests took four minutes. Nobody will ever find a bug in it. Ask me for more.",
        "I looked at the repository. The last release is tagged v0.1.0. The parser has no unsafe code. (withheld) (withheld) Ask me for more.",
    ];
    let get = async |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        send(&running.address, request.as_bytes()).await
    };
    let (one, two, three) = tokio::join!(get(&paths[0]), get(&paths[1]), get(&paths[2]));
    for (answer, expected) in [one, two, three].into_iter().zip(texts) {
        assert_eq!((answer.status, answer.is_complete), (200, true));
        assert!(answer.text().ends_with("data: [DONE]\n\n"));
        let mut text = text_of(&answer.text());
        while let Some(at) = text.find("ts=2") {
            let end = text[at..].find(']').expect("an end") + at;
            text.replace_range(at..end, "ts=T");
        }
        assert_eq!(text, expected);
    }
    let post =
        async |path: &str, body: &str| send(&running.address, request(path, body).as_bytes()).await;
    let (one, two, three, streamed) = tokio::join!(
        post("/v1/chat/completions", r#"{"stream":false}"#),
        post("/gated/v1/messages", "{}"),
        post("/gated/api/chat", r#"{"stream":false}"#),
        post("/v1/chat/completions", r#"{"stream":true}"#),
    );
    for (whole, member) in [
        (one, "/choices/0/message/content"),
        (two, "/content/0/text"),
        (three, "/message/content"),
    ] {
        let value: serde_json::Value = serde_json::from_str(&whole.text()).expect("one JSON value");
        let text = value
            .pointer(member)
            .and_then(serde_json::Value::as_str)
            .expect("a text");
        assert!(text == texts[1] || text == texts[2], "{text}");
    }
    assert_eq!(text_of(&streamed.text()), texts[1]);
    let page = get(demo::PAGE).await;
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let page = page.text();
    assert_eq!(page, include_str!("../../src/demo.html"));
    for (name, begin) in [("style", "<style>"), ("script", "<script>")] {
        let content = page
            .split(begin)
            .nth(1)
            .and_then(|it| it.split("</").next())
            .expect("an element");
        let policy = format!("{name}-src 'sha256-{}'", base64(&Sha256::digest(content)));
        assert!(page.contains(&policy), "expected {policy}");
    }
    // The other APIs that it speaks.
    let (anthropic, ollama) = tokio::join!(get("/gated/v1/messages"), get("/api/chat"));
    assert!(anthropic.text().contains("(withheld)") && !anthropic.text().contains("Nobody"));
    assert!(ollama.text().contains("Nobody") && !ollama.text().contains("[unverified"));
}

/// The sentence that cites a source which the model was not given is withheld.
#[tokio::test]
async fn the_demonstration_withholds_an_invented_citation() {
    let running = demonstration().await;
    let get = async |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        send(&running.address, request.as_bytes()).await
    };
    let (raw, cited) = tokio::join!(
        get("/raw/cited/v1/chat/completions"),
        get("/cited/v1/chat/completions")
    );
    assert_eq!(
        text_of(&raw.text()),
        "Lisbon is the capital of Portugal [1]. It lies at the mouth of the Tagus [2]. Its trams are still pulled by horses [7]. Ask me for more."
    );
    assert_eq!(
        text_of(&cited.text()),
        "Lisbon is the capital of Portugal. It lies at the mouth of the Tagus. (withheld) Ask me for more."
    );
    let metrics = metrics(&running.admin).await;
    for (disposition, action, count) in [
        ("listed-source", "release", 2),
        ("unknown-source", "replace", 1),
    ] {
        let line = format!(
            "provstream_decisions_total{{route=\"/cited\",disposition=\"{disposition}\",action=\"{action}\"}} {count}\n"
        );
        assert!(metrics.contains(&line), "expected {line} in {metrics}");
    }
}
