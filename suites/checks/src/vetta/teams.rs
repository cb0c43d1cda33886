//! Coordinators, and whether they wait for their team (VET-43, VET-44).

use std::time::Duration;

use engine::{Call, Driver, Drove, Halt};
use model::{Answer, Conditions, Turn, script::Role};
use recording::{Judged, Recording, Seen, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    contributed_tools::TEAM,
    environments::{Environment, starts_here},
    listing::{entries_of, mentions},
    roads::{BEGIN, asked, calling, is_over, marked, need_talk, on_road},
    rows::flag,
    talk::{OVER, Talk, load},
};
use crate::{percent::encoded, table::checks};

checks! { Vetta:
    "VET-43-a" => delegate_is_blocked_on_the_second_road, turn_ends_without_it;
    "VET-43-b" => delegate_is_blocked_on_the_second_road, its_thread_goes_on;
    "VET-43-c" => delegate_is_blocked_on_the_second_road, the_session_can_be_used;
    "VET-44-a" => delegate_is_blocked_on_the_first_road, turn_stays_open;
}

const NOT_ASKED: &str = "the agent that a task was handed to did not ask its model";
const HELD: &str = "`wait_for_agents` holds the turn on the second road";
const NO_THREAD: &str = "the session has no thread for the agent that a task was handed to";
const NO_PROGRESS: &str = "the thread of the agent that a task was handed to does not go on";
const UNUSABLE: &str = "a coordinator cannot be used any more after it parked";
const NOT_HELD: &str = "`wait_for_agents` does not hold the turn on a loop that can hold calls";

/// What the member is told. Scripts know it by it.
const TASK: &str = "work-on-the-part";
const GATE: &str = "desk";
/// What the user says in the end.
const AGAIN: &str = "carry-on-please";
/// How long a turn that does not wait would need to go on.
const A_MOMENT: Duration = Duration::from_millis(400);

/// The coordinator delegates, waits and ends; its member is held at the gate. What a coordinator says that is
/// woken is for it to say (open point U48).
fn script(driver: &Driver<'_>, member: &str) -> Vec<Turn> {
    let (agent, message) = match driver.facts().list("team_arguments").as_slice() {
        [agent, message] => ((*agent).to_owned(), (*message).to_owned()),
        _ => ("agent".to_owned(), "message".to_owned()),
    };
    let begun = || Conditions::new().system_contains("[lead]").user_contains(BEGIN);
    let handed = calling("s1", TEAM[0], json!({agent: member, message: TASK}));
    vec![
        Turn::new("lead-1", handed).when(begun().no_tool_results()),
        Turn::new("lead-2", calling("w1", TEAM[1], json!({})))
            .when(begun().tool_result_for("s1").last_role(Role::Tool)),
        Turn::new("lead-3", Answer::new().text("Delegated."))
            .when(begun().tool_result_for("w1").last_role(Role::Tool)),
        Turn::new("lead-later", Answer::new().text("Noted.")).when(begun().last_role(Role::User)).repeat(),
        Turn::new("member", Answer::new().text("The part is done."))
            .when(Conditions::new().system_contains("[member]").user_contains(TASK))
            .hold(GATE),
    ]
}

/// The coordinator has begun, and its member is at the model or has had time to get there.
async fn begun<'a>(environment: &Environment<'a>, base: &str) -> Result<Talk<'a>, Halt> {
    let driver = environment.driver();
    let member = environment.need_agent("member", &marked(environment, base, "member")).await?;
    load(driver, "a team", script(driver, &member))?;
    let lead = marked(environment, base, "lead").leading(&member);
    let talk = need_talk(environment, &lead, "").await?;
    talk.need_say(BEGIN).await?;
    let model = driver.model()?;
    let arrives = model.wait_for_held(driver.token(), GATE, 1);
    let _ = driver.clock().within(OVER, arrives).await;
    driver.fact("member held", json!(model.held(driver.token(), GATE)));
    Ok(talk)
}

async fn list_threads(environment: &Environment<'_>, label: &str, talk: &Talk<'_>) {
    environment.send(label, Call::get(format!("/v1/sessions/{}/threads", encoded(talk.session())))).await;
}

async fn delegate_is_blocked_on_the_second_road(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let base = on_road(&environment, "second_road", |row| flag(row, "injected_tools") == Some(true))?;
    let mut talk = begun(&environment, &base).await?;
    let over = talk.until_over().await.is_some();
    let model = driver.model()?;
    driver.fact("turn over", json!({"over": over, "held": model.held(driver.token(), GATE)}));
    environment.read_session("parked", talk.session()).await;
    list_threads(&environment, "threads", &talk).await;
    model.release(driver.token(), GATE);
    let idle = model.wait_until_idle(driver.token());
    let _ = driver.clock().within(OVER, idle).await;
    // What the end of the thread wakes has a moment to begin, and then it is waited for (open point U48).
    driver.clock().pause(A_MOMENT).await;
    talk.read("later").await;
    list_threads(&environment, "threads later", &talk).await;
    talk.say("again", AGAIN).await;
    driver.record_model("model")
}

/// The member was at the model while the coordinator was looked at.
fn member_at_work(recording: &Recording) -> Result<(), Verdict> {
    if recording.fact("member held")? == &json!(1) {
        return Ok(());
    }
    Err(recording.one("say")?.finding(NOT_ASKED, "a model request of the member").into())
}

fn turn_ends_without_it(recording: &Recording, _: &Spec) -> Judged {
    member_at_work(recording)?;
    let seen = recording.one("turn over")?;
    let told = recording.fact("turn over")?;
    let (Some((ended, _)), true, true) =
        (asked(recording, "lead-3"), told["over"] == true, told["held"] == 1)
    else {
        return Err(seen.finding(HELD, "the end of the turn while the member is at work").into());
    };
    Ok(seen.witness().and(ended.witness()))
}

/// The thread of the member in the listing `label`.
fn thread<'r>(recording: &'r Recording, label: &str) -> Result<(Seen<'r>, Option<Value>), Verdict> {
    let member = recording.one("member")?.json()?["id"].as_str().unwrap_or_default().to_owned();
    let list = recording.one(label)?;
    let body = list.json()?;
    let found = entries_of(&body).into_iter().flatten().find(|entry| mentions(entry, &member)).cloned();
    Ok((list, found))
}

fn its_thread_goes_on(recording: &Recording, _: &Spec) -> Judged {
    let (list, found) = thread(recording, "threads")?;
    if found.is_none() {
        return Err(list.finding(NO_THREAD, "a thread with the id of the member").into());
    }
    let (later, found) = thread(recording, "threads later")?;
    let is_done = asked(recording, "member").is_some_and(|(_, turn)| turn.answered_ms.is_some());
    match found {
        Some(thread) if is_done && thread["status"] != "running" => Ok(list.witness().and(later.witness())),
        _ => Err(later.finding(NO_PROGRESS, "a thread that is not running any more").into()),
    }
}

fn the_session_can_be_used(recording: &Recording, _: &Spec) -> Judged {
    member_at_work(recording)?;
    let mut witness = None;
    for (label, states) in [("parked", &["parked", "idle"][..]), ("later", &["parked", "idle", "running"])] {
        let seen = recording.one(label)?;
        let status = seen.json()?["status"].as_str().unwrap_or_default().to_owned();
        if !states.contains(&status.as_str()) {
            return Err(seen.finding(UNUSABLE, format!("the status {}", states.join(" or "))).into());
        }
        witness = Some(
            witness.map_or_else(|| seen.witness(), |before: recording::Witness| before.and(seen.witness())),
        );
    }
    let again = recording.one("again")?;
    if !again.is_success() {
        return Err(again.finding(UNUSABLE, "2xx for a further message").into());
    }
    Ok(witness.map_or_else(|| again.witness(), |before| before.and(again.witness())))
}

async fn delegate_is_blocked_on_the_first_road(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let holds = |row: &Value| {
        starts_here(row) && flag(row, "injected_tools") == Some(true) && flag(row, "approvals") == Some(true)
    };
    let base = on_road(&environment, "first_road", holds)?;
    let mut talk = begun(&environment, &base).await?;
    let over = is_over(driver, &mut talk, A_MOMENT).await;
    driver.record_model("model before")?;
    driver.fact("turn over", json!({ "over": over }));
    driver.model()?.release(driver.token(), GATE);
    let over = talk.until_over().await.is_some();
    driver.fact("turn over later", json!({ "over": over }));
    driver.record_model("model")
}

fn turn_stays_open(recording: &Recording, _: &Spec) -> Judged {
    member_at_work(recording)?;
    let seen = recording.one("turn over")?;
    let before = recording.labelled("model before");
    let answered = |seen: &Seen<'_>, id: &str| {
        recording
            .model_turns()
            .iter()
            .any(|(other, turn)| other.at() == seen.at() && turn.turn.as_deref() == Some(id))
    };
    let went_on = before.iter().any(|seen| answered(seen, "lead-3"));
    if recording.fact("turn over")?["over"] == true || went_on {
        return Err(seen.finding(NOT_HELD, "a turn that is on while the member is at work").as_warning());
    }
    let later = recording.one("turn over later")?;
    match asked(recording, "lead-3") {
        Some((told, _)) if recording.fact("turn over later")?["over"] == true => {
            Ok(seen.witness().and(later.witness()).and(told.witness()))
        }
        _ => Err(later
            .finding("a coordinator that waits is not told that its team is done", "the end of its turn")
            .into()),
    }
}
