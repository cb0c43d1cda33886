//! Two sessions with one script, played side by side in every order: each hears the same to the byte.

use std::time::Duration;

use futures_util::future::join;
use model::Script;
use serde_json::{Value, json};

use crate::client::{World, user};

/// Gates, paces, retries, and faults that come by chance: whatever could tell one session from another.
const SCRIPT: &str = r#"
script: 1
name: twins
faults:
  - {when: {user_contains: flaky}, chance: 0.4, status: {code: 529, headers: {retry-after: "1"}}}
  - {when: {user_contains: flaky}, chance: 0.4, reset_after: 3}
  - {when: {user_contains: flaky}, chance: 0.4, malformed_json: 1}
turns:
  - id: plan
    when: {user_contains: plan}
    stream: {first_ms: 250, gap_ms: 10, piece_chars: 4}
    answer:
      thinking: Two errands.
      tool_calls: [{name: north, arguments: {way: "left"}}, {name: south}]
  - id: north
    when: {user_contains: go north}
    hold: both
    after_arrivals: 2
    stream: {gap_ms: 3}
    answer: {text: Nothing in the north.}
  - id: south
    when: {user_contains: go south}
    hold: both
    after_arrivals: 2
    stream: {first_ms: 7}
    answer: {text: It is in the south.}
  - id: flaky
    when: {user_contains: flaky}
    answer: {template: true, text: "You said {{ user }} to {{ model }}."}
  - id: flaky-again
    when: {user_contains: flaky again}
    answer: {text: So it goes.}
"#;

/// What a client heard of one answer: its head, its bytes, and whether it broke off.
type Heard = (u16, Vec<(String, String)>, Vec<u8>, bool);

fn streamed(text: &str) -> Value {
    let mut body = user(text, &[]);
    body["stream"] = json!(true);
    body
}

/// Where a player dawdles: bits of a number, used up one after another.
struct Dawdle(u64);

impl Dawdle {
    /// Lets others go first, or does not.
    async fn step(&mut self) {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        for _ in 0..(self.0 >> 60) % 4 {
            tokio::task::yield_now().await;
        }
    }

    async fn pause(&mut self, world: &World) {
        self.step().await;
        if self.0 >> 63 == 1 {
            world.clock.pause(Duration::from_millis((self.0 >> 40) % 20)).await;
        }
    }
}

async fn hear(world: &World, session: &str, body: &Value) -> Heard {
    let mut open = world.open(session, body).await;
    let mut bytes = Vec::new();
    let mut broken = false;
    while let Some(piece) = open.next().await {
        match piece {
            Ok(piece) => bytes.extend_from_slice(&piece),
            Err(_) => broken = true,
        }
    }
    (open.status, open.headers.clone(), bytes, broken)
}

async fn play(world: &World, session: &str, mut dawdle: Dawdle) -> Vec<Heard> {
    let mut heard = vec![hear(world, session, &streamed("plan")).await];
    dawdle.pause(world).await;
    let (north, south) = (streamed("go north"), user("go south", &[]));
    let mut late = Dawdle(dawdle.0 ^ 0x5555);
    let north = async {
        dawdle.pause(world).await;
        hear(world, session, &north).await
    };
    let south = async {
        late.pause(world).await;
        hear(world, session, &south).await
    };
    let (north, south) = join(north, south).await;
    heard.extend([north, south]);
    for text in ["flaky", "flaky again"] {
        // Again and again until it comes whole: chance draws anew each time, and the turn is owed.
        for _ in 0..5 {
            dawdle.pause(world).await;
            heard.push(hear(world, session, &streamed(text)).await);
        }
    }
    heard
}

#[tokio::test(start_paused = true)]
async fn a_thousand_pairs_of_sessions_hear_the_same_to_the_byte() {
    let world = World::new().await;
    let script = Script::from_yaml("twins", SCRIPT).unwrap_or_else(|error| panic!("{error}"));
    let mut first: Option<Vec<Heard>> = None;
    for pair in 0..1_000_u64 {
        let (one, other) = (format!("one-{pair}"), format!("other-{pair}"));
        world.host.load(&one, script.clone());
        world.host.load(&other, script.clone());
        let (left, right) = join(
            play(&world, &one, Dawdle(pair)),
            play(&world, &other, Dawdle(pair.wrapping_mul(31) ^ 0xabcd)),
        )
        .await;
        assert!(left == right, "pair {pair}: the two differ");
        let expected = first.get_or_insert_with(|| left.clone());
        assert!(left == *expected, "pair {pair} differs from the first");
        world.host.drop_session(&one);
        world.host.drop_session(&other);
    }
    // The script does what it is here for.
    let heard = first.unwrap();
    let count = |kind: fn(&Heard) -> bool| heard.iter().filter(|heard| kind(heard)).count();
    assert!(count(|(_, _, _, broken)| *broken) > 0, "some answer breaks off");
    assert!(count(|(status, ..)| *status == 529) > 0, "some request is refused");
    assert!(
        count(|(status, _, bytes, _)| *status == 200 && bytes.ends_with(b"[DONE]\n\n")) > 2,
        "some are whole"
    );
}
