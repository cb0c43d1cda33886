//! The gates of our own CI, as tests
