//! The targets, and whether what was measured meets them.

use std::fmt::Write as _;

use crate::case::Case;
use crate::measure::{PACE, UNPACED};
use crate::page::{counts, rate};
use crate::record::{Record, Row};
use crate::turns::{Spread, Turn, compared};

/// A target: what is compared, and what the number may be.
struct Target {
    what: &'static str,
    /// The number with its unit.
    text: fn(f64) -> String,
    is_met: fn(f64) -> bool,
    value: fn(&At<'_>) -> Option<Spread>,
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

    /// What the turns of two cases are compared by.
    fn turns(&self, of: [Case; 2], by: impl Fn(&Turn, &Turn) -> f64) -> Option<Spread> {
        compared(&self.record.turns, self.streams, of, by)
    }

    /// CPU time of a case as a multiple of that of another.
    fn cpu(&self, of: [Case; 2]) -> Option<Spread> {
        self.turns(of, |one, other| one.cpu_us / other.cpu_us)
    }

    /// KiB of a stream beyond `pass`.
    fn memory(&self, case: Case) -> Option<Spread> {
        let of = |case| self.row(case)?.memory_a_stream();
        Spread::of(vec![(of(case)? - of(Case::Pass)?) / 1024.0])
    }

    /// The throughput of a case as a multiple of LiteLLM's.
    fn throughput(&self, case: Case) -> Option<Spread> {
        let of = |case| rate(self.row(case)?);
        Spread::of(vec![of(case)? / of(Case::LiteLlm)?])
    }
}

/// Targets about streams at a pace.
const PACED: [Target; 6] = [
    Target {
        what: "`strip` adds at most 10 % CPU to `pass`",
        text: |ratio| format!("{:+.1} %", (ratio - 1.0) * 100.0),
        is_met: |ratio| ratio <= 1.1,
        value: |at| at.cpu([Case::Strip, Case::Pass]),
        of: [Case::Strip, Case::Pass],
    },
    Target {
        what: "`strip` adds at most 0.1 ms to the p99 of `pass` between events",
        text: |ms| format!("{ms:+.3} ms"),
        is_met: |ms| ms <= 0.1,
        value: |at| {
            at.turns([Case::Strip, Case::Pass], |strip, pass| {
                (strip.between_us[1] - pass.between_us[1]) / 1e3
            })
        },
        of: [Case::Strip, Case::Pass],
    },
    Target {
        what: "`strip` adds at most 0.1 ms to the p99 of `pass` in transit",
        text: |ms| format!("{ms:+.3} ms"),
        is_met: |ms| ms <= 0.1,
        value: |at| {
            at.turns([Case::Strip, Case::Pass], |strip, pass| {
                (strip.transit_us[1] - pass.transit_us[1]) / 1e3
            })
        },
        of: [Case::Strip, Case::Pass],
    },
    Target {
        what: "`pass` takes at most 1.5 x the CPU of nginx",
        text: |ratio| format!("{ratio:.2} x"),
        is_met: |ratio| ratio <= 1.5,
        value: |at| at.cpu([Case::Pass, Case::Nginx]),
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

/// The table of the targets.
pub(crate) fn targets(record: &Record) -> String {
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
                let is_met = match value.map(|value| (target.is_met)(value.median)) {
                    Some(true) => "yes",
                    Some(false) => "**no**",
                    None => "",
                };
                let measured =
                    value.map_or("not measured".to_owned(), |value| shown(value, target.text));
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

/// A median with its quartiles, or a number alone.
fn shown(value: Spread, text: fn(f64) -> String) -> String {
    let Spread { median, low, high } = value;
    if low == high {
        return text(median);
    }
    format!("{} ({} to {})", text(median), text(low), text(high))
}
