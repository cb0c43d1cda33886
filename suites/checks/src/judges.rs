//! Judges on recordings made by hand: what once passed and must not.

use recording::Status;
use serde_json::{Value, json};

use crate::handmade::Handmade;

fn list() -> Value {
    json!({"data": [{"base": "pi", "runnable": true}], "has_more": false, "next_cursor": null})
}

/// A recording that has everything but the entries under test.
fn listed(id: &str) -> Handmade {
    let labels = ["list", "before", "after"];
    let made = labels.iter().fold(Handmade::of(id), |made, label| made.answer(label, 200, &list()));
    made.answer("published", 200, &json!({"base": "pi"}))
}

#[test]
fn the_entries_under_test_have_to_be_all_there() {
    let error = json!({"error": {}});
    for (id, count, label, status, body) in [
        ("VET-03-b", 8, "write", 405, &error),
        ("VET-58-b", 3, "keyless", 401, &error),
        ("VET-59-b", 2, "limited", 200, &list()),
        ("VET-62-a", 2, "unknown", 404, &error),
    ] {
        let with = |count| (0..count).fold(listed(id), |made, _| made.answer(label, status, body));
        for few in 0..count {
            assert_eq!(with(few).status(), Status::Error, "{id}: {few} of `{label}`");
        }
        assert_eq!(with(count).status(), Status::Pass, "{id}");
    }
}

/// The twin was published and nothing else, and so many attempts at a fault were refused.
fn refused(attempts: usize) -> Handmade {
    let agent = json!({"id": "a", "latestVersionId": "v"});
    let made = Handmade::of("OAO-45-b").answer("twin", 201, &agent);
    let made = (0..attempts).fold(made, |made, at| made.answer(&format!("fault {at}"), 422, &json!({})));
    let made = made.answer("versions", 200, &json!({"data": [{"id": "v"}]}));
    made.answer("agents", 200, &json!({"data": [{"id": "a", "name": "t0ken-1"}]}))
}

#[test]
fn a_refusal_needs_something_to_refuse() {
    for (attempts, expected) in
        [(0, Status::Error), (1, Status::Error), (2, Status::Pass), (3, Status::Error)]
    {
        assert_eq!(refused(attempts).status(), expected, "{attempts} attempts");
    }
}

#[test]
fn an_acceptance_needs_all_its_publications() {
    let agent = json!({"id": "a", "latestVersionId": "v"});
    let operations = json!([{"key": "k"}]);
    let sent = json!({"initialConfig": {"harnessOperations": operations}});
    let read = json!({"id": "v", "config": {"harnessOperations": operations}});
    let with = |count: usize| {
        (0..count).fold(Handmade::of("OAO-46-a"), |made, at| {
            let json = (201, "application/json");
            let made = made.exchange(&format!("publish {at}"), json, &sent, &agent);
            made.answer(&format!("read {at}"), 200, &read)
        })
    };
    for (count, expected) in [(0, Status::Error), (1, Status::Error), (2, Status::Pass)] {
        assert_eq!(with(count).status(), expected, "{count} publications");
    }
}

#[test]
fn a_limit_leaves_has_more_there_and_false() {
    for (has_more, expected) in [
        (json!(false), Status::Pass),
        (json!(true), Status::Fail),
        (json!(null), Status::Fail),
        (json!(0), Status::Fail),
    ] {
        let mut page = list();
        page["has_more"] = has_more.clone();
        let made = listed("VET-59-b").answer("limited", 200, &page).answer("limited", 200, &page);
        assert_eq!(made.status(), expected, "{has_more}");
    }
}

#[test]
fn a_base_that_reads_as_another_one_is_missing_all_the_same() {
    let pi = json!({"base": "pi"});
    let read = |of_vetta: u16| {
        let made = listed("VET-57-b").answer("read: pi", 200, &pi);
        made.answer("read: vetta", of_vetta, &pi)
    };
    assert_eq!(read(404).status(), Status::Pass);
    assert_eq!(read(200).status(), Status::Fail);
}

#[test]
fn a_read_that_gives_the_list_is_no_read() {
    let entry = json!({"base": "pi", "runnable": true});
    for (body, expected) in [
        (entry.clone(), Status::Pass),
        (json!({"data": entry}), Status::Pass),
        (json!({"data": [entry]}), Status::Fail),
    ] {
        assert_eq!(listed("VET-61-a").answer("read", 200, &body).status(), expected, "{body}");
    }
}

#[test]
fn only_an_event_stream_can_be_followed() {
    let session = json!({"id": "s"});
    for (kind, expected) in [
        ("text/event-stream", Status::Pass),
        ("text/event-stream; charset=utf-8", Status::Pass),
        ("application/json", Status::Fail),
        ("text/html", Status::Fail),
    ] {
        let made = Handmade::of("VET-35-a").answer("start", 201, &session);
        let made = made.exchange("stream", (200, kind), &json!(null), &json!({}));
        assert_eq!(made.answer("events", 200, &json!({})).status(), expected, "{kind}");
    }
}

#[test]
fn the_refusal_of_a_start_is_a_400() {
    for (status, expected) in
        [(400, Status::Pass), (422, Status::Fail), (404, Status::Fail), (201, Status::Fail)]
    {
        let made = Handmade::of("VET-24-b").answer("start: pi", status, &json!({"id": "s"}));
        assert_eq!(made.status(), expected, "{status}");
    }
}

#[test]
fn what_is_told_per_base_is_told_for_some_base() {
    assert_eq!(listed("VET-20-a").status(), Status::Error);
    // One write of each kind, and then one of the two only.
    let agent = json!({"id": "a", "tools": {"permission": "ask"}});
    let half = Handmade::of("VET-26-a").answer("create: pi", 201, &agent);
    assert_eq!(half.status(), Status::Error);
    assert_eq!(half.answer("patch: pi", 200, &agent).status(), Status::Pass);
}
