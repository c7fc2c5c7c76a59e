//! Policies about the observations that annotations cite.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use provstream::provenance::{
    Annotation, ObservationCheck, ObservationLevel, ObservationOutcome, Timestamp, Vocabulary,
};
use provstream::{
    Action, Disposition, Gate, GateHandler, Handler, Parser, Question, RulePolicy, Rules, TextChunk,
};

const TS: &str = "2026-05-28T11:40:00Z";

fn rules(more: &str) -> Rules {
    let file = format!(
        "floor = 1\ndefault_window = \"1h\"\n{more}\n[inadmissible]\naction = \"replace\"\ntext = \"(withheld)\"\n"
    );
    Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).expect("a policy")
}

fn now() -> Timestamp {
    "2026-05-28T12:00:00Z".parse().expect("a time")
}

/// Observations whose ids are their outcomes. That of `old` was made at noon of the day before.
#[derive(Debug)]
struct Named(BTreeMap<&'static str, ObservationOutcome>);

impl Named {
    fn all() -> Arc<Self> {
        let all = ObservationOutcome::ALL.map(|outcome| (outcome.as_str(), outcome));
        Arc::new(Self(all.into_iter().collect()))
    }
}

impl ObservationCheck for Named {
    fn check(
        &self,
        annotation: &Annotation<'_>,
        window: Option<Duration>,
        now: Timestamp,
    ) -> ObservationOutcome {
        match annotation.observation_id() {
            None => ObservationOutcome::Declared,
            Some("old") => {
                let made: Timestamp = "2026-05-27T12:00:00Z".parse().expect("a time");
                let is_old = window.is_some_and(|window| now > made.saturating_add(window));
                match is_old {
                    true => ObservationOutcome::Stale,
                    false => ObservationOutcome::Observed,
                }
            }
            Some(id) => self.0[id],
        }
    }
}

#[derive(Default)]
struct Seen {
    text: String,
    dispositions: Vec<&'static str>,
    counting: Vec<String>,
    outcomes: Vec<&'static str>,
    rules: Option<Rules>,
}

impl Handler for Seen {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.push_str(&String::from_utf8_lossy(text.bytes()));
    }
}

impl GateHandler for Seen {
    fn decided(&mut self, question: &Question<'_>, _: &Action) {
        let verdict = question.verdict().expect("a verdict");
        let rules = self.rules.as_ref().expect("rules");
        self.dispositions
            .push(rules.disposition(question, verdict).as_str());
        let counting = verdict.counting().iter();
        self.counting.extend(counting.map(ToString::to_string));
        let outcomes = verdict.outcomes().iter();
        self.outcomes
            .extend(outcomes.map(|outcome| outcome.as_str()));
    }
}

fn read(
    rules: &Rules,
    observations: Option<Arc<dyn ObservationCheck>>,
    text: &str,
    cut: usize,
) -> Seen {
    let mut seen = Seen {
        rules: Some(rules.clone()),
        ..Seen::default()
    };
    let mut policy = RulePolicy::new(rules.clone(), now);
    if let Some(observations) = observations {
        policy = policy.with_observations(observations);
    }
    let mut gate = Gate::new(Parser::new(), policy);
    for chunk in text.as_bytes().chunks(cut) {
        gate.push(chunk, &mut seen);
    }
    gate.finish(&mut seen);
    seen
}

fn cited(id: &str) -> String {
    format!("It runs. [substrate.grep; observation-id={id}; ts={TS}] ")
}

/// Without any key, an annotation whose observation is contradicted or unknown does not count.
#[test]
fn what_does_not_hold_does_not_count() {
    let plain = rules("");
    for outcome in ObservationOutcome::ALL {
        let seen = read(&plain, Some(Named::all()), &cited(outcome.as_str()), 7);
        assert_eq!(seen.outcomes, [outcome.as_str()]);
        let expected = match outcome {
            _ if outcome.holds() => "admitted",
            ObservationOutcome::Stale => "below-floor",
            _ => outcome.as_str(),
        };
        assert_eq!(seen.dispositions, [expected]);
        let counting = match outcome.holds() {
            true => "counts",
            false => outcome.as_str(),
        };
        assert_eq!(seen.counting, [counting]);
        assert_eq!(
            seen.text.trim_end() == "It runs.",
            outcome.holds(),
            "{outcome}"
        );
    }
}

/// A level is for all classes, or for one.
#[test]
fn a_class_needs_its_level() {
    use ObservationOutcome as Outcome;
    let levels = [
        ("declared", ObservationLevel::Declared),
        ("observed", ObservationLevel::Observed),
        ("requeried", ObservationLevel::Requeried),
    ];
    for (name, level) in levels {
        for key in [
            format!("default_level = \"{name}\""),
            format!("levels = {{ \"substrate.grep\" = \"{name}\" }}"),
        ] {
            let rules = rules(&key);
            assert_eq!(rules.discipline().max_level(), level);
            assert_eq!(
                rules.needs_observations(),
                level > ObservationLevel::Declared
            );
            assert_eq!(rules.needs_requery(), level > ObservationLevel::Observed);
            for outcome in [
                Outcome::Declared,
                Outcome::Observed,
                Outcome::Requeried,
                Outcome::Moved,
            ] {
                let seen = read(&rules, Some(Named::all()), &cited(outcome.as_str()), 7);
                let expected = match outcome.level().is_some_and(|found| found >= level) {
                    true => "admitted",
                    false => "below-level",
                };
                assert_eq!(seen.dispositions, [expected], "{key}: {outcome}");
            }
        }
    }
    let rules =
        rules("default_level = \"requeried\"\nlevels = { \"substrate.git.log\" = \"declared\" }");
    let text = format!("A. [substrate.git.log; ts={TS}] B. [substrate.grep; ts={TS}]");
    let seen = read(&rules, Some(Named::all()), &text, 7);
    assert_eq!(seen.dispositions, ["admitted", "below-level"]);
    // Nothing that needs more than a declaration counts if nothing is checked.
    let seen = read(&rules, None, &text, 7);
    assert_eq!(seen.dispositions, ["admitted", "below-level"]);
    assert!(seen.outcomes.is_empty());
}

/// A rule about an outcome applies whatever else counts; without it, the outcome only keeps an annotation from counting.
#[test]
fn a_rule_applies_to_its_outcome() {
    let outcomes = [
        "unobserved",
        "class-differs",
        "changed",
        "gone",
        "unreachable",
        "not-requeryable",
        "moved",
    ];
    for outcome in outcomes {
        let also = format!("[substrate.git.log; ts={TS}]");
        let text = format!("{}{also} So.", cited(outcome));
        let seen = read(&rules(""), Some(Named::all()), &text, 7);
        assert_eq!(seen.dispositions, ["admitted"]);
        let key = outcome.replace('-', "_");
        let own = rules(&format!(
            "{key} = {{ action = \"mark\", before = \"<\", after = \">\" }}"
        ));
        assert!(own.needs_observations());
        let needs_requery = !matches!(outcome, "unobserved" | "class-differs" | "unreachable");
        assert_eq!(own.needs_requery(), needs_requery, "{outcome}");
        for cut in 1..=text.len() {
            let seen = read(&own, Some(Named::all()), &text, cut);
            assert_eq!(seen.dispositions, [outcome]);
            assert_eq!(seen.text, "<It runs.> So.");
        }
    }
    // The rule of terminals comes after it, that of unknown classes before it.
    let own = rules("unobserved = { action = \"discard\" }\nterminal = { action = \"release\" }");
    let text = cited("unobserved");
    let text = text.trim_end();
    let seen = read(
        &own,
        Some(Named::all()),
        &format!("{text}[unverified-inference]"),
        7,
    );
    assert_eq!(seen.dispositions, ["unobserved"]);
    let seen = read(
        &own,
        Some(Named::all()),
        &format!("{text}[substrate.telepathy]"),
        7,
    );
    assert_eq!(seen.dispositions, ["unknown"]);
    // Without a rule of its own, that of what is below the floor applies.
    let below = rules("below_floor = { action = \"discard\" }");
    assert!(!below.needs_observations());
    assert_eq!(below.action(Disposition::Unobserved), Action::Discard);
}

/// The example of the guide is a policy.
#[test]
fn the_guide_has_a_policy_about_observations() {
    let guide = include_str!("../../docs/gate.md");
    let (_, file) = guide.split_once("```toml policy\n").expect("a policy");
    let (file, _) = file.split_once("```\n").expect("an end");
    let rules = Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).expect("a policy");
    assert!(rules.needs_requery());
    let text = format!("{}So.", cited("changed").replace("grep", "git.log"));
    let seen = read(&rules, Some(Named::all()), &text, 7);
    assert_eq!(seen.text, "⟦outdated: It runs.⟧ So.");
}

/// A model cannot make an old observation a new one with another time.
#[test]
fn the_age_is_that_of_the_observation() {
    let text = cited("old");
    let day = rules("[windows]\n\"substrate.grep\" = \"2d\"");
    assert_eq!(
        read(&day, Some(Named::all()), &text, 7).dispositions,
        ["admitted"]
    );
    let seen = read(&rules(""), Some(Named::all()), &text, 7);
    assert_eq!(
        (seen.dispositions, seen.counting),
        (vec!["below-floor"], vec!["stale".to_owned()])
    );
    let own = rules("stale = { action = \"discard\" }");
    assert_eq!(
        read(&own, Some(Named::all()), &text, 7).dispositions,
        ["stale"]
    );
    let strict = rules("any_stale = \"withhold\"");
    let text = format!("{}[substrate.git.log; ts={TS}]", text.trim_end());
    assert_eq!(
        read(&strict, Some(Named::all()), &text, 7).dispositions,
        ["stale"]
    );
}

#[test]
fn a_wrong_level_is_reported() {
    for (key, error) in [
        (
            "default_level = \"seen\"",
            "line 3, column 17: expected one of \"declared\", \"observed\", \"requeried\" for \"default_level\", found \"seen\"",
        ),
        (
            "levels = { \"substrate.grip\" = \"observed\" }",
            "line 3, column 12: expected a class of vocabulary 1.0 for \"levels\", found \"substrate.grip\"; did you mean \"substrate.grep\"",
        ),
        (
            "levels = { substrate.grep = \"observed\" }",
            "line 3, column 12: expected a class in quotes, as in \"substrate.grep\" = \"observed\", found substrate.grep: in TOML a dot outside of quotes begins another table",
        ),
        (
            "levels = \"observed\"",
            "line 3, column 10: expected a table of classes, such as { \"substrate.grep\" = \"observed\" } (a level for all classes is \"default_level\"), for \"levels\", found the string \"observed\"",
        ),
    ] {
        let file = format!(
            "floor = 1\ndefault_window = \"1h\"\n{key}\n[inadmissible]\naction = \"discard\"\n"
        );
        let found = Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).expect_err(key);
        assert_eq!(found.to_string(), error);
    }
}
