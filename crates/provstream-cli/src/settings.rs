//! Files that are settings, such as a vocabulary.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use anyhow::Context as _;

use crate::error::usage_error;

/// Reads a settings file. Standard input is for the stream. Errors of `parse` are wrong settings, status 2.
pub(crate) fn load<T, E: Display>(
    option: &str,
    path: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, E>,
) -> anyhow::Result<T> {
    if path.as_os_str() == "-" {
        return Err(usage_error(format_args!(
            "{option}: expected the path of a file, found -; standard input is for the stream"
        )));
    }
    let name = path.display();
    let file = fs::read(path).with_context(|| format!("cannot read {name}"))?;
    parse(&file).map_err(|error| usage_error(format_args!("{name}: {error}")))
}
