//! Events, and how they are written to the wire.

use serde_json::Value;
use testkit::wire::generate::Random;

/// An event of a response, or the whole response.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The name that server-sent events give it.
    pub(crate) name: Option<String>,
    /// `None` is `[DONE]`.
    pub(crate) data: Option<Value>,
}

impl Event {
    /// An event without a name.
    pub(crate) const fn plain(data: Value) -> Self {
        Self {
            name: None,
            data: Some(data),
        }
    }

    /// An event that is named as its type.
    pub(crate) fn typed(data: Value) -> Self {
        Self {
            name: data["type"].as_str().map(str::to_owned),
            data: Some(data),
        }
    }

    /// An event with this name.
    pub(crate) fn named(name: &str, data: Value) -> Self {
        Self {
            name: Some(name.to_owned()),
            data: Some(data),
        }
    }

    /// The end of a stream.
    pub(crate) const DONE: Self = Self {
        name: None,
        data: None,
    };
}

/// How the events of a response are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Envelope {
    /// Server-sent events.
    Sse,
    /// One JSON value a line.
    Lines,
    /// Lines, which become binary frames before they are sent.
    Frames,
    /// One JSON value.
    Body,
}

impl Envelope {
    /// The media type.
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream",
            Self::Lines => "application/x-ndjson",
            Self::Frames => "application/vnd.amazon.eventstream",
            Self::Body => "application/json",
        }
    }

    /// The response. The same numbers give the same line ends, comments and escapes.
    pub(crate) fn write(self, events: &[Event], comments: bool, mut random: Random) -> Vec<u8> {
        let end = ["\n", "\n", "\n", "\r\n"][random.below(4)];
        let mut out = String::new();
        for event in events {
            let data = match &event.data {
                Some(data) if self == Self::Body && random.one_in(2) => {
                    serde_json::to_string_pretty(data).expect("JSON")
                }
                Some(data) => data.to_string(),
                None => "[DONE]".into(),
            };
            let data = match random.one_in(4) {
                true => escaped(&data),
                false => data,
            };
            // Some clients end lines there, so servers escape it.
            let data = data.replace('\u{2028}', "\\u2028");
            if self != Self::Sse {
                out += &data;
                out.push('\n');
                continue;
            }
            if comments && random.one_in(16) {
                out += &format!(": keep-alive{end}{end}");
            }
            if let Some(name) = &event.name {
                out += &format!("event: {name}{end}");
            }
            out += &format!("data: {data}{end}{end}");
        }
        out.into_bytes()
    }
}

/// JSON with everything that is not ASCII escaped.
fn escaped(json: &str) -> String {
    let mut out = String::new();
    for char in json.chars() {
        if char.is_ascii() {
            out.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            out += &format!("\\u{unit:04x}");
        }
    }
    out
}

/// The events of a recorded response, or `None` if one has half of a surrogate pair, which Rust has no strings for.
pub(crate) fn read(body: &[u8]) -> Option<Vec<Event>> {
    let text = core::str::from_utf8(body).expect("UTF-8");
    if text.starts_with('{') {
        let values = serde_json::Deserializer::from_str(text).into_iter();
        let events = values.map(|value| Some(Event::plain(value.ok()?)));
        return events.collect();
    }
    let text = text.replace("\r\n", "\n");
    let field = |block: &str, name: &str| {
        let lines = block.lines();
        let values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let values: Vec<&str> = values.map(str::trim_start).collect();
        (!values.is_empty()).then(|| values.join("\n"))
    };
    let mut events = Vec::new();
    for block in text.split("\n\n") {
        let Some(data) = field(block, "data") else {
            continue;
        };
        let data = match data.as_str() {
            "[DONE]" => None,
            data => Some(serde_json::from_str(data).ok()?),
        };
        let name = field(block, "event");
        events.push(Event { name, data });
    }
    Some(events)
}
