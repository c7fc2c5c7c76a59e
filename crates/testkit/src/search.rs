//! How long searches take: short in a plain `cargo test`, long where `PROVSTREAM_SEEDS` asks for it.

/// Seeds of a search in a plain `cargo test`.
const SEEDS: u64 = 1_000;

/// How many seeds a search tries: 1,000, or `PROVSTREAM_SEEDS`. A search whose seeds are dearer than those of the comparison with
/// the reference divides this number.
///
/// # Panics
///
/// Panics if `PROVSTREAM_SEEDS` is not a number.
#[must_use]
pub fn seeds() -> u64 {
    let Ok(seeds) = std::env::var("PROVSTREAM_SEEDS") else {
        return SEEDS;
    };
    let number = seeds.parse();
    number.unwrap_or_else(|_| panic!("PROVSTREAM_SEEDS is {seeds:?}, expected a number"))
}

/// Whether `PROVSTREAM_SEEDS` asks for longer searches than a plain `cargo test` has.
#[must_use]
pub fn is_long() -> bool {
    seeds() > SEEDS
}
