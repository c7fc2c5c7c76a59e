//! The examples as they are, and configurations with errors.

use crate::client::get;
use crate::expected::{answer, event, stripped};
use crate::gateway::{Gateway, Kind, Programs, ROUTES, example_routes};
use crate::upstream::Script;

#[test]
fn a_configuration_with_an_error_serves_nothing_and_names_the_line() {
    let Some(programs) = Programs::find() else {
        return;
    };
    let routes = ROUTES.replace("action = \"strip\"", "action = \"stirp\"");
    for (kind, name) in [
        (Kind::Filter, "error-filter"),
        (Kind::Processor, "error-processor"),
    ] {
        let mut gateway = Gateway::start(&programs, kind, name, &routes, |config| config);
        gateway.upstream.set("a", Script::sse(answer(9), 40));
        let expected = "line 5, column 10: expected one of \"pass\", \"strip\", \"gate\" for \"action\", found \"stirp\"";
        assert!(gateway.lines().contains(expected), "{}", gateway.lines());
        if !gateway.envoy.has_ended() {
            let response = get(gateway.port(), "/strip/v1/a");
            assert!(!(200..300).contains(&response.status), "{response:?}");
            assert!(!response.text().contains("green"), "{response:?}");
        }
    }
}

#[test]
fn the_examples_work_as_they_are() {
    let Some(programs) = Programs::find() else {
        return;
    };
    for (kind, name) in [
        (Kind::WaitingFilter, "example-filter"),
        (Kind::Processor, "example-processor"),
    ] {
        let gateway = Gateway::start(&programs, kind, name, example_routes(), |config| config);
        let body = event("So. [unverified-inference] It is.") + "data: [DONE]\n\n";
        gateway
            .upstream
            .set("completions", Script::sse(body.clone(), 9));
        let gated = get(gateway.port(), "/v1/chat/completions");
        assert!(
            gated.is_complete && gated.text().contains("(not corroborated)"),
            "{gated:?}"
        );
        assert!(!gated.text().contains("So."), "{}", gated.text());
        let other = get(gateway.port(), "/v1/completions");
        assert!(
            other.is_complete && other.body == stripped(body.as_bytes()),
            "{other:?}"
        );
    }
}
