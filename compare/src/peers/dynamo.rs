//! The parsers of dynamo: of reasoning, and of everything that a model says.

use std::hint::black_box;

use dynamo_parsers::{BasicReasoningParser, ParserResult, ReasoningParser};
use dynamo_parsers_v2::{
    UnifiedParser, UnifiedParserEvent, UnifiedParserOutput, create_unified_parser_for_family,
};

use crate::adapter::{Adapter, Peer};
use crate::support::prose::payload;

pub(super) const REASONING: Peer = Peer {
    name: "dynamo reasoning",
    parses: true,
    package: "dynamo-parsers",
    what: "`BasicReasoningParser`: separates text from what is between `<think>` tags; no span, no assertion, no time, \
        not where one block ends and the next begins",
    streams: true,
    open: "<think>",
    close: "</think>",
    body: super::plain,
    make: || {
        Box::new(Reasoning {
            parser: reasoning(),
            bytes: 0,
        })
    },
};

pub(super) const UNIFIED: Peer = Peer {
    name: "dynamo unified",
    parses: true,
    package: "dynamo-parsers-v2",
    what: "the unified parser of family `qwen3`, on the same tags: one ordered stream of events, also of tool calls; no \
        span, no assertion, no time",
    streams: true,
    open: "<think>",
    close: "</think>",
    body: super::plain,
    make: || {
        Box::new(Unified {
            parser: unified(),
            bytes: 0,
        })
    },
};

fn reasoning() -> BasicReasoningParser {
    // Without the latter it misses a tag that is cut behind its first byte.
    BasicReasoningParser::new("<think>".into(), "</think>".into(), false, true)
        .with_single_char_marker_buffering()
}

struct Reasoning {
    parser: BasicReasoningParser,
    bytes: usize,
}

impl Reasoning {
    fn take(&mut self, result: &ParserResult) {
        self.bytes += black_box(result).reasoning_text.len();
    }
}

impl Adapter for Reasoning {
    fn feed(&mut self, chunk: &str) {
        let result = self
            .parser
            .parse_reasoning_streaming_incremental(chunk, &[]);
        self.take(&result);
    }

    fn finish(&mut self) -> usize {
        let result = self.parser.finish_reasoning_stream();
        self.take(&result);
        // It has no way back to the start of a stream.
        self.parser = reasoning();
        std::mem::take(&mut self.bytes) / payload(0).len()
    }
}

fn unified() -> Box<dyn UnifiedParser> {
    create_unified_parser_for_family("qwen3", &[]).expect("a family that there is")
}

struct Unified {
    parser: Box<dyn UnifiedParser>,
    bytes: usize,
}

impl Unified {
    fn take(&mut self, output: &UnifiedParserOutput) {
        for event in black_box(output) {
            if let UnifiedParserEvent::Reasoning(text) = event {
                self.bytes += text.len();
            }
        }
    }
}

impl Adapter for Unified {
    fn feed(&mut self, chunk: &str) {
        let mut output = UnifiedParserOutput::default();
        self.parser
            .parse_into(chunk, &mut output)
            .expect("text in native mode");
        self.take(&output);
    }

    fn finish(&mut self) -> usize {
        let output = self.parser.finish().expect("text in native mode");
        self.take(&output);
        // One instance reads one stream.
        self.parser = unified();
        std::mem::take(&mut self.bytes) / payload(0).len()
    }
}
