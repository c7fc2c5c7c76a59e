//! The JSON grammar against RFC 8259: the cases of `corpus/json/conformance.toml`, judged by provstream and by
//! `serde_json`.
//!
//! Each case is read as it is in mode `json`, between brackets in mode `json`, and, if it is a single line, in mode
//! `ndjson`: as a whole, in every two pieces, and byte by byte. Where one side refuses, the other must, and at the same
//! byte. A departure is named in the file with its reason, and has to be one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use provstream::{Limits, Mode, Parser};
use testkit::judges::{refused, refused_by_serde};

/// Form in which both parsers get a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Unchanged, in mode `json`.
    Json,
    /// Between brackets, in mode `json`.
    Wrapped,
    /// Unchanged, in mode `ndjson`; not for cases with a line feed.
    Ndjson,
}

impl Form {
    const ALL: [Self; 3] = [Self::Json, Self::Wrapped, Self::Ndjson];

    /// The name in the file's `in`.
    const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Wrapped => "wrapped",
            Self::Ndjson => "ndjson",
        }
    }

    fn input(self, case: &Case) -> Option<Vec<u8>> {
        match self {
            Self::Json => Some(case.input.clone()),
            Self::Wrapped => Some([b"[", &case.input[..], b"]"].concat()),
            Self::Ndjson => (!case.input.contains(&b'\n')).then(|| case.input.clone()),
        }
    }

    fn parser(self) -> Parser {
        let mode = match self {
            Self::Json | Self::Wrapped => Mode::Json,
            Self::Ndjson => Mode::Ndjson,
        };
        let limits = Limits::default()
            .with_max_depth(65_536)
            .expect("a limit in its range");
        Parser::builder().mode(mode).limits(limits).build()
    }
}

/// A case of the file.
struct Case {
    name: String,
    production: String,
    input: Vec<u8>,
    accept: bool,
    /// Known differences from `serde_json`: names of forms, or `place`.
    departs: BTreeSet<String>,
}

impl Case {
    fn departs(&self, form: Form) -> bool {
        self.departs.contains(form.name())
    }

    fn departs_in_place(&self) -> bool {
        self.departs.contains("place")
    }
}

fn unhex(digits: &str) -> Vec<u8> {
    assert_eq!(digits.len() % 2, 0, "whole bytes");
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn cases() -> Vec<Case> {
    const KEYS: [&str; 7] = [
        "name",
        "production",
        "json",
        "hex",
        "accept",
        "departs",
        "in",
    ];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/json/conformance.toml");
    let file: toml::Table = fs::read_to_string(path)
        .expect("the file of cases")
        .parse()
        .expect("TOML");
    let read = |case: &toml::Value| {
        let case = case.as_table().expect("a table");
        let text = |key: &str| Some(case.get(key)?.as_str().expect("a string").to_owned());
        let name = text("name").expect("a name");
        for key in case.keys() {
            assert!(KEYS.contains(&key.as_str()), "{name} has a {key}");
        }
        let input = match (text("json"), text("hex")) {
            (Some(json), None) => json.into_bytes(),
            (None, Some(hex)) => unhex(&hex),
            _ => panic!("{name} needs either json or hex"),
        };
        let departs: BTreeSet<String> = case.get("in").map_or_else(BTreeSet::new, |list| {
            let list = list.as_array().expect("a list");
            let name = |value: &toml::Value| value.as_str().expect("a name").to_owned();
            list.iter().map(name).collect()
        });
        assert_eq!(
            text("departs").is_some_and(|reason| !reason.is_empty()),
            !departs.is_empty(),
            "{name}: a departure has a reason and a place"
        );
        for place in &departs {
            let known = Form::ALL.iter().any(|form| form.name() == place);
            assert!(known || place == "place", "{name} departs in {place}");
        }
        Case {
            production: text("production").expect("a production"),
            input,
            accept: case["accept"].as_bool().expect("true or false"),
            departs,
            name,
        }
    };
    file["case"]
        .as_array()
        .expect("cases")
        .iter()
        .map(read)
        .collect()
}

fn show(input: &[u8]) -> String {
    let shown: String = input.escape_ascii().to_string();
    let end = shown.len().min(60);
    shown[..end].to_owned()
}

#[test]
fn cases_cover_the_grammar() {
    let cases = cases();
    assert!(cases.len() >= 220, "{} cases", cases.len());
    let mut names = BTreeSet::new();
    let mut inputs = BTreeSet::new();
    let mut productions: BTreeMap<&str, BTreeSet<bool>> = BTreeMap::new();
    for case in &cases {
        assert!(names.insert(&case.name), "{} twice", case.name);
        inputs.insert(&case.input);
        productions
            .entry(&case.production)
            .or_default()
            .insert(case.accept);
    }
    assert!(inputs.len() >= 220, "{} different inputs", inputs.len());
    let known = [
        "JSON-text",
        "ws",
        "begin-array",
        "begin-object",
        "end-array",
        "end-object",
        "name-separator",
        "value-separator",
        "value",
        "false",
        "null",
        "true",
        "object",
        "member",
        "array",
        "number",
        "decimal-point",
        "digit1-9",
        "e",
        "exp",
        "frac",
        "int",
        "minus",
        "plus",
        "zero",
        "string",
        "char",
        "escape",
        "quotation-mark",
        "unescaped",
        "4HEXDIG",
    ];
    for production in known {
        let judged = productions.get(production);
        assert_eq!(
            judged.map(BTreeSet::len),
            Some(2),
            "{production} is both kept and broken"
        );
    }
    assert_eq!(productions.len(), known.len());
}

/// Does not look at provstream: `serde_json` judges each case as the file does.
#[test]
fn serde_json_agrees_with_the_file() {
    let mut failed = Vec::new();
    for case in cases() {
        if refused_by_serde(&case.input).is_none() != case.accept {
            failed.push(format!("{}: {}", case.name, show(&case.input)));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Compares every case in one form.
fn compare(form: Form) {
    let mut failed = Vec::new();
    let mut parser = form.parser();
    for case in cases() {
        let Some(input) = form.input(&case) else {
            assert!(!case.departs(form), "{} has no form {form:?}", case.name);
            continue;
        };
        let serde = refused_by_serde(&input);
        let own = refused(&mut parser, [&input[..]]);
        let mut fail = |what: &str| {
            let name = &case.name;
            let input = show(&input);
            failed.push(format!(
                "{name}: {what}; own {own:?}, serde_json {serde:?}: {input}"
            ));
        };
        if (own.is_none() != serde.is_none()) != case.departs(form) {
            fail(if case.departs(form) {
                "is no departure"
            } else {
                "is judged otherwise"
            });
        }
        if let (Some(own), Some(serde)) = (own, serde) {
            let far = own.abs_diff(serde) > 1;
            if far && !case.departs_in_place() {
                fail("is refused elsewhere");
            }
        }
        let mut cut = |pieces: &mut dyn Iterator<Item = &[u8]>, how: &str| {
            let found = refused(&mut parser, pieces);
            if found != own {
                fail(&format!("{how} it is {found:?}"));
            }
        };
        for at in 0..=input.len() {
            let (head, tail) = input.split_at(at);
            cut(&mut [head, &[], tail].into_iter(), &format!("cut at {at}"));
        }
        cut(&mut input.chunks(1), "byte by byte");
    }
    assert!(
        failed.is_empty(),
        "{}\n{} failed",
        failed.join("\n"),
        failed.len()
    );
}

#[test]
fn mode_json_agrees_with_serde_json() {
    compare(Form::Json);
}

#[test]
fn mode_json_agrees_with_serde_json_between_brackets() {
    compare(Form::Wrapped);
}

#[test]
fn mode_ndjson_agrees_with_serde_json() {
    compare(Form::Ndjson);
}

#[test]
fn departures_in_place_are_departures() {
    for case in cases().iter().filter(|case| case.departs_in_place()) {
        let far = |form: &Form| {
            let input = form.input(case)?;
            let own = refused(&mut form.parser(), [&input[..]])?;
            Some(own.abs_diff(refused_by_serde(&input)?) > 1)
        };
        let name = &case.name;
        assert!(
            Form::ALL.iter().any(|form| far(form) == Some(true)),
            "{name} is refused at the same byte"
        );
    }
}
