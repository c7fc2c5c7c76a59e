//! Comments that keep a connection alive: clients read the same events with them and without.

use provstream_route::{BodyFilter, Flow};

use crate::{REPLACE, filter, now, route, sse};

/// An event as the Python client of OpenAI reads it: its identifier, its name and its data.
type Dispatched = (String, String, String);

/// Reads lines as `openai._streaming.SSEDecoder` does: a blank line ends an event if there is a name, data, an identifier that
/// the stream has had, or a time to wait.
fn python_client(stream: &[u8]) -> Vec<Dispatched> {
    let text = String::from_utf8_lossy(stream).replace("\r\n", "\n");
    let (mut events, mut id) = (Vec::new(), String::new());
    let (mut name, mut data, mut retry) = (String::new(), Vec::new(), false);
    let mut lines: Vec<&str> = text.split(['\n', '\r']).collect();
    lines.pop();
    for line in lines {
        if line.is_empty() {
            if !name.is_empty() || !data.is_empty() || !id.is_empty() || retry {
                events.push((id.clone(), core::mem::take(&mut name), data.join("\n")));
                data.clear();
                retry = false;
            }
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut name),
            "data" => data.push(value),
            "id" if !value.contains('\0') => value.clone_into(&mut id),
            "retry" => retry = value.parse::<u64>().is_ok(),
            _ => {}
        }
    }
    events
}

/// Filters a stream in pieces and inserts a comment wherever one is allowed; returns the output and
/// the number of comments.
fn kept_alive(filter: &mut BodyFilter, stream: &str, size: usize) -> (Vec<u8>, usize) {
    let (mut sent, mut comments) = (Vec::new(), 0);
    let mut comment = |filter: &BodyFilter, sent: &mut Vec<u8>| {
        // Twice, as when nothing comes for longer.
        for _ in 0..2 {
            if let Some(comment) = filter.keep_alive() {
                sent.extend_from_slice(comment);
                comments += 1;
            }
        }
    };
    comment(filter, &mut sent);
    for piece in stream.as_bytes().chunks(size) {
        let mut out = Vec::new();
        match filter.push_or_pass(piece, now(), &mut out) {
            None => sent.extend_from_slice(piece),
            Some(flow) => {
                assert_eq!(flow, Flow::More);
                sent.extend(out);
            }
        }
        comment(filter, &mut sent);
    }
    let _ = filter.finish(now(), &mut sent);
    (sent, comments)
}

fn chat(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}")
}

/// Streams with identifiers, and such as look like it.
fn streams() -> Vec<(&'static str, String, bool)> {
    let (one, two) = (chat("It rains. "), chat("So. "));
    let done = "data: [DONE]";
    vec![
        (
            "id first",
            format!("id: 1\n{one}\n\n{two}\n\n{done}\n\n"),
            true,
        ),
        (
            "id last",
            format!("{one}\nid: 1\n\n{two}\n\n{done}\n\n"),
            true,
        ),
        (
            "id in each",
            format!("id: 1\n{one}\n\nid: 2\n{two}\n\nid: 3\n{done}\n\n"),
            true,
        ),
        (
            "id later",
            format!("{one}\n\n{two}\n\nid: 7\n{done}\n\n"),
            true,
        ),
        (
            "id without a space",
            format!("id:1\n{one}\n\n{two}\n\n{done}\n\n"),
            true,
        ),
        (
            "id alone",
            format!("id: 1\n\n{one}\n\n{two}\n\n{done}\n\n"),
            true,
        ),
        (
            "id after a comment",
            format!(": hello\nid: 1\n{one}\n\n{two}\n\n{done}\n\n"),
            true,
        ),
        (
            "id with CR LF",
            format!("id: 1\r\n{one}\r\n\r\n{two}\r\n\r\n{done}\r\n\r\n"),
            true,
        ),
        (
            "id with CR",
            format!("id: 1\r{one}\r\r{two}\r\r{done}\r\r"),
            true,
        ),
        (
            "id that ends",
            format!("id: 1\n{one}\n\nid:\n{two}\n\n{done}\n\n"),
            true,
        ),
        (
            "id after its name",
            format!("event: x\nid: 1\n{one}\n\n{two}\n\n{done}\n\n"),
            true,
        ),
        (
            "id and a time",
            format!("retry: 5\nid: 1\n{one}\n\n{two}\n\n{done}\n\n"),
            true,
        ),
        ("no id", format!("{one}\n\n{two}\n\n{done}\n\n"), false),
        (
            "no id with CR LF",
            format!("{one}\r\n\r\n{two}\r\n\r\n{done}\r\n\r\n"),
            false,
        ),
        (
            "a comment that begins with id",
            format!(":id: 1\n{one}\n\n{two}\n\n{done}\n\n"),
            false,
        ),
        (
            "a name that begins with id",
            format!("event: id\n{one}\n\n{two}\n\n{done}\n\n"),
            false,
        ),
    ]
}

#[test]
fn clients_read_the_same_events_with_comments() {
    for (name, stream, has_id) in streams() {
        for (action, more) in [("strip", ""), ("strip", "fail = \"closed\""), ("gate", "")] {
            let routes = route(action, more, REPLACE);
            for size in [1, 2, 3, 5, 8, 13, 64, 1 << 16] {
                let about = format!("{name}, {action} {more}, pieces of {size}");
                let head = sse("/v1/chat/completions");
                let (plain, _) = {
                    let mut filter = filter(&routes, &head);
                    crate::through(&mut filter, stream.as_bytes(), size)
                };
                let mut filter = filter(&routes, &head);
                let (sent, comments) = kept_alive(&mut filter, &stream, size);
                assert!(comments > 2, "{about}");
                assert_eq!(
                    python_client(&sent),
                    python_client(&plain),
                    "{about}: {}",
                    String::from_utf8_lossy(&sent)
                );
                // Clients that split at blank lines would take an event after a comment for part of it. The upstream's own
                // comment is before an event.
                if !has_id && !stream.starts_with(':') {
                    let sent = String::from_utf8_lossy(&sent).replace("\r\n", "\n");
                    let mut blocks = sent.split("\n\n").filter(|block| block.contains("data"));
                    assert!(
                        blocks.all(|block| !block.starts_with(':')),
                        "{about}: {sent}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_comment_is_between_complete_lines() {
    let routes = route("strip", "", "");
    let mut filter = filter(&routes, &sse("/v1/chat/completions"));
    let mut out = Vec::new();
    let mut push = |filter: &mut BodyFilter, bytes: &str| {
        let _ = filter.push(bytes.as_bytes(), now(), &mut out);
        filter.keep_alive()
    };
    assert_eq!(push(&mut filter, ""), Some(&b":\n\n"[..]));
    let event = format!("id: 1\n{}\n\n", chat("It rains."));
    assert_eq!(push(&mut filter, &event), Some(&b":\n"[..]));
    // What is not complete is not written yet.
    assert_eq!(push(&mut filter, ": x"), Some(&b":\n"[..]));
    assert_eq!(push(&mut filter, "\n"), Some(&b":\n"[..]));
}

#[test]
fn an_identifier_is_seen_where_a_long_event_is_written_in_pieces() {
    let long = format!("data: {}\nid: 7\n\n", "x".repeat(9_000));
    let stream = long + &chat("So.") + "\n\n";
    let routes = route("strip", "max_event = 4096", "");
    for size in [1, 2, 3, 5, 64, 1 << 16] {
        let mut filter = filter(&routes, &sse("/v1/chat/completions"));
        let (sent, _) = kept_alive(&mut filter, &stream, size);
        let events = python_client(&sent);
        let found: Vec<&str> = events.iter().map(|(id, ..)| &**id).collect();
        assert_eq!(found, ["7", "7"], "pieces of {size}");
    }
}
