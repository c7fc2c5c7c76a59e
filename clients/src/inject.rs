//! Puts annotations or markers at random places of the texts of a response.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::reference::{Reading, RefLimits, RefVocabulary, Segment, strip_in};
use testkit::wire::generate::Random;

use crate::api::{Api, Unit};
use crate::event::Event;
use crate::places::{Channel, Slot, ranges, slots};

/// Texts to put into a text, and the naive reference that removes them.
#[derive(Clone, Copy)]
pub(crate) struct Insertion {
    pub(crate) texts: &'static [&'static str],
    pub(crate) strip: fn(&str) -> String,
}

pub(crate) const ANNOTATIONS: Insertion = Insertion {
    texts: &[
        "[substrate.grep]",
        " [substrate.grep]",
        " [substrate.git.log; ts=2026-05-28T11:41:00Z]",
        "[substrate.code.read; observation-id=\"a, ]b😀\"]",
        " [substrate.mcp.brief; observation-id=obs-7; ts=2026-05-28T11:41:00.5+02:00]",
        " [unverified-inference]",
        "\n[unverified]",
        " [substrate.grep] [substrate.git.log]",
    ],
    strip: stripped,
};

/// A text before and after annotations or markers were put into it.
#[derive(Clone, Debug)]
pub(crate) struct Injected {
    pub(crate) clean: String,
    pub(crate) text: String,
    /// Places in the clean text, in bytes, and what was put there; sorted.
    added: Vec<(usize, &'static str)>,
}

/// An annotation's text as the naive reference leaves it.
pub(crate) fn stripped(text: &str) -> String {
    let input = [Segment {
        own: true,
        bytes: text.as_bytes().to_vec(),
        after_break: false,
    }];
    let limits = RefLimits::default();
    let out = strip_in(Reading::TEXT, &input, &limits, &RefVocabulary::default());
    String::from_utf8(out).expect("UTF-8")
}

impl Injected {
    /// Annotations or markers at places where removing them gives the text back; if it has some itself, the text without these.
    fn draw(clean: &str, insertion: Insertion, random: &mut Random) -> Self {
        let mut injected = Self {
            clean: clean.into(),
            text: clean.into(),
            added: Vec::new(),
        };
        let ends = clean
            .char_indices()
            .filter(|(_, char)| !char.is_whitespace());
        let places: Vec<usize> = ends.map(|(place, char)| place + char.len_utf8()).collect();
        if places.is_empty() {
            return injected;
        }
        let expected = (insertion.strip)(clean);
        for _ in 0..1 + random.below(5) {
            let mut place = places[random.below(places.len())];
            if random.one_in(2) {
                // More often where a sentence ends.
                let rest = clean[place..].find(['.', '!']);
                place = rest.map_or(place, |rest| place + rest + 1);
            }
            let before = injected.clone();
            injected
                .added
                .push((place, insertion.texts[random.below(insertion.texts.len())]));
            injected.added.sort_by_key(|(place, _)| *place);
            injected.text = injected.upto(clean.len(), true);
            if (insertion.strip)(&injected.text) != expected {
                injected = before;
            }
        }
        injected
    }

    /// What the clean text up to a place is now, with what was put right there or without.
    fn upto(&self, place: usize, with: bool) -> String {
        let mut out = String::new();
        let mut from = 0;
        for (at, annotation) in &self.added {
            if *at > place || (*at == place && !with) {
                break;
            }
            out += &self.clean[from..*at];
            out += annotation;
            from = *at;
        }
        out + &self.clean[from..place]
    }

    /// An offset into the clean text, in the unit, as one into the text now.
    fn moved(&self, offset: u64, unit: Unit, with: bool) -> Option<u64> {
        let offset = usize::try_from(offset).ok()?;
        match unit {
            Unit::Bytes => {
                let is_place = self.clean.is_char_boundary(offset);
                is_place.then(|| self.upto(offset, with).len() as u64)
            }
            Unit::Chars => {
                let mut places = self.clean.char_indices().map(|(place, _)| place);
                let place = places
                    .nth(offset)
                    .or_else(|| (self.clean.chars().count() == offset).then_some(self.clean.len()));
                Some(self.upto(place?, with).chars().count() as u64)
            }
        }
    }
}

/// The texts of a response.
pub(crate) type Texts = BTreeMap<Channel, Injected>;

/// Adds annotations or markers to the texts of a response, to what repeats them, and to what counts them.
pub(crate) fn inject(
    api: &Api,
    events: &[Event],
    insertion: Insertion,
    random: &mut Random,
) -> (Vec<Event>, Texts) {
    let mut events = events.to_vec();
    let slots = slots(api, &events);
    let mut clean: BTreeMap<Channel, String> = BTreeMap::new();
    for slot in &slots {
        clean
            .entry(slot.channel.clone())
            .or_default()
            .push_str(&slot.text);
    }
    // The same text gets the same insertions wherever it comes, so that what repeats it can be found.
    let mut drawn: BTreeMap<String, Injected> = BTreeMap::new();
    let mut draw = |text: String| {
        let draw = || Injected::draw(&text, insertion, random);
        drawn.entry(text.clone()).or_insert_with(draw).clone()
    };
    let texts = clean
        .into_iter()
        .map(|(channel, text)| (channel, draw(text)));
    let texts: Texts = texts.collect();
    for (event, data) in events.iter_mut().enumerate() {
        let Some(data) = &mut data.data else {
            continue;
        };
        let own: Vec<&str> = slots
            .iter()
            .filter(|slot| slot.event == event)
            .map(|slot| &*slot.pointer)
            .collect();
        repeat(data, "", &own, &texts);
        let with = random.one_in(2);
        ranges(api, data, &mut |range| {
            let [start, end] =
                [range.names.0, range.names.1].map(|name| range.object[name].as_u64().unwrap_or(0));
            let found = range.channels.iter().find_map(|channel| texts.get(channel));
            let only = texts.values().next().filter(|_| texts.len() == 1);
            let Some(text) = found.or(only) else {
                return;
            };
            let moved = text.moved(start, api.unit, true).zip(text.moved(
                end,
                api.unit,
                with || start == end,
            ));
            let Some(offsets) = moved.map(|(start, end)| [start, end]) else {
                return;
            };
            range.object[range.names.0] = json!(offsets[0]);
            range.object[range.names.1] = json!(offsets[1]);
            if range.object["text"].is_string() {
                range.object["text"] = json!(cut(&text.text, api.unit, offsets));
            }
        });
    }
    for (channel, text) in &texts {
        let own: Vec<&Slot> = slots
            .iter()
            .filter(|slot| slot.channel == *channel)
            .collect();
        spread(api, &mut events, &own, text, random);
    }
    (events, texts)
}

/// A range of a text.
fn cut(text: &str, unit: Unit, [start, end]: [u64; 2]) -> String {
    let (start, end) = (start as usize, end as usize);
    match unit {
        Unit::Bytes => text[start..end].into(),
        Unit::Chars => text.chars().skip(start).take(end - start).collect(),
    }
}

/// Replaces strings that repeat a whole text.
fn repeat(value: &mut Value, pointer: &str, own: &[&str], texts: &Texts) {
    match value {
        Value::String(string) if !string.is_empty() && !own.contains(&pointer) => {
            if let Some(text) = texts.values().find(|text| text.clean == *string) {
                string.clone_from(&text.text);
            }
        }
        Value::Array(elements) => {
            for (place, element) in elements.iter_mut().enumerate() {
                repeat(element, &format!("{pointer}/{place}"), own, texts);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                repeat(member, &format!("{pointer}/{name}"), own, texts);
            }
        }
        _ => {}
    }
}

/// Writes a text to its slots. Where each begins is drawn anew among slots with nothing between them but other texts.
fn spread(api: &Api, events: &mut [Event], slots: &[&Slot], text: &Injected, random: &mut Random) {
    let mut place = 0;
    let mut first = 0;
    let mut runs: Vec<(&[&Slot], String)> = Vec::new();
    let mut written = 0;
    for (number, slot) in slots.iter().enumerate() {
        place += slot.text.len();
        let next = slots.get(number + 1);
        let is_end = next.is_none_or(|next| {
            let name = |slot: &Slot| slot.pointer.rsplit('/').next().map(str::to_owned);
            let calls = events[slot.event].data.as_ref().is_some_and(has_call);
            next.event != slot.event + 1 || name(next) != name(slot) || calls
        });
        if is_end {
            // What was put at the end of a run belongs to it or, if it is not cut off by a tool call, to the next.
            let is_over = next.is_none() || events[slot.event].data.as_ref().is_some_and(has_call);
            let upto = text.upto(place, is_over || !api.is_one_text || random.one_in(2));
            runs.push((&slots[first..=number], upto[written..].to_owned()));
            (first, written) = (number + 1, upto.len());
        }
    }
    for (slots, text) in runs {
        let mut cuts: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        cuts.push(text.len());
        let mut ends: Vec<usize> = (1..slots.len())
            .map(|_| cuts[random.below(cuts.len())])
            .collect();
        ends.sort_unstable();
        ends.push(text.len());
        let mut start = 0;
        for (slot, end) in slots.iter().zip(ends) {
            let data = events[slot.event].data.as_mut().expect("JSON");
            *data.pointer_mut(&slot.pointer).expect("the slot") = json!(text[start..end]);
            start = end;
        }
    }
}

/// Whether an event has a tool call, which no annotation goes across.
fn has_call(event: &Value) -> bool {
    let json = event.to_string();
    ["\"tool_calls\":[{", "\"functionCall\":{"]
        .iter()
        .any(|call| json.contains(call))
}
