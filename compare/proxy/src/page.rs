//! The page, whose numbers are all read from what was measured.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::case::Case;
use crate::measure::{PACE, UNPACED};
use crate::plot;
use crate::record::{Record, Row};

/// What the numbers are put into.
const TEMPLATE: &str = include_str!("../template/proxy-cost.md");

/// Writes `proxy-cost.md` and `proxy-cost.svg` from the data in this folder.
///
/// # Errors
///
/// The data cannot be read, or a file not be written.
pub fn write(docs: &Path) -> io::Result<()> {
    let record = Record::read(
        &docs.join("proxy-cost.csv"),
        &docs.join("proxy-cost-times.csv"),
    )?;
    plot::draw(&docs.join("proxy-cost.svg"), &record)
        .map_err(|error| io::Error::other(error.to_string()))?;
    fs::write(docs.join("proxy-cost.md"), page(&record))
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
    let about = record.about.iter();
    let names: Vec<&str> = about
        .filter(|(name, _)| name == "skipped")
        .map(|(_, value)| value.as_str())
        .collect();
    match names[..] {
        [] => "Nothing was skipped.".to_owned(),
        _ => format!("Not installed, and so not measured: {}.", names.join(", ")),
    }
}

/// The numbers of streams that were run at a pace.
fn counts(record: &Record) -> Vec<usize> {
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

/// A target: what is compared, and what the number may be.
struct Target {
    what: &'static str,
    /// The number with its unit.
    text: fn(f64) -> String,
    is_met: fn(f64) -> bool,
    value: fn(&At<'_>) -> Option<f64>,
    /// The cases that it compares.
    of: [Case; 2],
}

/// What was measured with a number of streams.
struct At<'a> {
    record: &'a Record,
    streams: usize,
    pace: usize,
}

impl At<'_> {
    fn row(&self, case: Case) -> Option<&Row> {
        self.record.row(case.name(), self.streams, self.pace)
    }

    /// CPU time of a case as a multiple of that of another.
    fn cpu(&self, case: Case, other: Case) -> Option<f64> {
        Some(self.row(case)?.cpu_an_event()? / self.row(other)?.cpu_an_event()?)
    }

    /// Milliseconds that `strip` adds to a time of `pass`.
    fn added(&self, column: &str) -> Option<f64> {
        let of = |case| self.row(case)?.number(column);
        Some((of(Case::Strip)? - of(Case::Pass)?) / 1e3)
    }

    /// KiB of a stream beyond `pass`.
    fn memory(&self, case: Case) -> Option<f64> {
        let of = |case| self.row(case)?.memory_a_stream();
        Some((of(case)? - of(Case::Pass)?) / 1024.0)
    }

    /// The throughput of a case as a multiple of LiteLLM's.
    fn throughput(&self, case: Case) -> Option<f64> {
        let of = |case| rate(self.row(case)?);
        Some(of(case)? / of(Case::LiteLlm)?)
    }
}

/// Events a second.
fn rate(row: &Row) -> Option<f64> {
    Some(row.number("events")? / row.number("seconds")?)
}

/// Targets about streams at a pace.
const PACED: [Target; 6] = [
    Target {
        what: "`strip` adds at most 10 % CPU to `pass`",
        text: |ratio| format!("{:+.1} %", (ratio - 1.0) * 100.0),
        is_met: |ratio| ratio <= 1.1,
        value: |at| at.cpu(Case::Strip, Case::Pass),
        of: [Case::Strip, Case::Pass],
    },
    Target {
        what: "`strip` adds at most 0.1 ms to the p99 of `pass` between events",
        text: |ms| format!("{ms:+.3} ms"),
        is_met: |ms| ms <= 0.1,
        value: |at| at.added("between_p99_us"),
        of: [Case::Strip, Case::Pass],
    },
    Target {
        what: "the same, of the time in transit",
        text: |ms| format!("{ms:+.3} ms"),
        is_met: |ms| ms <= 0.1,
        value: |at| at.added("transit_p99_us"),
        of: [Case::Strip, Case::Pass],
    },
    Target {
        what: "`pass` takes at most 1.5 x the CPU of nginx",
        text: |ratio| format!("{ratio:.2} x"),
        is_met: |ratio| ratio <= 1.5,
        value: |at| at.cpu(Case::Pass, Case::Nginx),
        of: [Case::Pass, Case::Nginx],
    },
    Target {
        what: "`strip` takes at most 16 KiB a stream beyond `pass`",
        text: |kib| format!("{kib:+.1} KiB"),
        is_met: |kib| kib <= 16.0,
        value: |at| at.memory(Case::Strip),
        of: [Case::Strip, Case::Pass],
    },
    Target {
        what: "`gate` takes at most 16 KiB a stream beyond `pass`",
        text: |kib| format!("{kib:+.1} KiB"),
        is_met: |kib| kib <= 16.0,
        value: |at| at.memory(Case::Gate),
        of: [Case::Gate, Case::Pass],
    },
];

/// Targets about streams that are not paced.
const AT_MOST_SPEED: [Target; 2] = [
    Target {
        what: "`strip` has at least 20 x the throughput of LiteLLM",
        text: |times| format!("{times:.1} x"),
        is_met: |times| times >= 20.0,
        value: |at| at.throughput(Case::Strip),
        of: [Case::Strip, Case::LiteLlm],
    },
    Target {
        what: "`gate` has at least 20 x the throughput of LiteLLM",
        text: |times| format!("{times:.1} x"),
        is_met: |times| times >= 20.0,
        value: |at| at.throughput(Case::Gate),
        of: [Case::Gate, Case::LiteLlm],
    },
];

fn targets(record: &Record) -> String {
    let mut table = String::from("| target | streams | measured | met |\n|---|---|---|---|\n");
    let points: Vec<(usize, usize)> = counts(record)
        .into_iter()
        .map(|count| (count, PACE))
        .collect();
    for (targets, points) in [(&PACED[..], &points[..]), (&AT_MOST_SPEED, &[(UNPACED, 0)])] {
        for target in targets {
            for &(streams, pace) in points {
                let at = At {
                    record,
                    streams,
                    pace,
                };
                let value = (target.value)(&at);
                let is_met = match value.map(target.is_met) {
                    Some(true) => "yes",
                    Some(false) => "**no**",
                    None => "",
                };
                let measured = value.map_or("not measured".to_owned(), target.text);
                let is_saturated = |case: &Case| at.row(*case).is_some_and(Row::is_saturated);
                let note = if target.of.iter().any(is_saturated) {
                    ", saturated"
                } else {
                    ""
                };
                let what = target.what;
                let _ = writeln!(
                    table,
                    "| {what} | {streams}{note} | {measured} | {is_met} |"
                );
            }
        }
    }
    table
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
        let _ = write!(text, " a stream of {count}, KiB |");
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
