//! Reader of rules and their texts.

use std::collections::{BTreeMap, BTreeSet};

use super::error::PolicyError;
use super::rule::{LocalisedText, Rule, Verb};
use crate::settings::{FilePosition, Table, Value};

/// Languages of the texts: the one to use by default, and all that occur.
pub(super) struct Languages<'t> {
    pub(super) first: Option<&'t str>,
    pub(super) all: BTreeSet<Box<str>>,
}

/// Returns the keys of the texts that an action takes.
const fn texts_of(verb: Verb) -> &'static [&'static str] {
    match verb {
        Verb::Mark => &["before", "after"],
        Verb::Replace | Verb::Refuse => &["text"],
        Verb::Release | Verb::Discard | Verb::Suspend => &[],
    }
}

/// List of the actions in error messages.
const ACTIONS: &str =
    "one of \"release\", \"mark\", \"replace\", \"discard\", \"suspend\", \"refuse\"";

/// Reads a rule: its action and the texts of the action.
pub(super) fn rule(value: &Value<'_>, languages: &mut Languages<'_>) -> Result<Rule, PolicyError> {
    let keys = ["action", "text", "before", "after"];
    let table = value
        .free_table()
        .map_err(|_| value.wrong_type("a table such as { action = \"discard\" }"))?
        .closed(&keys)?;
    let action = table.get("action").ok_or_else(|| {
        let more = format!(", expected {ACTIONS}");
        PolicyError::missing(table.place(), "action", &more)
    })?;
    let name = action.string().map_err(|_| action.wrong_type(ACTIONS))?;
    let verb = Verb::ALL.into_iter().find(|verb| verb.as_str() == name);
    let verb = verb.ok_or_else(|| PolicyError::value(action.place(), "action", ACTIONS, name))?;
    check_keys(&table, verb, action.place().line())?;
    let taken = texts_of(verb);
    let mut texts = BTreeMap::new();
    for key in taken {
        if let Some(given) = table.get(key) {
            texts.insert(*key, text(&given, verb, languages)?);
        }
    }
    if texts.is_empty()
        && let Some(first) = taken.first()
    {
        let others: String = taken[1..]
            .iter()
            .map(|key| format!(" or \"{key}\""))
            .collect();
        let more =
            format!("{others}, expected with action \"{name}\", such as {first} = \"(withheld)\"");
        return Err(PolicyError::missing(table.place(), first, &more));
    }
    if let (Some(before), Some(after)) = (texts.get("before"), texts.get("after")) {
        check_languages(&table, before, after)?;
    }
    let mut take = |key| texts.remove(key).unwrap_or_default();
    let main = taken.first().copied().unwrap_or("text");
    Ok(Rule {
        verb,
        text: take(main),
        after: take("after"),
    })
}

/// Checks that the table has no text that the action does not take.
fn check_keys(table: &Table<'_>, verb: Verb, line: u32) -> Result<(), PolicyError> {
    let taken = texts_of(verb);
    let other = table
        .entries()
        .find(|(key, _)| key.name() != "action" && !taken.contains(&key.name()));
    let Some((key, _)) = other else {
        return Ok(());
    };
    let (name, action) = (key.name(), verb.as_str());
    let message = match (verb, name) {
        (Verb::Mark, _) => {
            format!(
                "expected \"before\", \"after\" or both with action \"mark\" (line {line}), found \"{name}\""
            )
        }
        (Verb::Replace | Verb::Refuse, _) => format!(
            "expected \"text\" with action \"{action}\" (line {line}), found \"{name}\", which is for \"mark\""
        ),
        (_, "text") => format!(
            "expected no text with action \"{action}\" (line {line}), found \"text\", which is for \"replace\" and \"refuse\""
        ),
        _ => format!(
            "expected no text with action \"{action}\" (line {line}), found \"{name}\", which is for \"mark\""
        ),
    };
    Err(PolicyError::bad(key.place(), &message))
}

/// Checks that both texts of a mark are given in the same languages, so that no language has only
/// one of them.
fn check_languages(
    table: &Table<'_>,
    before: &LocalisedText,
    after: &LocalisedText,
) -> Result<(), PolicyError> {
    for (with, without, key, other) in [
        (before, after, "after", "before"),
        (after, before, "before", "after"),
    ] {
        let mut languages = with.by_language.keys();
        let missing = languages.find(|language| !without.by_language.contains_key(*language));
        if let Some(missing) = missing
            && !without.by_language.is_empty()
        {
            let place: FilePosition = table
                .get(key)
                .map_or_else(|| table.place(), |value| value.place());
            let more = format!(" of \"{key}\", expected each language of \"{other}\"");
            return Err(PolicyError::missing(place, missing, &more));
        }
    }
    Ok(())
}

/// Reads a text, given as a string or as a table of languages.
fn text(
    value: &Value<'_>,
    verb: Verb,
    languages: &mut Languages<'_>,
) -> Result<LocalisedText, PolicyError> {
    if value.string().is_ok() {
        return Ok(LocalisedText {
            general: content(value, verb)?.into(),
            by_language: BTreeMap::new(),
        });
    }
    let table = value
        .free_table()
        .map_err(|_| value.wrong_type("a string, or a table with a string for each language,"))?;
    let mut by_language: BTreeMap<Box<str>, Box<str>> = BTreeMap::new();
    for (key, value) in table.entries() {
        by_language.insert(key.name().into(), content(&value, verb)?.into());
        languages.all.insert(key.name().into());
    }
    let first = languages.first.ok_or_else(|| {
        let more = ", expected it where texts are given by language, such as language = \"en\"";
        PolicyError::missing(value.place(), "language", more)
    })?;
    let general = by_language.get(first).ok_or_else(|| {
        let more = ", expected a text in the \"language\" of the file";
        PolicyError::missing(value.place(), first, more)
    })?;
    Ok(LocalisedText {
        general: general.clone(),
        by_language,
    })
}

/// Reads the content of a text, which may be empty only beside another text.
fn content<'t>(value: &Value<'t>, verb: Verb) -> Result<&'t str, PolicyError> {
    let text = value.string()?;
    let instead = match verb {
        Verb::Replace => "discard",
        Verb::Refuse => "suspend",
        _ => return Ok(text),
    };
    if text.is_empty() {
        let expected = format!("a text that is not empty (action \"{instead}\" writes none)");
        return Err(PolicyError::value(
            value.place(),
            value.key(),
            &expected,
            "",
        ));
    }
    Ok(text)
}
