//! A leak is seen in whatever form it comes: every channel, in every disguise, in every public place.

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use engine::judge;
use recording::{Recording, Status, What};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use crate::{
    leak_places::{ALL, Plant},
    reference::run_one,
};

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

/// The leaks that were seeded for one check, and those of them that it did not see.
#[derive(Default)]
struct Tally {
    channels: usize,
    seeded: usize,
    missed: Vec<String>,
}

/// Seeds a leak of each channel of `check`, in every disguise and in each of `places`.
fn tally(check: &str, places: &[(&str, Plant)]) -> Tally {
    let spec = Spec::load().unwrap();
    let registry = checks::registry();
    let check = registry.get(check).unwrap();
    let clean = run_one(Contract::Oao, check);
    let verdict = judge(check, &clean, spec);
    assert_eq!(verdict.status(), Status::Pass, "{}: a false alarm: {verdict:?}", check.id);
    let channels = channels(&clean);
    let mut tally = Tally { channels: channels.len(), ..Tally::default() };
    for (channel, canary) in &channels {
        for (disguise, write) in DISGUISES {
            for (place, plant) in places {
                // Eight letters that are torn apart are no piece of eight letters any more.
                if place.contains("half") && disguise.contains("eight") {
                    continue;
                }
                let mut leaky = clean.clone();
                assert!(plant(&mut leaky, &write(canary)), "{}: {place} is not there", check.id);
                tally.seeded += 1;
                if judge(check, &leaky, spec).status() != Status::Fail {
                    tally.missed.push(format!("{}: {channel}, {disguise}, in {place}", check.id));
                }
            }
        }
    }
    tally
}

fn channels(recording: &Recording) -> Vec<(String, String)> {
    let planted = recording.entries.iter().find(|entry| entry.label == "canaries").unwrap();
    let What::Fact(Value::Object(channels)) = &planted.what else { panic!("the canaries are no fact") };
    let pair = |(channel, canary): (&String, &Value)| (channel.clone(), canary.as_str().unwrap().to_owned());
    channels.iter().map(pair).collect()
}

#[test]
fn every_channel_in_every_disguise_and_place_is_found() {
    let mut missed = Vec::new();
    let mut all = 0;
    for (check, places) in ALL {
        let tally = tally(check, places);
        println!(
            "{check}: {} of {} leaks are seen: {} channels, {} disguises, {} places",
            tally.seeded - tally.missed.len(),
            tally.seeded,
            tally.channels,
            DISGUISES.len(),
            places.len()
        );
        all += tally.seeded;
        missed.extend(tally.missed);
    }
    println!("{} of {all} leaks are seen in all", all - missed.len());
    assert!(missed.is_empty(), "{} leaks are not seen: {missed:#?}", missed.len());
}
