//! What was measured, as it is written down: a table, and the buckets of the times.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::histogram::Histogram;
use crate::turns::{self, Turn};

/// The columns of the table.
pub const COLUMNS: [&str; 29] = [
    "case",
    "streams",
    "tokens_a_second",
    "seconds",
    "events_a_request",
    "requests",
    "events",
    "events_offered",
    "errors",
    "wrong_texts",
    "recounted",
    "first_p50_us",
    "first_p99_us",
    "first_p99.9_us",
    "between_p50_us",
    "between_p99_us",
    "between_p99.9_us",
    "transit_p50_us",
    "transit_p99_us",
    "transit_p99.9_us",
    "late_p99_us",
    "cpu_s",
    "cpu_user_s",
    "cpu_system_s",
    "own_cpu_s",
    "pss_idle",
    "pss_most",
    "rss_idle",
    "rss_most",
];

/// A line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row(Vec<String>);

impl Row {
    /// A line with a value for each column.
    ///
    /// # Panics
    ///
    /// If there are more or fewer.
    #[must_use]
    pub fn new(values: Vec<String>) -> Self {
        assert_eq!(values.len(), COLUMNS.len(), "a value for each column");
        Self(values)
    }

    /// The text in a column.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    #[must_use]
    pub fn text(&self, column: &str) -> &str {
        let at = COLUMNS.iter().position(|name| *name == column);
        &self.0[at.unwrap_or_else(|| panic!("no column {column}"))]
    }

    /// The number in a column; `None` if the column is empty.
    #[must_use]
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }

    /// CPU time for each event, microseconds; `None` without events, or if nothing uses any.
    #[must_use]
    pub fn cpu_an_event(&self) -> Option<f64> {
        let (cpu, events) = (self.number("cpu_s")?, self.number("events")?);
        (cpu > 0.0 && events > 0.0).then(|| cpu / events * 1e6)
    }

    /// CPU time for the events of a request, milliseconds.
    #[must_use]
    pub fn cpu_a_request(&self) -> Option<f64> {
        Some(self.cpu_an_event()? * self.number("events_a_request")? / 1e3)
    }

    /// Whether fewer than 97 % of the events came that the pace of all streams asks for.
    #[must_use]
    pub fn is_saturated(&self) -> bool {
        let (events, offered) = (self.number("events"), self.number("events_offered"));
        events
            .zip(offered)
            .is_some_and(|(events, offered)| events < 0.97 * offered)
    }

    /// Memory for each stream, beyond that of no streams, bytes.
    #[must_use]
    pub fn memory_a_stream(&self) -> Option<f64> {
        let (most, idle) = (self.number("pss_most")?, self.number("pss_idle")?);
        Some((most - idle) / self.number("streams")?)
    }
}

/// Coarse buckets of the times of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// The case.
    pub case: String,
    /// Streams at a time.
    pub streams: usize,
    /// What was timed: `first`, `between` or `transit`.
    pub what: String,
    /// The largest nanoseconds of a bucket, and how many there are.
    pub buckets: Vec<(u64, u64)>,
}

impl Times {
    /// The part of all that is greater than each bucket's bound, from the least bound on, in microseconds.
    #[must_use]
    pub fn above(&self) -> Vec<(f64, f64)> {
        let all: u64 = self.buckets.iter().map(|(_, count)| count).sum();
        let mut left = all;
        let mut points = Vec::new();
        for (bound, count) in &self.buckets {
            points.push((*bound as f64 / 1e3, left as f64 / all as f64));
            left -= count;
        }
        points
    }
}

/// All that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// What else is known, such as versions.
    pub about: Vec<(String, String)>,
    /// The table.
    pub rows: Vec<Row>,
    /// The times.
    pub times: Vec<Times>,
    /// The turns of cases that are compared in pairs.
    pub turns: Vec<Turn>,
}

/// Where the data of a record is.
#[derive(Clone, Debug)]
pub struct Files {
    table: PathBuf,
    times: PathBuf,
    turns: PathBuf,
}

impl Files {
    /// The files in this folder.
    #[must_use]
    pub fn within(folder: &Path) -> Self {
        Self {
            table: folder.join("proxy-cost.csv"),
            times: folder.join("proxy-cost-times.csv"),
            turns: folder.join("proxy-cost-turns.csv"),
        }
    }
}

impl Record {
    /// What is known under a name.
    #[must_use]
    pub fn about(&self, name: &str) -> Option<&str> {
        let mut about = self.about.iter();
        about
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The line of a case, by the pace of each stream, 0 for none.
    #[must_use]
    pub fn row(&self, case: &str, streams: usize, pace: usize) -> Option<&Row> {
        let (streams, pace) = (streams.to_string(), pace.to_string());
        self.rows.iter().find(|row| {
            row.text("case") == case
                && row.text("streams") == streams
                && row.text("tokens_a_second") == pace
        })
    }

    /// Notes the buckets of a case.
    pub fn keep(&mut self, case: &str, streams: usize, (what, times): (&str, &Histogram)) {
        self.times.push(Times {
            case: case.to_owned(),
            streams,
            what: what.to_owned(),
            buckets: times.buckets(),
        });
    }

    /// Writes the table with what else is known, the times and the turns.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write(&self, files: &Files) -> io::Result<()> {
        fs::write(&files.turns, turns::written(&self.turns))?;
        let mut text = String::new();
        for (name, value) in &self.about {
            let _ = writeln!(text, "# {name}: {value}");
        }
        let _ = writeln!(text, "{}", COLUMNS.join(","));
        for row in &self.rows {
            let _ = writeln!(text, "{}", row.0.join(","));
        }
        fs::write(&files.table, text)?;
        let mut text = String::from("case,streams,what,at_most_ns,count\n");
        for Times {
            case,
            streams,
            what,
            buckets,
        } in &self.times
        {
            for (bound, count) in buckets {
                let _ = writeln!(text, "{case},{streams},{what},{bound},{count}");
            }
        }
        fs::write(&files.times, text)
    }

    /// Reads what was written.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or is not one that [`Record::write`] has written.
    pub fn read(files: &Files) -> io::Result<Self> {
        let mut record = Self::default();
        let bad = |line: &str| io::Error::other(format!("not a line of the table: {line}"));
        for line in fs::read_to_string(&files.table)?.lines() {
            if let Some(about) = line.strip_prefix("# ") {
                let (name, value) = about.split_once(": ").ok_or_else(|| bad(line))?;
                record.about.push((name.to_owned(), value.to_owned()));
            } else if !line.starts_with("case,") {
                let values: Vec<String> = line.split(',').map(str::to_owned).collect();
                if values.len() != COLUMNS.len() {
                    return Err(bad(line));
                }
                record.rows.push(Row(values));
            }
        }
        for line in fs::read_to_string(&files.times)?.lines().skip(1) {
            let values: Vec<&str> = line.split(',').collect();
            let number = |at: usize| values.get(at).and_then(|text| text.parse().ok());
            let (Some(streams), Some(bound), Some(count)) = (number(1), number(3), number(4))
            else {
                return Err(bad(line));
            };
            let (case, what) = (values[0].to_owned(), values[2].to_owned());
            match record.times.last_mut() {
                Some(last)
                    if (&last.case, last.streams, &last.what)
                        == (&case, streams as usize, &what) =>
                {
                    last.buckets.push((bound, count));
                }
                _ => record.times.push(Times {
                    case,
                    streams: streams as usize,
                    what,
                    buckets: vec![(bound, count)],
                }),
            }
        }
        // Data of before there were turns have none.
        let turns = match fs::read_to_string(&files.turns) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let turns = turns::read(&turns);
        record.turns = turns.map_err(|line| bad(&line))?;
        Ok(record)
    }
}
