//! Settings and policy shared by the texts of an answer.

use std::sync::Arc;

use provstream::Rules;
use provstream::provenance::{ObservationCheck, Timestamp};

use crate::dry_run::{DryRun, Judge, LimitFlag};
use crate::transcript::Transcript;

/// Rules, and the time at which they judge the texts of an answer.
///
/// An answer has one text, or several if it is a provider's response with several channels. Each
/// text has a gate and a [`Transcript`]. All gates have the same [policy](Self::policy).
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream::{Gate, Parser, Rules};
/// use provstream_report::{Page, Report};
///
/// let file = b"floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";
/// let rules = Rules::from_toml(file, &Vocabulary::memo())?;
/// let mut report = Report::new(rules, "2026-05-28T12:00:00Z".parse()?);
/// let mut transcript = report.transcript(None);
/// let mut gate = Gate::new(Parser::new(), report.policy());
/// let mut body = Vec::new();
/// for chunk in ["It rained. [substrate.gr", "ep] So it did."] {
///     gate.push(chunk.as_bytes(), &mut transcript);
///     transcript.write_to(&mut body)?;
/// }
/// gate.finish(&mut transcript);
/// let parts = [transcript.finish(&mut body)?];
///
/// let page = Page::new("answer.txt", &parts).with_report(&report);
/// let mut html = Vec::new();
/// page.write_head(&mut html)?;
/// page.write_part(&parts[0], &mut html)?;
/// html.extend_from_slice(&body);
/// page.write_end(&mut html)?;
/// assert!(String::from_utf8(html)?.contains("Below the floor"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    judge: Judge,
    at_limit: LimitFlag,
    parts: u64,
}

impl Report {
    /// Creates a report by rules that judge at the fixed time `now`.
    #[must_use]
    pub fn new(rules: Rules, now: Timestamp) -> Self {
        Self {
            judge: Judge::new(rules, now),
            at_limit: LimitFlag::default(),
            parts: 0,
        }
    }

    /// Checks the observations that annotations cite.
    #[must_use]
    pub fn with_observations(mut self, observations: Arc<dyn ObservationCheck>) -> Self {
        self.judge.set_observations(observations);
        self
    }

    /// Returns the policy for the gates of the texts.
    #[must_use]
    pub fn policy(&self) -> DryRun {
        DryRun::new(self.judge.clone(), self.at_limit.clone())
    }

    /// Creates the transcript of the next text, with the name of its channel if there is one.
    pub fn transcript(&mut self, channel: Option<&str>) -> Transcript {
        self.parts += 1;
        let prefix = match self.parts {
            1 => String::new(),
            part => format!("c{part}-"),
        };
        Transcript::new(self.judge.clone(), self.at_limit.clone(), channel, &prefix)
    }

    /// Returns the rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        self.judge.rules()
    }

    /// Returns the time at which assertions are judged.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.judge.now()
    }
}
