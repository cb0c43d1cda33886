//! Random sequences of changes and starts, against a model (VET-231-p).
//!
//! The model is a merge by top-level member. What a write or a start is answered follows from it, from the flags of
//! the row that it selects, and from the table of demands.

use engine::{Case, Check, Driver, Drove, Halt, Kind, Property};
use proptest::{
    bool::ANY,
    collection::vec,
    option,
    sample::select,
    strategy::{BoxedStrategy, Just, Strategy},
};
use recording::{CaseView, Finding, Judged, Seen, Verdict, View};
use serde_json::{Map, Value, json};
use spec::{
    Contract, Spec,
    demands::{Demands, RefusedAt},
};

use super::{
    admission::{Allowed, judge_start},
    agents::{Agent, asking, required_answer, servers, team_of},
    agents_times_rows::{Stands, stands},
    environments::{Environment, is_hosted},
    evidence::Evidence,
    rows::{FLAGS, flag, text},
};

/// The check of this file.
pub(crate) const CHECKS: &[Check] = &[Check {
    id: "VET-231-p",
    contract: Contract::Vetta,
    kind: Kind::Property(&Property {
        prelude: |driver| Box::pin(rows_are_listed(driver)),
        strategy,
        drive: |driver, case| Box::pin(steps_are_taken(driver, case)),
        judge: each_step_follows_the_model,
    }),
}];

const PATCH_REFUSED: &str = "a change was refused although no early guard is concerned by what it leads to";
const PATCH_ACCEPTED: &str = "a change that leads to what an early guard refuses was accepted";
const OTHER_AGENT: &str = "an agent is not what the changes of it add up to";

/// The most steps of a case.
const STEPS_MAX: usize = 10;

/// The rows of the environment that has most kinds of them: one with a loop without injected tools, where there is
/// any.
async fn rows_are_listed(driver: &Driver<'_>) -> Result<Value, Halt> {
    let environments = Environment::all(driver).await?;
    let is_mute = |row: &Value| flag(row, "injected_tools") == Some(false);
    let chosen = environments.iter().find(|each| each.rows().iter().any(is_mute)).or(environments.first());
    let Some(environment) = chosen else {
        return Err(driver.inapplicable("there is no environment", "rows"));
    };
    let says_enough =
        |row: &&Value| stands(row).is_some() && FLAGS.iter().all(|name| flag(row, name).is_some());
    let rows: Vec<Value> = environment.rows().iter().filter(says_enough).cloned().collect();
    if rows.is_empty() {
        return Err(driver.inapplicable("no row says where its loop stands and what it declares", "rows"));
    }
    let host = environment.preferring(is_hosted);
    let member = environment.need_agent("member", &Agent::on(environment, text(&host, "base"))).await?;
    Ok(json!({
        "rows": rows,
        "credential": environment.credential(),
        "member": member,
        "connection": driver.facts().text("connection"),
    }))
}

/// One step: the members that are changed, or a start that requires a typed answer or does not.
#[derive(Clone, Debug)]
enum Step {
    Change(Map<String, Value>),
    Start { required: bool },
}

fn step(known: &Value) -> BoxedStrategy<Step> {
    // The guards are about loops without injected tools, of which there are few.
    let weight = |row: &Value| if flag(row, "injected_tools") == Some(false) { 4 } else { 1 };
    let rows = known["rows"].as_array().into_iter().flatten();
    let bases: Vec<Value> = rows.flat_map(|row| vec![row["base"].clone(); weight(row)]).collect();
    let words = |values: Vec<Value>| option::weighted(0.3, select(values));
    let connections = match known["connection"].as_str() {
        Some(connection) => vec![json!([connection]), json!([])],
        None => vec![json!([])],
    };
    let changes = (
        option::weighted(0.5, select(bases)),
        words(vec![json!({"permission": "allow"}), asking()]),
        words(vec![team_of(text(known, "member")), Value::Null]),
        words(vec![servers(), json!([])]),
        words(connections),
    );
    let change = changes.prop_map(|(harness, tools, team, servers, connections)| {
        let members = [
            ("harness", harness),
            ("tools", tools),
            ("multiagent", team),
            ("mcp_servers", servers),
            ("connections", connections),
        ];
        let given = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Step::Change(given.collect())
    });
    proptest::prop_oneof![3 => change, 2 => ANY.prop_map(|required| Step::Start { required })].boxed()
}

fn strategy(known: &Value, number: u64) -> BoxedStrategy<Case> {
    let known = known.clone();
    let count = known["rows"].as_array().map_or(1, Vec::len).max(1);
    let at = usize::try_from(number).unwrap_or(usize::MAX) % count;
    (vec(step(&known), 2..=STEPS_MAX), Just(at)).prop_map(move |(steps, at)| case(&known, at, &steps)).boxed()
}

/// The case that starts on the row at `at`, with what is expected of each step.
fn case(known: &Value, at: usize, steps: &[Step]) -> Case {
    let first = known["rows"][at]["base"].clone();
    let mut model = Map::from_iter([("harness".to_owned(), first.clone())]);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for step in steps {
        match step {
            Step::Change(members) => {
                let mut merged = model.clone();
                merged.extend(members.clone());
                let refused = is_refused_early(known, &merged);
                if !refused {
                    model = merged;
                }
                input.push(json!({"change": members}));
                expected.push(json!({"refused": refused, "agent": model}));
            }
            Step::Start { required } => {
                let start = if *required { required_answer() } else { json!({}) };
                let words: Vec<&str> =
                    allowed(known, &model, &start).iter().map(|allowed| allowed.name()).collect();
                input.push(json!({"start": start}));
                expected.push(json!({"start": words}));
            }
        }
    }
    Case {
        rule: format!("{} steps from {}", steps.len(), first),
        input: json!({"credential": known["credential"], "base": first, "steps": input}),
        expected: json!(expected),
    }
}

fn row_of<'a>(known: &'a Value, agent: &Map<String, Value>) -> Option<&'a Value> {
    known["rows"].as_array()?.iter().find(|row| Some(&row["base"]) == agent.get("harness"))
}

/// The demands that the loop of `agent` does not declare, as the table has them.
fn unmet(known: &Value, agent: &Map<String, Value>, start: &Value) -> Vec<RefusedAt> {
    let (Some(row), Ok(table)) = (row_of(known, agent), Demands::load()) else { return Vec::new() };
    let made = table.made_by(&Value::Object(agent.clone()), start).into_iter();
    made.filter(|demand| flag(row, &demand.flag) != Some(true)).map(|demand| demand.refused_at).collect()
}

fn is_refused_early(known: &Value, agent: &Map<String, Value>) -> bool {
    unmet(known, agent, &json!({})).contains(&RefusedAt::Write)
}

fn allowed(known: &Value, agent: &Map<String, Value>, start: &Value) -> &'static [Allowed] {
    use Allowed::{NotRunnable, Refusal, Session};
    let all_met = unmet(known, agent, start).is_empty();
    match (row_of(known, agent).and_then(stands), all_met) {
        (Some(Stands::Here), true) => &[Session],
        (Some(Stands::Here), false) => &[Refusal],
        (Some(Stands::Dark), true) => &[NotRunnable],
        _ => &[Refusal, NotRunnable],
    }
}

async fn steps_are_taken(driver: &Driver<'_>, case: &Case) -> Drove {
    let environment = Environment::unlisted(driver, text(&case.input, "credential"))?;
    let agent = Agent::on(&environment, text(&case.input, "base")).with("name", json!(driver.fresh()));
    let agent = environment.need_agent("create", &agent).await?;
    for (at, step) in case.input["steps"].as_array().into_iter().flatten().enumerate() {
        match step.get("change") {
            Some(change) => {
                environment.patch(&format!("change {at}"), &agent, change).await;
                environment.read(&format!("agent {at}"), &agent).await;
            }
            None => {
                environment.start(&format!("start {at}"), &agent, &step["start"]).await;
            }
        }
    }
    Ok(())
}

fn each_step_follows_the_model(case: &CaseView<'_>, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.see(&case.one("create")?);
    for (at, expected) in case.label().expected.as_array().into_iter().flatten().enumerate() {
        if let Some(words) = expected["start"].as_array() {
            let words = words.iter().filter_map(Value::as_str);
            let allowed: Vec<Allowed> = words.filter_map(Allowed::parse).collect();
            judge_start(&mut evidence, &case.one(&format!("start {at}"))?, &allowed)?;
            continue;
        }
        let (change, read) = (case.one(&format!("change {at}"))?, case.one(&format!("agent {at}"))?);
        change.answer().map_err(Verdict::from)?;
        match (expected["refused"] == true, change.is_success()) {
            (true, true) => return Err(change.finding(PATCH_ACCEPTED, "400").into()),
            (true, false) => evidence.answered(&change, PATCH_ACCEPTED, &[400])?,
            (false, _) => drop(evidence.accepted(&change, PATCH_REFUSED)?),
        }
        is_as_modelled(&mut evidence, &read, &expected["agent"])?;
    }
    evidence.judged()
}

/// Whether a member says the same as the model: nothing, null and an empty list are one.
fn is_same(stored: Option<&Value>, modelled: &Value) -> bool {
    let is_nothing = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    match (stored, modelled) {
        (None, modelled) => is_nothing(modelled),
        (Some(stored), modelled) if is_nothing(stored) || is_nothing(modelled) => {
            is_nothing(stored) && is_nothing(modelled)
        }
        // A server may add members of its own to an object.
        (Some(Value::Object(stored)), Value::Object(modelled)) => {
            modelled.iter().all(|(name, value)| is_same(stored.get(name), value))
        }
        (Some(Value::Array(stored)), Value::Array(modelled)) => {
            stored.len() == modelled.len()
                && stored.iter().zip(modelled).all(|(one, other)| is_same(Some(one), other))
        }
        (Some(stored), modelled) => stored == modelled,
    }
}

fn is_as_modelled(evidence: &mut Evidence, read: &Seen<'_>, modelled: &Value) -> Result<(), Finding> {
    let agent = evidence.accepted(read, OTHER_AGENT)?;
    let members = modelled.as_object().into_iter().flatten();
    match members.into_iter().find(|(name, value)| !is_same(agent.get(name.as_str()), value)) {
        Some((name, value)) => Err(read.finding(OTHER_AGENT, format!("`{name}` as {value}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_null_and_an_empty_list_are_one_and_more_members_are_allowed() {
        for (stored, modelled, same) in [
            (None, json!(null), true),
            (None, json!([]), true),
            (Some(json!([])), json!(null), true),
            (None, json!({"a": 1}), false),
            (Some(json!({"a": 1, "b": 2})), json!({"a": 1}), true),
            (Some(json!({"b": 2})), json!({"a": 1}), false),
            (Some(json!(["a"])), json!(["a"]), true),
            (Some(json!(["a", "b"])), json!(["a"]), false),
            (Some(json!("x")), json!("y"), false),
        ] {
            assert_eq!(is_same(stored.as_ref(), &modelled), same, "{stored:?} {modelled}");
        }
    }

    #[test]
    fn a_refused_change_leaves_the_model_as_it_was() {
        let row = |base: &str, injected: bool| {
            json!({"base": base, "location": "hosted", "runnable": true, "capabilities": {
                "approvals": false, "structured_output": true, "streaming_deltas": true, "injected_tools": injected,
            }})
        };
        let known =
            json!({"rows": [row("able", true), row("mute", false)], "member": "a", "credential": "primary"});
        let change = |value: Value| Step::Change(value.as_object().cloned().unwrap());
        let steps = [
            change(json!({"multiagent": team_of("a")})),
            change(json!({"harness": "mute"})),
            Step::Start { required: true },
            change(json!({"harness": "mute", "multiagent": null, "tools": asking()})),
            Step::Start { required: false },
        ];
        let expected = case(&known, 0, &steps).expected;
        assert_eq!(expected[0]["refused"], false);
        assert_eq!(
            (&expected[1]["refused"], &expected[1]["agent"]["harness"]),
            (&json!(true), &json!("able"))
        );
        assert_eq!(expected[2], json!({"start": ["started"]}));
        assert_eq!(
            (&expected[3]["refused"], &expected[3]["agent"]["harness"]),
            (&json!(false), &json!("mute"))
        );
        assert_eq!(expected[4], json!({"start": ["refused"]}));
    }
}
