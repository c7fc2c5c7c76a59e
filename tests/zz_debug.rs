//! x
mod reference;
use reference::{engine::*, *};
use provstream::extract::sentence::last_sentence;
#[test]
fn dbg() {
    let seed: u64 = std::env::var("SEED").unwrap().parse().unwrap();
    let input = generate::input(seed);
    let limits = generate::limits(seed);
    let v = RefVocabulary::default();
    let all: Vec<u8> = input.iter().flat_map(|s| s.bytes.clone()).collect();
    let exp = canonical(events(&input, &limits, &v, &last_sentence));
    let mut p = parser(&limits, &v);
    let found = run(&mut p, &input, |_| 1);
    let at = exp.iter().zip(&found).take_while(|(a, b)| a == b).count();
    println!("exp {:?}\nfound {:?}", &exp[at.saturating_sub(1)..exp.len().min(at+2)], &found[at.saturating_sub(1)..found.len().min(at+2)]);
    let pos: usize = std::env::var("POS").unwrap().parse().unwrap();
    println!("{:?} | {:?}", String::from_utf8_lossy(&all[pos.saturating_sub(200)..pos]), String::from_utf8_lossy(&all[pos..(pos+120).min(all.len())]));
}
