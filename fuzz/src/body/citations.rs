//! Citations: read from anything, written and read back.

use provstream::provenance::{Annotation, Assertion};
use provstream::{Event, Parser, Rewriter, Span};
use provstream_providers::citation::{
    Citation, CleanText, Extent, Link, OpenAiShape, Provider, Unit, read, write_gemini_grounding,
    write_openai_annotations, write_web_annotation,
};
use serde_json::{Value, json};

const PROVIDERS: [Provider; 4] = [
    Provider::Anthropic,
    Provider::OpenAi,
    Provider::Gemini,
    Provider::Cohere,
];

/// Any event can be read, and what is cited of a text is read back at its place, in every form.
pub(super) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for provider in PROVIDERS {
        let found = read(provider, data);
        assert_eq!(read(provider, data), found);
        for citation in found {
            match citation {
                Ok(citation) => look(provider, &citation, &text),
                Err(error) => assert!(!error.to_string().contains(char::is_control), "{error}"),
            }
        }
    }
    written_and_read(&text);
}

fn look(provider: Provider, citation: &Citation, text: &str) {
    assert_eq!(citation.provider(), Some(provider));
    if let Some(span) = citation.locate(text) {
        assert!(
            text.get(span.start() as usize..span.end() as usize)
                .is_some()
        );
    }
    if let Extent::Span(place) = citation.extent() {
        assert!(place.start() <= place.end());
    }
    for source in citation.sources() {
        let _ = (source.url(), source.title(), source.quote(), source.id());
    }
}

fn written_and_read(stream: &str) {
    let mut assertions: Vec<Assertion<'static>> = Vec::new();
    let mut parser = Parser::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Assertion(assertion) = event {
            assertions.push(assertion.into_owned());
        }
    };
    parser.push(stream.as_bytes(), &mut sink);
    parser.finish(&mut sink);
    let mut clean = Vec::new();
    let mut rewriter = Rewriter::new(Parser::new());
    rewriter.push(stream.as_bytes(), &mut clean);
    rewriter.finish(&mut clean);
    let clean = String::from_utf8(clean).expect("no character is cut");
    let text = CleanText::new(&clean);

    let cited: Vec<_> = assertions
        .iter()
        .filter_map(|found| text.assertion(found))
        .collect();
    let link = |annotation: &Annotation<'_>| {
        let class = annotation.class().as_str();
        Some(Link::new(
            annotation.observation_id().unwrap_or("urn:none"),
            class,
        ))
    };
    let places = |repeated: bool| -> Vec<Span> {
        let mut places = Vec::new();
        for cited in &cited {
            let place = cited.place(Unit::Utf8Bytes);
            let count = match cited.annotations().len() {
                0 => 0,
                count if repeated => count,
                _ => 1,
            };
            places.extend(vec![Span::new(place.start(), place.end()); count]);
        }
        places
    };
    let value = |json: &str| serde_json::from_str::<Value>(json).expect("JSON");
    let located = |provider, event: Value| -> Vec<Span> {
        let found = read(provider, event.to_string().as_bytes()).into_iter();
        let spans = found.map(|citation| citation.expect("well-formed").locate(&clean));
        spans
            .map(|span| span.expect("a place of the text"))
            .collect()
    };
    let chat = value(&write_openai_annotations(&cited, OpenAiShape::Chat, link));
    let chat = json!({"choices": [{"index": 0, "message": {"annotations": chat}}]});
    assert_eq!(located(Provider::OpenAi, chat), places(true));
    let responses = value(&write_openai_annotations(
        &cited,
        OpenAiShape::Responses,
        link,
    ));
    let responses =
        json!({"object": "response", "output": [{"content": [{"annotations": responses}]}]});
    assert_eq!(located(Provider::OpenAi, responses), places(true));
    let gemini = value(&write_gemini_grounding(&cited, 0, link));
    let gemini = json!({"candidates": [{"groundingMetadata": gemini}]});
    assert_eq!(located(Provider::Gemini, gemini), places(false));
    for cited in &cited {
        let web = value(&write_web_annotation(cited, "urn:a", "urn:b"));
        let bodies = web
            .get("body")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        assert_eq!(bodies, cited.annotations().len());
        assert_eq!(web["target"]["selector"][0]["exact"], cited.text());
    }
}
