//! A response whose model cites with markers, which provstream removes or writes anew.

use std::sync::{Arc, OnceLock};

use provstream::render::{MarkerRenderer, Markup, Template, Unlisted};
use provstream::{
    Dialects, Handler, Marker, Parser, Replacement, Rewriter, Source, Sources, TextChunk,
};
use provstream_providers::{ChannelPosition, ChannelRenderer, StreamHandler, StreamRewriter};
use serde_json::{Value, json};
use testkit::reference::dialects::{Dialects as Reference, Known, With, read};
use testkit::reference::{Reading, RefLimits, Segment};
use testkit::sentence;
use testkit::wire::generate::Random;

use crate::api::Api;
use crate::event::Event;
use crate::inject::{Insertion, inject};

/// Dialects of the markers.
const DIALECTS: [&str; 2] = ["numeric", "openai-file"];

/// Markers of these dialects, with sources that the list has and with ones that it does not have.
const MARKERS: Insertion = Insertion {
    texts: &[
        "[1]",
        " [1]",
        " [2]",
        "[1][2]",
        " [3, 1]",
        "【2】",
        " [^1]",
        " [7]",
        "[[1]](https://a.example/1)",
        "【4:0†source】",
        " 【4:1†a.pdf】",
    ],
    strip: stripped,
};

/// Sources that the list has, with their addresses.
const LISTED: [(&str, Option<&str>); 4] = [
    ("1", Some("https://a.example/1")),
    ("2", Some("https://b.example/ü?q=\"2\"&r=(s)")),
    ("3", None),
    ("4:0", Some("https://c.example/4")),
];

/// List of the sources that the model had.
#[derive(Clone, Copy, Debug)]
struct List;

impl Sources for List {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        let (id, url) = LISTED.iter().find(|(listed, _)| *listed == id)?;
        let mut source = Source::new(id);
        source.url = *url;
        Some(source)
    }

    fn is_complete(&self) -> bool {
        true
    }
}

/// Response with markers.
pub(crate) struct CitingResponse {
    body: Vec<u8>,
    /// Each text as the naive reference leaves it.
    uncited: Vec<String>,
    /// Each text with links in the place of markers.
    rendered: Vec<String>,
    /// The response before had no markers, so that it is the same once they are removed.
    was_uncited: bool,
}

impl CitingResponse {
    /// Puts markers into the texts of a response, and into what repeats and counts them.
    pub(crate) fn new(api: &Api, events: &[Event], seed: u64, envelope: Random) -> Self {
        let (events, texts) = inject(api, events, MARKERS, &mut Random::new(seed ^ 0xC17E));
        let mut uncited: Vec<String> = texts.values().map(|text| stripped(&text.text)).collect();
        let mut rendered: Vec<String> = texts.values().map(|text| rendered(&text.text)).collect();
        uncited.retain(|text| !text.is_empty());
        rendered.retain(|text| !text.is_empty());
        Self {
            body: api.write_events(&events, envelope),
            uncited,
            rendered,
            was_uncited: texts
                .values()
                .all(|text| stripped(&text.clean) == text.clean),
        }
    }

    /// Removes the markers, or writes links in their place. Gets a rewriter for the response, and the size of its pieces.
    pub(crate) fn rewritten(
        &self,
        mut rewriter: StreamRewriter,
        size: usize,
        renders: bool,
    ) -> Vec<u8> {
        let mut written = RewrittenResponse {
            out: Vec::new(),
            renderer: renders.then(|| ChannelRenderer::new(renderer())),
        };
        for chunk in self.body.chunks(size) {
            rewriter.push(chunk, &mut written);
        }
        rewriter.finish(&mut written);
        assert!(rewriter.report().is_complete(), "{:?}", rewriter.report());
        written.out
    }

    /// Returns what clients need to know of it.
    pub(crate) fn to_json(&self) -> Value {
        json!({"uncited": self.uncited, "rendered": self.rendered, "was_uncited": self.was_uncited})
    }
}

/// Creates a parser with the dialects and the list.
pub(crate) fn parser() -> Parser {
    static COMPILED: OnceLock<Dialects> = OnceLock::new();
    let dialects = COMPILED.get_or_init(|| Dialects::built_in(DIALECTS).expect("built-in"));
    let sources = Arc::new(List);
    Parser::builder()
        .dialects(dialects.clone())
        .sources(sources)
        .build()
}

fn renderer() -> MarkerRenderer {
    let template = Template::new("[{n}]({url})", Markup::Markdown).expect("a template");
    MarkerRenderer::new(template, Arc::new(List)).with_unlisted(Unlisted::Mark)
}

/// A text without markers, by the naive reference.
fn stripped(text: &str) -> String {
    thread_local! {
        static COMPILED: Reference = Reference::built_in(&DIALECTS);
    }
    let input = [Segment {
        own: true,
        bytes: text.as_bytes().to_vec(),
        after_break: false,
    }];
    let known = Known::Complete(LISTED.map(|(id, _)| id.to_owned()).into());
    let limits = RefLimits::default();
    let read = COMPILED.with(|dialects| {
        let with = With {
            dialects,
            known: &known,
        };
        read(Reading::TEXT, &input, &limits, with, &sentence::starts)
    });
    String::from_utf8(read.clean).expect("UTF-8")
}

/// A whole text with links in the place of markers.
fn rendered(text: &str) -> String {
    let mut links = Links {
        out: Vec::new(),
        renderer: renderer(),
    };
    let mut rewriter = Rewriter::new(parser());
    rewriter.push(text.as_bytes(), &mut links);
    rewriter.finish(&mut links);
    String::from_utf8(links.out).expect("UTF-8")
}

/// Text with links.
struct Links {
    out: Vec<u8>,
    renderer: MarkerRenderer,
}

impl Handler for Links {
    fn text(&mut self, text: TextChunk<'_>) {
        self.out.extend_from_slice(text.bytes());
    }

    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        self.renderer.render(marker)
    }
}

/// Response that is written anew, with links if there is a renderer.
struct RewrittenResponse {
    out: Vec<u8>,
    renderer: Option<ChannelRenderer>,
}

impl Handler for RewrittenResponse {
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        match &mut self.renderer {
            Some(renderer) => renderer.render(marker),
            None => Replacement::Remove,
        }
    }
}

impl StreamHandler for RewrittenResponse {
    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        if let Some(renderer) = &mut self.renderer {
            renderer.channel(position);
        }
    }
}
