//! Annotations in JSON that wait for their object to be closed: places in an arena of their strings.

use std::borrow::Cow;

use super::{Annotation, Class, Reason, Vocabulary};
use crate::Span;
use crate::json::{Decoded, decode, decode_in};

/// The strings an annotation can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnnotationPart {
    Class = 0,
    ObservationId = 1,
    Ts = 2,
}

impl AnnotationPart {
    pub(crate) const ALL: [Self; 3] = [Self::Class, Self::ObservationId, Self::Ts];
}

/// An annotation of an open JSON object, or another value in the place of one.
///
/// There can be many, so the size matters. The raw strings are kept in the arena at `at`, as long
/// as they may be needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    start: u64,
    len: u64,
    at: [u32; 3],
    lens: [u16; 3],
    class: u16,
    /// For each part a bit: the member was seen. Another is for an identifier that is a string, and one for each part that
    /// has an escape.
    seen: u8,
    /// For each part a bit: the string is in the arena.
    kept: u8,
    /// For each part a bit: the string is at fault, and its place in the stream is written before `at`.
    faulty: u8,
    flags: u8,
}

/// The value does not have the form of an annotation.
pub(crate) const MALFORMED: u8 = 1;
/// A string in it is longer than `max_annotation`.
pub(crate) const TOO_LONG: u8 = 2;
/// The annotation did not fit into `max_pending`.
pub(crate) const LEFT_OUT: u8 = 4;
/// The value belongs to a repeated member `assertion` or `provenance`.
pub(crate) const DUPLICATE: u8 = 8;
/// The identifier is not in the vocabulary.
const UNKNOWN: u8 = 16;
/// The identifier is of another version.
const VERSION: u8 = 32;
/// In `seen`: there is an identifier that is a string.
const IDENTIFIER: u8 = 8;
/// In `seen`, for each part, this shifted by it: there is an escape in the string.
const ESCAPED: u8 = 16;

impl Slot {
    pub(crate) const fn new(start: u64, flags: u8) -> Self {
        Self {
            start,
            len: 0,
            at: [0; 3],
            lens: [0; 3],
            class: 0,
            seen: 0,
            kept: 0,
            faulty: 0,
            flags,
        }
    }

    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(crate) const fn set(&mut self, flag: u8) {
        self.flags |= flag;
    }

    pub(crate) const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.len)
    }

    /// Sets the stream offset of the end.
    pub(crate) const fn end(&mut self, end: u64) {
        self.len = end - self.start;
    }

    /// Notes a member; whether it is the first of its name.
    pub(crate) const fn see(&mut self, part: AnnotationPart) -> bool {
        let bit = 1 << part as u8;
        let first = self.seen & bit == 0;
        self.seen |= bit;
        if !first {
            self.flags |= MALFORMED;
        }
        first
    }

    pub(crate) const fn keeps(&self, part: AnnotationPart) -> bool {
        self.kept & (1 << part as u8) != 0
    }

    /// Notes that an identifier is a string; whether it is the first one that is.
    pub(crate) const fn see_identifier(&mut self) -> bool {
        let first = !self.has_identifier();
        self.seen |= IDENTIFIER;
        first
    }

    /// Returns `true` if the identifier is a string.
    pub(crate) const fn has_identifier(&self) -> bool {
        self.seen & IDENTIFIER != 0
    }

    /// Returns `true` if the annotation has all required members, and nothing that makes it lose a string.
    pub(crate) const fn is_whole(&self) -> bool {
        self.has_identifier() && !self.has(MALFORMED | LEFT_OUT)
    }

    /// Returns `true` if the annotation needs no diagnostic.
    pub(crate) const fn is_sound(&self) -> bool {
        self.faulty == 0 && self.flags & (TOO_LONG | LEFT_OUT | DUPLICATE) == 0
    }

    /// Records a string of `len` bytes at `at` in the arena; if it is faulty, its stream offset
    /// precedes it.
    pub(crate) const fn keep(&mut self, part: AnnotationPart, at: usize, len: usize, faulty: bool) {
        self.kept |= 1 << part as u8;
        self.faulty |= (faulty as u8) << part as u8;
        self.at[part as usize] = at as u32;
        self.lens[part as usize] = len as u16;
    }

    pub(crate) const fn drop_part(&mut self, part: AnnotationPart) {
        self.kept &= !(1 << part as u8);
        self.faulty &= !(1 << part as u8);
    }

    /// Records that the string of a field has an escape.
    pub(crate) const fn escape(&mut self, part: AnnotationPart) {
        self.seen |= ESCAPED << part as u8;
    }

    pub(crate) const fn is_escaped(&self, part: AnnotationPart) -> bool {
        self.seen & (ESCAPED << part as u8) != 0
    }

    /// Returns the range of a field's string in the arena.
    pub(crate) fn place(&self, part: AnnotationPart) -> core::ops::Range<usize> {
        let at = self.at[part as usize] as usize;
        at..at + usize::from(self.lens[part as usize])
    }

    /// Records that the string of a field was moved in the arena.
    pub(crate) const fn move_to(&mut self, part: AnnotationPart, at: usize) {
        self.at[part as usize] = at as u32;
    }

    pub(crate) const fn is_faulty(&self, part: AnnotationPart) -> bool {
        self.faulty & (1 << part as u8) != 0
    }

    /// Returns the length of the string of a field, in bytes.
    pub(crate) const fn len_of(&self, part: AnnotationPart) -> usize {
        self.lens[part as usize] as usize
    }

    /// Takes the identifier for what the vocabulary says.
    pub(crate) const fn resolved(&mut self, class: u16, reason: Option<Reason>) {
        self.class = class;
        self.flags |= match reason {
            None => 0,
            Some(Reason::VocabularyVersion) => VERSION,
            Some(_) => UNKNOWN,
        };
    }

    fn reason(&self) -> Option<Reason> {
        if self.has(MALFORMED) {
            Some(Reason::Malformed)
        } else if self.has(UNKNOWN) {
            Some(Reason::UnknownIdentifier)
        } else if self.has(VERSION) {
            Some(Reason::VocabularyVersion)
        } else {
            None
        }
    }
}

/// Kept raw strings of one object, at the end of an arena.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept<'a> {
    arena: &'a [u8],
    /// Start of the strings in the arena.
    from: usize,
    /// All of them, if all is UTF-8; otherwise empty.
    text: &'a str,
}

impl<'a> Kept<'a> {
    /// Creates a view of the strings from index `from` of the arena on.
    #[inline]
    pub(crate) fn new(arena: &'a [u8], from: usize) -> Self {
        let own = arena.get(from..).unwrap_or_default();
        Self {
            arena,
            from,
            text: core::str::from_utf8(own).unwrap_or_default(),
        }
    }

    /// Returns the strings, if all of them are UTF-8.
    #[inline]
    pub(crate) fn of_text(arena: &'a [u8], from: usize) -> Option<Self> {
        let text = core::str::from_utf8(arena.get(from..)?).ok()?;
        Some(Self { arena, from, text })
    }

    /// Decodes the string at `place` in the arena; `space` takes the decoded text if the string has
    /// escapes.
    #[inline]
    pub(crate) fn decode(
        &self,
        place: core::ops::Range<usize>,
        escaped: bool,
        space: &'a mut Vec<u8>,
    ) -> Decoded<'a> {
        match self.plain(place.clone(), escaped) {
            Some(text) => Decoded {
                text: Cow::Borrowed(text),
                ill_formed: false,
            },
            None => decode_in(self.arena.get(place).unwrap_or_default(), escaped, space),
        }
    }

    /// Returns the string at `place` in the arena if it needs no decoding.
    #[inline]
    fn plain(&self, place: core::ops::Range<usize>, escaped: bool) -> Option<&'a str> {
        if escaped {
            return None;
        }
        let start = place.start.checked_sub(self.from)?;
        self.text.get(start..start + place.len())
    }

    #[cold]
    fn decode_any(&self, place: core::ops::Range<usize>, escaped: bool) -> Decoded<'a> {
        decode(self.arena.get(place).unwrap_or_default(), escaped)
    }
}

/// The annotations of one object, read where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotAnnotations<'a> {
    slots: &'a [Slot],
    kept: Kept<'a>,
    vocabulary: &'a Vocabulary,
    /// Number of annotations among the slots that were not left out.
    len: usize,
}

impl<'a> SlotAnnotations<'a> {
    pub(crate) fn classes(self) -> impl Iterator<Item = &'a Class> {
        let annotations = self.slots.iter().filter(|slot| !slot.has(LEFT_OUT));
        annotations.map(move |slot| self.vocabulary.class_at(slot.class))
    }

    pub(crate) fn new(slots: &'a [Slot], kept: Kept<'a>, vocabulary: &'a Vocabulary) -> Self {
        Self {
            slots,
            kept,
            vocabulary,
            len: slots.iter().filter(|slot| !slot.has(LEFT_OUT)).count(),
        }
    }

    #[inline]
    fn annotation(&self, slot: &Slot) -> Annotation<'a> {
        let text = |part: AnnotationPart| {
            if !slot.keeps(part) || (part == AnnotationPart::Ts && slot.is_faulty(part)) {
                return None;
            }
            let (place, escaped) = (slot.place(part), slot.is_escaped(part));
            Some(match self.kept.plain(place.clone(), escaped) {
                Some(text) => Cow::Borrowed(text),
                None => self.kept.decode_any(place, escaped).text,
            })
        };
        Annotation {
            class: self.vocabulary.class_at(slot.class).clone(),
            declared: text(AnnotationPart::Class).unwrap_or_default(),
            reason: slot.reason(),
            observation_id: text(AnnotationPart::ObservationId),
            ts: text(AnnotationPart::Ts),
            span: slot.span(),
        }
    }
}

impl<'a> Iterator for SlotAnnotations<'a> {
    type Item = Annotation<'a>;

    fn next(&mut self) -> Option<Annotation<'a>> {
        loop {
            let (slot, rest) = self.slots.split_first()?;
            self.slots = rest;
            if !slot.has(LEFT_OUT) {
                self.len -= 1;
                return Some(self.annotation(slot));
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}
