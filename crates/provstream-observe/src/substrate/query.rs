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
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeRead {
    /// Path of the file.
    pub(crate) path: String,
    /// Number of the first line, from 1, and number of lines; `None` for the whole file.
    pub(crate) lines: Option<(usize, usize)>,
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

impl SubstrateQuery {
    /// Creates a query for a file, or for `count` lines from number `first` on (from 1).
    #[must_use]
    pub fn code_read(path: &str, lines: Option<(usize, usize)>) -> Self {
        let path = path.to_owned();
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

    /// Returns the substrate class.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::CodeRead(_) => Class::CODE_READ,
            Self::Grep(_) => Class::GREP,
            Self::FsMtime(_) => Class::FS_MTIME,
            Self::GitLog(_) => Class::GIT_LOG,
        }
    }

    /// Reads a query of a class; `None` if no built-in substrate has the class.
    ///
    /// # Errors
    ///
    /// The query has not the members of its class.
    #[must_use]
    pub fn parse(class: &str, query: &Query) -> Option<Result<Self, SubstrateError>> {
        let mut members = Members(query.members());
        let parsed = match class {
            "substrate.code.read" => members.code_read(),
            "substrate.grep" => members.grep(),
            "substrate.fs.mtime" => members
                .text("path")
                .map(|path| Self::FsMtime(FsMtime { path })),
            "substrate.git.log" => members.git_log(),
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
                lines: Some((first, count)),
            }) => json!({ "path": path, "offset": first, "limit": count }),
            Self::Grep(grep) => json!({
                "ignore_case": grep.ignore_case,
                "limit": grep.limit,
                "path": grep.path,
                "pattern": grep.pattern,
            }),
            Self::FsMtime(FsMtime { path }) => json!({ "path": path }),
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
struct Members(Map<String, Value>);

impl Members {
    fn code_read(&mut self) -> Result<SubstrateQuery, SubstrateError> {
        let path = self.text("path")?;
        let lines = match (self.number("offset")?, self.number("limit")?) {
            (None, None) => None,
            (offset, limit) => Some((offset.unwrap_or(1), limit.unwrap_or(usize::MAX))),
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
        let path = match self.0.contains_key("path") {
            true => Some(self.text("path")?),
            false => None,
        };
        let limit = self.count(DEFAULT_COMMITS)?;
        Ok(SubstrateQuery::GitLog(GitLog {
            repository,
            reference,
            path,
            limit,
        }))
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
