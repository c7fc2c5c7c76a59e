//! Contexts of trust, MARC-02 15.

use provstream_marc::{
    Action, Band, Core, Domain, Permission, Remediability, Source, TrustContext, TrustErrorKind,
    TrustPolicy, Use,
};
use testkit::marc::decide::{calibration, score, scores};

fn record(action: Action) -> Core {
    let record = Core::builder()
        .decision_id("upstream-1")
        .calibration_profile("test-1")
        .pre_capability(score(0.6))
        .uncertainty(scores([0.2; 5]))
        .primary_source(Source::MissingEvidence)
        .remediability(action.remediability().unwrap_or(Remediability::None))
        .selected_action(action)
        .confidence_band(Band::Medium)
        .recommended_next_step("go on");
    match action {
        Action::Answer => record.post_answer_confidence(score(0.7)),
        _ => record,
    }
    .build()
    .unwrap()
}

fn attested(context: TrustContext) -> TrustContext {
    context.attested_by("agent.example.org").unwrap()
}

/// The four contexts of the draft, with what the default policy permits in each.
fn contexts() -> [(TrustContext, &'static [Use]); 4] {
    let cross = TrustContext::new(Domain::CrossDomain);
    [
        (TrustContext::new(Domain::Local), Use::ALL),
        (TrustContext::new(Domain::Delegated), Use::ALL),
        (cross.clone(), &[Use::Audit]),
        (attested(cross), &[Use::Route, Use::Disclose, Use::Audit]),
    ]
}

/// M2-154, M2-155, M2-157, M2-189
#[test]
fn each_context_permits_what_it_is_good_for() {
    let policy = TrustPolicy::default();
    for (context, permitted) in contexts() {
        let placed = record(Action::Answer).placed(context);
        for &usage in Use::ALL {
            let record = placed.permit(usage, &policy);
            assert_eq!(
                record.is_ok(),
                permitted.contains(&usage),
                "{} {usage}",
                placed.context()
            );
        }
    }
}

/// M2-154
#[test]
fn a_use_that_is_not_permitted_is_told() {
    let policy = TrustPolicy::default();
    let [_, _, (cross, _), (attested, _)] = contexts();
    let text = |context: TrustContext, usage| {
        let is_attested = context.emitter().is_some();
        let kind = match is_attested {
            true => TrustErrorKind::Never(Domain::CrossDomain, usage),
            false => TrustErrorKind::NotAttested(Domain::CrossDomain, usage),
        };
        let placed = record(Action::Answer).placed(context);
        let error = placed.permit(usage, &policy).unwrap_err();
        assert_eq!(error.kind(), kind);
        error.to_string()
    };
    assert_eq!(
        text(cross, Use::Route),
        "a cross-domain record with no attestation may not be used to route"
    );
    assert_eq!(
        text(attested, Use::Automate),
        "a cross-domain record may not be used to automate, attested or not"
    );
}

/// M2-155: any domain can be attested, and an attestation never takes a use away.
#[test]
fn an_attestation_adds_to_a_domain() {
    let permissions = [
        Permission::Always,
        Permission::IfAttested,
        Permission::Never,
    ];
    for &domain in Domain::ALL {
        let plain = TrustContext::new(domain);
        let attested = attested(plain.clone());
        assert_eq!((plain.domain(), attested.domain()), (domain, domain));
        for permission in permissions {
            for &usage in Use::ALL {
                let policy = TrustPolicy::default().with(domain, usage, permission);
                assert_eq!(policy.get(domain, usage), permission);
                assert_eq!(
                    policy.permits(&plain, usage),
                    permission == Permission::Always
                );
                assert_eq!(
                    policy.permits(&attested, usage),
                    permission != Permission::Never
                );
            }
        }
    }
}

/// M2-155, M2-158: what binds a record is stated by the receiver.
#[test]
fn an_attestation_names_the_emitter() {
    let plain = TrustContext::new(Domain::CrossDomain);
    let nameless = plain.clone().attested_by(" ").unwrap_err();
    assert_eq!(nameless.kind(), TrustErrorKind::NoEmitter);
    assert_eq!(plain.emitter(), None);
    let context = attested(plain);
    assert_eq!(context.emitter(), Some("agent.example.org"));
    assert_eq!(
        context.to_string(),
        "cross-domain, attested by agent.example.org"
    );
}

/// M2-43
#[test]
fn bands_compare_only_under_the_same_calibration_of_a_known_emitter() {
    let same = calibration();
    let other = provstream_marc::Calibration::new("test-2", *same.bands(None).unwrap()).unwrap();
    let [local, delegated, cross, attested] = contexts().map(|(context, _)| context);
    for (context, comparable) in [
        (local, true),
        (delegated, true),
        (cross, false),
        (attested, true),
    ] {
        let placed = record(Action::Answer).placed(context);
        assert_eq!(placed.is_band_comparable(&same), comparable);
        assert!(!placed.is_band_comparable(&other));
    }
    let mut document = record(Action::Answer).into_document();
    document.remove("calibration_profile");
    let unnamed = Core::new(document, provstream_marc::Profile::default()).unwrap();
    let placed = unnamed.placed(TrustContext::new(Domain::Local));
    assert!(!placed.is_band_comparable(&same));
}
