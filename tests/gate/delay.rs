//! Bytes of the corpus' transcripts that a releasing gate holds back, and for how long.

use provstream::{
    Action, Gate, GateHandler, Handler, Parser, Policy, Question, Rewriter, TextChunk,
};

/// Releases everything.
struct All;

impl Policy for All {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Release
    }
}

/// Ends of assertions in the clean text and in the stream with the clean text released by then, and
/// the clean text released so far.
#[derive(Default)]
struct Seen {
    ends: Vec<(u64, u64, u64)>,
    upto: u64,
}

impl Handler for Seen {}

impl GateHandler for Seen {
    fn released(&mut self, text: TextChunk<'_>) {
        self.upto = text.span().end();
    }

    fn decided(&mut self, question: &Question<'_>, _: &Action) {
        let assertion = question.assertion();
        let annotated = assertion.annotations().map(|one| one.span());
        let annotated = annotated.map(provstream::Span::end).max();
        let end = assertion.span().end();
        let clean = question.clean_span().end();
        self.ends
            .push((clean, end, annotated.unwrap_or(end).max(end)));
    }
}

/// Measurements over all transcripts.
#[derive(Debug, Default)]
struct Figures {
    bytes: usize,
    held: usize,
    most_held: usize,
    assertions: u64,
    delay: u64,
    most_delay: u64,
    /// Bytes that were certain and not released, at most.
    most_late: u64,
    /// Bytes of the stream from the end of an assertion's last annotation to its release, at most and in all.
    most_after: u64,
    after: u64,
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
    let after = figures.after / figures.assertions;
    println!(
        "{figures:?}: {average} bytes held on average, released after {delay} bytes on average, {after} after the annotations"
    );
    // What is certain is released with the byte that makes it so, but for a character whose rest is missing.
    assert!(figures.most_late <= 3, "{figures:?}");
    assert!(figures.most_after <= MOST_AFTER, "{figures:?}");
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

/// Bytes of the stream from the end of an assertion's last annotation to its release: none of them is as long as a sentence.
const MOST_AFTER: u64 = 12;

/// Bytes of the stream from the end of an assertion's text to its release, on average: mostly its annotations.
const MOST_DELAY: u64 = 100;

fn measure(text: &[u8], figures: &mut Figures) {
    let mut seen = Seen::default();
    let mut gate = Gate::new(Parser::new(), All);
    let mut certain = Rewriter::new(Parser::new());
    let mut waiting: Vec<(u64, u64, u64)> = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        gate.push(&[*byte], &mut seen);
        certain.push(&[*byte], ());
        let late = certain.undecided_from().saturating_sub(seen.upto);
        figures.most_late = figures.most_late.max(late);
        figures.bytes += 1;
        figures.held += gate.held_len();
        figures.most_held = figures.most_held.max(gate.held_len());
        let now = at as u64 + 1;
        waiting.append(&mut seen.ends);
        waiting.retain(|&(end, since, annotated)| {
            let released = seen.upto >= end;
            if released {
                figures.assertions += 1;
                figures.delay += now - since;
                figures.most_delay = figures.most_delay.max(now - since);
                figures.after += now - annotated;
                figures.most_after = figures.most_after.max(now - annotated);
            }
            !released
        });
    }
    gate.finish(&mut seen);
}
