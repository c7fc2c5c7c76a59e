//! Recorded and handwritten event streams with the expected text of their channels.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use provstream_providers::{Channel, Decoder, Format, Item};

/// A stream with the expected text of each channel, from the `.text.json` file beside it.
pub struct Fixture {
    pub name: String,
    pub format: Format,
    pub bytes: Vec<u8>,
    pub texts: BTreeMap<Channel, String>,
}

/// Reads the streams of the repository.
pub fn own() -> Vec<Fixture> {
    let found = folder(&crate::root().join("corpus/wire"));
    assert!(found.len() >= 33, "{} streams", found.len());
    found
}

/// Reads the recorded streams beside the repository; prints a note and returns none where they are
/// missing.
pub fn shared() -> Vec<Fixture> {
    let path = crate::root().join("../shared/streams");
    if !path.is_dir() {
        println!("SKIPPED: no recorded streams in {}", path.display());
        return Vec::new();
    }
    let found = folder(&path);
    assert!(!found.is_empty());
    found
}

/// Reads all streams.
pub fn all() -> Vec<Fixture> {
    let mut all = own();
    all.extend(shared());
    all
}

fn folder(path: &Path) -> Vec<Fixture> {
    let entries = fs::read_dir(path).expect("a readable folder");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    let mut found: Vec<_> = paths.filter_map(|path| fixture(&path)).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn fixture(path: &Path) -> Option<Fixture> {
    let name = path.file_name()?.to_str()?.to_owned();
    let stem = PathBuf::from(path).with_extension("text.json");
    if name.ends_with(".text.json") || !stem.exists() {
        return None;
    }
    let texts: BTreeMap<String, String> =
        serde_json::from_slice(&fs::read(stem).expect("readable")).expect("texts");
    Some(Fixture {
        format: name.split('.').next()?.parse().expect("a format"),
        bytes: fs::read(path).expect("a readable stream"),
        texts: texts
            .into_iter()
            .map(|(channel, text)| (channel.parse().expect("a channel"), text))
            .collect(),
        name,
    })
}

/// Result of decoding a stream: the text of each channel, and the other items in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub texts: BTreeMap<Channel, String>,
    pub reasoning: BTreeMap<Channel, String>,
    pub tool_calls: BTreeMap<Channel, String>,
    pub rest: Vec<String>,
}

impl Read {
    /// Adds an item.
    pub fn take(&mut self, item: &Item<'_>) {
        let mut add = |texts: fn(&mut Self) -> &mut BTreeMap<Channel, String>, channel, text| {
            assert_ne!(text, "");
            let texts: &mut BTreeMap<Channel, String> = texts(self);
            texts.entry(channel).or_default().push_str(text);
        };
        match item {
            Item::Text(delta) => {
                add(|read| &mut read.texts, delta.channel(), delta.text());
            }
            Item::Reasoning(delta) => {
                add(|read| &mut read.reasoning, delta.channel(), delta.text());
            }
            Item::ToolCall(delta) => {
                add(|read| &mut read.tool_calls, delta.channel(), delta.text());
            }
            Item::Other(_) => {}
            Item::Break(channel) => self.rest.push(format!("break {channel}")),
            Item::ChannelEnd(channel) => self.rest.push(format!("end {channel}")),
            Item::Error(message) => self.rest.push(format!("error {message}")),
            Item::End => self.rest.push("end".into()),
            Item::Notice(notice) => self.rest.push(notice.to_string()),
            other => panic!("{other:?}"),
        }
    }

    /// Decodes a stream in chunks of `size` bytes.
    pub fn of(mut decoder: Decoder, stream: &[u8], size: usize) -> Self {
        let mut read = Self::default();
        for chunk in stream.chunks(size.max(1)) {
            decoder.push(chunk, |item| read.take(&item));
        }
        decoder.finish(|item| read.take(&item));
        read
    }
}

/// Chunk sizes in which streams are decoded, in bytes; the last one stands for a single chunk.
pub const SIZES: [usize; 4] = [1, 7, 64, usize::MAX];
