//! The paths of a format's table as an automaton: from the members of an event to the rows they match.

use super::table::{Row, Table};

/// Number of a node; nodes are numbered so that those inside of a node follow it directly.
pub(crate) type NodeId = u8;

/// The node of the event itself.
pub(crate) const ROOT: NodeId = 0;

/// The paths of a table.
#[derive(Debug)]
pub(crate) struct Automaton {
    nodes: Box<[Node]>,
    /// The types of events that rows name; the place of each is its bit in [`Rule::types`].
    types: Box<[&'static str]>,
    pub(crate) table: &'static Table,
}

/// A place in events.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The members that lead on, at most 32.
    members: Box<[(&'static [u8], NodeId)]>,
    /// A bit for each [`signature`] that one of them has.
    signatures: u64,
    /// The node of an array's elements.
    pub(crate) element: Option<NodeId>,
    /// For the node of an element: which number of the channel its place is.
    pub(crate) place: Option<usize>,
    /// What the value is.
    pub(crate) rules: Box<[Rule]>,
    /// The first node that is not inside of this one.
    pub(crate) end: NodeId,
}

/// A row at its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Bits of the types of events it is about; all of them if it is about every event.
    pub(crate) types: u64,
    pub(crate) row: Row,
}

impl Automaton {
    /// The automaton of a table. The tables are constants and a test builds each, so that what it assumes of them holds.
    pub(crate) fn new(table: &'static Table) -> Self {
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
            tree.at(row.path).rules.push(Rule { types, row: *row });
        }
        let mut nodes = Vec::new();
        tree.number(&mut nodes);
        assert!(
            nodes.len() < usize::from(NodeId::MAX),
            "a number for each node"
        );
        Self {
            nodes: nodes.into_boxed_slice(),
            types: types.into_boxed_slice(),
            table,
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[usize::from(id)]
    }

    /// The bit of a type of events; no bit if no row names it.
    pub(crate) fn type_bit(&self, name: &[u8]) -> u64 {
        let place = self.types.iter().position(|known| known.as_bytes() == name);
        place.map_or(0, |place| 1 << place)
    }
}

impl Node {
    /// The node of a member by its decoded name, and the member's place among those that lead on.
    #[inline]
    pub(crate) fn member(&self, name: &[u8]) -> Option<(usize, NodeId)> {
        if self.signatures & signature(name) == 0 {
            return None;
        }
        let same = |(member, _): &&(&[u8], NodeId)| member.len() == name.len() && *member == name;
        let place = self.members.iter().position(|member| same(&member))?;
        Some((place, self.members[place].1))
    }

    pub(crate) fn leads_on(&self) -> bool {
        !self.members.is_empty()
    }
}

/// The bit of a name: names that are the same have the same one.
#[inline]
fn signature(name: &[u8]) -> u64 {
    let first = name.first().copied().unwrap_or_default();
    1 << ((usize::from(first) + 7 * name.len()) % 64)
}

/// The paths while they are put together.
#[derive(Default)]
struct Tree {
    members: Vec<(&'static str, Tree)>,
    element: Option<Box<Tree>>,
    place: Option<usize>,
    rules: Vec<Rule>,
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
                tree.place = number.parse().ok();
            }
        }
        tree
    }

    fn number(self, nodes: &mut Vec<Node>) -> NodeId {
        let id = nodes.len();
        assert!(self.members.len() <= 32, "a bit for each member");
        nodes.push(Node::default());
        let members = self.members.into_iter();
        let members = members.map(|(name, tree)| (name.as_bytes(), tree.number(nodes)));
        let members = members.collect();
        let element = self.element.map(|tree| tree.number(nodes));
        let members: Box<[(&[u8], NodeId)]> = members;
        nodes[id] = Node {
            signatures: members
                .iter()
                .fold(0, |all, (name, _)| all | signature(name)),
            members,
            element,
            place: self.place,
            rules: self.rules.into_boxed_slice(),
            end: nodes.len() as NodeId,
        };
        id as NodeId
    }
}
