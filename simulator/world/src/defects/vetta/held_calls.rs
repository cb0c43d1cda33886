//! Defects of calls that are held for a decision.

use std::{sync::Arc, time::Duration};

use ::vetta::{
    Parts,
    agents::Permission,
    approvals::{Answered, Decision, Held, hold},
    harness::Execution,
    tools::Origin,
};

use agent::ToolOutcome;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "runs-before-decision",
        edit: |parts| {
            holding(parts, |mut held| async move {
                let outcome = held.run().await;
                held.decision().await;
                outcome
            });
        },
    },
    Edit {
        id: "approve-runs-twice",
        edit: |parts| {
            holding(parts, |mut held| async move {
                let twice = held.decision().await.decision == Decision::Allow;
                if twice {
                    held.run().await;
                }
                // The turn is played again, with the decision that stands.
                held.replay();
                hold(held).await
            });
        },
    },
    Edit {
        id: "deny-still-executes",
        edit: |parts| {
            holding(parts, |mut held| async move {
                held.decision().await;
                held.run().await
            });
        },
    },
    Edit {
        id: "ask-executes-unattended",
        edit: |parts| {
            holding(parts, |held| async move {
                if held.row.harness.execution != Execution::Isolate {
                    return hold(held).await;
                }
                let patience = held.clock.pause(Duration::from_secs(1));
                let waiting = hold(held.clone());
                tokio::select! {
                    biased;
                    outcome = waiting => outcome,
                    () = patience => held.run().await,
                }
            });
        },
    },
    Edit { id: "late-yes-revives-call", edit: revive },
    Edit {
        id: "gate-lost-on-harness-switch",
        edit: |parts| {
            let goes_by = parts.turns.goes_by.clone();
            parts.turns.goes_by = Arc::new(move |going| {
                let (config, row) = goes_by(going);
                let harness = going.stored.map_or(config.harness.as_str(), |agent| &agent.config.harness);
                let live = going.environment.row(harness).cloned().unwrap_or(row);
                (config, live)
            });
            // What the loop that it finds there cannot hold runs.
            let standing = parts.tools.standing.clone();
            parts.tools.standing = Arc::new(move |asked| {
                let asks = asked.config.tools.permission_of(&asked.candidate.name) == Permission::Ask;
                let unable = !asked.row.harness.capabilities.approvals;
                if asks && unable && asked.candidate.origin == Origin::Native {
                    return Some(Permission::Allow);
                }
                standing(asked)
            });
        },
    },
];

/// Puts another way of holding a call in the place of the one that is there.
fn holding<Outcome>(parts: &mut Parts, way: fn(Held) -> Outcome)
where
    Outcome: Future<Output = ToolOutcome> + Send + 'static,
{
    parts.approvals.hold = Arc::new(move |held| Box::pin(way(held)));
}

/// A yes that comes after a no is taken, and the call runs after all.
fn revive(parts: &mut Parts) {
    let answer = parts.approvals.answer.clone();
    parts.approvals.answer = Arc::new(move |standing, decision| match (standing, decision) {
        (Some(Some(Decision::Deny)), Decision::Allow) => Ok(Answered::Applied),
        _ => answer(standing, decision),
    });
    holding(parts, |held| async move {
        let mut later = held.clone();
        tokio::spawn(async move {
            if later.decision().await.decision == Decision::Deny {
                later.news().await;
                if later.decision().await.decision == Decision::Allow {
                    later.run().await;
                }
            }
        });
        hold(held).await
    });
}
