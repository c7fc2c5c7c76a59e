//! No code of the repository is `unsafe`, in any of its crates.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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

/// That a lint is forbidden nothing in a source can allow again.
#[test]
fn every_crate_forbids_unsafe_code() {
    let mut crates = 0;
    for path in manifests() {
        let shown = path.display();
        let manifest = fs::read_to_string(&path).expect("a manifest can be read");
        let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
        let forbids = |lints: Option<&toml::Value>| {
            lints.and_then(|lints| lints.get("rust")?.get("unsafe_code")?.as_str())
                == Some("forbid")
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
