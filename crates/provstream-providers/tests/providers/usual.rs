//! Events like the one before, which are taken in one pass, are reported and written as those that come in pieces, which never
//! are.

use provstream::{BracketAnnotation, Event, Handler, Parser, Replacement, TextChunk};
use provstream_providers::{
    ChannelPosition, Format, Item, ReadReport, StreamHandler, StreamRewriter,
};
use testkit::wire::generate::{Random, stream};
use testkit::wire::output::any;

/// Streams of each kind: 30, or as many as `PROVSTREAM_SEEDS` says.
fn seeds() -> u64 {
    testkit::search::seeds(30)
}

/// Everything that a rewriter reports and writes, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Calls(Vec<Call>);

#[derive(Clone, Debug, PartialEq)]
enum Call {
    /// Text from an offset on; pieces that touch are one.
    Text(u64, Vec<u8>),
    Bytes(Vec<u8>),
    Other(String),
}

impl Calls {
    fn other(&mut self, what: String) {
        self.0.push(Call::Other(what));
    }

    /// All bytes that were written.
    fn written(&self) -> Vec<u8> {
        let bytes = self.0.iter().filter_map(|call| match call {
            Call::Bytes(bytes) => Some(&**bytes),
            _ => None,
        });
        bytes.collect::<Vec<_>>().concat()
    }
}

impl Handler for Calls {
    fn text(&mut self, text: TextChunk<'_>) {
        let at = text.span().start();
        match self.0.last_mut() {
            Some(Call::Text(from, before)) if *from + before.len() as u64 == at => {
                before.extend_from_slice(text.bytes());
            }
            _ => self.0.push(Call::Text(at, text.bytes().to_vec())),
        }
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.other(format!("{annotation:?}"));
        match annotation.raw().len() % 3 {
            0 => Replacement::Keep,
            1 => Replacement::from("(1)"),
            _ => Replacement::Remove,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.other(format!("{event:?}"));
    }

    fn end(&mut self) {
        self.other("end".to_owned());
    }
}

impl StreamHandler for Calls {
    fn bytes(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty());
        match self.0.last_mut() {
            Some(Call::Bytes(before)) => before.extend_from_slice(bytes),
            _ => self.0.push(Call::Bytes(bytes.to_vec())),
        }
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.other(format!("{position:?}"));
    }

    fn item(&mut self, item: Item<'_>) {
        self.other(format!("{item:?}"));
    }

    fn report(&mut self, report: &ReadReport) {
        self.other(format!("{report:?}"));
    }
}

/// Returns the handler's calls for chunks, and the number of chunks that `push_or_pass` passed, if it is used.
fn calls<'c>(
    rewriter: &StreamRewriter,
    chunks: impl Iterator<Item = &'c [u8]>,
    asks: bool,
) -> (Calls, usize) {
    let (mut rewriter, mut calls, mut passed) = (rewriter.clone(), Calls::default(), 0);
    for chunk in chunks {
        if !asks {
            rewriter.push(chunk, any(&mut calls));
        } else if rewriter.push_or_pass(chunk, any(&mut calls)) {
            calls.bytes(chunk);
            passed += 1;
        }
    }
    rewriter.finish(any(&mut calls));
    (calls, passed)
}

/// Pieces of random lengths.
fn cut<'s>(bytes: &'s [u8], random: &mut Random) -> Vec<&'s [u8]> {
    let (mut pieces, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let len = [1, 7, 60, 200, 900, 5_000][random.below(6)].min(rest.len());
        let (piece, later) = rest.split_at(len);
        pieces.push(piece);
        rest = later;
    }
    pieces
}

/// Compares all ways to push a stream of events with pushing single bytes; gives how many events were passed on as they are.
fn compare(rewriter: &StreamRewriter, events: &[Vec<u8>], random: &mut Random) -> usize {
    let all = events.concat();
    let (expected, _) = calls(rewriter, all.chunks(1), false);
    let what = || format!("{}", String::from_utf8_lossy(&all));
    let mut several = Vec::new();
    let mut rest = events;
    while !rest.is_empty() {
        let (now, later) = rest.split_at((1 + random.below(4)).min(rest.len()));
        several.push(now.concat());
        rest = later;
    }
    let by_event = || events.iter().map(Vec::as_slice);
    let whole = || core::iter::once(&*all);
    let several = || several.iter().map(Vec::as_slice);
    let pieces = cut(&all, random);
    let pieces = || pieces.iter().copied();
    assert_eq!(calls(rewriter, by_event(), false).0, expected, "{}", what());
    for asks in [false, true] {
        assert_eq!(calls(rewriter, whole(), asks).0, expected, "{}", what());
        assert_eq!(calls(rewriter, several(), asks).0, expected, "{}", what());
        assert_eq!(calls(rewriter, pieces(), asks).0, expected, "{}", what());
    }
    let (asked, passed) = calls(rewriter, by_event(), true);
    assert_eq!(asked, expected, "{}", what());
    assert_eq!(asked.written(), expected.written());
    passed
}

/// The events of a stream of lines or of server-sent events.
fn events(stream: &[u8]) -> Vec<Vec<u8>> {
    let end: &[u8] = match stream.starts_with(b"{") {
        true => b"\n",
        false => b"\n\n",
    };
    let mut events = vec![Vec::new()];
    for byte in stream {
        let last = events.last_mut().expect("an event");
        last.push(*byte);
        if last.ends_with(end) {
            events.push(Vec::new());
        }
    }
    events.retain(|event| !event.is_empty());
    events
}

#[test]
fn made_up_streams_are_the_same_however_they_are_taken() {
    let mut passed = 0;
    for format in Format::ALL {
        for seed in 0..seeds() {
            let stream = stream(format, seed);
            let mut random = Random::new(seed + 5);
            let rewriter = match random.one_in(2) {
                true => StreamRewriter::new(format, Parser::new()),
                false => StreamRewriter::detect(Parser::new()),
            };
            passed += compare(&rewriter, &events(&stream), &mut random);
        }
    }
    assert!(passed > seeds() as usize, "{passed} events");
}

/// Bytes of an event before and after its text; `#` is a number that increases, `~` a string that differs from event
/// to event.
const SHAPES: [(Format, &str, &str); 8] = [
    (
        Format::OpenAiChat,
        r#"data: {"id":"c","choices":[{"index":0,"delta":{"content":""#,
        "\"},\"logprobs\":null,\"finish_reason\":null}],\"obfuscation\":\"~\"}\n\n",
    ),
    (
        Format::OpenAiChat,
        r#"data: {"choices":[{"delta":{"role":"assistant","content":""#,
        "\"},\"index\":0,\"logprobs\":[]}],\"id\":\"c\"}\n\n",
    ),
    (
        Format::OpenAiChat,
        r#"data:{"p":"~","choices":[{"index":0,"text":""#,
        "\",\"logprobs\":null}]}\n\n",
    ),
    (
        Format::OpenAiResponses,
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":#,\"output_index\":0,\"content_index\":0,\"delta\":\"",
        "\",\"logprobs\":[],\"obfuscation\":\"~\"}\n\n",
    ),
    (
        Format::OpenAiResponses,
        "event: response.output_text.delta\ndata: {\"content_index\":0,\"delta\":\"",
        "\",\"output_index\":0,\"sequence_number\":#,\"type\":\"response.output_text.delta\"}\n\n",
    ),
    (
        Format::Anthropic,
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"",
        "\"}}\n\n",
    ),
    (
        Format::Ollama,
        r#"{"model":"m","created_at":"~","message":{"role":"assistant","content":""#,
        "\"},\"done\":false}\n",
    ),
    (
        Format::Cohere,
        "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"",
        "\"}}}}\n\n",
    ),
];

const TEXTS: [&str; 24] = [
    "It",
    " is",
    " so",
    ".",
    " The build",
    " runs",
    " Grüße",
    "😀",
    "word",
    " a",
    " ",
    "  ",
    "[",
    " [sub",
    "strate",
    ".grep",
    "]",
    "[1]",
    "`",
    " [substrate.grep]",
    "- x",
    "{x",
    "\u{2028}",
    " a passage of more than sixteen bytes, and of more than thirty-two",
];

/// Values in a place for text that the fast path must not handle.
const ODD: [&[u8]; 9] = [
    b"",
    b"\\n",
    b"\\ud83d",
    b"\\ude00",
    b"\t",
    b"a\nb",
    b"a\rdata: b",
    b"\xFF",
    b"\"",
];

/// An event of a shape with a text, which differs from the one before in what its shape says.
fn event((before, after): (&str, &str), text: &[u8], number: usize, varying: &str) -> Vec<u8> {
    let fill = |part: &str| part.replace('#', &number.to_string()).replace('~', varying);
    [fill(before).as_bytes(), text, fill(after).as_bytes()].concat()
}

/// Changes an event into one that is nearly like it.
fn change(mut event: Vec<u8>, random: &mut Random) -> Vec<Vec<u8>> {
    const INSERTED: [&[u8]; 8] = [b"\n", b"\r", b" ", b"\"", b"\\", b",", b"1", b"data: {}\n"];
    let at = random.below(event.len());
    match random.below(12) {
        0 => event[at] ^= 1 << random.below(7),
        1 => event.truncate(at),
        2 => {
            let insert = INSERTED[random.below(INSERTED.len())];
            event.splice(at..at, insert.iter().copied());
        }
        3 => return vec![b": comment\n\n".to_vec(), event],
        4 => return vec![b":\n".to_vec(), event, b"\n".to_vec()],
        5 => {
            // Its lines end with CR LF.
            let text = String::from_utf8_lossy(&event).replace('\n', "\r\n");
            event = text.into_bytes();
        }
        6 => {
            let text = String::from_utf8_lossy(&event);
            event = text.replacen(":0", ":1", 1).into_bytes();
        }
        7 => {
            let text = String::from_utf8_lossy(&event);
            let finished = text.replacen("\"finish_reason\":null", "\"finish_reason\":\"stop\"", 1);
            event = finished.replacen("false}", "true}", 1).into_bytes();
        }
        8..=10 => {
            // In the data of an event over two lines, a line feed is where a client sees one; by itself it ends the data.
            let text = String::from_utf8_lossy(&event);
            let lines = ["{\ndata: ", "{\n"][random.below(2)];
            event = text.replacen('{', lines, 1).into_bytes();
        }
        _ => {
            let others = [
                "data: [DONE]\n\n",
                "data: {\"type\":\"ping\"}\n\n",
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\"}}]}}]}\n\n",
                "data: {\"error\":{\"message\":\"no\"}}\n\n",
                "id: 7\nretry: 5\n\n",
            ];
            let other = others[random.below(others.len())];
            return vec![event, other.as_bytes().to_vec()];
        }
    }
    vec![event]
}

/// Data over two lines are joined with a line feed, but a line feed within one line of data ends it.
#[test]
fn an_event_like_one_of_two_lines_of_data_is_read_by_itself() {
    let one = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}\n\n";
    let two = "data: {\"choices\":[\ndata: {\"index\":0,\"delta\":{\"content\":\"y\"}}]}\n\n";
    let broken =
        "data: {\"choices\":[\n{\"index\":0,\"delta\":{\"content\":\"z [substrate.grep]\"}}]}\n\n";
    let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let all = [one, two, broken].concat();
    let (expected, _) = calls(&rewriter, all.as_bytes().chunks(1), false);
    for cut in 1..two.len() {
        let (before, after) = two.split_at(cut);
        let chunks = [one, before, after, broken].map(str::as_bytes);
        for asks in [false, true] {
            let (found, _) = calls(&rewriter, chunks.into_iter(), asks);
            assert_eq!(found, expected, "cut at {cut}");
        }
    }
}

#[test]
fn events_nearly_like_the_one_before_are_the_same_however_they_are_taken() {
    let mut passed = 0;
    // The events that are added are not copies of so long a one.
    let long = format!("{} [sub", "long ".repeat(900));
    for (format, before, after) in SHAPES {
        for seed in 0..seeds() {
            let mut random = Random::new(seed + 77);
            let count = 4 + random.below(30);
            let rarely = 3 + random.below(12);
            let mut number = [0, 7, 98, usize::MAX - 3][random.below(4)];
            let mut all = Vec::new();
            for _ in 0..count {
                number = number.wrapping_add(1);
                let text = match random.one_in(rarely) {
                    true if random.one_in(9) => long.as_bytes(),
                    true => ODD[random.below(ODD.len())],
                    false => TEXTS[random.below(TEXTS.len())].as_bytes(),
                };
                let varying = ["a", "bb", "", "c\\\"", "0:0"][random.below(5)];
                let event = event((before, after), text, number, varying);
                match random.one_in(rarely) {
                    true => all.extend(change(event, &mut random)),
                    false => all.push(event),
                }
            }
            all.retain(|event| !event.is_empty());
            let mut rewriter = match random.one_in(3) {
                true => StreamRewriter::detect(Parser::new()),
                false => StreamRewriter::new(format, Parser::new()),
            };
            if random.one_in(4) {
                rewriter = rewriter.with_max_event(all[0].len() + random.below(9));
            }
            passed += compare(&rewriter, &all, &mut random);
        }
    }
    let least = 2 * seeds() as usize;
    assert!(passed > least, "{passed} events");
}

/// Most events of a stream are passed on as they are, and none of those that an annotation is in.
#[test]
fn events_that_stay_are_passed_on() {
    for (format, before, after) in SHAPES {
        let texts = [
            "It",
            " is",
            " so",
            ".",
            " [sub",
            "strate.grep]",
            " Then",
            " we",
            " go",
            " on",
            ".",
        ];
        let events: Vec<_> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| {
                event(
                    (before, after),
                    text.as_bytes(),
                    number,
                    &format!("{number:04}"),
                )
            })
            .collect();
        let mut rewriter = StreamRewriter::new(format, Parser::new());
        let passed = events
            .iter()
            .map(|event| rewriter.push_or_pass(event, ()))
            .collect::<Vec<_>>();
        // The first three show what differs from event to event.
        assert_eq!(passed[3..6], [true, false, false], "{format} {before}");
        assert!(
            passed[7..].iter().all(|passed| *passed),
            "{format} {before}: {passed:?}"
        );
    }
}

/// Two deltas of one number show that numbers name choices: the choice that comes then is another text.
#[test]
fn the_second_event_shows_what_numbers_are() {
    let (format, before, after) = SHAPES[0];
    let other = before.replace("\"index\":0", "\"index\":1");
    let events = [(before, "It"), (before, " is"), (&other, "So")];
    let events = events.map(|(before, text)| event((before, after), text.as_bytes(), 0, "a"));
    let rewriter = StreamRewriter::new(format, Parser::new());
    compare(&rewriter, &events, &mut Random::new(1));
    let (calls, _) = calls(&rewriter, events.iter().map(Vec::as_slice), true);
    let is_second = |call: &Call| matches!(call, Call::Text(0, text) if text == b"So");
    assert!(calls.0.iter().any(is_second), "{calls:?}");
}

/// After an event that was added, the numbers of all others are raised, also of those like the one before. Another one is added at
/// the end.
#[test]
fn numbers_go_on_after_an_event_that_was_added() {
    let (format, before, after) = SHAPES[3];
    let done = "event: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"sequence_number\":3,\"output_index\":0,\"content_index\":0,\"text\":\"It is [sub\"}\n\n";
    let second = before.replace("\"content_index\":0", "\"content_index\":1");
    let first = ["It", " is", " [sub"].iter().enumerate();
    let first = first.map(|(number, text)| event((before, after), text.as_bytes(), number, "a"));
    let later = ["A", " b", " c", " [sub", "x"].iter().enumerate();
    let later =
        later.map(|(number, text)| event((&second, after), text.as_bytes(), 4 + number, "a"));
    let events: Vec<Vec<u8>> = first
        .chain([done.as_bytes().to_vec()])
        .chain(later)
        .collect();
    let rewriter = StreamRewriter::new(format, Parser::new());
    compare(&rewriter, &events, &mut Random::new(1));
    let (calls, _) = calls(&rewriter, events.iter().map(Vec::as_slice), true);
    let out = String::from_utf8(calls.written()).expect("UTF-8");
    let numbers = out.split("\"sequence_number\":").skip(1);
    let numbers: Vec<usize> = numbers
        .filter_map(|rest| rest.split(',').next()?.parse().ok())
        .collect();
    assert_eq!(numbers, (0..11).collect::<Vec<_>>(), "{out}");
}

/// No number is raised above the largest one of 64 bits.
#[test]
fn numbers_end_at_the_largest_one() {
    let (format, before, after) = SHAPES[3];
    let second = before.replace("\"content_index\":0", "\"content_index\":1");
    let texts = [
        (before, "It [sub"),
        (&second, "A [sub"),
        (before, "x"),
        (&second, "y"),
    ];
    let event = |(place, (before, text)): (usize, (&str, &str))| {
        event(
            (before, after),
            text.as_bytes(),
            usize::MAX - 3 + place,
            "a",
        )
    };
    let events: Vec<Vec<u8>> = texts.into_iter().enumerate().map(event).collect();
    let end = br#"data: {"type":"response.output_text.done","output_index":0,"content_index":0,"text":"It [subx"}

"#;
    let mut with_end = events.clone();
    with_end.insert(3, end.to_vec());
    for events in [events, with_end] {
        let rewriter = StreamRewriter::new(format, Parser::new());
        compare(&rewriter, &events, &mut Random::new(1));
    }
}

/// Recorded streams, which are beside the repository where there are any.
#[test]
fn recorded_streams_are_the_same_however_they_are_taken() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/streams");
    let Ok(files) = std::fs::read_dir(folder) else {
        eprintln!("!!! SKIPPED: there is no folder {folder}, so no recorded stream is compared");
        return;
    };
    for file in files {
        let path = file.expect("a file").path();
        let is_stream = |end: &std::ffi::OsStr| end == "sse" || end == "ndjson";
        if !path.extension().is_some_and(is_stream) {
            continue;
        }
        let stream = std::fs::read(&path).expect("a stream");
        let events = events(&stream);
        let rewriter = StreamRewriter::detect(Parser::new());
        let passed = compare(&rewriter, &events, &mut Random::new(3));
        println!("{}: {passed} of {} pieces", path.display(), events.len());
    }
}
