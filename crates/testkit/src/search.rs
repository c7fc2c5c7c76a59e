//! Number of seeds in randomized tests: few in a plain `cargo test`, more with `PROVSTREAM_SEEDS`.

/// Number of seeds above which a search is long.
const LONG: u64 = 1_000;

/// Reads the number of seeds in `PROVSTREAM_SEEDS`, if set.
fn asked() -> Option<u64> {
    let seeds = std::env::var("PROVSTREAM_SEEDS").ok()?;
    let number = seeds.parse();
    Some(number.unwrap_or_else(|_| panic!("PROVSTREAM_SEEDS is {seeds:?}, expected a number")))
}

/// Returns the number of seeds to try: `PROVSTREAM_SEEDS` if set, otherwise `plain`.
///
/// # Panics
///
/// Panics if `PROVSTREAM_SEEDS` is not a number.
#[must_use]
pub fn seeds(plain: u64) -> u64 {
    asked().unwrap_or(plain)
}

/// Returns `true` if `PROVSTREAM_SEEDS` asks for more than 1,000 seeds, and thus for tests that a
/// plain `cargo test` has no time for.
///
/// # Panics
///
/// Panics if `PROVSTREAM_SEEDS` is not a number.
#[must_use]
pub fn is_long() -> bool {
    asked().is_some_and(|seeds| seeds > LONG)
}
