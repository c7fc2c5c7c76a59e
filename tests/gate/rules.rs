//! Policies that are files: what they decide, and what is reported about a wrong one.

use provstream::provenance::{Timestamp, Vocabulary};
use provstream::{
    Action, Disposition, Gate, GateEnd, GateHandler, Handler, Mode, Parser, PolicyErrorKind,
    Question, Rules, ready_policy,
};

const FILE: &str = r#"
version = "2026-11"
preset = "own-state"
default_window = "1h"
skew = "5s"
required = ["substrate.grep"]
refused = ["substrate.mcp.brief"]
language = "en"
groups = [["substrate.code.read", "substrate.fs.mtime"]]

[windows]
"substrate.git.log" = "1d"

[inadmissible]
action = "replace"
text = { en = "(withheld)", de = "(entfernt)" }

[terminal]
action = "mark"
before = "?"

[malformed]
action = "discard"

[unknown]
action = "mark"
before = "<"
after = ">"

[refused_class]
action = "suspend"

[untrusted]
action = "refuse"
text = "stop"

[limit]
action = "refuse"
text = "too long"
"#;

fn rules(file: &str) -> Rules {
    Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).expect("a policy")
}

fn now() -> Timestamp {
    "2026-05-28T12:00:00Z".parse().expect("a time")
}

/// The text that is written, and the dispositions.
#[derive(Default)]
struct Seen {
    text: String,
    dispositions: Vec<Disposition>,
    rules: Option<Rules>,
    counting: Vec<String>,
}

impl Handler for Seen {
    fn text(&mut self, text: provstream::TextChunk<'_>) {
        self.text.push_str(&String::from_utf8_lossy(text.bytes()));
    }
}

impl GateHandler for Seen {
    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        let verdict = question.verdict().expect("a verdict");
        let rules = self.rules.as_ref().expect("rules");
        let disposition = rules.disposition(question, verdict);
        assert_eq!(*action, rules.action(disposition));
        self.dispositions.push(disposition);
        self.counting
            .extend(verdict.counting().iter().map(ToString::to_string));
    }
}

fn read(rules: &Rules, text: &str) -> (Seen, Option<GateEnd>) {
    let mut seen = Seen {
        rules: Some(rules.clone()),
        ..Seen::default()
    };
    let mut gate = Gate::new(Parser::new(), rules.clone().policy(now));
    let (own, foreign) = text.split_once('\u{1}').unwrap_or((text, ""));
    let (own, after) = own.split_once('✂').unwrap_or((own, ""));
    gate.push(own.as_bytes(), &mut seen);
    if !after.is_empty() {
        gate.push_break(&mut seen);
        gate.push(after.as_bytes(), &mut seen);
    }
    let (foreign, more) = foreign.split_once('\u{1}').unwrap_or((foreign, ""));
    gate.push_untrusted(foreign.as_bytes(), &mut seen);
    gate.push(more.as_bytes(), &mut seen);
    gate.finish(&mut seen);
    (seen, gate.ended())
}

/// Missing, stale and future timestamps have dispositions of their own if the file has rules for
/// them.
#[test]
fn what_is_missed_has_its_own_rule() {
    let own: String = ["stale", "no_time", "future"]
        .map(|key| format!("[{key}]\naction = \"replace\"\ntext = \"({key})\"\n"))
        .concat();
    let with_rules = format!("{FILE}{own}");
    let strict = format!("any_stale = \"withhold\"{FILE}");
    let (stale, timeless, ahead, fresh) = (
        "[substrate.code.read; ts=2026-05-28T10:00:00Z]",
        "[substrate.code.read]",
        "[substrate.code.read; ts=2026-05-28T12:01:00Z]",
        "[substrate.grep; ts=2026-05-28T11:40:00Z][substrate.git.log; ts=2026-05-28T11:40:00Z]",
    );
    for (annotations, by_own, by_strict) in [
        (stale.to_owned(), Disposition::Stale, Disposition::Stale),
        (
            timeless.to_owned(),
            Disposition::NoTime,
            Disposition::BelowFloor,
        ),
        (
            ahead.to_owned(),
            Disposition::Future,
            Disposition::BelowFloor,
        ),
        // The first in the table counts.
        (
            format!("{timeless}{ahead}"),
            Disposition::NoTime,
            Disposition::BelowFloor,
        ),
        (
            format!("{timeless}{ahead}{stale}"),
            Disposition::Stale,
            Disposition::Stale,
        ),
        // What counts excuses what does not, unless the file says otherwise.
        (
            format!("{stale}{fresh}"),
            Disposition::Admitted,
            Disposition::Stale,
        ),
        (
            format!("{timeless}{fresh}"),
            Disposition::Admitted,
            Disposition::Admitted,
        ),
    ] {
        let text = format!("A. {annotations} B");
        for (file, expected) in [(&with_rules, by_own), (&strict, by_strict)] {
            let (seen, _) = read(&rules(file), &text);
            assert_eq!(seen.dispositions, [expected], "{text}");
            let written = match expected {
                Disposition::Admitted => "A. B".to_owned(),
                Disposition::BelowFloor => "(withheld) B".to_owned(),
                _ if file == &strict => "(withheld) B".to_owned(),
                own => format!("({}) B", own.as_str().replace('-', "_")),
            };
            assert_eq!(seen.text, written, "{text}");
        }
    }
}

#[test]
fn ready_policies_are_the_references_of_the_memo() {
    for (name, floor, written) in [
        ("own-state", 2, "It rained. (not corroborated) So."),
        ("external", 3, "It rained. The rest is not corroborated."),
    ] {
        let rules = rules(ready_policy(name).expect("a policy"));
        assert_eq!((rules.version(), rules.discipline().floor()), (name, floor));
        let text = "It rained. It snows. [substrate.grep; ts=2026-05-28T11:50:00Z] So.";
        assert_eq!(read(&rules, text).0.text, written);
    }
    assert_eq!(ready_policy("own-state.toml"), None);
}

/// Assertions that several dispositions apply to get the first one in the guide's table.
#[test]
fn the_first_disposition_of_the_guide_counts() {
    let guide = include_str!("../../docs/gate.md");
    let table = guide.split("| disposition | key of its rule").nth(1);
    let rows = table.expect("a table").lines().skip(2);
    let rows = rows.map_while(|row| row.strip_prefix("| `")?.split('`').next());
    let order: Vec<&str> = rows.collect();
    assert_eq!(order.len(), 26, "{order:?}");
    let rules = rules(FILE);
    let many = "[substrate.grep; ts]".repeat(200);
    for (text, first, second) in [
        ("A. ✂[substrate.grep; ts]", "orphan", "no-assertion"),
        (&*many, "no-assertion", "limit"),
        (&format!("A. {many}"), "limit", "malformed"),
        ("[substrate.grep; ts]", "no-assertion", "malformed"),
        (&format!("\u{1}A.\u{1} {many}"), "limit", "untrusted"),
        ("\u{1}A.\u{1} [substrate.no]", "untrusted", "unknown"),
        (
            "A. [substrate.grep; ts][substrate.no]",
            "malformed",
            "unknown",
        ),
        (
            "A. [substrate.no][unverified-inference]",
            "unknown",
            "terminal",
        ),
        (
            "A. [unverified-inference][substrate.mcp.brief]",
            "terminal",
            "refused-class",
        ),
        ("A. [substrate.mcp.brief]", "refused-class", "below-floor"),
        (
            "A. [substrate.code.read; ts=2026-05-28T11:40:00Z]",
            "below-floor",
            "missing-class",
        ),
    ] {
        let place = |name: &str| order.iter().position(|row| *row == name).expect(name);
        assert!(place(first) < place(second), "{first} and {second}");
        let (seen, _) = read(&rules, text);
        let found = seen.dispositions[0].as_str();
        assert_eq!(found, first, "{}", &text[..text.len().min(80)]);
    }
}

#[test]
fn a_file_says_what_becomes_of_white_space() {
    let text = "It rained. It snows. [unverified-inference] So.";
    for (spacing, written) in [
        ("", "It rained. So."),
        ("spacing = \"join\"", "It rained. So."),
        ("spacing = \"keep\"", "It rained.  So."),
    ] {
        let file = format!(
            "preset = \"own-state\"\ndefault_window = \"1h\"\ninadmissible = {{ action = \"discard\" }}\n{spacing}"
        );
        assert_eq!(read(&rules(&file), text).0.text, written);
    }
    let file = b"spacing = \"none\"\npreset = \"own-state\"\ndefault_window = \"1h\"\ninadmissible = { action = \"discard\" }";
    let error =
        Rules::from_toml(file, &Vocabulary::memo()).expect_err("a value that spacing cannot have");
    assert_eq!(
        error.to_string(),
        "line 1, column 11: expected one of \"join\", \"keep\" for \"spacing\", found \"none\""
    );
}

#[test]
fn each_disposition_has_its_rule() {
    let rules = rules(FILE);
    let many = format!(
        "A. {} B",
        "[substrate.grep; ts=2026-05-28T11:40:00Z]".repeat(200)
    );
    for (text, disposition, written) in [
        (
            "A. [substrate.grep; ts=2026-05-28T11:40:00Z][substrate.git.log; ts=2026-05-27T12:00:00Z] B",
            Disposition::Admitted,
            "A. B",
        ),
        (
            "A. [substrate.grep; ts=2026-05-28T11:40:00Z] B",
            Disposition::BelowFloor,
            "(withheld) B",
        ),
        (
            "A. [substrate.code.read; ts=2026-05-28T11:40:00Z][substrate.git.log; ts=2026-05-27T12:00:00Z] B",
            Disposition::MissingClass,
            "(withheld) B",
        ),
        (
            "A. [substrate.code.read; ts=2026-05-28T11:40:00Z][substrate.fs.mtime; ts=2026-05-28T11:40:00Z] B",
            Disposition::BelowFloor,
            "(withheld) B",
        ),
        (
            "A. [unverified-inference] B",
            Disposition::Terminal,
            "?A. B",
        ),
        ("A. [substrate.grep; ts] B", Disposition::Malformed, "B"),
        ("A. [substrate.no] B", Disposition::Unknown, "<A.> B"),
        ("A. [substrate.mcp.brief] B", Disposition::RefusedClass, ""),
        (
            "\u{1}A.\u{1} [substrate.grep] B",
            Disposition::Untrusted,
            "stop",
        ),
        (
            "[substrate.grep] B",
            Disposition::NoAssertion,
            "(withheld) B",
        ),
        (
            "A. ✂[substrate.grep] B",
            Disposition::Orphan,
            "A. (withheld) B",
        ),
        (
            "{\"assertion\":\"A\"} B",
            Disposition::Unannotated,
            "{\"assertion\":\"(withheld)\"} B",
        ),
        (&many, Disposition::Limit, "too long"),
    ] {
        let (seen, _) = read(&rules, text);
        assert_eq!(seen.dispositions, [disposition], "{text}");
        assert_eq!(seen.text, written, "{text}");
    }
    let german = rules.with_language("de");
    let (seen, _) = read(&german, "A. [substrate.grep] B");
    assert_eq!(seen.text, "(entfernt) B");
    assert_eq!(seen.counting, ["no-time"]);
    let languages: Vec<&str> = german.languages().collect();
    assert_eq!((languages, german.version()), (vec!["de", "en"], "2026-11"));
}

#[test]
fn what_an_annotation_misses_is_in_the_verdict() {
    let text = "A. [substrate.grep; ts=2026-05-28T10:58:30Z][substrate.code.read; ts=2026-05-28T12:00:07Z] B";
    let (seen, _) = read(&rules(FILE), text);
    assert_eq!(seen.counting, ["stale by 90s", "future by 2s"]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn errors_name_the_place_what_was_expected_and_what_was_found() {
    use PolicyErrorKind as Kind;
    let rule = "[inadmissible]\naction = \"discard\"\n";
    let window = "default_window = \"1h\"\n";
    for (file, kind, message) in [
        (
            "# nothing\n".into(),
            Kind::MissingKey,
            "line 1, column 1: missing key \"inadmissible\", a table such as [inadmissible] with action = \"discard\"; missing key \"preset\" or \"floor\", such as preset = \"own-state\" (a floor of 2), preset = \"external\" (3) or floor = 1; missing key \"default_window\" or \"windows\", such as default_window = \"1h\": without a window no annotation counts",
        ),
        (
            "floor = 2\n".into(),
            Kind::MissingKey,
            "line 1, column 1: missing key \"inadmissible\", a table such as [inadmissible] with action = \"discard\"; missing key \"default_window\" or \"windows\", such as default_window = \"1h\": without a window no annotation counts",
        ),
        (
            rule.into(),
            Kind::MissingKey,
            "line 1, column 1: missing key \"preset\" or \"floor\", such as preset = \"own-state\" (a floor of 2), preset = \"external\" (3) or floor = 1; missing key \"default_window\" or \"windows\", such as default_window = \"1h\": without a window no annotation counts",
        ),
        (
            format!("floor = 2\n{rule}[windows]\n"),
            Kind::MissingKey,
            "line 1, column 1: missing key \"default_window\" or \"windows\", such as default_window = \"1h\": without a window no annotation counts",
        ),
        (
            format!("preset = \"mine\"\n{rule}"),
            Kind::BadValue,
            "line 1, column 10: expected one of \"own-state\", \"external\" for \"preset\", found \"mine\"",
        ),
        (
            format!("preset = \"external\"\nfloor = 2\n{rule}"),
            Kind::BadValue,
            "line 2, column 1: found both \"preset\" and \"floor\" (one is in line 1), expected one of them",
        ),
        (
            format!("floor = 0\n{rule}"),
            Kind::BadValue,
            "line 1, column 9: expected a whole number from 1 to 65536 for \"floor\", found 0",
        ),
        (
            format!("floor = \"2\"\n{rule}"),
            Kind::BadValue,
            "line 1, column 9: expected a whole number from 1 to 65536 for \"floor\", found the string \"2\"; leave out the quotes",
        ),
        (
            format!("floor = 2\n{window}skew = \"5\"\n{rule}"),
            Kind::BadValue,
            "line 3, column 8: expected a duration such as \"90s\", \"1h30m\" or \"2d\" for \"skew\", found \"5\"",
        ),
        (
            format!("floor = 2\n{window}skew = 5\n{rule}"),
            Kind::WrongType,
            "line 3, column 8: expected a duration such as \"90s\", \"1h30m\" or \"2d\" for \"skew\", found 5",
        ),
        (
            format!("floor = 2\n{rule}text = \"x\"\n"),
            Kind::BadValue,
            "line 4, column 1: expected no text with action \"discard\" (line 3), found \"text\", which is for \"replace\" and \"refuse\"",
        ),
        (
            "floor = 2\n[inadmissible]\naction = \"mark\"\ntext = \"x\"\n".into(),
            Kind::BadValue,
            "line 4, column 1: expected \"before\", \"after\" or both with action \"mark\" (line 3), found \"text\"",
        ),
        (
            "floor = 2\n[inadmissible]\naction = \"refuse\"\nafter = \"x\"\n".into(),
            Kind::BadValue,
            "line 4, column 1: expected \"text\" with action \"refuse\" (line 3), found \"after\", which is for \"mark\"",
        ),
        (
            "floor = 2\n[inadmissible]\naction = \"mark\"\n".into(),
            Kind::MissingKey,
            "line 2, column 1: missing key \"before\" or \"after\", expected with action \"mark\"",
        ),
        (
            "floor = 2\n[inadmissible]\naction = \"mark\"\nbefore = 5\n".into(),
            Kind::WrongType,
            "line 4, column 10: expected a string, or a table with a string for each language, for \"before\", found 5",
        ),
        (
            "floor = 2\n[inadmissible]\naction = \"replace\"\ntext = \"\"\n".into(),
            Kind::BadValue,
            "line 4, column 8: expected a text that is not empty (action \"discard\" writes none) for \"text\", found \"\"",
        ),
        (
            "floor = 2\nlanguage = \"en\"\n[inadmissible]\naction = \"mark\"\nbefore = { en = \"a\", de = \"b\" }\nafter = { en = \"c\" }\n".into(),
            Kind::MissingKey,
            "line 6, column 9: missing key \"de\" of \"after\", expected each language of \"before\"",
        ),
        (
            format!("floor = 2\nlanguage = \"\"\n{rule}"),
            Kind::BadValue,
            "line 2, column 12: expected a language such as \"en\" for \"language\", found \"\"",
        ),
        (
            "floor = 2\n[inadmissible]\n".into(),
            Kind::MissingKey,
            "line 2, column 1: missing key \"action\", expected one of \"release\", \"mark\"",
        ),
        (
            format!("floor = 2\n{rule}[limit]\naction = \"refuse\"\n"),
            Kind::MissingKey,
            "line 4, column 1: missing key \"text\", expected with action \"refuse\"",
        ),
        (
            format!("floor = 2\n{rule}[limit]\naction = \"drop\"\n"),
            Kind::BadValue,
            "line 5, column 10: expected one of \"release\", \"mark\", \"replace\", \"discard\", \"suspend\", \"refuse\" for \"action\", found \"drop\"",
        ),
        (
            format!("floor = 2\n{rule}[unannotated]\naction = \"suspend\"\n"),
            Kind::BadValue,
            "line 4, column 1: expected one of \"release\", \"mark\", \"replace\", \"discard\" for \"unannotated\", found \"suspend\"",
        ),
        (
            format!("floor = 2\n{rule}[limit]\naction = \"refuse\"\ntext = {{ en = \"x\" }}\n"),
            Kind::MissingKey,
            "line 6, column 8: missing key \"language\", expected it where texts are given by language",
        ),
        (
            format!(
                "floor = 2\nlanguage = \"de\"\n{rule}[limit]\naction = \"refuse\"\ntext = {{ en = \"x\" }}\n"
            ),
            Kind::MissingKey,
            "line 7, column 8: missing key \"de\", expected a text in the \"language\" of the file",
        ),
        (
            "= 2".into(),
            Kind::Syntax,
            "line 1, column 1: expected TOML, found \"= 2\": unquoted keys cannot be empty",
        ),
        (
            "floor = two # words".into(),
            Kind::Syntax,
            "line 1, column 9: expected TOML, found \"two # words\": a value is a string in quotes, a number",
        ),
        (
            "floor = 2\nfloor = 3".into(),
            Kind::Syntax,
            "line 2, column 1: expected each key and each table once, found \"floor\" again (first in line 1)",
        ),
        (
            "[windows]\n[inadmissible]\naction = \"mark\"\n[windows]".into(),
            Kind::Syntax,
            "line 4, column 2: expected each key and each table once, found \"windows\" again (first in line 1)",
        ),
        (
            // The first is not on a line of its own.
            "windows = {}\n[windows]".into(),
            Kind::Syntax,
            "line 2, column 2: expected each key and each table once, found \"windows\" again",
        ),
        (
            "floor = 02".into(),
            Kind::Syntax,
            "line 1, column 9: expected TOML, found \"02\": a number does not begin with 0",
        ),
        (
            "floor = [2,".into(),
            Kind::Syntax,
            "line 1, column 12: expected TOML, found the end of the file: unclosed array",
        ),
    ] {
        let error = Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).expect_err(&file);
        assert!(error.to_string().starts_with(message), "{error}\n{message}");
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.place().is_some());
    }
    let error = Rules::from_toml(b"floors = 2", &Vocabulary::memo()).expect_err("unknown");
    let said = "line 1, column 1: unknown key \"floors\", did you mean \"floor\"";
    assert_eq!(error.to_string(), said);
    let error = Rules::from_toml(b"xyzzy = 2", &Vocabulary::memo()).expect_err("unknown");
    assert!(error.to_string().starts_with(
        "line 1, column 1: unknown key \"xyzzy\", expected one of \"version\", \"preset\""
    ));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn classes_windows_and_floors_that_admit_nothing_are_errors() {
    let rule = "[inadmissible]\naction = \"discard\"\n";
    let window = "default_window = \"1h\"\n";
    for (file, message) in [
        (
            format!("preset = \"own-state\"\n{rule}"),
            "line 1, column 1: missing key \"default_window\" or \"windows\", such as default_window = \"1h\": without a window no annotation counts",
        ),
        (
            format!("floor = 8\n{window}{rule}"),
            "line 1, column 9: expected a floor of at most 7, the number of classes with a window that can count, found 8",
        ),
        (
            format!(
                "preset = \"external\"\n{rule}[windows]\n\"substrate.grep\" = \"1h\"\n\"substrate.git.log\" = \"1h\"\n"
            ),
            "line 1, column 10: expected a floor of at most 2, the number of classes with a window that can count, found 3",
        ),
        (
            format!(
                "floor = 6\n{window}refused = [\"substrate.grep\"]\ngroups = [[\"substrate.git.log\", \"substrate.code.read\"]]\n{rule}"
            ),
            "line 1, column 9: expected a floor of at most 5,",
        ),
        (
            format!(
                "floor = 2\n{window}required = [\"substrate.grep\"]\nrefused = [\"substrate.grep\"]\n{rule}"
            ),
            "line 4, column 12: expected a class that is not in \"required\" for \"refused\", found \"substrate.grep\"",
        ),
        (
            format!(
                "floor = 1\nrequired = [\"substrate.grep\"]\n{rule}[windows]\n\"substrate.git.log\" = \"1h\"\n"
            ),
            "line 2, column 13: expected a class with a window, without which it never counts, for \"required\", found \"substrate.grep\"",
        ),
        (
            format!("floor = 2\ndefault_window = \"0s\"\n{rule}"),
            "line 2, column 18: expected a duration above zero for \"default_window\", found \"0s\"",
        ),
        (
            format!(
                "floor = 2\n{window}required = [\"substrate.grep\", \"substrate.grep\"]\n{rule}"
            ),
            "line 3, column 31: expected each class once for \"required\", found \"substrate.grep\"",
        ),
        (
            format!("floor = 2\n{window}refused = [\"substrate.no\"]\n{rule}"),
            "line 3, column 12: expected a class of vocabulary 1.0 for \"refused\", found \"substrate.no\"; it has substrate.",
        ),
        (
            format!("floor = 2\n{window}required = [\"grep\"]\n{rule}"),
            "line 3, column 13: expected a class of vocabulary 1.0 for \"required\", found \"grep\"; did you mean \"substrate.grep\"",
        ),
        (
            format!("floor = 2\n{window}refused = [\"unverified-inference\"]\n{rule}"),
            "line 3, column 12: expected a class that is not a terminal (the rule for terminals is [terminal]) for \"refused\", found \"unverified-inference\"",
        ),
        (
            format!("floor = 2\n{rule}[windows]\n\"substrate.grp\" = \"5s\"\n"),
            "line 5, column 1: expected a class of vocabulary 1.0 for \"windows\", found \"substrate.grp\"; did you mean \"substrate.grep\"",
        ),
        (
            format!("floor = 2\n{rule}[windows]\nsubstrate.git.log = \"5s\"\n"),
            "line 5, column 1: expected a class in quotes, as in \"substrate.git.log\" = \"1h\", found substrate.git.log: in TOML a dot outside of quotes begins another table",
        ),
        (
            format!("floor = 2\n{window}groups = [\"substrate.grep\"]\n{rule}"),
            "line 3, column 11: expected an array of arrays of classes, such as [[\"substrate.grep\", \"substrate.code.read\"]], for \"groups\", found the string \"substrate.grep\"",
        ),
        (
            format!("floor = 2\n{window}groups = [[]]\n{rule}"),
            "line 3, column 11: expected at least one class in each list for \"groups\", found \"[]\"",
        ),
        (
            format!(
                "floor = 2\n{window}groups = [[\"substrate.grep\",\"substrate.code.read\"],[\"substrate.grep\"]]\n{rule}"
            ),
            "line 3, column 53: expected each class in one group for \"groups\", found \"substrate.grep\" again (first at line 3, column 12)",
        ),
    ] {
        let error = Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).expect_err(&file);
        assert!(error.to_string().starts_with(message), "{error}\n{message}");
        assert!(error.place().is_some());
    }
}

/// The content of a fenced block that begins with this line, and what follows it.
fn block<'a>(text: &'a str, opening: &str) -> Option<(&'a str, &'a str)> {
    let (_, rest) = text.split_once(&format!("```{opening}\n"))?;
    rest.split_once("```\n")
}

#[test]
fn the_guide_has_six_policies_that_do_what_it_shows() {
    let guide = include_str!("../../docs/gate.md");
    let (_, mut rest) = guide.split_once("## Six policies").expect("a section");
    let mut count = 0;
    while let Some((policy, more)) = block(rest, "toml") {
        let (input, more) = block(more, "text in").expect("an input");
        let (output, more) = block(more, "text out").expect("an output");
        let rules = Rules::from_toml(policy.as_bytes(), &Vocabulary::memo()).expect(policy);
        let (seen, _) = read(&rules, input.strip_suffix('\n').expect("a line"));
        assert_eq!(
            seen.text,
            output.strip_suffix('\n').expect("a line"),
            "{policy}"
        );
        assert!(rules.version().ends_with("-1"));
        rest = more;
        count += 1;
    }
    assert_eq!(count, 6);
}

/// Repeated members, and what becomes of them where they are discarded, and replaced.
const REPEATED: [(&str, &str, &str); 9] = [
    (
        "\"assertion\":\"x\",\"assertion\":\"SECRET\"",
        "\"assertion\":\"\"",
        "\"assertion\":\"-\"",
    ),
    (
        "\"assertion\":\"\",\"assertion\":\"SECRET\"",
        "\"assertion\":\"\"",
        "\"assertion\":\"-\"",
    ),
    (
        "\"assertion\":\"x\",\"id\":7,\"\\u0061ssertion\":\"SECRET\"",
        "\"assertion\":\"\"",
        "\"assertion\":\"-\"",
    ),
    (
        "\"assertion\":{\"a\":\"SECRET\"},\"assertion\":\"x\"",
        "\"assertion\":\"\"",
        "\"assertion\":\"-\"",
    ),
    (
        "\"assertion\":\"x\",\"assertion\":[\"SECRET\"]",
        "\"assertion\":\"\"",
        "\"assertion\":\"-\"",
    ),
    (
        "\"assertion\":[\"SECRET\"],\"assertion\":\"x\",\"assertion\":12",
        "\"assertion\":\"\"",
        "\"assertion\":\"-\"",
    ),
    (
        "\"assertion\": 12 ,\"assertion\":\"x\"",
        "\"assertion\": \"\"",
        "\"assertion\": \"-\"",
    ),
    (
        "\"assertion\":\"x\",\"assertion\":{\"assertion\":\"SECRET\"}",
        "\"assertion\":\"\"",
        "\"assertion\":\"-\"",
    ),
    (
        "\"assertion\":{\"assertion\":\"SECRET\"},\"assertion\":\"x\"",
        "\"assertion\":\"\"",
        "\"assertion\":\"-\"",
    ),
];

/// A reader of JSON may take any of several members of one name, so what withholds one of them withholds all.
#[test]
fn an_action_covers_all_values_of_a_repeated_member() {
    let file = |action: &str| {
        format!(
            "floor = 1\ndefault_window = \"1d\"\n[inadmissible]\naction = \"discard\"\n[no_assertion]\naction = \"release\"\n[malformed]\naction = {action}\n"
        )
    };
    let provenance = "\"provenance\":{\"substrate_class\":\"unverified-inference\"}";
    for (members, discarded, replaced) in REPEATED {
        for order in [
            format!("{{{members},{provenance}}}"),
            format!("{{{provenance},{members}}}"),
        ] {
            for mode in [Mode::Json, Mode::Ndjson, Mode::Auto] {
                for (action, written) in [
                    ("\"discard\"", discarded),
                    ("\"replace\"\ntext = \"-\"", replaced),
                ] {
                    let expected = order.replace(members, written);
                    for size in [1, 3, 16, 1_000] {
                        let rules = rules(&file(action));
                        let parser = Parser::builder().mode(mode).build();
                        let mut gate = Gate::new(parser, rules.policy(now));
                        let mut text = Vec::new();
                        for chunk in order.as_bytes().chunks(size) {
                            gate.push(chunk, &mut text);
                        }
                        gate.finish(&mut text);
                        assert_eq!(
                            String::from_utf8_lossy(&text),
                            expected,
                            "{mode:?} {size} {order}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn files_with_the_same_rules_are_equal() {
    let rules = |file: &str| Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).unwrap();
    let file = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";
    let other = "# the same\ninadmissible = { action = \"discard\" }\nfloor = 1\ndefault_window = \"60m\"\n";
    assert_eq!(rules(file), rules(other));
    assert_ne!(rules(file), rules(&file.replace("floor = 1", "floor = 2")));
    assert_ne!(rules(file), rules(&file.replace("discard", "release")));
}
