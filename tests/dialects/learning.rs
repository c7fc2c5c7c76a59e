//! Sources that are learned while a text is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::common::built_in;
use provstream::{Event, Parser, Source, Sources};
use testkit::reference::dialects::generate::case;
use testkit::reference::engine::Cuts;

/// A list that is absent at first, then complete, then learns more, and has nothing in the end. Clones share it.
#[derive(Clone, Debug, Default)]
struct Learning {
    version: Arc<AtomicUsize>,
    as_of: Option<usize>,
}

impl Sources for Learning {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        let known: &[&'static str] = match self.version() {
            0 => &[],
            1 => &["1", "4:0", "doc1", "0"],
            2 => &["1", "4:0", "doc1", "0", "2", "turn0search1"],
            3 => &[
                "1",
                "4:0",
                "doc1",
                "0",
                "2",
                "turn0search1",
                "3",
                "0-1",
                "12",
            ],
            // A version that lists nothing, which a copy must not be read with.
            _ => &[],
        };
        known
            .iter()
            .find(|known| **known == id)
            .map(|id| Source::new(id))
    }

    fn is_complete(&self) -> bool {
        self.version() == 1
    }

    fn is_absent(&self) -> bool {
        self.version() == 0
    }

    fn version(&self) -> usize {
        let now = self.version.load(Ordering::Relaxed);
        self.as_of.unwrap_or(now)
    }

    fn as_of(&self, version: usize) -> Option<Arc<dyn Sources>> {
        let mut earlier = self.clone();
        earlier.as_of = Some(version);
        Some(Arc::new(earlier))
    }
}

/// Events other than text, and the text without markers.
type Read = (Vec<Event<'static, bytes::Bytes>>, Vec<u8>);

/// Reads a text in pieces; the list learns before the bytes at these offsets.
fn read(
    parser: &mut Parser,
    text: &[u8],
    learns: &[usize],
    list: &Learning,
    random: &mut Cuts,
) -> Read {
    let mut read = Read::default();
    let mut sink = |event: Event<'_>| match event {
        Event::Text(text) => read.1.extend_from_slice(text.bytes()),
        other => read.0.push(other.into_owned()),
    };
    let mut at = 0;
    loop {
        for _ in learns.iter().filter(|learns| **learns == at) {
            list.version.fetch_add(1, Ordering::Relaxed);
        }
        if at == text.len() {
            break;
        }
        let next = learns.iter().copied().filter(|learns| *learns > at).min();
        let most = next.unwrap_or(text.len()) - at;
        let len = [1, 1 + random.below(9), most][random.below(3)].min(most);
        parser.push(&text[at..at + len], &mut sink);
        at += len;
    }
    parser.finish(&mut sink);
    read
}

#[test]
fn a_copy_is_compared_with_the_sources_of_its_text() {
    let mut changed = 0;
    for seed in 0..testkit::search::seeds(500) {
        let case = case(seed);
        let text: Vec<u8> = case.input.into_iter().flat_map(|part| part.bytes).collect();
        let dialects = built_in(&case.dialects);
        let mut random = Cuts(seed);
        let mut learns = [0; 3].map(|_| random.below(text.len() + 1));
        learns.sort_unstable();
        let list = Learning::default();
        let builder = Parser::builder().dialects(dialects);
        let mut parser = builder.sources(Arc::new(list.clone())).build();
        let first = read(&mut parser, &text, &learns, &list, &mut random);
        if seed.is_multiple_of(2) {
            // The text has ended: nothing that is learned changes it.
            list.version.fetch_add(1, Ordering::Relaxed);
            parser.push_break(|_: Event<'_>| {});
        }
        let mut plain = parser.clone();
        plain.reset();
        changed += u32::from(read(&mut plain, &text, &[], &list, &mut random) != first);
        for _ in 0..2 {
            let mut copy = parser.clone();
            copy.reset();
            copy.repeat_sources(&parser);
            let again = read(&mut copy, &text, &[], &list, &mut random);
            assert_eq!(
                again,
                first,
                "seed {seed}, {learns:?}: {:?}",
                String::from_utf8_lossy(&text)
            );
        }
    }
    assert!(changed > 50, "{changed}");
}
