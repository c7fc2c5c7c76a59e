//! The closed vocabulary, and how a declared identifier is resolved against it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use super::class::{BUILT_IN, TERMINALS, built_in_index, built_in_index_folded};
use super::version::{VersionNumber, number};
use super::{Class, Reason, Version, VocabularyError, VocabularyErrorKind};

/// Most classes a vocabulary can list.
const MAX_CLASSES: usize = 4096;

/// Longest identifier a vocabulary can list, in bytes.
const MAX_IDENTIFIER: usize = 255;

/// Longest description of a class, in bytes.
const MAX_DESCRIPTION: usize = 200;

/// A loaded version of the closed vocabulary of substrate classes.
///
/// It never changes once built, and nothing a parser reads can add to it (`provenance memo 4`). A clone shares the
/// original's data. The default is [`Vocabulary::memo`].
///
/// ```
/// use provstream::provenance::{Class, Reason, Vocabulary};
///
/// let vocabulary = Vocabulary::memo();
/// assert_eq!(vocabulary.resolve(b"1.0.substrate.grep").class(), &Class::GREP);
///
/// let unknown = vocabulary.resolve(b"substrate.telepathy");
/// assert_eq!(unknown.class(), &Class::UNVERIFIED_INFERENCE);
/// assert_eq!(unknown.reason(), Some(Reason::UnknownIdentifier));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Vocabulary(Arc<Inner>);

#[derive(PartialEq, Eq)]
struct Inner {
    version: Version,
    /// The classes of [`BUILT_IN`] at their index, then the others, sorted by identifier.
    entries: Box<[Entry]>,
    /// Indices of the others, sorted by identifier in lower case.
    folded: Box<[u16]>,
    /// A bit for each of [`BUILT_IN`] that this major version has.
    present: u16,
    /// By identifier. Kept apart from `entries`, which resolving looks at.
    descriptions: BTreeMap<Box<str>, Box<str>>,
}

#[derive(PartialEq, Eq)]
struct Entry {
    class: Class,
    /// The version that brought the class; `None` for one that this major version does not have.
    since: Option<Version>,
}

impl Vocabulary {
    /// Returns version 1.0 as listed in `provenance memo 4`, with both terminals of `provenance
    /// memo 5`.
    #[must_use]
    pub fn memo() -> Self {
        static MEMO: LazyLock<Vocabulary> =
            LazyLock::new(|| Vocabulary::assemble(Vocabulary::builder(Version::MEMO)));
        MEMO.clone()
    }

    /// Starts a vocabulary of that version, to which classes can be added.
    ///
    /// A vocabulary of major version 1 has the memo's classes from the start, one of another major version has none but
    /// the terminals.
    pub fn builder(version: Version) -> VocabularyBuilder {
        VocabularyBuilder {
            version,
            listed: BTreeMap::new(),
            descriptions: BTreeMap::new(),
            error: (version < Version::MEMO).then(|| {
                VocabularyError::new(VocabularyErrorKind::VersionTooLow).about(&version.to_string())
            }),
        }
    }

    /// Returns the version of the vocabulary.
    #[must_use]
    pub fn version(&self) -> Version {
        self.0.version
    }

    /// Iterates over the classes of the vocabulary, each with the version that added it.
    ///
    /// `unverified-inference` is among them, as in the memo's list. `decayed-to-uncertainty`, which the memo does not
    /// list but accepts in the same place, is not; see [`Vocabulary::terminals`].
    pub fn classes(&self) -> impl Iterator<Item = (Class, Version)> + '_ {
        let (terminals, others) = self.0.entries.split_at(TERMINALS);
        let (memo, loaded) = others.split_at(BUILT_IN.len() - TERMINALS);
        memo.iter()
            .chain(&terminals[..1])
            .chain(loaded)
            .filter_map(|entry| Some((entry.class.clone(), entry.since?)))
    }

    /// Returns the two terminals, which every vocabulary has: `unverified-inference` and
    /// `decayed-to-uncertainty`. `provenance memo 5`
    #[must_use]
    pub fn terminals(&self) -> [Class; 2] {
        [Class::UNVERIFIED_INFERENCE, Class::DECAYED_TO_UNCERTAINTY]
    }

    /// Returns the class or terminal with exactly this identifier, without an anchor, if the
    /// vocabulary has it.
    #[must_use]
    pub fn class(&self, identifier: &str) -> Option<Class> {
        let index = self.find(identifier.as_bytes())?;
        Some(self.class_at(index).clone())
    }

    /// Returns the one-line description of a class, for prompts and listings.
    ///
    /// `None` for a class without one, which is how the memo's classes are unless a file describes them.
    #[must_use]
    pub fn description(&self, class: &Class) -> Option<&str> {
        self.0.descriptions.get(class.as_str()).map(AsRef::as_ref)
    }

    /// Resolves a declared identifier.
    ///
    /// The comparison is exact: letter case and whitespace count. An identifier with a version anchor in front
    /// (`1.0.substrate.grep`) resolves if the loaded vocabulary covers that version and the class existed in it.
    /// Whatever does not resolve is taken for `unverified-inference`, with the reason (`provenance memo 4`; wire
    /// profile 2). Takes time linear in the identifier's length, whatever the vocabulary's size up to a logarithm.
    #[must_use]
    pub fn resolve(&self, declared: &[u8]) -> Resolution {
        let (index, reason) = self.resolve_index(declared);
        Resolution {
            class: self.class_at(index).clone(),
            reason,
        }
    }

    /// Resolves like [`Vocabulary::resolve`] to the index of the class, for
    /// [`Vocabulary::class_at`].
    #[inline]
    pub(crate) fn resolve_index(&self, declared: &[u8]) -> (u16, Option<Reason>) {
        if declared.first().is_some_and(u8::is_ascii_digit) {
            return self.resolve_anchored(declared);
        }
        match self.find(declared) {
            Some(index) => (index, None),
            None => (0, Some(Reason::UnknownIdentifier)),
        }
    }

    /// Returns the class at an index from `resolve_index`; 0 is `unverified-inference`.
    pub(crate) fn class_at(&self, index: u16) -> &Class {
        &self.0.entries[usize::from(index)].class
    }

    /// Returns `true` if the name is, in any ASCII letter case, a terminal or a class of this vocabulary.
    pub(crate) fn names(&self, identifier_without_anchor: &[u8]) -> bool {
        if let Some(index) = built_in_index_folded(identifier_without_anchor) {
            return self.0.present >> index & 1 == 1;
        }
        let lower = |byte: &u8| byte.to_ascii_lowercase();
        self.0
            .folded
            .binary_search_by(|&index| {
                let name = self.class_at(index).as_str().as_bytes().iter();
                name.map(lower)
                    .cmp(identifier_without_anchor.iter().map(lower))
            })
            .is_ok()
    }

    #[inline]
    fn find(&self, name: &[u8]) -> Option<u16> {
        match built_in_index(name) {
            Some(index) => (self.0.present >> index & 1 == 1).then_some(u16::from(index)),
            None if self.0.folded.is_empty() => None,
            None => self.find_loaded(name),
        }
    }

    // Out of line, as the next: what is resolved most often needs none of their registers.
    #[inline(never)]
    fn find_loaded(&self, name: &[u8]) -> Option<u16> {
        let loaded = &self.0.entries[BUILT_IN.len()..];
        let at = loaded.binary_search_by(|entry| entry.class.as_str().as_bytes().cmp(name));
        u16::try_from(BUILT_IN.len() + at.ok()?).ok()
    }

    #[inline(never)]
    fn resolve_anchored(&self, declared: &[u8]) -> (u16, Option<Reason>) {
        let unknown = (0, Some(Reason::UnknownIdentifier));
        let Some((major, minor, name)) = split_anchor(declared) else {
            return unknown;
        };
        let loaded = self.0.version;
        match (major, minor) {
            (VersionNumber::Fits(major), VersionNumber::Fits(minor))
                if major == loaded.major() && minor <= loaded.minor() =>
            {
                let anchor = Version::new(major, minor);
                let existed =
                    |index: &u16| self.0.entries[usize::from(*index)].since <= Some(anchor);
                self.find(name)
                    .filter(existed)
                    .map_or(unknown, |index| (index, None))
            }
            _ if is_identifier(name) => (0, Some(Reason::VocabularyVersion)),
            _ => unknown,
        }
    }

    /// Builds from classes that were checked.
    fn assemble(builder: VocabularyBuilder) -> Self {
        let VocabularyBuilder {
            version,
            listed,
            descriptions,
            ..
        } = builder;
        let built_in = (0u8..).zip(BUILT_IN).map(|(index, name)| {
            let always = usize::from(index) < TERMINALS || version.major() == 1;
            Entry {
                class: Class::built_in(index),
                since: match listed.get(name) {
                    None if always => Some(Version::new(version.major(), 0)),
                    since => since.copied(),
                },
            }
        });
        let loaded = listed
            .iter()
            .filter(|(name, _)| built_in_index(name.as_bytes()).is_none())
            .map(|(name, &since)| Entry {
                class: Class::named(name),
                since: Some(since),
            });
        let entries: Box<[Entry]> = built_in.chain(loaded).collect();
        let mut folded: Vec<u16> = (0u16..)
            .zip(&entries)
            .skip(BUILT_IN.len())
            .map(|(index, _)| index)
            .collect();
        folded.sort_by_cached_key(|&index| {
            entries[usize::from(index)]
                .class
                .as_str()
                .to_ascii_lowercase()
        });
        let present = (0..BUILT_IN.len())
            .filter(|&index| entries[index].since.is_some())
            .fold(0, |present, index| present | 1 << index);
        Self(Arc::new(Inner {
            version,
            present,
            entries,
            folded: folded.into(),
            descriptions,
        }))
    }
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::memo()
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary")
            .field("version", &self.0.version)
            .field("classes", &self.classes().count())
            .finish()
    }
}

/// Result of [`Vocabulary::resolve`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resolution {
    class: Class,
    reason: Option<Reason>,
}

impl Resolution {
    /// Returns the class; `unverified-inference` if there is a reason.
    #[must_use]
    pub const fn class(&self) -> &Class {
        &self.class
    }

    /// Returns the reason for a class other than the declared one, `None` if they are equal.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        self.reason
    }
}

/// Collects the classes of a [`Vocabulary`]; see [`Vocabulary::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct VocabularyBuilder {
    version: Version,
    listed: BTreeMap<Box<str>, Version>,
    descriptions: BTreeMap<Box<str>, Box<str>>,
    error: Option<VocabularyError>,
}

impl VocabularyBuilder {
    /// Adds a class: its identifier without an anchor, at most 255 bytes, and the version that brought it.
    ///
    /// A class of the memo can be repeated with version 1.0 in a vocabulary of major version 1.
    pub fn class(mut self, identifier: &str, since: Version) -> Self {
        if self.error.is_none() {
            self.error =
                self.add(identifier, since)
                    .err()
                    .map(|kind| match kind.is_about_since() {
                        true => VocabularyError::new(kind).about(&since.to_string()),
                        false => VocabularyError::new(kind).about(identifier),
                    });
        }
        self
    }

    /// Describes a class that was added before: one line of at most 200 bytes, without control characters.
    pub fn describe(mut self, identifier: &str, description: &str) -> Self {
        if self.error.is_none() {
            self.error = self
                .add_description(identifier, description)
                .err()
                .map(|kind| VocabularyError::new(kind).about(description));
        }
        self
    }

    /// Builds the vocabulary.
    ///
    /// # Errors
    ///
    /// The first thing that was wrong: a version below 1.0, text that is not an identifier, an identifier that is too long, is
    /// listed twice or is a terminal's, a class of the memo with another version, a new class in version 1.0, a class's version
    /// with another major version or above the vocabulary's, more than 4,096 classes, or a description that is not one line of at
    /// most 200 bytes or whose class is not listed.
    pub fn build(mut self) -> Result<Vocabulary, VocabularyError> {
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(Vocabulary::assemble(self)),
        }
    }

    /// Adds the description of a listed class, or says why it cannot be.
    pub(crate) fn add_description(
        &mut self,
        identifier: &str,
        description: &str,
    ) -> Result<(), VocabularyErrorKind> {
        let one_line = !description.trim().is_empty()
            && description.len() <= MAX_DESCRIPTION
            && !description
                .chars()
                .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
        if !one_line || !self.listed.contains_key(identifier) {
            return Err(VocabularyErrorKind::BadDescription);
        }
        let description = description.trim();
        self.descriptions
            .insert(identifier.into(), description.into());
        Ok(())
    }

    /// Adds a class, or says why it cannot be.
    pub(crate) fn add(
        &mut self,
        identifier: &str,
        since: Version,
    ) -> Result<(), VocabularyErrorKind> {
        use VocabularyErrorKind as Kind;
        let name = identifier.as_bytes();
        if name.len() > MAX_IDENTIFIER || !is_identifier(name) {
            return Err(Kind::BadIdentifier);
        }
        let built_in = built_in_index(name).map(usize::from);
        // In another letter case too: nobody should take a class for a terminal, or a terminal for a class.
        if built_in_index_folded(name).is_some_and(|index| usize::from(index) < TERMINALS) {
            return Err(Kind::TerminalRedefined);
        }
        if built_in.is_none() && built_in_index_folded(name).is_some() {
            return Err(Kind::MemoLetterCase);
        }
        if self.listed.contains_key(identifier) {
            return Err(Kind::DuplicateClass);
        }
        if since.major() != self.version.major() {
            return Err(Kind::SinceOtherMajor);
        }
        match (built_in.is_some(), since == Version::MEMO) {
            (true, false) if since.major() == 1 => return Err(Kind::MemoClassRedefined),
            (false, true) => return Err(Kind::ClosedVersion),
            _ => {}
        }
        if since > self.version {
            return Err(Kind::SinceAboveVersion);
        }
        if self.listed.len() == MAX_CLASSES {
            return Err(Kind::TooManyClasses);
        }
        self.listed.insert(identifier.into(), since);
        Ok(())
    }
}

/// Returns `true` if the bytes are labels with dots between them: an identifier of the wire profile without its anchor.
pub(crate) fn is_identifier(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'.').all(|label| match label {
        [first, rest @ ..] => {
            first.is_ascii_alphabetic()
                && rest
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        }
        [] => false,
    })
}

/// Splits an identifier into the two numbers of its version anchor and the rest; `None` without an
/// anchor, or if a number has a leading zero.
#[inline]
pub(crate) fn split_anchor(identifier: &[u8]) -> Option<(VersionNumber, VersionNumber, &[u8])> {
    let mut parts = identifier.splitn(3, |&byte| byte == b'.');
    let (major, minor, name) = (parts.next()?, parts.next()?, parts.next()?);
    Some((number(major)?, number(minor)?, name))
}

/// Returns the identifier without its version anchor; all of it if there is no anchor.
pub(crate) fn without_anchor(identifier: &[u8]) -> &[u8] {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let mut parts = identifier.splitn(3, |&byte| byte == b'.');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(major), Some(minor), Some(name)) if digits(major) && digits(minor) => name,
        _ => identifier,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_zero_is_where_everything_unresolved_goes() {
        let memo = Vocabulary::memo();
        assert_eq!(memo.class_at(0), &Class::UNVERIFIED_INFERENCE);
        assert_eq!(
            memo.resolve_index(b"x"),
            (0, Some(Reason::UnknownIdentifier))
        );
        assert_eq!(memo.resolve_index(b"unverified-inference"), (0, None));
        let (index, reason) = memo.resolve_index(b"substrate.do.sse-count");
        assert_eq!((memo.class_at(index), reason), (&Class::SSE_COUNT, None));
    }

    #[test]
    fn names_in_any_letter_case() {
        let memo = Vocabulary::memo();
        assert!(memo.names(b"UNVERIFIED-INFERENCE") && memo.names(b"Decayed-To-Uncertainty"));
        assert!(memo.names(b"Substrate.Grep") && memo.names(b"substrate.grep"));
        assert!(!memo.names(b"substrate.gre_") && !memo.names(b"note") && !memo.names(b""));

        let since = Version::new(2, 0);
        let other = Vocabulary::builder(since)
            .class("Zeta", since)
            .class("alpha_1", since)
            .class("alpha-1", since)
            .class("BETA", since)
            .build()
            .unwrap();
        for name in [
            "zeta",
            "ZETA",
            "Alpha_1",
            "ALPHA-1",
            "beta",
            "unverified-inference",
        ] {
            assert!(other.names(name.as_bytes()), "{name}");
        }
        // Not in this major version.
        assert!(!other.names(b"substrate.grep"));
    }

    #[test]
    fn large_vocabularies_resolve_every_class() {
        let version = Version::new(1, 3);
        let mut builder = Vocabulary::builder(version);
        for index in 0..MAX_CLASSES {
            builder = builder.class(&format!("substrate.X{index}"), Version::new(1, 2));
        }
        let full = builder.clone().build().unwrap();
        for index in 0..MAX_CLASSES {
            let name = format!("substrate.X{index}");
            assert_eq!(full.resolve(name.as_bytes()).class().as_str(), name);
            assert!(full.names(name.to_lowercase().as_bytes()));
        }
        assert_eq!(full.resolve(b"substrate.grep").class(), &Class::GREP);
        assert_eq!(full.classes().count(), 8 + MAX_CLASSES);
        let error = builder.class("one.more", version).build().unwrap_err();
        assert_eq!(error.kind(), VocabularyErrorKind::TooManyClasses);
    }

    #[test]
    fn anchors_are_told_from_labels() {
        assert_eq!(without_anchor(b"1.0.a.b"), b"a.b");
        assert_eq!(without_anchor(b"a.1.0"), b"a.1.0");
        assert_eq!(without_anchor(b"1.a.b"), b"1.a.b");
        assert_eq!(without_anchor(b"1.0"), b"1.0");
    }
}
