//! A discipline's verdict is that of a naive judge, which knows sets of names and counts time in nanoseconds.
//!
//! The input is text. A word that cannot be read is skipped, and so is a line that names no class where it has to:
//!
//! ```text
//! set floor=2 now=2026-05-28T12:00:00Z window=300 skew=5 limit empty
//! window substrate.git.log 86400
//! group substrate.grep substrate.code.read
//! annotation substrate.grep ts=2026-05-28T11:55:00Z
//! annotation substrate.grep reason=malformed
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::time::Duration;

use provstream::Span;
use provstream::provenance::{
    Annotation, Assertion, Class, Counting, Discipline, DisciplineError, Encoding, Reason,
    Timestamp, VerdictReason, Vocabulary,
};

/// Two classes that the memo does not have: one sorts before its classes, and one among them.
const VOCABULARY: &str = "version = \"1.1\"\n\
    [[class]]\nid = \"substrate.a\"\nsince = \"1.1\"\n\
    [[class]]\nid = \"substrate.git.tag\"\nsince = \"1.1\"\n";

const TERMINALS: [&str; 2] = ["unverified-inference", "decayed-to-uncertainty"];

const NANOS: i128 = 1_000_000_000;

/// The discipline, its errors and its verdict are those of the naive judge.
pub(super) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let case = Case::read(&text);
    let discipline = match (case.build(), case.error()) {
        (Ok(discipline), None) => discipline,
        (Err(found), Some(expected)) => {
            assert_eq!(found, expected, "{text}");
            return;
        }
        (found, expected) => panic!("{found:?}, expected {expected:?}: {text}"),
    };
    assert_eq!(discipline.floor(), case.floor, "{text}");
    assert_eq!(nanos(discipline.skew()), case.skew, "{text}");
    for name in names().keys() {
        let found = discipline.window(&class(name)).map(nanos);
        assert_eq!(found, case.window(name), "{name}: {text}");
    }

    let now = timestamp(case.now);
    let annotations: Vec<_> = case.annotations.iter().map(Declared::annotation).collect();
    let counting: Vec<_> = case
        .annotations
        .iter()
        .map(|declared| case.counting(declared))
        .collect();
    for (annotation, expected) in annotations.iter().zip(&counting) {
        let found = discipline.examine(annotation, now);
        assert_eq!(found, *expected, "{annotation:?}: {text}");
        assert_eq!(found.counts(), *expected == Counting::Counts);
    }
    let span = Span::new(7, if case.empty { 7 } else { 16 });
    let assertion = Assertion::new(Encoding::Bracket, "It rains.", span)
        .with_annotations(annotations)
        .with_limit_hit(case.limit);
    let verdict = discipline.judge(&assertion, now);
    let declared = case.annotations.iter().zip(&counting);
    let classes: BTreeSet<&str> = declared
        .filter(|(_, counting)| **counting == Counting::Counts)
        .map(|(declared, _)| declared.class)
        .collect();
    let count = case.independent(&classes);
    let reason = case.reason(count);
    assert_eq!(verdict.counting(), counting, "{text}");
    assert!(
        verdict.classes().iter().map(Class::as_str).eq(classes),
        "{verdict}: {text}"
    );
    assert_eq!(verdict.count(), count, "{text}");
    assert_eq!(verdict.floor(), case.floor, "{text}");
    assert_eq!(verdict.reason(), reason, "{text}");
    assert_eq!(verdict.admitted(), reason == VerdictReason::Admitted);
}

/// Settings of a relying party, and the assertion to judge. Times and durations are in nanoseconds.
struct Case<'a> {
    floor: usize,
    /// Current time, counted from 1970.
    now: i128,
    default_window: Option<i128>,
    skew: i128,
    limit: bool,
    empty: bool,
    /// Windows and groups, in the order in which they are set.
    steps: Vec<Step<'a>>,
    annotations: Vec<Declared<'a>>,
}

enum Step<'a> {
    Window(&'a str, i128),
    Group(Vec<&'a str>),
}

struct Declared<'a> {
    class: &'a str,
    reason: Option<Reason>,
    ts: Option<&'a str>,
}

impl Declared<'_> {
    fn annotation(&self) -> Annotation<'_> {
        let mut annotation = Annotation::new(class(self.class), self.class);
        if let Some(reason) = self.reason {
            annotation = annotation.with_reason(reason);
        }
        match self.ts {
            Some(ts) => annotation.with_ts(ts),
            None => annotation,
        }
    }

    fn is_terminal(&self) -> bool {
        self.reason.is_some() || TERMINALS.contains(&self.class)
    }
}

impl<'a> Case<'a> {
    fn read(text: &'a str) -> Self {
        let mut case = Self {
            floor: 1,
            now: instant("2026-05-28T12:00:00Z").expect("a date-time"),
            default_window: None,
            skew: 0,
            limit: false,
            empty: false,
            steps: Vec::new(),
            annotations: Vec::new(),
        };
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            let kind = words.next();
            let mut known = words.clone().filter(|word| names().contains_key(*word));
            match kind {
                Some("set") => words.for_each(|word| case.set(word)),
                Some("window") => {
                    if let (Some(name), Some(window)) = (known.next(), words.find_map(duration)) {
                        case.steps.push(Step::Window(name, window));
                    }
                }
                Some("group") => case.steps.push(Step::Group(known.collect())),
                Some("annotation") => {
                    if let Some(class) = known.next() {
                        case.annotations.push(Declared {
                            class,
                            reason: words
                                .clone()
                                .find_map(|word| word.strip_prefix("reason=")?.parse().ok()),
                            ts: words.find_map(|word| word.strip_prefix("ts=")),
                        });
                    }
                }
                _ => {}
            }
        }
        case
    }

    fn set(&mut self, word: &str) {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        match key {
            "floor" => self.floor = value.parse().unwrap_or(self.floor),
            "now" => {
                let unix = value.strip_prefix('@').and_then(|unix| {
                    let seconds: i64 = unix.parse().ok()?;
                    Some(i128::from(seconds) * NANOS)
                });
                self.now = unix.or_else(|| instant(value)).unwrap_or(self.now);
            }
            "window" => self.default_window = duration(value).or(self.default_window),
            "skew" => self.skew = duration(value).unwrap_or(self.skew),
            "limit" => self.limit = true,
            "empty" => self.empty = true,
            _ => {}
        }
    }

    /// The library's discipline.
    fn build(&self) -> Result<Discipline, DisciplineError> {
        let mut builder = Discipline::builder(self.floor).skew(of_nanos(self.skew));
        if let Some(window) = self.default_window {
            builder = builder.default_window(of_nanos(window));
        }
        for step in &self.steps {
            builder = match step {
                Step::Window(name, window) => builder.window(class(name), of_nanos(*window)),
                Step::Group(names) => builder.group(names.iter().map(|name| class(name))),
            };
        }
        builder.build()
    }

    /// The first thing that is wrong.
    fn error(&self) -> Option<DisciplineError> {
        if self.floor == 0 {
            return Some(DisciplineError::ZeroFloor);
        }
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        for step in &self.steps {
            match step {
                Step::Window(name, _) if TERMINALS.contains(name) => {
                    return Some(DisciplineError::TerminalWindow(class(name)));
                }
                Step::Window(..) => {}
                Step::Group(names) => {
                    for name in names {
                        if TERMINALS.contains(name) {
                            return Some(DisciplineError::TerminalInGroup(class(name)));
                        }
                        if taken.contains(name) {
                            return Some(DisciplineError::ClassInTwoGroups(class(name)));
                        }
                    }
                    taken.extend(names);
                }
            }
        }
        None
    }

    /// The greatest age that counts.
    fn window(&self, name: &str) -> Option<i128> {
        if TERMINALS.contains(&name) {
            return None;
        }
        let own = self.steps.iter().rev().find_map(|step| match step {
            Step::Window(class, window) if *class == name => Some(*window),
            _ => None,
        });
        own.or(self.default_window)
    }

    fn counting(&self, declared: &Declared<'_>) -> Counting {
        match declared.reason {
            Some(Reason::Malformed) => return Counting::Malformed,
            Some(_) => return Counting::UnknownClass,
            None if declared.is_terminal() => return Counting::Terminal,
            None => {}
        }
        let Some(window) = self.window(declared.class) else {
            return Counting::NoWindow;
        };
        let Some(time) = declared.ts.and_then(instant) else {
            return Counting::NoTime;
        };
        let age = self.now - time;
        if age > window {
            Counting::Stale {
                by: of_nanos(age - window),
            }
        } else if -age > self.skew {
            Counting::Future {
                by: of_nanos(-age - self.skew),
            }
        } else {
            Counting::Counts
        }
    }

    /// Counts the independent classes; those of one group count as one.
    fn independent(&self, classes: &BTreeSet<&str>) -> usize {
        let groups: Vec<BTreeSet<&str>> = self
            .steps
            .iter()
            .filter_map(|step| match step {
                Step::Group(names) => Some(names.iter().copied().collect()),
                Step::Window(..) => None,
            })
            .collect();
        let distinct: BTreeSet<BTreeSet<&str>> = classes
            .iter()
            .map(|class| {
                let group = groups.iter().find(|group| group.contains(class));
                group.cloned().unwrap_or_else(|| BTreeSet::from([*class]))
            })
            .collect();
        distinct.len()
    }

    /// The first row of the profile's table that applies.
    fn reason(&self, count: usize) -> VerdictReason {
        let rows = [
            (self.empty, VerdictReason::NoAssertion),
            (self.limit, VerdictReason::Limit),
            (self.annotations.is_empty(), VerdictReason::Unannotated),
            (
                self.annotations.iter().any(Declared::is_terminal),
                VerdictReason::Terminal,
            ),
            (count < self.floor, VerdictReason::BelowFloor),
        ];
        let first = rows.into_iter().find(|(applies, _)| *applies);
        first.map_or(VerdictReason::Admitted, |(_, reason)| reason)
    }
}

/// All classes and terminals by their names.
fn names() -> &'static BTreeMap<String, Class> {
    static NAMES: OnceLock<BTreeMap<String, Class>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let vocabulary = Vocabulary::from_toml(VOCABULARY.as_bytes()).expect("a vocabulary");
        let named = |name: &str| vocabulary.class(name).expect("a class of the vocabulary");
        let listed = vocabulary.classes().map(|(class, _)| class.to_string());
        let all = listed.chain(TERMINALS.map(str::to_owned));
        all.map(|name| (name.clone(), named(&name))).collect()
    })
}

fn class(name: &str) -> Class {
    names()[name].clone()
}

/// Seconds with or without a fraction of up to nine digits; no more than a `Duration` holds.
fn duration(text: &str) -> Option<i128> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_number(seconds) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let seconds: u64 = seconds.parse().ok()?;
    let fraction: i128 = format!("{fraction:0<9}").parse().ok()?;
    Some(i128::from(seconds) * NANOS + fraction)
}

fn nanos(duration: Duration) -> i128 {
    i128::from(duration.as_secs()) * NANOS + i128::from(duration.subsec_nanos())
}

fn of_nanos(nanos: i128) -> Duration {
    let seconds = u64::try_from(nanos / NANOS).expect("a duration");
    Duration::new(seconds, (nanos % NANOS) as u32)
}

fn timestamp(nanos: i128) -> Timestamp {
    let seconds = i64::try_from(nanos.div_euclid(NANOS)).expect("a timestamp");
    Timestamp::from_unix(seconds, nanos.rem_euclid(NANOS) as u32).expect("a timestamp")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number of so many digits.
fn number(text: &str, digits: usize) -> Option<i128> {
    (is_number(text) && text.len() == digits).then(|| text.parse().expect("a number"))
}

/// The nanoseconds from 1970 until a date-time of RFC 3339. A leap second is the instant at which it ends.
fn instant(text: &str) -> Option<i128> {
    let (date, time) = text.split_once(['T', 't'])?;
    let mut date = date.split('-');
    let (year, month, day) = (
        number(date.next()?, 4)?,
        number(date.next()?, 2)?,
        number(date.next()?, 2)?,
    );
    let (clock, offset) = match time.strip_suffix(['Z', 'z']) {
        Some(clock) => (clock, 0),
        None => {
            let at = time.rfind(['+', '-'])?;
            let (hours, minutes) = time[at + 1..].split_once(':')?;
            let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let sign = if time[at..].starts_with('-') { -1 } else { 1 };
            (&time[..at], sign * (hours * 60 + minutes))
        }
    };
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, fraction),
        None => (clock, "0"),
    };
    let mut clock = clock.split(':');
    let (hour, minute, second) = (
        number(clock.next()?, 2)?,
        number(clock.next()?, 2)?,
        number(clock.next()?, 2)?,
    );
    let exists = (1..=12).contains(&month)
        && day >= 1
        && day <= month_start(year, month + 1) - month_start(year, month)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !exists || !is_number(fraction) || date.next().is_some() || clock.next().is_some() {
        return None;
    }
    let minutes = (month_start(year, month) + day - 1) * 1_440 + hour * 60 + minute - offset;
    if second == 60 {
        // In UTC, the next minute begins this month or the next one.
        let begins_month =
            (month..=month + 1).any(|month| month_start(year, month) * 1_440 == minutes + 1);
        return begins_month.then_some((minutes + 1) * 60 * NANOS);
    }
    let fraction: String = fraction
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    Some((minutes * 60 + second) * NANOS + number(&fraction, 9)?)
}

/// The days from 1970-01-01 until the first of a month; the 13th is the next January.
fn month_start(year: i128, month: i128) -> i128 {
    let days_in = |year: i128, month: i128| match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    };
    // Days from the year 0 until this year: every fourth year is longer, beginning with the year 0.
    let until = |year: i128| {
        let begun = |every: i128| (year + every - 1) / every;
        365 * year + begun(4) - begun(100) + begun(400)
    };
    until(year) - until(1970) + (1..month).map(|month| days_in(year, month)).sum::<i128>()
}
