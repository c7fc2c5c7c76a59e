//! Detects whether the indices of choices name channels or count deltas.

use core::ops::Range;

use super::Format;
use super::deferred::MAX_DEFERRED;
use super::event::WalkedEvent;
use super::frame::{Frame, Kind, StreamPiece};
use super::steps::each;
use super::walk::Walk;
use super::walk::table::Role;
use provstream::TextChunk;

/// Maximum number of choices that may begin in a row, each with text in its first delta, before one of them
/// continues; also the maximum of `n` in OpenAI's API.
const MAX_IN_ROW: u32 = 128;

/// Holds the first events of a completion while two readings of them are possible.
///
/// The events `{"index":0,"delta":{"content":"A"}}` and `{"index":1,"delta":{"content":"B"}}` are the first deltas of
/// two choices, or two deltas of one text from a server that increases `index`. The events from the second on are
/// held until one of them decides. Indices name channels if one repeats, if one event has two, or if one comes after the end of another;
/// they count deltas if they are 0, 1 and 2 and each event repeats its delta in `message`, as those of the server that
/// counts do (Foundry Local). If more than [`MAX_IN_ROW`] new ones come in a row, they count deltas, and after too many held
/// bytes they name channels, but neither is certain. If the stream ends first, they count deltas unless each has its own
/// finish reason. After an event that cannot be read, they name channels, as in OpenAI's API.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexDetector {
    is_settled: bool,
    /// Evidence before the decision; boxed, and released after it.
    doubt: Option<Box<Doubt>>,
}

#[derive(Clone, Debug, Default)]
struct Doubt {
    walk: Walk,
    /// First and last of the consecutive indices whose messages began.
    row: Option<(u32, u32)>,
    /// A message of `row` has text.
    has_text: bool,
    /// A message of `row` has a delta that is not repeated in it.
    has_unrepeated: bool,
    /// A message of `row` has no finish reason.
    has_unfinished: bool,
    /// Index in the last event with a finish reason.
    finished: Option<u32>,
    held: HeldPieces,
}

/// Decision about a piece of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceVerdict {
    /// Process the piece.
    Pass,
    /// The piece is held.
    Hold,
    /// Process the held pieces, then this one.
    Settled(Indices),
}

/// Meaning of the indices of choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indices {
    Name,
    Count,
    /// Each reading has led to wrong texts of some server. The better one for those that need not be certain: the indices
    /// count deltas.
    Unknown {
        count: bool,
    },
}

/// Held pieces of the stream.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldPieces {
    bytes: Vec<u8>,
    pieces: Vec<HeldPiece>,
}

#[derive(Clone, Debug)]
struct HeldPiece {
    kind: Kind,
    /// Offset of the first byte in the stream.
    start: u64,
    place: Range<usize>,
    data: HeldData,
    /// Range of the event's name in the piece.
    name: Range<usize>,
    is_named_error: bool,
}

/// Position of a held piece's data.
#[derive(Clone, Debug)]
enum HeldData {
    /// The piece is not an event.
    None,
    Line(Range<usize>),
    SeveralLines,
}

/// Facts of an event about one choice.
#[derive(Clone, Copy, Debug, Default)]
struct Choice {
    number: u32,
    begins: bool,
    has_text: bool,
    /// The message is equal to the delta.
    repeats: bool,
    finishes: bool,
}

impl IndexDetector {
    /// Returns `true` after the decision.
    pub(super) const fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Inspects the next piece of a stream; `format` is its format, if known.
    pub(super) fn judge(
        &mut self,
        kind: Kind,
        piece: &StreamPiece<'_>,
        format: Option<Format>,
    ) -> PieceVerdict {
        let doubt = self.doubt.get_or_insert_default();
        let verdict = match (format, piece) {
            (Some(Format::OpenAiChat) | None, StreamPiece::Event(frame)) => doubt.event(frame),
            (Some(Format::OpenAiChat) | None, StreamPiece::Other(_)) => doubt.pass(),
            _ => PieceVerdict::Settled(Indices::Name),
        };
        let verdict = match verdict {
            PieceVerdict::Hold if doubt.held.bytes.len() > MAX_DEFERRED => {
                PieceVerdict::Settled(Indices::Unknown { count: false })
            }
            verdict => verdict,
        };
        match verdict {
            PieceVerdict::Hold => doubt.held.add(kind, piece),
            PieceVerdict::Settled(_) => self.is_settled = true,
            PieceVerdict::Pass => {}
        }
        verdict
    }

    /// Decides at the end of the stream.
    pub(super) fn finish(&mut self) -> Indices {
        self.is_settled = true;
        match &self.doubt {
            Some(doubt) if doubt.is_holding() && doubt.has_unfinished => Indices::Count,
            _ => Indices::Name,
        }
    }

    /// Takes the held pieces, after the decision.
    pub(super) fn take_held(&mut self) -> HeldPieces {
        self.doubt
            .take()
            .map(|doubt| doubt.held)
            .unwrap_or_default()
    }
}

impl Doubt {
    const fn is_holding(&self) -> bool {
        !self.held.pieces.is_empty()
    }

    /// Returns the decision about a piece without evidence, which stays in order with the held pieces.
    const fn pass(&self) -> PieceVerdict {
        if self.is_holding() {
            PieceVerdict::Hold
        } else {
            PieceVerdict::Pass
        }
    }

    fn event(&mut self, frame: &Frame<'_>) -> PieceVerdict {
        if matches!(frame.data.trim_ascii(), b"" | b"[DONE]") {
            return self.pass();
        }
        let automaton = Format::OpenAiChat.automaton();
        let is_read = self.walk.read(automaton, &frame.data).is_ok();
        let event = WalkedEvent::new(automaton, &self.walk, &frame.data, true);
        let choice = if is_read { choice(&event) } else { None };
        match choice {
            // In OpenAI's API, indices name choices.
            None => PieceVerdict::Settled(Indices::Name),
            Some(None) => self.pass(),
            Some(Some(choice)) => self.choice(choice),
        }
    }

    fn choice(&mut self, choice: Choice) -> PieceVerdict {
        // A text whose deltas are counted ends once.
        if self.finished.is_some_and(|other| other != choice.number) {
            return PieceVerdict::Settled(Indices::Name);
        }
        self.finished = choice.finishes.then_some(choice.number).or(self.finished);
        let Some((first, last)) = self.row else {
            self.row = Some((choice.number, choice.number));
            self.has_text = choice.has_text;
            self.has_unrepeated = choice.has_text && !choice.repeats;
            self.has_unfinished = !choice.finishes;
            return PieceVerdict::Pass;
        };
        let is_holding = self.is_holding();
        if choice.finishes && !choice.has_text && !choice.begins && is_holding {
            return PieceVerdict::Hold;
        }
        if last.checked_add(1) != Some(choice.number) {
            return PieceVerdict::Settled(Indices::Name);
        }
        self.row = Some((first, choice.number));
        let is_in_doubt = is_holding || (self.has_text && choice.has_text);
        self.has_text |= choice.has_text;
        self.has_unrepeated |= choice.has_text && !choice.repeats;
        self.has_unfinished |= !choice.finishes;
        match is_in_doubt {
            true if !self.has_unrepeated && first == 0 && choice.number > 1 => {
                PieceVerdict::Settled(Indices::Count)
            }
            true if choice.number - first >= MAX_IN_ROW => {
                PieceVerdict::Settled(Indices::Unknown { count: true })
            }
            true => PieceVerdict::Hold,
            false if choice.number - first >= MAX_IN_ROW => PieceVerdict::Settled(Indices::Name),
            false => PieceVerdict::Pass,
        }
    }
}

/// Returns the facts about the event's choice, `Some(None)` if it has none, and `None` if it has several or reports
/// an error.
fn choice(event: &WalkedEvent<'_>) -> Option<Option<Choice>> {
    let mut choice: Option<Choice> = None;
    for capture in each(event.walk.captures.iter()) {
        for rule in event.rules(capture) {
            let is_string = capture.is_string() && capture.start < capture.end;
            let says = match rule.row.role {
                Role::Error | Role::ChoiceError if event.is_set(capture) => return None,
                Role::ErrorCode if event.is_error_code(capture) => return None,
                Role::Begins => Choice {
                    begins: true,
                    ..Choice::default()
                },
                Role::Text => Choice {
                    has_text: is_string,
                    ..Choice::default()
                },
                Role::Message => Choice {
                    repeats: event.repeats_delta(capture),
                    ..Choice::default()
                },
                Role::Finish if event.is_finish(capture) => Choice {
                    finishes: true,
                    ..Choice::default()
                },
                _ => continue,
            };
            let number = event.channel(capture, rule.row.channel).index();
            let choice = choice.get_or_insert(Choice {
                number,
                ..Choice::default()
            });
            if choice.number != number {
                return None;
            }
            choice.begins |= says.begins;
            choice.has_text |= says.has_text;
            choice.repeats |= says.repeats;
            choice.finishes |= says.finishes;
        }
    }
    Some(choice)
}

impl HeldPieces {
    fn add(&mut self, kind: Kind, piece: &StreamPiece<'_>) {
        let (bytes, start, data) = match piece {
            StreamPiece::Event(frame) if frame.has_several_lines() => {
                (frame.raw, frame.start, HeldData::SeveralLines)
            }
            StreamPiece::Event(frame) => {
                (frame.raw, frame.start, HeldData::Line(frame.first_line()))
            }
            StreamPiece::Other(text) => (text.bytes(), text.span().start(), HeldData::None),
            _ => return,
        };
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let frame = match piece {
            StreamPiece::Event(frame) => Some(frame),
            _ => None,
        };
        self.pieces.push(HeldPiece {
            kind,
            start,
            place: at..self.bytes.len(),
            data,
            name: frame.map_or(0..0, |frame| frame.name.clone()),
            is_named_error: frame.is_some_and(|frame| frame.is_named_error),
        });
    }

    /// Returns the pieces in order.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Kind, StreamPiece<'_>)> {
        self.pieces.iter().map(|piece| {
            let bytes = &self.bytes[piece.place.clone()];
            let mut frame = match &piece.data {
                HeldData::None => {
                    let other = TextChunk::new(bytes, piece.start);
                    return (piece.kind, StreamPiece::Other(other));
                }
                HeldData::Line(line) => Frame::of_line(bytes, piece.start, line.clone()),
                HeldData::SeveralLines => Frame::of_lines(bytes, piece.start),
            };
            frame.name = piece.name.clone();
            frame.is_named_error = piece.is_named_error;
            (piece.kind, StreamPiece::Event(frame))
        })
    }
}
