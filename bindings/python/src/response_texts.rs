//! Texts of whole responses.

use std::collections::BTreeMap;

use provstream_providers::{Channel, Decoder, Format, Item};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::guard::caught;
use crate::settings::value_error;

/// Text with its name: pieces, between which something other than text comes.
type NamedText = (String, Vec<String>);

/// Returns the texts of a response, and `True` if all text was read. With `message`, they are called by that number.
///
/// # Errors
/// `ValueError` for an unknown format.
#[pyfunction]
#[pyo3(signature = (response, format, message))]
pub(crate) fn response_texts(
    response: &[u8],
    format: Option<&str>,
    message: Option<u32>,
) -> PyResult<(Vec<NamedText>, bool)> {
    let format: Option<Format> = format.map(str::parse).transpose().map_err(value_error)?;
    let mut decoder = format.map_or_else(Decoder::detect, Decoder::new);
    let mut texts: BTreeMap<(Channel, Option<&str>), Vec<String>> = BTreeMap::new();
    let mut take = |item: Item<'_>| match item {
        Item::Text(delta) => {
            let pieces = texts.entry((delta.channel(), delta.member())).or_default();
            match pieces.last_mut() {
                Some(last) => last.push_str(delta.text()),
                None => pieces.push(delta.text().to_owned()),
            }
        }
        Item::Break(channel) => {
            let own = texts.range_mut((channel, None)..);
            for (_, pieces) in own.take_while(|((other, _), _)| *other == channel) {
                pieces.push(String::new());
            }
        }
        _ => {}
    };
    caught(|| {
        decoder.push(response, &mut take);
        decoder.finish(&mut take);
        Ok(())
    })?;
    if decoder.format().is_none() {
        return Err(PyValueError::new_err(
            "expected the response of a provider or messages with \"role\" and \"content\", found an object of another shape",
        ));
    }
    let name = |(channel, member): (Channel, Option<&str>)| {
        let channel = match (message, channel.part()) {
            (Some(message), Some(part)) => Channel::with_part(message, part),
            (Some(message), None) => Channel::new(message),
            (None, _) => channel,
        };
        member.map_or_else(
            || channel.to_string(),
            |member| format!("{channel} {member}"),
        )
    };
    let texts = texts.into_iter().map(|(id, pieces)| (name(id), pieces));
    Ok((texts.collect(), decoder.report().is_complete()))
}
