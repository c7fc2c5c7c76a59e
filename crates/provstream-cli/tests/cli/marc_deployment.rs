//! What is reported of a wrong description of a deployment.

use crate::common::Files;
use crate::marc_messages::{assert_refused, corpus};

/// The description with all keys, with a line replaced, and the number of that line.
fn edited(from: &str, to: &str) -> (String, usize) {
    let description = std::fs::read_to_string(corpus("deployment.toml")).expect("a description");
    let at = description.lines().position(|line| line.starts_with(from));
    let at = at.unwrap_or_else(|| panic!("no line {from}"));
    let lines = description.lines().enumerate();
    let lines = lines.map(|(index, line)| if index == at { to } else { line });
    (lines.collect::<Vec<_>>().join("\n"), at + 1)
}

#[test]
fn a_wrong_value_is_reported_with_its_key_and_what_was_found() {
    let files = Files::new();
    for (from, to, column, message) in [
        (
            "classes =",
            "classes = []",
            11,
            "expected at least one value for \"classes\", found []",
        ),
        (
            "classes =",
            "classes = [\"core\", \"core\"]",
            20,
            "expected each value of \"classes\" once, found \"core\" again",
        ),
        (
            "medium_from =",
            "medium_from = nan",
            15,
            "expected a number from 0.0 to 1.0, found nan",
        ),
        (
            "medium_from =",
            "medium_from = 0",
            15,
            "expected a medium band that begins above 0.0, found one that begins at 0.0, so that the low band is empty",
        ),
        (
            "low = \"low\"",
            "low = \"high\"",
            7,
            "band low: expected a text that band high does not have, found the same",
        ),
        (
            "time = \"20s\"",
            "time = \"20\"",
            8,
            "expected a duration such as \"90s\", \"1h30m\" or \"2d\" for \"time\", found the string \"20\"",
        ),
        (
            "name = \"x_sub_action\"",
            "name = \"x_trace\"",
            8,
            "expected each name once, found \"x_trace\" again",
        ),
        (
            "prefix =",
            "prefix = \"example com\"",
            10,
            "expected a prefix such as com.example, each label of letters, digits and inner hyphens, a letter first, \
             found the label \"example com\"",
        ),
        (
            "uri =",
            "uri = \"example\"",
            7,
            "expected an absolute URI such as https://example.com/marc/v1, found \"example\"",
        ),
        (
            "omitted =",
            "omitted = [\"band\"]",
            12,
            "expected a member of what is carried (answer, calibration_profile, confidence_band, confidence_target, \
             decision_id, iteration, marc_version, max_iterations, parent_decision_id, post_answer_confidence, \
             pre_capability, primary_source, recommended_next_step, remediability, secondary_source, selected_action, \
             uncertainty, uncertainty_source), found \"band\"",
        ),
        (
            "safety =",
            "safety = [\"ANSWER\"]",
            10,
            "expected actions other than ANSWER where safety governs, such as ESCALATE, found ANSWER (MARC-02 8.8)",
        ),
    ] {
        let (description, line) = edited(from, to);
        let file = files.write("d.toml", description);
        let message = format!("{file}: line {line}, column {column}: {message}");
        assert_refused(&format!("conformance {file}"), &message);
    }
}

#[test]
fn a_missing_key_is_reported_with_an_example() {
    let files = Files::new();
    for (from, table, message) in [
        (
            "prefix =",
            "carrier = \"mcp\"",
            "missing key \"prefix\", expected with carrier \"mcp\", such as prefix = \"com.example\"",
        ),
        (
            "uri =",
            "carrier = \"a2a\"",
            "missing key \"uri\", expected with carrier \"a2a\", such as uri = \"https://example.com/marc/v1\"",
        ),
    ] {
        let (description, _) = edited(from, "");
        let table = description.lines().position(|line| line == table);
        let header = description.lines().take(table.expect("the table"));
        let header = header.collect::<Vec<_>>();
        let line = header.iter().rposition(|line| *line == "[[mapping]]");
        let line = line.expect("its header") + 1;
        let file = files.write("d.toml", description);
        let message = format!("{file}: line {line}, column 1: {message}");
        assert_refused(&format!("conformance {file}"), &message);
    }
}

#[test]
fn a_missing_key_of_any_table_has_an_example() {
    let files = Files::new();
    for (from, table, message) in [
        (
            "classes =",
            "",
            "missing key \"classes\", such as classes = [\"core\"]",
        ),
        (
            "medium_from =",
            "[bands]",
            "missing key \"medium_from\", such as medium_from = 0.5",
        ),
        (
            "high_risk =",
            "[risk]",
            "missing key \"high_risk\", such as high_risk = 0.3",
        ),
    ] {
        let (description, _) = edited(from, "");
        let header = description
            .lines()
            .position(|line| line == table && !table.is_empty());
        let file = files.write("d.toml", &description);
        let line = header.map_or(1, |at| at + 1);
        let message = format!("{file}: line {line}, column 1: {message}");
        assert_refused(&format!("conformance {file}"), &message);
    }
}

#[test]
fn the_ids_of_requirements_are_in_the_report() {
    let files = Files::new();
    let (description, line) = edited("[stated]", "[stated]\nfoo = \"x\"");
    let file = files.write("d.toml", description);
    let message = format!(
        "{file}: line {}, column 1: expected the id of a requirement that code of the deployment can meet, found \"foo\"; \
         the conformance report has the ids",
        line + 1
    );
    assert_refused(&format!("conformance {file}"), &message);
}

#[test]
fn what_is_missing_to_decide_is_listed() {
    let files = Files::new();
    let missing = |found: &str| {
        format!(
            "missing {found}; decisions need [bands], such as calibration_profile = \"tax-2026-05\", medium_from = 0.4 and \
             high_from = 0.75, and in each of [bounds.retrieve], [bounds.tool] and [bounds.deliberate] keys such as \
             count = 3, time = \"20s\" and cost = 30"
        )
    };
    let minimal = corpus("deployment-minimal.toml");
    let all = missing("[bands], [bounds.retrieve], [bounds.tool], [bounds.deliberate]");
    assert_refused(
        &format!("decide --deployment {minimal}"),
        &format!("{minimal}: {all}"),
    );
    for (from, found) in [
        ("time = \"20s\"", "bounds.retrieve.time"),
        ("cost = 20", "bounds.tool.cost"),
    ] {
        let (description, _) = edited(from, "");
        let file = files.write("d.toml", description);
        let message = format!("{file}: {}", missing(found));
        assert_refused(&format!("decide --deployment {file}"), &message);
    }
}
