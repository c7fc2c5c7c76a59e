//! Adapters at an error and when they are dropped: nothing that was held back is lost, and nothing follows.

use std::io::{ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::Stream;
use provstream::io::{RewriteReader, RewriteWriter, TextStream};
use provstream::{BracketAnnotation, Event, Handler, Parser, Replacement};
use testkit::script::{ANSWER, Keeper, Script, Step, rewritten};
use tokio::io::{AsyncRead, ReadBuf};

/// The first bytes of an answer up to each, in chunks.
fn beginnings() -> impl Iterator<Item = (&'static [u8], usize)> {
    (0..=ANSWER.len()).flat_map(|len| [3, 16, usize::MAX].map(|size| (&ANSWER[..len], size)))
}

/// Fails after these bytes, then would give more.
fn broken(bytes: &[u8], size: usize) -> Script {
    let mut steps = Vec::new();
    for chunk in bytes.chunks(size) {
        steps.extend([Step::Wait, Step::Give(chunk.to_vec())]);
    }
    steps.extend([
        Step::Fail(ErrorKind::ConnectionReset),
        Step::Give(b" [substrate.grep] More.".to_vec()),
    ]);
    Script::new(steps)
}

/// The next item, after as many waits as it needs.
fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(item) = Pin::new(&mut *stream).poll_next(&mut cx) {
            return item;
        }
    }
}

/// Reads at most seven bytes; none at the end.
fn read<R: AsyncRead + Unpin>(reader: &mut R) -> Option<Result<Vec<u8>, ErrorKind>> {
    let mut cx = Context::from_waker(Waker::noop());
    let mut room = [0; 7];
    loop {
        let mut room = ReadBuf::new(&mut room);
        match Pin::new(&mut *reader).poll_read(&mut cx, &mut room) {
            Poll::Pending => {}
            Poll::Ready(Err(error)) => return Some(Err(error.kind())),
            Poll::Ready(Ok(())) if room.filled().is_empty() => return None,
            Poll::Ready(Ok(())) => return Some(Ok(room.filled().to_vec())),
        }
    }
}

/// The items before the only error, which has to be the last one. What ended stays so.
fn until_error<T>(mut next: impl FnMut() -> Option<Result<T, ErrorKind>>) -> Vec<T> {
    let mut items = Vec::new();
    loop {
        match next() {
            Some(Ok(item)) => items.push(item),
            Some(Err(error)) => {
                assert_eq!(error, ErrorKind::ConnectionReset);
                assert!(next().is_none() && next().is_none(), "an item after it");
                return items;
            }
            None => panic!("no error"),
        }
    }
}

#[test]
fn text_that_was_held_back_comes_before_an_error_at_any_byte() {
    for (bytes, size) in beginnings() {
        let (expected, keeper) = rewritten(Parser::new(), bytes);
        let shown = bytes.escape_ascii();

        let mut stream = TextStream::new(broken(bytes, size), Parser::new(), Keeper::default());
        let text: Vec<Bytes> = until_error(|| next(&mut stream));
        assert_eq!(text.concat(), expected, "{shown} by {size}");
        assert_eq!(stream.handler(), &keeper, "{shown} by {size}");

        let mut reader = RewriteReader::new(broken(bytes, size), Parser::new(), Keeper::default());
        let text = until_error(|| read(&mut reader));
        assert_eq!(text.concat(), expected, "{shown} by {size}");
        assert_eq!(reader.handler(), &keeper, "{shown} by {size}");
    }
}

#[test]
fn an_adapter_that_is_dropped_gives_its_handler_the_last_events() {
    for (bytes, size) in beginnings() {
        let expected = rewritten(Parser::new(), bytes).1;
        let chunks = bytes.chunks(size).count();
        let shown = bytes.escape_ascii();

        let mut keeper = Keeper::default();
        let mut stream = TextStream::new(broken(bytes, size), Parser::new(), &mut keeper);
        let mut cx = Context::from_waker(Waker::noop());
        while stream.get_ref().asked < 2 * chunks {
            let _ = Pin::new(&mut stream).poll_next(&mut cx);
        }
        drop(stream);
        assert_eq!(keeper, expected, "{shown} by {size}");

        let mut keeper = Keeper::default();
        let mut reader = RewriteReader::new(broken(bytes, size), Parser::new(), &mut keeper);
        let mut room = [0; 1000];
        while reader.get_ref().asked < 2 * chunks {
            let _ = Pin::new(&mut reader).poll_read(&mut cx, &mut ReadBuf::new(&mut room));
        }
        drop(reader);
        assert_eq!(keeper, expected, "{shown} by {size}");

        let mut keeper = Keeper::default();
        let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), &mut keeper);
        for chunk in bytes.chunks(size) {
            writer.write_all(chunk).expect("a vector takes all");
        }
        drop(writer);
        assert_eq!(keeper, expected, "{shown} by {size}");
    }
}

#[test]
fn an_adapter_that_ended_calls_its_handler_no_more_when_it_is_dropped() {
    let expected = rewritten(Parser::new(), ANSWER).1;

    let mut keeper = Keeper::default();
    let mut stream = TextStream::new(Script::of([ANSWER], &[]), Parser::new(), &mut keeper);
    while next(&mut stream).is_some() {}
    drop(stream);
    assert_eq!(keeper, expected);

    let mut keeper = Keeper::default();
    let mut reader = RewriteReader::new(broken(ANSWER, 9), Parser::new(), &mut keeper);
    until_error(|| read(&mut reader));
    drop(reader);
    assert_eq!(keeper, expected);

    let mut keeper = Keeper::default();
    let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), &mut keeper);
    writer.write_all(ANSWER).expect("a vector takes all");
    writer.finish().expect("a vector takes all");
    assert_eq!(keeper, expected);
}

/// A writer whose errors no call repeats: what is held is gone with it, the events are not.
#[test]
fn a_writer_that_fails_to_finish_gives_its_handler_the_last_events() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut keeper = Keeper::default();
    let mut writer = RewriteWriter::new(Full, Parser::new(), &mut keeper);
    writer.write_all(ANSWER).expect("it is kept");
    assert!(writer.finish().is_err());
    assert_eq!(keeper, rewritten(Parser::new(), ANSWER).1);
}

/// Panics at each annotation, and counts what else it is given.
#[derive(Default)]
struct Panics {
    after: usize,
}

impl Handler for Panics {
    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        panic!("a handler that panics");
    }

    fn event(&mut self, _: Event<'_>) {
        self.after += 1;
    }

    fn end(&mut self) {
        self.after += 1;
    }
}

impl Panics {
    /// Does something at which the handler panics.
    fn at(work: impl FnOnce()) {
        let panicked = catch_unwind(AssertUnwindSafe(work)).expect_err("a panic");
        assert_eq!(panicked.downcast_ref(), Some(&"a handler that panics"));
    }
}

#[test]
fn a_handler_that_panicked_is_not_called_again() {
    let source = || broken(b"It is so. [substrate.grep] It is.", 100);
    let mut handler = Panics::default();
    let mut stream = TextStream::new(source(), Parser::new(), &mut handler);
    Panics::at(|| drop(next(&mut stream)));
    assert!(next(&mut stream).is_none(), "it ended");
    drop(stream);
    assert_eq!(handler.after, 0);

    let mut reader = RewriteReader::new(source(), Parser::new(), &mut handler);
    Panics::at(|| drop(read(&mut reader)));
    while let Some(text) = read(&mut reader) {
        text.expect("it ended");
    }
    drop(reader);
    assert_eq!(handler.after, 0);

    // Dropped while it unwinds: a second panic would abort.
    let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), &mut handler);
    Panics::at(move || {
        let _ = writer.write(b"It is so. [substrate.grep] It is.");
    });
    assert_eq!(handler.after, 0);
}
