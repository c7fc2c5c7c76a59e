//! Has faults happen at random to streams through `provstream proxy`, and checks what clients got: exit status 1 if something
//! does not hold.
//!
//! `faults [--seconds N] [--streams N] [--work FOLDER] [--plant release|discard]`. The environment variable `PROVSTREAM`
//! names the program. `--plant` gives the proxy a policy that breaks what is checked, to see that the check notices.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use provstream_proxy_cost::faults::run::{Settings, run};

const USAGE: &str =
    "usage: faults [--seconds N] [--streams N] [--work FOLDER] [--plant release|discard]";

fn settings() -> Option<Settings> {
    let mut settings = Settings {
        seconds: 60,
        streams: 64,
        inadmissible: "{ action = \"replace\", text = \"(w)\" }",
        program: std::env::var_os("PROVSTREAM").map(PathBuf::from)?,
        work: std::env::temp_dir().join("provstream-proxy-faults"),
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let value = given.next()?;
        match name.as_str() {
            "--seconds" => settings.seconds = value.parse().ok().filter(|s| *s > 0)?,
            "--streams" => settings.streams = value.parse().ok().filter(|s| *s > 1)?,
            "--work" => settings.work = value.into(),
            "--plant" => {
                settings.inadmissible = match value.as_str() {
                    "release" => "{ action = \"release\" }",
                    "discard" => "{ action = \"discard\" }",
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    Some(settings)
}

fn main() -> io::Result<ExitCode> {
    let Some(settings) = settings() else {
        eprintln!("{USAGE}\nPROVSTREAM names the program");
        return Ok(ExitCode::from(2));
    };
    let summary = run(&settings)?;
    print!("{summary}");
    Ok(match summary.breaches[..] {
        [] => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}
