//! `substrate.git.log`: commits that a reference reaches.

use std::error::Error;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;
use gix::bstr::ByteSlice as _;
use gix::refs::TargetRef;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use provstream::provenance::Timestamp;

use super::query::GitLog;
use super::root::io_error;
use super::{FoundResult, QueryWork, SubstrateError};
use crate::observation::Anchor;

/// Most symbolic references from one to the next.
const MAX_HOPS: usize = 5;
/// Deepest folder inside a repository's `objects` and `refs`.
const MAX_DEPTH: usize = 64;

/// Commit of a log.
#[derive(Debug)]
pub(crate) struct Commit {
    /// Id in hexadecimal digits.
    pub(crate) id: String,
    /// Lines of the commit in the result.
    pub(crate) text: Vec<u8>,
}

pub(super) fn observe(work: QueryWork<'_>, query: &GitLog) -> Result<FoundResult, SubstrateError> {
    let (_, commits) = commits(work, query, None)?;
    let Some(first) = commits.first() else {
        return Err(SubstrateError::gone(match &query.path {
            Some(path) => format!(
                "expected a commit that changes {}, found none",
                path.escape_debug()
            ),
            None => "expected a commit, found none".to_owned(),
        }));
    };
    // A log that has grown has the same commits after newer ones; the id of the first finds them.
    let anchor = Anchor {
        before: String::new(),
        after: first.id.clone(),
    };
    let content: Vec<u8> = commits.into_iter().flat_map(|commit| commit.text).collect();
    Ok(FoundResult {
        content,
        anchor: Some(anchor),
    })
}

/// Lists the latest commits, or those from the commit `first` on, and counts the newer ones. As many as the query asks for are listed.
pub(super) fn commits(
    work: QueryWork<'_>,
    query: &GitLog,
    first: Option<&str>,
) -> Result<(usize, Vec<Commit>), SubstrateError> {
    let repository = open(work, query)?;
    let no_reference = || {
        SubstrateError::gone(format!(
            "{}: expected a reference, found none",
            query.reference.escape_debug()
        ))
    };
    let reference = repository.find_reference(query.reference.as_str());
    let (mut reference, mut hops) = (reference.map_err(|_| no_reference())?, 0);
    // A symbolic reference names another one, and not any file of the repository.
    while let TargetRef::Symbolic(name) = reference.target() {
        let name = name.as_bstr().to_owned();
        hops += 1;
        if hops > MAX_HOPS || !name.starts_with(b"refs/") {
            return Err(SubstrateError::refused(format!(
                "{}: expected a reference to one below refs/, found {}",
                query.reference.escape_debug(),
                name.to_str_lossy().escape_debug()
            )));
        }
        let next = reference.follow().transpose();
        let next = next.map_err(|_| no_reference())?;
        reference = next.ok_or_else(no_reference)?;
    }
    let tip = reference.peel_to_id().map_err(|error| fail(&error))?;
    let walk = repository
        .rev_walk([tip.detach()])
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .use_commit_graph(false)
        .all()
        .map_err(|error| fail(&error))?;
    let shallow = repository.shallow_commits().map_err(|error| fail(&error))?;
    let path = query.path.as_deref().map(|path| {
        let is_name = |part: &Component<'_>| *part != Component::CurDir;
        let parts = Path::new(path).components().filter(is_name);
        parts.collect::<PathBuf>()
    });
    // Every commit changes the folder itself.
    let path = path.filter(|path| !path.as_os_str().is_empty());
    let (mut newer, mut commits) = (0, Vec::new());
    for (seen, info) in walk.enumerate() {
        work.check_time()?;
        if commits.len() >= query.limit {
            break;
        }
        if seen >= work.limits.max_commits {
            return Err(SubstrateError::limit(format!(
                "expected the log to end within {} commits, found more",
                work.limits.max_commits
            )));
        }
        let info = info.map_err(|error| fail(&error))?;
        let commit = repository.find_commit(info.id);
        let commit = commit.map_err(|error| fail(&error))?;
        // What is before the oldest commits of a shallow clone is not there.
        let is_oldest = || shallow.iter().any(|oldest| oldest.contains(&info.id));
        if let Some(path) = &path
            && !changes(&repository, &commit, path, is_oldest())?
        {
            continue;
        }
        let is_first = |first: &str| {
            gix::ObjectId::from_hex(first.as_bytes()).is_ok_and(|first| first == info.id)
        };
        match commits.is_empty() && !first.is_none_or(is_first) {
            true => newer += 1,
            false => commits.push(describe(&commit)?),
        }
    }
    Ok((newer, commits))
}

/// Opens a repository without the settings of the user or the system. Nothing of it may be elsewhere: it is a folder `.git` or a
/// bare repository, without links, alternates and worktrees.
fn open(work: QueryWork<'_>, query: &GitLog) -> Result<gix::Repository, SubstrateError> {
    let path = query.repository.as_str();
    let elsewhere = |name: &str| {
        SubstrateError::refused(format!(
            "{}: expected a repository that is all below the root, found {name}",
            path.escape_debug()
        ))
    };
    let dir = work.root.folder(path)?;
    let (dir, git) = match dir.symlink_metadata(".git") {
        Ok(metadata) if metadata.is_dir() => {
            let inner = dir.open_dir_nofollow(".git");
            let inner = inner.map_err(|_| elsewhere(".git as a link"))?;
            (inner, work.root.path().join(path).join(".git"))
        }
        Ok(_) => return Err(elsewhere(".git as a file or link")),
        Err(_) => (dir, work.root.path().join(path)),
    };
    for name in [
        "HEAD",
        "config",
        "config.worktree",
        "objects",
        "refs",
        "packed-refs",
        "objects/pack",
        "objects/info",
        "shallow",
        // Also the name of a file beside the references, such as `FETCH_HEAD`.
        &query.reference,
    ] {
        match dir.symlink_metadata(name) {
            Ok(metadata) if metadata.is_symlink() => {
                return Err(elsewhere(&format!("{name} as a link")));
            }
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
                return Err(elsewhere(&format!("{name} as neither a file nor a folder")));
            }
            Ok(metadata) if metadata.is_file() && metadata.len() > work.limits.max_file => {
                return Err(SubstrateError::limit(format!(
                    "{name}: expected at most {} bytes, found {}",
                    work.limits.max_file,
                    metadata.len()
                )));
            }
            Err(_) if matches!(name, "HEAD" | "objects" | "refs") => {
                return Err(SubstrateError::gone(format!(
                    "{}: expected a repository, found none",
                    path.escape_debug()
                )));
            }
            Ok(_) => {}
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(io_error(name, &error)),
        }
    }
    for name in ["objects/info/alternates", "commondir"] {
        if dir.symlink_metadata(name).is_ok() {
            return Err(elsewhere(name));
        }
    }
    for name in ["objects", "refs"] {
        let inner = dir.open_dir_nofollow(name);
        let inner = inner.map_err(|_| elsewhere(&format!("{name} as a link")))?;
        let mut folder = RepositoryFolder {
            work,
            files: 0,
            found: &elsewhere,
        };
        folder.check(&inner, name, 0)?;
    }
    let git = git
        .canonicalize()
        .map_err(|error| SubstrateError::unreachable(error.to_string()))?;
    if !git.starts_with(work.root.path()) {
        return Err(elsewhere("a link that leaves it"));
    }
    gix::open_opts(git, options(work)).map_err(|error| fail(&error))
}

fn options(work: QueryWork<'_>) -> gix::open::Options {
    // A small object may be a large one that was compressed.
    let limit = i64::try_from(work.limits.max_file).unwrap_or(i64::MAX);
    let limit = format!("gitoxide.objects.allocLimit={limit}");
    gix::open::Options::isolated()
        .open_path_as_is(true)
        .config_overrides([limit])
}

/// Check of a folder of a repository, which gitoxide reads by itself: neither links out of it nor files that block.
struct RepositoryFolder<'a> {
    work: QueryWork<'a>,
    files: usize,
    /// Creates the error for something that is not below the root.
    found: &'a dyn Fn(&str) -> SubstrateError,
}

impl RepositoryFolder<'_> {
    fn check(&mut self, dir: &Dir, path: &str, depth: usize) -> Result<(), SubstrateError> {
        let fail = |error: std::io::Error| io_error(path, &error);
        let max = self.work.limits.max_files;
        for entry in dir.entries().map_err(fail)? {
            self.work.check_time()?;
            self.files += 1;
            if self.files > max || depth > MAX_DEPTH {
                return Err(SubstrateError::limit(format!(
                    "{path}: expected at most {max} files, at most {MAX_DEPTH} folders deep, found more"
                )));
            }
            let file = entry.map_err(fail)?.file_name();
            let name = format!("{path}/{}", file.display());
            // Not every file system says the kind with the name. What git removes meanwhile is not there.
            let kind = match dir.symlink_metadata(&file) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                metadata => metadata.map_err(fail)?,
            };
            if kind.is_dir() {
                match dir.open_dir_nofollow(&file) {
                    Ok(inner) => self.check(&inner, &name, depth + 1)?,
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(io_error(&name, &error)),
                }
            } else if !kind.is_file() {
                return Err((self.found)(&format!(
                    "{name} as a link or another kind of file"
                )));
            }
        }
        Ok(())
    }
}

/// Returns `true` if the entry of a path differs from that of each parent; the oldest commits of a shallow clone have none.
fn changes(
    repository: &gix::Repository,
    commit: &gix::Commit<'_>,
    path: &Path,
    is_oldest: bool,
) -> Result<bool, SubstrateError> {
    let entry = |commit: &gix::Commit<'_>| -> Result<Option<(gix::ObjectId, u16)>, SubstrateError> {
        let tree = commit.tree().map_err(|error| fail(&error))?;
        let entry = tree
            .lookup_entry_by_path(path)
            .map_err(|error| fail(&error))?;
        Ok(entry.map(|entry| (entry.object_id(), entry.mode().value())))
    };
    let own = entry(commit)?;
    let mut has_parent = false;
    for parent in commit.parent_ids().filter(|_| !is_oldest) {
        has_parent = true;
        let parent = repository
            .find_commit(parent)
            .map_err(|error| fail(&error))?;
        if entry(&parent)? == own {
            return Ok(false);
        }
    }
    Ok(has_parent || own.is_some())
}

fn describe(commit: &gix::Commit<'_>) -> Result<Commit, SubstrateError> {
    let id = commit.id().to_string();
    let decoded = commit.decode().map_err(|error| fail(&error))?;
    let author = decoded.author().map_err(|error| fail(&error))?;
    let seconds = author.time().map(|time| time.seconds).unwrap_or_default();
    let date = Timestamp::from_unix(seconds, 0).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut text = format!("commit {id}\nauthor ").into_bytes();
    text.extend_from_slice(author.name);
    text.extend_from_slice(b" <");
    text.extend_from_slice(author.email);
    text.extend_from_slice(format!(">\ndate {date}\n\n").as_bytes());
    for line in decoded.message.trim_end().lines() {
        if !line.is_empty() {
            text.extend_from_slice(b"    ");
            text.extend_from_slice(line);
        }
        text.push(b'\n');
    }
    text.push(b'\n');
    Ok(Commit { id, text })
}

/// Builds the error with its causes, of which the last says why.
fn fail(error: &(dyn Error + 'static)) -> SubstrateError {
    let mut message = format!("the repository cannot be read: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(&format!(": {error}"));
        cause = error.source();
    }
    SubstrateError::unreachable(message)
}
