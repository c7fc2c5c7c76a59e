//! Every package of the lock files comes from crates.io and has a licence that `deny.toml` allows. Only what the benchmarks
//! compare with may have other licences: it never leaves the machine that it is compared on.
//!
//! Cargo must know all packages for that, also those of other platforms, which it may have to fetch: `.ci/licences`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The workspaces that have a lock file, and whether `deny.toml` binds their licences.
const WORKSPACES: [(&str, bool); 8] = [
    ("Cargo.toml", true),
    ("bindings/c/Cargo.toml", true),
    ("bindings/python/Cargo.toml", true),
    ("fuzz/driver/Cargo.toml", true),
    ("crates/provstream-emit/engines/Cargo.toml", true),
    ("crates/provstream-observe/Cargo.toml", true),
    ("crates/provstream-observe/fuzz/Cargo.toml", true),
    ("compare/Cargo.toml", false),
];

/// Registry of all packages that are not in this repository.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The licences that `deny.toml` allows.
fn allowed() -> Vec<String> {
    let file = fs::read_to_string(root().join("deny.toml")).expect("deny.toml is readable");
    let file: toml::Table = file.parse().expect("deny.toml is TOML");
    let list = file["licenses"]["allow"].as_array().expect("a list");
    let names = list.iter().map(|name| name.as_str().expect("a name"));
    names.map(str::to_owned).collect()
}

/// Returns `true` if an SPDX expression can be met with allowed licences. Old manifests write `/`
/// for `OR`. A licence with an exception grants more than the licence alone.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    any(&mut words, allowed)
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed);
    }
    met
}

fn all(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let Some(word) = words.next() else {
        return false;
    };
    if word == "(" {
        let met = any(words, allowed);
        return words.next() == Some(")") && met;
    }
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    allowed.iter().any(|name| name == word)
}

#[test]
fn an_expression_is_met_by_what_is_allowed_alone() {
    let allowed = ["MIT".to_owned(), "Zlib".to_owned()];
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("Zlib AND MIT", true),
        ("(GPL-3.0 OR MIT) AND Zlib", true),
        ("(GPL-3.0 OR MIT) AND BSD-3-Clause", false),
        ("MIT AND (GPL-3.0 OR AGPL-3.0)", false),
        ("MIT WITH LLVM-exception", true),
        ("", false),
    ] {
        assert_eq!(is_met(expression, &allowed), expected, "{expression}");
    }
}

#[test]
#[ignore = "cargo may have to fetch the packages of other platforms"]
fn every_package_comes_from_the_registry_under_an_allowed_licence() {
    let allowed = allowed();
    for (workspace, is_bound) in WORKSPACES {
        let run = Command::new(env!("CARGO"))
            .args(["metadata", "--locked", "--format-version", "1"])
            .arg("--manifest-path")
            .arg(root().join(workspace))
            .output()
            .expect("cargo starts");
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{workspace}: {told}");
        let metadata: Value = serde_json::from_slice(&run.stdout).expect("metadata is JSON");
        let packages = metadata["packages"].as_array().expect("a list");
        for package in packages {
            let text = |key: &str| package[key].as_str();
            let licence = text("license").unwrap_or("");
            let (name, version) = (text("name"), text("version"));
            // What stands in a folder of this repository and names no licence is not published.
            let own = text("source").is_none();
            assert!(
                !is_bound || is_met(licence, &allowed) || (own && licence.is_empty()),
                "{workspace}: {name:?} {version:?} is licensed {licence:?}"
            );
            let source = text("source").unwrap_or(REGISTRY);
            assert_eq!(source, REGISTRY, "{workspace}: {name:?} {version:?}");
        }
        println!("{workspace}: {} packages", packages.len());
    }
}
