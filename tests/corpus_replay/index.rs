//! The indexes of the corpus list what there is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A folder of the corpus, with the naming of its cases.
struct Folder {
    path: &'static str,
    /// The ends that inputs have.
    ends: &'static [&'static str],
    /// The index lists cases with their file extension.
    with_end: bool,
    /// Files that are no cases.
    others: &'static [&'static str],
}

fn check(folder: &Folder) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder.path);
    let index = fs::read_to_string(path.join("INDEX.md")).expect("a readable index");
    let mut listed = BTreeSet::new();
    for row in index.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (name, rest) = row.split_once("` | ").expect("a case and its rule");
        assert!(rest.ends_with(" |") && rest.len() > 4, "{name} has a rule");
        assert!(listed.insert(name.to_owned()), "{name} is listed twice");
    }
    let (mut inputs, mut stems, mut events) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(&path).expect("a readable folder") {
        let file = entry.expect("a readable entry").file_name();
        let file = file.to_str().expect("a name in UTF-8");
        let stem = |end: &&str| file.strip_suffix(end);
        if let Some(name) = file.strip_suffix(".events.ndjson") {
            events.insert(name.to_owned());
        } else if let Some(name) = folder.ends.iter().find_map(stem) {
            assert!(stems.insert(name.to_owned()), "two inputs are named {name}");
            inputs.insert(if folder.with_end { file } else { name }.to_owned());
        } else {
            let known = file == "INDEX.md" || folder.others.contains(&file);
            assert!(known, "{file} belongs to no case");
        }
    }
    let differ = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        a.symmetric_difference(b).cloned().collect::<Vec<_>>()
    };
    assert_eq!(differ(&stems, &events), [""; 0], "input or events missing");
    assert_eq!(
        differ(&inputs, &listed),
        [""; 0],
        "not listed, or not there"
    );
    assert!(!listed.is_empty());
}

#[test]
fn the_index_of_breaks_lists_exactly_the_cases() {
    check(&Folder {
        path: "corpus/breaks",
        ends: &[".txt"],
        with_end: false,
        others: &[],
    });
}

#[test]
fn the_index_of_text_lists_exactly_the_cases() {
    check(&Folder {
        path: "corpus/text",
        ends: &[".txt"],
        with_end: false,
        others: &[],
    });
}

#[test]
fn the_index_of_json_lists_exactly_the_cases() {
    check(&Folder {
        path: "corpus/json",
        ends: &[".json", ".lines", ".txt"],
        with_end: true,
        others: &["conformance.toml"],
    });
}
