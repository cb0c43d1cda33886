//! Clock, ids, randomness, network, HTTP/1.1 and SSE.
//!
//! This is the only room that touches the originals (tokio's clock, sockets, hyper), so everything
//! above it runs unchanged in memory under virtual time and over TCP in real time.

pub mod clock;
pub mod http;
pub mod ids;
pub mod net;
pub mod origin;
pub mod random;
pub mod serve;
pub mod sse;
pub mod tls;

pub use clock::{Clock, Pace};
pub use ids::Ids;
pub use net::{Listener, Net, Stream};
pub use origin::Origin;
pub use random::Seed;
