//! Files that say how things are to be done.

use std::env;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::encoded;
use crate::failure::{DIRECTORY, Failure};
use crate::text_check::document;

/// Longest settings file, in bytes: as much as the library accepts.
const MOST: u64 = 1 << 20;

/// Loads the TOML file that an argument names: another kind of file is reported as that, not as wrong TOML.
pub(crate) fn load_toml<T, E: Display>(
    argument: &str,
    path: &Path,
    read: impl Fn(&[u8]) -> Result<T, E>,
) -> Result<T, Failure> {
    load(argument, path, |file| {
        let found = match (document(file), file.trim_ascii_start()) {
            (Some(document), _) => document.name(),
            (None, [b'{', ..]) => "JSON",
            (None, _) if file.contains(&0) => "NUL bytes; it may be a binary file",
            (None, _) => return read(file).map_err(|error| error.to_string()),
        };
        Err(format!(
            "line 1, column 1: expected TOML, such as key = \"value\", found {found}"
        ))
    })
}

/// Loads the file that an argument names, with what the library reads it by. Standard input is for the stream.
pub(crate) fn load<T, E: Display>(
    argument: &str,
    path: &Path,
    read: impl Fn(&[u8]) -> Result<T, E>,
) -> Result<T, Failure> {
    let variable = format!(
        "PROVSTREAM_{}",
        argument.trim_start_matches('-').to_uppercase()
    );
    let is_of_variable = env::var_os(&variable).is_some_and(|value| value == path.as_os_str());
    if path.as_os_str() == "-" {
        let argument = if is_of_variable { &variable } else { argument };
        return Err(Failure::Usage(format!(
            "{argument}: standard input is not read for it; give the path of a file (./- for one named -)"
        )));
    }
    let name = match is_of_variable {
        true => format!("{} (of {variable})", path.display()),
        false => path.display().to_string(),
    };
    let unreadable = |error| Failure::Read(name.clone(), error);
    if path.is_dir() {
        let error = io::Error::other(DIRECTORY);
        return Err(unreadable(error));
    }
    let mut file = Vec::new();
    File::open(path)
        .and_then(|opened| opened.take(MOST + 1).read_to_end(&mut file))
        .map_err(unreadable)?;
    if file.len() as u64 > MOST {
        return Err(Failure::Usage(format!(
            "{name}: expected a file of at most 1 MiB, found a larger one"
        )));
    }
    if let Some(problem) = encoded::not_text(&file) {
        return Err(unreadable(io::Error::other(problem)));
    }
    read(&file).map_err(|error| Failure::Usage(format!("{name}: {error}")))
}
