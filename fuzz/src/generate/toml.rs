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
const FORMS: [&str; 24] = [
    r"\[",
    r"\]",
    "【",
    "】",
    r"\{\{kb:",
    r"\}\}",
    "<co: ?",
    "</co: ?[0-9]>",
    "[0-9]{1,3}",
    "(?:0|[1-9][0-9]{0,2})",
    "[a-z]+",
    "[^ ]*",
    ".",
    ".*",
    "x?",
    "(?:ab|a)",
    "(?i)a",
    "^a",
    "(",
    "é{2,4}",
    r"\d{1,9}",
    "",
    "(?:a{90}){90}",
    " ?, ?",
];

/// A dialect of a few tables.
pub(super) fn dialect(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const KEYS: [&str; 5] = ["close", "id", "separator", "range", "end"];
    const OTHERS: [&str; 9] = [
        "max = 5",
        "max = 64",
        "max = 4097",
        "repeat = true",
        "guard = 'number'",
        "guard = 'link'",
        "attached = 'never'",
        "labels = ['x']",
        "not_after = ['in']",
    ];
    let mut text = String::from("name = 'own'\n");
    while choices.go_on() && text.len() < 300 {
        text += "[[marker]]\n";
        text += &format!("open = '{}'\n", choices.pick(&FORMS));
        let count = choices.below(KEYS.len() + 1);
        for key in KEYS.iter().take(count) {
            text += &format!("{key} = '{}'\n", choices.pick(&FORMS));
        }
        while choices.one_in(3) {
            text += &format!("{}\n", choices.pick(&OTHERS));
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
