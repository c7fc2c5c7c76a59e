//! What can be wrong with an envelope or the name of a carrier.

use core::fmt;
use std::error::Error;

use crate::document::DocumentError;

/// An envelope is not what its protocol says. Places are JSON Pointers (RFC 6901).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CarryError {
    /// The value must be an object.
    NotAnObject(String),
    /// The value must be an array.
    NotAnArray(String),
    /// The member is repeated, and receivers differ in which they take.
    Repeated(String),
    /// The data of an event are no JSON object; the error's source says why.
    Data(DocumentError),
}

impl fmt::Display for CarryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject(pointer) => write!(f, "{pointer}: expected an object"),
            Self::NotAnArray(pointer) => write!(f, "{pointer}: expected an array"),
            Self::Repeated(pointer) => write!(
                f,
                "{pointer}: expected one member of this name, found several"
            ),
            Self::Data(_) => f.write_str("the data are no JSON object"),
        }
    }
}

impl Error for CarryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Data(error) => Some(error),
            _ => None,
        }
    }
}

/// A prefix or URI that a carrier cannot use; each has the text that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CarrierNameError {
    /// A label of the prefix that is not letters, digits and inner hyphens, a letter first.
    Label(String),
    /// A prefix that MCP reserves.
    Reserved(String),
    /// No absolute URI.
    Uri(String),
}

impl fmt::Display for CarrierNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(label) => write!(
                f,
                "{label:?} is no label (letters, digits and inner hyphens, a letter first)"
            ),
            Self::Reserved(prefix) => write!(f, "the prefix {prefix:?} is reserved for MCP"),
            Self::Uri(uri) => write!(f, "{uri:?} is no absolute URI"),
        }
    }
}

impl Error for CarrierNameError {}
