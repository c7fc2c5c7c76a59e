//! The table of docs/gate.md.

use std::fmt::Write;

use crate::delivery::Time;
use crate::filters::FILTERS;
use crate::instructions;
use crate::measure::{Totals, percentile};

/// Tokens a second of the simulated model.
const RATE: usize = 50;

/// Returns the table about this many streams, in Markdown; counting instructions takes some seconds more.
#[must_use]
pub fn table(streams: u64, counts: bool) -> String {
    let totals = FILTERS.map(|(_, new)| Totals::of(new, 0..streams));
    let mut rows: Vec<(&str, [String; 4])> = Vec::new();
    let mut row = |label, cell: &dyn Fn(&Totals) -> String| {
        rows.push((label, [0, 1, 2, 3].map(|index| cell(&totals[index]))));
    };
    row("inadmissible bytes delivered", &|totals| {
        share(totals.leaked, totals.planted)
    });
    row("streams of which some are", &|totals| {
        share(totals.leaking, totals.streams)
    });
    row("admissible bytes not delivered", &|totals| {
        share(totals.lost, totals.admissible)
    });
    row("first text, median", &|totals| {
        moment(percentile(&totals.firsts, 50))
    });
    row("first text, 99 of 100", &|totals| {
        moment(percentile(&totals.firsts, 99))
    });
    row("delay of a sentence, median", &|totals| {
        moment(percentile(&totals.delays, 50))
    });
    row("delay of a sentence, 99 of 100", &|totals| {
        moment(percentile(&totals.delays, 99))
    });
    if counts {
        let counts = FILTERS.map(|(name, _)| match instructions::per_byte(name) {
            Some(count) => format!("{count:.0}"),
            None => "not counted".to_owned(),
        });
        rows.push(("instructions a byte", counts));
    }
    let mut table = String::from(
        "| | gate | hold everything | windows | check at the end |\n|---|---|---|---|---|\n",
    );
    for (label, cells) in rows {
        writeln!(table, "| {label} | {} |", cells.join(" | ")).expect("a string");
    }
    table
}

fn share(part: usize, whole: usize) -> String {
    match part {
        0 => "0".to_owned(),
        _ if part == whole => format!("all {}", with_commas(part)),
        _ => format!(
            "{} ({:.1} %)",
            with_commas(part),
            part as f64 * 100.0 / whole as f64
        ),
    }
}

fn moment(time: Time) -> String {
    let seconds = time.tokens as f64 / RATE as f64;
    let tokens = with_commas(time.tokens);
    format!(
        "{tokens} tokens, {} B, {seconds:.2} s",
        with_commas(time.bytes)
    )
}

fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
