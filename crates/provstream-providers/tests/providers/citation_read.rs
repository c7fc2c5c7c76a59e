//! Reading the citations of providers: every form, what is no form, and what is wrong with one.

use proptest::prelude::*;
use proptest::sample::Index;
use provstream::Span;
use provstream_providers::citation::{
    Citation, CitationError, CitationErrorKind, Extent, MAX_EVENT, Provider, read,
};
use serde_json::{Value, json};

/// A citation on one line: part, extent, text, then each source.
fn line(citation: &Citation) -> String {
    let mut line = citation
        .part()
        .map_or("-".to_owned(), |part| part.to_string());
    line.push_str(&match citation.extent() {
        Extent::Span(span) => format!(" {span}"),
        Extent::Whole => " whole".to_owned(),
        _ => " unknown".to_owned(),
    });
    if let Some(text) = citation.text() {
        line.push_str(&format!(" {text:?}"));
    }
    for source in citation.sources() {
        line.push_str(&format!(" | {:?}", source.kind()));
        if let Some(index) = source.index() {
            line.push_str(&format!(" #{index}"));
        }
        for (name, value) in [
            ("url", source.url()),
            ("title", source.title()),
            ("id", source.id()),
            ("quote", source.quote()),
        ] {
            if let Some(value) = value {
                line.push_str(&format!(" {name}={value}"));
            }
        }
        if let Some(passage) = source.passage() {
            let (unit, start, end) = (passage.unit(), passage.start(), passage.end());
            line.push_str(&format!(" {start}..{end} {unit:?}"));
        }
    }
    line
}

fn lines(provider: Provider, event: &Value) -> Vec<String> {
    let read = read(provider, event.to_string().as_bytes());
    read.iter()
        .map(|reading| match reading {
            Ok(citation) => {
                assert_eq!(citation.provider(), Some(provider));
                line(citation)
            }
            Err(error) => format!("error: {error}"),
        })
        .collect()
}

fn anthropic_delta(citation: &Value) -> Value {
    json!({"type": "content_block_delta", "index": 2, "delta": {"type": "citations_delta", "citation": citation}})
}

fn anthropic() -> Vec<(Value, Vec<&'static str>)> {
    let page = json!({"type": "page_location", "cited_text": "Grün 😀", "document_index": 1, "document_title": "Farbe",
        "file_id": "file_1", "start_page_number": 3, "end_page_number": 4});
    vec![
        (
            anthropic_delta(
                &json!({"type": "char_location", "cited_text": "Gras ist grün.", "document_index": 0,
                "document_title": null, "start_char_index": 0, "end_char_index": 14}),
            ),
            vec!["2 whole | Document #0 quote=Gras ist grün. 0..14 Characters"],
        ),
        (
            anthropic_delta(&page),
            vec!["2 whole | Document #1 title=Farbe id=file_1 quote=Grün 😀 3..4 Pages"],
        ),
        (
            anthropic_delta(
                &json!({"type": "content_block_location", "cited_text": "緑", "document_index": 7,
                "document_title": "色", "start_block_index": 5, "end_block_index": 6}),
            ),
            vec!["2 whole | Document #7 title=色 quote=緑 5..6 Blocks"],
        ),
        (
            anthropic_delta(
                &json!({"type": "search_result_location", "cited_text": "緑", "search_result_index": 2,
                "source": "https://example.org/緑", "title": "色", "start_block_index": 0, "end_block_index": 2}),
            ),
            vec![
                "2 whole | SearchResult #2 url=https://example.org/緑 title=色 quote=緑 0..2 Blocks",
            ],
        ),
        (
            anthropic_delta(
                &json!({"type": "web_search_result_location", "cited_text": "Cafe\u{301}…",
                "url": "https://example.org/", "title": "Café", "encrypted_index": "EpQB"}),
            ),
            vec!["2 whole | Web url=https://example.org/ title=Café quote=Cafe\u{301}…"],
        ),
        (
            json!({"type": "content_block_start", "index": 4, "content_block": {"type": "text", "text": "", "citations": [page]}}),
            vec!["4 whole | Document #1 title=Farbe id=file_1 quote=Grün 😀 3..4 Pages"],
        ),
        (
            json!({"type": "message", "content": [{"type": "text", "text": "Nun: "}, {"type": "text", "text": "Grün.",
                "citations": [page, page]}]}),
            vec![
                "1 whole | Document #1 title=Farbe id=file_1 quote=Grün 😀 3..4 Pages",
                "1 whole | Document #1 title=Farbe id=file_1 quote=Grün 😀 3..4 Pages",
            ],
        ),
        // Nothing to read in these.
        (
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "", "citations": null}}),
            vec![],
        ),
        (
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "citations": []}}),
            vec![],
        ),
        (
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}),
            vec![],
        ),
        (json!({"type": "ping"}), vec![]),
        (
            anthropic_delta(&json!({"type": "moon_location", "crater": 7})),
            vec![],
        ),
    ]
}

fn added(annotation: &Value) -> Value {
    json!({"type": "response.output_text.annotation.added", "sequence_number": 9, "item_id": "msg_1", "output_index": 1,
        "content_index": 0, "annotation_index": 0, "annotation": annotation})
}

fn openai() -> Vec<(Value, Vec<&'static str>)> {
    let url = json!({"type": "url_citation", "start_index": 4, "end_index": 9, "url": "https://example.org/é", "title": "Café 😀"});
    let inner =
        json!({"start_index": 0, "end_index": 2, "url": "https://example.org/", "title": "緑"});
    let nested = json!({"type": "url_citation", "url_citation": inner});
    let mut older = added(&url);
    older["type"] = json!("response.output_text_annotation.added");
    vec![
        (
            added(&url),
            vec!["1/0 4..9 code-points | Web url=https://example.org/é title=Café 😀"],
        ),
        (
            older,
            vec!["1/0 4..9 code-points | Web url=https://example.org/é title=Café 😀"],
        ),
        (
            added(
                &json!({"type": "container_file_citation", "container_id": "cntr_1", "file_id": "cfile_1", "filename": "plöt.png",
                "start_index": 0, "end_index": 0}),
            ),
            vec!["1/0 0..0 code-points | File title=plöt.png id=cfile_1"],
        ),
        (
            added(
                &json!({"type": "file_citation", "file_id": "file_1", "filename": "a.pdf", "index": 1535}),
            ),
            vec!["1/0 unknown | File #1535 title=a.pdf id=file_1"],
        ),
        (
            added(&json!({"type": "file_path", "file_id": "file_2", "index": 0})),
            vec!["1/0 unknown | File #0 id=file_2"],
        ),
        (
            json!({"object": "response", "output": [{"type": "web_search_call"}, {"type": "message", "content": [
                {"type": "refusal"}, {"type": "output_text", "text": "…", "annotations": [url, url]}]}]}),
            vec![
                "1/1 4..9 code-points | Web url=https://example.org/é title=Café 😀",
                "1/1 4..9 code-points | Web url=https://example.org/é title=Café 😀",
            ],
        ),
        (
            json!({"object": "chat.completion.chunk", "choices": [{"index": 3, "delta": {"annotations": [nested, nested]}}]}),
            vec![
                "3 0..2 code-points | Web url=https://example.org/ title=緑",
                "3 0..2 code-points | Web url=https://example.org/ title=緑",
            ],
        ),
        (
            json!({"choices": [{"message": {"content": "a", "annotations": [nested]}}, {"message": {"annotations": []}}]}),
            vec!["0 0..2 code-points | Web url=https://example.org/ title=緑"],
        ),
        // What is made like OpenAI's: without places, with the words that are cited.
        (
            json!({"choices": [{"index": 0, "delta": {"annotations": [{"type": "url_citation", "url_citation":
                {"url": "https://example.org/", "content": "é 😀"}}]}}]}),
            vec!["0 unknown | Web url=https://example.org/ quote=é 😀"],
        ),
        (
            json!({"choices": [{"index": 0, "delta": {"content": "a", "annotations": null}}]}),
            vec![],
        ),
        (json!({"choices": [], "usage": {}}), vec![]),
        (
            json!({"type": "response.output_text.delta", "delta": "a"}),
            vec![],
        ),
        (
            added(&json!({"type": "moon_citation", "crater": 7})),
            vec![],
        ),
        // It repeats what came before.
        (
            json!({"type": "response.completed", "response": {"object": "response", "output": [{"content": [{"annotations": [url]}]}]}}),
            vec![],
        ),
    ]
}

fn gemini_candidate(candidate: &Value) -> Value {
    json!({"candidates": [candidate], "modelVersion": "gemini"})
}

fn gemini() -> Vec<(Value, Vec<&'static str>)> {
    vec![
        (
            gemini_candidate(&json!({"index": 1, "groundingMetadata": {
                "groundingChunks": [
                    {"web": {"uri": "https://example.org/é", "title": "Café"}},
                    {"retrievedContext": {"uri": "gs://b/緑", "title": "緑", "text": "緑です"}},
                    {"maps": {"uri": "https://maps.example/", "title": "Ort", "placeId": "p"}},
                    {"moon": {"crater": 7}}
                ],
                "groundingSupports": [
                    {"segment": {"endIndex": 6, "text": "Ça 😀"}, "groundingChunkIndices": [0, 1], "confidenceScores": [0.9, 0.8]},
                    {"segment": {"partIndex": 2, "startIndex": 7, "endIndex": 16, "text": "テスト"}, "groundingChunkIndices": [3, 2, 9]},
                    {"groundingChunkIndices": [0]}
                ]
            }})),
            vec![
                "1/0 0..6 utf8-bytes \"Ça 😀\" | Web #0 url=https://example.org/é title=Café \
                 | Document #1 url=gs://b/緑 title=緑 quote=緑です",
                "1/2 7..16 utf8-bytes \"テスト\" | Other #3 | Web #2 url=https://maps.example/ title=Ort | Other #9",
                "1 unknown | Web #0 url=https://example.org/é title=Café",
            ],
        ),
        (
            gemini_candidate(
                &json!({"content": {"parts": [{"text": "a"}]}, "citationMetadata": {"citationSources": [
                {"startIndex": 3, "endIndex": 7, "uri": "https://example.org/", "license": "mit"},
                {"endIndex": 4, "uri": "https://example.org/2"},
                {"uri": "https://example.org/3"}]}}),
            ),
            vec![
                "0 3..7 utf8-bytes | Web url=https://example.org/",
                "0 0..4 utf8-bytes | Web url=https://example.org/2",
                "0 unknown | Web url=https://example.org/3",
            ],
        ),
        (
            gemini_candidate(&json!({"citationMetadata": {"citations": [
                {"startIndex": 3, "endIndex": 7, "uri": "https://example.org/", "title": "緑"}]}})),
            vec!["0 unknown | Web url=https://example.org/ title=緑"],
        ),
        (
            gemini_candidate(&json!({"content": {"parts": [{"text": "a"}]}})),
            vec![],
        ),
        (
            gemini_candidate(
                &json!({"groundingMetadata": {"webSearchQueries": ["a"], "searchEntryPoint": {}}}),
            ),
            vec![],
        ),
        (json!({"promptFeedback": {"blockReason": "OTHER"}}), vec![]),
    ]
}

fn cohere_start(citation: &Value) -> Value {
    json!({"type": "citation-start", "index": 0, "delta": {"message": {"citations": citation}}})
}

fn cohere() -> Vec<(Value, Vec<&'static str>)> {
    let one = json!({"start": 3, "end": 8, "text": "Café.", "type": "TEXT_CONTENT", "content_index": 1, "sources": [
        {"type": "document", "id": "doc:0", "document": {"id": "doc:0", "title": "Café", "url": "https://example.org/", "n": "7"}},
        {"type": "tool", "id": "get:0", "tool_output": {"a": "b"}},
        {"type": "moon", "id": "m"}]});
    let shown = "1 3..8 code-points \"Café.\" | Document url=https://example.org/ title=Café id=doc:0 | Tool id=get:0 | Other id=m";
    vec![
        (cohere_start(&one), vec![shown]),
        (
            json!({"message": {"role": "assistant", "citations": [one, one]}}),
            vec![shown, shown],
        ),
        (
            cohere_start(
                &json!({"start": 0, "end": 1, "text": "😀", "sources": [{"type": "document", "document": {"title": 7}}]}),
            ),
            vec!["- 0..1 code-points \"😀\" | Document"],
        ),
        (
            cohere_start(
                &json!({"start": 0, "end": 4, "text": "Plan", "type": "PLAN", "sources": [{"type": "tool", "id": "t"}]}),
            ),
            vec!["- unknown \"Plan\" | Tool id=t"],
        ),
        (cohere_start(&json!({"text": "a"})), vec!["- unknown \"a\""]),
        (json!({"type": "citation-end", "index": 0}), vec![]),
        (
            json!({"type": "message-start", "delta": {"message": {"role": "assistant", "citations": []}}}),
            vec![],
        ),
        (
            json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "a"}}}}),
            vec![],
        ),
        (
            json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}),
            vec![],
        ),
    ]
}

type Rows = Vec<(Value, Vec<&'static str>)>;

fn rows() -> [(Provider, Rows); 4] {
    [
        (Provider::Anthropic, anthropic()),
        (Provider::OpenAi, openai()),
        (Provider::Gemini, gemini()),
        (Provider::Cohere, cohere()),
    ]
}

#[test]
fn every_form_is_read() {
    for (provider, rows) in rows() {
        for (event, expected) in rows {
            assert_eq!(lines(provider, &event), expected, "{provider}: {event}");
        }
    }
}

#[test]
fn what_is_no_form_of_a_provider_gives_nothing() {
    for provider in rows().map(|(provider, _)| provider) {
        for event in [
            "",
            " \r\n",
            "[DONE]",
            " [DONE]\n",
            "{}",
            "[]",
            "null",
            "1",
            "\"a\"",
            "true",
            "[{\"type\":\"message\"}]",
        ] {
            assert_eq!(
                read(provider, event.as_bytes()),
                [],
                "{provider}: {event:?}"
            );
        }
        // What leads to citations, as another type.
        for event in [
            json!({"type": 7, "delta": 7, "content": 7, "message": 7, "choices": 7, "candidates": 7, "output": 7}),
            json!({"type": "message", "content": [7, null, {"text": 7}], "choices": [7, null], "candidates": [7, {"groundingMetadata": 7}]}),
            json!({"type": "content_block_delta", "delta": [], "choices": [{"delta": 7}], "candidates": [{"citationMetadata": []}]}),
            json!({"type": "citation-start", "delta": {"message": []}}),
            json!({"type": "content_block_start", "content_block": "a", "object": "response", "output": [7, {"content": [7]}]}),
        ] {
            assert_eq!(
                lines(provider, &event),
                Vec::<String>::new(),
                "{provider}: {event}"
            );
        }
    }
}

#[test]
fn the_form_of_one_provider_is_none_of_another() {
    for (provider, rows) in rows() {
        for (other, _) in self::rows().iter().filter(|(other, _)| *other != provider) {
            for (event, _) in &rows {
                assert_eq!(
                    lines(*other, event),
                    Vec::<String>::new(),
                    "{provider} as {other}: {event}"
                );
            }
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn what_is_wrong_is_told_with_its_place() {
    let missing = "expected this member, found none";
    let text = "expected a string, found ";
    let number = "expected a whole number from 0 on, found ";
    let (array, object) = ("expected an array, found ", "expected an object, found ");
    let order = "expected an end at or after the start, found one before it";
    let url = |start: Value, end: Value| {
        added(&json!({"type": "url_citation", "start_index": start, "end_index": end, "url": "u"}))
    };
    let nested = |inner: Value| json!({"choices": [{"delta": {}}, {"delta": {"annotations": [{"type": "url_citation", "url_citation": inner}]}}]});
    let support = |support: Value| {
        gemini_candidate(&json!({"groundingMetadata": {"groundingSupports": [support]}}))
    };
    let at = "/choices/1/delta/annotations/0/url_citation";
    let rows: Vec<(Provider, Value, String, &str)> = vec![
        (
            Provider::Anthropic,
            anthropic_delta(&json!(null)),
            "/delta/citation".into(),
            missing,
        ),
        (
            Provider::Anthropic,
            anthropic_delta(&json!("a")),
            "/delta/citation".into(),
            object,
        ),
        (
            Provider::Anthropic,
            anthropic_delta(&json!({})),
            "/delta/citation/type".into(),
            missing,
        ),
        (
            Provider::Anthropic,
            anthropic_delta(&json!({"type": 1})),
            "/delta/citation/type".into(),
            text,
        ),
        (
            Provider::Anthropic,
            anthropic_delta(&json!({"type": "char_location", "start_char_index": 1})),
            "/delta/citation/end_char_index".into(),
            missing,
        ),
        (
            Provider::Anthropic,
            anthropic_delta(
                &json!({"type": "page_location", "start_page_number": 2, "end_page_number": 1}),
            ),
            "/delta/citation/end_page_number".into(),
            order,
        ),
        (
            Provider::Anthropic,
            anthropic_delta(
                &json!({"type": "char_location", "start_char_index": 1, "end_char_index": 2, "cited_text": "a"}),
            ),
            "/delta/citation/document_index".into(),
            missing,
        ),
        (
            Provider::Anthropic,
            anthropic_delta(&json!({"type": "web_search_result_location", "url": "u"})),
            "/delta/citation/cited_text".into(),
            missing,
        ),
        (
            Provider::Anthropic,
            json!({"type": "content_block_delta", "index": "0", "delta": {"type": "citations_delta", "citation": {"type": "char_location"}}}),
            "/index".into(),
            number,
        ),
        (
            Provider::Anthropic,
            json!({"type": "content_block_start", "index": -1, "content_block": {}}),
            "/index".into(),
            number,
        ),
        (
            Provider::Anthropic,
            json!({"type": "message", "content": [{"citations": {}}]}),
            "/content/0/citations".into(),
            array,
        ),
        (
            Provider::OpenAi,
            json!({"type": "response.output_text.annotation.added"}),
            "/annotation".into(),
            missing,
        ),
        (
            Provider::OpenAi,
            json!({"type": "response.output_text.annotation.added", "output_index": 1.5}),
            "/output_index".into(),
            number,
        ),
        (
            Provider::OpenAi,
            url(json!(1), json!(null)),
            "/annotation/end_index".into(),
            missing,
        ),
        (
            Provider::OpenAi,
            url(json!(null), json!(1)),
            "/annotation/start_index".into(),
            missing,
        ),
        (
            Provider::OpenAi,
            url(json!(-1), json!(1)),
            "/annotation/start_index".into(),
            number,
        ),
        (
            Provider::OpenAi,
            url(json!(0), json!(1.5)),
            "/annotation/end_index".into(),
            number,
        ),
        (
            Provider::OpenAi,
            url(json!(0), json!(1e300)),
            "/annotation/end_index".into(),
            number,
        ),
        (
            Provider::OpenAi,
            url(json!(2), json!(1)),
            "/annotation/end_index".into(),
            order,
        ),
        (
            Provider::OpenAi,
            nested(json!({})),
            format!("{at}/url"),
            missing,
        ),
        (
            Provider::OpenAi,
            nested(json!({"url": "u", "title": ["é"]})),
            format!("{at}/title"),
            text,
        ),
        (
            Provider::OpenAi,
            json!({"choices": [{"message": {"annotations": "a"}}]}),
            "/choices/0/message/annotations".into(),
            array,
        ),
        (
            Provider::OpenAi,
            json!({"choices": [{"index": "0"}]}),
            "/choices/0/index".into(),
            number,
        ),
        (
            Provider::OpenAi,
            added(&json!({"type": "file_citation", "filename": "a"})),
            "/annotation/file_id".into(),
            missing,
        ),
        (
            Provider::Gemini,
            support(json!({"segment": {"startIndex": 2}})),
            "/candidates/0/groundingMetadata/groundingSupports/0/segment/endIndex".into(),
            missing,
        ),
        (
            Provider::Gemini,
            support(json!({"segment": {"startIndex": 2, "endIndex": 1}})),
            "/candidates/0/groundingMetadata/groundingSupports/0/segment/endIndex".into(),
            order,
        ),
        (
            Provider::Gemini,
            support(json!({"segment": {"endIndex": "1"}})),
            "/candidates/0/groundingMetadata/groundingSupports/0/segment/endIndex".into(),
            number,
        ),
        (
            Provider::Gemini,
            support(json!({"groundingChunkIndices": [0, "1"]})),
            "/candidates/0/groundingMetadata/groundingSupports/0/groundingChunkIndices/1".into(),
            number,
        ),
        (
            Provider::Gemini,
            gemini_candidate(
                &json!({"groundingMetadata": {"groundingChunks": [{"web": {"uri": 1}}], "groundingSupports": [{}]}}),
            ),
            "/candidates/0/groundingMetadata/groundingChunks/0/web/uri".into(),
            text,
        ),
        (
            Provider::Gemini,
            gemini_candidate(&json!({"citationMetadata": {"citationSources": 1}})),
            "/candidates/0/citationMetadata/citationSources".into(),
            array,
        ),
        (
            Provider::Gemini,
            gemini_candidate(&json!({"index": "0"})),
            "/candidates/0/index".into(),
            number,
        ),
        (
            Provider::Cohere,
            cohere_start(&json!("a")),
            "/delta/message/citations".into(),
            object,
        ),
        (
            Provider::Cohere,
            cohere_start(&json!({"start": 1})),
            "/delta/message/citations/end".into(),
            missing,
        ),
        (
            Provider::Cohere,
            cohere_start(&json!({"sources": [{"id": "a"}]})),
            "/delta/message/citations/sources/0/type".into(),
            missing,
        ),
        (
            Provider::Cohere,
            json!({"message": {"citations": [{"start": 3, "end": 1}]}}),
            "/message/citations/0/end".into(),
            order,
        ),
    ];
    for (provider, event, pointer, message) in rows {
        let read = read(provider, event.to_string().as_bytes());
        let [Err(error)] = &read[..] else {
            panic!("{provider}: {event} gave {read:?}");
        };
        let found = match event.pointer(&pointer) {
            Some(_) if !message.ends_with(' ') => "",
            Some(Value::String(_)) => "a string",
            Some(Value::Bool(_)) => "true or false",
            Some(Value::Array(_)) => "an array",
            Some(Value::Object(_)) => "an object",
            Some(Value::Number(_)) if message == number => "another number",
            Some(Value::Number(_)) => "a number",
            Some(Value::Null) | None => "",
        };
        assert_eq!(
            error.to_string(),
            format!("{pointer}: {message}{found}"),
            "{provider}: {event}"
        );
        assert_eq!(error.pointer(), pointer);
    }
}

#[test]
fn a_bad_citation_takes_no_good_one_with_it() {
    let good = json!({"type": "url_citation", "start_index": 0, "end_index": 1, "url": "u"});
    let event = json!({"choices": [{"message": {"annotations": [good, {"type": 7}, {"type": "moon"}, good]}}]});
    assert_eq!(
        lines(Provider::OpenAi, &event),
        [
            "0 0..1 code-points | Web url=u",
            "error: /choices/0/message/annotations/1/type: expected a string, found a number",
            "0 0..1 code-points | Web url=u"
        ]
    );
}

#[test]
fn half_a_character_of_a_delta_is_no_error() {
    for (content, title, expected) in [
        (r"Done \ud83d", r"t\ud83d\ude00", "t\u{1f600}"),
        (r"\ude00", r"\\ud83d", r"\ud83d"),
        (
            "",
            r"a\ud83d\ud83d\ude00\ude00",
            "a\u{fffd}\u{1f600}\u{fffd}",
        ),
    ] {
        let event = format!(
            r#"{{"choices":[{{"delta":{{"content":"{content}","annotations":[{{"type":"url_citation","url_citation":{{"start_index":0,"end_index":1,"url":"u","title":"{title}"}}}}]}}}}]}}"#
        );
        let found = read(Provider::OpenAi, event.as_bytes());
        let [Ok(citation)] = &found[..] else {
            panic!("{found:?}")
        };
        let titles = citation
            .sources()
            .map(provstream_providers::citation::CitedSource::title);
        assert_eq!(titles.collect::<Vec<_>>(), [Some(expected)]);
    }
}

#[test]
fn what_is_no_json_is_one_error_without_a_pointer() {
    let kind = |event: &[u8]| {
        let read = read(Provider::OpenAi, event);
        let [Err(error)] = &read[..] else {
            panic!("{read:?}")
        };
        assert_eq!(error.pointer(), "");
        (error.kind(), error.to_string())
    };
    let at = |line, column| CitationErrorKind::Syntax { line, column };
    assert_eq!(
        kind(b"{\"a\":\n 1,}"),
        (
            at(2, 4),
            "expected JSON, found something else, or its end, at line 2, column 4".to_owned()
        )
    );
    assert_eq!(kind(b"{} {}").0, at(1, 4));
    assert_eq!(kind(b"{\"a\":\"\xff\"}").0, at(1, 7));
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    assert_eq!(read(Provider::OpenAi, &nested(127)), []);
    for depth in [128, 60_000] {
        assert_eq!(kind(&nested(depth)).0, at(1, 128));
    }
    let mut longest = b"{}".to_vec();
    longest.resize(MAX_EVENT, b' ');
    assert_eq!(read(Provider::OpenAi, &longest), []);
    longest.push(b' ');
    assert_eq!(
        kind(&longest),
        (
            CitationErrorKind::TooLong,
            "expected an event of at most 1048576 bytes, found a longer one".to_owned()
        )
    );
}

#[test]
fn a_place_is_checked_against_the_answer() {
    let answer = "Ça 😀: the café.";
    let located = |provider, event: &Value| {
        let read = read(provider, event.to_string().as_bytes());
        read[0].as_ref().unwrap().locate(answer)
    };
    let cohere = |start: u64, end: u64, text: &str| {
        cohere_start(&json!({"start": start, "end": end, "text": text}))
    };
    let cafe = Some(Span::new(14, 19));
    assert_eq!(located(Provider::Cohere, &cohere(10, 14, "café")), cafe);
    // Counted in code units of UTF-16, and in bytes: another text stands there, or none.
    assert_eq!(located(Provider::Cohere, &cohere(11, 15, "café")), None);
    assert_eq!(located(Provider::Cohere, &cohere(14, 19, "café")), None);
    let support = |start: u64, end: u64| {
        gemini_candidate(
            &json!({"groundingMetadata": {"groundingSupports": [{"segment": {"startIndex": start, "endIndex": end, "text": "café"}}]}}),
        )
    };
    assert_eq!(located(Provider::Gemini, &support(14, 19)), cafe);
    assert_eq!(located(Provider::Gemini, &support(10, 14)), None);
    let url = |start: u64, end: u64| {
        added(&json!({"type": "url_citation", "start_index": start, "end_index": end, "url": "u"}))
    };
    assert_eq!(located(Provider::OpenAi, &url(10, 14)), cafe);
    assert_eq!(located(Provider::OpenAi, &url(10, 99)), None);
    let whole = anthropic_delta(
        &json!({"type": "web_search_result_location", "cited_text": "a", "url": "u"}),
    );
    assert_eq!(
        located(Provider::Anthropic, &whole),
        Some(Span::new(0, answer.len() as u64))
    );
    let unknown = added(&json!({"type": "file_path", "file_id": "f", "index": 3}));
    assert_eq!(located(Provider::OpenAi, &unknown), None);
}

#[test]
fn sources_that_many_citations_share_are_kept_once() {
    let long = "x".repeat(100_000);
    let event = gemini_candidate(&json!({"groundingMetadata": {
        "groundingChunks": [{"web": {"uri": long}}],
        "groundingSupports": [{"groundingChunkIndices": vec![0; 100_000]}]
    }}));
    let read = read(Provider::Gemini, event.to_string().as_bytes());
    let citation = read[0].as_ref().unwrap();
    assert_eq!(citation.sources().len(), 100_000);
    let mut sources = citation.sources();
    let first = sources.next().unwrap();
    assert!(sources.all(|source| std::ptr::eq(source, first)));
}

/// The places of a value in it, as pointers.
fn places(value: &Value, pointer: &str, into: &mut Vec<String>) {
    into.push(pointer.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{pointer}/{index}"), into);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                places(member, &format!("{pointer}/{name}"), into);
            }
        }
        _ => {}
    }
}

proptest! {
    /// Whatever stands anywhere in an event of a known form, what comes out is citations and errors that point to it.
    #[test]
    fn damaged_events_give_errors_at_the_damage(row: Index, place: Index, damage in 0..7_usize) {
        let all: Vec<_> = rows().into_iter().flat_map(|(provider, rows)| rows.into_iter().map(move |(event, _)| (provider, event))).collect();
        let (provider, mut event) = all[row.index(all.len())].clone();
        let mut pointers = Vec::new();
        places(&event, "", &mut pointers);
        let pointer = pointers[place.index(pointers.len())].clone();
        let damages = [json!(null), json!(-1), json!(3), json!("é"), json!([]), json!({}), json!([7, {"type": "char_location"}])];
        *event.pointer_mut(&pointer).unwrap() = damages[damage].clone();
        for reading in read(provider, event.to_string().as_bytes()) {
            if let Err(error) = reading {
                // At it, in it, or about the order of it and its neighbour, or about what its own change of the form asks for.
                let related = |error: &CitationError| {
                    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                    error.pointer().starts_with(parent)
                };
                prop_assert!(related(&error), "{} in {}: {}", pointer, event, error);
            }
        }
    }
}
