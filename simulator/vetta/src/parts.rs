//! The policies of the room, put together.

use crate::{
    FixtureError, Keyring, admission::Admission, agents::Agents, approvals::Approvals, auth::Auth,
    billing::Bills, catalogue::Catalogue, endpoint::Endpoint, events::Events, guards::Guards, http::Http,
    models::Models, paging::Paging, sandbox::Sandboxes, sessions::Sessions, team::Teams, tools::ToolRules,
    turns::TurnRules,
};

/// Everything that a service is made of. The default of every policy is conformance; the default keyring
/// is empty, so most callers want [`Parts::shipped`].
///
/// A wrong server is made by editing the parts from outside: a changed value, another function, a
/// decorator around one, or a rewrite of outgoing answers.
#[derive(Clone, Default)]
pub struct Parts {
    /// The keys, and the environments that they address.
    pub keyring: Keyring,
    /// The check of credentials.
    pub auth: Auth,
    /// The harness catalogue.
    pub catalogue: Catalogue,
    /// The models.
    pub models: Models,
    /// How agents are read, merged, written and shown.
    pub agents: Agents,
    /// What refuses an agent early.
    pub guards: Guards,
    /// What a start demands, and what refuses it.
    pub admission: Admission,
    /// How sessions come to be, and when they take a message.
    pub sessions: Sessions,
    /// How a turn is asked for and how it ends.
    pub turns: TurnRules,
    /// How a team works together.
    pub teams: Teams,
    /// Who gets into the tool endpoint of a session.
    pub endpoint: Endpoint,
    /// Which tools a loop gets, and under which permission.
    pub tools: ToolRules,
    /// How calls are held and decided about.
    pub approvals: Approvals,
    /// What a session keeps of its machine.
    pub sandboxes: Sandboxes,
    /// What turns cost.
    pub bills: Bills,
    /// How events are listed and streamed.
    pub events: Events,
    /// Pages and the list envelope.
    pub paging: Paging,
    /// The HTTP seam.
    pub http: Http,
}

impl Parts {
    /// Conformance, with the environments and keys that ship with the simulator.
    pub fn shipped() -> Result<Self, FixtureError> {
        Ok(Self { keyring: Keyring::shipped()?, ..Self::default() })
    }
}
