//! Vocabularies in TOML files.

use super::{Version, Vocabulary, VocabularyError, VocabularyErrorKind as Kind};
use crate::settings::{File, Value};

impl Vocabulary {
    /// Loads a vocabulary from a TOML file: `version`, and a `[[class]]` table with `id` and `since` for each class.
    /// A class can have a `description`, one line of at most 200 bytes that prompts show.
    ///
    /// In major version 1 the memo's classes are included without being listed and cannot be removed. **Another major
    /// version includes none of them**: a file with `version = "2.0"` has to list every class that it wants, those of 1.0
    /// included with `since = "2.0"`. The terminals are part of every vocabulary and cannot be listed.
    ///
    /// ```
    /// # use provstream::provenance::Vocabulary;
    /// let file = br#"
    /// version = "1.1"
    ///
    /// [[class]]
    /// id = "substrate.ct.log"
    /// since = "1.1"
    /// description = "an entry of a certificate transparency log"
    /// "#;
    /// let vocabulary = Vocabulary::from_toml(file)?;
    /// assert!(vocabulary.class("substrate.ct.log").is_some());
    /// assert!(vocabulary.class("substrate.grep").is_some());
    /// # Ok::<(), provstream::provenance::VocabularyError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong, and its line and column: a file above 1 MiB, not UTF-8 or not TOML, a missing or unknown key, a value
    /// of the wrong type, another major version than 1 without classes, or what
    /// [`VocabularyBuilder::build`](super::VocabularyBuilder::build) refuses.
    pub fn from_toml(file: &[u8]) -> Result<Self, VocabularyError> {
        let file = File::parse(file)?;
        let root = file.root(&["version", "class"])?;
        let stated = root.need("version")?;
        let version: Version = stated
            .string()?
            .parse()
            .map_err(|_| error(Kind::BadVersion, &stated))?;
        if version < Version::MEMO {
            return Err(error(Kind::VersionTooLow, &stated));
        }
        let mut builder = Vocabulary::builder(version);
        let classes = match root.get("class") {
            Some(classes) => classes.tables(&["id", "since", "description"])?,
            None => Vec::new(),
        };
        if classes.is_empty() && version.major() != Version::MEMO.major() {
            return Err(error(Kind::NoClass, &stated));
        }
        for class in classes {
            let (id, since) = (class.need("id")?, class.need("since")?);
            let (name, version) = (id.string()?, since.string()?);
            let version: Version = version.parse().map_err(|_| error(Kind::BadSince, &since))?;
            builder
                .add(name, version)
                .map_err(|kind| match kind.is_about_since() {
                    true => error(kind, &since),
                    false => error(kind, &id),
                })?;
            if let Some(description) = class.get("description") {
                let text = description.string()?;
                let added = builder.add_description(name, text);
                added.map_err(|kind| error(kind, &description))?;
            }
        }
        builder.build()
    }
}

/// What is wrong with a value that is a string.
fn error(kind: Kind, value: &Value<'_>) -> VocabularyError {
    VocabularyError::new(kind)
        .about(value.string().unwrap_or_default())
        .at(value.place())
}
