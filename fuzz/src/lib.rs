//! What is searched for with random input: each target is an ordinary function that panics when something does not hold.
//!
//! AFL++ (`afl/main.rs`) and libFuzzer (`fuzz_targets/`) call them, and `cargo test` in the repository replays them over
//! the corpus without any fuzzer. How bytes become a stream with chunks and limits is in [`Case`].

mod case;
mod emit;
mod engine;
#[path = "../../tests/reference/mod.rs"]
mod reference;

pub use case::Case;
pub use emit::{vocabulary_file, writers};
pub use engine::{chunk_invariance, conservation, memory, no_panic, reference, rewrite};

/// A target: what is called with each input.
pub type Body = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Body); 8] = [
    ("no_panic", no_panic),
    ("chunk_invariance", chunk_invariance),
    ("reference", reference),
    ("conservation", conservation),
    ("rewrite", rewrite),
    ("writers", writers),
    ("vocabulary_file", vocabulary_file),
    ("memory", memory),
];
