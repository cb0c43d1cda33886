//! Answers that the open points accept fail no check.

use std::sync::{Arc, RwLock};

use agent::{CallContext, Tool, ToolOutcome};
use engine::{Launch, LaunchError, Opened, Plan, Sampling, run, target::Description};
use futures_util::{
    FutureExt,
    future::{BoxFuture, LocalBoxFuture},
};
use oao::{Parts, Service, Wiring, keys::Keyring, skills::Skill};
use recording::{Lane, Outcome, Status};
use serde_json::{Value, json};
use spec::{Contract, Spec};
use targets::{HostedModel, Simulator};
use wire::{Clock, Ids, Net, Seed};

const VENDOR: &str = "vendor.test:80";
const MODEL: &str = "model.test:80";

/// A conforming service of OAO that answers some open question in another way than the simulator.
struct Vendor {
    edit: fn(&mut Parts),
    description: Description,
}

impl Vendor {
    fn new(edit: fn(&mut Parts)) -> Self {
        let simulator = Simulator::new(Contract::Oao, &[] as &[&str]).unwrap();
        Self { edit, description: simulator.description().clone() }
    }

    fn setting(mut self, name: &str, value: Value) -> Self {
        self.description.settings.insert(name.to_owned(), value);
        self
    }

    fn outcomes(&self, ids: &[&str]) -> Vec<Outcome> {
        let registry = checks::registry();
        let checks: Vec<_> = ids.iter().filter_map(|id| registry.get(id)).copied().collect();
        assert_eq!(checks.len(), ids.len(), "{ids:?}");
        let sampling = Sampling { cases: 8, case: None, shrinks: 0 };
        let plan = Plan { checks, seed: 1, nonce: String::new(), sampling, jobs: 2 };
        run(&plan, self, Spec::load().unwrap(), &mut |_| {}).unwrap().outcomes
    }

    #[track_caller]
    fn passes(&self, ids: &[&str]) {
        for outcome in self.outcomes(ids) {
            assert_eq!(outcome.status, Status::Pass, "{}: {:?}", outcome.id, outcome.verdict);
        }
    }
}

impl Launch for Vendor {
    fn lane(&self) -> Lane {
        Lane::Virtual
    }

    fn description(&self) -> &Description {
        &self.description
    }

    fn open(&self, seed: Seed) -> LocalBoxFuture<'_, Result<Opened, LaunchError>> {
        async move {
            let (net, clock) = (Net::memory(), Clock::virtual_time());
            let host = model::Host::new(clock.clone(), seed.child("model"));
            let listener = net.listen(MODEL).await.unwrap();
            let modelling = tokio::spawn(model::serve(host.clone(), listener, std::future::pending()));
            let mut parts = Parts::default();
            (self.edit)(&mut parts);
            let url = format!("http://{MODEL}/v1").parse().unwrap();
            let model_url = Arc::new(RwLock::new(Some(url)));
            let wiring = Wiring { net: net.clone(), model_url, keyring: Keyring::demo() };
            let service = Service::new(parts, clock.clone(), Ids::new(seed.child("world")), wiring);
            let listener = net.listen(VENDOR).await.unwrap();
            let serving = wire::serve::serve(listener, service.router(), None, std::future::pending());
            Ok(Opened {
                net,
                clock,
                authority: VENDOR.to_owned(),
                prefix: String::new(),
                description: self.description.clone(),
                model: Some(Box::new(HostedModel::new(host))),
                client: None,
                suite_defects: Vec::new(),
                keep: Box::new((tokio::spawn(serving), modelling)),
            })
        }
        .boxed_local()
    }
}

/// W05
#[test]
fn an_unknown_member_may_be_accepted_without_effect() {
    let vendor = Vendor::new(|parts| {
        let members = ["skills", "model", "tools", "capabilities", "sandbox"];
        parts.definition.fields.extend(members.map(str::to_owned));
    });
    vendor.passes(&["OAO-07-a", "OAO-22-a", "OAO-22-b", "OAO-22-c"]);
}

/// W09
#[test]
fn further_arguments_may_be_ignored() {
    let vendor = Vendor::new(|parts| {
        let judge = parts.operations.arguments.judge.clone();
        parts.operations.arguments.judge = Arc::new(move |rules, arguments| match arguments.get("task") {
            Some(task) => judge(rules, &json!({ "task": task })),
            None => judge(rules, arguments),
        });
    });
    vendor.passes(&["OAO-21-b", "OAO-02-b"]);
}

/// W07
#[test]
fn operations_may_be_hidden_inside() {
    let vendor = Vendor::new(|parts| parts.operations.nested = Arc::new(|_, _| None));
    vendor.passes(&["OAO-05-a", "OAO-18-b", "OAO-22-b", "OAO-08-a", "OAO-23-a"]);
}

/// W16
#[test]
fn a_placeholder_may_be_spelled_in_another_way() {
    let vendor = Vendor::new(|parts| {
        let render = parts.mounting.render.clone();
        parts.mounting.render =
            Arc::new(move |rendering| render(rendering).replace("${SESSION}", rendering.session_id));
    });
    vendor.setting("session_placeholder", json!("${SESSION}")).passes(&["OAO-17-a", "OAO-17-b"]);
}

/// Records behind the events need not say whom they are booked to.
#[test]
fn records_of_model_turns_may_be_left_out() {
    let vendor = Vendor::new(|parts| {
        parts.front.rewrites.push(Arc::new(|_, reply| {
            if let Some(debug) = reply.json_mut().and_then(|body| body.get_mut("debug")) {
                debug["modelInvocations"] = json!([]);
            }
        }));
    });
    vendor.passes(&["OAO-10-a"]);
}

/// `activate_skill` with the catalogue in its description, as some runtimes have it.
struct Listing(Vec<Arc<Skill>>, String);

impl Tool for Listing {
    fn name(&self) -> &str {
        "activate_skill"
    }

    fn description(&self) -> &str {
        &self.1
    }

    fn parameters(&self) -> Value {
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let found = self.0.iter().find(|skill| arguments["name"] == skill.name);
        let outcome = match found {
            Some(skill) => ToolOutcome::Done(skill.instructions.clone()),
            None => ToolOutcome::failed("NotFound", "there is no such skill"),
        };
        std::future::ready(outcome).boxed()
    }
}

/// The documents say that all Skills are seen, and not where.
#[test]
fn skills_may_be_listed_among_the_tools() {
    let vendor = Vendor::new(|parts| {
        parts.skills.offered = |_| false;
        let render = parts.mounting.render.clone();
        parts.mounting.render = Arc::new(move |rendering| {
            let mut rendering = rendering.clone();
            rendering.skills = &[];
            render(&rendering)
        });
        let mount = parts.mcp.mount.clone();
        parts.mcp.mount = Arc::new(move |catalogue, config| {
            let mut tools = mount(catalogue, config);
            let ids = config.get("skillVersionIds").and_then(Value::as_array).cloned().unwrap_or_default();
            let skills: Vec<Arc<Skill>> =
                ids.iter().filter_map(|id| catalogue.skills.get(id.as_str()?).cloned()).collect();
            if !skills.is_empty() {
                let lines =
                    skills.iter().map(|skill| format!("\n{} is for: {}", skill.name, skill.description));
                let description = format!("Loads a skill.{}", lines.collect::<String>());
                tools.push(Arc::new(Listing(skills, description)) as Arc<dyn Tool>);
            }
            tools
        });
    });
    vendor.passes(&[
        "OAO-05-a",
        "OAO-05-b",
        "OAO-07-a",
        "OAO-08-a",
        "OAO-09-a",
        "OAO-09-b",
        "OAO-19-a",
        "OAO-210-a",
        "OAO-212-a",
        "OAO-214-a",
    ]);
}

/// A means that is not offered is missed by name.
#[test]
fn what_a_target_does_not_give_is_untested_and_named() {
    for (setting, id) in [
        ("skill_notes", "OAO-08-a"),
        ("mcp_tool", "OAO-18-b"),
        ("sandbox_snapshot", "OAO-06-a"),
        ("sandbox_snapshot_other", "OAO-06-b"),
        ("session_placeholder", "OAO-17-a"),
        ("model_preset_other", "OAO-22-a"),
        ("control", "OAO-24-a"),
    ] {
        let mut vendor = Vendor::new(|_| {});
        vendor.description.settings.remove(setting);
        let outcome = vendor.outcomes(&[id]).remove(0);
        assert_eq!(outcome.status, Status::Untested, "{id}");
        assert!(format!("{:?}", outcome.verdict).contains(setting), "{id}: {:?}", outcome.verdict);
    }
}
