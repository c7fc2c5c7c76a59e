//! Files that the arguments name.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use walkdir::WalkDir;

use crate::error::{InputError, is_input_error, report, usage_error};
use crate::output::{Output, is_stdout};
use crate::progress::Progress;

/// Inputs of a command, in order.
#[derive(Debug)]
pub(crate) struct InputFiles {
    /// Paths; a directory that cannot be read has its error instead.
    pub(crate) paths: Vec<anyhow::Result<PathBuf>>,
    /// `true` if lines name their file.
    pub(crate) are_named: bool,
    /// Bar of all files.
    pub(crate) progress: Progress,
}

impl InputFiles {
    /// The given files, or standard input. With `is_recursive` also the files in directories, sorted by name; links to further
    /// directories are not followed.
    pub(crate) fn new(given: &[PathBuf], is_recursive: bool) -> anyhow::Result<Self> {
        if given.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(usage_error(
                "FILE: expected standard input (-) once, found it twice",
            ));
        }
        if is_recursive && given.is_empty() {
            return Err(usage_error(
                "--recursive: expected a directory as FILE, found none",
            ));
        }
        let mut paths = Vec::new();
        let mut has_directory = false;
        for path in given {
            if is_recursive && path.is_dir() {
                has_directory = true;
                paths.extend(files_in(path));
            } else {
                paths.push(Ok(path.clone()));
            }
        }
        if given.is_empty() {
            paths.push(Ok("-".into()));
        }
        if paths.is_empty() {
            let names: Vec<_> = given
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            bail!(
                "expected at least one file in {}, found none",
                names.join(" or ")
            );
        }
        let lengths = paths
            .iter()
            .flatten()
            .filter_map(|path| path.metadata().ok());
        let lengths = lengths
            .filter(std::fs::Metadata::is_file)
            .map(|file| file.len());
        Ok(Self {
            are_named: has_directory || given.len() > 1,
            progress: Progress::new(lengths.sum()),
            paths,
        })
    }

    /// Paths of files that exist.
    pub(crate) fn readable(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().flatten().map(PathBuf::as_path)
    }
}

/// Files in a directory and in those within it.
fn files_in(directory: &Path) -> impl Iterator<Item = anyhow::Result<PathBuf>> + '_ {
    let entries = WalkDir::new(directory)
        .follow_root_links(true)
        .sort_by_file_name();
    entries.into_iter().filter_map(|entry| match entry {
        Ok(entry) => {
            let (kind, path) = (entry.file_type(), entry.path());
            // A link to nothing is an error when it is read.
            let is_link = kind.is_symlink() && (path.is_file() || !path.exists());
            (kind.is_file() || is_link).then(|| Ok(entry.into_path()))
        }
        Err(error) => {
            let path = error.path().unwrap_or(directory).display().to_string();
            Some(Err(error).with_context(|| InputError(format!("cannot read {path}"))))
        }
    })
}

/// Reads files one after the other. `each` gets a file and the output for it, and returns the output.
///
/// All are written to one output, or each to a file of its own if `output` is a directory. Returns `true` if one of several
/// files could not be read. `must_split` refuses several texts in one output.
pub(crate) fn for_each_file(
    given: &[PathBuf],
    output: Option<&Path>,
    must_split: bool,
    mut each: impl FnMut(&Path, Output) -> (anyhow::Result<()>, Output),
) -> anyhow::Result<bool> {
    let stdin = [PathBuf::from("-")];
    let files = if given.is_empty() { &stdin[..] } else { given };
    let is_single = files.len() == 1;
    let mut is_unreadable = false;
    let mut check = |result: anyhow::Result<()>| match result {
        Err(error) if !is_single && is_input_error(&error) => {
            is_unreadable = true;
            report(&error);
            Ok(false)
        }
        result => result.map(|()| true),
    };
    if let Some(folder) = output.filter(|path| !is_stdout(Some(path)) && is_folder(path)) {
        for (file, target) in files.iter().zip(targets(files, folder)?) {
            let (result, output) = each(file, Output::open(Some(&target))?);
            if check(result)? {
                output.commit()?;
            }
        }
        return Ok(is_unreadable);
    }
    if must_split && !is_single {
        return Err(usage_error(
            "FILE: expected one response, found several; give -o DIRECTORY for an output each",
        ));
    }
    let mut all = Output::open(output)?;
    for file in files {
        let (result, output) = each(file, all);
        all = output;
        check(result)?;
    }
    all.commit()?;
    Ok(is_unreadable)
}

/// Returns `true` for a directory, which need not exist if its name ends with a separator.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir()
        || path
            .as_os_str()
            .to_string_lossy()
            .ends_with(std::path::MAIN_SEPARATOR)
}

/// Paths in a folder for the outputs of files, without the extension of their compression.
fn targets(files: &[PathBuf], folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot write {}", folder.display()))?;
    let mut targets: Vec<PathBuf> = Vec::new();
    for file in files {
        let is_compressed = file
            .extension()
            .is_some_and(|end| end == "gz" || end == "zst");
        let name = if is_compressed {
            file.file_stem()
        } else {
            file.file_name()
        };
        let Some(name) = name.filter(|name| *name != "-") else {
            return Err(usage_error(
                "--output: expected a file for standard input, found a directory",
            ));
        };
        let target = folder.join(name);
        if targets.contains(&target) {
            let name = name.to_string_lossy();
            return Err(usage_error(format_args!(
                "FILE: expected files of different names, found two {name}"
            )));
        }
        targets.push(target);
    }
    Ok(targets)
}
