//! Files of routes: what matches, and what is wrong in them.

use provstream::provenance::Vocabulary;
use provstream_route::{RouteAction, Routes};

use crate::routes;

#[test]
fn the_first_route_that_matches_counts() {
    let routes = routes(
        "[[route]]\npath = \"/v1/models\"\naction = \"pass\"\n\
         [[route]]\npath = \"/v1\"\nmethod = \"post\"\naction = \"strip\"\nname = \"posts\"\n\
         [[route]]\npath = \"/v1/*\"\naction = \"pass\"\n",
    );
    let found = |method, path| routes.route(method, path).name().to_owned();
    assert_eq!(found("POST", "/v1/models/m?x"), "/v1/models");
    assert_eq!(found("POST", "/v1/messages"), "posts");
    assert_eq!(found("GET", "/v1/messages"), "/v1/*");
    assert_eq!(found("GET", "/v2"), "default");
    assert_eq!(routes.route("GET", "/v2").action(), RouteAction::Strip);
    assert!(!routes.route("GET", "/v2").fails_closed());
}

#[test]
fn errors_name_the_place_the_key_and_what_was_found() {
    let policy = "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\n";
    let cases = [
        (
            "[[routes]]\n",
            "line 1, column 3: unknown key \"routes\", did you mean \"route\"",
        ),
        (
            "[[route]]\naction = \"pass\"\n",
            "line 1, column 1: missing key \"path\", such as path = \"/v1/chat/completions\"",
        ),
        (
            "[[route]]\npath = \"v1\"\naction = \"pass\"\n",
            "line 2, column 8: expected a path that begins with / or * for \"path\", found \"v1\"",
        ),
        (
            "[[route]]\npath = \"/\"\n",
            "line 1, column 1: missing key \"action\", such as action = \"strip\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"block\"\n",
            "line 3, column 10: expected one of \"pass\", \"strip\", \"gate\" for \"action\", found \"block\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"gate\"\n",
            "line 1, column 1: missing key \"policy\", expected with action \"gate\", such as policy = \"policy.toml\" or a table [route.policy]",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"gate\"\npolicy = \"p.toml\"\n",
            "line 4, column 10: the policy \"p.toml\" cannot be read: it is not there",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"gate\"\npolicy = \"bad.toml\"\n",
            "line 4, column 10: policy \"bad.toml\": line 1, column 1: unknown key \"flor\", did you mean \"floor\"",
        ),
        (
            &format!("[[route]]\npath = \"/\"\naction = \"gate\"\n{policy}"),
            "line 4, column 1: missing key \"inadmissible\", a table such as [route.policy.inadmissible] with action = \"discard\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"strip\"\nmax_held = 5\n",
            "line 4, column 12: expected \"max_held\" only with action \"gate\", found it with action \"strip\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"strip\"\nmax_event = 5\n",
            "line 4, column 13: expected a whole number from 1024 to 33554432 for \"max_event\", found 5",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"strip\"\nfail = \"shut\"\n",
            "line 4, column 8: expected one of \"open\", \"closed\" for \"fail\", found \"shut\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"pass\"\nfail = \"open\"\n",
            "line 4, column 8: expected \"fail\" only with action \"strip\" or \"gate\", found it with action \"pass\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"pass\"\nreasoning = \"drop\"\n",
            "line 4, column 13: expected \"reasoning\" only with action \"strip\" or \"gate\", found it with action \"pass\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"strip\"\nreasoning = \"gate\"\n",
            "line 4, column 13: expected one of \"leave\", \"rewrite\", \"drop\" with action \"strip\" for \"reasoning\", found \"gate\"",
        ),
        (
            "[[route]]\npath = \"/\"\nmethod = \"psot\"\naction = \"strip\"\n",
            "line 3, column 10: expected one of \"GET\", \"HEAD\", \"POST\", \"PUT\", \"PATCH\", \"DELETE\", \"OPTIONS\" for \"method\", found \"psot\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"strip\"\nreasoning = 1\n",
            "line 4, column 13: expected a string in quotes for \"reasoning\", found 1",
        ),
    ];
    for (file, expected) in cases {
        let read = |name: &str| match name {
            "bad.toml" => Ok("flor = 1\n".to_owned()),
            _ => Err("it is not there"),
        };
        let error =
            Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), read).expect_err("an error");
        assert_eq!(error.to_string(), expected, "{file}");
    }
}

#[test]
fn errors_are_about_routes_and_the_ranges_of_their_keys() {
    for (file, expected) in [
        (
            "[[route]]\npath = \"/\"\naction = \"gate\"\n[route.policy]\n",
            "line 4, column 1: missing key \"inadmissible\", a table such as [route.policy.inadmissible] with action = \"discard\"; missing key \"preset\" or \"floor\", such as preset = \"own-state\" (a floor of 2), preset = \"external\" (3) or floor = 1; missing key \"default_window\" or \"windows\", such as default_window = \"1h\": without a window no annotation counts",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"strip\"\nmax_event = \"5\"\n",
            "line 4, column 13: expected a whole number from 1024 to 33554432 for \"max_event\", found the string \"5\"",
        ),
        (
            "[[route]]\npath = \"/v1/chat?beta=true\"\naction = \"strip\"\n",
            "line 2, column 8: expected a path without ? and #, since queries are not compared, for \"path\", found \"/v1/chat?beta=true\"",
        ),
    ] {
        let read = |_: &str| Err::<String, _>("it is not there");
        let error =
            Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), read).expect_err("an error");
        assert_eq!(error.to_string(), expected, "{file}");
    }
}

#[test]
fn a_language_that_a_policy_does_not_have_is_an_error() {
    let policy = "version = \"1\"\nfloor = 1\ndefault_window = \"1h\"\n";
    for (rest, expected) in [
        (
            "inadmissible = { action = \"discard\" }\n",
            "a policy whose texts have languages, such as text = { en = \"…\" },",
        ),
        (
            "language = \"en\"\ninadmissible = { action = \"replace\", text = { en = \"x\", de = \"y\" } }\n",
            "a language of the policy, \"de\", \"en\",",
        ),
    ] {
        let file =
            "[[route]]\npath = \"/\"\naction = \"gate\"\nlanguage = \"fr\"\npolicy = \"p.toml\"\n";
        let read = |_: &str| Ok::<_, &str>(format!("{policy}{rest}"));
        let error =
            Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), read).expect_err("an error");
        let expected =
            format!("line 4, column 12: expected {expected} for \"language\", found \"fr\"");
        assert_eq!(error.to_string(), expected, "{rest}");
    }
}

/// The policies that come with the library are no files.
#[test]
fn a_ready_policy_needs_no_file() {
    let file = "[[route]]\npath = \"/\"\naction = \"gate\"\npolicy = \"own-state\"\n";
    let read = |name: &str| Err::<String, _>(format!("{name} is read"));
    Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), read).expect("a route");
}

#[test]
fn two_routes_with_the_same_name_are_an_error() {
    let route = |path: &str, more: &str| {
        format!("[[route]]\npath = \"{path}\"\naction = \"strip\"\n{more}")
    };
    let cases = [
        (
            [route("/a", "name = \"n\"\n"), route("/b", "name = \"n\"\n")],
            "line 8, column 8: expected another \"name\" than that of the route at line 1, found \"n\"",
        ),
        (
            [route("/a", ""), route("/b", "name = \"/a\"\n")],
            "line 7, column 8: expected another \"name\" than that of the route at line 1, found \"/a\"",
        ),
        (
            [route("/b", "name = \"/a\"\n"), route("/a", "")],
            "line 6, column 8: expected a \"name\", because a route is named as its path and the route at line 1 has the name \"/a\"",
        ),
        (
            [route("/a", ""), route("/b", "name = \"default\"\n")],
            "line 7, column 8: expected another \"name\" than that of the built-in route, found \"default\"",
        ),
    ];
    let no_files = |_: &str| Err("no file is needed");
    for (tables, expected) in cases {
        let file = tables.concat();
        let error = Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), no_files);
        let error = error.expect_err("an error");
        assert_eq!(error.to_string(), expected, "{file}");
    }
    // The methods of a path may have routes of their own, which share its name.
    let file = [
        route("/a", "method = \"GET\"\n"),
        route("/a", "method = \"POST\"\n"),
    ];
    let found = Routes::from_toml(file.concat().as_bytes(), &Vocabulary::memo(), no_files);
    assert!(found.is_ok());
}

#[test]
fn a_route_that_no_request_reaches_is_an_error() {
    let read = |[first, second]: [(&str, &str); 2]| {
        let table = |(path, method): (&str, &str), name: &str| {
            let method = match method {
                "" => String::new(),
                method => format!("method = \"{method}\"\n"),
            };
            format!("[[route]]\nname = \"{name}\"\npath = \"{path}\"\naction = \"strip\"\n{method}")
        };
        let other = ("/other", "");
        let file = [
            table(other, "other"),
            table(first, "first"),
            table(second, "second"),
        ];
        let no_files = |_: &str| Err("no file is needed");
        Routes::from_toml(file.concat().as_bytes(), &Vocabulary::memo(), no_files)
    };
    for (first, second) in [
        (("/a", ""), ("/a", "")),
        (("/a", ""), ("/a", "GET")),
        (("/a", "GET"), ("/a", "get")),
        (("/a", ""), ("//a/./", "")),
        (("/a", ""), ("/a/b", "")),
        (("/a", ""), ("/a/*", "")),
        (("/a", ""), ("/a/b*c", "")),
        (("/", ""), ("/a*", "")),
        (("*", ""), ("/a", "")),
        (("*", ""), ("*", "")),
        (("/a*", ""), ("/ab", "")),
        (("/a*c", ""), ("/a*b*c", "")),
    ] {
        let error = read([first, second]).expect_err("an error").to_string();
        let line = 9 + usize::from(!first.1.is_empty());
        let (path, shown) = (line + 2, second.0);
        assert_eq!(
            error,
            format!(
                "line {path}, column 8: expected a route that requests reach, found \"{shown}\", which no request reaches, because the route at line 5 takes them all"
            )
        );
    }
    for (first, second, method, path) in [
        (("/a", "GET"), ("/a", ""), "POST", "/a"),
        (("/a", "GET"), ("/a/b", "POST"), "POST", "/a/b"),
        (("/a/b", ""), ("/a", ""), "GET", "/a"),
        (("/a", ""), ("/ab", ""), "GET", "/ab"),
        (("/a", ""), ("/a*", ""), "GET", "/ab"),
        (("/a", ""), ("*", ""), "GET", "/b"),
        (("/", ""), ("*", ""), "OPTIONS", "*"),
        (("/a*b", ""), ("/ab", ""), "GET", "/ab/c"),
        (("/a*b", ""), ("/a*", ""), "GET", "/ac"),
        (("/a/*", ""), ("/a", ""), "GET", "/a"),
        (("/a*c", ""), ("/a*b", ""), "GET", "/ab"),
    ] {
        let routes = read([first, second]).expect("routes");
        assert_eq!(routes.route(method, path).name(), "second", "{first:?}");
    }
}
