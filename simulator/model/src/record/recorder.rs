//! The recorder: what it was told to do, and what it has so far.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use wire::{Clock, Net, Seed};

use super::{
    Exchange, Existing, Fate, RecordError, Report,
    book::Book,
    file,
    heard::{Answered, Heard},
    upstream::Upstream,
};
use crate::script::Script;

/// How many exchanges a report names.
const NOTED_MAX: usize = 100;
/// How much of one answer is kept when nothing else is said, in bytes.
const KEPT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long an upstream may think when nothing else is said.
const HEAD: Duration = Duration::from_secs(600);

/// What a recorder is told to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The script file. No name that a request brings is ever part of a path.
    pub file: PathBuf,
    /// The base URL of the real model, with or without `/v1` at its end.
    pub upstream: String,
    /// What becomes of a file that is there already.
    pub existing: Existing,
    /// Whether the pace of streams is recorded, as `first_ms` and `gap_ms`.
    pub timing: bool,
    /// A PEM file of certificates to trust besides the usual ones.
    pub roots: Option<PathBuf>,
    /// The network that leads to the upstream; `None` for the one that its URL says.
    pub net: Option<Net>,
    /// The largest answer that is recorded, in bytes. Larger ones are passed on all the same.
    pub kept_bytes_max: usize,
    /// How long the head of an answer may take.
    pub head: Duration,
}

impl Options {
    /// Records what `upstream` answers in `file`, which must not be there yet.
    pub fn new(file: impl Into<PathBuf>, upstream: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            upstream: upstream.into(),
            existing: Existing::Refuse,
            timing: false,
            roots: None,
            net: None,
            kept_bytes_max: KEPT_BYTES_MAX,
            head: HEAD,
        }
    }
}

/// Whom to tell of each exchange.
type Listener = Box<dyn Fn(&Exchange) + Send + Sync>;

/// Passes requests on to a real model and writes down what it answers. Cloning it gives another handle to the
/// same one.
#[derive(Clone)]
pub struct Recorder(Arc<Inner>);

struct Inner {
    clock: Clock,
    upstream: Upstream,
    options: Options,
    listener: Option<Listener>,
    state: Mutex<State>,
}

struct State {
    book: Book,
    report: Report,
    sequences: u64,
    /// Why the file does not say all that the book does.
    unsaved: Option<RecordError>,
}

impl Recorder {
    /// A recorder that has heard nothing yet. Nothing is written before there is something to write.
    pub fn new(clock: Clock, options: Options) -> Result<Self, RecordError> {
        Self::build(clock, options, None)
    }

    /// [`Recorder::new`], and `listener` is told of each exchange when it ends. It must not wait for anything.
    pub fn telling(
        clock: Clock,
        options: Options,
        listener: impl Fn(&Exchange) + Send + Sync + 'static,
    ) -> Result<Self, RecordError> {
        Self::build(clock, options, Some(Box::new(listener)))
    }

    fn build(clock: Clock, options: Options, listener: Option<Listener>) -> Result<Self, RecordError> {
        let upstream = Upstream::at(&options.upstream, options.net.clone(), options.roots.as_deref())?;
        file::has_folder(&options.file)?;
        let is_there = options.file.exists();
        let book = match options.existing {
            Existing::Extend if is_there => Book::extending(&Script::from_path(&options.file)?),
            Existing::Refuse => {
                file::refuse(&options.file)?;
                Book::new(&name_of(&options.file))
            }
            Existing::Extend | Existing::Replace => Book::new(&name_of(&options.file)),
        };
        let report = Report { file: options.file.clone(), ..Report::default() };
        let state = Mutex::new(State { book, report, sequences: 0, unsaved: None });
        Ok(Self(Arc::new(Inner { clock, upstream, options, listener, state })))
    }

    /// Where requests are passed on to.
    pub fn upstream(&self) -> String {
        self.0.upstream.url()
    }

    /// What was recorded so far, and what was not.
    pub fn report(&self) -> Report {
        self.state().report.clone()
    }

    /// The script so far; `None` when there is nothing in it.
    pub fn script(&self) -> Option<Script> {
        self.state().book.script().and_then(Result::ok)
    }

    /// Writes down what could not be written before.
    pub(super) fn close(&self) -> Result<Report, RecordError> {
        let mut state = self.state();
        if state.unsaved.is_some() {
            self.save(&mut state);
        }
        match state.unsaved.clone() {
            Some(error) => Err(error),
            None => Ok(state.report.clone()),
        }
    }

    /// A number for an exchange that begins.
    pub(super) fn begin(&self) -> u64 {
        let mut state = self.state();
        state.report.under_way += 1;
        let sequence = state.sequences;
        state.sequences += 1;
        sequence
    }

    pub(super) fn passes_on_to(&self) -> &Upstream {
        &self.0.upstream
    }

    pub(super) fn head(&self) -> Duration {
        self.0.options.head
    }

    pub(super) fn kept_bytes_max(&self) -> usize {
        self.0.options.kept_bytes_max
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.0.clock.elapsed_ms()
    }

    /// What stands in the request id of an error of our own.
    pub(super) fn token(&self, sequence: u64) -> String {
        Seed::of_run(sequence).child("record").token()
    }

    /// Writes an exchange down that was heard to its end.
    pub(super) fn keep(&self, mut heard: Heard, target: &str, status: Option<u16>) {
        if !self.0.options.timing {
            heard.paced = None;
        }
        let mut state = self.state();
        let mut notes = Vec::new();
        if let Answered::Answer(folded) = &heard.answered {
            notes.extend(folded.left_out.iter().map(|what| format!("left out: {what}")));
        }
        let fate = match state.book.add(&heard) {
            Ok((turn, odd)) => {
                notes.extend(odd);
                self.save(&mut state);
                notes.extend(state.unsaved.as_ref().map(ToString::to_string));
                Fate::Recorded(turn)
            }
            Err(why) => Fate::Unreadable(format!("a script cannot say it: {why}")),
        };
        let exchange = noted(&mut state, heard.sequence, target, status, fate, notes);
        drop(state);
        self.told(&exchange);
    }

    /// Notes an exchange of which nothing is recorded.
    pub(super) fn tell(
        &self,
        sequence: u64,
        target: &str,
        status: Option<u16>,
        fate: Fate,
        notes: Vec<String>,
    ) {
        let mut state = self.state();
        let exchange = noted(&mut state, sequence, target, status, fate, notes);
        drop(state);
        self.told(&exchange);
    }

    fn told(&self, exchange: &Exchange) {
        if let Some(listener) = &self.0.listener {
            listener(exchange);
        }
    }

    /// Writes the file. It happens under the lock, so that of two exchanges that end at once the later one does
    /// not vanish again.
    fn save(&self, state: &mut State) {
        let file = &self.0.options.file;
        let written = match state.book.script() {
            None => Ok(()),
            Some(Ok(script)) => file::write(&script, file),
            Some(Err(error)) => Err(RecordError::Write { file: file.clone(), reason: error.to_string() }),
        };
        state.unsaved = written.err();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("options", &self.0.options).finish_non_exhaustive()
    }
}

/// Counts an exchange that has ended, and keeps it when there is something to say about it.
fn noted(
    state: &mut State,
    sequence: u64,
    target: &str,
    status: Option<u16>,
    fate: Fate,
    notes: Vec<String>,
) -> Exchange {
    let report = &mut state.report;
    report.under_way = report.under_way.saturating_sub(1);
    let counter = match &fate {
        Fate::Recorded(_) => &mut report.recorded,
        Fate::PassedOn => &mut report.passed_on,
        _ => &mut report.missing,
    };
    *counter += 1;
    let is_plain = matches!(fate, Fate::Recorded(_) | Fate::PassedOn) && notes.is_empty();
    let exchange = Exchange { sequence, target: target.to_owned(), status, fate, notes };
    if !is_plain {
        if report.noted.len() == NOTED_MAX {
            report.noted.remove(0);
        }
        report.noted.push(exchange.clone());
    }
    exchange
}

/// A script is called like its file, without the ending.
fn name_of(file: &std::path::Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "recorded".to_owned())
}
