//! Generated agents on the rows of the catalogue (VET-53-p).
//!
//! What is expected is known by construction: a rule says from which demands of a row a case takes some,
//! and which answers that leaves.

use engine::{Case, Check, Driver, Drove, Halt, Kind, Property};
use proptest::{
    bool::ANY,
    sample::subsequence,
    strategy::{BoxedStrategy, Just, Strategy},
};
use recording::{CaseView, Judged, View};
use serde_json::{Map, Value, json};
use spec::{Contract, Spec};

use super::{
    admission::{AGENT_REFUSED, AGENT_WRITTEN, Allowed, judge_start},
    agents::{Agent, NAMED_TOOL, typed_answer},
    demands::{Demand, Means},
    environments::{Environment, is_dark, is_hosted, starts_here},
    evidence::Evidence,
    rows::{FLAGS, flag, text},
};

/// The check of this file.
pub(crate) const CHECKS: &[Check] =
    &[Check { id: "VET-53-p", contract: Contract::Vetta, kind: Kind::Property(&PROPERTY) }];

/// What the check is made of.
pub(crate) const PROPERTY: Property = Property {
    prelude: |driver| Box::pin(rows_are_listed(driver)),
    strategy,
    drive: |driver, case| Box::pin(agent_is_written_and_started(driver, case)),
    judge: both_answers_are_as_constructed,
};

/// Where the loop of a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    /// A session can run on it.
    Here,
    /// The platform operates it, and it does not run in this environment.
    Dark,
    /// On the caller's machine.
    Local,
}

/// A row, with the demands sorted by what becomes of them.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    credential: String,
    base: String,
    stands: Stands,
    means: Means,
    declared: Vec<Demand>,
    missing: Vec<Demand>,
    early: Vec<Demand>,
}

/// How many demands of a list a case takes, at least and at most.
type Take = (usize, usize);
const NONE: Take = (0, 0);
const ANY_NUMBER: Take = (0, usize::MAX);
const SOME: Take = (1, usize::MAX);
const SEVERAL: Take = (2, usize::MAX);
const ONE: Take = (1, 1);

/// A way to make a case whose answer is known.
#[derive(Debug)]
pub(crate) struct Rule {
    name: &'static str,
    stands: &'static [Stands],
    declared: Take,
    missing: Take,
    early: Take,
    /// One tool is on `ask` where the loop has no approvals, and the toolset is not.
    one_tool_asks: bool,
    /// The answers to the start; none where the write is refused.
    start: &'static [Allowed],
}

const fn rule(name: &'static str, stands: &'static [Stands], start: &'static [Allowed]) -> Rule {
    Rule { name, stands, declared: NONE, missing: NONE, early: NONE, one_tool_asks: false, start }
}

pub(crate) const RULES: &[Rule] = {
    use Allowed::{NotRunnable, Refusal, Session};
    use Stands::{Dark, Here, Local};
    &[
        rule("nothing is demanded", &[Here], &[Session]),
        Rule { declared: SOME, ..rule("all demands are declared", &[Here], &[Session]) },
        Rule { missing: ONE, ..rule("the only demand is not declared", &[Here], &[Refusal]) },
        Rule {
            missing: ONE,
            declared: SOME,
            ..rule("one demand among others is not declared", &[Here], &[Refusal])
        },
        Rule {
            missing: SEVERAL,
            declared: ANY_NUMBER,
            ..rule("several demands are not declared", &[Here], &[Refusal])
        },
        // Refused, or started without the tool (open point U14).
        Rule {
            declared: ANY_NUMBER,
            one_tool_asks: true,
            ..rule("one tool is on ask without approvals", &[Here], &[Session, Refusal])
        },
        Rule { declared: ANY_NUMBER, ..rule("the loop is not runnable", &[Dark], &[NotRunnable]) },
        Rule {
            missing: SOME,
            declared: ANY_NUMBER,
            ..rule("the loop is not runnable and a demand is not declared", &[Dark], &[Refusal, NotRunnable])
        },
        Rule {
            missing: ANY_NUMBER,
            declared: ANY_NUMBER,
            ..rule("the loop is local", &[Local], &[Refusal, NotRunnable])
        },
        Rule {
            early: SOME,
            missing: ANY_NUMBER,
            declared: ANY_NUMBER,
            ..rule("a team or servers without injected tools", &[Here, Dark], &[])
        },
    ]
};

impl Rule {
    /// Where the loops stand that it is about.
    pub(crate) fn stands(&self) -> &'static [Stands] {
        self.stands
    }

    /// Whether cases can be made on `row`.
    pub(crate) fn fits(&self, row: &Row) -> bool {
        self.stands.contains(&row.stands)
            && row.declared.len() >= self.declared.0
            && row.missing.len() >= self.missing.0
            && row.early.len() >= self.early.0
            && (!self.one_tool_asks || row.missing.contains(&Demand::Ask))
    }
}

/// The rows of all environments, a base that several of them have only once, each with an agent that can
/// be a member of a team there.
async fn rows_are_listed(driver: &Driver<'_>) -> Result<Value, Halt> {
    let mut rows: Vec<Value> = Vec::new();
    for environment in Environment::all(driver).await? {
        let host = environment.preferring(is_hosted);
        let member = environment.need_agent("member", &Agent::on(&environment, text(&host, "base"))).await?;
        for row in environment.rows().iter().filter(|row| stands(row).is_some() && has_flags(row)) {
            if rows.iter().all(|known| known["row"]["base"] != row["base"]) {
                rows.push(json!({"credential": environment.credential(), "member": member, "row": row}));
            }
        }
    }
    if rows.is_empty() {
        return Err(driver.inapplicable("no row says where its loop stands and what it declares", "rows"));
    }
    Ok(json!({"rows": rows, "connection": driver.facts().text("connection")}))
}

pub(crate) fn stands(row: &Value) -> Option<Stands> {
    match row {
        row if text(row, "location") == "local" => Some(Stands::Local),
        row if starts_here(row) => Some(Stands::Here),
        row if is_dark(row) => Some(Stands::Dark),
        _ => None,
    }
}

fn has_flags(row: &Value) -> bool {
    FLAGS.iter().all(|name| flag(row, name).is_some())
}

fn rows_in(known: &Value) -> Vec<Row> {
    let connection = known["connection"].as_str().map(str::to_owned);
    let listed = known["rows"].as_array().into_iter().flatten();
    let means =
        |entry: &Value| Means { member: text(entry, "member").to_owned(), connection: connection.clone() };
    let read = |entry: &Value| Row::of(&entry["row"], text(entry, "credential"), means(entry));
    listed.filter_map(read).collect()
}

impl Row {
    /// What is known of the loop of `row`; `None` where the row does not say where it stands.
    pub(crate) fn of(row: &Value, credential: &str, means: Means) -> Option<Self> {
        let has_connection = means.connection.is_some();
        let demands = || Demand::possible(has_connection);
        let declares = |demand: &Demand| flag(row, demand.flag()) == Some(true);
        Some(Self {
            credential: credential.to_owned(),
            base: text(row, "base").to_owned(),
            stands: stands(row)?,
            means,
            declared: demands().filter(declares).collect(),
            missing: demands().filter(|demand| !declares(demand) && !demand.is_early()).collect(),
            early: demands().filter(|demand| !declares(demand) && demand.is_early()).collect(),
        })
    }
}

/// Goes round the rules by the number of the case, and round the rows of each rule.
fn strategy(known: &Value, number: u64) -> BoxedStrategy<Case> {
    let rows = rows_in(known);
    let fitting = |rule: &'static Rule| {
        let rows: Vec<Row> = rows.iter().filter(|row| rule.fits(row)).cloned().collect();
        (!rows.is_empty()).then_some((rule, rows))
    };
    let rules: Vec<(&'static Rule, Vec<Row>)> = RULES.iter().filter_map(fitting).collect();
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let Some((rule, rows)) = rules.get(number % rules.len().max(1)) else {
        // Every row fits a rule, so this is a catalogue without rows, and the prelude has ended there.
        return Just(Case { rule: "no row".to_owned(), input: json!({}), expected: json!({}) }).boxed();
    };
    case_of(rule, rows[(number / rules.len()) % rows.len()].clone())
}

/// A case of `rule` on `row`, which fits it.
pub(crate) fn case_of(rule: &'static Rule, row: Row) -> BoxedStrategy<Case> {
    let taken =
        (take(&row.declared, rule.declared), take(&row.missing, rule.missing), take(&row.early, rule.early));
    let trimmings = (ANY, ANY, ANY, ANY);
    (taken, trimmings)
        .prop_map(move |((declared, missing, early), trimmings)| {
            construct(&row, rule, &[declared, missing, early].concat(), trimmings)
        })
        .boxed()
}

fn take(demands: &[Demand], (least, most): Take) -> impl Strategy<Value = Vec<Demand>> + use<> {
    subsequence(demands.to_vec(), least..=most.min(demands.len()))
}

/// The case: an agent and a start that make exactly these demands. The trimmings demand nothing.
fn construct(
    row: &Row,
    rule: &Rule,
    demands: &[Demand],
    (offers, empty_list, no_team, denies): (bool, bool, bool, bool),
) -> Case {
    let lacks = |demand: Demand| !demands.contains(&demand);
    let mut agent = Map::new();
    let mut start = if offers { typed_answer() } else { json!({}) };
    if empty_list && lacks(Demand::Servers) {
        agent.insert("mcp_servers".to_owned(), json!([]));
    }
    if no_team && lacks(Demand::Team) {
        agent.insert("multiagent".to_owned(), Value::Null);
    }
    if denies && lacks(Demand::Ask) {
        agent.insert("tools".to_owned(), json!({"permission": "allow", "overrides": {NAMED_TOOL: "deny"}}));
    }
    if rule.one_tool_asks {
        agent.insert("tools".to_owned(), json!({"permission": "allow", "overrides": {NAMED_TOOL: "ask"}}));
    }
    for demand in demands {
        agent.extend(demand.on_agent(&row.means));
        if let Value::Object(members) = demand.on_start() {
            members.into_iter().for_each(|(name, value)| start[name] = value);
        }
    }
    let allowed: Vec<&str> = rule.start.iter().map(|allowed| allowed.name()).collect();
    let write = if allowed.is_empty() { "refused" } else { "accepted" };
    Case {
        rule: format!("{} on {}", rule.name, row.base),
        input: json!({"credential": row.credential, "base": row.base, "agent": agent, "start": start}),
        expected: json!({"write": write, "start": allowed}),
    }
}

async fn agent_is_written_and_started(driver: &Driver<'_>, case: &Case) -> Drove {
    let environment = Environment::unlisted(driver, text(&case.input, "credential"))?;
    written_and_started(&environment, case).await
}

/// Writes the agent of the case, recorded as `write`, and starts it, recorded as `start`.
pub(crate) async fn written_and_started(environment: &Environment<'_>, case: &Case) -> Drove {
    let driver = environment.driver();
    let mut agent = Agent::on(environment, text(&case.input, "base")).with("name", json!(driver.fresh()));
    if let Some(members) = case.input["agent"].as_object() {
        agent = agent.with_all(members);
    }
    let written = environment.create("write", &agent).await;
    if let Some(id) = written.text("/id").filter(|_| written.is_success()) {
        environment.start("start", id, &case.input["start"]).await;
    }
    Ok(())
}

pub(crate) fn both_answers_are_as_constructed(case: &CaseView<'_>, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let expected = &case.label().expected;
    let write = case.one("write")?;
    if text(expected, "write") == "refused" {
        evidence.answered(&write, AGENT_WRITTEN, &[400])?;
        return evidence.judged();
    }
    evidence.accepted(&write, AGENT_REFUSED)?;
    let words = expected["start"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let allowed: Vec<Allowed> = words.filter_map(Allowed::parse).collect();
    judge_start(&mut evidence, &case.one("start")?, &allowed)?;
    evidence.judged()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    use super::*;

    fn known() -> Value {
        let row = |base: &str, location: &str, runnable: bool, flags: [bool; 4]| {
            let capabilities: Map<String, Value> =
                FLAGS.into_iter().zip(flags).map(|(name, on)| (name.to_owned(), json!(on))).collect();
            let row = json!({"base": base, "location": location, "runnable": runnable, "capabilities": capabilities});
            json!({"credential": "primary", "member": "agent_1", "row": row})
        };
        json!({"connection": "conn_1", "rows": [
            row("able", "hosted", true, [true, true, true, true]),
            row("poor", "hosted", true, [false, false, false, true]),
            row("mute", "hosted", true, [true, true, true, false]),
            row("dark", "hosted", false, [false, true, true, true]),
            row("local", "local", false, [false, false, true, true]),
        ]})
    }

    /// The demands that a case makes, read from its input as a server would.
    fn demanded(input: &Value) -> BTreeSet<Demand> {
        let mut demands = BTreeSet::new();
        let mut add = |demand, is_made: bool| is_made.then(|| demands.insert(demand));
        add(Demand::Ask, input["agent"]["tools"]["permission"] == "ask");
        add(Demand::TypedAnswer, input["start"]["structured_output_required"] == true);
        add(Demand::Team, input["agent"]["multiagent"].is_object());
        add(Demand::Servers, input["agent"]["mcp_servers"].as_array().is_some_and(|list| !list.is_empty()));
        add(Demand::Connection, input["agent"]["connections"].is_array());
        demands
    }

    #[test]
    fn expectations_agree_with_the_flags_of_the_row() {
        let (known, mut rules) = (known(), BTreeSet::new());
        for number in 0..400 {
            let tree = strategy(&known, number).new_tree(&mut TestRunner::deterministic()).unwrap();
            let case = tree.current();
            let entry = known["rows"]
                .as_array()
                .unwrap()
                .iter()
                .find(|entry| entry["row"]["base"] == case.input["base"]);
            let row = &entry.unwrap()["row"];
            let missing: Vec<Demand> = demanded(&case.input)
                .into_iter()
                .filter(|demand| flag(row, demand.flag()) != Some(true))
                .collect();
            let one_tool_asks = case.input["agent"]["tools"]["overrides"][NAMED_TOOL] == "ask";
            let expected = match (stands(row).unwrap(), missing.is_empty()) {
                _ if missing.iter().any(|demand| demand.is_early()) => {
                    json!({"write": "refused", "start": []})
                }
                (Stands::Local, _) | (Stands::Dark, false) => {
                    json!({"write": "accepted", "start": ["refused", "not runnable"]})
                }
                (Stands::Dark, true) => json!({"write": "accepted", "start": ["not runnable"]}),
                (Stands::Here, false) => json!({"write": "accepted", "start": ["refused"]}),
                (Stands::Here, true) if one_tool_asks => {
                    json!({"write": "accepted", "start": ["started", "refused"]})
                }
                (Stands::Here, true) => json!({"write": "accepted", "start": ["started"]}),
            };
            assert_eq!(case.expected, expected, "{case:?}");
            rules.insert(case.rule.split(" on ").next().unwrap().to_owned());
        }
        assert_eq!(rules.len(), RULES.len(), "{rules:?}");
    }
}
