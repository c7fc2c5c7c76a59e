//! Seed inputs of a search: the corpus, and choices of the generator.

use std::path::Path;
use std::{fs, io};

use super::reference::engine::Cuts;
use super::{Body, CHOICES, Input};

/// Longer files slow a search down.
const LONGEST: usize = 8 << 10;

/// Number of seeds made of generator choices, each longer than the one before.
const CHOSEN: u64 = 60;

/// Vocabulary files: one that is loaded, one that is refused, and one of another major version.
const VOCABULARIES: [(&str, &str); 3] = [
    (
        "sound.toml",
        "version = \"1.1\"\n[[class]]\nid = \"substrate.sql.query\"\nsince = \"1.1\"\n",
    ),
    (
        "above.toml",
        "version = \"1.0\"\n[[class]]\nid = \"substrate.grep\"\nsince = \"2.0\"\n",
    ),
    ("major.toml", "version = \"2.0\"\n"),
];

/// Files of dialects: one that is refused, one with every key but `end`, and one whose markers are around their assertions.
const DIALECTS: [(&str, &str); 3] = [
    (
        "alone",
        "name = 'own'\n[[marker]]\nopen = '\\['\nseparator = ','\nclose = '\\]'\n",
    ),
    (
        "own",
        "name = 'own'\n[[marker]]\nopen = '\\{\\{kb:'\nid = '[0-9]+'\nseparator = ', ?'\nrange = '-'\nclose = '\\}\\}'\nmax = 64\n\
         repeat = true\nguard = 'number'\nattached = 'listed'\nlabels = ['x']\nnot_after = ['in']\n",
    ),
    (
        "around",
        "name = 'around'\n[[marker]]\nopen = '<co: ?'\nid = '[0-9]{1,4}'\nclose = '>'\nend = '</co: ?[0-9]{1,4}>'\n",
    ),
];

/// An identifier, an observation id and a timestamp, plain and with what has to be quoted.
const FIELDS: [(&str, &str); 2] = [
    ("plain", "substrate.grep\nsha256:e3b0\n2026-05-28T11:40:00Z"),
    ("quoted", "9.9.note\n \"[a]; b\\"),
];

/// Records of a stream: a loop with a maximum for all of it, interleaved requests with every fault between records, and records
/// without identifiers.
const RECORDS: [(&str, &str); 3] = [
    (
        "inherited.ndjson",
        r#"{"marc_version":"1.0","decision_id":"a","iteration":0,"max_iterations":2,"selected_action":"RETRIEVE"}
{"marc_version":"1.0","decision_id":"b","parent_decision_id":"a","iteration":1,"selected_action":"TOOL"}
{"marc_version":"1.0","decision_id":"c","parent_decision_id":"b","iteration":2,"selected_action":"DELIBERATE"}
{"marc_version":"1.0","decision_id":"d","parent_decision_id":"c","iteration":3,"selected_action":"ANSWER"}
"#,
    ),
    (
        "interleaved.ndjson",
        r#"{"marc_version":"1.0","decision_id":"a","iteration":1,"max_iterations":1,"selected_action":"TOOL"}
{"marc_version":"1.0","decision_id":"b","selected_action":"RETRIEVE","max_iterations":0}
{"marc_version":"1.0","decision_id":"a","parent_decision_id":"a","iteration":1,"max_iterations":3,"selected_action":"TOOL"}
{"marc_version":"1.0","decision_id":"c","parent_decision_id":"b","selected_action":"TOOL"}
{"marc_version":"1.0","decision_id":"d","parent_decision_id":"z","selected_action":"CLARIFY"}
{"marc_version":"1.0","iteration":2,"selected_action":"ANSWER"}
"#,
    ),
    (
        "without-identifiers.ndjson",
        r#"{"marc_version":"1.0","iteration":1,"max_iterations":2,"selected_action":"TOOL"}
{"marc_version":"1.0","iteration":1,"selected_action":"TOOL"}
unreadable
{"marc_version":"1.0","parent_decision_id":"z","selected_action":"ANSWER"}
"#,
    ),
];

/// Disciplines with an assertion: groups that interleave, times at the ends of a window, a terminal, and a class in two groups.
const DISCIPLINES: [(&str, &str); 4] = [
    (
        "groups",
        "set floor=2 window=300\n\
         group substrate.code.read substrate.fs.mtime substrate.grep\n\
         group substrate.do.sse-count substrate.git.log\n\
         annotation substrate.code.read ts=2026-05-28T11:55:00Z\n\
         annotation substrate.do.sse-count ts=2026-05-28T12:00:00Z\n\
         annotation substrate.fs.mtime ts=2026-05-28T13:58:00+02:00\n",
    ),
    (
        "times",
        "set floor=1 window=300 skew=5 now=2017-01-01T00:05:00Z\n\
         window substrate.git.log 86400\n\
         annotation substrate.grep ts=2016-12-31T23:59:60.9Z\n\
         annotation substrate.grep ts=2016-12-31T23:59:59Z\n\
         annotation substrate.git.log ts=2016-12-31T23:59:59Z\n\
         annotation substrate.git.log ts=2017-01-01T00:05:05.000000001Z\n\
         annotation substrate.grep ts=yesterday\n",
    ),
    (
        "terminal",
        "set floor=1 limit\n\
         window substrate.grep 60.5\n\
         annotation substrate.git.log ts=2026-05-28T12:00:00Z\n\
         annotation substrate.grep reason=malformed\n\
         annotation decayed-to-uncertainty\n",
    ),
    (
        "two-groups",
        "set floor=1\ngroup substrate.grep\ngroup substrate.a substrate.grep\nwindow unverified-inference 1\n",
    ),
];

/// An input and where it comes from.
pub type Seed = (String, Vec<u8>);

impl Body {
    /// The files of the corpus, which is the folder `corpus`, that this body reads, in the order of their names.
    ///
    /// # Errors
    ///
    /// If a folder or a file cannot be read.
    pub fn corpus(&self, corpus: &Path) -> io::Result<Vec<Seed>> {
        let cases = [".txt", ".json", ".lines"];
        let folders: &[(&str, &[&str])] = match self.input {
            Input::Stream => &[("text", &cases), ("json", &cases), ("transcripts", &cases)],
            Input::Cited => &[("text", &cases), ("transcripts", &cases)],
            Input::Sentences => &[("text", &cases), ("transcripts", &cases)],
            Input::Json => &[("json", &cases), ("marc", &cases)],
            Input::Marc => &[("marc", &cases), ("json", &[".json"])],
            Input::Records => &[],
            Input::Events | Input::Response => &[("wire", &[".sse", ".ndjson", ".json"])],
            Input::Citations => &[
                ("transcripts", &cases),
                ("text", &cases),
                ("wire", &[".json"]),
            ],
            Input::Vocabulary | Input::Deployment => &[("marc", &[".toml"])],
            Input::Discipline | Input::Dialect => &[],
            Input::Fields => &[("text", &cases)],
        };
        let mut seeds = Vec::new();
        for (folder, ends) in folders {
            seeds.extend(files(corpus, folder, ends)?);
        }
        let own: &[(&str, &str)] = match self.input {
            Input::Vocabulary => &VOCABULARIES,
            Input::Dialect => &DIALECTS,
            Input::Records => &RECORDS,
            Input::Discipline => &DISCIPLINES,
            Input::Fields => &FIELDS,
            _ => &[],
        };
        seeds.extend(own.iter().map(|&(name, text)| (name.into(), text.into())));
        Ok(seeds)
    }

    /// Inputs that once broke this body.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn regressions(&self, corpus: &Path) -> io::Result<Vec<Seed>> {
        let folder = format!("regressions/{}", self.name);
        if corpus.join(&folder).is_dir() {
            files(corpus, &folder, &[""])
        } else {
            Ok(Vec::new())
        }
    }

    /// Writes what a fuzzer starts from into the folder `to`, a file each.
    ///
    /// # Errors
    ///
    /// If the corpus cannot be read or a file not be written.
    pub fn write_seeds(&self, corpus: &Path, to: &Path) -> io::Result<()> {
        let mut seeds = self.regressions(corpus)?;
        for (name, data) in self.corpus(corpus)? {
            if self.input == Input::Stream && name.starts_with("json/") {
                // What is read in another mode than `auto`, and with records held, has settings in front.
                let mode = match name.rsplit('.').next() {
                    Some("json") => 2,
                    Some("lines") => 3,
                    _ => 0,
                };
                for how in [mode, mode + 4] {
                    seeds.push((
                        format!("{name}.as-{how}"),
                        with_settings(how, [0; 7], &data),
                    ));
                }
            }
            seeds.push((name, data));
        }
        for number in 1..=CHOSEN {
            seeds.push((
                format!("choices-{number}"),
                choices(number, number as usize * 4),
            ));
        }
        for (name, data) in seeds {
            if data.len() <= LONGEST {
                fs::write(to.join(name.replace('/', "-")), data)?;
            }
        }
        Ok(())
    }
}

/// A stream with settings in front: mode and holding of records, limits (0 leaves the default), and the cuts. See
/// `Case`.
#[must_use]
pub fn with_settings(how: u8, limits: [u8; 7], stream: &[u8]) -> Vec<u8> {
    [&[0xFF, how], &limits[..], &[how % 4, 0, 0, 0], stream].concat()
}

/// Draws `count` choices of the generator from a seed.
#[must_use]
pub fn choices(number: u64, count: usize) -> Vec<u8> {
    let mut random = Cuts(number);
    let choices = (0..count).map(|_| random.below(256) as u8);
    [CHOICES].into_iter().chain(choices).collect()
}

/// The files in a folder of the corpus whose names end like this, in the order of their names.
fn files(corpus: &Path, folder: &str, ends: &[&str]) -> io::Result<Vec<Seed>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(corpus.join(folder))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if ends.iter().any(|end| name.ends_with(end)) && !name.ends_with(".text.json") {
            found.push((format!("{folder}/{name}"), fs::read(&path)?));
        }
    }
    found.sort();
    Ok(found)
}
