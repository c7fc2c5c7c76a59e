//! Errors in forms that are not the format's own.

use provstream::Action;
use provstream::{Handler, Parser};
use provstream_providers::{Format, NoticeCode, StreamGate, StreamHandler, StreamRewriter};
use provstream_providers::{Item, ReadReport};

use crate::shapes::{errors, gated, secretive, stripped};
use testkit::wire::output::any;

/// The errors that a rewriter or a gate reports.
#[derive(Default)]
struct Errors(Vec<String>);

impl Handler for Errors {}

impl StreamHandler for Errors {
    fn item(&mut self, item: Item<'_>) {
        if let Item::Error(message) = item {
            self.0.push(message.into_owned());
        }
    }
}

/// Checks that a decoder, a rewriter and a gate each report this error, and no other.
fn check(format: Format, body: &str, message: &str) {
    let expected = [message.to_owned()];
    assert_eq!(errors(Some(format), body), expected, "{format}: {body:?}");
    for size in [1, usize::MAX] {
        let mut rewriter = StreamRewriter::new(format, Parser::new());
        let mut found = Errors::default();
        for chunk in body.as_bytes().chunks(size) {
            rewriter.push(chunk, any(&mut found));
        }
        rewriter.finish(any(&mut found));
        assert_eq!(found.0, expected, "{format}, stripped: {body:?}");
        let mut gate = StreamGate::new(format, Parser::new(), secretive(&Action::Discard));
        let mut found = Errors::default();
        for chunk in body.as_bytes().chunks(size) {
            gate.push(chunk, any(&mut found));
        }
        gate.finish(any(&mut found));
        assert_eq!(found.0, expected, "{format}, gated: {body:?}");
    }
}

/// A stream and a gate write it as it is.
fn check_bytes(format: Format, body: &str) -> ReadReport {
    assert_eq!(stripped(Some(format), body).0, body, "{format}");
    let (out, report) = gated(Some(format), &Action::Discard, body);
    assert_eq!(out, body, "{format}");
    report
}

#[test]
fn an_event_with_the_name_error_is_one_without_data_too() {
    for format in Format::ALL {
        for (body, message) in [
            ("event: error\ndata:\n\n", "error"),
            ("event: error\ndata: \r\n\r\n", "error"),
            ("event: error\ndata: [DONE]\n\n", "[DONE]"),
            ("event: error\n\n", "error"),
            ("event:error\r\rdata: [DONE]\r\r", "error"),
            ("id: 7\nevent: error\n\n", "error"),
            ("event: error", "error"),
            ("event: error\ndata: {}\n\n", "{}"),
        ] {
            check(format, body, message);
            if !body.contains("[DONE]") {
                check_bytes(format, body);
            }
        }
        for body in [
            "event: errors\n\n",
            "event: error\nevent: x\n\n",
            ": error\n\n",
            "data:\n\n",
        ] {
            assert_eq!(errors(Some(format), body), [""; 0], "{format}: {body:?}");
        }
    }
}

/// The server of llama.cpp ends a stream with such a line.
#[test]
fn a_line_with_the_name_error_is_one() {
    let first = "data: {\"index\":0,\"content\":\"It is SECRET.\",\"stop\":false}\n\n";
    for (line, message) in [
        (
            "error: {\"code\":500,\"message\":\"boom\",\"type\":\"server_error\"}\n\n",
            "boom",
        ),
        ("error:{\"error\":{\"message\":\"boom\"}}\r\n\r\n", "boom"),
        ("error: {\"code\":500,\"message\":\"boom\"}", "boom"),
    ] {
        check(Format::LlamaCpp, &(first.to_owned() + line), message);
        for format in Format::ALL {
            check(format, line, message);
            let report = check_bytes(format, line);
            assert!(report.is_complete(), "{format}: {report:?}");
        }
    }
    // What is no JSON may be text.
    let line = "error: It is SECRET.\n\n";
    check(Format::LlamaCpp, line, "It is SECRET.");
    let (out, report) = gated(
        Some(Format::LlamaCpp),
        &Action::Discard,
        &(first.to_owned() + line),
    );
    assert!(!out.contains("is SECRET.\n"), "{out}");
    assert!(!report.is_complete());
    // Beside data it is a field that clients ignore.
    let line =
        "error: {\"note\":\"SECRET\"}\ndata: {\"index\":0,\"content\":\"So.\",\"stop\":false}\n\n";
    let (out, report) = gated(Some(Format::LlamaCpp), &Action::Discard, line);
    assert!(!out.contains("SECRET") && out.contains("So."), "{out}");
    assert_eq!(report.count(NoticeCode::WithheldData), 1);
    // A member that may be text is emptied, as in any error.
    let line = "error: {\"message\":\"boom\",\"note\":\"SECRET\"}\n\n";
    let (out, _) = gated(Some(Format::LlamaCpp), &Action::Discard, line);
    assert!(!out.contains("SECRET"), "{out}");
}

/// Gemini reports an error in mid-stream as JSON without a field, and its SDK reads such lines.
#[test]
fn json_without_a_field_is_an_event() {
    let first = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"It rains.\"}]}}]}\n\n";
    let error =
        "{\r\n  \"error\": {\r\n    \"code\": 503,\r\n    \"message\": \"boom\"\r\n  }\r\n}";
    for end in ["", "\r\n", "\r\n\r\n"] {
        let body = format!("{first}{error}{end}");
        check(Format::Gemini, &body, "boom");
        let (out, report) = gated(Some(Format::Gemini), &Action::Discard, &body);
        assert!(out.ends_with(&format!("{error}{end}")), "{out}");
        assert!(report.is_complete(), "{report:?}");
    }
    let line = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"SECRET is it. [unverified-inference] So.\"}]}}]}\n\n";
    let body = format!("{first}{line}{first}");
    let (out, _) = stripped(Some(Format::Gemini), &body);
    assert_eq!(out, body.replace(" [unverified-inference]", ""));
    let (out, _) = gated(Some(Format::Gemini), &Action::Discard, &body);
    assert!(!out.contains("SECRET") && out.contains("So."), "{out}");
    // Other bytes may be text.
    let (out, report) = gated(Some(Format::Gemini), &Action::Discard, "{SECRET\n}\n\n");
    assert!(!out.contains("SECRET") && !report.is_complete(), "{out}");
}

/// OpenAI's clients stop at data that begin like the end.
#[test]
fn held_text_comes_before_data_that_begin_like_the_end() {
    let text = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It rains. [sub\"}}]}\n\n";
    for end in ["[DONE]x", "[DONE]{\"a\":1}", "[DONE]\ndata: [DONE]"] {
        let (out, _) = stripped(Some(Format::OpenAiChat), &format!("{text}data: {end}\n\n"));
        let (before, _) = out.split_once("[DONE]").expect("the end");
        assert!(before.contains("[sub"), "{out}");
    }
    let body = format!("{text}data: [DONE]SECRET\n\n");
    let (out, report) = gated(Some(Format::OpenAiChat), &Action::Discard, &body);
    assert!(!out.contains("SECRET") && !report.is_complete(), "{out}");
}

#[test]
fn an_error_is_reported_by_its_name_alone() {
    for event in [
        r#"{"internalServerException":{}}"#,
        r#"{"modelStreamErrorException":{"message":""}}"#,
        r#"{"modelTimeoutException":{}}"#,
        r#"{"serviceUnavailableException":{}}"#,
        r#"{"throttlingException":{}}"#,
        r#"{"validationException":{}}"#,
        r#"{"message":""}"#,
    ] {
        let message = match event {
            r#"{"message":""}"# => "error",
            _ if event.contains("message") => r#"{"message":""}"#,
            _ => "{}",
        };
        for body in [format!("{event}\n"), format!("data: {event}\n\n")] {
            check(Format::BedrockConverse, &body, message);
            check_bytes(Format::BedrockConverse, &body);
        }
    }
    let body = "{\"internalServerException\":null,\"contentBlockDelta\":{\"delta\":{\"text\":\"Hi.\"},\"contentBlockIndex\":0}}\n";
    assert_eq!(errors(Some(Format::BedrockConverse), body), [""; 0]);
    let event =
        r#"{"event_type":"interaction.failed","interaction":{"id":"v1_1","status":"failed"}}"#;
    let body = format!("data: {event}\n\n");
    check(Format::GeminiInteractions, &body, event);
    check_bytes(Format::GeminiInteractions, &body);
}

#[test]
fn a_response_whose_status_is_failed_reports_an_error() {
    for (format, event) in [
        (
            Format::OpenAiResponses,
            r#"{"type":"response.completed","response":{"status":"failed","error":null,"output":[]}}"#,
        ),
        (
            Format::OpenAiResponses,
            r#"{"object":"response","status":"failed","error":null,"output":[]}"#,
        ),
        (
            Format::GeminiInteractions,
            r#"{"event_type":"interaction.completed","interaction":{"id":"x","status":"failed"}}"#,
        ),
        (
            Format::GeminiInteractions,
            r#"{"event_type":"interaction.status_update","interaction_id":"x","status":"failed"}"#,
        ),
        (
            Format::GeminiInteractions,
            r#"{"object":"interaction","id":"x","status":"failed"}"#,
        ),
    ] {
        for body in [format!("data: {event}\n\n"), format!("{event}\n")] {
            check(format, &body, event);
            check_bytes(format, &body);
            let done = body.replace("failed", "completed");
            assert_eq!(errors(Some(format), &done), [""; 0], "{done}");
        }
    }
}

/// vLLM and servers made with `FastAPI` answer so.
#[test]
fn an_error_of_a_chat_server_is_reported() {
    for (event, message) in [
        (
            r#"{"object":"error","message":"boom","type":"BadRequestError","param":null,"code":400}"#,
            "boom",
        ),
        (
            r#"{"object":"error","message":"","type":"BadRequestError"}"#,
            r#"{"object":"error","message":"","type":"BadRequestError"}"#,
        ),
        (r#"{"detail":"boom"}"#, "boom"),
        (
            r#"{"detail":[{"loc":["body","model"],"msg":"boom","type":"missing"}]}"#,
            r#"[{"loc":["body","model"],"msg":"boom","type":"missing"}]"#,
        ),
    ] {
        for body in [event.to_owned(), format!("data: {event}\n\n")] {
            check(Format::OpenAiChat, &body, message);
            let report = check_bytes(Format::OpenAiChat, &body);
            assert!(report.is_complete(), "{body}: {report:?}");
        }
    }
    let chunk = "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"}}],\"detail\":null}\n\n";
    assert_eq!(errors(Some(Format::OpenAiChat), chunk), [""; 0]);
}
