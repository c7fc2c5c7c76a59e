//! From the bytes of a fuzzer to a stream.

use provstream::Parser;

use super::reference::engine::{Cuts, parser};
use super::reference::{RefLimits, RefVocabulary, Segment};

/// The first byte of input that says more than the stream itself; it stands nowhere in UTF-8.
const CONTROL: u8 = 0xFF;

/// In such input, where own text becomes foreign and the other way round.
const SWITCH: u8 = 0xFE;

/// A stream, how it is cut, and the limits in force.
///
/// Input is the stream as it stands, so that any text is a good start, read with the default limits and cut at places
/// that depend on all of it. If it starts with the byte FF, eight bytes follow that set the cuts and the limits, and in
/// the stream behind them each byte FE is a change between own and foreign text.
#[derive(Debug)]
pub struct Case {
    pub(crate) input: Vec<Segment>,
    pub(crate) limits: RefLimits,
    seed: u64,
}

impl Case {
    /// The case that these bytes stand for.
    #[must_use]
    pub fn new(data: &[u8]) -> Self {
        let (control, stream) = match data.split_first() {
            Some((&CONTROL, rest)) => match rest.split_first_chunk::<8>() {
                Some((control, stream)) => (Some(*control), stream),
                None => (Some([0; 8]), rest),
            },
            _ => (None, data),
        };
        let mut limits = RefLimits::default();
        let seed = match control {
            Some(control) => {
                for (byte, limit, step) in [
                    (control[0], &mut limits.max_annotation, 1),
                    (control[1], &mut limits.max_assertion, 1),
                    (control[2], &mut limits.max_annotations, 1),
                    (control[3], &mut limits.max_pending, 2),
                ] {
                    // Zero leaves the default.
                    if byte > 0 {
                        *limit = (usize::from(byte) * step).min(*limit);
                    }
                }
                // The least that a parser takes.
                limits.max_assertion = limits.max_assertion.max(4);
                u64::from(u32::from_le_bytes([
                    control[4], control[5], control[6], control[7],
                ]))
            }
            None => data.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
            }),
        };
        let input = if control.is_some() {
            let parts = stream.split(|&byte| byte == SWITCH);
            parts
                .enumerate()
                .map(|(index, part)| Segment {
                    own: index % 2 == 0,
                    bytes: part.to_vec(),
                })
                .collect()
        } else {
            vec![Segment {
                own: true,
                bytes: stream.to_vec(),
            }]
        };
        Self {
            input,
            limits,
            seed,
        }
    }

    /// A parser with the case's limits.
    pub(crate) fn parser(&self) -> Parser {
        parser(&self.limits, &RefVocabulary::default())
    }

    /// The bytes of the stream.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.input
            .iter()
            .flat_map(|segment| segment.bytes.clone())
            .collect()
    }

    /// The chunks of the stream, each with whether it is own text; empty ones are among them.
    pub(crate) fn chunks(&self) -> Vec<(bool, &[u8])> {
        let mut cuts = self.cuts();
        let mut chunks = Vec::new();
        for segment in &self.input {
            let mut rest = &segment.bytes[..];
            while !rest.is_empty() {
                let (chunk, later) = rest.split_at(cuts(rest.len()));
                chunks.push((segment.own, chunk));
                rest = later;
            }
            chunks.push((segment.own, rest));
        }
        chunks
    }

    /// The lengths of chunks, given how much is left: mostly short ones.
    pub(crate) fn cuts(&self) -> impl FnMut(usize) -> usize + use<> {
        let mut cuts = Cuts(self.seed);
        let most = [4, 17, 70, 5_000][(self.seed % 4) as usize];
        move |left| (1 + cuts.below(most)).min(left)
    }
}
