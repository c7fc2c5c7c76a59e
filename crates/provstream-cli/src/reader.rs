//! Data flow from an input through a parser or a gate to a command.

use provstream::{Parser, Policy, Rewriter};
use provstream_providers::{Pointer, StreamRewriter};

use crate::engine::{Adapter, NoPolicy, StreamEngine};
use crate::fields::{FieldCounts, FieldReader};
use crate::input::{BUFFER, InputSource};
use crate::options::InputFormat;
use crate::response::{ResponseStatus, ResponseTracker};
use crate::sink::{StoppedText, StreamSink};

/// Facts about a stream that was read to its end.
#[derive(Debug)]
pub(crate) struct StreamEnd {
    /// Length in bytes.
    pub(crate) bytes: u64,
    /// Status of a response.
    pub(crate) status: ResponseStatus,
    pub(crate) fields: FieldCounts,
    pub(crate) stopped: Vec<StoppedText>,
}

/// Reader of one stream.
#[derive(Debug)]
pub(crate) struct StreamReader<P = NoPolicy> {
    engine: StreamEngine<P>,
    fields: Option<FieldReader>,
    /// Tracker of a response.
    tracker: Option<ResponseTracker>,
    bytes: u64,
}

impl StreamReader {
    /// Creates a reader of an input. A clone of `parser` reads each text.
    pub(crate) fn new(
        input: InputFormat,
        parser: Parser,
        configure: impl FnOnce(StreamRewriter) -> StreamRewriter,
    ) -> Self {
        let engine = match input {
            InputFormat::Raw => StreamEngine::Text(Box::new(Rewriter::new(parser))),
            InputFormat::Auto => {
                StreamEngine::Response(Box::new(configure(StreamRewriter::detect(parser))))
            }
            InputFormat::Response(format) => {
                StreamEngine::Response(Box::new(configure(StreamRewriter::new(format, parser))))
            }
        };
        Self::of(engine, input)
    }
}

impl<P: Policy + Clone> StreamReader<P> {
    /// Creates a reader with a rewriter or gate for the input format.
    pub(crate) fn of(engine: StreamEngine<P>, input: InputFormat) -> Self {
        let is_response = engine.is_response();
        Self {
            engine,
            fields: None,
            tracker: is_response.then(|| ResponseTracker::new(input.format())),
            bytes: 0,
        }
    }

    /// Reads only the strings at these pointers in each line of JSON, and numbers lines from `line` on. Without pointers, reads
    /// the whole text. If `is_written`, each line is written with its strings rewritten.
    pub(crate) fn with_fields(mut self, pointers: &[Pointer], line: u64, is_written: bool) -> Self {
        let fields = FieldReader::new(pointers, line, is_written);
        self.fields = (!pointers.is_empty()).then_some(fields);
        self
    }

    /// Reads the next bytes; returns `false` if no more are of use.
    pub(crate) fn push(&mut self, chunk: &[u8], sink: &mut dyn StreamSink) -> anyhow::Result<bool> {
        self.bytes += chunk.len() as u64;
        if let Some(fields) = &mut self.fields {
            fields.push(chunk, &mut self.engine, sink)?;
            return Ok(true);
        }
        match &mut self.tracker {
            Some(tracker) => tracker.push(chunk),
            None => sink.on_input_bytes(chunk),
        }
        let mut adapter = Adapter::new(&self.engine, sink, self.tracker.as_mut());
        match &mut self.engine {
            StreamEngine::Text(rewriter) => rewriter.push(chunk, &mut adapter),
            StreamEngine::Response(rewriter) => rewriter.push(chunk, &mut adapter),
            StreamEngine::Gate(gate) => {
                gate.push(chunk, &mut adapter);
                return Ok(gate.ended().is_none());
            }
            StreamEngine::ResponseGate(gate) => gate.push(chunk, &mut adapter),
        }
        Ok(true)
    }

    /// Ends the stream.
    pub(crate) fn finish(mut self, sink: &mut dyn StreamSink) -> anyhow::Result<StreamEnd> {
        let mut end = StreamEnd {
            bytes: self.bytes,
            status: ResponseStatus::default(),
            fields: FieldCounts::default(),
            stopped: Vec::new(),
        };
        if let Some(mut fields) = self.fields {
            fields.push(b"", &mut self.engine, sink)?;
            (end.fields, end.stopped) = fields.finish();
            return Ok(end);
        }
        let mut adapter = Adapter::new(&self.engine, sink, self.tracker.as_mut());
        let mut report = None;
        match &mut self.engine {
            StreamEngine::Text(rewriter) => rewriter.finish(&mut adapter),
            StreamEngine::Gate(gate) => {
                gate.finish(&mut adapter);
                let stopped = gate.ended().map(|end| StoppedText { name: None, end });
                end.stopped.extend(stopped);
            }
            StreamEngine::Response(rewriter) => {
                rewriter.finish(&mut adapter);
                report = Some(rewriter.report());
            }
            StreamEngine::ResponseGate(gate) => {
                gate.finish(&mut adapter);
                report = Some(gate.report());
                end.stopped.extend(gate.ended().map(|(channel, end)| {
                    let name = Some(channel.to_string());
                    StoppedText { name, end }
                }));
            }
        }
        if let (Some(tracker), Some(report)) = (self.tracker, report) {
            end.status = tracker.finish(report);
        }
        Ok(end)
    }
}

/// Reads an input to its end. What was certain is written, even if the input breaks off.
pub(crate) fn pump<P: Policy + Clone>(
    input: &mut InputSource,
    mut reader: StreamReader<P>,
    chunk_size: Option<usize>,
    sink: &mut dyn StreamSink,
) -> anyhow::Result<StreamEnd> {
    let chunk_size = chunk_size.unwrap_or(BUFFER);
    // A whole number of chunks, so that in a file only the last one is shorter.
    let mut buffer = vec![0; chunk_size * (BUFFER / chunk_size).max(1)];
    let read = 'read: loop {
        sink.check(input.is_interactive())?;
        let count = match input.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(count) => count,
            Err(error) => break Err(error),
        };
        for chunk in buffer[..count].chunks(chunk_size) {
            let pushed = reader.push(chunk, sink);
            sink.check(false)?;
            if !pushed? {
                break 'read Ok(());
            }
        }
    };
    let read = match read {
        Err(error) if !reader.engine.is_gate() => {
            sink.check(true)?;
            return Err(error);
        }
        read => read,
    };
    let has_fields = reader.fields.is_some();
    let end = reader.finish(sink)?;
    for stopped in end.stopped.iter().filter(|_| !has_fields) {
        sink.on_stop(stopped);
    }
    sink.check(read.is_err())?;
    read.map(|()| end)
}
