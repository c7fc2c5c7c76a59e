//! Content blocks and choices whose events come among those of others: each text stays in its block or choice.

use testkit::wire::generate::Random;
use testkit::wire::interleaved;

#[test]
fn each_text_of_interleaved_blocks_stays_in_its_block() {
    for seed in 0..testkit::search::seeds(1000) {
        interleaved::check(&mut Random::new(seed));
    }
}
