//! What a line of input says of a decision point.

use std::time::Duration;

use provstream::provenance::parse_duration;
use provstream_marc::{
    Action, Details, Intervention, Judgement, Remedy, Score, Scores, Situation, Source, Spent,
};

use super::fields::Fields;

const MEMBERS: [&str; 15] = [
    "session",
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
    "spent",
];

/// A line of input: the situation, what the record needs besides, and what the round before took.
#[derive(Debug)]
pub(crate) struct SituationLine {
    /// The request that the line belongs to.
    pub(crate) session: Option<String>,
    pub(crate) situation: Situation,
    pub(crate) details: Details,
    /// What the round took that the line before began, if that is stated.
    pub(crate) spent: Option<Spent>,
}

impl SituationLine {
    /// Reads a line. `unused_is_zero` lets scores be missing.
    pub(crate) fn read(line: &[u8], unused_is_zero: bool) -> Result<Self, String> {
        let fields = Fields::read(line, "", &MEMBERS).map_err(|error| {
            if error.starts_with("unknown member `answer`") {
                "`answer`: no text for the user is read before the action is selected; `provstream marc project` takes it".into()
            } else {
                error
            }
        })?;
        Ok(Self {
            session: fields.string("session")?,
            situation: situation(&fields, unused_is_zero)?,
            details: details(&fields)?,
            spent: spent(&fields)?,
        })
    }
}

fn situation(fields: &Fields, unused_is_zero: bool) -> Result<Situation, String> {
    let pre_capability = fields.required("pre_capability", fields.score("pre_capability")?)?;
    let uncertainty = fields.object("uncertainty", Source::NAMES)?;
    let uncertainty = fields.required("uncertainty", uncertainty)?;
    let mut scores = Scores::all(Score::ZERO);
    for &source in Source::ALL {
        let score = match uncertainty.score(source.as_str())? {
            None if unused_is_zero => Score::ZERO,
            score => uncertainty
                .required(source.as_str(), score)
                .map_err(|error| format!("{error}; every source needs a score (MARC-02 9.3)"))?,
        };
        scores = scores.with(source, score);
    }
    let primary_source = fields.required("primary_source", fields.term("primary_source")?)?;
    let mut situation = Situation::new(pre_capability, scores, primary_source);
    if let Some(source) = fields.term("secondary_source")? {
        situation = situation.with_secondary_source(source);
    }
    for (judgement, holds) in fields.get("judgements", judgements)?.into_iter().flatten() {
        situation = situation.with_judgement(judgement, holds);
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

/// An array of judgements that hold, or an object that says of each whether it holds.
fn judgements(json: &str) -> Result<Vec<(Judgement, bool)>, String> {
    if json.starts_with('[') {
        let names: Vec<String> = serde_json::from_str(json).map_err(|_| {
            "expected an array of strings, or an object with true or false".to_owned()
        })?;
        let judgements = names.iter().map(|name| name.parse().map(|one| (one, true)));
        return judgements
            .collect::<Result<_, _>>()
            .map_err(|error: provstream_marc::TermError| error.to_string());
    }
    let fields = Fields::read(json.as_bytes(), "", Judgement::NAMES)?;
    let boolean = |json: &str| json.parse::<bool>().map_err(|_| "expected true or false");
    let mut all = Vec::new();
    for &judgement in Judgement::ALL {
        let holds = fields.get(judgement.as_str(), boolean)?;
        all.extend(holds.map(|holds| (judgement, holds)));
    }
    Ok(all)
}

fn details(fields: &Fields) -> Result<Details, String> {
    let mut details = Details::new();
    if let Some(json) = fields.get("recommended_next_step", |json| {
        Ok::<_, String>(json.to_owned())
    })? {
        if json.starts_with('{') {
            let by_action = Fields::read(json.as_bytes(), "recommended_next_step", Action::NAMES)?;
            for &action in Action::ALL {
                if let Some(text) = by_action.string(action.as_str())? {
                    details = details.with_next_step_for(action, text);
                }
            }
        } else if let Some(text) = fields.string("recommended_next_step")? {
            details = details.with_next_step(text);
        }
    }
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

/// `true` is a remedy that is available and permitted; an object says what holds of it one by one.
fn remedy(json: &str) -> Result<Remedy, String> {
    match json {
        "true" => return Ok(Remedy::USABLE),
        "false" => return Ok(Remedy::UNAVAILABLE),
        _ => {}
    }
    let parts = ["available", "permitted", "worthwhile"];
    if !json.starts_with('{') {
        return Err(format!(
            "expected true, false, or an object with {}",
            parts.join(", ")
        ));
    }
    let fields = Fields::read(json.as_bytes(), "", &parts)?;
    let boolean = |json: &str| json.parse::<bool>().map_err(|_| "expected true or false");
    let mut remedy = Remedy::USABLE
        .with_available(fields.get("available", boolean)?.unwrap_or(true))
        .with_permitted(fields.get("permitted", boolean)?.unwrap_or(true));
    if let Some(worthwhile) = fields.get("worthwhile", boolean)? {
        remedy = remedy.with_worthwhile(worthwhile);
    }
    Ok(remedy)
}

fn spent(fields: &Fields) -> Result<Option<Spent>, String> {
    let Some(spent) = fields.object("spent", &["time", "cost"])? else {
        return Ok(None);
    };
    let time = spent.term_by("time", parse_duration)?;
    let cost = |json: &str| {
        json.parse::<u64>()
            .map_err(|_| "expected a whole number that is not negative")
    };
    let cost = spent.get("cost", cost)?;
    Ok(Some(Spent::new(
        time.unwrap_or(Duration::ZERO),
        cost.unwrap_or_default(),
    )))
}
