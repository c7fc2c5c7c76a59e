//! Form of observation ids in the lines of commands.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use provstream_route::{IdSalt, ObservationIds};

use crate::settings;

// Form of observation ids.
#[derive(Debug, Args)]
pub(crate) struct IdOptions {
    /// Form of the observation ids in lines about annotations
    ///
    /// keep: as they are. drop: left out. hash: salted-sha256: and 64 hexadecimal digits, which only somebody with the salt can
    /// compare with an id. An id may reveal a path or a credential.
    #[arg(
        long,
        value_name = "FORM",
        default_value = "keep",
        help_heading = "Observations"
    )]
    observation_ids: IdForm,
    /// File with a secret of at least 16 bytes, for --observation-ids hash
    #[arg(
        long,
        value_name = "FILE",
        required_if_eq("observation_ids", "hash"),
        help_heading = "Observations"
    )]
    salt: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum IdForm {
    Keep,
    Drop,
    Hash,
}

impl IdOptions {
    /// Reads the salt.
    pub(crate) fn load(&self) -> anyhow::Result<ObservationIds> {
        Ok(match (self.observation_ids, &self.salt) {
            (IdForm::Drop, _) => ObservationIds::Drop,
            (IdForm::Hash, Some(path)) => {
                ObservationIds::Hash(settings::load("--salt", path, IdSalt::new)?)
            }
            _ => ObservationIds::Keep,
        })
    }

    /// Returns `true` if ids stay as they are.
    pub(crate) fn are_kept(&self) -> bool {
        self.observation_ids == IdForm::Keep
    }

    /// The file of the salt, with its option.
    pub(crate) fn salt_file(&self) -> (&'static str, Option<&Path>) {
        ("--salt", self.salt.as_deref())
    }
}
