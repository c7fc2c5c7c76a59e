//! Measures everything and writes `docs/benchmarks.md` and `docs/latency.svg`.
//!
//! `cargo run --release --locked --manifest-path compare/Cargo.toml`; `PROVSTREAM_ROUNDS=3` makes it short.

fn main() -> std::io::Result<()> {
    provstream_compare::report::write()
}
