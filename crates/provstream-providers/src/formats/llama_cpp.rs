//! `/completion` of llama.cpp's server, which has the same members streamed or not.
//!
//! <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>

use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, row, string, word, words,
};

const ROWS: &[FormatRow] = &[
    row(ANY, "index", Role::Number(0)),
    row(ANY, "content", Role::Text),
    row(ANY, "tokens", Role::Logprobs),
    row(ANY, "completion_probabilities", Role::Logprobs),
    row(ANY, "stop", Role::Finish),
    row(ANY, "error", Role::Error),
    row(ANY, "type", Role::Type),
    row(&["error"], "", Role::Error),
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(&[""], "id id_slot stop_type"),
    words(&[""], "timings"),
    string(&[""], "model model_path stopping_word"),
    any(&[""], "generation_settings prompt"),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"index":#,"content":"@","stop":false}"##,
        },
    )
};
