//! The tables of provstream beside the others.

use std::fmt::{Display, Write};

use crate::beside::{self, Compared};
use crate::count::{Counts, key};
use crate::document::Document;
use crate::json::{self, JSON_PEERS};
use crate::latency::Latency;
use crate::peers::{OWN, PEERS};
use crate::streams::{KINDS, Kind, SIZES};
use crate::versions;

/// All kinds of streams of text in all sizes of chunks.
#[must_use]
pub(crate) fn compare_text(rounds: usize) -> Vec<(Kind, usize, Vec<Compared>)> {
    let cells = KINDS.into_iter().flat_map(|kind| {
        let sizes = beside::sizes(kind).into_iter();
        sizes.map(move |size| (kind, size, beside::compare(kind, size, rounds)))
    });
    cells.collect()
}

/// A table for each kind of stream.
#[must_use]
pub(crate) fn text(cells: &[(Kind, usize, Vec<Compared>)], counts: &Counts) -> String {
    let mut tables = String::new();
    for kind in KINDS {
        let of_kind = cells.iter().filter(|(found, _, _)| *found == kind);
        let columns: Vec<(usize, &[Compared])> = of_kind
            .map(|(_, size, compared)| (*size, &compared[..]))
            .collect();
        let _ = writeln!(tables, "### {}\n", title(kind));
        tables.push_str(&table(kind, &columns, counts));
        tables.push('\n');
    }
    tables
}

/// A table for each document.
#[must_use]
pub(crate) fn json(documents: &[Document], rounds: usize, counts: &Counts) -> String {
    let mut tables = String::new();
    for document in documents {
        let cells = SIZES.map(|size| (size, json::compare(document, size, rounds)));
        let columns: Vec<(usize, &[Compared])> = cells
            .iter()
            .map(|(size, compared)| (*size, &compared[..]))
            .collect();
        let _ = writeln!(
            tables,
            "### {}, {} objects in {} bytes\n",
            document.layout,
            document.objects,
            document.bytes.len()
        );
        tables.push_str(&table(document.layout, &columns, counts));
        tables.push('\n');
    }
    tables
}

fn title(kind: Kind) -> String {
    let words = kind.to_string();
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// One line for each parser and one column for each size of chunks.
fn table(what: impl Display + Copy, columns: &[(usize, &[Compared])], counts: &Counts) -> String {
    let mut table = String::from("| |");
    for (size, _) in columns {
        let _ = match size {
            65_536 => write!(table, " 64 KiB |"),
            65_537.. => write!(table, " the whole |"),
            _ => write!(table, " {size} B |"),
        };
    }
    let _ = writeln!(table, "\n|---{}|", "|---".repeat(columns.len()));
    let all = columns.iter().map(|(_, compared)| compared);
    let names = all.max_by_key(|compared| compared.len()).into_iter();
    for name in names.flat_map(|compared| compared.iter().map(|one| one.name)) {
        let _ = write!(table, "| {name} |");
        for (size, compared) in columns {
            let one = compared.iter().find(|one| one.name == name);
            let cell = one.map_or_else(String::new, |one| {
                cell(one, counts.get(&key(name, what, *size)))
            });
            let _ = write!(table, " {cell} |");
        }
        table.push('\n');
    }
    table
}

/// Rate, how many times as fast provstream is, allocations a chunk, and how much was read where it was less.
fn cell(compared: &Compared, allocations: f64) -> String {
    let rate = compared.times.rate();
    let rate = if rate < 10.0 {
        format!("{rate:.2}")
    } else {
        format!("{rate:.0}")
    };
    let ratio = compared.ratio;
    let ratio = if ratio < 100.0 {
        format!("{ratio:.2}")
    } else {
        format!("{ratio:.0}")
    };
    let short = compared
        .shorter
        .map(|bytes| format!(" ({} KiB)", bytes >> 10));
    format!(
        "{rate} · {ratio} · {allocations:.2}{}",
        short.unwrap_or_default()
    )
}

/// Who is in the tables: version, and what it does and does not.
#[must_use]
pub(crate) fn parsers() -> String {
    let mut table = String::from("| | crate | here | a marker |\n|---|---|---|---|\n");
    for peer in std::iter::once(OWN).chain(PEERS) {
        let (open, close) = (peer.open.replace('\n', "⏎"), peer.close.replace('\n', "⏎"));
        let marker = format!("`` {open}{}{close} ``", (peer.body)("…")).replace('|', "\\|");
        let _ = writeln!(
            table,
            "| {} | {} | {} | {marker} |",
            peer.name,
            package(peer.package),
            peer.what
        );
    }
    for peer in std::iter::once(&json::OWN).chain(&JSON_PEERS) {
        let _ = writeln!(
            table,
            "| {} | {} | {} | JSON |",
            peer.name,
            package(peer.package),
            peer.what
        );
    }
    table
}

fn package(name: &str) -> String {
    format!("{name} {}", versions::of(name))
}

/// What a push takes and holds.
#[must_use]
pub(crate) fn latency(clock: &Latency, streams: &[Latency]) -> String {
    let mut table = String::from(
        "| | p50 | p99 | p99.9 | max | undisturbed: p50 | p99 | p99.9 | max | held: p50 | p99 | p99.9 | max |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for stream in std::iter::once(clock).chain(streams) {
        let _ = write!(table, "| {} |", stream.name);
        for values in [&stream.all, &stream.least, &stream.held] {
            for part in [0.5, 0.99, 0.999, 1.0] {
                let value = values.quantile(part);
                let value = value.map_or_else(String::new, |value| value.to_string());
                let _ = write!(table, " {value} |");
            }
        }
        table.push('\n');
    }
    table
}
