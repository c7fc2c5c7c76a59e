//! Walking over the JSON of an event without building a tree: what is wanted is borrowed from the event's bytes.

use core::fmt;
use core::ops::Range;
use std::borrow::Cow;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
pub(super) use serde_json::value::RawValue;

/// The JSON value that is all of `data`, white space aside.
pub(super) fn parse(data: &[u8]) -> Option<&RawValue> {
    serde_json::from_str(core::str::from_utf8(data).ok()?).ok()
}

/// The values of these members, of repeated ones the last as clients take it; none if the value is no object.
pub(super) fn members<'a, const N: usize>(
    value: &'a RawValue,
    names: [&str; N],
) -> [Option<&'a RawValue>; N] {
    let mut found = [None; N];
    if value.get().starts_with('{') {
        let mut json = serde_json::Deserializer::from_str(value.get());
        // The value was found to be well-formed before.
        let _ = json.deserialize_map(Members {
            names: &names,
            found: &mut found,
        });
    }
    found
}

/// The value of one member.
pub(super) fn member<'a>(value: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    let [found] = members(value, [name]);
    found
}

/// Calls for each member in order, not at all if the value is no object.
pub(super) fn entries<'a>(value: &'a RawValue, each: impl FnMut(&[u8], &'a RawValue)) {
    if value.get().starts_with('{') {
        let mut json = serde_json::Deserializer::from_str(value.get());
        // The value was found to be well-formed before.
        let _ = json.deserialize_map(Entries(each));
    }
}

/// The value at the end of a path of members.
pub(super) fn at<'a>(value: &'a RawValue, path: &[&str]) -> Option<&'a RawValue> {
    path.iter()
        .try_fold(value, |value, name| member(value, name))
}

/// Calls for each element in order, not at all if the value is no array.
pub(super) fn elements<'a>(value: Option<&'a RawValue>, each: impl FnMut(&'a RawValue)) {
    if let Some(value) = value
        && value.get().starts_with('[')
    {
        let mut json = serde_json::Deserializer::from_str(value.get());
        // The value was found to be well-formed before.
        let _ = json.deserialize_seq(Elements(each));
    }
}

/// What stands between the quotes of a string; none if the value is no string.
pub(super) fn string(value: &RawValue) -> Option<&str> {
    value.get().strip_prefix('"')?.strip_suffix('"')
}

/// The text of a string, with U+FFFD for a lone surrogate; none if the value is no string.
pub(super) fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    string(value).map(decode)
}

/// The text that the content of a string stands for.
pub(super) fn decode(content: &str) -> Cow<'_, str> {
    provstream::json::decode(content.as_bytes(), content.contains('\\')).text
}

/// Whether the value is there and not null.
pub(super) fn is_set(value: Option<&RawValue>) -> bool {
    value.is_some_and(|value| value.get() != "null")
}

/// Where `part`, which is borrowed from `data`, stands in it.
pub(super) fn place(data: &[u8], part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(data.as_ptr().addr())?;
    let end = start + part.len();
    (end <= data.len()).then_some(start..end)
}

/// Appends a text as a JSON string writes it, without the quotes.
pub(super) fn push_content(out: &mut Vec<u8>, text: &str) {
    // Only a map with other keys than strings, or a failing writer, could fail.
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let content = quoted
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    out.extend_from_slice(content.unwrap_or_default().as_bytes());
}

struct Members<'n, 'f, 'a, const N: usize> {
    names: &'n [&'n str; N],
    found: &'f mut [Option<&'a RawValue>; N],
}

impl<'a, const N: usize> Visitor<'a> for Members<'_, '_, 'a, N> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Name(self.names))? {
            match name.and_then(|name| self.found.get_mut(name)) {
                Some(found) => *found = Some(map.next_value()?),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Which of the names a member has.
struct Name<'n>(&'n [&'n str]);

impl<'a> DeserializeSeed<'a> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: serde::Deserializer<'a>>(self, json: D) -> Result<Self::Value, D::Error> {
        // As bytes, so that a lone surrogate in a name is no error.
        json.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name.as_bytes() == bytes))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.visit_bytes(text.as_bytes())
    }
}

struct Entries<F>(F);

impl<'a, F: FnMut(&[u8], &'a RawValue)> Visitor<'a> for Entries<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(AnyName)? {
            (self.0)(&name, map.next_value()?);
        }
        Ok(())
    }
}

/// The bytes of a name.
struct AnyName;

impl<'a> DeserializeSeed<'a> for AnyName {
    type Value = Vec<u8>;

    fn deserialize<D: serde::Deserializer<'a>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_bytes(self)
    }
}

impl Visitor<'_> for AnyName {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(bytes.to_vec())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.visit_bytes(text.as_bytes())
    }
}

struct Elements<F>(F);

impl<'a, F: FnMut(&'a RawValue)> Visitor<'a> for Elements<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element()? {
            (self.0)(element);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_repeated_members_is_taken() {
        let value = parse(br#" {"a": 1, "b": {"a": 2}, "a": [3]} "#).expect("JSON");
        let [a, b, c] = members(value, ["a", "b", "c"]).map(|found| found.map(RawValue::get));
        assert_eq!((a, b, c), (Some("[3]"), Some(r#"{"a": 2}"#), None));
    }

    #[test]
    fn names_are_compared_as_decoded_and_may_hold_lone_surrogates() {
        let value = parse(br#"{"\ud800": 1, "\u0061": 2}"#).expect("JSON");
        assert_eq!(member(value, "a").map(RawValue::get), Some("2"));
    }

    #[test]
    fn entries_come_in_order_with_every_repeated_one() {
        let value = parse(br#"{"a": 1, "\u0062": {"a": 2}, "a": [3], "\ud800": 4}"#).expect("JSON");
        let mut found = Vec::new();
        entries(value, |name, value| {
            found.push((name.to_vec(), value.get()));
        });
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_slice()).collect();
        assert_eq!(names[..3], [b"a", b"b", b"a"]);
        let values: Vec<_> = found.iter().map(|(_, value)| *value).collect();
        assert_eq!(values, ["1", r#"{"a": 2}"#, "[3]", "4"]);
        entries(parse(b"[1]").expect("JSON"), |_, _| panic!("no object"));
    }

    #[test]
    fn a_place_is_found_again_in_the_data() {
        let data = br#"{"x":["y", "zz"]}"#;
        let value = parse(data).expect("JSON");
        let mut places = Vec::new();
        elements(member(value, "x"), |element| {
            places.extend(string(element).and_then(|part| place(data, part)));
        });
        assert_eq!(places, [7..8, 12..14]);
        assert_eq!(
            place(
                &data[1..3],
                string(parse(b"\"\"").expect("JSON")).expect("a string")
            ),
            None
        );
    }
}
