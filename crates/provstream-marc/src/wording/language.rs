//! The library's wording in several languages.

use std::sync::LazyLock;

use provstream::settings::{Fault, File, Table};

use super::{Wording, WordingPart};
use crate::terms::{Action, Band, Source, Target, terms};

terms! {
    /// A language that the library has wording for.
    #[non_exhaustive]
    Language, "language" {
        /// English.
        English = "en",
        /// German.
        German = "de",
        /// Spanish.
        Spanish = "es",
        /// French.
        French = "fr",
        /// Japanese.
        Japanese = "ja",
    }
}

static WORDINGS: LazyLock<[Wording; 5]> = LazyLock::new(|| {
    [
        include_str!("data/en.toml"),
        include_str!("data/de.toml"),
        include_str!("data/es.toml"),
        include_str!("data/fr.toml"),
        include_str!("data/ja.toml"),
    ]
    // A test reads all five, and each has every text.
    .map(|file| read(file).unwrap_or_else(|_| Wording::empty()))
});

impl Language {
    pub(super) fn wording(self) -> &'static Wording {
        &WORDINGS[self as usize]
    }
}

fn read(file: &str) -> Result<Wording, Fault> {
    let file = File::parse(file.as_bytes())?;
    let mut wording = Wording::empty();
    for (part, text) in texts(&file.root(KEYS)?)? {
        *wording.slot(part) = text.to_owned();
    }
    Ok(wording)
}

/// The keys of a table of texts.
pub(crate) const KEYS: &[&str] = &[
    "message",
    "next_step",
    "source",
    "band",
    "target",
    "no_target",
    "unit",
];

/// The texts of a table.
pub(crate) fn texts<'t>(table: &Table<'t>) -> Result<Vec<(WordingPart, &'t str)>, Fault> {
    let mut texts = Vec::new();
    let mut group = |key, names: &[&'static str], part: &dyn Fn(usize) -> WordingPart| {
        let Some(value) = table.get(key) else {
            return Ok(());
        };
        let group = value.table(names)?;
        for (index, &name) in names.iter().enumerate() {
            if let Some(value) = group.get(name) {
                texts.push((part(index), value.string()?));
            }
        }
        Ok(())
    };
    let (actions, [_, messages @ ..]) = (Action::NAMES, Action::NAMES) else {
        return Ok(Vec::new());
    };
    group("message", messages, &|at| {
        WordingPart::Message(Action::ALL[at + 1])
    })?;
    group("next_step", actions, &|at| {
        WordingPart::NextStep(Action::ALL[at])
    })?;
    group("source", Source::NAMES, &|at| {
        WordingPart::Source(Source::ALL[at])
    })?;
    group("band", Band::NAMES, &|at| WordingPart::Band(Band::ALL[at]))?;
    group("target", Target::NAMES, &|at| {
        WordingPart::Target(Target::ALL[at])
    })?;
    for (key, part) in [
        ("no_target", WordingPart::NoTarget),
        ("unit", WordingPart::Unit),
    ] {
        if let Some(value) = table.get(key) {
            texts.push((part, value.string()?));
        }
    }
    Ok(texts)
}
