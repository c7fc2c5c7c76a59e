//! Runs the cases, each with each number of streams, and notes what was seen.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::answer::Answer;
use crate::case::{Case, Gateway, Place, versions};
use crate::client::{Load, Seen, Side, run};
use crate::clock::Clock;
use crate::histogram::Histogram;
use crate::process::{Cpu, Memory};
use crate::record::{Record, Row};
use crate::turns::{PAIRS, Turn};
use crate::upstream::{Plan, Upstream};

/// Tokens a second of each stream.
pub const PACE: usize = 50;

/// Streams at a time when the upstream sends as fast as it can.
pub const UNPACED: usize = 64;

/// Seconds that are measured of a turn of two cases.
pub const TURN: f64 = 5.0;

/// Between two runs of the same processes, so that connections which were broken off are done with.
const REST: Duration = Duration::from_secs(1);

/// How often memory is looked at while streams run.
const LOOK: Duration = Duration::from_secs(2);

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Seconds that are measured of each case with each number of streams, in all rounds together.
    pub seconds: f64,
    /// How often the cases take turns.
    pub rounds: usize,
    /// How many turns each pair of cases has with each number of streams, without being started anew.
    pub pairs: usize,
    /// Tokens of an answer.
    pub tokens: usize,
    /// Streams at a time.
    pub counts: Vec<usize>,
    /// What is compared.
    pub cases: Vec<Case>,
    /// A folder for settings and logs.
    pub work: PathBuf,
}

/// What is known about a case with a number of streams.
#[derive(Default)]
struct Measured {
    seconds: f64,
    seen: Seen,
    cpu: Cpu,
    own: Cpu,
    idle: Memory,
    most: Memory,
    late: Histogram,
}

/// The number of streams and the pace, 0 for none.
type Point = (usize, usize);

impl Measured {
    /// Adds what another round found.
    fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.seen.merge(&other.seen);
        self.cpu = sum_of(self.cpu, other.cpu);
        self.own = sum_of(self.own, other.own);
        self.late.merge(&other.late);
        let beyond = |measured: &Self| measured.most.pss.saturating_sub(measured.idle.pss);
        if beyond(self) <= beyond(other) {
            (self.idle, self.most) = (other.idle, other.most);
        }
    }

    /// Whether work is left over that the streams have asked for: a process has to do it, though they are gone.
    fn is_saturated(&self, (streams, pace): Point) -> bool {
        (self.seen.events as f64) < 0.9 * (streams * pace) as f64 * self.seconds
    }
}

/// Runs everything.
///
/// # Errors
///
/// The upstream, a case or a thread cannot be started.
pub fn measure(settings: &Settings) -> io::Result<Record> {
    fs::create_dir_all(&settings.work)?;
    let clock = Clock::new();
    let mut runs = Runs {
        settings,
        clock,
        upstream: Upstream::start(clock)?,
        answer: Answer::new(settings.tokens),
        measured: BTreeMap::new(),
    };
    let mut record = Record::default();
    for round in 0..settings.rounds {
        for case in &settings.cases {
            if let Some(missing) = case.missing() {
                if round == 0 {
                    eprintln!("!!! SKIPPED: {}: {missing} names no file", case.label());
                    record
                        .about
                        .push(("skipped".to_owned(), case.label().to_owned()));
                }
                continue;
            }
            if let Err(error) = runs.case(*case) {
                eprintln!("!!! FAILED: {error}");
                let what = format!("{} ({error})", case.label());
                record.about.push(("failed".to_owned(), what));
            }
        }
    }
    record.turns = runs.pairs()?;
    for (name, version) in versions() {
        record.about.push((format!("version of {name}"), version));
    }
    let events = runs.answer.chunks().len();
    record
        .about
        .push(("seconds".to_owned(), settings.seconds.to_string()));
    record
        .about
        .push(("rounds".to_owned(), settings.rounds.to_string()));
    record
        .about
        .push(("pairs".to_owned(), settings.pairs.to_string()));
    for case in Case::ALL {
        for (point, measured) in runs.measured.get(case.name()).into_iter().flatten() {
            record.rows.push(row(case, *point, measured, events));
            if point.1 == 0 {
                continue;
            }
            let seen = &measured.seen;
            for times in [
                ("first", &seen.first),
                ("between", &seen.between),
                ("transit", &seen.transit),
            ] {
                record.keep(case.name(), point.0, times);
            }
        }
    }
    Ok(record)
}

struct Runs<'a> {
    settings: &'a Settings,
    clock: Clock,
    upstream: Upstream,
    answer: Answer,
    measured: BTreeMap<&'static str, BTreeMap<Point, Measured>>,
}

impl Runs<'_> {
    /// One case of one round.
    fn case(&mut self, case: Case) -> io::Result<()> {
        let seconds = self.settings.seconds / self.settings.rounds as f64;
        let counts = self.settings.counts.iter();
        let mut points: Vec<Point> = counts.map(|count| (*count, PACE)).collect();
        // The most streams come last: what they leave in the memory of a process would count for others.
        let at = points.len().saturating_sub(1);
        points.insert(at, (UNPACED, 0));
        let mut running = None;
        for point in points {
            let (gateway, idle) = match running.take() {
                Some(running) => running,
                None => self.start(case)?,
            };
            let [mut measured] = self.run([(case, &gateway)], point, seconds)?;
            measured.idle = idle;
            report(case, point, &measured);
            let is_saturated = measured.is_saturated(point);
            let all = self.measured.entry(case.name()).or_default();
            all.entry(point).or_default().add(&measured);
            thread::sleep(REST);
            if !is_saturated {
                running = Some((gateway, idle));
            }
        }
        Ok(())
    }

    /// The turns of the cases that are compared in pairs.
    fn pairs(&self) -> io::Result<Vec<Turn>> {
        let is_measured =
            |case: &Case| self.settings.cases.contains(case) && case.missing().is_none();
        let mut turns = Vec::new();
        if self.settings.pairs == 0 {
            return Ok(turns);
        }
        for pair in PAIRS
            .into_iter()
            .filter(|pair| pair.iter().all(is_measured))
        {
            let [first, second] = pair;
            let gateways = [self.start(first)?.0, self.start(second)?.0];
            for &streams in &self.settings.counts {
                for round in 0..self.settings.pairs {
                    // The streams of each begin before those of the other as often as after them.
                    let [one, other] = [round % 2, 1 - round % 2];
                    let sides = [one, other].map(|at| (pair[at], &gateways[at]));
                    let measured = self.run(sides, (streams, PACE), TURN)?;
                    for (at, measured) in [one, other].into_iter().zip(&measured) {
                        report(pair[at], (streams / 2, PACE), measured);
                        turns.push(turn([pair[at], pair[1 - at]], (streams, round), measured));
                    }
                    thread::sleep(REST);
                }
            }
        }
        Ok(turns)
    }

    /// Starts a case: its processes, and their memory before the first streams.
    fn start(&self, case: Case) -> io::Result<(Gateway, Memory)> {
        let place = Place {
            work: self.settings.work.clone(),
            upstream: self.upstream.port(),
        };
        let failed = |error: io::Error| io::Error::other(format!("{}: {error}", case.name()));
        let gateway = Gateway::start(case, &place).map_err(failed)?;
        // The first requests load what is loaded once.
        let [_] = self.run([(case, &gateway)], (2, PACE), 0.5)?;
        thread::sleep(REST);
        let idle = Memory::of(&gateway.processes());
        Ok((gateway, idle))
    }

    /// Runs streams, of which each case has its part.
    fn run<const CASES: usize>(
        &self,
        cases: [(Case, &Gateway); CASES],
        (streams, pace): Point,
        seconds: f64,
    ) -> io::Result<[Measured; CASES]> {
        let period = match pace {
            0 => Duration::ZERO,
            pace => Duration::from_secs(1) / pace as u32,
        };
        let plan = Arc::new(Plan::new(&self.answer, period, streams));
        self.upstream.set(Arc::clone(&plan));
        let side = |(case, gateway): (Case, &Gateway)| {
            let text = if case.is_clean() {
                self.answer.clean()
            } else {
                self.answer.raw()
            };
            Side {
                port: gateway.port,
                text: text.into(),
            }
        };
        // All streams have begun then, and the first of them have ended.
        let warm = plan.duration() + Duration::from_millis(500);
        let from = self.clock.now() + warm.as_nanos() as u64;
        let to = from + (seconds * 1e9) as u64;
        let load = Load {
            sides: cases.map(side).into(),
            plan: Arc::clone(&plan),
            streams,
            from,
            to,
        };
        let clock = self.clock;
        let clients = thread::Builder::new()
            .name("clients".to_owned())
            .spawn(move || run(clock, load))?;
        thread::sleep(Duration::from_nanos(from.saturating_sub(clock.now())));
        let processes = cases.map(|(_, gateway)| gateway.processes());
        let used = || {
            let own = Cpu::of(&[std::process::id()]);
            (own, processes.each_ref().map(|ids| Cpu::of(ids)))
        };
        let mut most = [Memory::default(); CASES];
        let mut look = || {
            for (most, ids) in most.iter_mut().zip(&processes) {
                *most = most.max(Memory::of(ids));
            }
        };
        let begun = clock.now();
        let (own_before, before) = used();
        while clock.now() + LOOK.as_nanos() as u64 <= to {
            look();
            thread::sleep(LOOK.min(Duration::from_nanos(to.saturating_sub(clock.now()))));
        }
        look();
        thread::sleep(Duration::from_nanos(
            to.saturating_sub(clock.now()).saturating_sub(10_000_000),
        ));
        let (own, after) = used();
        let seconds = (clock.now() - begun) as f64 / 1e9;
        let mut seen = clients
            .join()
            .map_err(|_| io::Error::other("a client panicked"))??;
        Ok(core::array::from_fn(|at| Measured {
            seconds,
            seen: core::mem::take(&mut seen[at]),
            cpu: after[at].since(before[at]),
            own: own.since(own_before),
            idle: Memory::default(),
            most: most[at],
            late: plan.late(),
        }))
    }
}

fn turn([case, other]: [Case; 2], (streams, round): (usize, usize), measured: &Measured) -> Turn {
    let seen = &measured.seen;
    let both = |times: &Histogram| {
        let time = |part| {
            times
                .quantile(part)
                .map_or(f64::NAN, |time| time as f64 / 1e3)
        };
        [time(0.5), time(0.99)]
    };
    Turn {
        case: case.name().to_owned(),
        other: other.name().to_owned(),
        streams,
        round,
        events: seen.events,
        faults: seen.errors.values().sum::<u64>() + seen.wrong,
        cpu_us: measured.cpu.all / seen.events as f64 * 1e6,
        between_us: both(&seen.between),
        transit_us: both(&seen.transit),
    }
}

fn sum_of(one: Cpu, other: Cpu) -> Cpu {
    Cpu {
        all: one.all + other.all,
        user: one.user + other.user,
        system: one.system + other.system,
    }
}

/// A line about what is going on.
fn report(case: Case, (streams, pace): Point, measured: &Measured) {
    let seen = &measured.seen;
    let quantiles = |times: &Histogram| -> String {
        let parts = [0.5, 0.99, 0.999].map(|part| times.quantile(part));
        let parts =
            parts.map(|time| time.map_or("-".to_owned(), |time| (time / 1_000).to_string()));
        parts.join(" ")
    };
    eprintln!(
        "{:15} {streams:5} streams, {pace:2}/s: {:7.0} events/s, {:6.2} us/event, first {}, between {}, transit {}, late {}, own {:.2} cores, {:.0} B/stream, wrong {}, recounted {}, errors {:?}",
        case.name(),
        seen.events as f64 / measured.seconds,
        measured.cpu.all / seen.events as f64 * 1e6,
        quantiles(&seen.first),
        quantiles(&seen.between),
        quantiles(&seen.transit),
        quantiles(&measured.late),
        measured.own.all / measured.seconds,
        (measured.most.pss as f64 - measured.idle.pss as f64) / streams as f64,
        seen.wrong,
        seen.recounted,
        seen.errors,
    );
}

fn row(case: Case, (streams, pace): Point, measured: &Measured, events: usize) -> Row {
    let seen = &measured.seen;
    let mut values = vec![
        case.name().to_owned(),
        streams.to_string(),
        pace.to_string(),
        format!("{:.3}", measured.seconds),
        events.to_string(),
        seen.streams.to_string(),
        seen.events.to_string(),
        match pace {
            0 => String::new(),
            _ => format!("{:.0}", (streams * pace) as f64 * measured.seconds),
        },
        seen.errors.values().sum::<u64>().to_string(),
        seen.wrong.to_string(),
        seen.recounted.to_string(),
    ];
    for times in [&seen.first, &seen.between, &seen.transit] {
        for part in [0.5, 0.99, 0.999] {
            values.push(microseconds(times, part));
        }
    }
    values.push(microseconds(&measured.late, 0.99));
    for seconds in [
        measured.cpu.all,
        measured.cpu.user,
        measured.cpu.system,
        measured.own.all,
    ] {
        values.push(format!("{seconds:.4}"));
    }
    let (idle, most) = (measured.idle, measured.most);
    values.extend([idle.pss, most.pss, idle.rss, most.rss].map(|bytes| bytes.to_string()));
    Row::new(values)
}

fn microseconds(times: &Histogram, part: f64) -> String {
    let time = times.quantile(part);
    time.map_or(String::new(), |time| format!("{:.1}", time as f64 / 1e3))
}
