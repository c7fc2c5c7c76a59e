//! Events with citations of every provider.

use super::{Choices, text};

/// Events, `@` a string and `#` a number.
const EVENTS: [&str; 14] = [
    r##"{"type":"content_block_delta","index":#,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"@","document_index":#,"document_title":"@","file_id":null,"start_char_index":#,"end_char_index":#}}}"##,
    r##"{"type":"content_block_start","index":#,"content_block":{"type":"text","citations":[{"type":"page_location","cited_text":"@","document_index":#,"start_page_number":#,"end_page_number":#}]}}"##,
    r##"{"type":"message","content":[{"citations":[{"type":"web_search_result_location","url":"@","title":"@","cited_text":"@"},{"type":"search_result_location","source":"@","title":null,"cited_text":"@","search_result_index":#,"start_block_index":#,"end_block_index":#}]}]}"##,
    r##"{"type":"content_block_delta","delta":{"type":"citations_delta","citation":{"type":"content_block_location","cited_text":"@","document_index":#,"start_block_index":#,"end_block_index":#}}}"##,
    r##"{"type":"response.output_text.annotation.added","output_index":#,"content_index":#,"annotation":{"type":"url_citation","start_index":#,"end_index":#,"url":"@","title":"@"}}"##,
    r##"{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,"annotation":{"type":"container_file_citation","start_index":#,"end_index":#,"file_id":"@","filename":"@"}}"##,
    r##"{"object":"response","output":[{"content":[{"annotations":[{"type":"file_citation","file_id":"@","index":#},{"type":"file_path","file_id":"@"}]}]}]}"##,
    r##"{"choices":[{"index":#,"delta":{"annotations":[{"type":"url_citation","url_citation":{"start_index":#,"end_index":#,"url":"@"}}]}}]}"##,
    r##"{"candidates":[{"groundingMetadata":{"groundingChunks":[{"web":{"uri":"@","title":"@"}},{"retrievedContext":{"uri":"@","text":"@"}}],"groundingSupports":[{"segment":{"partIndex":#,"startIndex":#,"endIndex":#,"text":"@"},"groundingChunkIndices":[#,#]}]}}]}"##,
    r##"{"candidates":[{"index":#,"citationMetadata":{"citationSources":[{"startIndex":#,"endIndex":#,"uri":"@"}],"citations":[{"endIndex":#,"title":"@"}]}}]}"##,
    r##"{"type":"citation-start","delta":{"message":{"citations":{"start":#,"end":#,"text":"@","content_index":#,"sources":[{"type":"document","id":"@","document":{"title":"@","url":"@"}},{"type":"tool","id":"@"}]}}}}"##,
    r##"{"message":{"citations":[{"start":#,"end":#,"text":"@","type":"TEXT_CONTENT","sources":[]},{"start":#,"end":#,"type":"PLAN"}]}}"##,
    r##"{"candidates":[{"groundingMetadata":{"groundingSupports":[{"segment":{},"groundingChunkIndices":[#]}],"groundingChunks":null}}]}"##,
    "[DONE]",
];

const NUMBERS: [&str; 10] = [
    "0",
    "1",
    "3",
    "7",
    "null",
    "-1",
    "1.5",
    "18446744073709551615",
    "1e3",
    "\"2\"",
];

/// An event, or a stream whose assertions are cited.
pub(super) fn event(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    if choices.one_in(2) {
        while choices.go_on() && out.len() < 1_000 {
            text::some(choices, out);
        }
        return;
    }
    let mut event = String::new();
    for char in choices.pick(&EVENTS).chars() {
        match char {
            '#' => event += choices.pick(&NUMBERS),
            '@' => {
                event += choices.pick(&[
                    "It is so.",
                    "",
                    "é😀",
                    "https://example.org/",
                    "\\ud83d",
                    "\\n",
                ]);
            }
            other => event.push(other),
        }
    }
    out.extend_from_slice(event.as_bytes());
}
