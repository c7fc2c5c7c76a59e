//! Bounds on what a stream may make the parser keep or report.

use core::fmt;

/// The bounds of one parser; every one of them counts stream bytes (or items), never buffer capacity.
///
/// A limit of `n` allows `n`. The defaults are those of the wire profile, section "diagnostics and limits". Limits
/// are what bounds the memory of a stream, so raising one raises what a parser may hold.
///
/// ```
/// let limits = provstream::Limits::default().with_max_annotation(256)?;
/// assert_eq!(limits.max_annotation(), 256);
/// # Ok::<(), provstream::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Limits {
    annotation: u32,
    assertion: u32,
    annotations: u32,
    pending: u32,
}

impl Limits {
    /// Longest bracketed annotation in bytes, brackets included: 1,024 by default.
    #[must_use]
    pub const fn max_annotation(&self) -> usize {
        self.annotation as usize
    }

    /// Longest assertion in raw bytes: 4,096 by default.
    #[must_use]
    pub const fn max_assertion(&self) -> usize {
        self.assertion as usize
    }

    /// Most annotations reported with one assertion: 64 by default.
    #[must_use]
    pub const fn max_annotations(&self) -> usize {
        self.annotations as usize
    }

    /// Most raw bytes of identifiers, observation ids and timestamps kept of annotations that wait for their
    /// assertion to be complete: 4,096 by default in free text.
    #[must_use]
    pub const fn max_pending(&self) -> usize {
        self.pending as usize
    }

    /// The same limits with another [`max_annotation`](Self::max_annotation), 1 to 65,536 bytes.
    ///
    /// # Errors
    /// [`LimitError`] when `bytes` is out of range.
    pub fn with_max_annotation(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.annotation = check("max_annotation", bytes, 65_536)?;
        Ok(self)
    }

    /// The same limits with another [`max_assertion`](Self::max_assertion), 1 to 1,048,576 bytes.
    ///
    /// # Errors
    /// [`LimitError`] when `bytes` is out of range.
    pub fn with_max_assertion(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.assertion = check("max_assertion", bytes, 1 << 20)?;
        Ok(self)
    }

    /// The same limits with another [`max_annotations`](Self::max_annotations), 1 to 65,536.
    ///
    /// # Errors
    /// [`LimitError`] when `count` is out of range.
    pub fn with_max_annotations(mut self, count: usize) -> Result<Self, LimitError> {
        self.annotations = check("max_annotations", count, 65_536)?;
        Ok(self)
    }

    /// The same limits with another [`max_pending`](Self::max_pending), 1 to 1,048,576 bytes.
    ///
    /// # Errors
    /// [`LimitError`] when `bytes` is out of range.
    pub fn with_max_pending(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.pending = check("max_pending", bytes, 1 << 20)?;
        Ok(self)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            annotation: 1_024,
            assertion: 4_096,
            annotations: 64,
            pending: 4_096,
        }
    }
}

/// A value for a limit that lies outside the limit's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LimitError {
    name: &'static str,
    value: usize,
    most: u32,
}

impl LimitError {
    /// Name of the limit, such as `max_annotation`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The greatest value it takes; the least is 1.
    #[must_use]
    pub const fn most(&self) -> u32 {
        self.most
    }

    /// The refused value.
    #[must_use]
    pub const fn value(&self) -> usize {
        self.value
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} must lie between 1 and {}, not {}",
            self.name, self.most, self.value
        )
    }
}

impl std::error::Error for LimitError {}

fn check(name: &'static str, value: usize, most: u32) -> Result<u32, LimitError> {
    u32::try_from(value)
        .ok()
        .filter(|v| (1..=most).contains(v))
        .ok_or(LimitError { name, value, most })
}
