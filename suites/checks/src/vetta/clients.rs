//! Clients of the catalogue: what a chooser shows, offers and sends (VET-21, 67-a, 240 to 246).
//!
//! The suite serves a catalogue of its own, runs the client under test against it, and judges what the client
//! sent and what it printed.

mod choices;
mod happy_path;
mod printed;
mod requests;
mod shop;

pub(crate) use choices::CHECKS as CHOICES;
pub(crate) use happy_path::preflight;
pub(crate) use requests::CHECKS as REQUESTS;
