//! The tools that a loop has by itself.

use std::sync::Arc;

use agent::{
    Tool, Workspace,
    tools::{Bash, Commands, Edit, Glob, Grep, Read, Unwatched, Write},
};

use super::{Candidate, Origin};
use crate::{environment::Row, harness::Execution};

/// File tools everywhere; a shell, answered from a table, where the loop runs on a machine.
pub fn native(row: &Row, files: &Workspace) -> Vec<Candidate> {
    let tools: [Arc<dyn Tool>; 5] = [
        Arc::new(Read(files.clone())),
        Arc::new(Write(files.clone())),
        Arc::new(Edit(files.clone())),
        Arc::new(Grep(files.clone())),
        Arc::new(Glob(files.clone())),
    ];
    let shell = (row.harness.execution == Execution::Sandbox).then(|| {
        let commands = Arc::new(Commands::default());
        let shell = Bash { commands, network: false, watch: Arc::new(Unwatched) };
        Candidate::of(Arc::new(shell), Origin::Native).called("shell")
    });
    shell.into_iter().chain(tools.map(|tool| Candidate::of(tool, Origin::Native))).collect()
}
