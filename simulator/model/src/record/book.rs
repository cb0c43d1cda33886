//! The script while it grows.

use std::collections::BTreeMap;

use super::{
    fold::Folded,
    heard::{Answered, Heard, Made},
};
use crate::{
    naming::{Taken, slug},
    script::{Answer, Block, Client, Conditions, Conversation, Fault, Script, ScriptError, Turn, WireName},
};

/// The longest first text that is compared with those of other conversations, in bytes.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// What has been recorded.
#[derive(Debug)]
pub(super) struct Book {
    name: String,
    client: Client,
    faults: Vec<Fault>,
    /// Conversations of the file that is extended.
    before: Vec<Conversation>,
    talks: Vec<Talk>,
    /// The talks in the order in which they are written.
    order: Vec<usize>,
    /// Which talk an answer belongs to, by its id.
    answers: BTreeMap<String, usize>,
    ids: Taken,
    calls: Taken,
}

/// The requests that begin with the same words of a user.
#[derive(Debug)]
struct Talk {
    id: String,
    wire: WireName,
    first: String,
    needles: Vec<String>,
    needle: Option<String>,
    /// Parts of the system text that the first request of it came with.
    system: Vec<String>,
    turns: Vec<Kept>,
    turn_ids: Taken,
    /// What a call is called here, by the id that the upstream gave it last.
    calls: BTreeMap<String, String>,
}

/// A turn that was recorded.
#[derive(Debug)]
struct Kept {
    sequence: u64,
    identity: (u64, Option<String>),
    turn: Turn,
    /// Whether no sound answer has come yet.
    is_spoiled: bool,
}

impl Book {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            client: Client::Strict,
            faults: Vec::new(),
            before: Vec::new(),
            talks: Vec::new(),
            order: Vec::new(),
            answers: BTreeMap::new(),
            ids: Taken::default(),
            calls: Taken::default(),
        }
    }

    /// A book that begins with what a script says.
    pub(super) fn extending(script: &Script) -> Self {
        let mut book = Self::new(script.name());
        book.client = script.client();
        book.faults = script.faults().to_vec();
        book.before = conversations_of(script);
        for conversation in &book.before {
            book.ids.take(&conversation.id, '-');
            for call in conversation.turns.iter().flat_map(|turn| calls(&turn.answer)) {
                book.calls.keep(&call);
            }
        }
        book
    }

    /// The script, once there is something in it.
    pub(super) fn script(&self) -> Option<Result<Script, ScriptError>> {
        let talks = self.order.iter().map(|talk| self.talks[*talk].conversation());
        let conversations: Vec<Conversation> = self.before.iter().cloned().chain(talks).collect();
        if conversations.is_empty() {
            return None;
        }
        let script = Script::of_conversations(&self.name, conversations);
        let script = script.and_then(|script| script.for_client(self.client));
        Some(script.and_then(|script| script.with_faults(self.faults.iter().cloned())))
    }

    /// Adds a turn, and says what it is called and what is odd about it. `Err` says why it cannot be one.
    pub(super) fn add(&mut self, heard: &Heard) -> Result<(String, Vec<String>), String> {
        let number = self.talk_of(heard);
        let talk = &mut self.talks[number];
        let odd = talk.begins_another(heard).then(|| format!(
            "it begins with the same words of the user as `{}` and has another system text: the script tells the two \
             apart only by their tools and by what follows, so give them different first words, or conditions",
            talk.id
        ));
        let mut given = BTreeMap::new();
        let calls = &mut self.calls;
        let made = heard.made(|id| {
            let recorded = calls.keep(&heard.secrets.clean(id));
            given.insert(id.to_owned(), recorded.clone());
            recorded
        });
        let when = heard.when(|id| match talk.calls.get(id) {
            Some(recorded) => recorded.clone(),
            None => heard.secrets.clean(id),
        });
        let turn = sound(&made, when).map_err(|error| error.to_string())?;
        talk.calls.append(&mut given);
        let name = talk.add(heard, made, turn);
        if let Answered::Answer(Folded { id: Some(id), .. }) = &heard.answered {
            self.answers.insert(id.clone(), number);
        }
        if !heard.asked.complaints.is_empty() {
            // The real API took what ours would refuse.
            self.client = Client::Lenient;
        }
        Ok((format!("{}/{name}", self.talks[number].id), odd.into_iter().collect()))
    }

    /// The talk that a request belongs to, which is a new one if need be.
    fn talk_of(&mut self, heard: &Heard) -> usize {
        let previous = heard.asked.request.previous_response_id.as_ref();
        if let Some(number) = previous.and_then(|id| self.answers.get(id)) {
            return *number;
        }
        let mut first = heard.first_text();
        first.truncate(first.floor_char_boundary(TEXT_BYTES_MAX));
        let is_same = |talk: &Talk| talk.wire == heard.wire && talk.first == first;
        match self.talks.iter().position(is_same) {
            Some(number) => number,
            None => self.open(heard, first),
        }
    }

    fn open(&mut self, heard: &Heard, first: String) -> usize {
        let needles = heard.first_needles();
        let others = || self.talks.iter().filter(|talk| talk.wire == heard.wire);
        let is_free = |needle: &&String| others().all(|talk| !talk.first.contains(needle.as_str()));
        let needle = needles.iter().find(is_free).or_else(|| needles.first()).cloned();
        for talk in self.talks.iter_mut().filter(|talk| talk.wire == heard.wire) {
            if talk.is_found_in(&first) {
                let other = talk.needles.iter().find(|needle| !first.contains(needle.as_str())).cloned();
                talk.needle = other.or(talk.needle.take());
            }
        }
        let number = self.talks.len();
        let talk = Talk {
            id: self.ids.take(&slug(&first, "conversation"), '-'),
            wire: heard.wire,
            first,
            needles,
            needle,
            system: heard.system_needles(),
            turns: Vec::new(),
            turn_ids: Taken::default(),
            calls: BTreeMap::new(),
        };
        // A conversation that would be taken for another one stands before it.
        let before = self.order.iter().position(|other| {
            let other = &self.talks[*other];
            other.wire == talk.wire && other.is_found_in(&talk.first)
        });
        self.order.insert(before.unwrap_or(self.order.len()), number);
        self.talks.push(talk);
        number
    }
}

impl Talk {
    /// Whether a request that begins with this text would be taken for one of this talk.
    fn is_found_in(&self, first: &str) -> bool {
        self.needle.as_ref().is_none_or(|needle| first.contains(needle.as_str()))
    }

    /// Whether a request is the first of a conversation with somebody else, who happens to be told the same.
    fn begins_another(&self, heard: &Heard) -> bool {
        let is_first = !heard.asked.request.messages.iter().any(|message| message.role == "assistant");
        let system = &heard.asked.request.system;
        let is_other = match self.system.is_empty() {
            true => !heard.system_needles().is_empty(),
            false => !self.system.iter().any(|part| system.contains(part.as_str())),
        };
        is_first && is_other && heard.asked.request.previous_response_id.is_none()
    }

    fn conversation(&self) -> Conversation {
        let mut when = Conditions::new().wire(self.wire);
        if let Some(needle) = &self.needle {
            when = when.user_contains(needle);
        }
        Conversation::new(&self.id, self.turns.iter().map(|kept| kept.turn.clone())).when(when)
    }

    /// Adds a turn, or mends the one whose answer was spoiled before, and says what it is called.
    fn add(&mut self, heard: &Heard, made: Made, turn: Turn) -> String {
        let identity = heard.identity();
        let again = self.turns.iter_mut().find(|kept| kept.is_spoiled && kept.identity == identity);
        if let Some(kept) = again {
            kept.is_spoiled = made.fault.is_some();
            for fault in kept.turn.faults.iter_mut().filter(|fault| fault.first.is_none()) {
                fault.first = Some(1);
            }
            kept.turn.faults.extend(made.fault);
            if !kept.is_spoiled {
                kept.turn.answer = made.answer;
                kept.turn.stream = made.stream;
                kept.turn.when = turn.when;
            }
            return kept.turn.id.clone();
        }
        let id = self.turn_ids.take(&format!("turn-{}", self.turns.len() + 1), '-');
        let is_spoiled = made.fault.is_some();
        let turn = Turn { id: id.clone(), ..turn };
        let kept = Kept { sequence: heard.sequence, identity, turn, is_spoiled };
        let place = self.turns.partition_point(|other| other.sequence < kept.sequence);
        self.turns.insert(place, kept);
        id
    }
}

/// The conversations of a script. Turns that belong to none become one, with ids for all of their calls: an id that
/// is left out follows from what a turn is called.
fn conversations_of(script: &Script) -> Vec<Conversation> {
    let conversations: Vec<Conversation> =
        (0..).map_while(|number| script.conversation(number).cloned()).collect();
    if !conversations.is_empty() {
        return conversations;
    }
    let turns = script.turns().cloned().map(|mut turn| {
        let single = turn.answer.tool_calls.iter_mut();
        let blocks = turn.answer.blocks.iter_mut().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        });
        for (place, call) in single.chain(blocks).enumerate() {
            call.id = Some(call.wire_id(&turn.id, place));
        }
        turn
    });
    vec![Conversation::new("before", turns)]
}

/// The turn, if a script may have it.
fn sound(made: &Made, when: Conditions) -> Result<Turn, ScriptError> {
    let turn = Turn {
        stream: made.stream.clone(),
        faults: made.fault.clone().into_iter().collect(),
        ..Turn::new("turn", made.answer.clone()).when(when)
    };
    Script::new("recorded", [turn.clone()]).map(|_| turn)
}

/// The ids of the calls of an answer.
fn calls(answer: &Answer) -> Vec<String> {
    let made = |block: Block| match block {
        Block::ToolCall(call) => call.id,
        _ => None,
    };
    answer.said().into_iter().filter_map(made).collect()
}
