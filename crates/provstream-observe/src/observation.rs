//! Observations and their ids.

use std::error::Error;
use std::fmt;

use hmac::{Hmac, Mac as _};
use provstream::provenance::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::query::{Query, canonical_string};

/// First bytes of what an id is computed over.
const ID_PREFIX: &[u8] = b"provstream observation 1\n";
/// Longest id in bytes: what fits into an annotation with a class and a time.
const MAX_ID_LEN: usize = 938;
/// Longest class in bytes.
const MAX_CLASS_LEN: usize = 256;
/// Shortest key in bytes.
const MIN_KEY_LEN: usize = 16;

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Computes the digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits in lower case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.as_bytes();
        let mut bytes = [0; 32];
        if text.len() != 64 {
            return None;
        }
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        for (byte, pair) in bytes.iter_mut().zip(text.chunks(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(bytes))
    }
}

/// Writes 64 hexadecimal digits in lower case.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// Secret key of ids.
///
/// An id without a key can be computed by everyone who can guess the result, such as that of a query whose answer is a small
/// number. With a key, only its owners can compute ids.
#[derive(Clone)]
pub struct IdKey(Hmac<Sha256>);

impl IdKey {
    /// Takes the bytes of a key.
    ///
    /// # Errors
    ///
    /// The key has fewer than 16 bytes.
    pub fn new(bytes: &[u8]) -> Result<Self, KeyError> {
        match Hmac::new_from_slice(bytes) {
            Ok(hmac) if bytes.len() >= MIN_KEY_LEN => Ok(Self(hmac)),
            _ => Err(KeyError),
        }
    }
}

impl fmt::Debug for IdKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// A key that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyError;

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key: expected at least {MIN_KEY_LEN} bytes, found fewer")
    }
}

impl Error for KeyError {}

/// Text around a result, by which a check finds a result that has moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Text directly before the result.
    pub before: String,
    /// Text directly after it.
    pub after: String,
}

/// A query to a substrate, and the digest of its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    id: String,
    class: String,
    query: Query,
    result: Digest,
    time: Timestamp,
    expires: Option<Timestamp>,
    anchor: Option<Anchor>,
    content: Option<Vec<u8>>,
}

impl Observation {
    /// Creates an observation with the unkeyed id, `sha256:` and 64 hexadecimal digits.
    ///
    /// The id is the SHA-256 digest of `provstream observation 1`, a line feed, and the canonical JSON (RFC 8785) of an object with
    /// the members `class`, `query`, `result` (the digest of the result in hexadecimal digits) and `time` (RFC 3339 in UTC, with
    /// as many digits of fraction as needed).
    ///
    /// # Errors
    ///
    /// The class is empty, longer than 256 bytes or has control characters, or the time is outside the years 0000 to 9999.
    pub fn new(
        class: &str,
        query: Query,
        result: impl Into<Vec<u8>>,
        time: Timestamp,
    ) -> Result<Self, ObservationError> {
        if class.is_empty() || class.len() > MAX_CLASS_LEN || !is_line(class) {
            return Err(ObservationError(
                "class: expected 1 to 256 bytes without control characters, found something else",
            ));
        }
        if time.to_rfc3339().is_none() {
            return Err(ObservationError(
                "time: expected a year between 0000 and 9999, found another",
            ));
        }
        let content = result.into();
        let mut observation = Self {
            id: String::new(),
            class: class.to_owned(),
            query,
            result: Digest::of(&content),
            time,
            expires: None,
            anchor: None,
            content: Some(content),
        };
        observation.id = format!("sha256:{}", Digest::of(&observation.id_input()));
        Ok(observation)
    }

    /// Replaces the id by the keyed one: `hmac-sha256:` and the HMAC (RFC 2104) of the bytes that the unkeyed id is the digest of.
    #[must_use]
    pub fn with_key(mut self, key: &IdKey) -> Self {
        let mut hmac = key.0.clone();
        hmac.update(&self.id_input());
        let code = Digest(hmac.finalize().into_bytes().into());
        self.id = format!("hmac-sha256:{code}");
        self
    }

    /// Replaces the id by one that another system gave, such as the id of a tool call or of a
    /// source.
    ///
    /// # Errors
    ///
    /// The id is empty, longer than 938 bytes, has a control character or one that reorders text, or is an own one
    /// ([`is_own_id`](Self::is_own_id)).
    pub fn with_id(mut self, id: &str) -> Result<Self, ObservationError> {
        if Self::is_own_id(id) {
            return Err(ObservationError(
                "id: expected one of another system, found one that begins with sha256: or hmac-sha256:",
            ));
        }
        if id.is_empty() || id.len() > MAX_ID_LEN || !is_line(id) {
            return Err(ObservationError(
                "id: expected 1 to 938 bytes without control characters, found something else",
            ));
        }
        id.clone_into(&mut self.id);
        Ok(self)
    }

    /// Returns `true` if an id begins like those that are computed from a result, so that no other system can give it: it would
    /// replace an observation that was made.
    #[must_use]
    pub fn is_own_id(id: &str) -> bool {
        id.starts_with("sha256:") || id.starts_with("hmac-sha256:")
    }

    /// Sets the time at which the ledger erases the content.
    ///
    /// # Errors
    ///
    /// The time is outside the years 0000 to 9999.
    pub fn with_expiry(mut self, expires: Timestamp) -> Result<Self, ObservationError> {
        if expires.to_rfc3339().is_none() {
            return Err(ObservationError(
                "expiry: expected a year between 0000 and 9999, found another",
            ));
        }
        self.expires = Some(expires);
        Ok(self)
    }

    /// Sets the text around the result.
    #[must_use]
    pub fn with_anchor(mut self, anchor: Option<Anchor>) -> Self {
        self.anchor = anchor;
        self
    }

    /// Drops the content, so that only its digest is recorded.
    #[must_use]
    pub fn without_content(mut self) -> Self {
        self.content = None;
        self
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the substrate class.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.class
    }

    /// Returns the query.
    #[must_use]
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// Returns the digest of the result.
    #[must_use]
    pub const fn result(&self) -> Digest {
        self.result
    }

    /// Returns the time at which the observation was made.
    #[must_use]
    pub const fn time(&self) -> Timestamp {
        self.time
    }

    /// Returns the time at which the ledger erases the content.
    #[must_use]
    pub const fn expires(&self) -> Option<Timestamp> {
        self.expires
    }

    /// Returns the text around the result.
    #[must_use]
    pub const fn anchor(&self) -> Option<&Anchor> {
        self.anchor.as_ref()
    }

    /// Returns the result, unless it was dropped.
    #[must_use]
    pub fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }

    /// Bytes that the id is computed over.
    fn id_input(&self) -> Vec<u8> {
        // The members are in the order of RFC 8785, and the query is in its form.
        let tuple = format!(
            r#"{{"class":{},"query":{},"result":"{}","time":{}}}"#,
            canonical_string(Some(&self.class)),
            self.query,
            self.result,
            canonical_string(Some(&self.time.to_string())),
        );
        [ID_PREFIX, tuple.as_bytes()].concat()
    }
}

/// Writes two hexadecimal digits in lower case for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

/// Returns `true` if a text is one line of visible order.
fn is_line(text: &str) -> bool {
    let reorders = |character| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
    !text
        .chars()
        .any(|character| character.is_control() || reorders(character))
}

/// An observation that cannot be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservationError(&'static str);

impl fmt::Display for ObservationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for ObservationError {}
