//! Canonical scenarios as golden files: what goes over the wire, what the model is asked, what events say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod calls;
mod names;
mod scenario;
mod shown;
mod stage;

use std::path::Path;

/// `fixtures/oao/scenarios/NAME.yaml`, played, beside `snapshots/oao/NAME.*.snap`.
fn plays(name: &str) {
    let played = stage::play(&scenario::Scenario::read(name));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../snapshots/oao"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (part, text) in [("traffic", played.traffic), ("model", played.model), ("events", played.events)]
        {
            insta::assert_snapshot!(format!("{name}.{part}"), text);
        }
    });
}

#[test]
fn the_shipment_pair() {
    plays("shipment_pair");
}

#[test]
fn an_invalid_finish_is_corrected() {
    plays("corrected_finish");
}

#[test]
fn a_loop_gives_up() {
    plays("give_up");
}

#[test]
fn a_nested_call_is_refused() {
    plays("nested_refusal");
}

#[test]
fn an_operation_reaches_its_timeout() {
    plays("timeout");
}

#[test]
fn a_run_is_cancelled() {
    plays("cancel");
}

#[test]
fn one_of_three_fails() {
    plays("one_of_three_fails");
}

#[test]
fn a_session_stays_on_its_version() {
    plays("follow_up_on_old_version");
}

#[test]
fn a_loop_activates_a_skill() {
    plays("skill_activation");
}

#[test]
fn a_loop_asks_a_caller() {
    plays("caller_tool_inside");
}

#[test]
fn a_tool_waits_for_an_approval() {
    plays("approval_denied");
}

/// No file is left over, and none is forgotten.
#[test]
fn every_scenario_is_played() {
    let played = include_str!("main.rs");
    let mut count = 0;
    for entry in std::fs::read_dir(scenario::folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(played.contains(&format!("plays(\"{name}\")")), "{name} is not played");
        count += 1;
    }
    assert_eq!(count, played.matches("    plays(\"").count());
}
