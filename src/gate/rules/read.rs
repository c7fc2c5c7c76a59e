//! Reads a policy file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::error::PolicyError;
use super::rule::{Rule, Text, Verb};
use super::{DISPOSITIONS, Disposition, Rules};
use crate::provenance::{Class, Discipline, DisciplineBuilder, Vocabulary, parse_duration};
use crate::settings::{File, Table, Value};

/// The keys of a file, those of rules aside.
const KEYS: [&str; 11] = [
    "version",
    "preset",
    "floor",
    "default_window",
    "skew",
    "required",
    "refused",
    "language",
    "windows",
    "groups",
    "inadmissible",
];

/// The keys of the rules for dispositions.
const RULES: [(&str, Disposition); DISPOSITIONS] = [
    ("admitted", Disposition::Admitted),
    ("limit", Disposition::Limit),
    ("no_assertion", Disposition::NoAssertion),
    ("untrusted", Disposition::Untrusted),
    ("unannotated", Disposition::Unannotated),
    ("malformed", Disposition::Malformed),
    ("unknown", Disposition::Unknown),
    ("terminal", Disposition::Terminal),
    ("refused_class", Disposition::RefusedClass),
    ("below_floor", Disposition::BelowFloor),
    ("missing_class", Disposition::MissingClass),
];

/// The language that texts are written in, unless another one is asked for.
struct Languages<'t> {
    first: Option<&'t str>,
    all: BTreeSet<Box<str>>,
}

impl Rules {
    /// Loads a policy from a TOML file. Its classes are those of `vocabulary`.
    ///
    /// # Errors
    ///
    /// What is wrong, with its line and column: a file above 1 MiB, not UTF-8 or not TOML, a missing or unknown key, or a
    /// value that its key cannot have.
    pub fn from_toml(file: &[u8], vocabulary: &Vocabulary) -> Result<Self, PolicyError> {
        let known: Vec<&str> = KEYS
            .into_iter()
            .chain(RULES.iter().map(|(key, _)| *key))
            .collect();
        let file = File::parse(file)?;
        let root = file.root(&known)?;
        let string = |key| {
            root.get(key)
                .map(|value: Value<'_>| value.string())
                .transpose()
        };
        let mut languages = Languages {
            first: string("language")?,
            all: BTreeSet::new(),
        };
        let inadmissible = rule(&root.need("inadmissible")?, &mut languages)?;
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
        Ok(Self {
            version: string("version")?.unwrap_or_default().into(),
            language: languages.first.unwrap_or_default().into(),
            languages: languages.all,
            discipline: discipline(&root, vocabulary)?,
            required: classes(root.get("required"), vocabulary)?,
            refused: classes(root.get("refused"), vocabulary)?,
            inadmissible,
            own,
        })
    }
}

fn discipline(root: &Table<'_>, vocabulary: &Vocabulary) -> Result<Discipline, PolicyError> {
    let mut builder = floor(root)?;
    if let Some(value) = root.get("default_window") {
        builder = builder.default_window(duration(&value, "default_window")?);
    }
    if let Some(value) = root.get("skew") {
        builder = builder.skew(duration(&value, "skew")?);
    }
    if let Some(windows) = root.get("windows") {
        for (key, value) in windows.free_table()?.entries() {
            let class = vocabulary
                .class(key.name())
                .filter(|class| !class.is_terminal());
            let class = class.ok_or_else(|| {
                PolicyError::value(key.place(), "windows", &class_of(vocabulary), key.name())
            })?;
            builder = builder.window(class, duration(&value, key.name())?);
        }
    }
    let place = root
        .get("groups")
        .map_or_else(|| root.place(), |value| value.place());
    if let Some(groups) = root.get("groups") {
        for group in groups.items()? {
            builder = builder.group(classes(Some(group), vocabulary)?);
        }
    }
    builder.build().map_err(|error| {
        PolicyError::value(
            place,
            "groups",
            "each class in one group",
            &error.to_string(),
        )
    })
}

/// The floor, as a number or by the name of one of the memo's references.
fn floor(root: &Table<'_>) -> Result<DisciplineBuilder, PolicyError> {
    match (root.get("preset"), root.get("floor")) {
        (Some(preset), None) => match preset.string()? {
            "own-state" => Ok(Discipline::own_state()),
            "external" => Ok(Discipline::external_effect()),
            other => {
                let expected = "one of \"own-state\", \"external\"";
                Err(PolicyError::value(
                    preset.place(),
                    "preset",
                    expected,
                    other,
                ))
            }
        },
        (None, Some(floor)) => {
            let number = floor.unsigned()?;
            match usize::try_from(number) {
                Ok(count) if (1..=65_536).contains(&count) => Ok(Discipline::builder(count)),
                _ => {
                    let expected = "a number from 1 to 65536";
                    Err(PolicyError::value(
                        floor.place(),
                        "floor",
                        expected,
                        &number.to_string(),
                    ))
                }
            }
        }
        (Some(_), Some(floor)) => {
            let found = floor.unsigned()?.to_string();
            Err(PolicyError::value(
                floor.place(),
                "floor",
                "only one of \"preset\" and \"floor\"",
                &found,
            ))
        }
        (None, None) => Err(PolicyError::missing(
            root.place(),
            "preset",
            "it or \"floor\"",
        )),
    }
}

fn duration(value: &Value<'_>, key: &str) -> Result<Duration, PolicyError> {
    let text = value.string()?;
    parse_duration(text).map_err(|_| {
        PolicyError::value(
            value.place(),
            key,
            "a duration such as \"90s\", \"1h30m\" or \"2d\"",
            text,
        )
    })
}

fn class_of(vocabulary: &Vocabulary) -> String {
    format!(
        "a class of vocabulary {} that is not a terminal",
        vocabulary.version()
    )
}

/// The classes of a list; none without a list.
fn classes(list: Option<Value<'_>>, vocabulary: &Vocabulary) -> Result<Vec<Class>, PolicyError> {
    let mut found = Vec::new();
    let Some(list) = list else {
        return Ok(found);
    };
    for item in list.items()? {
        let name = item.string()?;
        let class = vocabulary.class(name).filter(|class| !class.is_terminal());
        found.push(class.ok_or_else(|| {
            PolicyError::value(item.place(), item.key(), &class_of(vocabulary), name)
        })?);
    }
    Ok(found)
}

/// The texts that each action takes.
const fn texts_of(verb: Verb) -> &'static [&'static str] {
    match verb {
        Verb::Mark => &["before", "after"],
        Verb::Replace | Verb::Refuse => &["text"],
        Verb::Release | Verb::Discard | Verb::Suspend => &[],
    }
}

fn rule(value: &Value<'_>, languages: &mut Languages<'_>) -> Result<Rule, PolicyError> {
    let table = value.table(&["action", "text", "before", "after"])?;
    let action = table.need("action")?;
    let name = action.string()?;
    let verb = Verb::ALL.into_iter().find(|verb| verb.as_str() == name);
    let verb = verb.ok_or_else(|| {
        let expected =
            "one of \"release\", \"mark\", \"replace\", \"discard\", \"suspend\", \"refuse\"";
        PolicyError::value(action.place(), "action", expected, name)
    })?;
    let taken = texts_of(verb);
    for key in ["text", "before", "after"] {
        if let Some(text) = table.get(key)
            && !taken.contains(&key)
        {
            let expected = format!("no \"{key}\" with this action");
            return Err(PolicyError::value(text.place(), "action", &expected, name));
        }
    }
    let mut texts = BTreeMap::new();
    for key in taken {
        if let Some(given) = table.get(key) {
            texts.insert(*key, text(&given, languages)?);
        }
    }
    if texts.is_empty()
        && let Some(key) = taken.first()
    {
        let why = format!("with action \"{name}\"");
        return Err(PolicyError::missing(table.place(), key, &why));
    }
    let mut take = |key| texts.remove(key).unwrap_or_default();
    Ok(Rule {
        verb,
        text: if verb == Verb::Mark {
            take("before")
        } else {
            take("text")
        },
        after: take("after"),
    })
}

/// A text, as a string or as a table of languages.
fn text(value: &Value<'_>, languages: &mut Languages<'_>) -> Result<Text, PolicyError> {
    if let Ok(text) = value.string() {
        return Ok(Text {
            general: text.into(),
            by_language: BTreeMap::new(),
        });
    }
    let table = value.free_table()?;
    let mut by_language: BTreeMap<Box<str>, Box<str>> = BTreeMap::new();
    for (key, value) in table.entries() {
        by_language.insert(key.name().into(), value.string()?.into());
        languages.all.insert(key.name().into());
    }
    let first = languages.first.ok_or_else(|| {
        PolicyError::missing(
            value.place(),
            "language",
            "it where texts are given by language",
        )
    })?;
    let general = by_language.get(first).ok_or_else(|| {
        PolicyError::missing(
            value.place(),
            first,
            "a text in the \"language\" of the file",
        )
    })?;
    Ok(Text {
        general: general.clone(),
        by_language,
    })
}
