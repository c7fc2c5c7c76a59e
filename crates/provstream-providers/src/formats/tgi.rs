//! Hugging Face's Text Generation Inference: `/generate_stream`, `/generate` and the older `/`.
//!
//! <https://huggingface.co/docs/text-generation-inference/en/reference/api_reference>,
//! <https://huggingface.github.io/text-generation-inference/>

use crate::text_id::Member;
use crate::walk::table::{ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, row, word};

// `index` counts tokens.
const ROWS: &[FormatRow] = &[
    row(ANY, "token.text", Role::Text).zero(),
    row(ANY, "token.id", Role::Echo),
    row(ANY, "token.special", Role::Special),
    row(ANY, "top_tokens", Role::Logprobs).zero(),
    row(ANY, "generated_text", Role::Whole).zero(),
    row(ANY, "generated_text", Role::Finish).zero(),
    row(ANY, "details.finish_reason", Role::Finish).zero(),
    row(ANY, "details.tokens", Role::Logprobs).zero(),
    row(ANY, "details.top_tokens", Role::Logprobs).zero(),
    row(
        ANY,
        "details.best_of_sequences[0].generated_text",
        Role::Whole,
    )
    .of(Member::Sequence),
    row(ANY, "details.best_of_sequences[0].tokens", Role::Logprobs),
    row(
        ANY,
        "details.best_of_sequences[0].top_tokens",
        Role::Logprobs,
    ),
    row(ANY, "error", Role::Error),
    row(ANY, "type", Role::Type),
    row(&["error"], "", Role::Error),
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(
        &["details"],
        "best_of_sequences[0].finish_reason finish_reason",
    ),
    any(&["details"], "best_of_sequences[0].prefill prefill"),
    word(&[""], "error_type model_id request_id"),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"index":0,"token":{"id":0,"text":"@","logprob":0,"special":false},"generated_text":null,"details":null}"##,
        },
    )
};
