//! What a line of input says of a decision point.

use std::time::Duration;

use provstream::provenance::parse_duration;
use provstream_marc::{Details, Intervention, Judgement, Remedy, Scores, Situation, Source, Spent};

use super::fields::Fields;

const MEMBERS: [&str; 15] = [
    "pre_capability",
    "uncertainty",
    "primary_source",
    "secondary_source",
    "judgements",
    "remedies",
    "risk_tier",
    "remediability",
    "task_family",
    "recommended_next_step",
    "post_answer_confidence",
    "action_suitability",
    "sub_action",
    "answer",
    "spent",
];

/// A line of input: the situation, what the record needs besides, and what the round before took.
#[derive(Debug)]
pub(crate) struct SituationLine {
    pub(crate) situation: Situation,
    pub(crate) details: Details,
    /// What the user is told; for `ANSWER` there is no disclosure without it.
    pub(crate) answer: Option<String>,
    /// What the round took that the line before began, if that is told.
    pub(crate) spent: Option<Spent>,
}

impl SituationLine {
    /// Reads a line.
    pub(crate) fn read(line: &[u8]) -> Result<Self, String> {
        let fields = Fields::read(line, "", &MEMBERS)?;
        Ok(Self {
            situation: situation(&fields)?,
            details: details(&fields)?,
            answer: fields.string("answer")?,
            spent: spent(&fields)?,
        })
    }
}

fn situation(fields: &Fields) -> Result<Situation, String> {
    let pre_capability = fields.required("pre_capability", fields.score("pre_capability")?)?;
    let uncertainty = fields.object("uncertainty", Source::NAMES)?;
    let uncertainty = fields.required("uncertainty", uncertainty)?;
    let mut scores = Scores::default();
    for &source in Source::ALL {
        if let Some(score) = uncertainty.score(source.as_str())? {
            scores = scores.with(source, score);
        }
    }
    let primary_source = fields.required("primary_source", fields.term("primary_source")?)?;
    let mut situation = Situation::new(pre_capability, scores, primary_source);
    if let Some(source) = fields.term("secondary_source")? {
        situation = situation.with_secondary_source(source);
    }
    let judgements = fields.get("judgements", |json| {
        let names: Vec<String> =
            serde_json::from_str(json).map_err(|_| "must be an array of strings".to_owned())?;
        let judgements = names.iter().map(|name| name.parse::<Judgement>());
        judgements
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())
    })?;
    for judgement in judgements.into_iter().flatten() {
        situation = situation.with_judgement(judgement);
    }
    if let Some(remedies) = fields.object("remedies", Intervention::NAMES)? {
        for &intervention in Intervention::ALL {
            if let Some(remedy) = remedies.get(intervention.as_str(), remedy)? {
                situation = situation.with_remedy(intervention, remedy);
            }
        }
    }
    if let Some(tier) = fields.term("risk_tier")? {
        situation = situation.with_risk_tier(tier);
    }
    if let Some(class) = fields.term("remediability")? {
        situation = situation.with_remediability(class);
    }
    if let Some(family) = fields.string("task_family")? {
        situation = situation.with_task_family(family);
    }
    Ok(situation)
}

fn details(fields: &Fields) -> Result<Details, String> {
    let next_step = fields.string("recommended_next_step")?;
    let mut details = Details::new(fields.required("recommended_next_step", next_step)?);
    if let Some(score) = fields.score("post_answer_confidence")? {
        details = details.with_post_answer_confidence(score);
    }
    if let Some(score) = fields.score("action_suitability")? {
        details = details.with_action_suitability(score);
    }
    if let Some(name) = fields.string("sub_action")? {
        details = details.with_sub_action(name);
    }
    Ok(details)
}

/// `true` is a remedy that is usable; an object says what holds of it one by one.
fn remedy(json: &str) -> Result<Remedy, String> {
    match json {
        "true" => return Ok(Remedy::USABLE),
        "false" => return Ok(Remedy::NONE),
        _ => {}
    }
    let parts = ["available", "permitted", "worthwhile"];
    if !json.starts_with('{') {
        return Err(format!(
            "must be true, false, or an object with {}",
            parts.join(", ")
        ));
    }
    let fields = Fields::read(json.as_bytes(), "", &parts)?;
    let part = |name| {
        let boolean = |json: &str| json.parse::<bool>().map_err(|_| "must be true or false");
        fields.required(name, fields.get(name, boolean)?)
    };
    Ok(Remedy::NONE
        .with_available(part("available")?)
        .with_permitted(part("permitted")?)
        .with_worthwhile(part("worthwhile")?))
}

fn spent(fields: &Fields) -> Result<Option<Spent>, String> {
    let Some(spent) = fields.object("spent", &["time", "cost"])? else {
        return Ok(None);
    };
    let time = spent.term_by("time", parse_duration)?;
    let cost = |json: &str| {
        json.parse::<u64>()
            .map_err(|_| "must be a whole number that is not negative")
    };
    let cost = spent.get("cost", cost)?;
    Ok(Some(Spent::new(
        time.unwrap_or(Duration::ZERO),
        cost.unwrap_or_default(),
    )))
}
