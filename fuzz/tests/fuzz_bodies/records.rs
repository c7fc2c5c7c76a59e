//! The generator of records makes what the body `marc_sequence` is for.

use std::collections::BTreeMap;

use provstream::MarcKind;
use provstream_fuzz::{Body, choices};
use provstream_marc::Document;
use testkit::marc::sequence::{Parent, Record, Sequence};

/// Made streams of up to 200 choices.
const STREAMS: u64 = 1_000;

/// The records of a made stream that the model reads.
fn records(seed: u64) -> Vec<Record> {
    let body = Body::named("marc_sequence").expect("a body of that name");
    let choices = choices(seed, 1 + (seed % 200) as usize);
    let input = body.expand(&choices);
    let documents = input.split(|&byte| byte == b'\n').map(Document::parse);
    let records = documents.flatten().filter_map(|document| {
        let is_record = document.kind() == Some(MarcKind::Core);
        is_record.then(|| Record::of(&document)).flatten()
    });
    records.collect()
}

/// Every violation is in many streams, and so is a maximum from two generations back or more that decides.
#[test]
fn every_fault_between_records_is_frequent() {
    let mut streams: BTreeMap<_, u32> = BTreeMap::new();
    for seed in 0..STREAMS {
        let mut model = Sequence::default();
        let mut found = Vec::new();
        let mut without_maximum = Vec::new();
        for record in records(seed) {
            let wrong = model.check(record.clone());
            let (code, own) = ("iteration-above-maximum", "/max_iterations");
            let is_above = wrong.iter().any(|&(one, at)| one == code && at != own);
            if let (true, None, Parent::Named(id)) =
                (is_above, record.max_iterations, &record.parent)
                && without_maximum.contains(id)
            {
                found.push(("from two generations back", ""));
            }
            found.extend(wrong);
            without_maximum.retain(|known| Some(known) != record.id.as_ref());
            without_maximum.extend(record.id.filter(|_| record.max_iterations.is_none()));
        }
        if !model.open().is_empty() {
            found.push(("open-loop", "/decision_id"));
        }
        found.sort_unstable();
        found.dedup();
        for one in found {
            *streams.entry(one).or_default() += 1;
        }
    }
    assert_eq!(streams.len(), 9, "{streams:?}");
    assert!(streams.values().all(|&count| count > 100), "{streams:?}");
}
