//! Running the binary.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdout, Command, Output, Stdio},
};

/// The binary, with a folder of its own to work in.
pub(crate) fn proofhouse(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofhouse"));
    command.current_dir(folder).stdin(Stdio::null()).env_remove("CLICOLOR_FORCE");
    command
}

/// Runs it to its end.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Said {
    let output = proofhouse(folder).args(arguments).output().unwrap();
    Said::of(&output)
}

/// What it said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A server verb that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    /// The line that it printed when it was ready.
    pub(crate) line: String,
}

impl Server {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = proofhouse(folder).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        Self { child, out, line }
    }

    /// Asks it to stop, and returns what else it printed.
    pub(crate) fn rest(mut self) -> String {
        self.ask_to_stop();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Sends it a signal, and returns what else it printed, and its exit code.
    pub(crate) fn ended(mut self, signal: &str) -> (String, Option<i32>) {
        self.send(signal);
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap().code())
    }

    fn ask_to_stop(&self) {
        self.send("TERM");
    }

    fn send(&self, signal: &str) {
        let signal = format!("-{signal}");
        let asked = Command::new("kill").args([&signal, &self.child.id().to_string()]).status().unwrap();
        assert!(asked.success());
    }

    /// The URL in its line.
    pub(crate) fn url(&self) -> &str {
        self.line.split_whitespace().find(|word| word.starts_with("http://")).unwrap()
    }

    /// Asks it to stop, and returns its exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        self.ask_to_stop();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
