//! Rules of the engine are broken one at a time, in a copy of the sources; each time the test named for the rule must fail.
//!
//! The table is `tests/mutations.toml`. That it fits the sources is checked always; the runs take minutes and are asked for:
//! `.ci/mutations`, or `.ci/mutations WORD` for those whose rule has the word.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Time limit of a build with one test, in seconds.
const LONGEST: &str = "900";

/// A rule, how it is broken, and the test that must notice.
struct Mutation {
    rule: String,
    file: String,
    old: String,
    new: String,
    target: String,
    test: String,
}

impl Mutation {
    fn read(table: &toml::Table) -> Self {
        let text = |key: &str| table[key].as_str().expect("a string").to_owned();
        let named = text("test");
        let (target, test) = named.split_once("::").expect("a target and a test");
        Self {
            rule: text("rule"),
            file: text("file"),
            old: text("old"),
            new: text("new"),
            target: target.to_owned(),
            test: test.to_owned(),
        }
    }

    /// The source with the rule broken.
    fn applied(&self, source: &str) -> String {
        let places = source.matches(&*self.old).count();
        let (file, old) = (&self.file, &self.old);
        assert_eq!(
            places, 1,
            "{file} has {places} times instead of once: {old}"
        );
        source.replacen(&*self.old, &self.new, 1)
    }

    /// Runs the test in a tree; `true` if it fails, `false` if it passes.
    fn fails_in(&self, tree: &Path) -> bool {
        // Some slips let a test go on for ever, which says less than one that fails.
        let run = Command::new("timeout")
            .args([LONGEST, env!("CARGO"), "test", "--all-features"])
            .args(["--package", package_of(&self.target)])
            .args(["--test", &self.target, "--", "--exact", &self.test])
            .env("CARGO_TARGET_DIR", target_dir())
            .env("CARGO_TERM_COLOR", "never")
            .current_dir(tree)
            .output()
            .expect("`timeout` of coreutils starts");
        let told = String::from_utf8_lossy(&run.stdout);
        let line = |end| told.contains(&format!("test {} ... {end}", self.test));
        match (line("ok"), line("FAILED")) {
            (true, false) => false,
            (false, true) => true,
            _ => panic!(
                "{}::{} did not run to its end:\n{told}{}",
                self.target,
                self.test,
                String::from_utf8_lossy(&run.stderr)
            ),
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The package that has a test target.
fn package_of(target: &str) -> &'static str {
    match target {
        "marc" => "provstream-marc",
        "providers" => "provstream-providers",
        "report" => "provstream-report",
        _ => "provstream",
    }
}

/// The folder of a test target.
fn folder_of(target: &str) -> PathBuf {
    match package_of(target) {
        "provstream" => root().join("tests").join(target),
        package => root()
            .join("crates")
            .join(package)
            .join("tests")
            .join(target),
    }
}

/// Returns the target folder of this test, so that only the crate is built again.
fn target_dir() -> &'static Path {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    folder.parent().expect("it is a part of the target folder")
}

fn mutations() -> Vec<Mutation> {
    let table: toml::Table = read(&root().join("tests/mutations.toml"))
        .parse()
        .expect("the table is TOML");
    let rows = table["mutation"].as_array().expect("an array of tables");
    rows.iter()
        .map(|row| Mutation::read(row.as_table().expect("a table")))
        .collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Copies what git knows of the tree, as it is in the working directory.
fn copy_to(tree: &Path) {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root())
        .output()
        .expect("git starts");
    let listed = String::from_utf8(listed.stdout).expect("the names are UTF-8");
    for name in listed.split_terminator('\0') {
        let from = root().join(name);
        if from.is_file() {
            let to = tree.join(name);
            let folder = to.parent().expect("a file is in a folder");
            fs::create_dir_all(folder).expect("a folder can be made");
            fs::copy(from, to).expect("a file can be copied");
        }
    }
}

#[test]
fn every_mutation_fits_the_sources_and_names_a_test() {
    let all = mutations();
    assert!(all.len() >= 10, "{}", all.len());
    let rules: BTreeSet<_> = all.iter().map(|mutation| &mutation.rule).collect();
    assert_eq!(rules.len(), all.len(), "each rule is there once");
    let page = read(&root().join("docs/testing.md"));
    for mutation in &all {
        let source = read(&root().join(&mutation.file));
        assert_ne!(mutation.applied(&source), source);
        let (rule, target, test) = (&mutation.rule, &mutation.target, &mutation.test);
        let (module, function) = test.rsplit_once("::").expect("a module and a test");
        let module = folder_of(target).join(module.replace("::", "/"));
        let file = Some(module.with_extension("rs")).filter(|file| file.exists());
        let tests = read(&file.unwrap_or_else(|| module.join("mod.rs")));
        assert!(
            tests.contains(&format!("fn {function}(")),
            "{target}::{test}"
        );
        let row = format!("| {rule} | `{target}::{test}` |");
        assert!(page.contains(&row), "docs/testing.md lacks {row}");
    }
}

#[test]
#[ignore = "it builds the crate once for each mutation"]
fn every_mutation_is_caught() {
    let word = env::var("PROVSTREAM_MUTATION").unwrap_or_default();
    let mut chosen = mutations();
    chosen.retain(|mutation| mutation.rule.contains(&word));
    assert!(!chosen.is_empty(), "no rule has `{word}`");
    let tree: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutations");
    if tree.exists() {
        fs::remove_dir_all(&tree).expect("the copy of the last run can be removed");
    }
    copy_to(&tree);
    let mut passing = BTreeSet::new();
    for mutation in &chosen {
        if passing.insert((&mutation.target, &mutation.test)) {
            let named = format!("{}::{}", mutation.target, mutation.test);
            assert!(
                !mutation.fails_in(&tree),
                "{named} fails with nothing broken"
            );
        }
    }
    let mut missed = Vec::new();
    for mutation in &chosen {
        let file = tree.join(&mutation.file);
        let source = read(&file);
        fs::write(&file, mutation.applied(&source)).expect("the copy can be written");
        let caught = mutation.fails_in(&tree);
        fs::write(&file, source).expect("the copy can be written");
        println!(
            "{}: {} ({}::{})",
            if caught { "caught" } else { "MISSED" },
            mutation.rule,
            mutation.target,
            mutation.test
        );
        if !caught {
            missed.push(&mutation.rule);
        }
    }
    assert!(
        missed.is_empty(),
        "no test noticed that these were broken: {missed:#?}"
    );
}
