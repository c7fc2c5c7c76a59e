//! Values of settings.

use core::time::Duration;
use std::path::Path;

use provstream::provenance::parse_duration;
use provstream::settings::Value;
use provstream_route::RouteError;

use super::NamedFile;

/// Creates the error for a value of another type than expected.
pub(super) fn wrong(value: &Value<'_>, expected: &str) -> RouteError {
    value.wrong_type(expected).into()
}

/// Reads the path of a file, relative to a folder.
pub(super) fn file_named_by(value: &Value<'_>, folder: &Path) -> Result<NamedFile, RouteError> {
    let name = value.string()?;
    if name.is_empty() {
        return Err(wrong(value, "the path of a file"));
    }
    Ok(NamedFile {
        path: folder.join(name),
        place: value.place(),
    })
}

/// Reads a duration of 1 second to 1 day.
pub(super) fn duration(value: &Value<'_>) -> Result<Duration, RouteError> {
    let found = value.string().ok();
    let found = found.and_then(|text| parse_duration(text).ok());
    let is_possible = |found: &Duration| (1..=86_400).contains(&found.as_secs());
    found
        .filter(is_possible)
        .ok_or_else(|| wrong(value, "a duration from \"1s\" to \"1d\", such as \"5m\","))
}
