//! The report: measures everything and writes it down.

use std::io;
use std::path::Path;

use crate::count::Counts;
use crate::rows::text_rows;
use crate::targets::{self, Target};
use crate::{beside, dialects, json, latency, machine, plot, tables, versions, wire};

/// What the numbers are put into.
const TEMPLATE: &str = include_str!("../template/benchmarks.md");

/// Rounds of which the median is taken, unless the environment says otherwise.
const ROUNDS: usize = 15;

fn rounds() -> usize {
    std::env::var("PROVSTREAM_ROUNDS").map_or(ROUNDS, |text| {
        text.parse()
            .ok()
            .filter(|&rounds| rounds > 0)
            .expect("PROVSTREAM_ROUNDS is a number of rounds")
    })
}

/// Measures everything and writes `docs/benchmarks.md` and `docs/latency.svg`.
///
/// # Errors
///
/// If one of them cannot be written.
///
/// # Panics
///
/// If a parser does not find what is in a stream, or the program `count` cannot be run.
pub fn write() -> io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let rounds = rounds();
    let said = |what: &str| eprintln!("{what}");
    said("checking that every parser finds what is there");
    beside::check();
    said("counting allocations and bytes");
    let counts = Counts::take();
    said("the targets in text and JSON");
    let mut rows: Vec<Target> = text_rows(rounds).into_iter().map(Target::from).collect();
    rows.extend(json::rows(rounds).into_iter().map(Target::from));
    said("text beside other parsers");
    let text = tables::compare_text(rounds);
    rows.extend(targets::peers(&text));
    rows.extend(targets::counted(&counts));
    said("JSON beside other parsers, all layouts");
    let json = tables::json(&json::documents(), rounds, &counts);
    said("long streams");
    let (growth, families) = targets::growth(rounds);
    rows.extend(growth);
    said("providers' streams");
    rows.extend(wire_targets(rounds, &counts));
    said("markers of citations");
    rows.extend(dialects::rows(rounds).into_iter().map(Target::from));
    said("latency");
    let clock = latency::clock();
    let streams = latency::streams();
    plot::draw(&docs.join("latency.svg"), &clock, &streams)
        .map_err(|error| io::Error::other(error.to_string()))?;

    let parts = [
        ("machine", machine::processor()),
        ("date", versions::today()),
        ("compiler", versions::compiler()),
        ("rounds", rounds.to_string()),
        ("passes", latency::PASSES.to_string()),
        ("targets", targets::table(&rows)),
        ("parsers", tables::parsers()),
        ("text", tables::text(&text, &counts)),
        ("json", json),
        ("families", families),
        ("latency", tables::latency(&clock, &streams)),
    ];
    std::fs::write(docs.join("benchmarks.md"), filled(&parts))
}

/// The rows about providers' streams, measured: the lines of the table of targets.
#[must_use]
pub fn wire() -> String {
    targets::table(&wire_targets(rounds(), &Counts::take()))
}

/// The rows about markers of citations, measured: the lines of the table of targets.
#[must_use]
pub fn dialects() -> String {
    let rows: Vec<Target> = dialects::rows(rounds())
        .into_iter()
        .map(Target::from)
        .collect();
    targets::table(&rows)
}

fn wire_targets(rounds: usize, counts: &Counts) -> Vec<Target> {
    let mut rows: Vec<Target> = wire::rows(rounds).into_iter().map(Target::from).collect();
    rows.extend(targets::wire_counted(counts));
    rows
}

/// The template with its parts.
fn filled(parts: &[(&str, String)]) -> String {
    let mut text = TEMPLATE.to_owned();
    for (name, part) in parts {
        let place = format!("{{{{{name}}}}}");
        assert!(text.contains(&place), "the template has a place for {name}");
        text = text.replace(&place, part.trim_end());
    }
    assert!(
        !text.contains("{{"),
        "a part for each place of the template"
    );
    text
}
