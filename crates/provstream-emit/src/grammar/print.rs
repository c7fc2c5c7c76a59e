//! Printers of rules, one for each dialect.

use std::fmt::Write as _;

use super::expr::{CharSet, Expr, GrammarRules};

/// Syntax that differs between dialects. Groups, choices and repetitions are common to all.
pub(super) trait GrammarSyntax {
    /// Separator between the parts of a sequence.
    const SPACE: &'static str;
    /// Opening of a group.
    const GROUP: &'static str;
    fn literal(&self, text: &str) -> String;
    fn chars(&self, set: &CharSet) -> String;
    fn rule(&self, rules: &GrammarRules, index: usize) -> String;
}

/// Precedence of an expression's position. An expression of lower precedence needs a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Choice,
    Sequence,
    Item,
}

/// Prints an expression in a dialect.
pub(super) fn print(dialect: &impl GrammarSyntax, rules: &GrammarRules, expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(dialect, rules, expr, Precedence::Choice, &mut out);
    out
}

fn write_expr<D: GrammarSyntax>(
    dialect: &D,
    rules: &GrammarRules,
    expr: &Expr,
    place: Precedence,
    out: &mut String,
) {
    let needs = match expr {
        Expr::Choice(_) => Precedence::Choice,
        Expr::Sequence(_) => Precedence::Sequence,
        // In a regular expression a literal of several characters is a sequence; elsewhere quotes hold it together.
        Expr::Literal(text) if D::SPACE.is_empty() && text.chars().count() != 1 => {
            Precedence::Sequence
        }
        Expr::Rule(_) if D::SPACE.is_empty() => Precedence::Choice,
        _ => Precedence::Item,
    };
    // A choice or sequence of one is not written with a group of its own.
    if needs < place {
        out.push_str(D::GROUP);
    }
    match expr {
        Expr::Literal(text) => out.push_str(&dialect.literal(text)),
        Expr::Chars(set) => out.push_str(&dialect.chars(set)),
        Expr::Rule(index) => out.push_str(&dialect.rule(rules, *index)),
        Expr::Sequence(all) => {
            for (index, part) in all.iter().enumerate() {
                if index > 0 {
                    out.push_str(D::SPACE);
                }
                let place = if all.len() == 1 {
                    place
                } else {
                    Precedence::Item
                };
                // Sequences in sequences need no group.
                let place = match part {
                    Expr::Choice(_) => Precedence::Item,
                    Expr::Rule(_) if D::SPACE.is_empty() => Precedence::Item,
                    _ => place.min(Precedence::Sequence),
                };
                write_expr(dialect, rules, part, place, out);
            }
        }
        Expr::Choice(all) => {
            for (index, part) in all.iter().enumerate() {
                if index > 0 {
                    let _ = write!(out, "{0}|{0}", D::SPACE);
                }
                write_expr(dialect, rules, part, Precedence::Sequence, out);
            }
        }
        Expr::Repeat(part, least, most) => {
            write_expr(dialect, rules, part, Precedence::Item, out);
            let _ = match (*least, *most) {
                (0, None) => write!(out, "*"),
                (1, None) => write!(out, "+"),
                (0, Some(1)) => write!(out, "?"),
                (least, None) => write!(out, "{{{least},}}"),
                (least, Some(most)) if least == most => write!(out, "{{{least}}}"),
                (least, Some(most)) => write!(out, "{{{least},{most}}}"),
            };
        }
    }
    if needs < place {
        out.push(')');
    }
}

/// GBNF of llama.cpp, which is also the EBNF of XGrammar.
pub(super) struct Gbnf;

impl GrammarSyntax for Gbnf {
    const SPACE: &'static str = " ";
    const GROUP: &'static str = "(";

    fn literal(&self, text: &str) -> String {
        let mut out = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                _ => push_gbnf(c, &mut out),
            }
        }
        out.push('"');
        out
    }

    fn chars(&self, set: &CharSet) -> String {
        class(set, |c, out| match c {
            '[' | ']' | '\\' => out.extend(['\\', c]),
            _ => push_gbnf(c, out),
        })
    }

    fn rule(&self, rules: &GrammarRules, index: usize) -> String {
        rules.get(index).0.clone()
    }
}

/// Writes a character that is not syntax. Control and invisible characters are escaped; all others
/// are written unchanged, because converters differ in the number of digits that they read after an
/// escape.
fn push_gbnf(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' => {
            let _ = write!(out, "\\x{:02X}", u32::from(c));
        }
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{3000}' | '\u{feff}' => {
            let _ = write!(out, "\\u{:04X}", u32::from(c));
        }
        _ => out.push(c),
    }
}

/// Prints rules as GBNF, with the root last.
pub(super) fn gbnf(rules: &GrammarRules, root: &str, comment: &str) -> String {
    let mut out = String::new();
    for line in comment.lines() {
        let _ = writeln!(out, "# {line}");
    }
    let _ = writeln!(out, "root ::= {root}");
    for (name, expr) in rules.all() {
        let _ = writeln!(out, "{name} ::= {}", print(&Gbnf, rules, expr));
    }
    out
}

/// Lark-like syntax of llguidance. All rules are terminals, so the whole answer is one lexeme: the
/// lexer alone distinguishes text and annotations, lazily, as the answer grows.
struct Lark;

impl GrammarSyntax for Lark {
    const SPACE: &'static str = " ";
    const GROUP: &'static str = "(";

    fn literal(&self, text: &str) -> String {
        serde_json::Value::from(text).to_string()
    }

    fn chars(&self, set: &CharSet) -> String {
        // The slash would end the expression.
        format!("/{}/", Regex.chars(set).replace('/', "\\/"))
    }

    fn rule(&self, rules: &GrammarRules, index: usize) -> String {
        terminal(&rules.get(index).0)
    }
}

fn terminal(name: &str) -> String {
    name.to_ascii_uppercase().replace('-', "_")
}

/// Prints rules in the syntax of llguidance.
pub(super) fn lark(rules: &GrammarRules, root: &str, comment: &str) -> String {
    let mut out = String::new();
    for line in comment.lines() {
        let _ = writeln!(out, "// {line}");
    }
    let _ = writeln!(out, "start: {}", terminal(root));
    for (name, expr) in rules.all() {
        let _ = writeln!(out, "{}: {}", terminal(name), print(&Lark, rules, expr));
    }
    out
}

/// Regular expression without anchors and look-around: groups, classes and counted repetitions
/// only.
pub(super) struct Regex;

impl GrammarSyntax for Regex {
    const SPACE: &'static str = "";
    const GROUP: &'static str = "(?:";

    fn literal(&self, text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            if r"\.+*?()|[]{}^$/".contains(c) {
                out.push('\\');
            }
            push_regex(c, &mut out);
        }
        out
    }

    fn chars(&self, set: &CharSet) -> String {
        match (set.is_negated(), set.ranges()) {
            (false, &[(first, last)]) if first == last => self.literal(&first.to_string()),
            _ => class(set, |c, out| {
                if r"\[]^-".contains(c) {
                    out.push('\\');
                }
                push_regex(c, out);
            }),
        }
    }

    fn rule(&self, rules: &GrammarRules, index: usize) -> String {
        print(self, rules, &rules.get(index).1)
    }
}

/// Regular expression for llama.cpp's converter from JSON Schema to GBNF: only plain groups, only
/// GBNF's escapes in classes, and syntax characters only in classes, because versions differ in the
/// escapes that they resolve.
pub(super) struct PlainRegex;

impl GrammarSyntax for PlainRegex {
    const SPACE: &'static str = "";
    const GROUP: &'static str = "(";

    fn literal(&self, text: &str) -> String {
        let mut out = String::new();
        for c in text.chars() {
            if r"\.+*?()|[]{}^$".contains(c) {
                out += &self.chars(&CharSet::of("", &[(c, c)]));
            } else {
                push_regex(c, &mut out);
            }
        }
        out
    }

    fn chars(&self, set: &CharSet) -> String {
        class(set, |c, out| {
            if r"\[]^".contains(c) {
                out.push('\\');
            }
            push_regex(c, out);
        })
    }

    fn rule(&self, rules: &GrammarRules, index: usize) -> String {
        print(self, rules, &rules.get(index).1)
    }
}

fn push_regex(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' => {
            let _ = write!(out, "\\x{:02x}", u32::from(c));
        }
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{3000}' | '\u{feff}' => {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        _ => out.push(c),
    }
}

/// Writes a class in brackets that means the same in all dialects. A syntax character is never the
/// end of a range, a hyphen comes last, and a circumflex does not come first.
fn class(set: &CharSet, push: impl Fn(char, &mut String)) -> String {
    let mut singles = Vec::new();
    let mut ranges = Vec::new();
    for &(mut first, mut last) in set.ranges() {
        while is_syntax(first) && first < last {
            singles.push(first);
            first = following(first);
        }
        let mut after = Vec::new();
        while is_syntax(last) && first < last {
            after.push(last);
            last = preceding(last);
        }
        if is_syntax(first) {
            singles.push(first);
        } else {
            ranges.push((first, last));
        }
        singles.extend(after);
    }
    singles.sort_unstable_by_key(|&c| (c == '-', c == '^', c));
    let mut out = String::from(if set.is_negated() { "[^" } else { "[" });
    for (first, last) in ranges {
        push(first, &mut out);
        if last != first {
            if last != following(first) {
                out.push('-');
            }
            push(last, &mut out);
        }
    }
    for single in singles {
        push(single, &mut out);
    }
    out.push(']');
    out
}

const fn is_syntax(c: char) -> bool {
    matches!(c, '[' | ']' | '\\' | '^' | '-')
}

/// Returns the character after `c`, or `c` itself if the next code point is not a character.
fn following(c: char) -> char {
    char::from_u32(u32::from(c) + 1).unwrap_or(c)
}

fn preceding(c: char) -> char {
    char::from_u32(u32::from(c) - 1).unwrap_or(c)
}
