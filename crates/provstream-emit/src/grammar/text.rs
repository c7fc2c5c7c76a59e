//! Free text between annotations: text in which no annotation starts, well-formed or not.
//!
//! The wire profile (1.2) says when a bracket starts an attempt. Text is refused where that could come true:
//!
//! - after `[`, white space or none, a version anchor or none, and `substrate.` in any letter case;
//! - after the same and the whole name of any other class or terminal in any letter case, before `]`, `;` or white space;
//! - after the same and any identifier, before `;`, white space in between or not.
//!
//! That is slightly more than the profile asks for: `[substrate.grep docs]` and `[note; later]` are text to a reader and
//! are refused here. Links, footnotes, checkboxes, arrays and indices stay possible.

use std::collections::BTreeMap;

use super::expr::{Expr, Rules};

const WHITE_SPACE: &str = " \t\r\n";
const LETTERS: [(char, char); 2] = [('A', 'Z'), ('a', 'z')];
const LABEL: [(char, char); 3] = [('0', '9'), ('A', 'Z'), ('a', 'z')];
/// What a label has besides letters and digits.
const LABEL_MARKS: &str = "-_";

/// Characters of a name that are compared. What starts like a longer one is refused as if it were the whole: expressions
/// nested any deeper are more than engines take.
const COMPARED: usize = 32;

/// The names at which text must not go on, in lower case.
#[derive(Debug, Default)]
struct Node {
    children: BTreeMap<char, Node>,
    /// A name ends here.
    name: bool,
    /// Text never gets here.
    closed: bool,
}

impl Node {
    fn insert(&mut self, name: &str) -> &mut Self {
        name.chars().fold(self, |node, c| {
            node.children.entry(c.to_ascii_lowercase()).or_default()
        })
    }

    /// Forgets what comes after a closed node: text never gets there.
    fn prune(&mut self) {
        if self.closed {
            self.children.clear();
        }
        self.children.values_mut().for_each(Self::prune);
    }

    /// Returns `true` if what may follow differs from what follows any identifier.
    fn is_special(&self) -> bool {
        self.name || self.children.contains_key(&'.')
    }
}

/// What the two languages of text, ended and open, share.
struct Parts {
    /// What follows an identifier up to the character with which nothing can start any more.
    tail: Expr,
    /// What can follow an identifier while it is undecided.
    open_tail: Expr,
}

/// Adds the rules of text with annotations in it: `*(run (bracket that starts nothing / annotation)) run`.
pub(super) fn add(rules: &mut Rules, names: &[&str], annotation: Expr) -> Expr {
    let mut root = Node::default();
    root.insert("substrate.").closed = true;
    for name in names {
        let lower = name.to_ascii_lowercase();
        if lower.starts_with("substrate.") {
            continue;
        }
        match lower.get(..COMPARED) {
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
        kill(""),
        Expr::sequence([white().some(), Expr::not("[; \t\r\n", &[])]),
        dot_and_other,
    ]);
    let open_tail = Expr::choice([Expr::literal("."), white().some()]).optional();
    let parts = Parts {
        tail: rules.add("name-tail", Expr::sequence([labels.clone(), tail])),
        open_tail: rules.add("open-tail", Expr::sequence([labels, open_tail])),
    };
    let mut namer = Namer { rules, count: 0 };
    let other = plain(&mut namer, &root, true);
    let name = ended(&mut namer, &root, other.clone(), &parts);
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

/// Characters after which the bytes before them are not an identifier; `;` would start an attempt.
fn kill(besides: &str) -> Expr {
    Expr::not(&format!("._-[; \t\r\n{besides}"), &LABEL)
}

/// `[` up to the character that makes sure that nothing starts there.
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

/// `[` and what leaves it undecided: the text can end there, or go on with another bracket.
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

/// Any letter case of a character.
fn folded(c: char) -> Expr {
    let both: String = [c.to_ascii_lowercase(), c.to_ascii_uppercase()]
        .iter()
        .collect();
    Expr::chars(&both, &[])
}

/// A step off every path of the tree: the characters with which no name goes on, if there are any.
fn off_path(node: &Node, first: bool) -> Option<Expr> {
    let taken = |c: char| node.children.contains_key(&c.to_ascii_lowercase());
    let marks = if first { "" } else { "-_0123456789" };
    let left: String = ('A'..='Z')
        .chain('a'..='z')
        .chain(marks.chars())
        .filter(|&c| !taken(c))
        .collect();
    (!left.is_empty()).then(|| Expr::chars(&left, &[]))
}

/// Numbers the rules of nodes.
struct Namer<'r> {
    rules: &'r mut Rules,
    count: usize,
}

impl Namer<'_> {
    fn add(&mut self, expr: Expr) -> Expr {
        self.count += 1;
        self.rules.add(format!("name-{}", self.count), expr)
    }
}

/// The rest of an identifier, from this node on, that does not end at a special node.
fn plain(namer: &mut Namer<'_>, node: &Node, first: bool) -> Expr {
    let leave = off_path(node, first).map(|step| Expr::sequence([step, label_char().any_number()]));
    let mut ways: Vec<_> = leave.into_iter().collect();
    for (&c, child) in &node.children {
        if c != '.' && !child.closed {
            ways.push(Expr::sequence([folded(c), plain(namer, child, false)]));
        }
    }
    let on = Expr::choice(ways);
    if first || node.is_special() {
        namer.add(on)
    } else {
        namer.add(on.optional())
    }
}

/// An identifier from this node on, and what follows up to the character that decides that it starts nothing. `other` is what
/// [`plain`] gives for the node.
fn ended(namer: &mut Namer<'_>, node: &Node, other: Expr, parts: &Parts) -> Expr {
    let mut ways = vec![Expr::sequence([other, parts.tail.clone()])];
    special_ends(namer, node, "", parts, &mut ways);
    Expr::choice(ways)
}

/// The ways on from the special nodes below, each with its path.
fn special_ends(
    namer: &mut Namer<'_>,
    node: &Node,
    path: &str,
    parts: &Parts,
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

/// What follows the end of a name, or what a name with a dot continues.
fn after_special(namer: &mut Namer<'_>, node: &Node, parts: &Parts) -> Expr {
    let mut ways = Vec::new();
    if node.name {
        ways.push(kill("]"));
    } else {
        ways.push(kill(""));
        ways.push(Expr::sequence([
            Expr::chars(WHITE_SPACE, &[]).some(),
            Expr::not("[; \t\r\n", &[]),
        ]));
    }
    let label = match node.children.get(&'.') {
        Some(child) if child.closed => None,
        Some(child) => {
            let other = plain(namer, child, true);
            Some(ended(namer, child, other, parts))
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
