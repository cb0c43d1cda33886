//! The listing of the catalogue (VET-03, 57 to 60, 66).

use engine::{Call, Driver, Drove, Key};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    evidence::all_of,
    listing::{PAGES_MAX, next_page},
    reads::{entry_in, path_of},
    rows::{by_base, entry_of, known_bases, need_rows, rows_of, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-03-b" => writes_are_tried, writes_change_nothing;
    "VET-03-c" => two_accounts_list, accounts_see_the_same;
    "VET-57-a" => list_is_read, every_expected_base_is_listed;
    "VET-57-b" => known_bases_are_read, every_readable_base_is_listed;
    "VET-58-a" => header_is_spelled_twice, either_spelling_is_taken;
    "VET-58-b" => list_is_asked_for_without_a_key, no_key_no_list;
    "VET-59-a" => list_is_read, envelope_is_whole;
    "VET-59-b" => limits_are_tried, limit_cuts_nothing;
    "VET-59-c" => list_is_read, next_cursor_is_null;
    "VET-60-a" => both_listings_are_paged, one_loop_reads_both;
    "VET-60-b" => null_cursor_is_left_out, null_cursor_starts_over;
    "VET-66-a" => pi_is_looked_up, pi_is_the_sample;
}

const LIST: &str = "/v1/harnesses";

/// Reads the list, and leaves it to the judge.
pub(crate) async fn list_is_read(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    Ok(())
}

const WRITES: [&str; 4] = ["POST", "PUT", "PATCH", "DELETE"];

async fn writes_are_tried(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "before").await?;
    let base = text(&rows[0], "base").to_owned();
    let row = json!({"base": driver.token(), "label": driver.token(), "status": "ga"});
    for method in WRITES {
        for path in [LIST.to_owned(), path_of(&base)] {
            driver.send("write", Call::new(method, path).json(&row)).await;
        }
    }
    driver.get("after", LIST).await;
    Ok(())
}

fn writes_change_nothing(recording: &Recording, _: &Spec) -> Judged {
    let writes = all_of(recording, "write", 2 * WRITES.len())?;
    for write in &writes {
        write.answer()?;
        if write.is_success() {
            return Err(write.finding("a write to the catalogue was accepted", "no 2xx to any write").into());
        }
    }
    let (before, after) = (recording.one("before")?, recording.one("after")?);
    if by_base(&before)? != by_base(&after)? {
        let message = "the catalogue changed after a write";
        return Err(after.finding(message, "the same objects as before").into());
    }
    Ok(with(after.witness(), &writes))
}

async fn two_accounts_list(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    driver.send("second", Call::get(LIST).key_named("second_account")).await;
    Ok(())
}

fn accounts_see_the_same(recording: &Recording, _: &Spec) -> Judged {
    let (first, second) = (recording.one("list")?, recording.one("second")?);
    if by_base(&first)? != by_base(&second)? {
        let message = "two accounts see different catalogues";
        return Err(second.finding(message, "the objects that the first account sees").into());
    }
    Ok(first.witness().and(second.witness()))
}

fn every_expected_base_is_listed(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let rows = rows_of(&list)?;
    let published = recording.target.list("expected_bases");
    if published.is_empty() {
        return Err(Verdict::Error { reason: "no base is known that has to be listed".to_owned() });
    }
    let missing: Vec<&str> = published.into_iter().filter(|base| entry_of(&rows, base).is_none()).collect();
    if missing.is_empty() {
        return Ok(list.witness());
    }
    let message = "a published loop is missing from the list";
    Err(list.finding(message, format!("an entry for each of {}", missing.join(", "))).into())
}

/// Asks for every base that is known beforehand, listed or not: the list must not decide what is asked.
async fn known_bases_are_read(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    let mut readable = false;
    for base in known_bases(driver.facts()) {
        readable |= driver.get(&format!("read: {base}"), path_of(&base)).await.is_success();
    }
    if readable {
        return Ok(());
    }
    Err(driver.inapplicable("no base that is known beforehand answers a read by id", "list"))
}

fn every_readable_base_is_listed(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let rows = rows_of(&list)?;
    let mut readable = Vec::new();
    for base in known_bases(&recording.target) {
        let read = recording.one(&format!("read: {base}"))?;
        read.answer()?;
        // What is read by a base is that base's, whatever the answer says of itself.
        if entry_in(&read).is_none() {
            continue;
        }
        if entry_of(&rows, &base).is_none() {
            let message = "a base that can be read is missing from the list";
            return Err(list.finding(message, format!("an entry for `{base}`")).into());
        }
        readable.push(read);
    }
    let no_entry = || list.finding("no known base reads as a harness object", "at least one that does");
    let witness = Witness::all(readable.iter().map(Seen::witness)).ok_or_else(no_entry)?;
    Ok(list.witness().and(witness))
}

async fn header_is_spelled_twice(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    driver.send("title", Call::get(LIST).title_case()).await;
    Ok(())
}

fn either_spelling_is_taken(recording: &Recording, _: &Spec) -> Judged {
    let (lower, title) = (recording.one("list")?, recording.one("title")?);
    title.answer()?;
    if title.status() != Some(200) || rows_of(&title).is_err() {
        let message = "the header is not recognised when it is spelled `Authorization`";
        return Err(title.finding(message, "200 with the list, as for `authorization`").into());
    }
    Ok(lower.witness().and(title.witness()))
}

/// In how many ways the list is asked for without a key.
const KEYLESS: usize = 3;

async fn list_is_asked_for_without_a_key(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    let unknown = driver.token();
    let keys: [Key; KEYLESS] =
        [Key::Absent, Key::Raw(format!("Bearer {unknown}")), Key::Raw(unknown.to_owned())];
    for key in keys {
        driver.send("keyless", Call::get(LIST).with_key(key)).await;
    }
    Ok(())
}

fn no_key_no_list(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let tries = all_of(recording, "keyless", KEYLESS)?;
    for keyless in &tries {
        let status = keyless.answer()?.status;
        if keyless.is_success() {
            let message = "the list was given out without a valid key";
            return Err(keyless.finding(message, "401 or 403").into());
        }
        if !matches!(status, 401 | 403) {
            let message = "a request without a valid key was not answered with 401 or 403";
            return Err(keyless.finding(message, "401 or 403").into());
        }
    }
    let witness = with(list.witness(), &tries);
    let forbidden = tries.iter().any(|keyless| keyless.status() == Some(403));
    Ok(if forbidden { witness.noting("403 where there is no valid key") } else { witness })
}

fn envelope_is_whole(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let body = list.json()?;
    let is_whole = body.get("data").is_some_and(Value::is_array)
        && body.get("has_more") == Some(&json!(false))
        && body.get("next_cursor") == Some(&Value::Null);
    if is_whole {
        return Ok(list.witness());
    }
    let message = "the list is not in the envelope of `data`, `has_more` and `next_cursor`";
    Err(list.finding(message, "an array in `data`, `has_more` false and `next_cursor` null").into())
}

const LIMITS: [u32; 2] = [1, 2];

async fn limits_are_tried(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    for limit in LIMITS {
        driver.get("limited", format!("{LIST}?limit={limit}")).await;
    }
    Ok(())
}

fn limit_cuts_nothing(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let whole = by_base(&list)?;
    let tries = all_of(recording, "limited", LIMITS.len())?;
    for limited in &tries {
        if limited.answer()?.status == 400 {
            continue;
        }
        if by_base(limited)? != whole {
            let message = "a limit leaves entries out of the list";
            return Err(limited.finding(message, "every entry of the list without a limit, or 400").into());
        }
        if limited.json()?.get("has_more") != Some(&json!(false)) {
            let message = "the list does not say under a limit that there is no more";
            return Err(limited.finding(message, "`has_more` false").into());
        }
    }
    let witness = with(list.witness(), &tries);
    let refused = tries.iter().any(|limited| limited.status() == Some(400));
    Ok(if refused { witness.noting("400 to the parameter `limit`") } else { witness })
}

fn next_cursor_is_null(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    if list.json()?.get("next_cursor") == Some(&Value::Null) {
        return Ok(list.witness());
    }
    Err(list
        .finding("`next_cursor` is not there as null", "the key `next_cursor` with the value null")
        .into())
}

async fn both_listings_are_paged(driver: &Driver<'_>) -> Drove {
    for (label, path) in [("harnesses", LIST), ("models", "/v1/models")] {
        pages_are_read(driver, label, path).await;
    }
    Ok(())
}

/// The generic loop: it goes on with `next_cursor` as long as `has_more` is true.
async fn pages_are_read(driver: &Driver<'_>, label: &str, path: &str) {
    let parameter = driver.facts().text("cursor_parameter").unwrap_or("cursor").to_owned();
    let mut next = Some(path.to_owned());
    for _ in 0..PAGES_MAX {
        let Some(page) = next else { return };
        let page = driver.get(label, page).await;
        next = next_page(path, &parameter, &page.json.unwrap_or_default());
    }
}

fn one_loop_reads_both(recording: &Recording, _: &Spec) -> Judged {
    Ok(listing_is_paged(recording, "harnesses")?.and(listing_is_paged(recording, "models")?))
}

fn listing_is_paged(recording: &Recording, label: &str) -> Judged {
    let mut last = recording.one(label)?;
    let pages = recording.labelled(label);
    for page in &pages {
        let body = page.json()?;
        let is_page = page.is_success()
            && body.get("data").is_some_and(Value::is_array)
            && body.get("has_more").is_some_and(Value::is_boolean)
            && body.get("next_cursor").is_some_and(|cursor| cursor.is_string() || cursor.is_null());
        if !is_page {
            let message = "the listings of harnesses and of models do not have the same envelope";
            return Err(page.finding(message, "200 with `data`, `has_more` and `next_cursor`").into());
        }
        last = *page;
    }
    if last.json()?.get("has_more") == Some(&json!(false)) {
        return Ok(with(last.witness(), &pages));
    }
    let message = "the loop over the pages of a listing does not end";
    Err(last.finding(message, format!("`has_more` false within {PAGES_MAX} pages")).into())
}

async fn null_cursor_is_left_out(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    driver.get("again", LIST).await;
    Ok(())
}

fn null_cursor_starts_over(recording: &Recording, _: &Spec) -> Judged {
    let (list, again) = (recording.one("list")?, recording.one("again")?);
    if by_base(&list)? != by_base(&again)? {
        let message = "the list is not complete when it is read once more without a cursor";
        return Err(again.finding(message, "every entry of the first reading").into());
    }
    for page in [&list, &again] {
        if page.json()?.get("has_more") == Some(&json!(true)) {
            let message = "a reader that leaves a null cursor out never comes to the end of the list";
            return Err(page.finding(message, "`has_more` false beside a null `next_cursor`").into());
        }
    }
    Ok(list.witness().and(again.witness()))
}

async fn pi_is_looked_up(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "list").await?;
    match entry_of(&rows, "pi") {
        Some(_) => Ok(()),
        None => Err(driver.inapplicable("the catalogue has no entry for `pi`", "list")),
    }
}

fn pi_is_the_sample(recording: &Recording, _: &Spec) -> Judged {
    let sample = json!({
        "base": "pi", "label": "Pi", "location": "hosted", "billing": "usage", "status": "ga",
        "execution": "sandbox",
        "capabilities": {"approvals": true, "structured_output": true, "streaming_deltas": true, "injected_tools": true},
    });
    let list = recording.one("list")?;
    let rows = rows_of(&list)?;
    let entry = entry_of(&rows, "pi").cloned().unwrap_or_default();
    if holds(&entry, &sample) {
        return Ok(list.witness());
    }
    let message = "the entry of `pi` differs from the documented sample";
    Err(list.finding_got(message, format!("{sample}, `runnable` left aside"), entry.to_string()).into())
}

/// Whether `entry` has every member of `sample` with the value there. Further members are allowed.
fn holds(entry: &Value, sample: &Value) -> bool {
    match sample {
        Value::Object(members) => {
            members.iter().all(|(name, value)| entry.get(name).is_some_and(|own| holds(own, value)))
        }
        value => entry == value,
    }
}

/// `witness`, and all of `seen`.
fn with(witness: Witness, seen: &[Seen<'_>]) -> Witness {
    seen.iter().fold(witness, |witness, each| witness.and(each.witness()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_tolerates_more_and_nothing_else() {
        let sample = json!({"a": 1, "b": {"c": true}});
        for (entry, expected) in [
            (json!({"a": 1, "b": {"c": true}}), true),
            (json!({"a": 1, "b": {"c": true, "d": 0}, "e": null}), true),
            (json!({"a": 1, "b": {"c": false}}), false),
            (json!({"a": 1, "b": true}), false),
            (json!({"b": {"c": true}}), false),
            (json!(null), false),
        ] {
            assert_eq!(holds(&entry, &sample), expected, "{entry}");
        }
    }
}
