//! Sources that a response brings (`sources = "request"`).

use provstream_route::{Plan, Routes};
use serde_json::{Value, json};

use crate::{routes, sse, through};

const POLICY: &str = "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"release\" }\n\
    unknown_source = { action = \"replace\", text = \"(unknown)\" }\nno_source_list = { action = \"replace\", text = \"(no list)\" }\n";

fn gate(more: &str, policy: &str) -> Routes {
    routes(&format!(
        "[[route]]\npath = \"*\"\naction = \"gate\"\ndialects = [\"numeric\", \"file-token\"]\nsources = \"request\"\n{more}\n{policy}"
    ))
}

/// Sends these events as the answer to a request, in pieces of some sizes; returns the bytes that a client gets, all the same.
fn answer(routes: &Routes, request: &Value, events: &[Value]) -> String {
    let body: String = events
        .iter()
        .map(|event| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        })
        .collect();
    let outs = [1, 17, usize::MAX].map(|size| {
        let route = routes.route("POST", "/");
        let route = route.with_request(request.to_string().as_bytes());
        let Plan::Filter(mut filter) = route.response(&sse("/")) else {
            panic!("expected a filter");
        };
        let (out, _) = through(&mut filter, body.as_bytes(), size);
        String::from_utf8(out).expect("UTF-8")
    });
    let [out, other, whole] = outs;
    assert!(out == other && out == whole, "{out}\n{other}\n{whole}");
    out
}

fn part(item: usize, text: &str) -> [Value; 3] {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    [
        json!({"type": "response.output_item.added", "output_index": item, "item": {"type": "message", "id": "m", "content": []}}),
        json!({"type": "response.output_text.delta", "output_index": item, "content_index": 0, "item_id": "m", "delta": text}),
        json!({"type": "response.output_item.done", "output_index": item, "item": {"type": "message", "id": "m", "content": [part]}}),
    ]
}

fn tool(item: usize, value: Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": item, "item": value})
}

const TEXT: &str = "One [1]. Seven [7]. File <|file-a|>. None <|file-b|>.";

/// Returns the states of what [`TEXT`] cites.
fn states(out: &str) -> String {
    let state = |name: &str| if out.contains(name) { 'k' } else { 'n' };
    ["One", "Seven", "File", "None"].map(state).iter().collect()
}

#[test]
fn results_of_the_servers_tools_are_sources_of_later_text() {
    let all = gate("", POLICY);
    let search = json!({"type": "file_search_call", "id": "f", "status": "completed", "results": [
        {"file_id": "file-a", "filename": "a.md", "text": "[7] Seven days\nA week."}, {"file_id": "file-c", "text": "Rain [1] falls."}]});
    let mcp = json!({"type": "mcp_call", "id": "m", "name": "look", "output": "{\"found\": [\"[1] Cities\"]}"});
    let request = json!({"input": "So?", "tools": [{"type": "file_search"}]});
    let [added, delta, done] = part(1, TEXT);
    for (events, expected) in [
        (vec![tool(0, search.clone())], "nkkn"),
        (vec![tool(0, mcp)], "knnn"),
        (vec![], "nnnn"),
        // A call of the client's function has no result here.
        (
            vec![tool(
                0,
                json!({"type": "function_call", "arguments": "[1] x", "output": "[1] x"}),
            )],
            "nnnn",
        ),
        // Neither is text of the model.
        (part(0, "[1] Cities\n[7] Rain").to_vec(), "nnnn"),
    ] {
        let mut events = events;
        events.extend([added.clone(), delta.clone(), done.clone()]);
        let out = answer(&all, &request, &events);
        assert_eq!(states(&out), expected, "{out}");
        assert!(!out.contains("(unknown)"), "{out}");
    }
    // A whole response.
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": TEXT, "annotations": [
        {"type": "file_citation", "file_id": "file-b", "filename": "b.md", "index": 3}]}]});
    let whole = json!({"object": "response", "output": [search, message]});
    let out = answer(
        &all,
        &request,
        &[json!({"type": "response.completed", "response": whole})],
    );
    assert_eq!(states(&out), "nkkk", "{out}");
}

#[test]
fn other_formats_have_their_sources() {
    let all = gate("", POLICY);
    let text = |index: usize, text: &str| {
        [
            json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "content_block_stop", "index": index}),
        ]
    };
    let block =
        |value: Value| json!({"type": "content_block_start", "index": 0, "content_block": value});
    let start = json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}});
    for (value, expected) in [
        (
            json!({"type": "mcp_tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "[1] Cities\n[7]: Rain"}]}),
            "kknn",
        ),
        (
            json!({"type": "web_search_tool_result", "tool_use_id": "t", "content": [
                {"type": "web_search_result", "url": "https://a.example", "title": "[7] Rain"}]}),
            "nknn",
        ),
        // The model writes what its tools get.
        (
            json!({"type": "server_tool_use", "id": "t", "name": "web_search", "input": {"query": "[7] Rain"}}),
            "nnnn",
        ),
    ] {
        let mut events = vec![
            start.clone(),
            block(value),
            json!({"type": "content_block_stop", "index": 0}),
        ];
        events.extend(text(1, TEXT));
        let out = answer(&all, &json!({"messages": []}), &events);
        assert_eq!(states(&out), expected, "{out}");
    }
    let candidate = |content: &str| {
        json!({"candidates": [{"content": {"parts": [{"text": content}]}, "groundingMetadata": {"groundingChunks": [
            {"retrievedContext": {"uri": "gs://a", "title": "A", "text": "[7] Rain"}}]}}]})
    };
    let out = answer(&all, &json!({"contents": []}), &[candidate(TEXT)]);
    assert_eq!(states(&out), "nknn", "{out}");
}

/// A list that was complete is not any more when the server brings sources; sentences that were withheld before stay withheld
/// everywhere.
#[test]
fn a_list_that_learns_is_incomplete_and_changes_no_decision() {
    let all = gate("", POLICY);
    let request = json!({"input": "[2] Rivers\n\nSo?"});
    let mcp = json!({"type": "mcp_call", "output": "[1] Cities\n[7] Rain"});
    let [first, second] = ["Two [2]. Seven SECRET [7].", "Seven again [7]. Nine [9]."];
    let mut events = part(0, first).to_vec();
    events.push(tool(1, mcp.clone()));
    events.extend(part(2, second));
    let message = |text: &str| json!({"type": "message", "content": [{"type": "output_text", "text": text, "annotations": []}]});
    let output = json!([message(first), mcp, message(second)]);
    events.push(
        json!({"type": "response.completed", "response": {"object": "response", "output": output}}),
    );
    let out = answer(&all, &request, &events);
    assert!(
        !out.contains("SECRET") && out.contains("Two") && out.contains("(unknown)"),
        "{out}"
    );
    assert!(
        out.contains("Seven again") && !out.contains("Nine"),
        "{out}"
    );
}

#[test]
fn until_something_is_learned_markers_are_read_as_without_a_list() {
    let file = "[[route]]\npath = \"*\"\naction = \"strip\"\ndialects = [\"numeric\"]\nsources = \"request\"\n";
    let all = routes(file);
    let request = json!({"messages": [{"role": "user", "content": "So?"}], "tools": [{"type": "web_search"}]});
    let chat = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    let out = answer(
        &all,
        &request,
        &[chat("Every day[9]. It rains"), chat(" [7, 8].")],
    );
    assert!(
        out.contains("Every day. It rains") && !out.contains('9') && !out.contains('8'),
        "{out}"
    );
}

/// The classes of sources count for the floor, but without a time only in a window that needs none.
#[test]
fn sources_have_the_class_of_the_route_or_of_their_tool() {
    let policy = "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"replace\", text = \"(withheld)\" }\n\
        listed_source = { action = \"mark\", before = \"<\", after = \">\" }\n";
    let chat = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    let calls = json!([
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "other", "arguments": "{}"}}]);
    let request = json!({"messages": [
        {"role": "user", "content": "So?"},
        {"role": "assistant", "content": null, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "[1] Cities"},
        {"role": "tool", "tool_call_id": "b", "content": "[2] Rivers"}]});
    for (class, expected) in [
        ("", "<One.> <Two.>"),
        (
            "sources_class = \"substrate.grep\"",
            "(withheld) (withheld)",
        ),
        (
            "sources_class = { look = \"substrate.grep\" }",
            "(withheld) <Two.>",
        ),
        (
            "sources_class = { other = \"substrate.grep\" }",
            "<One.> (withheld)",
        ),
    ] {
        let out = answer(
            &gate(class, policy),
            &request,
            &[chat("One [1]. Two [2]."), chat(" So.")],
        );
        let text: String = out
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter_map(|data| serde_json::from_str::<Value>(data).ok())
            .filter_map(|event| Some(event["choices"][0]["delta"]["content"].as_str()?.to_owned()))
            .collect();
        assert_eq!(text, format!("{expected} So."), "{class}");
    }
}

/// Every text of a Responses stream that a client can read: the deltas joined, and each copy.
fn copies(out: &str) -> Vec<String> {
    let mut copies = vec![String::new()];
    for data in out.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(data).expect("JSON");
        if let Some(delta) = event["delta"].as_str() {
            copies[0] += delta;
        }
        let wholes = [
            &event["text"],
            &event["part"]["text"],
            &event["item"]["content"][0]["text"],
            &event["response"]["output"][0]["content"][0]["text"],
        ];
        copies.extend(wholes.into_iter().filter_map(Value::as_str).map(Into::into));
    }
    copies
}

/// Sources that come while a text is written, at its end, before its copies or between them.
#[test]
fn copies_repeat_what_was_written_whatever_is_learned_since() {
    const TEXT: &str = "Big[1]. It rains[7]. Sky is blue [8].\nSo it is[7]. End";
    let file = "[[route]]\npath = \"*\"\naction = \"strip\"\ndialects = [\"numeric\"]\nsources = \"request\"\n";
    let unknown = "unknown_source = { action = \"replace\", text = \"(unknown)\" }";
    let discard = POLICY.replace(unknown, "unknown_source = { action = \"discard\" }");
    let all = [
        gate("", POLICY),
        gate("", &discard),
        routes(file),
        routes(&format!("{file}render = \"[{{n}}]({{url}})\"\n")),
    ];
    let learned = [
        json!({"type": "response.output_text.annotation.added", "output_index": 0, "content_index": 0,
            "annotation": {"type": "url_citation", "url": "https://n.example", "title": "N"}}),
        tool(
            1,
            json!({"type": "mcp_call", "output": "[7] Rain https://r.example/7"}),
        ),
    ];
    let part = json!({"type": "output_text", "text": TEXT, "annotations": []});
    let item = json!({"type": "message", "id": "m", "content": [part]});
    let of_part = |name: &str, member: &str, value: &Value| {
        let mut event =
            json!({"type": name, "output_index": 0, "content_index": 0, "item_id": "m"});
        event[member] = value.clone();
        event
    };
    let delta = |text: &str| of_part("response.output_text.delta", "delta", &json!(text));
    let mut events = vec![
        json!({"type": "response.output_item.added", "output_index": 0,
        "item": {"type": "message", "id": "m", "content": []}}),
    ];
    let pieces: Vec<&str> = TEXT.split_inclusive(' ').collect();
    events.extend(pieces.into_iter().map(delta));
    events.push(of_part("response.output_text.done", "text", &json!(TEXT)));
    events.push(of_part("response.content_part.done", "part", &part));
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    let completed = json!({"object": "response", "output": [item]});
    events.push(json!({"type": "response.completed", "response": completed}));
    for routes in &all {
        for input in ["[1] Cities: https://c.example\n\nSo?", "So?"] {
            for place in (1..events.len()).flat_map(|one| [(one, one), (one, events.len() - 3)]) {
                let mut events = events.clone();
                events.insert(place.1.max(place.0), learned[1].clone());
                events.insert(place.0, learned[usize::from(place.0 == place.1)].clone());
                let out = answer(routes, &json!({"input": input}), &events);
                let copies = copies(&out);
                assert_eq!(copies.len(), 5, "{out}");
                assert!(copies[0].contains("End"), "{out}");
                for copy in &copies {
                    assert_eq!(*copy, copies[0], "{input} {place:?} {out}");
                }
            }
        }
    }
}
