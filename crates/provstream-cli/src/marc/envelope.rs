//! The envelope of `provstream marc carry --into`.

use std::path::Path;

use provstream_marc::carry::{Carrier, CarryErrorKind};
use provstream_marc::{Document, MarcKind};

use super::elsewhere::first_repeated;
use super::json_object;
use super::objects::lines_before;
use crate::failure::Failure;
use crate::settings;

/// What objects are put into: an empty object unless a file has one.
#[derive(Debug, Default)]
pub(crate) struct Envelope {
    document: Document,
    /// The file that it is from.
    name: String,
}

impl Envelope {
    /// Loads an envelope that a carrier can put objects into.
    pub(crate) fn load(path: &Path, carrier: &Carrier) -> Result<Self, Failure> {
        Ok(Self {
            document: settings::load("--envelope", path, |file| read(file, carrier))?,
            name: path.display().to_string(),
        })
    }

    /// The envelope with an object, which is not to replace another one.
    pub(crate) fn with(
        &self,
        carrier: &Carrier,
        kind: MarcKind,
        object: &Document,
    ) -> Result<Document, String> {
        let name = &self.name;
        if !matches!(carrier.take(&self.document, kind), Ok(None)) {
            let pointer = carrier.pointer(kind);
            return Err(format!(
                "{name}: expected no object at {pointer}, found one; remove it from the envelope"
            ));
        }
        let mut envelope = self.document.clone();
        carrier
            .put(&mut envelope, kind, object)
            .map_err(|error| error.to_string())?;
        Ok(envelope)
    }
}

fn read(file: &[u8], carrier: &Carrier) -> Result<Document, String> {
    let document = json_object::of_file(file)?;
    let text = json_object::text_of(file)?;
    let line = |pointer: &str| 1 + lines_before(text, pointer);
    if let Some(pointer) = first_repeated(&document.to_json()) {
        let line = line(&pointer);
        return Err(format!(
            "line {line}: expected one member {pointer}, found several"
        ));
    }
    let (mut envelope, nothing) = (document.clone(), Document::new());
    let Err(error) = carrier.put(&mut envelope, MarcKind::Core, &nothing) else {
        return Ok(document);
    };
    let (expected, pointer) = match error.kind() {
        CarryErrorKind::NotAnObject(pointer) => ("an object", pointer),
        CarryErrorKind::NotAnArray(pointer) => ("an array", pointer),
        _ => return Err(error.to_string()),
    };
    // Only members of the root can be wrong.
    let found = document.get(pointer.trim_start_matches('/'));
    let found = json_object::found(found.unwrap_or_default().as_bytes());
    let line = line(pointer);
    Err(format!(
        "line {line}: expected {expected} as {pointer}, found {found}"
    ))
}
