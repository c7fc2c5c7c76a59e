//! The use cases of MARC-02 section 6, and the examples of its appendices: request in, decisions, records and
//! disclosures out.

use std::time::Duration;

use provstream_marc::{
    Action, Attestation, Band, Content, Core, Decision, Details, Disclosure, Document, Domain,
    Draft, Intervention, Judgement, MarcKind, Move, Profile, Projected, Projection, Remediability,
    RiskTier, Score, Session, SessionState, Situation, Source, Spent, Step, Target, TrustContext,
    TrustPolicy, Use,
};
use testkit::marc::decide::{assert_clean, bound, controller, score, scores, with_usable};

use Intervention::{Human, Retrieval, Tool, User};
use Judgement::{
    BlockingAmbiguity, MaterialCapabilityLimit, RequiredEvidenceMissing, SafetyControls,
};

/// A request comes in: a session begins, with at most two rounds of each looping action.
fn request(id: &str) -> Session {
    Session::new(&controller(bound(2)), id).unwrap()
}

#[track_caller]
fn decide(session: &mut Session, situation: &Situation, next_step: &str) -> Decision {
    decide_with(session, situation, Details::new(next_step))
}

#[track_caller]
fn answer(
    session: &mut Session,
    situation: &Situation,
    confidence: Score,
    next_step: &str,
) -> Decision {
    let details = Details::new(next_step).with_post_answer_confidence(confidence);
    decide_with(session, situation, details)
}

#[track_caller]
fn decide_with(session: &mut Session, situation: &Situation, details: Details) -> Decision {
    let decision = session.decide(situation, &details).unwrap();
    assert_clean(decision.record());
    decision
}

/// The action took two seconds and cost 40.
fn done(session: &mut Session) {
    session
        .completed(Spent::new(Duration::from_secs(2), 40))
        .unwrap();
}

/// What the user sees of a decision.
#[track_caller]
fn disclose(decision: &Decision, content: Content<'_>) -> Disclosure {
    disclose_record(decision.record(), content)
}

#[track_caller]
fn disclose_record(record: &Core, content: Content<'_>) -> Disclosure {
    let projected = Projection::new().project(record, content).unwrap();
    let disclosure = projected.disclosure().expect("nothing is deferred");
    let strict = Profile::new(Draft::Draft02).strict();
    let report = disclosure.document().validate(MarcKind::Disclosure, strict);
    assert!(report.is_clean(), "{report}");
    assert_eq!(disclosure.check_wording(record.selected_action()), []);
    disclosure
}

/// The user sees nothing yet.
#[track_caller]
fn assert_deferred(decision: &Decision) {
    let projected = Projection::new().project(decision.record(), Content::new());
    assert_eq!(projected, Ok(Projected::Deferred(decision.action())));
}

/// Members that depend on the session, not on the situation.
const OF_THE_SESSION: [&str; 5] = [
    "decision_id",
    "parent_decision_id",
    "iteration",
    "max_iterations",
    "calibration_profile",
];

fn values_without_session(json: &str) -> serde_json::Map<String, serde_json::Value> {
    let mut members: serde_json::Map<_, _> = serde_json::from_str(json).unwrap();
    members.retain(|name, _| !OF_THE_SESSION.contains(&name.as_str()));
    members
}

/// The object, a record or a disclosure, says what an example of the drafts says.
#[track_caller]
fn assert_is_example(object: &Document, name: &str) {
    let path = format!(
        "{}/../../corpus/marc/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let example = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        values_without_session(&object.to_json()),
        values_without_session(&example)
    );
}

/// Appendix A: "Is this tax deduction allowed?"
fn tax_deduction() -> Situation {
    let situation = Situation::new(
        score(0.33),
        scores([0.86, 0.63, 0.19, 0.07, 0.03]),
        Source::Ambiguity,
    )
    .with_secondary_source(Source::MissingEvidence)
    .with_judgement(BlockingAmbiguity)
    .with_judgement(RequiredEvidenceMissing)
    .with_remediability(Remediability::UserClarification);
    with_usable(situation, &[User, Retrieval])
}

/// M2-12, M2-14, M2-56, M2-64, M2-70, M2-116, M2-124: use case 6.1, example of appendix A.
#[test]
fn an_ambiguous_request_is_met_with_a_question() {
    let mut session = request("tax");
    let decision = decide(
        &mut session,
        &tax_deduction(),
        "ask for jurisdiction and tax year",
    );
    assert_eq!(decision.action(), Action::Clarify);
    assert_eq!(decision.selection().step(), Step::Ambiguity);
    assert!(decision.selection().preference().is_met());
    assert_is_example(decision.record().document(), "tv-m2-2");
    assert_eq!(session.state(), SessionState::Over(Action::Clarify));
    let content = Content::new()
        .answer("Which jurisdiction and tax year should I use?")
        .next_step("provide the jurisdiction and tax year");
    let disclosure = disclose(&decision, content);
    assert_is_example(disclosure.document(), "tv-m2-3");

    // "In Austria, for 2025." The reply is a new request. Nothing is ambiguous now, but the law has to be looked up.
    let mut session = request("tax-reply");
    let clear = Situation::new(
        score(0.46),
        scores([0.05, 0.63, 0.19, 0.07, 0.03]),
        Source::MissingEvidence,
    )
    .with_judgement(RequiredEvidenceMissing);
    let clear = with_usable(clear, &[User, Retrieval]);
    let decision = decide(&mut session, &clear, "retrieve the tax law of 2025");
    assert_eq!(decision.action(), Action::Retrieve);
    assert_eq!(decision.record().parent_decision_id(), None);
}

/// M2-56: example B.1, and that of section 9.5.
#[test]
fn what_only_the_user_knows_is_asked_of_the_user() {
    let cases = [
        (
            0.44,
            [0.81, 0.18, 0.12, 0.03, 0.0],
            "ask jurisdiction and tax year",
            "tv-m2-4",
        ),
        (
            0.41,
            [0.78, 0.22, 0.18, 0.05, 0.0],
            "ask one clarifying question",
            "tv-m2-1",
        ),
    ];
    for (capability, uncertainty, next_step, example) in cases {
        let situation = Situation::new(score(capability), scores(uncertainty), Source::Ambiguity)
            .with_secondary_source(Source::MissingEvidence)
            .with_judgement(BlockingAmbiguity);
        let situation = with_usable(situation, &[User]);
        let decision = decide(&mut request("question"), &situation, next_step);
        assert_is_example(decision.record().document(), example);
        let disclosure = disclose(&decision, Content::new());
        assert_eq!(disclosure.uncertainty_source(), Source::Ambiguity);
        assert!(disclosure.answer().contains("the request is ambiguous"));
    }
}

/// M2-12, M2-15, M2-58, M2-72, M2-93, M2-123: use case 6.2, example B.2.
#[test]
fn current_evidence_is_retrieved_before_the_answer() {
    // "What does the regulation say today?"
    let mut session = request("regulation");
    let stale = Situation::new(
        score(0.39),
        scores([0.09, 0.84, 0.14, 0.11, 0.0]),
        Source::MissingEvidence,
    )
    .with_secondary_source(Source::EvidenceConflict)
    .with_judgement(RequiredEvidenceMissing);
    let stale = with_usable(stale, &[Retrieval]);
    let first = decide(
        &mut session,
        &stale,
        "retrieve authoritative current sources",
    );
    assert_eq!(first.action(), Action::Retrieve);
    assert_is_example(first.record().document(), "tv-m2-5");
    assert_deferred(&first);
    assert_eq!(session.state(), SessionState::Running(Action::Retrieve));

    // The sources are there: nothing is judged to be missing any more.
    done(&mut session);
    let informed = Situation::new(
        score(0.82),
        scores([0.09, 0.21, 0.14, 0.11, 0.0]),
        Source::MissingEvidence,
    );
    let second = answer(
        &mut session,
        &informed,
        score(0.76),
        "check the cited paragraph before relying on it",
    );
    let record = second.record();
    assert_eq!(second.action(), Action::Answer);
    assert_eq!(second.selection().step(), Step::Answer);
    assert_eq!(record.parent_decision_id(), first.record().decision_id());
    assert_eq!(record.confidence_target(), Some(Target::Answer));
    // The band is about the answer: 0.82, the capability, would be high.
    assert_eq!(record.confidence_band(), Band::Medium);
    assert_eq!(session.state(), SessionState::Over(Action::Answer));
    let text = "Retrieved authority indicates that it is allowed.";
    let disclosure = disclose(&second, Content::new().answer(text));
    assert_eq!(
        disclosure.to_json(),
        r#"{"answer":"Retrieved authority indicates that it is allowed.","confidence_band":"medium","confidence_target":"answer","uncertainty_source":"missing_evidence","recommended_next_step":"check the cited paragraph before relying on it","selected_action":"ANSWER"}"#
    );
}

/// M2-63: the answer is limited to what is there, so nothing is retrieved.
#[test]
fn a_summary_of_a_given_text_needs_no_retrieval() {
    let situation = Situation::new(
        score(0.9),
        scores([0.1, 0.7, 0.1, 0.0, 0.0]),
        Source::MissingEvidence,
    )
    .with_judgement(RequiredEvidenceMissing)
    .with_judgement(Judgement::LimitedToContext);
    let situation = with_usable(situation, &[Retrieval]);
    let decision = answer(
        &mut request("summary"),
        &situation,
        score(0.9),
        "read the summary",
    );
    assert_eq!(decision.action(), Action::Answer);
}

/// "What is the annuity of this loan?"
fn annuity() -> Situation {
    Situation::new(
        score(0.52),
        scores([0.08, 0.12, 0.61, 0.04, 0.0]),
        Source::CapabilityLimit,
    )
    .with_secondary_source(Source::MissingEvidence)
    .with_judgement(MaterialCapabilityLimit)
}

/// M2-7, M2-12, M2-59, M2-66, M2-72: use case 6.3, example B.3.
#[test]
fn a_tool_is_used_where_it_makes_the_task_solvable() {
    let mut session = request("annuity");
    let situation = with_usable(annuity(), &[Tool, Human]);
    let first = decide(
        &mut session,
        &situation,
        "invoke a calculation tool and reassess",
    );
    assert_eq!(first.action(), Action::Tool);
    assert_is_example(first.record().document(), "tv-m2-6");
    assert_deferred(&first);

    done(&mut session);
    let computed = Situation::new(
        score(0.93),
        scores([0.08, 0.12, 0.1, 0.04, 0.0]),
        Source::MissingEvidence,
    );
    let second = answer(&mut session, &computed, score(0.95), "compare the offers");
    assert_eq!(second.action(), Action::Answer);
    assert_eq!(second.record().confidence_band(), Band::High);
    assert_eq!(
        second.record().parent_decision_id(),
        first.record().decision_id()
    );
    let disclosure = disclose(&second, Content::new().answer("1,073.64 a month"));
    assert_eq!(disclosure.confidence_band(), Band::High);
    assert_eq!(disclosure.confidence_target(), Some(Target::Answer));
}

/// M2-12, M2-62: use case 6.3. A tool is no fallback; without one that helps, source and remedies decide.
#[test]
fn where_no_tool_helps_another_action_is_selected() {
    let easy = Situation::new(score(0.9), scores([0.1; 5]), Source::CapabilityLimit);
    let vague = annuity().with_judgement(BlockingAmbiguity);
    let cases = [
        // A tool is there, and nothing asks for it.
        (with_usable(easy, &[Tool]), Action::Answer),
        (with_usable(vague, &[User]), Action::Clarify),
        (with_usable(annuity(), &[Human]), Action::Escalate),
        (annuity(), Action::Abstain),
    ];
    for (situation, action) in cases {
        let details = Details::new("go on").with_post_answer_confidence(score(0.9));
        let decision = decide_with(&mut request("annuity"), &situation, details);
        assert_eq!(decision.action(), action);
    }
}

/// M2-12, M2-125, M2-143, M2-153, M2-154: use case 6.4.
#[test]
fn a_gateway_logs_the_record_and_shows_only_what_is_for_users() {
    // The model's side decides, and sends its record with its output.
    let sent = decide(
        &mut request("model"),
        &tax_deduction(),
        "ask for jurisdiction and tax year",
    )
    .into_record();

    // The gateway runs the model under its own policy.
    let received = Core::read(sent.to_json().as_bytes(), Profile::new(Draft::Draft02)).unwrap();
    let placed = received.placed(TrustContext::new(Domain::Delegated));
    let policy = TrustPolicy::default();
    let logged = placed.permit(Use::Audit, &policy).unwrap().to_json();
    assert_eq!(logged, sent.to_json());
    assert_eq!(placed.next_move(&policy), Move::Clarify);

    let shown = placed.permit(Use::Disclose, &policy).unwrap();
    let disclosure = disclose_record(shown, Content::new());
    let names: Vec<_> = disclosure
        .document()
        .members()
        .map(|(name, _)| name.into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "answer",
            "confidence_band",
            "confidence_target",
            "uncertainty_source",
            "recommended_next_step",
            "selected_action"
        ]
    );
}

/// M2-12, M2-18, M2-43, M2-93, M2-139, M2-155: use case 6.5.
#[test]
fn a_task_is_handed_to_another_agent_with_its_record() {
    // The first agent cannot reach the archive that has the evidence, and hands the task over.
    let mut first = request("first");
    let missing = Situation::new(
        score(0.3),
        scores([0.1, 0.9, 0.2, 0.1, 0.0]),
        Source::MissingEvidence,
    )
    .with_judgement(RequiredEvidenceMissing)
    .with_risk_tier(RiskTier::High);
    let missing = with_usable(missing, &[Human]);
    let handed = decide(&mut first, &missing, "transfer to the archive's agent").into_record();
    assert_eq!(handed.selected_action(), Action::Escalate);

    // The second one knows who wrote the record, but follows its own policy.
    let attestation = Attestation::new("first.example.org")
        .unwrap()
        .with_integrity()
        .with_request_binding();
    let context = TrustContext::new(Domain::CrossDomain).attested(attestation);
    let placed = Core::read(handed.to_json().as_bytes(), Profile::default())
        .unwrap()
        .placed(context);
    let policy = TrustPolicy::default();
    let why = placed.permit(Use::Route, &policy).unwrap();
    assert_eq!(why.primary_source(), Source::MissingEvidence);
    assert_eq!(
        why.confidence_target(),
        Some(Target::DirectAnswerSuitability)
    );
    assert_eq!(
        why.recommended_next_step(),
        "transfer to the archive's agent"
    );
    assert!(placed.permit(Use::Automate, &policy).is_err());

    let mut second = Session::following(&controller(bound(2)), "second", &placed).unwrap();
    let reachable = with_usable(missing, &[Retrieval]);
    let decision = decide(&mut second, &reachable, "search the archive");
    assert_eq!(decision.action(), Action::Retrieve);
    assert_eq!(decision.record().parent_decision_id(), handed.decision_id());

    // From somebody unknown the same record would decide nothing.
    let unknown = handed.placed(TrustContext::new(Domain::CrossDomain));
    assert_eq!(unknown.next_move(&policy), Move::Validate);
    assert!(unknown.permit(Use::Route, &policy).is_err());
}

/// "Can I take these two drugs together?"
fn two_drugs() -> Situation {
    Situation::new(
        score(0.21),
        scores([0.06, 0.27, 0.88, 0.14, 0.19]),
        Source::CapabilityLimit,
    )
    .with_secondary_source(Source::MissingEvidence)
    .with_judgement(MaterialCapabilityLimit)
    .with_risk_tier(RiskTier::High)
}

/// M2-12, M2-60, M2-66, M2-152: use case 6.6, example B.4.
#[test]
fn a_limit_in_a_high_risk_domain_is_escalated_else_declined() {
    let mut session = request("drugs");
    let decision = decide(
        &mut session,
        &with_usable(two_drugs(), &[Human]),
        "escalate to a qualified human reviewer",
    );
    assert_eq!(decision.action(), Action::Escalate);
    assert_is_example(decision.record().document(), "tv-m2-7");
    assert_eq!(session.state(), SessionState::Over(Action::Escalate));
    // What the limit is, and where to go on.
    let disclosure = disclose(&decision, Content::new());
    assert_eq!(disclosure.uncertainty_source(), Source::CapabilityLimit);
    assert_eq!(disclosure.selected_action(), Some(Action::Escalate));
    assert_eq!(
        disclosure.recommended_next_step(),
        "escalate to a qualified human reviewer"
    );

    let decision = decide(
        &mut request("drugs"),
        &two_drugs(),
        "ask a pharmacist or a physician",
    );
    assert_eq!(decision.action(), Action::Abstain);
    assert_eq!(decision.record().remediability(), Remediability::None);
    let disclosure = disclose(&decision, Content::new());
    assert_eq!(
        disclosure.recommended_next_step(),
        "ask a pharmacist or a physician"
    );
}

/// M2-12, M2-55, M2-113: use case 6.6, for a constraint.
#[test]
fn a_safety_constraint_is_applied_before_a_tool_is_asked() {
    let constrained = two_drugs().with_judgement(SafetyControls);
    let tools = with_usable(constrained, &[User, Retrieval, Tool]);
    let decision = decide(&mut request("drugs"), &tools, "decline and say why");
    assert_eq!(decision.action(), Action::Abstain);
    assert_eq!(decision.selection().step(), Step::Governing);
    let disclosure = disclose(&decision, Content::new());
    assert_eq!(disclosure.selected_action(), Some(Action::Abstain));
}
