//! What a drive does elsewhere than at its target: it serves, runs a client, runs another check.

use spec::Spec;

use crate::{
    Budget, Check, Driver, Ended, Halt, Performed, Sampling, Visit, Visited,
    driver::Site,
    perform::perform_on,
    stand_in::{Answering, StandIn},
    target::Description,
};

/// Who is asked, and what is known of them: a place at which another check is run.
#[derive(Clone, Debug)]
pub struct Place {
    /// `host:port`.
    pub authority: String,
    /// What stands before every path.
    pub prefix: String,
    /// What is known.
    pub description: Description,
}

impl Driver<'_> {
    /// Opens a server of the suite's own that answers as `answering` says; what it is asked is recorded as
    /// `label`.
    pub async fn stand_in(&self, label: &str, answering: Answering) -> Result<StandIn<'_>, Halt> {
        StandIn::open(self, label, answering).await
    }

    /// Runs the client under test, and records what it printed as the fact `label`. Where a harness is under
    /// test the drive stops here, as `not_applicable`.
    pub async fn visit(&self, label: &str, visit: Visit) -> Result<Visited, Halt> {
        let Some(client) = &self.opened().client else {
            let reason = "a harness is under test, and no client; `proofhouse client-check` judges one";
            return Err(self.inapplicable(reason, ""));
        };
        let pick = visit.pick.clone();
        let running = client.visit(&self.opened().net, &self.opened().clock, visit);
        let late = Visited { lines: Vec::new(), ended: Ended::Late };
        // A client ends itself at its limit; one in this process has no other end than this.
        let limit = client.limit() + client.limit() / 2;
        let visited = self.clock().within(limit, running).await.unwrap_or(late);
        self.fact(label, visited.fact(pick.as_deref()));
        Ok(visited)
    }

    /// The names of the defects of the suite that a check whose subject is the suite has to put in.
    pub fn suite_defects(&self) -> &[String] {
        &self.opened().suite_defects
    }

    /// Runs another check, against `place` instead of the target, and gives what became of it.
    pub async fn perform_at(&self, check: &Check, place: &Place, cases: u64, spec: &Spec) -> Performed {
        let Place { authority, prefix, description } = place;
        let site = Site { authority, prefix, description };
        let sampling = Sampling { cases, case: None, shrinks: 0 };
        let budget = Budget::of(self.facts().lane);
        let nonce = self.fresh();
        perform_on(check, self.opened(), site, (self.seed().child(check.id), &nonce), sampling, budget, spec)
            .await
    }

    /// Where the target is, and what is known of it.
    pub fn place(&self) -> Place {
        let site = self.site();
        Place {
            authority: site.authority.to_owned(),
            prefix: site.prefix.to_owned(),
            description: site.description.clone(),
        }
    }
}
