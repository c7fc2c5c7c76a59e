//! Reads a policy file.

use std::collections::BTreeSet;

use super::discipline::discipline;
use super::error::PolicyError;
use super::rule::{Rule, Verb};
use super::texts::{Languages, rule};
use super::{DISPOSITIONS, Disposition, Rules};
use crate::gate::spacing::Spacing;
use crate::provenance::Vocabulary;
use crate::settings::{File, Table, Value};

/// The keys of a file, those of rules aside.
const KEYS: [&str; 15] = [
    "version",
    "preset",
    "floor",
    "default_window",
    "skew",
    "required",
    "refused",
    "any_stale",
    "spacing",
    "language",
    "windows",
    "default_level",
    "levels",
    "groups",
    "inadmissible",
];

/// The keys of the rules for dispositions.
const RULES: [(&str, Disposition); DISPOSITIONS] = [
    ("admitted", Disposition::Admitted),
    ("limit", Disposition::Limit),
    ("no_assertion", Disposition::NoAssertion),
    ("orphan", Disposition::Orphan),
    ("untrusted", Disposition::Untrusted),
    ("unannotated", Disposition::Unannotated),
    ("malformed", Disposition::Malformed),
    ("unknown", Disposition::Unknown),
    ("terminal", Disposition::Terminal),
    ("refused_class", Disposition::RefusedClass),
    ("stale", Disposition::Stale),
    ("no_time", Disposition::NoTime),
    ("future", Disposition::Future),
    ("below_floor", Disposition::BelowFloor),
    ("missing_class", Disposition::MissingClass),
    ("unknown_source", Disposition::UnknownSource),
    ("listed_source", Disposition::ListedSource),
    ("no_source_list", Disposition::NoSourceList),
    ("unobserved", Disposition::Unobserved),
    ("class_differs", Disposition::ClassDiffers),
    ("changed", Disposition::Changed),
    ("gone", Disposition::Gone),
    ("unreachable", Disposition::Unreachable),
    ("not_requeryable", Disposition::NotRequeryable),
    ("moved", Disposition::Moved),
    ("below_level", Disposition::BelowLevel),
];

/// All keys of a file.
fn known() -> Vec<&'static str> {
    let rules = RULES.iter().map(|(key, _)| *key);
    KEYS.into_iter().chain(rules).collect()
}

impl Rules {
    /// Loads a policy from a TOML file. Its classes are those of `vocabulary`.
    ///
    /// # Errors
    ///
    /// What is wrong, with its line and column: a file above 1 MiB, not UTF-8 or not TOML, a missing or unknown key, or a
    /// value that its key cannot have.
    pub fn from_toml(file: &[u8], vocabulary: &Vocabulary) -> Result<Self, PolicyError> {
        let file = File::parse(file)?;
        Self::from_root(&file.root(&known())?, vocabulary)
    }

    /// Loads a policy from a table of a larger TOML file, with the keys of a policy file.
    ///
    /// # Errors
    ///
    /// As [`from_toml`](Self::from_toml), with the line and column in the larger file.
    pub fn from_table(table: &Value<'_>, vocabulary: &Vocabulary) -> Result<Self, PolicyError> {
        Self::from_root(&table.table(&known())?, vocabulary)
    }

    fn from_root(root: &Table<'_>, vocabulary: &Vocabulary) -> Result<Self, PolicyError> {
        let string = |key| {
            root.get(key)
                .map(|value: Value<'_>| value.string())
                .transpose()
        };
        if let Some(language) = root.get("language")
            && language.string()?.is_empty()
        {
            let expected = "a language such as \"en\"";
            return Err(PolicyError::value(
                language.place(),
                "language",
                expected,
                "",
            ));
        }
        let mut languages = Languages {
            first: string("language")?,
            all: BTreeSet::new(),
        };
        let inadmissible = root.get("inadmissible");
        let inadmissible = inadmissible.ok_or_else(|| PolicyError::missing_keys(root))?;
        let inadmissible = rule(&inadmissible, &mut languages)?;
        let mut own = [const { None }; DISPOSITIONS];
        for (key, disposition) in RULES {
            if let Some(value) = root.get(key) {
                let found = rule(&value, &mut languages)?;
                if disposition == Disposition::Unannotated
                    && matches!(found.verb, Verb::Suspend | Verb::Refuse)
                {
                    let expected = "one of \"release\", \"mark\", \"replace\", \"discard\"";
                    return Err(PolicyError::value(
                        value.place(),
                        "unannotated",
                        expected,
                        found.verb.as_str(),
                    ));
                }
                own[disposition as usize] = Some(found);
            }
        }
        own[Disposition::Admitted as usize].get_or_insert_with(Rule::release);
        let withholds_any_stale = withholds_any_stale(root)?;
        let (discipline, lists) = discipline(root, vocabulary)?;
        Ok(Self {
            source: root.file().into(),
            version: string("version")?.unwrap_or_default().into(),
            language: languages.first.unwrap_or_default().into(),
            languages: languages.all,
            discipline,
            required: lists.required,
            refused: lists.refused,
            withholds_any_stale,
            spacing: spacing(root)?,
            inadmissible,
            own,
        })
    }
}

/// Returns `true` if a stale annotation makes an assertion inadmissible, whatever else counts.
fn withholds_any_stale(root: &Table<'_>) -> Result<bool, PolicyError> {
    let Some(value) = root.get("any_stale") else {
        return Ok(false);
    };
    let expected = "one of \"withhold\", \"ignore\"";
    match value.string().map_err(|_| value.wrong_type(expected))? {
        "withhold" => Ok(true),
        "ignore" => Ok(false),
        other => Err(PolicyError::value(
            value.place(),
            "any_stale",
            expected,
            other,
        )),
    }
}

/// Returns the treatment of white space beside text that is discarded.
fn spacing(root: &Table<'_>) -> Result<Spacing, PolicyError> {
    let Some(value) = root.get("spacing") else {
        return Ok(Spacing::Join);
    };
    let expected = "one of \"join\", \"keep\"";
    match value.string().map_err(|_| value.wrong_type(expected))? {
        "join" => Ok(Spacing::Join),
        "keep" => Ok(Spacing::Keep),
        other => Err(PolicyError::value(
            value.place(),
            "spacing",
            expected,
            other,
        )),
    }
}
