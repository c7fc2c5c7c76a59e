//! Reasoning, where it is not left as it is.

use std::collections::BTreeMap;

use super::State;
use super::channels::Texts;
use super::insert::Inserted;
use super::keep_templates;
use super::pending::EventPlan;
use super::thought_ends::{LastEnds, ReasoningEnds, ends};
use crate::Format;
use crate::StreamHandler;
use crate::channel::MAX_CHANNELS;
use crate::found::{Found, Str};
use crate::frame::{Frame, Kind};
use crate::item::NoticeCode;
use crate::reasoning::Reasoning;
use crate::steps::each;
use crate::text::{self, Text, TextDelta, TextRewriter};
use crate::text_id::TextId;
use crate::whole::{self, WholeText};

/// Treatment of reasoning, with the reasoning texts that are open.
#[derive(Clone, Debug)]
pub(super) struct Thoughts<R> {
    pub(super) mode: Reasoning,
    /// The event is the last one, so that nothing can be added after it.
    pub(super) is_final: bool,
    /// The event has reasoning of one text more than there may be.
    pub(super) is_full: bool,
    /// At most [`MAX_CHANNELS`].
    pub(super) texts: Texts<R>,
}

impl<R> Thoughts<R> {
    /// Nothing if reasoning is left as it is.
    pub(super) fn new(mode: Reasoning) -> Option<Box<Self>> {
        (mode != Reasoning::Leave).then(|| {
            Box::new(Self {
                mode,
                is_final: false,
                is_full: false,
                texts: Texts::default(),
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
        pending: &mut EventPlan,
        handler: &mut impl StreamHandler,
    ) {
        if let Some(thoughts) = &mut self.thoughts {
            thoughts.is_final = is_final;
        }
        let last_ends = LastEnds::of(all);
        let mut last_pieces = BTreeMap::new();
        for (place, found) in each(all.iter()).enumerate() {
            self.end_thoughts(ends(found), true, handler);
            let (id, changed) = match *found {
                Found::Reasoning(id, text, is_again) => {
                    let is_last = last_ends.is_after(place, id);
                    last_pieces.insert(id, text);
                    let piece = Piece {
                        id,
                        text,
                        is_again,
                        is_last,
                    };
                    (id, self.thought(frame, piece, handler))
                }
                // What was decided about it is not known any more.
                Found::ReasoningWhole(id, text, true) if R::WITHHOLDS_UNREAD => {
                    (id, self.empty(text))
                }
                Found::ReasoningWhole(id, text, _) => {
                    (id, self.whole_thought(frame, (id, text), handler))
                }
                _ => continue,
            };
            if changed {
                pending.change(id.channel);
            }
        }
        if let Some(thoughts) = &mut self.thoughts {
            keep_templates(frame, &mut thoughts.texts, each(last_pieces.into_iter()));
        }
        if is_final {
            // Nothing can be added after it.
            self.end_thoughts(Some(ReasoningEnds::All), true, handler);
        }
    }

    /// Rewrites or empties a piece of reasoning; whether it changes.
    fn thought(
        &mut self,
        frame: &Frame<'_>,
        piece: Piece,
        handler: &mut impl StreamHandler,
    ) -> bool {
        let Piece { id, text, .. } = piece;
        if self.mode() == Reasoning::Drop {
            return self.empty(text);
        }
        let is_last = self.is_whole() || piece.is_last;
        self.announce_thought(id, piece.is_again, handler);
        let Some(place) = self.begin_thought(id) else {
            return R::WITHHOLDS_UNREAD && self.empty(text);
        };
        let goes_on = self.goes_on();
        let (Some(thoughts), start) = (&mut self.thoughts, self.edits.bytes.len()) else {
            return false;
        };
        let state = &mut thoughts.texts[place];
        state.is_again = piece.is_again;
        state.goes_on = goes_on;
        let delta = TextDelta {
            content: text.content(&frame.data),
            escaped: text.escaped,
            is_last,
        };
        let edit = &mut self.edits.bytes;
        let (_, changed) = state.push(&delta, &mut self.scratch, edit, handler);
        if changed {
            self.edits.add(text.range(), start);
        }
        changed
    }

    /// The place of a text of reasoning, which begins if it has not; `None` if there are too many.
    fn begin_thought(&mut self, id: TextId) -> Option<usize> {
        let known = |thoughts: &Thoughts<R>| thoughts.texts.find(id);
        if let Some(place) = self.thoughts.as_deref().and_then(known) {
            return Some(place);
        }
        let rewriter = self.begin_next(text::reasoning(id))?;
        let thoughts = self.thoughts.as_mut()?;
        if thoughts.texts.len() == MAX_CHANNELS {
            thoughts.is_full = true;
            return None;
        }
        Some(thoughts.texts.add(Text::new(id, rewriter, None)))
    }

    /// Rewrites or empties reasoning that is a string of its own; whether it changes.
    fn whole_thought(
        &mut self,
        frame: &Frame<'_>,
        (id, text): (TextId, Str),
        handler: &mut impl StreamHandler,
    ) -> bool {
        if self.mode() == Reasoning::Drop {
            return self.empty(text);
        }
        self.announce_thought(id, false, handler);
        let start = self.edits.bytes.len();
        if !self.restart_whole(id, text::reasoning(id), false) {
            return false;
        }
        let Some(rewriter) = &mut self.whole else {
            return false;
        };
        let whole = WholeText {
            only: None,
            id,
            data: &frame.data,
            text,
            more: false,
            is_begun: false,
            // A gate reports what it decides.
            is_repeated: !R::WITHHOLDS_UNREAD,
            may_go_on: false,
            is_uncertain: false,
            effort: 0,
            words: None,
            texts: &mut [],
            removed: None,
        };
        let edit = &mut self.edits.bytes;
        let written =
            whole::rewrite_whole(&mut **rewriter, whole, &mut self.scratch, edit, handler);
        if written.changed {
            self.edits.add(text.range(), start);
        }
        written.changed
    }

    /// Ends reasoning, and writes what it held back in events of its own, which another one follows or not.
    #[cold]
    pub(super) fn end_thoughts(
        &mut self,
        which: Option<ReasoningEnds>,
        is_before_event: bool,
        handler: &mut impl StreamHandler,
    ) {
        let place = |thoughts: &Thoughts<R>| match which? {
            ReasoningEnds::All => thoughts.texts.oldest(|_| true),
            ReasoningEnds::Index(index) => thoughts.texts.find_index(index),
            ReasoningEnds::Channel(channel) => {
                thoughts.texts.oldest(|text| text.id.channel == channel)
            }
        };
        while let Some(thoughts) = &mut self.thoughts
            && let Some(place) = place(thoughts)
        {
            let mut text = thoughts.texts.remove(place);
            self.announce_thought(text.id, text.is_again, handler);
            let mut scratch = core::mem::take(&mut self.scratch);
            let rest = text.finish(&mut scratch, handler);
            if !rest.is_empty() {
                let of = Inserted {
                    id: text.id,
                    template: &text.template,
                    block: None,
                    is_text: false,
                };
                self.insert(of, rest, None, is_before_event, handler);
            }
            self.scratch = scratch;
        }
    }

    /// Returns the diagnostic about an event with more reasoning texts than allowed, which is also reported.
    #[cold]
    pub(super) fn too_many_thoughts(&mut self) -> Option<NoticeCode> {
        let thoughts = self.thoughts.as_mut()?;
        if !core::mem::take(&mut thoughts.is_full) {
            return None;
        }
        self.reader.report.add_notice(NoticeCode::LimitChannels);
        Some(NoticeCode::LimitChannels)
    }

    fn mode(&self) -> Reasoning {
        let thoughts = self.thoughts.as_ref();
        thoughts.map_or(Reasoning::Leave, |thoughts| thoughts.mode)
    }

    /// Returns `true` if the event is the whole response, so nothing can be added after it.
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

    fn announce_thought(&mut self, id: TextId, is_again: bool, handler: &mut impl StreamHandler) {
        // What is not reported is in the same place as what is.
        if !is_again {
            self.announce(text::reasoning(id), handler);
        }
    }
}

/// A piece of reasoning.
#[derive(Clone, Copy, Debug)]
struct Piece {
    id: TextId,
    text: Str,
    /// The delta repeats one in another member.
    is_again: bool,
    /// Something comes after it that ends the reasoning.
    is_last: bool,
}
