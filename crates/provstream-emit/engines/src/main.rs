//! Drives real engines with the grammars of `provstream-emit`: `.ci/emit` has the whole procedure.
//!
//! - `write DIR`: the grammars, vocabularies, and texts that must be accepted or refused, for the scripts beside.
//! - `llguidance DIR COUNT [FILE]`: samples answers of the Lark and regex grammars and of the converted GBNF, and judges them.
//! - `judge DIR`: judges the answers that `xgrammar_drive.py` sampled.
//! - `cost DIR`: times to compile a grammar and to compute a mask, beside the JSON schema mode.

mod bpe;
mod cases;
#[path = "../../tests/common/mod.rs"]
mod common;
mod complete;
mod cost;
mod judge;
mod sample;
mod steer;

use std::path::Path;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["write", folder] => cases::write(Path::new(folder)),
        ["llguidance", folder, count] => sample::run(Path::new(folder), count.parse()?, ""),
        ["llguidance", folder, count, only] => sample::run(Path::new(folder), count.parse()?, only),
        ["judge", folder] => judge::run(Path::new(folder)),
        ["cost", folder] => cost::run(Path::new(folder)),
        _ => bail!("usage: write DIR | llguidance DIR COUNT [FILE] | judge DIR | cost DIR"),
    }
}
