//! A place in an envelope.

use super::error::CarryError;
use crate::document::Document;

/// A member of an envelope, or of an object that is a member of it.
///
/// The [`Carrier`](super::Carrier)s are made of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CarrierField<'a> {
    container: Option<&'a str>,
    key: &'a str,
}

impl<'a> CarrierField<'a> {
    /// A member of the envelope.
    #[must_use]
    pub const fn member(key: &'a str) -> Self {
        Self {
            container: None,
            key,
        }
    }

    /// A member of an object that is a member of the envelope. The object is made when it is needed and missing or null.
    #[must_use]
    pub const fn within(container: &'a str, key: &'a str) -> Self {
        Self {
            container: Some(container),
            key,
        }
    }

    /// The JSON Pointer (RFC 6901) to it from the envelope.
    #[must_use]
    pub fn pointer(self) -> String {
        self.container.map(pointer).unwrap_or_default() + &pointer(self.key)
    }

    /// Puts a document there, as [`Carrier::put`](super::Carrier::put) does.
    ///
    /// # Errors
    ///
    /// If the container is not an object, or is repeated.
    pub fn put(self, envelope: &mut Document, document: &Document) -> Result<(), CarryError> {
        match self.container {
            None => envelope.set_object(self.key, document),
            Some(name) => {
                let mut container = object(envelope, name)?.unwrap_or_default();
                container.set_object(self.key, document);
                envelope.set_object(name, &container);
            }
        }
        Ok(())
    }

    /// A copy of what is there, as [`Carrier::take`](super::Carrier::take) makes it.
    ///
    /// # Errors
    ///
    /// If container or member are not objects, or are repeated.
    pub fn take(self, envelope: &Document) -> Result<Option<Document>, CarryError> {
        let Some(name) = self.container else {
            return object(envelope, self.key);
        };
        let Some(container) = object(envelope, name)? else {
            return Ok(None);
        };
        object(&container, self.key).map_err(|error| match error {
            CarryError::NotAnObject(_) => CarryError::NotAnObject(self.pointer()),
            CarryError::Repeated(_) => CarryError::Repeated(self.pointer()),
            error => error,
        })
    }

    /// Removes what is there, as [`Carrier::remove`](super::Carrier::remove) does.
    ///
    /// # Errors
    ///
    /// If the container is not an object, or is repeated.
    pub fn remove(self, envelope: &mut Document) -> Result<bool, CarryError> {
        let Some(name) = self.container else {
            return Ok(envelope.remove(self.key).is_some());
        };
        let Some(mut container) = object(envelope, name)? else {
            return Ok(false);
        };
        let removed = container.remove(self.key).is_some();
        if removed {
            envelope.set_object(name, &container);
        }
        Ok(removed)
    }
}

/// The value of a member; none if it is missing or null.
pub(super) fn member<'a>(
    document: &'a Document,
    name: &str,
) -> Result<Option<&'a str>, CarryError> {
    let mut values = document.members().filter(|(known, _)| known == name);
    let first = values.next().map(|(_, value)| value);
    match values.next() {
        Some(_) => Err(CarryError::Repeated(pointer(name))),
        None => Ok(first.filter(|&value| value != "null")),
    }
}

/// The object that a member is; none if it is missing or null.
pub(super) fn object(document: &Document, name: &str) -> Result<Option<Document>, CarryError> {
    match member(document, name)? {
        None => Ok(None),
        Some(_) => document
            .get_object(name)
            .map(Some)
            .ok_or_else(|| CarryError::NotAnObject(pointer(name))),
    }
}

/// The JSON Pointer to a member of the root.
pub(super) fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}
