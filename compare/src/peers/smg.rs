//! The parsers of the gateway smg: of reasoning and of tool calls.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use openai_protocol::common::Tool;
use reasoning_parser::{InklingParser, ParserResult, ReasoningParser};
use serde_json::json;
use tool_parser::{QwenParser, ToolParser};

use crate::adapter::{Adapter, Peer};
use crate::support::prose::payload;

pub(super) const REASONING: Peer = Peer {
    name: "smg reasoning",
    parses: true,
    package: "reasoning-parser",
    what: "`InklingParser`, one of the parsers that read more than one block in a stream: separates text from blocks of \
        reasoning; no span, no assertion, no time, an error beyond 4 MiB of buffered text",
    streams: true,
    open: "<|content_thinking|>",
    close: "<|end_message|>",
    body: super::plain,
    make: || {
        Box::new(Reasoning {
            parser: InklingParser::new(),
            bytes: 0,
        })
    },
};

pub(super) const TOOLS: Peer = Peer {
    name: "smg tools",
    parses: true,
    package: "tool-parser",
    what: "`QwenParser`: reads each call of a tool out of its JSON and passes its arguments on as they arrive; reads one \
        call at a time, so the benchmark calls it again with empty input until it returns no further call; no \
        span, no assertion, no time",
    streams: true,
    open: "<tool_call>\n",
    close: "\n</tool_call>",
    body: super::call,
    make: || {
        let tool = json!({"type": "function", "function": {"name": "cite", "parameters": {}}});
        Box::new(Tools {
            parser: QwenParser::new(),
            tools: vec![serde_json::from_value(tool).expect("a tool")],
            found: 0,
        })
    },
};

struct Reasoning {
    parser: InklingParser,
    bytes: usize,
}

impl Reasoning {
    fn take(&mut self, result: &ParserResult) {
        self.bytes += black_box(result).reasoning_text.len();
    }
}

impl Adapter for Reasoning {
    fn feed(&mut self, chunk: &str) {
        let result = self.parser.parse_reasoning_streaming_incremental(chunk);
        self.take(&result.expect("less than 4 MiB held"));
    }

    fn finish(&mut self) -> usize {
        let result = self.parser.flush();
        self.take(&result.expect("less than 4 MiB held"));
        self.parser.reset();
        std::mem::take(&mut self.bytes) / payload(0).len()
    }
}

struct Tools {
    parser: QwenParser,
    tools: Vec<Tool>,
    found: usize,
}

impl Tools {
    /// Takes a chunk and gives the number of calls that begin with it.
    fn push(&mut self, chunk: &str) -> usize {
        let mut future = pin!(self.parser.parse_incremental(chunk, &self.tools));
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(result) = future.as_mut().poll(&mut context) else {
            unreachable!("it waits for nothing");
        };
        let calls = black_box(result.expect("calls in JSON")).calls;
        calls.iter().filter(|call| call.name.is_some()).count()
    }
}

impl Adapter for Tools {
    fn feed(&mut self, chunk: &str) {
        let mut begun = self.push(chunk);
        while begun > 0 {
            self.found += begun;
            begun = self.push("");
        }
    }

    fn finish(&mut self) -> usize {
        black_box(self.parser.take_unstreamed_normal_text());
        self.parser.reset();
        std::mem::take(&mut self.found)
    }
}
