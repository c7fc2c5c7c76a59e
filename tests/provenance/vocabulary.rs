//! Resolving identifiers, and vocabularies built in code.

use proptest::prelude::*;
use provstream::provenance::{
    Class, Reason, Resolution, Version, Vocabulary, VocabularyError, VocabularyErrorKind as Kind,
};

const MEMO: [&str; 9] = [
    "substrate.git.log",
    "substrate.grep",
    "substrate.code.read",
    "substrate.fs.mtime",
    "substrate.mcp.brief",
    "substrate.do.sse-count",
    "substrate.unix.peercred",
    "unverified-inference",
    "decayed-to-uncertainty",
];

fn later() -> Vocabulary {
    Vocabulary::builder(Version::new(1, 2))
        .class("substrate.one", Version::new(1, 1))
        .class("substrate.two", Version::new(1, 2))
        .class("Ledger.CT_log", Version::new(1, 2))
        .build()
        .unwrap()
}

fn check(vocabulary: &Vocabulary, declared: &str, class: &str, reason: Option<Reason>) {
    let resolution = vocabulary.resolve(declared.as_bytes());
    assert_eq!(resolution.class().as_str(), class, "{declared:?}");
    assert_eq!(resolution.reason(), reason, "{declared:?}");
}

/// PA-12, PA-18 to PA-28, PA-30, PA-35; OP-4, OP-5
#[test]
fn every_identifier_of_the_memo_is_itself() {
    for vocabulary in [Vocabulary::memo(), later()] {
        for name in MEMO {
            check(&vocabulary, name, name, None);
            check(&vocabulary, &format!("1.0.{name}"), name, None);
        }
    }
}

/// PA-26
#[test]
fn version_1_0_has_eight_classes_in_the_order_of_the_memo() {
    let memo = Vocabulary::memo();
    let names: Vec<_> = memo.classes().map(|(class, _)| class.to_string()).collect();
    assert_eq!(names, MEMO[..8]);
    assert!(memo.classes().all(|(_, since)| since == Version::MEMO));
    assert_eq!(memo.version(), Version::MEMO);
    assert_eq!(
        memo.terminals().map(|class| class.is_terminal()),
        [true, true]
    );
    assert_eq!(Vocabulary::default(), memo);
}

/// PA-12 to PA-15, PA-59; OP-1 to OP-3, OP-6 to OP-8; wire profile 2
#[test]
fn the_table_of_the_wire_profile() {
    use Reason::{UnknownIdentifier, VocabularyVersion};
    let unverified = "unverified-inference";
    let (memo, later) = (Vocabulary::memo(), later());
    let huge = "9".repeat(400);
    for (vocabulary, declared, expected) in [
        (&later, "substrate.one", Ok("substrate.one")),
        (&later, "Ledger.CT_log", Ok("Ledger.CT_log")),
        (&later, "1.1.substrate.one", Ok("substrate.one")),
        (&later, "1.2.substrate.one", Ok("substrate.one")),
        (
            &later,
            "1.2.decayed-to-uncertainty",
            Ok("decayed-to-uncertainty"),
        ),
        // Not there yet at that version.
        (&later, "1.0.substrate.one", Err(UnknownIdentifier)),
        (&later, "1.1.substrate.two", Err(UnknownIdentifier)),
        (&later, "1.2.substrate.three", Err(UnknownIdentifier)),
        (&later, "1.3.substrate.one", Err(VocabularyVersion)),
        (&later, "ledger.ct_log", Err(UnknownIdentifier)),
        (&memo, "1.1.substrate.grep", Err(VocabularyVersion)),
        (&memo, "1.1.substrate.new", Err(VocabularyVersion)),
        (&memo, "2.0.substrate.grep", Err(VocabularyVersion)),
        (&memo, "0.9.substrate.grep", Err(VocabularyVersion)),
        (&memo, "0.0.unverified-inference", Err(VocabularyVersion)),
        (&memo, "1.4294967296.substrate.grep", Err(VocabularyVersion)),
        (&memo, "4294967297.0.substrate.grep", Err(VocabularyVersion)),
        (
            &memo,
            "18446744073709551617.0.substrate.grep",
            Err(VocabularyVersion),
        ),
        (
            &memo,
            &format!("1.{huge}.substrate.grep"),
            Err(VocabularyVersion),
        ),
        (&memo, &format!("{huge}.{huge}.x"), Err(VocabularyVersion)),
        (&memo, "01.0.substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1.00.substrate.grep", Err(UnknownIdentifier)),
        (&memo, "02.0.substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1.01.substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1.0", Err(UnknownIdentifier)),
        (&memo, "1.0.", Err(UnknownIdentifier)),
        (&memo, "2.0", Err(UnknownIdentifier)),
        (&memo, "2.0.", Err(UnknownIdentifier)),
        (&memo, "2.0.a b", Err(UnknownIdentifier)),
        (&memo, "2.0.a..b", Err(UnknownIdentifier)),
        (&memo, "1.substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1..substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1.0.0.substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1.0.1.0.substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1.0:substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1.0/substrate.grep", Err(UnknownIdentifier)),
        (&memo, "v1.0.substrate.grep", Err(UnknownIdentifier)),
        (&memo, "1.0.substrate.new", Err(UnknownIdentifier)),
        (&memo, "", Err(UnknownIdentifier)),
        (&memo, "substrate", Err(UnknownIdentifier)),
        (&memo, "substrate.", Err(UnknownIdentifier)),
        (&memo, "substrate.new", Err(UnknownIdentifier)),
        (&memo, "substrate.grep.x", Err(UnknownIdentifier)),
        (&memo, "grep", Err(UnknownIdentifier)),
        (&memo, "Substrate.grep", Err(UnknownIdentifier)),
        (&memo, "SUBSTRATE.GREP", Err(UnknownIdentifier)),
        (&memo, "UNVERIFIED-INFERENCE", Err(UnknownIdentifier)),
        (&memo, "DECAYED-TO-UNCERTAINTY", Err(UnknownIdentifier)),
        (&memo, " substrate.grep", Err(UnknownIdentifier)),
        (&memo, "substrate.grep ", Err(UnknownIdentifier)),
        (&memo, "substrate.gr\u{435}p", Err(UnknownIdentifier)),
        (&memo, "substrate.grep\0", Err(UnknownIdentifier)),
    ] {
        match expected {
            Ok(class) => check(vocabulary, declared, class, None),
            Err(reason) => check(vocabulary, declared, unverified, Some(reason)),
        }
    }
    let bytes = memo.resolve(b"\xff\xfe");
    assert_eq!(bytes.reason(), Some(UnknownIdentifier));
}

/// PA-16, PA-17; OP-3
#[test]
fn another_major_version_has_only_what_it_lists() {
    let since = Version::new(2, 0);
    let two = Vocabulary::builder(Version::new(2, 1))
        .class("substrate.grep", since)
        .class("substrate.new", Version::new(2, 1))
        .build()
        .unwrap();
    check(&two, "substrate.grep", "substrate.grep", None);
    check(&two, "2.0.substrate.grep", "substrate.grep", None);
    check(&two, "unverified-inference", "unverified-inference", None);
    check(
        &two,
        "2.0.decayed-to-uncertainty",
        "decayed-to-uncertainty",
        None,
    );
    check(
        &two,
        "2.0.substrate.new",
        "unverified-inference",
        Some(Reason::UnknownIdentifier),
    );
    check(
        &two,
        "substrate.git.log",
        "unverified-inference",
        Some(Reason::UnknownIdentifier),
    );
    check(
        &two,
        "1.0.substrate.grep",
        "unverified-inference",
        Some(Reason::VocabularyVersion),
    );
    assert_eq!(two.class("substrate.grep"), Some(Class::GREP));
    assert_eq!(two.class("substrate.git.log"), None);
    let names: Vec<_> = two
        .classes()
        .map(|(class, since)| format!("{since}.{class}"))
        .collect();
    assert_eq!(
        names,
        [
            "2.0.substrate.grep",
            "2.0.unverified-inference",
            "2.1.substrate.new"
        ]
    );
}

#[test]
fn builder_refuses_what_is_no_vocabulary() {
    let (one, two) = (Version::new(1, 0), Version::new(1, 1));
    let long = format!("a{}", "b".repeat(255));
    for (version, classes, kind) in [
        (Version::new(0, 9), vec![], Kind::VersionTooLow),
        (one, vec![("substrate.new", one)], Kind::ClosedVersion),
        (two, vec![("substrate.new", one)], Kind::ClosedVersion),
        (two, vec![("", two)], Kind::BadIdentifier),
        (two, vec![("a b", two)], Kind::BadIdentifier),
        (two, vec![("a.", two)], Kind::BadIdentifier),
        (two, vec![("1.1.a", two)], Kind::BadIdentifier),
        (two, vec![("-a", two)], Kind::BadIdentifier),
        (two, vec![("é", two)], Kind::BadIdentifier),
        (two, vec![(&long, two)], Kind::BadIdentifier),
        (two, vec![("a", two), ("a", two)], Kind::DuplicateClass),
        (
            two,
            vec![("substrate.grep", one), ("substrate.grep", one)],
            Kind::DuplicateClass,
        ),
        (two, vec![("substrate.grep", two)], Kind::MemoClassRedefined),
        (
            two,
            vec![("unverified-inference", one)],
            Kind::TerminalRedefined,
        ),
        (
            two,
            vec![("decayed-to-uncertainty", two)],
            Kind::TerminalRedefined,
        ),
        (
            two,
            vec![("a", Version::new(1, 2))],
            Kind::SinceAboveVersion,
        ),
        (two, vec![("a", Version::new(2, 0))], Kind::SinceOtherMajor),
        (Version::new(2, 0), vec![("a", one)], Kind::SinceOtherMajor),
        (
            two,
            vec![("a b", two), ("a", Version::new(2, 0))],
            Kind::BadIdentifier,
        ),
    ] {
        let mut builder = Vocabulary::builder(version);
        for (name, since) in &classes {
            builder = builder.class(name, *since);
        }
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), kind, "{classes:?}");
        assert_eq!(error.place(), None);
    }
    let longest = &long[..255];
    let built = Vocabulary::builder(two)
        .class(longest, two)
        .class("substrate.grep", one)
        .build();
    assert!(built.unwrap().class(longest).is_some());
}

#[test]
fn shared_between_threads() {
    fn check<T: Send + Sync + Clone>() {}
    check::<Vocabulary>();
    check::<Class>();
    check::<Resolution>();
    check::<VocabularyError>();
    assert!(size_of::<Class>() <= 24);
}

proptest! {
    /// PA-12: recognised if and only if it is in the vocabulary.
    #[test]
    fn recognised_exactly_if_listed(
        anchor in prop_oneof![Just(""), Just("1.0."), Just("1.2."), Just("1.3."), Just("01.0."), Just("2.0.")],
        name in prop_oneof![
            prop::sample::select(&MEMO[..]).prop_map(str::to_owned),
            Just("substrate.one".to_owned()),
            "(substrate\\.)?[a-z.\\-]{0,12}",
        ],
    ) {
        let vocabulary = later();
        let listed = vocabulary.class(&name).is_some();
        let since_memo = MEMO.contains(&name.as_str());
        let covered = match anchor {
            "" | "1.2." => listed,
            "1.0." => since_memo,
            _ => false,
        };
        let resolution = vocabulary.resolve(format!("{anchor}{name}").as_bytes());
        prop_assert_eq!(resolution.reason().is_none(), covered);
        let expected = if covered { name.as_str() } else { "unverified-inference" };
        prop_assert_eq!(resolution.class().as_str(), expected);
    }
}
