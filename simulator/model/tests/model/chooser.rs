//! Which turn answers: generated scripts and requests, against a chooser that is written down plainly here.

use model::{Answer, Conditions, Conversation, Fault, Outcome, Script, Turn};
use proptest::prelude::*;

use crate::client::{World, user};

const SESSION: &str = "k";
const GATE: &str = "gate";
/// Words of requests. Some are keys, and some only look like one.
const WORDS: [&str; 9] = ["key-1", "key-2", "apple", "pear", "key-1.", "xkey-1", "key-1-", "key", "pears"];

#[derive(Clone, Debug)]
struct PlannedTurn {
    wants: Option<&'static str>,
    repeat: bool,
    held: bool,
    /// How many of its first answers are spoiled.
    spoiled: u32,
}

#[derive(Clone, Debug)]
struct PlannedConversation {
    key: Option<&'static str>,
    wants: Option<&'static str>,
    turns: Vec<PlannedTurn>,
}

#[derive(Clone, Debug)]
enum Step {
    Ask(String),
    Release,
}

fn turn() -> impl Strategy<Value = PlannedTurn> {
    let wants = prop::option::of(prop::sample::select(vec!["apple", "pear"]));
    let spoiled = prop_oneof![3 => Just(0), 1 => 1_u32..3];
    (wants, prop::bool::weighted(0.2), prop::bool::weighted(0.2), spoiled)
        .prop_map(|(wants, repeat, held, spoiled)| PlannedTurn { wants, repeat, held, spoiled })
}

fn conversation() -> impl Strategy<Value = PlannedConversation> {
    let key = prop::option::of(prop::sample::select(vec!["key-1", "key-2"]));
    let wants = prop::option::weighted(0.2, prop::sample::select(vec!["apple", "pear"]));
    (key, wants, prop::collection::vec(turn(), 1..4)).prop_map(|(key, wants, turns)| PlannedConversation {
        key,
        wants,
        turns,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let text =
        prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..3).prop_map(|words| words.join(" "));
    prop_oneof![20 => text.prop_map(Step::Ask), 1 => Just(Step::Release)]
}

fn script(plan: &[PlannedConversation]) -> Script {
    let wanting = |wants: Option<&str>| {
        wants.map_or_else(Conditions::new, |word| Conditions::new().user_contains(word))
    };
    let conversations = plan.iter().enumerate().map(|(number, planned)| {
        let turns = planned.turns.iter().enumerate().map(|(number, planned)| {
            let mut turn =
                Turn::new(format!("t{number}"), Answer::new().text("hi")).when(wanting(planned.wants));
            turn.repeat = planned.repeat;
            turn.hold = planned.held.then(|| GATE.to_owned());
            if planned.spoiled > 0 {
                turn = turn.fault(Fault { status: Some(500.into()), ..Fault::new().first(planned.spoiled) });
            }
            turn
        });
        let mut conversation = Conversation::new(format!("c{number}"), turns).when(wanting(planned.wants));
        conversation.key = planned.key.map(str::to_owned);
        conversation
    });
    Script::of_conversations("generated", conversations).unwrap()
}

/// What becomes of a request: the turn by conversation and number, whether it is one that is owed, and how
/// it ends.
type Told = (Option<(usize, usize)>, bool, Outcome);

/// The chooser, as the README tells it.
#[derive(Default)]
struct Plain {
    used: Vec<(usize, usize)>,
    /// Answers that did not arrive whole and sound: the request, the turn and whether a fault spoiled it, the oldest
    /// first.
    owed: Vec<(String, (usize, usize), bool)>,
    hits: Vec<(usize, usize)>,
    open: bool,
}

impl Plain {
    fn ask(&mut self, plan: &[PlannedConversation], text: &str) -> Told {
        let owed = self.owed.iter().position(|(asked, _, _)| asked == text).map(|at| self.owed.remove(at).1);
        let free = || {
            Self::first(plan, text, |place, turn: &PlannedTurn| turn.repeat || !self.used.contains(&place))
        };
        let spoiled = || {
            Self::first(plan, text, |place, _| {
                self.owed.iter().any(|(_, turn, spoiled)| *turn == place && *spoiled)
            })
        };
        let Some(chosen) = owed.or_else(free).or_else(spoiled) else {
            return (None, false, Outcome::Missed);
        };
        // Whoever gets a turn takes it from the one who is owed it.
        self.owed.retain(|(_, turn, _)| *turn != chosen);
        self.used.push(chosen);
        let turn = &plan[chosen.0].turns[chosen.1];
        let hits = self.hits.iter().filter(|hit| **hit == chosen).count();
        let spoiled = hits < usize::try_from(turn.spoiled).unwrap();
        if spoiled {
            self.hits.push(chosen);
        }
        let outcome = match (turn.held && !self.open, spoiled) {
            (true, _) => Outcome::Dropped,
            (false, true) => Outcome::Broken,
            (false, false) => Outcome::Answered,
        };
        if outcome != Outcome::Answered && !turn.repeat {
            self.owed.push((text.to_owned(), chosen, outcome == Outcome::Broken));
        }
        (Some(chosen), owed.is_some(), outcome)
    }

    fn first(
        plan: &[PlannedConversation],
        text: &str,
        may: impl Fn((usize, usize), &PlannedTurn) -> bool,
    ) -> Option<(usize, usize)> {
        let mut all = plan.iter().enumerate().filter(|(_, conversation)| {
            conversation.key.is_none_or(|key| has_word(text, key))
                && conversation.wants.is_none_or(|word| text.contains(word))
        });
        all.find_map(|(conversation, planned)| {
            let mut turns = planned.turns.iter().enumerate();
            let found = turns.find(|(number, turn)| {
                turn.wants.is_none_or(|word| text.contains(word)) && may((conversation, *number), turn)
            });
            found.map(|(number, _)| (conversation, number))
        })
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-' && letter != '_')
        .any(|one| one == word)
}

/// Plays the steps and returns what the journal tells of each request.
async fn played(plan: &[PlannedConversation], steps: &[Step]) -> Vec<Told> {
    let world = World::new().await;
    world.host.load(SESSION, script(plan));
    let has_gate = plan.iter().flat_map(|planned| &planned.turns).any(|turn| turn.held);
    for step in steps {
        match step {
            Step::Release if has_gate => drop(world.host.release(SESSION, GATE).unwrap()),
            Step::Release => {}
            Step::Ask(text) => ask(&world, text, has_gate).await,
        }
    }
    let told = world.host.journal(SESSION).into_iter().map(|entry| {
        let turn = entry.turn.map(|name| {
            let (conversation, turn) = name.split_once('/').unwrap();
            (conversation[1..].parse().unwrap(), turn[1..].parse().unwrap())
        });
        (turn, entry.retry, entry.outcome)
    });
    told.collect()
}

/// Sends a request and waits for its answer, or leaves when the gate holds it.
async fn ask(world: &World, text: &str, has_gate: bool) {
    let body = user(text, &[]);
    if !has_gate {
        world.ask(SESSION, &body).await;
        return;
    }
    // Who comes through the open gate later counts as held before, so the queue itself is looked at.
    tokio::select! {
        biased;
        _ = world.ask(SESSION, &body) => return,
        () = world.until(|| world.host.held(SESSION, GATE) > 0) => {}
    }
    world.until(|| world.host.held(SESSION, GATE) == 0).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn turns_are_chosen_as_the_readme_says(
        plan in prop::collection::vec(conversation(), 1..4),
        steps in prop::collection::vec(step(), 1..16),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let told = runtime.block_on(played(&plan, &steps));
        let mut plain = Plain::default();
        let mut expected = Vec::new();
        let mut texts = Vec::new();
        for step in &steps {
            match step {
                Step::Release => plain.open = true,
                Step::Ask(text) => {
                    expected.push(plain.ask(&plan, text));
                    texts.push(text);
                }
            }
        }
        prop_assert_eq!(&told, &expected);
        for (number, (turn, _, outcome)) in told.iter().enumerate() {
            let Some((conversation, place)) = *turn else { continue };
            let planned = &plan[conversation];
            let earlier = told[..number].iter().filter(|(other, _, ending)| other == turn && *ending == Outcome::Answered);
            let is_first = *outcome != Outcome::Answered || earlier.count() == 0;
            prop_assert!(is_first || planned.turns[place].repeat, "a turn answers once");
            prop_assert!(planned.key.is_none_or(|key| has_word(texts[number], key)), "a key leads to its conversation");
            let twins = (0..number).filter(|other| texts[*other] == texts[number]);
            let owed = twins.filter(|other| told[*other].0 == *turn && told[*other].2 != Outcome::Answered);
            let spoiled = told[..number].iter().any(|(other, _, ending)| other == turn && *ending == Outcome::Broken);
            let may_return = planned.turns[place].repeat || owed.count() > 0 || spoiled;
            let was_used = told[..number].iter().any(|(other, _, _)| other == turn);
            prop_assert!(!was_used || may_return, "only the request that is owed a turn gets it again, or whoever fits when a fault spoiled it");
        }
    }
}
