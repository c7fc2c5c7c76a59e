//! TOML: vocabulary files, dialects, and descriptions of deployments as edits of the examples.

use super::Choices;

/// Examples that have every key, and as few as there can be.
const DEPLOYMENTS: [&str; 2] = [
    include_str!("../../../corpus/marc/deployment.toml"),
    include_str!("../../../corpus/marc/deployment-minimal.toml"),
];

const VALUES: [&str; 16] = [
    "\"\"",
    "\"x\"",
    "0",
    "1",
    "-1",
    "0.5",
    "1.5",
    "nan",
    "true",
    "[]",
    "[\"core\"]",
    "{}",
    "\"2s\"",
    "\"1h30m\"",
    "2026-05-28T11:40:00Z",
    "[",
];

/// A vocabulary file with a few classes.
pub(super) fn vocabulary(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const VERSIONS: [&str; 8] = [
        "1.0",
        "1.1",
        "1.20",
        "2.0",
        "0.9",
        "01.1",
        "1",
        "4294967296.0",
    ];
    const NAMES: [&str; 11] = [
        "substrate.x",
        "substrate.grep",
        "substrate.sql.query",
        "substrate.",
        "substrate.X",
        "note",
        "unverified-inference",
        "decayed-to-uncertainty",
        "1.0.substrate.x",
        "substrate.é",
        "substrate.a-b_c.d1",
    ];
    let mut text = String::new();
    if !choices.one_in(12) {
        text += &format!("version = \"{}\"\n", choices.pick(&VERSIONS));
    }
    while choices.go_on() && text.len() < 2_000 {
        text += choices.pick(&[
            "[[class]]\n",
            "[[class]]\n",
            "[class]\n",
            "# note\n",
            "[[ class ]]\r\n",
        ]);
        if !choices.one_in(12) {
            text += &format!("id = \"{}\"\n", choices.pick(&NAMES));
        }
        if choices.one_in(8) {
            text += &format!("since = {}\n", choices.pick(&VALUES));
        } else {
            text += &format!("since = \"{}\"\n", choices.pick(&VERSIONS));
        }
        if choices.one_in(12) {
            text += &format!("more = {}\n", choices.pick(&VALUES));
        }
    }
    out.extend_from_slice(text.as_bytes());
}

/// Parts of the forms of a dialect.
const FORMS: [&str; 16] = [
    r"\[",
    r"\]",
    "【",
    "】",
    r"\{\{kb:",
    r"\}\}",
    "<co: ?",
    ">",
    "</co: ?[0-9]>",
    "[0-9]{1,3}",
    "[a-z]+",
    ".",
    "(?:ab|a)",
    "é{2,4}",
    r"\d{1,9}",
    " ?, ?",
];

/// Parts with which a dialect is mostly refused.
const REFUSED_FORMS: [&str; 8] = [
    "",
    "x?",
    ".*",
    "[^ ]*",
    "^a",
    "(",
    "(?:a{90}){90}",
    r"\w{50}",
];

/// A part of a form, seldom one with which a dialect is refused.
fn form(choices: &mut Choices<'_>) -> &'static str {
    match choices.one_in(24) {
        true => choices.pick(&REFUSED_FORMS),
        false => choices.pick(&FORMS),
    }
}

/// A dialect of a few tables.
pub(super) fn dialect(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const KEYS: [&str; 5] = ["close", "id", "separator", "range", "end"];
    const OTHERS: [(&str, [&str; 4]); 6] = [
        ("max", ["5", "64", "4096", "4097"]),
        ("repeat", ["true", "true", "true", "false"]),
        ("guard", ["'number'", "'number'", "'link'", "'x'"]),
        ("attached", ["'always'", "'never'", "'listed'", "'x'"]),
        ("labels", ["['x']", "['rains']", "[]", "[1]"]),
        ("not_after", ["['in']", "['rains', 'x']", "[]", "1"]),
    ];
    let mut text = String::from("name = 'own'\n");
    while choices.go_on() && text.len() < 300 {
        text += "[[marker]]\n";
        text += &format!("open = '{}'\n", form(choices));
        let count = choices.below(KEYS.len() + 1);
        for key in KEYS.iter().take(count) {
            text += &format!("{key} = '{}'\n", form(choices));
        }
        for (key, values) in OTHERS {
            if choices.one_in(6) {
                // The last value is mostly refused.
                let count = if choices.one_in(6) { 4 } else { 3 };
                text += &format!("{key} = {}\n", values[choices.below(count)]);
            }
        }
    }
    out.extend_from_slice(text.as_bytes());
}

/// An example with a few lines changed, doubled or left out.
pub(super) fn deployment(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let example = choices.pick(&DEPLOYMENTS);
    let mut lines: Vec<String> = example
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(str::to_owned)
        .collect();
    for _ in 0..choices.below(6) {
        let (at, other) = (choices.below(lines.len()), choices.below(lines.len()));
        match choices.below(5) {
            0 => {
                lines.remove(at);
            }
            1 => {
                let line = lines[other].clone();
                lines.insert(at, line);
            }
            2 => lines.swap(at, other),
            3 => {
                let key = lines[at].split(" = ").next().unwrap_or_default();
                lines[at] = format!("{key} = {}", choices.pick(&VALUES));
            }
            _ => {
                let key = lines[at].split(" = ").next().unwrap_or_default().to_owned();
                let value = lines[other].split(" = ").nth(1).unwrap_or("0");
                lines[at] = format!("{key} = {value}");
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    out.extend_from_slice(lines.join("\n").as_bytes());
}
