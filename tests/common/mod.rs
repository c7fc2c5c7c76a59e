//! What the test crates share.
#![allow(
    dead_code,
    reason = "each test crate includes this module and uses a part of it"
)]

pub(crate) mod decide;
pub(crate) mod ndjson;
pub(crate) mod seen;
#[cfg(feature = "wire")]
pub(crate) mod wire;
