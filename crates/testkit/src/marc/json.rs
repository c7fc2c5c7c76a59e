//! JSON as it may be written, for proptest: numbers, escapes and white space in every form.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::generate::Random;

/// A JSON value whose parts are kept as they are written.
#[derive(Clone, Debug)]
pub enum Json {
    /// A string, number or literal.
    Scalar(String),
    Array(Vec<Json>),
    /// Names with their quotes; the same name may stand there twice.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Without white space outside of strings.
    pub fn compact(&self) -> String {
        self.spaced(&mut |_: &mut String| {})
    }

    /// With white space wherever it may stand, by chance.
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

/// What strings are made of, as it is written.
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

/// A string with its quotes.
pub fn string() -> impl Strategy<Value = String> {
    vec(select(PIECES), 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// A number.
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

/// Any value, of some depth.
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

/// An object.
pub fn object() -> impl Strategy<Value = Json> {
    vec((string(), value()), 0..8).prop_map(Json::Object)
}
