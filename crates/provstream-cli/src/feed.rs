//! From the input through the parser to a command's output.

use std::path::Path;

use provstream::provenance::Vocabulary;
use provstream::{Handler, Limits, Mode, Parser, ParserBuilder, Rewriter};
use provstream_providers::{Channel, StreamRewriter};

use crate::args::SourceArgs;
use crate::channels::{Channels, InputFormat};
use crate::failure::Failure;
use crate::input::Input;
use crate::line::Line;
use crate::output::Output;
use crate::unread::{Seen, Unread};

/// What is read at once, unless larger pieces were asked for.
const BUFFER: usize = 1 << 16;

/// What a command makes of a stream.
pub(crate) trait Sink: Handler {
    /// Where it writes to.
    fn output(&mut self) -> &mut Output;

    /// What comes next is of this channel of a provider's event stream.
    fn enter(&mut self, channel: Channel) {
        let _ = channel;
    }

    /// Takes the next bytes of an event stream without annotations.
    fn stream(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// Takes what the event stream says besides text.
    fn notice(&mut self, line: &Line<'_>) {
        let _ = line;
    }
}

/// A parser that reads what the arguments say, with limits of the command's choice.
pub(crate) fn parser(source: &SourceArgs, limits: Limits, vocabulary: Vocabulary) -> ParserBuilder {
    Parser::builder()
        .mode(source.mode)
        .limits(limits)
        .vocabulary(vocabulary)
}

/// What reads the input.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a program has one of them")]
enum Reader {
    Text(Rewriter),
    Wire(StreamRewriter, Seen),
}

impl Reader {
    fn push(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        match self {
            Self::Text(rewriter) => rewriter.push(chunk, sink),
            Self::Wire(rewriter, seen) => {
                seen.push(chunk);
                rewriter.push(chunk, &mut Channels { sink, seen });
            }
        }
    }

    /// Reports what is open at the end.
    fn finish(self, sink: &mut impl Sink) -> Fed {
        match self {
            Self::Text(mut rewriter) => {
                rewriter.finish(sink);
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
                    unread: seen.unread(),
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
    /// Sets up what the arguments ask for, and opens the input last: with some it takes until someone writes.
    pub(crate) fn of(source: &SourceArgs, parser: ParserBuilder) -> Result<Self, Failure> {
        let chunk = source.chunk_size.map_or(BUFFER, usize::from);
        Self::open(&source.file, chunk, parser, source.input)
    }

    /// The same for JSON values, with these limits.
    pub(crate) fn records(file: &Path, limits: Limits) -> Result<Self, Failure> {
        let parser = Parser::builder().mode(Mode::Json).limits(limits);
        Self::open(file, BUFFER, parser, InputFormat::Raw)
    }

    fn open(
        file: &Path,
        chunk: usize,
        parser: ParserBuilder,
        input: InputFormat,
    ) -> Result<Self, Failure> {
        let parser = parser.build();
        let reader = match input.rewriter(parser.clone()) {
            Some(rewriter) => Reader::Wire(rewriter, Seen::new(input.format())),
            None => Reader::Text(Rewriter::new(parser)),
        };
        // A whole number of chunks, so that in a file only the last one is shorter than asked for.
        let buffer = chunk * (BUFFER / chunk).max(1);
        Ok(Self {
            input: Input::open(file)?,
            reader,
            buffer: vec![0; buffer].into(),
            chunk,
        })
    }

    /// Reads to the end. What the sink wrote is handed on whenever the input may
    /// pause, and whatever happens: what was certain before the input broke is told.
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
