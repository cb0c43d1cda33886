//! Delegates are sessions of their own (OAO-06, OAO-71, OAO-215 to OAO-217).

use std::time::Duration;

use engine::{Driver, Drove, Reply};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, Recording, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::need_agent,
    delegation::{
        REVIEWER, child, delegate, delegating, delegating_arguments, messaging, need_delegate, sessions_on,
    },
    inner::{self, KEY, OUTER, TASK, at_once, call, marked, offered, parent, said, system},
    packages::{INTAKE, mount},
    refusal::as_warning,
    runs::{BEGIN, again, asked, at, load, must_ask, readable, results, settle, start},
    scratch_is_no_session::list_sessions,
    uploads,
};
use crate::table::checks;

checks! { Oao:
    "OAO-06-a" => a_follow_up_is_sent, it_carries_on;
    "OAO-06-b" => two_identities_look_for_a_file, only_one_finds_it;
    "OAO-71-a" => three_kinds_in_one_run, each_leaves_what_it_should;
    "OAO-215-a" => one_piece_of_work, it_is_done_as_the_delegate;
    "OAO-216-a" => one_piece_of_work, the_session_names_it;
    "OAO-217-a" => two_pieces_at_once, one_waits_for_the_other;
}

const FIRST: &str = "review-the-first-part";
const SECOND: &str = "go-on-with-the-second-part";
const ANSWER: &str = "the-first-part-is-sound";
/// What the user says so that the follow-up is sent.
const FOLLOW_UP: &str = "send-the-follow-up";

/// The id of the first listed session on `version`.
fn id_on(page: &Reply, version: &str) -> Option<String> {
    let rows = page.json.as_ref()?.get("data")?.as_array()?;
    let row = rows.iter().find(|row| row["agentVersionId"] == version)?;
    row["id"].as_str().map(str::to_owned)
}

fn one_delegation(driver: &Driver<'_>) -> Vec<Turn> {
    vec![
        Turn::new("parent-1", delegating(driver, "d1", REVIEWER, FIRST)).when(parent().no_tool_results()),
        Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for("d1")),
        child("child-1", FIRST, ANSWER),
    ]
}

/// The child is looked up among the sessions, and gets its second message from the parent.
async fn a_follow_up_is_sent(driver: &Driver<'_>) -> Drove {
    load(driver, Script::new("delegate", one_delegation(driver)))?;
    let worker = need_delegate(driver, "publish-delegate", &inner::without_operations(driver)).await?;
    let mut config = inner::without_operations(driver);
    config["delegates"] = json!([delegate(REVIEWER, &worker)]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with a delegate").await?;
    let first = start(driver, "start", &agent).await?;
    settle(driver, &first).await?;
    let page = driver.get("children", format!("{}/sessions?limit=50", super::agents::project(driver))).await;
    // Without a child there is nobody to send anything to, which is judged.
    let Some(session) = id_on(&page, &worker.version) else { return Ok(()) };
    let when = || Conditions::new().last_user_contains(FOLLOW_UP);
    let more = [
        Turn::new("parent-3", messaging(driver, "m1", REVIEWER, &session, SECOND))
            .when(when().last_role(model::script::Role::User)),
        Turn::new("parent-4", Answer::new().text("Done again.")).when(when().tool_result_for("m1")),
        child("child-2", SECOND, "so-is-the-second"),
    ];
    load(driver, Script::new("follow up", more))?;
    let second = again(driver, "again", &first, FOLLOW_UP).await?;
    settle(driver, &second).await
}

fn it_carries_on(recording: &Recording, _: &Spec) -> Judged {
    let message = "the child of a delegate did not carry on after its first answer";
    let (did, _) = must_ask(recording, "child-1", "the delegate was not asked")?;
    let version = recording.one("publish-delegate")?.json()?["latestVersionId"].clone();
    let page = recording.one("children")?;
    if sessions_on(recording, "children", &version)?.len() != 1 {
        return Err(page.finding(message, format!("one session with `agentVersionId` {version}")).into());
    }
    let (seen, told) = must_ask(recording, "child-2", message)?;
    let whole = said(told);
    match [FIRST, ANSWER, SECOND].iter().find(|text| !whole.contains(*text)) {
        None => Ok(did.witness().and(page.witness()).and(seen.witness())),
        Some(missing) => Err(at(&seen, message, format!("`{missing}` in the conversation"), whole).into()),
    }
}

const LOOKS: [(&str, &str); 2] = [("same", "look-from-the-same-place"), ("other", "look-from-another-place")];

async fn two_identities_look_for_a_file(driver: &Driver<'_>) -> Drove {
    let Some(other) = driver.facts().text("sandbox_snapshot_other") else {
        return Err(
            driver.unmet("another snapshot of the provider: give `[settings] sandbox_snapshot_other`")
        );
    };
    let words =
        Turn::new("words", Answer::new().text("Taken.")).when(Conditions::new().user_contains(uploads::TAKE));
    load(driver, Script::new("words", [words]))?;
    let mut config = inner::without_operations(driver);
    let mut elsewhere = config.clone();
    elsewhere["sandbox"]["snapshotId"] = json!(other);
    let same = need_delegate(driver, "publish-same", &config).await?;
    let other = need_delegate(driver, "publish-other", &elsewhere).await?;
    config["delegates"] = json!([delegate("same", &same), delegate("other", &other)]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with two delegates").await?;
    let first = uploads::bring(driver, "start", &agent).await?;
    let path = uploads::path(&first);
    let both = LOOKS.iter().fold(Answer::new(), |answer, (key, task)| {
        answer.call(ToolCall::new(
            format!("to_{key}"),
            "delegate_agent",
            delegating_arguments(driver, key, task),
        ))
    });
    let after = parent().tool_result_for("to_same").tool_result_for("to_other");
    let mut turns = vec![
        Turn::new("parent-1", both).when(parent().no_tool_results()),
        Turn::new("parent-2", Answer::new().text("Done.")).when(after),
    ];
    for (key, task) in LOOKS {
        let when = || Conditions::new().user_contains(task);
        let id = format!("read_{key}");
        turns.push(
            Turn::new(format!("{key}-1"), call(&id, "read", json!({"path": path})))
                .when(when().no_tool_results()),
        );
        turns.push(
            Turn::new(format!("{key}-2"), Answer::new().text("Looked.")).when(when().tool_result_for(&id)),
        );
    }
    load(driver, Script::new("two look", turns))?;
    let second = again(driver, "again", &first, BEGIN).await?;
    settle(driver, &second).await
}

fn only_one_finds_it(recording: &Recording, _: &Spec) -> Judged {
    let message = "the workspace is not shared by sandbox identity alone";
    let mut witness: Option<recording::Witness> = None;
    for (key, _) in LOOKS {
        let (seen, told) = must_ask(recording, &format!("{key}-2"), "a delegate did not look for the file")?;
        let text = results(told, &format!("read_{key}")).join("\n");
        if text.contains(uploads::CONTENT) != (key == "same") {
            let expected = if key == "same" { "the file of the root session" } else { "no such file" };
            return Err(at(&seen, message, format!("{expected} for the delegate `{key}`"), text).into());
        }
        witness = Some(witness.map_or_else(|| seen.witness(), |before| before.and(seen.witness())));
    }
    witness.ok_or_else(|| Verdict::Error { reason: "nobody looked".to_owned() })
}

async fn three_kinds_in_one_run(driver: &Driver<'_>) -> Drove {
    let all = Answer::new()
        .call(ToolCall::new("activate", "activate_skill", json!({"name": INTAKE.name})))
        .call(ToolCall::new("d1", "delegate_agent", delegating_arguments(driver, REVIEWER, FIRST)))
        .call(ToolCall::new(OUTER, KEY, json!({"task": TASK})));
    let after = parent().tool_result_for("activate").tool_result_for("d1").tool_result_for(OUTER);
    let mut turns = vec![
        Turn::new("parent-1", all).when(parent().no_tool_results()),
        Turn::new("parent-2", Answer::new().text("Done.")).when(after),
        child("child-1", FIRST, ANSWER),
    ];
    turns.extend(at_once());
    load(driver, Script::new("three kinds", turns))?;
    let worker = need_delegate(driver, "publish-delegate", &inner::without_operations(driver)).await?;
    let mut config = mount(driver, readable(driver, &inner::operations()), &[&INTAKE]);
    config["delegates"] = json!([delegate(REVIEWER, &worker)]);
    let agent =
        need_agent(driver, "publish", &config, "publish an agent with a Skill, a delegate and an operation")
            .await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    list_sessions(driver, "sessions").await;
    Ok(())
}

fn each_leaves_what_it_should(recording: &Recording, _: &Spec) -> Judged {
    as_warning(three_are_told_apart(recording))
}

fn three_are_told_apart(recording: &Recording) -> Judged {
    let message = "Skill, Subagent and operation cannot be told apart by what they leave";
    let (ended, _) = must_ask(recording, "parent-2", "the three kinds of work did not end")?;
    let page = recording.one("sessions")?;
    for (label, count) in [("publish", 1), ("publish-delegate", 1)] {
        let version = recording.one(label)?.json()?["latestVersionId"].clone();
        let rows = sessions_on(recording, "sessions", &version)?;
        if rows.len() != count {
            let got = format!("{} sessions on the version of `{label}`", rows.len());
            return Err(at(&page, message, "the session itself and one of the delegate", got).into());
        }
    }
    Ok(ended.witness().and(page.witness()))
}

/// What the instructions of the two agents say, each alone.
const OWN: [&str; 2] = ["root-reads-like-olive", "delegate-reads-like-plum"];

async fn one_piece_of_work(driver: &Driver<'_>) -> Drove {
    load(driver, Script::new("delegate", one_delegation(driver)))?;
    let plain = marked(inner::without_operations(driver), OWN[1]);
    let worker = need_delegate(driver, "publish-delegate", &plain).await?;
    let mut config = marked(readable(driver, &inner::operations()), OWN[0]);
    config["delegates"] = json!([delegate(REVIEWER, &worker)]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with a delegate").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    driver.get("children", format!("{}/sessions?limit=50", super::agents::project(driver))).await;
    Ok(())
}

fn it_is_done_as_the_delegate(recording: &Recording, _: &Spec) -> Judged {
    let message = "a delegate did not work as its own version";
    let (parent, _) = must_ask(recording, "parent-1", "the run did not ask the model")?;
    let (seen, told) = must_ask(recording, "child-1", "the delegate was not asked")?;
    let text = system(told);
    if !text.contains(OWN[1]) || text.contains(OWN[0]) {
        return Err(at(&seen, message, format!("instructions with `{}` alone", OWN[1]), text).into());
    }
    if offered(told).contains(&KEY) || said(told).contains(BEGIN) {
        let expected = "neither the operation nor the conversation of the parent".to_owned();
        return Err(inner::at_tools(&seen, told, message, expected).into());
    }
    Ok(parent.witness().and(seen.witness()))
}

fn the_session_names_it(recording: &Recording, _: &Spec) -> Judged {
    let message = "the details of a session do not name the child of its delegate";
    must_ask(recording, "child-1", "the delegate was not asked")?;
    let version = recording.one("publish-delegate")?.json()?["latestVersionId"].clone();
    let rows = sessions_on(recording, "children", &version)?;
    let Some(child) = rows.first().and_then(|row| row["id"].as_str()) else {
        return Err(recording
            .one("children")?
            .finding("the child of a delegate is not listed", "one session")
            .into());
    };
    let detail = recording.one("detail")?;
    let delegations = detail.json()?["delegations"].clone();
    if delegations.as_array().is_some_and(|list| list.iter().any(|row| row.to_string().contains(child))) {
        return Ok(detail.witness());
    }
    Err(at(&detail, message, format!("{child} under `delegations`"), delegations.to_string()).into())
}

const PIECES: [(&str, &str); 2] = [("piece_a", "review-piece-a"), ("piece_b", "review-piece-b")];
/// How long a second child would need to come to the model.
const A_MOMENT: Duration = Duration::from_millis(400);

/// The model holds the answer to the first child that asks, and a moment later it is noted how many wait.
async fn two_pieces_at_once(driver: &Driver<'_>) -> Drove {
    let both = PIECES.iter().fold(Answer::new(), |answer, (id, task)| {
        answer.call(ToolCall::new(*id, "delegate_agent", delegating_arguments(driver, REVIEWER, task)))
    });
    let after = PIECES.iter().fold(parent(), |when, (id, _)| when.tool_result_for(*id));
    let mut turns = vec![
        Turn::new("parent-1", both).when(parent().no_tool_results()),
        Turn::new("parent-2", Answer::new().text("Done.")).when(after),
    ];
    turns.extend(PIECES.iter().map(|(id, task)| child(&format!("child-{id}"), task, "sound").hold("desk")));
    load(driver, Script::new("two pieces", turns))?;
    let worker = need_delegate(driver, "publish-delegate", &inner::without_operations(driver)).await?;
    let mut config = inner::without_operations(driver);
    let mut one = delegate(REVIEWER, &worker);
    one["maxParallel"] = json!(1);
    config["delegates"] = json!([one]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with a delegate").await?;
    let started = start(driver, "start", &agent).await?;
    let model = driver.model()?;
    let first = model.wait_for_held(driver.token(), "desk", 1);
    let _ = driver.clock().within(Duration::from_secs(10), first).await;
    driver.clock().pause(A_MOMENT).await;
    driver.fact("held", json!(model.held(driver.token(), "desk")));
    model.release(driver.token(), "desk");
    settle(driver, &started).await
}

/// The second call waits, or is refused; either way one child at most was at work.
fn one_waits_for_the_other(recording: &Recording, _: &Spec) -> Judged {
    let message = "more children of a delegate were at work than its limit allows";
    let (seen, _) = must_ask(recording, "parent-2", "the parent was not told what its delegate says")?;
    let held: &Value = recording.fact("held")?;
    if asked(recording, "child-piece_a").or_else(|| asked(recording, "child-piece_b")).is_none() {
        return Err(seen.finding("the delegate was not asked", "a model request of a child").into());
    }
    match held.as_u64() {
        Some(0 | 1) => Ok(seen.witness()),
        _ => Err(at(&seen, message, "one child at the model", held.to_string()).into()),
    }
}
