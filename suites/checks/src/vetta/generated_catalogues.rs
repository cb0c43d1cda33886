//! Generated agents on generated catalogues (VET-230-p).
//!
//! Each case has an environment of its own, whose rows are made together with the agent. What is expected follows
//! from the construction, by the rules of VET-53-p.

use engine::{Case, Check, Driver, Drove, Halt, Kind, Property};
use proptest::{
    bool::ANY,
    collection::vec,
    prelude::any,
    sample::select,
    strategy::{BoxedStrategy, Just, Strategy},
};
use recording::{CaseView, Judged, View, Witness};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use super::{
    agents::Agent,
    agents_times_rows::{RULES, Row, Stands, both_answers_are_as_constructed, case_of, written_and_started},
    demands::Means,
    environments::Environment,
    made_environments::{FEATURE, Made, make_key},
    rows::{by_base, text},
};

/// The check of this file.
pub(crate) const CHECKS: &[Check] =
    &[Check { id: "VET-230-p", contract: Contract::Vetta, kind: Kind::Property(&PROPERTY) }];

const PROPERTY: Property = Property {
    prelude: |driver| Box::pin(environments_can_be_made(driver)),
    strategy,
    drive: |driver, case| Box::pin(environment_is_made_and_used(driver, case)),
    judge: list_and_answers_are_as_constructed,
};

const OTHER_LIST: &str = "the list is not the table that the environment was made with";

/// The name by which an agent of a case is a member of a team, until there is one.
const MEMBER: &str = "{{member}}";

async fn environments_can_be_made(driver: &Driver<'_>) -> Result<Value, Halt> {
    driver.control(FEATURE)?;
    Ok(json!({"connection": driver.facts().text("connection")}))
}

/// Bases of which one begins with another, because they are told apart as a whole.
const BASES: [&str; 6] = ["loop", "loop-a", "loop-a-b", "other", "lo", "loop-b"];

/// A row on which every member is drawn.
fn row(base: &'static str, stands: Stands) -> impl Strategy<Value = (Value, &'static str)> {
    let flags = (ANY, ANY, ANY, ANY);
    let words = (select(vec!["usage", "account"]), select(vec!["ga", "preview"]));
    let place = (select(vec!["isolate", "sandbox"]), select(vec!["first", "second"]));
    (flags, words, place).prop_map(move |(flags, (billing, status), (execution, road))| {
        let (approvals, structured_output, streaming_deltas, injected_tools) = flags;
        let (location, billing, execution) = match stands {
            Stands::Local => ("local", "account", "local"),
            _ => ("hosted", billing, execution),
        };
        let row = json!({
            "base": base,
            "label": format!("Label of {base}"),
            "location": location,
            "billing": billing,
            "status": status,
            "execution": execution,
            "runnable": stands == Stands::Here,
            "capabilities": {
                "approvals": approvals,
                "structured_output": structured_output,
                "streaming_deltas": streaming_deltas,
                "injected_tools": injected_tools,
            },
        });
        (row, road)
    })
}

/// Goes round the rules by the number of the case. The first row is the one that the rule is about; the others
/// are there to be mistaken for it.
fn strategy(known: &Value, number: u64) -> BoxedStrategy<Case> {
    let connection = known["connection"].as_str().map(str::to_owned);
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let rule = &RULES[number % RULES.len()];
    let stands = rule.stands()[(number / RULES.len()) % rule.stands().len()];
    let base = BASES[number % BASES.len()];
    let means = Means { member: MEMBER.to_owned(), connection };
    let subject = row(base, stands)
        .prop_map(move |(row, road)| (Row::of(&row, "made", means.clone()), row, road))
        .prop_filter_map("the rule does not fit the row", move |(read, row, road)| {
            Some((read.filter(|read| rule.fits(read))?, row, road))
        });
    let rest: Vec<&'static str> = BASES.into_iter().filter(|other| *other != base).collect();
    let places = [Stands::Here, Stands::Dark, Stands::Local];
    let others = vec((select(rest), select(places.to_vec())), 0..4).prop_flat_map(|drawn| {
        let mut seen = std::collections::BTreeSet::new();
        drawn
            .into_iter()
            .filter(|(base, _)| seen.insert(*base))
            .map(|(base, stands)| row(base, stands).boxed())
            .collect::<Vec<_>>()
    });
    (subject, others, any::<usize>())
        .prop_flat_map(move |((read, row, road), mut rows, at)| {
            rows.insert(at % (rows.len() + 1), (row, road));
            (case_of(rule, read), Just(rows))
        })
        .prop_map(|(mut case, rows)| {
            let rows: Vec<Value> =
                rows.into_iter().map(|(row, road)| json!({"row": row, "road": road})).collect();
            case.input["rows"] = json!(rows);
            case
        })
        .boxed()
}

/// `value` with the id of the member in the place of its name.
fn with_member(value: &Value, member: &str) -> Value {
    match value {
        Value::String(text) if text == MEMBER => json!(member),
        Value::Array(items) => items.iter().map(|item| with_member(item, member)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), with_member(value, member))).collect()
        }
        other => other.clone(),
    }
}

async fn environment_is_made_and_used(driver: &Driver<'_>, case: &Case) -> Drove {
    let rows = case.input["rows"].as_array().into_iter().flatten();
    let road = |entry: &Value| if text(entry, "road") == "second" { "second" } else { "first" };
    let rows: Vec<(Value, &'static str)> = rows.map(|entry| (entry["row"].clone(), road(entry))).collect();
    let key = make_key(driver, "made", &Made { rows, reserved: Vec::new() }).await?;
    let environment = Environment::keyed(driver, &key)?;
    environment.send("list", engine::Call::get("/v1/harnesses")).await;
    let base = text(&case.input, "base");
    let member = environment.need_agent("member", &Agent::on(&environment, base)).await?;
    let input = with_member(&case.input, &member);
    written_and_started(&environment, &Case { input, ..case.clone() }).await
}

fn list_and_answers_are_as_constructed(case: &CaseView<'_>, spec: &Spec) -> Judged {
    let list = case.one("list")?;
    let mut made: Vec<Value> = case.label().input["rows"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| entry["row"].clone())
        .collect();
    made.sort_by_key(|row| text(row, "base").to_owned());
    if by_base(&list)? != made {
        return Err(list.finding(OTHER_LIST, json!(made).to_string()).into());
    }
    let witness = both_answers_are_as_constructed(case, spec)?;
    Ok(Witness::and(witness, list.witness()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    use super::*;

    #[test]
    fn every_rule_has_cases_and_its_row_is_among_the_rows() {
        let known = json!({"connection": "conn_1"});
        let mut rules = BTreeSet::new();
        for number in 0..200 {
            let tree = strategy(&known, number).new_tree(&mut TestRunner::deterministic()).unwrap();
            let case = tree.current();
            let rows = case.input["rows"].as_array().unwrap();
            let bases: BTreeSet<&str> = rows.iter().map(|entry| text(&entry["row"], "base")).collect();
            assert_eq!(bases.len(), rows.len(), "{case:?}");
            assert!(bases.contains(text(&case.input, "base")), "{case:?}");
            rules.insert(case.rule.split(" on ").next().unwrap().to_owned());
        }
        assert_eq!(rules.len(), RULES.len(), "{rules:?}");
    }
}
