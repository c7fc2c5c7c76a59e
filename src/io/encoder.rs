//! Annotations into a framed transport.

use std::fmt::Write;
use std::io;

use bytes::{Bytes, BytesMut};
use tokio_util::codec::Encoder;

use crate::provenance::{Annotation, BracketedForm};

/// An encoder of text and annotations, for `tokio_util::codec::FramedWrite`.
///
/// An annotation is written in brackets, at most 1,024 bytes long, with nothing around it; text is written as it is. What
/// of the text is untrusted should be [escaped](crate::provenance::escape).
///
/// One that would not read back gives an error of kind `InvalidInput`, whose inner error is the
/// [`WriteError`](crate::provenance::WriteError); nothing of it is written, and the next item can be.
///
/// ```
/// use bytes::{Bytes, BytesMut};
/// use provstream::io::AnnotationEncoder;
/// use provstream::provenance::{Annotation, Class};
/// use tokio_util::codec::Encoder;
///
/// let mut encoder = AnnotationEncoder::new();
/// let mut out = BytesMut::new();
/// encoder.encode(Bytes::from("It is so. "), &mut out)?;
/// encoder.encode(&Annotation::new(Class::GREP, "substrate.grep"), &mut out)?;
/// assert_eq!(&out[..], b"It is so. [substrate.grep]");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AnnotationEncoder {
    _private: (),
}

impl AnnotationEncoder {
    /// An encoder.
    #[must_use]
    pub const fn new() -> Self {
        Self { _private: () }
    }
}

impl Encoder<&Annotation<'_>> for AnnotationEncoder {
    type Error = io::Error;

    fn encode(&mut self, annotation: &Annotation<'_>, out: &mut BytesMut) -> io::Result<()> {
        let refused = |error| io::Error::new(io::ErrorKind::InvalidInput, error);
        let form = BracketedForm::new(annotation).map_err(refused)?;
        out.reserve(form.byte_length());
        write!(out, "{form}").map_err(io::Error::other)
    }
}

impl Encoder<Annotation<'_>> for AnnotationEncoder {
    type Error = io::Error;

    fn encode(&mut self, annotation: Annotation<'_>, out: &mut BytesMut) -> io::Result<()> {
        self.encode(&annotation, out)
    }
}

impl Encoder<Bytes> for AnnotationEncoder {
    type Error = io::Error;

    fn encode(&mut self, text: Bytes, out: &mut BytesMut) -> io::Result<()> {
        out.extend_from_slice(&text);
        Ok(())
    }
}
