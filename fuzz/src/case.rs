//! Conversion of a fuzzer's bytes to a stream with settings.

use provstream::Parser;

use super::reference::engine::{Cuts, parser_in};
use super::reference::{Reading, RefLimits, RefMode, RefVocabulary, Segment};

/// The first byte of input that says more than the stream itself; it appears nowhere in UTF-8.
const CONTROL: u8 = 0xFF;

/// In such input, where own text becomes foreign and the other way round.
const SWITCH: u8 = 0xFE;

/// Number of bytes that set the mode, the limits and the chunking.
const SETTINGS: usize = 12;

/// Ends of a stream that leave something open: a candidate annotation, an assertion, white space,
/// code, a block, a line, a JSON value, a string, an escape.
const OPEN: [&str; 16] = [
    "",
    " So. [substrate.grep; ts=\"",
    " So. [substrate.grep] \n ",
    "\n```",
    "\n~~~~\n{\"assertion\":\"a\",",
    "\n> ```\n> ",
    " ``x",
    "\n| a | b [substrate.grep] |",
    "\n- x. \t ",
    "{\"provenance\":[{\"substrate_class\":\"substrate.grep\"},{\"ts\":\"2",
    "[[{\"marc_version\":1,\"a/~\":[{\"assertion\":\"\\ud83d",
    "\n{\"assertion\":\"x\\",
    " {\"a\":-1.5e",
    " {\"a\":tr",
    "\\",
    "\r",
];

/// A stream, how it is read and cut, and the limits in force.
///
/// Input is the stream itself, so that any text is a good start, read in mode `auto` with the default limits and
/// cut at places that depend on all of it. If it starts with the byte FF, twelve bytes follow: the mode and whether
/// records are held, seven limits, and four for the cuts; and in the stream after them each byte FE is a change between
/// own and foreign text.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) input: Vec<Segment>,
    pub(crate) reading: Reading,
    pub(crate) limits: RefLimits,
    seed: u64,
}

impl Case {
    /// The case that these bytes stand for.
    #[must_use]
    pub(crate) fn new(data: &[u8]) -> Self {
        let (control, stream) = match data.split_first() {
            Some((&CONTROL, rest)) => match rest.split_first_chunk::<SETTINGS>() {
                Some((control, stream)) => (Some(*control), stream),
                None => (Some([0; SETTINGS]), rest),
            },
            _ => (None, data),
        };
        let mut reading = Reading::new(RefMode::Auto);
        let mut limits = RefLimits::default();
        let seed = match control {
            Some([how, sizes @ .., a, b, c, d]) => {
                let modes = [RefMode::Auto, RefMode::Text, RefMode::Json, RefMode::Ndjson];
                reading = Reading {
                    mode: modes[usize::from(how % 4)],
                    hold_records: how & 4 != 0,
                };
                set(&mut limits, sizes);
                u64::from(u32::from_le_bytes([a, b, c, d]))
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
                    after_break: false,
                })
                .collect()
        } else {
            vec![Segment {
                own: true,
                bytes: stream.to_vec(),
                after_break: false,
            }]
        };
        Self {
            input,
            reading,
            limits,
            seed,
        }
    }

    /// A parser with the case's mode and limits.
    pub(crate) fn parser(&self) -> Parser {
        parser_in(self.reading, &self.limits, &RefVocabulary::default())
    }

    /// A parser with the case's mode and limits that has read something else and was reset: it has to equal a new one.
    pub(crate) fn used_parser(&self) -> Parser {
        let mut parser = self.parser();
        self.use_up(&mut parser);
        parser
    }

    /// Makes a parser, which is new, a used one.
    pub(crate) fn use_up(&self, parser: &mut Parser) {
        for (own, bytes) in self.earlier() {
            if own {
                parser.push(bytes, ());
            } else {
                parser.push_untrusted(bytes, ());
            }
        }
        if self.finishes_earlier() {
            parser.finish(());
        }
        parser.reset();
    }

    /// Input read before a reset: the first part of the stream, then one that leaves something
    /// open; each with `true` for model text.
    pub(crate) fn earlier(&self) -> [(bool, &[u8]); 2] {
        let mut choices = Cuts(!self.seed);
        let (own, bytes) = self
            .input
            .first()
            .map_or((true, &[][..]), |first| (first.own, &first.bytes[..]));
        let part = &bytes[..choices.below(bytes.len() + 1)];
        let open = OPEN[choices.below(OPEN.len())].as_bytes();
        [(own, part), (choices.below(4) > 0, open)]
    }

    /// Returns `true` if the earlier stream ends before the reset.
    pub(crate) const fn finishes_earlier(&self) -> bool {
        self.seed & 0x10 == 0
    }

    /// Seed of all choices that the case leaves open.
    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    /// In which of so many ways the case is read: in all; by a fuzzer in one, so that it tries more cases.
    pub(crate) fn ways(&self, count: u64) -> std::ops::Range<u64> {
        if !cfg!(fuzzing) {
            return 0..count;
        }
        // Multiplied, so that the way does not follow the bits of the seed that other choices follow.
        let one = (self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % count;
        one..one + 1
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

    /// Bytes that are read as they are, in pieces of these lengths.
    pub(crate) fn pieces<'a>(&self, mut rest: &'a [u8]) -> Vec<&'a [u8]> {
        let mut cuts = self.cuts();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(cuts(rest.len()));
            pieces.push(piece);
            rest = later;
        }
        pieces
    }

    /// The lengths of chunks, given how much is left: mostly short ones.
    pub(crate) fn cuts(&self) -> impl FnMut(usize) -> usize + use<> {
        let mut cuts = Cuts(self.seed);
        let most = [4, 17, 70, 5_000][(self.seed % 4) as usize];
        move |left| (1 + cuts.below(most)).min(left)
    }
}

/// Sets the limits, each by a byte; zero leaves the default.
fn set(limits: &mut RefLimits, sizes: [u8; 7]) {
    let pending = limits.max_pending;
    for (byte, limit, step) in [
        (sizes[0], &mut limits.max_annotation, 1),
        (sizes[1], &mut limits.max_assertion, 1),
        (sizes[2], &mut limits.max_annotations, 1),
        (sizes[3], &mut limits.max_pending, 2),
        (sizes[4], &mut limits.max_depth, 1),
        (sizes[5], &mut limits.max_pointer, 1),
        (sizes[6], &mut limits.max_record, 2),
    ] {
        if byte > 0 {
            *limit = (usize::from(byte) * step).min(*limit);
        }
    }
    if limits.max_pending != pending {
        // A parser has one setter for both.
        limits.max_pending_json = limits.max_pending;
    }
    // The least that a parser takes.
    limits.max_assertion = limits.max_assertion.max(4);
}
