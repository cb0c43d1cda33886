//! Reports of a run: JSON, JUnit, console
