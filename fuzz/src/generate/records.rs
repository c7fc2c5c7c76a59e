//! The MARC records of a stream: interleaved requests with parents, counters and maxima, and what breaks their rules.

use super::{Choices, MOST};

/// Actions, most of which ask for another assessment.
const ACTIONS: [&str; 9] = [
    "TOOL",
    "RETRIEVE",
    "DELIBERATE",
    "TOOL",
    "RETRIEVE",
    "DELIBERATE",
    "ANSWER",
    "CLARIFY",
    "tool",
];

/// Values that are no identifiers or no counters, or unusual ones.
const ODD: [&str; 12] = [
    "null", "7", "[]", "true", "\"x\"", "-1", "1.0", "2.5", "1e1", "\"1\"", "0.5e1", "-0",
];

/// Records that are passed over, and one that cannot be read.
const OTHERS: [&str; 4] = [
    r#"{"answer":"x","confidence_band":"low","uncertainty_source":"safety","decision_id":"a1","parent_decision_id":"z"}"#,
    r#"{"decision_id":"a1"}"#,
    "{}",
    "unreadable",
];

/// A record to which later records refer.
struct Known {
    id: String,
    iteration: usize,
}

/// Records, one a line.
pub(super) fn stream(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let mut known = Vec::new();
    while choices.go_on() && out.len() < MOST {
        if choices.one_in(24) {
            out.extend_from_slice(choices.pick(&OTHERS).as_bytes());
        } else {
            out.extend_from_slice(record(choices, &mut known).as_bytes());
        }
        out.push(b'\n');
    }
}

fn record(choices: &mut Choices<'_>, known: &mut Vec<Known>) -> String {
    let mut members = vec![("marc_version", String::from("\"1.0\""))];
    let iteration = parent(choices, known, &mut members) + choices.pick(&[1, 1, 1, 1, 0, 2, 3]);
    if choices.one_in(2) {
        members.push(("iteration", iteration.to_string()));
    }
    // Mostly inherited.
    if choices.one_in(4) {
        members.push(("max_iterations", choices.below(6).to_string()));
    }
    let id = match (choices.below(10), &known[..]) {
        (0, _) => None,
        (1, [_, ..]) => Some(known[choices.below(known.len())].id.clone()),
        (2, _) => Some(choices.pick(&["a1", "a1", ""]).into()),
        _ => Some(format!("a{}", known.len() + 1)),
    };
    if let Some(id) = id {
        members.push(("decision_id", format!("\"{id}\"")));
        known.push(Known { id, iteration });
    }
    if !choices.one_in(12) {
        let action = choices.pick(&ACTIONS);
        members.push(("selected_action", format!("\"{action}\"")));
    }
    if choices.one_in(16) {
        let name = choices.pick(&[
            "decision_id",
            "parent_decision_id",
            "iteration",
            "max_iterations",
            "selected_action",
        ]);
        // Beside a member of that name it is a repeated one.
        if !choices.one_in(4) {
            members.retain(|(known, _)| *known != name);
        }
        members.push((name, choices.pick(&ODD).into()));
    }
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, json)| format!("\"{name}\":{json}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Writes the parent, mostly the last record, and returns its iteration.
fn parent(choices: &mut Choices<'_>, known: &[Known], members: &mut Vec<(&str, String)>) -> usize {
    let parent = match (choices.below(12), known) {
        (0..=6, [.., last]) => last,
        (7 | 8, [_, ..]) => &known[choices.below(known.len())],
        (9, _) => {
            members.push(("parent_decision_id", "\"z\"".into()));
            return 0;
        }
        (10, _) => {
            members.push(("parent_decision_id", "null".into()));
            return choices.below(4);
        }
        _ => return choices.below(4),
    };
    members.push(("parent_decision_id", format!("\"{}\"", parent.id)));
    parent.iteration
}
