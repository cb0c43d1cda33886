//! The command line of Proofhouse
