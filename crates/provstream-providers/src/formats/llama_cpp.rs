//! `/completion` of llama.cpp's server, which has the same members streamed or not.
//!
//! <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>

use crate::walk::table::{ANY, Passes, Role, Row, Shortest, Table, passes, row};

const ROWS: &[Row] = &[
    row(ANY, "index", Role::Number(0)),
    row(ANY, "content", Role::Text),
    row(ANY, "tokens", Role::Logprobs),
    row(ANY, "completion_probabilities", Role::Logprobs),
    row(ANY, "stop", Role::Finish),
    row(ANY, "error", Role::Error),
    row(ANY, "type", Role::Type),
    row(&["error"], "", Role::Error),
];

/// Paths of objects whose strings may be text.
const CONTENT: &[&str] = &[""];

/// Values in these objects that are not text.
const PASSES: &[Passes] = &[passes(
    &[""],
    "generation_settings id id_slot model model_path prompt stop_type stopping_word timings type",
)];

pub(crate) const TABLE: Table = Table {
    content: CONTENT,
    passes: PASSES,
    ..Table::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"index":#,"content":"@","stop":false}"##,
        },
    )
};
