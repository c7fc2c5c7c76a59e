//! What was measured, when and with what.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The versions that this program was built with.
const LOCK: &str = include_str!("../Cargo.lock");

/// The version of a crate.
///
/// # Panics
///
/// If there is no such crate.
#[must_use]
pub(crate) fn of(name: &str) -> String {
    let lock: toml::Table = LOCK.parse().expect("cargo writes TOML");
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let text = |package: &toml::Value, key| Some(package.get(key)?.as_str()?.to_owned());
    let mut versions = packages.into_iter().flatten().filter_map(|package| {
        (text(package, "name")? == name).then_some(())?;
        text(package, "version")
    });
    // Of several versions the last is the one that is asked for: cargo sorts them.
    versions
        .next_back()
        .expect("a crate that is in the lock file")
}

/// The version of the compiler that is on the path, or of the one that cargo uses.
#[must_use]
pub(crate) fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    output.map_or_else(
        |_| "unknown compiler".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

/// Today, as in a calendar: UTC.
#[must_use]
pub(crate) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of a day counted from 1970-01-01. Source: Howard Hinnant, `civil_from_days`.
const fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year + era * 400 + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::{civil, of};

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(20_453), (2025, 12, 31));
    }

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert_eq!(of("typeduck-codex-extension-items"), "0.16.0");
    }
}
