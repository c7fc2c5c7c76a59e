//! Reads what makes an assertion admissible.

use std::collections::BTreeMap;
use std::time::Duration;

use super::error::PolicyError;
use crate::provenance::{
    Class, Discipline, DisciplineBuilder, DurationErrorKind, ObservationLevel, Vocabulary,
    parse_duration,
};
use crate::settings::{FilePosition, Table, Value};

/// Most classes of a vocabulary that an error lists.
const LISTED: usize = 12;

/// The lists of classes beside the discipline.
pub(super) struct Lists {
    pub(super) required: Vec<Class>,
    pub(super) refused: Vec<Class>,
}

/// The discipline of a policy, under which some assertion can be admitted, and its lists.
pub(super) fn discipline(
    root: &Table<'_>,
    vocabulary: &Vocabulary,
) -> Result<(Discipline, Lists), PolicyError> {
    let floor = floor(root)?;
    let mut builder = floor.builder;
    let windows = Windows::read(root, vocabulary)?;
    if let Some(window) = windows.general {
        builder = builder.default_window(window);
    }
    for (class, window) in &windows.own {
        builder = builder.window(class.clone(), *window);
    }
    if let Some(value) = root.get("skew") {
        builder = builder.skew(duration(&value)?);
    }
    if let Some(value) = root.get("default_level") {
        builder = builder.default_level(level(&value)?);
    }
    for (class, level) in levels(root, vocabulary)? {
        builder = builder.level(class, level);
    }
    for group in groups(root, vocabulary)? {
        builder = builder.group(group);
    }
    let lists = lists(root, vocabulary, &windows)?;
    let discipline = builder.build().map_err(|error| {
        let expected = "each class in one group";
        PolicyError::value(root.place(), "groups", expected, &error.to_string())
    })?;
    let classes = vocabulary.classes().map(|(class, _)| class);
    let most = discipline.max_count(classes.filter(|class| !lists.refused.contains(class)));
    if floor.count > most {
        let expected = format!(
            "a floor of at most {most}, the number of classes with a window that can count"
        );
        let found = floor.count.to_string();
        return Err(PolicyError::number(floor.place, &expected, &found));
    }
    Ok((discipline, lists))
}

/// Number of classes that must count, with its place in the file.
struct Floor {
    builder: DisciplineBuilder,
    count: usize,
    /// Position of the key in the file.
    place: FilePosition,
}

/// The floor, as a number or by the name of one of the memo's references.
fn floor(root: &Table<'_>) -> Result<Floor, PolicyError> {
    match (root.get("preset"), root.get("floor")) {
        (Some(preset), None) => {
            let expected = "one of \"own-state\", \"external\"";
            let name = preset.string().map_err(|_| preset.wrong_type(expected))?;
            let (builder, count) = match name {
                "own-state" => (Discipline::own_state(), 2),
                "external" => (Discipline::external_effect(), 3),
                other => {
                    let place = preset.place();
                    return Err(PolicyError::value(place, "preset", expected, other));
                }
            };
            let place = preset.place();
            Ok(Floor {
                builder,
                count,
                place,
            })
        }
        (None, Some(floor)) => {
            let number = floor
                .unsigned()
                .ok()
                .and_then(|number| usize::try_from(number).ok());
            let count = number.filter(|count| (1..=65_536).contains(count));
            let count = count.ok_or_else(|| {
                let fault = floor.wrong_type("a whole number from 1 to 65536");
                let quoted = floor.string().is_ok_and(|text| text.parse::<u64>().is_ok());
                let hint = if quoted { "; leave out the quotes" } else { "" };
                PolicyError::of_value(fault, hint)
            })?;
            let (builder, place) = (Discipline::builder(count), floor.place());
            Ok(Floor {
                builder,
                count,
                place,
            })
        }
        (Some(_), Some(_)) => {
            let place = |wanted: &str| {
                let mut entries = root.entries();
                let found = entries.find(|(key, _)| key.name() == wanted);
                found.map_or_else(|| root.place(), |(key, _)| key.place())
            };
            let (preset, floor) = (place("preset"), place("floor"));
            let line = preset.min(floor).line();
            let message = format!(
                "found both \"preset\" and \"floor\" (one is in line {line}), expected one of them"
            );
            Err(PolicyError::bad(preset.max(floor), &message))
        }
        (None, None) => Err(PolicyError::missing_keys(root)),
    }
}

fn duration(value: &Value<'_>) -> Result<Duration, PolicyError> {
    let expected = "a duration such as \"90s\", \"1h30m\" or \"2d\"";
    let text = value.string().map_err(|_| value.wrong_type(expected))?;
    parse_duration(text).map_err(|error| {
        let expected = match error.kind() {
            DurationErrorKind::Overflow => "a duration of at most 18446744073709551615 seconds",
            _ => expected,
        };
        PolicyError::value(value.place(), value.key(), expected, text)
    })
}

/// Description of `windows` in error messages.
const WINDOWS: &str = "a table of classes, such as { \"substrate.grep\" = \"1h\" } (a window for all classes is \"default_window\"),";

/// Admissibility windows: the greatest age of an observation.
struct Windows {
    general: Option<Duration>,
    own: Vec<(Class, Duration)>,
}

impl Windows {
    /// The windows of a file, of which there is at least one.
    fn read(root: &Table<'_>, vocabulary: &Vocabulary) -> Result<Self, PolicyError> {
        let general = root.get("default_window");
        let general = general.map(|value| window(&value)).transpose()?;
        let mut own = Vec::new();
        if let Some(windows) = root.get("windows") {
            let table = windows
                .free_table()
                .map_err(|_| windows.wrong_type(WINDOWS))?;
            for (key, value) in table.entries() {
                if let Ok(table) = value.free_table() {
                    return Err(dotted(key.place(), key.name(), &table, "1h"));
                }
                let class = class(key.place(), "windows", key.name(), vocabulary)?;
                own.push((class, window(&value)?));
            }
        }
        if general.is_none() && own.is_empty() {
            return Err(PolicyError::missing_keys(root));
        }
        Ok(Self { general, own })
    }

    fn has(&self, class: &Class) -> bool {
        self.general.is_some() || self.own.iter().any(|(own, _)| own == class)
    }
}

fn window(value: &Value<'_>) -> Result<Duration, PolicyError> {
    let found = duration(value)?;
    if found.is_zero() {
        let expected = "a duration above zero";
        let found = value.string()?;
        return Err(PolicyError::value(
            value.place(),
            value.key(),
            expected,
            found,
        ));
    }
    Ok(found)
}

/// The levels of classes; none without a table.
fn levels(
    root: &Table<'_>,
    vocabulary: &Vocabulary,
) -> Result<Vec<(Class, ObservationLevel)>, PolicyError> {
    let Some(levels) = root.get("levels") else {
        return Ok(Vec::new());
    };
    let expected = "a table of classes, such as { \"substrate.grep\" = \"observed\" } (a level for all classes is \"default_level\"),";
    let table = levels
        .free_table()
        .map_err(|_| levels.wrong_type(expected))?;
    let entries = table.entries().map(|(key, value)| {
        if let Ok(table) = value.free_table() {
            return Err(dotted(key.place(), key.name(), &table, "observed"));
        }
        let class = class(key.place(), "levels", key.name(), vocabulary)?;
        Ok((class, level(&value)?))
    });
    entries.collect()
}

fn level(value: &Value<'_>) -> Result<ObservationLevel, PolicyError> {
    let expected = "one of \"declared\", \"observed\", \"requeried\"";
    let name = value.string().map_err(|_| value.wrong_type(expected))?;
    name.parse()
        .map_err(|_| PolicyError::value(value.place(), value.key(), expected, name))
}

/// A class whose dots make tables of it; `example` is a value of the key.
fn dotted(place: FilePosition, first: &str, table: &Table<'_>, example: &str) -> PolicyError {
    let mut name = first.to_owned();
    let mut table = table.clone();
    while let Some((key, value)) = { table.entries().next() } {
        name = format!("{name}.{}", key.name());
        match value.free_table() {
            Ok(inner) => table = inner,
            Err(_) => break,
        }
    }
    let message = format!(
        "expected a class in quotes, as in \"{name}\" = \"{example}\", found {name}: in TOML a dot outside of quotes begins another table"
    );
    PolicyError::bad(place, &message)
}

/// The class of this name, which is not a terminal.
fn class(
    place: FilePosition,
    key: &str,
    name: &str,
    vocabulary: &Vocabulary,
) -> Result<Class, PolicyError> {
    let version = vocabulary.version();
    match vocabulary.class(name) {
        Some(class) if class.is_terminal() => {
            let expected = "a class that is not a terminal (the rule for terminals is [terminal])";
            Err(PolicyError::value(place, key, expected, name))
        }
        Some(class) => Ok(class),
        None => {
            let expected = format!("a class of vocabulary {version}");
            let known = instead(name, vocabulary);
            Err(PolicyError::value(place, key, &expected, name).and(&known))
        }
    }
}

/// Returns the alternatives that an error names for an unknown class.
fn instead(name: &str, vocabulary: &Vocabulary) -> String {
    let names = vocabulary.classes().map(|(class, _)| class);
    let names: Vec<String> = names
        .filter(|class| !class.is_terminal())
        .map(|class| class.as_str().to_owned())
        .collect();
    match vocabulary.similar(name) {
        Some(best) => format!("; did you mean \"{best}\""),
        _ if names.len() <= LISTED => format!("; it has {}", names.join(", ")),
        _ => "; `provstream vocabulary` lists them".to_owned(),
    }
}

/// The classes of a list, each once; none without a list.
fn classes(
    list: Option<Value<'_>>,
    vocabulary: &Vocabulary,
) -> Result<Vec<(Class, FilePosition)>, PolicyError> {
    let mut found: Vec<(Class, FilePosition)> = Vec::new();
    let Some(list) = list else {
        return Ok(found);
    };
    for item in list.items()? {
        let expected = "a class such as \"substrate.grep\"";
        let name = item.string().map_err(|_| item.wrong_type(expected))?;
        let class = class(item.place(), item.key(), name, vocabulary)?;
        if found.iter().any(|(other, _)| *other == class) {
            let expected = "each class once";
            return Err(PolicyError::value(item.place(), item.key(), expected, name));
        }
        found.push((class, item.place()));
    }
    Ok(found)
}

/// The lists of classes that count once together.
fn groups(root: &Table<'_>, vocabulary: &Vocabulary) -> Result<Vec<Vec<Class>>, PolicyError> {
    let mut all: Vec<Vec<Class>> = Vec::new();
    let mut places: BTreeMap<String, FilePosition> = BTreeMap::new();
    let Some(groups) = root.get("groups") else {
        return Ok(all);
    };
    let expected =
        "an array of arrays of classes, such as [[\"substrate.grep\", \"substrate.code.read\"]],";
    if groups.items().is_err() {
        return Err(groups.wrong_type(expected).into());
    }
    for group in groups.items()? {
        if group.items().is_err() {
            return Err(group.wrong_type(expected).into());
        }
        let mut members = Vec::new();
        for (class, place) in classes(Some(group), vocabulary)? {
            if let Some(first) = places.insert(class.as_str().to_owned(), place) {
                let error =
                    PolicyError::value(place, "groups", "each class in one group", class.as_str());
                return Err(error.and(&format!(" again (first at {first})")));
            }
            members.push(class);
        }
        if members.is_empty() {
            let expected = "at least one class in each list";
            return Err(PolicyError::value(group.place(), "groups", expected, "[]"));
        }
        all.push(members);
    }
    Ok(all)
}

/// The classes that are required or refused, which do not contradict each other.
fn lists(
    root: &Table<'_>,
    vocabulary: &Vocabulary,
    windows: &Windows,
) -> Result<Lists, PolicyError> {
    let required = classes(root.get("required"), vocabulary)?;
    for (class, place) in &required {
        if !windows.has(class) {
            let expected = "a class with a window, without which it never counts,";
            return Err(PolicyError::value(
                *place,
                "required",
                expected,
                class.as_str(),
            ));
        }
    }
    let refused = classes(root.get("refused"), vocabulary)?;
    for (class, place) in &refused {
        if required.iter().any(|(other, _)| other == class) {
            let expected = "a class that is not in \"required\"";
            return Err(PolicyError::value(
                *place,
                "refused",
                expected,
                class.as_str(),
            ));
        }
    }
    let alone = |list: Vec<(Class, FilePosition)>| list.into_iter().map(|(class, _)| class);
    Ok(Lists {
        required: alone(required).collect(),
        refused: alone(refused).collect(),
    })
}
