//! No spelling of a path leads around the route that inspects it.

use provstream_route::{RouteAction, Routes};

use crate::routes;

const POLICY: &str =
    "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"discard\" }\n";

fn gated(path: &str) -> String {
    format!("[[route]]\npath = \"{path}\"\naction = \"gate\"\n{POLICY}")
}

fn pass(path: &str) -> String {
    format!("[[route]]\npath = \"{path}\"\naction = \"pass\"\n")
}

fn action(routes: &Routes, path: &str) -> RouteAction {
    routes.route("POST", path).action()
}

#[test]
fn spellings_that_a_server_may_take_for_a_gated_path_are_gated() {
    let file = gated("/v1/chat/completions") + &pass("/pass") + &pass("/*");
    let routes = routes(&file);
    for path in [
        "/v1/chat/completions",
        "/v1/chat/completions;x",
        "/v1/chat/completions;x=1;y",
        "/v1;a=b/chat;c/completions",
        "/V1/chat/completions",
        "/v1/Chat/COMPLETIONS",
        "/v1/chat/completions%20",
        "/v1/chat/completions%09",
        "/v1/chat/completions%00",
        "/v1/chat/completions%0a",
        "/v1/chat/comple%0ations",
        "/v1/chat/completions%3bx",
        "/v1/chat/completions%253Bx",
        "/v1/chat/completions%3fx=1",
        "/v1/chat/completions%23x",
        "/v1/chat/completions.",
        "/v1/chat/completions/.;/",
        "/v1/chat/completions/%2e%3b",
        "/v1/%63hat/completions",
        "/v1/%2563hat/completions",
        "/v1/%252563hat/completions",
        "/v1%252fchat%252fcompletions",
        "/v1%5cchat%5ccompletions",
        "/pass/..;/v1/chat/completions",
        "/pass/..;x=1/v1/chat/completions",
        "/pass/..%3b/v1/chat/completions",
        "/pass/%2e%2e;/v1/chat/completions",
        "/pass/%252e%252e/v1/chat/completions",
        "/pass/..%20/v1/chat/completions",
        "/pass/..%00/v1/chat/completions",
        "/pass;/../v1/chat/completions",
        "/PASS/../V1/CHAT/COMPLETIONS;jsessionid=1",
        "/pass/..\\v1\\chat\\completions",
        "//v1//chat;//completions",
        "/v1/chat/completions%E2%80%A8",
        "/v1/chat/completions%E2%80%8B",
        "/v1/chat/compl%EF%BB%BFetions",
        "/v1/chat/completions%AD",
        "/v1/chat/completions/more;x",
        // IIS decodes these.
        "/v1/chat/%u0063ompletions",
        "/v1/chat/%25u0063ompletions",
        "/v1%u002Fchat/completions",
        "/v1/chat/%c1%a3ompletions",
        "/v1%c0%afchat%C0%AFcompletions",
        "/v1/%e0%81%a3hat/completions",
        "/v1/chat/%c0%a563ompletions",
    ] {
        assert_eq!(action(&routes, path), RouteAction::Gate, "{path}");
        // Whatever the order of routes, as long as the path itself has one of its own.
        let other = format!("{path}?query=/pass");
        assert_eq!(action(&routes, &other), RouteAction::Gate, "{other}");
    }
    for path in [
        "/pass",
        "/pass/v1/chat/completions",
        "/v1/chat/completions2",
        "/v1/chat",
        "/v1/files/a;b",
        "/v1/Files",
        "/v1/chat/completion;s",
        "/v1/chat/..;/files",
        "/v1/models/gemini%20pro",
    ] {
        assert_eq!(action(&routes, path), RouteAction::Pass, "{path}");
    }
}

#[test]
fn of_two_readings_the_one_that_withholds_more_applies() {
    let strip = "[[route]]\npath = \"/v1/messages\"\naction = \"strip\"\nfail = \"closed\"\n";
    let file = gated("/v1/chat") + strip + &pass("/v1");
    let routes = routes(&file);
    for (path, expected) in [
        // A strict reading is the gate, a lax one is not, and the other way round.
        ("/v1/chat/..;/files", RouteAction::Gate),
        ("/v1/files/..;/chat", RouteAction::Gate),
        ("/v1/messages/..;/files", RouteAction::Strip),
        ("/v1/files/..;/messages", RouteAction::Strip),
        ("/v1/files/..;/..;/v1/MESSAGES%20", RouteAction::Strip),
        ("/v1/messages/..;/chat", RouteAction::Gate),
        ("/v1/chat/..;/messages", RouteAction::Gate),
        // Here only some ways to read it lead to the gate.
        ("/v1/x/..;/chat/..%20/files", RouteAction::Gate),
        ("/v1/files", RouteAction::Pass),
        // Beside all routes, the built-in one strips.
        ("/other;x", RouteAction::Strip),
        ("/other/..;/v1/files", RouteAction::Strip),
        ("/v1/..;/other", RouteAction::Strip),
    ] {
        assert_eq!(action(&routes, path), expected, "{path}");
    }
}

#[test]
fn patterns_and_methods_are_read_the_same_way() {
    let file = "[[route]]\npath = \"/v1beta/models/*:streamGenerateContent\"\nmethod = \"POST\"\naction = \"gate\"\n"
        .to_owned()
        + POLICY
        + &pass("*");
    let routes = routes(&file);
    for path in [
        "/v1beta/models/g:streamGenerateContent",
        "/v1beta/models/g:streamgeneratecontent",
        "/V1beta/models/g;v=1:streamGenerateContent/..;/g:streamGenerateContent;x",
        "/v1beta/models/g%3AstreamGenerateContent%20",
        "/v1beta/models/g%253AstreamGenerateContent",
    ] {
        assert_eq!(action(&routes, path), RouteAction::Gate, "{path}");
        assert_eq!(routes.route("GET", path).action(), RouteAction::Pass);
    }
    let path = "/v1beta/models/g:generateContent";
    assert_eq!(action(&routes, path), RouteAction::Pass);
}

/// Repeated decoding of a path takes linear time.
#[test]
fn long_paths_of_escapes_are_read_in_linear_time() {
    let routes = routes(&(gated("/v1/chat") + &pass("*")));
    let path = format!("/{}", "%25".repeat(20_000));
    assert_eq!(action(&routes, &path), RouteAction::Pass);
    let path = format!("/{}v1/chat", "a/..;/".repeat(10_000));
    assert_eq!(action(&routes, &path), RouteAction::Gate);
}
