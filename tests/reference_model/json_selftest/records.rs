//! Removed records.

use testkit::reference::{Ev, Reading, RefLimits, RefMode, RefVocabulary, events_in, strip_in};

use super::{limits, own, show_with, split};

#[test]
fn records_are_removed() {
    let held = |mode| Reading {
        mode,
        hold_records: true,
    };
    let show = |text: &str, limits: &RefLimits| {
        let input = [own(text)];
        let shown = show_with(held(RefMode::Auto), limits, &input);
        let vocabulary = RefVocabulary::default();
        let stripped = strip_in(held(RefMode::Auto), &input, limits, &vocabulary);
        format!("{shown} => {}", String::from_utf8_lossy(&stripped))
    };
    let plain = RefLimits::default();
    assert_eq!(
        show(r#"a {"assertion":"x"} b [substrate.grep]"#, &plain),
        "-{\"assertion\":\"x\"} / =/assertion|x / @substrate.grep / =b => a  b"
    );
    assert_eq!(
        show(
            r#"{"a":{"assertion":"x"}} {"marc_version":1}[substrate.grep]"#,
            &plain
        ),
        "-{\"marc_version\":1} / =/a/assertion|x / *core  18 / @substrate.grep / = / ?no-assertion  => {\"a\":{\"assertion\":\"x\"}} "
    );
    let small = limits(|limits| limits.max_record = 20);
    assert_eq!(
        show("{\"assertion\":\"abcdef\"}{\"assertion\":\"x\"}", &small),
        "-{\"assertion\":\"x\"} / =/assertion|abcdef / ?limit-pending {\"assertion\":\"abcdef\"} / =/assertion|x => {\"assertion\":\"abcdef\"}"
    );
    assert_eq!(
        show("{\"assertion\":\"abcdef\" x", &small),
        " => {\"assertion\":\"abcdef\" x"
    );
    // The assertion behind it stands where it does without the record.
    let input = [own("a {\"assertion\":\"x\"} b [substrate.grep]")];
    let found = events_in(
        held(RefMode::Auto),
        &input,
        &plain,
        &RefVocabulary::default(),
        &split,
    );
    assert!(found.iter().any(|event| matches!(
        event,
        Ev::Assertion {
            span: (20, 21),
            clean_span: Some((3, 4)),
            ..
        }
    )));
    for mode in [RefMode::Json, RefMode::Ndjson] {
        let input = [own("{\"assertion\":\"x\"}\n[{\"assertion\":\"x\"}]")];
        let stripped = strip_in(held(mode), &input, &plain, &RefVocabulary::default());
        assert_eq!(stripped, b"\n[{\"assertion\":\"x\"}]");
    }
}
