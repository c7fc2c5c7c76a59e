//! Sets of slots.

/// Most slots.
pub(super) const MAX_SLOTS: usize = 256;

/// A set of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots([u128; MAX_SLOTS / 128]);

impl Slots {
    pub(super) fn insert(&mut self, slot: u8) {
        self.0[usize::from(slot / 128)] |= 1 << (slot % 128);
    }

    pub(super) fn contains(&self, slot: u8) -> bool {
        self.0[usize::from(slot / 128)] >> (slot % 128) & 1 == 1
    }

    /// Whether the two have a slot in common.
    pub(super) fn meets(&self, other: &Self) -> bool {
        core::iter::zip(self.0, other.0).any(|(one, other)| one & other != 0)
    }
}

/// The slots that the reading of a sentence itself needs: the first ones, by the names of [`SPECIAL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Function,
    Neg,
    NegAround,
    NegNear,
    Skip,
    Open,
    Break,
    Figure,
    Number,
}

#[rustfmt::skip]
const SPECIAL: [&str; 9] = [
    "FUNCTION", "NEG", "NEG_AROUND", "NEG_NEAR", "SKIP", "OPEN", "BREAK", "FIGURE", "NUMBER",
];

/// The names of slots.
#[derive(Debug)]
pub(super) struct Names(Vec<&'static str>);

impl Names {
    pub(super) fn new() -> Self {
        Self(SPECIAL.to_vec())
    }

    /// The slot with a name, which is new if it was not named before. A test keeps the names of the data within the most.
    pub(super) fn slot(&mut self, name: &'static str) -> u8 {
        let known = self.0.iter().position(|known| *known == name);
        let slot = known.unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        });
        u8::try_from(slot).unwrap_or(u8::MAX)
    }

    #[cfg(test)]
    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }
}
