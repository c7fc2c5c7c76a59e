//! The engine equals the naive reference on generated streams, however they are cut.

use provstream::{
    Citation, CitedId, Dialects, Event, Limits, Mode, Parser, Rewriter, Source, Sources,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use testkit::reference::Segment;
use testkit::reference::dialects::generate::{Case, case};
use testkit::reference::dialects::{self, Known, Read, With};
use testkit::reference::{Reading, RefMode};
use testkit::sentence;

/// Sources of a case.
#[derive(Debug)]
struct List {
    ids: Vec<String>,
    complete: bool,
}

impl Sources for List {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        let found = self.ids.iter().find(|known| *known == id);
        found.map(|id| Source::new(id))
    }

    fn is_complete(&self) -> bool {
        self.complete
    }
}

fn sources(known: &Known) -> Option<Arc<dyn Sources>> {
    let (ids, complete) = match known {
        Known::Nothing => return None,
        Known::Complete(ids) => (ids, true),
        Known::Incomplete(ids) => (ids, false),
    };
    let ids = ids.clone();
    Some(Arc::new(List { ids, complete }))
}

/// A step of a run.
#[derive(Clone)]
enum Step {
    Own(Vec<u8>),
    Untrusted(Vec<u8>),
    Break,
}

fn steps(input: &[Segment], size: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    for segment in input {
        if segment.after_break {
            steps.push(Step::Break);
        }
        for piece in segment.bytes.chunks(size.max(1)) {
            steps.push(match segment.own {
                true => Step::Own(piece.to_vec()),
                false => Step::Untrusted(piece.to_vec()),
            });
        }
    }
    steps
}

/// Compared lists, in the order of the engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    markers: Vec<dialects::Marker>,
    citations: Vec<dialects::Citation>,
    diagnostics: Vec<(&'static str, (u64, u64))>,
    clean: Vec<u8>,
    order: Vec<String>,
}

thread_local! {
    /// Compiled dialects by their names: compiling takes longer than a case.
    static COMPILED: RefCell<HashMap<Vec<&'static str>, Dialects>> = RefCell::default();
}

fn compiled(names: &[&'static str]) -> Dialects {
    let compile = || Dialects::built_in(names.iter().copied()).expect("built-in dialects");
    COMPILED.with_borrow_mut(|all| all.entry(names.to_vec()).or_insert_with(compile).clone())
}

fn name(case: &Case, dialect: &str) -> &'static str {
    case.dialects
        .iter()
        .find(|known| **known == dialect)
        .expect("a dialect of the case")
}

fn citation(case: &Case, citation: &Citation<'_>) -> dialects::Citation {
    let id = |cited: CitedId<'_>| dialects::Id {
        dialect: name(case, cited.dialect),
        id: cited.id.to_owned(),
    };
    let (span, clean) = (citation.span(), citation.clean_span());
    dialects::Citation {
        span: (span.start(), span.end()),
        clean_span: (clean.start(), clean.end()),
        text: citation.text().to_owned(),
        ids: citation.ids().map(id).collect(),
    }
}

fn engine(case: &Case, steps: &[Step]) -> Seen {
    let limits = Limits::default()
        .with_max_assertion(case.limits.max_assertion)
        .and_then(|limits| limits.with_max_annotations(case.limits.max_annotations))
        .expect("limits in range");
    let names = compiled(&case.dialects);
    let mut builder = Parser::builder()
        .mode(Mode::Text)
        .limits(limits)
        .dialects(names);
    if let Some(sources) = sources(&case.sources) {
        builder = builder.sources(sources);
    }
    let mut parser = builder.build();
    let mut rewriter = Rewriter::new(parser.clone());
    let mut seen = Seen::default();
    let mut clean = Vec::new();
    let mut sink = |event: Event<'_>| {
        match &event {
            Event::Marker(marker) => {
                let span = marker.span();
                let id = |id: &str| dialects::Id {
                    dialect: name(case, marker.dialect()),
                    id: id.to_owned(),
                };
                seen.markers.push(dialects::Marker {
                    span: (span.start(), span.end()),
                    dialect: name(case, marker.dialect()),
                    ids: marker.ids().map(id).collect(),
                    whitespace_before: marker.whitespace_before() as u64,
                });
            }
            Event::Citation(found) => seen.citations.push(citation(case, found)),
            Event::Diagnostic(found) => {
                let span = (found.span().start(), found.span().end());
                seen.diagnostics.push((found.code().as_str(), span));
            }
            _ => {}
        }
        if !matches!(event, Event::Text(_)) {
            seen.order.push(format!("{event:?}"));
        }
    };
    for step in steps {
        match step {
            Step::Own(bytes) => parser.push(bytes, &mut sink),
            Step::Untrusted(bytes) => parser.push_untrusted(bytes, &mut sink),
            Step::Break => parser.push_break(&mut sink),
        }
    }
    parser.finish(&mut sink);
    for step in steps {
        match step {
            Step::Own(bytes) => rewriter.push(bytes, &mut clean),
            Step::Untrusted(bytes) => rewriter.push_untrusted(bytes, &mut clean),
            Step::Break => rewriter.push_break(&mut clean),
        }
    }
    rewriter.finish(&mut clean);
    seen.clean = clean;
    seen
}

fn reference(case: &Case) -> Read {
    let with = With {
        dialects: &dialects::Dialects::built_in(&case.dialects),
        known: &case.sources,
    };
    let reading = Reading::new(RefMode::Text);
    dialects::read(reading, &case.input, &case.limits, with, &sentence::starts)
}

/// The streams of a case, for people.
fn shown(case: &Case) -> String {
    let piece = |segment: &Segment| {
        let text = String::from_utf8_lossy(&segment.bytes).into_owned();
        let origin = if segment.own { "" } else { "untrusted " };
        let before = if segment.after_break { "BREAK " } else { "" };
        format!("{before}{origin}{text:?}")
    };
    let all: Vec<_> = case.input.iter().map(piece).collect();
    format!("{:?} {:?}\n{}", case.dialects, case.sources, all.join("\n"))
}

/// Differences of two lists.
fn difference<T: PartialEq + std::fmt::Debug>(
    what: &str,
    engine: &[T],
    reference: &[T],
) -> Option<String> {
    let only = |these: &[T], those: &[T]| {
        let only = these.iter().filter(|one| !those.contains(one));
        format!("{:?}", only.collect::<Vec<_>>())
    };
    (engine != reference).then(|| {
        let (ours, theirs) = (only(engine, reference), only(reference, engine));
        format!("{what}\n  engine    {ours}\n  reference {theirs}")
    })
}

fn unclosed(all: &[(&'static str, (u64, u64))]) -> Vec<(u64, u64)> {
    let unclosed = all.iter().filter(|(code, _)| *code == "unclosed-marker");
    let mut spans: Vec<_> = unclosed.map(|&(_, span)| span).collect();
    spans.sort_unstable();
    spans
}

fn compare(seed: u64) -> Result<(), String> {
    let mut case = case(seed);
    // What `max_assertion` cuts is tested apart.
    case.limits.max_assertion = 1 << 14;
    let mut whole = engine(&case, &steps(&case.input, usize::MAX));
    let fault = |what: String| Err(format!("seed {seed} {}\n{what}", shown(&case)));
    for size in [1, 2, 3, 7] {
        let cut = engine(&case, &steps(&case.input, size));
        if cut != whole {
            return fault(format!("size {size}\nwhole {whole:#?}\ncut {cut:#?}"));
        }
    }
    let expected = reference(&case);
    whole.markers.sort();
    whole.citations.sort();
    let text = |bytes: &[u8]| vec![String::from_utf8_lossy(bytes).into_owned()];
    let differences = [
        difference("clean", &text(&whole.clean), &text(&expected.clean)),
        difference("markers", &whole.markers, &expected.markers),
        difference("citations", &whole.citations, &expected.citations),
        difference(
            "unclosed",
            &unclosed(&whole.diagnostics),
            &unclosed(&expected.diagnostics),
        ),
    ];
    match differences.into_iter().flatten().next() {
        Some(difference) => fault(difference),
        None => Ok(()),
    }
}

#[test]
fn the_engine_equals_the_reference() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let (from, count) = (number("DIALECT_FROM", 0), number("DIALECT_SEEDS", 300));
    let mut faults = 0;
    for seed in from..from + count {
        if let Err(fault) = compare(seed) {
            faults += 1;
            if faults <= 6 {
                println!("{fault}\n");
            }
        }
    }
    assert_eq!(faults, 0, "of {count}");
}
