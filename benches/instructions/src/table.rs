//! Table of a run, and its comparison with the baseline.

use crate::baseline::Baseline;
use crate::callgrind::{Machine, Measured, Run};

/// Allowed difference of a count from its baseline, in percent.
const TOLERANCE: f64 = 5.0;

/// Comparison of a run with the baseline.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The baseline was taken with another compiler or on another machine: the counts cannot be compared.
    elsewhere: bool,
    /// Cases above the tolerance, and by how much.
    above: Vec<String>,
    /// Cases below it, and by how much.
    below: Vec<String>,
    /// Cases that only one of both has.
    unmatched: Vec<String>,
}

impl Verdict {
    /// Holds a run against a baseline.
    pub(crate) fn of(run: &Run, baseline: &Baseline) -> Self {
        let mut verdict = Self {
            elsewhere: run.machine != baseline.machine,
            ..Self::default()
        };
        for case in &run.cases {
            let Some(&before) = baseline.counts.get(&case.name) else {
                verdict.unmatched.push(case.name.clone());
                continue;
            };
            let change = change(case, before);
            let noted = format!("{} by {:.2} %", case.name, change.abs());
            if change > TOLERANCE {
                verdict.above.push(noted);
            } else if change < -TOLERANCE {
                verdict.below.push(noted);
            }
        }
        let measured = |name: &String| run.cases.iter().any(|case| case.name == *name);
        let gone = baseline.counts.keys().filter(|name| !measured(name));
        verdict.unmatched.extend(gone.cloned());
        verdict
    }

    /// No case takes more than it may, as far as that can be told, and each has a baseline.
    pub(crate) fn holds(&self) -> bool {
        self.unmatched.is_empty() && (self.elsewhere || self.above.is_empty())
    }
}

/// Prints each case beside its baseline, then what stands out.
pub(crate) fn print(run: &Run, baseline: &Baseline, verdict: &Verdict) {
    println!("| case | instructions | baseline | change | a byte | an item |");
    println!("|---|--:|--:|--:|--:|--:|");
    for case in &run.cases {
        row(case, baseline.counts.get(&case.name).copied());
    }
    conclude(run, baseline, verdict);
}

/// Computes the increase over the baseline, in percent.
fn change(case: &Measured, before: u64) -> f64 {
    (case.instructions as f64 - before as f64) * 100.0 / before as f64
}

fn row(case: &Measured, before: Option<u64>) {
    let instructions = case.instructions;
    let (baseline, change) = before.map_or_else(
        || ("none".to_owned(), String::new()),
        |before| {
            (
                before.to_string(),
                format!("{:+.2} %", change(case, before)),
            )
        },
    );
    println!(
        "| {} | {instructions} | {baseline} | {change} | {:.3} | {:.0} per {} |",
        case.name,
        instructions as f64 / case.bytes as f64,
        instructions as f64 / case.found as f64,
        case.unit
    );
}

/// Says on standard error, in words, what the table shows.
fn conclude(run: &Run, baseline: &Baseline, verdict: &Verdict) {
    let list = |title: &str, cases: &[String]| {
        if !cases.is_empty() {
            eprintln!("\n{title}:\n  {}", cases.join("\n  "));
        }
    };
    list(
        &format!("More than {TOLERANCE} % above the baseline"),
        &verdict.above,
    );
    list(
        &format!("More than {TOLERANCE} % below the baseline; renew it with --renew"),
        &verdict.below,
    );
    list(
        "Without a baseline or without a case; renew it with --renew",
        &verdict.unmatched,
    );
    if verdict.elsewhere {
        eprintln!(
            "\n!!! NOTHING IS CHECKED: the baseline is of another compiler or machine. Renew it there or here.\n\
             !!!   baseline: {}\n!!!   this run: {}",
            said(&baseline.machine),
            said(&run.machine)
        );
    }
}

fn said(machine: &Machine) -> String {
    let Machine {
        rustc,
        target,
        libc,
        cpu,
    } = machine;
    format!("{rustc}, {target}, {libc}, {cpu}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(rustc: &str) -> Machine {
        Machine {
            rustc: rustc.to_owned(),
            target: String::new(),
            libc: String::new(),
            cpu: String::new(),
        }
    }

    /// What is said of a case that took 1,000 instructions and now takes so many.
    fn verdict(instructions: u64, name: &str, rustc: &str) -> Verdict {
        let case = Measured {
            name: name.to_owned(),
            instructions,
            bytes: 1,
            found: 1,
            unit: "record".to_owned(),
        };
        let run = Run {
            machine: machine(rustc),
            cases: vec![case],
        };
        let baseline = Baseline {
            machine: machine("1.95"),
            counts: [("json".to_owned(), 1_000)].into(),
        };
        Verdict::of(&run, &baseline)
    }

    #[test]
    fn a_case_may_take_five_percent_more_and_not_six() {
        assert!(verdict(1_050, "json", "1.95").holds());
        assert!(!verdict(1_060, "json", "1.95").holds());
    }

    #[test]
    fn a_case_that_takes_less_is_told_and_holds() {
        assert!(verdict(950, "json", "1.95").below.is_empty());
        let verdict = verdict(940, "json", "1.95");
        assert_eq!(verdict.below, ["json by 6.00 %"]);
        assert!(verdict.holds());
    }

    #[test]
    fn counts_of_another_compiler_are_not_held_against_the_baseline() {
        let verdict = verdict(2_000, "json", "1.96");
        assert!(verdict.elsewhere);
        assert!(verdict.holds());
    }

    #[test]
    fn a_case_without_a_baseline_and_a_baseline_without_a_case_fail() {
        let verdict = verdict(1_000, "text", "1.95");
        assert_eq!(verdict.unmatched, ["text", "json"]);
        assert!(!verdict.holds());
    }
}
