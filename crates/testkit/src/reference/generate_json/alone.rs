//! Generator of streams of JSON values alone: sequences of values, and lines.

use super::Maker;

/// Bytes that are invalid between values.
const LITTER: &[&str] = &[
    "]", "}", ",", ":", "x", "# note", "\\", "`", "\u{feff}", "\x0b", "\u{a0}", "nope\n", "}\n]\n",
];

/// Appends a value, intact or damaged, and a separator.
pub(super) fn document(maker: &mut Maker<'_>, out: &mut Vec<u8>) {
    some_value(maker, out);
    let between = match maker.random.below(12) {
        0..=3 => "\n",
        4..=5 => "",
        6..=7 => " ",
        8 => "\r\n\n",
        9 => ", ",
        _ => {
            out.extend_from_slice(maker.random.pick(LITTER).as_bytes());
            maker.random.pick(&["\n", "", " "])
        }
    };
    out.extend_from_slice(between.as_bytes());
}

/// Appends a line, with one value in most cases.
pub(super) fn line(maker: &mut Maker<'_>, out: &mut Vec<u8>) {
    let values = match maker.random.below(16) {
        0 => 0,
        1 => 2,
        _ => 1,
    };
    for _ in 0..values {
        maker.space(out);
        some_value(maker, out);
        maker.space(out);
    }
    if maker.random.once_in(14) {
        out.extend_from_slice(maker.random.pick(LITTER).as_bytes());
    }
    out.extend_from_slice(
        maker
            .random
            .pick(&["\n", "\n", "\n", "\r\n", "\n\n", " "])
            .as_bytes(),
    );
}

/// Appends a value: in most cases an object that a parser reports, sometimes damaged.
pub(super) fn some_value(maker: &mut Maker<'_>, out: &mut Vec<u8>) {
    let from = out.len();
    let left = maker.max_depth.min(1 + maker.random.below(5));
    if maker.random.once_in(4) {
        maker.value(left, out);
    } else {
        super::object::record(maker, left, out);
    }
    if maker.random.once_in(5) {
        maker.damage(from, out);
    }
}
