//! The admission table, and what its steps are told.

use std::{collections::BTreeSet, sync::Arc};

use super::{Demand, demand, steps};
use crate::{
    Caller, Refusal,
    agents::{Agent, AgentConfig},
    environment::Row,
    rules::Rules,
    sessions::Start,
};

/// A start that asks to be admitted.
#[derive(Clone, Copy)]
pub struct Applicant<'a> {
    /// Who asks, and in which environment.
    pub caller: &'a Caller,
    /// The agent as it is stored now.
    pub agent: &'a Agent,
    /// The row that its `harness` selects; `None` when nothing of this name is published any more.
    pub row: Option<&'a Row>,
    /// The start body.
    pub start: &'a Start,
    /// What [`Admission::demands`] found.
    pub demands: &'a [Demand],
    /// Names of the tools that a loop has of its own.
    pub native_tools: &'a BTreeSet<String>,
}

/// One step of the table: refuses, or lets pass.
pub type Judge = Arc<dyn Fn(&Applicant<'_>) -> Result<(), Refusal> + Send + Sync>;

/// The policy of admission.
#[derive(Clone)]
pub struct Admission {
    /// From configuration to demands.
    pub demands: Arc<dyn Fn(&AgentConfig, &Start) -> Vec<Demand> + Send + Sync>,
    /// The steps in their order (open point U08): `published`, `location`, `approvals`,
    /// `structured_output`, `injected_tools`, `runnable`. Flags alone decide: never `execution`, `status`,
    /// price or name.
    pub steps: Rules<Judge>,
    /// How the steps make a decision. It is taken anew for every start, from the stored agent.
    pub decide: Arc<dyn Fn(&Rules<Judge>, &Applicant<'_>) -> Result<(), Refusal> + Send + Sync>,
    /// Names of the tools that a loop has of its own. On the second road a single *contributed* tool on
    /// `ask` is left out and demands nothing; one of these demands approvals on every road.
    pub native_tools: BTreeSet<String>,
}

impl Default for Admission {
    fn default() -> Self {
        let step = |name: &'static str, judge: fn(&Applicant<'_>) -> Result<(), Refusal>| {
            let judge: Judge = Arc::new(judge);
            (name, judge)
        };
        Self {
            demands: Arc::new(demand::demands),
            steps: Rules::new([
                step("published", steps::published),
                step("location", steps::location),
                step("approvals", steps::approvals),
                step("structured_output", steps::structured_output),
                step("injected_tools", steps::injected_tools),
                step("runnable", steps::runnable),
            ]),
            decide: Arc::new(decide),
            native_tools: ["shell", "bash", "read", "write", "edit", "grep", "glob"]
                .map(str::to_owned)
                .into(),
        }
    }
}

/// The first refusal of the table decides.
pub fn decide(steps: &Rules<Judge>, applicant: &Applicant<'_>) -> Result<(), Refusal> {
    steps.judges().try_for_each(|judge| judge(applicant))
}
