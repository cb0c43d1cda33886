//! Wrong ways to share the files of a session.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use agent::{CallContext, Tool, ToolOutcome, Workspace};
use futures_util::{FutureExt, future::BoxFuture};
use oao::{Parts, Sandbox, operations::Inherited, runs::RunContext};
use serde_json::Value;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "sandbox-forked",
        edit: |parts| {
            in_sandbox(parts, |run| Sandbox { workspace: run.workspace.fork(), ..run.sandbox.clone() })
        },
    },
    Edit {
        id: "uploads-invisible",
        edit: |parts| wrap_inside(parts, |_, tool| reading(tool, Arc::new(hidden))),
    },
    Edit { id: "stale-snapshot", edit: stale_snapshot },
    Edit {
        // The loop works where it should; the copies are made all the same.
        id: "docs-copied-for-op",
        edit: |parts| {
            let inherit = parts.operations.inherit.clone();
            parts.operations.inherit = Arc::new(move |run: &RunContext, operation| {
                copy_all(&run.workspace, &run.open_sandbox().workspace);
                inherit(run, operation)
            });
        },
    },
    Edit { id: "per-op-overlay", edit: per_op_overlay },
    Edit { id: "implicit-path-lock", edit: implicit_path_lock },
];

/// Gives scratch loops the tools of the run, but in another sandbox.
fn in_sandbox(parts: &mut Parts, other: impl Fn(&RunContext) -> Sandbox + Send + Sync + 'static) {
    let inherit = parts.operations.inherit.clone();
    parts.operations.inherit = Arc::new(move |run: &RunContext, operation| {
        let sandbox = other(run);
        let tools = run.tools_in(&run.version.config, &sandbox);
        Inherited { tools, workspace: sandbox.workspace, ..inherit(run, operation) }
    });
}

type Wrap = Arc<dyn Fn(&RunContext, Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync>;

/// Puts something around every tool that a scratch loop inherits.
fn wrap_inside(
    parts: &mut Parts,
    wrap: impl Fn(&RunContext, Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync + 'static,
) {
    let wrap: Wrap = Arc::new(wrap);
    let inherit = parts.operations.inherit.clone();
    parts.operations.inherit = Arc::new(move |run: &RunContext, operation| {
        let inherited = inherit(run, operation);
        let tools = inherited.tools.iter().map(|tool| wrap(run, tool.clone())).collect();
        Inherited { tools, ..inherited }
    });
}

/// What is answered in the place of a tool, from the path it is called with; `None` lets the tool answer.
type Instead = Arc<dyn Fn(&str) -> Option<BoxFuture<'static, ToolOutcome>> + Send + Sync>;

/// A tool that something else answers for now and then.
struct Other {
    tool: Arc<dyn Tool>,
    instead: Instead,
}

impl Tool for Other {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        self.tool.description()
    }

    fn parameters(&self) -> Value {
        self.tool.parameters()
    }

    fn call(&self, context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        (self.instead)(path).unwrap_or_else(|| self.tool.call(context, arguments))
    }
}

fn reading(tool: Arc<dyn Tool>, instead: Instead) -> Arc<dyn Tool> {
    if tool.name() == "read" { Arc::new(Other { tool, instead }) } else { tool }
}

fn writing(tool: Arc<dyn Tool>, instead: Instead) -> Arc<dyn Tool> {
    if tool.name() == "write" { Arc::new(Other { tool, instead }) } else { tool }
}

fn answered(outcome: ToolOutcome) -> BoxFuture<'static, ToolOutcome> {
    std::future::ready(outcome).boxed()
}

fn hidden(path: &str) -> Option<BoxFuture<'static, ToolOutcome>> {
    let hides = path.contains(".oao/attachments/");
    hides.then(|| answered(ToolOutcome::failed("NotFound", format!("there is no file `{path}`"))))
}

/// Files by sandbox, or by whatever else names them.
type Kept = Arc<Mutex<BTreeMap<String, Workspace>>>;

/// What a session began with is read as it was then; what came later is read as it is.
fn stale_snapshot(parts: &mut Parts) {
    let kept = Kept::default();
    let (first, later) = (kept.clone(), kept);
    let mount = parts.mounting.tools.clone();
    parts.mounting.tools = Arc::new(move |grant| {
        let mut kept = first.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entry(grant.sandbox.id.clone()).or_insert_with(|| grant.sandbox.workspace.fork());
        drop(kept);
        mount(grant)
    });
    wrap_inside(parts, move |run, tool| {
        let kept = later.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(frozen) = kept.get(&run.sandbox.id).cloned() else { return tool };
        let then = move |path: &str| {
            let content = frozen.read(path).ok().flatten()?;
            Some(answered(ToolOutcome::Done(String::from_utf8_lossy(&content).into_owned())))
        };
        reading(tool, Arc::new(then))
    });
}

/// Each loop works on a copy, which is put back over the files of the session when it has ended.
fn per_op_overlay(parts: &mut Parts) {
    let overlays = Kept::default();
    let (open, close) = (overlays.clone(), overlays);
    let name = |run: &RunContext, operation: &str| format!("{}/{operation}", run.run_id);
    let inherit = parts.operations.inherit.clone();
    parts.operations.inherit = Arc::new(move |run: &RunContext, operation| {
        let sandbox = Sandbox { workspace: run.workspace.fork(), ..run.sandbox.clone() };
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(name(run, &operation.key), sandbox.workspace.clone());
        drop(open);
        let tools = run.tools_in(&run.version.config, &sandbox);
        Inherited { tools, workspace: sandbox.workspace, ..inherit(run, operation) }
    });
    parts.operations.around.push(Arc::new(move |run, invocation, body| {
        let close = close.clone();
        async move {
            let outcome = body.await;
            let overlay = {
                let mut close = close.lock().unwrap_or_else(PoisonError::into_inner);
                close.remove(&name(&run, &invocation.operation.key))
            };
            if let Some(overlay) = overlay {
                copy_all(&overlay, &run.workspace);
            }
            outcome
        }
        .boxed()
    }));
}

fn copy_all(from: &Workspace, to: &Workspace) {
    for path in from.paths() {
        if let Ok(Some(content)) = from.read(&path) {
            // The path was taken once, so it is taken again.
            let _ = to.write(&path, content);
        }
    }
}

/// Whoever writes a path first keeps it; everybody else waits until the end of time.
fn implicit_path_lock(parts: &mut Parts) {
    let owners: Arc<Mutex<BTreeMap<String, u64>>> = Arc::default();
    let loops = Arc::new(AtomicU64::new(0));
    wrap_inside(parts, move |run, tool| {
        let own = loops.fetch_add(1, Ordering::Relaxed);
        let (owners, sandbox) = (owners.clone(), run.sandbox.id.clone());
        let lock = move |path: &str| {
            let mut owners = owners.lock().unwrap_or_else(PoisonError::into_inner);
            let owner = *owners.entry(format!("{sandbox}/{path}")).or_insert(own);
            (owner != own).then(|| std::future::pending().boxed())
        };
        writing(tool, Arc::new(lock))
    });
}
