//! The page, whose numbers are all read from what was measured.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::case::Case;
use crate::measure::{PACE, TURN, UNPACED};
use crate::plot;
use crate::record::{Files, Record, Row};
use crate::targets::targets;

/// What the numbers are put into.
const TEMPLATE: &str = include_str!("../template/proxy-cost.md");

/// Writes `proxy-cost.md` and `proxy-cost.svg` from the data in this folder; whether no case has failed.
///
/// # Errors
///
/// The data cannot be read, or a file not be written.
pub fn write(docs: &Path) -> io::Result<bool> {
    let record = Record::read(&Files::within(docs))?;
    plot::draw(&docs.join("proxy-cost.svg"), &record)
        .map_err(|error| io::Error::other(error.to_string()))?;
    fs::write(docs.join("proxy-cost.md"), page(&record))?;
    Ok(record.about("failed").is_none())
}

/// The text of the page.
///
/// # Panics
///
/// If the template has a place that nothing is put into.
#[must_use]
pub fn page(record: &Record) -> String {
    let about = |name: &str| record.about(name).unwrap_or("unknown").to_owned();
    let parts = [
        ("machine", about("machine")),
        ("date", about("date")),
        ("load", about("load before")),
        ("seconds", about("seconds")),
        ("rounds", about("rounds")),
        ("pairs", about("pairs")),
        ("turn", TURN.to_string()),
        ("versions", versions(record)),
        ("skipped", skipped(record)),
        ("targets", targets(record)),
        ("streams", streams(record)),
        ("throughput", throughput(record)),
        ("memory", memory(record)),
        ("drawn", plot::STREAMS.to_string()),
        ("unpaced", UNPACED.to_string()),
        ("pace", PACE.to_string()),
    ];
    let mut text = TEMPLATE.to_owned();
    for (name, part) in parts {
        text = text.replace(&format!("{{{{{name}}}}}"), part.trim_end());
    }
    assert!(
        !text.contains("{{"),
        "a part for each place of the template"
    );
    text
}

fn versions(record: &Record) -> String {
    let named = record.about.iter().filter_map(|(name, version)| {
        let name = name.strip_prefix("version of ")?;
        Some(format!("{name} {version}"))
    });
    named.collect::<Vec<_>>().join(", ")
}

fn skipped(record: &Record) -> String {
    let named = |name: &str| {
        let about = record.about.iter().filter(|(known, _)| known == name);
        let names: Vec<&str> = about.map(|(_, value)| value.as_str()).collect();
        names.join(", ")
    };
    let mut text = String::new();
    for (name, what) in [
        ("skipped", "Not installed, and so not measured"),
        ("failed", "Failed, and so not measured in full"),
    ] {
        let names = named(name);
        if !names.is_empty() {
            let _ = write!(text, "{what}: {names}. ");
        }
    }
    if text.is_empty() {
        text.push_str("Nothing was skipped.");
    }
    text
}

/// The numbers of streams that were run at a pace.
pub(crate) fn counts(record: &Record) -> Vec<usize> {
    let mut counts: Vec<usize> = record
        .rows
        .iter()
        .filter(|row| row.number("tokens_a_second") == Some(PACE as f64))
        .filter_map(|row| row.number("streams").map(|number| number as usize))
        .collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Events a second; `None` if none came.
pub(crate) fn rate(row: &Row) -> Option<f64> {
    let events = row.number("events").filter(|events| *events > 0.0)?;
    Some(events / row.number("seconds")?)
}

/// The lines of cases with a number of streams, each with what `cells` makes of it.
fn lines(
    record: &Record,
    (streams, pace): (usize, usize),
    cells: impl Fn(Case, &Row) -> String,
) -> String {
    let mut table = String::new();
    for case in Case::ALL {
        if let Some(row) = record.row(case.name(), streams, pace) {
            let _ = writeln!(table, "| {} |{}", case.label(), cells(case, row));
        }
    }
    table
}

fn streams(record: &Record) -> String {
    let mut text = String::new();
    for count in counts(record) {
        let _ = write!(
            text,
            "### {count} streams\n\n\
             | | first text, ms | between events, ms | in transit, ms | CPU a request, ms | an event, µs | requests | events a second |\n\
             |---|---|---|---|---|---|---|---|\n"
        );
        text += &lines(record, (count, PACE), |_, row| {
            let three = |what: &str| {
                let parts = ["p50", "p99", "p99.9"];
                let times = parts.map(|part| {
                    let time = row.number(&format!("{what}_{part}_us"));
                    time.map_or("–".to_owned(), |time| format!("{:.2}", time / 1e3))
                });
                times.join(" / ")
            };
            let faults: f64 = ["errors", "wrong_texts"]
                .iter()
                .filter_map(|column| row.number(column))
                .sum();
            let requests = match faults as u64 {
                0 => row.text("requests").to_owned(),
                faults => format!("{} ({faults} failed)", row.text("requests")),
            };
            let saturated = if row.is_saturated() {
                ", saturated"
            } else {
                ""
            };
            format!(
                " {} | {} | {} | {} | {} | {requests} | {}{saturated} |",
                three("first"),
                three("between"),
                three("transit"),
                shown(row.cpu_a_request(), 2),
                shown(row.cpu_an_event(), 1),
                shown(rate(row), 0),
            )
        });
        text.push('\n');
    }
    text
}

fn throughput(record: &Record) -> String {
    let head = "| | events a second | requests a second | CPU an event, µs |\n|---|---|---|---|\n";
    let rows = lines(record, (UNPACED, 0), |_, row| {
        let requests = rate(row).zip(row.number("events_a_request"));
        let requests = requests.map(|(events, of_one)| events / of_one);
        format!(
            " {} | {} | {} |",
            shown(rate(row), 0),
            shown(requests, 1),
            shown(row.cpu_an_event(), 1)
        )
    });
    format!("{head}{rows}")
}

fn memory(record: &Record) -> String {
    let counts = counts(record);
    let mut text = String::from("| | no streams, MiB |");
    let mut rule = String::from("|---|---|");
    for count in &counts {
        let _ = write!(text, " KiB a stream, {count} streams |");
        rule.push_str("---|");
    }
    let _ = writeln!(text, "\n{rule}");
    let most = counts.last().copied().unwrap_or_default();
    text += &lines(record, (most, PACE), |case, row| {
        if case == Case::Direct {
            return " – |".to_owned() + &" – |".repeat(counts.len());
        }
        let idle = row
            .number("pss_idle")
            .map(|bytes| bytes / f64::from(1 << 20));
        let mut cells = format!(" {} |", shown(idle, 1));
        for count in &counts {
            let row = record.row(case.name(), *count, PACE);
            let bytes = row.and_then(Row::memory_a_stream);
            let _ = write!(cells, " {} |", shown(bytes.map(|bytes| bytes / 1024.0), 1));
        }
        cells
    });
    text
}

fn shown(number: Option<f64>, digits: usize) -> String {
    number.map_or("–".to_owned(), |number| format!("{number:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_project_is_made_of_its_data() {
        let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
        let record = Record::read(&Files::within(docs)).expect("data");
        let written = fs::read_to_string(docs.join("proxy-cost.md")).expect("page");
        assert!(
            written == page(&record),
            "docs/proxy-cost.md is not what the template and the data give: run the program `cost` with --page"
        );
    }
}
