//! The rows of the project's targets that need no other parser: both sides in one run, the median of interleaved rounds.
//!
//! `cargo bench --bench ratios`

#[path = "support/machine.rs"]
mod machine;
#[path = "support/rounds.rs"]
mod rounds;
#[path = "support/rows.rs"]
mod rows;
mod support;

/// Rounds of which the median is taken.
const ROUNDS: usize = 31;

fn main() {
    println!(
        "{}, {ROUNDS} interleaved rounds of {} bytes\n",
        machine::processor(),
        support::prose::LENGTH
    );
    println!("| row | work | at least | reached | range | MB/s |\n|---|---|---|---|---|---|");
    for row in rows::text_rows(ROUNDS) {
        let [least, reached, most] = row.reached;
        println!(
            "| {} | {} | {:.2} | {reached:.2} | {least:.2} to {most:.2} | {:.0} |",
            row.number, row.work, row.target, row.rate
        );
    }
}
