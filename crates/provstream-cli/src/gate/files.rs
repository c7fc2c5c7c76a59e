//! The files of a gate, which are not to be mixed up.

use std::fs;
use std::path::{Path, PathBuf};

use crate::args::GateArgs;
use crate::failure::Failure;

/// Reports an audit log that is not a file of its own.
pub(super) fn check_audit(args: &GateArgs) -> Result<(), Failure> {
    let Some(audit) = &args.audit else {
        return Ok(());
    };
    if audit.as_os_str() == "-" {
        return Err(Failure::Usage(
            "--audit: expected a file, found -; standard output has the text (./- for a file named -)".to_owned(),
        ));
    }
    let others = [
        ("--output", args.output.as_deref()),
        ("--policy", Some(args.policy.as_path())),
        ("FILE", args.file.as_deref()),
        ("--vocabulary", args.source.classes.vocabulary.as_deref()),
    ];
    for (name, other) in others {
        if other.is_some_and(|other| is_same(audit, other)) {
            return Err(Failure::Usage(format!(
                "--audit: expected a file of its own, found that of {name}; give another path"
            )));
        }
    }
    Ok(())
}

/// Whether two paths are of one file, which need not exist. Devices and pipes can be shared.
fn is_same(one: &Path, other: &Path) -> bool {
    if other.as_os_str() == "-" || fs::metadata(one).is_ok_and(|found| !found.is_file()) {
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
