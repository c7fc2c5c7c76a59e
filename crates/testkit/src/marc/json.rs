//! Proptest strategies for JSON in every notation of numbers, escapes and white space.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::generate::Random;

/// A JSON value that keeps the notation of its parts.
#[derive(Clone, Debug)]
pub enum Json {
    /// A string, number or literal.
    Scalar(String),
    Array(Vec<Json>),
    /// Members in order, names in quotes; names may repeat.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Writes the value without white space outside strings.
    pub fn compact(&self) -> String {
        self.spaced(&mut |_: &mut String| {})
    }

    /// Writes the value with random white space wherever JSON allows it.
    pub fn loose(&self, seed: u64) -> String {
        let mut random = Random::new(seed);
        self.spaced(&mut |json: &mut String| {
            if random.one_in(2) {
                json.push_str(random.pick(&[" ", "\n", "\t", "\r\n", "  \n\t "]));
            }
        })
    }

    fn spaced(&self, space: &mut dyn FnMut(&mut String)) -> String {
        let mut json = String::new();
        space(&mut json);
        self.write(&mut json, space);
        space(&mut json);
        json
    }

    fn write(&self, json: &mut String, space: &mut dyn FnMut(&mut String)) {
        let (open, close, len) = match self {
            Self::Scalar(scalar) => return json.push_str(scalar),
            Self::Array(items) => ('[', ']', items.len()),
            Self::Object(members) => ('{', '}', members.len()),
        };
        json.push(open);
        space(json);
        for index in 0..len {
            if index > 0 {
                json.push(',');
                space(json);
            }
            match self {
                Self::Array(items) => items[index].write(json, space),
                Self::Object(members) => {
                    let (name, value) = &members[index];
                    json.push_str(name);
                    space(json);
                    json.push(':');
                    space(json);
                    value.write(json, space);
                }
                Self::Scalar(_) => {}
            }
            space(json);
        }
        json.push(close);
    }
}

/// Building blocks of strings, as written in JSON.
const PIECES: &[&str] = &[
    "a",
    "b",
    " ",
    "  ",
    "/",
    "~",
    "{",
    "]",
    ":",
    ",",
    "\\\"",
    "\\\\",
    "\\/",
    "\\b\\f\\n\\r\\t",
    "\\u0061",
    "\\u00E9",
    "\\u00e9",
    "\\u0000",
    "\\ud83d\\ude80",
    "\\uD83D",
    "\\udE80",
    "\u{e9}",
    "\u{20ac}",
    "\u{1F680}",
    "\u{fffd}",
    "\u{7f}",
    "\u{2028}",
    "x_",
];

/// Generates a string in quotes.
pub fn string() -> impl Strategy<Value = String> {
    vec(select(PIECES), 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// Generates a number.
pub fn number() -> impl Strategy<Value = String> {
    let exact = select(
        &[
            "0",
            "-0",
            "1.0",
            "1e400",
            "-1E-400",
            "0.10",
            "1e+2",
            "0e0",
            "9007199254740993",
        ][..],
    );
    prop_oneof![
        exact.prop_map(str::to_owned),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,4})?",
    ]
}

/// Generates a value of limited depth.
pub fn value() -> impl Strategy<Value = Json> {
    let literal = select(&["null", "true", "false"][..]).prop_map(str::to_owned);
    let scalar = prop_oneof![literal, number(), string()].prop_map(Json::Scalar);
    scalar.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Json::Array),
            vec((string(), inner), 0..5).prop_map(Json::Object),
        ]
    })
}

/// Generates an object.
pub fn object() -> impl Strategy<Value = Json> {
    vec((string(), value()), 0..8).prop_map(Json::Object)
}
