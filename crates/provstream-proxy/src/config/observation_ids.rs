//! Reads the form of observation ids in the audit log.

use std::path::Path;

use provstream::settings::Table;
use provstream_route::{IdSalt, ObservationIds, RouteError};

use super::values::file_named_by;

/// Reads `observation_ids` and `salt`.
pub(super) fn observation_ids(
    root: &Table<'_>,
    folder: &Path,
) -> Result<ObservationIds, RouteError> {
    let salt = root.get("salt");
    let only_with = |key: &str, with: &str| {
        let place = root.get(key).map_or(root.place(), |value| value.place());
        let message = format!("expected \"{key}\" only with {with}, found it without");
        RouteError::new(place, &message)
    };
    let Some(value) = root.get("observation_ids") else {
        return match salt {
            Some(_) => Err(only_with("salt", "\"observation_ids\"")),
            None => Ok(ObservationIds::Keep),
        };
    };
    if root.get("audit").is_none() {
        return Err(only_with("observation_ids", "\"audit\""));
    }
    match (value.string(), salt) {
        (Ok("hash"), Some(value)) => {
            let path = file_named_by(&value, folder)?.path;
            let read = std::fs::read(&path).map_err(|error| error.to_string());
            let salt = read.and_then(|file| IdSalt::new(&file).map_err(|error| error.to_string()));
            let salt = salt.map_err(|error| {
                let message = format!("salt \"{}\": {error}", path.display());
                RouteError::new(value.place(), &message)
            })?;
            Ok(ObservationIds::Hash(salt))
        }
        (Ok("hash"), None) => {
            let message =
                "expected \"salt\", a file with a secret, with \"hash\", found it without";
            Err(RouteError::new(value.place(), message))
        }
        (Ok("keep" | "drop"), Some(_)) => Err(only_with("salt", "observation_ids = \"hash\"")),
        (Ok("drop"), None) => Ok(ObservationIds::Drop),
        (Ok("keep"), None) => Ok(ObservationIds::Keep),
        _ => Err(value
            .wrong_type("one of \"keep\", \"drop\", \"hash\"")
            .into()),
    }
}
