//! Vocabularies in TOML files.

use super::{Class, Version, Vocabulary, VocabularyError, VocabularyErrorKind as Kind};
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
    /// of the wrong type, or what [`VocabularyBuilder::build`](super::VocabularyBuilder::build) refuses.
    pub fn from_toml(file: &[u8]) -> Result<Self, VocabularyError> {
        let file = File::parse(file)?;
        let root = file.root(&["version", "class"])?;
        let stated = root.need("version")?;
        let version: Version = version_of(&stated)?
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
        for class in classes {
            let (id, since) = (class.need("id")?, class.need("since")?);
            let (name, version) = (id.string()?, version_of(&since)?);
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

    /// Finds the class whose name is most similar to an unknown one, if it is similar enough to be
    /// meant; never a terminal.
    ///
    /// ```
    /// use provstream::provenance::{Class, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::memo();
    /// assert_eq!(vocabulary.similar("substrate.grp"), Some(Class::GREP));
    /// assert_eq!(vocabulary.similar("substrate.xyz"), None);
    /// ```
    #[must_use]
    pub fn similar(&self, name: &str) -> Option<Class> {
        // All classes have this in common.
        let own = |name: &str| name.trim_start_matches("substrate.").to_owned();
        let wanted = own(name);
        let likeness =
            |class: &Class| (strsim::jaro(&wanted, &own(class.as_str())) * 1000.0) as u32;
        let classes = self.classes().map(|(class, _)| class);
        classes
            .filter(|class| !class.is_terminal() && likeness(class) >= SIMILAR)
            .max_by_key(likeness)
    }
}

/// Thousandths of Jaro similarity from which on a class is proposed for an unknown one.
const SIMILAR: u32 = 800;

/// Reads a version, which must be a string: the number `1.10` would lose its last digit.
fn version_of<'t>(value: &Value<'t>) -> Result<&'t str, VocabularyError> {
    let wrong = |_| value.wrong_type("a version in quotes, such as \"1.1\",");
    Ok(value.string().map_err(wrong)?)
}

/// Returns the error for a value that is a string.
fn error(kind: Kind, value: &Value<'_>) -> VocabularyError {
    VocabularyError::new(kind)
        .about(value.string().unwrap_or_default())
        .at(value.place())
}
