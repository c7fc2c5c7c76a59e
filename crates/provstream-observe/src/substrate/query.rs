//! Queries that the built-in substrates know.

use provstream::provenance::Class;
use serde_json::{Map, Value, json};

use super::SubstrateError;
use crate::query::Query;

/// Matching lines of a search without `limit`.
const DEFAULT_MATCHES: usize = 200;
/// Most matching lines of a search, and most commits of a log.
const MAX_COUNT: usize = 10_000;
/// Commits of a log without `limit`.
const DEFAULT_COMMITS: usize = 20;
/// Seconds of a subscription without `seconds`.
const DEFAULT_SECONDS: usize = 10;
/// Most seconds of a subscription.
const MAX_SECONDS: usize = 60;

/// Query to a built-in substrate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubstrateQuery {
    /// `substrate.code.read`: a file, or some of its lines.
    CodeRead(CodeRead),
    /// `substrate.grep`: the lines of files that a regular expression matches.
    Grep(Grep),
    /// `substrate.fs.mtime`: the time at which a file was modified.
    FsMtime(FsMtime),
    /// `substrate.git.log`: commits that a reference reaches.
    GitLog(GitLog),
    /// `substrate.unix.peercred`: the process that listens on a socket.
    Peercred(Peercred),
    /// `substrate.do.sse-count`: the events of a channel, and what the last one says.
    SseCount(SseCount),
    /// `substrate.mcp.brief`: what a tool of an MCP service returns.
    McpBrief(McpBrief),
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeRead {
    /// Path of the file.
    pub(crate) path: String,
    /// Number of the first line, from 1, and number of lines, of all that follow if `None`; `None` for the whole file.
    pub(crate) lines: Option<(usize, Option<usize>)>,
}

/// Search in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grep {
    /// Regular expression.
    pub(super) pattern: String,
    /// File or folder to search in.
    pub(super) path: String,
    /// Letter case does not matter.
    pub(super) ignore_case: bool,
    /// Most matching lines.
    pub(super) limit: usize,
}

/// Time of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsMtime {
    pub(super) path: String,
}

/// Commits that a reference reaches, the latest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitLog {
    /// Folder of the repository.
    pub(super) repository: String,
    pub(super) reference: String,
    /// Path within the repository that the commits change.
    pub(super) path: Option<String>,
    /// Most commits.
    pub(crate) limit: usize,
}

/// Credentials of the process that listens on a Unix-domain socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peercred {
    pub(super) path: String,
}

/// Subscription to a channel of server-sent events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseCount {
    pub(crate) url: String,
    /// Name of the events to count; `None` for all.
    pub(crate) event: Option<String>,
    /// Time after which the subscription ends.
    pub(crate) seconds: usize,
    /// Number of events after which the subscription ends.
    pub(crate) limit: usize,
}

/// Call of a tool of an MCP service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpBrief {
    /// Name of the service in the settings.
    pub(crate) service: String,
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
}

impl SubstrateQuery {
    /// Creates a query for a file, or for `count` lines from number `first` on (from 1).
    #[must_use]
    pub fn code_read(path: &str, lines: Option<(usize, usize)>) -> Self {
        let path = path.to_owned();
        let lines = lines.map(|(first, count)| (first, Some(count)));
        Self::CodeRead(CodeRead { path, lines })
    }

    /// Creates a query for the lines that a regular expression matches, in a file or in the files of a folder.
    #[must_use]
    pub fn grep(pattern: &str, path: &str, ignore_case: bool, limit: Option<usize>) -> Self {
        Self::Grep(Grep {
            pattern: pattern.to_owned(),
            path: path.to_owned(),
            ignore_case,
            limit: limit.unwrap_or(DEFAULT_MATCHES),
        })
    }

    /// Creates a query for the time of a file.
    #[must_use]
    pub fn fs_mtime(path: &str) -> Self {
        let path = path.to_owned();
        Self::FsMtime(FsMtime { path })
    }

    /// Creates a query for the commits that a reference reaches, such as `HEAD`, the latest first.
    #[must_use]
    pub fn git_log(
        repository: &str,
        reference: &str,
        path: Option<&str>,
        limit: Option<usize>,
    ) -> Self {
        Self::GitLog(GitLog {
            repository: repository.to_owned(),
            reference: reference.to_owned(),
            path: path.map(str::to_owned),
            limit: limit.unwrap_or(DEFAULT_COMMITS),
        })
    }

    /// Creates a query for the process that listens on a Unix-domain socket.
    #[must_use]
    pub fn peercred(path: &str) -> Self {
        let path = path.to_owned();
        Self::Peercred(Peercred { path })
    }

    /// Creates a query for the server-sent events of a channel, of all names or of one, within some seconds (10 if not given)
    /// or up to some number (200 if not given).
    #[must_use]
    pub fn sse_count(
        url: &str,
        event: Option<&str>,
        seconds: Option<usize>,
        limit: Option<usize>,
    ) -> Self {
        Self::SseCount(SseCount {
            url: url.to_owned(),
            event: event.map(str::to_owned),
            seconds: seconds.unwrap_or(DEFAULT_SECONDS),
            limit: limit.unwrap_or(DEFAULT_MATCHES),
        })
    }

    /// Creates a query for a call of a tool of an MCP service.
    #[must_use]
    pub fn mcp_brief(service: &str, tool: &str, arguments: Map<String, Value>) -> Self {
        Self::McpBrief(McpBrief {
            service: service.to_owned(),
            tool: tool.to_owned(),
            arguments,
        })
    }

    /// Returns the substrate class.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::CodeRead(_) => Class::CODE_READ,
            Self::Grep(_) => Class::GREP,
            Self::FsMtime(_) => Class::FS_MTIME,
            Self::GitLog(_) => Class::GIT_LOG,
            Self::Peercred(_) => Class::PEERCRED,
            Self::SseCount(_) => Class::SSE_COUNT,
            Self::McpBrief(_) => Class::MCP_BRIEF,
        }
    }

    /// Reads a query of a class; `None` if no built-in substrate has the class.
    ///
    /// # Errors
    ///
    /// The query has not the members of its class.
    #[must_use]
    pub fn parse(class: &str, query: &Query) -> Option<Result<Self, SubstrateError>> {
        let mut members = QueryMembers(query.members());
        let parsed = match class {
            "substrate.code.read" => members.code_read(),
            "substrate.grep" => members.grep(),
            "substrate.fs.mtime" => members
                .text("path")
                .map(|path| Self::FsMtime(FsMtime { path })),
            "substrate.git.log" => members.git_log(),
            "substrate.unix.peercred" => members
                .text("path")
                .map(|path| Self::Peercred(Peercred { path })),
            "substrate.do.sse-count" => members.sse_count(),
            "substrate.mcp.brief" => members.mcp_brief(),
            _ => return None,
        };
        Some(parsed.and_then(|query| {
            members.finish()?;
            Ok(query)
        }))
    }

    /// Returns the query as canonical JSON.
    ///
    /// # Errors
    ///
    /// The query is longer than 65,536 bytes, or has a number that is too large.
    pub fn to_query(&self) -> Result<Query, SubstrateError> {
        let value = match self {
            Self::CodeRead(CodeRead { path, lines: None }) => json!({ "path": path }),
            Self::CodeRead(CodeRead {
                path,
                lines: Some((first, Some(count))),
            }) => json!({ "path": path, "offset": first, "limit": count }),
            Self::CodeRead(CodeRead {
                path,
                lines: Some((first, None)),
            }) => json!({ "path": path, "offset": first }),
            Self::Grep(grep) => json!({
                "ignore_case": grep.ignore_case,
                "limit": grep.limit,
                "path": grep.path,
                "pattern": grep.pattern,
            }),
            Self::FsMtime(FsMtime { path }) | Self::Peercred(Peercred { path }) => {
                json!({ "path": path })
            }
            Self::SseCount(count) => {
                let mut value = json!({
                    "limit": count.limit,
                    "seconds": count.seconds,
                    "url": count.url,
                });
                if let Some(event) = &count.event {
                    value["event"] = event.as_str().into();
                }
                value
            }
            Self::McpBrief(brief) => json!({
                "arguments": brief.arguments,
                "service": brief.service,
                "tool": brief.tool,
            }),
            Self::GitLog(log) => {
                let mut value = json!({
                    "limit": log.limit,
                    "reference": log.reference,
                    "repository": log.repository,
                });
                if let Some(path) = &log.path {
                    value["path"] = path.as_str().into();
                }
                value
            }
        };
        Query::new(&value).map_err(|error| SubstrateError::query(error.to_string()))
    }
}

/// Members of a query that are not read yet.
struct QueryMembers(Map<String, Value>);

impl QueryMembers {
    fn code_read(&mut self) -> Result<SubstrateQuery, SubstrateError> {
        let path = self.text("path")?;
        let lines = match (self.number("offset")?, self.number("limit")?) {
            (None, None) => None,
            (offset, limit) => Some((offset.unwrap_or(1), limit)),
        };
        Ok(SubstrateQuery::CodeRead(CodeRead { path, lines }))
    }

    fn grep(&mut self) -> Result<SubstrateQuery, SubstrateError> {
        let pattern = self.text("pattern")?;
        let path = self.text("path")?;
        let ignore_case = match self.0.remove("ignore_case") {
            None => false,
            Some(Value::Bool(ignore_case)) => ignore_case,
            Some(_) => {
                return Err(SubstrateError::query(
                    "query: expected a boolean in \"ignore_case\", found another value",
                ));
            }
        };
        let limit = self.count(DEFAULT_MATCHES)?;
        Ok(SubstrateQuery::Grep(Grep {
            pattern,
            path,
            ignore_case,
            limit,
        }))
    }

    fn git_log(&mut self) -> Result<SubstrateQuery, SubstrateError> {
        let repository = self.text("repository")?;
        let reference = self.text("reference")?;
        let path = self.optional_text("path")?;
        let limit = self.count(DEFAULT_COMMITS)?;
        Ok(SubstrateQuery::GitLog(GitLog {
            repository,
            reference,
            path,
            limit,
        }))
    }

    fn sse_count(&mut self) -> Result<SubstrateQuery, SubstrateError> {
        let url = self.text("url")?;
        let event = self.optional_text("event")?;
        let seconds = self.number("seconds")?.unwrap_or(DEFAULT_SECONDS);
        if seconds > MAX_SECONDS {
            return Err(SubstrateError::query(format!(
                "query: expected at most {MAX_SECONDS} in \"seconds\", found {seconds}"
            )));
        }
        let limit = self.count(DEFAULT_MATCHES)?;
        Ok(SubstrateQuery::SseCount(SseCount {
            url,
            event,
            seconds,
            limit,
        }))
    }

    fn mcp_brief(&mut self) -> Result<SubstrateQuery, SubstrateError> {
        let service = self.text("service")?;
        let tool = self.text("tool")?;
        let arguments = match self.0.remove("arguments") {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_) => {
                return Err(SubstrateError::query(
                    "query: expected an object in \"arguments\", found another value",
                ));
            }
        };
        Ok(SubstrateQuery::McpBrief(McpBrief {
            service,
            tool,
            arguments,
        }))
    }

    fn optional_text(&mut self, name: &str) -> Result<Option<String>, SubstrateError> {
        match self.0.contains_key(name) {
            true => self.text(name).map(Some),
            false => Ok(None),
        }
    }

    fn text(&mut self, name: &str) -> Result<String, SubstrateError> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(SubstrateError::query(format!(
                "query: expected a string in \"{name}\", found none"
            ))),
        }
    }

    fn number(&mut self, name: &str) -> Result<Option<usize>, SubstrateError> {
        let Some(value) = self.0.remove(name) else {
            return Ok(None);
        };
        let number = value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok());
        match number {
            Some(number) if number > 0 => Ok(Some(number)),
            _ => Err(SubstrateError::query(format!(
                "query: expected a number from 1 in \"{name}\", found another value"
            ))),
        }
    }

    fn count(&mut self, default: usize) -> Result<usize, SubstrateError> {
        let limit = self.number("limit")?.unwrap_or(default);
        match limit <= MAX_COUNT {
            true => Ok(limit),
            false => Err(SubstrateError::query(format!(
                "query: expected at most {MAX_COUNT} in \"limit\", found {limit}"
            ))),
        }
    }

    fn finish(self) -> Result<(), SubstrateError> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(SubstrateError::query(format!(
                "query: expected no further member, found \"{}\"",
                name.escape_default()
            ))),
        }
    }
}
