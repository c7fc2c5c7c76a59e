//! Tells the bench which compiler it is built with and for which target: counts depend on both.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let output = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc runs");
    let version = String::from_utf8(output.stdout).expect("a version in UTF-8");
    println!("cargo::rustc-env=BENCH_RUSTC={}", version.trim());
    let target = env::var("TARGET").expect("cargo sets TARGET");
    println!("cargo::rustc-env=BENCH_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
}
