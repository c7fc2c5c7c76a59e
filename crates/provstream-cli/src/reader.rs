//! Data flow from an input through a parser to a command.

use provstream::{
    BracketAnnotation, Event, Handler, JsonRecord, Parser, Replacement, Rewriter, TextChunk,
};
use provstream_providers::{
    ChannelPosition, Item, PassMembers, Pointer, Reasoning, StreamHandler, StreamRewriter,
};

use crate::input::{BUFFER, Input};
use crate::options::InputFormat;
use crate::response::{ResponseStatus, ResponseTracker};
use crate::scan::field_reader::FieldReader;
use crate::sink::{StreamNotice, StreamSink};

/// Reader of one stream.
#[derive(Debug)]
pub(crate) enum StreamReader {
    /// Text or JSON.
    Text(Rewriter),
    /// Response of a provider.
    Response(StreamRewriter, ResponseTracker),
    /// Fields of NDJSON.
    Fields(FieldReader),
}

/// Facts about a stream that was read to its end.
#[derive(Debug)]
pub(crate) struct StreamEnd {
    /// Length in bytes.
    pub(crate) bytes: u64,
    /// Status of a response.
    pub(crate) status: ResponseStatus,
}

impl StreamReader {
    /// A reader of an input. A parser like `parser` reads each text.
    pub(crate) fn new(input: InputFormat, parser: Parser, reasoning: Reasoning) -> Self {
        let rewriter = match input {
            InputFormat::Raw => return Self::Text(Rewriter::new(parser)),
            InputFormat::Auto => StreamRewriter::detect(parser),
            InputFormat::Response(format) => StreamRewriter::new(format, parser),
        };
        let tracker = ResponseTracker::new(input.format());
        Self::Response(rewriter.with_reasoning(reasoning), tracker)
    }

    /// The same, where these members of a response pass.
    pub(crate) fn with_pass_members(self, members: &[String]) -> Self {
        let members: PassMembers = members.iter().cloned().collect();
        match self {
            Self::Response(rewriter, tracker) => {
                Self::Response(rewriter.with_pass_members(members), tracker)
            }
            reader => reader,
        }
    }

    /// A reader of the strings at pointers of each line, from the line with this number.
    pub(crate) fn of_fields(pointers: &[Pointer], parser: Parser, line: u64) -> Self {
        Self::Fields(FieldReader::new(
            pointers.to_owned(),
            Rewriter::new(parser),
            line,
        ))
    }

    /// Reads the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8], sink: &mut impl StreamSink) {
        match self {
            Self::Text(rewriter) => {
                sink.on_input_bytes(chunk);
                rewriter.push(chunk, &mut *sink);
            }
            Self::Response(rewriter, tracker) => {
                tracker.push(chunk);
                rewriter.push(chunk, &mut ResponseAdapter { sink, tracker });
            }
            Self::Fields(reader) => reader.push(chunk, sink),
        }
    }

    /// Ends the stream.
    pub(crate) fn finish(self, sink: &mut impl StreamSink) -> StreamEnd {
        let (bytes, status) = match self {
            Self::Text(mut rewriter) => {
                rewriter.finish(&mut *sink);
                (rewriter.parser().position(), ResponseStatus::default())
            }
            Self::Response(mut rewriter, mut tracker) => {
                let tracker_of_end = &mut tracker;
                rewriter.finish(&mut ResponseAdapter {
                    sink,
                    tracker: tracker_of_end,
                });
                (rewriter.position(), tracker.finish(rewriter.report()))
            }
            Self::Fields(mut reader) => {
                reader.finish(sink);
                (reader.position(), ResponseStatus::default())
            }
        };
        StreamEnd { bytes, status }
    }
}

/// Reads an input to its end. The output is flushed before each read that may have to wait, and when reading fails, so that
/// what was certain is written.
pub(crate) fn pump(
    input: &mut Input,
    mut reader: StreamReader,
    chunk_size: Option<usize>,
    sink: &mut impl StreamSink,
) -> anyhow::Result<StreamEnd> {
    for_each_chunk(input, chunk_size, sink, |chunk, sink| {
        reader.push(chunk, sink);
        sink.output().check()
    })?;
    let end = reader.finish(sink);
    sink.output().check()?;
    Ok(end)
}

/// Calls `each` with the chunks of an input, with the flushing of [`pump`].
pub(crate) fn for_each_chunk<S: StreamSink>(
    input: &mut Input,
    chunk_size: Option<usize>,
    sink: &mut S,
    mut each: impl FnMut(&[u8], &mut S) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let chunk_size = chunk_size.unwrap_or(BUFFER);
    // A whole number of chunks, so that in a file only the last one is shorter.
    let mut buffer = vec![0; chunk_size * (BUFFER / chunk_size).max(1)];
    loop {
        if input.is_interactive() {
            sink.output().flush()?;
        }
        let count = match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) => {
                sink.output().flush()?;
                return Err(error);
            }
        };
        for chunk in buffer[..count].chunks(chunk_size) {
            each(chunk, sink)?;
        }
    }
}

/// Forwards the events of each channel to the command's sink.
struct ResponseAdapter<'s, S> {
    sink: &'s mut S,
    tracker: &'s mut ResponseTracker,
}

impl<S: StreamSink> ResponseAdapter<'_, S> {
    /// The sink, unless the response repeats text.
    fn sink(&mut self) -> Option<&mut S> {
        self.tracker.has_text = true;
        (!self.tracker.is_repeated).then_some(&mut *self.sink)
    }
}

impl<S: StreamSink> Handler for ResponseAdapter<'_, S> {
    fn text(&mut self, text: TextChunk<'_>) {
        if let Some(sink) = self.sink() {
            sink.text(text);
        }
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        let sink = self.sink();
        sink.map_or(Replacement::Remove, |sink| sink.annotation(annotation))
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        let sink = self.sink();
        sink.map_or(Replacement::Remove, |sink| sink.record(record))
    }

    fn event(&mut self, event: Event<'_>) {
        if let Some(sink) = self.sink() {
            sink.event(event);
        }
    }
}

impl<S: StreamSink> StreamHandler for ResponseAdapter<'_, S> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.sink.on_response_bytes(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.tracker.is_repeated = position.is_repeated;
        if !position.is_repeated {
            self.sink.on_channel(position.channel);
        }
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Notice(notice) => {
                self.tracker.add_notice(&notice);
                self.sink.on_notice(&StreamNotice::Diagnostic {
                    code: notice.code().as_str(),
                    span: notice.span(),
                    message: None,
                    is_unread: notice.code().is_unread(),
                });
            }
            Item::Error(message) => {
                self.tracker.add_error(&message);
                self.sink.on_notice(&StreamNotice::Error(&message));
            }
            Item::ChannelEnd(_) => self.tracker.has_text = true,
            Item::End => self.tracker.has_end = true,
            _ => {}
        }
    }
}
