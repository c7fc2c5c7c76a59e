//! Runs of a parser with dialects.

use std::collections::BTreeMap;
use std::sync::Mutex;

use provstream::{Dialects, Event, Mode, Parser, Rewriter};

/// Everything that is reported, in order, but for text; and the text without markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) events: Vec<String>,
    pub(crate) clean: String,
    pub(crate) raw: String,
}

pub(crate) fn parser(names: &str, mode: Mode) -> Parser {
    let dialects = Dialects::built_in(names.split(',')).expect("built-in dialects");
    Parser::builder().mode(mode).dialects(dialects).build()
}

fn line(event: &Event<'_>) -> Option<String> {
    Some(match event {
        Event::Text(_) => return None,
        Event::Marker(marker) => format!(
            "marker {} {} {} {}",
            marker.dialect(),
            marker.kind(),
            marker.ids().collect::<Vec<_>>().join(","),
            marker.span()
        ),
        Event::Citation(citation) => {
            let ids: Vec<_> = citation.ids().map(|cited| cited.id.to_owned()).collect();
            format!(
                "citation {:?} {} {} {}",
                citation.text(),
                ids.join(","),
                citation.span(),
                citation.clean_span()
            )
        }
        Event::Assertion(assertion) => {
            format!("assertion {:?} {}", assertion.text(), assertion.span())
        }
        Event::Annotation(annotation) => format!("annotation {}", annotation.span()),
        Event::Diagnostic(diagnostic) => format!("{diagnostic}"),
        other => format!("{other:?}"),
    })
}

/// Reads chunks with one parser, and strips them with another.
pub(crate) fn run<'c>(parser: &Parser, chunks: impl IntoIterator<Item = &'c [u8]> + Clone) -> Run {
    let mut events = Vec::new();
    let mut raw = Vec::new();
    let mut parser = parser.clone();
    let mut rewriter = Rewriter::new(parser.clone());
    {
        let mut sink = |event: Event<'_>| {
            if let Event::Text(text) = &event {
                raw.extend_from_slice(text.bytes());
            }
            events.extend(line(&event));
        };
        for chunk in chunks.clone() {
            parser.push(chunk, &mut sink);
        }
        parser.finish(&mut sink);
    }
    let mut clean = Vec::new();
    for chunk in chunks {
        rewriter.push(chunk, &mut clean);
    }
    rewriter.finish(&mut clean);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run {
        events,
        clean: text(&clean),
        raw: text(&raw),
    }
}

/// Built-in dialects, compiled once.
pub(crate) fn built_in(names: &[&str]) -> Dialects {
    static KNOWN: Mutex<BTreeMap<String, Dialects>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("no test panics here");
    let compile = || Dialects::built_in(names.iter().copied()).expect("built-in dialects");
    known.entry(names.join(",")).or_insert_with(compile).clone()
}
