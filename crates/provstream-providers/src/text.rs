//! The text of one channel on its way through a rewriter.

use super::Channel;
use super::formats::Shape;
use super::frame::Frame;
use super::halves;
use super::insert::Pattern;
use super::json;
use super::sink::{Place, StreamSink};
use provstream::{BracketAnnotation, Event, Handler, JsonRecord, Replacement, Rewriter, TextChunk};

/// The text of one channel.
#[derive(Clone, Debug)]
pub(super) struct Text {
    rewriter: Rewriter,
    /// The high surrogate that the last delta ended with.
    high: Option<u16>,
    /// It was written as it stands.
    high_is_out: bool,
    /// The channel ended behind a half that was written as it stands: a low half that comes next is none of it.
    after_lone_half: bool,
    /// What text of its own looks like.
    pattern: Option<Pattern>,
    pub(super) shape: Shape,
}

impl Text {
    /// Text that begins, read by a rewriter that is at the start of a stream.
    pub(super) const fn new(rewriter: Rewriter) -> Self {
        Self {
            rewriter,
            high: None,
            high_is_out: false,
            after_lone_half: false,
            pattern: None,
            shape: Shape::Delta,
        }
    }

    /// Rewrites a delta; none if nothing changes.
    pub(super) fn push(
        &mut self,
        channel: Channel,
        content: &str,
        is_last: bool,
        sink: &mut impl StreamSink,
    ) -> Option<Vec<u8>> {
        let before = self.high;
        let mut piece = halves::decode(content, before);
        let ends_in_half = is_last && piece.high.take().is_some();
        if ends_in_half {
            piece.text.to_mut().push(char::REPLACEMENT_CHARACTER);
        }
        let mut writer = Writer::new(channel, false, sink);
        self.rewriter.push(piece.text.as_bytes(), &mut writer);
        self.high = piece.high;
        if is_last {
            self.rewriter.finish(&mut writer);
        }
        let out = writer.into_text();
        let was_out = core::mem::take(&mut self.high_is_out);
        let is_apart = !content.is_empty() && core::mem::take(&mut self.after_lone_half);
        let is_same = !(is_apart && halves::begins_low(content))
            && out == piece.text
            && (before.is_none() || was_out || content.is_empty());
        if is_same {
            // A half goes out as it stands if its other half goes out as soon as it comes.
            let is_held = self.is_holding();
            if self.high.is_none() || !is_held {
                self.high_is_out = self.high.is_some() && (was_out || !content.is_empty());
                self.after_lone_half |= ends_in_half;
                return None;
            }
        }
        let mut edit = Vec::new();
        let mut rest = out.as_str();
        if was_out && before.is_some() {
            // The first character of the text is out, or its first half.
            rest = rest.strip_prefix(|_: char| true).unwrap_or(rest);
            if let Some(low) = piece.low {
                edit.extend_from_slice(format!("\\u{low:04x}").as_bytes());
            }
        }
        json::push_content(&mut edit, rest);
        Some(edit)
    }

    /// What was held at the channel's end.
    pub(super) fn finish(&mut self, channel: Channel, sink: &mut impl StreamSink) -> String {
        let high = self.high.take();
        let was_out = core::mem::take(&mut self.high_is_out);
        let mut writer = Writer::new(channel, false, sink);
        if high.is_some() {
            self.rewriter.push("\u{FFFD}".as_bytes(), &mut writer);
        }
        self.rewriter.finish(&mut writer);
        let mut out = writer.into_text();
        if was_out {
            self.after_lone_half = true;
            out = out.strip_prefix('\u{FFFD}').unwrap_or(&out).to_owned();
        }
        out
    }

    fn is_holding(&self) -> bool {
        let parser = self.rewriter.parser();
        parser.buffered_len() > 0 || parser.strippable_whitespace() > 0
    }

    /// Keeps the event, whose one text is `content`, as a pattern if something is held behind it and it can be one.
    pub(super) fn note_pattern(&mut self, frame: &Frame<'_>, content: &str) {
        if (self.is_holding() || self.high.is_some())
            && let Some(pattern) = Pattern::of(frame, content)
        {
            self.pattern = Some(pattern);
        }
    }

    /// The pattern of the text that ends here. What follows has to bring its own, so that none is written more often than
    /// it was read.
    pub(super) const fn take_pattern(&mut self) -> Option<Pattern> {
        self.pattern.take()
    }
}

/// A place that repeats text, rewritten by a rewriter at the start of a stream; none if nothing changes.
pub(super) fn repeat(
    mut rewriter: Rewriter,
    channel: Channel,
    content: &str,
    sink: &mut impl StreamSink,
) -> Option<Vec<u8>> {
    let text = json::decode(content);
    let mut writer = Writer::new(channel, true, sink);
    rewriter.push(text.as_bytes(), &mut writer);
    rewriter.finish(&mut writer);
    let out = writer.into_text();
    (out != text).then(|| content_of(&out))
}

/// A text as the content of a JSON string.
fn content_of(text: &str) -> Vec<u8> {
    let mut content = Vec::new();
    json::push_content(&mut content, text);
    content
}

/// Collects what a channel's rewriter writes, and asks the stream's sink about the rest.
struct Writer<'s, S> {
    out: Vec<u8>,
    place: Place,
    sink: &'s mut S,
}

impl<'s, S: StreamSink> Writer<'s, S> {
    const fn new(channel: Channel, is_repeated: bool, sink: &'s mut S) -> Self {
        Self {
            out: Vec::new(),
            place: Place {
                channel,
                is_repeated,
            },
            sink,
        }
    }

    /// What was written, with U+FFFD where a replacement is not UTF-8.
    fn into_text(self) -> String {
        String::from_utf8(self.out)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl<S: StreamSink> Handler for Writer<'_, S> {
    fn text(&mut self, text: TextChunk<'_>) {
        let bytes = text.bytes();
        self.out.extend_from_slice(bytes);
        if !self.place.is_repeated {
            self.sink.text(self.place.channel, bytes);
        }
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.sink.annotation(self.place, annotation)
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.sink.record(self.place, record)
    }

    fn event(&mut self, event: Event<'_>) {
        if !self.place.is_repeated {
            self.sink.event(self.place.channel, event);
        }
    }
}
