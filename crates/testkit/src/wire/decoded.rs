//! What a decoder reads of a response.

use std::collections::BTreeMap;

use provstream_providers::{Channel, Decoder, Item};

/// The text of each channel.
pub fn texts(mut decoder: Decoder, stream: &[u8]) -> BTreeMap<Channel, String> {
    let mut texts = BTreeMap::<_, String>::new();
    let mut take = |item: Item<'_>| {
        if let Item::Text(delta) = item {
            let text = texts.entry(delta.channel()).or_default();
            text.push_str(delta.text());
        }
    };
    decoder.push(stream, &mut take);
    decoder.finish(&mut take);
    texts
}
