//! Where the text of a response is: strings of deltas, strings that repeat a whole text, ranges that are cited.

use serde_json::Value;

use crate::api::{Api, Numbers};
use crate::event::Event;

/// The number of a text among those of a response.
pub(crate) type Channel = Vec<u64>;

/// A string that is part of a text.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The number of its event.
    pub(crate) event: usize,
    /// A JSON Pointer in the event.
    pub(crate) pointer: String,
    pub(crate) channel: Channel,
    pub(crate) text: String,
}

/// The strings that texts consist of, in order.
pub(crate) fn slots(api: &Api, events: &[Event]) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let Some(data) = &event.data else {
            continue;
        };
        for path in api.texts {
            let (condition, path) = path.split_once(':').unwrap_or(("", path));
            let meets = condition
                .split_once('=')
                .is_none_or(|(name, value)| data[name] == value);
            if meets {
                let path: Vec<&str> = path.split('.').collect();
                let mut walk = Walk {
                    api,
                    root: data,
                    event: number,
                    slots: &mut slots,
                };
                walk.go(data, &path, &Step::default());
            }
        }
    }
    slots
}

/// How a walk came to a value.
#[derive(Clone, Debug, Default)]
struct Step {
    pointer: String,
    /// The nearest member `index` around it.
    index: Option<u64>,
    /// The places in the arrays around it.
    places: Vec<u64>,
}

struct Walk<'a> {
    api: &'a Api,
    root: &'a Value,
    event: usize,
    slots: &'a mut Vec<Slot>,
}

impl Walk<'_> {
    fn go(&mut self, value: &Value, path: &[&str], step: &Step) {
        let mut step = step.clone();
        if let Some(index) = value["index"].as_u64() {
            step.index = Some(index);
        }
        // A thought of Gemini's, a special token of TGI's and reasoning in a UI message are not text.
        let is_text =
            value["thought"] != true && value["special"] != true && value["type"] != "reasoning";
        if !is_text {
            return;
        }
        // An event of reasoning comes after the text before it, and its own text is empty, so that no annotation goes across.
        let is_thought = value["thinking"]
            .as_str()
            .is_some_and(|thought| !thought.is_empty());
        match path {
            [] => {
                let Value::String(text) = value else {
                    return;
                };
                let channel = channel(self.api.numbers, self.root, &step);
                self.slots.push(Slot {
                    event: self.event,
                    pointer: step.pointer,
                    channel,
                    text: text.clone(),
                });
            }
            ["*", rest @ ..] => {
                for (place, element) in value.as_array().into_iter().flatten().enumerate() {
                    let mut inner = step.clone();
                    inner.pointer += &format!("/{place}");
                    inner.places.push(place as u64);
                    self.go(element, rest, &inner);
                }
            }
            [name, rest @ ..] => {
                if let Some(inner) = value.get(*name)
                    && !(is_thought && inner == "")
                {
                    step.pointer += &format!("/{name}");
                    self.go(inner, rest, &step);
                }
            }
        }
    }
}

fn channel(numbers: Numbers, root: &Value, step: &Step) -> Channel {
    let member = |name: &str| root[name].as_u64().unwrap_or(0);
    match numbers {
        Numbers::One => vec![0],
        Numbers::Index => vec![step.index.or(step.places.first().copied()).unwrap_or(0)],
        Numbers::Pair => vec![member("output_index"), member("content_index")],
        Numbers::Output => vec![member("output_index")],
        Numbers::Places => step.places.clone(),
    }
}

/// The names of the members that a cited range begins and ends with.
const RANGES: [(&str, &str); 3] = [
    ("start", "end"),
    ("startIndex", "endIndex"),
    ("start_index", "end_index"),
];

/// A cited range.
pub(crate) struct Range<'a> {
    /// The object that it is in.
    pub(crate) object: &'a mut Value,
    pub(crate) names: (&'static str, &'static str),
    /// The texts that it may be of, the likeliest first.
    pub(crate) channels: Vec<Channel>,
}

/// Calls `see` for each cited range in an event.
pub(crate) fn ranges(api: &Api, event: &mut Value, see: &mut impl FnMut(Range<'_>)) {
    let root = event.clone();
    range_in(api, &root, event, &Step::default(), see);
}

fn range_in(
    api: &Api,
    root: &Value,
    value: &mut Value,
    step: &Step,
    see: &mut impl FnMut(Range<'_>),
) {
    let mut step = step.clone();
    match value {
        Value::Array(elements) => {
            for (place, element) in elements.iter_mut().enumerate() {
                let mut inner = step.clone();
                inner.places.push(place as u64);
                range_in(api, root, element, &inner, see);
            }
        }
        Value::Object(_) => {
            let found = RANGES
                .into_iter()
                .find(|(start, end)| value[*start].is_u64() && value[*end].is_u64());
            if let Some(names) = found {
                let channels = cited_texts(api, root, value, &step);
                see(Range {
                    object: value,
                    names,
                    channels,
                });
                return;
            }
            if let Some(index) = value["index"].as_u64() {
                step.index = Some(index);
            }
            for (_, inner) in value.as_object_mut().expect("an object") {
                range_in(api, root, inner, &step, see);
            }
        }
        _ => {}
    }
}

/// The texts that a range may be of, the likeliest first.
fn cited_texts(api: &Api, root: &Value, range: &Value, step: &Step) -> Vec<Channel> {
    let mut channels: Vec<Channel> = Vec::new();
    channels.extend(range["content_index"].as_u64().map(|content| vec![content]));
    if api.numbers == Numbers::Pair {
        // The event numbers both, or the output alone, or it has the whole response.
        let named = ["output_index", "content_index"].map(|name| root[name].as_u64());
        let places = named
            .into_iter()
            .flatten()
            .chain(step.places.iter().copied());
        return vec![places.take(2).collect()];
    }
    channels.push(channel(api.numbers, root, step));
    // Without the place among the citations.
    let mut outer = step.clone();
    outer.places.pop();
    channels.push(channel(api.numbers, root, &outer));
    channels
}
