//! Faults at random, many streams at a time: nothing withheld is delivered, nothing released is lost, nothing is left over.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{
    Answer, LONG, Step, chat, chunk, config, gate, last_chunk, metrics, proxy, request, requests,
    streamed, text_of,
};

/// Streams at a time.
const TOGETHER: usize = 24;

/// Numbers that follow from a seed.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }
}

fn random(seed: usize) -> Random {
    Random((seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Sentences of which each third is withheld, as deltas, and what is released of them.
fn answer(random: &mut Random) -> (Vec<String>, String) {
    let (mut text, mut released) = (String::new(), String::new());
    for number in 0..3 + random.below(20) {
        if number % 3 == 2 {
            text.push_str(&format!(
                "SECRET number {number} is it. [unverified-inference] "
            ));
            released.push_str("(w) ");
        } else {
            text.push_str(&format!("Sentence {number} is fine. "));
            released.push_str(&format!("Sentence {number} is fine. "));
        }
    }
    let mut deltas = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (now, later) = rest.split_at((1 + random.below(12)).min(rest.len()));
        deltas.push(now.to_owned());
        rest = later;
    }
    (deltas, released)
}

/// Builds the steps of the upstream for a stream: pieces, and in some cases a broken connection, a
/// stall or garbage.
fn script(seed: usize) -> Vec<Step> {
    let mut random = random(seed);
    let (deltas, _) = answer(&mut random);
    let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
    let body = chat(&deltas);
    let fault = random.below(6);
    let at = random.below(body.len());
    let mut steps = vec![streamed("text/event-stream")];
    let mut sent = 0;
    while sent < body.len() {
        let size = (1 + random.below(300)).min(body.len() - sent);
        steps.push(chunk(&body.as_bytes()[sent..sent + size]));
        if sent <= at && at < sent + size {
            match fault {
                0 => return [steps, vec![Step::Close]].concat(),
                1 => return [steps, vec![Step::Hang]].concat(),
                2 => steps.push(chunk(b"\n\ndata: {SECRET garbage\n\n")),
                3 => {
                    return [
                        steps,
                        vec![Step::Send(b"SECRET no chunk\r\n".to_vec()), Step::Close],
                    ]
                    .concat();
                }
                _ => steps.push(Step::Wait(random.below(30) as u64)),
            }
        }
        sent += size;
    }
    [steps, vec![last_chunk()]].concat()
}

/// A client: reads all, reads slowly, or goes away. What it got, and whether it has read to the end.
async fn client(address: &str, seed: usize) -> (Answer, bool) {
    let mut random = random(seed + 1_000_003);
    let mut stream = TcpStream::connect(address).await.expect("the proxy");
    let request = request("/v1/chat/completions", &format!("{{\"seed\":{seed}}}"));
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the proxy reads");
    let mut bytes = Vec::new();
    let (is_slow, leaves) = (random.below(4) == 0, random.below(5) == 0);
    let most = if leaves {
        random.below(3_000)
    } else {
        usize::MAX
    };
    let reads = async {
        let mut buffer = [0; 512];
        while bytes.len() < most {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return true,
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            }
            if is_slow {
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
        }
        false
    };
    let has_ended = timeout(LONG, reads).await.expect("no connection is stuck");
    if has_ended {
        (Answer::of(&bytes), true)
    } else {
        // A chunk may be cut.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let answer = Answer {
            status: 200,
            head: text,
            body: bytes,
            is_complete: false,
        };
        (answer, false)
    }
}

fn check(seed: usize, (answer, has_ended): &(Answer, bool)) {
    let text = answer.text();
    assert!(!text.contains("SECRET"), "seed {seed}: {text}");
    if !has_ended {
        return;
    }
    let mut random = random(seed);
    let (_, released) = self::answer(&mut random);
    let read = text_of(&text);
    let is_cut = text.contains("\"code\":\"");
    assert!(answer.is_complete, "seed {seed}: {text}");
    if is_cut {
        // The fault may come after the end of the answer.
        assert!(
            !text.contains("[DONE]") || read == released,
            "seed {seed}: {text}"
        );
        // All sentences that came whole are there, and the last may be part of one.
        let whole = read.rfind(". ").map_or("", |end| &read[..end + 2]);
        assert!(
            released.starts_with(whole),
            "seed {seed}: {read}\n{released}"
        );
    } else {
        assert!(text.ends_with("data: [DONE]\n\n"), "seed {seed}: {text}");
        // Garbage of the upstream may have been a part of an event, which is withheld with it.
        if !matches!(fault(seed), 2) {
            assert_eq!(read, released, "seed {seed}");
        }
    }
}

fn fault(seed: usize) -> usize {
    let mut random = random(seed);
    let _ = answer(&mut random);
    random.below(6)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_withheld_is_delivered_and_nothing_released_is_lost() {
    let seeds = testkit::search::seeds(240) as usize;
    let rule = "{ action = \"replace\", text = \"(w)\" }";
    let settings = format!("[timeouts]\nidle = \"1s\"\n{}", gate(rule));
    let (running, upstream) = proxy(&settings, |request| {
        let seed = request.split("seed\":").nth(1).expect("a seed");
        script(seed.trim_end_matches('}').parse().expect("a seed"))
    })
    .await;
    let mut clients = tokio::task::JoinSet::new();
    for seed in 0..seeds {
        if clients.len() == TOGETHER {
            clients
                .join_next()
                .await
                .expect("a client")
                .expect("no panic");
        }
        if seed % 50 == 7 {
            running
                .handle
                .reload(config(&upstream, &settings))
                .expect("settings");
        }
        let address = running.address.clone();
        clients.spawn(async move { check(seed, &client(&address, seed).await) });
    }
    while let Some(client) = clients.join_next().await {
        client.expect("no panic");
    }
    let settled = async {
        loop {
            let text = metrics(&running.admin).await;
            let gauges = [
                "provstream_connections 0",
                "provstream_requests_in_flight 0",
                "provstream_held_bytes 0",
            ];
            if gauges
                .iter()
                .all(|gauge| text.lines().any(|line| line == *gauge))
            {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let text = timeout(LONG, settled).await.expect("nothing is left over");
    assert_eq!(requests(&text), seeds, "{text}");
    running.handle.shutdown();
    timeout(LONG, running.task)
        .await
        .expect("the proxy ends")
        .expect("no panic");
}
