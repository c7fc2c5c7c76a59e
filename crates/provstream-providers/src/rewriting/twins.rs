//! Members of a choice that repeat each other's deltas, about which a gate decides together.

use smallvec::SmallVec;

use super::State;
use crate::channel::MAX_CHANNELS;
use crate::copy_changes::CopyChanges;
use crate::escape::push_content;
use crate::found::{Found, Repeats, Str};
use crate::remembering::Unfound;
use crate::steps::{count, each};
use crate::text::TextRewriter;
use crate::text_id::{Member, TextId};
use crate::{Channel, Format};

/// Number of facts on each side of a delta in which the same delta of another member is searched
/// for.
const NEXT: usize = 8;

/// Channels of which several members have text.
#[derive(Clone, Debug, Default)]
pub(super) struct Twins {
    of: SmallVec<[Twin; 0]>,
    /// Members of the current event about which a gate decides first, because they have more of a text than others.
    first: SmallVec<[usize; 1]>,
    /// Full texts of the current event may repeat each other.
    has_wholes: bool,
    /// Channels with deltas of several members in the current event.
    deltas: SmallVec<[(Channel, LastDeltas); 0]>,
}

/// Last deltas of two members in an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastDeltas {
    /// Text of the last delta, and the index of its fact.
    last: (TextId, usize),
    /// The last one of another member.
    other: Option<(TextId, usize)>,
}

impl LastDeltas {
    pub(super) const fn of(id: TextId, place: usize) -> Self {
        Self {
            last: (id, place),
            other: None,
        }
    }

    /// Adds the next delta.
    pub(super) fn add(&mut self, id: TextId, place: usize) {
        if self.last.0 != id {
            self.other = Some(self.last);
        }
        self.last = (id, place);
    }

    /// Returns the place of the last delta of another member.
    pub(super) fn other_than(&self, id: TextId) -> Option<usize> {
        let other = match self.last.0 == id {
            true => self.other,
            false => Some(self.last),
        };
        other.map(|(_, place)| place)
    }
}

#[derive(Clone, Copy, Debug)]
struct Twin {
    of: Channel,
    /// A delta was in one of the members only. No server does so on purpose, and either one may have the annotations of
    /// the text that both have.
    is_apart: bool,
}

impl Twins {
    fn get_mut(&mut self, of: Channel) -> Option<&mut Twin> {
        each(self.of.iter_mut()).find(|twin| twin.of == of)
    }

    /// Notes that members of a channel differ.
    fn part(&mut self, of: Channel) {
        if let Some(twin) = self.get_mut(of) {
            twin.is_apart = true;
        } else if self.of.len() < MAX_CHANNELS {
            self.of.push(Twin { of, is_apart: true });
        }
    }

    /// Members of the current event about which a gate decides before the others.
    pub(super) fn first(&self) -> SmallVec<[usize; 1]> {
        self.first.clone()
    }

    /// Returns `true` if members that were equal are not any more.
    pub(super) fn are_apart(&self, of: Channel) -> bool {
        each(self.of.iter()).any(|twin| twin.of == of && twin.is_apart)
    }
}

/// A text, or a part of one, in an event.
#[derive(Clone, Copy, Debug)]
struct EventText {
    of: Channel,
    id: TextId,
    is_whole: bool,
    len: usize,
    place: usize,
}

impl EventText {
    fn of(found: &Found, place: usize, is_one_answer: bool) -> Option<Self> {
        let (id, text, is_whole) = match *found {
            Found::Text(id, text, piece) if !piece.is_again => (id, text, false),
            Found::Whole(id, text, _) => (id, text, true),
            _ => return None,
        };
        (!text.is_empty()).then(|| Self {
            of: if is_one_answer {
                Channel::new(0)
            } else {
                id.channel
            },
            id,
            is_whole,
            len: text.range().len(),
            place,
        })
    }
}

impl<R: TextRewriter> State<R> {
    /// Finds members of an answer that have text in one event, other than twins. No server writes an answer twice on purpose,
    /// and either member may have the annotations of words that both have.
    pub(super) fn find_members(&mut self, found: &mut [Found]) {
        if let Some(twins) = &mut self.twins {
            twins.first.clear();
            twins.has_wholes = false;
            twins.deltas.clear();
        }
        let is_one_answer = self.reader.format() == Some(Format::Tgi);
        let texts = found.iter().enumerate();
        let texts = texts.filter_map(|(place, one)| EventText::of(one, place, is_one_answer));
        let mut texts: SmallVec<[EventText; 2]> = texts.collect();
        let is_one = |texts: &[EventText]| {
            let mut pairs = texts.windows(2);
            pairs.all(|pair| pair[0].id == pair[1].id && !pair[0].is_whole && !pair[1].is_whole)
        };
        if is_one(&texts) {
            return;
        }
        count(texts.len());
        texts.sort_by_key(|text| (text.of, text.place));
        for texts in texts.chunk_by(|one, other| one.of == other.of) {
            if !is_one(texts) {
                self.find_copies_beside(texts, found);
            }
        }
        if let Some(twins) = &mut self.twins {
            twins.first.sort_unstable();
        }
    }

    /// Finds out how the members of one answer are decided about.
    #[cold]
    fn find_copies_beside(&mut self, texts: &[EventText], found: &mut [Found]) {
        let has_begun = texts.iter().any(|text| self.texts.find(text.id).is_some());
        let mut deltas = texts.iter().filter(|text| !text.is_whole);
        let first = deltas.next();
        let is_apart = first.is_some_and(|first| deltas.any(|other| other.id != first.id));
        if let [first, .., last] = texts
            && is_apart
        {
            // The order of members means nothing.
            for one in &mut found[first.place..last.place] {
                if let Found::Break(id) = *one
                    && id.channel == first.id.channel
                {
                    *one = Found::Tool(id.channel, Str::default());
                }
            }
        }
        let is_itself =
            |text: &&EventText| matches!(found[text.place], Found::Whole(_, _, Repeats::Nothing));
        let whole = texts.iter().find(is_itself);
        let is_new = |text: &EventText| match found[text.place] {
            Found::Whole(_, _, Repeats::SoFar | Repeats::All) => match first {
                Some(first) => first.len < text.len,
                // Two full texts have one name.
                None => whole.is_some_and(|whole| whole.id == text.id),
            },
            _ => true,
        };
        let is_new = !has_begun && !self.has_forgotten && texts.iter().all(is_new);
        let twins = self.twins.get_or_insert_default();
        let mut deltas = texts.iter().filter(|text| !text.is_whole);
        if is_apart && let Some(first) = deltas.next() {
            let mut last = LastDeltas::of(first.id, first.place);
            deltas.for_each(|text| last.add(text.id, text.place));
            twins.deltas.push((first.id.channel, last));
        }
        if is_apart || is_new && first.is_some() {
            texts.iter().for_each(|text| twins.part(text.id.channel));
        }
        if !is_new {
            return;
        }
        twins.has_wholes = true;
        for text in texts {
            if let Found::Whole(id, _, repeats) = &mut found[text.place]
                && *repeats != Repeats::Nothing
            {
                // The full text is longer than the delta, so it is a text of its own.
                if first.is_some() {
                    id.member = Member::Whole;
                }
                *repeats = Repeats::Nothing;
            }
        }
        let longest = texts.iter().rev().max_by_key(|text| text.len);
        let longest = longest.filter(|longest| {
            let is_same = |text: &&EventText| !text.is_whole && text.id == longest.id;
            longest.is_whole || texts.iter().filter(is_same).count() == 1
        });
        twins.first.extend(longest.map(|longest| longest.place));
    }

    /// Returns `true` if full texts of the current event may repeat each other.
    pub(super) fn has_other_wholes(&self) -> bool {
        self.twins.as_ref().is_some_and(|twins| twins.has_wholes)
    }

    /// Drops the full texts of a response that is not streamed.
    #[cold]
    pub(super) fn drop_wholes(&mut self) {
        for place in each((0..self.texts.len()).rev()) {
            if self.texts[place].is_whole && !self.texts[place].is_holding() {
                self.drop_text(place);
            }
        }
        self.twins = None;
    }

    /// Notes whether another member has the delta, too, which is the fact at index `place` of all.
    pub(super) fn note_twins(&mut self, data: &[u8], all: &[Found], place: usize) {
        let Some(Found::Text(id, text, piece)) = all.get(place) else {
            return;
        };
        if !R::WITHHOLDS_UNREAD || text.is_empty() || !(piece.is_again || self.twins.is_some()) {
            return;
        }
        let near = &all[place.saturating_sub(NEXT)..all.len().min(place + NEXT)];
        let is_both = near.iter().any(|one| match one {
            Found::Text(of, other, _) => {
                let is_beside = of.channel == id.channel && of.member != id.member;
                is_beside && text.equals(*other, data)
            }
            _ => false,
        });
        let is_again = piece.is_again;
        let twins = self.twins.get_or_insert_default();
        if let Some(twin) = twins.get_mut(id.channel) {
            twin.is_apart |= !is_both;
        } else if is_again && twins.of.len() < MAX_CHANNELS {
            twins.of.push(Twin {
                of: id.channel,
                is_apart: false,
            });
        }
    }

    /// Returns `true` if members of a channel were equal and are not any more.
    pub(super) fn are_apart(&self, channel: Channel) -> bool {
        let twins = self.twins.as_ref();
        twins.is_some_and(|twins| twins.are_apart(channel))
    }

    /// Returns `true` if another member of a channel may still decide about words that are in both.
    pub(super) fn awaits_twin(&self, id: TextId) -> bool {
        let mut others = each(self.texts.iter());
        others.any(|of| of.id.channel == id.channel && of.id != id && of.is_holding())
    }

    /// Returns `true` if a delta of another member of a channel is processed after the one at this place.
    pub(super) fn is_followed(&self, id: TextId, place: usize) -> bool {
        let Some(twins) = self.twins.as_deref() else {
            return false;
        };
        let mut deltas = twins.deltas.iter();
        let deltas = deltas.find(|(of, _)| *of == id.channel);
        let other = deltas.and_then(|(_, deltas)| deltas.other_than(id));
        other.is_some_and(|other| other > place || twins.first.contains(&place))
    }

    /// Returns `true` if something of another member of a channel is withheld.
    pub(super) fn is_withheld_beside(&self, id: TextId) -> bool {
        let mut others = each(self.texts.iter());
        others.any(|of| of.id.channel == id.channel && of.id != id && of.rewriter.withholds())
    }

    /// Changes what is written of a member by the decisions about the same words in the others.
    pub(super) fn settle_twin(&mut self, id: TextId, out: &mut Vec<u8>) {
        let mut settled = CopyChanges::default();
        for of in each(self.texts.iter_mut()) {
            if of.id.channel == id.channel && of.id != id {
                of.rewriter
                    .settle_elsewhere(Unfound::Keeps, out, &mut settled);
            }
        }
        settled.drop_marks();
        settled.cut(out);
        settled.replace_in(out, b"");
        settled.refuse(out);
    }

    /// Changes the content of a delta by the decisions about the same words in the other members of its channel. Its edit
    /// begins at `start` if it `is_changed` already. Returns `true` if the delta changes.
    pub(super) fn settle_twin_delta(
        &mut self,
        data: &[u8],
        (id, text): (TextId, Str),
        (start, is_changed): (usize, bool),
    ) -> bool {
        let (content, escaped) = match is_changed {
            true => (&self.edits.bytes[start..], true),
            false => (text.content(data), text.escaped),
        };
        let before = provstream::json::decode(content, escaped).text;
        let before = before.as_bytes().to_vec();
        let mut out = before.clone();
        self.settle_twin(id, &mut out);
        if out == before {
            return is_changed;
        }
        self.edits.bytes.truncate(start);
        push_content(&mut self.edits.bytes, &out);
        true
    }
}
