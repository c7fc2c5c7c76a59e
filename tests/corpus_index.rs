//! The index of the corpus lists what there is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn the_index_lists_exactly_the_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/text");
    let index = fs::read_to_string(folder.join("INDEX.md")).expect("a readable index");
    let mut listed = BTreeSet::new();
    for row in index.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (name, rest) = row.split_once("` | ").expect("a case and its rule");
        assert!(rest.ends_with(" |") && rest.len() > 4, "{name} has a rule");
        assert!(listed.insert(name.to_owned()), "{name} is listed twice");
    }
    let (mut inputs, mut events) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(&folder).expect("a readable folder") {
        let file = entry.expect("a readable entry").file_name();
        let file = file.to_str().expect("a name in UTF-8");
        if let Some(name) = file.strip_suffix(".txt") {
            inputs.insert(name.to_owned());
        } else if let Some(name) = file.strip_suffix(".events.ndjson") {
            events.insert(name.to_owned());
        } else {
            assert_eq!(file, "INDEX.md", "a file that belongs to no case");
        }
    }
    let differ = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        a.symmetric_difference(b).cloned().collect::<Vec<_>>()
    };
    assert_eq!(differ(&inputs, &events), [""; 0], "input or events missing");
    assert_eq!(
        differ(&inputs, &listed),
        [""; 0],
        "not listed, or not there"
    );
    assert!(!listed.is_empty());
}
