//! Chunks from Python: `str` or bytes, converted to UTF-8.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::offsets::Offsets;

/// Type of the chunks of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkKind {
    Str,
    Bytes,
}

impl ChunkKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Str => "str",
            Self::Bytes => "bytes",
        }
    }
}

/// Converts the chunks of a stream to UTF-8. A surrogate pair may be split between two chunks.
#[derive(Debug, Default)]
pub(crate) struct ChunkDecoder {
    kind: Option<ChunkKind>,
    /// High surrogate at the end of the last chunk.
    high: Option<u16>,
    /// UTF-8 of the last chunk, if it was copied.
    buffer: Vec<u8>,
    /// `true` if the last chunk was used without a copy.
    original: bool,
}

impl ChunkDecoder {
    /// Returns the type of the chunks so far.
    pub(crate) const fn kind(&self) -> Option<ChunkKind> {
        self.kind
    }

    /// Returns `true` if the last chunk was used without a change or a copy.
    pub(crate) const fn is_original(&self) -> bool {
        self.original
    }

    /// Returns the UTF-8 of the last chunk, if it was copied.
    pub(crate) fn last(&self) -> &[u8] {
        &self.buffer
    }

    /// Calls `work` with the UTF-8 of a chunk, and records in `offsets` the characters that are two
    /// code points in Python.
    ///
    /// `str` and `bytes` are not copied. A high surrogate at the end of a chunk waits for the next
    /// chunk. A surrogate pair becomes the encoded character, a lone surrogate U+FFFD.
    ///
    /// # Errors
    /// `TypeError` if it is neither, or not what was pushed before.
    #[inline]
    pub(crate) fn with<R>(
        &mut self,
        chunk: &Bound<'_, PyAny>,
        offsets: &mut Offsets,
        work: impl FnOnce(&[u8], &mut Offsets) -> PyResult<R>,
    ) -> PyResult<R> {
        if let Ok(text) = chunk.cast::<PyString>() {
            self.expect(ChunkKind::Str)?;
            if self.high.is_none()
                && let Ok(text) = text.to_str()
            {
                self.original = true;
                return work(text.as_bytes(), offsets);
            }
            self.original = false;
            self.decode(text, offsets)?;
            let buffer = std::mem::take(&mut self.buffer);
            let result = work(&buffer, offsets);
            self.buffer = buffer;
            return result;
        }
        if let Ok(bytes) = chunk.cast::<PyBytes>() {
            self.expect(ChunkKind::Bytes)?;
            self.original = true;
            return work(bytes.as_bytes(), offsets);
        }
        self.expect_buffer(chunk)?;
        self.original = false;
        self.buffer = to_vec(chunk)?;
        let buffer = std::mem::take(&mut self.buffer);
        let result = work(&buffer, offsets);
        self.buffer = buffer;
        result
    }

    /// Ends the stream. Returns U+FFFD for a high surrogate that waits, or nothing.
    pub(crate) fn finish(&mut self) -> &'static [u8] {
        match self.high.take() {
            Some(_) => "\u{FFFD}".as_bytes(),
            None => b"",
        }
    }

    /// Resets to the start of a stream, whose chunks may have another type.
    pub(crate) fn reset(&mut self) {
        self.kind = None;
        self.high = None;
    }

    #[inline]
    fn expect(&mut self, kind: ChunkKind) -> PyResult<()> {
        match self.kind {
            Some(before) if before != kind => Err(PyTypeError::new_err(format!(
                "expected {}, as was pushed before, found {}",
                before.name(),
                kind.name()
            ))),
            _ => {
                self.kind = Some(kind);
                Ok(())
            }
        }
    }

    fn expect_buffer(&mut self, chunk: &Bound<'_, PyAny>) -> PyResult<()> {
        if chunk.is_instance_of::<PyByteArray>() || chunk.is_instance_of::<PyMemoryView>() {
            return self.expect(ChunkKind::Bytes);
        }
        Err(wrong_type(chunk))
    }

    /// Converts a text to UTF-8 in the buffer, if it has surrogates or follows a high surrogate.
    fn decode(&mut self, text: &Bound<'_, PyString>, offsets: &mut Offsets) -> PyResult<()> {
        let encoded =
            text.call_method1(intern!(text.py(), "encode"), ("utf-8", "surrogatepass"))?;
        let encoded = encoded.cast::<PyBytes>()?;
        self.buffer.clear();
        let mut rest = encoded.as_bytes();
        while !rest.is_empty() {
            if let [0xED, second @ 0xA0..=0xBF, third, after @ ..] = rest {
                rest = after;
                let unit = 0xD000 | (u16::from(second & 0x3F) << 6) | u16::from(third & 0x3F);
                self.surrogate(unit, offsets);
                continue;
            }
            self.lone();
            // Up to the next byte that may begin a surrogate.
            let found = rest.iter().skip(1).position(|&byte| byte == 0xED);
            let (now, later) = rest.split_at(found.map_or(rest.len(), |at| at + 1));
            self.buffer.extend_from_slice(now);
            rest = later;
        }
        Ok(())
    }

    /// Processes a surrogate.
    fn surrogate(&mut self, unit: u16, offsets: &mut Offsets) {
        let is_high = unit < 0xDC00;
        match self.high.take() {
            Some(high) if !is_high => {
                offsets.join_at(self.buffer.len() as u64);
                let pair = char::decode_utf16([high, unit]).next();
                let character = pair.and_then(Result::ok).unwrap_or('\u{FFFD}');
                let mut utf8 = [0; 4];
                self.buffer
                    .extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
            }
            Some(_) => {
                self.replace();
                self.high = Some(unit);
            }
            None if is_high => self.high = Some(unit),
            None => self.replace(),
        }
    }

    /// Replaces a waiting high surrogate, which is not followed by a low one.
    fn lone(&mut self) {
        if self.high.take().is_some() {
            self.replace();
        }
    }

    fn replace(&mut self) {
        self.buffer.extend_from_slice("\u{FFFD}".as_bytes());
    }
}

/// Copies the bytes of an object that may change while it is read.
fn to_vec(chunk: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(array) = chunk.cast::<PyByteArray>() {
        return Ok(array.to_vec());
    }
    let bytes = chunk.call_method0(intern!(chunk.py(), "tobytes"))?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
}

#[cold]
fn wrong_type(chunk: &Bound<'_, PyAny>) -> PyErr {
    let found = chunk.get_type().name();
    let found = found.map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "expected str, bytes, bytearray or memoryview, found {found}"
    ))
}
