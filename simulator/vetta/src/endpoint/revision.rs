//! Revisions of MCP.

/// A revision that the endpoint speaks, older ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2025-03-26: the first one with Streamable HTTP, and the only one with batches.
    March2025,
    /// 2025-06-18: the header `mcp-protocol-version` comes in, batches go.
    June2025,
    /// 2025-11-25.
    November2025,
}

impl Revision {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::March2025, Self::June2025, Self::November2025];

    /// What a request without the header means.
    pub const UNSAID: Self = Self::March2025;

    /// What a client is offered that asks for a revision which is not spoken here.
    pub const LATEST: Self = Self::November2025;

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::March2025 => "2025-03-26",
            Self::June2025 => "2025-06-18",
            Self::November2025 => "2025-11-25",
        }
    }

    /// The revision called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.name() == name)
    }

    /// Whether several messages may come in one array.
    pub fn takes_batches(self) -> bool {
        self == Self::March2025
    }
}
