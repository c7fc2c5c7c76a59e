//! Sources of one answer: those of its request, and those that the response brings.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use memchr::memmem;
use provstream::{Dialects, Source, Sources};
use serde_json::Value;

use crate::labels::{LabelReader, MAX_IDS};
use crate::source_classes::SourceClasses;
use crate::sources::SourceList;

/// Most lists that an answer may learn from its response; each event that brings sources has one.
const MAX_LISTS: usize = 64;

/// Sources of one answer. The list learns those that the response brings, so that later text is compared with them. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerSources {
    shared: Arc<SharedSources>,
    /// Version that is read; `None`: the present one.
    as_of: Option<usize>,
}

#[derive(Debug, Default)]
struct SharedSources {
    request: Option<SourceList>,
    learned: OnceLock<Box<LearnedList>>,
    /// Number of changes so far.
    version: AtomicUsize,
    /// Version from which on the response has shown that the server brings sources that the request does not have; 0 if it has not.
    opened: AtomicUsize,
}

/// Sources of one event of a response, and those of later events. What [`Sources::find`] returns is borrowed, so lists are only added.
#[derive(Debug)]
struct LearnedList {
    list: SourceList,
    /// Version that the list begins with.
    version: usize,
    next: OnceLock<Box<Self>>,
}

impl SharedSources {
    fn change(&self) -> usize {
        self.version.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl AnswerSources {
    /// Creates the sources of an answer, with those of its request.
    pub(crate) fn new(request: Option<SourceList>) -> Self {
        let shared = SharedSources {
            request,
            ..SharedSources::default()
        };
        Self {
            shared: Arc::new(shared),
            as_of: None,
        }
    }

    /// Makes the list incomplete: the server has brought sources of its own.
    fn open(&self) {
        let opened = &self.shared.opened;
        if opened.load(Ordering::Relaxed) == 0 {
            opened.store(self.shared.change(), Ordering::Relaxed);
        }
    }

    /// Adds the sources that are not known yet.
    fn learn(&self, mut list: SourceList) {
        list.retain(|id| self.find(id).is_none());
        if list.len() == 0 {
            return;
        }
        self.open();
        let learned: usize = self.learned().map(SourceList::len).sum();
        if learned + list.len() > MAX_IDS {
            return;
        }
        let mut last = &self.shared.learned;
        for _ in 0..MAX_LISTS {
            match last.get() {
                Some(learned) => last = &learned.next,
                None => {
                    let learned = LearnedList {
                        list,
                        version: self.shared.change(),
                        next: OnceLock::new(),
                    };
                    let _ = last.set(Box::new(learned));
                    return;
                }
            }
        }
    }

    /// Returns `true` if a version is one that is read.
    fn has(&self, version: usize) -> bool {
        self.as_of.is_none_or(|as_of| version <= as_of)
    }

    fn learned(&self) -> impl Iterator<Item = &SourceList> {
        let first = self.shared.learned.get();
        let lists = core::iter::successors(first, |learned| learned.next.get());
        let lists = lists.take_while(|learned| self.has(learned.version));
        lists.map(|learned| &learned.list)
    }
}

impl Sources for AnswerSources {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        let mut lists = self.shared.request.iter().chain(self.learned());
        lists.find_map(|list| list.find(id))
    }

    fn is_complete(&self) -> bool {
        let opened = self.shared.opened.load(Ordering::Relaxed);
        let is_open = opened != 0 && self.has(opened);
        let request = self.shared.request.as_ref();
        !is_open && request.is_some_and(Sources::is_complete)
    }

    fn is_absent(&self) -> bool {
        self.shared.request.is_none() && self.learned().next().is_none()
    }

    fn version(&self) -> usize {
        let version = self.shared.version.load(Ordering::Relaxed);
        self.as_of.unwrap_or(version)
    }

    fn as_of(&self, version: usize) -> Option<Arc<dyn Sources>> {
        let as_of = Some(version);
        let shared = Arc::clone(&self.shared);
        Some(Arc::new(Self { shared, as_of }))
    }
}

/// Names that are in each event with sources. Most events have none of them, and are not parsed.
const HINTS: [&[u8]; 5] = [
    b"_call\"",
    b"_result\"",
    b"itation",
    b"groundingChunks\"",
    b"search_results\"",
];

/// Reads the sources that a response brings.
///
/// Read are results of tools that the server calls, and the citations that it adds to the text, never text of the model: it could
/// invent a source. A list that gets sources so is incomplete.
#[derive(Debug)]
pub struct ResponseSourceReader {
    labels: LabelReader,
    classes: SourceClasses,
    sources: Arc<AnswerSources>,
}

impl ResponseSourceReader {
    pub(crate) fn new(
        dialects: &Dialects,
        classes: &SourceClasses,
        sources: &Arc<AnswerSources>,
    ) -> Self {
        let mut labels = LabelReader::new(dialects);
        labels.class = classes.of(None);
        Self {
            labels,
            classes: classes.clone(),
            sources: Arc::clone(sources),
        }
    }

    /// Creates the reader of the response to a request, for programs that send requests without a route.
    #[must_use]
    pub fn of_request(body: &[u8], dialects: &Dialects) -> Self {
        let request = crate::request_sources(body, dialects);
        let sources = Arc::new(AnswerSources::new(request));
        Self::new(dialects, &SourceClasses::default(), &sources)
    }

    /// Returns the sources of the answer: those of its request, and those that the response has brought so far.
    #[must_use]
    pub fn sources(&self) -> Arc<dyn Sources> {
        Arc::<AnswerSources>::clone(&self.sources)
    }

    /// Reads the sources in the JSON of an event, or of a whole response.
    pub fn event(&mut self, data: &[u8]) {
        let may_have = |hint: &&[u8]| memmem::find(data, hint).is_some();
        if !HINTS.iter().any(may_have) {
            return;
        }
        let Ok(event) = serde_json::from_slice::<Value>(data) else {
            return;
        };
        self.responses(&event);
        self.anthropic(&event);
        self.cohere(&event);
        self.gemini(&event);
        self.chat(&event);
        let list = self.labels.take();
        self.sources.learn(list);
    }

    /// Reads items and annotations of OpenAI's Responses.
    fn responses(&mut self, event: &Value) {
        let whole = items(&event["output"]).chain(items(&event["response"]["output"]));
        for item in whole.chain([&event["item"]]) {
            self.tool(item, "_call");
            for part in items(&item["content"]) {
                self.citations(&part["annotations"]);
            }
        }
        self.citations(&event["part"]["annotations"]);
        self.citation(&event["annotation"]);
    }

    /// Reads content blocks of Anthropic's messages.
    fn anthropic(&mut self, event: &Value) {
        let blocks = items(&event["content"]).chain(items(&event["message"]["content"]));
        for block in blocks.chain([&event["content_block"]]) {
            self.tool(block, "_tool_result");
            self.citations(&block["citations"]);
        }
        self.citation(&event["delta"]["citation"]);
    }

    fn cohere(&mut self, event: &Value) {
        for message in [&event["message"], &event["delta"]["message"]] {
            let citations = &message["citations"];
            let one = citations.is_object().then_some(citations);
            for citation in items(citations).chain(one) {
                for source in items(&citation["sources"]) {
                    let document = &source["document"];
                    self.add(&source["id"], &document["title"], &document["url"]);
                }
            }
        }
    }

    fn gemini(&mut self, event: &Value) {
        for candidate in items(&event["candidates"]) {
            for chunk in items(&candidate["groundingMetadata"]["groundingChunks"]) {
                self.begin("google_search");
                self.sources.open();
                for found in chunk
                    .as_object()
                    .into_iter()
                    .flat_map(|chunk| chunk.values())
                {
                    self.add(&found["uri"], &found["title"], &found["uri"]);
                    self.labels.strings(&found["text"], LabelReader::text);
                }
                self.end();
            }
        }
    }

    /// Reads annotations in OpenAI's chat completions, and search results as Perplexity writes them beside.
    fn chat(&mut self, event: &Value) {
        for choice in items(&event["choices"]) {
            for message in [&choice["message"], &choice["delta"]] {
                self.citations(&message["annotations"]);
            }
        }
        self.results("web_search", &event["search_results"]);
        self.results("web_search", &event["citations"]);
    }

    /// Reads the result of a tool that the server has called: an item or block whose type ends so.
    fn tool(&mut self, item: &Value, suffix: &str) {
        let kind = item["type"].as_str().unwrap_or_default();
        let Some(tool) = kind.strip_suffix(suffix) else {
            return;
        };
        // Functions of the client.
        if matches!(kind, "function_call" | "custom_tool_call") {
            return;
        }
        for result in [
            &item["results"],
            &item["output"],
            &item["outputs"],
            &item["content"],
            &item["action"]["sources"],
        ] {
            self.results(tool, result);
        }
    }

    fn results(&mut self, tool: &str, results: &Value) {
        if results.is_null() {
            return;
        }
        self.begin(tool);
        self.sources.open();
        self.labels.strings(results, LabelReader::text);
        for result in items(results).chain([results]) {
            self.source(result);
        }
        self.end();
    }

    fn citations(&mut self, citations: &Value) {
        items(citations).for_each(|one| self.citation(one));
    }

    /// Reads a citation that the server adds to the text.
    fn citation(&mut self, citation: &Value) {
        self.source(citation);
        self.source(&citation["url_citation"]);
        self.source(&citation["file_citation"]);
    }

    /// Adds a source by its file or its address.
    fn source(&mut self, found: &Value) {
        let title = match &found["title"] {
            Value::Null => &found["filename"],
            title => title,
        };
        self.add(&found["file_id"], title, &found["url"]);
        self.add(&found["url"], title, &found["url"]);
    }

    /// Begins the result of a tool, whose sources may have a class.
    fn begin(&mut self, tool: &str) {
        self.labels.class = self.classes.of(Some(tool));
    }

    fn end(&mut self) {
        self.labels.class = self.classes.of(None);
    }

    fn add(&mut self, id: &Value, title: &Value, url: &Value) {
        if let Some(id) = id.as_str().filter(|id| !id.is_empty()) {
            self.labels.add(id, title.as_str(), url.as_str());
        }
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
