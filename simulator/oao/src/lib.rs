//! The OAO contract, served
