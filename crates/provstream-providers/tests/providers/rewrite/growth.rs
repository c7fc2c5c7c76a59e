//! The time is linear in the size of an event.

use provstream::Parser;
use provstream_providers::{Format, StreamRewriter};

use super::strip;

/// Time for stripping a stream that many times: the least of several measurements.
fn time(format: Format, stream: &str, times: usize) -> std::time::Duration {
    let rewriter = StreamRewriter::new(format, Parser::new());
    let run = || {
        let start = std::time::Instant::now();
        for _ in 0..times {
            strip(&rewriter, stream.as_bytes(), usize::MAX);
        }
        start.elapsed()
    };
    (0..5).map(|_| run()).min().expect("a time")
}

#[test]
fn the_time_is_linear_in_the_size_of_an_event() {
    let parts = |count: usize| {
        let parts = vec![r#"{"text":"x [a"}"#; count].join(",");
        format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{parts}]}}}}]}}\n")
    };
    let choices = |count: usize| {
        let choices = vec![r#"{"delta":{"content":"["},"finish_reason":"s"}"#; count / 4].join(",");
        format!("{{\"choices\":[{choices}]}}\n")
    };
    // Many lines of data, each with a string that changes.
    let lines = |count: usize| {
        let parts = vec![r#"{"text":"x "}"#; count / 4].join(",\ndata:");
        format!("data:{{\"candidates\":[{{\"content\":{{\"parts\":[{parts}]}}}}]}}\n\n")
    };
    for (format, small, large) in [
        (Format::Gemini, parts(4_000), parts(32_000)),
        (Format::OpenAiChat, choices(4_000), choices(32_000)),
        (Format::Gemini, lines(4_000), lines(32_000)),
    ] {
        assert!(large.len() < 1 << 20);
        // As much on both sides, so that whatever else the machine does meets both.
        let (small, large) = (time(format, &small, 8), time(format, &large, 1));
        assert!(large < 3 * small, "{format}: {small:?} and {large:?}");
    }
}
