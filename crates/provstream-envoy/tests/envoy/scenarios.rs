//! Scenarios that every gateway must pass.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{get, post, request};
use crate::expected::{answer, choice, corpus, event, gated, stripped, whole};
use crate::gateway::{Gateway, Kind};
use crate::upstream::{End, Script};

/// A scenario and what it shows.
type Scenario = (&'static str, fn(&Gateway));

pub(crate) const ALL: [Scenario; 17] = [
    ("174 KB in 97-byte pieces", long_stream),
    ("every format, in pieces of 1 to 64 bytes", corpus_in_pieces),
    ("an answer that is not streamed", whole_answer),
    ("headers", headers),
    ("what passes as it is", passed),
    ("compressed bodies", compressed),
    ("errors of the upstream", errors),
    ("responses without a body", no_body),
    ("a gate that replaces", replaced),
    ("a gate that ends the stream", ended),
    ("a gate that withholds invented citations", cited),
    ("an answer that cannot be read", unreadable),
    ("text comes when it is released", released_at_once),
    ("the upstream breaks off", cut),
    ("the client goes away", cancelled),
    ("64 streams at a time", concurrent),
    ("hostile requests", hostile),
];

fn long_stream(gateway: &Gateway) {
    let body = answer(1400);
    gateway.upstream.set("long", Script::sse(body.clone(), 97));
    let response = get(gateway.port(), "/strip/v1/long");
    assert!(body.len() > 174_000, "{}", body.len());
    assert!(
        response.is_complete && response.status == 200,
        "{}",
        response.head
    );
    assert_eq!(response.text(), String::from_utf8_lossy(&stripped(&body)));
}

fn corpus_in_pieces(gateway: &Gateway) {
    for (number, (name, body)) in corpus().into_iter().enumerate() {
        for piece in (1..=64).filter(|piece| (piece + number) % 4 == 0) {
            gateway
                .upstream
                .set("piece", Script::sse(body.clone(), piece));
            for (route, expected) in [("strip", stripped(&body)), ("gate", gated("gate", &body))] {
                let response = get(gateway.port(), &format!("/{route}/v1/piece"));
                assert!(
                    response.is_complete && response.status == 200,
                    "{name}, {route}, {piece}: {}",
                    response.head
                );
                assert_eq!(
                    response.text(),
                    String::from_utf8_lossy(&expected),
                    "{name}, {route}, pieces of {piece}"
                );
            }
        }
    }
}

fn whole_answer(gateway: &Gateway) {
    let body = whole("So. [substrate.grep] It is.");
    for (route, has_length) in [("strip", true), ("gate", true), ("closed", false)] {
        let mut script = Script::json(body.clone(), 11);
        script.has_length = has_length;
        gateway.upstream.set("whole", script);
        let response = get(gateway.port(), &format!("/{route}/v1/whole"));
        assert!(response.is_complete, "{route}: {response:?}");
        let expected = if route == "gate" {
            gated("gate", &body)
        } else {
            stripped(&body)
        };
        assert_eq!(
            response.text(),
            String::from_utf8_lossy(&expected),
            "{route}"
        );
        if gateway.kind == Kind::WaitingFilter {
            assert_eq!(
                response.header("content-length"),
                Some(&*expected.len().to_string())
            );
        }
    }
}

fn headers(gateway: &Gateway) {
    let script = Script::sse(answer(9), 40)
        .header("etag", "\"1\"")
        .header("content-digest", "sha-256=:AA==:")
        .header("x-request-cost", "7")
        .header("x-bytes", "\u{e9}");
    gateway.upstream.set("headers", script);
    let response = get(gateway.port(), "/strip/v1/headers");
    assert!(response.is_complete);
    assert_eq!(response.header("x-request-cost"), Some("7"));
    assert_eq!(response.header("content-type"), Some("text/event-stream"));
    for gone in ["etag", "content-digest", "content-length"] {
        assert_eq!(response.header(gone), None, "{}", response.head);
    }
    let sent = gateway
        .upstream
        .request("/strip/v1/headers")
        .to_ascii_lowercase();
    assert!(sent.contains("accept-encoding: identity\r\n"), "{sent}");
    assert!(!sent.contains("range"), "{sent}");
}

fn passed(gateway: &Gateway) {
    let body = answer(50);
    let mut script = Script::sse(body.clone(), 100).header("etag", "\"1\"");
    script.has_length = true;
    gateway.upstream.set("passed", script);
    let response = get(gateway.port(), "/pass/v1/passed");
    assert!(response.is_complete && response.body == body);
    assert_eq!(response.header("etag"), Some("\"1\""));
    assert_eq!(
        response.header("content-length"),
        Some(&*body.len().to_string())
    );
    let sent = gateway
        .upstream
        .request("/pass/v1/passed")
        .to_ascii_lowercase();
    assert!(sent.contains("accept-encoding: gzip, br\r\n"), "{sent}");
    // What no client reads as text passes a route that strips.
    let image = Script::json(vec![0x89, b'P', 0, 0xFF], 1).header("content-type", "image/png");
    let mut image = image;
    image.headers.remove(0);
    gateway.upstream.set("image", image);
    let response = get(gateway.port(), "/strip/v1/image");
    assert_eq!(response.body, [0x89, b'P', 0, 0xFF]);
    assert_eq!(response.header("content-length"), Some("4"));
}

fn compressed(gateway: &Gateway) {
    let body = vec![
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    let script = Script::sse(body.clone(), 3).header("content-encoding", "gzip");
    gateway.upstream.set("gzip", script);
    let open = get(gateway.port(), "/strip/v1/gzip");
    assert!(open.is_complete && open.body == body);
    for route in ["closed", "gate"] {
        let closed = get(
            gateway.port(),
            &format!("/{route}/v1/chat/completions/gzip"),
        );
        assert_eq!(
            (closed.status, closed.is_complete),
            (502, true),
            "{closed:?}"
        );
        assert!(
            closed.text().contains("\"not_inspected\""),
            "{}",
            closed.text()
        );
        assert_eq!(closed.header("content-type"), Some("application/json"));
    }
}

fn errors(gateway: &Gateway) {
    let body = b"{\"error\":{\"message\":\"slow down [substrate.grep]\"}}";
    let script = Script::json(&body[..], 9)
        .status("429 Too Many Requests")
        .header("retry-after", "3");
    gateway.upstream.set("error", script);
    for route in ["strip", "closed", "gate"] {
        let response = get(gateway.port(), &format!("/{route}/v1/error"));
        assert_eq!((response.status, &response.body[..]), (429, &body[..]));
        assert_eq!(response.header("retry-after"), Some("3"));
    }
    assert_eq!(get(gateway.port(), "/gate/v1/not-there").status, 404);
}

fn no_body(gateway: &Gateway) {
    let mut empty = Script::sse("", 1);
    gateway.upstream.set("empty", empty.clone());
    empty.has_length = true;
    gateway.upstream.set("nothing", empty.clone());
    gateway
        .upstream
        .set("head", Script::json(whole("A. [substrate.grep]"), 9));
    for route in ["strip", "gate"] {
        let response = get(gateway.port(), &format!("/{route}/v1/empty"));
        assert!(
            response.is_complete && response.body.is_empty(),
            "{route}: {response:?}"
        );
        let response = get(gateway.port(), &format!("/{route}/v1/nothing"));
        assert!(
            response.is_complete && response.body.is_empty(),
            "{route}: {response:?}"
        );
        let response = request(gateway.port(), "HEAD", &format!("/{route}/v1/head"));
        assert!(
            response.is_complete && response.status == 200,
            "{response:?}"
        );
        let length = whole("A. [substrate.grep]").len().to_string();
        assert_eq!(response.header("content-length"), Some(&*length));
    }
}

fn replaced(gateway: &Gateway) {
    let body = answer(70);
    gateway
        .upstream
        .set("replaced", Script::sse(body.clone(), 33));
    let response = get(gateway.port(), "/gate/v1/replaced");
    assert!(response.is_complete);
    let expected = gated("gate", &body);
    assert_eq!(response.text(), String::from_utf8_lossy(&expected));
    assert!(response.text().contains("(withheld)"));
    wait_for("the audit", || {
        let lines = gateway.lines();
        lines.contains("\"disposition\":\"terminal\"") && lines.contains("\"policy\":\"test-1\"")
    });
    wait_for("the record", || {
        gateway.lines().contains("\"terminal.replace\":10")
    });
    if gateway.is_filter() {
        let stat = |name: &str| gateway.envoy.stat(&format!("wasmcustom.provstream.{name}"));
        assert!(stat("decisions.terminal.replace") >= 10);
        assert!(stat("decisions.admitted.release") >= 10);
        assert!(stat("annotations.substrate_grep") >= 10);
        assert!(stat("inspected") >= 1 && stat("text_withheld") > 0);
    }
}

fn ended(gateway: &Gateway) {
    let secret = "So it is. [unverified-inference] Never shown";
    let before: String = ["It ", "rains. ", secret].map(event).concat();
    let body = before + &event(" at all.") + "data: [DONE]\n\n";
    gateway.upstream.set("ended", Script::sse(body, 17));
    let response = get(gateway.port(), "/refuse/v1/ended");
    assert!(response.is_complete, "{response:?}");
    let text = response.text();
    assert!(
        text.contains("rains. ") && text.contains("(refused)"),
        "{text}"
    );
    assert!(
        !text.contains("So it is") && !text.contains("Never"),
        "{text}"
    );
    assert!(
        text.contains("\"finish_reason\":\"content_filter\""),
        "{text}"
    );
    assert!(text.ends_with("data: [DONE]\n\n"), "{text}");
    // The end of one of two answers is not that of the other.
    let two = choice(0, secret) + &choice(1, "Fine. Really.") + &choice(0, " at all.");
    gateway
        .upstream
        .set("two", Script::sse(two + "data: [DONE]\n\n", 17));
    let response = post(gateway.port(), "/refuse/v1/two", "{\"n\": 2}");
    let text = response.text();
    assert!(
        text.contains("Fine. ") && text.contains("Really."),
        "{text}"
    );
    assert!(
        text.contains("(refused)") && !text.contains("Never"),
        "{text}"
    );
}

fn cited(gateway: &Gateway) {
    let texts = ["Old [1]. Fine.[", "2] Never [7", "]. So."];
    let body = texts.map(event).concat() + "data: [DONE]\n\n";
    gateway.upstream.set("cited", Script::sse(body, 17));
    let labels = "[1] Cities\\n[2] Rivers\\n";
    // Envoy passes a request of this length in several pieces.
    let request = format!(
        "{{\"messages\": [{{\"role\": \"user\", \"content\": \"{labels}{}\"}}]}}",
        "Cite. ".repeat(30_000)
    );
    let response = post(gateway.port(), "/cited/v1/cited", &request);
    let text = response.text();
    assert!(response.is_complete, "{response:?}");
    let is_gated = text.contains("(withheld)") && !text.contains("Never");
    assert!(is_gated && text.contains("Fine."), "{text}");
    assert!(!text.contains("[1]") && text.contains("So."), "{text}");
    // Without labels there is no list, and nothing is called invented.
    let text = get(gateway.port(), "/cited/v1/cited").text();
    let is_released = text.contains("Never") && !text.contains("(withheld)");
    assert!(is_released && !text.contains("[7"), "{text}");
}

fn unreadable(gateway: &Gateway) {
    for (number, body) in [
        "<html>A. [unverified-inference]",
        "{A. [unverified-inference]",
    ]
    .iter()
    .enumerate()
    {
        gateway.upstream.set("html", Script::json(*body, 5));
        let response = get(gateway.port(), "/gate/v1/chat/completions/html");
        assert!(!response.text().contains("A."), "{response:?}");
        let says = response.is_complete && response.text().contains("not_inspected");
        // Once the head is sent, all that a filter can do is to break off.
        let is_broken = !response.is_complete && response.body.is_empty();
        let is_right = match (number, gateway.kind) {
            (0, _) => says,
            (_, Kind::Filter) => is_broken,
            _ => says && response.status == 502,
        };
        assert!(is_right, "{number}: {response:?} {}", response.text());
        let open = get(gateway.port(), "/strip/v1/html");
        assert!(open.is_complete && open.text() == *body, "{open:?}");
    }
    wait_for("the record", || {
        let lines = gateway.lines();
        lines
            .lines()
            .any(|line| line.contains("\"gate\"") && line.contains("\"inspected\":false"))
    });
}

fn released_at_once(gateway: &Gateway) {
    let body = event("It rains. ") + &event("Next") + &event(" is held");
    gateway
        .upstream
        .set("stall", Script::sse(body, 50).ends(End::Stall));
    for (route, most) in [("strip", "rains"), ("gate", "rains")] {
        let begun = Instant::now();
        let (seen, _) = read_until(gateway.port(), &format!("/{route}/v1/stall"), most);
        assert!(seen.contains(most), "{route}: {seen}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{route}");
    }
}

fn cut(gateway: &Gateway) {
    let body = event("It rains. ") + &event("So it is.") + &event(" [unver");
    gateway
        .upstream
        .set("cut", Script::sse(body, 50).ends(End::Cut));
    for route in ["strip", "gate"] {
        let response = get(gateway.port(), &format!("/{route}/v1/cut"));
        // If Envoy has not sent the head yet, it sends an error instead.
        let is_error = response.status == 502 && !response.text().contains("data:");
        assert!(!response.is_complete || is_error, "{route}: {response:?}");
    }
    // The gateway goes on.
    long_stream(gateway);
}

fn cancelled(gateway: &Gateway) {
    let body = event("It rains. ") + &event("Next");
    gateway
        .upstream
        .set("gone", Script::sse(body, 50).ends(End::Stall));
    for route in ["strip", "gate"] {
        let before = gateway.upstream.gone();
        let (seen, stream) = read_until(gateway.port(), &format!("/{route}/v1/gone"), "rains");
        assert!(seen.contains("rains"), "{seen}");
        drop(stream);
        wait_for("the upstream's end", || gateway.upstream.gone() > before);
    }
}

fn concurrent(gateway: &Gateway) {
    let bodies: Vec<Vec<u8>> = (0..64).map(|number| answer(20 + 7 * number)).collect();
    for (number, body) in bodies.iter().enumerate() {
        let mut script = Script::sse(body.clone(), 1 + 13 * number);
        script.pause = Duration::from_micros(200);
        gateway.upstream.set(&format!("many-{number}"), script);
    }
    let port = gateway.port();
    thread::scope(|scope| {
        for (number, body) in bodies.iter().enumerate() {
            scope.spawn(move || {
                let route = if number % 2 == 0 { "strip" } else { "gate" };
                let response = get(port, &format!("/{route}/v1/many-{number}"));
                let expected = if number % 2 == 0 {
                    stripped(body)
                } else {
                    gated("gate", body)
                };
                assert!(response.is_complete, "{number}: {}", response.head);
                assert!(response.body == expected, "{number}: {}", response.text());
            });
        }
    });
    if gateway.is_filter() {
        wait_for("no streams", || {
            gateway.envoy.stat("wasmcustom.provstream.streams") <= 2
        });
    }
}

fn hostile(gateway: &Gateway) {
    gateway.upstream.set("ok", Script::sse(answer(9), 40));
    let send = |bytes: &[u8]| {
        let mut stream = TcpStream::connect(("127.0.0.1", gateway.port())).expect("Envoy listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .expect("a time-out");
        stream.write_all(bytes).expect("Envoy reads");
        let mut seen = Vec::new();
        // Envoy may close the connection in any way.
        let _ = stream.read_to_end(&mut seen);
        String::from_utf8_lossy(&seen).into_owned()
    };
    let rest = b" HTTP/1.1\r\nhost: a\r\nconnection: close\r\n";
    send(
        &[
            b"POST /strip/v1/\xff\xfe%00/ok",
            &rest[..],
            b"content-length: 0\r\n\r\n",
        ]
        .concat(),
    );
    send(
        &[
            b"GET /strip/../gate//v1/ok",
            &rest[..],
            b"x-request-id: \xff\xfe\r\n\r\n",
        ]
        .concat(),
    );
    send(
        &[
            b"POST /gate/v1/ok",
            &rest[..],
            b"content-length: 9\r\n\r\n\xff{\"n\":9e9",
        ]
        .concat(),
    );
    send(
        &[
            b"POST /gate/v1/ok",
            &rest[..],
            b"accept-encoding: \xff\r\nrange: bytes=0-5\r\ncontent-length: 0\r\n\r\n",
        ]
        .concat(),
    );
    for (name, body) in [
        ("zeros", vec![0; 70_000]),
        ("high", vec![0xFF; 70_000]),
        ("brackets", b"[".repeat(70_000)),
        (
            "deep",
            [&b"data: "[..], &b"{\"choices\":[".repeat(9_000), b"\n\n"].concat(),
        ),
        ("lines", b"data\n".repeat(20_000)),
    ] {
        for script in [
            Script::sse(body.clone(), 4_096),
            Script::json(body.clone(), 4_096),
        ] {
            gateway.upstream.set(name, script);
            for route in ["strip", "gate", "closed"] {
                let response = get(gateway.port(), &format!("/{route}/v1/{name}"));
                assert!(
                    route != "gate" || response.text().len() < 1_000,
                    "{name}: {response:?}"
                );
            }
        }
    }
    let response = get(gateway.port(), "/strip/v1/ok");
    assert!(response.is_complete && response.body == stripped(&answer(9)));
    assert_eq!(
        gateway
            .envoy
            .stat("http.ingress.ext_proc.spurious_msgs_received"),
        0
    );
    // A failed filter is loaded again, and Envoy counts it.
    let log = gateway.envoy.log();
    for word in ["wasm failed", "Function: proxy_", "panicked", "unreachable"] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}

/// Reads a response until it has a word.
fn read_until(port: u16, path: &str, word: &str) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("Envoy listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("a time-out");
    let head = format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("Envoy reads");
    let (mut seen, mut piece) = (String::new(), [0; 4096]);
    while !seen.contains(word) {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(read) => seen += &String::from_utf8_lossy(&piece[..read]),
        }
    }
    (seen, stream)
}

/// Waits until something holds, at most 10 s.
fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} does not come");
        thread::sleep(Duration::from_millis(50));
    }
}
