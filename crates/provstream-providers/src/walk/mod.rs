//! One walk over the JSON of an event.
//!
//! A [`FormatTable`](table::Table) lists the paths of a format's values that matter, and is compiled once to an
//! [`PathAutomaton`]. [`Walk::read`] goes over the bytes of an event once, and follows the members through the automaton.
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
mod capture;
mod evidence;
mod record;
pub(crate) mod scan;
pub(crate) mod table;

use super::steps::count;
use allowed::Allowed;
use automaton::{NodeId, PathAutomaton, ROOT};
pub(crate) use capture::{Capture, Scope, Shape, Unread, Untaken};
pub(crate) use evidence::decoded;
use scan::{container_end, is_scalar, scalar_end, string_end, white_space_end};

/// Maximum number of scopes of an event; an event with more is [odd](Walk::is_odd).
const MAX_SCOPES: usize = 1 << 14;

/// An open object or array.
#[derive(Clone, Copy, Debug)]
struct OpenNode {
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
    frames: Vec<OpenNode>,
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
    pub(crate) fn read(&mut self, automaton: &PathAutomaton, data: &[u8]) -> Result<(), Malformed> {
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
    fn value(&mut self, automaton: &PathAutomaton, data: &[u8]) -> Option<usize> {
        let mut next = NextValue::Value(ROOT, 0, white_space_end(data, 0));
        loop {
            let mut at = match next {
                NextValue::Value(node, scope, at) => {
                    let end = self.one(automaton, data, node, scope, at)?;
                    match end {
                        Opened::Skipped(end) => end,
                        Opened::Inside => {
                            next = self.first(automaton, data, at)?;
                            continue;
                        }
                    }
                }
                NextValue::Closed(end) => {
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
                byte if byte == close => NextValue::Closed(at + 1),
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
        automaton: &PathAutomaton,
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
    fn first(&mut self, automaton: &PathAutomaton, data: &[u8], at: usize) -> Option<NextValue> {
        let close = if self.frames.last()?.is_array {
            b']'
        } else {
            b'}'
        };
        let at = white_space_end(data, at + 1);
        if *data.get(at)? == close {
            return Some(NextValue::Closed(at + 1));
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
        automaton: &PathAutomaton,
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
        self.frames.push(OpenNode {
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
    fn close(&mut self, automaton: &PathAutomaton, end: usize) {
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

    /// Moves to the next value in the innermost container that a row names, or to the container's end.
    fn next(&mut self, automaton: &PathAutomaton, data: &[u8], at: usize) -> Option<NextValue> {
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
                return Some(NextValue::Value(element, parent, at));
            }
            let mut numbers = [None; 3];
            if let Some(level) = of_element.place {
                numbers[level] = Some(place);
            }
            let scope = self.new_scope(parent, numbers);
            return Some(NextValue::Value(element, scope, at));
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
                return Some(NextValue::Value(member, scope, at));
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
                b'}' => return Some(NextValue::Closed(at + 1)),
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
enum NextValue {
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
