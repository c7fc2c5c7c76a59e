//! What the tests of MARC share.

pub mod decide;
pub mod deployment;
pub mod generate;
pub mod json;
pub mod model;
pub mod mutations;
pub mod sequence;
pub mod situations;

use proptest::prelude::*;
use proptest::sample::select;
use provstream_marc::{Draft, MarcKind, Profile};

/// Both objects.
pub const KINDS: [MarcKind; 2] = [MarcKind::Core, MarcKind::Disclosure];

/// Both drafts, each applied leniently and strictly.
pub fn profiles() -> impl Iterator<Item = Profile> {
    Draft::ALL
        .iter()
        .flat_map(|&draft| [Profile::new(draft), Profile::new(draft).strict()])
}

/// So many cases, or what `PROPTEST_CASES` says for a longer search.
pub fn cases(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    config.failure_persistence = None;
    config
}

/// Either draft.
pub fn draft() -> impl Strategy<Value = Draft> {
    select(Draft::ALL)
}
