//! Cases that are compared in pairs: short turns, in which the processes of both have streams at the same time.
//!
//! A difference of a tenth is less than what one run differs from the next: the cost of an event depends on what else the
//! machine does, and on how many events a process finds when it wakes up. In one turn that is the same for both. What counts is
//! the median of the turns.

use std::fmt::Write as _;

use crate::case::Case;

/// What the turns compare, each with the one after it.
pub const PAIRS: [[Case; 2]; 2] = [[Case::Strip, Case::Pass], [Case::Pass, Case::Nginx]];

/// What was seen of a case in a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The case.
    pub case: String,
    /// The case that had streams at the same time.
    pub other: String,
    /// Streams at a time, half of them of each case.
    pub streams: usize,
    /// The round, from 0.
    pub round: usize,
    /// Events that came.
    pub events: u64,
    /// Streams that broke off, or whose text was not what was expected.
    pub faults: u64,
    /// CPU time of the proxy for an event, in microseconds.
    pub cpu_us: f64,
    /// Times between events that 50 % and 99 % do not exceed, in microseconds.
    pub between_us: [f64; 2],
    /// The same of the time in transit.
    pub transit_us: [f64; 2],
}

/// The first line of the data.
const HEAD: &str = "case,other,streams,round,events,faults,cpu_an_event_us,between_p50_us,between_p99_us,transit_p50_us,transit_p99_us";

/// The turns as text: a line each.
#[must_use]
pub fn written(turns: &[Turn]) -> String {
    let mut text = format!("{HEAD}\n");
    for turn in turns {
        let Turn {
            case,
            other,
            streams,
            round,
            events,
            faults,
            cpu_us,
            between_us: [between_p50, between_p99],
            transit_us: [transit_p50, transit_p99],
        } = turn;
        let _ = writeln!(
            text,
            "{case},{other},{streams},{round},{events},{faults},{cpu_us:.3},{between_p50:.1},{between_p99:.1},{transit_p50:.1},{transit_p99:.1}"
        );
    }
    text
}

/// Reads what [`written`] has written; the line that is not one of it otherwise.
///
/// # Errors
///
/// The first line that cannot be read.
pub fn read(text: &str) -> Result<Vec<Turn>, String> {
    let turn = |line: &str| -> Option<Turn> {
        let values: Vec<&str> = line.split(',').collect();
        let [case, other, rest @ ..] = &values[..] else {
            return None;
        };
        let numbers: Option<Vec<f64>> = rest.iter().map(|text| text.parse().ok()).collect();
        let numbers = numbers?;
        let [streams, round, events, faults, cpu_us, times @ ..] = &numbers[..] else {
            return None;
        };
        let &[between_p50, between_p99, transit_p50, transit_p99] = times else {
            return None;
        };
        Some(Turn {
            case: (*case).to_owned(),
            other: (*other).to_owned(),
            streams: *streams as usize,
            round: *round as usize,
            events: *events as u64,
            faults: *faults as u64,
            cpu_us: *cpu_us,
            between_us: [between_p50, between_p99],
            transit_us: [transit_p50, transit_p99],
        })
    };
    let lines = text.lines().filter(|line| *line != HEAD);
    lines
        .map(|line| turn(line).ok_or_else(|| line.to_owned()))
        .collect()
}

/// The median of some numbers, and the numbers that a quarter of them lie below and above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// A quarter of the numbers are at most this.
    pub low: f64,
    /// A quarter of the numbers are at least this.
    pub high: f64,
}

impl Spread {
    /// The spread of these numbers, or `None` for an empty list.
    #[must_use]
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let last = numbers.len().checked_sub(1)?;
        // Between two numbers, in proportion.
        let at = |part: f64| {
            let place = part * last as f64;
            let (below, above) = (place.floor() as usize, place.ceil() as usize);
            numbers[below] + (numbers[above] - numbers[below]) * place.fract()
        };
        Some(Self {
            median: at(0.5),
            low: at(0.25),
            high: at(0.75),
        })
    }
}

/// What two cases are compared by, in each turn that they had together.
#[must_use]
pub fn compared(
    turns: &[Turn],
    streams: usize,
    [case, other]: [Case; 2],
    by: impl Fn(&Turn, &Turn) -> f64,
) -> Option<Spread> {
    let of = |[case, other]: [Case; 2], round: usize| {
        let mut all = turns.iter().filter(|turn| turn.streams == streams);
        all.find(|turn| {
            turn.case == case.name() && turn.other == other.name() && turn.round == round
        })
    };
    let rounds = turns.iter().map(|turn| turn.round).max()?;
    let pairs =
        (0..=rounds).filter_map(|round| of([case, other], round).zip(of([other, case], round)));
    Spread::of(pairs.map(|(one, other)| by(one, other)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn([case, other]: [Case; 2], round: usize, cpu_us: f64) -> Turn {
        Turn {
            case: case.name().to_owned(),
            other: other.name().to_owned(),
            streams: 16,
            round,
            events: 100,
            faults: 0,
            cpu_us,
            between_us: [20.0, 21.5],
            transit_us: [1.0, 2.0],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let turns = [
            turn([Case::Pass, Case::Nginx], 0, 1.25),
            turn([Case::Strip, Case::Pass], 3, 2.0),
        ];
        assert_eq!(read(&written(&turns)).as_deref(), Ok(&turns[..]));
        assert_eq!(read("pass,16\n"), Err("pass,16".to_owned()));
    }

    #[test]
    fn cases_of_one_turn_are_compared() {
        let (strip, pass) = ([Case::Strip, Case::Pass], [Case::Pass, Case::Strip]);
        let mut turns = Vec::new();
        // The machine gets slower from round to round, and one turn was disturbed.
        for round in 0..5 {
            let slow = 10.0 * (round + 1) as f64;
            // Beside another case, it costs something else.
            turns.push(turn([Case::Pass, Case::Nginx], round, slow * 3.0));
            turns.push(turn(pass, round, slow));
            let disturbed = if round == 2 { 9.0 } else { 1.0 };
            turns.push(turn(strip, round, slow * 1.1 * disturbed));
        }
        turns.push(turn(strip, 7, 1000.0));
        let ratio = |one: &Turn, other: &Turn| one.cpu_us / other.cpu_us;
        let spread = compared(&turns, 16, strip, ratio).expect("rounds");
        assert!((spread.median - 1.1).abs() < 1e-9, "{spread:?}");
        assert!((spread.high - 1.1).abs() < 1e-9, "{spread:?}");
        assert_eq!(compared(&turns, 17, strip, ratio), None);
        assert_eq!(compared(&turns, 16, [Case::Pass, Case::Nginx], ratio), None);
        let numbers = vec![4.0, 1.0, 3.0, 2.0];
        let expected = Spread {
            median: 2.5,
            low: 1.75,
            high: 3.25,
        };
        assert_eq!(Spread::of(numbers), Some(expected));
    }
}
