//! Situations in JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use provstream::provenance::parse_duration;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::{
    Action, Details, Intervention, Judgement, Remedy, Score, Scores, Situation, Source, Spent,
};

/// A decision point as JSON describes it: the situation, details of the record, and the cost of the action before.
///
/// ```
/// use provstream_marc::SituationInput;
///
/// let json = br#"{"pre_capability":0.9,"primary_source":"ambiguity","uncertainty":{"ambiguity":0.1,"missing_evidence":0,
///     "capability_limit":0,"evidence_conflict":0,"safety":0},"session":"a"}"#;
/// let input = SituationInput::from_json(json, false)?;
/// assert_eq!(input.session.as_deref(), Some("a"));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct SituationInput {
    /// Request that the decision point belongs to.
    pub session: Option<String>,
    /// Situation.
    pub situation: Situation,
    /// Details of the record.
    pub details: Details,
    /// Cost of the action before, if it is stated.
    pub spent: Option<Spent>,
}

/// Members of the object. `null` is an absent member.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SituationMembers {
    session: Option<NonBlankText>,
    pre_capability: Option<Parsed<Score>>,
    uncertainty: Option<TermMap<Source, Parsed<Score>>>,
    primary_source: Option<Term<Source>>,
    secondary_source: Option<Term<Source>>,
    judgements: Option<Judgements>,
    remedies: Option<TermMap<Intervention, RemedyInput>>,
    risk_tier: Option<Term<crate::RiskTier>>,
    remediability: Option<Term<crate::Remediability>>,
    task_family: Option<NonBlankText>,
    recommended_next_step: Option<NextStepInput>,
    post_answer_confidence: Option<Parsed<Score>>,
    action_suitability: Option<Parsed<Score>>,
    sub_action: Option<NonBlankText>,
    spent: Option<SpentInput>,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum NextStepInput {
    Text(NonBlankText),
    ByAction(TermMap<Action, NonBlankText>),
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SpentInput {
    time: Option<String>,
    cost: Option<u64>,
}

#[derive(serde::Deserialize)]
#[serde(
    untagged,
    expecting = "expected true, false, or an object with available, permitted and worthwhile"
)]
enum RemedyInput {
    Usable(bool),
    Conditions(Conditions),
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Conditions {
    available: Option<bool>,
    permitted: Option<bool>,
    worthwhile: Option<bool>,
}

impl SituationInput {
    /// Reads a JSON object. `unused_is_zero` allows scores to be absent.
    ///
    /// # Errors
    ///
    /// Describes the member that is wrong or missing.
    pub fn from_json(json: &[u8], unused_is_zero: bool) -> Result<Self, String> {
        let mut members: SituationMembers =
            serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let details = members.details();
        let spent = members
            .spent
            .take()
            .map(SpentInput::into_spent)
            .transpose()?;
        Ok(Self {
            session: members.session.take().map(|text| text.0),
            situation: members.into_situation(unused_is_zero)?,
            details,
            spent,
        })
    }
}

impl SituationMembers {
    fn into_situation(self, unused_is_zero: bool) -> Result<Situation, String> {
        let (Some(pre_capability), Some(uncertainty), Some(primary_source)) =
            (self.pre_capability, &self.uncertainty, self.primary_source)
        else {
            return Err(
                "expected the members pre_capability, uncertainty and primary_source".to_owned(),
            );
        };
        let mut scores = Scores::all(Score::ZERO);
        let mut missing = Vec::new();
        for &source in Source::ALL {
            match uncertainty.0.get(source.as_str()) {
                Some((_, score)) => scores = scores.with(source, score.0),
                None => missing.push(source.as_str()),
            }
        }
        if !missing.is_empty() && !unused_is_zero {
            let missing = missing.join(", ");
            return Err(format!(
                "`uncertainty`: missing: {missing}; every source needs a score (MARC-02 9.3)"
            ));
        }
        let mut situation = Situation::new(pre_capability.0, scores, primary_source.0);
        if let Some(source) = self.secondary_source {
            situation = situation.with_secondary_source(source.0);
        }
        for (judgement, holds) in self
            .judgements
            .into_iter()
            .flat_map(|judgements| judgements.0)
        {
            situation = situation.with_judgement(judgement, holds);
        }
        for (intervention, remedy) in self.remedies.into_iter().flat_map(TermMap::into_values) {
            situation = situation.with_remedy(intervention, remedy.into_remedy());
        }
        if let Some(tier) = self.risk_tier {
            situation = situation.with_risk_tier(tier.0);
        }
        if let Some(class) = self.remediability {
            situation = situation.with_remediability(class.0);
        }
        if let Some(family) = self.task_family {
            situation = situation.with_task_family(family.0);
        }
        Ok(situation)
    }

    fn details(&mut self) -> Details {
        let mut details = Details::new();
        match self.recommended_next_step.take() {
            None => {}
            Some(NextStepInput::Text(text)) => {
                // A text is written before the action is known, so it is that of the answer.
                details = details.with_next_step_for(Action::Answer, text.0);
            }
            Some(NextStepInput::ByAction(texts)) => {
                for (action, text) in texts.into_values() {
                    details = details.with_next_step_for(action, text.0);
                }
            }
        }
        if let Some(score) = &self.post_answer_confidence {
            details = details.with_post_answer_confidence(score.0);
        }
        if let Some(score) = &self.action_suitability {
            details = details.with_action_suitability(score.0);
        }
        match self.sub_action.take() {
            Some(name) => details.with_sub_action(name.0),
            None => details,
        }
    }
}

impl SpentInput {
    fn into_spent(self) -> Result<Spent, String> {
        let time = self.time.as_deref().map(parse_duration).transpose();
        let time = time.map_err(|error| format!("spent.time: {error}, as in \"2s\""))?;
        Ok(Spent::new(
            time.unwrap_or(Duration::ZERO),
            self.cost.unwrap_or_default(),
        ))
    }
}

impl RemedyInput {
    fn into_remedy(self) -> Remedy {
        let conditions = match self {
            Self::Usable(true) => return Remedy::USABLE,
            Self::Usable(false) => return Remedy::UNAVAILABLE,
            Self::Conditions(conditions) => conditions,
        };
        let remedy = Remedy::USABLE
            .with_available(conditions.available.unwrap_or(true))
            .with_permitted(conditions.permitted.unwrap_or(true));
        match conditions.worthwhile {
            Some(worthwhile) => remedy.with_worthwhile(worthwhile),
            None => remedy,
        }
    }
}

/// Text that is not blank.
struct NonBlankText(String);

impl<'de> Deserialize<'de> for NonBlankText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.trim().is_empty() {
            true => Err(D::Error::custom("expected a text, found a blank one")),
            false => Ok(Self(text)),
        }
    }
}

/// Value that is parsed from its JSON, so that numbers keep their digits.
struct Parsed<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?;
        json.get().parse().map(Self).map_err(D::Error::custom)
    }
}

/// Name of a value of an enumeration.
struct Term<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Term<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map(Self).map_err(D::Error::custom)
    }
}

/// Object whose members are values of an enumeration, each at most once. `null` is an absent member.
struct TermMap<K, V>(BTreeMap<String, (K, V)>);

impl<K, V> TermMap<K, V> {
    fn into_values(self) -> impl Iterator<Item = (K, V)> {
        self.0.into_values()
    }
}

impl<'de, K, V> Deserialize<'de> for TermMap<K, V>
where
    K: FromStr<Err: Display>,
    V: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TermMapVisitor<K, V>(PhantomData<(K, V)>);

        impl<'de, K: FromStr<Err: Display>, V: Deserialize<'de>> Visitor<'de> for TermMapVisitor<K, V> {
            type Value = TermMap<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut values = BTreeMap::new();
                let mut seen = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    let key: K = name.parse().map_err(A::Error::custom)?;
                    if seen.contains(&name) {
                        return Err(A::Error::custom(format!("duplicate field `{name}`")));
                    }
                    seen.push(name.clone());
                    if let Some(value) = map.next_value::<Option<V>>()? {
                        values.insert(name, (key, value));
                    }
                }
                Ok(TermMap(values))
            }
        }

        deserializer.deserialize_map(TermMapVisitor(PhantomData))
    }
}

/// Array of judgements that hold, or object that says of each whether it holds.
struct Judgements(Vec<(Judgement, bool)>);

impl<'de> Deserialize<'de> for Judgements {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JudgementsVisitor;

        impl<'de> Visitor<'de> for JudgementsVisitor {
            type Value = Judgements;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of judgements, or an object with true or false")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut all = Vec::new();
                while let Some(judgement) = seq.next_element::<Term<Judgement>>()? {
                    all.push((judgement.0, true));
                }
                Ok(Judgements(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let map = serde::de::value::MapAccessDeserializer::new(map);
                let map = TermMap::<Judgement, bool>::deserialize(map)?;
                Ok(Judgements(map.into_values().collect()))
            }
        }

        deserializer.deserialize_any(JudgementsVisitor)
    }
}
