//! The forward pass: which brackets are attempts, which bytes are code, and where fenced blocks stand.

use super::grammar::{self, End, Shape, Start};
use super::json::read::Outcome as ReadOutcome;
use super::json::{self, Value};
use super::lines::{self, Fence};
use super::stream::Stream;
use super::{Reading, RefLimits, RefMode, RefVocabulary};
use std::ops::Range;

/// What became of an opening bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// An annotation that ends at `end`.
    Annotation {
        /// What it holds.
        shape: Shape,
        /// One past its closing bracket.
        end: usize,
    },
    /// An attempt that started and was given up.
    Abandoned {
        /// The diagnostic that says so.
        code: &'static str,
        /// One past its last byte.
        end: usize,
        /// How many bytes it takes to know.
        known: usize,
    },
    /// A bracket that starts nothing.
    Ordinary {
        /// How many bytes it takes to know.
        known: usize,
    },
}

/// An opening bracket that stands where it could start an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// Where it stands.
    pub at: usize,
    /// What became of it.
    pub outcome: Outcome,
}

/// What the forward pass found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// The fenced blocks, in order.
    pub fences: Vec<Fence>,
    /// The brackets outside code, in order.
    pub attempts: Vec<Attempt>,
    /// The JSON values outside code, in order.
    pub values: Vec<Value>,
    /// Those in fenced blocks.
    pub fenced_values: Vec<Value>,
}

impl Scan {
    /// The values that count as blocks of their own: outside of fenced blocks, with an object that was reported.
    pub(super) fn blocks(&self) -> Vec<Range<usize>> {
        let reported = self.values.iter().filter(|value| value.reported);
        reported.map(|value| value.start..value.end()).collect()
    }

    /// All values, those in fenced blocks last.
    pub(super) fn all_values(&self) -> impl Iterator<Item = &Value> + '_ {
        self.values.iter().chain(&self.fenced_values)
    }

    /// Start and end of every annotation, in order.
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

/// Goes through the stream from its start to its end.
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
            at = fence.end;
            found.fences.push(fence);
        } else if let Some(value) = json.value(0, at, false) {
            at = value.end();
            found.values.push(value);
        } else if byte == b'`' && !stream.is_escaped(at) {
            at = code_span_end(stream, at);
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

/// The search for JSON values.
struct JsonScan<'a> {
    /// The stream.
    stream: &'a Stream,
    /// How it is read.
    reading: Reading,
    /// The limits.
    limits: &'a RefLimits,
    /// The vocabulary.
    vocabulary: &'a RefVocabulary,
    /// Up to where no value is tried, because one nested too deep.
    barred: usize,
}

impl JsonScan<'_> {
    /// The value that is tried at `at`, if one is; `from` is where the stream or the fenced block starts.
    fn value(&mut self, from: usize, at: usize, feed_offends: bool) -> Option<Value> {
        let stream = self.stream;
        let tried = self.reading.mode == RefMode::Auto
            && at >= self.barred
            && matches!(stream.bytes[at], b'{' | b'[')
            && stream.is_own(at)
            && json::prose::is_tried(stream, from, at, feed_offends);
        let hold = self.reading.hold_records;
        let read = || json::value(stream, at, feed_offends, hold, self.limits, self.vocabulary);
        let value = tried.then(read)?;
        if let ReadOutcome::TooDeep { at } = value.outcome {
            self.barred = stream.line_end(at);
        }
        Some(value)
    }
}

/// The position that stands for the end of the stream, after that of its last byte.
pub(super) fn end_of_stream(stream: &Stream) -> usize {
    stream.bytes.len() + 1
}

/// Decides what the opening bracket at `at` is.
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

/// How many bytes equal to the one at `at` follow one another from there, up to `end`.
fn run(stream: &Stream, at: usize, end: usize) -> usize {
    let same = |byte: &&u8| **byte == stream.bytes[at];
    stream.bytes[at..end].iter().take_while(same).count()
}

/// Where the code span that opens with the run of backticks at `at` ends: behind the next run of the same length, at
/// the end of its line, or at foreign text.
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

/// The opening line of a fenced block.
struct Opening {
    /// Its first fence character.
    at: usize,
    /// How many there are.
    length: usize,
    /// Whether a block quote marker stands before them.
    quoted: bool,
}

/// The opening line of a fenced block whose run of fence characters starts at `at`, if there is one; no marker before
/// it holds a byte of `values`.
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

/// The block that a line opens.
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

/// Whether a line has no block quote marker; the byte that shows it must be own text, for foreign text closes nothing.
fn is_unquoted(stream: &Stream, line: usize) -> bool {
    let mut at = line;
    while matches!(stream.bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at < stream.bytes.len() && stream.bytes[at] != b'>' && stream.is_own(at)
}

/// Whether a line, its line feed included, is all own text and closes the block: nothing but a long enough run of the
/// same character between block quote markers and white space.
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
