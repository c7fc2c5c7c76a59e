//! Readers and writers: the events and the text are those of the parser and the rewriter, whatever the reader or writer
//! inside does.

use std::io::{self, ErrorKind, Write};

use provstream::io::RewriteWriter;
use provstream::{BracketAnnotation, Event, Handler, Parser, Replacement};
use testkit::script::{ANSWER, Events, Keeper, SIZES, cases, rewritten, stripped};

/// A writer that does as a function of the number of the call says: takes some bytes, or fails.
struct Odd<F> {
    taken: Vec<u8>,
    calls: usize,
    flushes: usize,
    what: F,
}

impl<F: FnMut(usize) -> Result<usize, ErrorKind>> Odd<F> {
    fn new(what: F) -> Self {
        Self {
            taken: Vec::new(),
            calls: 0,
            flushes: 0,
            what,
        }
    }
}

impl<F: FnMut(usize) -> Result<usize, ErrorKind>> Write for Odd<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(!bytes.is_empty(), "nothing to write");
        self.calls += 1;
        let taken = (self.what)(self.calls - 1)?.min(bytes.len());
        self.taken.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        Ok(())
    }
}

/// Writes all, doing again what failed; gives the number of errors.
fn write_stubbornly(writer: &mut impl Write, mut bytes: &[u8]) -> usize {
    let mut errors = 0;
    while !bytes.is_empty() {
        match writer.write(bytes) {
            Ok(taken) => bytes = &bytes[taken..],
            Err(_) => errors += 1,
        }
    }
    errors
}

#[test]
fn a_writer_passes_on_what_the_rewriter_writes() {
    for case in cases() {
        let (text, keeper) = rewritten(case.parser(), &case.input);
        for size in SIZES {
            let odd = Odd::new(|call| match call % 3 {
                0 => Err(ErrorKind::Interrupted),
                1 => Ok(1),
                _ => Ok(7),
            });
            let mut writer = RewriteWriter::new(odd, case.parser(), Keeper::default());
            for chunk in case.chunks(size) {
                writer.write_all(chunk).expect("no error");
            }
            writer.try_finish().expect("no error");
            assert_eq!(writer.handler(), &keeper, "{} by {size}", case.name);
            assert_eq!(writer.get_ref().flushes, 1);
            let odd = writer.finish().expect("no error");
            assert_eq!(odd.taken, text, "{} by {size}", case.name);
        }
    }
}

/// For each call of the writer inside: were that one to fail, once or three times, nothing is lost or repeated.
#[test]
fn an_error_at_any_call_loses_and_repeats_nothing() {
    let (text, keeper) = rewritten(Parser::new(), ANSWER);
    for kind in [ErrorKind::WouldBlock, ErrorKind::ConnectionReset] {
        for size in [1, 7, usize::MAX] {
            for times in [1, 3] {
                for bad in 0..text.len() {
                    let odd = Odd::new(|call| {
                        let fails = (bad..bad + times).contains(&call);
                        if fails { Err(kind) } else { Ok(5) }
                    });
                    let mut writer = RewriteWriter::new(odd, Parser::new(), Keeper::default());
                    let mut errors = 0;
                    for chunk in ANSWER.chunks(size) {
                        errors += write_stubbornly(&mut writer, chunk);
                    }
                    while writer.try_finish().is_err() {
                        errors += 1;
                    }
                    assert_eq!(writer.handler(), &keeper);
                    let odd = writer.finish().expect("no further error");
                    assert_eq!(odd.taken, text, "{kind} at {bad}, by {size}");
                    if kind == ErrorKind::ConnectionReset && odd.calls >= bad + times {
                        assert_eq!(errors, times, "each is told once");
                    }
                }
            }
        }
    }
}

#[test]
fn a_writer_that_takes_nothing_stops_the_writing() {
    let mut writer = RewriteWriter::new(Odd::new(|_| Ok(0)), Parser::new(), ());
    let much = vec![b'x'; 1 << 20];
    let taken = writer.write(&much).expect("there is room");
    assert!((1..=8 << 10).contains(&taken));
    for _ in 0..3 {
        let error = writer.write(&much).expect_err("there is no more room");
        assert_eq!(error.kind(), ErrorKind::WriteZero);
    }
    assert_eq!(writer.parser().position(), taken as u64);
    assert!(writer.finish().is_err());
}

#[test]
fn an_error_behind_taken_bytes_is_told_by_the_next_call() {
    let odd = Odd::new(|call| {
        if call == 0 {
            Err(ErrorKind::BrokenPipe)
        } else {
            Ok(100)
        }
    });
    let mut writer = RewriteWriter::new(odd, Parser::new(), ());
    assert_eq!(writer.write(b"Text").expect("they are taken"), 4);
    let error = writer.flush().expect_err("of the call before");
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    writer.flush().expect("it goes on");
    assert_eq!(writer.get_ref().taken, b"Text");
}

#[test]
fn flushing_passes_on_what_is_certain_and_never_what_is_held() {
    let mut writer = RewriteWriter::new(Odd::new(|_| Ok(100)), Parser::new(), ());
    writer
        .write_all(b"It is so. \n[substrate.gr")
        .expect("no error");
    for _ in 0..2 {
        writer.flush().expect("no error");
        assert_eq!(writer.get_ref().taken, b"It is so.");
    }
    assert_eq!(writer.get_ref().flushes, 2);
    assert_eq!(writer.write(b"").expect("no error"), 0);
    writer.write_all(b"ass").expect("no error");
    writer.flush().expect("no error");
    assert_eq!(
        writer.get_ref().taken,
        b"It is so.",
        "it may still be a class of another vocabulary"
    );
    let odd = writer.finish().expect("no error");
    assert_eq!(odd.taken, b"It is so. \n[substrate.grass");
}

#[test]
fn nothing_is_written_behind_the_end() {
    let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), Keeper::default());
    writer.write_all(b"It is so. [").expect("no error");
    writer.try_finish().expect("no error");
    let error = writer.write(b"text").expect_err("behind the end");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    writer.try_finish().expect("it is done already");
    assert_eq!(writer.handler().ends, 1);
    assert_eq!(writer.finish().expect("no error"), b"It is so. [");
}

#[test]
fn a_closure_takes_all_events_and_the_rewritten_text_and_removes_annotations() {
    let input = b"It is so. [substrate.grep; ts=x] {\"assertion\": \"It runs.\"}.";
    let parser = || Parser::builder().hold_records(true).build();
    let mut events = Vec::new();
    let mut seen = Vec::new();
    let sink = |event: Event<'_>| match event {
        Event::Text(text) => {
            assert_eq!(text.span().start(), seen.len() as u64);
            seen.extend_from_slice(text.bytes());
        }
        other => events.push(other.into_owned()),
    };
    let mut writer = RewriteWriter::new(Vec::new(), parser(), sink);
    writer.write_all(input).expect("no error");
    let text = writer.finish().expect("no error");
    assert_eq!(text, stripped(parser(), input));
    assert_eq!(text, b"It is so. .");
    assert_eq!(seen, text);
    assert_eq!(events, Events::of(parser(), input).others);
    assert_eq!(events.len(), 5, "{events:?}");
}

#[test]
fn a_sink_that_takes_nothing_removes_all() {
    struct Nothing;
    impl Handler for Nothing {}
    let input = b"It is so. [substrate.grep] Really.";
    let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), Nothing);
    writer.write_all(input).expect("no error");
    assert_eq!(writer.finish().expect("no error"), b"It is so. Really.");
    let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), ());
    writer.write_all(input).expect("no error");
    assert_eq!(writer.finish().expect("no error"), b"It is so. Really.");
}

#[test]
fn the_parts_of_a_writer_can_be_reached() {
    struct Count(usize);
    impl Handler for Count {
        fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
            self.0 += 1;
            Replacement::Keep
        }
    }
    let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), Count(0));
    writer.get_mut().extend_from_slice(b"> ");
    writer
        .write_all(b"It is so. [substrate.grep]")
        .expect("no error");
    writer.handler_mut().0 += 10;
    assert_eq!(writer.handler().0, 11);
    assert!(format!("{writer:?}").starts_with("RewriteWriter"));
    let text = writer.finish().expect("no error");
    assert_eq!(text, b"> It is so. [substrate.grep]");
}
