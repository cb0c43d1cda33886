//! Wrong ways to hand things down to a scratch loop.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use oao::{
    Parts,
    operations::{Inherited, Operation},
    runs::RunContext,
    skills::Skill,
};
use serde_json::Value;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "catalog-filtered-by-instructions",
        edit: |parts| {
            hand_down(parts, |run, operation, inherited| {
                show_skills(run, inherited, |skill| operation.instructions.contains(&skill.name));
            });
        },
    },
    Edit {
        id: "op-uses-default-model",
        edit: |parts| {
            hand_down(parts, |run, _, inherited| {
                // The version of a run pins what was the default when the service started, or another one.
                let (now, start) = (run.service.default_preset(), &run.parts().catalogue.default_preset);
                if now != *start {
                    inherited.model = inherited.model.clone().with_model(now);
                }
            });
        },
    },
    Edit {
        id: "raw-template-in-scratch",
        edit: |parts| {
            hand_down(parts, |run, _, inherited| {
                let rendering = run.rendering();
                inherited.system = rendering.around(rendering.source());
            });
        },
    },
    Edit { id: "rendering-cached-across-sessions", edit: cache_renderings },
    Edit {
        id: "op-loses-tools",
        edit: |parts| {
            hand_down(parts, |_, _, inherited| {
                inherited.tools.retain(|tool| !tool.name().starts_with("mcp__"))
            });
        },
    },
    Edit {
        id: "skill-version-floats",
        edit: |parts| {
            let activate = parts.skills.activate.clone();
            parts.skills.activate = Arc::new(move |call| {
                let all = call.run.parts().catalogue.skills.values();
                let latest = all.filter(|skill| skill.name == call.name).max_by_key(|skill| skill.version);
                match latest.filter(|_| call.skill().is_some()) {
                    Some(skill) => Ok(skill.instructions.clone()),
                    None => activate(call),
                }
            });
        },
    },
    Edit {
        id: "task-not-forwarded",
        edit: |parts| {
            let compose = parts.operations.prompt.clone();
            parts.operations.prompt = Arc::new(move |operation, task, arguments| {
                let told = if task.len() > 2_000 { "" } else { task };
                compose(operation, told, arguments)
            });
        },
    },
    Edit { id: "call-time-override", edit: override_at_the_call },
];

/// Changes what a scratch loop takes over.
pub(super) fn hand_down(
    parts: &mut Parts,
    change: impl Fn(&RunContext, &Operation, &mut Inherited) + Send + Sync + 'static,
) {
    let inherit = parts.operations.inherit.clone();
    parts.operations.inherit = Arc::new(move |run, operation| {
        let mut inherited = inherit(run, operation);
        change(run, operation, &mut inherited);
        inherited
    });
}

/// Lists only some of the Skills in the system text of a scratch loop.
pub(super) fn show_skills(run: &RunContext, inherited: &mut Inherited, keep: impl Fn(&Skill) -> bool) {
    let kept: Vec<Arc<Skill>> = run.skills.iter().filter(|skill| keep(skill)).cloned().collect();
    if kept.is_empty() {
        return;
    }
    let mut rendering = run.rendering();
    rendering.skills = &kept;
    inherited.system = (run.parts().mounting.render)(&rendering);
}

fn cache_renderings(parts: &mut Parts) {
    let cache: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
    hand_down(parts, move |run, _, inherited| {
        let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
        inherited.system = cache.entry(run.version.id.clone()).or_insert_with(|| run.system.clone()).clone();
    });
}

/// Takes only the task for the rule of the arguments, and all arguments for the prompt.
fn override_at_the_call(parts: &mut Parts) {
    let judge = parts.operations.arguments.judge.clone();
    parts.operations.arguments.judge = Arc::new(move |rules, arguments| match arguments.get("task") {
        Some(task) if arguments.get("instructions").is_some() => {
            judge(rules, &serde_json::json!({ "task": task }))
        }
        _ => judge(rules, arguments),
    });
    let compose = parts.operations.prompt.clone();
    parts.operations.prompt = Arc::new(move |operation, task, arguments| {
        let mut operation = operation.clone();
        if let Some(text) = arguments.get("instructions").and_then(Value::as_str) {
            text.clone_into(&mut operation.instructions);
        }
        compose(&operation, task, arguments)
    });
}
