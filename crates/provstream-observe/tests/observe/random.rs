//! Random bytes and random changes of sound input: nothing panics, and what is accepted is read back equal.

use provstream_observe::{Digest, Observation, Query, SubstrateQuery, Substrates, ToolLogReader};

use crate::noon;

/// Number of inputs of each search; `PROVSTREAM_SEEDS` sets another.
fn seeds() -> u64 {
    let seeds = std::env::var("PROVSTREAM_SEEDS").ok();
    seeds.and_then(|seeds| seeds.parse().ok()).unwrap_or(2000)
}

/// Generator of numbers (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).expect("a small number")
    }

    /// Random bytes, or a sample that is cut, repeated, or has other bytes in some places.
    fn bytes(&mut self, samples: &[&str]) -> Vec<u8> {
        if self.below(8) == 0 {
            return (0..self.below(200)).map(|_| self.next() as u8).collect();
        }
        let mut bytes = samples[self.below(samples.len())].as_bytes().to_vec();
        for _ in 0..self.below(6) {
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, self.next() as u8),
                2 if !bytes.is_empty() => bytes[at] = b"{}[]\",:\\0-e.1u/"[self.below(15)],
                3 => {
                    let piece = bytes[at..].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ => {
                    let other = samples[self.below(samples.len())].as_bytes();
                    let piece = &other[self.below(other.len())..];
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
            bytes.truncate(20_000);
        }
        bytes
    }
}

const CLASSES: [&str; 7] = [
    "substrate.git.log",
    "substrate.grep",
    "substrate.code.read",
    "substrate.fs.mtime",
    "substrate.mcp.brief",
    "substrate.do.sse-count",
    "substrate.unix.peercred",
];

const QUERIES: [&str; 9] = [
    r#"{"path":"src/a.rs","offset":7,"limit":1}"#,
    r#"{"path":"..\u002fa/./b\u0000","limit":9007199254740991}"#,
    r#"{"pattern":"(a|b)*c{1,9}","path":".","ignore_case":true,"limit":3}"#,
    r#"{"repository":".","reference":"HEAD~2^{tree}","path":"a","limit":2}"#,
    r#"{"repository":".","reference":"refs/heads/\ud83d\ude00"}"#,
    r#"{"url":"http://[::1]:80/","event":"x","seconds":60,"limit":1}"#,
    r#"{"service":"s","tool":"t","arguments":{"a":[1,2.5e-7,{"b":null}]}}"#,
    r#"{"path":"/proc/self/mem"}"#,
    r#"{"path":"é\u202e"}"#,
];

/// Canonical JSON is its own canonical form, and a query that a substrate knows is read back equal. Asking gives a result or an error.
#[test]
fn queries() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("a"), "one\ntwo\n").expect("written");
    let substrates = Substrates::open(dir.path()).expect("a root");
    for seed in 0..seeds() {
        let mut numbers = Numbers(seed);
        let bytes = numbers.bytes(&QUERIES);
        let text = String::from_utf8_lossy(&bytes);
        let Ok(query) = Query::parse(&text) else {
            continue;
        };
        assert_eq!(
            Query::parse(query.as_str()).as_ref(),
            Ok(&query),
            "seed {seed}: {text}"
        );
        for class in CLASSES {
            let Some(Ok(known)) = SubstrateQuery::parse(class, &query) else {
                continue;
            };
            let again = known.to_query().expect("a query");
            let read = SubstrateQuery::parse(class, &again).expect("a class");
            assert_eq!(read.as_ref(), Ok(&known), "seed {seed}: {text}");
            // Errors have one line.
            if let Err(error) = substrates.observe(&known) {
                assert!(
                    !error.to_string().contains('\n') || class == "substrate.grep",
                    "seed {seed}: {error}"
                );
            }
        }
    }
}

/// An id depends on the class, the query, the result and the time, and on nothing else; other ids are taken or refused.
#[test]
fn ids() {
    for seed in 0..seeds() {
        let mut numbers = Numbers(seed);
        let bytes = numbers.bytes(&QUERIES);
        let text = String::from_utf8_lossy(&bytes);
        let query = Query::parse(&text).unwrap_or_else(|_| Query::parse("{}").expect("a query"));
        let content = numbers.bytes(&["one\ntwo\n", ""]);
        let create =
            |content: &[u8]| Observation::new("substrate.grep", query.clone(), content, noon());
        let observation = create(&content).expect("an observation");
        let digest = observation.id().strip_prefix("sha256:").expect("a digest");
        assert_eq!(
            Digest::parse(digest)
                .map(|digest| digest.to_string())
                .as_deref(),
            Some(digest)
        );
        assert_eq!(
            create(&content)
                .expect("an observation")
                .without_content()
                .id(),
            observation.id()
        );
        let other = [&content[..], b"x"].concat();
        assert_ne!(
            create(&other).expect("an observation").id(),
            observation.id(),
            "seed {seed}"
        );
        if let Ok(named) = observation.with_id(&text) {
            assert_eq!(named.id(), text, "seed {seed}");
            assert!(
                !text.chars().any(char::is_control) && text.len() <= 938,
                "seed {seed}: {text:?}"
            );
        }
        assert_eq!(
            Digest::parse(&text).map(|digest| digest.to_string()),
            Digest::parse(&text).map(|_| text.to_string())
        );
    }
}

const LINES: [&str; 6] = [
    r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"c1","name":"Read","input":{"p":1}}]},"timestamp":"2026-05-28T11:40:00Z"}"#,
    r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":false,"content":[{"type":"text","text":"x"}]}]},"timestamp":"2026-05-28T11:40:00Z"}"#,
    r#"{"timestamp":"2026-05-28T11:40:00Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"a\":1}","call_id":"c1"}}"#,
    r#"{"timestamp":"2026-05-28T11:40:00Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":{"content":"x","success":true}}}"#,
    r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"endTimeUnixNano":"1779968400123456789","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"t"}},{"key":"gen_ai.tool.call.result","value":{"kvlistValue":{"values":[{"key":"n","value":{"intValue":"12"}}]}}}]}]}]}]}"#,
    r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"endTimeUnixNano":1,"status":{"code":2},"attributes":[{"key":"gen_ai.tool.call.arguments","value":{"arrayValue":{"values":[]}}}]}]}]}]}"#,
];

/// A log is read to its end; each result is an observation that has its text, or an error.
#[test]
fn logs() {
    for seed in 0..seeds() {
        let mut numbers = Numbers(seed);
        let mut reader = ToolLogReader::new();
        for _ in 0..6 {
            let line = numbers.bytes(&LINES);
            for result in reader.line(&line).into_iter().flatten() {
                if let Ok(observation) = result.observation("substrate.grep") {
                    assert_eq!(
                        observation.result(),
                        Digest::of(result.content.as_bytes()),
                        "seed {seed}"
                    );
                    assert!(
                        result.call_id.is_none_or(|id| id == observation.id()),
                        "seed {seed}"
                    );
                }
            }
        }
    }
}
