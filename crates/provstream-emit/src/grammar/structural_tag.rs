//! Structural tags: free text in which a trigger must begin one of the given tags.
//!
//! Sources of the formats: XGrammar's structural tag documentation (`format` with
//! `triggered_tags`), and the older format of vLLM and SGLang (`structures` and `triggers`), whose
//! content is always a JSON value.

use std::collections::BTreeSet;

use provstream::provenance::Class;
use serde_json::{Value, json};

use super::annotation::{CitableAnnotations, MAX_ANNOTATION};
use super::expr::{Expr, GrammarRules};
use super::print::{Regex, print};
use super::{GrammarPrintError, GrammarTarget, timestamp};
use crate::json::shown;
use crate::observation::Observations;

/// An observation id in a JSON string without escapes, which is also a quoted value of the wire
/// profile.
const LEGACY_ID: &str = r#"[^"\\\[\x00-\x1f\x7f]{1,200}"#;

/// Returns a tag of the current format: triggers, tags with a regular expression as content, and
/// strings that free text must not have because a parser could read them as an annotation.
pub(super) fn tagged(annotations: &CitableAnnotations<'_>) -> Value {
    let mut rules = GrammarRules::default();
    let forms = annotations.forms(&mut rules);
    let mut tags = Vec::new();
    let mut begun = Vec::new();
    for form in &forms {
        let class = form.class.as_str();
        tags.push(tag(format!("[{class}"), &form.parameters, &rules));
        begun.push(format!("[{}", start(class)));
    }
    let triggers = triggers(begun);
    let classes = annotations.classes();
    let names: Vec<&str> = classes.iter().map(Class::as_str).collect();
    let anchor = format!("{}.", annotations.vocabulary.version());
    let excludes = excludes(&names, &anchor, &triggers);
    json!({
        "type": "structural_tag",
        "format": {
            "type": "triggered_tags",
            "triggers": triggers,
            "tags": tags,
            "excludes": excludes,
        }
    })
}

/// Returns a tag of the current format for a whole answer in the language of a grammar.
pub(super) fn grammar(ebnf: &str) -> Value {
    json!({"type": "structural_tag", "format": {"type": "grammar", "grammar": ebnf}})
}

fn tag(begin: String, parameters: &Expr, rules: &GrammarRules) -> Value {
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

/// Returns the shortest prefixes of the beginnings of tags, sorted. None is a prefix of another.
fn triggers(mut begun: Vec<String>) -> Vec<String> {
    begun.sort_unstable();
    // What begins with another one comes right after it, or after others that do.
    begun.dedup_by(|later, earlier| later.starts_with(earlier.as_str()));
    begun
}

/// Returns the shortest unambiguous prefix of an identifier: `substrate.` for its classes,
/// otherwise the whole identifier.
fn start(name: &str) -> &str {
    match name.strip_prefix("substrate.") {
        Some(_) => "substrate.",
        None => name,
    }
}

/// Returns strings that free text must not have: identifiers without a tag, other spellings of an
/// identifier after a bracket, and parameters with a meaning.
///
/// Of the other ways, these are the likely ones. What a list of strings cannot say stays possible: several white spaces after the
/// bracket, the anchor of another version, other letter case, white space before `=`.
fn excludes(names: &[&str], anchor: &str, triggers: &[String]) -> Vec<String> {
    let starts: BTreeSet<&str> = names.iter().map(|name| start(name)).collect();
    let mut all = Vec::new();
    for start in starts {
        for anchor in ["", anchor] {
            let begin = format!("[{anchor}{start}");
            if triggers.iter().any(|trigger| begin.starts_with(trigger)) {
                continue;
            }
            // The whole name, so that longer words stay possible.
            match start {
                "substrate." => all.push(begin),
                _ => all.extend(["]", ";", " ", "\t", "\n"].map(|end| format!("{begin}{end}"))),
            }
        }
        all.extend([" ", "\t", "\n"].map(|space| format!("[{space}{start}")));
    }
    for parameter in ["observation-id=", "observation_id=", "ts="] {
        all.extend([";", "; "].map(|before| format!("{before}{parameter}")));
    }
    all
}

/// Returns the tags of the older format. The content of a tag is one JSON value, so an annotation
/// has one parameter with a quoted value. Terminals have no parameters, and are text instead of
/// tags.
///
/// # Errors
///
/// If no tag is left, or an observation cannot be written so.
pub(super) fn structures(annotations: &CitableAnnotations<'_>) -> Result<Value, GrammarPrintError> {
    let observations = annotations.observations;
    let mut classes = annotations.classes();
    classes.retain(|class| !class.is_terminal());
    let structures = match observations {
        None => open_structures(&classes),
        Some(observations) => {
            let cited = observations.iter().map(|one| one.class().clone());
            classes = cited.collect();
            closed_structures(observations)?
        }
    };
    if structures.is_empty() {
        let what = match observations {
            None => "annotations: the vocabulary has only terminals, which are no tags in it",
            Some(_) => "annotations: --observations lists none, and terminals are no tags in it",
        };
        return Err(GrammarPrintError::Inexpressible {
            target: GrammarTarget::StructuralTagLegacy,
            what,
        });
    }
    let begun = classes
        .iter()
        .map(|class| format!("[{}", start(class.as_str())));
    Ok(json!({
        "type": "structural_tag",
        "structures": structures,
        "triggers": triggers(begun.collect()),
    }))
}

/// Returns tags for any id, or any time.
fn open_structures(classes: &[Class]) -> Vec<Value> {
    let mut rules = GrammarRules::default();
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

/// Returns tags for the observations, one for each class and time.
fn closed_structures(observations: &Observations) -> Result<Vec<Value>, GrammarPrintError> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (index, observation) in observations.iter().enumerate() {
        let class = observation.class();
        let begin = match observation.ts() {
            Some(ts) => format!("[{class}; ts={ts}; observation-id="),
            None => format!("[{class}; observation-id="),
        };
        let id = observation.id();
        let refused = |why: String| GrammarPrintError::Uncitable {
            index,
            what: format!("the id {} {why}", shown(id)),
        };
        if let Some(at) = id.find('\t') {
            return Err(refused(format!(
                "has a tab at byte {at}, which {} would write as an escape of JSON that no annotation has",
                GrammarTarget::StructuralTagLegacy,
            )));
        }
        let length = begin.len() + Value::from(id).to_string().len() + "]".len();
        if length > MAX_ANNOTATION {
            return Err(refused(format!(
                "is too long for {}: expected an annotation of at most {MAX_ANNOTATION} bytes, found {length} bytes",
                GrammarTarget::StructuralTagLegacy,
            )));
        }
        match groups.iter_mut().find(|(other, _)| *other == begin) {
            Some((_, ids)) => ids.push(id),
            None => groups.push((begin, vec![id])),
        }
    }
    let structure = |(begin, ids): (String, Vec<&str>)| json!({"begin": begin, "schema": {"type": "string", "enum": ids}, "end": "]"});
    Ok(groups.into_iter().map(structure).collect())
}
