//! Files that the arguments name.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use walkdir::WalkDir;

use crate::error::{CliError, is_input_error, report, usage_error};
use crate::messages::print_note;
use crate::options::FileOptions;
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
    /// Collects the given files, or standard input. With `--recursive`, adds the files in
    /// directories, sorted by name; links to further directories are not followed.
    pub(crate) fn new(options: &FileOptions) -> anyhow::Result<Self> {
        let (given, is_recursive) = (&options.files, options.recursive);
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
        for path in given {
            match is_recursive && path.is_dir() {
                true => paths.extend(files_in(path)),
                false => paths.push(Ok(path.clone())),
            }
        }
        if given.is_empty() {
            paths.push(Ok("-".into()));
        }
        if paths.is_empty() {
            let names = given.iter().map(|path| path.display().to_string());
            let names = names.collect::<Vec<_>>().join(" or ");
            bail!("expected at least one file in {names}, found none");
        }
        let files = paths.iter().flatten();
        let files = files.filter_map(|path| path.metadata().ok().filter(Metadata::is_file));
        Ok(Self {
            are_named: given.len() > 1 || given.iter().any(|path| is_recursive && path.is_dir()),
            progress: Progress::new(files.map(|file| file.len()).sum()),
            paths,
        })
    }

    /// Paths of files that exist.
    pub(crate) fn readable(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().flatten().map(PathBuf::as_path)
    }

    /// Iterates over all files that are read, with the names of their options.
    pub(crate) fn inputs<'a>(
        &'a self,
        others: impl IntoIterator<Item = (&'a str, Option<&'a Path>)>,
    ) -> impl Iterator<Item = (&'a str, Option<&'a Path>)> {
        let files = self.readable().map(|file| ("FILE", Some(file)));
        files.chain(others)
    }

    /// Calls `each` with each file. One of several that cannot be read is reported; returns how many.
    pub(crate) fn for_each(
        self,
        mut each: impl FnMut(&Path, &Progress) -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let mut unreadable = 0;
        for path in self.paths {
            let result = path.and_then(|path| each(&path, &self.progress));
            tolerate(result, self.are_named, &mut unreadable)?;
        }
        Ok(unreadable)
    }
}

/// Reports and counts an input of several that cannot be read. Other errors end the command.
pub(crate) fn tolerate(
    result: anyhow::Result<()>,
    is_one_of_several: bool,
    unreadable: &mut u64,
) -> anyhow::Result<()> {
    match result {
        Err(error) if is_one_of_several && is_input_error(&error) => {
            *unreadable += 1;
            report(&error);
            Ok(())
        }
        result => result,
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
            Some(Err(error).with_context(|| CliError::Input(format!("cannot read {path}"))))
        }
    })
}

/// Reads files one after the other. `each` gets a file and the output for it, and returns the output.
///
/// All are written to one output, or each to a file of its own if `output` is a directory. Returns how many of several
/// files could not be read. `must_split` refuses several texts in one output.
pub(crate) fn for_each_file(
    given: &[PathBuf],
    output: Option<&Path>,
    must_split: bool,
    mut each: impl FnMut(&Path, Output) -> (anyhow::Result<()>, Output),
) -> anyhow::Result<u64> {
    let stdin = [PathBuf::from("-")];
    let files = if given.is_empty() { &stdin[..] } else { given };
    let are_several = files.len() > 1;
    let mut unreadable = 0;
    if let Some(folder) = output.filter(|path| !is_stdout(Some(path)) && is_folder(path)) {
        for (file, target) in files.iter().zip(targets(files, folder)?) {
            let (result, output) = each(file, Output::open(Some(&target))?);
            let result = result.and_then(|()| output.commit());
            tolerate(result, are_several, &mut unreadable)?;
        }
        return Ok(unreadable);
    }
    if must_split && are_several {
        return Err(usage_error(
            "FILE: expected one response, found several; give -o DIRECTORY for an output each",
        ));
    }
    if let Some(path) = output.filter(|path| are_several && is_joined_file(path)) {
        let (count, path) = (files.len(), path.display());
        print_note(format_args!(
            "all {count} files are written to {path}, one after the other; -o {path}/ writes a file for each in that directory"
        ));
    }
    let mut all = Output::open(output)?;
    for file in files {
        let (result, output) = each(file, all);
        all = output;
        tolerate(result, are_several, &mut unreadable)?;
    }
    all.commit()?;
    Ok(unreadable)
}

/// Returns `true` for a path that an output replaces, unlike standard output and devices.
fn is_joined_file(path: &Path) -> bool {
    !is_stdout(Some(path)) && path.metadata().map_or(true, |path| path.is_file())
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
    fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    let mut targets: Vec<PathBuf> = Vec::new();
    for file in files {
        let end = file.extension().unwrap_or_default();
        let name = match end == "gz" || end == "zst" {
            true => file.file_stem(),
            false => file.file_name(),
        };
        let Some(name) = name.filter(|name| *name != "-") else {
            return Err(usage_error(
                "--output: expected a file for standard input, found a directory",
            ));
        };
        let target = folder.join(name);
        if targets.contains(&target) {
            let name = name.display();
            return Err(usage_error(format_args!(
                "FILE: expected files of different names, found two {name}"
            )));
        }
        targets.push(target);
    }
    Ok(targets)
}
