//! Calls that a handler receives, and its replacements.

use std::collections::BTreeMap;

use provstream::Parser;
use provstream_providers::{Channel, Decoder, StreamRewriter};
use testkit::wire::fixtures::{Read, own};

use super::Links;
use testkit::wire::output::any;

#[test]
fn a_sink_replaces_annotations_everywhere_and_is_told_of_each_channel() {
    let own = own();
    let fixture = own
        .iter()
        .find(|fixture| fixture.name == "openai-responses.annotated.sse")
        .expect("a stream");
    let mut links = Links::default();
    let mut rewriter = StreamRewriter::detect(Parser::new());
    for chunk in fixture.bytes.chunks(7) {
        rewriter.push(chunk, any(&mut links));
    }
    rewriter.finish(any(&mut links));
    let texts = [
        (
            Channel::with_part(1, 0),
            b"The build is green. (substrate.grep) It is tagged. (substrate.git.log)".to_vec(),
        ),
        (
            Channel::with_part(1, 1),
            b"A second part. (substrate.code.read) [".to_vec(),
        ),
    ];
    assert_eq!(links.text, BTreeMap::from(texts.clone()));
    let read = Read::of(Decoder::detect(), &links.out, 64);
    for (channel, text) in &texts {
        assert_eq!(read.texts[channel].as_bytes(), text);
    }
    let out = String::from_utf8(links.out).expect("UTF-8");
    for (_, text) in texts {
        let text = String::from_utf8(text).expect("UTF-8");
        assert_eq!(out.matches(&format!("\"text\":\"{text}\"")).count(), 4);
    }
    let repeated = links
        .places
        .iter()
        .filter(|(_, is_repeated)| *is_repeated)
        .count();
    assert_eq!(
        (links.places.len(), repeated, links.assertions),
        (15, 12, 3)
    );
    assert_eq!(links.items.len(), 3, "{:?}", links.items);
}
