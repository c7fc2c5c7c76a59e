//! What the tests of MARC share.
#![allow(
    dead_code,
    reason = "each test crate includes this module and uses a part of it"
)]

pub(crate) mod generate;
pub(crate) mod json;
pub(crate) mod mutations;

use proptest::prelude::*;
use proptest::sample::select;
use provstream::marc::{Draft, Kind, Profile};

/// Both objects.
pub(crate) const KINDS: [Kind; 2] = [Kind::Core, Kind::Disclosure];

/// Both drafts, each applied leniently and strictly.
pub(crate) fn profiles() -> impl Iterator<Item = Profile> {
    Draft::ALL
        .into_iter()
        .flat_map(|draft| [Profile::new(draft), Profile::new(draft).strict()])
}

/// So many cases, or what `PROPTEST_CASES` says for a longer search.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    config.failure_persistence = None;
    config
}

/// Either draft.
pub(crate) fn draft() -> impl Strategy<Value = Draft> {
    select(&Draft::ALL[..])
}
