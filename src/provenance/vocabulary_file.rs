//! Vocabularies in TOML files.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::vocabulary_error::Place;
use super::{Version, Vocabulary, VocabularyError, VocabularyErrorKind as Kind};

/// Largest file that is read, in bytes: room for the most classes a vocabulary can have, with comments.
const MAX_FILE: usize = 1 << 20;

impl Vocabulary {
    /// Loads a vocabulary from a TOML file: `version`, and a `[[class]]` table with `id` and `since` for each class.
    ///
    /// Within major version 1 the memo's classes are there without being listed and cannot be removed; a file of another
    /// major version lists all of its classes. The terminals are part of every vocabulary and cannot be listed.
    ///
    /// ```
    /// # use provstream::provenance::Vocabulary;
    /// let file = br#"
    /// version = "1.1"
    ///
    /// [[class]]
    /// id = "substrate.ct.log"
    /// since = "1.1"
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
    /// of the wrong type, or whatever [`VocabularyBuilder::build`](super::VocabularyBuilder::build) refuses.
    pub fn from_toml(file: &[u8]) -> Result<Self, VocabularyError> {
        if file.len() > MAX_FILE {
            return Err(VocabularyError::new(Kind::FileTooLarge));
        }
        let text = str::from_utf8(file).map_err(|error| {
            let valid = String::from_utf8_lossy(&file[..error.valid_up_to()]);
            VocabularyError::new(Kind::NotUtf8).at(Place::of(&valid, valid.len()))
        })?;
        Source(text).load()
    }
}

/// The file's text, to turn byte ranges into places.
#[derive(Clone, Copy)]
struct Source<'a>(&'a str);

impl Source<'_> {
    fn error(self, kind: Kind, at: Range<usize>, about: &str) -> VocabularyError {
        VocabularyError::new(kind)
            .about(about)
            .at(Place::of(self.0, at.start))
    }

    fn load(self) -> Result<Vocabulary, VocabularyError> {
        let root = DeTable::parse(self.0).map_err(|error| {
            let at = error.span().unwrap_or(0..0);
            self.error(Kind::Syntax, at, error.message())
        })?;
        self.refuse_other_keys(root.get_ref(), &["version", "class"])?;
        let (version, at) = self.string(root.get_ref(), "version", 0..0)?;
        let version: Version = version
            .parse()
            .map_err(|_| self.error(Kind::BadVersion, at.clone(), version))?;
        if version < Version::MEMO {
            return Err(self.error(Kind::VersionTooLow, at, &version.to_string()));
        }
        let mut builder = Vocabulary::builder(version);
        for class in self.classes(root.get_ref())? {
            let Some(table) = class.get_ref().as_table() else {
                return Err(self.error(Kind::WrongType, class.span(), "`class` must hold tables"));
            };
            self.refuse_other_keys(table, &["id", "since"])?;
            let (id, id_at) = self.string(table, "id", class.span())?;
            let (since, since_at) = self.string(table, "since", class.span())?;
            let version: Version = since
                .parse()
                .map_err(|_| self.error(Kind::BadSince, since_at.clone(), since))?;
            builder.add(id, version).map_err(|kind| match kind {
                Kind::SinceOtherMajor
                | Kind::SinceAboveVersion
                | Kind::MemoClassRedefined
                | Kind::ClosedVersion => self.error(kind, since_at, since),
                _ => self.error(kind, id_at, id),
            })?;
        }
        builder.build()
    }

    fn classes<'t, 'i>(
        self,
        root: &'t DeTable<'i>,
    ) -> Result<&'t [Spanned<DeValue<'i>>], VocabularyError> {
        match root.get("class") {
            None => Ok(&[]),
            Some(value) => match value.get_ref() {
                DeValue::Array(classes) => Ok(classes),
                _ => Err(self.error(
                    Kind::WrongType,
                    value.span(),
                    "`class` must be an array of tables",
                )),
            },
        }
    }

    /// The string of a key that must be there, and its place; `table_at` is where a table without it is to be found.
    fn string<'t>(
        self,
        table: &'t DeTable<'_>,
        key: &str,
        table_at: Range<usize>,
    ) -> Result<(&'t str, Range<usize>), VocabularyError> {
        let Some(value) = table.get(key) else {
            return Err(self.error(Kind::MissingKey, table_at, key));
        };
        match value.get_ref().as_str() {
            Some(text) => Ok((text, value.span())),
            None => {
                let about = format!("`{key}` must be a string");
                Err(self.error(Kind::WrongType, value.span(), &about))
            }
        }
    }

    fn refuse_other_keys(self, table: &DeTable<'_>, known: &[&str]) -> Result<(), VocabularyError> {
        let other = table
            .keys()
            .filter(|key| !known.contains(&key.get_ref().as_ref()))
            .min_by_key(|key| key.span().start);
        match other {
            Some(key) => Err(self.error(Kind::UnknownKey, key.span(), key.get_ref())),
            None => Ok(()),
        }
    }
}
