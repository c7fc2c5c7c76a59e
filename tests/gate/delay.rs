//! How much of the corpus' transcripts a gate that releases everything holds back, and for how long.

use provstream::{Action, Gate, GateHandler, Handler, Parser, Policy, Question, TextChunk};

/// Releases everything.
struct All;

impl Policy for All {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Release
    }
}

/// Where the text of assertions ends, in the clean text and in the stream, and how much clean text is released.
#[derive(Default)]
struct Seen {
    ends: Vec<(u64, u64)>,
    upto: u64,
}

impl Handler for Seen {}

impl GateHandler for Seen {
    fn released(&mut self, text: TextChunk<'_>) {
        self.upto = text.span().end();
    }

    fn decided(&mut self, question: &Question<'_>, _: &Action) {
        let span = question.assertion().span();
        self.ends.push((question.clean_span().end(), span.end()));
    }
}

/// What was measured over all transcripts.
#[derive(Debug, Default)]
struct Figures {
    bytes: usize,
    held: usize,
    most_held: usize,
    assertions: u64,
    delay: u64,
    most_delay: u64,
}

#[test]
fn transcripts_are_held_back_for_about_a_sentence() {
    let folder = testkit::root().join("corpus/transcripts");
    let mut figures = Figures::default();
    for entry in std::fs::read_dir(folder).expect("a corpus folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|end| end == "txt") {
            measure(&std::fs::read(path).expect("a readable file"), &mut figures);
        }
    }
    let average = figures.held / figures.bytes;
    let delay = figures.delay / figures.assertions;
    println!(
        "{figures:?}: {average} bytes held on average, released after {delay} bytes on average"
    );
    assert!(figures.assertions > 50, "{figures:?}");
    assert!(
        average < MOST_AVERAGE && figures.most_held < MOST_HELD,
        "{average}, {figures:?}"
    );
    assert!(delay < MOST_DELAY, "{delay}, {figures:?}");
}

/// Bytes held back on average, and at most.
const MOST_AVERAGE: usize = 80;
const MOST_HELD: usize = 260;

/// Bytes of the stream from the end of an assertion's text to its release, on average: mostly its annotations.
const MOST_DELAY: u64 = 100;

fn measure(text: &[u8], figures: &mut Figures) {
    let mut seen = Seen::default();
    let mut gate = Gate::new(Parser::new(), All);
    let mut waiting: Vec<(u64, u64)> = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        gate.push(&[*byte], &mut seen);
        figures.bytes += 1;
        figures.held += gate.held_len();
        figures.most_held = figures.most_held.max(gate.held_len());
        let now = at as u64 + 1;
        waiting.append(&mut seen.ends);
        waiting.retain(|&(end, since)| {
            let released = seen.upto >= end;
            if released {
                figures.assertions += 1;
                figures.delay += now - since;
                figures.most_delay = figures.most_delay.max(now - since);
            }
            !released
        });
    }
    gate.finish(&mut seen);
}
