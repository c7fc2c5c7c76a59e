//! Reasoning, where it is not left as it is.

use super::State;
use super::insert::Inserted;
use super::pending::Pending;
use crate::Channel;
use crate::Format;
use crate::StreamHandler;
use crate::found::{Found, Str};
use crate::frame::{Frame, Kind};
use crate::reader::MAX_CHANNELS;
use crate::reasoning::Reasoning;
use crate::text::{self, Delta, Text, TextRewriter, WholeText};

/// What is done with reasoning, and the reasoning that is being rewritten.
#[derive(Clone, Debug)]
pub(super) struct Thoughts<R> {
    pub(super) mode: Reasoning,
    /// The event is the last one, so that nothing can be added after it.
    pub(super) is_final: bool,
    /// At most [`MAX_CHANNELS`].
    pub(super) texts: Vec<Text<R>>,
}

impl<R> Thoughts<R> {
    /// Nothing if reasoning is left as it is.
    pub(super) fn new(mode: Reasoning) -> Option<Box<Self>> {
        (mode != Reasoning::Leave).then(|| {
            Box::new(Self {
                mode,
                is_final: false,
                texts: Vec::new(),
            })
        })
    }
}

impl<R: TextRewriter> State<R> {
    /// Rewrites or empties the reasoning of an event, which is the last of a stream that ends within it or not, and ends what
    /// the event comes after.
    #[cold]
    pub(super) fn rewrite_thoughts(
        &mut self,
        (frame, is_final): (&Frame<'_>, bool),
        all: &[Found],
        pending: &mut Pending,
        handler: &mut impl StreamHandler,
    ) {
        if let Some(thoughts) = &mut self.thoughts {
            thoughts.is_final = is_final;
        }
        for (place, found) in all.iter().enumerate() {
            self.end_thoughts(|thought| ends(found, thought), true, handler);
            let (channel, changed) = match *found {
                Found::Reasoning(channel, ..) => {
                    (channel, self.thought(frame, (all, place), handler))
                }
                // What was decided about it is not known any more.
                Found::ReasoningWhole(channel, text, true) if R::WITHHOLDS_UNREAD => {
                    (channel, self.empty(text))
                }
                Found::ReasoningWhole(channel, text, _) => {
                    (channel, self.whole_thought(frame, (channel, text), handler))
                }
                _ => continue,
            };
            if changed {
                pending.change(channel);
            }
        }
        if is_final {
            // Nothing can be added after it.
            self.end_thoughts(|_| true, true, handler);
        }
    }

    /// Rewrites or empties a piece of reasoning, with all that the event says and the place of that piece; whether it
    /// changes.
    fn thought(
        &mut self,
        frame: &Frame<'_>,
        (all, place): (&[Found], usize),
        handler: &mut impl StreamHandler,
    ) -> bool {
        let Some(Found::Reasoning(channel, text, is_again)) = all.get(place).copied() else {
            return false;
        };
        if self.mode() == Reasoning::Drop {
            return self.empty(text);
        }
        if is_again {
            return self.repeat_edit(all, place, text);
        }
        let is_last = self.is_whole() || all[place + 1..].iter().any(|found| ends(found, channel));
        self.announce_thought(channel, handler);
        self.begin_thought(channel);
        let (Some(thoughts), start) = (&mut self.thoughts, self.edits.bytes.len()) else {
            return false;
        };
        let mut texts = thoughts.texts.iter_mut();
        let Some(state) = texts.find(|text| text.channel == channel) else {
            return false;
        };
        let delta = Delta {
            content: text.content(&frame.data),
            escaped: text.escaped,
            is_last,
        };
        let edit = &mut self.edits.bytes;
        let (_, changed) = state.push(&delta, &mut self.scratch, edit, handler);
        if state.is_holding() && !text.is_empty() {
            state.template.keep(frame, text.range());
        }
        if changed {
            self.edits.add(text.range(), start);
        }
        changed
    }

    /// Begins the reasoning of a channel, if it has not begun.
    fn begin_thought(&mut self, channel: Channel) {
        let begun = |thoughts: &Thoughts<R>| {
            let mut texts = thoughts.texts.iter();
            texts.any(|text| text.channel == channel)
        };
        if self.thoughts.as_deref().is_some_and(begun) {
            return;
        }
        let rewriter = self.begin_next(text::reasoning(channel));
        let (Some(thoughts), Some(rewriter)) = (&mut self.thoughts, rewriter) else {
            return;
        };
        // What the oldest one held back is lost with it: there is no place for it any more.
        if thoughts.texts.len() == MAX_CHANNELS {
            thoughts.texts.remove(0);
        }
        thoughts.texts.push(Text::new(channel, rewriter, None));
    }

    /// Rewrites or empties reasoning that is a string of its own; whether it changes.
    fn whole_thought(
        &mut self,
        frame: &Frame<'_>,
        (channel, text): (Channel, Str),
        handler: &mut impl StreamHandler,
    ) -> bool {
        if self.mode() == Reasoning::Drop {
            return self.empty(text);
        }
        self.announce_thought(channel, handler);
        let start = self.edits.bytes.len();
        if !self.restart_whole(text::reasoning(channel), false) {
            return false;
        }
        let Some(rewriter) = &mut self.whole else {
            return false;
        };
        let whole = WholeText {
            data: &frame.data,
            text,
            more: false,
            // A gate reports what it decides.
            is_repeated: !R::WITHHOLDS_UNREAD,
            removed: None,
        };
        let edit = &mut self.edits.bytes;
        let (_, changed) =
            text::rewrite_whole(&mut **rewriter, whole, &mut self.scratch, edit, handler);
        if changed {
            self.edits.add(text.range(), start);
        }
        changed
    }

    /// Ends reasoning, and writes what it held back in events of its own, which another one follows or not.
    #[cold]
    pub(super) fn end_thoughts(
        &mut self,
        is_over: impl Fn(Channel) -> bool,
        is_before_event: bool,
        handler: &mut impl StreamHandler,
    ) {
        while let Some(thoughts) = &mut self.thoughts
            && let Some(place) = thoughts.texts.iter().position(|text| is_over(text.channel))
        {
            let mut text = thoughts.texts.remove(place);
            self.announce_thought(text.channel, handler);
            let mut scratch = core::mem::take(&mut self.scratch);
            let rest = text.finish(&mut scratch, handler);
            if !rest.is_empty() {
                let of = Inserted {
                    channel: text.channel,
                    template: &text.template,
                    block: None,
                    is_text: false,
                };
                self.insert(of, rest, None, is_before_event, handler);
            }
            self.scratch = scratch;
        }
    }

    fn mode(&self) -> Reasoning {
        let thoughts = self.thoughts.as_ref();
        thoughts.map_or(Reasoning::Leave, |thoughts| thoughts.mode)
    }

    /// Whether the event is all of the response, so that nothing can be added after it.
    fn is_whole(&self) -> bool {
        let is_final = self
            .thoughts
            .as_ref()
            .is_some_and(|thoughts| thoughts.is_final);
        match self.envelope {
            _ if is_final => true,
            Kind::Body => true,
            Kind::Lines => !matches!(
                self.reader.format(),
                Some(Format::Ollama | Format::BedrockConverse)
            ),
            _ => false,
        }
    }

    /// Changes a string like the one before that says the same.
    fn repeat_edit(&mut self, all: &[Found], place: usize, text: Str) -> bool {
        let first = all[..place].iter().rev().find_map(|found| match found {
            Found::Reasoning(_, first, false) => Some(first.range().start),
            _ => None,
        });
        let mut places = self.edits.places.iter();
        let edit = places.find(|(place, _)| Some(place.start as usize) == first);
        let Some((_, by)) = edit.cloned() else {
            return false;
        };
        let place = text.range().start as u32..text.range().end as u32;
        self.edits.places.push((place, by));
        true
    }

    fn announce_thought(&mut self, channel: Channel, handler: &mut impl StreamHandler) {
        self.announce(text::reasoning(channel), handler);
    }
}

/// Whether something that an event says comes after the reasoning of a channel.
fn ends(found: &Found, thought: Channel) -> bool {
    match found {
        Found::Text(channel, text, _) => channel.index() == thought.index() && !text.is_empty(),
        Found::Whole(channel, ..)
        | Found::Break(channel)
        | Found::End(channel)
        | Found::ReasoningEnd(channel) => channel.index() == thought.index(),
        Found::Tool(channel, _) | Found::ToolJson(channel, _) => channel.index() == thought.index(),
        Found::BreakAll | Found::Done | Found::Error(_) => true,
        _ => false,
    }
}
