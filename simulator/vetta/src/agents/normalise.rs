//! From the members of a body to a configuration.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{AgentConfig, Fields, McpServer, Member, Multiagent, Permission, Tools, fields::visible};
use crate::Fault;

/// The limits and defaults of an agent's configuration.
#[derive(Clone, Debug)]
pub struct AgentRules {
    /// The loop of an agent that names none (open point U29).
    pub default_harness: String,
    /// Longest name, in characters.
    pub name_chars_max: usize,
    /// Longest system text, in characters.
    pub system_chars_max: usize,
    /// Most MCP servers.
    pub mcp_servers_max: usize,
    /// Most connected accounts.
    pub connections_max: usize,
    /// Longest roster of a team.
    pub roster_max: usize,
}

impl Default for AgentRules {
    fn default() -> Self {
        Self {
            default_harness: "pi".to_owned(),
            name_chars_max: 256,
            system_chars_max: 100_000,
            mcp_servers_max: 20,
            connections_max: 20,
            roster_max: 20,
        }
    }
}

/// Reads a whole configuration. Present members are kept as they are written; absent ones and those that
/// are `null` take their default.
pub fn normalise(rules: &AgentRules, members: &Map<String, Value>) -> Result<AgentConfig, Vec<Fault>> {
    let mut fields = Fields::new(members, "");
    let config = AgentConfig {
        name: fields.required_text("name", 1..=rules.name_chars_max),
        model: fields.required_text("model", 1..=rules.name_chars_max),
        harness: fields
            .text("harness", 1..=rules.name_chars_max)
            .unwrap_or_else(|| rules.default_harness.clone()),
        system: fields.text("system", 0..=rules.system_chars_max),
        tools: tools(&mut fields),
        mcp_servers: mcp_servers(&mut fields, rules.mcp_servers_max),
        connections: connections(&mut fields, rules.connections_max),
        multiagent: multiagent(&mut fields, rules.roster_max),
        metadata: fields.object("metadata").cloned().unwrap_or_default(),
    };
    let faults = fields.finish();
    if faults.is_empty() { Ok(config) } else { Err(faults) }
}

const WORDS: &str = "is none of allow, ask, deny";

fn tools(body: &mut Fields<'_>) -> Tools {
    let Some(members) = body.object("tools") else { return Tools::default() };
    let mut fields = Fields::new(members, "tools.");
    let permission = fields.value("permission").map(|word| word.as_str().and_then(Permission::parse));
    if permission == Some(None) {
        fields.fault("permission", WORDS);
    }
    let overrides = fields.object("overrides").map(|overrides| {
        let mut read = BTreeMap::new();
        for (tool, word) in overrides {
            match word.as_str().and_then(Permission::parse) {
                Some(permission) => {
                    read.insert(tool.clone(), permission);
                }
                None => fields.fault(&format!("overrides.{}", visible(tool)), WORDS),
            }
        }
        read
    });
    body.adopt(fields.finish());
    Tools { permission: permission.flatten().unwrap_or(Permission::Allow), overrides }
}

fn mcp_servers(body: &mut Fields<'_>, servers_max: usize) -> Vec<McpServer> {
    let mut names = BTreeSet::new();
    let mut servers = Vec::new();
    for (at, entry) in body.list("mcp_servers", 0..=servers_max).unwrap_or_default().iter().enumerate() {
        let place = format!("mcp_servers[{at}]");
        let Some(members) = entry.as_object() else {
            body.adopt(vec![Fault::at(place, "is not an object")]);
            continue;
        };
        let mut fields = Fields::new(members, format!("{place}."));
        let kind = fields.text("type", 1..=64);
        if kind.as_ref().is_some_and(|kind| kind != "url") {
            fields.fault("type", "is not `url`");
        }
        let name = fields.required_text("name", 1..=64);
        if !name.is_empty() && !names.insert(name.clone()) {
            fields.fault("name", "is taken by another server");
        }
        let url = fields.required_text("url", 1..=2048);
        if !url.is_empty() && !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
            fields.fault("url", "is not an address over HTTP or HTTPS");
        }
        body.adopt(fields.finish());
        servers.push(McpServer { kind, name, url });
    }
    servers
}

fn connections(body: &mut Fields<'_>, connections_max: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for (at, entry) in body.list("connections", 0..=connections_max).unwrap_or_default().iter().enumerate() {
        match entry.as_str() {
            Some(id) if !id.is_empty() => ids.push(id.to_owned()),
            _ => body.adopt(vec![Fault::at(format!("connections[{at}]"), "is not the id of a connection")]),
        }
    }
    ids
}

fn multiagent(body: &mut Fields<'_>, roster_max: usize) -> Option<Multiagent> {
    let members = body.object("multiagent")?;
    let mut fields = Fields::new(members, "multiagent.");
    if fields.required_text("type", 0..=64) != "coordinator" && members.contains_key("type") {
        fields.fault("type", "is not `coordinator`");
    }
    if fields.value("agents").is_none() {
        fields.fault("agents", "is missing");
    }
    let mut agents = Vec::new();
    for (at, entry) in fields.list("agents", 1..=roster_max).unwrap_or_default().iter().enumerate() {
        match member(entry) {
            Some(member) => agents.push(member),
            None => {
                fields.fault(&format!("agents[{at}]"), "is neither an agent's id, nor an agent, nor `self`")
            }
        }
    }
    body.adopt(fields.finish());
    Some(Multiagent { agents })
}

fn member(entry: &Value) -> Option<Member> {
    let members = match entry {
        Value::String(id) if !id.is_empty() => return Some(Member::Id(id.clone())),
        Value::Object(members) => members,
        _ => return None,
    };
    let known = |names: &[&str]| members.keys().all(|name| names.contains(&name.as_str()));
    match members.get("type")?.as_str()? {
        "self" if known(&["type"]) => Some(Member::Oneself),
        "agent" if known(&["type", "id", "version"]) => {
            let id = members.get("id")?.as_str().filter(|id| !id.is_empty())?.to_owned();
            let version = match members.get("version") {
                None => None,
                Some(version) => Some(version.as_u64().filter(|version| *version > 0)?),
            };
            Some(Member::Agent { id, version })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> Result<AgentConfig, Vec<Fault>> {
        normalise(&AgentRules::default(), body.as_object().unwrap())
    }

    #[test]
    fn what_is_written_is_what_is_shown() {
        let body = json!({
            "name": "desk", "model": "sim-1", "harness": "pi", "system": "Be brief.",
            "tools": {"permission": "allow", "overrides": {"shell": "ask", "publish_file": "deny"}},
            "mcp_servers": [{"name": "tickets", "url": "http://127.0.0.1:9/mcp"},
                {"type": "url", "name": "b", "url": "https://example.org"}],
            "connections": ["conn_1"],
            "multiagent": {"type": "coordinator", "agents": ["agent_2", {"type": "agent", "id": "agent_3"},
                {"type": "agent", "id": "agent_3", "version": 2}, {"type": "self"}]},
            "metadata": {"team": "support"},
        });
        assert_eq!(Value::Object(read(&body).unwrap().members()), body);
        let ask = json!({"name": "desk", "model": "m", "tools": {"permission": "ask"}});
        assert_eq!(read(&ask).unwrap().members()["tools"], json!({"permission": "ask"}));
    }

    #[test]
    fn absent_and_null_members_take_their_default() {
        let bare = read(&json!({"name": "desk", "model": "m"})).unwrap();
        let nulls = json!({"name": "desk", "model": "m", "harness": null, "system": null, "tools": null,
            "mcp_servers": null, "connections": null, "multiagent": null, "metadata": null});
        assert_eq!(read(&nulls).unwrap(), bare);
        assert_eq!((bare.harness.as_str(), bare.tools.permission), ("pi", Permission::Allow));
    }

    #[test]
    fn each_fault_names_its_member() {
        let cases = [
            (json!({"name": 1}), "name"),
            (json!({"name": ""}), "name"),
            (json!({"name": null}), "name"),
            (json!({"name": "x".repeat(257)}), "name"),
            (json!({"model": []}), "model"),
            (json!({"harness": ""}), "harness"),
            (json!({"system": {}}), "system"),
            (json!({"tools": "ask"}), "tools"),
            (json!({"tools": {"permission": "maybe"}}), "tools.permission"),
            (json!({"tools": {"permission": "Ask"}}), "tools.permission"),
            (json!({"tools": {"overrides": {"shell": "yes"}}}), "tools.overrides.shell"),
            (json!({"tools": {"policy": "ask"}}), "tools.policy"),
            (json!({"mcp_servers": {}}), "mcp_servers"),
            (json!({"mcp_servers": ["x"]}), "mcp_servers[0]"),
            (json!({"mcp_servers": [{"name": "a"}]}), "mcp_servers[0].url"),
            (json!({"mcp_servers": [{"name": "a", "url": "file:///x"}]}), "mcp_servers[0].url"),
            (
                json!({"mcp_servers": [{"name": "a", "url": "http://x"}, {"name": "a", "url": "http://x"}]}),
                "mcp_servers[1].name",
            ),
            (json!({"connections": [1]}), "connections[0]"),
            (json!({"multiagent": true}), "multiagent"),
            (json!({"multiagent": {"type": "swarm", "agents": ["a"]}}), "multiagent.type"),
            (json!({"multiagent": {"type": "coordinator"}}), "multiagent.agents"),
            (json!({"multiagent": {"type": "coordinator", "agents": []}}), "multiagent.agents"),
            (
                json!({"multiagent": {"type": "coordinator", "agents": [{"type": "agent"}]}}),
                "multiagent.agents[0]",
            ),
            (json!({"metadata": []}), "metadata"),
            // An empty name is named as well.
            (json!({"": 1}), "\"\""),
            (json!({"tools": {"": 1}}), "tools.\"\""),
            (json!({"tools": {"overrides": {"": 1}}}), "tools.overrides.\"\""),
            (json!({"mcp_servers": [{"name": "a", "url": "http://x", "": 1}]}), "mcp_servers[0].\"\""),
            (json!({"multiagent": {"type": "coordinator", "agents": ["a"], "": 1}}), "multiagent.\"\""),
            (json!({"structured_output_required": true}), "structured_output_required"),
        ];
        for (change, param) in cases {
            let mut body = json!({"name": "desk", "model": "m"});
            body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let faults = read(&body).unwrap_err();
            assert_eq!(
                faults.iter().map(|fault| fault.param.as_str()).collect::<Vec<_>>(),
                [param],
                "{body}"
            );
        }
    }
}
