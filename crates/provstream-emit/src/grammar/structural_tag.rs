//! Structural tags: free text in which what begins with a trigger has to become one of some tags.
//!
//! Source of the shapes: XGrammar's structural tag documentation (`format` with `triggered_tags`), and the older shape of vLLM
//! and SGLang (`structures` and `triggers`), whose content is always a JSON value.

use std::collections::BTreeSet;

use provstream::provenance::Class;
use serde_json::{Value, json};

use super::annotation::Annotations;
use super::expr::{Expr, Rules};
use super::print::{Regex, print};
use super::timestamp;
use crate::observation::Observations;

/// An observation id in a JSON string without escapes, which is a quoted value of the wire profile too.
const LEGACY_ID: &str = r#"[^"\\\[\x00-\x1f\x7f]{1,200}"#;

/// The tag of the current shape: triggers, tags with a regular expression as content, and strings that free text
/// must not have because a reader could take them for an annotation.
pub(super) fn tagged(annotations: &Annotations<'_>) -> Value {
    let mut rules = Rules::default();
    let forms = annotations.forms(&mut rules);
    let anchor = annotations.anchor();
    let tags: Vec<Value> = forms
        .iter()
        .flat_map(|form| {
            let long = form.long_id.iter().cloned();
            let unanchored = Expr::choice([form.parameters.clone()].into_iter().chain(long));
            [
                tag(format!("[{}", form.class), &unanchored, &rules),
                tag(format!("[{anchor}{}", form.class), &form.parameters, &rules),
            ]
        })
        .collect();
    let names: Vec<&str> = forms.iter().map(|form| form.class.as_str()).collect();
    let mut triggers = triggers(&annotations.classes());
    let anchored = triggers
        .iter()
        .map(|trigger| format!("[{anchor}{}", &trigger[1..]));
    triggers.extend(anchored.collect::<Vec<_>>());
    json!({
        "type": "structural_tag",
        "format": {
            "type": "triggered_tags",
            "triggers": triggers,
            "tags": tags,
            "excludes": excludes(&names),
        }
    })
}

/// The tag of the current shape for a whole answer that a grammar describes.
pub(super) fn grammar(ebnf: &str) -> Value {
    json!({"type": "structural_tag", "format": {"type": "grammar", "grammar": ebnf}})
}

fn tag(begin: String, parameters: &Expr, rules: &Rules) -> Value {
    let content = match parameters {
        Expr::Literal(text) if text.is_empty() => json!({"type": "const_string", "value": ""}),
        parameters => json!({"type": "regex", "pattern": print(&Regex, rules, parameters)}),
    };
    json!({
        "type": "tag",
        "begin": begin,
        "content": content,
        "end": "]",
    })
}

/// The beginnings that are unambiguous: `[substrate.` for its classes, `[` and the whole name for each other one. None is
/// the beginning of another.
fn triggers(classes: &[Class]) -> Vec<String> {
    let mut triggers: Vec<String> = Vec::new();
    for name in starts(classes.iter().map(Class::as_str)) {
        if !triggers.iter().any(|other| name.starts_with(&other[1..])) {
            triggers.push(format!("[{name}"));
        }
    }
    triggers
}

/// What identifiers start with, sorted: `substrate.`, or the whole of another one.
fn starts<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let start = |name: &'a str| match name.strip_prefix("substrate.") {
        Some(_) => "substrate.",
        None => name,
    };
    names.into_iter().map(start).collect()
}

/// Strings that free text must not have: other ways of writing an identifier after a bracket, and parameters with a meaning.
///
/// These are the likely ones. What a list of strings cannot say stays possible: several white spaces after the bracket, the
/// anchor of another version, other letter case, white space before `=`.
fn excludes(names: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for start in starts(names.iter().copied()) {
        all.extend([" ", "\t", "\n"].map(|space| format!("[{space}{start}")));
    }
    for parameter in ["observation-id=", "observation_id=", "ts="] {
        all.extend([";", "; "].map(|before| format!("{before}{parameter}")));
    }
    all
}

/// The tags of the older shape. Its content is one JSON value, so an annotation has one parameter with a quoted value, and
/// terminals, which have none, are not tags but text.
pub(super) fn structures(
    annotations: &Annotations<'_>,
    observations: Option<&Observations>,
) -> Value {
    let mut classes = annotations.classes();
    classes.retain(|class| !class.is_terminal());
    let structures = match observations {
        None => open_structures(&classes),
        Some(observations) => closed_structures(observations),
    };
    json!({
        "type": "structural_tag",
        "structures": structures,
        "triggers": triggers(&classes),
    })
}

/// Any id, or any time.
fn open_structures(classes: &[Class]) -> Vec<Value> {
    let mut rules = Rules::default();
    let time = timestamp::add(&mut rules);
    let time = print(&Regex, &rules, &time);
    let structure = |class: &Class, name: &str, pattern: &str| {
        json!({
            "begin": format!("[{class}; {name}="),
            "schema": {"type": "string", "pattern": format!("^{pattern}$")},
            "end": "]",
        })
    };
    classes
        .iter()
        .flat_map(|class| {
            [
                structure(class, "observation-id", LEGACY_ID),
                structure(class, "ts", &format!("(?:{time})")),
            ]
        })
        .collect()
}

/// The observations, with those of one class and time in one structure.
fn closed_structures(observations: &Observations) -> Vec<Value> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for observation in observations.iter() {
        let class = observation.class();
        let begin = match observation.ts() {
            Some(ts) => format!("[{class}; ts={ts}; observation-id="),
            None => format!("[{class}; observation-id="),
        };
        match groups.iter_mut().find(|(other, _)| *other == begin) {
            Some((_, ids)) => ids.push(observation.id()),
            None => groups.push((begin, vec![observation.id()])),
        }
    }
    groups
        .into_iter()
        .map(|(begin, ids)| {
            json!({"begin": begin, "schema": {"type": "string", "enum": ids}, "end": "]"})
        })
        .collect()
}
