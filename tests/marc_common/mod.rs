//! What the tests of MARC share.
#![allow(
    dead_code,
    reason = "each test crate includes this module and uses a part of it"
)]

pub(crate) mod generate;
pub(crate) mod mutations;

use provstream::marc::{Draft, Kind, Profile};

/// Both objects.
pub(crate) const KINDS: [Kind; 2] = [Kind::Core, Kind::Disclosure];

/// Both drafts, each applied leniently and strictly.
pub(crate) fn profiles() -> impl Iterator<Item = Profile> {
    Draft::ALL
        .into_iter()
        .flat_map(|draft| [Profile::new(draft), Profile::new(draft).strict()])
}
