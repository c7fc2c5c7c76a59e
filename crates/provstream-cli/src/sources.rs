//! Lists of sources in JSON files.

use std::collections::BTreeMap;

use provstream::{Source, Sources};
use serde::Deserialize;

/// A list of sources.
#[derive(Debug)]
pub(crate) struct SourceList {
    sources: BTreeMap<Box<str>, Listed>,
    is_complete: bool,
}

#[derive(Debug, Deserialize)]
struct Listed {
    id: Box<str>,
    title: Option<Box<str>>,
    url: Option<Box<str>>,
    ts: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Sources(Vec<Listed>),
    Object {
        sources: Vec<Listed>,
        #[serde(default = "complete")]
        complete: bool,
    },
}

const fn complete() -> bool {
    true
}

/// Reads a list: an array of objects with an `id`, or an object with such an array.
pub(crate) fn read(file: &[u8]) -> Result<SourceList, String> {
    let (sources, is_complete) = match serde_json::from_slice(file) {
        Ok(File::Sources(sources)) => (sources, true),
        Ok(File::Object { sources, complete }) => (sources, complete),
        Err(_) => {
            let what = match serde_json::from_slice::<serde_json::Value>(file) {
                Err(error) => format!(", found what is not JSON: {error}"),
                Ok(_) => String::new(),
            };
            return Err(format!(
                "expected an array of sources such as [{{\"id\": \"1\"}}], or an object with it in \"sources\"{what}"
            ));
        }
    };
    let sources = sources
        .into_iter()
        .map(|source| (source.id.clone(), source));
    Ok(SourceList {
        sources: sources.collect(),
        is_complete,
    })
}

impl Sources for SourceList {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        let listed = self.sources.get(id)?;
        let mut source = Source::new(&listed.id);
        source.title = listed.title.as_deref();
        source.url = listed.url.as_deref();
        source.ts = listed.ts.as_deref();
        Some(source)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}
