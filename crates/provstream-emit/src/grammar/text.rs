//! Grammar of free text between annotations: text in which no annotation starts, well-formed or
//! not.
//!
//! The wire profile (1.2) defines when a bracket starts an annotation. The grammar excludes text
//! that could meet this condition:
//!
//! - after `[`, white space or none, a version anchor or none, and `substrate.` in any letter case;
//! - after the same and the whole name of any other class or terminal in any letter case, before `]`, `;` or white space;
//! - after the same and any identifier, before `;`, white space in between or not.
//!
//! This excludes slightly more than necessary: `[substrate.grep docs]` and `[note; later]` are
//! ordinary text to a parser. Links, footnotes, checkboxes, arrays and indices remain possible.

use std::collections::BTreeMap;

use super::expr::{Expr, GrammarRules};

const WHITE_SPACE: &str = " \t\r\n";
const LETTERS: [(char, char); 2] = [('A', 'Z'), ('a', 'z')];
const LABEL: [(char, char); 3] = [('0', '9'), ('A', 'Z'), ('a', 'z')];
/// Characters of a label besides letters and digits.
const LABEL_MARKS: &str = "-_";

/// Most characters of a name in the prefix tree. Text that begins like a longer name is excluded,
/// because engines do not accept deeper nesting.
const MAX_COMPARED: usize = 32;

/// Prefix tree of class names, in lower case. The rules follow it to exclude text after `[` that
/// would start an annotation.
#[derive(Debug, Default)]
struct PrefixNode {
    children: BTreeMap<char, PrefixNode>,
    /// `true` if a name ends at this node.
    name: bool,
    /// `true` if text must not reach this node.
    closed: bool,
}

impl PrefixNode {
    fn insert(&mut self, name: &str) -> &mut Self {
        name.chars().fold(self, |node, c| {
            node.children.entry(c.to_ascii_lowercase()).or_default()
        })
    }

    /// Removes the subtrees of closed nodes, which text cannot reach.
    fn prune(&mut self) {
        if self.closed {
            self.children.clear();
        }
        self.children.values_mut().for_each(Self::prune);
    }

    /// Returns `true` if the permitted text after this node differs from that after other
    /// identifiers.
    fn is_special(&self) -> bool {
        self.name || self.children.contains_key(&'.')
    }
}

/// Expressions common to names with a known end and names that end with the text.
struct NameEnds {
    /// Text after an identifier, up to and including the first character that excludes an
    /// annotation.
    tail: Expr,
    /// Text after an identifier that could still become an annotation, at the end of the answer.
    open_tail: Expr,
}

/// Adds the rules of text with annotations: `*(run (bracket that starts nothing / annotation))
/// run`.
pub(super) fn add(rules: &mut GrammarRules, names: &[&str], annotation: Expr) -> Expr {
    let mut root = PrefixNode::default();
    root.insert("substrate.").closed = true;
    for name in names {
        let lower = name.to_ascii_lowercase();
        if lower.starts_with("substrate.") {
            continue;
        }
        match lower.get(..MAX_COMPARED) {
            Some(start) => root.insert(start).closed = true,
            None => root.insert(&lower).name = true,
        }
    }
    root.prune();
    let labels = Expr::sequence([
        Expr::literal("."),
        Expr::chars("", &LETTERS),
        label_char().any_number(),
    ])
    .any_number();
    let white = || Expr::chars(WHITE_SPACE, &[]);
    let dot_and_other = Expr::sequence([Expr::literal("."), Expr::not("[", &LETTERS)]);
    let tail = Expr::choice([
        ends_identifier(""),
        Expr::sequence([white().some(), Expr::not("[; \t\r\n", &[])]),
        dot_and_other,
    ]);
    let open_tail = Expr::choice([Expr::literal("."), white().some()]).optional();
    let parts = NameEnds {
        tail: rules.add("name-tail", Expr::sequence([labels.clone(), tail])),
        open_tail: rules.add("open-tail", Expr::sequence([labels, open_tail])),
    };
    let mut namer = Namer { rules, count: 0 };
    let other = other_name(&mut namer, &root, true);
    let name = ended_name(&mut namer, &root, other.clone(), &parts);
    let name = rules.add("other-name", name);
    let open_name = rules.add(
        "open-name",
        Expr::sequence([other, parts.open_tail.clone()]),
    );
    let bracket = rules.add("other-bracket", bracket(&name));
    let open = rules.add("open-bracket", open_bracket(open_name));
    // Runs of text in one class: engines follow those in a step, whatever token they are cut into.
    let run = Expr::not("[", &[]).any_number();
    let stop = Expr::sequence([
        run.clone(),
        open.clone().any_number(),
        Expr::choice([bracket, annotation]),
    ]);
    Expr::sequence([stop.any_number(), run, open.any_number()])
}

fn label_char() -> Expr {
    Expr::chars(LABEL_MARKS, &LABEL)
}

/// Returns the characters that end an identifier and exclude an annotation. `besides` lists
/// characters to leave out; `;` would start an annotation.
fn ends_identifier(besides: &str) -> Expr {
    Expr::not(&format!("._-[; \t\r\n{besides}"), &LABEL)
}

/// Returns `[` and the text up to the character that excludes an annotation.
fn bracket(name: &Expr) -> Expr {
    let digits = || Expr::chars("", &[('0', '9')]).some();
    let dot = || Expr::literal(".");
    let after_anchor = Expr::choice([Expr::not("[", &LETTERS), name.clone()]);
    let after_minor = Expr::choice([
        Expr::not(".[", &[('0', '9')]),
        Expr::sequence([dot(), after_anchor]),
    ]);
    let after_major = Expr::choice([
        Expr::not("[", &[('0', '9')]),
        Expr::sequence([digits(), after_minor]),
    ]);
    let number = Expr::sequence([
        digits(),
        Expr::choice([
            Expr::not(".[", &[('0', '9')]),
            Expr::sequence([dot(), after_major]),
        ]),
    ]);
    Expr::sequence([
        Expr::literal("["),
        Expr::chars(WHITE_SPACE, &[]).any_number(),
        Expr::choice([Expr::not("[ \t\r\n", &LABEL), number, name.clone()]),
    ])
}

/// Returns `[` and text that could still become an annotation. The answer can end there, or
/// continue with another bracket.
fn open_bracket(open_name: Expr) -> Expr {
    let digit = || Expr::chars("", &[('0', '9')]);
    let dot = || Expr::literal(".");
    let anchor = || Expr::sequence([digit().some(), dot(), digit().some(), dot()]);
    let number = Expr::sequence([
        digit().some(),
        Expr::sequence([dot(), digit().any_number()]).optional(),
    ]);
    Expr::sequence([
        Expr::literal("["),
        Expr::chars(WHITE_SPACE, &[]).any_number(),
        Expr::choice([
            number,
            anchor(),
            Expr::sequence([anchor().optional(), open_name]),
        ])
        .optional(),
    ])
}

/// Returns a character in both letter cases.
fn folded(c: char) -> Expr {
    let both: String = [c.to_ascii_lowercase(), c.to_ascii_uppercase()]
        .iter()
        .collect();
    Expr::chars(&both, &[])
}

/// Returns the characters that leave the prefix tree at `node`, or `None` if there are none.
fn off_path(node: &PrefixNode, first: bool) -> Option<Expr> {
    let taken = |c: char| node.children.contains_key(&c.to_ascii_lowercase());
    let marks = if first { "" } else { "-_0123456789" };
    let left: String = ('A'..='Z')
        .chain('a'..='z')
        .chain(marks.chars())
        .filter(|&c| !taken(c))
        .collect();
    (!left.is_empty()).then(|| Expr::chars(&left, &[]))
}

/// Assigns numbered names to the rules of nodes.
struct Namer<'r> {
    rules: &'r mut GrammarRules,
    count: usize,
}

impl Namer<'_> {
    fn add(&mut self, expr: Expr) -> Expr {
        self.count += 1;
        self.rules.add(format!("name-{}", self.count), expr)
    }
}

/// Returns the rest of an identifier from `node` on that does not end at a special node.
fn other_name(namer: &mut Namer<'_>, node: &PrefixNode, first: bool) -> Expr {
    let leave = off_path(node, first).map(|step| Expr::sequence([step, label_char().any_number()]));
    let mut ways: Vec<_> = leave.into_iter().collect();
    for (&c, child) in &node.children {
        if c != '.' && !child.closed {
            ways.push(Expr::sequence([folded(c), other_name(namer, child, false)]));
        }
    }
    let on = Expr::choice(ways);
    if first || node.is_special() {
        namer.add(on)
    } else {
        namer.add(on.optional())
    }
}

/// Returns the rest of an identifier from `node` on, and the text up to the character that excludes
/// an annotation. `other` is the result of [`other_name`] for the node.
fn ended_name(namer: &mut Namer<'_>, node: &PrefixNode, other: Expr, parts: &NameEnds) -> Expr {
    let mut ways = vec![Expr::sequence([other, parts.tail.clone()])];
    special_ends(namer, node, "", parts, &mut ways);
    Expr::choice(ways)
}

/// Adds the identifiers that end at special nodes below `node`, with the text after them.
fn special_ends(
    namer: &mut Namer<'_>,
    node: &PrefixNode,
    path: &str,
    parts: &NameEnds,
    ways: &mut Vec<Expr>,
) {
    for (&c, child) in &node.children {
        if child.closed || c == '.' {
            continue;
        }
        let path = format!("{path}{c}");
        if child.is_special() {
            let mut way: Vec<_> = path.chars().map(folded).collect();
            way.push(after_special(namer, child, parts));
            ways.push(Expr::Sequence(way));
        }
        special_ends(namer, child, &path, parts, ways);
    }
}

/// Returns the text after an identifier that ends at a special node.
fn after_special(namer: &mut Namer<'_>, node: &PrefixNode, parts: &NameEnds) -> Expr {
    let mut ways = Vec::new();
    if node.name {
        ways.push(ends_identifier("]"));
    } else {
        ways.push(ends_identifier(""));
        ways.push(Expr::sequence([
            Expr::chars(WHITE_SPACE, &[]).some(),
            Expr::not("[; \t\r\n", &[]),
        ]));
    }
    let label = match node.children.get(&'.') {
        Some(child) if child.closed => None,
        Some(child) => {
            let other = other_name(namer, child, true);
            Some(ended_name(namer, child, other, parts))
        }
        None => Some(Expr::sequence([
            Expr::chars("", &LETTERS),
            label_char().any_number(),
            parts.tail.clone(),
        ])),
    };
    if let Some(label) = label {
        ways.push(Expr::sequence([
            Expr::literal("."),
            Expr::choice([label, Expr::not("[", &LETTERS)]),
        ]));
    }
    Expr::choice(ways)
}
