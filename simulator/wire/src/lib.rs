//! Clock, ids, randomness, network, HTTP/1.1 and SSE.
//!
//! This is the only room that touches the originals (tokio's clock, sockets, hyper), so everything
//! above it runs unchanged in memory under virtual time and over TCP in real time.

pub mod clock;
pub mod http;
pub mod ids;
pub mod net;
pub mod random;
pub mod serve;
pub mod sse;

pub use clock::Clock;
pub use ids::Ids;
pub use net::{Listener, Net, Stream};
pub use random::Seed;
