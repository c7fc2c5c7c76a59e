//! Puts an annotation into a content block of its own, which no client may find once the annotation is removed.

use serde_json::{Value, json};

use crate::api::Api;
use crate::event::{Envelope, Event};
use crate::inject::{Texts, stripped};
use crate::places::slots;

const ANNOTATION: &str = " [substrate.git.log]";

/// The events of a block with this number that has nothing but the annotation, in formats that have such blocks.
fn block(api: &Api, index: u64) -> Option<Vec<Event>> {
    let delta = json!({"text": ANNOTATION});
    match (api.name, api.envelope) {
        ("anthropic", Envelope::Sse) => {
            let start = json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}});
            let mut text = json!({"type": "content_block_delta", "index": index, "delta": delta});
            text["delta"]["type"] = json!("text_delta");
            let stop = json!({"type": "content_block_stop", "index": index});
            Some([start, text, stop].map(Event::typed).into())
        }
        ("bedrock", Envelope::Frames) => {
            let text = json!({"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}});
            let stop = json!({"contentBlockStop": {"contentBlockIndex": index}});
            Some([text, stop].map(Event::plain).into())
        }
        _ => None,
    }
}

/// The number of the block that an event is about.
fn number(event: &mut Event) -> Option<&mut Value> {
    let data = event.data.as_mut()?;
    match data.get("index") {
        Some(_) => data.get_mut("index"),
        None => data
            .as_object_mut()?
            .values_mut()
            .next()?
            .get_mut("contentBlockIndex"),
    }
}

/// Adds a block with an annotation alone after the first block of text, if that text stays the same without annotations.
pub(crate) fn add(api: &Api, events: &mut Vec<Event>, texts: &mut Texts) {
    let slots = slots(api, events);
    let (Some(first), Some(text)) = (slots.first(), texts.values_mut().next()) else {
        return;
    };
    let Some(index) = number(&mut events[first.event]).and_then(|number| number.as_u64()) else {
        return;
    };
    let last = events
        .iter_mut()
        .rposition(|event| number(event).is_some_and(|number| *number == index));
    let (Some(last), Some(block)) = (last, block(api, index + 1)) else {
        return;
    };
    let before = slots.iter().filter(|slot| slot.event <= last);
    let place = before.map(|slot| slot.text.len()).sum();
    let mut with = text.text.clone();
    with.insert_str(place, ANNOTATION);
    if stripped(&with) != text.clean {
        return;
    }
    text.text = with;
    for event in &mut events[last + 1..] {
        if let Some(number) = number(event) {
            *number = json!(number.as_u64().unwrap_or(0) + 1);
        }
    }
    events.splice(last + 1..last + 1, block);
}
