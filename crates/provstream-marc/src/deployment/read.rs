//! Readers of values of a description, with checks.

use core::fmt::Display;
use core::str::FromStr;
use core::time::Duration;

use super::error::DeploymentError;
use crate::score::Score;
use crate::terms::{TermError, TermErrorKind};
use provstream::provenance::{DurationErrorKind, parse_duration};
use provstream::settings::{Table, Value};

pub(super) type Result<T> = core::result::Result<T, DeploymentError>;

/// Reads the value of a key, if the table has the key.
pub(super) fn optional<'t, T>(
    table: &Table<'t>,
    key: &'t str,
    read: impl FnOnce(Value<'t>) -> Result<T>,
) -> Result<Option<T>> {
    table.get(key).map(read).transpose()
}

/// Adds the position of a value to an error of the library's types.
pub(super) fn checked<T, E: Display>(
    value: &Value<'_>,
    result: core::result::Result<T, E>,
) -> Result<T> {
    result.map_err(|error| DeploymentError::value(value, error))
}

/// Reads a text that is not blank.
pub(super) fn text(value: Value<'_>) -> Result<String> {
    let text = value.string()?;
    if text.trim().is_empty() {
        let detail = "expected a text, found a blank one";
        return Err(DeploymentError::value(&value, detail));
    }
    Ok(text.into())
}

pub(super) fn boolean(value: Value<'_>) -> Result<bool> {
    Ok(value.boolean()?)
}

pub(super) fn score(value: Value<'_>) -> Result<Score> {
    let number = value.number().map_err(|fault| {
        let is_quoted = value.string().is_ok_and(|text| text.parse::<f64>().is_ok());
        let hint = if is_quoted {
            "; leave out the quotes"
        } else {
            ""
        };
        DeploymentError::from(fault).and(hint)
    })?;
    if number.is_nan() {
        let detail = "expected a number from 0.0 to 1.0, found nan";
        return Err(DeploymentError::value(&value, detail));
    }
    checked(&value, Score::new(number))
}

pub(super) fn duration(value: Value<'_>) -> Result<Duration> {
    let expected = "a duration such as \"90s\", \"1h30m\" or \"2d\"";
    let text = value.string().map_err(|_| value.wrong_type(expected))?;
    parse_duration(text).map_err(|error| {
        let expected = match error.kind() {
            DurationErrorKind::Overflow => "a duration of at most 18446744073709551615 seconds",
            _ => expected,
        };
        let key = value.key();
        let detail = format!("expected {expected} for \"{key}\", found the string {text:?}");
        DeploymentError::value(&value, detail)
    })
}

pub(super) fn count(value: Value<'_>) -> Result<u32> {
    let wide = value.unsigned()?;
    u32::try_from(wide).map_err(|_| {
        let detail = format!("expected at most {}, found {wide}", u32::MAX);
        DeploymentError::value(&value, detail)
    })
}

/// Reads a term of an enumeration.
pub(super) fn term<T: FromStr<Err = TermError>>(value: Value<'_>) -> Result<T> {
    checked(&value, value.string()?.parse())
}

/// Reads one of `all` texts; `what` names their enumeration in errors.
pub(super) fn one_of(
    value: Value<'_>,
    what: &'static str,
    all: &'static [&'static str],
) -> Result<&'static str> {
    let expected = || match all {
        [one] => format!("\"{one}\""),
        all => format!("one of \"{}\"", all.join("\", \"")),
    };
    let text = value.string().map_err(|_| value.wrong_type(&expected()))?;
    let found = all.iter().find(|one| **one == text).copied();
    let unknown = || TermError::from(TermErrorKind::Unknown(what, all, text.into()));
    checked(&value, found.ok_or_else(unknown))
}

/// Reads an array of distinct values.
pub(super) fn set<'t, T: PartialEq>(
    value: Value<'t>,
    mut read: impl FnMut(Value<'t>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for item in value.items()? {
        let one = read(item)?;
        if all.contains(&one) {
            let (key, found) = (value.key(), item.string().unwrap_or_default());
            let detail = format!("expected each value of \"{key}\" once, found {found:?} again");
            return Err(DeploymentError::value(&item, detail));
        }
        all.push(one);
    }
    Ok(all)
}

/// Reads an array of one or more distinct values.
pub(super) fn some<'t, T: PartialEq>(
    value: Value<'t>,
    read: impl FnMut(Value<'t>) -> Result<T>,
) -> Result<Vec<T>> {
    let all = set(value, read)?;
    if all.is_empty() {
        let detail = format!(
            "expected at least one value for \"{}\", found []",
            value.key()
        );
        return Err(DeploymentError::value(&value, detail));
    }
    Ok(all)
}
