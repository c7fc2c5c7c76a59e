//! The Rust blocks of the Markdown pages: each is a program that compiles as a reader copies it.

use std::fs;
use std::path::{Path, PathBuf};

/// A Rust block of a page.
struct Block {
    /// Of its first line, from 1.
    line: usize,
    /// Info string after the three backticks, such as `rust`.
    tag: String,
    text: String,
}

/// The Rust blocks of a page in Markdown.
fn rust_blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().zip(1..);
    while let Some((opening, line)) = lines.next() {
        let Some(tag) = opening.strip_prefix("```") else {
            continue;
        };
        let content = lines.by_ref().take_while(|(line, _)| *line != "```");
        let text: String = content.map(|(line, _)| format!("{line}\n")).collect();
        if tag.split(',').next() == Some("rust") {
            let (line, tag) = (line + 1, tag.to_owned());
            blocks.push(Block { line, tag, text });
        }
    }
    blocks
}

/// The pages at the root, in `docs/` and beside the packages.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = |folder: PathBuf| {
        let entries = fs::read_dir(folder).expect("a readable folder");
        entries.map(|entry| entry.expect("a readable entry").path())
    };
    let packages = entries(root.join("crates")).filter(|path| path.is_dir());
    let folders = ["", "docs", "bindings/python"].map(|folder| root.join(folder));
    let files = folders.into_iter().chain(packages).flat_map(entries);
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    files.filter(is_page).collect()
}

/// Lists the faults of the Rust blocks of a page.
fn faults(page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for block in rust_blocks(page) {
        let mut fault = |line: usize, what: &str| faults.push(format!("line {line}: {what}"));
        // rustdoc hides such a line and compiles it; a page in Markdown shows it, and rustc refuses it.
        for (text, line) in block.text.lines().zip(block.line..) {
            let text = text.trim_start();
            if text == "#" || text.starts_with("# ") {
                fault(line, "a line for rustdoc alone");
            }
        }
        if !block.text.contains("fn main()") {
            fault(block.line, "a block without `fn main()`");
        }
        if block.tag != "rust" {
            fault(block.line, "a block that is not compiled and run");
        }
    }
    faults
}

#[test]
fn rust_blocks_compile_as_they_are_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crate_docs = fs::read_to_string(root.join("src/lib.rs")).expect("a readable file");
    let (mut all, mut wrong) = (0, Vec::new());
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a readable page");
        let name = path.strip_prefix(root).expect("a path below the root");
        let name = name.display();
        let blocks = rust_blocks(&page).len();
        all += blocks;
        wrong.extend(faults(&page).iter().map(|fault| format!("{name}, {fault}")));
        if blocks > 0 && !crate_docs.contains(&format!("include_str!(\"../{name}\")")) {
            wrong.push(format!(
                "{name}: src/lib.rs does not run its blocks as doctests"
            ));
        }
    }
    assert!(all >= 9, "{all} blocks were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn faults_of_a_block_are_found() {
    let page = "# Page\n\n```sh\n# a comment\n```\n\n```rust\nfn main() {\n    # let x = 1;\n#\n    #[cfg(x)]\n}\n```\n";
    let hidden = "a line for rustdoc alone";
    assert_eq!(
        faults(page),
        [9, 10].map(|line| format!("line {line}: {hidden}"))
    );
    let page = "```rust,ignore\nlet x = 1;\n```\n";
    let expected = [
        "line 2: a block without `fn main()`",
        "line 2: a block that is not compiled and run",
    ];
    assert_eq!(faults(page), expected);
}
