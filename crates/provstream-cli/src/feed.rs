//! From the input through the parser to a command's output.

use provstream::{Parser, Rewriter};
use provstream_providers::{Pointer, Reasoning, StreamRewriter};

use crate::channels::Channels;
use crate::failure::Failure;
use crate::field::FieldReader;
use crate::input::Input;
use crate::input_format::InputFormat;
use crate::sink::Sink;
use crate::unread::{Seen, Unread};

/// What is read at once, unless larger pieces were asked for.
const BUFFER: usize = 1 << 16;

/// What reads a stream of bytes.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a stream has one of them")]
pub(crate) enum Reader {
    /// Text or JSON.
    Text(Rewriter),
    /// The event stream of a provider.
    Wire(StreamRewriter, Seen),
    /// NDJSON with text at some place of each line.
    Field(FieldReader),
}

impl Reader {
    /// A reader of this kind of input, whose texts are each read by a parser set up like `parser`.
    pub(crate) fn new(input: InputFormat, parser: Parser) -> Self {
        match input.rewriter(parser.clone()) {
            Some(rewriter) => Self::Wire(rewriter, Seen::new(input.format())),
            None => Self::Text(Rewriter::new(parser)),
        }
    }

    /// The same with this done with reasoning, in the event stream of a provider.
    pub(crate) fn with_reasoning(self, mode: Reasoning) -> Self {
        match self {
            Self::Wire(rewriter, seen) => Self::Wire(rewriter.with_reasoning(mode), seen),
            reader => reader,
        }
    }

    /// A reader of the text at these places of each line, from the line with this number.
    pub(crate) fn of_fields(pointers: &[Pointer], parser: Parser, line: u64) -> Self {
        let pointers = pointers.to_owned();
        Self::Field(FieldReader::new(pointers, Rewriter::new(parser), line))
    }

    /// Takes the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        match self {
            Self::Text(rewriter) => {
                sink.raw(chunk);
                rewriter.push(chunk, &mut *sink);
            }
            Self::Wire(rewriter, seen) => {
                seen.push(chunk);
                rewriter.push(chunk, &mut Channels { sink, seen });
            }
            Self::Field(reader) => reader.push(chunk, sink),
        }
    }

    /// Reports what is open at the end.
    pub(crate) fn finish(self, sink: &mut impl Sink) -> Fed {
        match self {
            Self::Text(mut rewriter) => {
                rewriter.finish(&mut *sink);
                Fed {
                    bytes: rewriter.parser().position(),
                    unread: Unread::default(),
                }
            }
            Self::Wire(mut rewriter, mut seen) => {
                rewriter.finish(&mut Channels {
                    sink,
                    seen: &mut seen,
                });
                Fed {
                    bytes: rewriter.position(),
                    unread: seen.unread(rewriter.report()),
                }
            }
            Self::Field(mut reader) => {
                reader.finish(sink);
                Fed {
                    bytes: reader.position(),
                    unread: Unread::default(),
                }
            }
        }
    }
}

/// What is known of a stream that was read to its end.
#[derive(Debug)]
pub(crate) struct Fed {
    /// Its length in bytes.
    pub(crate) bytes: u64,
    /// What of it was not read, in the event stream of a provider.
    pub(crate) unread: Unread,
}

/// A stream that is ready to be read.
#[derive(Debug)]
pub(crate) struct Stream {
    input: Input,
    reader: Reader,
    buffer: Box<[u8]>,
    /// Most bytes that the parser is given at once.
    chunk: usize,
}

impl Stream {
    /// A stream of an input that is given to the reader in pieces of at most `chunk` bytes.
    pub(crate) fn new(input: Input, reader: Reader, chunk: Option<usize>) -> Self {
        let chunk = chunk.unwrap_or(BUFFER);
        // A whole number of chunks, so that in a file only the last one is shorter than asked for.
        let buffer = chunk * (BUFFER / chunk).max(1);
        Self {
            input,
            reader,
            buffer: vec![0; buffer].into(),
            chunk,
        }
    }

    /// Reads to the end. What the sink wrote is flushed whenever the input may pause, and whatever happens: what was
    /// certain before the input broke is reported.
    pub(crate) fn feed(mut self, sink: &mut impl Sink) -> Result<Fed, Failure> {
        let read = self.read_all(sink);
        if matches!(read, Err(Failure::Read(..))) {
            sink.output().flush()?;
        }
        read?;
        let fed = self.reader.finish(sink);
        sink.output().check()?;
        Ok(fed)
    }

    fn read_all(&mut self, sink: &mut impl Sink) -> Result<(), Failure> {
        loop {
            if self.input.may_wait() {
                sink.output().flush()?;
            }
            let count = self.input.read(&mut self.buffer)?;
            if count == 0 {
                return Ok(());
            }
            for chunk in self.buffer[..count].chunks(self.chunk) {
                self.reader.push(chunk, sink);
                sink.output().check()?;
            }
        }
    }
}
