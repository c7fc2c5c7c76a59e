//! Serves responses of every API to the providers' own clients, which compare what they read: as they were, with
//! annotations that provstream has removed or gated, and with markers that it has removed or rendered.
//!
//! `provstream-clients SEEDS` prints its port and serves until it is ended. A client asks for a case by naming it as the model:
//! `case-7-stripped`. `GET /cases` lists them.
//!
//! `provstream-clients SEEDS --pieces` is the same for gateways that remove or gate the annotations themselves: the responses come in
//! pieces of the network, and those with annotations are `case-7-annotated`.

mod answer;
mod api;
mod blocks;
mod case;
mod citing;
mod event;
mod frames;
mod http;
mod inject;
mod places;
mod recorded;
mod replay;

use std::net::TcpListener;

use case::Case;

fn main() {
    let seeds = std::env::args()
        .nth(1)
        .map_or(64, |seeds| seeds.parse().expect("a number of seeds"));
    let mut cases = recorded::cases(seeds.min(4));
    for api in api::all() {
        cases.extend((0..seeds).map(|seed| Case::drawn(api, seed)));
    }
    let annotated = cases.iter().filter(|case| case.is_annotated()).count();
    let ended = cases.iter().filter(|case| case.is_ended).count();
    println!(
        "{} responses, {annotated} with annotations, {ended} ended by their gate",
        cases.len()
    );
    assert!(annotated * 10 > cases.len() * 9, "too few have annotations");
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    println!("port {}", listener.local_addr().expect("an address").port());
    if std::env::args().any(|argument| argument == "--pieces") {
        replay::serve(&listener, cases);
    } else {
        http::serve(&listener, cases);
    }
}
