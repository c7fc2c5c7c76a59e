//! Naive gate that computes its output from a whole stream at once.

use std::borrow::Cow;
use std::cmp::Reverse;

use provstream::sentence::last_sentence;
use provstream::{Action, AtLimit, GateEnd, Policy, Question, Unannotated};

use crate::reference::dialects::{self, With};
use crate::reference::engine::Cuts;
use crate::reference::{
    Encoding, Ev, Reading, RefLimits, RefMode, RefVocabulary, Segment, breaks, events_in, strip_in,
};

use super::pieces::Short;
use super::release_point::release_point;
use super::spacing::{Unjoined, joined};

/// A policy drawn from a seed, whose decision about an assertion depends on the offset of the
/// assertion.
#[derive(Clone, Copy, Debug)]
pub struct Drawn(pub u64);

impl Drawn {
    /// Decides about the assertion that begins at stream offset `start`.
    pub fn action(self, start: u64) -> Action {
        let mut random = Cuts(self.0 ^ (start + 1).wrapping_mul(0x2545_F491_4F6C_DD1D));
        match random.below(9) {
            0..3 => Action::Release,
            3 => Action::Mark("<".into(), "\">".into()),
            4 => Action::Replace("(\n)".into()),
            5..8 => Action::Discard,
            _ if random.below(4) > 0 => Action::Release,
            _ if random.below(2) == 0 => Action::Suspend,
            _ => Action::Refuse("no\t".into()),
        }
    }

    /// Decides about unannotated text.
    pub fn run(self) -> Unannotated {
        match Cuts(self.0 ^ 0x5EED).below(4) {
            0 => Unannotated::Release,
            1 => Unannotated::Mark("{".into(), "}".into()),
            2 => Unannotated::Replace("...".into()),
            _ => Unannotated::Discard,
        }
    }

    /// Decides about text in which the parser stops to look for assertions at a limit.
    pub fn unread(self) -> AtLimit {
        match Cuts(self.0 ^ 0xFA17).below(3) {
            0 => AtLimit::Release,
            1 => AtLimit::Refuse("".into()),
            _ => AtLimit::Refuse("cut\"".into()),
        }
    }
}

impl Policy for Drawn {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        self.action(question.assertion().span().start())
    }

    fn unannotated(&mut self) -> Unannotated {
        self.run()
    }

    fn limit(&mut self) -> AtLimit {
        self.unread()
    }
}

/// An assertion with the action of the policy.
struct Decided {
    /// Offset of the assertion in the stream.
    at: u64,
    start: usize,
    end: usize,
    action: Action,
    json: bool,
    is_citation: bool,
    /// Missing quotes before and after the JSON value, which a replacement by a string must add.
    lacks_quotes: (bool, bool),
}

/// Computes the output of a gate for an input, and how the gate ends the stream (`None` if it does
/// not).
pub fn gate(short: &Short, limits: &RefLimits, policy: Drawn) -> (Vec<u8>, Option<GateEnd>) {
    let (written, ended) = gate_from(short, limits, policy, 0);
    (joined([&written]).concat(), ended)
}

/// Computes the output of a gate for an input that begins at offset `start` of its stream. Its white space is not joined yet.
pub fn gate_from(
    short: &Short,
    limits: &RefLimits,
    policy: Drawn,
    start: u64,
) -> (Unjoined, Option<GateEnd>) {
    let vocabulary = RefVocabulary::default();
    let events = events_in(
        short.reading,
        &short.input,
        limits,
        &vocabulary,
        &last_sentence,
    );
    let text = strip_in(short.reading, &short.input, limits, &vocabulary);
    let fault = match policy.unread() {
        AtLimit::Refuse(text) => fault(short, &events, limits).map(|end| (end, text)),
        _ => None,
    };
    let before = fault.as_ref().map_or(u64::MAX, |(end, _)| end.stream);
    let raw: Vec<u8> = short
        .input
        .iter()
        .flat_map(|part| part.bytes.clone())
        .collect();
    let action = |at: u64| policy.action(start + at);
    let mut decided = decide(&events, &raw, action, before);
    // Of those in one record that end the stream, the one whose text comes first does.
    decided.sort_by_key(|found| (found.start, found.at));
    let mut out = Out {
        text: &text,
        at: 0,
        written: Unjoined::default(),
        run: None,
        policy,
        json_alone: matches!(short.reading.mode, RefMode::Json | RefMode::Ndjson),
    };
    let breaks = breaks(short.reading, &short.input, limits, &vocabulary);
    let fault = fault.map(|(end, text)| (end.clean as usize, text));
    let end = out.write(decided, breaks, fault);
    (out.written, end)
}

/// Lists the bracketed assertions of an input that a gate withholds, if the input begins at offset `start` of its stream: their words,
/// and the text that replaces each.
pub fn withheld(
    short: &Short,
    limits: &RefLimits,
    policy: Drawn,
    start: u64,
) -> Vec<(String, String)> {
    let vocabulary = RefVocabulary::default();
    let events = events_in(
        short.reading,
        &short.input,
        limits,
        &vocabulary,
        &last_sentence,
    );
    let raw: Vec<u8> = short
        .input
        .iter()
        .flat_map(|part| part.bytes.clone())
        .collect();
    let decided = decide(&events, &raw, |at| policy.action(start + at), u64::MAX);
    let text = strip_in(short.reading, &short.input, limits, &vocabulary);
    let withheld = decided.into_iter().filter_map(|found| {
        let by = match found.action {
            Action::Discard => String::new(),
            Action::Replace(text) => text.into_owned(),
            _ => return None,
        };
        let words = text[found.start..found.end].to_vec();
        let words = String::from_utf8(words).expect("UTF-8");
        (!found.json && !words.is_empty()).then_some((words, by))
    });
    withheld.collect()
}

/// Computes the output of a gate for free text with dialects, and how the gate ends the stream. `None` where a marker is beside
/// the markers of a line, which the engine reads otherwise.
pub fn gate_with_dialects(
    input: &[Segment],
    limits: &RefLimits,
    with: With<'_>,
    policy: Drawn,
) -> Option<(Vec<u8>, Option<GateEnd>)> {
    let reading = Reading::TEXT;
    let vocabulary = RefVocabulary::default();
    let events = events_in(reading, input, limits, &vocabulary, &last_sentence);
    let read = dialects::read(reading, input, limits, with, &crate::sentence::starts);
    if read.at_block_markers {
        return None;
    }
    let mut cuts: Vec<(u64, u64)> = read
        .markers
        .iter()
        .map(|marker| (marker.span.0 - marker.whitespace_before, marker.span.1))
        .collect();
    cuts.extend(annotation_cuts(&events));
    let clean = |at: u64| {
        let removed = cuts.iter().filter(|cut| cut.0 < at);
        at - removed.map(|cut| cut.1.min(at) - cut.0).sum::<u64>()
    };
    let mut decided = Vec::new();
    for event in &events {
        let Ev::Assertion {
            span, clean_span, ..
        } = event
        else {
            continue;
        };
        // One without text is where the white space before its annotation begins.
        let is_empty = span.0 == span.1;
        let start = cuts
            .iter()
            .find(|cut| is_empty && clean_span.is_some() && cut.0 <= span.0 && span.0 < cut.1)
            .map_or(span.0, |cut| cut.0);
        decided.push((span.0, (clean(start), clean(span.1.max(start))), false));
    }
    let is_orphan = |span| read.diagnostics.contains(&("orphan", span));
    let citations = read.citations.iter();
    let citations = citations.filter(|one| !one.text.is_empty() || is_orphan(one.span));
    decided.extend(citations.map(|one| (one.span.0, one.clean_span, true)));
    let mut decided: Vec<_> = decided
        .into_iter()
        .map(|(at, (start, end), is_citation)| Decided {
            at,
            start: start as usize,
            end: end as usize,
            action: policy.action(at),
            json: false,
            is_citation,
            lacks_quotes: (false, false),
        })
        .collect();
    // Of two that begin together, the longer one is the outer one; of equally long ones, the citation is the inner one.
    decided.sort_by_key(|found| {
        let len = found.end - found.start;
        (
            found.start,
            len > 0,
            Reverse(len),
            found.is_citation,
            found.at,
        )
    });
    let mut out = Out {
        text: &read.clean,
        at: 0,
        written: Unjoined::default(),
        run: None,
        policy,
        json_alone: false,
    };
    let mut at = 0;
    let mut breaks = Vec::new();
    for segment in input {
        if segment.after_break {
            breaks.push(clean(at) as usize);
        }
        at += segment.bytes.len() as u64;
    }
    let end = out.write(decided, breaks, None);
    Some((joined([&out.written]).concat(), end))
}

/// Lists what stripping removes because of annotations.
fn annotation_cuts(events: &[Ev]) -> impl Iterator<Item = (u64, u64)> {
    events.iter().filter_map(|event| match event {
        Ev::Annotation {
            span,
            whitespace_before,
            ..
        } => Some((span.0 - whitespace_before, span.1)),
        _ => None,
    })
}

/// End of a stream, as an offset in the stream and an offset in the text without records.
struct End {
    stream: u64,
    clean: u64,
}

/// Finds the end of a stream of JSON values alone at its first syntax error: before the first
/// assertion that could still be completed there, and before the value if that could still be a
/// record.
fn fault(short: &Short, events: &[Ev], limits: &RefLimits) -> Option<End> {
    if !matches!(short.reading.mode, RefMode::Json | RefMode::Ndjson) {
        return None;
    }
    let at = |event: &Ev| match event {
        Ev::Diagnostic { code, span } => match *code {
            "json-syntax" | "limit-depth" => Some(span.0),
            "unterminated" => Some(span.1),
            _ => None,
        },
        _ => None,
    };
    let first = events.iter().filter_map(at).min()?;
    let mut left = first as usize;
    let mut prefix = Vec::new();
    for segment in &short.input {
        let len = left.min(segment.bytes.len());
        left -= len;
        if len > 0 {
            let bytes = segment.bytes[..len].to_vec();
            prefix.push(Segment { bytes, ..*segment });
        }
    }
    let mut from = release_point(short.reading, &prefix, limits);
    let bytes: Vec<u8> = prefix.iter().flat_map(|one| one.bytes.clone()).collect();
    let vocabulary = RefVocabulary::default();
    for event in events_in(short.reading, &prefix, limits, &vocabulary, &last_sentence) {
        // The value that is open there.
        if let Ev::Diagnostic { code, span } = event
            && code == "unterminated"
            && span.1 == first
            && short.reading.hold_records
            && span.1 - span.0 <= limits.max_record as u64
            && bytes[span.0 as usize] == b'{'
        {
            from = from.min(span.0);
        }
    }
    let before = events.iter().filter_map(|event| match event {
        Ev::Record { span } if span.1 <= from => Some(span.1 - span.0),
        _ => None,
    });
    Some(End {
        stream: from,
        clean: from - before.sum::<u64>(),
    })
}

/// Selects the assertions that the gate must decide about: those whose text remains in the stripped
/// stream, and those whose action ends it. Assertions from stream offset `before` on are left out.
fn decide(events: &[Ev], raw: &[u8], action: impl Fn(u64) -> Action, before: u64) -> Vec<Decided> {
    let records: Vec<(u64, u64)> = events
        .iter()
        .filter_map(|event| match event {
            Ev::Record { span } => Some(*span),
            _ => None,
        })
        .collect();
    let mut cuts = records.clone();
    cuts.extend(annotation_cuts(events));
    let removed = |at: u64| -> u64 {
        let before = cuts.iter().filter(|cut| cut.1 <= at);
        before.map(|cut| cut.1 - cut.0).sum()
    };
    let mut found = Vec::new();
    let mut stop = u64::MAX;
    for event in events {
        let Ev::Assertion {
            span: own,
            extent,
            clean_span,
            encoding,
            ..
        } = event
        else {
            continue;
        };
        let span = &extent.span;
        let shift = removed(span.0);
        let clean = clean_span.unwrap_or((span.0 - shift, span.1 - shift));
        if clean.0 >= stop || span.0 >= before {
            continue;
        }
        let action = action(own.0);
        if action.ends() {
            stop = clean.0;
        }
        let json = *encoding == Encoding::Json;
        let inside = |record: &&(u64, u64)| json && record.0 <= span.0 && span.1 <= record.1;
        let record = records.iter().find(inside);
        let (start, end) = match record {
            Some(_) if !action.ends() => continue,
            Some(record) => (record.0 - removed(record.0), record.0 - removed(record.0)),
            None => clean,
        };
        found.push(Decided {
            at: span.0,
            start: start as usize,
            end: end as usize,
            action,
            json,
            is_citation: false,
            lacks_quotes: if json {
                // The content of a string does not begin with its quote, and no other value ends before a quote.
                (
                    raw[span.0 as usize - 1] != b'"',
                    raw[span.1 as usize] != b'"',
                )
            } else {
                (false, false)
            },
        });
    }
    found
}

/// Output of the gate, written from the stream without annotations.
struct Out<'a> {
    text: &'a [u8],
    at: usize,
    written: Unjoined,
    run: Option<Unannotated>,
    policy: Drawn,
    json_alone: bool,
}

impl Out<'_> {
    /// Writes the whole output, up to the decision that ends it, or up to a `fault` with its text.
    fn write(
        &mut self,
        mut decided: Vec<Decided>,
        mut breaks: Vec<usize>,
        fault: Option<(usize, Cow<'static, str>)>,
    ) -> Option<GateEnd> {
        breaks.reverse();
        while !decided.is_empty() {
            let found = decided.remove(0);
            self.pass_breaks(&mut breaks, found.start);
            self.pass(found.start, true);
            self.close();
            if let Some(end) = self.act(&found, &mut decided) {
                return Some(end);
            }
        }
        if let Some((end, cut)) = fault {
            self.pass_breaks(&mut breaks, end);
            self.pass(end, !cut.is_empty());
            self.written.text(cut.as_bytes());
            return Some(GateEnd::Refused);
        }
        self.pass_breaks(&mut breaks, self.text.len());
        self.pass(self.text.len(), false);
        self.close();
        None
    }

    /// Writes the text up to the last break at or before `upto` and ends an unannotated run at each
    /// break. `breaks` is in descending order.
    fn pass_breaks(&mut self, breaks: &mut Vec<usize>, upto: usize) {
        while let Some(at) = breaks.pop_if(|at| *at <= upto) {
            self.pass(at, false);
            self.close();
        }
    }

    /// Writes the unannotated text up to `upto`, where other text `follows` or not.
    fn pass(&mut self, upto: usize, follows: bool) {
        let mut text = &self.text[self.at.min(upto)..upto];
        self.at = self.at.max(upto);
        if self.run.is_none() && !self.json_alone {
            let lead = lead(text);
            self.written.text(&text[..lead]);
            text = &text[lead..];
            if text.is_empty() {
                return;
            }
            let run = self.policy.run();
            match &run {
                Unannotated::Mark(text, _) | Unannotated::Replace(text) => {
                    self.written.text(text.as_bytes());
                }
                _ => {}
            }
            self.run = Some(run);
        }
        match self.run {
            None | Some(Unannotated::Release | Unannotated::Mark(..)) => self.written.text(text),
            Some(Unannotated::Discard) => self.written.discarded_run(text, follows),
            Some(_) => {}
        }
    }

    fn close(&mut self) {
        self.written.seam();
        if let Some(Unannotated::Mark(_, after)) = self.run.take() {
            self.written.text(after.as_bytes());
        }
    }

    /// Writes an assertion and the assertions nested in it, which it takes from the start of
    /// `rest`.
    fn act(&mut self, found: &Decided, rest: &mut Vec<Decided>) -> Option<GateEnd> {
        if found.start < self.at && found.end <= self.at && !found.action.ends() {
            return None;
        }
        let escaped = |text: &str| match found.json {
            true => {
                let quoted = serde_json::to_string(text).expect("a string");
                quoted[1..quoted.len() - 1].to_owned()
            }
            false => text.to_owned(),
        };
        let (before, after) = match &found.action {
            Action::Release => (String::new(), String::new()),
            Action::Mark(before, after) => {
                let (opens, closes) = found.lacks_quotes;
                let unless = |lacking: bool, text: &str| match lacking {
                    true => String::new(),
                    false => escaped(text),
                };
                (unless(opens, before), unless(closes, after))
            }
            Action::Replace(_) | Action::Discard => {
                let (opens, closes) = found.lacks_quotes;
                self.written.text(if opens { b"\"" } else { b"" });
                match &found.action {
                    Action::Replace(text) => self.written.text(escaped(text).as_bytes()),
                    _ if !found.json && self.at < found.end => self.written.gap(),
                    _ => {}
                }
                self.written.text(if closes { b"\"" } else { b"" });
                self.at = self.at.max(found.end);
                // What is in it is gone, unless the stream ends there.
                rest.retain(|inner| {
                    let is_inside = inner.start < found.end && inner.end <= found.end;
                    !is_inside || inner.action.ends()
                });
                return None;
            }
            Action::Suspend => return Some(GateEnd::Suspended),
            Action::Refuse(text) => {
                self.written.text(escaped(text).as_bytes());
                return Some(GateEnd::Refused);
            }
            other => panic!("an action that there is not: {other:?}"),
        };
        self.written.text(before.as_bytes());
        while rest.first().is_some_and(|inner| inner.start < found.end) {
            let inner = rest.remove(0);
            self.text(inner.start);
            if let Some(end) = self.act(&inner, rest) {
                return Some(end);
            }
        }
        self.text(found.end);
        self.written.text(after.as_bytes());
        None
    }

    /// Writes the assertion text up to `upto`.
    fn text(&mut self, upto: usize) {
        self.written.text(&self.text[self.at.min(upto)..upto]);
        self.at = self.at.max(upto);
    }
}

/// Measures the white space and closing punctuation at the start of a text, in bytes.
fn lead(text: &[u8]) -> usize {
    let mut len = 0;
    for chunk in text.utf8_chunks() {
        for char in chunk.valid().chars() {
            if !char.is_whitespace() && !crate::reference::is_closing(char) {
                return len;
            }
            len += char.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            return len;
        }
    }
    len
}
