//! `substrate.grep`: lines of files that a regular expression matches.

use std::io::{self, Read};
use std::path::Component;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, File, ReadDir};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::query::Grep;
use super::root::{io_error, read_open, require_storage};
use super::{FoundResult, QueryWork, SubstrateError};

/// Largest compiled regular expression in bytes.
const MAX_REGEX: usize = 10 << 20;
/// Deepest folder of a search.
const MAX_DEPTH: usize = 64;
/// Longest ignore file in bytes.
const MAX_IGNORE_FILE: usize = 256 << 10;

/// Searches a file, or the files of a folder in the order of their names. As in ripgrep, hidden files, files that `.gitignore` or
/// `.ignore` name, and binary files are left out. Links are not followed.
pub(super) fn observe(work: QueryWork<'_>, query: &Grep) -> Result<FoundResult, SubstrateError> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(query.ignore_case)
        .line_terminator(Some(b'\n'))
        .size_limit(MAX_REGEX)
        .dfa_size_limit(MAX_REGEX);
    let matcher = builder.build(&query.pattern).map_err(|error| {
        SubstrateError::query(format!(
            "query: \"pattern\" is not a regular expression: {error}"
        ))
    })?;
    let mut searcher = SearcherBuilder::new();
    searcher.line_number(true).heap_limit(Some(
        usize::try_from(work.limits.max_file).unwrap_or(usize::MAX),
    ));
    let mut search = GrepSearch {
        work,
        matcher,
        searcher: searcher.build(),
        left: query.limit,
        files: 0,
        left_out: 0,
        found: FoundResult::of([]),
    };
    if work.root.metadata(&query.path)?.is_dir() {
        // Ignore files of the folders above have their say, up to the root.
        let mut dir = work.root.folder(".")?;
        let (mut prefix, mut ignored) = (String::new(), Vec::new());
        for component in work.root.relative(&query.path)?.components() {
            if let (Component::Normal(name), Some(text)) =
                (component, component.as_os_str().to_str())
            {
                ignored.push(ignore_rules(&dir, &prefix));
                dir = dir
                    .open_dir(name)
                    .map_err(|error| io_error(&query.path, &error))?;
                prefix = format!("{prefix}{text}/");
            }
        }
        let found = dir
            .entries()
            .map_err(|error| io_error(&query.path, &error))?;
        search.folder(&dir, found, &prefix, &mut ignored)?;
    } else {
        let (file, metadata) = work.root.file(&query.path)?;
        let text = read_open(&query.path, file, &metadata, work)?;
        search.text(&query.path, &text)?;
    }
    if search.left_out > 0 {
        // A part of the result, so that it is another one if more or less is read.
        let line = format!("{} files and folders left out\n", search.left_out);
        search.found.content.extend_from_slice(line.as_bytes());
    }
    if search.left == 0 {
        let line = format!("ended after {} matching lines\n", query.limit);
        search.found.content.extend_from_slice(line.as_bytes());
    }
    Ok(search.found)
}

/// State of a search.
struct GrepSearch<'a> {
    work: QueryWork<'a>,
    matcher: RegexMatcher,
    searcher: Searcher,
    /// Matching lines that are still wanted.
    left: usize,
    /// Files and folders seen so far.
    files: usize,
    /// Files and folders whose names are not UTF-8 or have control characters, that are too long, or cannot be read.
    left_out: u64,
    found: FoundResult,
}

impl GrepSearch<'_> {
    /// Searches the entries of a folder; `prefix` is its path with a slash at the end. `ignored` has the rules of the folders around it.
    fn folder(
        &mut self,
        dir: &Dir,
        found: ReadDir,
        prefix: &str,
        ignored: &mut Vec<Gitignore>,
    ) -> Result<(), SubstrateError> {
        let fail = |error: io::Error| io_error(prefix, &error);
        if ignored.len() >= MAX_DEPTH {
            return Err(SubstrateError::limit(format!(
                "expected at most {MAX_DEPTH} folders inside each other, found more"
            )));
        }
        let mut entries = Vec::new();
        for entry in found {
            self.work.check_time()?;
            self.files += 1;
            if self.files > self.work.limits.max_files {
                return Err(SubstrateError::limit(format!(
                    "expected at most {} files, found more",
                    self.work.limits.max_files
                )));
            }
            let entry = entry.map_err(fail)?;
            match entry.file_name().into_string() {
                Ok(name) if !name.chars().any(char::is_control) => {
                    let kind = entry.file_type().map_err(fail)?;
                    if kind.is_file() || kind.is_dir() {
                        entries.push((name, kind.is_dir()));
                    }
                }
                _ => self.left_out += 1,
            }
        }
        entries.sort();
        ignored.push(ignore_rules(dir, prefix));
        for (name, is_dir) in entries {
            if self.left == 0 {
                break;
            }
            let path = format!("{prefix}{name}");
            if name.starts_with('.') || is_ignored(ignored, &path, is_dir) {
                continue;
            }
            match is_dir {
                true => match open_folder(dir, &name, &path) {
                    Some((inner, found)) => {
                        self.folder(&inner, found, &format!("{path}/"), ignored)?;
                    }
                    None => self.left_out += 1,
                },
                false => self.file(dir, &name, &path)?,
            }
        }
        ignored.pop();
        Ok(())
    }

    fn file(&mut self, dir: &Dir, name: &str, path: &str) -> Result<(), SubstrateError> {
        self.work.check_time()?;
        let Ok(mut file) = open(dir, name) else {
            self.left_out += 1;
            return Ok(());
        };
        let max = self.work.limits.max_file;
        let mut text = Vec::new();
        let read = file.by_ref().take(max + 1).read_to_end(&mut text);
        if read.is_err() || text.len() as u64 > max {
            self.left_out += 1;
            return Ok(());
        }
        self.text(path, &text)
    }

    fn text(&mut self, path: &str, text: &[u8]) -> Result<(), SubstrateError> {
        // A file with a zero byte is a binary one, unless its byte order mark says UTF-16.
        let is_utf16 = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
        if !is_utf16 && memchr::memchr(0, text).is_some() {
            return Ok(());
        }
        let mut lines = MatchingLines {
            path,
            content: &mut self.found.content,
            left: self.left,
            max: self.work.limits.max_result,
        };
        let searched = self.searcher.search_slice(&self.matcher, text, &mut lines);
        self.left = lines.left;
        searched.map_err(|error| io_error(path, &error))?;
        if self.found.content.len() > self.work.limits.max_result {
            return Err(SubstrateError::limit(format!(
                "expected a result of at most {} bytes, found more",
                self.work.limits.max_result
            )));
        }
        Ok(())
    }
}

/// Opens a folder in a folder; `None` if it cannot be read, was replaced by a link meanwhile, or is one of the kernel.
fn open_folder(dir: &Dir, name: &str, path: &str) -> Option<(Dir, ReadDir)> {
    let inner = dir.open_dir_nofollow(name).ok()?;
    require_storage(path, &inner).ok()?;
    let found = inner.entries().ok()?;
    Some((inner, found))
}

/// Opens a regular file of a folder, unless it is a link.
fn open(dir: &Dir, name: &str) -> io::Result<File> {
    use cap_std::fs::OpenOptions;
    let metadata = dir.symlink_metadata(name)?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let file = dir.open_with(name, &options)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Reads the rules of a folder's ignore files. Bytes that are not UTF-8 spoil one rule alone, as in git.
fn ignore_rules(dir: &Dir, prefix: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(prefix);
    for name in [".gitignore", ".ignore"] {
        let Ok(file) = open(dir, name) else { continue };
        let mut text = Vec::new();
        if file
            .take(MAX_IGNORE_FILE as u64)
            .read_to_end(&mut text)
            .is_ok()
        {
            let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&text);
            for line in String::from_utf8_lossy(text).lines() {
                // A rule that cannot be read has no effect, as in git.
                let _ = builder.add_line(None, line);
            }
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Returns `true` if the innermost folder with a rule for a path ignores it.
fn is_ignored(rules: &[Gitignore], path: &str, is_dir: bool) -> bool {
    let mut matches = rules.iter().rev().map(|rules| rules.matched(path, is_dir));
    matches!(
        matches.find(|found| !found.is_none()),
        Some(Match::Ignore(_))
    )
}

/// Receiver of matching lines.
struct MatchingLines<'a> {
    path: &'a str,
    content: &'a mut Vec<u8>,
    left: usize,
    max: usize,
}

impl Sink for MatchingLines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or_default();
        self.content
            .extend_from_slice(format!("{}:{number}:", self.path).as_bytes());
        self.content.extend_from_slice(found.bytes());
        if !found.bytes().ends_with(b"\n") {
            self.content.push(b'\n');
        }
        self.left -= 1;
        Ok(self.left > 0 && self.content.len() <= self.max)
    }
}
