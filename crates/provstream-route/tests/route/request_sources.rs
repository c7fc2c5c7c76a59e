//! Sources that a request brings (`sources = "request"`).

use std::sync::OnceLock;

use provstream_route::{Plan, Routes};
use serde_json::{Value, json};

use crate::audits::event;
use crate::{filter, routes, sse, through};

const ROUTE: &str = "[[route]]\npath = \"*\"\naction = \"gate\"\ndialects = [\"numeric\", \"doc\"]\nsources = \"request\"\n\
    [route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"release\" }\n\
    unknown_source = { action = \"replace\", text = \"(withheld)\" }\nno_source_list = { action = \"mark\", before = \"<\", after = \">\" }\n";

static ROUTES: OnceLock<Routes> = OnceLock::new();

/// Returns the states of the sources 1, 2, 7 and doc1, which the answer to a request cites: `k` for a known one, `u` for an unknown
/// one, `n` without a complete list.
fn found(request: &[u8]) -> String {
    let all = ROUTES.get_or_init(|| routes(ROUTE));
    let route = all.route("POST", "/");
    assert!(route.has_request_sources());
    let plan = route.with_request(request).response(&sse("/"));
    let Plan::Filter(mut filter) = plan else {
        panic!("expected a filter");
    };
    let texts = ["One [1].", " Two [", "2]. Seven [7]. Doc [doc1]. Zero [0]."];
    let body: String = texts.map(|text| event(0, text)).concat() + "data: [DONE]\n\n";
    let (out, _) = through(&mut filter, body.as_bytes(), 9);
    let out = String::from_utf8(out).expect("UTF-8");
    let outcome = filter.outcome();
    let counts: Vec<_> = outcome
        .decisions()
        .map(|found| (found.disposition(), found.count()))
        .collect();
    let state = |name: &str| match (out.contains(&format!("<{name}.")), out.contains(name)) {
        (true, _) => 'n',
        (_, true) => 'k',
        _ => 'u',
    };
    let states: String = ["One", "Two", "Seven", "Doc"]
        .iter()
        .map(|name| state(name))
        .collect();
    let unknown: u64 = counts
        .iter()
        .filter(|(disposition, _)| *disposition == "unknown-source")
        .map(|(_, count)| *count)
        .sum();
    assert_eq!(unknown, states.matches('u').count() as u64, "{counts:?}");
    states
}

fn of(request: &Value) -> String {
    found(request.to_string().as_bytes())
}

fn chat(messages: &Value) -> Value {
    json!({"model": "m", "stream": true, "previous_response_id": null, "messages": messages})
}

const LABELLED: &str = "Sources:\n[1] Cities of Portugal\n[2]: Rivers\n\nAnswer with [n].";

#[test]
fn labels_in_the_texts_of_a_request_are_its_sources() {
    let tool = |content: Value| {
        chat(&json!([
            {"role": "user", "content": "What is [1] about?"},
            {"role": "assistant", "content": "[7] is old.", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": content},
        ]))
    };
    let json_text = json!({"results": [{"id": 7, "text": "[1] Cities"}, {"text": "- [2] Rivers"}]});
    for (request, expected) in [
        (
            chat(&json!([{"role": "user", "content": LABELLED}])),
            "kkuu",
        ),
        (
            chat(&json!([{"role": "system", "content": [{"type": "text", "text": LABELLED}]}])),
            "kkuu",
        ),
        (tool(json!(LABELLED)), "kkuu"),
        (tool(json!([{"type": "text", "text": LABELLED}])), "kkuu"),
        (tool(json!(json_text.to_string())), "kkuu"),
        (
            tool(json!("> **[1]** Cities\n* [2] Rivers\n[doc1] More")),
            "kkuk",
        ),
        // Responses.
        (
            json!({"input": [{"role": "user", "content": "So?"}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "[7] x"},
                {"type": "function_call_output", "call_id": "c", "output": LABELLED}], "tools": [{"type": "function", "name": "f"}]}),
            "kkuu",
        ),
        (json!({"instructions": LABELLED, "input": "So?"}), "kkuu"),
        // Anthropic.
        (
            json!({"max_tokens": 9, "messages": [{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": LABELLED, "cache_control": {"type": "ephemeral"}}]}],
                "tools": [{"name": "f", "input_schema": {}}]}),
            "kkuu",
        ),
        (
            json!({"max_tokens": 9, "messages": [{"role": "user", "content": [
                {"type": "search_result", "source": "https://a.example", "title": "[1] Cities", "content": [{"type": "text", "text": "[2] Rivers"}], "citations": {"enabled": true}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "[7] More"}}]}]}),
            "kkku",
        ),
        // Gemini.
        (
            json!({"contents": [{"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": LABELLED}}}]},
                {"role": "model", "parts": [{"text": "[7] no"}]}], "tools": [{"functionDeclarations": []}]}),
            "kkuu",
        ),
    ] {
        assert_eq!(of(&request), expected, "{request}");
    }
}

/// The model may have sources that the request does not show, or the sources have no labels.
#[test]
fn a_list_that_may_lack_sources_calls_nothing_invented() {
    let user = |content: Value| json!({"role": "user", "content": content});
    let labelled = json!([user(json!(LABELLED))]);
    let with = |name: &str, value: Value| {
        let mut request = chat(&labelled);
        request[name] = value;
        request
    };
    let content = |one: Value| {
        chat(&json!([user(
            json!([{"type": "text", "text": LABELLED}, one])
        )]))
    };
    for request in [
        with("tools", json!([{"type": "web_search"}])),
        with(
            "tools",
            json!([{"type": "function", "function": {}}, {"type": "file_search"}]),
        ),
        with("tools", json!([{"googleSearch": {}}])),
        with("tools", json!(["web"])),
        with("tools", json!("web")),
        with("tools", json!([{}])),
        with("tools", json!({"google_search": {}})),
        with("tools", json!({"retrieval": {"vertexRagStore": {}}})),
        with("web_search_options", json!({})),
        with("previous_response_id", json!("r")),
        with("conversation", json!("c")),
        with("some_new_member", json!(1)),
        with("model", json!("sonar-pro")),
        with("model", json!("vendor/M:online")),
        with("models", json!(["m", "gpt-4o-Search-preview"])),
        chat(&json!([
            {"role": "assistant", "content": [
                {"type": "text", "text": "It rains."},
                {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}]},
            {"role": "user", "content": LABELLED}])),
        content(json!({"type": "image_url", "image_url": {"url": "https://a.example"}})),
        content(json!({"type": "file", "file": {"file_id": "f"}})),
        content(json!({"type": "document", "source": {"type": "url", "url": "https://a.example"}})),
        content(json!({"type": "text", "text": "x", "inlineData": {}})),
        json!({"input": [{"type": "item_reference", "id": "i"}, {"role": "user", "content": LABELLED}]}),
    ] {
        assert_eq!(of(&request), "kknn", "{request}");
    }
    for text in [
        "Sources: Cities, Rivers. Cite them as [1], [2].",
        "[1]\n[2]\n",
        "1. Cities\n2. Rivers",
        "See [1] Cities and [2] Rivers.",
    ] {
        assert_eq!(of(&chat(&json!([user(json!(text))]))), "nnnn", "{text}");
    }
    for body in [
        "",
        "no JSON",
        "[1]",
        "{\"messages\": [{\"role\": \"user\", \"content\": \"[1] Cit",
    ] {
        assert_eq!(found(body.as_bytes()), "nnnn", "{body}");
    }
}

/// Content and tools of Bedrock's Converse have no types.
#[test]
fn requests_to_bedrock_are_read() {
    let converse = |content: Value| {
        json!({"messages": [{"role": "user", "content": [{"text": LABELLED}, content]}],
            "inferenceConfig": {"maxTokens": 9}, "guardrailConfig": {"guardrailIdentifier": "g"},
            "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}, {"cachePoint": {"type": "default"}}], "toolChoice": {"auto": {}}}})
    };
    let document = |source: Value| {
        converse(json!({"document": {"format": "pdf", "name": "d", "source": source}}))
    };
    let mut searching = converse(json!({"text": "So?"}));
    searching["toolConfig"]["tools"] = json!([{"systemTool": {"name": "nova_grounding"}}]);
    for (request, expected) in [
        (converse(json!({"text": "So?"})), "kkuu"),
        (converse(json!({"cachePoint": {"type": "default"}})), "kkuu"),
        (
            converse(
                json!({"toolResult": {"toolUseId": "t", "content": [{"text": "[7] Rain"}, {"json": {"a": "[doc1] x"}}], "status": "success"}}),
            ),
            "kkkk",
        ),
        (document(json!({"text": "[7] Rain"})), "kkku"),
        (document(json!({"bytes": "aGk="})), "kknn"),
        (
            document(json!({"s3Location": {"uri": "s3://b/x.pdf"}})),
            "kknn",
        ),
        (
            converse(json!({"image": {"format": "png", "source": {"bytes": "aGk="}}})),
            "kknn",
        ),
        (searching, "kknn"),
    ] {
        assert_eq!(of(&request), expected, "{request}");
    }
}

/// Options of the providers' SDKs bring no sources.
#[test]
fn ordinary_options_leave_a_list_complete() {
    for (name, value) in [
        ("verbosity", json!("low")),
        ("anthropic_version", json!("vertex-2023-10-16")),
        ("context_management", json!({"edits": []})),
        ("output_config", json!({"effort": "low"})),
        ("truncation", json!("auto")),
        ("chat_template_kwargs", json!({"enable_thinking": false})),
        ("provider", json!({"order": ["a"]})),
        ("labels", json!({"team": "a"})),
        ("generation_config", json!({"temperature": 0})),
        ("safety_mode", json!("STRICT")),
        ("p", json!(0.9)),
        ("k", json!(5)),
        ("random_seed", json!(1)),
        ("model", json!("some-model")),
    ] {
        let mut request = chat(&json!([
            {"role": "assistant", "content": [{"type": "text", "text": "It rains."}], "tool_calls": [
                {"type": "function", "id": "f", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "user", "content": LABELLED}]));
        let before = of(&request);
        request[name] = value;
        assert_eq!(of(&request), before, "{request}");
    }
}

/// Documents have identifiers of their own, but some models cite by numbers that are in no request.
#[test]
fn identifiers_of_documents_are_known_and_make_no_list_complete() {
    for request in [
        json!({"message": "So?", "documents": [{"id": "doc1", "data": {"text": "Cities"}}]}),
        chat(
            &json!([{"role": "tool", "tool_call_id": "c", "content": [{"type": "document", "document": {"id": "doc1", "data": "x"}}]}]),
        ),
    ] {
        assert_eq!(of(&request), "nnnk", "{request}");
    }
    let request =
        json!({"message": LABELLED, "documents": [{"id": "doc1", "data": {"text": "Cities"}}]});
    assert_eq!(of(&request), "kkuk");
}

#[test]
fn a_request_of_many_labels_makes_an_incomplete_list() {
    let many = |count: usize| {
        (1..=count)
            .map(|n| format!("[doc{n}] x\n"))
            .collect::<String>()
    };
    let request = |text: String| chat(&json!([{"role": "user", "content": text}]));
    assert_eq!(of(&request(many(4_000))), "uuuk");
    assert_eq!(of(&request(many(5_000))), "nnnk");
}

#[test]
fn without_a_request_nothing_is_called_invented() {
    let all = routes(ROUTE);
    let mut filter = filter(&all, &sse("/"));
    let body = event(0, "One [1].") + "data: [DONE]\n\n";
    let (out, _) = through(&mut filter, body.as_bytes(), 9);
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(out.contains("<One.>"), "{out}");
}

#[test]
fn labels_have_the_forms_that_prompts_have() {
    for (first, second, expected) in [
        ("1. [1] Cities", "2) [2] Rivers", "kkuu"),
        ("- 1. [1] Cities", "• [2] Rivers", "kkuu"),
        ("【1】标题", "［2］ B", "kkuu"),
        ("[1]Cities", "[2]：Rivers", "kkuu"),
        ("[1]. Cities", "__[2]__: Rivers", "kkuu"),
        ("_[1]_ Cities", "\u{3000}[2] Rivers", "kkuu"),
        (
            "\u{FEFF}[1]\nCities are old.",
            "[2]\nRivers are long.",
            "kkuu",
        ),
        ("[1][2] Cities", "[doc1]\n\nAnswer.", "kknn"),
        (
            "[[1]](https://a.example) Cities",
            "[2](https://b.example/(b)) Rivers",
            "kkuu",
        ),
        ("[1] Cities", "[2][7]=4 and [7]/[9]", "knnn"),
        ("[1] Cities", "x [2] Rivers", "knnn"),
        ("[1] Cities", "[2]", "knnn"),
    ] {
        let text = format!("{first}\n{second}");
        let request = chat(&json!([{"role": "user", "content": text}]));
        assert_eq!(of(&request), expected, "{text}");
    }
}

/// The text after a label may begin with anything.
#[test]
fn labels_may_have_any_text() {
    let address = format!("[1](https://a.example/{}) Cities", "x".repeat(300));
    for first in [
        "[1]\n\"Cities\" is old.",
        "[1]\n“Cities” is old.",
        "[1]\n(Cities) are old.",
        "[1]\n<p>Cities</p>",
        "[1]\n<chunk>",
        "[1]\n[Cities](https://a.example)",
        "[1]\n...continued",
        "[1]\n| a | b |",
        "[1]\n$5 a day",
        "[1]\n{\"title\": \"Cities\"}",
        "[1]\n{\n\"title\": \"Cities\"\n}",
        "[1]\n```\nCities\n```",
        "[1] \n- Cities",
        "[1]\u{A0}Cities",
        "[1]— Cities",
        "[1]—Cities",
        "[1]<b>Cities</b>",
        "[1]\"Cities\"",
        "[1]“Cities”",
        "[1]《城市》",
        "[1](Title: Cities) Text",
        &address,
    ] {
        let text = format!("{first}\n[2] Rivers");
        let request = chat(&json!([{"role": "user", "content": text}]));
        assert_eq!(of(&request), "kkuu", "{text}");
        let result = json!([first, "[2]\nRivers"]).to_string();
        let request = chat(&json!([{"role": "tool", "tool_call_id": "c", "content": result}]));
        assert_eq!(of(&request), "kkuu", "{result}");
    }
}

/// A number that begins a line may be one that the prompt mentions.
#[test]
fn a_marker_without_text_is_no_label() {
    for first in [
        "[1]\n",
        "[1]\n- ",
        "[1]\n---",
        "[1]\n=====",
        "[1]\n...",
        "Answer so:\n```\nIt rains.\n[1]\n```",
        "<example>\nIt rains.\n[1]\n</example>",
        "[\n[1]\n], x",
        "<li>\n[1]</li>",
        "\"It rains.\n[1]\"",
        "[1], [2] and [7] are old.",
        "[1]'s words",
        "[1](https://a.example)",
        "[1] ",
    ] {
        let text = format!("{first}\n[2] Rivers");
        let request = chat(&json!([{"role": "user", "content": text}]));
        assert_eq!(of(&request), "nknn", "{text}");
    }
}

/// An answer may cite what the request labels in a form that is not read.
#[test]
fn a_marker_that_got_no_label_makes_the_list_incomplete() {
    let address = "https://b.example";
    for more in [
        ", [2] Rivers, [3] Lakes",
        &format!(" [2] {address} [3] {address}"),
        "\n[2]\n\nRivers are long.",
        "\n[2], [3] Rivers and lakes",
        "\n[2]/[3] Rivers",
        "\n[3] [2] Rivers and lakes",
        "\n[1], [2-30] Rivers",
        "\r[2] Rivers",
        "\u{2028}[2] Rivers",
        "\n| [2] | Rivers |",
        "\n([2]) Rivers",
        "\n([2020], [2]) Rivers",
        "\n`[2]` Rivers",
        "\n[`2`] Rivers",
        "\n~~[2]~~ Rivers",
        "\n<b>[2]</b> Rivers",
        "\n\\[2\\] Rivers",
        "\n[2]→Rivers",
        "\n[2]= Rivers",
        "\n📄 [2] Rivers",
        "\nid [2]: Rivers",
        "\nid[2] Rivers",
        "\n§[2] Rivers",
        "\n#【2】= Rivers",
        "\n```x``` is code\n[2]\n```sql\nselect\n```",
        "\n{\"[2]\": \"Rivers\"}",
        "\n[[2], [3]] Rivers",
        "\nWhat is [2] about?",
        "\nCite as [doc2].",
    ] {
        let text = format!("[1] Cities{more}");
        let request = chat(&json!([{"role": "user", "content": text}]));
        assert_eq!(of(&request), "knnn", "{text}");
    }
    let tool = |content: Value| {
        let content = content.to_string();
        chat(&json!([{"role": "tool", "tool_call_id": "c", "content": content}]))
    };
    for result in [
        json!({"a": "[1] Cities", "b": "id [2]: Rivers"}),
        json!({"a": "[1] Cities", "[2]": "Rivers"}),
        json!({"a": "[1] Cities", "number": "[2]", "text": "Rivers"}),
    ] {
        assert_eq!(of(&tool(result)), "knnn");
    }
    for (name, value) in [("[2]", "Rivers"), ("text", "[2]")] {
        let request = json!({"contents": [{"role": "user", "parts": [{"text": "[1] Cities"},
            {"functionResponse": {"name": "f", "response": {name: value}}}]}]});
        assert_eq!(of(&request), "knnn");
    }
    let many: String = (1..=5_000).map(|n| format!("and [doc{n}] ")).collect();
    let request = chat(&json!([{"role": "user", "content": format!("[1] Cities\n{many}")}]));
    assert_eq!(of(&request), "knnn");
}

/// A marker of a source that has a label elsewhere in the request names no other source, and neither does text of the model.
#[test]
fn markers_of_labelled_sources_leave_the_list_complete() {
    for more in [
        "Cite sources like [1] or [2], e.g. \"It rains [1][2].\" or `[1, 2]`.",
        "Cite as [n], (n) or [^n], with \\[1\\] for the first.",
        "It rains since [2020], see [here](https://a.example) and [^note].",
        "- [ ] Cities\n- [x] Rivers",
        "x[i] = rows[0] + [0-9]+ or [0, 7]",
    ] {
        let request = chat(&json!([
            {"role": "system", "content": more},
            {"role": "assistant", "content": "It rains [7]."},
            {"role": "user", "content": LABELLED},
        ]));
        assert_eq!(of(&request), "kkuu", "{more}");
    }
    let scores = json!({"text": LABELLED, "scores": [7], "id": 7}).to_string();
    let request = chat(&json!([{"role": "tool", "tool_call_id": "c", "content": scores}]));
    assert_eq!(of(&request), "kkuu");
}

#[test]
fn a_request_with_a_stored_prompt_or_files_has_no_complete_list() {
    let message = |more: Value| {
        let mut message = json!({"role": "user", "content": LABELLED});
        message
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        chat(&json!([message]))
    };
    for (request, expected) in [
        (
            json!({"input": LABELLED, "prompt": {"id": "pmpt_x"}}),
            "kknn",
        ),
        (json!({"prompt": LABELLED}), "kkuu"),
        (message(json!({"attachments": [{"file_id": "f"}]})), "kknn"),
        (message(json!({"images": []})), "kkuu"),
        (message(json!({"images": ["aGk="]})), "kknn"),
    ] {
        assert_eq!(of(&request), expected, "{request}");
    }
}
