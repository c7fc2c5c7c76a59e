//! Queries as canonical JSON (RFC 8785).

use std::error::Error;
use std::fmt;

use serde_json::{Map, Value};

/// Longest query in bytes.
const MAX_LEN: usize = 64 << 10;
/// Largest integer that every JSON reader keeps (RFC 7493 2.2).
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Query to a substrate: a JSON object in the canonical form of RFC 8785.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Query(String);

impl Query {
    /// Builds a query from a JSON value.
    ///
    /// # Errors
    ///
    /// The value is not an object, has an integer beyond ±(2^53 − 1), or is longer than 65,536 bytes.
    pub fn new(value: &Value) -> Result<Self, QueryError> {
        if !value.is_object() {
            return Err(QueryError("expected a JSON object, found another value"));
        }
        if !is_portable(value) {
            return Err(QueryError(
                "expected integers between -9007199254740991 and 9007199254740991, found another",
            ));
        }
        let text = canonical(value);
        if text.len() > MAX_LEN {
            return Err(QueryError("expected at most 65536 bytes, found more"));
        }
        Ok(Self(text))
    }

    /// Reads JSON in any form.
    ///
    /// # Errors
    ///
    /// As for [`Query::new`], and if the text is not JSON.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.len() > 2 * MAX_LEN {
            return Err(QueryError("expected at most 65536 bytes, found more"));
        }
        let value = serde_json::from_str(text);
        Self::new(&value.map_err(|_| QueryError("expected JSON, found something else"))?)
    }

    /// Returns the canonical form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the members.
    pub(crate) fn members(&self) -> Map<String, Value> {
        match serde_json::from_str(&self.0) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns `true` if every reader keeps all numbers exactly.
fn is_portable(value: &Value) -> bool {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number <= MAX_INTEGER,
            (None, Some(number)) => number.unsigned_abs() <= MAX_INTEGER,
            // RFC 8785 writes what is below 10^21 as an integer.
            (None, None) => number.as_f64().is_some_and(|number| {
                let magnitude = number.abs();
                magnitude <= MAX_INTEGER as f64 || magnitude >= 1e21
            }),
        },
        Value::Array(values) => values.iter().all(is_portable),
        Value::Object(members) => members.values().all(is_portable),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// Writes a value in the form of RFC 8785.
pub(crate) fn canonical(value: &Value) -> String {
    // Only a map with keys that are not strings, or a number that is not finite, could fail; a `Value` has neither.
    serde_json_canonicalizer::to_string(value).unwrap_or_default()
}

/// Writes a string, or `null`, in the form of RFC 8785.
pub(crate) fn canonical_string(text: Option<&str>) -> String {
    // A string never fails.
    serde_json_canonicalizer::to_string(&text).unwrap_or_default()
}

/// A query that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryError(&'static str);

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query: {}", self.0)
    }
}

impl Error for QueryError {}
