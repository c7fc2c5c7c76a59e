//! Text in which every sentence is followed by an annotation.
//!
//! What ends a sentence is decided by UAX #29 and long lists of exceptions, which no grammar can repeat. This one forbids
//! whatever could end a sentence anywhere but right before an annotation, and whatever could hide an annotation from a reader:
//!
//! - a full stop, question mark or exclamation mark inside of a sentence, unless a letter or digit of ASCII, `/`, `_` or `-`
//!   follows at once, as in `1.2` and `src/a.rs`; so `Dr. Meier`, `z. B.` and `e.g. this` cannot be written;
//! - all other characters of Unicode that end sentences, but at the end of one;
//! - line breaks inside of a sentence, so headings and list items need an annotation too, and tables (`|`) and code blocks
//!   cannot be written;
//! - `[`, `{`, `\` and backticks, but for a code span in one pair of them, and two tildes in a row.

use super::expr::{Expr, Rules};

/// Characters besides `.`, `!` and `?` after which `provstream::sentence::last_sentence` can see the end of a sentence.
pub(super) const TERMINATORS: &[(char, char)] = &include!("terminators.in");

/// What a sentence can end with besides `.`, `!` and `?`.
const OTHER_ENDS: &str = "。！？…؟।۔";
const CLOSERS: &str = ")\"'”’»」』）";
/// What has to follow a terminator that ends nothing.
const JOINED: [(char, char); 3] = [('0', '9'), ('A', 'Z'), ('a', 'z')];

/// What no sentence has as a plain character.
fn plain_char(besides: &str) -> Expr {
    let mut ranges = vec![
        ('\0', '\u{1f}'),
        ('\u{7f}', '\u{9f}'),
        ('\u{2028}', '\u{2029}'),
        ('\u{feff}', '\u{feff}'),
    ];
    ranges.extend_from_slice(TERMINATORS);
    Expr::not(&format!(".!?[{{|\\`~{besides}"), &ranges)
}

/// Adds the rules of sentences with annotations after them: at least one.
pub(super) fn add(rules: &mut Rules, annotation: Expr) -> Expr {
    let joined = |before: Expr| Expr::sequence([before, Expr::chars("/_-", &JOINED)]);
    let stop = joined(Expr::chars(".!?", &[]).some());
    let stop_or_tilde = Expr::choice([stop.clone(), joined(Expr::literal("~"))]);
    let stop_or_tilde = rules.add("joined", stop_or_tilde);
    let code = Expr::sequence([
        Expr::literal("`"),
        Expr::choice([plain_char(""), stop]).some(),
        Expr::literal("`"),
    ]);
    let code = rules.add("code", code);
    // In runs of one class, which engines follow in a step; a code span is never followed by another.
    let run = || plain_char("").any_number();
    let after_code = Expr::choice([
        plain_char("").some(),
        Expr::sequence([stop_or_tilde.clone(), run()]),
    ]);
    let part = Expr::choice([
        Expr::sequence([stop_or_tilde.clone(), run()]),
        Expr::sequence([code.clone(), after_code.clone()]),
    ]);
    let rest = Expr::sequence([part.any_number(), code.clone().optional()]);
    let rest = rules.add("rest", rest);
    let first = Expr::choice([
        Expr::sequence([plain_char(" \u{a0}\u{3000}"), run()]),
        Expr::sequence([stop_or_tilde, run()]),
    ]);
    let body = Expr::choice([
        Expr::sequence([first, rest.clone()]),
        Expr::sequence([code, Expr::sequence([after_code, rest]).optional()]),
    ]);
    let end = Expr::sequence([
        Expr::choice([
            Expr::chars(".!?", &[]).times(1, 3),
            Expr::chars(OTHER_ENDS, &[]),
        ]),
        Expr::chars(CLOSERS, &[]).times(0, 2),
    ]);
    let space = || Expr::literal(" ").optional();
    let more = Expr::sequence([space(), annotation.clone()]).any_number();
    let sentence = rules.add(
        "sentence",
        Expr::sequence([body, end.optional(), space(), annotation, more]),
    );
    let marker = Expr::sequence([
        Expr::chars("", &[('0', '9')]).times(1, 3),
        Expr::chars(".)", &[]),
        Expr::literal(" "),
    ]);
    let line = rules.add(
        "line",
        Expr::sequence([
            marker.optional(),
            sentence.clone(),
            Expr::sequence([Expr::literal(" "), sentence]).any_number(),
        ]),
    );
    let breaks = Expr::sequence([space(), Expr::literal("\n").times(1, 2)]);
    Expr::sequence([
        line.clone(),
        Expr::sequence([breaks, line]).any_number(),
        Expr::chars(" \n", &[]).times(0, 2),
    ])
}
