//! The strings at JSON Pointers of a JSON value, such as a line or row of an archive.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::Range;
use std::slice;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as _, de::Error};
use serde_json::value::RawValue;

/// A JSON Pointer (RFC 6901), for archives of JSON that have free text in a string. A token `*` is every element of an array or
/// member of an object.
///
/// ```
/// use provstream_providers::Pointer;
///
/// let pointer: Pointer = "/choices/0/text".parse()?;
/// let found = pointer.find(br#"{"choices":[{"text":"It is so. [substrate.grep]"}]}"#).unwrap();
/// assert_eq!(found.texts[0].text, "It is so. [substrate.grep]");
/// let pointer: Pointer = "/messages/*/content".parse()?;
/// let found = pointer.find(br#"{"messages":[{"content":"Why?"},{"content":"So."}]}"#).unwrap();
/// assert_eq!((&*found.texts[1].text, &*found.texts[1].pointer), ("So.", "/messages/1/content"));
/// # Ok::<(), provstream_providers::PointerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    text: Arc<str>,
    tokens: Vec<String>,
}

impl Pointer {
    /// The pointer as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns `true` if a token is `*`, so that several values can be at the pointer.
    #[must_use]
    pub fn has_wildcard(&self) -> bool {
        self.tokens.iter().any(|token| token == ALL)
    }

    /// Returns the strings at the pointer in a JSON value; `None` if the input is not JSON. Repeated members all
    /// count, because a reader may use any of them.
    #[must_use]
    pub fn find<'a>(&self, json: &'a [u8]) -> Option<PointerTexts<'a>> {
        Self::find_all(slice::from_ref(self), json)
    }

    /// Returns the strings at several pointers in a JSON value, pointer by pointer; `None` if the input is not JSON.
    ///
    /// An array or object at one pointer counts as read if a longer pointer leads into it, and finds a string or null there or
    /// the value is empty:
    ///
    /// ```
    /// use provstream_providers::Pointer;
    ///
    /// let pointers: [Pointer; 2] = ["/content".parse()?, "/content/*/text".parse()?];
    /// for json in [r#"{"content":"So."}"#, r#"{"content":[{"type":"text","text":"So."}]}"#] {
    ///     let found = Pointer::find_all(&pointers, json.as_bytes()).unwrap();
    ///     assert_eq!((&*found.texts[0].text, found.has_other), ("So.", false));
    /// }
    /// # Ok::<(), provstream_providers::PointerError>(())
    /// ```
    #[must_use]
    pub fn find_all<'a>(pointers: &[Self], json: &'a [u8]) -> Option<PointerTexts<'a>> {
        let mut found = PointerTexts::default();
        let mut beside = Vec::with_capacity(pointers.len());
        for (index, pointer) in pointers.iter().enumerate() {
            let mut search = Search {
                pointer,
                index,
                json,
                texts: &mut found.texts,
                beside: NotStrings::default(),
                meant: Vec::new(),
            };
            search.run().ok()?;
            beside.push(search.beside);
        }
        for (pointer, values) in pointers.iter().zip(&beside) {
            if values.others.is_empty() {
                continue;
            }
            if let Some(kind) = values.unread(&read_within(pointer, pointers, &found, &beside)) {
                found.has_other = true;
                found.missing.get_or_insert_with(|| {
                    format!("expected a string at {}, found {kind}", pointer.as_str())
                });
            }
        }
        if found.texts.is_empty() && beside.iter().all(|values| values.nulls.is_empty()) {
            let names: Vec<_> = pointers.iter().map(Self::as_str).collect();
            found
                .missing
                .get_or_insert_with(|| format!("nothing at {}", names.join(" or ")));
        }
        Some(found)
    }

    /// Returns `true` if the pointer leads further into the values of another one.
    fn extends(&self, other: &Self) -> bool {
        let mut pairs = self.tokens.iter().zip(&other.tokens);
        self.tokens.len() > other.tokens.len()
            && pairs.all(|(own, other)| own == other || own == ALL || other == ALL)
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
            text: text.into(),
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
                let example = match text.trim_start_matches(['$', '.']) {
                    "" => "text".to_owned(),
                    // Of other languages for paths, `.a[0].b`, `$.a[*].b` and `a[].b`.
                    path => path
                        .replace("[]", "/*")
                        .replace(['.', '['], "/")
                        .replace(']', ""),
                };
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

/// Strings at pointers.
#[derive(Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PointerTexts<'a> {
    /// The strings, pointer by pointer.
    pub texts: Vec<PointerText<'a>>,
    /// Message about the first value that is neither a string nor null, or about pointers at which nothing is.
    pub missing: Option<String>,
    /// `true` if a value that is neither a string nor null was not read.
    pub has_other: bool,
}

/// A string at a pointer.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PointerText<'a> {
    /// Index of the pointer that it was found with.
    pub index: usize,
    /// Its own pointer, without `*`. Of a member's name in the place of a `*`, at most 64 characters are kept.
    pub pointer: Arc<str>,
    /// The string, decoded.
    pub text: Cow<'a, str>,
    /// Range in the JSON, with the quotes.
    pub span: Range<usize>,
}

/// Values at a pointer that are not strings.
#[derive(Default)]
struct NotStrings {
    /// Offsets of nulls.
    nulls: Vec<usize>,
    others: Vec<OtherValue>,
}

/// A value that is neither a string nor null.
struct OtherValue {
    kind: &'static str,
    span: Range<usize>,
    is_empty: bool,
}

impl NotStrings {
    /// Returns the type of the first value that was not read, if the strings and nulls at these sorted offsets were. Without
    /// offsets, no other pointer leads into the values.
    fn unread(&self, read: &Option<Vec<usize>>) -> Option<&'static str> {
        let is_read = |other: &OtherValue| {
            read.as_ref().is_some_and(|read| {
                let next = read.partition_point(|&at| at < other.span.start);
                other.is_empty || read.get(next).is_some_and(|&at| at < other.span.end)
            })
        };
        let other = self.others.iter().find(|&other| !is_read(other));
        other.map(|other| other.kind)
    }
}

/// Returns the sorted offsets of all strings and nulls at pointers that lead further into the values of `pointer`; `None` if
/// no pointer does.
fn read_within(
    pointer: &Pointer,
    pointers: &[Pointer],
    found: &PointerTexts<'_>,
    beside: &[NotStrings],
) -> Option<Vec<usize>> {
    let further: Vec<_> = pointers
        .iter()
        .map(|other| other.extends(pointer))
        .collect();
    if !further.contains(&true) {
        return None;
    }
    let texts = found.texts.iter().filter(|text| further[text.index]);
    let mut read: Vec<_> = texts.map(|text| text.span.start).collect();
    for (values, _) in beside.iter().zip(&further).filter(|(_, further)| **further) {
        read.extend_from_slice(&values.nulls);
    }
    read.sort_unstable();
    Some(read)
}

/// A search for the values at a pointer.
struct Search<'s, 'a> {
    pointer: &'s Pointer,
    index: usize,
    json: &'a [u8],
    texts: &'s mut Vec<PointerText<'a>>,
    beside: NotStrings,
    /// Element or member in the place of each `*` so far.
    meant: Vec<Meant<'a>>,
}

/// Element or member in the place of a `*`.
enum Meant<'a> {
    Element(usize),
    Member(Cow<'a, str>),
}

impl<'a> Search<'_, 'a> {
    fn run(&mut self) -> serde_json::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_slice(self.json);
        let tokens = &self.pointer.tokens;
        let search = self;
        Seek { tokens, search }.deserialize(&mut deserializer)?;
        deserializer.end()
    }

    /// Takes a value at the pointer.
    fn take<E: Error>(&mut self, value: &'a str) -> Result<(), E> {
        let start = value.as_ptr() as usize - self.json.as_ptr() as usize;
        let span = start..start + value.len();
        let kind = match value.as_bytes().first() {
            Some(b'"') => {
                // Fast path: the raw value is checked, and without escapes it is the text.
                let text = match memchr::memchr(b'\\', value.as_bytes()).is_some() {
                    true => serde_json::from_str(value).map_err(E::custom)?,
                    false => Name(value[1..value.len() - 1].into()),
                };
                self.texts.push(PointerText {
                    index: self.index,
                    pointer: self.value_pointer(),
                    text: text.0,
                    span,
                });
                return Ok(());
            }
            Some(b'n') => {
                self.beside.nulls.push(start);
                return Ok(());
            }
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b't' | b'f') => "a boolean",
            _ => "a number",
        };
        let is_empty = matches!(value.as_bytes(), [b'{' | b'[', white @ .., _] if white.trim_ascii().is_empty());
        self.beside.others.push(OtherValue {
            kind,
            span,
            is_empty,
        });
        Ok(())
    }

    /// Returns the pointer of the current value.
    fn value_pointer(&self) -> Arc<str> {
        if self.meant.is_empty() {
            return self.pointer.text.clone();
        }
        let mut meant = self.meant.iter();
        let mut text = String::new();
        for token in &self.pointer.tokens {
            text.push('/');
            match (token == ALL).then(|| meant.next()).flatten() {
                // Writing to a string always succeeds.
                Some(Meant::Element(index)) => drop(write!(text, "{index}")),
                Some(Meant::Member(name)) => push_escaped(&mut text, name, MAX_NAME),
                None => push_escaped(&mut text, token, usize::MAX),
            }
        }
        text.into()
    }
}

/// Looks for the value at the tokens.
struct Seek<'t, 's, 'a> {
    tokens: &'t [String],
    search: &'t mut Search<'s, 'a>,
}

impl<'a> DeserializeSeed<'a> for Seek<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        if !self.tokens.is_empty() {
            return deserializer.deserialize_any(self);
        }
        let value = <&'a RawValue>::deserialize(deserializer)?.get();
        self.search.take(value)
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
        let Some((token, tokens)) = self.tokens.split_first() else {
            return Ok(());
        };
        let search = self.search;
        while let Some(name) = members.next_key::<Name<'a>>()? {
            if token == ALL {
                search.meant.push(Meant::Member(name.0));
                members.next_value_seed(Seek {
                    tokens,
                    search: &mut *search,
                })?;
                search.meant.pop();
            } else if name.0 == *token {
                members.next_value_seed(Seek {
                    tokens,
                    search: &mut *search,
                })?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut elements: A) -> Result<(), A::Error> {
        let Some((token, tokens)) = self.tokens.split_first() else {
            return Ok(());
        };
        let search = self.search;
        // RFC 6901 4: no leading zeros.
        let is_index = token == "0" || !token.starts_with(['0', '+']);
        let wanted = token.parse::<usize>().ok().filter(|_| is_index);
        for index in 0.. {
            let element = if token == ALL {
                search.meant.push(Meant::Element(index));
                let element = elements.next_element_seed(Seek {
                    tokens,
                    search: &mut *search,
                })?;
                search.meant.pop();
                element
            } else if wanted == Some(index) {
                elements.next_element_seed(Seek {
                    tokens,
                    search: &mut *search,
                })?
            } else {
                elements.next_element::<IgnoredAny>()?.map(|_| ())
            };
            if element.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// Writes a token of a pointer, cut after `max` characters.
fn push_escaped(pointer: &mut String, name: &str, max: usize) {
    for (at, character) in name.chars().enumerate() {
        match character {
            _ if at == max => return pointer.push('…'),
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Maximum length of a member's name in the pointer of a string, in characters.
const MAX_NAME: usize = 64;

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
        found
            .texts
            .into_iter()
            .map(|text| text.text.into_owned())
            .collect()
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
        let spans = found.texts.iter().map(|text| &json[text.span.clone()]);
        assert_eq!(spans.collect::<Vec<_>>(), [r#""x\u0041""#, r#""y""#]);
        let message = "expected a string at /m/*/c, found an array";
        assert_eq!(found.missing.as_deref(), Some(message));
        assert!(found.has_other);
    }

    #[test]
    fn each_string_has_its_own_pointer() {
        let json = r#"{"a/b":[{"c~":"x"},{"d":"y","d":"z"}],"e":[["w"]]}"#;
        let pointers = |pointer: &str| -> Vec<String> {
            let pointer: Pointer = pointer.parse().unwrap();
            let found = pointer.find(json.as_bytes()).unwrap();
            let texts = found.texts.iter();
            texts.map(|text| text.pointer.to_string()).collect()
        };
        assert_eq!(
            pointers("/a~1b/*/*"),
            ["/a~1b/0/c~0", "/a~1b/1/d", "/a~1b/1/d"]
        );
        assert_eq!(pointers("/*/0/c~0"), ["/a~1b/0/c~0"]);
        assert_eq!(pointers("/e/0/0"), ["/e/0/0"]);
        // A name must not make each of many pointers long.
        let long = format!(r#"{{"{}":["x"]}}"#, "é".repeat(1_000));
        let pointer: Pointer = "/*/*".parse().unwrap();
        let found = pointer.find(long.as_bytes()).unwrap();
        assert_eq!(*found.texts[0].pointer, *format!("/{}…/0", "é".repeat(64)));
    }

    #[test]
    fn a_longer_pointer_reads_what_a_shorter_one_does_not() {
        let pointers = ["/m/*/c", "/m/*/c/*/t"].map(|text| text.parse().unwrap());
        for (value, texts, missing) in [
            (r#""x""#, &["x"][..], None),
            (r#"[{"t":"x"},{"i":1},{"t":"y"}]"#, &["x", "y"], None),
            (r#"[{"t":null}]"#, &[], None),
            ("[ ]", &[], Some("nothing at /m/*/c or /m/*/c/*/t")),
            (
                r#"[{"i":1}]"#,
                &[],
                Some("expected a string at /m/*/c, found an array"),
            ),
            (
                "1",
                &[],
                Some("expected a string at /m/*/c, found a number"),
            ),
            (
                r#"[{"t":["x"]}]"#,
                &[],
                Some("expected a string at /m/*/c, found an array"),
            ),
            (
                r#"[{"t":"x"},{"t":1}]"#,
                &["x"],
                Some("expected a string at /m/*/c/*/t, found a number"),
            ),
        ] {
            let json = format!(r#"{{"m":[{{"c":{value}}}]}}"#);
            let found = Pointer::find_all(&pointers, json.as_bytes()).unwrap();
            assert_eq!(
                found
                    .texts
                    .iter()
                    .map(|text| &*text.text)
                    .collect::<Vec<_>>(),
                texts
            );
            assert_eq!(found.missing.as_deref(), missing, "{value}");
            assert_eq!(
                found.has_other,
                missing.is_some_and(|it| it.starts_with("expected"))
            );
            // Another message with a string does not make it read.
            let json =
                format!(r#"{{"m":[{{"c":[{{"t":"z"}}]}},{{"c":{value}}},{{"c":[{{"t":"z"}}]}}]}}"#);
            let beside = Pointer::find_all(&pointers, json.as_bytes()).unwrap();
            assert_eq!(beside.has_other, found.has_other, "{value}");
        }
    }

    #[test]
    fn other_values_are_known() {
        let pointer: Pointer = "/a".parse().unwrap();
        for (json, missing) in [
            (
                r#"{"a":1}"#,
                Some("expected a string at /a, found a number"),
            ),
            (
                r#"{"a":1.5}"#,
                Some("expected a string at /a, found a number"),
            ),
            (
                r#"{"a":true}"#,
                Some("expected a string at /a, found a boolean"),
            ),
            (
                r#"{"a":[]}"#,
                Some("expected a string at /a, found an array"),
            ),
            (
                r#"{"a":{"b":"c"}}"#,
                Some("expected a string at /a, found an object"),
            ),
            (r#"{"a":null}"#, None),
            (r#"{"b":1}"#, Some("nothing at /a")),
            (r#"[1]"#, Some("nothing at /a")),
        ] {
            let found = pointer.find(json.as_bytes()).unwrap();
            assert_eq!(found.missing.as_deref(), missing, "{json}");
            let is_other = missing.is_some_and(|it| it.starts_with("expected"));
            assert_eq!(found.has_other, is_other, "{json}");
        }
        assert!(pointer.find(b"{\"a\":1} x").is_none());
        assert!(pointer.find(b"{\"a\":").is_none());
    }

    #[test]
    fn pointers_begin_with_a_slash() {
        for bad in ["", "a", "/~2", "/a~"] {
            assert!(bad.parse::<Pointer>().is_err(), "{bad}");
        }
        for (path, example) in [
            ("", "/text"),
            ("text", "/text"),
            ("m/*/c", "/m/*/c"),
            ("$.m[*].c", "/m/*/c"),
            (".m[].c", "/m/*/c"),
            ("m[0].c", "/m/0/c"),
        ] {
            let error = path.parse::<Pointer>().unwrap_err().to_string();
            assert!(error.ends_with(&format!(" such as {example}")), "{error}");
        }
    }
}
