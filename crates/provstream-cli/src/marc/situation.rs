//! What a line of input says of a decision point.

use std::time::Duration;

use provstream_marc::{
    Action, Details, Intervention, Judgement, Remedy, Score, Scores, Situation, Source, Spent,
};

use super::fields::{Fields, unlike};
use super::json_object::{INCOMPLETE, found};
use crate::values;

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
    /// What the previous decision's action cost, if that is stated.
    pub(crate) spent: Option<Spent>,
}

impl SituationLine {
    /// Reads a line. `unused_is_zero` lets scores be missing.
    pub(crate) fn read(line: &[u8], unused_is_zero: bool) -> Result<Self, String> {
        let fields = Fields::read(line, "", &MEMBERS).map_err(|error| {
            if error.starts_with("unknown member `answer`") {
                "`answer`: no text for the user is read before the action is selected; `provstream marc project` takes it".into()
            } else if error == INCOMPLETE {
                "expected one situation a line, found one that goes on in the next line or is not complete; `jq -c .` writes each on one line".into()
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
    let uncertainty = fields.object("uncertainty", Source::NAMES)?;
    let (pre_capability, primary_source) = (
        fields.score("pre_capability")?,
        fields.term("primary_source")?,
    );
    let (Some(pre_capability), Some(uncertainty), Some(primary_source)) =
        (pre_capability, &uncertainty, primary_source)
    else {
        let missing = [
            ("pre_capability", "a score", pre_capability.is_none()),
            (
                "uncertainty",
                "an object with a score for each source",
                uncertainty.is_none(),
            ),
            (
                "primary_source",
                "one of the sources",
                primary_source.is_none(),
            ),
        ];
        let missing = missing.iter().filter(|(.., is_missing)| *is_missing);
        let missing: Vec<_> = missing
            .map(|(name, form, _)| format!("`{name}` ({form})"))
            .collect();
        return Err(format!("missing: {}", missing.join(", ")));
    };
    let scores = scores(uncertainty, unused_is_zero)?;
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

/// The score of each source. `unused_is_zero` lets some be missing.
fn scores(uncertainty: &Fields, unused_is_zero: bool) -> Result<Scores, String> {
    let mut scores = Scores::all(Score::ZERO);
    let mut missing = Vec::new();
    for &source in Source::ALL {
        match uncertainty.score(source.as_str())? {
            Some(score) => scores = scores.with(source, score),
            None => missing.push(source.as_str()),
        }
    }
    if missing.is_empty() || unused_is_zero {
        return Ok(scores);
    }
    let missing = missing.join(", ");
    Err(format!(
        "`uncertainty`: missing: {missing}; every source needs a score (MARC-02 9.3)"
    ))
}

/// An array of judgements that hold, or an object that says of each whether it holds.
fn judgements(json: &str) -> Result<Vec<(Judgement, bool)>, String> {
    let expected = "an array of strings, or an object with true or false";
    if json.starts_with('[') {
        let names: Vec<String> = serde_json::from_str(json)
            .map_err(|_| format!("expected {expected}, found an array of other values"))?;
        let judgements = names.iter().map(|name| name.parse().map(|one| (one, true)));
        return judgements
            .collect::<Result<_, _>>()
            .map_err(|error: provstream_marc::TermError| error.to_string());
    }
    if !json.starts_with('{') {
        return Err(unlike(expected, json));
    }
    let fields = Fields::read(json.as_bytes(), "", Judgement::NAMES)?;
    let mut all = Vec::new();
    for &judgement in Judgement::ALL {
        let holds = fields.boolean(judgement.as_str())?;
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
            // A text is written before the action is known, so it is that of the answer.
            details = details.with_next_step_for(Action::Answer, text);
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
        let expected = format!("true, false, or an object with {}", parts.join(", "));
        return Err(unlike(&expected, json));
    }
    let fields = Fields::read(json.as_bytes(), "", &parts)?;
    let mut remedy = Remedy::USABLE
        .with_available(fields.boolean("available")?.unwrap_or(true))
        .with_permitted(fields.boolean("permitted")?.unwrap_or(true));
    if let Some(worthwhile) = fields.boolean("worthwhile")? {
        remedy = remedy.with_worthwhile(worthwhile);
    }
    Ok(remedy)
}

fn spent(fields: &Fields) -> Result<Option<Spent>, String> {
    let Some(spent) = fields.object("spent", &["time", "cost"])? else {
        return Ok(None);
    };
    let time = spent.get("time", |json| {
        let text: String = serde_json::from_str(json)
            .map_err(|_| unlike("a duration in quotes, such as \"2s\"", json))?;
        values::duration(&text).map_err(|message| format!("{message}, found {text:?}"))
    })?;
    let cost = spent.get("cost", |json| {
        json.parse::<u64>().map_err(|_| {
            let expected = format!("expected a whole number from 0 to {}", u64::MAX);
            match json.as_bytes() {
                [b'-' | b'0'..=b'9', ..] => format!("{expected}, found {json}"),
                _ => format!("{expected}, found {}", found(json.as_bytes())),
            }
        })
    })?;
    Ok(Some(Spent::new(
        time.unwrap_or(Duration::ZERO),
        cost.unwrap_or_default(),
    )))
}
