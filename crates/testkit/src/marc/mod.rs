//! Shared support for the tests of MARC.

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

/// Both kinds of MARC object.
pub const KINDS: [MarcKind; 2] = [MarcKind::Core, MarcKind::Disclosure];

/// Iterates over both drafts, each in the lenient and the strict reading.
pub fn profiles() -> impl Iterator<Item = Profile> {
    Draft::ALL
        .iter()
        .flat_map(|&draft| [Profile::new(draft), Profile::new(draft).strict()])
}

/// Configures proptest to run `cases` cases, or the number in `PROPTEST_CASES`.
pub fn cases(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    config.failure_persistence = None;
    config
}

/// Generates one of the two drafts.
pub fn draft() -> impl Strategy<Value = Draft> {
    select(Draft::ALL)
}
