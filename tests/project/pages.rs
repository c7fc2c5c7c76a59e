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
    let folders = [
        "",
        "docs",
        "bindings/c",
        "bindings/javascript",
        "bindings/python",
    ]
    .map(|folder| root.join(folder));
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

/// Contents of the Rust files at a path of the library and of each package.
fn in_packages(path: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = fs::read_dir(root.join("crates")).expect("a readable folder");
    let packages = packages.map(|entry| entry.expect("a readable entry").path());
    let paths = packages.chain([root.into()]).map(|home| home.join(path));
    let files = paths.flat_map(|path| match fs::read_dir(&path) {
        Ok(entries) => entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect(),
        Err(_) => vec![path],
    });
    files
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect()
}

/// Returns a program without the comment at its start.
fn without_header(program: &str) -> String {
    let lines = program.split_inclusive('\n');
    let rest = lines.skip_while(|line| line.starts_with("//!") || line.trim().is_empty());
    rest.collect()
}

#[test]
fn rust_blocks_compile_as_they_are_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crate_docs = in_packages("src/lib.rs");
    // CI builds the examples.
    let examples: Vec<_> = in_packages("examples")
        .iter()
        .map(|program| without_header(program))
        .collect();
    let (mut all, mut wrong) = (0, Vec::new());
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a readable page");
        let name = path.strip_prefix(root).expect("a path below the root");
        let name = name.display();
        let blocks = rust_blocks(&page);
        all += blocks.len();
        wrong.extend(faults(&page).iter().map(|fault| format!("{name}, {fault}")));
        let are_run = crate_docs.iter().any(|docs| {
            let path = ["../", "../../../"].map(|up| format!("include_str!(\"{up}{name}\")"));
            path.iter().any(|path| docs.contains(path))
        });
        let is_example = |block: &Block| examples.contains(&block.text);
        if !are_run && !blocks.iter().all(is_example) {
            wrong.push(format!(
                "{name}: no src/lib.rs runs its blocks as doctests, and they are not examples"
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
