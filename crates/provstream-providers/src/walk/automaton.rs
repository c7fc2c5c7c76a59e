//! Paths of a format's table, compiled to an automaton that leads from the members of an event to the matching rows.

use super::allowed::Allowed;
use super::table::{FormatRow, FormatTable, Passes, Role};

/// Number of a node. The nodes inside a node follow it directly.
pub(crate) type NodeId = u16;

/// The node of the event itself.
pub(crate) const ROOT: NodeId = 0;

/// Automaton of a table.
#[derive(Debug)]
pub(crate) struct PathAutomaton {
    nodes: Box<[PathNode]>,
    /// Types of events that rows name; the index of each is its bit in [`PathRule::types`].
    types: Box<[&'static str]>,
    /// Path of each node; an element of an array is `[]`.
    paths: Box<[Box<str>]>,
    /// Paths of values that are not text in events and parts of certain kinds.
    pub(crate) passes_in: Box<[(Box<str>, &'static Passes)]>,
    pub(crate) table: &'static FormatTable,
}

/// A path in events.
#[derive(Debug, Default)]
pub(crate) struct PathNode {
    /// Members with a node, at most 32.
    members: Box<[(&'static [u8], NodeId)]>,
    /// Bit set of the [`signature`]s of `members`.
    signatures: u64,
    /// A string in this value that no row names is text that was not read, unless its member is one of `passes`.
    pub(crate) is_content: bool,
    /// Types of this value that pass although no row reads them.
    pub(crate) allowed: Allowed,
    /// Bits of the types of events in which the value is text, or has text in it.
    texts: u64,
    passes: Box<[(&'static [u8], Allowed)]>,
    /// The node of an array's elements.
    pub(crate) element: Option<NodeId>,
    /// For an array's element: which number of the channel (0 or 1) its index is, unless the element has a member for
    /// the number.
    pub(crate) place: Option<usize>,
    /// The value is [evidence](Role::is_evidence), or one inside it is that decides about text.
    pub(crate) has_evidence: bool,
    /// Strings in an array's element belong to a text by what the element has.
    pub(crate) has_scope: bool,
    /// Rows that apply to the value.
    pub(crate) rules: Box<[PathRule]>,
    /// Number of the first node after this one that is not inside it.
    pub(crate) end: NodeId,
}

/// A row, with the types of its events as bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathRule {
    /// Bits of the types of events to which the row applies; all bits if it applies to every event.
    pub(crate) types: u64,
    pub(crate) row: FormatRow,
}

impl PathAutomaton {
    /// Compiles a table. The tables are constants, and a test compiles each, so the assertions hold.
    pub(crate) fn new(table: &'static FormatTable) -> Self {
        let mut types: Vec<&'static str> = Vec::new();
        for name in table.rows.iter().flat_map(|row| row.on) {
            if !types.contains(name) {
                types.push(name);
            }
        }
        assert!(types.len() < 64, "a bit for each type");
        let mut tree = Tree::default();
        for row in table.rows {
            let bits = row.on.iter().map(|name| {
                let place = types.iter().position(|known| known == name);
                1 << place.unwrap_or_default()
            });
            let types = match row.on {
                [] => u64::MAX,
                _ => bits.fold(0, |all: u64, bit: u64| all | bit),
            };
            tree.at(row.path).rules.push(PathRule { types, row: *row });
        }
        let of_all = table.passes.iter().filter(|passes| passes.kinds.is_empty());
        for passes in of_all {
            for (around, member) in passes.paths() {
                tree.at(around).pass(member, passes.allowed);
            }
        }
        let of_kinds = table
            .passes
            .iter()
            .filter(|passes| !passes.kinds.is_empty());
        let passes_in = of_kinds.flat_map(|passes| {
            passes.paths().map(move |(around, member)| {
                let path = join(around, member);
                let path = path.replace("[0]", "[]").replace("[1]", "[]");
                (path.into(), passes)
            })
        });
        let (mut nodes, mut paths) = (Vec::new(), Vec::new());
        let around = ContainerFacts {
            is_content: table.is_closed,
            path: String::new(),
        };
        tree.number(&mut nodes, &mut paths, around);
        assert!(
            nodes.len() < usize::from(NodeId::MAX),
            "a number for each node"
        );
        Self {
            nodes: nodes.into_boxed_slice(),
            types: types.into_boxed_slice(),
            paths: paths.into_boxed_slice(),
            passes_in: passes_in.collect(),
            table,
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> &PathNode {
        &self.nodes[usize::from(id)]
    }

    /// Returns the path of a node.
    pub(crate) fn path(&self, id: NodeId) -> &str {
        &self.paths[usize::from(id)]
    }

    /// Returns the bit of a type of events; 0 if no row names the type.
    pub(crate) fn type_bit(&self, name: &[u8]) -> u64 {
        let place = self.types.iter().position(|known| known.as_bytes() == name);
        place.map_or(0, |place| 1 << place)
    }
}

impl PathNode {
    /// Returns the index of a member among `members`, and its node, by its decoded name.
    #[inline]
    pub(crate) fn member(&self, name: &[u8]) -> Option<(usize, NodeId)> {
        if self.signatures & signature(name) == 0 {
            return None;
        }
        let same = |(member, _): &&(&[u8], NodeId)| member.len() == name.len() && *member == name;
        let place = self.members.iter().position(|member| same(&member))?;
        Some((place, self.members[place].1))
    }

    /// Returns `true` if a value that no row looks into may have text that was not read.
    #[inline]
    pub(crate) const fn may_be_unread(&self) -> bool {
        self.is_content || self.texts != 0
    }

    /// Returns the values of a member without a node that are not text, by its decoded name.
    pub(crate) fn allowed(&self, name: &[u8]) -> Allowed {
        if !self.is_content {
            return Allowed::Any;
        }
        let mut passes = self.passes.iter();
        let known = passes.find(|(member, _)| member.len() == name.len() && *member == name);
        known.map_or(Allowed::Nothing, |(_, allowed)| *allowed)
    }

    /// Returns `true` if the value is text, or has text in it, in events of the type with this bit.
    pub(crate) const fn has_text_in(&self, bit: u64) -> bool {
        self.texts == u64::MAX || self.texts & bit != 0
    }

    pub(crate) fn leads_on(&self) -> bool {
        !(self.members.is_empty() && self.passes.is_empty())
    }
}

/// Returns a bit that depends only on the name, to reject most other names quickly.
#[inline]
fn signature(name: &[u8]) -> u64 {
    let first = name.first().copied().unwrap_or_default();
    1 << ((usize::from(first) + 7 * name.len()) % 64)
}

/// Joins two paths.
fn join(around: &str, member: &str) -> String {
    let dot = if around.is_empty() { "" } else { "." };
    format!("{around}{dot}{member}")
}

/// Tree of paths, from which the nodes are built.
#[derive(Default)]
struct Tree {
    members: Vec<(&'static str, Tree)>,
    element: Option<Box<Tree>>,
    place: Option<usize>,
    rules: Vec<PathRule>,
    /// Overrides the value of the object or array around the node.
    is_content: Option<bool>,
    allowed: Allowed,
    passes: Vec<(&'static [u8], Allowed)>,
}

/// Properties of the object or array around a node.
struct ContainerFacts {
    is_content: bool,
    path: String,
}

impl Tree {
    fn at(&mut self, path: &'static str) -> &mut Self {
        let mut tree = self;
        for step in path.split('.').filter(|step| !step.is_empty()) {
            let (name, brackets) = step.split_at(step.find('[').unwrap_or(step.len()));
            let place = match tree.members.iter().position(|(member, _)| *member == name) {
                Some(place) => place,
                None => {
                    tree.members.push((name, Self::default()));
                    tree.members.len() - 1
                }
            };
            tree = &mut tree.members[place].1;
            if let Some(number) = brackets
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                tree = tree.element.get_or_insert_default();
                tree.place = number.parse().ok().or(tree.place);
            }
        }
        tree
    }

    /// Marks values of these types at this path as not text. A node is not created if no row looks into the value.
    fn pass(&mut self, path: &'static str, allowed: Allowed) {
        let (around, name) = path.rsplit_once('.').unwrap_or(("", path));
        let tree = self.at(around);
        match tree.members.iter_mut().find(|(member, _)| *member == name) {
            Some((_, member)) => {
                member.allowed = allowed;
                member.is_content = (allowed == Allowed::Any).then_some(false);
            }
            None => tree.passes.push((name.as_bytes(), allowed)),
        }
    }

    /// Returns which number of the channel names an element by a member; only the first has positions as well.
    fn numbered(&self) -> Option<usize> {
        let mut rules = self.members.iter().flat_map(|(_, member)| &member.rules);
        rules
            .any(|rule| rule.row.role == Role::Number(0))
            .then_some(0)
    }

    fn number(
        self,
        nodes: &mut Vec<PathNode>,
        paths: &mut Vec<Box<str>>,
        around: ContainerFacts,
    ) -> NodeId {
        let id = nodes.len();
        let place = self.place.or_else(|| self.numbered());
        assert!(self.members.len() <= 32, "a bit for each member");
        nodes.push(PathNode::default());
        paths.push(around.path.clone().into());
        let is_content = self.is_content.unwrap_or(around.is_content);
        let mut number = |path: String, tree: Self| {
            tree.number(nodes, paths, ContainerFacts { is_content, path })
        };
        let members = self
            .members
            .into_iter()
            .map(|(name, tree)| (name.as_bytes(), number(join(&around.path, name), tree)));
        let members: Box<[(&[u8], NodeId)]> = members.collect();
        let element = self
            .element
            .map(|tree| number(format!("{}[]", around.path), *tree));
        let inside = members.iter().map(|(_, member)| *member).chain(element);
        let own = self.rules.iter().filter(|rule| rule.row.role.is_text());
        let own = own.fold(0, |all, rule| all | rule.types);
        let texts = inside.fold(own, |all, node| all | nodes[usize::from(node)].texts);
        let is_evidence = |rule: &PathRule| rule.row.role.is_evidence();
        let inner = nodes[id + 1..].iter().flat_map(|node| &node.rules);
        let mut inner = inner.filter(|rule| is_evidence(rule)).peekable();
        let has_scope = inner.peek().is_some() || place.is_some() || texts != 0;
        // Other numbers inside are those of tool calls, reasoning and citations.
        let is_part = |rule: &PathRule| matches!(rule.row.role, Role::Number(1..));
        let has_evidence = self.rules.iter().any(is_evidence) || inner.any(|rule| !is_part(rule));
        nodes[id] = PathNode {
            signatures: members
                .iter()
                .fold(0, |all, (name, _)| all | signature(name)),
            texts,
            is_content,
            allowed: self.allowed,
            passes: self.passes.into_boxed_slice(),
            members,
            element,
            place,
            has_evidence,
            has_scope,
            rules: self.rules.into_boxed_slice(),
            end: nodes.len() as NodeId,
        };
        id as NodeId
    }
}
