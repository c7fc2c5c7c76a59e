//! Finds sentences of free text without an annotation.

use std::collections::{BTreeMap, VecDeque};

use provstream::Span;
use provstream::provenance::{Assertion, Encoding};
use provstream::sentence::sentences;
use provstream_providers::Channel;

/// Most bytes of text that wait for an assertion, which is at most 1 MiB long.
const MAX_PENDING: usize = 4 << 20;

/// Sentence without an annotation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) channel: Option<Channel>,
    pub(crate) text: String,
    /// Range in the stream.
    pub(crate) span: Span,
    /// Range in the text without annotations.
    pub(crate) clean_span: Span,
}

/// Finds the sentences of a stream that are in no annotated assertion. Headings and fenced code are not sentences, and neither
/// is text around JSON values.
#[derive(Debug, Default)]
pub(crate) struct UnannotatedSentences {
    channels: BTreeMap<Option<Channel>, PendingText>,
    found: Vec<Sentence>,
    has_json: bool,
}

/// Text of a channel without annotations, from the end of the last annotated assertion.
#[derive(Debug, Default)]
struct PendingText {
    /// Clean offset of the first byte.
    start: u64,
    text: Vec<u8>,
    /// Annotations that are not in the text, in their order.
    removals: VecDeque<PendingRemoval>,
    is_in_code: bool,
}

/// Annotation that is not in the clean text.
#[derive(Debug)]
struct PendingRemoval {
    /// Clean offset of the next byte of text.
    clean: u64,
    /// Bytes of the stream before it that are not in the clean text.
    removed: u64,
}

impl UnannotatedSentences {
    /// Appends clean text.
    pub(crate) fn push(&mut self, channel: Option<Channel>, bytes: &[u8]) {
        let pending = self.channels.entry(channel).or_default();
        pending.text.extend_from_slice(bytes);
        if pending.text.len() > MAX_PENDING {
            self.find(channel, MAX_PENDING / 2);
        }
    }

    /// Notes an annotation that is left out of the clean text before its next byte.
    pub(crate) fn annotation(&mut self, channel: Option<Channel>, span: Span) {
        let pending = self.channels.entry(channel).or_default();
        let clean = pending.start + pending.text.len() as u64;
        let removed = span.end().saturating_sub(clean);
        // Of several in one place, the last has all that is removed.
        match pending.removals.back_mut() {
            Some(last) if last.clean == clean => last.removed = removed,
            _ => pending
                .removals
                .push_back(PendingRemoval { clean, removed }),
        }
    }

    /// Finds the sentences before an assertion.
    pub(crate) fn assertion(&mut self, channel: Option<Channel>, assertion: &Assertion<'_>) {
        self.has_json |= assertion.encoding() == Encoding::Json;
        if let (Some(span), true) = (assertion.clean_span(), assertion.is_annotated()) {
            let start = self.channels.entry(channel).or_default().start;
            let offset = |clean: u64| clean.saturating_sub(start) as usize;
            self.find(channel, offset(span.start()));
            let pending = self.channels.entry(channel).or_default();
            pending.skip((span.end().saturating_sub(pending.start)) as usize);
        }
    }

    /// Returns the sentences that are certain.
    pub(crate) fn take(&mut self) -> Vec<Sentence> {
        std::mem::take(&mut self.found)
    }

    /// Ends the stream, and returns the other sentences.
    pub(crate) fn finish(&mut self) -> Vec<Sentence> {
        let channels: Vec<_> = self.channels.keys().copied().collect();
        for channel in channels {
            self.find(channel, usize::MAX);
        }
        std::mem::take(self).found
    }

    /// Finds the sentences in the first bytes of a channel, and drops these.
    fn find(&mut self, channel: Option<Channel>, length: usize) {
        let pending = self.channels.entry(channel).or_default();
        let (mut block, mut end) = (0, 0);
        let length = length.min(pending.text.len());
        let mut spans = Vec::new();
        for line in pending.text[..length].split_inclusive(|byte| *byte == b'\n') {
            let trimmed = line.trim_ascii();
            let is_fence = trimmed.starts_with(b"```") || trimmed.starts_with(b"~~~");
            if is_fence || trimmed.first().is_none_or(|first| b"#-*|".contains(first)) {
                spans.push(block..end);
                block = end;
            }
            end += line.len();
            pending.is_in_code ^= is_fence;
            if pending.is_in_code || is_fence || trimmed.starts_with(b"#") {
                block = end;
            }
        }
        spans.push(block..end);
        for block in spans {
            for span in sentences(&pending.text[block.clone()]) {
                let (start, end) = (block.start + span.start, block.start + span.end);
                let text = String::from_utf8_lossy(&pending.text[start..end]);
                let trimmed = text.trim();
                if trimmed.contains(char::is_alphabetic) && !self.has_json {
                    // Other text may be longer than its bytes, if these are not UTF-8.
                    let start = start + text.len() - text.trim_start().len();
                    let end = end + text.trim_end().len() - text.len();
                    let clean = |at: usize| pending.start + at as u64;
                    let last = pending.offset(clean(end - 1));
                    self.found.push(Sentence {
                        channel,
                        text: trimmed.to_owned(),
                        span: Span::new(pending.offset(clean(start)), last + 1),
                        clean_span: Span::new(clean(start), clean(end)),
                    });
                }
            }
        }
        pending.skip(length);
    }
}

impl PendingText {
    /// Returns the offset in the stream of the byte at a clean offset.
    fn offset(&self, clean: u64) -> u64 {
        let is_before = |removal: &PendingRemoval| removal.clean <= clean;
        let before = self.removals.partition_point(is_before).checked_sub(1);
        let last = before.and_then(|index| self.removals.get(index));
        clean + last.map_or(0, |removal| removal.removed)
    }

    fn skip(&mut self, length: usize) {
        let length = length.min(self.text.len());
        self.text.drain(..length);
        self.start += length as u64;
        // Removals that no later text needs.
        let is_unneeded = |next: &PendingRemoval| next.clean <= self.start;
        while self.removals.get(1).is_some_and(is_unneeded) {
            self.removals.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_code_are_not_sentences() {
        let text = "# A title\n\nIt rained. It was cold.\n- One\n- Two\n```\nlet x;\n```\n1234\n";
        let mut unannotated = UnannotatedSentences::default();
        for (byte, at) in text.as_bytes().chunks(1).zip(0..) {
            if at == 21 {
                unannotated.annotation(None, Span::new(22, 25));
                unannotated.annotation(None, Span::new(25, 28));
            }
            unannotated.push(None, byte);
        }
        let found = unannotated.finish();
        let texts: Vec<_> = found.iter().map(|sentence| &*sentence.text).collect();
        assert_eq!(texts, ["It rained.", "It was cold.", "- One", "- Two"]);
        let spans = found.iter().map(|sentence| sentence.clean_span);
        let spans: Vec<_> = spans.map(|span| (span.start(), span.end())).collect();
        assert_eq!(spans, [(11, 21), (22, 34), (35, 40), (41, 46)]);
        let spans = found.iter().map(|sentence| sentence.span);
        let spans: Vec<_> = spans.map(|span| (span.start(), span.end())).collect();
        assert_eq!(spans, [(11, 21), (29, 41), (42, 47), (48, 53)]);
    }

    #[test]
    fn bytes_that_are_not_utf8_count_as_they_are() {
        let mut unannotated = UnannotatedSentences::default();
        unannotated.push(None, b"It \xff rained. It was.");
        let found = unannotated.finish();
        let spans = found.iter().map(|sentence| sentence.clean_span);
        let spans: Vec<_> = spans.map(|span| (span.start(), span.end())).collect();
        assert_eq!(spans, [(0, 12), (13, 20)]);
    }
}
