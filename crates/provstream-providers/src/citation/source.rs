//! Sources of citations.

/// Kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SourceKind {
    /// A page of the web, or a place on a map.
    Web,
    /// A document that was put before the model.
    Document,
    /// A search result that was put before the model.
    SearchResult,
    /// A file at the provider.
    File,
    /// The output of a tool.
    Tool,
    /// An observation that the model annotated.
    Observation,
    /// Some other thing, or one that is described elsewhere: Gemini may refer to chunks of another event.
    Other,
}

/// Unit of a [`Passage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PassageUnit {
    /// Characters of the document, from 0.
    Characters,
    /// Pages, from 1.
    Pages,
    /// Blocks of the content, from 0.
    Blocks,
}

/// The part of a source that is cited, from `start` up to and excluding `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passage {
    unit: PassageUnit,
    start: u64,
    end: u64,
}

impl Passage {
    pub(super) const fn new(unit: PassageUnit, start: u64, end: u64) -> Self {
        Self { unit, start, end }
    }

    /// Returns the unit of the passage's ends.
    #[must_use]
    pub const fn unit(self) -> PassageUnit {
        self.unit
    }

    /// The first one.
    #[must_use]
    pub const fn start(self) -> u64 {
        self.start
    }

    /// The one behind the last, as the provider gives it.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.end
    }
}

/// A cited source, as far as the citation describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedSource {
    kind: SourceKind,
    url: Option<Box<str>>,
    title: Option<Box<str>>,
    id: Option<Box<str>>,
    index: Option<u64>,
    quote: Option<Box<str>>,
    passage: Option<Passage>,
}

impl CitedSource {
    pub(super) const fn new(kind: SourceKind) -> Self {
        Self {
            kind,
            url: None,
            title: None,
            id: None,
            index: None,
            quote: None,
            passage: None,
        }
    }

    pub(super) fn with_url(mut self, url: Option<Box<str>>) -> Self {
        self.url = url;
        self
    }

    pub(super) fn with_title(mut self, title: Option<Box<str>>) -> Self {
        self.title = title;
        self
    }

    pub(super) fn with_id(mut self, id: Option<Box<str>>) -> Self {
        self.id = id;
        self
    }

    pub(super) const fn with_index(mut self, index: Option<u64>) -> Self {
        self.index = index;
        self
    }

    pub(super) fn with_quote(mut self, quote: Option<Box<str>>) -> Self {
        self.quote = quote;
        self
    }

    pub(super) const fn with_passage(mut self, passage: Option<Passage>) -> Self {
        self.passage = passage;
        self
    }

    /// Returns the kind of the source.
    #[must_use]
    pub const fn kind(&self) -> SourceKind {
        self.kind
    }

    /// Returns the address of the source. It comes from the provider and is not validated: check its scheme before
    /// making a link of it.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Its title or file name; of an observation the class.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The provider's identifier of the file, document or tool output; of an observation the observation id.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Its number: of a document or search result in the request (Anthropic), of a chunk in the grounding metadata
    /// (Gemini), or the `index` that OpenAI gives with a file, of which its documentation says that it is that of the file
    /// in the list of files; what it sends are positions in the text.
    #[must_use]
    pub const fn index(&self) -> Option<u64> {
        self.index
    }

    /// The words that are cited.
    #[must_use]
    pub fn quote(&self) -> Option<&str> {
        self.quote.as_deref()
    }

    /// Returns the cited part of the source.
    #[must_use]
    pub const fn passage(&self) -> Option<Passage> {
        self.passage
    }
}
