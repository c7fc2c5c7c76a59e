//! The keys of a description, and what is said under them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::read::{Result, boolean, one_of, set, text};
use provstream::settings::{Table, Value};

/// One of the factors that the thresholds of bands may vary with. Source: MARC-02 8.5.
pub(super) const TASK_FAMILY: &str = "task family";

/// The factor of `bands.varies_by` that sessions of the library add.
pub(super) const ACTION_TYPE: &str = "action type";

/// What is worthwhile deliberation before.
pub(super) const BEFORE_ANSWER: &str = "before an answer";

/// What each loop may use up.
pub(super) const LOOPS: [&str; 3] = ["bounds.retrieve", "bounds.tool", "bounds.deliberate"];
pub(super) const BUDGETS: [&str; 3] = ["count", "time", "cost"];
/// What protects records between domains.
pub(super) const CONTROLS: [&str; 4] = ["authentication", "integrity", "replay", "binding"];

/// A key, and what it has, by a line of `keys.txt`.
struct Key {
    path: &'static str,
    table: &'static str,
    name: &'static str,
    has: &'static str,
    /// What the words are of which it has some.
    what: &'static str,
    words: Vec<&'static str>,
}

/// The keys of each table; those of tables with free keys are read where they are executed.
static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let lines = include_str!("keys.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.filter_map(Key::parse).collect()
});

impl Key {
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

    fn read(&'static self, value: Value<'_>) -> Result<Said> {
        let word = |value| Ok(one_of(value, self.what, &self.words)?.to_owned());
        Ok(match self.has {
            "flag" => Said::Flag(boolean(value)?),
            "text" => Said::Texts(vec![text(value)?]),
            "texts" => Said::Texts(set(value, text)?),
            "word" => Said::Texts(vec![word(value)?]),
            "words" => Said::Texts(set(value, word)?),
            _ => Said::Something,
        })
    }
}

/// The keys of the root.
pub(super) fn root_keys() -> Vec<&'static str> {
    let root = KEYS.iter().filter(|key| key.table.is_empty());
    root.map(|key| key.name).collect()
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
