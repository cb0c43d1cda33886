//! Ways to mix up Skills, delegates and operations.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use oao::{
    Parts, delegates::Delegate, errors::Refusal, operations::Operation, publication::config::items,
    runs::RunContext,
};
use serde_json::{Value, json};

use super::{
    super::Edit,
    inheritance::{hand_down, show_skills},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "skill-grants-tools", edit: grant_tools },
    Edit { id: "skill-opens-loop", edit: open_a_loop },
    Edit { id: "subagent-ephemeral", edit: |parts| parts.delegates.retain = |_| false },
    Edit { id: "workspace-shared-on-mismatch", edit: |parts| parts.delegates.shares = Arc::new(|_, _| true) },
    Edit {
        id: "skill-scoping-honoured",
        edit: |parts| {
            accept(parts, &["skills"]);
            hand_down(parts, |run, operation, inherited| {
                let Some(names) = operation.stored["skills"].as_array().cloned() else { return };
                show_skills(run, inherited, |skill| names.iter().any(|name| *name == skill.name));
            });
        },
    },
    Edit { id: "activation-enforced", edit: enforce_activation },
    Edit {
        id: "dangling-skill-blocks-publish",
        edit: |parts| {
            parts.publication.steps.append(
                "skills-named",
                Arc::new(|view, config| {
                    let mounted: Vec<&str> = items(config, "skillVersionIds")
                        .iter()
                        .filter_map(|id| {
                            view.catalogue.skills.get(id.as_str()?).map(|skill| skill.name.as_str())
                        })
                        .collect();
                    let named = items(config, "harnessOperations")
                        .iter()
                        .filter_map(|operation| named_skill(&operation["instructions"]));
                    match named.into_iter().find(|name| !mounted.contains(&name.as_str())) {
                        Some(name) => Err(Refusal::bad_request(format!("the skill `{name}` is not mounted"))),
                        None => Ok(()),
                    }
                }),
            )
        },
    },
    Edit {
        id: "op-has-own-identity",
        edit: |parts| {
            let own = parts.runs.books_to.clone();
            parts.runs.books_to = Arc::new(move |run, inside| {
                if inside { "00000000-0000-4000-8000-0000000000fe".to_owned() } else { own(run, inside) }
            });
        },
    },
    Edit {
        id: "per-op-model-honoured",
        edit: |parts| {
            accept(parts, &["model"]);
            hand_down(parts, |_, operation, inherited| {
                if let Some(model) = operation.stored["model"].as_str() {
                    inherited.model = inherited.model.clone().with_model(model);
                }
            });
        },
    },
    Edit {
        id: "per-op-capabilities-honoured",
        edit: |parts| {
            accept(parts, &["capabilities", "tools"]);
            hand_down(parts, |run, operation, inherited| {
                let Some(own) = operation.stored.get("capabilities") else { return };
                let mut config = run.version.config.clone();
                config["sandbox"]["capabilities"] = own.clone();
                inherited.tools = run.tools_in(&config, &run.sandbox);
            });
        },
    },
    Edit {
        id: "per-op-sandbox-honoured",
        edit: |parts| {
            accept(parts, &["sandbox"]);
            hand_down(parts, |run, operation, inherited| {
                let Some(own) = operation.stored.get("sandbox") else { return };
                let mut config = run.version.config.clone();
                config.insert("sandbox".to_owned(), own.clone());
                inherited.tools = run.tools_in(&config, &run.open_sandbox());
            });
        },
    },
    Edit {
        id: "scratch-stored-as-child",
        edit: |parts| {
            // Where there are delegates, the children are theirs.
            after_each_call(parts, |run, key, _| {
                if Delegate::of(&run.version).is_empty() {
                    run.open_child(&hidden(run, key));
                }
            });
        },
    },
    Edit {
        id: "scratch-accepts-followup",
        edit: |parts| {
            after_each_call(parts, |run, key, call| {
                let records = run.service.records().of_session(&run.session_id);
                let own = records
                    .into_iter()
                    .find(|record| record.tool_call_id == call && record.run_id == run.run_id);
                if let Some(record) = own {
                    run.open_child_as(record.id, &hidden(run, key));
                }
            });
        },
    },
    Edit {
        id: "scratch-record-lost",
        edit: |parts| after_each_call(parts, |run, _, call| run.service.records().forget(&run.run_id, call)),
    },
    Edit { id: "three-primitives-one-record", edit: record_all_alike },
];

/// Lets a definition have these members.
fn accept(parts: &mut Parts, members: &[&str]) {
    parts.definition.fields.extend(members.iter().map(|member| (*member).to_owned()));
}

/// A delegate on the version of the run itself, of which nobody knows.
fn hidden(run: &RunContext, key: &str) -> Delegate {
    Delegate {
        key: key.to_owned(),
        description: String::new(),
        version_id: run.version.id.clone(),
        max_parallel: 1,
    }
}

/// Does something when the body of an operation has ended, from the run, the key and the id of the call.
fn after_each_call(parts: &mut Parts, act: impl Fn(&RunContext, &str, &str) + Send + Sync + 'static) {
    let act = Arc::new(act);
    parts.operations.around.push(Arc::new(move |run, invocation, body| {
        let act = act.clone();
        async move {
            let outcome = body.await;
            act(&run, &invocation.operation.key, &invocation.tool_call_id);
            outcome
        }
        .boxed()
    }));
}

/// A tool that a Skill only speaks of.
struct Granted(String);

impl Tool for Granted {
    fn name(&self) -> &str {
        &self.0
    }

    fn description(&self) -> &str {
        "A tool that a skill asked for."
    }

    fn parameters(&self) -> Value {
        json!({"type": "object"})
    }

    fn call(&self, _: CallContext, _: Value) -> BoxFuture<'static, ToolOutcome> {
        std::future::ready(ToolOutcome::Done("done".to_owned())).boxed()
    }
}

fn grant_tools(parts: &mut Parts) {
    let (mount, mounted) = (parts.mcp.mount.clone(), parts.catalogue.skills.clone());
    parts.mcp.mount = Arc::new(move |catalogue, config| {
        let mut tools = mount(catalogue, config);
        let skills = items(config, "skillVersionIds").iter().filter_map(|id| mounted.get(id.as_str()?));
        let names = skills.flat_map(|skill| skill.allowed_tools.clone());
        tools.extend(names.map(|name| Arc::new(Granted(name)) as Arc<dyn Tool>));
        tools
    });
}

/// Where a version has no operation, its Skills are made into one.
fn open_a_loop(parts: &mut Parts) {
    let of_version = parts.mounting.operations.clone();
    let catalogue = parts.catalogue.skills.clone();
    parts.mounting.operations = Arc::new(move |version, all| {
        let own = of_version(version, all);
        let mut skills =
            items(&version.config, "skillVersionIds").iter().filter_map(|id| catalogue.get(id.as_str()?));
        match skills.next().filter(|_| own.is_empty() && Delegate::of(version).is_empty()) {
            Some(skill) => vec![Operation::read(&json!({
                "key": "activate_skill",
                "description": "Activates a skill.",
                "instructions": skill.instructions,
                "resultSchema": {"type": "object"},
                "timeoutMs": 5_000,
            }))],
            None => own,
        }
    });
    let judge = parts.operations.arguments.judge.clone();
    parts.operations.arguments.judge = Arc::new(move |rules, arguments| match arguments["name"].as_str() {
        Some(name) if arguments.get("task").is_none() => Ok(name.to_owned()),
        _ => judge(rules, arguments),
    });
}

/// The name in backticks before the word `skill`.
fn named_skill(instructions: &Value) -> Option<String> {
    let (before, _) = instructions.as_str()?.split_once("` skill")?;
    before.rsplit_once('`').map(|(_, name)| name.to_owned())
}

type Activated = Arc<Mutex<BTreeSet<(String, String)>>>;

fn enforce_activation(parts: &mut Parts) {
    let activated = Activated::default();
    let (activate, noted) = (parts.skills.activate.clone(), activated.clone());
    parts.skills.activate = Arc::new(move |call| {
        let pair = (call.run.run_id.clone(), call.name.to_owned());
        noted.lock().unwrap_or_else(PoisonError::into_inner).insert(pair);
        activate(call)
    });
    let names: BTreeSet<String> = parts.catalogue.skills.values().map(|skill| skill.name.clone()).collect();
    let finish = parts.operations.mechanism.finish.clone();
    parts.operations.mechanism.finish = Arc::new(move |call| {
        let instructions = &call.invocation.operation.instructions;
        let activated = activated.lock().unwrap_or_else(PoisonError::into_inner);
        let is_open = |name: &&String| {
            instructions.contains(&format!("Activate the skill {name} first"))
                && !activated.contains(&(call.invocation.run_id.clone(), (*name).clone()))
        };
        match names.iter().find(is_open) {
            Some(name) => Err(format!("activate the skill {name} first")),
            None => finish(call),
        }
    });
}

/// Where a version has delegates, its Skills and operations leave children as well.
fn record_all_alike(parts: &mut Parts) {
    let record = |run: &RunContext, key: &str| {
        if !Delegate::of(&run.version).is_empty() {
            run.open_child(&hidden(run, key));
        }
    };
    let activate = parts.skills.activate.clone();
    parts.skills.activate = Arc::new(move |call| {
        record(call.run, call.name);
        activate(call)
    });
    after_each_call(parts, move |run, key, _| record(run, key));
}
