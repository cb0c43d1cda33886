//! What is said to a person or a pipe.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// Says a line on standard output. A reader that has gone away is no reason to fail; a disk that is full
/// is one, and ends the process.
pub(crate) fn say(line: &str) {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("error: cannot write to standard output: {error}"));
            std::process::exit(recording::ExitCode::CouldNotJudge.code().into());
        }
        _ => {}
    }
}

/// Says a line on standard error.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A progress bar on a terminal; nothing where there is none.
pub(crate) fn bar(length: usize, what: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("{prefix:>8} [{bar:40}] {pos}/{len} {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(what.to_owned());
    bar
}

/// `12.3 s`, or `420 ms`.
pub(crate) fn duration(ms: u64) -> String {
    if ms < 1_000 { format!("{ms} ms") } else { format!("{:.1} s", ms as f64 / 1_000.0) }
}

/// `1 check`, `3 checks`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `words` in lines of at most `width` characters. A word that is longer gets a line of its own.
pub(crate) fn wrapped(words: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// How many of something happen in a second.
pub(crate) fn rate(count: usize, ms: u64) -> f64 {
    count as f64 * 1_000.0 / ms.max(1) as f64
}
