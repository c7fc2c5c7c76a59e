//! Files that are written, which are not to be mixed up with those that are read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Refuses an output that is one of the files that are read, each given with what names it: it would be replaced.
pub(crate) fn check_output<'p>(
    output: Option<&Path>,
    read: impl IntoIterator<Item = (&'p str, Option<&'p Path>)>,
) -> Result<(), Failure> {
    match output {
        // What does not exist is not read either.
        Some(output) if output.exists() => check("--output", output, read),
        _ => Ok(()),
    }
}

/// Refuses a file that an option names and that is one of the others, each given with what names it.
pub(crate) fn check<'p>(
    option: &str,
    file: &Path,
    others: impl IntoIterator<Item = (&'p str, Option<&'p Path>)>,
) -> Result<(), Failure> {
    for (name, other) in others {
        if other.is_some_and(|other| is_same(file, other)) {
            let file = file.display();
            let what = match name {
                "FILE" => "which is also read".to_owned(),
                name => format!("which is that of {name}"),
            };
            return Err(Failure::Usage(format!(
                "{option}: expected a file of its own, found {file}, {what}; give another path"
            )));
        }
    }
    Ok(())
}

/// Whether two paths are of one file, which need not exist. Devices and pipes can be shared.
fn is_same(one: &Path, other: &Path) -> bool {
    if one.as_os_str() == "-"
        || other.as_os_str() == "-"
        || fs::metadata(one).is_ok_and(|found| !found.is_file())
    {
        return false;
    }
    let places = (place(one), place(other));
    matches!(places, (Some(one), Some(other)) if one == other) || has_same_inode(one, other)
}

/// The path without links; of a file that does not exist, in its folder.
fn place(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    })
}

#[cfg(unix)]
fn has_same_inode(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((inode(one), inode(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
const fn has_same_inode(_: &Path, _: &Path) -> bool {
    false
}
