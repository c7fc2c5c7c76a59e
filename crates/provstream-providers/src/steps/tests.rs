//! The work follows the length of an event: what is counted for n bytes, against what is counted for 16 n.

use super::counted;
use super::events::{EventShape, GeneratedNumbers, GeneratedTexts, RepetitionPoint, places};
use crate::{Decoder, Format, Reasoning, StreamGate, StreamRewriter};
use provstream::{Action, Parser, Policy, Question};

/// Ratio of the lengths of the two events.
const TIMES: usize = 16;

/// Allowed ratio of the costs of one byte in the longer and the shorter event.
const GROWTH: f64 = 1.2;

/// So few steps for a byte are no sign of growth: what is there once differs, such as what is held back at the end.
const FEW: f64 = 6.0;

/// Bytes of the shorter event. Both are shorter than what is held back of a stream, or both are longer.
fn len() -> usize {
    match testkit::search::is_long() {
        true => 1 << 20,
        false => 3 << 10,
    }
}

/// Withholds what nothing corroborates.
#[derive(Clone, Copy, Debug)]
struct Corroborated;

impl Policy for Corroborated {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let mut classes = question.assertion().classes();
        match classes.any(|class| class.as_str() == "unverified-inference") {
            true => Action::Replace("(withheld)".into()),
            false => Action::Release,
        }
    }
}

/// Reader of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Decoder,
    Strip(Reasoning),
    Gate(Reasoning),
}

impl Reader {
    const ALL: [Self; 6] = [
        Self::Decoder,
        Self::Strip(Reasoning::Leave),
        Self::Strip(Reasoning::Rewrite),
        Self::Gate(Reasoning::Leave),
        Self::Gate(Reasoning::Rewrite),
        Self::Gate(Reasoning::Drop),
    ];

    fn read(self, format: Format, response: &[u8]) {
        match self {
            Self::Decoder => {
                let mut decoder = Decoder::new(format);
                decoder.push(response, |_| {});
                decoder.finish(|_| {});
            }
            Self::Strip(reasoning) => {
                let rewriter = StreamRewriter::new(format, Parser::new());
                let mut rewriter = rewriter.with_reasoning(reasoning);
                rewriter.push(response, ());
                rewriter.finish(());
            }
            Self::Gate(reasoning) => {
                let gate = StreamGate::new(format, Parser::new(), Corroborated);
                let mut gate = gate.with_reasoning(reasoning);
                gate.push(response, ());
                gate.finish(());
            }
        }
    }

    /// Steps for each byte that something repeated adds to a response.
    fn steps(self, place: &RepetitionPoint, shape: EventShape, len: usize) -> f64 {
        let count = |len| {
            let response = place.response(shape, len);
            let steps = counted(|| self.read(place.format(), &response));
            (response.len() as f64, steps as f64)
        };
        let ((bytes_of_one, steps_of_one), (bytes, steps)) = (count(0), count(len));
        (steps - steps_of_one) / (bytes - bytes_of_one)
    }
}

/// One or two shapes of the events of a place, other ones for other places: all of them would be 96 times the work.
fn shapes(seed: usize) -> impl Iterator<Item = EventShape> {
    let texts = [
        GeneratedTexts::Annotated,
        GeneratedTexts::Short,
        GeneratedTexts::Empty,
        GeneratedTexts::Orphans,
    ];
    let numbers = [
        GeneratedNumbers::Zero,
        GeneratedNumbers::Few,
        GeneratedNumbers::Distinct,
    ];
    let shapes = (0..96).map(move |way: usize| EventShape {
        texts: texts[way % 4],
        numbers: numbers[way / 4 % 3],
        is_wide: (way / 12).is_multiple_of(2),
        is_body: !(way / 24).is_multiple_of(2),
        open: if (way / 48).is_multiple_of(2) { 1 } else { 200 },
    });
    shapes.skip(seed % 95).step_by(95)
}

fn compare(place: &RepetitionPoint, shape: EventShape, reader: Reader) -> Option<String> {
    let short = reader.steps(place, shape, len());
    let long = reader.steps(place, shape, TIMES * len());
    assert!(
        long > 0.5,
        "{}: only {long} a byte were counted",
        place.name()
    );
    (long > FEW.max(GROWTH * short)).then(|| {
        let name = place.name();
        format!("{name}, {shape:?}, {reader:?}: {short:.2} a byte, then {long:.2}")
    })
}

#[test]
fn a_place_that_repeats_a_text_is_not_searched_for_each_assertion() {
    let text: String = (0..1_000)
        .map(|number| format!("Number {number} is odd. [unverified-inference] "))
        .collect();
    let delta = format!(r#"{{"type":"response.output_text.delta","delta":"{text}"}}"#);
    let repeated = "And so it goes on, and on, and on. ".repeat(10);
    let done = format!(r#"{{"type":"response.output_text.done","text":"{repeated}"}}"#);
    let response =
        |times: usize| format!("data: {delta}\n\n") + &format!("data: {done}\n\n").repeat(times);
    let steps = |times| {
        let response = response(times);
        let gate = Reader::Gate(Reasoning::Leave);
        counted(|| gate.read(Format::OpenAiResponses, response.as_bytes()))
    };
    let each = (steps(101) - steps(1)) / 100;
    assert!(each < 10_000, "{each}");
}

#[test]
fn a_byte_of_an_event_costs_no_more_in_a_longer_one() {
    let found: Vec<_> = std::thread::scope(|scope| {
        let compare = |format| scope.spawn(move || compare_places(format));
        let threads: Vec<_> = Format::ALL.into_iter().map(compare).collect();
        let found = threads.into_iter().map(|thread| thread.join());
        found.flat_map(|found| found.expect("compared")).collect()
    });
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

fn compare_places(format: Format) -> Vec<String> {
    let mut found = Vec::new();
    for (seed, place) in places(format).iter().enumerate() {
        for (number, shape) in shapes(seed).enumerate() {
            for (at, reader) in Reader::ALL.into_iter().enumerate() {
                if (seed + number + at) % 3 == 0 {
                    found.extend(compare(place, shape, reader));
                }
            }
        }
    }
    found
}
