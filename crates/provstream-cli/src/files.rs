//! The files that are given, and those in the directories that are given.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::progress::Progress;

/// The inputs of a command, in order.
#[derive(Debug)]
pub(crate) struct Files {
    /// The inputs; one that cannot be found out about has its failure instead.
    pub(crate) paths: Vec<Result<PathBuf, Failure>>,
    /// Whether lines name the input that they are about.
    pub(crate) are_named: bool,
    /// A bar for all of them.
    pub(crate) progress: Progress,
}

impl Files {
    /// The files given, or standard input; with `is_recursive` also the files in directories, sorted by name, without
    /// following links to further directories.
    ///
    /// # Errors
    ///
    /// If only directories are given, and there is no file in them, if standard input is given twice, or if nothing is given
    /// with `is_recursive`.
    pub(crate) fn new(given: &[PathBuf], is_recursive: bool) -> Result<Self, Failure> {
        if given.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(Failure::Usage(
                "FILE: standard input (-) was given more than once, expected it once".to_owned(),
            ));
        }
        if is_recursive && given.is_empty() {
            return Err(Failure::Usage(
                "--recursive: expected a directory as FILE, found none; give one, as in --recursive answers/"
                    .to_owned(),
            ));
        }
        let mut paths = Vec::new();
        let mut has_directory = false;
        for path in given {
            if is_recursive && path.is_dir() {
                has_directory = true;
                walk(path, &mut paths);
            } else {
                paths.push(Ok(path.clone()));
            }
        }
        if given.is_empty() {
            paths.push(Ok("-".into()));
        }
        if paths.is_empty() {
            let names = given.iter().map(|path| path.display().to_string());
            let names = names.collect::<Vec<_>>().join(" or ");
            let message =
                format!("expected at least one file in {names}, found none; check the path");
            return Err(Failure::Unknown(message));
        }
        let lengths = paths
            .iter()
            .flatten()
            .filter_map(|path| path.metadata().ok());
        let bytes = lengths
            .filter(fs::Metadata::is_file)
            .map(|metadata| metadata.len());
        Ok(Self {
            are_named: has_directory || given.len() > 1,
            progress: Progress::of(bytes.sum()),
            paths,
        })
    }
}

/// Adds the files in a directory and in those within it.
fn walk(directory: &Path, paths: &mut Vec<Result<PathBuf, Failure>>) {
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        if path != directory && !path.is_dir() {
            paths.push(Ok(path));
            continue;
        }
        let entries = fs::read_dir(&path).and_then(|entries| {
            let mut found = entries
                .map(|entry| {
                    let entry = entry?;
                    Ok((entry.path(), entry.file_type()?))
                })
                .collect::<std::io::Result<Vec<_>>>()?;
            // The last one is taken next.
            found.sort_by(|(one, _), (other, _)| other.cmp(one));
            Ok(found)
        });
        match entries {
            Ok(entries) => {
                // A link to nothing cannot be read, which is said of it.
                let wanted = entries.into_iter().filter(|(path, kind)| {
                    let is_link = || kind.is_symlink() && (path.is_file() || !path.exists());
                    kind.is_dir() || kind.is_file() || is_link()
                });
                open.extend(wanted.map(|(path, _)| path));
            }
            Err(error) => paths.push(Err(Failure::Read(path.display().to_string(), error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_walked_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("b/c")).unwrap();
        for name in ["a", "b/c/d", "b/e", "f"] {
            fs::write(root.join(name), "").unwrap();
        }
        let files = Files::new(&[root.to_owned()], true).unwrap();
        assert!(files.are_named);
        let found: Vec<_> = files
            .paths
            .iter()
            .map(|path| {
                path.as_ref()
                    .unwrap()
                    .strip_prefix(root)
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert_eq!(found, ["a", "b/c/d", "b/e", "f"].map(PathBuf::from));
        let given = Files::new(&[root.to_owned()], false).unwrap();
        assert!(!given.are_named && given.paths.len() == 1);
    }
}
