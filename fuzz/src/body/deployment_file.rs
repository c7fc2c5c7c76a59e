//! Descriptions of MARC deployments.

use provstream_marc::{ConformanceClass, Deployment};

use super::check_place;

/// A description is refused with a reason and a place, or read; what is read gives the same report twice.
pub(super) fn check(data: &[u8]) {
    let deployment = match Deployment::from_toml(data) {
        Ok(deployment) => deployment,
        Err(error) => {
            let message = error.to_string();
            assert!(
                !message.is_empty() && !message.contains(char::is_control),
                "{message:?}"
            );
            if let Some(place) = error.position() {
                check_place(place, data);
            }
            return;
        }
    };
    let report = deployment.conformance();
    assert_eq!(report.to_string(), deployment.conformance().to_string());
    assert_eq!(report.name(), deployment.name());
    assert_eq!(report.draft(), deployment.draft());
    for &class in ConformanceClass::ALL {
        assert_eq!(
            report.claims(class),
            deployment.classes().any(|one| one == class)
        );
        let prevented = report.of(class).any(|finding| finding.prevents());
        assert!(!(report.conforms(class) && prevented), "{class:?}");
    }
    let _ = (
        deployment.controller(),
        deployment.wording(),
        deployment.calibration(),
    );
    for mapping in deployment.mappings() {
        let _ = mapping.carrier();
    }
}
