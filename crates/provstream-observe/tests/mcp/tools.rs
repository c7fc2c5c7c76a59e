//! Results and errors of single tools.

use std::time::Instant;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

use crate::server::Site;

fn texts(result: &CallToolResult) -> Vec<&str> {
    let blocks = result.content.iter().map(|block| match block {
        ContentBlock::Text(text) => text.text.as_str(),
        other => panic!("{other:?}"),
    });
    blocks.collect()
}

#[tokio::test]
async fn a_result_has_its_annotation_in_all_forms() {
    let Some(site) = Site::new() else { return };
    let client = site.connect(&[]).await;
    let result = client
        .call("read_file", json!({ "path": "b.rs" }))
        .await
        .expect("a result");
    let structured = result
        .structured_content
        .as_ref()
        .expect("structured content");
    assert_eq!(structured["content"], "fn run() { stop() }\n");
    assert_eq!(structured["class"], "substrate.code.read");
    assert_eq!(structured["seq"], 1);
    let annotation = structured["annotation"].as_str().expect("an annotation");
    let id = structured["observation_id"].as_str().expect("an id");
    assert!(annotation.starts_with(&format!("[substrate.code.read; observation-id={id}; ts=")));
    let texts = texts(&result);
    assert_eq!(texts[0], "fn run() { stop() }\n");
    assert!(texts[1].ends_with(annotation), "{texts:?}");
    let meta = &result.meta.as_ref().expect("metadata").0["provstream/observation"];
    assert_eq!(meta["annotation"], annotation);

    let output = site
        .program(&["ledger", "show", id])
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    client.close().await;
}

#[tokio::test]
async fn only_usable_tools_are_listed() {
    let Some(site) = Site::new() else { return };
    let client = site.connect(&[]).await;
    let tools = client.0.peer().list_all_tools().await.expect("a list");
    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
    let always = [
        "git_log",
        "grep",
        "read_file",
        "file_mtime",
        "peer_credentials",
        "verify",
    ];
    assert_eq!(names, always);
    assert!(client.call("ask", json!({})).await.is_err());
    client.close().await;

    let settings = "[sse]\nurls = [\"http://127.0.0.1:1/\"]\n[[service]]\nname = \"s\"\nurl = \"http://127.0.0.1:1/\"\ntools = [\"t\"]";
    let services = site.services(settings);
    let client = site
        .connect(&["--services", services.to_str().expect("UTF-8")])
        .await;
    let tools = client.0.peer().list_all_tools().await.expect("a list");
    let ask = tools
        .iter()
        .find(|tool| tool.name == "ask")
        .expect("the tool");
    assert!(
        ask.description
            .as_ref()
            .expect("a description")
            .ends_with("s (t)")
    );
    assert!(tools.iter().any(|tool| tool.name == "sse_count"));
    client.close().await;
}

#[tokio::test]
async fn errors_of_queries_are_results_that_say_where() {
    let Some(site) = Site::new() else { return };
    let client = site.connect(&[]).await;
    for (tool, arguments, message) in [
        (
            "read_file",
            json!({ "path": "../secret" }),
            "path \"../secret\": expected a path below the root",
        ),
        (
            "read_file",
            json!({ "path": "none.rs" }),
            "none.rs: no such file",
        ),
        (
            "read_file",
            json!({ "path": "a.rs", "offset": 99 }),
            "a.rs: expected a line 99",
        ),
        (
            "read_file",
            json!({ "path": 1 }),
            "expected a string in \"path\"",
        ),
        (
            "read_file",
            json!({ "path": "a.rs", "line": 1 }),
            "found \"line\"",
        ),
        (
            "read_file",
            json!({ "path": "a.rs", "offset": u64::MAX }),
            "expected integers between",
        ),
        ("grep", json!({ "pattern": "(" }), "pattern"),
        (
            "git_log",
            json!({ "reference": "refs/heads/none" }),
            "refs/heads/none",
        ),
        (
            "peer_credentials",
            json!({ "path": "a.rs" }),
            "a.rs: expected a socket",
        ),
        ("verify", json!({}), "answer: expected a string"),
        (
            "verify",
            json!({ "answer": "x".repeat((1 << 20) + 1) }),
            "expected at most 1048576 bytes",
        ),
    ] {
        let result = client
            .call(tool, arguments)
            .await
            .expect("no failure of the protocol");
        assert_eq!(result.is_error, Some(true), "{result:?}");
        let text = texts(&result)[0];
        assert!(text.contains(message), "{tool}: {text}");
    }
    // Nothing of these is recorded.
    assert_eq!(
        client.get("read_file", json!({ "path": "a.rs" })).await["seq"],
        1
    );
    client.close().await;
}

#[tokio::test]
async fn a_draft_is_summed_up_for_the_model() {
    let Some(site) = Site::new() else { return };
    let client = site.connect(&[]).await;
    let cited = client.cite("read_file", json!({ "path": "b.rs" })).await;
    let answer = format!("It has `halt()`. {cited} It is [substrate.nonsense; ts=1]. Done.");
    let result = client
        .call("verify", json!({ "answer": answer }))
        .await
        .expect("a result");
    let text = texts(&result)[0];
    assert!(
        text.starts_with("Annotations: 1 declared, 1 requeried.\nfault: "),
        "{text}"
    );
    assert!(text.contains("fault: invalid-ts at "), "{text}");
    assert!(
        text.contains("fault: unknown-identifier: \"substrate.nonsense\"\n"),
        "{text}"
    );
    assert!(text.contains("requeried: It has `halt()`.\n"), "{text}");
    assert!(
        text.contains("quote is absent from what was observed: \"halt()\"\n"),
        "{text}"
    );
    let result = client
        .call("verify", json!({ "answer": "Nothing." }))
        .await
        .expect("a result");
    assert_eq!(texts(&result), ["The draft has no annotations.\n"]);
    client.close().await;
}

/// A service that is another `provstream mcp`.
#[tokio::test]
async fn a_call_is_passed_on_to_a_command() {
    let Some(site) = Site::new() else { return };
    let program = env!("CARGO_BIN_EXE_provstream");
    let root = site.root.to_str().expect("UTF-8");
    let other = site.dir.path().join("other.db");
    let services = site.services(&format!(
        "[[service]]\nname = \"files\"\ntools = [\"read_file\", \"verify\"]\n\
         command = [{program:?}, \"mcp\", \"--root\", {root:?}, \"--ledger\", {other:?}]"
    ));
    let client = site
        .connect(&["--services", services.to_str().expect("UTF-8")])
        .await;
    let ask = |arguments| json!({ "service": "files", "tool": "verify", "arguments": arguments });
    let cited = client
        .get("ask", ask(json!({ "answer": "Nothing." })))
        .await;
    assert_eq!(cited["class"], "substrate.mcp.brief");
    assert_eq!(cited["content"], "The draft has no annotations.\n");
    let answer = format!(
        "The other one is well. {}",
        cited["annotation"].as_str().expect("an annotation")
    );
    assert_eq!(client.verify(&answer).await[0].0, "requeried");
    let result = client
        .call("ask", ask(json!({ "answer": 1 })))
        .await
        .expect("a result");
    assert_eq!(result.is_error, Some(true));
    let text = texts(&result)[0];
    assert!(
        text.contains("service files, tool verify: answer: expected a string"),
        "{text}"
    );
    client.close().await;
}

/// A service that never answers ends with the program, also after a time-out.
#[cfg(target_os = "linux")]
#[test]
fn a_service_that_is_a_command_ends_with_the_program() {
    let Some(site) = Site::new() else { return };
    let file = site.dir.path().join("pid");
    let script = format!("echo $$ > {}; exec sleep 60", file.display());
    let services = site.services(&format!(
        "[[service]]\nname = \"s\"\ntools = [\"t\"]\ntimeout = \"2s\"\ncommand = [\"sh\", \"-c\", {script:?}]"
    ));
    let begin = Instant::now();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_provstream"))
        .args(["observe", "mcp.brief", "s", "t", "--ledger"])
        .arg(site.dir.path().join("obs.db"))
        .arg("--services")
        .arg(services)
        .output();
    let errors = output.expect("the program starts").stderr;
    // The process has the same standard error, which ends with it.
    assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
    let errors = String::from_utf8_lossy(&errors);
    assert!(errors.contains("expected a result within 2s"), "{errors}");
    let number = std::fs::read_to_string(&file).expect("started");
    let process = std::path::Path::new("/proc").join(number.trim());
    // Nobody may have taken note of its end yet.
    let is_running = || {
        let state = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    let end = Instant::now() + std::time::Duration::from_secs(5);
    while is_running() {
        assert!(Instant::now() < end, "{} still runs", process.display());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Prints the time of a call, with `PROVSTREAM_MEASURE`.
#[tokio::test]
async fn latency_of_calls() {
    let calls = match std::env::var_os("PROVSTREAM_MEASURE") {
        Some(_) => 2000,
        None => 20,
    };
    let Some(site) = Site::new() else { return };
    let client = site.connect(&[]).await;
    for (tool, arguments) in [
        ("read_file", json!({ "path": "a.rs" })),
        ("grep", json!({ "pattern": "run" })),
        ("git_log", json!({})),
        ("verify", json!({ "answer": "Nothing." })),
    ] {
        let mut times = Vec::new();
        for _ in 0..calls {
            let begin = Instant::now();
            client.get(tool, arguments.clone()).await;
            times.push(begin.elapsed());
        }
        times.sort_unstable();
        let (median, most) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!("{tool}: median {median:?}, 99 % below {most:?}");
    }
    client.close().await;
}
