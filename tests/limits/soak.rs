//! A stream that goes on: one parser reads it in constant memory, loses nothing, and says of each part what it said of
//! the one before, further on; past 4 GiB as well.

use allocation_counter::measure;
use provstream::{Event, Mode, Parser, Span};

/// Length of a chunk: no period of a stream is a multiple of it, so that the borders of chunks come to lie everywhere.
const CHUNK: usize = 65_521;

/// Length of the chunks that begin at every place of a part: a prime that divides no part's length, and more than the
/// 1,024 bytes of a chunk that are looked at together for the end of a JSON object that began before it.
const STEP: usize = 1_031;

/// Length of the stream in an ordinary test run, in bytes.
const LONG: u64 = 64 << 20;

/// Length of the stream in a slow run, in bytes: more than 32 bits can count.
const LONGEST: u64 = (4 << 30) + LONG;

/// A part of a stream of free text: of each kind of block one, and at its end nothing is open.
fn prose() -> Vec<u8> {
    let mut part = Vec::new();
    for piece in [
        &b"# Report\n\nThe service runs. [substrate.code.read; observation-id=sha256:e3b0; ts=2026-05-28T11:40:00Z]\n\n"[..],
        b"It reads `[substrate.grep]` as code. [citation needed] Not so here: \\[substrate.grep] [substrate.grep; ts=",
        b"never]. [substrate.unknown] [unverified-inference]\n> quoted\n> text. [decayed-to-uncertainty]\n\n",
        b"| a | b [substrate.grep] | |\n- item [substrate.git.log\n\n```json\n{\"assertion\": \"In a fence.\"}\n```\n",
        b"{\"assertion\": \"In prose.\", \"provenance\": {\"substrate_class\": \"substrate.grep\"}} {\"marc_version\": \"1.0\"}\n",
        b"Bad UTF-8: \xFF\xE2\x80 \xF0\x9F here. [substrate.grep; observation-id=\"\xFF\"]\n\n",
    ] {
        part.extend_from_slice(piece);
    }
    part.extend(b"Long sentences go on ".repeat(300));
    part.extend_from_slice(b"and end. [substrate.grep]");
    part.extend(b" ".repeat(10_000));
    part.extend_from_slice(b"[substrate.git.log]\n\n");
    part.extend(b"word word word. ".repeat(2_000));
    part.extend_from_slice(b"\n\n");
    part
}

/// A part of a stream of JSON values, one a line.
fn values() -> Vec<u8> {
    let mut part = Vec::new();
    part.extend_from_slice(
        b"{\"assertion\": \"It runs.\", \"provenance\": [{\"substrate_class\": \"substrate.grep\", \"ts\": \"now\"}]}\n\
          {\"marc_version\": \"1.0\", \"answer\": \"caf\\u00e9\"}\n[1, 2, {\"assertion\": \"\xFF\"}]\nno JSON\n",
    );
    part.extend_from_slice(b"{\"text\": \"");
    part.extend(b"a long string ".repeat(3_000));
    part.extend_from_slice(b"\"}\n");
    part
}

/// An event that is no text, with its places from the start of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    kind: u8,
    start: u64,
    end: u64,
    clean: Option<(u64, u64)>,
}

/// Checks made while a stream is read.
struct Check {
    /// Length of a part, and how much of it stripping removes.
    period: u64,
    removed: u64,
    /// The events of the second part, which are those of every later one.
    events: Vec<Place>,
    /// Number of events since the second part began.
    seen: u64,
    /// Offset at which the next text or annotation must begin.
    next: u64,
}

impl Check {
    fn place(event: &Event<'_>) -> Option<(u8, Span, Option<Span>)> {
        Some(match event {
            Event::Annotation(found) => (0, found.span(), None),
            Event::Assertion(found) => (1, found.span(), found.clean_span()),
            Event::Marc(found) => (2, found.span(), None),
            Event::Diagnostic(found) => (3, found.span(), None),
            _ => return None,
        })
    }

    fn cover(&mut self, span: Span) {
        assert_eq!(span.start(), self.next, "a gap or an overlap");
        self.next = span.end();
    }

    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) => return self.cover(text.span()),
            Event::Annotation(found) => {
                self.cover(found.span());
                if found.span().start() < self.period {
                    self.removed += found.span().len() + found.whitespace_before() as u64;
                }
            }
            _ => {}
        }
        let Some((kind, span, clean)) = Self::place(event) else {
            return;
        };
        let Some(behind_first) = span.start().checked_sub(self.period) else {
            return;
        };
        // Parts before the one it lies in, the first apart.
        let parts = behind_first / self.period;
        let (by, clean_by) = ((parts + 1) * self.period, (parts + 1) * self.removed);
        let place = Place {
            kind,
            start: span.start() - by,
            end: span.end() - by,
            clean: clean.map(|clean| {
                let by = by - clean_by;
                (clean.start() - by, clean.end() - by)
            }),
        };
        if parts == 0 {
            self.events.push(place);
        } else {
            let index = self.seen as usize % self.events.len();
            assert_eq!(place, self.events[index], "at {}", span.start());
        }
        self.seen += 1;
    }
}

/// Makes a parser take all the memory that a part repeated can make it take, however that is cut.
///
/// A buffer grows to the most bytes that were in it at once, rounded up, so what matters is each sum and not the order.
/// With chunks of one byte all that is kept at the end of a chunk is kept at its longest. What more there is at once is of
/// the chunk that follows, and there it is at most 1,024 bytes, of an object that is not closed yet: this is the most where
/// a chunk as long begins at every place.
fn warm_up(period: u64, mut feed: impl FnMut(u64, usize)) -> u64 {
    let step = STEP as u64;
    assert_ne!(period % step, 0, "chunks begin at every place");
    feed(3 * period, 1);
    feed((3 + step) * period, STEP);
    (3 + step) * period
}

/// Reads a part again and again, `total` bytes after those that warm up; gives how much was read, what the parser and all
/// it owns take then, and the most that was allocated besides for a moment, such as for a string with escapes.
fn soak(mode: Mode, part: &[u8], total: u64) -> (u64, usize, u64) {
    let period = part.len() as u64;
    // Chunks are cut from here, wherever in a part they begin.
    let twice = part.repeat(2 + CHUNK / part.len());
    let mut check = Check {
        period,
        removed: 0,
        events: Vec::with_capacity(64),
        seen: 0,
        next: 0,
    };
    drop(Parser::new());
    let mut parser = Parser::builder().mode(mode).build();
    let mut fed = 0;
    let mut feed = |upto: u64, most: usize| {
        while fed < upto {
            let from = (fed % period) as usize;
            let len = most.min((upto - fed) as usize);
            parser.push(&twice[from..from + len], |event: Event<'_>| {
                check.take(&event);
            });
            fed += len as u64;
            assert_eq!(parser.position(), fed);
        }
    };
    let warm = warm_up(period, &mut feed);
    let parts = (warm + total) / period;
    let rest = measure(|| feed(parts * period, CHUNK));
    assert_eq!(
        (rest.count_current, rest.bytes_current),
        (0, 0),
        "memory is what it was after the first parts"
    );
    parser.finish(|event: Event<'_>| check.take(&event));
    assert_eq!(check.next, parts * period, "all was handed on");
    assert_eq!(
        check.seen,
        (parts - 1) * check.events.len() as u64,
        "events"
    );
    let kinds: Vec<u8> = check.events.iter().map(|place| place.kind).collect();
    assert!(kinds.len() > 3 && kinds.contains(&1) && kinds.contains(&3));
    let taken = size_of::<Parser>() + parser.heap_size();
    (parts * period, taken, rest.bytes_max)
}

fn all_modes(total: u64) {
    for (mode, part, most) in [
        (Mode::Text, prose(), 12 << 10),
        (Mode::Auto, prose(), 192 << 10),
        (Mode::Json, values(), 192 << 10),
        (Mode::Ndjson, values(), 192 << 10),
    ] {
        let (read, taken, more) = soak(mode, &part, total);
        println!("{mode:?}: {read} bytes read, {taken} taken, {more} more for a moment");
        assert!(taken < most, "{taken} bytes in mode {mode:?}");
        assert!(more < 4 << 10, "{more} bytes in mode {mode:?}");
    }
}

#[test]
fn sixty_four_mebibytes_are_read_in_constant_memory() {
    all_modes(LONG);
}

/// `cargo test --release --test soak -- --ignored --nocapture`
#[test]
#[ignore = "reads 4 GiB in each mode, which takes a minute in a release build"]
fn more_than_four_gibibytes_are_read_in_constant_memory() {
    all_modes(LONGEST);
}
