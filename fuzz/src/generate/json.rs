//! JSON: values, asserted objects with their provenance, MARC objects, and what is almost one of these.

use provstream_marc::{Draft, MarcKind};

use super::super::marc_objects::{Random, mutated};
use super::words::{CLASSES, TIMES, word};
use super::{Choices, MOST};

/// Strings as they are written, some of them none.
const STRINGS: [&str; 16] = [
    "\"It is so.\"",
    "\"\"",
    "\"a\"",
    "\"\\u00e9\\n\\\"\\\\\\/\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\ude00\\ud83d\"",
    "\"[substrate.grep]\"",
    "\"{\\\"a\\\":1}\"",
    "\"\u{e9}\u{1F600}\"",
    "\"~1/\"",
    "\"\u{7f}\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\n\"",
    "\"open",
];

const SCALARS: [&str; 18] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1.5e+3",
    "1E9",
    "0.5",
    "1e400",
    "12345678901234567890",
    "01",
    "+1",
    "1.",
    ".5",
    "nul",
    "NaN",
    "-",
];

const NAMES: [&str; 14] = [
    "\"a\"",
    "\"assertion\"",
    "\"provenance\"",
    "\"substrate_class\"",
    "\"observation_id\"",
    "\"observation-id\"",
    "\"ts\"",
    "\"\\u0061ssertion\"",
    "\"marc_version\"",
    "\"answer\"",
    "\"confidence_band\"",
    "\"uncertainty_source\"",
    "\"\"",
    "\"a/b~c\"",
];

/// Appends values and separators until the choices run out.
pub(super) fn any(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    while choices.go_on() && out.len() < MOST {
        match choices.below(4) {
            0 => record(choices, out),
            1 => value(choices, out, 6),
            2 => marc(choices, out),
            _ => out.extend_from_slice(choices.pick(&[",", ",", " ", "\n", "]", "]["]).as_bytes()),
        }
        if !choices.one_in(8) {
            out.extend_from_slice(choices.pick(&[",", ", "]).as_bytes());
        }
    }
    out.extend_from_slice(b"1");
}

fn white(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    if choices.one_in(8) {
        out.extend_from_slice(choices.pick(&[" ", "\n", "\t", "\r\n", "   "]).as_bytes());
    }
}

/// A value of at most this depth, mostly a sound one.
pub(super) fn value(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    white(choices, out);
    match choices.below(if depth == 0 { 6 } else { 12 }) {
        0..=2 => string(choices, out),
        3..=5 => {
            let sound = if choices.one_in(12) {
                SCALARS.len()
            } else {
                11
            };
            out.extend_from_slice(choices.pick(&SCALARS[..sound]).as_bytes());
        }
        6 | 7 => {
            out.push(b'[');
            let count = choices.below(5);
            for index in 0..count {
                if index > 0 {
                    out.push(b',');
                }
                value(choices, out, depth - 1);
            }
            out.push(b']');
        }
        8 | 9 => {
            out.push(b'{');
            let count = choices.below(5);
            for index in 0..count {
                if index > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(choices.pick(&NAMES).as_bytes());
                white(choices, out);
                out.push(b':');
                value(choices, out, depth - 1);
            }
            out.push(b'}');
        }
        _ => record(choices, out),
    }
    white(choices, out);
}

fn string(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    if choices.one_in(4) {
        let word = String::from_utf8_lossy(word(choices)).into_owned();
        out.extend_from_slice(serde_json::Value::from(word).to_string().as_bytes());
        return;
    }
    let sound = if choices.one_in(12) {
        STRINGS.len()
    } else {
        12
    };
    out.extend_from_slice(choices.pick(&STRINGS[..sound]).as_bytes());
}

/// An asserted object, with a fault now and then.
pub(super) fn record(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{");
    if choices.one_in(2) {
        out.extend_from_slice(b"\"id\":");
        value(choices, out, 1);
        out.push(b',');
    }
    if choices.one_in(3) {
        provenances(choices, out);
        out.push(b',');
        asserted(choices, out);
    } else {
        asserted(choices, out);
        for _ in 0..choices.pick(&[1, 1, 1, 1, 0, 2]) {
            out.push(b',');
            provenances(choices, out);
        }
    }
    if choices.one_in(12) {
        out.extend_from_slice(b",\"assertion\":");
        string(choices, out);
    }
    if choices.one_in(4) {
        out.extend_from_slice(b",\"in\":");
        value(choices, out, 1);
    }
    out.extend_from_slice(
        choices
            .pick(&["}", "}", "}", "}", ",\"x\":[]}", "]"])
            .as_bytes(),
    );
}

/// A member `assertion`.
fn asserted(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"assertion\":");
    if choices.one_in(10) {
        value(choices, out, 1);
    } else {
        string(choices, out);
    }
}

/// A member `provenance`.
fn provenances(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"provenance\":");
    if choices.one_in(10) {
        value(choices, out, 2);
    } else if choices.one_in(2) {
        out.push(b'[');
        for index in 0..choices.below(4) {
            if index > 0 {
                out.push(b',');
            }
            provenance(choices, out);
        }
        out.push(b']');
    } else {
        provenance(choices, out);
    }
}

fn provenance(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"substrate_class\":");
    if choices.one_in(8) {
        value(choices, out, 1);
    } else {
        out.extend_from_slice(format!("\"{}\"", choices.pick(&CLASSES)).as_bytes());
    }
    for name in ["observation_id", "observation-id", "ts", "note"] {
        if choices.one_in(3) {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            match choices.below(3) {
                0 => out.extend_from_slice(format!("\"{}\"", choices.pick(&TIMES)).as_bytes()),
                1 => string(choices, out),
                _ => value(choices, out, 1),
            }
        }
    }
    out.push(b'}');
}

/// A MARC object with up to three changes, or with a member more.
pub(super) fn marc(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let kind = choices.pick(&[MarcKind::Core, MarcKind::Disclosure]);
    let draft = choices.pick(Draft::ALL);
    let object = mutated(kind, draft, &mut Random::new(choices.seed())).to_json();
    if choices.one_in(4) {
        // Documents set a member once; here it may stand there twice.
        out.push(b'{');
        out.extend_from_slice(choices.pick(&NAMES).as_bytes());
        out.push(b':');
        value(choices, out, 2);
        let rest = object.strip_prefix('{').unwrap_or(&object);
        if rest != "}" {
            out.push(b',');
        }
        out.extend_from_slice(rest.as_bytes());
    } else {
        out.extend_from_slice(object.as_bytes());
    }
}
