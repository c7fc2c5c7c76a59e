//! Measures everything and writes `docs/benchmarks.md` and `docs/latency.svg`.
//!
//! `cargo run --release --locked --manifest-path bench/Cargo.toml`; `PROVSTREAM_ROUNDS=3` makes it short.

fn main() -> std::io::Result<()> {
    provstream_bench::report::write()
}
