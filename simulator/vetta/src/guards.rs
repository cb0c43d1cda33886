//! The two early guards: what an agent's own configuration settles is refused when the agent is written.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    Fault, Refusal,
    agents::{AgentConfig, Verb},
    environment::Row,
    rules::Rules,
};

/// A write of an agent, as a guard sees it.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// Created or changed.
    pub verb: Verb,
    /// The members of the request body.
    pub body: &'a Map<String, Value>,
    /// What would be stored.
    pub merged: &'a AgentConfig,
    /// The loop that it selects.
    pub row: &'a Row,
}

/// Finds a fault, or none.
pub type Guard = Arc<dyn Fn(&Write<'_>) -> Option<Fault> + Send + Sync>;

/// The policy of early refusals.
#[derive(Clone)]
pub struct Guards {
    /// The guards, `multiagent` (R1) and `mcp_servers` (R2). All of them are asked.
    pub table: Rules<Guard>,
    /// The refusal for the faults that were found, one at least.
    pub refuse: Arc<dyn Fn(&[Fault]) -> Refusal + Send + Sync>,
}

impl Default for Guards {
    fn default() -> Self {
        let multiagent: Guard = Arc::new(multiagent);
        let mcp_servers: Guard = Arc::new(mcp_servers);
        Self {
            table: Rules::new([("multiagent", multiagent), ("mcp_servers", mcp_servers)]),
            refuse: Arc::new(Refusal::faults),
        }
    }
}

/// R1: a coordinator on a loop without injected tools could not send anything to its team.
pub fn multiagent(write: &Write<'_>) -> Option<Fault> {
    let mute = !write.row.harness.capabilities.injected_tools;
    (mute && write.merged.multiagent.is_some()).then(|| {
        let base = &write.row.harness.base;
        Fault::at(
            "multiagent",
            format!("needs a harness with `injected_tools`, which `{base}` does not declare"),
        )
    })
}

/// R2: nothing would surface the tools of the servers. An empty list asks for nothing.
pub fn mcp_servers(write: &Write<'_>) -> Option<Fault> {
    let mute = !write.row.harness.capabilities.injected_tools;
    (mute && !write.merged.mcp_servers.is_empty()).then(|| {
        let base = &write.row.harness.base;
        Fault::at(
            "mcp_servers",
            format!("needs a harness with `injected_tools`, which `{base}` does not declare"),
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Environment, Parts, agents};

    fn judged(verb: Verb, base: &str, extra: &Value) -> Result<(), (u16, &'static str, Vec<String>)> {
        let (parts, future) = (Parts::default(), Environment::shipped().unwrap().remove(1));
        let mut body = json!({"name": "a", "model": "m", "harness": base});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let body = body.as_object().unwrap();
        let writing = agents::Writing { parts: &parts, environment: &future, verb, body, now: "now" };
        agents::judge(&writing, body).map(|_| ()).map_err(|refusal| {
            let faults = refusal.details["faults"].as_array().into_iter().flatten();
            let named = faults.map(|fault| fault["param"].as_str().unwrap().to_owned());
            (refusal.status, refusal.code, refusal.param.into_iter().chain(named).collect())
        })
    }

    #[test]
    fn the_guards_fire_on_mute_loops_only_and_name_the_field() {
        let team = json!({"multiagent": {"type": "coordinator", "agents": ["agent_2"]}});
        let servers = json!({"mcp_servers": [{"name": "t", "url": "http://127.0.0.1:9/mcp"}]});
        let refused = |param: &str| Err((400, "validation_failed", vec![param.to_owned()]));
        for verb in [Verb::Post, Verb::Patch] {
            assert_eq!(judged(verb, "sim-mute", &team), refused("multiagent"));
            assert_eq!(judged(verb, "sim-mute", &servers), refused("mcp_servers"));
            let nothing = json!({"mcp_servers": [], "multiagent": null, "connections": ["conn_1"]});
            assert_eq!(judged(verb, "sim-mute", &nothing), Ok(()));
            for base in [
                "pi",
                "vetta",
                "sim-cli",
                "sim-iso-noask",
                "sim-dark",
                "sim-dark-cli",
                "sim-local",
                "sim-byo",
            ] {
                assert_eq!(judged(verb, base, &team), Ok(()), "{base}");
                assert_eq!(judged(verb, base, &servers), Ok(()), "{base}");
            }
        }
    }

    #[test]
    fn two_faults_make_one_refusal_that_names_both() {
        let both = json!({
            "multiagent": {"type": "coordinator", "agents": ["agent_2"]},
            "mcp_servers": [{"name": "t", "url": "http://127.0.0.1:9/mcp"}],
        });
        let (status, code, params) = judged(Verb::Post, "sim-mute", &both).unwrap_err();
        assert_eq!((status, code), (400, "validation_failed"));
        assert_eq!(params, ["multiagent", "multiagent", "mcp_servers"]);
    }

    #[test]
    fn what_only_a_start_refuses_is_accepted_here() {
        let ask = json!({"tools": {"permission": "ask"}});
        for base in ["sim-cli", "sim-iso-noask", "sim-dark", "sim-local"] {
            assert_eq!(judged(Verb::Post, base, &ask), Ok(()), "{base}");
        }
    }
}
