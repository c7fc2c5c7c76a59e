//! Texts that a decoder reads from a response.

use std::collections::BTreeMap;

use provstream_providers::{Decoder, Item};

/// Collects the text of each channel and member.
pub fn texts(mut decoder: Decoder, stream: &[u8]) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::<_, String>::new();
    let mut take = |item: Item<'_>| {
        if let Item::Text(delta) = item {
            let name = match delta.member() {
                Some(member) => format!("{} {member}", delta.channel()),
                None => delta.channel().to_string(),
            };
            let text = texts.entry(name).or_default();
            text.push_str(delta.text());
        }
    };
    decoder.push(stream, &mut take);
    decoder.finish(&mut take);
    texts
}
