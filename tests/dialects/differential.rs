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

/// What is compared: lists in the order of the engine.
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

fn compare(seed: u64) -> Result<(), String> {
    let mut case = case(seed);
    // What limits cut is tested apart.
    case.limits.max_assertion = 4096;
    let whole = engine(&case, &steps(&case.input, usize::MAX));
    let text = || {
        let piece = |segment: &Segment| {
            let text = String::from_utf8_lossy(&segment.bytes).into_owned();
            format!(
                "{}{}{text:?}",
                if segment.after_break { "BREAK " } else { "" },
                if segment.own { "" } else { "untrusted " }
            )
        };
        let all: Vec<_> = case.input.iter().map(piece).collect();
        format!(
            "seed {seed} {:?} {:?}\n{}",
            case.dialects,
            case.sources,
            all.join("\n")
        )
    };
    for size in [1, 2, 3, 7] {
        let cut = engine(&case, &steps(&case.input, size));
        if cut != whole {
            return Err(format!(
                "{}\nsize {size}\nwhole {whole:#?}\ncut {cut:#?}",
                text()
            ));
        }
    }
    let expected = reference(&case);
    let mut found = Read {
        markers: whole.markers,
        citations: whole.citations,
        diagnostics: Vec::new(),
        clean: whole.clean,
        at_block_markers: expected.at_block_markers,
    };
    found.markers.sort();
    found.citations.sort();
    let only_unclosed = |all: &[(&'static str, (u64, u64))]| {
        let mut all: Vec<_> = all
            .iter()
            .copied()
            .filter(|(code, _)| *code == "unclosed-marker")
            .collect();
        all.sort_unstable();
        all
    };
    let (mine, theirs) = (
        only_unclosed(&whole.diagnostics),
        only_unclosed(&expected.diagnostics),
    );
    let expected = Read {
        diagnostics: Vec::new(),
        ..expected
    };
    if found.clean != expected.clean {
        return Err(format!(
            "{}\nclean engine    {:?}\nclean reference {:?}",
            text(),
            String::from_utf8_lossy(&found.clean),
            String::from_utf8_lossy(&expected.clean)
        ));
    }
    if found.markers != expected.markers {
        let mine: Vec<_> = found
            .markers
            .iter()
            .filter(|one| !expected.markers.contains(one))
            .collect();
        let theirs: Vec<_> = expected
            .markers
            .iter()
            .filter(|one| !found.markers.contains(one))
            .collect();
        return Err(format!(
            "{}\nmarkers engine {mine:?}\nreference {theirs:?}",
            text()
        ));
    }
    if found.citations != expected.citations {
        let mine: Vec<_> = found
            .citations
            .iter()
            .filter(|one| !expected.citations.contains(one))
            .collect();
        let theirs: Vec<_> = expected
            .citations
            .iter()
            .filter(|one| !found.citations.contains(one))
            .collect();
        return Err(format!(
            "{}\ncitations engine {mine:?}\nreference {theirs:?}",
            text()
        ));
    }
    if mine != theirs {
        return Err(format!(
            "{}\nunclosed engine {mine:?}\nreference {theirs:?}",
            text()
        ));
    }
    Ok(())
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
