//! The corpus, through the program: what it prints for each file is the file's expectation, however it is fed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{provstream, run};

fn inputs() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut inputs: Vec<PathBuf> = ["text", "transcripts"]
        .iter()
        .flat_map(|folder| fs::read_dir(corpus.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    inputs.sort();
    assert!(inputs.len() > 40, "the corpus is there");
    inputs
}

/// The files for which `extract` with these further arguments does not print what is expected.
fn failing(args: &[&str]) -> Vec<String> {
    let differs = |path: &PathBuf| {
        let output = provstream(&["extract", "--mode", "text"])
            .args(args)
            .arg(path)
            .output()
            .unwrap();
        let expected = fs::read(path.with_extension("events.ndjson")).unwrap();
        !output.status.success() || output.stdout != expected
    };
    inputs()
        .into_iter()
        .filter(differs)
        .map(|path| path.file_stem().unwrap().display().to_string())
        .collect()
}

#[test]
fn every_file_gives_its_events() {
    assert_eq!(failing(&[]), [""; 0]);
}

#[test]
fn every_file_gives_its_events_byte_by_byte() {
    assert_eq!(failing(&["--chunk-size", "1"]), [""; 0]);
}

#[test]
fn every_file_gives_its_events_in_pieces_of_seven_bytes() {
    assert_eq!(failing(&["--chunk-size", "7"]), [""; 0]);
}

#[test]
fn pieces_of_text_joined_are_what_strip_writes() {
    let is_slow = std::env::var_os("PROVSTREAM_SLOW").is_some_and(|value| value == "1");
    let sizes: &[&str] = if is_slow {
        &["1", "3", "1048576"]
    } else {
        &["3"]
    };
    for path in inputs() {
        let input = fs::read(&path).unwrap();
        let stripped = provstream(&["strip"]).arg(&path).output().unwrap().stdout;
        for size in sizes {
            let extracted = run(&["extract", "--text", "--chunk-size", size], &input);
            let mut text = String::new();
            let mut others = String::new();
            for line in extracted.stdout.lines() {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                if value["event"] == "text" {
                    text.push_str(value["text"].as_str().unwrap());
                } else {
                    others.push_str(line);
                    others.push('\n');
                }
            }
            let plain = run(&["extract"], &input).stdout;
            assert_eq!(
                text,
                String::from_utf8_lossy(&stripped),
                "{}",
                path.display()
            );
            assert_eq!(others, plain, "{}", path.display());
        }
    }
}

#[test]
fn clean_spans_are_places_in_what_strip_writes() {
    for path in inputs() {
        let stripped = provstream(&["strip"]).arg(&path).output().unwrap().stdout;
        let extracted = provstream(&["extract"]).arg(&path).output().unwrap().stdout;
        for line in String::from_utf8(extracted).unwrap().lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            if value["encoding"] == "bracket" {
                let offset = |name| value["clean_span"][name].as_u64().unwrap() as usize;
                let found = &stripped[offset("start")..offset("end")];
                assert_eq!(
                    String::from_utf8_lossy(found),
                    value["text"].as_str().unwrap(),
                    "{}",
                    path.display()
                );
            }
        }
    }
}
