//! Measures what proxies cost, and writes `docs/proxy-cost.md` with its data and picture.
//!
//! `cost [--seconds N] [--rounds N] [--pairs N] [--streams N,N] [--cases NAME,NAME] [--docs FOLDER] [--work FOLDER]`, or `cost --page` to
//! write the page from the data. The programs are those that the environment names: `compare/proxy/run`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use provstream_proxy_cost::case::Case;
use provstream_proxy_cost::measure::{Settings, measure};
use provstream_proxy_cost::record::Files;
use provstream_proxy_cost::{machine, page};

const USAGE: &str = "usage: cost [--seconds N] [--rounds N] [--pairs N] [--streams N,N] [--cases NAME,NAME] [--docs FOLDER] [--work FOLDER] [--page]";

struct Arguments {
    settings: Settings,
    docs: PathBuf,
    is_page_only: bool,
}

fn arguments() -> Option<Arguments> {
    let mut arguments = Arguments {
        settings: Settings {
            seconds: 16.0,
            rounds: 2,
            pairs: 9,
            tokens: 200,
            counts: vec![16, 128, 1_024],
            cases: Case::ALL.to_vec(),
            work: std::env::temp_dir().join("provstream-proxy-cost"),
        },
        docs: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs"),
        is_page_only: false,
    };
    let settings = &mut arguments.settings;
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        if name == "--page" {
            arguments.is_page_only = true;
            continue;
        }
        let value = given.next()?;
        match name.as_str() {
            "--seconds" => settings.seconds = value.parse().ok().filter(|s| *s > 0.0)?,
            "--rounds" => settings.rounds = value.parse().ok()?,
            "--pairs" => settings.pairs = value.parse().ok()?,
            "--streams" => {
                let counts: Result<Vec<usize>, _> = value.split(',').map(str::parse).collect();
                settings.counts = counts.ok().filter(|counts| !counts.contains(&0))?;
            }
            "--cases" => {
                let of = |name: &str| Case::ALL.into_iter().find(|case| case.name() == name);
                settings.cases = value.split(',').map(of).collect::<Option<_>>()?;
            }
            "--docs" => arguments.docs = value.into(),
            "--work" => settings.work = value.into(),
            _ => return None,
        }
    }
    Some(arguments)
}

fn main() -> io::Result<ExitCode> {
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        return Ok(ExitCode::FAILURE);
    };
    let docs = &arguments.docs;
    if !arguments.is_page_only {
        let about = [
            ("machine", machine::processor()),
            ("date", machine::today()),
            ("load before", machine::load()),
        ];
        let mut record = measure(&arguments.settings)?;
        let about = about
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        record.about.splice(0..0, about);
        record.write(&Files::within(docs))?;
    }
    let is_whole = page::write(docs)?;
    Ok(match is_whole {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
