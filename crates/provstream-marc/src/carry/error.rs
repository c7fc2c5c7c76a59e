//! Errors about envelopes and names of carriers.

use crate::declare::errors;
use crate::document::DocumentError;

errors! {
    /// An envelope does not have the structure that its protocol requires.
    CarryError,
    /// Defect of an envelope, with its location as a JSON Pointer (RFC 6901).
    CarryErrorKind {
        /// The value must be an object.
        NotAnObject(pointer: String) => "{pointer}: expected an object";
        /// The value must be an array.
        NotAnArray(pointer: String) => "{pointer}: expected an array";
        /// The member is repeated, and receivers differ in which one they read.
        Repeated(pointer: String) => "{pointer}: expected one member of this name, found several";
        /// A record, or a score of one, is in a place where it must not be.
        Record(pointer: String) => "{pointer}: expected no record or score of one here, found one";
        /// A disclosure is in the place of a record.
        Disclosure(pointer: String) => "{pointer}: expected a record, found a disclosure";
        /// The data of an event are not a JSON object.
        Data(error: DocumentError) => "the data of an event are not a JSON object: {error}";
    }

    /// A prefix or URI that a carrier cannot use.
    CarrierNameError,
    /// Reason why a prefix or URI is invalid.
    CarrierNameErrorKind {
        /// This label of the prefix is not letters, digits and inner hyphens, a letter first.
        Label(label: String) => "expected a prefix such as com.example, each label of letters, digits and inner hyphens, a letter first, found the label {label:?}";
        /// This prefix is reserved.
        Reserved(prefix: String) => "the prefix {prefix:?} is reserved for MCP";
        /// This is not an absolute URI.
        Uri(uri: String) => "expected an absolute URI such as https://example.com/marc/v1, found {uri:?}";
    }
}
