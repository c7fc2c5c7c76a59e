//! Table of single changes to MARC objects with the violations expected after each, read from
//! `corpus/marc/mutations.toml`.

use std::fs;

use provstream_marc::{Document, Draft, Level, MarcKind, Profile, Report};

use super::generate::quoted;

/// A violation that a row of the table expects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expected {
    pub pointer: String,
    pub code: String,
    pub section: String,
    /// Level in the lenient and in the strict reading of the draft, `None` where it is no
    /// violation.
    levels: [Option<Level>; 2],
}

impl Expected {
    fn of(text: &str, member: &str) -> Self {
        let words: Vec<_> = text.split(' ').collect();
        let (level, code, section) = match words[..] {
            [level, code, section] | [level, code, section, _] => (level, code, section),
            _ => panic!("{text:?} is no violation"),
        };
        let levels = match level {
            "must" => [Some(Level::Must); 2],
            "should" => [Some(Level::Should); 2],
            "should/must" => [Some(Level::Should), Some(Level::Must)],
            "clean/must" => [None, Some(Level::Must)],
            _ => panic!("{level:?} is no level"),
        };
        Self {
            pointer: (*words.get(3).unwrap_or(&member)).into(),
            code: code.into(),
            section: section
                .replace('/', " ")
                .replace("RFC-", "RFC ")
                .replace("wire-profile", "wire profile"),
            levels,
        }
    }

    pub const fn level(&self, profile: Profile) -> Option<Level> {
        self.levels[profile.is_strict() as usize]
    }

    /// Formats the violation as [`found`] does, `None` if the profile does not have it.
    pub fn line(&self, profile: Profile) -> Option<String> {
        let Self {
            pointer,
            code,
            section,
            ..
        } = self;
        let level = self.level(profile)?;
        Some(format!("{level} {code} {section} {pointer}"))
    }
}

/// Formats the violations of a report as sorted lines.
pub fn found(report: &Report) -> Vec<String> {
    let mut lines: Vec<_> = report
        .violations()
        .iter()
        .map(|violation| {
            format!(
                "{} {} {} {}",
                violation.level(),
                violation.code(),
                violation.section(),
                violation.pointer()
            )
        })
        .collect();
    lines.sort();
    lines
}

/// Formats expected violations as sorted lines.
pub fn expected(violations: &[Expected], profile: Profile) -> Vec<String> {
    let mut lines: Vec<_> = violations
        .iter()
        .filter_map(|one| one.line(profile))
        .collect();
    lines.sort();
    lines
}

/// A MARC object without faults, one version for each draft.
pub struct Base {
    pub name: String,
    pub kind: MarcKind,
    json: [String; 2],
}

impl Base {
    pub fn document(&self, draft: Draft) -> Document {
        let json = &self.json[draft as usize];
        Document::parse(json.as_bytes()).expect("an object")
    }
}

/// A change to one member of a base object.
pub struct Row {
    pub base: usize,
    /// JSON Pointer of the changed member.
    pub member: String,
    pub change: String,
    /// Violations expected under each draft, `None` where the change is not applicable.
    expected: [Option<Vec<Expected>>; 2],
}

impl Row {
    pub fn expected(&self, draft: Draft) -> Option<&[Expected]> {
        self.expected[draft as usize].as_deref()
    }

    /// Returns the new value of the member as JSON, `None` for the changes `remove` and `repeat`.
    pub fn value(&self) -> Option<String> {
        if matches!(&*self.change, "remove" | "repeat") {
            return None;
        }
        let Some(length) = self.change.strip_prefix("length ") else {
            return Some(self.change.clone());
        };
        let (len, character) = length.split_once(' ').expect("a length and a character");
        Some(quoted(&character.repeat(len.parse().expect("a length"))))
    }

    /// Applies the change to a copy of the document.
    pub fn apply(&self, document: &Document) -> Document {
        let names: Vec<_> = self.member[1..]
            .split('/')
            .map(|name| name.replace("~1", "/").replace("~0", "~"))
            .collect();
        match &names[..] {
            [name] => self.change(document, name),
            [outer, name] => {
                let inner = document.get_object(outer).expect("an object inside");
                let mut document = document.clone();
                document.set_object(outer, &self.change(&inner, name));
                document
            }
            _ => panic!("{} is too deep", self.member),
        }
    }

    fn change(&self, document: &Document, name: &str) -> Document {
        let mut changed = document.clone();
        if let Some(value) = self.value() {
            changed.set(name, &value).expect("a value");
            return changed;
        }
        let value = changed.remove(name).expect("a member that is there");
        if self.change == "remove" {
            return changed;
        }
        let json = document.to_json();
        let open = json.strip_suffix('}').expect("an object");
        let again = format!("{open},{}:{value}}}", quoted(name));
        Document::parse(again.as_bytes()).expect("an object")
    }
}

/// Table of base objects and changes.
pub struct Mutations {
    pub bases: Vec<Base>,
    pub rows: Vec<Row>,
}

impl Mutations {
    pub fn read() -> Self {
        let path = crate::root().join("corpus/marc/mutations.toml");
        let text = fs::read_to_string(path).expect("a readable table");
        let table: toml::Table = text.parse().expect("TOML");
        let string = |value: &toml::Value| value.as_str().expect("a string").to_owned();
        let bases: Vec<_> = table["base"]
            .as_table()
            .expect("bases")
            .iter()
            .map(|(name, base)| Base {
                name: name.clone(),
                kind: match &*string(&base["kind"]) {
                    "core" => MarcKind::Core,
                    "disclosure" => MarcKind::Disclosure,
                    other => panic!("{other} is no kind"),
                },
                json: [string(&base["01"]), string(&base["02"])],
            })
            .collect();
        let mut rows = Vec::new();
        for group in table["group"].as_array().expect("groups") {
            let member = string(&group["member"]);
            let name = string(&group["base"]);
            let base = bases.iter().position(|base| base.name == name);
            for row in group["rows"].as_array().expect("rows") {
                let row: Vec<_> = row.as_array().expect("a row").iter().map(string).collect();
                let [change, first, second] = &row[..] else {
                    panic!("{row:?} has not three parts");
                };
                let expected = [first, second].map(|text| match &**text {
                    "-" => None,
                    "clean" => Some(Vec::new()),
                    text => Some(
                        text.split(" + ")
                            .map(|one| Expected::of(one, &member))
                            .collect(),
                    ),
                });
                rows.push(Row {
                    base: base.expect("a base"),
                    member: member.clone(),
                    change: change.clone(),
                    expected,
                });
            }
        }
        Self { bases, rows }
    }

    pub fn base(&self, row: &Row) -> &Base {
        &self.bases[row.base]
    }
}
