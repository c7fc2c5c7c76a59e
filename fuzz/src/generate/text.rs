//! Free text: sentences, annotations well-formed and not quite, code, lists, tables, and JSON in between.

use super::words::{CLASSES, TIMES, word};
use super::{Choices, MOST, json};

pub(super) const SENTENCES: [&str; 16] = [
    "It is so.",
    "The build is green.",
    "The file CHANGELOG.md has an entry dated 2026-05-25.",
    "Dr. Smith et al. agree, e.g. on p. 55.",
    "Is it?",
    "\"No!\" she said.",
    "Das ist z. B. der 3. Fall.",
    "テストは緑です。",
    "Le café « est » là\u{a0}!",
    "See https://example.org/a?b=c.",
    "Version 1.2.3 runs",
    "...",
    "a",
    "\u{e9}\u{1F600}",
    "(So it is.)",
    "U.S. Government",
];

const BRACKETS: [&str; 9] = [
    "[1]",
    "[x]",
    "[text](url)",
    "[citation needed]",
    "[note; ts later]",
    "[3.1.b]",
    "[substrate.grep docs]",
    "[[a]]",
    "\\[substrate.grep]",
];

const LINES: [&str; 20] = [
    "\n\n",
    "\n",
    "\r\n",
    "\n- ",
    "\n  * ",
    "\n12. ",
    "\n# ",
    "\n> ",
    "\n> > ",
    "\n| ",
    " | ",
    "\n|---|---|\n",
    "\n```\n",
    "\n```json\n",
    "\n~~~~\n",
    "\n  ```  \r\n",
    "\n~~~~ \t\r\n",
    "\n> ```\n",
    "\n   `````` \n",
    "\r\n```\r\n",
];

const WHITE: [&str; 8] = [
    " ", "  ", "\t", "\n", " \r\n", "\u{a0}", "\u{3000}", "\u{feff}",
];

/// A stream, now and then with settings and changes of its author.
pub(super) fn stream(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let has_settings = choices.one_in(3);
    if has_settings {
        out.extend([0xFF, choices.below(8) as u8]);
        for _ in 0..7 {
            out.push(if choices.one_in(3) {
                choices.below(120) as u8
            } else {
                0
            });
        }
        out.extend((0..4).map(|_| choices.below(256) as u8));
    }
    while choices.go_on() && out.len() < MOST {
        if has_settings && choices.one_in(24) {
            out.push(0xFE);
        }
        piece(choices, out);
    }
}

/// Text of a few pieces.
pub(super) fn some(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    for _ in 0..1 + choices.below(4) {
        piece(choices, out);
    }
}

fn piece(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    match choices.below(22) {
        0..=3 => {
            out.extend_from_slice(choices.pick(&SENTENCES).as_bytes());
            out.push(b' ');
        }
        4..=7 => annotation(choices, out),
        8 => {
            annotation(choices, out);
            choices.damage(out);
        }
        9 => out.extend_from_slice(choices.pick(&BRACKETS).as_bytes()),
        10 => {
            let ticks = "`".repeat(1 + choices.below(3));
            let inside = choices.pick(&SENTENCES);
            out.extend_from_slice(format!("{ticks}{inside}[substrate.grep]{ticks}").as_bytes());
        }
        11 | 12 => out.extend_from_slice(choices.pick(&LINES).as_bytes()),
        13 => json::record(choices, out),
        14 => json::value(choices, out, 3),
        15 => out.extend_from_slice(word(choices)),
        16 => out.extend_from_slice(choices.pick(&WHITE).as_bytes()),
        17 => out.extend_from_slice(choices.bytes()),
        18 => json::marc(choices, out),
        19 | 20 => line(choices, out),
        _ => {
            piece_once(choices, out);
            let times = choices.below(40);
            let piece = out.get(start..).unwrap_or_default().to_vec();
            out.extend(piece.repeat(times.min(MOST / piece.len().max(1))));
        }
    }
}

/// A line with several assertions; an annotation of the usual form may end it in its middle.
fn line(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(
        choices
            .pick(&["\n| ", "\n> ", "\n# ", "\n- ", "\n| ", "\n\n"])
            .as_bytes(),
    );
    for _ in 0..1 + choices.below(3) {
        let (text, class) = (choices.pick(&SENTENCES), choices.pick(&CLASSES));
        let space = choices.pick(&["", " ", " ", "\n"]);
        let time = choices.pick(&TIMES[..4]);
        let parameter = match choices.below(3) {
            0 => String::new(),
            1 => format!(";{space}ts={time}"),
            _ => format!(";{space}observation-id=sha256:e3b0"),
        };
        let end = choices.pick(&[" ", " | ", "\n", ""]);
        out.extend_from_slice(format!("{text} [{class}{parameter}]{end}").as_bytes());
    }
}

/// Something short, to be repeated.
fn piece_once(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    match choices.below(5) {
        0 => out.extend_from_slice(choices.pick(&LINES).as_bytes()),
        1 => out.extend_from_slice(choices.pick(&WHITE).as_bytes()),
        2 => out.push(choices.pick(b"[]{}`\"\\|>;.#-")),
        3 => out.extend_from_slice(choices.pick(&BRACKETS).as_bytes()),
        _ => annotation(choices, out),
    }
}

/// An annotation, or something close to one.
pub(super) fn annotation(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let white = |choices: &mut Choices<'_>| {
        if choices.one_in(5) {
            choices.pick(&WHITE[..6])
        } else {
            ""
        }
    };
    let mut text = format!(" [{}", white(choices));
    if choices.one_in(6) {
        text += choices.pick(&["1.0.", "1.7.", "2.0.", "01.0.", "1."]);
    }
    let class = match choices.below(12) {
        0 => "substrate.new",
        1 => "note",
        2 => "Unverified-Inference",
        3 => "SUBSTRATE.GREP",
        4 => "substrate.",
        _ => choices.pick(&CLASSES),
    };
    text += class;
    for _ in 0..choices.below(4) {
        text += &format!("{};{}", white(choices), white(choices));
        let name = choices.pick(&[
            "ts",
            "observation-id",
            "observation_id",
            "ts",
            "x",
            "",
            "ts.x",
            "é",
        ]);
        let value = match choices.below(6) {
            0..=2 => choices.pick(&TIMES),
            3 => "sha256:e3b0",
            4 => "\"a]; \\\"b\\\\ [c\"",
            _ => "",
        };
        let equals = choices.pick(&["=", "=", "=", " = ", "", "=="]);
        text += &format!("{name}{equals}{value}");
    }
    text += white(choices);
    text += choices.pick(&["]", "]", "]", "]", ";]", "", "]]", "\n]"]);
    out.extend_from_slice(text.as_bytes());
}

/// A declared identifier, an observation id and a timestamp, a line each.
pub(super) fn fields(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(choices.pick(&CLASSES).as_bytes());
    if choices.one_in(4) {
        out.extend_from_slice(word(choices));
    }
    for _ in 0..choices.below(3) {
        out.push(b'\n');
        match choices.below(3) {
            0 => out.extend_from_slice(choices.pick(&TIMES).as_bytes()),
            1 => some(choices, out),
            _ => out.extend_from_slice(word(choices)),
        }
    }
}
