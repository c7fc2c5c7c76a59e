//! Fuzz bodies: each is an ordinary function that panics when a property does not hold for its
//! input.
//!
//! AFL++ (`driver/src/afl.rs`) and libFuzzer (`driver/fuzz_targets/body.rs`) run them, and `cargo test` replays them over the
//! corpus and over generated input without any fuzzer. Input is taken as it is, so that every file is a good start, or, after
//! the byte FD, as the choices of a generator that composes input from the grammar's words.

mod body;
mod case;
mod dialects;
mod generate;
mod seeds;

use testkit::marc::generate as marc_objects;
use testkit::{judges, meter, reference};

use std::borrow::Cow;
use std::path::Path;
use std::{env, fs, io};

pub use body::BODIES;
pub use generate::Input;
pub use seeds::{Seed, choices, with_settings};

/// The first byte of input that is a generator's choices; it appears nowhere in UTF-8.
const CHOICES: u8 = 0xFD;

/// Something that holds of all input.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    name: &'static str,
    input: Input,
    check: fn(&[u8]),
}

impl Body {
    /// The body of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        BODIES.iter().find(|body| body.name == name)
    }

    /// Returns the name of the body on the command line, which is also its folder in
    /// `corpus/regressions`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the type of the body's input.
    #[must_use]
    pub const fn input(&self) -> Input {
        self.input
    }

    /// Converts a fuzzer's bytes to the input: the bytes themselves, or generated from them as
    /// choices.
    #[must_use]
    pub fn expand<'a>(&self, data: &'a [u8]) -> Cow<'a, [u8]> {
        match data.split_first() {
            Some((&CHOICES, choices)) => Cow::Owned(generate::input(self.input, choices)),
            _ => Cow::Borrowed(data),
        }
    }

    /// Performs a task other than fuzzing if an environment variable asks for it; returns `true` if
    /// one did.
    ///
    /// - `PROVSTREAM_EXPAND=FILE` writes what the bytes of a file stand for beside it, as `FILE.input`: a find that is choices
    ///   of the generator would be another one as soon as the generator changes.
    /// - `PROVSTREAM_START=FOLDER` writes what a search starts from into a folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written.
    pub fn errand(&self) -> io::Result<bool> {
        if let Some(file) = env::var_os("PROVSTREAM_EXPAND") {
            let input = self.expand(&fs::read(&file)?).into_owned();
            let mut to = file;
            to.push(".input");
            fs::write(to, input)?;
            return Ok(true);
        }
        if let Some(to) = env::var_os("PROVSTREAM_START") {
            self.write_seeds(&testkit::root().join("corpus"), Path::new(&to))?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Checks it for a fuzzer's bytes.
    ///
    /// # Panics
    ///
    /// If it does not hold.
    pub fn run(&self, data: &[u8]) {
        (self.check)(&self.expand(data));
    }
}
