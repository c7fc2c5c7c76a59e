//! Versions of a list of sources that learns: text is compared with the present one, a copy of it with those of the text.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::sources::Sources;

/// Most versions of a list that are noted in one text. A copy is compared with the last one from there on.
const MAX_VERSIONS: usize = 128;

/// Versions of a list, each with the stream offset from which on text was compared with it, in order.
type Versions = SmallVec<[(u64, usize); 1]>;

/// List of sources with which the markers of a text are compared.
#[derive(Clone, Debug)]
pub(super) struct SourceLists {
    live: Arc<dyn Sources>,
    versions: Versions,
    /// Versions of the text of which this one is a copy.
    copied: Option<CopiedVersions>,
    /// Stream offset of the last break or end.
    ended: Option<u64>,
}

/// Versions that are gone through again.
#[derive(Clone, Debug)]
struct CopiedVersions {
    versions: Versions,
    /// Index of the next one.
    next: usize,
    list: Arc<dyn Sources>,
}

impl SourceLists {
    pub(super) fn new(live: Arc<dyn Sources>) -> Self {
        Self {
            live,
            versions: SmallVec::new(),
            copied: None,
            ended: None,
        }
    }

    /// Returns the list in the present version.
    pub(super) fn current(&self) -> &dyn Sources {
        match &self.copied {
            Some(copied) => &*copied.list,
            None => &*self.live,
        }
    }

    /// Takes the version for what is read from a stream offset on: the one that there is now, or that of the text that is copied. Returns
    /// the number of bytes that are compared with it.
    pub(super) fn go_to(&mut self, at: u64) -> usize {
        match &mut self.copied {
            Some(copied) => {
                while let Some((from, version)) = copied.versions.get(copied.next)
                    && *from <= at
                {
                    let list = self.live.as_of(*version);
                    copied.list = list.unwrap_or_else(|| Arc::clone(&self.live));
                    copied.next += 1;
                }
                let next = copied.versions.get(copied.next);
                // Where `usize` has 32 bits, a change may be farther away.
                let len = next.map(|(from, _)| from - at);
                len.and_then(|len| usize::try_from(len).ok())
                    .unwrap_or(usize::MAX)
            }
            None => {
                let version = self.live.version();
                let is_known = matches!(self.versions.last(), Some((_, last)) if *last == version);
                if !is_known && self.versions.len() < MAX_VERSIONS {
                    self.versions.push((at, version));
                }
                usize::MAX
            }
        }
    }

    /// Goes through the versions of another text again, of which a copy begins.
    pub(super) fn repeat(&mut self, other: &Self) {
        let versions = match &other.copied {
            Some(copied) => &copied.versions,
            None => &other.versions,
        };
        let now = self.live.version();
        let is_same = versions.iter().all(|(_, version)| *version == now);
        self.copied = (!is_same).then(|| CopiedVersions {
            versions: versions.clone(),
            next: 0,
            list: Arc::clone(&self.live),
        });
    }

    /// Takes the version for a break or an end at a stream offset. A text has ended with the first one there: what is learned after it
    /// changes nothing.
    pub(super) fn end_at(&mut self, at: u64) {
        if self.ended != Some(at) {
            self.go_to(at);
            self.ended = Some(at);
        }
    }

    /// Returns to the live list, before another text.
    pub(super) fn reset(&mut self) {
        self.versions.clear();
        self.copied = None;
        self.ended = None;
    }

    /// Returns the heap memory in bytes.
    pub(super) fn heap(&self) -> usize {
        let of = |versions: &Versions| match versions.spilled() {
            true => versions.capacity() * size_of::<(u64, usize)>(),
            false => 0,
        };
        let copied = self.copied.as_ref();
        size_of::<Self>() + of(&self.versions) + copied.map_or(0, |copied| of(&copied.versions))
    }
}
