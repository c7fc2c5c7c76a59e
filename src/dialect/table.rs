//! One form of a dialect's markers.

use super::automaton::MarkerAutomaton;
use super::guard::{Attached, Guard};
use crate::marker_ids::IdText;

/// Most identifiers of a marker.
pub(super) const MOST_IDS: usize = 16;

/// One form of a marker, compiled.
#[derive(Debug)]
pub(super) struct FormTable {
    /// Regular expression of the whole form.
    pub(super) form: String,
    pub(super) open: MarkerAutomaton,
    /// Notation of the identifiers; `None` for markers without identifiers.
    pub(super) ids: Option<Ids>,
    /// The whole form, for a part of a group.
    pub(super) unit: Option<MarkerAutomaton>,
    /// Regular expression of the end tag.
    pub(super) end: Option<String>,
    /// Length of the longest marker in bytes.
    pub(super) max: usize,
    pub(super) guard: Option<Guard>,
}

/// Forms of identifiers, and of what is between them.
#[derive(Debug)]
pub(super) struct Ids {
    pub(super) id: MarkerAutomaton,
    pub(super) separator: Option<MarkerAutomaton>,
    pub(super) range: Option<MarkerAutomaton>,
}

impl FormTable {
    pub(super) fn attached(&self) -> Attached {
        self.guard
            .as_ref()
            .map_or_else(Attached::default, |guard| guard.attached)
    }

    /// Reads the identifiers at the start of `bytes`, a marker of this form; `None` if there are too many, or a range does
    /// not ascend.
    pub(super) fn read(&self, bytes: &[u8], out: &mut IdText) -> Option<usize> {
        let before = out.len();
        let Some(ids) = &self.ids else {
            return Some(0);
        };
        let mut at = self.open.longest(bytes)?;
        loop {
            at += ids.item(&bytes[at..], out)?;
            let rest = &bytes[at..];
            let between = ids.separator.as_ref().and_then(|form| form.longest(rest));
            match between {
                Some(len) if ids.id.longest(&rest[len..]).is_some() => at += len,
                _ => return Some(out.len() - before),
            }
        }
    }
}

impl Ids {
    /// Reads an identifier or a range; gives its length.
    fn item(&self, bytes: &[u8], out: &mut IdText) -> Option<usize> {
        let len = self.id.longest(bytes)?;
        let first = core::str::from_utf8(&bytes[..len]).ok()?;
        if let Some(dash) = self
            .range
            .as_ref()
            .and_then(|form| form.longest(&bytes[len..]))
        {
            let rest = &bytes[len + dash..];
            if let Some(last_len) = self.id.longest(rest) {
                let last = core::str::from_utf8(&rest[..last_len]).ok()?;
                let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
                if first >= last || (last - first) as usize + out.len() >= MOST_IDS {
                    return None;
                }
                (first..=last).for_each(|number| out.push_number(number));
                return Some(len + dash + last_len);
            }
        }
        if out.len() == MOST_IDS {
            return None;
        }
        out.push(first);
        Some(len)
    }
}
