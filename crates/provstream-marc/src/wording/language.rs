//! The library's wording in several languages.

use std::sync::LazyLock;

use provstream::settings::{Fault, File, Table, Value};

use super::{Wording, WordingPart};
use crate::terms::terms;

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
        (Language::English, include_str!("data/en.toml")),
        (Language::German, include_str!("data/de.toml")),
        (Language::Spanish, include_str!("data/es.toml")),
        (Language::French, include_str!("data/fr.toml")),
        (Language::Japanese, include_str!("data/ja.toml")),
    ]
    // A test reads all five, and each has every text.
    .map(|(language, file)| read(language, file).unwrap_or_else(|_| Wording::new(language)))
});

impl Language {
    pub(super) fn wording(self) -> &'static Wording {
        &WORDINGS[self as usize]
    }

    /// Returns `true` if [`check_wording`](super::check_wording) has rules for the language.
    #[must_use]
    pub const fn is_checked(self) -> bool {
        matches!(self, Self::English | Self::German)
    }
}

fn read(language: Language, file: &str) -> Result<Wording, Fault> {
    let file = File::parse(file.as_bytes())?;
    let mut wording = Wording::new(language);
    for (part, text) in texts(&file.root(KEYS)?)? {
        wording.set(part, text.string()?);
    }
    Ok(wording)
}

/// The keys of a table of texts.
const KEYS: &[&str] = &[
    "message",
    "next_step",
    "source",
    "band",
    "target",
    "no_target",
    "unit",
];

/// Reads the texts of a table.
pub(crate) fn texts<'t>(table: &Table<'t>) -> Result<Vec<(WordingPart, Value<'t>)>, Fault> {
    let mut texts = Vec::new();
    for group in KEYS {
        let Some(value) = table.get(group) else {
            continue;
        };
        let parts = WordingPart::all().map(|part| (part, part.key()));
        let parts: Vec<_> = parts.filter(|(_, (of, _))| of == group).collect();
        if let [(part, (_, ""))] = *parts {
            texts.push((part, value));
            continue;
        }
        let names: Vec<_> = parts.iter().map(|(_, (_, name))| *name).collect();
        let group = value.table(&names)?;
        let given = |(part, (_, name))| Some((part, group.get(name)?));
        texts.extend(parts.into_iter().filter_map(given));
    }
    Ok(texts)
}
