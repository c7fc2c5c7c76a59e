//! Vocabularies in TOML files.
use provstream::provenance::{Class, Version, Vocabulary, VocabularyErrorKind as Kind};

/// PA-16
#[test]
fn loads_what_a_later_version_adds() {
    let file = "\u{feff}# later\r\nversion = \"1.2\"\r\n\r\n[[class]]\r\nid = \"substrate.ct.log\"\r\nsince = '1.1'\r\n\
                [[class]]\r\nsince = \"1.0\"\r\nid = \"substrate.grep\"\r\n";
    let vocabulary = Vocabulary::from_toml(file.as_bytes()).unwrap();
    assert_eq!(vocabulary.version(), Version::new(1, 2));
    assert_eq!(vocabulary.classes().count(), 9);
    assert!(
        vocabulary
            .resolve(b"1.1.substrate.ct.log")
            .reason()
            .is_none()
    );
    assert!(
        vocabulary
            .resolve(b"1.0.substrate.ct.log")
            .reason()
            .is_some()
    );
    assert_eq!(
        vocabulary.resolve(b"substrate.git.log").class(),
        &Class::GIT_LOG
    );
}

#[test]
fn other_forms_of_the_same() {
    let inline = b"class = [{ id = \"a.b\", since = \"2.0\" }]\nversion = \"2.0\"";
    let vocabulary = Vocabulary::from_toml(inline).unwrap();
    assert!(vocabulary.class("a.b").is_some());
    assert!(vocabulary.class("substrate.grep").is_none());
    assert!(vocabulary.class("unverified-inference").is_some());
    assert_eq!(
        Vocabulary::from_toml(b"version = \"1.0\""),
        Ok(Vocabulary::memo())
    );
    assert_eq!(
        Vocabulary::from_toml(b"version = \"1.0\"\nclass = []"),
        Ok(Vocabulary::memo())
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn says_what_is_wrong_and_where() {
    let long = format!(
        "version = \"1.1\"\n[[class]]\nid = \"{}\"\nsince = \"1.1\"",
        "a".repeat(256)
    );
    for (file, kind, line, column) in [
        ("", Kind::MissingKey, 1, 1),
        ("# é\nversion 1", Kind::Syntax, 2, 9),
        ("version = \"1.1", Kind::Syntax, 1, 15),
        ("version = \"1.1\"\nversion = \"1.1\"", Kind::Syntax, 2, 1),
        (
            "[[class]]\nid = \"a\"\nsince = \"1.0\"",
            Kind::MissingKey,
            1,
            1,
        ),
        ("version = \"1.1\"\n\nname = \"x\"", Kind::UnknownKey, 3, 1),
        (
            "version = \"1.1\"\n[[class]]\nid = \"a\"\n  sinse = \"1.1\"",
            Kind::UnknownKey,
            4,
            3,
        ),
        ("version = 1.1", Kind::WrongType, 1, 11),
        ("version = \"1.1\"\nclass = \"a\"", Kind::WrongType, 2, 9),
        ("version = \"1.1\"\nclass = [\"a\"]", Kind::WrongType, 2, 10),
        (
            "version = \"1.1\"\n[class]\nid = \"a\"",
            Kind::WrongType,
            2,
            1,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = 3\nsince = \"1.1\"",
            Kind::WrongType,
            3,
            6,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = \"a\"\nsince = 1.1",
            Kind::WrongType,
            4,
            9,
        ),
        ("version = \"1\"", Kind::BadVersion, 1, 11),
        ("'version' = \"1.01\"", Kind::BadVersion, 1, 13),
        ("version = \"0.9\"", Kind::VersionTooLow, 1, 11),
        (
            "version = \"1.1\"\n\n[[class]]\nsince = \"1.1\"",
            Kind::MissingKey,
            3,
            1,
        ),
        (
            "version = \"1.1\"\nclass = [{ id = \"é\", since = \"1.1\" }]",
            Kind::BadIdentifier,
            2,
            17,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = \"a\"",
            Kind::MissingKey,
            2,
            1,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = \"1.1.a\"\nsince = \"1.1\"",
            Kind::BadIdentifier,
            3,
            6,
        ),
        (&long, Kind::BadIdentifier, 3, 6),
        (
            "version = \"1.1\"\n[[class]]\nid = \"a\"\nsince = \"1.1.0\"",
            Kind::BadSince,
            4,
            9,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = \"a\"\nsince = \"1.2\"",
            Kind::SinceAboveVersion,
            4,
            9,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = \"a\"\nsince = \"2.0\"",
            Kind::SinceOtherMajor,
            4,
            9,
        ),
        (
            "version = \"2.1\"\n[[class]]\nid = \"a\"\nsince = \"1.0\"",
            Kind::SinceOtherMajor,
            4,
            9,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = \"a\"\nsince = \"1.0\"",
            Kind::ClosedVersion,
            4,
            9,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = \"substrate.grep\"\nsince = \"1.1\"",
            Kind::MemoClassRedefined,
            4,
            9,
        ),
        (
            "version = \"2.0\"\n[[class]]\nid = \"substratE.grep\"\nsince = \"2.0\"",
            Kind::MemoLetterCase,
            3,
            6,
        ),
        (
            "version = \"1.1\"\n[[class]]\nsince = \"1.1\"\nid = \"Substrate.Git.Log\"",
            Kind::MemoLetterCase,
            4,
            6,
        ),
        (
            "version = \"1.1\"\n[[class]]\nid = \"unverified-inference\"\nsince = \"1.0\"",
            Kind::TerminalRedefined,
            3,
            6,
        ),
        (
            "version = \"1.1\"\nclass = [{id = \"a\", since = \"1.1\"},\n{ since = \"1.1\", id = \"a\" }]",
            Kind::DuplicateClass,
            3,
            23,
        ),
    ] {
        let error = Vocabulary::from_toml(file.as_bytes()).expect_err(file);
        let place = error.place().expect(file);
        assert_eq!(
            (error.kind(), place.line(), place.column()),
            (kind, line, column),
            "{file}\n{error}"
        );
        assert!(
            error
                .to_string()
                .starts_with(&format!("line {line}, column {column}: ")),
            "{error}"
        );
    }
}

#[test]
fn bytes_that_are_not_utf_8_have_a_place() {
    let error = Vocabulary::from_toml(b"version = \"1.1\"\n# \xc3\xa9 \xff").unwrap_err();
    let place = error.place().unwrap();
    assert_eq!(
        (error.kind(), place.line(), place.column()),
        (Kind::NotUtf8, 2, 5)
    );
}

#[test]
fn sizes_are_bounded() {
    let mut file = b"version = \"1.1\"\n#".to_vec();
    file.resize(1 << 20, b'x');
    assert!(Vocabulary::from_toml(&file).is_ok());
    file.push(b'x');
    let error = Vocabulary::from_toml(&file).unwrap_err();
    assert_eq!((error.kind(), error.place()), (Kind::FileTooLarge, None));

    let mut file = "version = \"1.1\"\n".to_owned();
    for index in 0..4096 {
        file.push_str(&format!(
            "[[class]]\nid = \"substrate.x{index}\"\nsince = \"1.1\"\n"
        ));
    }
    assert_eq!(
        Vocabulary::from_toml(file.as_bytes())
            .unwrap()
            .classes()
            .count(),
        8 + 4096
    );
    file.push_str("[[class]]\nid = \"one.more\"\nsince = \"1.1\"\n");
    let error = Vocabulary::from_toml(file.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), Kind::TooManyClasses);
    assert_eq!(error.place().unwrap().line(), 2 + 3 * 4096 + 1);

    let deep = format!("x = {}", "[".repeat(100_000));
    assert_eq!(
        Vocabulary::from_toml(deep.as_bytes()).unwrap_err().kind(),
        Kind::Syntax
    );
}

#[test]
fn messages_say_what_was_expected_and_found() {
    for (file, message) in [
        (
            "version = \"1.1\"\n\nclas = 1",
            "line 3, column 1: unknown key \"clas\", did you mean \"class\"",
        ),
        (
            "",
            "line 1, column 1: missing key \"version\", such as version = \"1.1\"",
        ),
        (
            "version = 1",
            "line 1, column 11: expected a version in quotes, such as \"1.1\", for \"version\", found 1",
        ),
        (
            "version = \"1\"",
            "line 1, column 11: expected a `version` such as \"1.0\", found \"1\"",
        ),
        (
            "version = \"0.9\"",
            "line 1, column 11: expected a `version` of 1.0 or above, found \"0.9\"",
        ),
    ] {
        let error = Vocabulary::from_toml(file.as_bytes()).expect_err(file);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn descriptions_are_one_line_of_a_listed_class() {
    let file = |line: &str| {
        format!("version = \"1.1\"\n[[class]]\nid = \"a.b\"\nsince = \"1.1\"\ndescription = {line}")
    };
    let vocabulary = Vocabulary::from_toml(file("' the b of a '").as_bytes()).unwrap();
    let class = vocabulary.class("a.b").unwrap();
    assert_eq!(vocabulary.description(&class), Some("the b of a"));
    assert_eq!(vocabulary.description(&Class::GREP), None);

    let long = format!("'{}'", "x".repeat(201));
    for line in ["''", "' '", r#""two\nlines""#, r#""\u2028""#, &long] {
        let error = Vocabulary::from_toml(file(line).as_bytes()).unwrap_err();
        assert_eq!(error.kind(), Kind::BadDescription, "{line}");
        let place = error.place().unwrap();
        assert_eq!((place.line(), place.column()), (5, 15), "{line}");
    }
    let version = Version::new(1, 1);
    let unlisted = Vocabulary::builder(version).describe("substrate.grep", "a search");
    assert_eq!(unlisted.build().unwrap_err().kind(), Kind::BadDescription);
    let listed = Vocabulary::builder(version)
        .class("substrate.grep", Version::new(1, 0))
        .describe("substrate.grep", "a search")
        .build()
        .unwrap();
    assert_eq!(listed.description(&Class::GREP), Some("a search"));
}
