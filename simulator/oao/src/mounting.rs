//! Mounting: what a version offers to the model of a run.

mod rendering;

use std::{fmt, sync::Arc};

use agent::{Tool, tools::Commands};
pub use rendering::Rendering;
use rendering::render;
use serde_json::{Map, Value};

use crate::{
    agents::Version,
    operations::{Operation, OperationTool},
    runs::RunContext,
    sandbox::{Grant, by_capability},
    tool_calls::ToolDesk,
};

/// The version that a run uses, from the one its session is pinned to and all versions of the agent, oldest first.
pub type Pin = Arc<dyn Fn(&Version, &[Version]) -> Version + Send + Sync>;
/// The operations of a run, from its version and all versions of the agent, oldest first.
pub type OperationsOf = Arc<dyn Fn(&Version, &[Version]) -> Vec<Operation> + Send + Sync>;
/// The tools of a run, operations aside.
pub type ToolsOf = Arc<dyn Fn(&Grant<'_>) -> Vec<Arc<dyn Tool>> + Send + Sync>;
/// The tools that a configuration lists, as tools of one run.
pub type AuthoredOf = Arc<dyn Fn(&ToolDesk, &Map<String, Value>) -> Vec<Arc<dyn Tool>> + Send + Sync>;
/// The system instructions as the model gets them.
pub type Render = Arc<dyn Fn(&Rendering<'_>) -> String + Send + Sync>;
/// Makes tools of operations.
pub type OperationTools = Arc<dyn Fn(&Arc<RunContext>, &[Operation]) -> Vec<Arc<dyn Tool>> + Send + Sync>;

/// How a version is mounted. The default is the contract's.
#[derive(Clone)]
pub struct Mounting {
    /// A session keeps the version that it started with.
    pub pin: Pin,
    /// The operations of that version, sorted by key.
    pub operations: OperationsOf,
    /// What the sandbox offers, by capability.
    pub tools: ToolsOf,
    /// The tools that the version was published with.
    pub authored: AuthoredOf,
    /// What commands of the sandbox come to.
    pub commands: Arc<Commands>,
    /// The published instructions with their placeholders filled, and paragraphs on what is mounted.
    pub render: Render,
    /// One tool per operation, named by its key.
    pub operation_tools: OperationTools,
}

impl Default for Mounting {
    fn default() -> Self {
        Self {
            pin: Arc::new(|pinned, _| pinned.clone()),
            operations: Arc::new(|version, _| sorted(version)),
            tools: Arc::new(by_capability),
            authored: Arc::new(crate::tool_calls::authored),
            commands: Arc::default(),
            render: Arc::new(render),
            operation_tools: Arc::new(one_per_operation),
        }
    }
}

impl fmt::Debug for Mounting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mounting").finish_non_exhaustive()
    }
}

fn sorted(version: &Version) -> Vec<Operation> {
    let mut operations: Vec<Operation> = version.operations().iter().map(Operation::read).collect();
    operations.sort_by(|one, other| one.key.cmp(&other.key));
    operations
}

fn one_per_operation(run: &Arc<RunContext>, operations: &[Operation]) -> Vec<Arc<dyn Tool>> {
    let tool = |operation: &Operation| {
        Arc::new(OperationTool { run: run.clone(), operation: operation.clone() }) as Arc<dyn Tool>
    };
    operations.iter().map(tool).collect()
}
