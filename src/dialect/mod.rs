//! Citation dialects: how the markers are written with which models cite.
//!
//! A [`Dialect`] is data: one table for each form of its markers, built in or from a TOML file. [`Dialects`] are those that a
//! parser reads, compiled to one automaton that parsers share. `docs/dialects.md` has the rules.

mod automaton;
mod built_in;
mod error;
mod file;
mod guard;
mod minimize;
mod openers;
mod set;
mod table;

pub(crate) use self::automaton::{AutomatonState, MarkerAutomaton, Patterns};
pub use self::error::{DialectError, DialectErrorKind};
pub(crate) use self::guard::{Around, GuardVerdict};
pub(crate) use self::set::MOST_OPEN;

use std::fmt;
use std::sync::Arc;

pub(crate) use self::set::Set;
use self::table::FormTable;

/// Markers of one family: how they are written, and how they are read.
///
/// ```
/// use provstream::Dialect;
///
/// let numbers = Dialect::built_in("numeric").expect("it is built in");
/// assert_eq!(numbers.name(), "numeric");
/// let own = Dialect::from_toml(br#"
/// name = "kb"
///
/// [[marker]]
/// open = '\{\{kb:'
/// id = '[0-9]+'
/// separator = ','
/// close = '\}\}'
/// "#)?;
/// assert_eq!(own.name(), "kb");
/// # Ok::<(), provstream::DialectError>(())
/// ```
#[derive(Clone)]
pub struct Dialect {
    parts: Arc<DialectParts>,
}

struct DialectParts {
    name: Box<str>,
    tables: Vec<FormTable>,
}

impl Dialect {
    /// Returns the built-in dialect of a name.
    ///
    /// # Panics
    ///
    /// Never: the tests load each of them.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let file = built_in::file(name)?;
        Some(Self::from_toml(file.as_bytes()).expect("a built-in dialect loads"))
    }

    /// Returns the names of the built-in dialects.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        built_in::names()
    }

    /// Loads a dialect from a TOML file: its `name`, and a table `[[marker]]` for each form.
    ///
    /// # Errors
    ///
    /// Message with line and column.
    pub fn from_toml(file: &[u8]) -> Result<Self, DialectError> {
        let file::DialectFile {
            name,
            place,
            tables,
        } = file::read(file)?;
        let dialect = Self {
            parts: Arc::new(DialectParts { name, tables }),
        };
        // What no set can have is an error of the file.
        Set::new(std::slice::from_ref(&dialect)).map_err(|error| error.or_at(place))?;
        Ok(dialect)
    }

    /// Returns the name, by which events name the dialect.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.parts.name
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dialect").field(&self.name()).finish()
    }
}

/// Dialects that a parser reads, in order, compiled together. Clones share the compiled tables.
///
/// ```
/// use provstream::{Dialects, Parser, Rewriter};
///
/// let dialects = Dialects::built_in(["numeric", "openai-file"])?;
/// let mut rewriter = Rewriter::new(Parser::with_dialects(dialects));
/// let mut clean = Vec::new();
/// rewriter.push("Paris [1] is big【4:0†source】.".as_bytes(), &mut clean);
/// rewriter.finish(&mut clean);
/// assert_eq!(clean, b"Paris is big.");
/// # Ok::<(), provstream::DialectError>(())
/// ```
#[derive(Clone)]
pub struct Dialects {
    set: Arc<Set>,
}

impl Dialects {
    /// Compiles dialects, of which the first ones take precedence.
    ///
    /// # Errors
    ///
    /// [`DialectErrorKind::TooLarge`] if they have more than 64 forms, or more than 64 KiB when compiled.
    pub fn new(dialects: impl IntoIterator<Item = Dialect>) -> Result<Self, DialectError> {
        let dialects: Vec<_> = dialects.into_iter().collect();
        Ok(Self {
            set: Arc::new(Set::new(&dialects)?),
        })
    }

    /// Compiles built-in dialects.
    ///
    /// # Errors
    ///
    /// [`DialectErrorKind::UnknownName`] for a name that no built-in dialect has.
    pub fn built_in<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Self, DialectError> {
        let one =
            |name: &'n str| Dialect::built_in(name).ok_or_else(|| DialectError::unknown(name));
        let dialects: Result<Vec<_>, _> = names.into_iter().map(one).collect();
        Self::new(dialects?)
    }

    /// Returns the names of the dialects, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set.dialects.iter().map(Dialect::name)
    }

    /// Returns the length of the compiled tables in bytes.
    #[must_use]
    pub fn compiled_len(&self) -> usize {
        self.set.automaton.len()
    }

    pub(crate) fn set(&self) -> &Set {
        &self.set
    }
}

impl fmt::Debug for Dialects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
