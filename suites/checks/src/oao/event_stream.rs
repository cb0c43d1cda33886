//! The event stream: positions, cursors, replays, comments (OAO-238 to 242).

use std::time::Duration;

use engine::{Call, Driver, Drove, Halt, Received};
use model::{Answer, Conditions, Script, Turn};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;
use wire::sse::{Frame, Parser};

use super::{
    agents::{config_without_operations, need_agent, project},
    callers::refused,
    refusal::numbered,
    runs::{BEGIN, Started, load, settle, start},
};
use crate::{percent::encoded, table::checks};

checks! { Oao:
    "OAO-238-a" => a_page_is_read, no_position_is_left_out;
    "OAO-239-a" => a_page_is_resumed, the_rest_follows;
    "OAO-239-b" => a_page_is_resumed_by_two_cursors, the_header_decides;
    "OAO-239-c" => cursors_are_made_up, they_are_refused;
    "OAO-240-a" => a_page_is_read, one_page_and_the_end;
    "OAO-241-a" => a_stream_is_listened_to, it_greets_first;
    "OAO-241-b" => a_stream_is_listened_to, it_speaks_at_least_every_ten_seconds;
    "OAO-242-a" => a_page_is_read_twice, both_are_the_same;
    "OAO-242-b" => a_run_and_its_details, both_rows_agree;
}

/// The most events of one page.
const PAGE: usize = 200;
/// How long a stream is listened to for its comments.
const LISTENED: Duration = Duration::from_secs(24);
/// Within a stream nothing is silent for longer than ten seconds, and some grace.
const SILENCE_MAX_MS: u64 = 13_000;
const FIRST_SHOWN: Duration = Duration::from_secs(20);

fn words_only() -> Result<Script, model::ScriptError> {
    let parent = Conditions::new().user_contains(BEGIN);
    Script::new("words only", [Turn::new("parent", Answer::new().text("Done.")).when(parent)])
}

fn stream(driver: &Driver<'_>) -> String {
    format!("{}/events", project(driver))
}

/// Runs a session with one answer, and gives the cursor of its first event.
async fn need_run(driver: &Driver<'_>) -> Result<(Started, String), Halt> {
    load(driver, words_only())?;
    let own = config_without_operations(driver);
    let agent = need_agent(driver, "publish", &own, "publish a minimal agent").await?;
    let started = start(driver, "start", &agent).await?;
    let run = started.run.clone();
    let about = move |event: &Received| event.data["aggregateId"] == run.as_str();
    let first = match driver.listen_for("first", Call::get(stream(driver)), about).await {
        Some(mut feed) => feed.next(FIRST_SHOWN).await.and_then(|event| event.id),
        None => None,
    };
    settle(driver, &started).await?;
    let details = driver.get("step", format!("{}/runs/{}", project(driver), started.run)).await;
    let cursor = first
        .ok_or_else(|| driver.setup_failed(&details, "read an event of the run", "an event with an `id`"))?;
    Ok((started, cursor))
}

/// One page of events, in one answer.
async fn page(driver: &Driver<'_>, label: &str, cursor: Option<&str>, last: Option<&str>) {
    let query = cursor.map(|cursor| format!("&cursor={}", encoded(cursor))).unwrap_or_default();
    let call =
        Call::get(format!("{}?once=true{query}", stream(driver))).header("accept", "text/event-stream");
    let call = match last {
        Some(last) => call.header("last-event-id", last),
        None => call,
    };
    driver.send(label, call).await;
}

/// The frames of a page; a finding where it is none.
fn frames(page: &Seen<'_>) -> Result<Vec<Frame>, Verdict> {
    page.answer()?;
    let kind = page.header("content-type").unwrap_or_default();
    if !page.is_success() || !kind.starts_with("text/event-stream") {
        return Err(page.finding("a page of events could not be read", "200 with an event stream").into());
    }
    let mut parser = Parser::default();
    Ok(parser.push(page.text().unwrap_or_default().as_bytes()))
}

/// The events of a page, which has some.
fn events(page: &Seen<'_>) -> Result<Vec<Value>, Verdict> {
    let events: Vec<Value> =
        frames(page)?.into_iter().filter_map(|frame| serde_json::from_str(&frame.data?).ok()).collect();
    if events.is_empty() {
        return Err(page.finding("a page of events has none", "the events after the cursor").into());
    }
    Ok(events)
}

fn ids(page: &Seen<'_>) -> Result<Vec<String>, Verdict> {
    Ok(frames(page)?.into_iter().filter_map(|frame| frame.id).collect())
}

async fn a_page_is_read(driver: &Driver<'_>) -> Drove {
    let (_, cursor) = need_run(driver).await?;
    page(driver, "page", Some(&cursor), None).await;
    Ok(())
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn no_position_is_left_out(recording: &Recording, _: &Spec) -> Judged {
    let message = "the positions of a project's events have gaps";
    let page = recording.one("page")?;
    let events = events(&page)?;
    let positions: Vec<u64> = events.iter().filter_map(|event| number(&event["projectPosition"])).collect();
    let follows = |pair: &[u64]| pair[1] == pair[0] + 1;
    if positions.len() != events.len() || !positions.windows(2).all(follows) {
        let got = format!("{positions:?}");
        return Err(page.finding_got(message, "each position one more than the last", got).into());
    }
    let run = recording.one("run")?.json()?["id"].clone();
    let own = events.iter().filter(|event| event["aggregateType"] == "run" && event["aggregateId"] == run);
    let sequence: Vec<u64> = own.filter_map(|event| number(&event["aggregateSequence"])).collect();
    if sequence.len() < 2 || !sequence.windows(2).all(follows) {
        let message = "the events of a run are not numbered without gaps";
        return Err(page.finding_got(message, "1, 2, 3 … on", format!("{sequence:?}")).into());
    }
    Ok(page.witness())
}

fn one_page_and_the_end(recording: &Recording, _: &Spec) -> Judged {
    let page = recording.one("page")?;
    let frames = frames(&page)?;
    let data = frames.iter().filter(|frame| frame.data.is_some()).count();
    if data == 0 || data > PAGE {
        let message = "`once=true` did not give one page";
        let got = format!("{data} events");
        return Err(page.finding_got(message, format!("1 to {PAGE} events"), got).into());
    }
    match frames.iter().flat_map(|frame| &frame.comments).next() {
        None => Ok(page.witness()),
        Some(comment) => {
            let message = "`once=true` gave comments";
            Err(page
                .finding_got(message, "events and nothing else", format!("the comment `{comment}`"))
                .into())
        }
    }
}

/// The id of an event in the middle of what was recorded of the run.
fn middle(driver: &Driver<'_>, page: &engine::Reply, text: Option<&str>) -> Result<String, Halt> {
    let mut parser = Parser::default();
    let frames = parser.push(text.unwrap_or_default().as_bytes());
    let ids: Vec<String> = frames.into_iter().filter_map(|frame| frame.id).collect();
    match ids.get(ids.len() / 2) {
        Some(id) if ids.len() > 1 => Ok(id.clone()),
        _ => Err(driver.setup_failed(page, "read a page of events", "some events with an `id`")),
    }
}

/// Reads a page, and gives its cursor and that of an event in its middle.
async fn read_to_resume(driver: &Driver<'_>) -> Result<(String, String), Halt> {
    let (_, cursor) = need_run(driver).await?;
    let path = format!("{}?once=true&cursor={}", stream(driver), encoded(&cursor));
    let call = Call::get(path).header("accept", "text/event-stream");
    let (reply, text) = driver.send_for_text("page", call).await;
    let middle = middle(driver, &reply, text.as_deref())?;
    driver.fact("middle", json!(middle));
    Ok((cursor, middle))
}

async fn a_page_is_resumed(driver: &Driver<'_>) -> Drove {
    let (_, middle) = read_to_resume(driver).await?;
    page(driver, "rest", None, Some(&middle)).await;
    Ok(())
}

async fn a_page_is_resumed_by_two_cursors(driver: &Driver<'_>) -> Drove {
    let (cursor, middle) = read_to_resume(driver).await?;
    page(driver, "rest", Some(&cursor), Some(&middle)).await;
    Ok(())
}

/// The rest begins with what came after the event in the middle; a shared target may have more by now.
fn is_the_rest(recording: &Recording, message: &str) -> Judged {
    let (page, rest) = (recording.one("page")?, recording.one("rest")?);
    let middle = recording.fact("middle")?.as_str().unwrap_or_default();
    let (all, after) = (ids(&page)?, ids(&rest)?);
    let at = all.iter().position(|id| id == middle).map_or(0, |at| at + 1);
    if after.starts_with(&all[at..]) {
        return Ok(page.witness().and(rest.witness()));
    }
    Err(rest.finding_got(message, format!("{:?}", &all[at..]), format!("{after:?}")).into())
}

fn the_rest_follows(recording: &Recording, _: &Spec) -> Judged {
    is_the_rest(recording, "a stream that was resumed did not go on where it had ended")
}

fn the_header_decides(recording: &Recording, _: &Spec) -> Judged {
    is_the_rest(recording, "the cursor of the query won over `Last-Event-ID`")
}

async fn cursors_are_made_up(driver: &Driver<'_>) -> Drove {
    for (at, cursor) in ["nonsense", "djI6MQ", "-1"].into_iter().enumerate() {
        page(driver, &format!("made up {at}, in the query"), Some(cursor), None).await;
        page(driver, &format!("made up {at}, in the header"), None, Some(cursor)).await;
    }
    Ok(())
}

fn they_are_refused(recording: &Recording, _: &Spec) -> Judged {
    let all = numbered(recording.starting_with("made up "), 6, "cursors")?;
    for page in &all {
        refused(page, "a cursor that nobody gave out was taken", 400, "bad_request")?;
    }
    let nothing = || Verdict::Error { reason: "nothing was recorded".to_owned() };
    Witness::all(all.iter().map(Seen::witness)).ok_or_else(nothing)
}

async fn a_stream_is_listened_to(driver: &Driver<'_>) -> Drove {
    driver.claimed("keepalive")?;
    // From here on: the history of a project may be longer than what is listened to.
    let (_, cursor) = need_run(driver).await?;
    if let Some(feed) =
        driver.listen("stream", Call::get(stream(driver)).header("last-event-id", cursor)).await
    {
        // It is over after this time, or by itself.
        let _ = feed.with_comments().until(LISTENED, |_| false).await;
    }
    driver.fact("end", json!(true));
    driver.record_model("model")
}

fn comment(seen: &Seen<'_>) -> Option<String> {
    seen.value()?.get("comment")?.as_str().map(|text| text.trim().to_owned())
}

/// What the stream gave after its head.
fn heard(recording: &Recording) -> Result<(Seen<'_>, Vec<Seen<'_>>), Verdict> {
    let head = recording.one("stream")?;
    head.answer()?;
    if !head.is_success() {
        return Err(head.finding("the event stream could not be opened", "200").into());
    }
    Ok((head, recording.labelled("stream").into_iter().skip(1).collect()))
}

fn it_greets_first(recording: &Recording, _: &Spec) -> Judged {
    let (head, heard) = heard(recording)?;
    match heard.first().filter(|seen| comment(seen).as_deref() == Some("connected")) {
        Some(first) => Ok(head.witness().and(first.witness())),
        None => {
            let message = "an event stream does not begin with its greeting";
            Err(heard.first().unwrap_or(&head).finding(message, "the comment `: connected`").into())
        }
    }
}

fn it_speaks_at_least_every_ten_seconds(recording: &Recording, _: &Spec) -> Judged {
    let message = "an event stream was silent for longer than its keepalive allows";
    let (head, heard) = heard(recording)?;
    let mut last = head.at_ms();
    for seen in heard.iter().chain([&recording.one("end")?]) {
        if seen.at_ms().saturating_sub(last) > SILENCE_MAX_MS {
            let got = format!("nothing from {last} ms to {} ms", seen.at_ms());
            return Err(seen.finding_got(message, "a comment after 10 s of silence", got).into());
        }
        last = seen.at_ms();
    }
    let keepalive = heard.iter().find(|seen| comment(seen).as_deref() == Some("keepalive"));
    match keepalive {
        Some(seen) => Ok(head.witness().and(seen.witness())),
        None if heard.is_empty() => Err(head.finding(message, "comments").into()),
        None if last < 10_000 => Err(head.finding(message, "a stream that stays open").into()),
        None => Err(Verdict::Untested {
            reason:
                "the project was never silent for ten seconds, so no keepalive was due: run this check alone"
                    .to_owned(),
        }),
    }
}

async fn a_page_is_read_twice(driver: &Driver<'_>) -> Drove {
    let (_, cursor) = need_run(driver).await?;
    for label in ["page", "page again"] {
        page(driver, label, Some(&cursor), None).await;
    }
    Ok(())
}

fn both_are_the_same(recording: &Recording, _: &Spec) -> Judged {
    let (first, again) = (recording.one("page")?, recording.one("page again")?);
    let (one, other) = (events(&first)?, events(&again)?);
    // By then there may be more.
    if other.starts_with(&one) {
        return Ok(first.witness().and(again.witness()));
    }
    let message = "events that were read again are not the same";
    Err(again.finding(message, "the events of the first reading").into())
}

async fn a_run_and_its_details(driver: &Driver<'_>) -> Drove {
    need_run(driver).await.map(|_| ())
}

fn both_rows_agree(recording: &Recording, _: &Spec) -> Judged {
    let message = "an event reads otherwise in the details of its session than in the stream";
    let detail = recording.one("detail")?;
    let rows = detail.json()?["debug"]["productEvents"].as_array().cloned().unwrap_or_default();
    let mut witness = detail.witness();
    let mut compared = 0;
    for (seen, event) in recording.events("events") {
        let Some(row) = rows.iter().find(|row| row["id"] == event["id"]) else {
            let expected = format!("the event {} among `debug.productEvents`", event["id"]);
            return Err(detail.finding("an event of the stream is not in the details", expected).into());
        };
        let same = row["eventKind"] == event["kind"]
            && row["publicPayload"] == event["publicPayload"]
            && row["aggregateType"] == event["aggregateType"]
            && row["aggregateId"] == event["aggregateId"]
            && row["occurredAt"] == event["occurredAt"]
            && number(&row["projectPosition"]) == number(&event["projectPosition"])
            && number(&row["aggregateSequence"]) == number(&event["aggregateSequence"]);
        if !same {
            return Err(detail.finding_got(message, event.to_string(), row.to_string()).into());
        }
        compared += 1;
        witness = witness.and(seen.witness());
    }
    if compared == 0 {
        return Err(detail.finding("no event of the run was seen in the stream", "events of the run").into());
    }
    Ok(witness)
}
