//! What a line of input says of a decision point.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use provstream::marc::{
    Details, Intervention, Judgement, Remedy, RiskTier, Score, Scores, Situation, Source, Spent,
};
use provstream::provenance::parse_duration;
use serde::Deserialize;
use serde::de::{self, Deserializer};

/// A line of input: the situation, what the record needs besides, and what the round before took.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SituationLine {
    pre_capability: Number,
    uncertainty: BTreeMap<Term<Source>, Number>,
    primary_source: Term<Source>,
    secondary_source: Option<Term<Source>>,
    #[serde(default)]
    judgements: Vec<Term<Judgement>>,
    #[serde(default)]
    remedies: BTreeMap<Term<Intervention>, RemedyFields>,
    risk_tier: Option<Term<RiskTier>>,
    remediability: Option<Term<provstream::marc::Remediability>>,
    task_family: Option<String>,
    recommended_next_step: String,
    post_answer_confidence: Option<Number>,
    action_suitability: Option<Number>,
    sub_action: Option<String>,
    /// What the user is told; for `ANSWER` there is no disclosure without it.
    pub(crate) answer: Option<String>,
    #[serde(default)]
    spent: SpentFields,
}

impl SituationLine {
    /// Reads a line.
    pub(crate) fn read(line: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(line).map_err(|error| error.to_string())
    }

    pub(crate) fn situation(&self) -> Situation {
        let scores = self
            .uncertainty
            .iter()
            .fold(Scores::default(), |scores, (source, score)| {
                scores.with(source.0, score.0)
            });
        let mut situation = Situation::new(self.pre_capability.0, scores, self.primary_source.0)
            .with_judgements(
                self.judgements
                    .iter()
                    .map(|judgement| judgement.0)
                    .collect(),
            );
        for (intervention, remedy) in &self.remedies {
            situation = situation.with_remedy(intervention.0, remedy.remedy());
        }
        if let Some(source) = &self.secondary_source {
            situation = situation.with_secondary_source(source.0);
        }
        if let Some(tier) = &self.risk_tier {
            situation = situation.with_risk_tier(tier.0);
        }
        if let Some(class) = &self.remediability {
            situation = situation.with_remediability(class.0);
        }
        if let Some(family) = &self.task_family {
            situation = situation.with_task_family(family);
        }
        situation
    }

    pub(crate) fn details(&self) -> Details {
        let mut details = Details::new(&self.recommended_next_step);
        if let Some(score) = &self.post_answer_confidence {
            details = details.with_post_answer_confidence(score.0);
        }
        if let Some(score) = &self.action_suitability {
            details = details.with_action_suitability(score.0);
        }
        if let Some(name) = &self.sub_action {
            details = details.with_sub_action(name);
        }
        details
    }

    pub(crate) fn spent(&self) -> Spent {
        Spent::new(self.spent.time, self.spent.cost)
    }
}

/// A value of one of the closed enumerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Term<T>(T);

impl<'de, T: FromStr<Err: std::fmt::Display>> Deserialize<'de> for Term<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(de::Error::custom)
    }
}

/// A score.
#[derive(Clone, Copy, Debug)]
struct Number(Score);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Score::new(value).map(Self).map_err(de::Error::custom)
    }
}

/// `true` for a remedy that is usable, or what holds of it one by one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum RemedyFields {
    Usable(bool),
    Parts(RemedyParts),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RemedyParts {
    available: bool,
    permitted: bool,
    worthwhile: bool,
}

impl RemedyFields {
    fn remedy(&self) -> Remedy {
        match self {
            Self::Usable(true) => Remedy::USABLE,
            Self::Usable(false) => Remedy::default(),
            Self::Parts(parts) => Remedy::default()
                .with_available(parts.available)
                .with_permitted(parts.permitted)
                .with_worthwhile(parts.worthwhile),
        }
    }
}

/// What a round took.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SpentFields {
    #[serde(deserialize_with = "duration")]
    time: Duration,
    cost: u64,
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_duration(&text).map_err(de::Error::custom)
}
