//! What reads the documents. Only provstream gives records; the others do the least that they offer.

use std::hint::black_box;

use actson::feeder::PushJsonFeeder;
use actson::options::JsonParserOptionsBuilder;
use actson::{JsonEvent, JsonParser};
use jiter::Jiter;
use provstream::{Event, Parser};
use serde::de::IgnoredAny;
use stream_rs::incremental_json::JsonSplitter;

use crate::adapter::Adapter;
use crate::document::{Document, Layout};
use crate::support::read::look;

/// A parser of JSON.
pub(crate) struct JsonPeer {
    /// What it is called in the tables.
    pub(crate) name: &'static str,
    /// The crate.
    pub(crate) package: &'static str,
    /// What it does here, and what it does not do.
    pub(crate) what: &'static str,
    /// Whether it needs the whole document at once.
    pub(crate) whole: bool,
    /// What it finds in a document.
    pub(crate) expected: fn(&Document) -> usize,
    /// Makes one for this document.
    pub(crate) make: fn(&Document) -> Box<dyn Adapter>,
}

impl JsonPeer {
    /// The chunks in which it reads a document, where others read chunks of `size` bytes.
    pub(crate) fn chunk(&self, document: &Document, size: usize) -> usize {
        if self.whole {
            document.bytes.len()
        } else {
            size
        }
    }
}

/// How many values a document is.
fn values(document: &Document) -> usize {
    match document.layout {
        Layout::Compact | Layout::Pretty => 1,
        Layout::Lines => document.objects,
    }
}

/// The parser that all others are compared with.
pub(crate) const OWN: JsonPeer = JsonPeer {
    name: "provstream",
    package: "provstream",
    what: "modes `json` and `ndjson`: every assertion with its annotations, text and times looked at",
    whole: false,
    expected: |document| document.objects,
    make: |document| {
        Box::new(Own {
            parser: document.parser(),
            found: 0,
        })
    },
};

/// What one would take instead.
pub(crate) const JSON_PEERS: [JsonPeer; 5] = [
    JsonPeer {
        name: "jiter",
        package: "jiter",
        what: "skips each value; reports nothing",
        whole: true,
        expected: values,
        make: |_| {
            Box::new(Whole {
                read: jiter,
                found: 0,
            })
        },
    },
    JsonPeer {
        name: "serde_json",
        package: "serde_json",
        what: "reads each value into `IgnoredAny`; reports nothing",
        whole: true,
        expected: values,
        make: |_| {
            Box::new(Whole {
                read: serde_json,
                found: 0,
            })
        },
    },
    JsonPeer {
        name: "sonic-rs",
        package: "sonic-rs",
        what: "reads each value into `IgnoredAny`, with SIMD and unsafe code; reports nothing",
        whole: true,
        expected: values,
        make: |_| {
            Box::new(Whole {
                read: sonic_rs,
                found: 0,
            })
        },
    },
    JsonPeer {
        name: "actson",
        package: "actson",
        what: "the push parser; every event, no name or value asked for",
        whole: false,
        // The object, and the one in it.
        expected: |document| 2 * document.objects,
        make: |_| Box::new(Actson::new()),
    },
    JsonPeer {
        name: "stream-rs",
        package: "stream-rs",
        what: "`JsonSplitter`: finds where each outermost value ends, by brackets, and copies the value to a string; a whole array is a single value",
        whole: false,
        expected: values,
        make: |_| Box::new(Splitter::default()),
    },
];

struct Own {
    parser: Parser,
    found: usize,
}

impl Adapter for Own {
    #[inline]
    fn feed(&mut self, chunk: &str) {
        self.parser.push(chunk.as_bytes(), |event: Event<'_>| {
            self.found += look(event)
        });
    }

    fn finish(&mut self) -> usize {
        self.parser
            .finish(|event: Event<'_>| self.found += look(event));
        self.parser.reset();
        std::mem::take(&mut self.found)
    }
}

/// A parser that takes one chunk: the document.
struct Whole {
    read: fn(&str) -> usize,
    found: usize,
}

impl Adapter for Whole {
    fn feed(&mut self, chunk: &str) {
        self.found += (self.read)(chunk);
    }

    fn finish(&mut self) -> usize {
        std::mem::take(&mut self.found)
    }
}

fn jiter(document: &str) -> usize {
    let mut jiter = Jiter::new(document.as_bytes());
    let mut values = 0;
    let end = document.trim_ascii_end().len();
    while jiter.current_index() < end {
        jiter.next_skip().expect("JSON");
        values += 1;
    }
    jiter.finish().expect("nothing behind the values");
    values
}

fn serde_json(document: &str) -> usize {
    let values =
        serde_json::Deserializer::from_slice(document.as_bytes()).into_iter::<IgnoredAny>();
    values.fold(0, |count, value| {
        value.expect("JSON");
        count + 1
    })
}

fn sonic_rs(document: &str) -> usize {
    let values =
        sonic_rs::Deserializer::from_slice(document.as_bytes()).into_stream::<IgnoredAny>();
    // Its stream of values ends with an error, also behind the last value.
    values.map_while(Result::ok).count()
}

/// The push parser of actson, which keeps its memory from one document to the next.
struct Actson {
    parser: JsonParser<PushJsonFeeder>,
    objects: usize,
}

impl Actson {
    /// A parser that also takes several values one after another.
    fn new() -> Self {
        let options = JsonParserOptionsBuilder::default()
            .with_streaming(true)
            .build();
        Self {
            parser: JsonParser::new_with_options(PushJsonFeeder::new(), options),
            objects: 0,
        }
    }

    /// Takes what the parser has to say until it asks for more.
    fn drain(&mut self) {
        while let Some(event) = self.parser.next_event().expect("JSON") {
            match black_box(event) {
                JsonEvent::NeedMoreInput => break,
                JsonEvent::EndObject => self.objects += 1,
                _ => {}
            }
        }
    }
}

impl Adapter for Actson {
    fn feed(&mut self, chunk: &str) {
        let mut rest = chunk.as_bytes();
        while !rest.is_empty() {
            let taken = self.parser.feeder.push_bytes(rest);
            rest = &rest[taken..];
            self.drain();
        }
    }

    fn finish(&mut self) -> usize {
        self.parser.feeder.done();
        self.drain();
        self.parser.reset_fully();
        std::mem::take(&mut self.objects)
    }
}

#[derive(Default)]
struct Splitter {
    splitter: JsonSplitter,
    values: Vec<String>,
    found: usize,
}

impl Splitter {
    fn take(&mut self) {
        self.found += black_box(&self.values).len();
        self.values.clear();
    }
}

impl Adapter for Splitter {
    fn feed(&mut self, chunk: &str) {
        self.splitter.feed(chunk.as_bytes(), &mut self.values);
        self.take();
    }

    fn finish(&mut self) -> usize {
        self.splitter
            .finish(&mut self.values)
            .expect("whole values");
        self.take();
        std::mem::take(&mut self.found)
    }
}
