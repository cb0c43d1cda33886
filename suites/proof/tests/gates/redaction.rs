//! A leak is seen in whatever form it comes: every channel, in every disguise, in every public place.

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use engine::judge;
use recording::{Reception, Recording, Status, What};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use crate::reference::run_one;

/// The check that hunts what every channel was given.
const CHECK: &str = "OAO-300-a";

type Write = fn(&str) -> String;
/// How a leak may be written. None of this is the code that hunts.
const DISGUISES: [(&str, Write); 16] = [
    ("raw", |text| text.to_owned()),
    ("upper case", |text| text.to_uppercase()),
    ("first eight letters", |text| text[..8].to_owned()),
    ("last eight letters", |text| text[text.len() - 8..].to_owned()),
    ("JSON in a string", |text| json!({"inner": text}).to_string()),
    ("JSON in JSON in a string", |text| json!({"outer": json!({"inner": text}).to_string()}).to_string()),
    ("JSON escapes", |text| text.chars().map(|letter| format!("\\u{:04x}", letter as u32)).collect()),
    ("percent signs", |text| text.bytes().map(|byte| format!("%{byte:02X}")).collect()),
    ("a URL", |text| format!("https://example.test/?q=a%20{text}%20b")),
    ("hex", |text| text.bytes().map(|byte| format!("{byte:02x}")).collect()),
    ("upper hex", |text| text.bytes().map(|byte| format!("{byte:02X}")).collect()),
    ("base64", |text| STANDARD.encode(text)),
    ("base64, shifted by one", |text| STANDARD.encode(format!("x{text}"))),
    ("base64, shifted by two", |text| STANDARD.encode(format!("xx{text}"))),
    ("base64url", |text| URL_SAFE_NO_PAD.encode(format!("??{text}??"))),
    ("a sentence", |text| format!("It said: {text}, and no more.")),
];

type Plant = fn(&mut Recording, &str) -> bool;
/// Where a leak may show.
const PLACES: [(&str, Plant); 5] = [
    ("a value of an event", |recording, leak| {
        in_event(recording, &mut |data| data["publicPayload"]["note"] = json!(leak))
    }),
    ("a name in an event", |recording, leak| {
        in_event(recording, &mut |data| data["publicPayload"][leak] = json!(true))
    }),
    ("a summary", |recording, leak| {
        in_event(recording, &mut |data| data["publicPayload"]["summary"] = json!([{"text": leak}]))
    }),
    ("two events, half in each", |recording, leak| {
        let half = leak.char_indices().nth(leak.chars().count() / 2).map_or(0, |(at, _)| at);
        let mut halves = [&leak[..half], &leak[half..]].into_iter();
        let mut events = 0;
        for entry in &mut recording.entries {
            if let What::Event { data, .. } = &mut entry.what
                && let Some(half) = halves.next()
            {
                data["publicPayload"]["piece"] = json!(half);
                events += 1;
            }
        }
        events == 2
    }),
    ("a header", |recording, leak| {
        let mut heads = recording.entries.iter_mut().filter_map(|entry| match &mut entry.what {
            What::Exchange(exchange) if entry.label == "public" => match &mut exchange.outcome {
                Reception::Answered(answer) => Some(&mut answer.headers),
                Reception::Failed { .. } => None,
            },
            _ => None,
        });
        heads.next().map(|headers| headers.push(("x-debug".to_owned(), leak.to_owned()))).is_some()
    }),
];

fn in_event(recording: &mut Recording, change: &mut dyn FnMut(&mut Value)) -> bool {
    let mut events = recording.entries.iter_mut().filter_map(|entry| match &mut entry.what {
        What::Event { data, .. } if data["kind"] == "harness.operation_step" => Some(data),
        _ => None,
    });
    events.next().map(change).is_some()
}

#[test]
fn every_channel_in_every_disguise_and_place_is_found() {
    let spec = Spec::load().unwrap();
    let registry = checks::registry();
    let check = registry.get(CHECK).unwrap();
    let clean = run_one(Contract::Oao, check);
    assert_eq!(judge(check, &clean, spec).status(), Status::Pass, "there is no false alarm");
    let planted = clean.entries.iter().find(|entry| entry.label == "canaries").unwrap();
    let What::Fact(Value::Object(channels)) = &planted.what else { panic!("the canaries are no fact") };
    let mut seeded = 0;
    let mut missed = Vec::new();
    for (channel, canary) in channels {
        for (disguise, write) in DISGUISES {
            for (place, plant) in PLACES {
                // Eight letters that are torn apart are no piece of eight letters any more.
                if place.starts_with("two") && disguise.contains("eight") {
                    continue;
                }
                let mut leaky = clean.clone();
                assert!(plant(&mut leaky, &write(canary.as_str().unwrap())), "{place} is not there");
                seeded += 1;
                if judge(check, &leaky, spec).status() != Status::Fail {
                    missed.push(format!("{channel}, {disguise}, in {place}"));
                }
            }
        }
    }
    println!(
        "{} of {seeded} leaks are seen: {} channels, {} disguises, {} places",
        seeded - missed.len(),
        channels.len(),
        DISGUISES.len(),
        PLACES.len()
    );
    assert!(missed.is_empty(), "{} leaks are not seen: {missed:#?}", missed.len());
}
