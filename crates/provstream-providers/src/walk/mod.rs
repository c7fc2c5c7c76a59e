//! One walk over the JSON of an event.
//!
//! A [`Table`](table::Table) lists the paths of a format's values that matter, and is compiled once to an
//! [`Automaton`]. [`Walk::read`] goes over the bytes of an event once, and follows the members through the automaton.
//! Values that no row names are skipped at the speed of a scan for quotes and brackets; values that a row names are
//! recorded as [`Capture`]s, ranges of the event's bytes. Nothing is copied, no tree is built, and nothing is
//! allocated once the vectors have grown to the size that the stream's events need.
//!
//! The text to which a captured string belongs can depend on later members of the event: `index` after `delta`,
//! `thought` after `text`, `type` last of all. Therefore a capture points to its [`Scope`], the innermost array
//! element (or the event) around it, and the scope has all its numbers after the walk. An event is read when it is
//! complete; the framers limit its length.
//!
//! The walk accepts what the SDKs of providers accept, and more: of skipped values, only the tokens are validated. If a
//! member is repeated, the last occurrence counts, as in SDKs; earlier captures are
//! [superseded](Capture::superseded). Members that decide about a text must occur once, so that no client reads
//! another text than this one. `RFC 8259 2 to 8`

pub(crate) mod allowed;
pub(crate) mod automaton;
mod evidence;
pub(crate) mod scan;
pub(crate) mod table;

use smallvec::SmallVec;

use super::steps::{count, each};
use allowed::Allowed;
use automaton::{Automaton, NodeId, ROOT};
pub(crate) use evidence::decoded;
use evidence::{channel_number, is_thought};
use scan::{container_end, is_scalar, scalar_end, string_end, white_space_end};
use table::Role;

/// A value that a row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) node: NodeId,
    pub(crate) shape: Shape,
    /// A member of the same name follows in the same object.
    pub(crate) superseded: bool,
    /// Index of the scope in [`Walk::scopes`].
    pub(crate) scope: u16,
    /// First byte: of a string's content, or of any other value.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// JSON type of a captured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A string without escapes.
    Plain,
    /// A string with escapes.
    Escaped,
    /// A number, `true`, `false` or `null`.
    Scalar,
    Object,
    Array,
}

impl Capture {
    pub(crate) fn range(&self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the range of the value, with the quotes of a string.
    pub(crate) fn value(&self) -> core::ops::Range<usize> {
        let quote = usize::from(self.is_string());
        self.start as usize - quote..self.end as usize + quote
    }

    pub(crate) const fn is_string(&self) -> bool {
        matches!(self.shape, Shape::Plain | Shape::Escaped)
    }
}

/// The event, or an element of an array in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Index of the scope around this one; the event's scope is its own parent.
    pub(crate) parent: u16,
    /// Numbers in this scope that name a channel.
    pub(crate) numbers: [Option<u32>; 3],
    /// Node of the value that says that text in the scope is reasoning, in events that its row is about; [`ROOT`]
    /// without one.
    pub(crate) thought: NodeId,
    /// Bits of `numbers` whose member is not a whole number of 32 bits, or which have two members that differ.
    odd: u8,
    /// Bits of `numbers` that have a member.
    named: u8,
    /// Text in the scope is a special token, which clients do not show.
    pub(crate) is_special: bool,
    /// The delta in the scope is of a kind other than text.
    pub(crate) is_other: bool,
}

/// Maximum number of scopes of an event; an event with more is [odd](Walk::is_odd).
const MAX_SCOPES: usize = 1 << 14;

/// Maximum number of captures of an event, which take up to 30 MiB with all that is read from them. An event with more
/// has [too many](Walk::has_too_many).
const MAX_CAPTURES: usize = 1 << 18;

/// An open object or array.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: NodeId,
    is_array: bool,
    scope: u16,
    /// Bit set of the known members that occurred; in an array, the number of elements so far.
    seen: u32,
    /// Position of the container's first byte.
    start: u32,
    /// Number of captures before the container.
    before: u32,
    /// Index of the container's own capture.
    own: Option<u32>,
    /// Number of scopes before the container.
    scopes: u16,
}

/// Range of the content of a string that is a member's value and that no row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) start: u16,
    pub(crate) end: u16,
}

impl Unread {
    /// Returns the string in this range; `None` if the range ends after 65,535 bytes.
    pub(crate) fn new(range: core::ops::Range<usize>) -> Option<Self> {
        Some(Self {
            start: u16::try_from(range.start).ok()?,
            end: u16::try_from(range.end).ok()?,
        })
    }

    pub(crate) fn range(self) -> core::ops::Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }
}

/// A value in a place for text that no row reads: a member of an unknown name, or the value of a node with an
/// unexpected type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Untaken {
    /// The node of the value, or of the object that it is a member of.
    pub(crate) node: NodeId,
    /// Range of the content of the member's name; empty if `node` is the value's own node.
    pub(crate) name: (u32, u32),
    /// First byte of the value; for a string, its quote.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// First byte of the object around the value.
    pub(crate) around: u32,
}

/// Maximum number of [`Untaken`] values of an event.
const MAX_UNTAKEN: usize = 1 << 14;

/// Maximum number of [`Unread`] strings of an event.
const MAX_UNREAD: usize = 16;

/// A member that was repeated in an open object.
#[derive(Clone, Debug)]
struct Repeated {
    /// Number of open containers, including the object.
    depth: usize,
    /// Nodes of the member and of the values inside it.
    nodes: core::ops::Range<NodeId>,
    /// Position of the first byte of the last value.
    last: usize,
}

/// State and results of a walk; the memory is reused for the next event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    pub(crate) captures: Vec<Capture>,
    pub(crate) scopes: Vec<Scope>,
    /// The first strings that no row names.
    pub(crate) unread: Vec<Unread>,
    pub(crate) untaken: Vec<Untaken>,
    /// Values were left out of `untaken`.
    pub(crate) has_more_untaken: bool,
    frames: Vec<Frame>,
    /// Repeated members of the open objects, from the outermost object to the innermost.
    repeated: Vec<Repeated>,
    /// [Evidence](table::Role::is_evidence) is repeated.
    pub(crate) is_repeated: bool,
    /// Number of channel numbers that are not whole numbers of 32 bits, by their level.
    odd_numbers: [u32; 3],
    /// The identifier of the event's block is not a string.
    has_odd_id: bool,
    /// The event has more scopes than it may have.
    has_more_scopes: bool,
    /// The event has more values of interest than are captured.
    pub(crate) has_too_many: bool,
    /// Capture of the event's type.
    pub(crate) kind: Option<Capture>,
    /// Capture of the identifier of the event's block.
    pub(crate) id: Option<Capture>,
    /// Range of the event's own first channel number; empty if there is none.
    pub(crate) number_at: (u32, u32),
}

/// Error: the event is not JSON, or not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl Walk {
    /// Reads `data`, which must be one JSON value and white space. After an error, earlier captures remain.
    pub(crate) fn read(&mut self, automaton: &Automaton, data: &[u8]) -> Result<(), Malformed> {
        self.captures.clear();
        self.scopes.clear();
        self.frames.clear();
        self.repeated.clear();
        self.unread.clear();
        self.untaken.clear();
        self.has_more_untaken = false;
        self.scopes.push(Scope::default());
        self.is_repeated = false;
        self.odd_numbers = [0; 3];
        self.has_odd_id = false;
        self.has_more_scopes = false;
        self.has_too_many = false;
        self.kind = None;
        self.id = None;
        self.number_at = (0, 0);
        let end = self.value(automaton, data).ok_or(Malformed)?;
        if white_space_end(data, end) == data.len() {
            Ok(())
        } else {
            Err(Malformed)
        }
    }

    /// Returns `true` if it is not known to which texts the event's strings belong.
    pub(crate) const fn is_odd(&self) -> bool {
        self.odd_numbers[0] > 0
            || self.odd_numbers[2] > 0
            || self.has_odd_id
            || self.has_more_scopes
    }

    /// Returns `true` if some number of a part is odd.
    pub(crate) const fn has_odd_part(&self) -> bool {
        self.odd_numbers[1] > 0
    }

    /// Returns `true` if the number of the part that a value is in is odd.
    pub(crate) fn is_in_odd_part(&self, capture: &Capture) -> bool {
        let scope = self.scopes.get(usize::from(capture.scope));
        scope.is_some_and(|scope| scope.odd & (1 << 1) != 0)
    }

    /// Releases memory that an unusually large event needed.
    pub(crate) fn trim(&mut self) {
        const USUAL: usize = 64;
        if self.untaken.capacity() > USUAL {
            self.untaken = Vec::new();
        }
        if self.captures.capacity() > USUAL || self.scopes.capacity() > USUAL {
            self.captures.clear();
            self.captures.shrink_to(USUAL);
            self.scopes.clear();
            self.scopes.shrink_to(USUAL);
        }
    }

    /// Reads the first value and returns the position after it.
    fn value(&mut self, automaton: &Automaton, data: &[u8]) -> Option<usize> {
        let mut next = Next::Value(ROOT, 0, white_space_end(data, 0));
        loop {
            let mut at = match next {
                Next::Value(node, scope, at) => {
                    let end = self.one(automaton, data, node, scope, at)?;
                    match end {
                        Opened::Skipped(end) => end,
                        Opened::Inside => {
                            next = self.first(automaton, data, at)?;
                            continue;
                        }
                    }
                }
                Next::Closed(end) => {
                    self.close(automaton, end);
                    end
                }
            };
            let Some(frame) = self.frames.last() else {
                return Some(at);
            };
            at = white_space_end(data, at);
            let close = if frame.is_array { b']' } else { b'}' };
            next = match *data.get(at)? {
                b',' => self.next(automaton, data, white_space_end(data, at + 1))?,
                byte if byte == close => Next::Closed(at + 1),
                _ => return None,
            };
        }
    }

    /// Reads a value; a container that rows look into is only entered.
    #[inline]
    #[expect(
        clippy::too_many_arguments,
        reason = "the hot path: what changes with each byte stays in registers"
    )]
    fn one(
        &mut self,
        automaton: &Automaton,
        data: &[u8],
        node: NodeId,
        scope: u16,
        at: usize,
    ) -> Option<Opened> {
        let end = match data.get(at)? {
            b'"' => {
                let string = string_end(data, at + 1)?;
                let shape = if string.escaped {
                    Shape::Escaped
                } else {
                    Shape::Plain
                };
                self.capture(automaton, data, node, scope, shape, at + 1..string.end);
                string.end + 1
            }
            open @ (b'{' | b'[') => {
                return self.open(automaton, data, node, scope, at, *open == b'[');
            }
            _ => {
                let end = scalar_end(data, at);
                if !is_scalar(&data[at..end]) {
                    return None;
                }
                self.capture(automaton, data, node, scope, Shape::Scalar, at..end);
                end
            }
        };
        Some(Opened::Skipped(end))
    }

    /// Moves to the first value in the container that was entered at `at`.
    fn first(&mut self, automaton: &Automaton, data: &[u8], at: usize) -> Option<Next> {
        let close = if self.frames.last()?.is_array {
            b']'
        } else {
            b'}'
        };
        let at = white_space_end(data, at + 1);
        if *data.get(at)? == close {
            return Some(Next::Closed(at + 1));
        }
        self.next(automaton, data, at)
    }

    /// Enters a container that rows look into, and skips any other.
    #[expect(
        clippy::too_many_arguments,
        reason = "the hot path: what changes with each byte stays in registers"
    )]
    fn open(
        &mut self,
        automaton: &Automaton,
        data: &[u8],
        id: NodeId,
        scope: u16,
        at: usize,
        is_array: bool,
    ) -> Option<Opened> {
        let node = automaton.node(id);
        let shape = if is_array {
            Shape::Array
        } else {
            Shape::Object
        };
        let leads_on = match is_array {
            true => node.element.is_some(),
            false => node.leads_on(),
        };
        if !leads_on {
            let end = container_end(data, at)?;
            self.capture(automaton, data, id, scope, shape, at..end);
            return Some(Opened::Skipped(end));
        }
        let before = self.captures.len() as u32;
        self.capture(automaton, data, id, scope, shape, at..at);
        let own = (self.captures.len() as u32 > before).then_some(before);
        self.frames.push(Frame {
            node: id,
            is_array,
            scope,
            seen: 0,
            start: at as u32,
            before,
            own,
            scopes: self.scopes.len() as u16,
        });
        Some(Opened::Inside)
    }

    /// Leaves the innermost container, which ends at `end`.
    fn close(&mut self, automaton: &Automaton, end: usize) {
        if !self.repeated.is_empty() {
            self.supersede();
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if frame.is_array && frame.seen > 1 {
            self.compare_elements(automaton, frame);
        }
        if let Some(own) = frame.own
            && let Some(capture) = self.captures.get_mut(own as usize)
        {
            capture.end = end as u32;
        }
    }

    /// Counts an odd number if an element's place in an array is the number of another element.
    #[cold]
    fn compare_elements(&mut self, automaton: &Automaton, array: Frame) {
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

    /// Moves to the next value in the innermost container that a row names, or to the container's end.
    fn next(&mut self, automaton: &Automaton, data: &[u8], at: usize) -> Option<Next> {
        count(1);
        let frame = self.frames.last_mut()?;
        let (id, around) = (frame.node, frame.start);
        let node = automaton.node(id);
        if frame.is_array {
            // Elements are counted where a channel is named by their place.
            let place = frame.seen;
            frame.seen = frame.seen.saturating_add(1);
            let element = node.element?;
            let parent = frame.scope;
            let of_element = automaton.node(element);
            if !of_element.has_scope {
                return Some(Next::Value(element, parent, at));
            }
            let mut numbers = [None; 3];
            if let Some(level) = of_element.place {
                numbers[level] = Some(place);
            }
            let scope = self.new_scope(parent, numbers);
            return Some(Next::Value(element, scope, at));
        }
        let mut at = at;
        loop {
            if *data.get(at)? != b'"' {
                return None;
            }
            let name = string_end(data, at + 1)?;
            let raw = &data[at + 1..name.end];
            let decoded = name
                .escaped
                .then(|| provstream::json::decode(raw, true).text);
            let raw = decoded.as_ref().map_or(raw, |name| name.as_bytes());
            let found = node.member(raw);
            let allowed = match found {
                Some(_) => Allowed::Any,
                None => node.allowed(raw),
            };
            let name = (at as u32 + 1, name.end as u32);
            let colon = white_space_end(data, name.1 as usize + 1);
            if *data.get(colon)? != b':' {
                return None;
            }
            at = white_space_end(data, colon + 1);
            if let Some((place, member)) = found {
                let frame = self.frames.last_mut()?;
                let scope = frame.scope;
                let bit = 1 << place;
                let is_again = frame.seen & bit != 0;
                frame.seen |= bit;
                if is_again {
                    self.is_repeated |= automaton.node(member).has_evidence;
                    self.repeat(member..automaton.node(member).end, at);
                }
                return Some(Next::Value(member, scope, at));
            }
            let end = skip(data, at)?;
            if !allowed.has(&data[at..end]) {
                self.leave(id, name, data, at..end, around);
            } else if data[at] == b'"' && self.unread.len() < MAX_UNREAD {
                self.unread.extend(Unread::new(at + 1..end - 1));
            }
            at = white_space_end(data, end);
            match *data.get(at)? {
                b',' => at = white_space_end(data, at + 1),
                b'}' => return Some(Next::Closed(at + 1)),
                _ => return None,
            }
        }
    }

    fn new_scope(&mut self, parent: u16, numbers: [Option<u32>; 3]) -> u16 {
        if self.scopes.len() >= MAX_SCOPES {
            self.has_more_scopes = true;
            return parent;
        }
        self.scopes.push(Scope {
            parent,
            numbers,
            ..Scope::default()
        });
        (self.scopes.len() - 1) as u16
    }

    /// Records that a member of the innermost object is repeated, with a value that begins at `at`.
    #[cold]
    fn repeat(&mut self, nodes: core::ops::Range<NodeId>, at: usize) {
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
    fn supersede(&mut self) {
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
    fn capture(
        &mut self,
        automaton: &Automaton,
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
    fn leave(
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

/// Skips a value that no row names, and returns the position after it.
#[inline]
pub(crate) fn skip(data: &[u8], at: usize) -> Option<usize> {
    match data.get(at)? {
        b'"' => Some(string_end(data, at + 1)?.end + 1),
        b'{' | b'[' => container_end(data, at),
        _ => {
            let end = scalar_end(data, at);
            is_scalar(&data[at..end]).then_some(end)
        }
    }
}

/// Next step of a walk.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A value: its node, its scope and the position of its first byte.
    Value(NodeId, u16, usize),
    /// The end of the innermost container, which is at this position.
    Closed(usize),
}

/// Result of reading a value.
enum Opened {
    /// The value was read or skipped, and ends at this position.
    Skipped(usize),
    /// The value is a container that was entered.
    Inside,
}
