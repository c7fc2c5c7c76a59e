//! The story: an answer with true, stale, moved, changed, wrong and invented citations, before and after the repository changes.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::repository;
use crate::server::{Client, Site, outcomes, write};

/// Outcomes of the command `provstream verify --requery`.
fn verify_by_command(site: &Site, answer: &str) -> Vec<(String, String)> {
    let file = site.dir.path().join("answer.txt");
    fs::write(&file, answer).expect("written");
    let file = file.to_str().expect("UTF-8");
    let output = site
        .program(&["verify", "--requery", file])
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let records = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let records: Vec<Value> = records.collect();
    outcomes(
        records
            .iter()
            .filter(|record| record["event"] == "assertion")
            .map(|record| &record["checks"]),
    )
}

/// Checks a draft both ways, and compares the outcomes.
async fn check(
    site: &Site,
    client: &Client,
    answer: &str,
    expected: &[&str],
) -> Vec<(String, String)> {
    let found = client.verify(answer).await;
    let names: Vec<_> = found.iter().map(|(outcome, _)| outcome.as_str()).collect();
    assert_eq!(names, expected);
    assert_eq!(verify_by_command(site, answer), found);
    found
}

/// The agent's loop: it calls tools, and cites each result. Some citations are wrong.
async fn answer(site: &Site, client: &Client) -> String {
    let main = client
        .cite(
            "read_file",
            json!({ "path": "a.rs", "offset": 2, "limit": 1 }),
        )
        .await;
    let run = client.cite("read_file", json!({ "path": "b.rs" })).await;
    let unused = client
        .cite(
            "read_file",
            json!({ "path": "c.rs", "offset": 1, "limit": 1 }),
        )
        .await;
    let grep = client
        .cite("grep", json!({ "pattern": "run", "path": "a.rs" }))
        .await;
    let log = client.cite("git_log", json!({ "limit": 1 })).await;
    let mtime = client.cite("file_mtime", json!({ "path": "a.rs" })).await;
    // An observation that expires is made beside it.
    let args = [
        "observe",
        "code.read",
        "a.rs",
        "--lines",
        "1",
        "--expires",
        "1s",
        "--json",
    ];
    let output = site.program(&args).output().expect("the program starts");
    let expiring: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expiring = expiring["annotation"].as_str().expect("an annotation");
    let invented =
        "[substrate.code.read; observation-id=sha256:0123456789abcdef; ts=2026-05-28T11:40:00Z]";
    let wrong = main.replace("substrate.code.read", "substrate.grep");

    format!(
        "The program runs `run();`. {main} It can stop. {run} One function is not used. {unused} It is called once. {grep} \
         Something was added last. {log} The file is new. {mtime} It begins with main. {expiring} It is fast. {invented} \
         It is short. {wrong} Nobody looked. [unverified-inference]\n"
    )
}

#[tokio::test]
async fn an_answer_is_checked_while_the_repository_changes() {
    let Some(site) = Site::new() else { return };
    write(&site.root, "c.rs", "fn unused() {}\n");
    repository::commit(&site.root, "Add what is not used", 3);
    let client = site.connect(&[]).await;

    let answer = answer(&site, &client).await;
    sleep(Duration::from_secs(2));
    check(
        &site,
        &client,
        &answer,
        &[
            "requeried",
            "requeried",
            "requeried",
            "requeried",
            "requeried",
            "requeried",
            "stale",
            "unobserved",
            "class-differs",
            "declared",
        ],
    )
    .await;

    // A line is added before what was read, a file is changed and committed, another one is deleted.
    write(
        &site.root,
        "a.rs",
        "// A program.\nfn main() {\n    run();\n}\n",
    );
    write(&site.root, "b.rs", "fn run() { panic!() }\n");
    repository::commit(&site.root, "Panic", 4);
    fs::remove_file(site.root.join("c.rs")).expect("removed");
    let found = check(
        &site,
        &client,
        &answer,
        &[
            "moved",
            "changed",
            "gone",
            "moved",
            "moved",
            "changed",
            "stale",
            "unobserved",
            "class-differs",
            "declared",
        ],
    )
    .await;
    assert_eq!(found[0].1, "now at line 3, was at line 2");
    assert_eq!(found[4].1, "now after 1 newer commit");

    let result = client.get("verify", json!({ "answer": answer })).await;
    let change = &result["assertions"][1]["outcomes"][0]["change"];
    assert_eq!(change["was"], "fn run() { stop() }");
    assert_eq!(change["now"], "fn run() { panic!() }");
    assert_eq!(
        result["assertions"][0]["quotes"],
        json!([{ "text": "run();", "tier": "exact" }])
    );
    assert_eq!(result["outcomes"]["moved"], 3);

    // All is put back as it was.
    assert!(repository::git(
        &site.root,
        &["reset", "-q", "--hard", "HEAD~1"]
    ));
    let restored = client.verify(&answer).await;
    let names: Vec<_> = restored
        .iter()
        .map(|(outcome, _)| outcome.as_str())
        .collect();
    assert_eq!(names[..5], ["requeried"; 5]);
    client.close().await;

    let output = site
        .program(&["ledger", "check"])
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn an_old_observation_is_stale() {
    let Some(site) = Site::new() else { return };
    let client = site.connect(&["--window", "1s"]).await;
    let cited = client.cite("read_file", json!({ "path": "a.rs" })).await;
    sleep(Duration::from_millis(2100));
    let found = client.verify(&format!("It is a program. {cited}")).await;
    assert_eq!(
        found,
        [(
            "stale".to_owned(),
            "the observation is older than 1 s".to_owned()
        )]
    );
    client.close().await;
}
