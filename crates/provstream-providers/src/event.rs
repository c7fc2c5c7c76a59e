//! Meaning of an event's values, after the walk over it.

use core::cell::OnceCell;
use std::borrow::Cow;

use super::Channel;
use super::item::NoticeCode;
use super::steps::{count, each};
use super::text_id::TextId;
use super::walk::allowed::Allowed;
use super::walk::automaton::{PathAutomaton, PathRule, ROOT};
use super::walk::scan::{container_end, scalar_end, string_end, white_space_end};
use super::walk::table::{ChannelOf, Role};
use super::walk::{Capture, Scope, Shape, Walk, decoded};

/// Diagnostic about an event, if any.
pub(super) type Odd = Option<NoticeCode>;

/// An event with the results of the walk over it.
pub(super) struct WalkedEvent<'a> {
    pub(super) automaton: &'static PathAutomaton,
    pub(super) walk: &'a Walk,
    pub(super) data: &'a [u8],
    /// The event is part of a stream, not a whole response.
    pub(super) is_streamed: bool,
    /// Bit of the event's type; 0 if no row names the type.
    pub(super) bit: u64,
    pub(super) odd: Odd,
    /// A gate withholds the event, because its evidence is repeated. Its text may have annotations, but clients read none of
    /// its breaks and ends.
    pub(super) is_withheld: bool,
    /// Indices of the channels with text in the event, sorted; computed on first use.
    text_indices: OnceCell<Vec<u32>>,
}

impl<'a> WalkedEvent<'a> {
    pub(super) fn new(
        automaton: &'static PathAutomaton,
        walk: &'a Walk,
        data: &'a [u8],
        is_streamed: bool,
    ) -> Self {
        let mut event = Self {
            automaton,
            walk,
            data,
            is_streamed,
            bit: 0,
            odd: None,
            is_withheld: false,
            text_indices: OnceCell::new(),
        };
        let kind = event.kind();
        event.bit = kind.map_or(0, |kind| automaton.type_bit(&kind));
        event
    }

    /// Returns the event's type.
    pub(super) fn kind(&self) -> Option<Cow<'a, [u8]>> {
        let kind = self.walk.kind.filter(Capture::is_string)?;
        Some(self.string(&kind))
    }

    /// Returns the content of a string without escapes.
    pub(super) fn string(&self, capture: &Capture) -> Cow<'a, [u8]> {
        match capture.shape {
            Shape::Escaped => decoded(&self.data[capture.range()]),
            _ => Cow::Borrowed(&self.data[capture.range()]),
        }
    }

    /// Returns the rules for a value in an event of this type.
    pub(super) fn rules(
        &self,
        capture: &Capture,
    ) -> impl Iterator<Item = &'static PathRule> + use<> {
        let bit = self.bit;
        let rules = self.automaton.node(capture.node).rules.iter();
        rules.filter(move |rule| rule.types == u64::MAX || rule.types & bit != 0)
    }

    /// Calls `find` for each scope around a value, from the innermost outwards, until it returns `Some`.
    fn outwards<T>(&self, capture: &Capture, find: impl Fn(&Scope) -> Option<T>) -> Option<T> {
        let mut place = capture.scope;
        loop {
            count(1);
            let scope = self.walk.scopes.get(usize::from(place))?;
            if let Some(found) = find(scope) {
                return Some(found);
            }
            if place == scope.parent {
                return None;
            }
            place = scope.parent;
        }
    }

    fn number(&self, capture: &Capture, level: usize) -> u32 {
        self.outwards(capture, |scope| scope.numbers[level])
            .unwrap_or(0)
    }

    pub(super) fn channel(&self, capture: &Capture, by: ChannelOf) -> Channel {
        match by {
            ChannelOf::Zero => Channel::new(0),
            ChannelOf::First | ChannelOf::All => Channel::new(self.number(capture, 0)),
            ChannelOf::Both => Channel::with_part(self.number(capture, 0), self.number(capture, 1)),
            ChannelOf::Cited => Channel::new(self.number(capture, 2)),
        }
    }

    /// Returns the text to which a value belongs, by the numbers in the event.
    pub(super) fn text_id(&self, capture: &Capture, rule: &PathRule) -> TextId {
        TextId {
            channel: self.channel(capture, rule.row.channel),
            member: rule.row.member,
        }
    }

    /// Returns `true` if a string equals the delta in the same choice.
    pub(super) fn repeats_delta(&self, capture: &Capture) -> bool {
        let mut texts = self.beside(capture).filter(|other| {
            other.scope == capture.scope
                && !other.superseded
                && other.is_string()
                && self.rules(other).any(|rule| rule.row.role == Role::Text)
        });
        texts.any(|other| self.data[other.range()] == self.data[capture.range()])
    }

    /// Returns the 16 captures before a value, the value itself and the 15 after it.
    fn beside(&self, capture: &Capture) -> impl Iterator<Item = &'a Capture> + use<'a> {
        const NEXT: usize = 16;
        let captures = &self.walk.captures;
        let place = captures.partition_point(|other| other.start < capture.start);
        captures[place.saturating_sub(NEXT)..].iter().take(2 * NEXT)
    }

    /// Returns `true` if the event has text of a channel with this index, and the order of its members means nothing.
    pub(super) fn has_text_of(&self, index: u32) -> bool {
        let indices = || {
            let is_text = |capture: &&Capture| {
                capture.is_string() && capture.start < capture.end && !self.is_thought(capture)
            };
            let texts = each(self.walk.captures.iter()).filter(is_text);
            let indices = texts.flat_map(|capture| {
                let rules = self.rules(capture);
                let rules = rules.filter(|rule| rule.row.role == Role::Text);
                rules.map(|rule| self.channel(capture, rule.row.channel).index())
            });
            let mut indices: Vec<u32> = indices.collect();
            indices.sort_unstable();
            indices
        };
        let of = |indices: &Vec<u32>| indices.binary_search(&index).is_ok();
        !self.automaton.table.has_parts && of(self.text_indices.get_or_init(indices))
    }

    /// Returns `true` if the event has text.
    #[cold]
    pub(super) fn has_text(&self) -> bool {
        let is_text = |capture: &Capture| {
            let mut rules = self.rules(capture);
            capture.is_string()
                && capture.start < capture.end
                && rules.any(|rule| rule.row.role.is_text())
        };
        self.walk.captures.iter().any(is_text)
    }

    /// Returns `true` if a part of a message is neither text nor about text, by its kind or, without a kind, by its
    /// members. A part without a kind that has text is text, whatever its other members.
    pub(super) fn is_other_part(&self, capture: &Capture) -> bool {
        if capture.shape != Shape::Object {
            return false;
        }
        let is_plain = |name: &[u8]| {
            let mut plain = self.automaton.table.plain.iter();
            plain.any(|known| known.as_bytes() == name)
        };
        let (mut is_other, mut has_text) = (false, false);
        let mut is_plain_kind = None;
        members(&self.data[capture.range()], |name, value| {
            is_other |= !is_plain(name) && (is_set(value) || value.starts_with(b"{"));
            has_text |= name == b"text" && value.starts_with(b"\"");
            if name == b"type" && value.starts_with(b"\"") && value != b"\"\"" {
                let kind = decoded(value.get(1..value.len() - 1).unwrap_or_default());
                // One of repeated kinds that is plain is enough: some client may read that one.
                is_plain_kind = Some(is_plain(&kind) || is_plain_kind == Some(true));
            }
        });
        match is_plain_kind {
            Some(is_plain) => !is_plain,
            None => is_other && !has_text,
        }
    }

    pub(super) fn is_thought(&self, capture: &Capture) -> bool {
        let is_thought = |scope: &Scope| {
            let mut rules = self.automaton.node(scope.thought).rules.iter();
            scope.thought != ROOT
                && rules.any(|rule| {
                    let is_about = matches!(rule.row.role, Role::Thought | Role::Kind);
                    is_about && (rule.types == u64::MAX || rule.types & self.bit != 0)
                })
        };
        self.outwards(capture, |scope| is_thought(scope).then_some(()))
            .is_some()
    }

    /// Returns `true` if the event has a type that is not in `control`, and breaks the text. Data of an application break none if
    /// they are transient, or if a part of text is open (`in_part`), to which clients append afterwards.
    pub(super) fn is_other_type(&self, control: &[&str], in_part: bool) -> bool {
        self.kind().is_some_and(|kind| {
            control.iter().all(|known| known.as_bytes() != &*kind)
                && !(kind.starts_with(b"data-") && (in_part || self.is_transient()))
        })
    }

    /// Returns `true` if a member `transient` of the event is `true`, so that no client keeps the event.
    fn is_transient(&self) -> bool {
        let mut is_transient = false;
        members(self.data.trim_ascii_start(), |name, value| {
            if name == b"transient" {
                is_transient |= value == b"true";
            }
        });
        is_transient
    }

    /// Returns `true` if the delta is of a kind other than text.
    pub(super) fn is_other(&self, capture: &Capture) -> bool {
        let scope = self.walk.scopes.get(usize::from(capture.scope));
        scope.is_some_and(|scope| scope.is_other)
    }

    /// Returns `true` if the string is a special token such as `</s>`. Clients show special tokens, so those with
    /// words are text.
    pub(super) fn is_mark(&self, capture: &Capture) -> bool {
        let scope = self.walk.scopes.get(usize::from(capture.scope));
        let content = &self.data[capture.range()];
        let is_tag = || content.starts_with(b"<") && content.ends_with(b">");
        scope.is_some_and(|scope| scope.is_special)
            && (content.is_empty() || is_tag() && Allowed::Word.has_string(content))
    }

    /// Returns `true` if a value in a place for text is a container that rows look into.
    pub(super) fn holds_text(&self, capture: &Capture) -> bool {
        let node = self.automaton.node(capture.node);
        match capture.shape {
            Shape::Array => node.element.is_some(),
            Shape::Object => node.leads_on(),
            _ => false,
        }
    }

    /// Returns `true` if a value is set: SDKs ignore `false`, 0, blank strings, and containers of nothing else.
    pub(super) fn is_set(&self, capture: &Capture) -> bool {
        is_set(&self.data[capture.value()])
    }

    /// Returns `true` if a value ends a text: it is set and, where rows look into it, has the shape that they expect.
    pub(super) fn is_end(&self, capture: &Capture) -> bool {
        let node = self.automaton.node(capture.node);
        let is_container = node.leads_on() || node.element.is_some();
        self.is_set(capture) && (!is_container || self.holds_text(capture))
    }

    /// Returns `true` if a value can be a kind: it is a word.
    pub(super) fn is_kind(&self, capture: &Capture) -> bool {
        let content = &self.data[capture.range()];
        capture.is_string() && !content.is_empty() && Allowed::Word.has_string(content)
    }

    /// Returns `true` if the code of a response or event is that of an error.
    pub(super) fn is_error_code(&self, capture: &Capture) -> bool {
        let value = &self.data[capture.range()];
        let is_number = matches!(value, [b'-' | b'0'..=b'9', ..]) && capture.shape == Shape::Scalar;
        is_number && self.is_set(capture) && value != b"200"
    }

    /// Returns `true` if a kind or finish reason is an error.
    pub(super) fn is_failure(&self, capture: &Capture) -> bool {
        let value = self.string(capture);
        // The last two are of Cohere and of Zhipu.
        let names = [&b"error"[..], b"failed", b"timeout", b"network_error"];
        capture.is_string() && names.iter().any(|name| value.eq_ignore_ascii_case(name))
    }

    /// Returns `true` if a value is a finish reason. Some servers write `""` or `"null"` in every event.
    pub(super) fn is_finish(&self, capture: &Capture) -> bool {
        let value = self.string(capture);
        let says_nothing = matches!(&*value, b"null" | b"FINISH_REASON_UNSPECIFIED");
        self.is_set(capture) && !says_nothing
    }
}

/// Returns `true` if JSON says something: it has more than `null`, `false`, 0 and white space.
fn is_set(value: &[u8]) -> bool {
    let mut rest = value;
    loop {
        rest = match rest {
            [] => return false,
            [
                b'[' | b']' | b'{' | b'}' | b',' | b'0' | b' ' | b'\t' | b'\n' | b'\r',
                rest @ ..,
            ] => rest,
            [b'n', b'u', b'l', b'l', rest @ ..] | [b'f', b'a', b'l', b's', b'e', rest @ ..] => rest,
            [b'"', string @ ..] => match string_end(string, 0) {
                Some(end) if is_blank(&string[..end.end]) => &string[end.end + 1..],
                _ => return true,
            },
            _ => return true,
        };
    }
}

/// Returns `true` if the content of a string is white space.
pub(super) fn is_blank(content: &[u8]) -> bool {
    let is_like = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\\';
    content.is_empty()
        || content.first().is_some_and(is_like) && decoded(content).trim_ascii().is_empty()
}

/// Calls `take` with the name and the value's bytes of each member of an object.
fn members(object: &[u8], mut take: impl FnMut(&[u8], &[u8])) -> Option<()> {
    let mut at = white_space_end(object, 1);
    while object.get(at) == Some(&b'"') {
        let name = string_end(object, at + 1)?.end;
        let from = white_space_end(object, white_space_end(object, name + 1) + 1);
        let end = match object.get(from)? {
            b'"' => string_end(object, from + 1)?.end + 1,
            b'{' | b'[' => container_end(object, from)?,
            _ => scalar_end(object, from),
        };
        take(&decoded(&object[at + 1..name]), &object[from..end]);
        at = white_space_end(object, white_space_end(object, end) + 1);
    }
    Some(())
}
