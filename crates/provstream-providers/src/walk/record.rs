//! Records the values that a walk meets, and what repeated members make of them.

use smallvec::SmallVec;

use super::automaton::{NodeId, PathAutomaton, ROOT};
use super::evidence::{channel_number, decoded, is_thought};
use super::table::Role;
use super::{Capture, OpenNode, Repeated, Scope, Shape, Untaken, Walk};
use crate::steps::each;

/// Maximum number of captures of an event, which take up to 30 MiB with all that is read from them. An event with more
/// has [too many](Walk::has_too_many).
const MAX_CAPTURES: usize = 1 << 18;

/// Maximum number of [`Untaken`] values of an event.
const MAX_UNTAKEN: usize = 1 << 14;

impl Walk {
    /// Counts an odd number if an element's place in an array is the number of another element.
    #[cold]
    pub(super) fn compare_elements(&mut self, automaton: &PathAutomaton, array: OpenNode) {
        let element = automaton.node(array.node).element;
        let Some(level) = element.and_then(|element| automaton.node(element).place) else {
            return;
        };
        let scopes = self.scopes.get(usize::from(array.scopes)..);
        let scopes = || each(scopes.into_iter().flatten());
        let elements = |is_named: bool| {
            let is_meant = move |scope: &&Scope| {
                scope.parent == array.scope && (scope.named & (1 << level) != 0) == is_named
            };
            scopes()
                .filter(is_meant)
                .filter_map(move |scope| scope.numbers[level])
        };
        let mut named: SmallVec<[u32; 2]> = elements(true).collect();
        named.sort_unstable();
        if elements(false).any(|place| named.binary_search(&place).is_ok()) {
            self.odd_numbers[level] += 1;
        }
    }

    /// Records that a member of the innermost object is repeated, with a value that begins at `at`.
    #[cold]
    pub(super) fn repeat(&mut self, nodes: core::ops::Range<NodeId>, at: usize) {
        let depth = self.frames.len();
        // An object has no more of them than a node has members.
        let of_object = each(self.repeated.iter_mut().rev());
        let mut of_object = of_object.take_while(|repeated| repeated.depth == depth);
        match of_object.find(|repeated| repeated.nodes == nodes) {
            Some(repeated) => repeated.last = at,
            None => self.repeated.push(Repeated {
                depth,
                nodes,
                last: at,
            }),
        }
    }

    /// At the end of the innermost object, marks the captures of all but the last occurrence of repeated members as
    /// superseded.
    #[cold]
    pub(super) fn supersede(&mut self) {
        let depth = self.frames.len();
        let from = self
            .repeated
            .partition_point(|repeated| repeated.depth < depth);
        let (Some(frame), repeated) = (self.frames.last(), &self.repeated[from..]) else {
            return;
        };
        if !repeated.is_empty() {
            for capture in each(self.captures[frame.before as usize..].iter_mut()) {
                let mut of = each(repeated.iter());
                let of = of.find(|repeated| repeated.nodes.contains(&capture.node));
                capture.superseded |= of.is_some_and(|of| (capture.start as usize) < of.last);
            }
        }
        self.repeated.truncate(from);
    }

    /// Records a value, if rows name it.
    #[inline]
    #[expect(
        clippy::too_many_arguments,
        reason = "the hot path: what changes with each byte stays in registers"
    )]
    pub(super) fn capture(
        &mut self,
        automaton: &PathAutomaton,
        data: &[u8],
        id: NodeId,
        scope: u16,
        shape: Shape,
        range: core::ops::Range<usize>,
    ) {
        let node = automaton.node(id);
        let Some(first) = node.rules.first() else {
            if node.may_be_unread() {
                self.leave_value(id, data, shape, range);
            }
            return;
        };
        let capture = Capture {
            node: id,
            shape,
            superseded: false,
            scope,
            start: range.start as u32,
            end: range.end as u32,
        };
        let role = first.row.role;
        let is_read = match role {
            Role::Thought | Role::Special | Role::DeltaKind | Role::Type => true,
            Role::Kind => node.rules.len() == 1,
            Role::Id => capture.is_string(),
            _ => false,
        };
        if is_read && !role.allowed().has(&data[capture.value()]) {
            self.leave_value(id, data, shape, range.clone());
        }
        match role {
            Role::Number(level) => {
                let number = channel_number(&data[range.clone()], shape);
                self.set_number((scope, level), number, &data[range.clone()]);
                if level == 0 && scope == 0 {
                    self.number_at = (capture.start, capture.end);
                }
                if number.is_none() {
                    self.leave_value(id, data, shape, range);
                }
            }
            Role::Thought => {
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    let is_thought = shape == Shape::Scalar && data[range] == *b"true";
                    scope.thought = if is_thought { id } else { ROOT };
                }
            }
            Role::Special => {
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    scope.is_special = shape == Shape::Scalar && data[range] == *b"true";
                }
            }
            Role::Kind => {
                let is_thought = is_thought(&decoded(&data[range]));
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    scope.thought = if is_thought { id } else { ROOT };
                }
                if node.rules.len() > 1 {
                    self.keep(capture);
                }
            }
            Role::DeltaKind => {
                let mut plain = automaton.table.plain.iter();
                let kind = decoded(&data[capture.range()]);
                let is_other = capture.is_string() && !plain.any(|name| name.as_bytes() == &*kind);
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    scope.is_other = is_other;
                }
            }
            Role::Id => {
                self.id = Some(capture).filter(Capture::is_string);
                self.has_odd_id = self.id.is_none() && data[range] != *b"null";
            }
            Role::Type => self.kind = Some(capture),
            // `null` says nothing in any place.
            _ if shape == Shape::Scalar && data[range] == *b"null" => {}
            _ => self.keep(capture),
        }
    }

    /// Adds a capture, unless the event has too many.
    #[inline]
    fn keep(&mut self, capture: Capture) {
        if self.captures.len() < MAX_CAPTURES {
            self.captures.push(capture);
        } else {
            self.has_too_many = true;
        }
    }

    /// Sets a number of a scope, with its JSON; the last of repeated members counts.
    fn set_number(&mut self, (scope, level): (u16, usize), number: Option<u32>, json: &[u8]) {
        if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
            let bit = 1 << level;
            let is_other = scope.named & bit != 0 && scope.numbers[level] != number;
            scope.named |= u8::from(number.is_some()) << level;
            let is_odd = match number {
                // Servers write `null` for 0.
                None => json != b"null",
                // Two members may be a number of one level.
                Some(_) => is_other && !self.is_repeated,
            };
            scope.numbers[level] = number.or(scope.numbers[level]);
            self.odd_numbers[level] -= u32::from(scope.odd & bit != 0);
            self.odd_numbers[level] += u32::from(is_odd);
            scope.odd = (scope.odd & !bit) | (u8::from(is_odd) << level);
        }
    }

    /// Records a node's value that no row reads; `range` is a string's content. The content of an entered container
    /// is recorded separately.
    #[cold]
    pub(crate) fn leave_value(
        &mut self,
        node: NodeId,
        data: &[u8],
        shape: Shape,
        range: core::ops::Range<usize>,
    ) {
        let value = match shape {
            Shape::Scalar => return,
            Shape::Plain | Shape::Escaped => range.start - 1..range.end + 1,
            Shape::Object | Shape::Array => range,
        };
        let around = self.frames.last().map_or(0, |frame| frame.start);
        self.leave(node, (0, 0), data, value, around);
    }

    /// Records a value that no row reads, if it may have text.
    #[cold]
    #[expect(clippy::too_many_arguments, reason = "the parts of what is noted")]
    pub(super) fn leave(
        &mut self,
        node: NodeId,
        name: (u32, u32),
        data: &[u8],
        value: core::ops::Range<usize>,
        around: u32,
    ) {
        // An empty string, an empty container and one that is entered have two bytes at most.
        let is_scalar = !matches!(data.get(value.start), Some(b'"' | b'{' | b'['));
        if value.len() <= 2 || is_scalar {
            return;
        }
        if self.untaken.len() >= MAX_UNTAKEN {
            self.has_more_untaken = true;
            return;
        }
        self.untaken.push(Untaken {
            node,
            name,
            start: value.start as u32,
            end: value.end as u32,
            around,
        });
    }
}
