//! Tells the report which commit the suite was built from.

use std::{path::Path, process::Command};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let git = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).current_dir(&root).output();
    let commit = git
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok());
    // A crate that was unpacked from a registry has no history.
    println!("cargo:rustc-env=PROOFHOUSE_COMMIT={}", commit.as_deref().map_or("unknown", str::trim));
    let head = root.join(".git/HEAD");
    if head.exists() {
        println!("cargo:rerun-if-changed={}", head.display());
        println!("cargo:rerun-if-changed={}", root.join(".git/logs/HEAD").display());
    }
}
