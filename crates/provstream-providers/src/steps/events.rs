//! Long events: for each array and each member that a format's table names, one in which it comes again and again.

use core::fmt::Write as _;
use std::collections::BTreeSet;

use crate::Format;
use crate::walk::table::{FormatRow, Role};

/// Shape of a generated event around its repeated content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventShape {
    /// The repeated content has all members that the table names in it, not one value.
    pub(super) is_wide: bool,
    pub(super) texts: GeneratedTexts,
    pub(super) numbers: GeneratedNumbers,
    /// The response is one JSON value.
    pub(super) is_body: bool,
    /// Channels with text that is held back when the event begins.
    pub(super) open: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GeneratedTexts {
    Empty,
    Short,
    /// With annotations, some of them over two texts.
    Annotated,
    /// Annotations that nothing comes before.
    Orphans,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GeneratedNumbers {
    Zero,
    /// As many as there may be channels, and some more.
    Few,
    Distinct,
}

/// A place in the events of a format where something can come again and again.
#[derive(Clone, Debug)]
pub(super) struct RepetitionPoint {
    format: Format,
    /// The type of the event, if it has one.
    on: &'static str,
    /// The row that is about the place, or about what is in it.
    row: usize,
    /// The step of the row's path.
    step: usize,
    /// The elements of the array are repeated, not the member.
    is_array: bool,
}

/// The places of a format.
pub(super) fn places(format: Format) -> Vec<RepetitionPoint> {
    let rows = format.automaton().table.rows;
    let mut places: Vec<RepetitionPoint> = Vec::new();
    let mut known = BTreeSet::new();
    for (row, on) in rows.iter().enumerate().flat_map(|(place, row)| {
        let types = if row.on.is_empty() { &[""][..] } else { row.on };
        types.iter().map(move |on| (place, *on))
    }) {
        let steps: Vec<_> = steps(rows[row].path).collect();
        for (step, (_, is_array)) in steps.iter().enumerate() {
            for is_array in [false, true].into_iter().take(1 + usize::from(*is_array)) {
                let key = format!("{on} {:?} {is_array}", &steps[..=step]);
                if known.insert(key) {
                    places.push(RepetitionPoint {
                        format,
                        on,
                        row,
                        step,
                        is_array,
                    });
                }
            }
        }
    }
    places
}

/// The members of a path, and whether each is an array whose elements the path is about.
fn steps(path: &'static str) -> impl Iterator<Item = (&'static str, bool)> {
    let steps = path.split('.').filter(|step| !step.is_empty());
    steps.map(|step| match step.split_once('[') {
        Some((name, _)) => (name, true),
        None => (step, false),
    })
}

impl RepetitionPoint {
    pub(super) fn name(&self) -> String {
        let row = &self.rows()[self.row];
        let path: Vec<_> = steps(row.path).take(self.step + 1).collect();
        let path: Vec<_> = path.iter().map(|(name, _)| *name).collect();
        let of = if self.is_array { "elements" } else { "member" };
        format!("{}, {:?}, {of} of {}", self.format, self.on, path.join("."))
    }

    pub(super) const fn format(&self) -> Format {
        self.format
    }

    fn rows(&self) -> &'static [FormatRow] {
        self.format.automaton().table.rows
    }

    /// A response with an event of about so many bytes in which the place is repeated.
    pub(super) fn response(&self, shape: EventShape, len: usize) -> Vec<u8> {
        let mut tree = MemberTree::default();
        let rows = self.rows();
        let is_meant = |row: &&FormatRow| row.on.is_empty() || row.on.contains(&self.on);
        tree.add(&rows[self.row]);
        for row in rows.iter().filter(is_meant) {
            let is_end = row.role.is_end() && !row.path.contains('[');
            if matches!(row.role, Role::Type) || (shape.is_wide && !is_end) {
                tree.add(row);
            }
        }
        let path: Vec<_> = steps(rows[self.row].path).map(|(name, _)| name).collect();
        let mut writer = GeneratedEventWriter {
            place: self,
            path: &path[..=self.step],
            shape,
            len,
            count: 0,
            out: String::new(),
        };
        for index in 0..shape.open {
            writer.short(index, "It is. [sub");
        }
        let start = writer.out.len();
        writer.len += start;
        writer.event(&tree);
        if !shape.is_body {
            writer.short(0, "strate.grep] So.");
        }
        writer.out.into_bytes()
    }
}

/// Members, and what the values of a row are.
#[derive(Default)]
struct MemberTree {
    members: Vec<(&'static str, MemberTree)>,
    is_array: bool,
    role: Option<Role>,
}

impl MemberTree {
    /// Adds the path of a row, unless there is something else.
    fn add(&mut self, row: &FormatRow) {
        let mut tree = self;
        for (name, is_array) in steps(row.path) {
            if tree.role.is_some() {
                return;
            }
            let place = tree.members.iter().position(|(member, _)| *member == name);
            let place = place.unwrap_or_else(|| {
                let new = Self {
                    is_array,
                    ..Self::default()
                };
                tree.members.push((name, new));
                tree.members.len() - 1
            });
            tree = &mut tree.members[place].1;
            if tree.is_array != is_array {
                return;
            }
        }
        if tree.members.is_empty() && tree.role.is_none() {
            tree.role = Some(row.role);
        }
    }
}

struct GeneratedEventWriter<'a> {
    place: &'a RepetitionPoint,
    /// The members that lead to what is repeated.
    path: &'a [&'static str],
    shape: EventShape,
    len: usize,
    count: usize,
    out: String,
}

impl GeneratedEventWriter<'_> {
    /// Writes the shortest event with text.
    fn short(&mut self, index: u32, text: &str) {
        let json = self.place.format.automaton().table.shortest.json;
        let json = json
            .replace('#', &index.to_string())
            .replace('%', "0")
            .replace('@', text);
        if self.shape.is_body {
            self.out.push_str(&json);
            self.out.push('\n');
        } else {
            let _ = write!(self.out, "data: {json}\n\n");
        }
    }

    fn event(&mut self, tree: &MemberTree) {
        if !self.shape.is_body {
            self.out.push_str("data: ");
        }
        self.value(tree, Some(0));
        let end = if self.shape.is_body { "\n" } else { "\n\n" };
        self.out.push_str(end);
    }

    /// Writes a value, with so many members on the way to it of those that lead to what is repeated; none if it is not on the
    /// way.
    fn value(&mut self, tree: &MemberTree, depth: Option<usize>) {
        let is_repeated = depth == Some(self.path.len()) && self.place.is_array;
        if tree.is_array {
            self.out.push('[');
            self.content(tree, depth);
            while is_repeated && self.out.len() < self.len {
                self.count += 1;
                self.out.push(',');
                self.content(tree, depth);
            }
            self.out.push(']');
        } else {
            self.content(tree, depth);
        }
    }

    fn content(&mut self, tree: &MemberTree, depth: Option<usize>) {
        if let Some(role) = tree.role {
            return self.leaf(role);
        }
        self.out.push('{');
        for (place, (name, member)) in tree.members.iter().enumerate() {
            if place > 0 {
                self.out.push(',');
            }
            let next = depth.filter(|depth| self.path.get(*depth) == Some(name));
            let next = next.map(|depth| depth + 1);
            let is_repeated = next == Some(self.path.len()) && !self.place.is_array;
            loop {
                let _ = write!(self.out, "\"{name}\":");
                self.value(member, next);
                if !is_repeated || self.out.len() >= self.len {
                    break;
                }
                self.count += 1;
                self.out.push(',');
            }
        }
        self.out.push('}');
    }

    fn leaf(&mut self, role: Role) {
        let count = self.count;
        let number = match self.shape.numbers {
            GeneratedNumbers::Zero => 0,
            GeneratedNumbers::Few => count % 300,
            GeneratedNumbers::Distinct => count,
        };
        let value = match role {
            Role::Type => return self.string(self.place.on),
            Role::Text
            | Role::Start
            | Role::Alone
            | Role::Whole
            | Role::WholePart
            | Role::Quote
            | Role::Reasoning
            | Role::ReasoningWhole => return self.string(self.shape.texts.text(count)),
            Role::Number(_) => number.to_string(),
            Role::Offset => (count % 1_000).to_string(),
            Role::Sequence => count.to_string(),
            Role::Thought | Role::Special => "false".to_owned(),
            Role::Kind | Role::Block => "\"text\"".to_owned(),
            Role::Tool | Role::Echo | Role::Begins | Role::Finish => "\"a\"".to_owned(),
            Role::Logprobs => "[1]".to_owned(),
            Role::Done | Role::End | Role::EndAll => "true".to_owned(),
            _ => r#"{"a":1}"#.to_owned(),
        };
        self.out.push_str(&value);
    }

    fn string(&mut self, text: &str) {
        let _ = write!(self.out, "\"{text}\"");
    }
}

impl GeneratedTexts {
    const fn text(self, count: usize) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Short => "a",
            Self::Annotated => match count % 5 {
                0 => "It is so. [substrate.grep]",
                1 => " B [unverified",
                2 => "-inference]",
                3 => " C. D",
                _ => "",
            },
            Self::Orphans => " [unverified-inference]",
        }
    }
}
