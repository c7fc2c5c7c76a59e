//! Forward pass that finds candidate annotations, code and fenced blocks.

use super::grammar::{self, End, Shape, Start};
use super::json::read::Outcome as ReadOutcome;
use super::json::{self, Value};
use super::lines::{self, Fence};
use super::stream::Stream;
use super::{Reading, RefLimits, RefMode, RefVocabulary};
use std::ops::Range;

/// Classification of an opening bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Annotation {
        /// Parts of the annotation.
        shape: Shape,
        /// Offset after the closing bracket.
        end: usize,
    },
    /// A candidate that met the start condition and was abandoned.
    Abandoned {
        /// Code of the diagnostic.
        code: &'static str,
        /// Offset after the last byte of the candidate.
        end: usize,
        /// Number of stream bytes needed to know.
        known: usize,
    },
    /// A bracket that meets no start condition.
    Ordinary {
        /// Number of stream bytes needed to know.
        known: usize,
    },
}

/// An opening bracket outside code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// Offset of the bracket.
    pub at: usize,
    pub outcome: Outcome,
}

/// Result of the forward pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// Fenced code blocks in order.
    pub fences: Vec<Fence>,
    /// Opening brackets outside code, in order.
    pub attempts: Vec<Attempt>,
    /// JSON values outside code, in order.
    pub values: Vec<Value>,
    /// JSON values in fenced code blocks.
    pub fenced_values: Vec<Value>,
    /// Code: spans, and fenced blocks from the first fence character on.
    pub code: Vec<Range<usize>>,
}

impl Scan {
    /// Lists the ranges of the values that count as blocks: values outside fenced code blocks in
    /// which an object was reported.
    pub(super) fn blocks(&self) -> Vec<Range<usize>> {
        let reported = self.values.iter().filter(|value| value.reported);
        reported.map(|value| value.start..value.end()).collect()
    }

    /// Iterates over all values, those in fenced code blocks last.
    pub(super) fn all_values(&self) -> impl Iterator<Item = &Value> + '_ {
        self.values.iter().chain(&self.fenced_values)
    }

    /// Iterates over the start and end of every annotation, in order.
    pub(super) fn annotation_spans(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.attempts.iter().filter_map(|attempt| {
            if let Outcome::Annotation { end, .. } = attempt.outcome {
                Some((attempt.at, end))
            } else {
                None
            }
        })
    }
}

/// Scans the stream from start to end.
pub(super) fn scan(
    stream: &Stream,
    reading: Reading,
    limits: &RefLimits,
    vocabulary: &RefVocabulary,
) -> Scan {
    let mut found = Scan::default();
    let mut json = JsonScan {
        stream,
        reading,
        limits,
        vocabulary,
        barred: 0,
    };
    let mut at = 0;
    while at < stream.bytes.len() {
        let byte = stream.bytes[at];
        if !stream.is_own(at) {
            at += 1;
        } else if let Some(opening) = opening_line(stream, at, || found.blocks()) {
            let fence = fence(stream, &opening);
            let mut inside = fence.content.start;
            while inside < fence.content.end {
                match json.value(fence.content.start, inside, fence.quoted) {
                    Some(value) => {
                        inside = value.end();
                        found.fenced_values.push(value);
                    }
                    None => inside += 1,
                }
            }
            found.code.push(at..fence.end);
            at = fence.end;
            found.fences.push(fence);
        } else if let Some(value) = json.value(0, at, false) {
            at = value.end();
            found.values.push(value);
        } else if byte == b'`' && !stream.is_escaped(at) {
            let end = code_span_end(stream, at);
            found.code.push(at..end);
            at = end;
        } else if byte == b'[' && !stream.is_escaped(at) {
            let outcome = bracket(stream, at, limits, vocabulary);
            let resume = match outcome {
                Outcome::Annotation { end, .. } | Outcome::Abandoned { end, .. } => end,
                // Nothing that is held before an attempt starts means anything to this pass.
                Outcome::Ordinary { .. } => at + 1,
            };
            found.attempts.push(Attempt { at, outcome });
            at = resume;
        } else {
            at += 1;
        }
    }
    found
}

/// Search for JSON values in free text.
struct JsonScan<'a> {
    stream: &'a Stream,
    reading: Reading,
    limits: &'a RefLimits,
    vocabulary: &'a RefVocabulary,
    /// Offset before which no value is read, because a value before exceeded the maximum depth.
    barred: usize,
}

impl JsonScan<'_> {
    /// Reads the value at `at` if the conditions for one are met. `from` is the start of the stream
    /// or of the content of the enclosing fenced block.
    fn value(&mut self, from: usize, at: usize, feed_offends: bool) -> Option<Value> {
        let stream = self.stream;
        let tried = self.reading.mode == RefMode::Auto
            && at >= self.barred
            && matches!(stream.bytes[at], b'{' | b'[')
            && stream.is_own(at)
            && json::prose::is_tried(stream, from, at, feed_offends);
        let hold = self.reading.hold_records;
        let read = || {
            json::value(
                stream,
                at,
                feed_offends,
                true,
                hold,
                self.limits,
                self.vocabulary,
            )
        };
        let value = tried.then(read)?;
        if let ReadOutcome::TooDeep { at } = value.outcome {
            self.barred = stream.line_end(at);
        }
        Some(value)
    }
}

/// Position that stands for the end of the stream: one more than the number of its bytes.
pub(super) fn end_of_stream(stream: &Stream) -> usize {
    stream.bytes.len() + 1
}

/// Classifies the opening bracket at `at`.
fn bracket(stream: &Stream, at: usize, limits: &RefLimits, vocabulary: &RefVocabulary) -> Outcome {
    let own = &stream.bytes[at..stream.own_end(at)];
    let max = limits.max_annotation;
    // One byte more than is allowed, to see whether an attempt could go on with it.
    let visible = &own[..own.len().min(max + 1)];
    let exceeds = visible.len() > max;
    let own_stop = if at + own.len() == stream.bytes.len() {
        end_of_stream(stream)
    } else {
        at + own.len()
    };

    match grammar::start(&visible[..visible.len().min(max)], vocabulary) {
        Start::At(_) => {}
        Start::Never(stuck) => {
            return Outcome::Ordinary {
                known: at + stuck + 1,
            };
        }
        Start::Open => {
            // At the limit this is an upper bound: how few bytes a start still needs is not counted. No other event
            // can be certain between the two, so the order is the same.
            return Outcome::Ordinary {
                known: if exceeds { at + max } else { own_stop },
            };
        }
    }
    let (shape, end) = grammar::attempt(visible);
    match end {
        End::Complete(length) if length <= max => Outcome::Annotation {
            shape,
            end: at + length,
        },
        End::Stuck(stuck) => Outcome::Abandoned {
            code: "unterminated",
            end: at + stuck,
            known: at + stuck + 1,
        },
        End::Complete(_) | End::Short if exceeds => Outcome::Abandoned {
            code: "limit-annotation",
            end: at + max,
            known: at + max + 1,
        },
        End::Complete(_) | End::Short => Outcome::Abandoned {
            code: "unterminated",
            end: at + own.len(),
            known: own_stop,
        },
    }
}

/// Counts the bytes equal to the one at `at` that follow each other from there, up to `end`.
fn run(stream: &Stream, at: usize, end: usize) -> usize {
    let same = |byte: &&u8| **byte == stream.bytes[at];
    stream.bytes[at..end].iter().take_while(same).count()
}

/// Offset after the code span that opens with the backticks at `at`: after the next run of as many
/// backticks, at the end of the line, or at untrusted text.
fn code_span_end(stream: &Stream, at: usize) -> usize {
    let own_end = stream.own_end(at);
    let line = &stream.bytes[..own_end];
    let feed = line[at..].iter().position(|&byte| byte == b'\n');
    let line_end = feed.map_or(own_end, |feed| at + feed);
    let length = run(stream, at, own_end);
    let mut next = at + length;
    while next < line_end {
        if stream.bytes[next] == b'`' {
            let closing = run(stream, next, line_end);
            next += closing;
            if closing == length {
                return next;
            }
        } else {
            next += 1;
        }
    }
    line_end
}

/// Opening line of a fenced code block.
struct Opening {
    /// Offset of the first fence character.
    at: usize,
    /// Number of fence characters.
    length: usize,
    /// A block quote marker precedes the fence characters.
    quoted: bool,
}

/// Reads the opening line whose fence characters start at `at`, if it is one. A byte in one of
/// `values` is not a block marker.
fn opening_line(
    stream: &Stream,
    at: usize,
    values: impl Fn() -> Vec<Range<usize>>,
) -> Option<Opening> {
    let byte = stream.bytes[at];
    if !matches!(byte, b'`' | b'~') {
        return None;
    }
    let line = stream.line_start(at);
    let prefix = lines::prefix(stream, line, stream.line_end(at), &values());
    let mark = stream.mark();
    let foreign_marker = (line..at).any(|before| {
        let white = before < mark || matches!(stream.bytes[before], b' ' | b'\t');
        !white && !stream.is_own(before)
    });
    let own_end = stream.own_end(at);
    let length = run(stream, at, own_end);
    if prefix.end != at || foreign_marker || length < 3 {
        return None;
    }
    if byte == b'`' {
        // Only a whole line of own text tells that no backtick follows; at foreign text it is a code span.
        let info = &stream.bytes[at + length..own_end];
        let feed = info.iter().position(|&byte| byte == b'\n');
        let info = match feed {
            Some(feed) => &info[..feed],
            None if own_end == stream.bytes.len() => info,
            None => return None,
        };
        if info.contains(&b'`') {
            return None;
        }
    }
    Some(Opening {
        at,
        length,
        quoted: !prefix.quotes.is_empty(),
    })
}

/// Finds the block that an opening line starts.
fn fence(stream: &Stream, opening: &Opening) -> Fence {
    let start = stream.line_end(opening.at);
    let mut line = start;
    while line < stream.bytes.len() {
        let next = stream.line_end(line);
        if opening.quoted && is_unquoted(stream, line) {
            return Fence {
                content: start..line,
                end: line,
                closed: false,
                quoted: true,
            };
        }
        if is_closing_line(stream, line..next, opening) {
            return Fence {
                content: start..line,
                end: next,
                closed: true,
                quoted: opening.quoted,
            };
        }
        line = next;
    }
    Fence {
        content: start..stream.bytes.len(),
        end: stream.bytes.len(),
        closed: false,
        quoted: opening.quoted,
    }
}

/// Returns `true` if a line has no block quote marker. The byte that shows it must be model text,
/// as untrusted text closes no block.
fn is_unquoted(stream: &Stream, line: usize) -> bool {
    let mut at = line;
    while matches!(stream.bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at < stream.bytes.len() && stream.bytes[at] != b'>' && stream.is_own(at)
}

/// Returns `true` if a line closes the block: it is all model text and has only the fence
/// character, as often as needed, between block quote markers and white space.
fn is_closing_line(stream: &Stream, line: Range<usize>, opening: &Opening) -> bool {
    let mark = stream.bytes[opening.at];
    let bytes = &stream.bytes[line.clone()];
    let before = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'>');
    let run = &bytes[bytes.iter().take_while(before).count()..];
    let length = run.iter().take_while(|&&byte| byte == mark).count();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    length >= opening.length
        && run[length..].iter().all(is_blank)
        && line.into_iter().all(|at| stream.is_own(at))
}
