//! `junit.xml`.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};
use recording::{Outcome, Status};
use spec::Spec;

use crate::{Replay, Report, explain};

/// The JUnit form of a run. A skip is a skip, and nothing that was not judged looks like a pass: a target
/// that did not get through the preflight is one errored case.
pub fn junit(
    report: &Report,
    outcomes: &[Outcome],
    replay: &Replay,
    spec: &Spec,
) -> Result<String, quick_junit::SerializeError> {
    let mut document = Document::new("proofhouse");
    let contract = report.contract;
    let mut suite = TestSuite::new(contract.name());
    if let Some(reason) = &report.preflight.reason {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("not_judged").set_message(reason.as_str());
        let mut case = TestCase::new("preflight", status);
        case.set_classname(contract.name());
        suite.add_test_case(case);
    }
    for outcome in outcomes {
        let mut case = TestCase::new(outcome.id.as_str(), status(outcome, replay, spec));
        case.set_time(Duration::from_millis(outcome.duration_ms));
        let topic = spec
            .checks(contract)
            .find(|(_, _, check)| check.id == outcome.id)
            .map(|(topic, _, _)| &topic.topic);
        case.set_classname(format!("{contract}.{}", topic.map_or("unlisted", String::as_str)));
        if outcome.status == Status::Warn {
            case.set_system_out(explain(outcome, replay, spec));
        }
        suite.add_test_case(case);
    }
    document.add_test_suite(suite);
    document.to_string()
}

fn status(outcome: &Outcome, replay: &Replay, spec: &Spec) -> TestCaseStatus {
    let red = |kind| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_type(outcome.status.name()).set_message(outcome.verdict.reason().unwrap_or_default());
        status.set_description(explain(outcome, replay, spec));
        status
    };
    let skipped = || {
        let mut status = TestCaseStatus::skipped();
        status.set_type(outcome.status.name()).set_message(outcome.verdict.reason().unwrap_or_default());
        status
    };
    match outcome.status {
        Status::Pass | Status::Warn => TestCaseStatus::success(),
        Status::NotApplicable | Status::ExpectedFail => skipped(),
        Status::Untested if outcome.excused => skipped(),
        Status::Error => red(NonSuccessKind::Error),
        Status::Fail | Status::UnexpectedPass | Status::Untested => red(NonSuccessKind::Failure),
    }
}
