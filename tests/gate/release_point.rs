//! The release point beside a search over continuations.

use provstream::{Gate, GateHandler, Parser, Policy};
use testkit::gate::pieces::{Short, broken, short};
use testkit::gate::release_point::{reaches, release_point};
use testkit::reference::engine::{Cuts, collect, feed, parser_in};
use testkit::reference::{Ev, Reading, RefLimits, RefMode, RefVocabulary, Segment};

/// An input that is compared at every prefix costs as much as so many streams.
const COST: usize = 50;

fn parser(short: &Short, limits: &RefLimits) -> Parser {
    parser_in(short.reading, limits, &RefVocabulary::default())
}

/// The first `len` bytes of an input.
fn prefix(input: &[Segment], len: usize) -> Vec<Segment> {
    let mut left = len;
    let mut prefix = Vec::new();
    for segment in input {
        let now = segment.bytes.len().min(left);
        left -= now;
        if now > 0 {
            prefix.push(Segment {
                own: segment.own,
                bytes: segment.bytes[..now].to_vec(),
                after_break: false,
            });
        }
    }
    prefix
}

/// Returns `true` if the last bytes of a stream are a complete character, or cannot become one.
fn ends_whole(bytes: &[u8]) -> bool {
    match bytes.utf8_chunks().last() {
        Some(chunk) => {
            !std::str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none())
        }
        None => true,
    }
}

/// The first prefix of an input at which the two differ, of those of these lengths.
fn difference(short: &Short, lengths: &[usize]) -> Option<String> {
    difference_within(short, &RefLimits::default(), lengths)
}

/// Finds a difference from the oracle, as [`difference`] does, with the given limits.
fn difference_within(short: &Short, limits: &RefLimits, lengths: &[usize]) -> Option<String> {
    let mut bytewise = parser(short, limits);
    let mut bytes = Vec::new();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    for upto in 1..=longest {
        let prefix = prefix(&short.input, upto);
        let last = prefix.last().expect("a byte");
        let byte = *last.bytes.last().expect("a byte");
        bytes.push(byte);
        feed(&mut bytewise, last.own, &[byte], &mut Vec::new());
        let found = bytewise.undecided_from();
        if !lengths.contains(&upto) {
            continue;
        }
        let mut whole = parser(short, limits);
        for segment in &prefix {
            feed(&mut whole, segment.own, &segment.bytes, &mut Vec::new());
        }
        let expected = release_point(short.reading, &prefix, limits);
        let read_whole = whole.undecided_from();
        let same = found == expected && read_whole == expected;
        if !same && (ends_whole(&bytes) || found > expected || read_whole > expected) {
            let bytes: Vec<_> = prefix
                .iter()
                .map(|segment| (segment.own, segment.bytes.escape_ascii().to_string()))
                .collect();
            return Some(format!(
                "{:?}: expected {expected}, found {found}, read whole {read_whole}: {bytes:?}",
                short.reading
            ));
        }
    }
    None
}

/// The inputs to compare: so many, or those that `PROVSTREAM_FIRST_SEED` and `PROVSTREAM_SEEDS` name.
pub(crate) fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = std::env::var("PROVSTREAM_FIRST_SEED");
    let first = first.map_or(0, |first| first.parse().expect("a number"));
    first..first + testkit::search::seeds(default)
}

#[test]
fn the_release_point_equals_a_search_over_continuations() {
    let differences: Vec<_> = seeds(STREAMS)
        .step_by(COST)
        .filter_map(|seed| {
            let short = short(seed, 8);
            let len = short.input.iter().map(|segment| segment.bytes.len()).sum();
            let all: Vec<usize> = (1..=len).collect();
            Some(format!("seed {seed}, {}", difference(&short, &all)?))
        })
        .take(12)
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Bytes of a corpus file from which on its prefixes are compared by stretches.
const SHORT: usize = 800;

/// Bytes of a corpus file from which on prefixes within a repetition are passed over.
const LONG: usize = 2_000;

/// Prefixes of each corpus file that are compared in a plain `cargo test`, and how long they are at most.
const PREFIXES: usize = 1;
const LONGEST: usize = 1_500;

/// Folder, extension and mode of each kind of corpus file.
const KINDS: [(&str, &str, RefMode); 5] = [
    ("text", "txt", RefMode::Text),
    ("transcripts", "txt", RefMode::Auto),
    ("json", "json", RefMode::Json),
    ("json", "lines", RefMode::Ndjson),
    ("json", "txt", RefMode::Auto),
];

/// All corpus files with their paths, the shortest first.
fn corpus() -> Vec<(String, Short)> {
    let mut files = Vec::new();
    for (folder, end, mode) in KINDS {
        let folder = testkit::root().join("corpus").join(folder);
        for entry in std::fs::read_dir(folder).expect("a corpus folder") {
            let path = entry.expect("a file").path();
            if path.extension().is_none_or(|found| found != end) {
                continue;
            }
            let bytes = std::fs::read(&path).expect("a readable file");
            let short = Short {
                reading: Reading::new(mode),
                input: vec![Segment {
                    own: true,
                    bytes,
                    after_break: false,
                }],
            };
            files.push((path.display().to_string(), short));
        }
    }
    files.sort_by_key(|(path, short)| (short.input[0].bytes.len(), path.clone()));
    files
}

/// A longer search (`PROVSTREAM_SEEDS`) compares every prefix of every file; `PROVSTREAM_CORPUS_FILE` names those whose paths
/// have it.
#[test]
fn the_release_point_equals_a_search_in_corpus_files() {
    let all = testkit::search::is_long();
    let only = std::env::var("PROVSTREAM_CORPUS_FILE").unwrap_or_default();
    let (mut differences, mut files, mut searches) = (Vec::new(), 0, 0);
    for (path, short) in corpus() {
        files += 1;
        let len = short.input[0].bytes.len();
        if len == 0 || !path.contains(&only) {
            continue;
        }
        let began = std::time::Instant::now();
        let found = if !all {
            let mut cuts = Cuts(files);
            let lengths: Vec<usize> = (0..PREFIXES)
                .map(|_| 1 + cuts.below(len.clamp(1, LONGEST)))
                .collect();
            searches += lengths.len();
            difference(&short, &lengths)
        } else if len <= SHORT {
            searches += len;
            difference(&short, &(1..=len).collect::<Vec<_>>())
        } else {
            let (found, searched) = difference_by_stretches(&short);
            searches += searched;
            found
        };
        if all {
            let how = if found.is_some() { "differs" } else { "same" };
            println!("{path}: {len} bytes, {how}, {:.1?}", began.elapsed());
        }
        differences.extend(found.map(|what| format!("{path}: {what}")));
    }
    println!("{files} files, {searches} searches");
    assert!(files > 150, "{files}");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The release point after each byte.
fn points(short: &Short, limits: &RefLimits) -> Vec<u64> {
    let mut bytewise = parser(short, limits);
    let bytes = short.input[0].bytes.iter();
    let points = bytes.map(|byte| {
        feed(&mut bytewise, true, &[*byte], &mut Vec::new());
        bytewise.undecided_from()
    });
    points.collect()
}

/// Corpus files that meet a limit after a long repetition, with less of it and a limit that is as much lower: at every prefix, the
/// parser reports what it reports of the file, so that a search over the short input shows both.
#[test]
fn the_release_point_equals_a_search_in_corpus_files_made_short() {
    let default = RefLimits::default;
    let cases = [
        // Where the repetition is that is cut, how much of it, and the limits.
        (
            "text/limit-assertion-multibyte.txt",
            20,
            4_000,
            RefLimits {
                max_assertion: 96,
                ..default()
            },
        ),
        (
            "json/marc-limit-record.json",
            60,
            65_400,
            RefLimits {
                max_record: 136,
                ..default()
            },
        ),
        (
            "json/marc-record-at-its-limit.json",
            60,
            65_400,
            RefLimits {
                max_record: 136,
                ..default()
            },
        ),
        (
            "json/lines-limit-depth.lines",
            20,
            560,
            RefLimits {
                max_depth: 16,
                ..default()
            },
        ),
    ];
    let all = testkit::search::is_long();
    for (name, from, cut, limits) in cases {
        let path = testkit::root().join("corpus").join(name);
        let long = std::fs::read(path).expect("a corpus file");
        let mode = match name.rsplit('.').next() {
            Some("json") => RefMode::Json,
            Some("lines") => RefMode::Ndjson,
            _ => RefMode::Text,
        };
        let short = |bytes: Vec<u8>| Short {
            reading: Reading::new(mode),
            input: vec![Segment {
                own: true,
                bytes,
                after_break: false,
            }],
        };
        let mut less = long.clone();
        let removed: Vec<u8> = less.drain(from..from + cut).collect();
        let repeats =
            |period: usize| cut % period == 0 && removed[period..] == removed[..cut - period];
        assert!((1..=8).any(repeats), "{name}");
        let of_less = short(less);
        let (found, expected) = (points(&of_less, &limits), points(&short(long), &default()));
        for (len, point) in found.iter().enumerate() {
            // A point that is as far back as the limit is at the same place; one after the cut counts the bytes that are cut.
            let after = expected[len + if len < from { 0 } else { cut }];
            let same = *point == after || point + cut as u64 == after;
            assert!(same, "{name}, {len}: {point} and {after}");
        }
        let lengths: Vec<usize> = match all {
            true => (1..=found.len()).collect(),
            false => vec![found.len() - 20, found.len()],
        };
        let differs = difference_within(&of_less, &limits, &lengths);
        assert_eq!(differs, None, "{name}");
        println!(
            "{name}: {} prefixes compared of {}",
            lengths.len(),
            found.len()
        );
    }
}

/// Returns `true` if a prefix of a long file ends within a repetition of a few bytes and far from
/// any limit.
///
/// After each round of the repetition the parser is in the same state but for the lengths that it counts. Those matter where they
/// meet a limit. All limits that a file of the corpus reaches in this way are powers of two, counted from its start or from a few
/// bytes after it; so the prefixes that are about as long are compared, and those at either end of the repetition.
fn is_in_repetition(bytes: &[u8], len: usize) -> bool {
    const NEAR: usize = 40;
    if bytes.len() < LONG || len < NEAR || len + NEAR > bytes.len() {
        return false;
    }
    let around = &bytes[len - NEAR..len + NEAR];
    let repeats = |period: usize| around[period..] == around[..around.len() - period];
    let mut limits = (6..17).map(|power| 1_usize << power);
    (1..=8).any(repeats) && limits.all(|limit| len.abs_diff(limit) > 12)
}

/// Finds a difference from the oracle over every prefix, with a full search only where the release
/// point has moved; also returns the number of searches.
///
/// Every continuation of a longer prefix is one of a shorter prefix, with the bytes between in front of it. So the true release
/// point never moves back. Take a stretch of prefixes at all of which the parser reports the same offset: if no continuation
/// of the first prefix makes an assertion begin before that offset, none of a later one does; and if some continuation of the
/// last prefix makes one begin there, some continuation of each earlier one does. Gives the number of searches, too.
fn difference_by_stretches(short: &Short) -> (Option<String>, usize) {
    let limits = RefLimits::default();
    let bytes = &short.input[0].bytes;
    let mut bytewise = parser(short, &limits);
    let found: Vec<u64> = bytes
        .iter()
        .map(|byte| {
            feed(&mut bytewise, true, &[*byte], &mut Vec::new());
            bytewise.undecided_from()
        })
        .collect();
    let mut searches = 0;
    let mut first = 0;
    for stretch in found.chunk_by(|a, b| a == b) {
        let (from, at) = (first + 1, stretch[0]);
        first += stretch.len();
        if stretch.len() == 1 && is_in_repetition(bytes, from) {
            continue;
        }
        searches += 1;
        let expected = release_point(short.reading, &prefix(&short.input, from), &limits);
        if expected < at {
            let what = format!("at {from}: expected {expected}, found {at}");
            return (Some(what), searches);
        }
        // A prefix that ends within a character may report less.
        let Some(last) = (from..=first).rev().find(|&len| ends_whole(&bytes[..len])) else {
            continue;
        };
        let last_prefix = prefix(&short.input, last);
        let mut whole = parser(short, &limits);
        feed(&mut whole, true, &last_prefix[0].bytes, &mut Vec::new());
        let read_whole = whole.undecided_from();
        if read_whole != at || !reaches(short.reading, &last_prefix, &limits, at) {
            let expected = release_point(short.reading, &last_prefix, &limits);
            let what =
                format!("at {last}: expected {expected}, found {at}, read whole {read_whole}");
            return (Some(what), searches);
        }
    }
    (None, searches)
}

/// Streams read with a question after each chunk, in each of four cuttings.
const STREAMS: u64 = 500;

/// Reads a stream and checks each assertion against the release point before it; gives how often that moved.
fn read_asking(
    short: &Short,
    limits: &RefLimits,
    most: usize,
    cuts: &mut Cuts,
) -> Result<usize, String> {
    let mut parser = parser(short, limits);
    let mut moves = 0;
    let mut from = 0;
    for piece in cut(&short.input, most, cuts) {
        let mut events = Vec::new();
        piece.feed(&mut parser, &mut events);
        let asked = parser.undecided_from();
        check(&events, from)?;
        if asked < from || asked > parser.position() {
            return Err(format!("from {from} to {asked}, at {}", parser.position()));
        }
        moves += usize::from(asked > from);
        from = asked;
    }
    let mut events = Vec::new();
    parser.finish(|event: provstream::Event<'_>| collect(event, &mut events));
    check(&events, from)?;
    Ok(moves)
}

#[test]
fn no_cut_brings_back_a_sentence_that_was_over() {
    // Without its first letters, what is before each full stop keeps it from ending a sentence.
    for before in [
        "In Africa. 5",
        "Im Mai. The",
        "It rained. said",
        "Area 51. Mai",
        "\"So?\" The",
    ] {
        for max in 8..60 {
            let text = format!("{before} of them {}", "go on and ".repeat(8));
            let limits = RefLimits {
                max_assertion: max,
                ..RefLimits::default()
            };
            for end in 1..text.len() {
                let input = format!("{} [substrate.grep]", &text[..end]);
                let short = Short {
                    reading: Reading {
                        mode: RefMode::Text,
                        hold_records: false,
                    },
                    input: vec![Segment {
                        own: true,
                        bytes: input.into_bytes(),
                        after_break: false,
                    }],
                };
                let read = read_asking(&short, &limits, 1, &mut Cuts(0));
                assert!(read.is_ok(), "{short:?}, at most {max}: {read:?}");
            }
        }
    }
}

/// Checks that no assertion begins before the release point, cut or not.
fn check(events: &[Ev], from: u64) -> Result<(), String> {
    for event in events {
        if let Ev::Assertion { extent, .. } = event
            && extent.span.0 < from
        {
            return Err(format!("release point {from}, then {event:?}"));
        }
    }
    Ok(())
}

/// A part of an input that is taken at once.
pub(crate) enum Piece<'a> {
    Own(&'a [u8]),
    Untrusted(&'a [u8]),
    Break,
}

impl Piece<'_> {
    fn feed(&self, parser: &mut Parser, events: &mut Vec<Ev>) {
        match self {
            Self::Own(chunk) => feed(parser, true, chunk, events),
            Self::Untrusted(chunk) => feed(parser, false, chunk, events),
            Self::Break => parser.push_break(|event: provstream::Event<'_>| collect(event, events)),
        }
    }

    /// Gives it to a gate.
    pub(crate) fn gate<P: Policy>(&self, gate: &mut Gate<P>, handler: impl GateHandler) {
        match self {
            Self::Own(chunk) => gate.push(chunk, handler),
            Self::Untrusted(chunk) => gate.push_untrusted(chunk, handler),
            Self::Break => gate.push_break(handler),
        }
    }
}

/// The chunks and breaks of an input.
pub(crate) fn cut<'a>(input: &'a [Segment], most: usize, cuts: &mut Cuts) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    for segment in input {
        if segment.after_break {
            pieces.push(Piece::Break);
        }
        let mut rest = &segment.bytes[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at((1 + cuts.below(most)).min(rest.len()));
            pieces.push(if segment.own {
                Piece::Own(now)
            } else {
                Piece::Untrusted(now)
            });
            rest = later;
        }
    }
    pieces
}

#[test]
fn no_assertion_begins_before_the_release_point() {
    let mut moves = 0;
    for seed in seeds(STREAMS) {
        let short = broken(seed, 120);
        let mut cuts = Cuts(seed);
        let limits = if seed % 2 == 0 {
            RefLimits::default()
        } else {
            RefLimits {
                max_assertion: 4 + cuts.below(if seed % 4 == 1 { 60 } else { 300 }),
                ..RefLimits::default()
            }
        };
        for most in [1, 4, 16, 2000] {
            match read_asking(&short, &limits, most, &mut cuts) {
                Ok(moved) => moves += moved,
                Err(what) => panic!(
                    "seed {seed}, chunks up to {most}, {limits:?}, {:?}: {what}\n{:?}",
                    short.reading,
                    short
                        .input
                        .iter()
                        .map(|s| (s.own, s.bytes.escape_ascii().to_string()))
                        .collect::<Vec<_>>()
                ),
            }
        }
    }
    assert!(moves > 1_000, "{moves}");
}

#[test]
fn asking_after_each_chunk_or_once_is_the_same() {
    for seed in seeds(STREAMS) {
        let short = broken(seed, 60);
        let limits = RefLimits::default();
        let mut cuts = Cuts(seed);
        let mut often = parser(&short, &limits);
        let mut once = parser(&short, &limits);
        for piece in cut(&short.input, 12, &mut cuts) {
            piece.feed(&mut often, &mut Vec::new());
            piece.feed(&mut once, &mut Vec::new());
            let alone = once.clone().undecided_from();
            assert_eq!(often.undecided_from(), alone, "seed {seed}, {short:?}");
        }
    }
}

/// Punctuation after a bracket that may have been meant as an annotation is part of the slot as soon as its first byte is there.
#[test]
fn a_part_of_a_character_does_not_end_the_slot() {
    for (slot, after) in [("[a.b]", "”"), ("[a.b; x=1]", "。"), ("[a-b]", "\u{3000}")] {
        let text = format!("It rains.\n\n{slot}{after} [substrate.grep]");
        for len in 1..text.len() {
            let mut parser = Parser::new();
            parser.push(&text.as_bytes()[..len], ());
            assert_eq!(parser.undecided_from(), 0, "{:?}", &text.as_bytes()[..len]);
        }
    }
}

/// Building blocks of texts that `max_assertion` truncates: whole characters, parts of characters,
/// and bytes that are not UTF-8.
const PARTS: [&[u8]; 24] = [
    b" ",
    b"\n",
    b"\n\n",
    b". ",
    b"| ",
    b" |\n",
    b"\n> ",
    b"\n- ",
    b"\n# ",
    b"\n```\n",
    b"[subst",
    b"[substrate.grep]",
    "\u{3000}".as_bytes(),
    "\u{2003}".as_bytes(),
    "\u{FF01}".as_bytes(),
    b"\xEF\xBC",
    b"x",
    "\u{E9}".as_bytes(),
    "\u{20AC}".as_bytes(),
    "\u{1F680}".as_bytes(),
    b"\x9F",
    b"\xF0\x9A\x80",
    b"\xF0\x9F",
    b"\xE2\x80",
];

#[test]
fn a_cut_in_a_value_in_a_fenced_block_does_not_depend_on_chunks() {
    let limits = RefLimits {
        max_assertion: 4,
        ..RefLimits::default()
    };
    for text in [
        "```\n[\n\"Nx",
        "```\n[1,\n  2,\n\n  33, ",
        "> ~~~\n> {\"a\":\n> \"bcde\"",
    ] {
        let reading = Reading::new(RefMode::Auto);
        let mut whole = parser_in(reading, &limits, &RefVocabulary::default());
        feed(&mut whole, true, text.as_bytes(), &mut Vec::new());
        let mut often = parser_in(reading, &limits, &RefVocabulary::default());
        for byte in text.bytes() {
            feed(&mut often, true, &[byte], &mut Vec::new());
            let _ = often.undecided_from();
        }
        assert_eq!(often.undecided_from(), whole.undecided_from(), "{text:?}");
    }
}

#[test]
fn a_cut_within_a_character_does_not_depend_on_chunks() {
    let limits = RefLimits {
        max_annotation: 32,
        max_assertion: 29,
        max_pending: 58,
        ..RefLimits::default()
    };
    let reading = Reading {
        mode: RefMode::Auto,
        hold_records: false,
    };
    for seed in seeds(STREAMS) {
        let mut choices = Cuts(seed);
        let mut bytes = Vec::new();
        while bytes.len() < 400 {
            // Mostly characters, so that the limit cuts.
            let first = if choices.below(3) == 0 { 0 } else { 16 };
            bytes.extend_from_slice(PARTS[first + choices.below(PARTS.len() - first)]);
        }
        let size = 1 + choices.below(70);
        let vocabulary = RefVocabulary::default();
        let mut often = parser_in(reading, &limits, &vocabulary);
        let mut asked = 0;
        for chunk in bytes.chunks(size) {
            feed(&mut often, true, chunk, &mut Vec::new());
            asked = often.undecided_from();
        }
        let mut once = parser_in(reading, &limits, &vocabulary);
        feed(&mut once, true, &bytes, &mut Vec::new());
        let text = bytes.escape_ascii();
        assert_eq!(
            asked,
            once.undecided_from(),
            "seed {seed}, {size} bytes: {text}"
        );
    }
}

/// Closing punctuation that is longer than an assertion may be is one whose beginning was cut off, unless text follows it.
#[test]
fn closing_punctuation_before_a_line_separator_may_be_an_assertion() {
    let ends = [
        "\u{2028}",
        " \u{2028}",
        "> \u{2029}",
        " > \u{85} ",
        "\n",
        " ",
        "\u{2028}\u{201D}",
    ];
    let later = [
        "[substrate.grep]",
        "x. [substrate.grep]",
        "\u{201D} [substrate.grep]",
    ];
    for (max_assertion, count) in [(20, 9), (20, 20), (20, 30), (4096, 4090), (4096, 5000)] {
        let limits = RefLimits {
            max_assertion,
            ..RefLimits::default()
        };
        let reading = Reading::new(RefMode::Auto);
        for (end, later, closer) in ends.iter().flat_map(|end| {
            let both = [")", "\""];
            later
                .iter()
                .flat_map(move |later| both.map(|closer| (end, later, closer)))
        }) {
            let text = format!("{}{end}{later}", closer.repeat(count));
            for size in [1, 3, 16, 10_000] {
                let mut parser = parser_in(reading, &limits, &RefVocabulary::default());
                let (mut asked, mut events) = (0, Vec::new());
                for chunk in text.as_bytes().chunks(size) {
                    let before = events.len();
                    feed(&mut parser, true, chunk, &mut events);
                    let found = check(&events[before..], asked);
                    assert_eq!(
                        found,
                        Ok(()),
                        "{count} x {closer:?}, {end:?}, {later:?}, by {size}"
                    );
                    asked = parser.undecided_from();
                }
            }
        }
    }
}

#[test]
fn the_guide_shows_release_points() {
    let guide = include_str!("../../docs/gate.md");
    let (_, section) = guide.split_once("## The release point").expect("a section");
    let (section, _) = section.split_once("## What").expect("another section");
    let rows = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 6);
    for (text, rest) in rows {
        let expected = rest
            .split(' ')
            .next()
            .and_then(|number| number.parse().ok());
        let mut parser = Parser::new();
        parser.push(text.as_bytes(), ());
        assert_eq!(Some(parser.undecided_from()), expected, "{text}");
    }
}
