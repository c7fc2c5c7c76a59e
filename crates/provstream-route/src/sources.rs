//! Lists of sources in JSON files and in settings.

use core::error::Error;
use core::fmt;
use std::collections::BTreeMap;

use provstream::provenance::{Class, Timestamp, Vocabulary};
use provstream::{Source, Sources};
use serde::Deserialize;

/// List of the sources that a model was given, from a file.
#[derive(Debug, Default)]
pub struct SourceList {
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

/// Object with a list. A misspelled `complete` must not make an incomplete list a complete one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceObject {
    sources: Vec<Listed>,
    #[serde(default = "complete")]
    complete: bool,
}

const fn complete() -> bool {
    true
}

/// Error in a file of sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceListError(Box<str>);

impl fmt::Display for SourceListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SourceListError {}

impl SourceList {
    /// Reads a JSON file: an array of objects with an `id`, and optionally a `class` of the vocabulary, `ts`, `title` and
    /// `url`; or an object with such an array `sources`, and with `"complete": false` if the list may lack sources.
    ///
    /// # Errors
    ///
    /// Fails if the file is not JSON or something else, if an identifier is empty, or if a class or a time is not valid.
    pub fn from_json(file: &[u8], vocabulary: &Vocabulary) -> Result<Self, SourceListError> {
        let read = match file.trim_ascii_start().first() {
            Some(b'{') => serde_json::from_slice(file)
                .map(|SourceObject { sources, complete }| (sources, complete)),
            _ => serde_json::from_slice(file).map(|sources: Vec<Listed>| (sources, true)),
        };
        let (sources, is_complete) = read.map_err(|error| {
            let message = format!(
                "expected an array of sources such as [{{\"id\": \"1\"}}], or an object with it in \"sources\": {error}"
            );
            SourceListError(message.into())
        })?;
        let checked = sources.into_iter().map(|source| {
            let class = class(&source, vocabulary)?;
            Ok((source.id.clone(), (source, class)))
        });
        Ok(Self {
            sources: checked.collect::<Result<_, _>>()?,
            is_complete,
        })
    }

    /// Creates a complete list of sources that have only identifiers.
    pub(crate) fn of_ids<'a>(ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut list = Self::default().with_complete(true);
        for id in ids {
            list.add(id, None, None, None);
        }
        list
    }

    /// Iterates over the sources, sorted by identifier.
    pub fn iter(&self) -> impl Iterator<Item = Source<'_>> {
        self.sources.values().map(source)
    }

    pub(crate) const fn with_complete(mut self, is_complete: bool) -> Self {
        self.is_complete = is_complete;
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.sources.len()
    }

    /// Removes the sources for whose identifiers `keeps` returns `false`.
    pub(crate) fn retain(&mut self, keeps: impl Fn(&str) -> bool) {
        self.sources.retain(|id, _| keeps(id));
    }

    /// Adds a source. Of one that the list has, only a missing title or address is added.
    pub(crate) fn add(
        &mut self,
        id: &str,
        class: Option<&Class>,
        title: Option<&str>,
        url: Option<&str>,
    ) {
        let (listed, _) = self.sources.entry(id.into()).or_insert_with(|| {
            let listed = Listed {
                id: id.into(),
                class: None,
                title: None,
                url: None,
                ts: None,
            };
            (listed, class.cloned())
        });
        listed.title = listed.title.take().or(title.map(Into::into));
        listed.url = listed.url.take().or(url.map(Into::into));
    }
}

/// Checks the identifier, the class and the time of a source; gives the class.
fn class(source: &Listed, vocabulary: &Vocabulary) -> Result<Option<Class>, SourceListError> {
    let id = &source.id;
    let error = |message: String| Err(SourceListError(message.into()));
    if id.is_empty() {
        return error("expected an \"id\" of a source, found an empty one".to_owned());
    }
    if let Some(ts) = &source.ts
        && ts.parse::<Timestamp>().is_err()
    {
        return error(format!(
            "source `{id}`: expected a time such as 2026-05-28T11:40:00Z in \"ts\", found `{ts}`"
        ));
    }
    let Some(name) = &source.class else {
        return Ok(None);
    };
    let class = vocabulary.class(name).filter(|class| !class.is_terminal());
    match class {
        Some(class) => Ok(Some(class)),
        None => error(format!(
            "source `{id}`: expected a class of the vocabulary that is not a terminal, found `{name}`"
        )),
    }
}

impl Sources for SourceList {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        self.sources.get(id).map(source)
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}

fn source((listed, class): &(Listed, Option<Class>)) -> Source<'_> {
    let mut source = Source::new(&listed.id);
    source.class = class.as_ref();
    source.title = listed.title.as_deref();
    source.url = listed.url.as_deref();
    source.ts = listed.ts.as_deref();
    source
}
