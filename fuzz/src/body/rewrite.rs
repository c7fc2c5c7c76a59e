//! A rewriter keeps, removes and replaces.

use std::borrow::Cow;

use provstream::{BracketAnnotation, Event, Handler, JsonRecord, Replacement, Rewriter, TextChunk};

use super::super::case::Case;
use super::super::reference::engine::Cuts;
use super::super::reference::{RefVocabulary, strip_in};
use super::{feed, same_bytes};

/// Texts in the place of an annotation or a record: none, one with white space at its end, which stays, and one that would be an
/// annotation.
const TEXTS: [&[u8]; 3] = [b"", b" (*) \n", b"[substrate.grep]"];

/// Treatment of the annotations and records of a stream.
#[derive(Clone, Copy)]
enum Rule {
    Keep,
    Remove,
    /// For each something else, which follows from this number and where it begins.
    Mixed(u64),
}

impl Rule {
    fn replacement(self, start: u64) -> Replacement {
        match self {
            Self::Keep => Replacement::Keep,
            Self::Remove => Replacement::Remove,
            Self::Mixed(seed) => match Cuts(seed ^ start).below(5) {
                0 => Replacement::Keep,
                1 => Replacement::Remove,
                text => Replacement::Text(Cow::Borrowed(TEXTS[text - 2])),
            },
        }
    }
}

/// Output and events of a rewriter.
struct Out {
    rule: Rule,
    written: Vec<u8>,
    events: Vec<Event<'static, bytes::Bytes>>,
    ends: usize,
}

impl Out {
    const fn new(rule: Rule) -> Self {
        Self {
            rule,
            written: Vec::new(),
            events: Vec::new(),
            ends: 0,
        }
    }
}

impl Handler for Out {
    fn text(&mut self, text: TextChunk<'_>) {
        assert!(!text.bytes().is_empty(), "nothing is not written");
        assert_eq!(text.span().start(), self.written.len() as u64);
        self.written.extend_from_slice(text.bytes());
    }

    fn annotation(&mut self, found: &BracketAnnotation<'_>) -> Replacement {
        self.events.push(Event::Annotation(*found).into_owned());
        self.rule.replacement(found.span().start())
    }

    fn record(&mut self, found: &JsonRecord<'_>) -> Replacement {
        self.events.push(Event::Record(*found).into_owned());
        self.rule.replacement(found.span().start())
    }

    fn event(&mut self, event: Event<'_>) {
        self.events.push(event.into_owned());
    }

    fn end(&mut self) {
        self.ends += 1;
    }
}

/// Keeping is the identity, removing leaves what the naive reference leaves, whatever replaces an annotation is where the parser
/// has it, and nothing is held back too long.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    assert_eq!(written(&case, Rule::Keep).written, case.bytes());
    let vocabulary = RefVocabulary::default();
    let stripped = strip_in(case.reading, &case.input, &case.limits, &vocabulary);
    assert_eq!(written(&case, Rule::Remove).written, stripped);
    let rule = Rule::Mixed(case.seed());
    let (expected, found) = (expected(&case, rule), written(&case, rule));
    same_bytes(&found.written, &expected.written, "some are replaced");
    assert_eq!(found.events, expected.events);
}

/// Runs a rewriter that was used before and reset.
fn written(case: &Case, rule: Rule) -> Out {
    let mut rewriter = Rewriter::new(case.parser());
    let mut earlier = Out::new(rule);
    for (own, chunk) in case.earlier() {
        push(&mut rewriter, own, chunk, &mut earlier);
    }
    rewriter.reset();
    let mut out = Out::new(rule);
    for (own, chunk) in case.chunks() {
        push(&mut rewriter, own, chunk, &mut out);
        if matches!(rule, Rule::Keep) {
            let parser = rewriter.parser();
            let kept = parser.buffered_len() + parser.strippable_whitespace();
            assert_eq!(out.written.len() + kept, parser.position() as usize);
        }
    }
    rewriter.finish(&mut out);
    assert_eq!(out.ends, 1);
    out
}

/// Feeds a rewriter with text that is the model's own or not.
fn push(rewriter: &mut Rewriter, own: bool, chunk: &[u8], out: &mut Out) {
    if own {
        rewriter.push(chunk, out);
    } else {
        rewriter.push_untrusted(chunk, out);
    }
}

/// Computes the expected output of a rewriter from the parser's events.
fn expected(case: &Case, rule: Rule) -> Out {
    let mut out = Out::new(rule);
    let mut parser = case.parser();
    let mut take = |event: Event<'_>| {
        let (raw, white, start) = match &event {
            Event::Text(text) => return out.written.extend_from_slice(text.bytes()),
            Event::Annotation(found) => {
                (found.raw(), found.whitespace_before(), found.span().start())
            }
            Event::Record(found) => (found.raw(), 0, found.span().start()),
            _ => return out.events.push(event.into_owned()),
        };
        match rule.replacement(start) {
            Replacement::Keep => out.written.extend_from_slice(raw),
            Replacement::Text(text) => out.written.extend_from_slice(&text),
            _ => {
                let left = out.written.len() - white;
                let removed = out.written.split_off(left);
                assert!(
                    removed.iter().all(|byte| b" \t\r\n".contains(byte)),
                    "removed: {}",
                    removed.escape_ascii()
                );
            }
        }
        out.events.push(event.into_owned());
    };
    for segment in &case.input {
        feed(&mut parser, segment.own, &segment.bytes, &mut take);
    }
    parser.finish(&mut take);
    out
}
