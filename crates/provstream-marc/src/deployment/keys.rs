//! Keys of a deployment description and their values.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::read::{Result, boolean, one_of, set, text};
use provstream::settings::{Table, Value};

/// Factor of `bands.varies_by` for bands that depend on the task family. Source: MARC-02 8.5.
pub(super) const TASK_FAMILY: &str = "task family";

/// Factor of `bands.varies_by` for bands that depend on the action, as those of the library's
/// sessions do.
pub(super) const ACTION_TYPE: &str = "action type";

/// Value of `policy.deliberation` for deliberation right before an answer.
pub(super) const BEFORE_ANSWER: &str = "before an answer";

/// Tables with the bound of each loop.
pub(super) const LOOPS: [&str; 3] = ["bounds.retrieve", "bounds.tool", "bounds.deliberate"];
pub(super) const BUDGETS: [&str; 3] = ["count", "time", "cost"];
/// Keys of the controls that protect records between domains.
pub(super) const CONTROLS: [&str; 4] = ["authentication", "integrity", "replay", "binding"];

/// A key and the type of its value, parsed from a line of `keys.txt`.
struct ConformanceKey {
    path: &'static str,
    table: &'static str,
    name: &'static str,
    has: &'static str,
    /// Noun for the permitted words in error messages, such as `factor`.
    what: &'static str,
    words: Vec<&'static str>,
}

/// The keys of all tables with fixed keys. Tables with free keys are read by the code that executes
/// them.
static KEYS: LazyLock<Vec<ConformanceKey>> = LazyLock::new(|| {
    let lines = include_str!("keys.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.filter_map(ConformanceKey::parse).collect()
});

impl ConformanceKey {
    fn parse(line: &'static str) -> Option<Self> {
        let (path, has) = line.split_once(": ")?;
        let (table, name) = path.rsplit_once('.').unwrap_or(("", path));
        let (has, words) = has.split_once(' ').unwrap_or((has, ""));
        let (what, words) = words.split_once(" = ").unwrap_or_default();
        Some(Self {
            path,
            table,
            name,
            has,
            what,
            words: words.split(", ").collect(),
        })
    }

    fn read(&'static self, value: Value<'_>) -> Result<DescribedValue> {
        let word = |value| Ok(one_of(value, self.what, &self.words)?.to_owned());
        Ok(match self.has {
            "flag" => DescribedValue::Flag(boolean(value)?),
            "text" => DescribedValue::Texts(vec![text(value)?]),
            "texts" => DescribedValue::Texts(set(value, text)?),
            "word" => DescribedValue::Texts(vec![word(value)?]),
            "words" => DescribedValue::Texts(set(value, word)?),
            _ => DescribedValue::Something,
        })
    }
}

/// Returns the names of the root keys.
pub(super) fn root_keys() -> Vec<&'static str> {
    let root = KEYS.iter().filter(|key| key.table.is_empty());
    root.map(|key| key.name).collect()
}

/// Returns the table at a dotted path, if the file has it.
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

/// Value of a key, as far as conformance checks need it.
#[derive(Clone, Debug, PartialEq)]
enum DescribedValue {
    Something,
    Texts(Vec<String>),
    Flag(bool),
}

/// Values of a description by dotted key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Description(BTreeMap<String, DescribedValue>);

impl Description {
    /// Reads all tables with fixed keys.
    pub(super) fn read(root: &Table<'_>) -> Result<Self> {
        let mut description = Self::default();
        for keys in KEYS.chunk_by(|one, other| one.table == other.table) {
            let Some(table) = table_at(root, keys[0].table)? else {
                continue;
            };
            let known: Vec<_> = keys.iter().map(|key| key.name).collect();
            let table = table.closed(&known)?;
            for key in keys {
                if let Some(value) = table.get(key.name) {
                    description.0.insert(key.path.to_owned(), key.read(value)?);
                }
            }
        }
        Ok(description)
    }

    /// Adds a text of a table with free keys.
    pub(super) fn note(&mut self, key: String, text: String) {
        self.0.insert(key, DescribedValue::Texts(vec![text]));
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.0.get(key)? {
            DescribedValue::Flag(said) => Some(*said),
            _ => None,
        }
    }

    /// Returns the texts of a list, or a single text as a list of one.
    pub(super) fn texts(&self, key: &str) -> Option<&[String]> {
        match self.0.get(key)? {
            DescribedValue::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.texts(key)?.first().map(String::as_str)
    }
}
