//! The filter and the external processor in the real Envoy, in front of an upstream that does what it should not.
//!
//! `.ci/envoy` names the programs in the environment; without them the tests are skipped.

mod client;
mod configuration;
mod envoy;
mod expected;
mod failure;
mod gateway;
mod http2;
mod scenarios;
mod trailers;
mod upstream;

use gateway::{Gateway, Kind, Programs, ROUTES};

/// All scenarios, in one Envoy.
fn run(kind: Kind, name: &str) {
    let Some(programs) = Programs::find() else {
        return;
    };
    let gateway = Gateway::start(&programs, kind, name, ROUTES, |config| config);
    for (name, scenario) in scenarios::ALL {
        println!("{kind:?}: {name}");
        scenario(&gateway);
    }
}

#[test]
fn filter() {
    run(Kind::Filter, "filter");
}

#[test]
fn filter_that_waits_with_heads() {
    run(Kind::WaitingFilter, "waiting-filter");
}

#[test]
fn processor() {
    run(Kind::Processor, "processor");
}
