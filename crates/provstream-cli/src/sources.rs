//! Lists of sources in JSON files.

use std::collections::BTreeMap;

use provstream::provenance::{Class, Timestamp, Vocabulary};
use provstream::{Source, Sources};
use serde::Deserialize;

/// A list of sources.
#[derive(Debug)]
pub(crate) struct SourceList {
    sources: BTreeMap<Box<str>, (Listed, Option<Class>)>,
    is_complete: bool,
}

#[derive(Debug, Deserialize)]
struct Listed {
    id: Box<str>,
    class: Option<Box<str>>,
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
pub(crate) fn read(file: &[u8], vocabulary: &Vocabulary) -> Result<SourceList, String> {
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
    let checked = sources.into_iter().map(|source| {
        let class = class(&source, vocabulary)?;
        Ok((source.id.clone(), (source, class)))
    });
    Ok(SourceList {
        sources: checked.collect::<Result<_, String>>()?,
        is_complete,
    })
}

/// Checks the class and the time of a source; gives the class.
fn class(source: &Listed, vocabulary: &Vocabulary) -> Result<Option<Class>, String> {
    let id = &source.id;
    if let Some(ts) = &source.ts
        && ts.parse::<Timestamp>().is_err()
    {
        return Err(format!(
            "source `{id}`: expected a time such as 2026-05-28T11:40:00Z in \"ts\", found `{ts}`"
        ));
    }
    let Some(name) = &source.class else {
        return Ok(None);
    };
    let class = vocabulary.class(name).filter(|class| !class.is_terminal());
    match class {
        Some(class) => Ok(Some(class)),
        None => Err(format!(
            "source `{id}`: expected a class of the vocabulary that is not a terminal, found `{name}`"
        )),
    }
}

impl Sources for SourceList {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        let (listed, class) = self.sources.get(id)?;
        let mut source = Source::new(&listed.id);
        source.class = class.as_ref();
        source.title = listed.title.as_deref();
        source.url = listed.url.as_deref();
        source.ts = listed.ts.as_deref();
        Some(source)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}
