//! Redaction of observation ids.

use core::fmt;

use provstream::provenance::{Annotation, Assertion};
use sha2::{Digest, Sha256};

/// First bytes of what a hash is computed over.
const PREFIX: &[u8] = b"provstream observation id 1\n";
/// Shortest salt in bytes.
const MIN_SALT_LEN: usize = 16;

/// Form of the observation ids in audit logs and other records about annotations. An id may reveal a path or a credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObservationIds {
    /// Ids stay as they are.
    #[default]
    Keep,
    /// Annotations have no id.
    Drop,
    /// Ids are replaced by their salted hashes.
    Hash(IdSalt),
}

impl ObservationIds {
    /// Returns an annotation with the id in this form.
    #[must_use]
    pub fn redact<'a>(&self, annotation: Annotation<'a>) -> Annotation<'a> {
        match (self, annotation.observation_id()) {
            (Self::Keep, _) | (_, None) => annotation,
            (Self::Drop, Some(_)) => annotation.without_observation_id(),
            (Self::Hash(salt), Some(id)) => {
                let hash = salt.hash(id);
                annotation.with_observation_id(hash)
            }
        }
    }

    /// Returns an assertion with the ids of its annotations in this form; `None` if it is the same.
    #[must_use]
    pub fn redact_assertion<'a>(&self, assertion: &'a Assertion<'_>) -> Option<Assertion<'a>> {
        let has_id = |annotation: Annotation<'_>| annotation.observation_id().is_some();
        if *self == Self::Keep || !assertion.annotations().any(has_id) {
            return None;
        }
        let annotations = assertion.annotations();
        let redacted = annotations.map(|annotation| self.redact(annotation));
        Some(assertion.clone().with_annotations(redacted.collect()))
    }
}

/// Salt of hashes. Keep it secret: with it, everybody can compare a hash with a guess of the id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IdSalt([u8; 32]);

impl IdSalt {
    /// Creates a salt from the bytes of a file.
    ///
    /// # Errors
    ///
    /// There are fewer than 16 bytes.
    pub fn new(bytes: &[u8]) -> Result<Self, ShortSaltError> {
        match bytes.len() < MIN_SALT_LEN {
            true => Err(ShortSaltError { len: bytes.len() }),
            false => Ok(Self(Sha256::digest(bytes).into())),
        }
    }

    /// Returns the hash of an id: `salted-sha256:` and, in 64 hexadecimal digits, the SHA-256 digest of
    /// `provstream observation id 1`, a line feed, the SHA-256 digest of the salt, and that of the id.
    #[must_use]
    pub fn hash(&self, id: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(PREFIX);
        hash.update(self.0);
        hash.update(Sha256::digest(id));
        let digits = hash.finalize();
        let mut text = "salted-sha256:".to_owned();
        text.extend(digits.iter().map(|byte| format!("{byte:02x}")));
        text
    }
}

impl fmt::Debug for IdSalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdSalt(..)")
    }
}

/// Error of a salt that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortSaltError {
    len: usize,
}

impl fmt::Display for ShortSaltError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.len;
        write!(
            f,
            "expected a salt of at least {MIN_SALT_LEN} bytes, found {found}"
        )
    }
}

impl core::error::Error for ShortSaltError {}

#[cfg(test)]
mod tests {
    use provstream::provenance::Class;

    use super::*;

    #[test]
    fn ids_are_kept_dropped_or_hashed() {
        let salt = IdSalt::new(&[7; 16]).expect("a salt");
        let cited =
            Annotation::new(Class::GREP, "substrate.grep").with_observation_id("src/a.rs:7");
        for (form, id) in [
            (ObservationIds::Keep, Some("src/a.rs:7")),
            (ObservationIds::Drop, None),
            (
                ObservationIds::Hash(salt),
                Some(
                    "salted-sha256:e6e8951ccc25095548d70495bce9434fec575b4aa9354bb493ba5228445c95b1",
                ),
            ),
        ] {
            assert_eq!(form.redact(cited.clone()).observation_id(), id, "{form:?}");
            let bare = Annotation::new(Class::GREP, "substrate.grep");
            assert_eq!(form.redact(bare.clone()), bare);
        }
        let error = IdSalt::new(&[7; 15]).expect_err("too short").to_string();
        assert_eq!(error, "expected a salt of at least 16 bytes, found 15");
    }
}
