//! Servers that say one thing to everybody pass no check.

use axum::{Router, http::StatusCode, response::IntoResponse, routing::get};
use engine::{Launch, LaunchError, Opened, Plan, Sampling, run, target::Description};
use futures_util::{FutureExt, future::LocalBoxFuture};
use recording::{Lane, Outcome, Status};
use serde_json::{Value, json};
use spec::{Contract, Spec};
use targets::{HostedModel, Simulator};
use wire::{Clock, Net, Seed};

const LIAR: &str = "liar.test:80";

/// A server that is described as if it were the simulator of a contract.
struct Liar {
    router: Router,
    description: Description,
}

impl Liar {
    fn new(contract: Contract, router: Router) -> Self {
        let description = Simulator::new(contract, &[] as &[&str]).unwrap().description().clone();
        Self { router, description }
    }

    /// Gives every request the same answer.
    fn of_one_answer(contract: Contract, status: StatusCode, body: Value) -> Self {
        Self::new(contract, Router::new().fallback(move || async move { answer(status, &body) }))
    }

    fn outcomes(&self, contract: Contract) -> Vec<Outcome> {
        let registry = checks::registry();
        let checks = registry.of(contract).copied().collect();
        let sampling = Sampling { cases: 8, case: None, shrinks: 0 };
        let plan = Plan { checks, seed: 1, nonce: String::new(), sampling, jobs: 2 };
        run(&plan, self, Spec::load().unwrap(), &mut |_| {}).unwrap().outcomes
    }
}

fn answer(status: StatusCode, body: &Value) -> impl IntoResponse + use<> {
    (status, [("content-type", "application/json")], body.to_string())
}

impl Launch for Liar {
    fn lane(&self) -> Lane {
        Lane::Virtual
    }

    fn description(&self) -> &Description {
        &self.description
    }

    fn open(&self, seed: Seed) -> LocalBoxFuture<'_, Result<Opened, LaunchError>> {
        async move {
            let (net, clock) = (Net::memory(), Clock::virtual_time());
            let listener = net.listen(LIAR).await.map_err(|error| LaunchError::new(error.to_string()))?;
            let serving = wire::serve::serve(listener, self.router.clone(), None, std::future::pending());
            let model = model::Host::new(clock.clone(), seed.child("model"));
            Ok(Opened {
                net,
                clock,
                authority: LIAR.to_owned(),
                prefix: String::new(),
                description: self.description.clone(),
                model: Some(Box::new(HostedModel::new(model))),
                client: None,
                suite_defects: Vec::new(),
                keep: Box::new(tokio::spawn(serving)),
            })
        }
        .boxed_local()
    }
}

fn of_status(outcomes: &[Outcome], status: Status) -> Vec<&str> {
    outcomes.iter().filter(|outcome| outcome.status == status).map(|outcome| outcome.id.as_str()).collect()
}

fn status_of(outcomes: &[Outcome], id: &str) -> Status {
    outcomes.iter().find(|outcome| outcome.id == id).unwrap().status
}

#[test]
fn a_list_of_one_base_for_everything_passes_no_vetta_check() {
    let body = json!({"data": [{"base": "x"}]});
    let outcomes = Liar::of_one_answer(Contract::Vetta, StatusCode::OK, body).outcomes(Contract::Vetta);
    assert_eq!(of_status(&outcomes, Status::Pass), Vec::<&str>::new());
    assert_eq!(of_status(&outcomes, Status::Error), Vec::<&str>::new());
    // No row says anything of itself, and agents have to be writable all the same.
    for id in ["VET-01-a", "VET-02-a", "VET-20-a", "VET-25-b", "VET-53-b", "VET-63-c"] {
        assert_eq!(status_of(&outcomes, id).max(Status::Warn), Status::Warn, "{id}");
    }
}

#[test]
fn a_base_that_is_also_an_id_is_no_error_of_the_suite() {
    let body = json!({"data": [{"base": "x"}], "id": "x"});
    let outcomes = Liar::of_one_answer(Contract::Vetta, StatusCode::OK, body).outcomes(Contract::Vetta);
    assert_eq!(of_status(&outcomes, Status::Error), Vec::<&str>::new());
    assert_eq!(of_status(&outcomes, Status::Pass), Vec::<&str>::new());
}

#[test]
fn one_agent_for_everything_passes_no_oao_check() {
    let body = json!({"id": "x", "latestVersionId": "y", "data": []});
    let outcomes = Liar::of_one_answer(Contract::Oao, StatusCode::CREATED, body).outcomes(Contract::Oao);
    assert_eq!(of_status(&outcomes, Status::Pass), Vec::<&str>::new());
    assert_eq!(of_status(&outcomes, Status::Error), Vec::<&str>::new());
}

#[test]
fn a_catalogue_of_one_local_loop_without_agents_is_no_harness() {
    let row = json!({
        "base": "x", "label": "X", "location": "local", "billing": "account", "status": "ga",
        "execution": "local", "runnable": false,
        "capabilities": {"approvals": false, "structured_output": false, "streaming_deltas": true, "injected_tools": true},
    });
    let list = json!({"data": [row], "has_more": false, "next_cursor": null});
    let router =
        Router::new().route("/v1/harnesses", get(move || async move { answer(StatusCode::OK, &list) }));
    let outcomes = Liar::new(Contract::Vetta, router).outcomes(Contract::Vetta);
    for id in ["VET-01-a", "VET-12-a", "VET-12-b", "VET-25-b", "VET-53-b", "VET-53-p"] {
        assert_eq!(status_of(&outcomes, id), Status::Fail, "{id}");
    }
}
