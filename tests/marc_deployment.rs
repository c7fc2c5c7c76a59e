//! Descriptions of deployments, and the report on their conformance.
#![cfg(feature = "marc-deployment")]

use provstream::marc::{ConformanceClass as Class, ConformanceOutcome as Outcome, Deployment};

const EXAMPLE: &str = include_str!("../corpus/marc/deployment.toml");

#[test]
fn the_example_conforms_in_all_classes() {
    let deployment = Deployment::from_toml(EXAMPLE.as_bytes()).unwrap();
    let report = deployment.conformance();
    println!("{report}");
    for finding in report.findings() {
        assert_eq!(finding.outcome(), Outcome::Met, "{finding}");
    }
    for &class in Class::ALL {
        assert!(report.conforms(class));
    }
}
