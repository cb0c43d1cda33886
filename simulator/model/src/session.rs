//! One session: a script, and how far it has been played.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use tokio::sync::Notify;
use wire::Seed;

use crate::{
    fault::{self, FaultPlace},
    gate::{Gate, GateError, GateState, Ticket},
    matching::differences,
    miss,
    request::Asked,
    script::{Script, Wrong, suggest},
    state::{Mint, token},
};

#[derive(Debug)]
pub(crate) struct Session {
    /// Tells this session from earlier ones of the same key.
    pub(crate) generation: u64,
    /// Told whenever a gate's queue has changed, when a request is over, and when the session is.
    pub(crate) changed: Arc<Notify>,
    script: Script,
    /// Per place, the last request that chose the turn.
    used_by: Vec<Option<u64>>,
    /// Turns whose answers did not arrive whole and sound, by conversation: whoever asks the same again
    /// gets them again.
    abandoned: BTreeMap<u64, VecDeque<Abandoned>>,
    /// How many answers of turns that answer once are on their way, by conversation.
    under_way: BTreeMap<u64, usize>,
    /// How often each fault has hit.
    hits: BTreeMap<FaultPlace, u32>,
    /// How often each of them was about something beyond the end of an answer.
    beyond: BTreeMap<FaultPlace, u32>,
    /// How often a fault of chance was drawn for, by conversation.
    draws: BTreeMap<(FaultPlace, u64), u32>,
    gates: BTreeMap<String, Gate>,
    /// What the ids of answers follow from, for the turns that have answered.
    minted: BTreeMap<usize, Seed>,
}

/// How a script was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Played {
    /// The turns that nothing has chosen, in order.
    pub(crate) unused: Vec<usize>,
    /// The faults of the script, and of the turns that were chosen, that never did anything.
    pub(crate) without_effect: Vec<FaultPlace>,
}

/// A turn whose answer did not arrive whole and sound.
#[derive(Clone, Copy, Debug)]
struct Abandoned {
    place: usize,
    /// Whether it was a fault that spoiled it, and not the client that left.
    spoiled: bool,
}

/// A turn that was chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    /// Its place in the script.
    pub(crate) place: usize,
    /// Whether it was chosen before for the same conversation, in vain.
    pub(crate) retry: bool,
    /// The request that had chosen it before.
    before: Option<u64>,
    /// The conversation that had chosen it in vain, and what became of it there.
    given_up: Option<(u64, Abandoned)>,
}

impl Session {
    pub(crate) fn new(script: Script, generation: u64) -> Self {
        let mut gates: BTreeMap<String, Gate> = BTreeMap::new();
        for turn in script.turns() {
            let Some(name) = &turn.hold else { continue };
            let gate = gates.entry(name.clone()).or_default();
            gate.opens_at =
                gate.opens_at.or(turn.after_arrivals.and_then(|count| usize::try_from(count).ok()));
        }
        Self {
            generation,
            changed: Arc::default(),
            used_by: vec![None; script.turn_count()],
            script,
            abandoned: BTreeMap::new(),
            under_way: BTreeMap::new(),
            hits: BTreeMap::new(),
            beyond: BTreeMap::new(),
            draws: BTreeMap::new(),
            gates,
            minted: BTreeMap::new(),
        }
    }

    /// What stands in the ids of the answer that the turn at `place` gives to a conversation. It is what
    /// [`Mint::token`] says, and the greater part of the work is done once for each turn.
    pub(crate) fn token(&mut self, place: usize, identity: u64, mint: &Mint) -> String {
        let of_turn = self.minted.entry(place).or_insert_with(|| mint.of_turn(&self.script, place));
        token(*of_turn, self.script.turn(place).repeat, identity)
    }

    pub(crate) fn script(&self) -> &Script {
        &self.script
    }

    /// Chooses the turn that answers `asked`: the one that the same conversation chose in vain, else the
    /// first unused one whose conditions hold, else one whose answer a fault spoiled for somebody else. `Err`
    /// says why there is none.
    pub(crate) fn choose(
        &mut self,
        key: &str,
        sequence: u64,
        identity: u64,
        asked: &Asked,
    ) -> Result<Chosen, String> {
        let Some((place, given_up)) = self.find(identity, asked) else {
            return Err(miss::explain(key, &self.script, &self.used_by, asked));
        };
        let retry = given_up.is_some_and(|(other, _)| other == identity);
        let given_up = given_up.and_then(|(other, at)| self.take_up(other, at));
        let before = self.used_by[place].replace(sequence);
        Ok(Chosen { place, retry, before, given_up })
    }

    /// Whether a turn would answer.
    pub(crate) fn would_answer(&self, identity: u64, asked: &Asked) -> bool {
        self.find(identity, asked).is_some()
    }

    /// The turn that answers `asked`, and where it stands among those that a conversation chose in vain.
    fn find(&self, identity: u64, asked: &Asked) -> Option<(usize, Option<(u64, usize)>)> {
        let holds = |one: &Abandoned| differences(&self.script.turn(one.place).when, asked).is_empty();
        if let Some(queue) = self.abandoned.get(&identity)
            && let Some(at) = queue.iter().position(holds)
        {
            return Some((queue[at].place, Some((identity, at))));
        }
        let is_free = |place: usize| self.used_by[place].is_none() || self.script.turn(place).repeat;
        if let Some(place) = self.first(asked, is_free) {
            return Some((place, None));
        }
        // Nobody has had the answer of a turn that a fault spoiled. A client may mend its request then, which
        // makes another conversation of it.
        let mut spoiled: BTreeMap<usize, (u64, usize)> = BTreeMap::new();
        for (identity, queue) in &self.abandoned {
            let places = queue.iter().enumerate().filter(|(_, one)| one.spoiled);
            spoiled.extend(places.map(|(at, one)| (one.place, (*identity, at))));
        }
        let place = self.first(asked, |place| spoiled.contains_key(&place))?;
        Some((place, spoiled.get(&place).copied()))
    }

    /// Takes a turn out of those that a conversation had in vain.
    fn take_up(&mut self, identity: u64, at: usize) -> Option<(u64, Abandoned)> {
        let queue = self.abandoned.get_mut(&identity)?;
        let one = queue.remove(at)?;
        if queue.is_empty() {
            self.abandoned.remove(&identity);
        }
        Some((identity, one))
    }

    /// Takes a choice back: the turn could not answer, and is as free as it was before.
    pub(crate) fn give_back(&mut self, chosen: &Chosen) {
        self.used_by[chosen.place] = chosen.before;
        if let Some((identity, one)) = chosen.given_up {
            self.abandoned.entry(identity).or_default().push_front(one);
        }
    }

    /// The first turn that may answer, among those of which `is_free` says so.
    fn first(&self, asked: &Asked, is_free: impl Fn(usize) -> bool) -> Option<usize> {
        let holds = |place: &usize| differences(&self.script.turn(*place).when, asked).is_empty();
        self.script
            .conversations_for(&asked.request)
            .filter(|(number, _)| {
                let conversation = self.script.conversation(*number);
                conversation.is_none_or(|one| differences(&one.when, asked).is_empty())
            })
            .flat_map(|(_, places)| places)
            .filter(|place| is_free(*place))
            .find(holds)
    }

    /// Notes that the answer of the turn at `place` goes out to a conversation, and may take its time.
    pub(crate) fn sets_out(&mut self, place: usize, identity: u64) {
        if !self.script.turn(place).repeat {
            *self.under_way.entry(identity).or_default() += 1;
        }
    }

    /// Notes that such an answer is over, and `sound` says whether it arrived whole and sound. If not, it was
    /// `spoiled` by a fault, or the client left.
    pub(crate) fn arrives(&mut self, place: usize, identity: u64, sound: bool, spoiled: bool) {
        // A turn that repeats is there for everybody anyway, and what is noted here has to stay little.
        if self.script.turn(place).repeat {
            return;
        }
        if let Some(count) = self.under_way.get_mut(&identity) {
            *count -= 1;
            if *count == 0 {
                self.under_way.remove(&identity);
            }
            self.changed.notify_waiters();
        }
        if !sound {
            self.abandoned.entry(identity).or_default().push_back(Abandoned { place, spoiled });
        }
    }

    /// Whether an answer to this conversation is on its way.
    pub(crate) fn is_under_way(&self, identity: u64) -> bool {
        self.under_way.contains_key(&identity)
    }

    /// What goes wrong with the answer of the turn at `place`: the first fault that hits it.
    ///
    /// `calls` says whether the answer calls tools.
    pub(crate) fn fault(
        &mut self,
        place: usize,
        identity: u64,
        asked: &Asked,
        calls: bool,
        seed: &Seed,
    ) -> Option<(FaultPlace, Wrong)> {
        let script = self.script.clone();
        let of_script = script.faults().iter().enumerate().map(|(number, fault)| ((None, number), fault));
        let of_turn = script
            .turn(place)
            .faults
            .iter()
            .enumerate()
            .map(|(number, fault)| ((Some(place), number), fault));
        for (at, fault) in of_script.chain(of_turn) {
            let Some((_, wrong)) = fault.wrongs().into_iter().next() else { continue };
            let hits = self.hits.get(&at).copied().unwrap_or(0);
            if fault.first.is_some_and(|first| hits >= first)
                || !fault::can_hit(&wrong, asked.request.stream, calls)
                || !differences(&fault.when, asked).is_empty()
            {
                continue;
            }
            if let Some(chance) = fault.chance {
                let draws = self.draws.entry((at, identity)).or_default();
                let drawn = fault::drawn(&seed.child(script.name()), at, identity, *draws);
                *draws = draws.saturating_add(1);
                if drawn >= chance {
                    continue;
                }
            }
            self.hits.insert(at, hits.saturating_add(1));
            return Some((at, wrong));
        }
        None
    }

    /// Notes that whoever waited at the gate of a turn has gone away.
    pub(crate) fn leave(&mut self, place: usize, number: u64) {
        let hold = self.script.turn(place).hold.as_ref();
        if let Some(gate) = hold.and_then(|name| self.gates.get_mut(name)) {
            gate.leave(number);
            self.changed.notify_waiters();
        }
    }

    /// Joins the queue at the gate of the turn at `place`; `None` when nothing holds it back.
    pub(crate) fn arrive(&mut self, place: usize) -> Option<Ticket> {
        let gate = self.script.turn(place).hold.as_ref().and_then(|name| self.gates.get_mut(name))?;
        let ticket = gate.arrive();
        self.changed.notify_waiters();
        ticket
    }

    /// The gate called `name`; the error names the nearest one.
    pub(crate) fn gate(&mut self, key: &str, name: &str) -> Result<&mut Gate, GateError> {
        let names: Vec<&str> = self.gates.keys().map(String::as_str).collect();
        let fix = suggest(name, &names);
        self.gates.get_mut(name).ok_or_else(|| GateError::NoGate {
            session: key.to_owned(),
            gate: name.to_owned(),
            fix,
        })
    }

    /// How every gate stands, by name.
    pub(crate) fn gates(&self) -> Vec<GateState> {
        self.gates.iter().map(|(name, gate)| gate.told(name)).collect()
    }

    /// A fault did nothing, since what it would break lies beyond the end of the answer. It has had its turn.
    pub(crate) fn fell_short(&mut self, at: FaultPlace) {
        *self.beyond.entry(at).or_default() += 1;
    }

    /// What the session knows of how its script was played, whatever the journal still holds.
    pub(crate) fn played(&self) -> Played {
        let missed = |at: &FaultPlace| self.hits.get(at) == self.beyond.get(at);
        let of_script = (0..self.script.faults().len()).map(|number| (None, number));
        let used = |place: &usize| self.used_by[*place].is_some();
        let of_turns = (0..self.script.turn_count()).filter(used).flat_map(|place| {
            (0..self.script.turn(place).faults.len()).map(move |number| (Some(place), number))
        });
        Played {
            unused: (0..self.script.turn_count()).filter(|place| !used(place)).collect(),
            without_effect: of_script.chain(of_turns).filter(missed).collect(),
        }
    }

    /// Names of the turns that nothing has chosen, in order.
    pub(crate) fn unused_turns(&self) -> Vec<String> {
        let unused = self.used_by.iter().enumerate().filter(|(_, used)| used.is_none());
        unused.map(|(place, _)| self.script.turn_name(place)).collect()
    }
}
