//! Promises about input that is read: queries, ids and logs, for the searches of `random.rs` and the fuzzers of `fuzz/`.

use std::sync::LazyLock;

use provstream::provenance::{Timestamp, Vocabulary};
use provstream_observe::{Digest, Observation, Query, SubstrateQuery, Substrates, ToolLogReader};
use tempfile::TempDir;

/// A folder with a file, and the substrates that are confined to it.
static ROOT: LazyLock<(TempDir, Substrates)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("a"), "one\ntwo\n").expect("written");
    let substrates = Substrates::open(dir.path()).expect("a root");
    (dir, substrates)
});

/// Checks that canonical JSON is its own canonical form, that a query that a substrate knows is read back equal, and that asking
/// gives a result or an error.
pub(crate) fn query(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(query) = Query::parse(&text) else {
        return;
    };
    assert_eq!(Query::parse(query.as_str()).as_ref(), Ok(&query), "{text}");
    for (class, _) in Vocabulary::memo().classes() {
        let class = class.as_str();
        let Some(Ok(known)) = SubstrateQuery::parse(class, &query) else {
            continue;
        };
        let again = known.to_query().expect("a query");
        let read = SubstrateQuery::parse(class, &again).expect("a class");
        assert_eq!(read.as_ref(), Ok(&known), "{text}");
        // Errors have one line.
        if let Err(error) = ROOT.1.observe(&known) {
            let is_line = !error.to_string().contains('\n') || class == "substrate.grep";
            assert!(is_line, "{error}");
        }
    }
}

/// Checks that an id depends on the query and the result, and that other ids are taken or refused: the text up to the first zero
/// byte is the query or the id, what follows it is the result.
pub(crate) fn id(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |&byte| byte == 0);
    let text = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let content = parts.next().unwrap_or_default();
    let query = Query::parse(&text).unwrap_or_else(|_| Query::parse("{}").expect("a query"));
    let noon = Timestamp::parse("2026-05-28T12:00:00Z").expect("a time");
    let create = |content: &[u8]| {
        let observation = Observation::new("substrate.grep", query.clone(), content, noon);
        observation.expect("an observation")
    };
    let observation = create(content);
    let digest = observation.id().strip_prefix("sha256:").expect("a digest");
    let read = Digest::parse(digest).map(|digest| digest.to_string());
    assert_eq!(read.as_deref(), Some(digest));
    assert_eq!(create(content).without_content().id(), observation.id());
    let other = [content, b"x"].concat();
    assert_ne!(create(&other).id(), observation.id());
    if let Ok(named) = observation.with_id(&text) {
        assert_eq!(named.id(), text);
        let is_line = !text.chars().any(char::is_control) && text.len() <= 938;
        assert!(is_line, "{text:?}");
    }
    if let Some(digest) = Digest::parse(&text) {
        assert_eq!(digest.to_string(), text);
    }
}

/// Checks that a log is read to its end, and that each result is an observation that has its text, or an error.
pub(crate) fn log(bytes: &[u8]) {
    let mut reader = ToolLogReader::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        for result in reader.line(line).into_iter().flatten() {
            if let Ok(observation) = result.observation("substrate.grep") {
                let digest = Digest::of(result.content.as_bytes());
                assert_eq!(observation.result(), digest);
                assert!(result.call_id.is_none_or(|id| id == observation.id()));
            }
        }
    }
}
