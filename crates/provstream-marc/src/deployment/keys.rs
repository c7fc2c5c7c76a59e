//! The keys of a description, and what is said under them.

use std::collections::BTreeMap;

use super::read::{Result, boolean, one_of, set, text};
use provstream::settings::{Table, Value};

/// What a key has. The value of one that is given is read where it is executed; the others are documented or declared.
#[derive(Clone, Copy)]
enum Has {
    Given,
    Text,
    Texts,
    Flag,
    /// One of some words, of which the first text says what they are.
    Word(&'static str, &'static [&'static str]),
    Words(&'static str, &'static [&'static str]),
}

use Has::{Flag, Given, Text, Texts, Word, Words};

/// One of the factors that the thresholds of bands may vary with. Source: MARC-02 8.5.
pub(super) const TASK_FAMILY: &str = "task family";
const FACTORS: &[&str] = &[
    TASK_FAMILY,
    "domain",
    "action type",
    "deployment context",
    "risk tier",
];

/// Domains in which little is left to automation. Source: MARC-02 14.
const RISK_DOMAINS: &[&str] = &["health", "legal", "financial", "safety", "mental health"];

/// Contexts of trust. Source: MARC-02 15.
#[rustfmt::skip]
const CONTEXTS: &[&str] = &[
    "local", "delegated", "cross-domain", "attested local", "attested delegated", "attested cross-domain",
];

/// What is worthwhile deliberation before.
pub(super) const BEFORE_ANSWER: &str = "before an answer";
const DELIBERATION: &[&str] = &["before externalization", BEFORE_ANSWER];

/// What each loop may use up.
pub(super) const LOOPS: [&str; 3] = ["bounds.retrieve", "bounds.tool", "bounds.deliberate"];
pub(super) const BUDGETS: [&str; 3] = ["count", "time", "cost"];
const LIMIT: &[(&str, Has)] = &[
    ("count", Given),
    ("time", Given),
    ("cost", Given),
    ("criterion", Text),
];

/// What protects records between domains.
pub(super) const CONTROLS: [&str; 4] = ["authentication", "integrity", "replay", "binding"];

/// The keys of each table; those with free keys are read where they are executed.
#[rustfmt::skip]
static TABLES: &[(&str, &[(&str, Has)])] = &[
    ("", &[("name", Text), ("draft", Given), ("classes", Given), ("records", Given), ("decisions", Given),
        ("score_normalization", Text), ("unused_scores", Word("meaning of unused scores", &["zero"])), ("bands", Given),
        ("bounds", Given), ("risk", Given), ("extension", Given), ("extensions", Given), ("sub_actions", Given),
        ("wording", Given), ("mapping", Given), ("trust", Given), ("policy", Given), ("presentation", Given),
        ("privacy", Given), ("use", Given), ("stated", Given)]),
    ("bands", &[("calibration_profile", Text), ("medium_from", Given), ("high_from", Given), ("family", Given),
        ("varies_by", Words("factor", FACTORS)), ("variation", Text), ("regime", Text)]),
    ("bounds", &[("retrieve", Given), ("tool", Given), ("deliberate", Given), ("clarifications", Given)]),
    ("bounds.retrieve", LIMIT),
    ("bounds.tool", LIMIT),
    ("bounds.deliberate", LIMIT),
    ("risk", &[("domains", Words("high-risk domain", RISK_DOMAINS)), ("caution", Text), ("limits", Text),
        ("standard", Given), ("high_risk", Given), ("source", Given)]),
    ("policy", &[("abstain", Text), ("escalate", Text), ("safety", Given),
        ("deliberation", Word("place of deliberation", DELIBERATION)), ("action_suitability", Given), ("deviation", Given)]),
    ("extensions", &[("keep_meaning", Flag)]),
    ("wording", &[("language", Given), ("message", Given), ("next_step", Given), ("source", Given), ("band", Given),
        ("target", Given), ("no_target", Given), ("unit", Given), ("labels_keep_order", Flag)]),
    ("trust", &[("emitted", Words("context of trust", CONTEXTS)), ("received", Words("context of trust", CONTEXTS)),
        ("attestation", Text), ("protection", Text), ("controls", Given), ("permit", Given)]),
    ("trust.controls", &[("authentication", Text), ("integrity", Text), ("replay", Text), ("binding", Text)]),
    ("presentation", &[("target", Text), ("unit", Text)]),
    ("privacy", &[("retention", Text), ("prompts", Text), ("sensitivity", Text), ("explanations", Text), ("distress", Text)]),
    ("use", &[("purposes", Texts), ("infers_psychology", Flag)]),
];

/// The keys of the root.
pub(super) fn root_keys() -> Vec<&'static str> {
    TABLES[0].1.iter().map(|(key, _)| *key).collect()
}

/// The table at a path of keys, if it is there.
pub(super) fn table_at<'t>(root: &Table<'t>, path: &'static str) -> Result<Option<Table<'t>>> {
    let mut table = root.clone();
    for key in path.split('.').filter(|key| !key.is_empty()) {
        match table.get(key) {
            None => return Ok(None),
            Some(value) => table = value.free_table()?,
        }
    }
    Ok(Some(table))
}

/// What is said under a key.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Something,
    Texts(Vec<String>),
    Flag(bool),
}

/// What a description says, by dotted keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Description(BTreeMap<String, Said>);

impl Description {
    /// Reads all tables that have no free keys. What is given is only noted.
    pub(super) fn read(root: &Table<'_>) -> Result<Self> {
        let mut description = Self::default();
        for &(path, keys) in TABLES {
            let Some(table) = table_at(root, path)? else {
                continue;
            };
            let known: Vec<_> = keys.iter().map(|(key, _)| *key).collect();
            let table = table.closed(&known)?;
            for &(key, has) in keys {
                if let Some(value) = table.get(key) {
                    let before = if path.is_empty() { "" } else { "." };
                    let said = Said::read(value, has)?;
                    description.0.insert(format!("{path}{before}{key}"), said);
                }
            }
        }
        Ok(description)
    }

    /// Notes a text of a table with free keys.
    pub(super) fn note(&mut self, key: String, text: String) {
        self.0.insert(key, Said::Texts(vec![text]));
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.0.get(key)? {
            Said::Flag(said) => Some(*said),
            _ => None,
        }
    }

    /// The texts of a list, or a text by itself.
    pub(super) fn texts(&self, key: &str) -> Option<&[String]> {
        match self.0.get(key)? {
            Said::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.texts(key)?.first().map(String::as_str)
    }
}

impl Said {
    fn read(value: Value<'_>, has: Has) -> Result<Self> {
        let one = |text: &str| vec![text.to_owned()];
        Ok(match has {
            Given => Self::Something,
            Flag => Self::Flag(boolean(value)?),
            Text => Self::Texts(vec![text(value)?]),
            Texts => Self::Texts(set(value, text)?),
            Word(what, all) => Self::Texts(one(one_of(value, what, all)?)),
            Words(what, all) => {
                let texts = set(value, |item| one_of(item, what, all))?;
                Self::Texts(texts.into_iter().map(str::to_owned).collect())
            }
        })
    }
}
