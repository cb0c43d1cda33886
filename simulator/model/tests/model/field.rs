//! What users of other fake models met, and what clients insist on: each line of `FIELD.md` names the test that
//! shows it, and what no other test shows is shown here.

mod asking;
mod streams;
mod table;

use model::script::WireName;
use serde_json::{Value, json};
use wire::http::Response;

use crate::{client::World, record::talk::Talk};

const WIRES: [WireName; 3] = [WireName::Chat, WireName::Responses, WireName::Messages];

/// A world whose default session plays these turns.
async fn playing(turns: Value) -> World {
    let world = World::new().await;
    world
        .host
        .load_json(model::DEFAULT_SESSION, &json!({"script": 1, "name": "field", "turns": turns}))
        .unwrap();
    world
}

/// A conversation that begins with this text, with the tool `look` offered.
fn begun(wire: WireName, text: &str) -> Talk {
    let mut talk = Talk::new(wire, &["look"]);
    talk.say(text);
    talk
}

async fn ask(world: &World, talk: &Talk, stream: bool) -> Response {
    world.post(talk.path(), &talk.request(stream)).await
}
