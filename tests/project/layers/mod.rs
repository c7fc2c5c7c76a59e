//! Imports go down the layers of ARCHITECTURE.md, and never in a circle.

mod modules;
mod paths;
mod tokens;

use modules::{Modules, cycles};

#[test]
fn explore() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in [
        "src/lib.rs",
        "crates/provstream-marc/src/lib.rs",
        "crates/provstream-providers/src/lib.rs",
        "crates/provstream-cli/src/main.rs",
        "crates/testkit/src/lib.rs",
        "fuzz/src/lib.rs",
        "benches/instructions/src/main.rs",
    ] {
        let imports = Modules::of_crate(&root.join(file)).imports();
        println!("== {file}");
        if std::env::var("EDGES").is_ok() {
            for (a, b) in &imports {
                println!("  {a}: {}", b.iter().cloned().collect::<Vec<_>>().join(" "));
            }
        }
        for cycle in cycles(&imports) {
            println!("  CYCLE {}", cycle.join(" "));
            for f in &cycle {
                println!(
                    "      {f} -> {}",
                    imports[f]
                        .iter()
                        .filter(|x| cycle.contains(x))
                        .cloned()
                        .collect::<Vec<_>>()
                        .join(" ")
                );
            }
        }
    }
    panic!();
}
