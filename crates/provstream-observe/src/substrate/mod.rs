//! Substrates that observations can be made of, and repeated: files, searches, times of files, commit logs, sockets, and with the
//! feature `mcp` channels of events and MCP services.
//!
//! Every path is opened below one root folder. Nothing is written, and nothing is executed except the MCP services that settings
//! name as a command.

mod code_read;
mod git_log;
mod grep;
mod mtime;
mod peercred;
mod query;
mod root;

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

pub use query::SubstrateQuery;

use self::git_log::Commit;
use self::root::RootFolder;
use crate::observation::Anchor;
#[cfg(feature = "mcp")]
use crate::services::Services;

/// Bounds of the work on one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubstrateLimits {
    /// Longest file that is read, in bytes.
    pub max_file: u64,
    /// Longest result in bytes.
    pub max_result: usize,
    /// Most files and folders of a search.
    pub max_files: usize,
    /// Most commits that a log is searched for.
    pub max_commits: usize,
    /// Time after which a query ends with an error.
    pub timeout: Duration,
}

impl Default for SubstrateLimits {
    /// 16 MiB a file, 1 MiB a result, 100,000 files, 100,000 commits, 10 seconds.
    fn default() -> Self {
        Self {
            max_file: 16 << 20,
            max_result: 1 << 20,
            max_files: 100_000,
            max_commits: 100_000,
            timeout: Duration::from_secs(10),
        }
    }
}

/// Substrates of one root folder.
#[derive(Debug)]
pub struct Substrates {
    root: RootFolder,
    limits: SubstrateLimits,
    #[cfg(feature = "mcp")]
    services: Option<Services>,
}

impl Substrates {
    /// Opens a root folder. Queries name paths relative to it, and cannot leave it.
    ///
    /// # Errors
    ///
    /// The folder cannot be opened.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, SubstrateError> {
        Ok(Self {
            root: RootFolder::open(root.as_ref())?,
            limits: SubstrateLimits::default(),
            #[cfg(feature = "mcp")]
            services: None,
        })
    }

    /// Sets the channels and MCP services that can be asked; without them, none can.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn with_services(mut self, services: Services) -> Self {
        self.services = Some(services);
        self
    }

    /// Returns the channels and MCP services that can be asked.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub const fn services(&self) -> Option<&Services> {
        self.services.as_ref()
    }

    /// Sets the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: SubstrateLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Makes an observation.
    ///
    /// # Errors
    ///
    /// The substrate has no such thing, it cannot be reached, the query is not allowed, or a limit is exceeded.
    pub fn observe(&self, query: &SubstrateQuery) -> Result<FoundResult, SubstrateError> {
        let work = self.work();
        let found = match query {
            SubstrateQuery::CodeRead(query) => code_read::observe(work, query),
            SubstrateQuery::Grep(query) => grep::observe(work, query),
            SubstrateQuery::FsMtime(query) => mtime::observe(work, query),
            SubstrateQuery::GitLog(query) => git_log::observe(work, query),
            SubstrateQuery::Peercred(query) => peercred::observe(work, query),
            SubstrateQuery::SseCount(query) => self.count(query),
            SubstrateQuery::McpBrief(query) => self.ask(query),
        }?;
        if found.content.len() > self.limits.max_result {
            return Err(SubstrateError::limit(format!(
                "expected a result of at most {} bytes, found {}",
                self.limits.max_result,
                found.content.len()
            )));
        }
        Ok(found)
    }

    #[cfg(feature = "mcp")]
    fn count(&self, query: &SseCount) -> Result<FoundResult, SubstrateError> {
        let services = self.services.as_ref().ok_or_else(no_services)?;
        services.count(query).map(FoundResult::of)
    }

    #[cfg(feature = "mcp")]
    fn ask(&self, query: &McpBrief) -> Result<FoundResult, SubstrateError> {
        let services = self.services.as_ref().ok_or_else(no_services)?;
        services.ask(query).map(FoundResult::of)
    }

    #[cfg(not(feature = "mcp"))]
    #[expect(clippy::unused_self, reason = "the feature `mcp` adds services")]
    fn count(&self, _: &SseCount) -> Result<FoundResult, SubstrateError> {
        Err(no_services())
    }

    #[cfg(not(feature = "mcp"))]
    #[expect(clippy::unused_self, reason = "the feature `mcp` adds services")]
    fn ask(&self, _: &McpBrief) -> Result<FoundResult, SubstrateError> {
        Err(no_services())
    }

    /// Reads a whole file, to find text that has moved in it.
    pub(crate) fn file(&self, path: &str) -> Result<Vec<u8>, SubstrateError> {
        self.root.read(path, self.work())
    }

    /// Lists the commits of a log from the commit `first` on, and counts the newer ones.
    pub(crate) fn commits_from(
        &self,
        query: &GitLog,
        first: &str,
    ) -> Result<(usize, Vec<Commit>), SubstrateError> {
        git_log::commits(self.work(), query, Some(first))
    }

    fn work(&self) -> QueryWork<'_> {
        QueryWork {
            root: &self.root,
            limits: &self.limits,
            deadline: Instant::now() + self.limits.timeout,
        }
    }
}

pub(crate) use code_read::{MAX_ANCHOR, line_range};
pub(crate) use query::{CodeRead, GitLog, McpBrief, SseCount};

fn no_services() -> SubstrateError {
    SubstrateError::refused(match cfg!(feature = "mcp") {
        true => "expected settings of channels and MCP services, found none",
        false => "expected a build with the feature mcp, found one without it",
    })
}

/// Result of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundResult {
    /// Result, the bytes that the digest is computed over.
    pub content: Vec<u8>,
    /// Text around the result.
    pub anchor: Option<Anchor>,
}

impl FoundResult {
    fn of(content: impl Into<Vec<u8>>) -> Self {
        Self {
            content: content.into(),
            anchor: None,
        }
    }
}

/// Root, limits and deadline of a query.
#[derive(Clone, Copy, Debug)]
struct QueryWork<'a> {
    root: &'a RootFolder,
    limits: &'a SubstrateLimits,
    deadline: Instant,
}

impl QueryWork<'_> {
    fn check_time(&self) -> Result<(), SubstrateError> {
        match Instant::now() > self.deadline {
            true => Err(SubstrateError::limit(format!(
                "expected the query to end within {:?}, found it still running",
                self.limits.timeout
            ))),
            false => Ok(()),
        }
    }
}

/// Kind of an error of a substrate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SubstrateErrorKind {
    /// The substrate has no such file, line, commit or reference.
    Gone,
    /// The query is not of a form that the substrate knows.
    Query,
    /// The path leaves the root, or is not a regular file.
    Refused,
    /// A limit of size, number or time is exceeded.
    Limit,
    /// The substrate cannot be read.
    Unreachable,
}

/// An error of a substrate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubstrateError {
    kind: SubstrateErrorKind,
    message: String,
}

impl SubstrateError {
    /// Returns the kind.
    #[must_use]
    pub const fn kind(&self) -> SubstrateErrorKind {
        self.kind
    }

    pub(crate) fn new(kind: SubstrateErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }

    pub(crate) fn gone(message: impl Into<String>) -> Self {
        Self::new(SubstrateErrorKind::Gone, message)
    }

    pub(crate) fn query(message: impl Into<String>) -> Self {
        Self::new(SubstrateErrorKind::Query, message)
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(SubstrateErrorKind::Refused, message)
    }

    pub(crate) fn limit(message: impl Into<String>) -> Self {
        Self::new(SubstrateErrorKind::Limit, message)
    }

    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(SubstrateErrorKind::Unreachable, message)
    }
}

impl fmt::Display for SubstrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for SubstrateError {}
