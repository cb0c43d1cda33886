//! Batches of operations, and what a small model of the contract says of them.

use model::{Answer, Script, ScriptError, ToolCall, Turn};
use proptest::{
    collection::vec,
    prelude::Strategy,
    sample::select,
    strategy::{BoxedStrategy, Just},
};
use serde_json::{Value, json};

use super::super::batch::{Asked, batch, finish, give_up, read, scratch, taking};

/// The key and the limit of an operation that is to run into its limit.
pub(crate) const SHORT: (&str, u64) = ("short_op", 1_100);
/// The key and the limit of all others.
pub(crate) const LONG: (&str, u64) = ("long_op", 20_000);
/// The gate that is never opened.
pub(crate) const NEVER: &str = "never";
/// The most operations in a batch. With four turns each and the parent's, they stay within the 32 model
/// turns that every generation of the product allows.
const OPERATIONS_MAX: usize = 6;

/// How the loop of an operation comes to its end.
const WAYS: [&str; 5] = ["finish", "correct", "words", "give_up", "limit"];
/// What happens to the run meanwhile.
const STOPS: [&str; 4] = ["none", "none", "cancel", "deadline"];

/// One operation of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// Files that are read in each turn before the last.
    pub(crate) reads: Vec<usize>,
    /// How it ends: one of `WAYS`, or `held`.
    pub(crate) way: String,
    /// How long the model takes over its first turn, in milliseconds.
    pub(crate) wait_ms: u32,
    /// The number of the call in its batch.
    number: usize,
}

/// A batch, and what becomes of its run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) operations: Vec<Planned>,
    pub(crate) stop: String,
}

/// The batch of the case of that number, as an input: ways to end and to stop go round by the number.
pub(crate) fn plans(number: u64) -> BoxedStrategy<Value> {
    let at = |length: usize, number: u64| usize::try_from(number % length as u64).unwrap_or(0);
    let stop = STOPS[at(STOPS.len(), number)];
    let first = WAYS[at(WAYS.len(), number / STOPS.len() as u64)];
    let operation = |way: BoxedStrategy<&'static str>| {
        let parts = (vec(1_usize..=2, 0..=2), way, 0_u32..=60);
        parts.prop_map(|(reads, way, wait_ms)| json!({"reads": reads, "way": way, "wait_ms": wait_ms}))
    };
    let others = vec(operation(select(&WAYS[..]).boxed()), 0..OPERATIONS_MAX);
    let all = (operation(Just(first).boxed()), others);
    all.prop_map(move |(first, others)| {
        let mut operations = vec![first];
        operations.extend(others);
        // Whatever stops the run finds one operation at work at least.
        if stop != "none" {
            operations[0]["way"] = json!("held");
        }
        json!({"stop": stop, "operations": operations})
    })
    .boxed()
}

impl Plan {
    /// The batch of an input.
    pub(crate) fn of(input: &Value) -> Self {
        let list = input["operations"].as_array().map_or(&[][..], Vec::as_slice);
        let operations = list.iter().enumerate().map(|(number, each)| {
            let count =
                |value: &Value| value.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
            Planned {
                reads: each["reads"].as_array().into_iter().flatten().map(count).collect(),
                way: each["way"].as_str().unwrap_or_default().to_owned(),
                wait_ms: each["wait_ms"].as_u64().and_then(|ms| u32::try_from(ms).ok()).unwrap_or(0),
                number,
            }
        });
        let operations = operations.collect();
        Self { operations, stop: input["stop"].as_str().unwrap_or_default().to_owned() }
    }

    /// What a conforming target makes of it: the state of the run, and the end of each call.
    pub(crate) fn expected(&self) -> Value {
        let ends: Vec<&str> = self.operations.iter().map(Planned::end).collect();
        json!({"run": self.state(), "calls": ends})
    }

    /// The state in which the run ends.
    pub(crate) fn state(&self) -> &'static str {
        match self.stop.as_str() {
            "cancel" => "cancelled",
            "deadline" => "timed_out",
            _ => "completed",
        }
    }

    /// Whether nothing stops the run.
    pub(crate) fn goes_on(&self) -> bool {
        self.stop == "none"
    }

    /// How many loops the model holds for ever.
    pub(crate) fn held(&self) -> usize {
        self.operations.iter().filter(|each| each.is_held()).count()
    }

    /// What the model answers.
    pub(crate) fn script(&self) -> Result<Script, ScriptError> {
        let names: Vec<[String; 3]> = self.operations.iter().map(Planned::asked).collect();
        let calls: Vec<Asked<'_>> =
            names.iter().map(|[call, key, task]| (call.as_str(), key.as_str(), task.as_str())).collect();
        batch(&calls, self.operations.iter().flat_map(Planned::turns).collect())
    }
}

impl Planned {
    /// The id of the call.
    pub(crate) fn call(&self) -> String {
        format!("call_{}", self.number)
    }

    /// The answer that it returns.
    pub(crate) fn answer(&self) -> String {
        format!("answer-{}", self.number)
    }

    fn asked(&self) -> [String; 3] {
        let (key, _) = if self.way == "limit" { SHORT } else { LONG };
        [self.call(), key.to_owned(), self.task()]
    }

    fn task(&self) -> String {
        format!("task-of-call-{}", self.number)
    }

    /// Whether the model never answers its last request.
    pub(crate) fn is_held(&self) -> bool {
        ["limit", "held"].contains(&self.way.as_str())
    }

    /// How the call ends, unless its run is stopped before.
    pub(crate) fn end(&self) -> &'static str {
        match self.way.as_str() {
            "give_up" => "failed",
            "limit" | "held" => "stopped",
            _ => "completed",
        }
    }

    /// The id of a call that reads a file: the turn, and the place in it.
    pub(crate) fn read_id(&self, turn: usize, place: usize) -> String {
        format!("r{}_{turn}_{place}", self.number)
    }

    /// The ids of the files that it reads, in order.
    pub(crate) fn read_ids(&self) -> Vec<String> {
        let of_turn = |(turn, count): (usize, &usize)| {
            (0..*count).map(|place| self.read_id(turn, place)).collect::<Vec<_>>()
        };
        self.reads.iter().enumerate().flat_map(of_turn).collect()
    }

    /// The names of its turns, in order.
    pub(crate) fn turn_names(&self) -> Vec<String> {
        self.turns().into_iter().map(|turn| turn.id).collect()
    }

    fn turns(&self) -> Vec<Turn> {
        let task = self.task();
        let mut turns = Vec::new();
        let mut when = scratch(&task).no_tool_results();
        for (turn, count) in self.reads.iter().enumerate() {
            let id = format!("r{}_{turn}", self.number);
            let answer = read(&id, &vec!["none.txt"; *count]);
            turns.push(Turn::new(format!("loop-{}-{turn}", self.number), answer).when(when));
            when = scratch(&task).tool_result_for(format!("{id}_0"));
        }
        let last = |answer: Answer| Turn::new(format!("loop-{}-last", self.number), answer);
        let before = |answer: Answer| Turn::new(format!("loop-{}-before", self.number), answer);
        let result = finish(&self.answer());
        match self.way.as_str() {
            "give_up" => turns.push(last(give_up(&format!("no_{}", self.number))).when(when)),
            "limit" | "held" => turns.push(last(result).when(when).hold(NEVER)),
            "correct" => {
                let bad = format!("bad_{}", self.number);
                turns.push(
                    before(Answer::new().call(ToolCall::new(bad.clone(), "finish", json!({})))).when(when),
                );
                turns.push(last(result).when(scratch(&task).tool_result_for(bad)));
            }
            "words" => {
                turns.push(before(Answer::new().text("Not yet.")).when(when));
                turns.push(last(result).when(scratch(&task)));
            }
            _ => turns.push(last(result).when(when)),
        }
        let first = turns.remove(0).stream(taking(self.wait_ms));
        turns.insert(0, first);
        turns
    }
}

#[cfg(test)]
mod tests {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    use super::*;

    #[test]
    fn every_batch_is_a_script_within_the_budget_of_a_run() {
        let mut runner = TestRunner::deterministic();
        for number in 0..200 {
            let input = plans(number).new_tree(&mut runner).unwrap().current();
            let plan = Plan::of(&input);
            plan.script().unwrap_or_else(|error| panic!("{input}: {error}"));
            let turns: usize = plan.operations.iter().map(|each| each.turn_names().len()).sum();
            assert!((1..=30).contains(&turns), "{input}");
            assert_eq!(plan.goes_on(), plan.state() == "completed");
            assert!(plan.goes_on() || plan.held() > 0, "{input}");
        }
    }
}
