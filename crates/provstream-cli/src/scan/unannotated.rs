//! Finds sentences of free text without an annotation.

use std::collections::BTreeMap;

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
    is_in_code: bool,
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
                    let white = (text.len() - text.trim_start().len()) as u64;
                    let start = pending.start + start as u64 + white;
                    self.found.push(Sentence {
                        channel,
                        text: trimmed.to_owned(),
                        clean_span: Span::new(start, start + trimmed.len() as u64),
                    });
                }
            }
        }
        pending.skip(length);
    }
}

impl PendingText {
    fn skip(&mut self, length: usize) {
        let length = length.min(self.text.len());
        self.text.drain(..length);
        self.start += length as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_code_are_not_sentences() {
        let text = "# A title\n\nIt rained. It was cold.\n- One\n- Two\n```\nlet x;\n```\n1234\n";
        let mut unannotated = UnannotatedSentences::default();
        for byte in text.as_bytes().chunks(1) {
            unannotated.push(None, byte);
        }
        let found = unannotated.finish();
        let texts: Vec<_> = found.iter().map(|sentence| &*sentence.text).collect();
        assert_eq!(texts, ["It rained.", "It was cold.", "- One", "- Two"]);
        let spans = found.iter().map(|sentence| sentence.clean_span);
        let spans: Vec<_> = spans.map(|span| (span.start(), span.end())).collect();
        assert_eq!(spans, [(11, 21), (22, 34), (35, 40), (41, 46)]);
    }
}
