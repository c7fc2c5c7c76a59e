//! The audit log accounts for what each client got, and for what it did not get.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::LazyLock;
use std::time::Duration;

use provstream::provenance::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{
    Answer, LONG, Random, Step, Upstream, chunk, config, last_chunk, request, run, send, streamed,
};

/// Time of the test run; everything else is derived from seeds.
static NOW: LazyLock<String> = LazyLock::new(|| Timestamp::now().to_rfc3339().expect("a time"));

/// Streams at a time.
const TOGETHER: usize = 16;

/// The rules of the policies, each for a route of its own.
const POLICIES: [&str; 8] = [
    "inadmissible = { action = \"discard\" }",
    "inadmissible = { action = \"mark\", before = \"⟦\", after = \"⟧\" }",
    "inadmissible = { action = \"replace\", text = \"(w)\" }",
    "inadmissible = { action = \"replace\", text = \"(w)\" }\nunannotated = { action = \"mark\", before = \"<\", after = \">\" }",
    "inadmissible = { action = \"mark\", before = \"[\", after = \"]\" }\nunknown = { action = \"refuse\", text = \"(no)\" }",
    "inadmissible = { action = \"replace\", text = \"(x)\" }\nmalformed = { action = \"suspend\" }",
    "inadmissible = { action = \"replace\", text = \"(w)\" }\nunannotated = { action = \"discard\" }",
    "inadmissible = { action = \"discard\" }\nunannotated = { action = \"replace\", text = \"(u)\" }\nunknown = { action = \"suspend\" }",
];

/// The texts that a policy writes beside an assertion with this action, or around a run without annotation: before it, or in
/// its place, and after it.
fn written(policy: usize, line: &Value) -> (&'static str, &'static str) {
    let is_run = line["decision"] == "unannotated";
    match (policy, line["action"].as_str(), is_run) {
        (1, Some("mark"), false) => ("⟦", "⟧"),
        (4, Some("mark"), false) => ("[", "]"),
        (3, Some("mark"), true) => ("<", ">"),
        (5, Some("replace"), false) => ("(x)", ""),
        (7, Some("replace"), true) => ("(u)", ""),
        (_, Some("replace"), false) => ("(w)", ""),
        (4, Some("refuse"), false) => ("(no)", ""),
        (_, Some("release" | "discard" | "suspend"), _) => ("", ""),
        _ => panic!("{policy}: {line}"),
    }
}

fn settings(log: &str) -> String {
    let mut file = format!("audit = \"{log}\"\n[timeouts]\nidle = \"1s\"\n");
    for (number, rules) in POLICIES.iter().enumerate() {
        let fail = if number % 2 == 1 { "open" } else { "closed" };
        // The log does not list white space that is left out beside discarded text.
        let _ = write!(
            file,
            "[[route]]\npath = \"/{number}\"\naction = \"gate\"\nfail = \"{fail}\"\n\
             [route.policy]\nversion = \"p{number}\"\nfloor = 1\ndefault_window = \"1d\"\nspacing = \"keep\"\n{rules}\n"
        );
    }
    file
}

/// A text of sentences, some of them annotated.
fn text(random: &mut Random) -> String {
    let now = &*NOW;
    let mut text = String::new();
    for number in 0..1 + random.below(14) {
        let word = ["fine", "grün", "好的", "over"][random.below(4)];
        let annotation = match random.below(9) {
            0 => " [unverified-inference]".to_owned(),
            1 => format!(" [substrate.grep; ts={now}]"),
            2 => format!(" [substrate.grep; ts={now}] [unverified-inference]"),
            3 => " [substrate.nope]".to_owned(),
            4 => " [substrate.grep; ts]".to_owned(),
            5 => " [substrate.grep]".to_owned(),
            _ => String::new(),
        };
        let _ = write!(text, "Sentence {number} is {word}.{annotation} ");
    }
    text
}

/// A stream with its policy and its fault.
struct Case {
    seed: usize,
    policy: usize,
    /// The text of each choice.
    texts: Vec<String>,
    /// The events, and which choice each is of, with its text.
    events: Vec<(usize, String)>,
    /// Fault of the upstream, after a number of events.
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The upstream closes the connection.
    Cut(usize),
    /// The upstream sends bytes that are not an event.
    Garbage(usize),
    /// The upstream sends nothing more.
    Stall(usize),
    /// The client goes after so many bytes.
    Leaves(usize),
}

impl Case {
    fn new(seed: usize) -> Self {
        let mut random = Random::new(seed);
        let texts: Vec<_> = (0..1 + random.below(2))
            .map(|_| text(&mut random))
            .collect();
        let mut rests: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut events = Vec::new();
        while rests.iter().any(|rest| !rest.is_empty()) {
            let choice = random.below(rests.len());
            let rest = rests[choice];
            let size = (1 + random.below(12)).min(rest.len());
            let size = (size..=rest.len()).find(|&end| rest.is_char_boundary(end));
            let (now, later) = rest.split_at(size.unwrap_or(rest.len()));
            rests[choice] = later;
            if !now.is_empty() {
                events.push((choice, now.to_owned()));
            }
        }
        let at = random.below(events.len() + 1);
        let fault = match random.below(8) {
            0 | 1 => Fault::Cut(at),
            2 => Fault::Garbage(at),
            3 if seed.is_multiple_of(5) => Fault::Stall(at),
            4 | 5 => Fault::Leaves(400 + random.below(3_000)),
            _ => Fault::None,
        };
        Self {
            seed,
            policy: random.below(POLICIES.len()),
            texts,
            events,
            fault,
        }
    }

    fn script(&self) -> Vec<Step> {
        let mut random = Random::new(self.seed + 1_000_003);
        let mut steps = vec![streamed("text/event-stream")];
        let event = |choice: usize, delta: &Value, end: Option<&str>| {
            let choice = json!({"index": choice, "delta": delta, "finish_reason": end});
            format!(
                "data: {}\n\n",
                json!({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})
            )
        };
        let mut body = String::new();
        for choice in 0..self.texts.len() {
            let role = json!({"role": "assistant", "content": ""});
            body.push_str(&event(choice, &role, None));
        }
        for (number, (choice, text)) in self.events.iter().enumerate() {
            match self.fault {
                Fault::Cut(at) | Fault::Stall(at) if at == number => break,
                Fault::Garbage(at) if at == number => body.push_str("data: {garbage\n\n"),
                _ => {}
            }
            body.push_str(&event(*choice, &json!({"content": text}), None));
        }
        if matches!(
            self.fault,
            Fault::None | Fault::Leaves(_) | Fault::Garbage(_)
        ) {
            for choice in 0..self.texts.len() {
                body.push_str(&event(choice, &json!({}), Some("stop")));
            }
            body.push_str("data: [DONE]\n\n");
        }
        let mut rest = body.as_bytes();
        while !rest.is_empty() {
            let (now, later) = rest.split_at((1 + random.below(200)).min(rest.len()));
            steps.push(chunk(now));
            rest = later;
            if random.below(12) == 0 {
                steps.push(Step::Wait(random.below(8) as u64));
            }
        }
        match self.fault {
            Fault::Cut(_) => steps.push(Step::Close),
            Fault::Stall(_) => steps.push(Step::Hang),
            _ => steps.push(last_chunk()),
        }
        steps
    }

    /// The text of a choice that the upstream has sent.
    fn sent(&self, choice: usize) -> String {
        let most = match self.fault {
            Fault::Cut(at) | Fault::Stall(at) => at,
            // A route that fails open leaves the event out and goes on.
            Fault::Garbage(at) if self.policy.is_multiple_of(2) => at,
            _ => self.events.len(),
        };
        let sent = self.events[..most].iter().filter(|(of, _)| *of == choice);
        sent.map(|(_, text)| text.as_str()).collect()
    }
}

/// Response as read by a client: identifier of the request, and text of each choice.
struct Read {
    id: String,
    texts: Vec<String>,
    raw: String,
}

async fn client(address: &str, case: &Case) -> Option<Read> {
    let mut stream = TcpStream::connect(address).await.expect("the proxy");
    let path = format!("/{}/v1/chat/completions", case.policy);
    let body = json!({"n": case.texts.len(), "seed": case.seed}).to_string();
    stream
        .write_all(request(&path, &body).as_bytes())
        .await
        .expect("the proxy reads");
    let most = match case.fault {
        Fault::Leaves(most) => most,
        _ => usize::MAX,
    };
    let mut bytes = Vec::new();
    let reads = async {
        let mut buffer = [0; 512];
        while bytes.len() < most {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            }
        }
    };
    timeout(LONG, reads).await.expect("no connection is stuck");
    drop(stream);
    let answer = Answer::of(&bytes);
    let raw = answer.text();
    let mut texts = vec![String::new(); case.texts.len()];
    for data in raw.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let Ok(event) = serde_json::from_str::<Value>(data) else {
            continue;
        };
        for choice in event["choices"].as_array().into_iter().flatten() {
            let index = choice["index"].as_u64().expect("an index") as usize;
            texts[index].push_str(choice["delta"]["content"].as_str().unwrap_or_default());
        }
    }
    let id = answer.header("provstream-request")?.to_owned();
    Some(Read { id, texts, raw })
}

fn hash(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Computes, from the lines of an audit log, the text written to a client of which `clean` would be
/// the complete text, and the offset at which the text ended early, if it did.
fn account(policy: usize, clean: &str, lines: &[Value]) -> (String, Option<u64>) {
    let place = |line: &Value| {
        let of = |name: &str| line["clean_span"][name].as_u64().expect("an offset") as usize;
        (of("start"), of("end"))
    };
    let (ends, lines): (Vec<&Value>, Vec<&Value>) =
        lines.iter().partition(|line| line["decision"] == "end");
    assert!(ends.len() <= 1, "{ends:?}");
    let end = ends
        .first()
        .map(|line| line["offset"].as_u64().expect("where it ends"));
    let mut lines = lines;
    lines.sort_by_key(|line| place(line));
    let stop = end.map_or(clean.len(), |end| end as usize);
    assert!(
        clean.is_char_boundary(stop),
        "{end:?} in {clean}\n{lines:#?}"
    );
    let (mut text, mut at) = (String::new(), 0);
    for line in lines {
        let (start, to) = place(line);
        assert!(at <= start && start <= to && to <= clean.len(), "{line}");
        assert_eq!(line["sha256"], hash(&clean[start..to]), "{line}");
        // What was decided about, and the end came before it.
        let (before, after) = written(policy, line);
        match line["action"].as_str() {
            Some("suspend" | "refuse") => {
                assert_eq!(start, stop, "{line}");
                text.push_str(&clean[at..start]);
                text.push_str(before);
                return (text, end);
            }
            _ if start >= stop => break,
            Some("release" | "mark") => {
                text.push_str(&clean[at..start]);
                text.push_str(before);
                text.push_str(&clean[start..to]);
                text.push_str(after);
            }
            _ => {
                text.push_str(&clean[at..start]);
                text.push_str(before);
            }
        }
        at = to;
    }
    text.push_str(&clean[at.min(stop)..stop]);
    (text, end)
}

fn check(case: &Case, read: &Read, lines: &[Value]) {
    let seed = case.seed;
    let about = |choice: usize| {
        format!(
            "seed {seed}, {:?}, choice {choice}: {}\n{lines:#?}",
            case.fault, read.raw
        )
    };
    for choice in 0..case.texts.len() {
        let name = choice.to_string();
        let own: Vec<Value> = lines
            .iter()
            .filter(|line| line["channel"] == *name)
            .cloned()
            .collect();
        assert!(
            own.iter()
                .all(|line| line["policy"] == format!("p{}", case.policy))
        );
        let clean = provstream::strip(&case.sent(choice)).into_owned();
        let (written, end) = account(case.policy, &clean, &own);
        let got = &read.texts[choice];
        if matches!(case.fault, Fault::Leaves(_)) {
            assert!(
                written.starts_with(got.as_str()),
                "{}\n{got}\n{written}",
                about(choice)
            );
            continue;
        }
        assert_eq!(*got, written, "{}", about(choice));
        // A text that came whole and that no policy ended has no end before its end.
        if case.fault == Fault::None
            && !own
                .iter()
                .any(|line| line["action"] == "suspend" || line["action"] == "refuse")
        {
            assert_eq!(end, None, "{}", about(choice));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_audit_of_each_stream_accounts_for_what_its_client_got() {
    let seeds = testkit::search::seeds(400) as usize;
    let log = std::env::temp_dir().join(format!("provstream-audits-{}", std::process::id()));
    let settings = settings(log.to_str().expect("UTF-8"));
    let upstream = Upstream::start(|request| {
        let seed = request.split("seed\":").nth(1).expect("a seed");
        Case::new(seed.trim_end_matches('}').parse().expect("a seed")).script()
    })
    .await;
    let running = run(config(&upstream, &settings)).await;
    let mut clients = tokio::task::JoinSet::new();
    let mut reads = BTreeMap::new();
    for seed in 0..seeds {
        if clients.len() == TOGETHER
            && let Some((seed, read)) = clients
                .join_next()
                .await
                .expect("a client")
                .expect("no panic")
        {
            reads.insert(seed, read);
        }
        let address = running.address.clone();
        clients.spawn(async move {
            let read = client(&address, &Case::new(seed)).await;
            read.map(|read| (seed, read))
        });
    }
    while let Some(read) = clients.join_next().await {
        reads.extend(read.expect("no panic"));
    }
    let settled = async {
        let get = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let none = "provstream_requests_in_flight 0";
        while !send(&running.admin, get)
            .await
            .text()
            .lines()
            .any(|line| line == none)
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LONG, settled).await.expect("all end");
    let text = std::fs::read_to_string(&log).expect("the log");
    std::fs::remove_file(&log).expect("the log goes");
    let mut lines: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let stream = line["stream"].as_str().expect("a stream").to_owned();
        lines.entry(stream).or_default().push(line);
    }
    assert!(
        reads.len() * 10 > seeds * 9,
        "{} of {seeds} have a head",
        reads.len()
    );
    let (mut decisions, mut actions) = (0, BTreeSet::new());
    for (seed, read) in &reads {
        let own = lines.remove(&read.id).unwrap_or_default();
        decisions += own.len();
        actions.extend(
            own.iter()
                .map(|line| (line["decision"].to_string(), line["action"].to_string())),
        );
        check(&Case::new(*seed), read, &own);
    }
    // Of streams whose clients went before the head came.
    assert!(lines.len() <= seeds - reads.len());
    assert!(
        decisions > reads.len() && actions.len() >= 9,
        "{decisions} {actions:?}"
    );
}
