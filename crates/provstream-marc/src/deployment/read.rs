//! Values of a description, each checked.

use core::str::FromStr;
use core::time::Duration;

use super::error::{DeploymentError, DeploymentErrorKind as Kind};
use crate::score::Score;
use crate::terms::UnknownTerm;
use provstream::provenance::parse_duration;
use provstream::settings::{Table, Value};

type Result<T> = core::result::Result<T, DeploymentError>;

/// The value of a key, read if it is there.
pub(super) fn optional<'t, T>(
    table: &Table<'t>,
    key: &'t str,
    read: impl FnOnce(Value<'t>) -> Result<T>,
) -> Result<Option<T>> {
    table.get(key).map(read).transpose()
}

/// A text that has content.
pub(super) fn text(value: Value<'_>) -> Result<String> {
    let text = value.string()?;
    if text.trim().is_empty() {
        return Err(DeploymentError::of(Kind::Empty, &value, ""));
    }
    Ok(text.into())
}

pub(super) fn boolean(value: Value<'_>) -> Result<bool> {
    Ok(value.boolean()?)
}

pub(super) fn score(value: Value<'_>) -> Result<Score> {
    Score::new(value.number()?)
        .map_err(|error| DeploymentError::of(Kind::OutOfRange, &value, error))
}

pub(super) fn duration(value: Value<'_>) -> Result<Duration> {
    parse_duration(value.string()?)
        .map_err(|error| DeploymentError::of(Kind::BadDuration, &value, error))
}

pub(super) fn unsigned(value: Value<'_>) -> Result<u64> {
    Ok(value.unsigned()?)
}

pub(super) fn count(value: Value<'_>) -> Result<u32> {
    let wide = value.unsigned()?;
    u32::try_from(wide).map_err(|_| {
        let detail = format!("{wide} is above {}", u32::MAX);
        DeploymentError::of(Kind::OutOfRange, &value, detail)
    })
}

/// A text out of a list.
pub(super) fn term<T: FromStr<Err = UnknownTerm>>(value: Value<'_>) -> Result<T> {
    known(value, T::from_str)
}

/// The same where the list is the caller's.
pub(super) fn known<T>(
    value: Value<'_>,
    read: impl FnOnce(&str) -> core::result::Result<T, UnknownTerm>,
) -> Result<T> {
    read(value.string()?).map_err(|error| DeploymentError::of(Kind::UnknownValue, &value, error))
}

/// One of some texts.
pub(super) fn one_of(
    value: Value<'_>,
    what: &'static str,
    all: &'static [&'static str],
) -> Result<&'static str> {
    known(value, |text| {
        let found = all.iter().find(|one| **one == text).copied();
        found.ok_or_else(|| UnknownTerm::new(what, all, text))
    })
}

/// Values that are all different.
pub(super) fn set<T: PartialEq>(
    value: Value<'_>,
    mut read: impl FnMut(Value<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for item in value.items()? {
        let one = read(item)?;
        if all.contains(&one) {
            let detail = format!("{:?}", item.string().unwrap_or_default());
            return Err(DeploymentError::of(Kind::Repeated, &item, detail));
        }
        all.push(one);
    }
    Ok(all)
}

/// Values that are all different, one at least.
pub(super) fn some<T: PartialEq>(
    value: Value<'_>,
    read: impl FnMut(Value<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let all = set(value, read)?;
    if all.is_empty() {
        return Err(DeploymentError::of(Kind::Empty, &value, ""));
    }
    Ok(all)
}

/// Any number of texts.
pub(super) fn texts(value: Value<'_>) -> Result<Vec<String>> {
    value.items()?.map(text).collect()
}
