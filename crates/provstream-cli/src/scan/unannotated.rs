//! Counts sentences of free text without an annotation.

use std::collections::BTreeMap;

use provstream::provenance::{Assertion, Encoding};
use provstream::sentence::sentences;
use provstream_providers::Channel;

use crate::messages::{CountAndExample, truncate};

/// Most bytes of text that wait for an assertion, which is at most 1 MiB long.
const MAX_PENDING: usize = 4 << 20;

/// Most characters of a sentence in a message.
const MAX_EXAMPLE: usize = 60;

/// Counts the sentences of a stream that are in no annotated assertion. Headings and fenced code are not sentences, and neither
/// is text around JSON values.
#[derive(Debug, Default)]
pub(crate) struct UnannotatedSentences {
    channels: BTreeMap<Option<Channel>, PendingText>,
    found: CountAndExample,
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
            pending.count(MAX_PENDING / 2, &mut self.found);
        }
    }

    /// Counts the sentences before an assertion.
    pub(crate) fn assertion(&mut self, channel: Option<Channel>, assertion: &Assertion<'_>) {
        self.has_json |= assertion.encoding() == Encoding::Json;
        if let (Some(span), true) = (assertion.clean_span(), assertion.is_annotated()) {
            let pending = self.channels.entry(channel).or_default();
            let offset = |clean: u64| clean.saturating_sub(pending.start) as usize;
            let (start, end) = (offset(span.start()), offset(span.end()));
            pending.count(start, &mut self.found);
            pending.skip(end.saturating_sub(start));
        }
    }

    /// Ends the stream and returns its count.
    pub(crate) fn finish(&mut self) -> CountAndExample {
        for mut pending in std::mem::take(&mut self.channels).into_values() {
            pending.count(usize::MAX, &mut self.found);
        }
        let found = std::mem::take(&mut self.found);
        match std::mem::take(&mut self.has_json) {
            true => CountAndExample::default(),
            false => found,
        }
    }
}

impl PendingText {
    fn skip(&mut self, length: usize) {
        let length = length.min(self.text.len());
        self.text.drain(..length);
        self.start += length as u64;
    }

    /// Counts the sentences in the first bytes, and drops these.
    fn count(&mut self, length: usize, found: &mut CountAndExample) {
        let length = length.min(self.text.len());
        let text = String::from_utf8_lossy(&self.text[..length]).into_owned();
        self.skip(length);
        let mut block = String::new();
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim();
            let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
            if is_fence || trimmed.is_empty() || trimmed.starts_with(['#', '-', '*', '|']) {
                count_in_block(&std::mem::take(&mut block), found);
            }
            self.is_in_code ^= is_fence;
            if !self.is_in_code && !is_fence && !trimmed.starts_with('#') {
                block.push_str(line);
            }
        }
        count_in_block(&block, found);
    }
}

fn count_in_block(block: &str, found: &mut CountAndExample) {
    for span in sentences(block.as_bytes()) {
        let sentence = block[span].trim();
        if sentence.contains(char::is_alphabetic) {
            found.add(|| format!("{:?}", truncate(sentence, MAX_EXAMPLE)));
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
        for byte in text.as_bytes().chunks(1) {
            unannotated.push(None, byte);
        }
        let found = unannotated.finish();
        assert_eq!(
            (found.count(), &*found.example()),
            (4, " (the first \"It rained.\")")
        );
    }
}
