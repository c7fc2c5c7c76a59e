//! Bounds on what a stream may make the parser keep or report.

use core::fmt;
use core::ops::RangeInclusive;

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
    pending_json: u32,
    depth: u32,
    pointer: u32,
    record: u32,
}

impl Limits {
    /// Returns the maximum length of a bracketed annotation, brackets included, and of a string of
    /// an annotation in JSON, in bytes: 1,024 by default.
    #[must_use]
    pub const fn max_annotation(&self) -> usize {
        self.annotation as usize
    }

    /// Returns the maximum length of an assertion, in raw bytes: 4,096 by default.
    #[must_use]
    pub const fn max_assertion(&self) -> usize {
        self.assertion as usize
    }

    /// Returns the maximum number of annotations reported with one assertion: 64 by default. All
    /// open objects of a JSON value together have at most 512, or this number if it is greater.
    #[must_use]
    pub const fn max_annotations(&self) -> usize {
        self.annotations as usize
    }

    /// Returns the maximum number of raw bytes of identifiers, observation ids and timestamps
    /// retained for annotations whose assertion is incomplete: 4,096 by default in free text.
    #[must_use]
    pub const fn max_pending(&self) -> usize {
        self.pending as usize
    }

    /// Returns the maximum number of bytes of annotations and assertions retained for all open
    /// objects in JSON: 65,536 by default.
    #[must_use]
    pub const fn max_pending_json(&self) -> usize {
        self.pending_json as usize
    }

    /// Returns the maximum nesting depth of objects and arrays in a JSON value: 128 by default.
    #[must_use]
    pub const fn max_depth(&self) -> usize {
        self.depth as usize
    }

    /// Returns the maximum length of a reported JSON Pointer, in bytes of UTF-8: 1,024 by default.
    #[must_use]
    pub const fn max_pointer(&self) -> usize {
        self.pointer as usize
    }

    /// Returns the maximum length of a MARC object that is reported with its bytes, and of a JSON
    /// record that can be removed, in bytes: 65,536 by default.
    #[must_use]
    pub const fn max_record(&self) -> usize {
        self.record as usize
    }

    /// Sets [`max_annotation`](Self::max_annotation), 1 to 65,535 bytes.
    ///
    /// # Errors
    /// [`LimitError`] when `bytes` is out of range.
    pub fn with_max_annotation(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.annotation = check("max_annotation", bytes, 1..=65_535)?;
        Ok(self)
    }

    /// Sets [`max_assertion`](Self::max_assertion), 4 to 1,048,576 bytes, so that any character fits.
    ///
    /// # Errors
    /// [`LimitError`] when `bytes` is out of range.
    pub fn with_max_assertion(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.assertion = check("max_assertion", bytes, 4..=1 << 20)?;
        Ok(self)
    }

    /// Sets [`max_annotations`](Self::max_annotations), 1 to 65,536.
    ///
    /// # Errors
    /// [`LimitError`] when `count` is out of range.
    pub fn with_max_annotations(mut self, count: usize) -> Result<Self, LimitError> {
        self.annotations = check("max_annotations", count, 1..=65_536)?;
        Ok(self)
    }

    /// Sets [`max_pending`](Self::max_pending), 1 to 1,048,576 bytes, in free text and [in JSON](Self::max_pending_json), whose
    /// default is larger.
    ///
    /// # Errors
    /// [`LimitError`] when `bytes` is out of range.
    pub fn with_max_pending(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.pending = check("max_pending", bytes, 1..=1 << 20)?;
        self.pending_json = self.pending;
        Ok(self)
    }

    /// Sets [`max_depth`](Self::max_depth), 1 to 65,536.
    ///
    /// # Errors
    /// [`LimitError`] when `depth` is out of range.
    pub fn with_max_depth(mut self, depth: usize) -> Result<Self, LimitError> {
        self.depth = check("max_depth", depth, 1..=65_536)?;
        Ok(self)
    }

    /// Sets [`max_pointer`](Self::max_pointer), 1 to 65,536 bytes.
    ///
    /// # Errors
    /// [`LimitError`] when `bytes` is out of range.
    pub fn with_max_pointer(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.pointer = check("max_pointer", bytes, 1..=65_536)?;
        Ok(self)
    }

    /// Sets [`max_record`](Self::max_record), 1 to 1,048,576 bytes.
    ///
    /// # Errors
    /// [`LimitError`] when `bytes` is out of range.
    pub fn with_max_record(mut self, bytes: usize) -> Result<Self, LimitError> {
        self.record = check("max_record", bytes, 1..=1 << 20)?;
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
            pending_json: 65_536,
            depth: 128,
            pointer: 1_024,
            record: 65_536,
        }
    }
}

/// A value for a limit that lies outside the limit's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LimitError {
    name: &'static str,
    value: usize,
    least: u32,
    most: u32,
}

impl LimitError {
    /// Returns the name of the limit, such as `max_annotation`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the least allowed value.
    #[must_use]
    pub const fn least(&self) -> u32 {
        self.least
    }

    /// Returns the greatest allowed value.
    #[must_use]
    pub const fn most(&self) -> u32 {
        self.most
    }

    /// Returns the rejected value.
    #[must_use]
    pub const fn value(&self) -> usize {
        self.value
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: expected {} to {}, found {}",
            self.name, self.least, self.most, self.value
        )
    }
}

impl std::error::Error for LimitError {}

fn check(name: &'static str, value: usize, range: RangeInclusive<u32>) -> Result<u32, LimitError> {
    let (least, most) = (*range.start(), *range.end());
    u32::try_from(value)
        .ok()
        .filter(|value| range.contains(value))
        .ok_or(LimitError {
            name,
            value,
            least,
            most,
        })
}
