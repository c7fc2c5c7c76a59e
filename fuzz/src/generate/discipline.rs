//! A discipline, and annotations for it to judge: see `fuzz/src/body/admissibility.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use provstream::provenance::Timestamp;

use super::words::{CLASSES, TIMES};
use super::{Choices, MOST};

/// Classes that the body's vocabulary adds.
const ADDED: [&str; 2] = ["substrate.a", "substrate.git.tag"];

/// Number of [`CLASSES`] that are not terminals.
const SUBSTRATES: usize = 7;

const NOWS: [&str; 8] = [
    "2026-05-28T12:00:00Z",
    "2017-01-01T00:05:00Z",
    "2017-01-01T00:00:00Z",
    "2016-12-31T23:59:59Z",
    "2024-02-29T23:59:59.75Z",
    "0000-01-01T00:00:30Z",
    "9999-12-31T23:59:59.999999999Z",
    "2016-12-31T23:55:00Z",
];

/// Before all years that can be written, and after them.
const FAR: [&str; 2] = ["@-9223372036854775808", "@9223372036854775807"];

/// Seconds and nanoseconds.
const DURATIONS: [(u64, u32); 8] = [
    (300, 0),
    (0, 0),
    (1, 0),
    (60, 500_000_000),
    (86_400, 0),
    (0, 1),
    (5, 0),
    (u64::MAX, 999_999_999),
];

/// A discipline and an assertion, whose floor is close to what counts.
pub(super) fn discipline(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let now = choices.pick(&NOWS);
    let instant: Timestamp = now.parse().expect("a date-time");
    let default = duration(choices);
    let skew = duration(choices);
    let has_default = !choices.one_in(6);
    let mut text = String::new();

    let mut windows: BTreeMap<&str, Duration> = BTreeMap::new();
    for _ in 0..choices.below(4) {
        let (class, window) = (class(choices), duration(choices));
        text += &format!("window {class} {}\n", seconds(window));
        windows.insert(class, window);
    }
    let group_of = groups(choices, &mut text);

    let mut counted: BTreeSet<(Option<usize>, &str)> = BTreeSet::new();
    while choices.go_on() && text.len() < MOST {
        let class = if choices.one_in(40) {
            any(choices)
        } else {
            class(choices)
        };
        text += &format!("annotation {class}");
        let window = windows.get(class).copied();
        let window = window.or(has_default.then_some(default));
        let first = instant.saturating_sub(window.unwrap_or(default));
        let last = instant.saturating_add(skew);
        let (step, nano) = (Duration::from_secs(1), Duration::from_nanos(1));
        let (time, counts) = match choices.below(12) {
            0..=2 => (instant, true),
            3 | 4 => (first, true),
            5 | 6 => (last, true),
            7 => (first.saturating_sub(step), false),
            8 => (last.saturating_add(step), false),
            9 => (first.saturating_sub(nano), false),
            10 => (last.saturating_add(nano), false),
            _ => {
                if !choices.one_in(3) {
                    text += &format!(" ts={}", choices.pick(&TIMES));
                }
                text += choices.pick(&["", "", "", " reason=malformed"]);
                text += choices.pick(&["", "", "", " reason=unknown-identifier"]);
                text.push('\n');
                continue;
            }
        };
        if let Some(time) = written(choices, time) {
            text += &format!(" ts={time}");
            if counts && window.is_some() {
                let group = group_of.get(class).copied();
                counted.insert((group, if group.is_some() { "" } else { class }));
            }
        }
        text.push('\n');
    }

    let floor = match choices.below(8) {
        0..=2 => counted.len(),
        3 | 4 => counted.len() + 1,
        5 | 6 => counted.len().saturating_sub(1),
        _ => choices.below(4),
    };
    let mut settings = format!("set floor={floor} skew={}", seconds(skew));
    if has_default {
        settings += &format!(" window={}", seconds(default));
    }
    let now = if choices.one_in(16) {
        choices.pick(&FAR)
    } else {
        now
    };
    settings += &format!(" now={now}");
    settings += choices.pick(&["", "", "", "", "", "", " limit", " empty"]);
    out.extend_from_slice(format!("{settings}\n{text}").as_bytes());
}

/// Lines of groups, and the group of each class in one. Classes are dealt out, so that the groups interleave in any order.
fn groups(choices: &mut Choices<'_>, text: &mut String) -> BTreeMap<&'static str, usize> {
    let mut group_of: BTreeMap<&str, usize> = BTreeMap::new();
    let groups = choices.below(5);
    if groups > 0 {
        let mut members = vec![String::new(); groups];
        for class in CLASSES[..SUBSTRATES].iter().chain(&ADDED) {
            let group = choices.below(groups + 1);
            if let Some(members) = members.get_mut(group) {
                members.push(' ');
                members.push_str(class);
                group_of.insert(class, group);
            }
        }
        for members in &members {
            *text += &format!("group{members}\n");
        }
        if choices.one_in(24) {
            *text += &format!("group {} {}\n", class(choices), any(choices));
        }
    }
    group_of
}

/// A class that is no terminal.
fn class(choices: &mut Choices<'_>) -> &'static str {
    match choices.below(SUBSTRATES + ADDED.len()) {
        at @ 0..SUBSTRATES => CLASSES[at],
        at => ADDED[at - SUBSTRATES],
    }
}

/// A class or a terminal.
fn any(choices: &mut Choices<'_>) -> &'static str {
    choices.pick(&CLASSES)
}

fn duration(choices: &mut Choices<'_>) -> Duration {
    let (seconds, nanos) = choices.pick(&DURATIONS);
    Duration::new(seconds, nanos)
}

fn seconds(duration: Duration) -> String {
    match duration.subsec_nanos() {
        0 => duration.as_secs().to_string(),
        nanos => format!("{}.{nanos:09}", duration.as_secs()),
    }
}

/// A time in UTC, with an offset, or as the leap second that ends then; `None` outside of the years that can be written.
fn written(choices: &mut Choices<'_>, time: Timestamp) -> Option<String> {
    let text = time.to_rfc3339()?;
    match choices.below(4) {
        0 => {
            let local = time.saturating_add(Duration::from_secs(7_200)).to_rfc3339();
            local.map(|local| local.replace('Z', "+02:00"))
        }
        1 | 2 if text.ends_with("-01T00:00:00Z") => {
            let before = time.saturating_sub(Duration::from_secs(1)).to_rfc3339();
            let leap = choices.pick(&[":60Z", ":60.9Z"]);
            before.map(|before| before.replace(":59Z", leap))
        }
        _ => Some(text),
    }
}
