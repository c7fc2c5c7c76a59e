//! Statements of `SECURITY.md` about code, dependencies and tests.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: impl AsRef<Path>) -> String {
    let path = root().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn toml(name: impl AsRef<Path>) -> toml::Table {
    read(name).parse().expect("the file is TOML")
}

/// The manifests of the repository.
fn manifests() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be listed") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name == "Cargo.toml" {
                found.push(path);
            } else if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            }
        }
    }
    found
}

/// Manifests of bindings that deny unsafe code instead of forbidding it: the macros of the Python
/// package expand to code with an `allow`, and it reads and writes Arrow data; functions that C
/// calls take pointers.
const BINDINGS: [&str; 2] = ["bindings/c/Cargo.toml", "bindings/python/Cargo.toml"];

#[test]
fn every_crate_forbids_unsafe_code() {
    let mut crates = 0;
    for path in manifests() {
        let shown = path.display();
        let manifest = toml(&path);
        let level = if BINDINGS.iter().any(|end| path.ends_with(end)) {
            "deny"
        } else {
            "forbid"
        };
        let forbids = |lints: Option<&toml::Value>| {
            lints.and_then(|lints| lints.get("rust")?.get("unsafe_code")?.as_str()) == Some(level)
        };
        if let Some(workspace) = manifest.get("workspace") {
            let lints = workspace.get("lints").or(manifest.get("lints"));
            assert!(forbids(lints), "{shown}: the workspace does not forbid it");
        }
        if manifest.contains_key("package") {
            let lints = manifest.get("lints");
            let inherits = lints.and_then(|lints| lints.get("workspace")?.as_bool()) == Some(true);
            assert!(
                inherits || forbids(lints),
                "{shown}: the crate does not forbid it"
            );
            crates += 1;
        }
    }
    assert!(crates >= 4, "{crates}");
}

#[test]
fn every_dependency_of_the_library_is_judged() {
    let page = read("SECURITY.md");
    let manifest = toml("Cargo.toml");
    let dependencies = manifest["dependencies"].as_table().expect("a table");
    for name in dependencies.keys() {
        let row = |line: &str| line.starts_with('|') && line.contains(&format!("`{name}`"));
        assert!(page.lines().any(row), "SECURITY.md does not judge {name}");
    }
}

#[test]
fn the_tests_that_are_named_exist() {
    let page = read("SECURITY.md");
    let code = page.split('`').skip(1).step_by(2);
    let named: Vec<_> = code.filter_map(|code| code.split_once(".rs::")).collect();
    assert!(!named.is_empty());
    for (file, test) in named {
        let source = read(format!("{file}.rs"));
        // The bodies of the fuzzers are listed, and a macro makes tests of them.
        let written = [format!("fn {test}("), format!("    {test},")];
        let found = written.iter().any(|written| source.contains(written));
        assert!(found, "{file}.rs has no test {test}");
    }
}
