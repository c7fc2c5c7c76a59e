//! Grammar of text in which every sentence is followed by an annotation.
//!
//! The end of a sentence depends on UAX #29 and long lists of exceptions, which a grammar cannot
//! express. So this grammar excludes all text that could end a sentence except right before an
//! annotation, and all text that could hide an annotation from a parser:
//!
//! - a full stop, question mark or exclamation mark inside of a sentence, unless a letter or digit of ASCII, `/` or `-`
//!   follows at once, as in `1.2` and `src/a.rs`; so `Dr. Meier`, `z. B.` and `e.g. this` cannot be written;
//! - all other characters of Unicode that end sentences, except those of [`OTHER_ENDS`] at the end of one;
//! - line breaks inside of a sentence, so headings and list items need an annotation too, and code blocks cannot be written;
//! - `[`, `{`, `|` (so there are no tables), `\`, control characters, U+FEFF, a `~` unless a letter or digit of ASCII, `/`, `_` or `-`
//!   follows at once, and backticks, except for a code span in one pair of them.
//!
//! The grammar also excludes annotations that a parser would omit or attach to other text: more
//! than [`MAX_ANNOTATIONS`] for one sentence, and annotations of markers, white space and closing
//! punctuation alone.

use super::expr::{Expr, GrammarRules};

/// Characters besides `.`, `!` and `?` that `provstream::sentence::last_sentence` can treat as the
/// end of a sentence.
pub(super) const TERMINATORS: &[(char, char)] = &include!("terminators.in");

/// Characters besides `.`, `!` and `?` that can end a sentence.
const OTHER_ENDS: &str = "。！？…؟।۔";
const CLOSERS: &str = ")\"'”’»」』）";
/// Characters that must follow a full stop, question mark or exclamation mark inside a sentence.
const JOINED: [(char, char); 3] = [('0', '9'), ('A', 'Z'), ('a', 'z')];

/// Most annotations of a sentence. Parsers keep 4,096 bytes of their values (wire profile 6,
/// `max_pending`), enough for four of the longest.
const MAX_ANNOTATIONS: u32 = 4;

/// Characters of markers, closing punctuation (wire profile 1) and white space. An assertion of
/// these alone can be empty, or belong to the preceding annotation.
const NO_TEXT: &str = "-*+#>\u{2022},;:)]}\"'\u{2019}\u{201d}\u{bb}\u{203a}\u{3001}\u{300d}\u{300f}\u{ff09}\u{ff0c}\u{ff1a}\u{ff1b}";
/// Digits and white space that extend `NO_TEXT`.
const NO_TEXT_RANGES: [(char, char); 8] = [
    ('0', '9'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
];

/// Returns a character of a sentence that needs no rule of its own: none of the terminators,
/// control characters, syntax characters and given characters.
fn plain_char(besides: &str, besides_ranges: &[(char, char)]) -> Expr {
    let mut ranges = vec![
        ('\0', '\u{1f}'),
        ('\u{7f}', '\u{9f}'),
        ('\u{2028}', '\u{2029}'),
        ('\u{feff}', '\u{feff}'),
    ];
    ranges.extend_from_slice(TERMINATORS);
    ranges.extend_from_slice(besides_ranges);
    Expr::not(&format!(".!?[{{|\\`~{besides}"), &ranges)
}

/// Adds the rules of one or more sentences with annotations after them.
pub(super) fn add(rules: &mut GrammarRules, annotation: Expr) -> Expr {
    // In runs of one class, which engines follow in a step. A stop is in one sequence with the run after it: an engine that knows in
    // advance which tokens stay within a sequence (XGrammar) then needs to try few of them.
    let run = || plain_char("", &[]).any_number();
    let stops = || Expr::chars(".!?", &[]);
    let next = || Expr::chars("/_-", &JOINED);
    // Emphasis may close a sentence after a terminator.
    let in_word = || Expr::chars("/-", &JOINED);
    let joined = Expr::choice([
        Expr::sequence([stops(), stops().any_number(), in_word(), run()]),
        Expr::sequence([Expr::literal("~"), next(), run()]),
    ]);
    let joined = rules.add("joined", joined);
    let stop = Expr::sequence([stops().some(), in_word()]);
    let code = Expr::sequence([
        Expr::literal("`"),
        Expr::choice([plain_char("", &[]), stop]).some(),
        Expr::literal("`"),
    ]);
    let code = rules.add("code", code);
    // A code span is never followed by another.
    let after_code = Expr::choice([plain_char("", &[]).some(), joined.clone()]);
    let part = Expr::choice([
        joined.clone(),
        Expr::sequence([code.clone(), after_code.clone()]),
    ]);
    let rest = Expr::sequence([part.any_number(), code.clone().optional()]);
    let rest = rules.add("rest", rest);
    // What can come first and is no text; digits are text if no marker's full stop or parenthesis follows.
    let no_text = || Expr::chars(NO_TEXT, &NO_TEXT_RANGES).any_number();
    let not_blank = Expr::chars(NO_TEXT, &NO_TEXT_RANGES[..1]);
    let lead = rules.add("lead", Expr::sequence([not_blank, no_text()]));
    let text = Expr::choice([
        Expr::sequence([plain_char(NO_TEXT, &NO_TEXT_RANGES), run(), rest.clone()]),
        Expr::sequence([joined, rest.clone()]),
        Expr::sequence([code, Expr::sequence([after_code, rest]).optional()]),
    ]);
    let body = Expr::sequence([lead.clone().optional(), text]);
    let closers = || Expr::chars(CLOSERS, &[]).times(0, 2);
    let end = Expr::choice([
        Expr::chars(".!?", &[]).times(1, 3),
        Expr::chars(OTHER_ENDS, &[]),
    ]);
    let number_end = Expr::choice([Expr::chars("!?", &[]), Expr::chars(OTHER_ENDS, &[])]);
    let number = Expr::sequence([
        lead.optional(),
        Expr::chars("", &[('0', '9')]),
        Expr::sequence([number_end, closers()]).optional(),
    ]);
    let ended = Expr::sequence([body, Expr::sequence([end, closers()]).optional()]);
    let space = || Expr::literal(" ").optional();
    let annotations = Expr::sequence([space(), annotation]).times(1, MAX_ANNOTATIONS);
    let sentence = rules.add(
        "sentence",
        Expr::sequence([Expr::choice([ended, number]), annotations]),
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
