//! Arguments about the substrate classes that are known.

use std::path::PathBuf;

use clap::Args as ArgGroup;

/// Where the classes come from.
#[derive(Debug, ArgGroup)]
pub(crate) struct ClassesArgs {
    /// A TOML file with the classes of another vocabulary; never standard input [default: version 1.0, built in]
    #[arg(
        long,
        value_name = "FILE",
        env = "PROVSTREAM_VOCABULARY",
        hide_env = true
    )]
    pub(crate) vocabulary: Option<PathBuf>,
}
