//! Slots: the annotations of a JSON value until their assertions are reported.

use super::JsonValueState;
use super::frame::{ANNOTATION, ASSERTED, CROWDED, HAS_SLOT, OpenContainer, TOO_MANY};
use crate::Limits;
use crate::json::decode;
use crate::provenance::Vocabulary;
use crate::provenance::slot::{AnnotationPart, LEFT_OUT, MALFORMED, Slot};
use crate::steps;

/// Maximum number of annotations of all open objects, unless the limit for one object is higher; it
/// bounds the memory.
const MOST: usize = 512;

/// Maximum length of the arena, in bytes: the strings that count towards `max_pending_json`, and
/// the offsets of faulty strings.
pub(super) fn most_in_arena(limits: &Limits) -> usize {
    limits.max_pending_json()
        + MOST.max(limits.max_annotations()) * AnnotationPart::ALL.len() * size_of::<u64>()
}

/// Returns `true` if an object with `own` annotations fits the limits when others have `slots`.
pub(super) fn has_room(slots: usize, own: usize, limits: &Limits) -> bool {
    let max = limits.max_annotations();
    own <= max && slots + own <= MOST.max(max)
}

impl JsonValueState {
    /// Adds a slot to the object `above` levels above the innermost object or array; returns
    /// `false` if a limit leaves it out.
    pub(super) fn push_slot(&mut self, limits: &Limits, slot: Slot, above: usize) -> bool {
        let max = limits.max_annotations();
        let Some(owner) = self.frames.iter_mut().rev().nth(above) else {
            return false;
        };
        let len = self.slots.len();
        let most = MOST.max(max);
        if len - owner.slots as usize >= max {
            owner.set(TOO_MANY);
            return false;
        }
        if len >= most {
            owner.set(CROWDED);
            return false;
        }
        if len == self.slots.capacity() {
            let room = (2 * len).clamp(4, most);
            self.slots.reserve_exact(room - len);
        }
        self.slots.push(slot);
        true
    }

    /// Drops what a closed object or array had of its own, except what the enclosing object needs.
    pub(super) fn end_slot(&mut self, vocabulary: &Vocabulary, frame: &OpenContainer, end: u64) {
        if frame.has(ANNOTATION)
            && !frame.has(ASSERTED)
            && self.slots.len() == frame.slots as usize
            && let Some(slot) = self.slots.last_mut()
            && slot.is_whole()
        {
            // All that was kept since the opening belongs to the annotation and stays.
            slot.end(end);
            resolve(slot, &self.arena, vocabulary);
            return;
        }
        self.slots.truncate(frame.slots as usize);
        self.pending = frame.pending as usize;
        let mut kept_end = frame.arena as usize;
        if frame.has(HAS_SLOT)
            && let Some(slot) = self.slots.last_mut()
        {
            slot.end(end);
            if frame.has(ANNOTATION) {
                settle(slot);
                resolve(slot, &self.arena, vocabulary);
                let (len, pending) = compact(slot, &mut self.arena, kept_end);
                kept_end += len;
                self.pending += pending;
            }
        }
        self.arena.truncate(kept_end);
    }
}

/// Resolves the identifier of an annotation to a class.
fn resolve(slot: &mut Slot, arena: &[u8], vocabulary: &Vocabulary) {
    if slot.has(MALFORMED) || !slot.keeps(AnnotationPart::Class) {
        return;
    }
    let raw = &arena[slot.place(AnnotationPart::Class)];
    let (class, reason) = if slot.is_escaped(AnnotationPart::Class) {
        vocabulary.resolve_index(decode(raw, true).text.as_bytes())
    } else {
        vocabulary.resolve_index(raw)
    };
    slot.resolved(class, reason);
}

/// Drops the strings that a closed annotation does not keep.
fn settle(slot: &mut Slot) {
    if !slot.has_identifier() {
        slot.set(MALFORMED);
    }
    let dropped: &[AnnotationPart] = if slot.has(LEFT_OUT) {
        &AnnotationPart::ALL
    } else if slot.has(MALFORMED) {
        &[AnnotationPart::ObservationId, AnnotationPart::Ts]
    } else {
        &[]
    };
    for &part in dropped {
        slot.drop_part(part);
    }
}

/// Moves the strings of a slot together, from index `to` of the arena on. Returns their number of
/// bytes, and how many of these are pending.
fn compact(slot: &mut Slot, arena: &mut [u8], to: usize) -> (usize, usize) {
    let before = |slot: &Slot, part| match slot.is_faulty(part) {
        true => size_of::<u64>(),
        false => 0,
    };
    let mut parts = AnnotationPart::ALL.map(|part| {
        let kept = slot.keeps(part);
        kept.then(|| (slot.place(part).start - before(slot, part), part))
    });
    parts.sort_by_key(|part| part.map(|(from, _)| from));
    let (mut end, mut pending) = (to, 0);
    for (from, part) in parts.into_iter().flatten() {
        let before = before(slot, part);
        // Of an invalid time only its place is kept.
        let len = match part {
            AnnotationPart::Ts if slot.is_faulty(part) => 0,
            _ => slot.len_of(part),
        };
        steps::count(before + len);
        arena.copy_within(from..from + before + len, end);
        slot.move_to(part, end + before);
        end += before + len;
        pending += len;
    }
    (end - to, pending)
}
