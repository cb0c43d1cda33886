//! Calls of tools from a toolset are tool calls of the run (OAO-301).

use engine::{Driver, Drove};
use model::Turn;
use recording::{Judged, Recording, View};
use serde_json::json;
use spec::Spec;

use super::{
    agents::{listed, need_agent},
    callers::{calls, run_id},
    runs::{load, must_ask, operation, readable, results, settle, start},
    scripted::{CALL, TASK, calling, scratch, script},
    toolset,
};
use crate::table::checks;

checks! { Oao:
    "OAO-301-a" => a_loop_calls_a_bound_tool, the_call_is_one_of_the_run;
}

const KEY: &str = "track_it";
const NAMESPACE: &str = "desk";
/// The model's id of the inner call.
const INNER: &str = "call_bound";

async fn a_loop_calls_a_bound_tool(driver: &Driver<'_>) -> Drove {
    let tool = driver.facts().text("mcp_tool").unwrap_or_default().to_owned();
    let inside = [
        Turn::new("scratch-1", calling(INNER, &format!("mcp__{NAMESPACE}__{tool}"), json!({})))
            .when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", calling("end", "finish", json!({"answer": "tracked"})))
            .when(scratch(TASK).tool_result_for(INNER)),
    ];
    load(driver, script(&[(CALL, KEY, TASK)], inside))?;
    let config = readable(driver, &json!([operation(KEY, 20_000)]));
    let config = toolset::bind(driver, config, &[NAMESPACE]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with a toolset").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    calls(driver, "calls", &started).await;
    Ok(())
}

/// Whether the tool takes these arguments, and whose it is called, is the target's affair.
fn the_call_is_one_of_the_run(recording: &Recording, _: &Spec) -> Judged {
    let message = "a call of a tool of a toolset is not one of the tool calls of its run";
    let (told, asked) = must_ask(recording, "scratch-2", "a tool of a toolset had no answer")?;
    if results(asked, INNER).is_empty() {
        return Err(told
            .finding("a tool of a toolset had no answer", format!("a result for `{INNER}`"))
            .into());
    }
    let run = run_id(recording)?;
    let tool = toolset::name(recording, NAMESPACE);
    let page = recording.one("calls")?;
    let rows = listed(&page)?;
    let own: Vec<_> =
        rows.iter().filter(|row| row["toolName"] == tool.as_str() && row["runId"] == run.as_str()).collect();
    match own.as_slice() {
        [_] => Ok(told.witness().and(page.witness())),
        rows => {
            let got = format!("{} of them", rows.len());
            Err(page.finding_got(message, format!("one call of `{tool}` on the run {run}"), got).into())
        }
    }
}
