//! JSON, through `extract`, `strip` and `admit`.

use crate::common::{Files, Run, provstream, run, sh};

/// The example of the wire profile, section 4.1.
const EXAMPLE: &str = "{\"assertion\": \"CHANGELOG.md contains an entry dated 2026-05-25\", \
    \"provenance\": {\"substrate_class\": \"substrate.code.read\", \"observation_id\": \"sha256:e3b0\", \
    \"ts\": \"2026-05-28T11:40:00Z\"}}";

/// A stream with one event of each kind; the help of `extract` shows its output.
const STREAM: &str = "It runs. [substrate.grep]\n{\"assertion\":\"It runs.\"}\n{\"answer\":\"Which year?\",\"confidence_band\":\"low\",\"confidence_target\":\"direct_answer_suitability\",\
    \"uncertainty_source\":\"ambiguity\",\"recommended_next_step\":\"name the year\"}\n[substrate.grep;";

fn json(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let run = run(&[&["extract", "--mode=json"], args].concat(), input);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    run
}

/// The lines of an event, without the totals.
fn lines<'a>(run: &'a Run, event: &str) -> Vec<&'a str> {
    let start = format!("{{\"event\":\"{event}\",");
    run.stdout
        .lines()
        .filter(|line| line.starts_with(&start))
        .collect()
}

fn diagnostics(run: &Run) -> Vec<&str> {
    lines(run, "diagnostic")
        .into_iter()
        .map(|line| line.split('"').nth(7).unwrap())
        .collect()
}

/// The output without what MARC lines say of validity.
fn without_reports(output: &str) -> String {
    let plain = |line: &str| match line.split_once(",\"valid\":") {
        None => format!("{line}\n"),
        Some((start, rest)) => match rest.split_once(",\"record\":") {
            None => format!("{start}}}\n"),
            Some((_, record)) => format!("{start},\"record\":{record}\n"),
        },
    };
    output.lines().map(plain).collect()
}

/// The record of the only MARC line.
fn record(run: &Run) -> &str {
    let marc = lines(run, "marc");
    assert_eq!(marc.len(), 1, "{}", run.stdout);
    let (_, record) = marc[0].split_once(",\"record\":").unwrap();
    record.strip_suffix('}').unwrap()
}

#[test]
fn the_example_of_the_profile_gives_its_tuple() {
    let expected = "{\"event\":\"assertion\",\"encoding\":\"json\",\
        \"text\":\"CHANGELOG.md contains an entry dated 2026-05-25\",\
        \"span\":{\"start\":15,\"end\":62},\"pointer\":\"/assertion\",\
        \"annotations\":[{\"class\":\"substrate.code.read\",\"declared\":\"substrate.code.read\",\
        \"observation_id\":\"sha256:e3b0\",\"ts\":\"2026-05-28T11:40:00Z\",\
        \"span\":{\"start\":79,\"end\":184}}]}\n\
        {\"event\":\"end\",\"bytes\":185,\"assertions\":1,\"annotations\":1,\"marc\":0,\"diagnostics\":0}\n";
    for mode in ["json", "ndjson", "auto"] {
        for size in ["1", "7", "65536"] {
            let run = run(&["extract", "--mode", mode, "--chunk-size", size], EXAMPLE);
            assert_eq!(run.stdout, expected, "{mode}, {size}");
            assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        }
    }
    let run = run(&["extract", "--mode=text"], EXAMPLE);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
}

#[test]
fn a_marc_object_is_printed_with_its_place() {
    let run = json(
        &[],
        "[1, {\"a/b\": {\"uncertainty_source\": null, \"answer\": 1,\n\"confidence_band\": [ ]}}]",
    );
    assert_eq!(
        without_reports(&run.stdout),
        "{\"event\":\"marc\",\"kind\":\"disclosure\",\"span\":{\"start\":12,\"end\":77},\"pointer\":\"/1/a~1b\",\
        \"record\":{\"uncertainty_source\":null,\"answer\":1,\"confidence_band\":[]}}\n\
        {\"event\":\"end\",\"bytes\":79,\"assertions\":0,\"annotations\":0,\"marc\":1,\"diagnostics\":0}\n"
    );
}

#[test]
fn a_marc_object_is_printed_with_what_is_wrong_with_it() {
    let run = json(
        &[],
        "{\"answer\":\"A\",\"confidence_band\":\"Low\",\"confidence_target\":\"action_suitability\",\
        \"uncertainty_source\":\"safety\",\"recommended_next_step\":\"ask\",\"trace\":1}",
    );
    let marc = lines(&run, "marc");
    assert!(
        marc[0].contains(
            ",\"pointer\":\"\",\"valid\":false,\"violations\":[{\"code\":\"wrong-case\",\"level\":\"must\",\
            \"pointer\":\"/confidence_band\",\"section\":\"MARC-02 9.2\",\
            \"message\":\"`confidence_band` is `Low`; letter case counts: `low`\"},\
            {\"code\":\"unknown-member\",\"level\":\"should\",\"pointer\":\"/trace\","
        ),
        "{}",
        marc[0]
    );
}

#[test]
fn a_record_has_no_white_space_between_its_parts() {
    let run = json(
        &[],
        "{\r\n\t\"marc_version\" : [ \"a \\\" b\\\\\" , { } ] , \"c d\" : true\n}",
    );
    assert_eq!(
        record(&run),
        r#"{"marc_version":["a \" b\\",{}],"c d":true}"#
    );
}

#[test]
fn a_record_keeps_its_members() {
    let object = r#"{"z":1,"marc_version":2,"a":3,"z":4,"marc_version":{"z":5,"z":6}}"#;
    assert_eq!(record(&json(&[], object)), object);
}

#[test]
fn a_record_keeps_its_numbers() {
    let object = r#"{"marc_version":[-0,1.0,1E+2,10e-0,123456789012345678901234567890.10,1e9999]}"#;
    assert_eq!(record(&json(&[], object)), object);
}

#[test]
fn a_record_keeps_its_escapes() {
    let object = r#"{"marc_version":"\u00E9\/\b\ud83d\uDE80\ud800x\uDC00"}"#;
    assert_eq!(record(&json(&[], object)), object);
}

#[test]
fn a_record_has_replacements_for_what_is_not_utf8() {
    let run = json(
        &["--quiet"],
        b"{\"marc_version\":\"\xff\xe3\x81\",\"\xc3\":1}",
    );
    assert_eq!(
        record(&run),
        "{\"marc_version\":\"\u{fffd}\u{fffd}\",\"\u{fffd}\":1}"
    );
}

#[test]
fn a_record_and_a_pointer_steer_no_terminal() {
    let run = json(&[], "{\"\u{9b}\u{202e}\":{\"marc_version\":\"\u{7f}é\"}}");
    let marc = lines(&run, "marc");
    assert_eq!(
        without_reports(marc[0]),
        "{\"event\":\"marc\",\"kind\":\"core\",\"span\":{\"start\":9,\"end\":31},\
        \"pointer\":\"/\\u009b\\u202e\",\"record\":{\"marc_version\":\"\\u007fé\"}}\n"
    );
}

#[test]
fn totals_count_all_encodings() {
    let run = sh(
        "extract",
        "A. [substrate.grep] B. [substrate.grep] [substrate.new]\n\
        {\"assertion\":\"C\",\"provenance\":[{\"substrate_class\":\"substrate.grep\"},{},7]}\n\
        {\"assertion\":\"D\",\"marc_version\":1}",
    );
    let end = run.stdout.lines().last().unwrap();
    assert_eq!(
        end,
        "{\"event\":\"end\",\"bytes\":165,\"assertions\":4,\"annotations\":6,\"marc\":1,\"diagnostics\":0}"
    );
}

#[test]
fn a_line_that_is_no_json_is_told_and_the_next_one_read() {
    let run = sh(
        "extract --mode=ndjson",
        "{\"assertion\":\"A\"}\n{\"assertion\":}\n\n{\"assertion\":\"B\"} x\n{\"assertion\":\n\"C\"}\n{\"assertion\":\"D\"",
    );
    let diagnostic = |code: &str, start: u64, end: u64| {
        format!(
            "{{\"event\":\"diagnostic\",\"code\":\"{code}\",\"span\":{{\"start\":{start},\"end\":{end}}}}}"
        )
    };
    assert_eq!(
        lines(&run, "diagnostic"),
        [
            diagnostic("json-syntax", 31, 32),
            diagnostic("json-syntax", 52, 53),
            diagnostic("json-syntax", 67, 68),
            diagnostic("json-syntax", 71, 72),
            diagnostic("unterminated", 73, 89),
        ]
    );
    assert_eq!(lines(&run, "assertion").len(), 2);
}

#[test]
fn each_limit_of_json_is_passed_on() {
    let object = "{\"a\":{\"assertion\":\"It is so.\",\"provenance\":[{\"substrate_class\":\"substrate.grep\"},\
        {\"substrate_class\":\"substrate.git.log\"}],\"marc_version\":1}}";
    for (limit, codes) in [
        ("--max-annotation=14", &["limit-annotation"][..]),
        ("--max-assertion=8", &["limit-assertion"]),
        ("--max-annotations=1", &["limit-annotations"]),
        ("--max-pending=30", &["limit-pending"]),
        ("--max-depth=3", &["limit-depth"]),
        ("--max-pointer=11", &["limit-pointer"]),
        ("--max-record=20", &["limit-record"]),
        ("--max-pending=40", &[]),
        ("--max-depth=4", &[]),
        ("--max-pointer=12", &[]),
        ("--max-record=1000", &[]),
    ] {
        assert_eq!(diagnostics(&json(&[limit], object)), codes, "{limit}");
    }
}

#[test]
fn text_is_what_strip_writes() {
    for (mode, text) in [
        ("auto", STREAM.replace(" [substrate.grep]", "")),
        ("json", STREAM.to_owned()),
    ] {
        let stripped = run(&["strip", "--mode", mode], STREAM);
        assert_eq!((stripped.stdout, stripped.status), (text.clone(), 0));
        let extracted = run(&["extract", "--text", "--mode", mode], STREAM);
        let pieces: String = lines(&extracted, "text")
            .into_iter()
            .map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                line["text"].as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(pieces, text);
    }
}

#[test]
fn brackets_within_json_stay() {
    let input = "{\"a\": \"It is. [substrate.grep]\"} It is. [substrate.grep]";
    assert_eq!(
        run(&["strip"], input).stdout,
        "{\"a\": \"It is. [substrate.grep]\"} It is."
    );
    assert_eq!(
        run(&["strip", "--mode=text"], input).stdout,
        "{\"a\": \"It is.\"} It is."
    );
}

#[test]
fn strip_removes_records_when_asked() {
    let input = "A. [substrate.grep] {\"assertion\":\"A\"} b {\"marc_version\":1}\n\
        {\"uncertainty_source\":0,\"answer\":0,\"confidence_band\":0}{\"c\":{\"assertion\":\"C\"}} {} {\"assertion\":\"D\"";
    let expected = "A.  b \n{\"c\":{\"assertion\":\"C\"}} {} {\"assertion\":\"D\"";
    for size in ["1", "3", "65536"] {
        let run = run(&["strip", "--json", "--chunk-size", size], input);
        assert_eq!((run.stdout.as_str(), run.status), (expected, 0), "{size}");
    }
    let files = Files::new();
    let path = files.write("answer.txt", input);
    let output = provstream(&["strip", "--json", &path]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);

    let records = "{\"assertion\":\"A\"}\n {\"marc_version\":1} \n[{\"marc_version\":1}]\n";
    for mode in ["json", "ndjson"] {
        let run = run(&["strip", "--json", "--mode", mode], records);
        assert_eq!(run.stdout, "\n  \n[{\"marc_version\":1}]\n");
    }
}

#[test]
fn strip_keeps_records_that_are_too_long_and_says_nothing() {
    let input = "{\"assertion\":\"AB\"} {\"assertion\":\"A\"}";
    let run = run(&["strip", "--json", "--max-record=17"], input);
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("{\"assertion\":\"AB\"} ", "")
    );
    assert_eq!(run.status, 0);
}

#[test]
fn strip_gives_up_json_that_is_too_deep() {
    let input = "{\"a\":[\"It is. [substrate.grep]\"]}";
    assert_eq!(run(&["strip"], input).stdout, input);
    assert_eq!(
        run(&["strip", "--max-depth=1"], input).stdout,
        "{\"a\":[\"It is.\"]}"
    );
}

/// Runs `admit` at a fixed time with a floor of one and a window of five minutes.
fn admit(args: &[&str], input: &str) -> Run {
    let all = [
        "admit",
        "--now=2026-05-28T11:41:00Z",
        "--window=5m",
        "--floor=1",
    ];
    run(&[&all, args].concat(), input)
}

#[test]
fn assertions_of_json_are_judged() {
    let run = admit(&["--fail"], EXAMPLE);
    assert_eq!(
        run.stdout,
        "{\"event\":\"assertion\",\"encoding\":\"json\",\
        \"text\":\"CHANGELOG.md contains an entry dated 2026-05-25\",\
        \"span\":{\"start\":15,\"end\":62},\"pointer\":\"/assertion\",\
        \"annotations\":[{\"class\":\"substrate.code.read\",\"declared\":\"substrate.code.read\",\
        \"observation_id\":\"sha256:e3b0\",\"ts\":\"2026-05-28T11:40:00Z\",\
        \"span\":{\"start\":79,\"end\":184}}],\
        \"verdict\":{\"admitted\":true,\"reason\":\"admitted\",\"classes\":[\"substrate.code.read\"],\"floor\":1}}\n\
        {\"event\":\"end\",\"bytes\":185,\"assertions\":1,\"admitted\":1,\"diagnostics\":0}\n"
    );
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
}

#[test]
fn every_reason_of_json_is_given() {
    for (input, args, reason) in [
        ("{\"assertion\":\"\"}", &[][..], "no-assertion"),
        ("{\"assertion\":\"ABCDE\"}", &["--max-assertion=4"], "limit"),
        ("{\"assertion\":\"A\"}", &["--max-pointer=9"], "limit"),
        ("{\"assertion\":\"A\"}", &[], "unannotated"),
        (
            "{\"assertion\":\"A\",\"provenance\":null}",
            &[],
            "unannotated",
        ),
        (
            "{\"assertion\":\"A\",\"provenance\":[]}",
            &[],
            "unannotated",
        ),
        ("{\"assertion\":\"A\",\"provenance\":{}}", &[], "terminal"),
        (
            "{\"assertion\":\"A\",\"provenance\":{\"substrate_class\":\"substrate.grep\"}}",
            &[],
            "below-floor",
        ),
    ] {
        let run = admit(&[&["--mode=json"], args].concat(), input);
        let expected = format!(
            "\"verdict\":{{\"admitted\":false,\"reason\":\"{reason}\",\"classes\":[],\"floor\":1}}}}\n"
        );
        assert!(run.stdout.contains(&expected), "{input}: {}", run.stdout);
        assert_eq!((run.stdout.lines().count(), run.status), (2, 0), "{input}");
        let run = admit(&[&["--fail"], args].concat(), input);
        assert_eq!(run.status, 3, "{input}");
    }
}

#[test]
fn json_without_assertions_fails_nothing() {
    for input in ["{\"marc_version\":1}", "{\"assertion\":1}", "[]"] {
        let run = admit(&["--fail", "--mode=json"], input);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{input}");
        assert!(run.stdout.contains("\"assertions\":0,"), "{}", run.stdout);
    }
}
