//! Lists, page by page (OAO-237).

use std::time::Duration;

use engine::{Driver, Drove};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{config_without_operations, listed, need_agent, project},
    callers::refused,
    refusal::numbered,
};
use crate::{percent::encoded, table::checks};

checks! { Oao:
    "OAO-237-a" => limits_of_all_sorts, only_sound_limits_are_taken;
    "OAO-237-b" => small_pages_are_walked, every_row_comes_once;
    "OAO-237-c" => a_cursor_is_made_up, it_is_refused;
    "OAO-237-d" => small_pages_are_walked, the_newest_comes_first;
}

/// So many agents are looked for among the newest.
const AGENTS: usize = 5;
/// Between two of them.
const APART: Duration = Duration::from_millis(5);
/// The most pages that are walked: on a shared target others publish too.
const PAGES_MAX: usize = 60;

fn agents_path(driver: &Driver<'_>) -> String {
    format!("{}/agents", project(driver))
}

async fn limits_of_all_sorts(driver: &Driver<'_>) -> Drove {
    for limit in ["1", "200"] {
        driver.get(&format!("sound {limit}"), format!("{}?limit={limit}", agents_path(driver))).await;
    }
    for limit in ["0", "201", "-1", "1.5", "ten"] {
        driver.get(&format!("faulty {limit}"), format!("{}?limit={limit}", agents_path(driver))).await;
    }
    Ok(())
}

fn only_sound_limits_are_taken(recording: &Recording, _: &Spec) -> Judged {
    let sound = numbered(recording.starting_with("sound "), 2, "limits")?;
    for page in &sound {
        listed(page)?;
    }
    let faulty = numbered(recording.starting_with("faulty "), 5, "limits")?;
    for page in &faulty {
        refused(page, "a limit that no page may have was taken", 400, "bad_request")?;
    }
    let all = sound.iter().chain(&faulty).map(Seen::witness);
    Witness::all(all).ok_or_else(|| Verdict::Error { reason: "nothing was recorded".to_owned() })
}

/// Publishes agents and walks through pages of two until all of them have come.
async fn small_pages_are_walked(driver: &Driver<'_>) -> Drove {
    let mut ids = Vec::new();
    for at in 0..AGENTS {
        let label = format!("agent {at}");
        let own = config_without_operations(driver);
        ids.push(need_agent(driver, &label, &own, "publish a minimal agent").await?.id);
        // Each is older than the next.
        driver.clock().pause(APART).await;
    }
    driver.fact("ids", json!(ids));
    let path = format!("{}?limit=2", agents_path(driver));
    let mut next = path.clone();
    let mut missing = ids;
    for _ in 0..PAGES_MAX {
        let page = driver.get("page", next).await;
        let rows = page.json.as_ref().and_then(|body| body["data"].as_array().cloned()).unwrap_or_default();
        missing.retain(|id| rows.iter().all(|row| row["id"] != id.as_str()));
        let Some(cursor) = page.text("/pageInfo/nextCursor").filter(|_| !missing.is_empty()) else { break };
        next = format!("{path}&cursor={}", encoded(cursor));
    }
    Ok(())
}

fn rows(recording: &Recording) -> Result<(Vec<Value>, Witness), Verdict> {
    let pages = recording.labelled("page");
    let mut all = Vec::new();
    for page in &pages {
        let rows = listed(page)?;
        let info = page.json()?["pageInfo"].clone();
        let more = info["hasMore"] == true;
        if rows.len() > 2 || more != info["nextCursor"].is_string() {
            let expected = "at most two rows, and a cursor exactly where there are more";
            return Err(page.finding("a page is not as it was asked for", expected).into());
        }
        all.extend(rows);
    }
    let witness = Witness::all(pages.iter().map(Seen::witness));
    Ok((all, witness.unwrap_or(recording.one("page")?.witness())))
}

fn own_rows(rows: &[Value], ids: &[Value]) -> Vec<Value> {
    rows.iter().map(|row| row["id"].clone()).filter(|id| ids.contains(id)).collect()
}

fn ids(recording: &Recording) -> Result<Vec<Value>, Verdict> {
    Ok(recording.fact("ids")?.as_array().cloned().unwrap_or_default())
}

fn every_row_comes_once(recording: &Recording, _: &Spec) -> Judged {
    let ids = ids(recording)?;
    let (rows, witness) = rows(recording)?;
    let got = own_rows(&rows, &ids);
    let once = ids.iter().all(|id| got.iter().filter(|other| *other == id).count() == 1);
    if once {
        return Ok(witness);
    }
    let message = "over the pages of a list a row was lost or came twice";
    let first = recording.one("page")?;
    Err(first.finding_got(message, format!("each of {ids:?} once"), format!("{got:?}")).into())
}

fn the_newest_comes_first(recording: &Recording, _: &Spec) -> Judged {
    let ids = ids(recording)?;
    let (rows, witness) = rows(recording)?;
    let own: Vec<&Value> = rows.iter().filter(|row| ids.contains(&row["id"])).collect();
    // Rows of one instant may come in either order.
    let times: Vec<&str> = own.iter().filter_map(|row| row["createdAt"].as_str()).collect();
    if !times.is_empty() && times.is_sorted_by(|newer, older| newer >= older) {
        return Ok(witness);
    }
    let first = recording.one("page")?;
    let message = "a list does not begin with what is newest";
    Err(first.finding_got(message, "`createdAt` from newer to older", format!("{times:?}")).into())
}

async fn a_cursor_is_made_up(driver: &Driver<'_>) -> Drove {
    for (at, cursor) in ["nonsense", "%F0%9F%92%A5", "djI6MTQy"].into_iter().enumerate() {
        driver.get(&format!("faulty {at}"), format!("{}?cursor={cursor}", agents_path(driver))).await;
    }
    Ok(())
}

fn it_is_refused(recording: &Recording, _: &Spec) -> Judged {
    let faulty = numbered(recording.starting_with("faulty "), 3, "cursors")?;
    for page in &faulty {
        refused(page, "a cursor that nobody gave out was taken", 400, "bad_request")?;
    }
    let all = faulty.iter().map(Seen::witness);
    Witness::all(all).ok_or_else(|| Verdict::Error { reason: "nothing was recorded".to_owned() })
}
