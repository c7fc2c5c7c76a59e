//! The strings at a JSON Pointer of a JSON value, such as a line or row of an archive.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as _, de::Error as _};
use serde_json::value::RawValue;

/// A JSON Pointer (RFC 6901), for archives of JSON that have free text in a string. A token `*` is every element of an array or
/// member of an object.
///
/// ```
/// use provstream_providers::Pointer;
///
/// let pointer: Pointer = "/choices/0/text".parse()?;
/// let found = pointer.find(br#"{"choices":[{"text":"It is so. [substrate.grep]"}]}"#);
/// assert_eq!(found.unwrap().texts, ["It is so. [substrate.grep]"]);
/// let pointer: Pointer = "/messages/*/content".parse()?;
/// let found = pointer.find(br#"{"messages":[{"content":"Why?"},{"content":"So."}]}"#);
/// assert_eq!(found.unwrap().texts, ["Why?", "So."]);
/// # Ok::<(), provstream_providers::PointerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    text: String,
    tokens: Vec<String>,
}

impl Pointer {
    /// The pointer as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the values at the pointer in a JSON value; `None` if the input is not JSON. Repeated members all
    /// count, because a reader may use any of them.
    #[must_use]
    pub fn find<'a>(&self, json: &'a [u8]) -> Option<PointerTexts<'a>> {
        let mut found = PointerTexts::default();
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let seed = Seek {
            tokens: &self.tokens,
            json,
            found: &mut found,
        };
        seed.deserialize(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        Some(found)
    }
}

impl FromStr for Pointer {
    type Err = PointerError;

    /// Reads a pointer as RFC 6901 writes it. The pointer to the whole value, which is empty, is an error.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err(PointerError::NoSlash(text.into()));
        };
        let tokens: Result<_, _> = rest.split('/').map(unescape).collect();
        Ok(Self {
            text: text.to_owned(),
            tokens: tokens?,
        })
    }
}

fn unescape(token: &str) -> Result<String, PointerError> {
    let mut parts = token.split('~');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (character, rest) = match part.as_bytes().first() {
            Some(b'0') => ('~', &part[1..]),
            Some(b'1') => ('/', &part[1..]),
            _ => return Err(PointerError::Tilde),
        };
        name.push(character);
        name.push_str(rest);
    }
    Ok(name)
}

/// Why a text is not a [`Pointer`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PointerError {
    /// The pointer does not begin with `/`.
    NoSlash(Box<str>),
    /// A `~` is followed by neither `0` nor `1`.
    Tilde,
}

impl fmt::Display for PointerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSlash(text) => {
                let example = if text.is_empty() { "text" } else { text };
                write!(
                    f,
                    "expected a JSON Pointer, which begins with `/`, such as /{example}"
                )
            }
            Self::Tilde => f.write_str("expected `~0` for `~` or `~1` for `/` after a `~`"),
        }
    }
}

impl std::error::Error for PointerError {}

/// Values at a pointer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PointerTexts<'a> {
    /// The strings, decoded.
    pub texts: Vec<Cow<'a, str>>,
    /// The range of each string in the JSON, with its quotes.
    pub spans: Vec<Range<usize>>,
    /// Type of a value that is neither a string nor null, if there is one.
    pub other: Option<&'static str>,
    /// There is a null.
    pub has_null: bool,
}

/// Looks for the value at the tokens.
struct Seek<'t, 'f, 'a> {
    tokens: &'t [String],
    json: &'a [u8],
    found: &'f mut PointerTexts<'a>,
}

impl<'a> DeserializeSeed<'a> for Seek<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        if !self.tokens.is_empty() {
            return deserializer.deserialize_any(self);
        }
        let value = <&'a RawValue>::deserialize(deserializer)?.get();
        self.found.other = match value.as_bytes().first() {
            Some(b'"') => {
                // Fast path: the raw value is checked, and without escapes it is the text.
                let text = match memchr::memchr(b'\\', value.as_bytes()).is_some() {
                    true => serde_json::from_str(value).map_err(D::Error::custom)?,
                    false => Name(value[1..value.len() - 1].into()),
                };
                let start = value.as_ptr() as usize - self.json.as_ptr() as usize;
                self.found.texts.push(text.0);
                self.found.spans.push(start..start + value.len());
                return Ok(());
            }
            Some(b'n') => {
                self.found.has_null = true;
                return Ok(());
            }
            Some(b'{') => Some("an object"),
            Some(b'[') => Some("an array"),
            Some(b't' | b'f') => Some("a boolean"),
            _ => Some("a number"),
        };
        Ok(())
    }
}

impl<'a> Visitor<'a> for Seek<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'a>>(self, mut members: A) -> Result<(), A::Error> {
        let Some((token, rest)) = self.tokens.split_first() else {
            return Ok(());
        };
        while let Some(name) = members.next_key::<Name<'_>>()? {
            if token == ALL || name.0 == *token {
                members.next_value_seed(Seek {
                    tokens: rest,
                    json: self.json,
                    found: self.found,
                })?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut elements: A) -> Result<(), A::Error> {
        let Some((token, rest)) = self.tokens.split_first() else {
            return Ok(());
        };
        // RFC 6901 4: no leading zeros.
        let is_index = token == "0" || !token.starts_with(['0', '+']);
        let wanted = token.parse::<usize>().ok().filter(|_| is_index);
        let mut index = 0;
        loop {
            let element = if token == ALL || wanted == Some(index) {
                elements.next_element_seed(Seek {
                    tokens: rest,
                    json: self.json,
                    found: self.found,
                })?
            } else {
                elements.next_element::<IgnoredAny>()?.map(|_| ())
            };
            if element.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }
}

/// Token for every element or member.
const ALL: &str = "*";

/// The name of a member.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pointer: &str, json: &str) -> Vec<String> {
        let pointer: Pointer = pointer.parse().unwrap();
        let found = pointer.find(json.as_bytes()).unwrap();
        found.texts.into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn finds_strings() {
        let json = r#"{"a":{"b/c":[1,"x\u0041",{"~":"y"}]},"":"z","a":{"b/c":["w"]}}"#;
        assert_eq!(texts("/a/b~1c/1", json), ["xA"]);
        assert_eq!(texts("/a/b~1c/2/~0", json), ["y"]);
        assert_eq!(texts("/", json), ["z"]);
        assert_eq!(texts("/a/b~1c/01", json), [""; 0]);
        // Of two members of the same name both.
        assert_eq!(texts("/a/b~1c/0", json), ["w"]);
        assert_eq!(texts("/a", r#"{"a":"x","a":"y"}"#), ["x", "y"]);
    }

    #[test]
    fn every_element_or_member_can_be_meant() {
        let json = r#" {"m":[{"c":"x\u0041"},{"c":null},{"d":1},{"c":[]},"s",{"c":"y"}]} "#;
        assert_eq!(texts("/m/*/c", json), ["xA", "y"]);
        assert_eq!(texts("/*/0/*", json), ["xA"]);
        assert_eq!(texts("/m/*", json), ["s"]);
        let pointer: Pointer = "/m/*/c".parse().unwrap();
        let found = pointer.find(json.as_bytes()).unwrap();
        let spans = found.spans.iter().map(|span| &json[span.clone()]);
        assert_eq!(spans.collect::<Vec<_>>(), [r#""x\u0041""#, r#""y""#]);
        assert_eq!((found.other, found.has_null), (Some("an array"), true));
    }

    #[test]
    fn other_values_are_known() {
        let pointer: Pointer = "/a".parse().unwrap();
        for (json, other, has_null) in [
            (r#"{"a":1}"#, Some("a number"), false),
            (r#"{"a":1.5}"#, Some("a number"), false),
            (r#"{"a":true}"#, Some("a boolean"), false),
            (r#"{"a":[]}"#, Some("an array"), false),
            (r#"{"a":{"b":"c"}}"#, Some("an object"), false),
            (r#"{"a":null}"#, None, true),
            (r#"{"b":1}"#, None, false),
            (r#"[1]"#, None, false),
        ] {
            let found = pointer.find(json.as_bytes()).unwrap();
            let expected = PointerTexts {
                other,
                has_null,
                ..PointerTexts::default()
            };
            assert_eq!(found, expected, "{json}");
        }
        assert!(pointer.find(b"{\"a\":1} x").is_none());
        assert!(pointer.find(b"{\"a\":").is_none());
    }

    #[test]
    fn pointers_begin_with_a_slash() {
        for bad in ["", "a", "/~2", "/a~"] {
            assert!(bad.parse::<Pointer>().is_err(), "{bad}");
        }
    }
}
