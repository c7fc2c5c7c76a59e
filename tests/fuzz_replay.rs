//! The fuzz targets over the corpus and over generated inputs, without any fuzzer.

#[path = "../fuzz/src/lib.rs"]
#[allow(
    unreachable_pub,
    reason = "the module is a library of its own, whose binaries use what is public"
)]
mod bodies;

use std::fs;
use std::path::Path;

use bodies::{Body, Case, TARGETS};

/// Generated inputs a target gets besides the corpus.
const GENERATED: u64 = 300;

/// The cases of the corpus, its regressions included.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in ["text", "transcripts", "json"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(folder);
        for entry in fs::read_dir(folder).expect("a corpus folder") {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let name = name.into_owned();
            let is_case = [".txt", ".json", ".lines"]
                .iter()
                .any(|end| name.ends_with(end));
            if is_case {
                found.push((name, fs::read(&path).expect("a readable case")));
            }
        }
    }
    assert!(found.len() > 150);
    found.sort();
    found
}

/// What a fuzzer might come up with: bytes that mean something, some of them damaged, and settings in front.
fn generated(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    const PIECES: [&[u8]; 64] = [
        b"[",
        b"]",
        b"[substrate.grep]",
        b"[substrate.grep; observation-id=\"a]\\\"\"; ts=2026-05-28T11:40:00Z]",
        b"; ts=",
        b"substrate.",
        b"[note",
        b"\\",
        b"`",
        b"```\n",
        b"\n~~~\n",
        b"\n> ",
        b"\n- ",
        b"\n\n",
        b" ",
        b"  \t",
        b"| a |",
        b". ",
        b"It is so. ",
        "\u{3002}".as_bytes(),
        "\u{2019} ".as_bytes(),
        "\u{3000}".as_bytes(),
        b"\xFE",
        b"\xE2\x80",
        b"\xFF",
        b"\0",
        b"version = \"1.1\"\n",
        b"[[class]]\n",
        b"id = \"substrate.x\"\n",
        b"since = \"1.1\"\n",
        b"# h\n",
        b"\r\n",
        b"{",
        b"}",
        b"\"",
        b":",
        b",",
        b"{\"",
        b"[{",
        b"\":\"",
        b"\",\"",
        b"\"}",
        b"}]",
        b"{\"a\":",
        b"{\"assertion\":\"It is so.\"}",
        b"{\"assertion\":\"x\",\"provenance\":",
        b"\"assertion\":",
        b"\"provenance\":[",
        b"{\"substrate_class\":\"substrate.grep\",\"ts\":\"2026-05-28T11:40:00Z\"}",
        b"\"substrate_class\":\"",
        b"\"observation_id\":\"\\u00e9",
        b"\"observation-id\":null,",
        b"\"ts\":\"now\",",
        b"{\"marc_version\":\"1.0\"}",
        b"{\"answer\":1,\"confidence_band\":2,\"uncertainty_source\":3}",
        b"\"marc_version\":1,",
        b"\\uD83D\\uDE00",
        b"\\n",
        b"null",
        b"-1.5e3",
        b"tru",
        b"\n",
        b"\n```json\n",
        "\u{feff}".as_bytes(),
    ];
    let mut bytes = Vec::new();
    if below(2) == 0 {
        bytes.push(0xFF);
        bytes.push(below(8) as u8);
        bytes.extend((0..11).map(|_| if below(3) == 0 { 0 } else { below(120) as u8 }));
    }
    for _ in 0..below(60) {
        let times = if below(20) == 0 { below(40) } else { 1 };
        bytes.extend(PIECES[below(PIECES.len())].repeat(times));
    }
    for _ in 0..below(4) {
        if !bytes.is_empty() {
            let at = below(bytes.len());
            bytes[at] = below(256) as u8;
        }
    }
    bytes
}

/// Runs a target over everything, so that the input that breaks it is named.
fn replay(name: &str) {
    let (_, body): (&str, Body) = TARGETS
        .into_iter()
        .find(|(known, _)| *known == name)
        .expect("a target of that name");
    let run = |what: &str, data: &[u8]| {
        let outcome = std::panic::catch_unwind(|| body(data));
        assert!(
            outcome.is_ok(),
            "{name} on {what}: {}\n{:?}",
            data.escape_ascii(),
            Case::new(data)
        );
    };
    for (what, data) in corpus() {
        run(&what, &data);
        for how in 0..8 {
            let small = [40, 30, 2, 20, 3, 12, 60];
            for (sizes, seed) in [([0; 7], how), (small, 3 - how % 4)] {
                let settings = [&[0xFF, how], &sizes[..], &[seed, 0, 0, 0]].concat();
                let what = format!("{what} with {settings:?} in front");
                run(&what, &[&settings, &data[..]].concat());
            }
        }
    }
    for seed in 0..GENERATED {
        run(&format!("seed {seed}"), &generated(seed));
    }
}

/// A test for each target.
macro_rules! replays {
    ($($name:ident),+) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )+

        #[test]
        fn every_target_is_replayed() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($name)),+]);
        }
    };
}

replays!(
    no_panic,
    chunk_invariance,
    reference,
    conservation,
    rewrite,
    writers,
    vocabulary_file,
    memory
);
