//! Generator of free text with JSON values in it.

use super::super::generate;
use super::Maker;
use super::alone::some_value;

/// Text that may come right before a value.
const BEFORE: &[&str] = &[
    "",
    "",
    " ",
    "Result: ",
    "\n",
    "\n\n",
    "\n- ",
    "\n1. ",
    "\n> ",
    "\n# ",
    "\n| a | ",
    "\n| ",
    "\\",
    "`",
    "``",
    "[",
    "[note; ",
    "[substrate.grep; x=",
    "\n    ",
    "\n- > ",
    "a sentence. ",
    "\n```\n",
    "\n~~~ ",
    "\n``` ",
    "\n> ~~~\n> ",
];

/// Text that may come right after a value or after the byte that broke it.
const BEHIND: &[&str] = &[
    "",
    "",
    " ",
    "\n",
    "\n\n",
    ".",
    " text. ",
    " | ",
    "` ",
    "\n```\n",
    "```\n",
    "\n- ",
    "- x ",
    "> y ",
    "\n> ",
    "# ",
    "\n| b | ",
    " [substrate.grep]",
    "[substrate.grep]",
    ". [substrate.grep] ",
    "\n\n[substrate.grep; ts=now]",
    "\n- [substrate.grep]",
    " | [substrate.grep]",
    "\n| c |  | [substrate.grep]",
    " Then so. [unverified-inference]",
    "}",
    "]",
    "},",
    " [1]",
    "\n~~~\n",
];

/// Values that break off, most of them after an object that is reported, so that the next text is
/// in the line of a broken value.
const BREAKING: &[&str] = &[
    "{\"a\":{\"assertion\":\"x\"},",
    "{\"a\":[{\"assertion\":\"x\"},\n",
    "{\"a\":[{\"assertion\":\"x\"},\n  ",
    "{\"a\":[{\"assertion\":\"x\"},\n-",
    "{\"a\":[{\"assertion\":\"x\"},\n12.",
    "{\"a\":[{\"assertion\":\"x\"},\n1",
    "{\"a\":[1,\n-",
    "{\"a\":[1,\n3.",
    "{\"a\":[1,\n\n",
    "{\"a\":{\"marc_version\":1}\n",
    "{\"a\":{\"b\":1}\n  ",
    "{\"a\":\"x\\",
    "{\"a\":\"x\\u00",
    "{\"a",
    "{\" there. ",
    "{\", \":\" and ",
    "{\".) ",
    "{\" \"",
    "{\"\\u003c ",
    "{\"a\\",
    "{\"a\": \"b. ",
    "{ ",
    "{\n\"a\"\n:\n",
];

/// Text that may come right after a value of [`BREAKING`].
const BROKEN: &[&str] = &[
    " b [substrate.grep]",
    "[substrate.grep]",
    ") c [substrate.grep]",
    "```\n[substrate.grep]\n```\n",
    " ```\nx\n```\n[substrate.grep]",
    "> q [substrate.grep]",
    "- l [substrate.grep]",
    "# h\n[substrate.grep]",
    "| r | s [substrate.grep]",
    "`[substrate.grep]`",
    "~~~\n",
    " - - x [substrate.grep]",
    " | t | [substrate.grep]",
    "\n\nu [substrate.grep]",
    "{\"assertion\":\"y\"}",
    " {\"assertion\":\"y\"} v [substrate.grep]",
    " > w [substrate.grep]",
    "\t# x [substrate.grep]",
];

/// Appends one piece of text or one value with text around it.
pub(super) fn piece(maker: &mut Maker<'_>, out: &mut Vec<u8>) {
    // Arrays are values only at the very start.
    if out.is_empty() && maker.random.once_in(4) {
        out.extend_from_slice(
            maker
                .random
                .pick(&["", " ", "\n", "\r\n\t", "x", "\u{a0}"])
                .as_bytes(),
        );
        let from = out.len();
        maker.array(maker.max_depth.min(3), out);
        if maker.random.once_in(3) {
            maker.damage(from, out);
        }
    }
    match maker.random.below(20) {
        0..=4 => generate::fragment(maker.random, out),
        5..=11 => {
            out.extend_from_slice(maker.random.pick(BEFORE).as_bytes());
            some_value(maker, out);
            out.extend_from_slice(maker.random.pick(BEHIND).as_bytes());
        }
        12 => {
            some_value(maker, out);
            some_value(maker, out);
        }
        13..=15 => fence(maker, out),
        16..=17 => {
            out.extend_from_slice(maker.random.pick(BEFORE).as_bytes());
            out.extend_from_slice(maker.random.pick(BREAKING).as_bytes());
            out.extend_from_slice(maker.random.pick(BROKEN).as_bytes());
        }
        18 => out.extend_from_slice(maker.random.pick(BEHIND).as_bytes()),
        _ => {
            out.extend_from_slice(b" The file has an entry. ");
            out.extend_from_slice(maker.random.pick(BEHIND).as_bytes());
        }
    }
}

/// Appends a fenced code block with values in it, closed in most cases, sometimes followed by an
/// annotation.
fn fence(maker: &mut Maker<'_>, out: &mut Vec<u8>) {
    let lead = maker.random.pick(&["", "", "> ", "- ", "  ", ">", "> - "]);
    let inner = if lead.contains('>') { "> " } else { "" };
    let mark = maker
        .random
        .pick(&["```", "~~~", "````", "```json", "~~~ {\"a\":1}"]);
    out.extend_from_slice(format!("\n{lead}{mark}").as_bytes());
    if maker.random.once_in(12) {
        some_value(maker, out);
    }
    out.push(b'\n');
    for _ in 0..1 + maker.random.below(3) {
        let start = maker.random.pick(&[
            "", "", " ", "\n", "  \t", "\r ", "\r\t\r", " \r\n ", "x", "\n\n", "\u{a0}",
        ]);
        out.extend_from_slice(format!("{inner}{start}").as_bytes());
        let from = out.len();
        match maker.random.below(5) {
            0..=1 => some_value(maker, out),
            2..=3 => {
                maker.array(maker.max_depth.min(4), out);
                if maker.random.once_in(4) {
                    maker.damage(from, out);
                }
            }
            _ => out.extend_from_slice(maker.random.pick(BREAKING).as_bytes()),
        }
        out.push(b'\n');
    }
    let close = mark.split([' ', 'j']).next().unwrap_or_default();
    if !maker.random.once_in(8) {
        out.extend_from_slice(format!("{inner}{close}\n").as_bytes());
    }
    out.extend_from_slice(
        maker
            .random
            .pick(&[
                "",
                "\n",
                inner,
                "text ",
                "[substrate.grep]",
                " [substrate.grep]\n",
            ])
            .as_bytes(),
    );
}
