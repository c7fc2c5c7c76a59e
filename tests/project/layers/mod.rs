//! Imports go down the layers that ARCHITECTURE.md lists, and never in a circle; the engine links few packages.

mod modules;
mod paths;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use modules::{Imports, Modules, cycles};

/// Packages that `cargo build -p provstream` compiles at most, itself included.
const MOST_PACKAGES: usize = 12;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Layers from the top down, each a list of names.
struct Layers(Vec<Vec<String>>);

impl Layers {
    /// The block of ARCHITECTURE.md that opens with this line.
    fn read(heading: &str) -> Self {
        let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a readable page");
        let block = page.split_once(&format!("\n```{heading}\n"));
        let (_, block) =
            block.unwrap_or_else(|| panic!("ARCHITECTURE.md has no block `{heading}`"));
        let (block, _) = block.split_once("\n```").expect("the block ends");
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        Self(block.lines().map(words).collect())
    }

    fn names(&self) -> BTreeSet<&str> {
        self.0.iter().flatten().map(String::as_str).collect()
    }

    /// The number of the layer and the name there that a file is listed under: the longest that the file's path begins with.
    fn of(&self, file: &str) -> Option<(usize, &str)> {
        let layers = self.0.iter().enumerate();
        let names = layers
            .flat_map(|(number, names)| names.iter().map(move |name| (number, name.as_str())));
        let is_in = |name: &str| {
            file.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        names
            .filter(|(_, name)| is_in(name))
            .max_by_key(|(_, name)| name.len())
    }

    /// Describes why an import breaks the layering, `None` if it does not.
    fn fault(&self, from: &str, to: &str) -> Option<String> {
        let Some((upper, from_name)) = self.of(from) else {
            return Some(format!("{from} is in no layer of ARCHITECTURE.md"));
        };
        let Some((lower, to_name)) = self.of(to) else {
            return Some(format!("{to} is in no layer of ARCHITECTURE.md"));
        };
        let is_down = from_name == to_name || upper < lower;
        (!is_down).then(|| format!("{from} imports {to}, which is not in a lower layer"))
    }

    fn faults(&self, imports: &Imports) -> Vec<String> {
        let edges = imports
            .iter()
            .flat_map(|(from, targets)| targets.iter().map(move |to| (from, to)));
        edges
            .filter_map(|(from, to)| self.fault(from, to))
            .collect()
    }
}

/// The packages of the workspace: the name, the folder, and which of the others it depends on, tests aside.
fn packages() -> BTreeMap<String, (PathBuf, BTreeSet<String>)> {
    let read = |folder: &Path| -> toml::Table {
        let file = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        file.parse().expect("the manifest is TOML")
    };
    let manifest = read(root());
    let members = manifest["workspace"]["members"].as_array().expect("a list");
    let folders = members
        .iter()
        .map(|member| root().join(member.as_str().expect("a path")));
    let read: Vec<_> = folders.map(|folder| (read(&folder), folder)).collect();
    let name = |manifest: &toml::Table| {
        manifest["package"]["name"]
            .as_str()
            .expect("a name")
            .to_owned()
    };
    let known: BTreeSet<String> = read.iter().map(|(manifest, _)| name(manifest)).collect();
    let of = |(manifest, folder): &(toml::Table, PathBuf)| {
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        let names = dependencies
            .into_iter()
            .flat_map(|table| table.keys().cloned());
        (
            name(manifest),
            (
                folder.clone(),
                names.filter(|name| known.contains(name)).collect(),
            ),
        )
    };
    read.iter().map(of).collect()
}

/// Imports between the files of a crate. That a file uses what the file of its own folder has, as `json/slots.rs` does the state in
/// `json/mod.rs`, is left out: those two are one module in several files.
fn imports_of(folder: &Path) -> Option<Imports> {
    let files = ["src/lib.rs", "src/main.rs"].map(|file| folder.join(file));
    let file = files.iter().find(|file| file.exists())?;
    let mut imports = Modules::of_crate(file).imports();
    for (from, targets) in &mut imports {
        targets.retain(|to| {
            !from
                .strip_prefix(to.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        });
    }
    Some(imports)
}

#[test]
fn packages_depend_on_lower_layers_only() {
    let layers = Layers::read("layers of packages");
    let imports: Imports = packages()
        .into_iter()
        .map(|(name, (_, others))| (name, others))
        .collect();
    let known: BTreeSet<&str> = imports.keys().map(String::as_str).collect();
    assert_eq!(
        layers.names(),
        known,
        "ARCHITECTURE.md lists the packages of the workspace"
    );
    assert_eq!(layers.faults(&imports), [""; 0]);
    assert!(cycles(&imports).is_empty(), "{:?}", cycles(&imports));
}

#[test]
fn modules_of_the_engine_import_lower_layers_only() {
    let layers = Layers::read("layers of provstream");
    let imports = imports_of(root()).expect("the library's files");
    for name in layers.names() {
        assert!(
            imports.contains_key(name),
            "ARCHITECTURE.md lists {name}, which is not a module"
        );
    }
    assert_eq!(layers.faults(&imports), [""; 0]);
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut found = Vec::new();
    for (name, (folder, _)) in packages() {
        let imports = imports_of(&folder).unwrap_or_default();
        let circles = cycles(&imports).into_iter();
        found.extend(circles.map(|files| format!("{name}: {}", files.join(", "))));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_engine_compiles_few_packages() {
    let run = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--package", "provstream"])
        .args(["--edges", "normal,build", "--prefix", "none", "--no-dedupe"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    let packages = String::from_utf8(run.stdout).expect("names in UTF-8");
    let packages: BTreeSet<&str> = packages.lines().collect();
    assert!(
        (2..=MOST_PACKAGES).contains(&packages.len()),
        "cargo build -p provstream compiles {}: {packages:#?}",
        packages.len()
    );
}

#[test]
fn an_import_upwards_or_between_neighbours_is_a_fault() {
    let names = |line: &str| line.split(' ').map(str::to_owned).collect();
    let layers = Layers(vec![
        names("io"),
        names("parser owned"),
        names("text text/deep"),
        names("span"),
    ]);
    for (from, to, is_fault) in [
        ("io/reader", "span", false),
        ("io/reader", "io/pieces", false),
        ("parser", "io", true),
        ("parser", "owned", true),
        ("text/scan", "text", false),
        ("text/scan", "text/deep/a", true),
        ("text/scan", "spanner", true),
        ("spanner", "span", true),
    ] {
        assert_eq!(layers.fault(from, to).is_some(), is_fault, "{from} to {to}");
    }
}
