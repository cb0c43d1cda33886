//! Named ways for the suite to be wrong.
//!
//! They are put in by the launch of a proof, and by nothing else.

use engine::{Kind, Property};
use recording::{CaseView, Judged, Recording, Verdict, View};
use serde_json::Value;
use spec::Spec;

use super::Suite;
use crate::vetta::{
    agents_times_rows,
    rows::{entry_of, rows_of, text},
};

/// A named edit of the suite.
pub(crate) struct Edit {
    /// The name in the specification.
    pub(crate) id: &'static str,
    /// What it changes.
    pub(crate) edit: fn(&mut Suite),
}

/// All of them.
pub(crate) const ALL: &[Edit] = &[
    Edit { id: "suite-ties-axes", edit: |suite| suite.rejudge("VET-09-a", hosted_means_sandbox) },
    Edit { id: "suite-aborts-on-growth", edit: |suite| suite.rejudge("VET-04-a", every_word_is_known) },
    Edit { id: "suite-infers-road", edit: infer_the_road },
    Edit { id: "demand-map-wrong", edit: map_typed_answers_to_injected_tools },
];

/// Their names.
pub fn ids() -> Vec<&'static str> {
    ALL.iter().map(|edit| edit.id).collect()
}

fn hosted_means_sandbox(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let is_wrong = |row: &&Value| text(row, "location") == "hosted" && text(row, "execution") != "sandbox";
    match rows_of(&list)?.iter().find(is_wrong) {
        Some(row) => {
            let message = "a hosted loop does not run in a sandbox";
            Err(list.finding_got(message, "`sandbox` in `execution`", row.to_string()).into())
        }
        None => Ok(list.witness()),
    }
}

/// A reader whose enums are closed gives up at the first word that it does not know.
fn every_word_is_known(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    match rows_of(&list)?.iter().find(|row| !matches!(text(row, "status"), "ga" | "preview")) {
        Some(row) => Err(Verdict::Error { reason: format!("unknown variant `{}`", text(row, "status")) }),
        None => Ok(list.witness()),
    }
}

/// The property whose judge takes every loop in a sandbox for one of the second road, where a single tool on
/// `ask` is left out and nothing is refused.
static ROAD_BY_EXECUTION: Property =
    Property { judge: sandbox_means_second_road, ..agents_times_rows::PROPERTY };

fn infer_the_road(suite: &mut Suite) {
    for check in suite.checks.iter_mut().filter(|check| check.id == "VET-53-p") {
        check.kind = Kind::Property(&ROAD_BY_EXECUTION);
    }
}

fn sandbox_means_second_road(case: &CaseView<'_>, spec: &Spec) -> Judged {
    let rows = rows_of(&case.recording().one("rows")?)?;
    let row = entry_of(&rows, text(&case.label().input, "base")).cloned().unwrap_or_default();
    let one_tool_asks = case.label().rule.starts_with("one tool is on ask");
    if text(&row, "execution") == "sandbox" && one_tool_asks {
        let start = case.one("start")?;
        if !start.is_success() {
            return Err(start.finding("a loop of the second road did not start", "2xx").into());
        }
    }
    (agents_times_rows::PROPERTY.judge)(case, spec)
}

fn map_typed_answers_to_injected_tools(suite: &mut Suite) {
    for demand in suite.demands.0.iter_mut().filter(|demand| demand.id == "typed-answer") {
        demand.flag = "injected_tools".to_owned();
    }
}
