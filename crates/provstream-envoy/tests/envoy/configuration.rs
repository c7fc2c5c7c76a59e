//! Configurations with errors.

use crate::client::get;
use crate::expected::answer;
use crate::gateway::{Gateway, Kind, Programs, ROUTES};
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
