//! Which values are results: exactly those that satisfy the schema (OAO-280).

use std::time::Duration;

use engine::{Case, Check, Driver, Drove, Kind, Property};
use model::{Answer, Script, ScriptError, ToolCall, Turn};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use super::{
    canonical::numbers,
    generate::values::{HELD, Pair, formats, pairs},
    runs::{at, load, must_ask, need_operations, operation, results, start},
    scripted::{TOLD, both, calling, giving_up, parent, scratch},
};
use crate::table::checks;

checks! { Oao:
    "OAO-280-a" => lengths, lengths_judged;
    "OAO-280-b" => choices, choices_judged;
    "OAO-280-c" => objects, objects_judged;
    "OAO-280-d" => formats_of_texts, formats_judged;
    "OAO-280-e" => numbers_and_lists, numbers_judged;
}

/// The property check of this topic.
pub(crate) const PROPERTIES: &[Check] =
    &[Check { id: "OAO-280-p", contract: Contract::Oao, kind: Kind::Property(&VALUES) }];

/// Pairs in one case: three operations, each called twice.
const PAIRS: usize = 3;
const LIMIT_MS: u64 = 20_000;
/// Until the parent must have all its results.
const TOLD_WITHIN: Duration = Duration::from_secs(60);
/// The gate at which the parent's last turn waits, so that the drive knows when to look.
const GATE: &str = "told";

const VALUES: Property = Property {
    prelude: |_| Box::pin(async { Ok(Value::Null) }),
    strategy: |_, number| {
        use proptest::prelude::Strategy;
        pairs(number, PAIRS).prop_map(|pairs| case(&pairs)).boxed()
    },
    drive: |driver, case| Box::pin(one_case(driver, case)),
    judge: |case, _| judge(case, &inputs(&case.label().input)),
};

fn case(pairs: &[Pair]) -> Case {
    let input = |pair: &Pair| json!({"rule": pair.rule, "schema": pair.schema, "fits": pair.fits, "breaks": pair.breaks});
    Case {
        rule: pairs.iter().map(|pair| pair.rule).collect::<Vec<_>>().join("; "),
        input: pairs.iter().map(input).collect(),
        expected: json!({"fits": "the parent has it", "breaks": "the parent does not have it"}),
    }
}

/// One operation and its two calls, by their number.
struct Input {
    rule: String,
    schema: Value,
    /// Id of the call, the value that its loop hands in, and whether it satisfies the schema.
    calls: [(String, Value, bool); 2],
}

fn inputs(input: &Value) -> Vec<Input> {
    let pairs = input.as_array().map_or(&[][..], Vec::as_slice).iter().enumerate();
    pairs
        .map(|(number, pair)| Input {
            rule: pair["rule"].as_str().unwrap_or_default().to_owned(),
            schema: pair["schema"].clone(),
            calls: [
                (format!("fits_{number}"), pair["fits"].clone(), true),
                (format!("breaks_{number}"), pair["breaks"].clone(), false),
            ],
        })
        .collect()
}

async fn one_case(driver: &Driver<'_>, case: &Case) -> Drove {
    play(driver, &inputs(&case.input)).await
}

/// All calls in one turn of the parent. Each loop hands its value in, and gives up if it is refused.
fn script(inputs: &[Input]) -> Result<Script, ScriptError> {
    let (mut all, mut after, mut loops) = (Answer::new(), parent(), Vec::new());
    for (number, input) in inputs.iter().enumerate() {
        for (id, value, _) in &input.calls {
            let task = format!("[task {id}]");
            all = all.call(ToolCall::new(id.as_str(), key(number), json!({"task": task})));
            after = after.tool_result_for(id.as_str());
            let finish = format!("finish_{id}");
            loops.push(
                Turn::new(format!("try-{id}"), calling(&finish, "finish", value.clone()))
                    .when(scratch(&task).no_tool_results()),
            );
            loops.push(
                Turn::new(format!("refused-{id}"), giving_up(&format!("no_{id}")))
                    .when(scratch(&task).tool_result_for(finish)),
            );
        }
    }
    let parents = [
        Turn::new("parent-asks", all).when(parent().no_tool_results()),
        Turn::new(TOLD, Answer::new().text("Done.")).when(after).hold(GATE),
    ];
    Script::new("values", parents.into_iter().chain(loops))
}

fn key(number: usize) -> String {
    format!("judge_{number}")
}

async fn play(driver: &Driver<'_>, inputs: &[Input]) -> Drove {
    let model = driver.model()?;
    model.forget(driver.token());
    load(driver, script(inputs))?;
    let operations = inputs.iter().enumerate().map(|(number, input)| {
        let mut operation = operation(&key(number), LIMIT_MS);
        operation["resultSchema"] = input.schema.clone();
        operation
    });
    let agent = need_operations(driver, &operations.collect()).await?;
    let started = start(driver, "start", &agent).await?;
    // A parent that is never told is judged by what was seen until then.
    let _ = driver.clock().within(TOLD_WITHIN, model.wait_for_held(driver.token(), GATE, 1)).await;
    driver.get("run", format!("{}/runs/{}", super::agents::project(driver), started.run)).await;
    driver.record_model("model")?;
    model.release(driver.token(), GATE);
    Ok(())
}

fn judge(view: &impl View, inputs: &[Input]) -> Judged {
    let (told, turn) = must_ask(view, TOLD, "the parent does not have the outcomes of its calls")?;
    let mut witness = told.witness();
    for input in inputs {
        for (id, value, fits) in &input.calls {
            let tried = must_ask(view, &format!("try-{id}"), "a scratch loop did not begin")?.0;
            witness = both(witness, tried);
            let texts = results(turn, id);
            let parsed = texts.iter().filter_map(|text| serde_json::from_str::<Value>(text).ok());
            let got =
                parsed.filter(|result| result.get(HELD).is_some()).map(|result| numbers(&result)).next_back();
            if *fits && got != Some(numbers(value)) {
                let message = "a value that satisfies its schema did not become the result";
                let expected = format!("{value} by the schema {} ({})", input.schema, input.rule);
                return Err(at(&told, message, expected, format!("{texts:?}")).into());
            }
            if !fits && got.is_some() {
                let message = "a value that breaks its schema became the result";
                let expected = format!("no result by the schema {}: {}", input.schema, input.rule);
                return Err(at(&told, message, expected, format!("{texts:?}")).into());
            }
        }
    }
    Ok(witness)
}

/// The input of a check with fixed pairs.
fn fixed(pairs: &[Pair]) -> Vec<Input> {
    inputs(&case(pairs).input)
}

fn length_pairs() -> Vec<Pair> {
    let text = |keyword: &str, count: u32| json!({"type": "string", keyword: count});
    vec![
        Pair::of("shorter than `minLength`", text("minLength", 5), json!("ééééé"), json!("éééé")),
        Pair::of("longer than `maxLength`", text("maxLength", 3), json!("発注書"), json!("発注書類")),
        Pair::of("an empty text", text("minLength", 1), json!(" "), json!("")),
        Pair::of("a combining mark counts", text("maxLength", 2), json!("e\u{301}"), json!("e\u{301}x")),
    ]
}

async fn lengths(driver: &Driver<'_>) -> Drove {
    play(driver, &fixed(&length_pairs())).await
}

fn lengths_judged(recording: &Recording, _: &Spec) -> Judged {
    judge(recording, &fixed(&length_pairs()))
}

fn choice_pairs() -> Vec<Pair> {
    let named = json!({"enum": ["north", "south"]});
    vec![
        Pair::of("a value that `enum` does not list", named.clone(), json!("south"), json!("west")),
        Pair::of("another case", named.clone(), json!("north"), json!("North")),
        Pair::of("a blank more", named, json!("north"), json!("north ")),
        Pair::of("no object of the list", json!({"enum": [1, null]}), Value::Null, json!({"enum": 1})),
        Pair::of("another value than `const`", json!({"const": "yes"}), json!("yes"), json!("no")),
    ]
}

async fn choices(driver: &Driver<'_>) -> Drove {
    play(driver, &fixed(&choice_pairs())).await
}

fn choices_judged(recording: &Recording, _: &Spec) -> Judged {
    judge(recording, &fixed(&choice_pairs()))
}

fn object_pairs() -> Vec<Pair> {
    let line = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "note": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": false,
    });
    let lines = json!({"type": "array", "items": line});
    let open = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let (named, noted) = (json!({"name": "a"}), json!({"note": "b"}));
    vec![
        Pair::of("a required member is missing", line.clone(), named.clone(), noted.clone()),
        Pair::of("a required member is missing in a list", lines, json!([named]), json!([named, noted])),
        Pair::of("an object that is a text", line, json!({"name": "a", "note": "b"}), json!("name")),
        Pair::of("open by default", open, json!({"name": "a", "further": {"kept": [1]}}), json!([])),
    ]
}

async fn objects(driver: &Driver<'_>) -> Drove {
    play(driver, &fixed(&object_pairs())).await
}

fn objects_judged(recording: &Recording, _: &Spec) -> Judged {
    judge(recording, &fixed(&object_pairs()))
}

fn format_pairs() -> Vec<Pair> {
    let pair = |(format, fits, breaks): (&str, &str, &str)| {
        Pair::of("not of the format", json!({"type": "string", "format": format}), json!(fits), json!(breaks))
    };
    formats().into_iter().step_by(2).map(pair).collect()
}

async fn formats_of_texts(driver: &Driver<'_>) -> Drove {
    play(driver, &fixed(&format_pairs())).await
}

fn formats_judged(recording: &Recording, _: &Spec) -> Judged {
    judge(recording, &fixed(&format_pairs()))
}

fn number_pairs() -> Vec<Pair> {
    let number = |keyword: &str, value: Value| json!({"type": "number", keyword: value});
    let list = |keyword: &str| json!({"type": "array", "items": {"type": "integer"}, keyword: 2});
    vec![
        Pair::of("no multiple of `multipleOf`", number("multipleOf", json!(5)), json!(35), json!(35.001)),
        Pair::of("not above `exclusiveMinimum`", number("exclusiveMinimum", json!(0)), json!(0.5), json!(0)),
        Pair::of("more than `maximum`", number("maximum", json!(1.5)), json!(1.5), json!(1.75)),
        Pair::of("fewer than `minItems`", list("minItems"), json!([1, 2]), json!([1])),
        Pair::of("more than `maxItems`", list("maxItems"), json!([1, 2]), json!([1, 2, 3])),
    ]
}

async fn numbers_and_lists(driver: &Driver<'_>) -> Drove {
    play(driver, &fixed(&number_pairs())).await
}

fn numbers_judged(recording: &Recording, _: &Spec) -> Judged {
    judge(recording, &fixed(&number_pairs()))
}
