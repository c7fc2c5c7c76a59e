//! The files of a crate, and which of them imports which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path as FilePath, PathBuf};

use super::paths::{Path, Source};
use super::tokens::tokens;

/// The files of a crate by their paths below `src/`, without `.rs` and `/mod`, and the files each imports.
pub(super) type Imports = BTreeMap<String, BTreeSet<String>>;

/// A crate's modules that are files of their own.
#[derive(Default)]
pub(super) struct Modules(BTreeMap<Path, Source>);

impl Modules {
    /// Reads the crate with this root file and all that it declares.
    pub(super) fn of_crate(root: &FilePath) -> Self {
        let mut all = Self::default();
        let folder = root.parent().expect("a file is in a folder");
        all.read(Path::new(), root, folder);
        all
    }

    /// Reads a module; `folder` is where the files of its children are.
    fn read(&mut self, path: Path, file: &FilePath, folder: &FilePath) {
        // A module with a `#[path]` is a file of another package's.
        let text = fs::read_to_string(file).unwrap_or_default();
        let source = Source::read(&tokens(&text));
        for child in &source.modules {
            let below: PathBuf = folder.join(child);
            let flat = below.with_extension("rs");
            let file = if flat.exists() {
                flat
            } else {
                below.join("mod.rs")
            };
            let path = [&*path, std::slice::from_ref(child)].concat();
            self.read(path, &file, &below);
        }
        self.0.insert(path, source);
    }

    /// Lists the imports between files, without the crate root, which declares and re-exports and
    /// which nothing imports.
    pub(super) fn imports(&self) -> Imports {
        let mut all = Imports::new();
        for (module, source) in self.0.iter().filter(|(module, _)| !module.is_empty()) {
            let uses = source.imports.iter().map(|(_, path)| path);
            let targets = uses
                .chain(&source.paths)
                .filter_map(|path| self.file_of(module, path, 0))
                .filter(|target| target != module && !target.is_empty());
            let targets = targets.map(|target| target.join("/")).collect();
            all.insert(module.join("/"), targets);
        }
        all
    }

    /// The module that has what a path in a module names; `None` for another crate's, and for what is none of ours.
    fn file_of(&self, module: &[String], path: &[String], depth: usize) -> Option<Path> {
        // Re-exports of each other would never end; the compiler refuses them.
        if depth > 16 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.below(&[], rest, depth),
            "self" => self.below(module, rest, depth),
            "super" => {
                let (_, parent) = module.split_last()?;
                let mut steps = vec!["self".to_owned()];
                steps.extend_from_slice(rest);
                if rest.first().is_some_and(|next| next == "super") {
                    return self.file_of(parent, rest, depth + 1);
                }
                self.file_of(parent, &steps, depth + 1)
            }
            name => {
                let source = &self.0[module];
                let known = source.modules.iter().any(|child| child == name);
                known.then(|| self.below(module, path, depth)).flatten()
            }
        }
    }

    /// The module that has what a path from a module on names.
    fn below(&self, module: &[String], path: &[String], depth: usize) -> Option<Path> {
        let source = self.0.get(module)?;
        let Some((name, rest)) = path.split_first() else {
            return Some(module.to_vec());
        };
        if source.modules.contains(name) {
            return self.below(&[module, std::slice::from_ref(name)].concat(), rest, depth);
        }
        if source.items.contains(name) {
            return Some(module.to_vec());
        }
        let named = source.imports.iter().find(|(known, _)| known == name);
        if let Some((_, import)) = named {
            return self.file_of(module, &[import, rest].concat(), depth + 1);
        }
        for (_, glob) in source.imports.iter().filter(|(known, _)| known == "*") {
            let from = [&glob[..glob.len() - 1], path].concat();
            if let Some(found) = self.file_of(module, &from, depth + 1) {
                return Some(found);
            }
        }
        Some(module.to_vec())
    }
}

/// Groups of files that import each other in a circle, each group sorted.
pub(super) fn cycles(imports: &Imports) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = imports
        .keys()
        .map(|file| (file, reached_from(imports, file)))
        .collect();
    let mut groups = BTreeSet::new();
    for file in imports.keys().filter(|file| reached[file].contains(file)) {
        let group = reached[file]
            .iter()
            .filter(|other| reached[**other].contains(file));
        groups.insert(group.map(|&other| other.clone()).collect::<Vec<_>>());
    }
    groups.into_iter().collect()
}

fn reached_from<'a>(imports: &'a Imports, file: &str) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = imports[file].iter().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(&imports[next]);
        }
    }
    reached
}

#[test]
fn circles_are_found_and_trees_are_not() {
    let imports = |edges: &[(&str, &[&str])]| -> Imports {
        let sets = edges.iter().map(|(file, targets)| {
            let targets = targets.iter().map(|&target| target.to_owned()).collect();
            ((*file).to_owned(), targets)
        });
        sets.collect()
    };
    let tree = imports(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
    assert!(cycles(&tree).is_empty());
    let circle = imports(&[
        ("a", &["b"]),
        ("b", &["c"]),
        ("c", &["b"]),
        ("d", &["d", "a"]),
    ]);
    assert_eq!(cycles(&circle), [vec!["b", "c"], vec!["d"]]);
}
