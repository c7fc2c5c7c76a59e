//! Resumable lexer of a candidate annotation. Source: wire profile, bracketed encoding.

use super::bytes::{OBSERVATION_ID, TS, plain_run};
use crate::engine::bytes::{BARE, ByteClasses, LABEL, NAME, QUOTED, leading};
use crate::provenance::reading::{Reading, ValueRange, unquote};
use crate::provenance::{MAX_PARAMETERS, Reason, Timestamp, Vocabulary};
use crate::steps;

/// Distance from the maximum length of an annotation, in bytes, within which the bytes that a
/// candidate still needs are counted.
pub(crate) const NEAR: usize = 16;

/// Beginning of the identifiers of substrate classes.
const SUBSTRATE: &[u8] = b"substrate.";

/// Result of feeding bytes to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CandidateStep {
    /// All bytes were read, and the candidate is incomplete.
    More,
    /// The candidate is complete: the last byte read is its `]`.
    Closed,
    /// Not an annotation, and the start condition (wire.md 1.2) was never met. No diagnostic.
    Dropped,
    /// The start condition was met, and the next byte cannot continue the candidate.
    Unterminated,
    /// The start condition was met, and the next byte would exceed the limit.
    TooLong,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CandidateState {
    /// White space after the opening bracket.
    #[default]
    Opened,
    /// The anchor's major part.
    Major,
    /// The first digit of the anchor's minor part.
    MinorStart,
    Minor,
    /// The first letter of a label.
    LabelStart,
    Label,
    /// White space after the identifier.
    Identified,
    /// White space after a semicolon.
    Separated,
    Name,
    /// Blanks after a name: "=" may follow.
    Named,
    /// Blanks after "=".
    Equals,
    Bare,
    Quoted,
    /// After a backslash in quotes.
    QuotedPair,
    /// White space after a parameter: a semicolon or the closing bracket must follow.
    AfterValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownParameter {
    ObservationId,
    Ts,
}

impl KnownParameter {
    const NAMES: [(&'static [u8], Self); 3] = [
        (b"ts", Self::Ts),
        (b"observation-id", Self::ObservationId),
        (b"observation_id", Self::ObservationId),
    ];

    fn named(name: &[u8]) -> Option<Self> {
        Self::NAMES
            .into_iter()
            .find_map(|(known, which)| (known == name).then_some(which))
    }

    /// Parses a known parameter in the common form up to its `=`.
    #[inline]
    fn assigned(bytes: &[u8]) -> Option<(usize, Self)> {
        if bytes.starts_with(TS) {
            Some((TS.len(), Self::Ts))
        } else if bytes.starts_with(OBSERVATION_ID) {
            Some((OBSERVATION_ID.len(), Self::ObservationId))
        } else {
            None
        }
    }

    fn shortest_completion(start: &[u8]) -> Option<usize> {
        Self::NAMES
            .iter()
            .filter(|(known, _)| known.starts_with(start))
            .map(|(known, _)| known.len() - start.len())
            .min()
    }
}

/// A candidate annotation in progress. Offsets are relative to its opening bracket.
///
/// Invariant: the first `read` bytes have been processed. No byte is read twice except the one
/// after the longest candidate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidate {
    read: u32,
    identifier_start: u32,
    /// Offset of the identifier after its anchor.
    name_start: u32,
    identifier_end: u32,
    /// Offset of the current parameter's name, then of its value.
    part_start: u32,
    parameters: u32,
    observation_id: Option<ValueRange>,
    ts: Option<ValueRange>,
    state: CandidateState,
    known: Option<KnownParameter>,
    started: bool,
    malformed: bool,
    /// The current white space has a line feed.
    line_feed: bool,
    /// The candidate has a line feed.
    line_feeds: bool,
}

impl Candidate {
    /// Creates a candidate of which the opening bracket has been read.
    pub(crate) fn new() -> Self {
        Self {
            read: 1,
            ..Self::default()
        }
    }

    /// Returns the number of bytes read so far; for a finished candidate, its length.
    pub(crate) const fn read(&self) -> usize {
        self.read as usize
    }

    /// Resolves a complete candidate; returns a `ts` that is not a date-time separately.
    pub(crate) fn reading(
        &self,
        candidate: &[u8],
        vocabulary: &Vocabulary,
    ) -> (Reading, Option<ValueRange>) {
        let mut reading = Reading {
            class: 0,
            reason: Some(Reason::Malformed),
            identifier: ValueRange {
                start: self.identifier_start,
                end: self.identifier_end,
                quoted: false,
            },
            observation_id: None,
            ts: None,
        };
        if self.malformed || self.parameters as usize > MAX_PARAMETERS {
            return (reading, None);
        }
        (reading.class, reading.reason) =
            vocabulary.resolve_index(reading.identifier.content(candidate));
        reading.observation_id = self.observation_id;
        let valid =
            |ts: &ValueRange| Timestamp::parse(&*unquote(ts.content(candidate), ts.quoted)).is_ok();
        reading.ts = self.ts.filter(valid);
        let invalid = self.ts.filter(|_| reading.ts.is_none());
        (reading, invalid)
    }

    /// Returns `true` if the start condition was met, so that the end of the candidate is reported.
    pub(crate) const fn has_started(&self) -> bool {
        self.started
    }

    pub(crate) const fn has_line_feed(&self) -> bool {
        self.line_feeds
    }

    /// Returns the class of the bytes that only continue an open label, name or value; 0 if there
    /// is none.
    #[inline]
    pub(crate) const fn byte_class(&self) -> ByteClasses {
        match self.state {
            CandidateState::Label => LABEL,
            CandidateState::Name if self.started => NAME,
            CandidateState::Bare => BARE,
            CandidateState::Quoted => QUOTED,
            _ => 0,
        }
    }

    /// Records that bytes of the [class](Self::byte_class) were appended, up to length `len`.
    #[inline]
    pub(crate) const fn advance_to(&mut self, len: usize) {
        self.read = len as u32;
    }

    /// Reads further bytes of `candidate`, which has all bytes from the opening bracket on; at most
    /// `max` in all.
    #[inline]
    pub(crate) fn feed(
        &mut self,
        candidate: &[u8],
        max: usize,
        vocabulary: &Vocabulary,
    ) -> CandidateStep {
        let before = self.read();
        let step = self.read_on(&candidate[..candidate.len().min(max)], vocabulary);
        steps::count(self.read() - before);
        if step == CandidateStep::More && candidate.len() + NEAR > max {
            self.near_limit(candidate, max, vocabulary)
        } else {
            step
        }
    }

    /// Checks a candidate that is incomplete near the limit `max`.
    #[inline(never)]
    fn near_limit(&self, candidate: &[u8], max: usize, vocabulary: &Vocabulary) -> CandidateStep {
        if candidate.len() > max {
            // Only a byte that could continue the candidate makes it too long.
            let next = self.clone().read_on(&candidate[..=max], vocabulary);
            return match next {
                CandidateStep::More | CandidateStep::Closed if self.started => {
                    CandidateStep::TooLong
                }
                CandidateStep::More | CandidateStep::Closed => CandidateStep::Dropped,
                other => other,
            };
        }
        if !self.started && self.least(candidate, vocabulary, ";ts=") > max {
            return CandidateStep::Dropped;
        }
        CandidateStep::More
    }

    /// Returns the least length at which the candidate can close.
    pub(crate) fn can_close_at(&self, candidate: &[u8], vocabulary: &Vocabulary) -> usize {
        if !self.started {
            return self.least(candidate, vocabulary, ";ts=]");
        }
        self.read()
            + match self.state {
                CandidateState::Quoted => "\"]".len(),
                CandidateState::QuotedPair => "\"\"]".len(),
                _ => "]".len(),
            }
    }

    /// Returns the length of the shortest candidate that begins with these bytes and meets the
    /// start condition, by `parameter` (such as `;ts=]`) or by its identifier alone.
    fn least(&self, candidate: &[u8], vocabulary: &Vocabulary, parameter: &str) -> usize {
        steps::count(candidate.len());
        let more = match self.state {
            CandidateState::Opened => 1 + parameter.len(),
            CandidateState::Major => ".0.a".len() + parameter.len(),
            CandidateState::MinorStart => "0.a".len() + parameter.len(),
            CandidateState::Minor => ".a".len() + parameter.len(),
            CandidateState::Separated => parameter.len() - 1,
            CandidateState::Name | CandidateState::Named => {
                let name = &candidate[self.part_start as usize..];
                let len = leading(name, NAME);
                let more = KnownParameter::shortest_completion(&name[..len]).unwrap_or(0);
                more + parameter.len() - ";ts".len()
            }
            _ => {
                let open = self.state != CandidateState::Identified;
                let end = if open {
                    candidate.len()
                } else {
                    self.identifier_end as usize
                };
                let name = &candidate[self.name_start as usize..end];
                let letter = usize::from(self.state == CandidateState::LabelStart);
                let mut least = letter + parameter.len();
                if name.starts_with(SUBSTRATE) {
                    least = least.min(letter + 1);
                } else if open && SUBSTRATE.starts_with(name) {
                    least = least.min(SUBSTRATE.len() - name.len() + 2);
                }
                completion(vocabulary, name)
                    .filter(|&more| open || more == 0)
                    .map_or(least, |more| least.min(more + 1))
            }
        };
        self.read() + more
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one state machine, whose state is kept in a register"
    )]
    fn read_on(&mut self, bytes: &[u8], vocabulary: &Vocabulary) -> CandidateStep {
        let mut at = self.read as usize;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                CandidateState::Opened => match byte {
                    b'A'..=b'Z' | b'a'..=b'z' => {
                        self.identifier_start = at as u32;
                        self.name_start = at as u32;
                        self.state = CandidateState::Label;
                    }
                    b'0'..=b'9' => {
                        self.identifier_start = at as u32;
                        self.state = CandidateState::Major;
                    }
                    _ if self.white(byte) => {}
                    _ => return self.reject(at),
                },
                CandidateState::Major => match byte {
                    b'0'..=b'9' => {}
                    b'.' => self.state = CandidateState::MinorStart,
                    _ => return self.reject(at),
                },
                CandidateState::MinorStart => match byte {
                    b'0'..=b'9' => self.state = CandidateState::Minor,
                    _ => return self.reject(at),
                },
                CandidateState::Minor => match byte {
                    b'0'..=b'9' => {}
                    b'.' => {
                        self.name_start = at as u32 + 1;
                        self.state = CandidateState::LabelStart;
                    }
                    _ => return self.reject(at),
                },
                CandidateState::LabelStart => match byte {
                    b'A'..=b'Z' | b'a'..=b'z' => self.state = CandidateState::Label,
                    _ => return self.reject(at),
                },
                CandidateState::Label => {
                    at += leading(&bytes[at..], LABEL);
                    let Some(&byte) = bytes.get(at) else { break };
                    if byte == b'.' {
                        self.state = CandidateState::LabelStart;
                    } else {
                        self.identifier_end = at as u32;
                        self.state = CandidateState::Identified;
                        self.line_feed = false;
                        continue;
                    }
                }
                CandidateState::Identified => match byte {
                    b';' | b']' => {
                        self.started = self.starts(bytes, vocabulary);
                        if byte == b']' {
                            if self.started {
                                return self.finish(at);
                            }
                            return self.reject(at);
                        }
                        self.separated();
                    }
                    _ if self.white(byte) => {}
                    _ => return self.reject(at),
                },
                CandidateState::Separated => match byte {
                    b'A'..=b'Z' | b'a'..=b'z' => {
                        self.part_start = at as u32;
                        self.parameters = self.parameters.saturating_add(1);
                        self.state = CandidateState::Name;
                        if let Some((len, known)) = KnownParameter::assigned(&bytes[at..]) {
                            at += len;
                            self.known = Some(known);
                            self.started = true;
                            self.state = CandidateState::Equals;
                        }
                        continue;
                    }
                    b';' if self.started => {
                        self.malformed = true;
                        self.separated();
                    }
                    b']' if self.started => return self.finish(at),
                    _ if self.white(byte) => {}
                    _ => return self.reject(at),
                },
                CandidateState::Name => {
                    at += leading(&bytes[at..], NAME);
                    let name = &bytes[self.part_start as usize..at];
                    if !self.started && KnownParameter::shortest_completion(name).is_none() {
                        return self.reject(at);
                    }
                    if at == bytes.len() {
                        break;
                    }
                    self.known = KnownParameter::named(name);
                    self.state = CandidateState::Named;
                    continue;
                }
                CandidateState::Named => match byte {
                    b' ' | b'\t' => {}
                    b'=' if self.started || self.known.is_some() => {
                        self.started = true;
                        self.state = CandidateState::Equals;
                    }
                    _ if !self.started => return self.reject(at),
                    _ => {
                        self.malformed = true;
                        self.end_parameter();
                        continue;
                    }
                },
                CandidateState::Equals => match byte {
                    b' ' | b'\t' => {}
                    b'"' => {
                        self.part_start = at as u32 + 1;
                        self.state = CandidateState::Quoted;
                    }
                    b';' | b']' | b'\r' | b'\n' => {
                        self.malformed = true;
                        self.end_parameter();
                        continue;
                    }
                    _ => {
                        self.part_start = at as u32;
                        self.state = CandidateState::Bare;
                        continue;
                    }
                },
                CandidateState::Bare => {
                    at += plain_run(&bytes[at..]);
                    at += leading(&bytes[at..], BARE);
                    let Some(&byte) = bytes.get(at) else { break };
                    match byte {
                        b';' | b']' | b'\r' | b'\n' => {
                            let value = &bytes[self.part_start as usize..at];
                            let blanks = value
                                .iter()
                                .rev()
                                .take_while(|&&byte| matches!(byte, b' ' | b'\t'))
                                .count();
                            self.value(at - blanks, false);
                            self.end_parameter();
                            continue;
                        }
                        _ => return self.reject(at),
                    }
                }
                CandidateState::Quoted => {
                    at += leading(&bytes[at..], QUOTED);
                    let Some(&byte) = bytes.get(at) else { break };
                    match byte {
                        b'\\' => self.state = CandidateState::QuotedPair,
                        b'"' => {
                            self.malformed |= at == self.part_start as usize;
                            self.value(at, true);
                            self.end_parameter();
                        }
                        _ => return self.reject(at),
                    }
                }
                CandidateState::QuotedPair => match byte {
                    b'"' | b'\\' => self.state = CandidateState::Quoted,
                    _ => return self.reject(at),
                },
                CandidateState::AfterValue => match byte {
                    b';' => self.separated(),
                    b']' => return self.finish(at),
                    _ if self.white(byte) => {}
                    _ => return self.reject(at),
                },
            }
            at += 1;
        }
        self.read = at as u32;
        CandidateStep::More
    }

    /// Accepts `byte` as white space, unless it is a second line feed.
    fn white(&mut self, byte: u8) -> bool {
        match byte {
            b' ' | b'\t' | b'\r' => true,
            b'\n' if !self.line_feed => {
                self.line_feed = true;
                self.line_feeds = true;
                true
            }
            _ => false,
        }
    }

    /// Returns `true` if a `;` or `]` after the identifier meets the start condition.
    fn starts(&self, candidate: &[u8], vocabulary: &Vocabulary) -> bool {
        let name = &candidate[self.name_start as usize..self.identifier_end as usize];
        name.starts_with(SUBSTRATE) || vocabulary.names(name)
    }

    fn separated(&mut self) {
        self.state = CandidateState::Separated;
        self.line_feed = false;
    }

    fn end_parameter(&mut self) {
        self.state = CandidateState::AfterValue;
        self.line_feed = false;
    }

    /// Records the value from `part_start` to `end` if its parameter is a known one.
    fn value(&mut self, end: usize, quoted: bool) {
        let slot = match self.known {
            None => return,
            Some(KnownParameter::ObservationId) => &mut self.observation_id,
            Some(KnownParameter::Ts) => &mut self.ts,
        };
        self.malformed |= slot.is_some();
        *slot = Some(ValueRange {
            start: self.part_start,
            end: end as u32,
            quoted,
        });
    }

    fn finish(&mut self, at: usize) -> CandidateStep {
        self.read = at as u32 + 1;
        CandidateStep::Closed
    }

    fn reject(&mut self, at: usize) -> CandidateStep {
        self.read = at as u32;
        if self.started {
            CandidateStep::Unterminated
        } else {
            CandidateStep::Dropped
        }
    }
}

/// Returns the least number of bytes that complete `start` to an identifier of the vocabulary, in
/// any letter case.
fn completion(vocabulary: &Vocabulary, start: &[u8]) -> Option<usize> {
    vocabulary
        .classes()
        .map(|(class, _)| class)
        .chain(vocabulary.terminals())
        .filter_map(|class| {
            let (head, more) = class.as_str().as_bytes().split_at_checked(start.len())?;
            head.eq_ignore_ascii_case(start).then_some(more.len())
        })
        .min()
}
