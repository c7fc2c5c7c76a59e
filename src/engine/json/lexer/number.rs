//! Grammar of JSON numbers.

use super::run::digit_run;

/// Part of a number that was read last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NumberPart {
    #[default]
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

impl NumberPart {
    /// Returns the part that `byte` begins, if a number can begin with it.
    #[inline]
    pub(super) const fn begun(byte: u8) -> Option<Self> {
        match byte {
            b'-' => Some(Self::Minus),
            _ => Self::Minus.next(byte),
        }
    }

    /// Returns the part after `byte`, or `None` if the byte cannot continue the number.
    #[inline]
    pub(super) const fn next(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Minus, b'0') => Some(Self::Zero),
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Some(Self::Integer),
            (Self::Zero | Self::Integer, b'.') => Some(Self::Point),
            (Self::Point | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Some(Self::E),
            (Self::E, b'+' | b'-') => Some(Self::Sign),
            (Self::E | Self::Sign | Self::Exponent, b'0'..=b'9') => Some(Self::Exponent),
            _ => None,
        }
    }

    /// Reads on from index `at`; returns the last part and the index of the first byte that does
    /// not belong to the number.
    #[inline]
    pub(super) fn read(self, bytes: &[u8], mut at: usize) -> (Self, usize) {
        let mut number = self;
        loop {
            if number.goes_on_with_digits() {
                at = digit_run(bytes, at);
            }
            match bytes.get(at) {
                // What mostly follows cannot continue a number.
                None | Some(b',' | b'}' | b']') => return (number, at),
                Some(&byte) => match number.next(byte) {
                    None => return (number, at),
                    Some(next) => number = next,
                },
            }
            at += 1;
        }
    }

    /// Returns `true` if any digit may follow without a change of state.
    pub(super) const fn goes_on_with_digits(self) -> bool {
        matches!(self, Self::Integer | Self::Fraction | Self::Exponent)
    }

    /// Returns `true` if a number may end here.
    pub(super) const fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Integer | Self::Fraction | Self::Exponent
        )
    }
}
