//! The rules of the wording check with their cases.

use super::*;

/// M2-129 to M2-131, M2-175: each rule has texts in which it finds something, and texts in which nothing is found.
#[test]
fn every_rule_has_its_cases() {
    for (file, language) in FILES.iter().zip(&*RULES) {
        let table: toml::Table = file.parse().expect("TOML");
        let rules = table["rule"].as_array().expect("rules");
        assert!(language.matter.is_some());
        assert!(rules.len() >= 12 && rules.len() == language.rules.len());
        for (table, rule) in rules.iter().zip(&language.rules) {
            // What is there is a regular expression that can be read.
            for (key, read) in [
                ("with", &rule.with),
                ("unless", &rule.unless),
                ("answers", &rule.answers),
            ] {
                assert_eq!(
                    table.get(key).is_some(),
                    read.is_some(),
                    "{key} of {}",
                    rule.find
                );
            }
            let cases = |key: &str| {
                let cases = table[key].as_array().expect("texts").iter();
                let cases: Vec<_> = cases.map(|case| case.as_str().expect("a text")).collect();
                assert!(!cases.is_empty(), "{key} of {}", rule.find);
                cases
            };
            for text in cases("bad") {
                let found = check_wording(text);
                assert!(
                    found.iter().any(|one| one.kind == rule.kind),
                    "{text}: {found:?}"
                );
            }
            for text in cases("good") {
                assert_eq!(check_wording(text), [], "{text}");
            }
        }
    }
}
