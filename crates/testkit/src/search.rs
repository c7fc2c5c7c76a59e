//! How long searches take: short in a plain `cargo test`, long where `PROVSTREAM_SEEDS` asks for it.

/// With more seeds than these, a search is long.
const LONG: u64 = 1_000;

/// How many seeds `PROVSTREAM_SEEDS` asks for.
fn asked() -> Option<u64> {
    let seeds = std::env::var("PROVSTREAM_SEEDS").ok()?;
    let number = seeds.parse();
    Some(number.unwrap_or_else(|_| panic!("PROVSTREAM_SEEDS is {seeds:?}, expected a number")))
}

/// How many seeds a search tries: so many in a plain `cargo test`, or `PROVSTREAM_SEEDS`.
///
/// # Panics
///
/// Panics if `PROVSTREAM_SEEDS` is not a number.
#[must_use]
pub fn seeds(plain: u64) -> u64 {
    asked().unwrap_or(plain)
}

/// Whether `PROVSTREAM_SEEDS` asks for more than 1,000 seeds. Such a search tries what a plain `cargo test` has no time for.
///
/// # Panics
///
/// Panics if `PROVSTREAM_SEEDS` is not a number.
#[must_use]
pub fn is_long() -> bool {
    asked().is_some_and(|seeds| seeds > LONG)
}
