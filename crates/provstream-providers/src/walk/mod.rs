//! One walk over the JSON of an event.
//!
//! A [`Table`](table::Table) names the places of a format's events that matter; an [`Automaton`] is made of it once.
//! [`Walk::read`] goes over the bytes of an event from the first to the last, once, and follows its members through the
//! automaton. What no row names is skipped at the speed of a scan for quotes and brackets; what a row names is noted as a
//! [`Capture`], a range of the event's bytes. Nothing is copied, nothing is built, and nothing is allocated once the
//! vectors have grown to what the stream's events need.
//!
//! Which text a captured string belongs to can depend on what comes after it in the event: `index` after `delta`, `thought`
//! after `text`, `type` last of all. So captures point to a [`Scope`], the object or element that they are in, and the
//! scope has all its numbers once the walk is over. An event is read when it is complete; the framers bound its length.
//!
//! The walk accepts what the SDKs of providers accept, and more: it does not judge the inside of what it skips. Of repeated
//! members the last counts, as it does for SDKs; captures of those before are [superseded](Capture::superseded).
//! `RFC 8259 2 to 8`

pub(crate) mod automaton;
pub(crate) mod scan;
pub(crate) mod table;

use super::steps::{count, each};
use automaton::{Automaton, NodeId, ROOT};
use scan::{Skip, is_scalar, scalar_end, string_end, white_space_end};
use table::Role;

/// A value that a row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) node: NodeId,
    pub(crate) shape: Shape,
    /// A member of the same name follows in the same object.
    pub(crate) superseded: bool,
    /// Place of the scope in [`Walk::scopes`].
    pub(crate) scope: u16,
    /// Of a string its content, of any other value all of it.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// What a captured value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A string without escapes.
    Plain,
    /// A string with escapes.
    Escaped,
    /// A number or a word.
    Scalar,
    Object,
    Array,
}

impl Capture {
    pub(crate) fn range(&self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) const fn is_string(&self) -> bool {
        matches!(self.shape, Shape::Plain | Shape::Escaped)
    }
}

/// The event, or an element of an array in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// The scope around it; that of the event is its own.
    pub(crate) parent: u16,
    /// The numbers of the channel that it names.
    pub(crate) numbers: [Option<u32>; 3],
    /// The text in it is reasoning.
    pub(crate) is_thought: bool,
    /// The string for text in it is not shown.
    pub(crate) is_special: bool,
    /// The string for text in it is that of something else.
    pub(crate) is_other: bool,
}

/// Most scopes of an event; elements of arrays after that share the scope around them.
const MAX_SCOPES: usize = 1 << 14;

/// An open object or array.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: NodeId,
    is_array: bool,
    scope: u16,
    /// The members that were seen, a bit for each that leads on.
    seen: u32,
    /// Where it begins.
    start: u32,
    /// How many captures there were before it.
    before: u32,
    /// The capture of the container itself.
    own: Option<u32>,
}

/// The content of a string that is a member's value and that no row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) start: u16,
    pub(crate) end: u16,
}

impl Unread {
    /// The string in this range; `None` if it is too far from the start.
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

/// A value that no row takes, in a place where that is text that was not read: a member by its name, or the value of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Untaken {
    /// The node of the value, or of the object that it is a member of.
    pub(crate) node: NodeId,
    /// Where the content of the member's name is; empty if the node is that of the value.
    pub(crate) name: (u32, u32),
    /// Where the value is, a string with its quotes.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Where the object around it begins.
    pub(crate) around: u32,
}

/// Most such values of an event.
const MAX_UNTAKEN: usize = 1 << 14;

/// Most strings that no row is about of which a walk takes note.
const MAX_UNREAD: usize = 16;

/// A member that came again in an open object.
#[derive(Clone, Debug)]
struct Repeated {
    /// How many containers are open in the object.
    depth: usize,
    /// The nodes of the member and of what is in it.
    nodes: core::ops::Range<NodeId>,
    /// Where its last value begins.
    last: usize,
}

/// A walk; its memory is used again from one event to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    pub(crate) captures: Vec<Capture>,
    pub(crate) scopes: Vec<Scope>,
    /// The first strings that no row is about.
    pub(crate) unread: Vec<Unread>,
    pub(crate) untaken: Vec<Untaken>,
    /// There are more of them.
    pub(crate) has_more_untaken: bool,
    frames: Vec<Frame>,
    /// Members that came again in the open objects, from the outermost object to the innermost.
    repeated: Vec<Repeated>,
    /// A number of a channel was not one.
    pub(crate) bad_number: bool,
    /// The captured type of the event.
    pub(crate) kind: Option<Capture>,
    /// The captured identifier of its block.
    pub(crate) id: Option<Capture>,
    /// Where the first number of the event itself is, if it has one; else empty.
    pub(crate) number_at: (u32, u32),
}

/// The event is not JSON, or not all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl Walk {
    /// Reads the JSON value that is all of `data`, white space aside. What was captured until an error stays.
    pub(crate) fn read(&mut self, automaton: &Automaton, data: &[u8]) -> Result<(), Malformed> {
        self.captures.clear();
        self.scopes.clear();
        self.frames.clear();
        self.repeated.clear();
        self.unread.clear();
        self.untaken.clear();
        self.has_more_untaken = false;
        self.scopes.push(Scope::default());
        self.bad_number = false;
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

    /// Gives back memory that an unusual event needed.
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

    /// Reads the first value; gives where it ends.
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
                    self.close(end);
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

    /// Reads a value, unless it is a container that rows look into.
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

    /// Goes to the first value in the container that was entered at `at`.
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
            let end = Skip::default().run(data, at)?;
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
        });
        Some(Opened::Inside)
    }

    /// Leaves the innermost container, which ends at `end`.
    fn close(&mut self, end: usize) {
        if !self.repeated.is_empty() {
            self.supersede();
        }
        if let Some(own) = self.frames.pop().and_then(|frame| frame.own)
            && let Some(capture) = self.captures.get_mut(own as usize)
        {
            capture.end = end as u32;
        }
    }

    /// Goes to the next value in the innermost container that a row is about, or to its end.
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
            let mut numbers = [None; 3];
            if let Some(level) = automaton.node(element).place {
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
            let is_unread = found.is_none() && node.is_unread(raw);
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
                    self.repeat(member..automaton.node(member).end, at);
                }
                return Some(Next::Value(member, scope, at));
            }
            let end = skip(data, at)?;
            if is_unread {
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
            self.bad_number |= numbers != [None; 3];
            return parent;
        }
        self.scopes.push(Scope {
            parent,
            numbers,
            is_thought: false,
            is_special: false,
            is_other: false,
        });
        (self.scopes.len() - 1) as u16
    }

    /// A member of the innermost object comes again, with a value that begins at `at`.
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

    /// At the end of the innermost object: what was captured of members that came again, before the last time, does not count.
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

    /// Notes a value, if rows are about it.
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
        match first.row.role {
            Role::Number(level) => {
                if level == 0 && scope == 0 {
                    self.number_at = (capture.start, capture.end);
                }
                let number = self.number(&data[range.clone()], shape);
                if number.is_none() {
                    self.leave_value(id, data, shape, range);
                }
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    scope.numbers[level] = number;
                }
            }
            Role::Thought => {
                self.leave_value(id, data, shape, range.clone());
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    scope.is_thought = shape == Shape::Scalar && data[range] == *b"true";
                }
            }
            Role::Special => {
                self.leave_value(id, data, shape, range.clone());
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    scope.is_special = shape == Shape::Scalar && data[range] == *b"true";
                }
            }
            Role::Kind => {
                if matches!(shape, Shape::Object | Shape::Array) {
                    self.leave_value(id, data, shape, range.clone());
                }
                let is_thought = matches!(
                    &data[range],
                    b"reasoning_text"
                        | b"summary_text"
                        | b"reasoning"
                        | b"thinking"
                        | b"thought"
                        | b"user_input"
                );
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    scope.is_thought = is_thought && matches!(shape, Shape::Plain);
                }
                if node.rules.len() > 1 {
                    self.captures.push(capture);
                }
            }
            Role::DeltaKind => {
                let plain = automaton.table.plain.iter();
                let is_plain = |name: &&str| name.as_bytes() == &data[capture.range()];
                let is_other = capture.is_string() && !plain.into_iter().any(is_plain);
                if let Some(scope) = self.scopes.get_mut(usize::from(scope)) {
                    scope.is_other = is_other;
                }
            }
            Role::Id if capture.is_string() => self.id = Some(capture),
            Role::Type => {
                if matches!(shape, Shape::Object | Shape::Array) {
                    self.leave_value(id, data, shape, range);
                }
                self.kind = Some(capture);
            }
            // `null` says nothing in any place.
            _ if shape == Shape::Scalar && data[range] == *b"null" => {}
            _ => self.captures.push(capture),
        }
    }

    /// Notes the value of a node that no row takes, of a string its content. What a container that is entered has is noted by
    /// itself.
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

    /// Notes a value that no row takes, if it may have text.
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

    /// The number of a channel. `None` is 0: servers write `null` for it.
    fn number(&mut self, token: &[u8], shape: Shape) -> Option<u32> {
        if let [digit @ b'0'..=b'9'] = token {
            return Some(u32::from(digit - b'0'));
        }
        let number = match shape {
            Shape::Plain | Shape::Scalar => core::str::from_utf8(token).ok(),
            _ => None,
        };
        let number = number.map(|text| text.strip_suffix(".0").unwrap_or(text));
        match number {
            Some("null") => None,
            Some(text) => {
                let plain = text.bytes().all(|byte| byte.is_ascii_digit());
                let number = text.parse().ok().filter(|_| plain);
                self.bad_number |= number.is_none();
                number
            }
            None => {
                self.bad_number = true;
                None
            }
        }
    }
}

/// Where a value ends that no row is about.
#[inline]
pub(crate) fn skip(data: &[u8], at: usize) -> Option<usize> {
    match data.get(at)? {
        b'"' => Some(string_end(data, at + 1)?.end + 1),
        b'{' | b'[' => Skip::default().run(data, at),
        _ => {
            let end = scalar_end(data, at);
            is_scalar(&data[at..end]).then_some(end)
        }
    }
}

/// Where a walk goes on.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// At a value: its node, its scope and where it begins.
    Value(NodeId, u16, usize),
    /// After the innermost container, which ends here.
    Closed(usize),
}

/// What became of a value.
enum Opened {
    /// It was read or skipped, and ends here.
    Skipped(usize),
    /// It is a container that was entered.
    Inside,
}
