//! Server-sent events are what the HTML standard takes for them, and no byte is lost.

use provstream_providers::{SseDecoder, SsePiece};

use super::super::case::Case;

/// Type, data and last event ID of an event.
type Event = (String, String, String);

/// Result of decoding a stream.
#[derive(Debug, Default, PartialEq, Eq)]
struct Read {
    events: Vec<Event>,
    /// Oversized events and what is unterminated, by their spans.
    others: Vec<(&'static str, u64, u64)>,
    bytes: Vec<u8>,
}

/// Checks that the chunking changes nothing, that the bytes are unchanged, and that the events are
/// those of the standard.
pub(super) fn check(data: &[u8]) {
    for limit in [usize::MAX, 24] {
        let decoder = || SseDecoder::new().with_max_event(limit);
        let whole = read(decoder(), [data].into_iter());
        assert_eq!(whole.bytes, data);
        assert_eq!(read(decoder(), data.chunks(1)), whole, "byte by byte");
        let mut cuts = Case::new(data).cuts();
        let mut rest = data;
        let pieces = std::iter::from_fn(|| {
            let (piece, later) = rest.split_at((!rest.is_empty()).then(|| cuts(rest.len()))?);
            rest = later;
            Some(piece)
        });
        assert_eq!(read(decoder(), pieces), whole, "in pieces");
        if limit == usize::MAX {
            assert_eq!(whole.events, standard(data));
        }
    }
}

fn read<'a>(mut decoder: SseDecoder, pieces: impl Iterator<Item = &'a [u8]>) -> Read {
    let mut read = Read::default();
    let mut sink = |piece: SsePiece<'_>| {
        let at = read.bytes.len() as u64;
        match piece {
            SsePiece::Event(event) => {
                assert_eq!(event.span().start(), at);
                assert_eq!(event.span().len(), event.raw().len() as u64);
                read.bytes.extend_from_slice(event.raw());
                let text = event.text().into_owned();
                let event = (event.name().into_owned(), text, event.id().into_owned());
                read.events.push(event);
            }
            SsePiece::Other(text) | SsePiece::Passed(text) => {
                assert_eq!(text.span().start(), at);
                read.bytes.extend_from_slice(text.bytes());
            }
            SsePiece::Oversized(span) => {
                assert_eq!(span.end(), at);
                read.others.push(("oversized", span.start(), span.end()));
            }
            SsePiece::Unterminated(text) => {
                let span = text.span();
                assert_eq!(span.start(), at);
                read.others.push(("unterminated", span.start(), span.end()));
                read.bytes.extend_from_slice(text.bytes());
            }
            other => panic!("a piece that there is not: {other:?}"),
        }
    };
    for piece in pieces {
        decoder.push(piece, &mut sink);
    }
    decoder.finish(&mut sink);
    read
}

/// The events of a whole stream, as 9.2.6 of the standard has them, line by line.
fn standard(stream: &[u8]) -> Vec<Event> {
    let stream = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    let mut lines = Vec::new();
    let mut rest = stream;
    while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        lines.push(&rest[..end]);
        let width = if rest[end..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        rest = &rest[end + width..];
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut events = Vec::new();
    let (mut name, mut data, mut id) = (&b""[..], Vec::new(), &b""[..]);
    for line in lines {
        if line.is_empty() {
            if let [data @ .., b'\n'] = &data[..] {
                let name = if name.is_empty() { b"message" } else { name };
                events.push((text(name), text(data), text(id)));
            }
            (name, data) = (b"", Vec::new());
            continue;
        }
        let colon = line.iter().position(|&byte| byte == b':');
        let (field, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => name = value,
            b"data" => {
                data.extend_from_slice(value);
                data.push(b'\n');
            }
            b"id" if !value.contains(&0) => id = value,
            _ => {}
        }
    }
    events
}
