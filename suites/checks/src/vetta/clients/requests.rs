//! What a client sends, and what it makes of the answers (VET-241, 244 to 246).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Verdict, Witness};
use serde_json::Value;
use spec::Spec;

use super::{
    super::rows::text,
    choices::{all_are_shown, shows_all},
    printed::{list_reads, requests, served, visit, visits},
    shop::{Shop, Trade, row},
};
use crate::table::checks;

checks! { Vetta:
    "VET-241-a" => loop_is_picked, its_base_is_sent;
    "VET-244-a" => two_pages_are_served, both_pages_are_shown;
    "VET-245-a" => list_fails, nothing_is_made_up;
    "VET-246-a" => loop_is_picked, key_is_in_the_header_alone;
}

const OTHER_VALUE: &str = "the client does not send the `base` of the entry that was picked";
const ONE_PAGE: &str = "the client does not show what comes on a second page";
const MADE_UP: &str = "the client offers loops although the list could not be read";
const KEY_ELSEWHERE: &str = "the client sends its key elsewhere than in the header `authorization`";
const NO_KEY: &str = "the client sends a request without its key";

async fn loop_is_picked(driver: &Driver<'_>) -> Drove {
    let (first, second) = (row(driver, "first"), row(driver, "second"));
    let base = text(&second, "base").to_owned();
    let shop = Shop::open(driver, vec![first, second], Trade::default()).await?;
    shop.visit(Some(&base)).await
}

/// What a body says of the loop, wherever it says it.
fn harness_in(body: &Value) -> Option<&str> {
    ["/harness", "/agent/harness"].iter().find_map(|place| body.pointer(place)?.as_str())
}

fn its_base_is_sent(recording: &Recording, _: &Spec) -> Judged {
    let visit = visit(recording)?;
    let reads = list_reads(recording)?;
    let (table, rows) = served(recording)?;
    let picked = rows.last().map_or("", |row| text(row, "base"));
    let mut witness = table.witness().and(visit.seen.witness()).and(reads[0].seen.witness());
    let mut is_sent = false;
    for request in requests(recording)?.iter().filter(|request| request.text("method") == "POST") {
        let body = request.body();
        match harness_in(&body) {
            Some(sent) if sent == picked => {
                is_sent = true;
                witness = witness.and(request.seen.witness());
            }
            Some(_) => return Err(request.seen.finding(OTHER_VALUE, format!("`{picked}`")).into()),
            None => {}
        }
    }
    if is_sent {
        return Ok(witness);
    }
    let reason = "the client writes no agent: it only shows what can be chosen".to_owned();
    Err(Verdict::NotApplicable { reason, evidence: Some(witness) })
}

async fn two_pages_are_served(driver: &Driver<'_>) -> Drove {
    let rows = ["first", "second", "third"].map(|name| row(driver, name));
    let shop = Shop::open(driver, rows.into(), Trade { per_page: Some(2), fails: None }).await?;
    shop.visit(None).await
}

fn both_pages_are_shown(recording: &Recording, _: &Spec) -> Judged {
    all_are_shown(recording, ONE_PAGE)
}

/// Far more answers than any client asks for.
const ALWAYS: usize = 1_000_000;

/// A list that cannot be read at all, and one that can be read at the second attempt.
async fn list_fails(driver: &Driver<'_>) -> Drove {
    for fails in [(500, ALWAYS), (503, 1)] {
        let trade = Trade { per_page: None, fails: Some(fails) };
        Shop::open(driver, vec![row(driver, "first")], trade).await?.visit(None).await?;
    }
    Ok(())
}

/// Whether a client tries again is its own affair: it shows the list as it is, or offers nothing.
fn nothing_is_made_up(recording: &Recording, _: &Spec) -> Judged {
    let (table, rows) = served(recording)?;
    let mut witness: Witness = table.witness();
    for read in list_reads(recording)? {
        witness = witness.and(read.seen.witness());
    }
    let visits = visits(recording)?;
    let [never, second] = &visits[..] else {
        return Err(Verdict::Error { reason: "two visits were to be made".to_owned() });
    };
    if !never.offered().is_empty() {
        return Err(never.seen.finding(MADE_UP, "nothing that can be selected").into());
    }
    if !second.offered().is_empty() {
        shows_all(second, &rows, MADE_UP)?;
    }
    Ok(witness.and(never.seen.witness()).and(second.seen.witness()))
}

fn key_is_in_the_header_alone(recording: &Recording, _: &Spec) -> Judged {
    let key = format!("sk_{}", recording.token);
    let (table, visit) = (served(recording)?.0, visit(recording)?);
    let mut witness = table.witness().and(visit.seen.witness());
    list_reads(recording)?;
    for request in requests(recording)? {
        if ["path", "query", "body"].iter().any(|place| request.text(place).contains(&key)) {
            return Err(request.seen.finding(KEY_ELSEWHERE, "the key in `authorization` alone").into());
        }
        let authorization = request.text("authorization");
        let is_bearer = authorization
            .split_once(' ')
            .is_some_and(|(scheme, sent)| scheme.eq_ignore_ascii_case("bearer") && sent.trim() == key);
        if !is_bearer {
            return Err(request.seen.finding(NO_KEY, "`authorization: Bearer KEY`").into());
        }
        witness = witness.and(request.seen.witness());
    }
    Ok(witness)
}
