//! Putting the tools of a turn together.

use std::{collections::BTreeSet, sync::Arc};

use agent::Tool;

use super::{Candidate, Contributing, Desk, Gate, Standing, second_road};
use crate::{
    agents::AgentConfig,
    environment::{Road, Row},
    turns::TurnError,
};

/// The tools of a turn, in order: the loop's own, the platform's, the contributed ones. Of two with one name
/// the first counts. A loop on the second road is handed none: it finds at the endpoint of its session what
/// is contributed.
pub(crate) async fn mount(desk: &Desk, contributing: Contributing) -> Result<Vec<Arc<dyn Tool>>, TurnError> {
    let rules = &desk.core.parts.tools;
    let (config, row) = (contributing.session.agent.config.clone(), contributing.session.row.clone());
    let mut candidates = (rules.native)(&row, &desk.files);
    if row.facts.road == Some(Road::Second) {
        let mut tools = gated(desk, candidates, &config, &row);
        tools.extend(second_road::at_endpoint(&desk.core, &desk.session_id).await?);
        return Ok(tools);
    }
    candidates.extend((rules.built_ins)(&row, &desk.files));
    for contributor in &rules.contributors {
        candidates.extend(contributor.candidates(contributing.clone()).await?);
    }
    Ok(gated(desk, candidates, &config, &row))
}

/// `candidates` behind the policy of `config` on the loop `row`.
fn gated(desk: &Desk, candidates: Vec<Candidate>, config: &AgentConfig, row: &Row) -> Vec<Arc<dyn Tool>> {
    let mut names = BTreeSet::new();
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    for candidate in candidates {
        let asked = Standing { config, row, candidate: &candidate };
        let permission = (desk.core.parts.tools.standing)(&asked);
        if let Some(permission) = permission
            && names.insert(candidate.name.clone())
        {
            tools.push(Arc::new(Gate { desk: desk.clone(), candidate, permission, row: row.clone() }));
        }
    }
    tools
}
