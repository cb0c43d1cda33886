//! A client that is a command, and the way to bring one up.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use engine::{Budget, ClientPort, Ended, Launch, LaunchError, Opened, Visit, Visited, target::Description};
use futures_util::{FutureExt, future::LocalBoxFuture};
use recording::Lane;
use spec::Contract;
use tokio::sync::oneshot;
use wire::{Clock, Net, Seed};

/// The most of its standard output that is read, in bytes.
const OUTPUT_BYTES_MAX: u64 = 1024 * 1024;
/// The most lines that are kept of it.
const LINES_MAX: usize = 1_000;
/// Between two looks at whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

/// A client under test, run by a shell.
pub struct CommandClient {
    command: String,
    limit: Duration,
    description: Description,
}

impl CommandClient {
    /// The client that `command` runs, in `sh -c`; one visit may take `limit`.
    pub fn new(command: &str, limit: Duration) -> Self {
        let description = Description {
            name: command.to_owned(),
            version: "unknown".to_owned(),
            contract: Contract::Vetta,
            url: "http://127.0.0.1:80".to_owned(),
            lane: Lane::Wall,
            credentials: Default::default(),
            settings: Default::default(),
            claims: Default::default(),
            model: None,
            scope: Default::default(),
        };
        Self { command: command.to_owned(), limit, description }
    }
}

impl Launch for CommandClient {
    fn lane(&self) -> Lane {
        Lane::Wall
    }

    fn description(&self) -> &Description {
        &self.description
    }

    fn patience(&self) -> Budget {
        Budget(self.limit * 2 + Duration::from_secs(2))
    }

    fn open(&self, _: Seed) -> LocalBoxFuture<'_, Result<Opened, LaunchError>> {
        let opened = Opened {
            net: Net::Tcp,
            clock: Clock::wall(),
            authority: String::new(),
            prefix: String::new(),
            description: self.description.clone(),
            model: None,
            client: Some(Box::new(Shell { command: self.command.clone(), limit: self.limit })),
            suite_defects: Vec::new(),
            keep: Box::new(()),
        };
        Box::pin(std::future::ready(Ok(opened)))
    }
}

struct Shell {
    command: String,
    limit: Duration,
}

impl ClientPort for Shell {
    fn limit(&self) -> Duration {
        self.limit
    }

    fn visit<'a>(&'a self, _: &'a Net, clock: &'a Clock, visit: Visit) -> LocalBoxFuture<'a, Visited> {
        async move {
            match Process::start(&self.command, &visit) {
                Err(reason) => Visited { lines: Vec::new(), ended: Ended::NotStarted(reason) },
                Ok(process) => process.watched(clock, self.limit).await,
            }
        }
        .boxed_local()
    }
}

/// A running client. Its whole process group ends when it is dropped.
struct Process {
    child: Child,
    output: oneshot::Receiver<Vec<String>>,
}

impl Process {
    fn start(command: &str, visit: &Visit) -> Result<Self, String> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::piped());
        shell.env("PROOFHOUSE_URL", &visit.url).env("PROOFHOUSE_KEY", &visit.key);
        match &visit.pick {
            Some(pick) => shell.env("PROOFHOUSE_PICK", pick),
            None => shell.env_remove("PROOFHOUSE_PICK"),
        };
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut child = shell.spawn().map_err(|error| format!("`sh` cannot be run: {error}"))?;
        let (send, output) = oneshot::channel();
        if let Some(stdout) = child.stdout.take() {
            // Reading blocks, so it has a thread of its own; it ends with the last holder of the pipe.
            std::thread::spawn(move || send.send(lines_of(stdout)));
        }
        Ok(Self { child, output })
    }

    /// Waits for its end, `limit` at most. What it printed is taken once the pipe is closed, or at the limit.
    async fn watched(mut self, clock: &Clock, limit: Duration) -> Visited {
        let ended = clock
            .within(limit, async {
                loop {
                    match self.child.try_wait() {
                        Ok(Some(status)) => return Ended::Exited(status.code()),
                        Ok(None) => clock.pause(LOOK).await,
                        Err(error) => return Ended::NotStarted(error.to_string()),
                    }
                }
            })
            .await
            .unwrap_or(Ended::Late);
        self.end();
        let lines = clock.within(Duration::from_secs(1), &mut self.output).await;
        Visited { lines: lines.and_then(Result::ok).unwrap_or_default(), ended }
    }

    /// Ends the group: what the shell started goes with it.
    fn end(&mut self) {
        #[cfg(unix)]
        {
            let group = format!("-{}", self.child.id());
            let kill = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
            // Nobody is left to be ended where it fails.
            let _ = kill;
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

fn lines_of(stdout: ChildStdout) -> Vec<String> {
    let mut lines = Vec::new();
    let mut reader = BufReader::new(stdout.take(OUTPUT_BYTES_MAX));
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if lines.len() < LINES_MAX {
            lines.push(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        line.clear();
    }
    lines
}
