//! How long the texts of a definition may be, and how long it may run (OAO-49 to 51).

use engine::{Driver, Drove};
use recording::{Judged, Recording};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    acceptance::{self, Accepted},
    operations::{operation, with},
    refusal::{self, Refused, as_warning},
};
use crate::table::checks;

checks! { Oao:
    "OAO-49-a" => description_ends, description_ends_accepted;
    "OAO-49-b" => description_beyond, description_beyond_refused;
    "OAO-49-c" => description_of_two_bytes, description_of_two_bytes_accepted;
    "OAO-50-a" => instructions_ends, instructions_ends_complete;
    "OAO-50-b" => instructions_beyond, instructions_beyond_refused;
    "OAO-51-a" => timeout_ends, timeout_ends_accepted;
    "OAO-51-b" => timeout_beyond, timeout_beyond_refused;
    "OAO-51-c" => timeout_of_another_type, timeout_of_another_type_refused;
}

fn set(field: &str, value: impl Into<Value>) -> Vec<Value> {
    vec![with(field, value)]
}

async fn description_ends(driver: &Driver<'_>) -> Drove {
    let variants = vec![
        ("1 character", set("description", "d")),
        ("2000 characters", set("description", "d".repeat(2000))),
    ];
    acceptance::attempt(driver, variants).await
}

fn description_ends_accepted(recording: &Recording, _: &Spec) -> Judged {
    let refused = "a description of an allowed length was refused";
    Accepted::keys(2, refused, "a 2xx for descriptions of 1 and of 2000 characters").judge(recording)
}

async fn description_beyond(driver: &Driver<'_>) -> Drove {
    let faults = vec![
        ("an empty description", set("description", "")),
        ("2001 characters", set("description", "d".repeat(2001))),
    ];
    refusal::attempt(driver, vec![operation("total")], faults).await
}

fn description_beyond_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a description outside the allowed length was published",
        expected: "a 4xx for an empty description and for one of 2001 characters",
        faults: 2,
    };
    words.judge(recording)
}

async fn description_of_two_bytes(driver: &Driver<'_>) -> Drove {
    let variants = vec![("2000 two-byte letters", set("description", "é".repeat(2000)))];
    acceptance::attempt(driver, variants).await
}

fn description_of_two_bytes_accepted(recording: &Recording, _: &Spec) -> Judged {
    let refused = "2000 letters of two bytes each were refused as a description";
    Accepted::keys(1, refused, "a 2xx, because the limit counts characters").judge(recording)
}

async fn instructions_ends(driver: &Driver<'_>) -> Drove {
    // No repetition of one letter: a text that is cut and filled up again would not be seen.
    let long: String =
        (0..20_000).map(|number| format!("{number:04} ")).collect::<String>().chars().take(100_000).collect();
    let variants =
        vec![("1 character", set("instructions", "i")), ("100000 characters", set("instructions", long))];
    acceptance::attempt(driver, variants).await
}

fn instructions_ends_complete(recording: &Recording, _: &Spec) -> Judged {
    let words = Accepted {
        refused: "instructions of an allowed length were refused",
        expected: "a 2xx for instructions of 1 and of 100000 characters",
        fields: &["key", "instructions"],
        differs: "instructions did not come back complete",
        variants: 2,
    };
    words.judge(recording)
}

async fn instructions_beyond(driver: &Driver<'_>) -> Drove {
    let faults = vec![
        ("empty instructions", set("instructions", "")),
        ("100001 characters", set("instructions", "i".repeat(100_001))),
    ];
    refusal::attempt(driver, vec![operation("total")], faults).await
}

fn instructions_beyond_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "instructions outside the allowed length were published",
        expected: "a 4xx for empty instructions and for 100001 characters",
        faults: 2,
    };
    words.judge(recording)
}

async fn timeout_ends(driver: &Driver<'_>) -> Drove {
    let variants = vec![("1000 ms", set("timeoutMs", 1000)), ("300000 ms", set("timeoutMs", 300_000))];
    acceptance::attempt(driver, variants).await
}

fn timeout_ends_accepted(recording: &Recording, _: &Spec) -> Judged {
    let refused = "a timeout at an end of the range was refused";
    Accepted::keys(2, refused, "a 2xx for 1000 ms and for 300000 ms").judge(recording)
}

async fn timeout_beyond(driver: &Driver<'_>) -> Drove {
    let faults = vec![("999 ms", set("timeoutMs", 999)), ("300001 ms", set("timeoutMs", 300_001))];
    refusal::attempt(driver, vec![operation("total")], faults).await
}

fn timeout_beyond_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a timeout outside the range was published",
        expected: "a 4xx for 999 ms and for 300001 ms",
        faults: 2,
    };
    words.judge(recording)
}

async fn timeout_of_another_type(driver: &Driver<'_>) -> Drove {
    let faults =
        vec![("a fraction", set("timeoutMs", 1500.5)), ("a string", set("timeoutMs", json!("60000")))];
    refusal::attempt(driver, vec![operation("total")], faults).await
}

/// The source does not state the type, so this is a recommendation.
fn timeout_of_another_type_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a timeout that is no whole number was published",
        expected: "a 4xx for 1500.5 and for the string \"60000\"",
        faults: 2,
    };
    as_warning(words.judge(recording))
}
