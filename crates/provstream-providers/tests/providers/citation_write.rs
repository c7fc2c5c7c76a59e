//! Places in units, and what was annotated written in the forms of others and read back.

use proptest::prelude::*;
use proptest::sample::select;
use provstream::provenance::{Annotation, Assertion, Class, Encoding, Reason};
use provstream::{Event, Handler, OffsetMap, Parser, Rewriter, Span, TextChunk};
use provstream_providers::citation::{
    Citation, Cited, CleanText, Extent, Link, OpenAiShape, Provider, SourceKind, TERMS, Unit,
    UnitSpan, read, write_gemini_grounding, write_openai_annotations, write_web_annotation,
};
use serde_json::{Value, json};

const UNITS: [Unit; 3] = [Unit::Utf8Bytes, Unit::CodePoints, Unit::Utf16Units];

/// Sentences that take more bytes than characters, or more code units: accents composed and combining, characters beyond
/// the basic plane, a family of joined ones, a flag, CJK.
const SENTENCES: [&str; 8] = [
    "It runs.",
    "Le café est là.",
    "The cafe\u{301} is open.",
    "Tests 😀 pass.",
    "👩‍👩‍👧 live here.",
    "🇫🇷 it is.",
    "テストは緑です。",
    "A \"quoted\" \\ back\tslash.",
];

/// The assertions of a stream, and its text without annotations.
fn parse(stream: &str) -> (Vec<Assertion<'static>>, String) {
    let mut assertions = Vec::new();
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
    (assertions, String::from_utf8(clean).unwrap())
}

/// A stream with one annotation, or two, behind each sentence.
fn annotated(sentences: &[&str]) -> String {
    let classes = [
        "substrate.grep",
        "unverified-inference",
        "substrate.git.log; observation-id=7",
        "substrate.nope",
    ];
    let mut stream = String::new();
    for (index, sentence) in sentences.iter().enumerate() {
        let class = classes[index % classes.len()];
        stream.push_str(&format!("{sentence} [{class}]"));
        if index % 3 == 0 {
            stream.push_str(" [substrate.code.read; ts=2026-05-28T11:40:00Z]");
        }
        stream.push(' ');
    }
    stream
}

fn cite<'a>(text: &CleanText<'a>, assertions: &'a [Assertion<'static>]) -> Vec<Cited<'a>> {
    let cited = assertions.iter().map(|assertion| text.assertion(assertion));
    cited
        .collect::<Option<_>>()
        .expect("each stands in the text")
}

fn link(annotation: &Annotation<'_>) -> Option<Link> {
    let class = annotation.class();
    (!class.is_terminal())
        .then(|| Link::new(format!("https://example.org/é?{class}"), class.as_str()))
}

/// The citations in an event, all of which must be well-formed.
fn citations(provider: Provider, event: &Value) -> Vec<Citation> {
    let read = read(provider, event.to_string().as_bytes());
    read.into_iter().map(Result::unwrap).collect()
}

#[track_caller]
fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

#[test]
fn a_place_has_its_numbers_in_each_unit() {
    // e with a combining accent, a character beyond the basic plane, one of three bytes.
    let text = "e\u{301}😀緑x";
    let clean = CleanText::new(text);
    for (span, units) in [
        ((0, 0), [(0, 0), (0, 0), (0, 0)]),
        ((0, 1), [(0, 1), (0, 1), (0, 1)]),
        ((1, 3), [(1, 3), (1, 2), (1, 2)]),
        ((0, 3), [(0, 3), (0, 2), (0, 2)]),
        ((3, 7), [(3, 7), (2, 3), (2, 4)]),
        ((7, 10), [(7, 10), (3, 4), (4, 5)]),
        ((7, 7), [(7, 7), (3, 3), (4, 4)]),
        ((0, 11), [(0, 11), (0, 5), (0, 6)]),
        ((11, 11), [(11, 11), (5, 5), (6, 6)]),
    ] {
        let span = Span::new(span.0, span.1);
        for (unit, (start, end)) in UNITS.into_iter().zip(units) {
            let place = UnitSpan::new(start, end, unit).unwrap();
            assert_eq!(clean.place(span, unit), Some(place), "{span} in {unit}");
            assert_eq!(place.to_bytes(text), Some(span), "{place}");
            let cited = clean.cite(span, []).unwrap();
            assert_eq!(cited.place(unit), place);
        }
    }
}

#[test]
fn an_assertion_without_annotations_is_not_cited() {
    let stream = "It runs. [1.1:substrate.new] So.";
    let (assertions, text) = parse(stream);
    assert_eq!((&*text, assertions.len()), (stream, 1));
    assert_eq!(CleanText::new(&text).assertion(&assertions[0]), None);
    let mut positions = OffsetMap::new();
    positions.push(text.as_bytes());
    assert_eq!(Cited::streamed(&assertions[0], &positions), None);
}

#[test]
fn what_is_no_place_in_a_text_gives_none() {
    let text = "é😀x";
    let clean = CleanText::new(text);
    for (start, end) in [
        (1, 2),
        (0, 1),
        (3, 6),
        (2, 4),
        (2, 8),
        (7, 8),
        (8, 8),
        (u64::MAX, u64::MAX),
    ] {
        let span = Span::new(start, end);
        for unit in UNITS {
            assert_eq!(clean.place(span, unit), None, "{span} in {unit}");
        }
        assert_eq!(clean.cite(span, []), None);
        let place = UnitSpan::new(start, end, Unit::Utf8Bytes).unwrap();
        assert_eq!(place.to_bytes(text), None, "{place}");
    }
    for (start, end, unit) in [
        (0, 4, Unit::CodePoints),
        (4, 4, Unit::CodePoints),
        (0, u64::MAX, Unit::CodePoints),
        (1, 2, Unit::Utf16Units),
        (2, 3, Unit::Utf16Units),
        (2, 2, Unit::Utf16Units),
        (0, 5, Unit::Utf16Units),
        (5, 5, Unit::Utf16Units),
    ] {
        let place = UnitSpan::new(start, end, unit).unwrap();
        assert_eq!(place.to_bytes(text), None, "{place}");
    }
    assert_eq!(UnitSpan::new(2, 1, Unit::CodePoints), None);
    assert_eq!(
        CleanText::new("").place(Span::new(0, 0), Unit::Utf16Units),
        UnitSpan::new(0, 0, Unit::Utf16Units)
    );
}

#[test]
fn an_assertion_is_cited_in_its_own_text_only() {
    let (assertions, clean) = parse("Ça marche. [substrate.grep] Bien.");
    assert_eq!(clean, "Ça marche. Bien.");
    let text = CleanText::new(&clean);
    assert!(text.assertion(&assertions[0]).is_some());
    // Of other lengths, with other words, and with the annotations still in it at another place.
    for other in [
        "",
        "Ça marche",
        "Ca marche. Bien.",
        "Ça marché. Bien.",
        "x Ça marche. [substrate.grep] Bien.",
    ] {
        assert_eq!(
            CleanText::new(other).assertion(&assertions[0]),
            None,
            "{other}"
        );
    }
    let in_json = Assertion::new(Encoding::Json, "Ça marche.", Span::new(0, 11));
    assert_eq!(text.assertion(&in_json), None);
}

#[test]
fn at_most_32_characters_stand_around_a_quotation() {
    let long = "😀".repeat(40);
    let text = format!("{long}It runs.{long}");
    let clean = CleanText::new(&text);
    let cited = clean.cite(Span::new(160, 168), []).unwrap();
    let around = "😀".repeat(32);
    assert_eq!(cited.text(), "It runs.");
    assert_eq!(cited.around(), Some((around.as_str(), around.as_str())));
    let whole = clean.cite(Span::new(0, text.len() as u64), []).unwrap();
    assert_eq!(whole.around(), Some(("", "")));
}

/// Cites each assertion as it is reported, by the positions of what was written until then.
struct Streaming {
    positions: OffsetMap,
    annotations: Vec<Value>,
}

impl Handler for Streaming {
    fn text(&mut self, text: TextChunk<'_>) {
        self.positions.push(text.bytes());
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(assertion) = event {
            let cited = Cited::streamed(&assertion, &self.positions).expect("a place");
            self.annotations
                .push(parsed(&write_web_annotation(&cited, "urn:a", "urn:b")));
        }
    }
}

#[test]
fn a_stream_is_cited_while_it_is_written() {
    let stream = annotated(&SENTENCES);
    let (assertions, clean) = parse(&stream);
    let text = CleanText::new(&clean);
    let mut expected = Vec::new();
    for cited in cite(&text, &assertions) {
        let mut annotation = parsed(&write_web_annotation(&cited, "urn:a", "urn:b"));
        // What follows is not known yet, and what came before is gone.
        let quote = annotation["target"]["selector"][0].as_object_mut().unwrap();
        assert!(quote.remove("prefix").is_some() && quote.remove("suffix").is_some());
        expected.push(annotation);
    }
    for size in [1, 3, 16, stream.len()] {
        let mut sink = Streaming {
            positions: OffsetMap::new(),
            annotations: Vec::new(),
        };
        let mut rewriter = Rewriter::new(Parser::new());
        for chunk in stream.as_bytes().chunks(size) {
            rewriter.push(chunk, &mut sink);
        }
        rewriter.finish(&mut sink);
        assert_eq!(sink.annotations, expected, "chunks of {size}");
    }
    let in_json = Assertion::new(Encoding::Json, "", Span::default());
    assert_eq!(Cited::streamed(&in_json, &OffsetMap::new()), None);
    let beyond = in_json.with_clean_span(Span::new(0, 1));
    assert_eq!(Cited::streamed(&beyond, &OffsetMap::new()), None);
}

/// Checks the rules of the data model for an annotation with these parts; the crate's own members are named.
fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["@context", "id", "type", "target", "motivation"],
        "additionalProperties": false,
        "properties": {
            "@context": {"type": "array", "prefixItems": [
                {"const": "http://www.w3.org/ns/anno.jsonld"},
                {"type": "object", "additionalProperties": {"type": "string", "pattern": "^https://"}}
            ], "minItems": 2, "maxItems": 2},
            "id": {"type": "string", "minLength": 1},
            "type": {"const": "Annotation"},
            "motivation": {"const": "classifying"},
            "body": {"type": "array", "minItems": 1, "items": {
                "type": "object",
                "required": ["type", "value", "purpose", "substrate_class"],
                "additionalProperties": false,
                "properties": {
                    "type": {"const": "TextualBody"},
                    "value": {"type": "string"},
                    "format": {"const": "text/plain"},
                    "purpose": {"const": "classifying"},
                    "substrate_class": {"type": "string"},
                    "declared": {"type": "string"},
                    "reason": {"enum": ["unknown-identifier", "vocabulary-version", "malformed"]},
                    "observation_id": {"type": "string"},
                    "ts": {"type": "string"}
                }
            }},
            "target": {
                "type": "object",
                "required": ["source", "selector"],
                "additionalProperties": false,
                "properties": {
                    "source": {"type": "string", "minLength": 1},
                    "selector": {"type": "array", "prefixItems": [
                        {
                            "type": "object",
                            "required": ["type", "exact", "prefix", "suffix"],
                            "additionalProperties": false,
                            "properties": {
                                "type": {"const": "TextQuoteSelector"},
                                "exact": {"type": "string"},
                                "prefix": {"type": "string"},
                                "suffix": {"type": "string"}
                            }
                        },
                        {
                            "type": "object",
                            "required": ["type", "start", "end"],
                            "additionalProperties": false,
                            "properties": {
                                "type": {"const": "TextPositionSelector"},
                                "start": {"type": "integer", "minimum": 0},
                                "end": {"type": "integer", "minimum": 0}
                            }
                        }
                    ], "minItems": 2, "maxItems": 2}
                }
            }
        }
    })
}

#[test]
fn a_web_annotation_is_as_the_data_model_has_it() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let stream = annotated(&SENTENCES);
    let (assertions, clean) = parse(&stream);
    assert_eq!(assertions.len(), SENTENCES.len());
    let text = CleanText::new(&clean);
    for (cited, assertion) in cite(&text, &assertions).iter().zip(&assertions) {
        let annotation = parsed(&write_web_annotation(cited, "urn:a\"b", "urn:\u{1}"));
        let errors: Vec<_> = validator
            .iter_errors(&annotation)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?} in {annotation}");
        assert_eq!(
            (&annotation["id"], &annotation["target"]["source"]),
            (&json!("urn:a\"b"), &json!("urn:\u{1}"))
        );
        // Every member of a body is a word of the W3C or has an IRI.
        for body in annotation["body"].as_array().unwrap() {
            for name in body.as_object().unwrap().keys() {
                let iri = &annotation["@context"][1][name];
                let own = *iri == json!(format!("{TERMS}{name}"));
                assert!(
                    own || ["type", "value", "format", "purpose"].contains(&name.as_str()),
                    "{name}"
                );
            }
        }
        let selectors = &annotation["target"]["selector"];
        // What stands at the position is what is quoted, with what is around it.
        let place = UnitSpan::new(
            selectors[1]["start"].as_u64().unwrap(),
            selectors[1]["end"].as_u64().unwrap(),
            Unit::CodePoints,
        );
        let span = place.unwrap().to_bytes(&clean).unwrap();
        assert_eq!(Some(span), assertion.clean_span());
        let (before, rest) = clean.split_at(span.start() as usize);
        let (exact, behind) = rest.split_at(span.len() as usize);
        assert_eq!(selectors[0]["exact"], exact);
        assert!(before.ends_with(selectors[0]["prefix"].as_str().unwrap()));
        assert!(behind.starts_with(selectors[0]["suffix"].as_str().unwrap()));
    }
}

#[test]
fn a_body_tells_all_of_an_annotation() {
    let text = CleanText::new("It runs.");
    let all = Annotation::new(Class::GREP, "1.0.substrate.grep")
        .with_observation_id("a\"\n")
        .with_ts("2026-05-28T11:40:00Z");
    let mapped =
        Annotation::new(Class::GREP, "substrate.nope").with_reason(Reason::UnknownIdentifier);
    let plain = Annotation::new(Class::GIT_LOG, "substrate.git.log")
        .with_observation_id("secret")
        .without_observation_id();
    let cited = text.cite(Span::new(0, 8), [all, mapped, plain]).unwrap();
    let annotation = parsed(&write_web_annotation(&cited, "urn:a", "urn:b"));
    assert_eq!(
        annotation["body"],
        json!([
            {"type": "TextualBody", "value": "substrate.grep", "format": "text/plain", "purpose": "classifying",
             "substrate_class": "substrate.grep", "declared": "1.0.substrate.grep", "observation_id": "a\"\n",
             "ts": "2026-05-28T11:40:00Z"},
            {"type": "TextualBody", "value": "unverified-inference", "format": "text/plain", "purpose": "classifying",
             "substrate_class": "unverified-inference", "declared": "substrate.nope", "reason": "unknown-identifier"},
            {"type": "TextualBody", "value": "substrate.git.log", "format": "text/plain", "purpose": "classifying",
             "substrate_class": "substrate.git.log"}
        ])
    );
    // An assertion without annotations is in a state of its own: it has no body.
    let bare = text.cite(Span::new(0, 8), []).unwrap();
    let bare = parsed(&write_web_annotation(&bare, "urn:a", "urn:b"));
    assert_eq!(bare.get("body"), None);
    assert_eq!(bare["type"], "Annotation");
}

/// Writes assertions in each form that can be read, and reads them.
fn written_and_read(
    clean: &CleanText<'_>,
    cited: &[Cited<'_>],
) -> Vec<(&'static str, Vec<Citation>)> {
    let parsed_annotations = |shape| parsed(&write_openai_annotations(cited, shape, link));
    let chat = parsed_annotations(OpenAiShape::Chat);
    let responses = parsed_annotations(OpenAiShape::Responses);
    let gemini = parsed(&write_gemini_grounding(cited, 0, link));
    let one_by_one = responses.as_array().unwrap().iter().flat_map(|annotation| {
        let event = json!({"type": "response.output_text.annotation.added", "output_index": 0, "content_index": 0, "annotation": annotation});
        citations(Provider::OpenAi, &event)
    });
    let message = json!({"role": "assistant", "content": clean.text(), "annotations": chat});
    vec![
        (
            "chat",
            citations(
                Provider::OpenAi,
                &json!({"choices": [{"index": 0, "message": message}]}),
            ),
        ),
        ("responses, streamed", one_by_one.collect()),
        (
            "responses",
            citations(
                Provider::OpenAi,
                &json!({"object": "response", "output": [{"content": [{"annotations": responses}]}]}),
            ),
        ),
        (
            "gemini",
            citations(
                Provider::Gemini,
                &json!({"candidates": [{"groundingMetadata": gemini}]}),
            ),
        ),
    ]
}

fn check_round_trip(sentences: &[&str]) {
    let stream = annotated(sentences);
    let (assertions, text) = parse(&stream);
    let clean = CleanText::new(&text);
    let cited = cite(&clean, &assertions);
    for (form, found) in written_and_read(&clean, &cited) {
        // Gemini has one support for an assertion, OpenAI one annotation for each link.
        let mut expected = Vec::new();
        for assertion in &assertions {
            let links: Vec<_> = assertion
                .annotations()
                .filter_map(|annotation| link(&annotation))
                .collect();
            match form {
                "gemini" if links.is_empty() => {}
                "gemini" => expected.push((assertion.clean_span(), links)),
                _ => expected.extend(
                    links
                        .into_iter()
                        .map(|link| (assertion.clean_span(), vec![link])),
                ),
            }
        }
        let found: Vec<_> = found
            .iter()
            .map(|citation| {
                let links = citation.sources().map(|source| {
                    assert_eq!(source.kind(), SourceKind::Web);
                    Link::new(source.url().unwrap(), source.title().unwrap())
                });
                (citation.locate(&text), links.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(found, expected, "{form}: {stream}");
    }
}

#[test]
fn what_is_written_reads_back_with_the_same_span() {
    check_round_trip(&SENTENCES);
    check_round_trip(&[]);
}

#[test]
fn the_numbers_on_the_wire_are_in_the_unit_of_each_form() {
    let text = CleanText::new("😀é It runs.");
    let cited = text
        .cite(
            Span::new(7, 15),
            [Annotation::new(Class::GREP, "substrate.grep")],
        )
        .unwrap();
    let annotation = parsed(&write_web_annotation(&cited, "urn:a", "urn:b"));
    let position = &annotation["target"]["selector"][1];
    assert_eq!(
        *position,
        json!({"type": "TextPositionSelector", "start": 3, "end": 11})
    );
    let chat = parsed(&write_openai_annotations([&cited], OpenAiShape::Chat, link));
    assert_eq!(
        chat,
        json!([{"type": "url_citation", "url_citation": {"start_index": 3, "end_index": 11,
            "url": "https://example.org/é?substrate.grep", "title": "substrate.grep"}}])
    );
    let gemini = parsed(&write_gemini_grounding([&cited], 2, link));
    assert_eq!(
        gemini["groundingSupports"],
        json!([{"segment": {"partIndex": 2, "startIndex": 7, "endIndex": 15, "text": "It runs."}, "groundingChunkIndices": [0]}])
    );
    // A browser that takes OpenAI's numbers for its own is one off for each character beyond the basic plane.
    assert_eq!(
        cited.place(Unit::Utf16Units),
        UnitSpan::new(4, 12, Unit::Utf16Units).unwrap()
    );
}

#[test]
fn equal_links_are_one_chunk() {
    let (assertions, text) =
        parse("A is. [substrate.grep] [substrate.grep] B is. [substrate.git.log] [substrate.grep]");
    let clean = CleanText::new(&text);
    let gemini = parsed(&write_gemini_grounding(&cite(&clean, &assertions), 0, link));
    assert_eq!(gemini["groundingChunks"].as_array().unwrap().len(), 2);
    let indices: Vec<_> = gemini["groundingSupports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|support| &support["groundingChunkIndices"])
        .collect();
    assert_eq!(indices, [&json!([0]), &json!([1, 0])]);
}

#[test]
fn annotations_and_provider_citations_are_one_type() {
    let (assertions, text) =
        parse("Ça marche. [substrate.grep; observation-id=7] [substrate.nope]");
    let assertion = &assertions[0];
    let own: Vec<_> = assertion
        .annotations()
        .map(|found| Citation::from_annotation(assertion, &found))
        .collect();
    let theirs = citations(
        Provider::Cohere,
        &json!({"type": "citation-start", "delta": {"message": {"citations":
            {"start": 0, "end": 10, "text": "Ça marche.", "sources": [{"type": "document", "id": "7"}]}}}}),
    );
    for citation in own.iter().chain(&theirs) {
        assert_eq!(citation.locate(&text), Some(Span::new(0, 11)));
        assert_eq!(citation.text(), Some("Ça marche."));
    }
    let source = own[0].sources().next().unwrap();
    assert_eq!(
        (source.kind(), source.title(), source.id()),
        (SourceKind::Observation, Some("substrate.grep"), Some("7"))
    );
    assert_eq!(
        (own[0].class(), own[0].provider()),
        (Some(&Class::GREP), None)
    );
    assert_eq!(
        (theirs[0].class(), theirs[0].provider()),
        (None, Some(Provider::Cohere))
    );
    // What was taken for a terminal state rests on nothing.
    assert_eq!(
        (own[1].sources().len(), own[1].class()),
        (0, Some(&Class::UNVERIFIED_INFERENCE))
    );
    let in_json = Assertion::new(Encoding::Json, "Ça marche.", Span::new(15, 26));
    let unplaced =
        Citation::from_annotation(&in_json, &Annotation::new(Class::GREP, "substrate.grep"));
    assert_eq!(
        (unplaced.extent(), unplaced.locate(&text)),
        (Extent::Unknown, None)
    );
}

/// Texts of characters of every length in each unit.
fn texts() -> impl Strategy<Value = String> {
    let characters = select(vec![
        'a',
        ' ',
        'é',
        '\u{301}',
        '緑',
        '\u{ffff}',
        '😀',
        '\u{10000}',
        '\u{10ffff}',
        '\u{200d}',
    ]);
    proptest::collection::vec(characters, 0..200)
        .prop_map(|characters| characters.into_iter().collect())
}

proptest! {
    #[test]
    fn conversions_are_inverse_and_checked(text in texts(), start in 0_u64..900, length in 0_u64..300) {
        let clean = CleanText::new(&text);
        let span = Span::new(start, start + length);
        let slice = text.get(start as usize..(start + length) as usize);
        for unit in UNITS {
            let place = clean.place(span, unit);
            prop_assert_eq!(place.is_some(), slice.is_some());
            if let (Some(place), Some(slice)) = (place, slice) {
                prop_assert_eq!(place.to_bytes(&text), Some(span));
                let before = &text[..start as usize];
                let count = |text: &str| match unit {
                    Unit::Utf8Bytes => text.len(),
                    Unit::CodePoints => text.chars().count(),
                    Unit::Utf16Units => text.encode_utf16().count(),
                } as u64;
                prop_assert_eq!(place.start(), count(before));
                prop_assert_eq!(place.end(), count(before) + count(slice));
            }
            // The same numbers, taken for this unit: a place only if both ends are.
            let guess = UnitSpan::new(start, start + length, unit).unwrap();
            if let Some(bytes) = guess.to_bytes(&text) {
                prop_assert_eq!(clean.place(bytes, unit), Some(guess));
            }
        }
    }

    #[test]
    fn any_annotated_text_reads_back(sentences in proptest::collection::vec(select(SENTENCES.to_vec()), 0..12)) {
        check_round_trip(&sentences);
    }
}
