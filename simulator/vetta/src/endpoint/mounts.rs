//! Which token opens which endpoint.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::ToolSource;

/// The endpoint of one session.
#[derive(Clone)]
pub struct Mount {
    /// `sess_…`
    pub session_id: String,
    /// The account that the session belongs to.
    pub account: String,
    /// What it serves.
    pub tools: Arc<dyn ToolSource>,
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount").field("session_id", &self.session_id).finish_non_exhaustive()
    }
}

/// The endpoints that are open, by token. A token is drawn at random for one session.
#[derive(Clone, Debug, Default)]
pub struct Mounts(BTreeMap<String, Mount>);

impl Mounts {
    /// Opens an endpoint.
    pub fn open(&mut self, token: String, mount: Mount) {
        self.0.insert(token, mount);
    }

    /// Closes the endpoint of a session.
    pub fn close(&mut self, session_id: &str) {
        self.0.retain(|_, mount| mount.session_id != session_id);
    }

    /// The endpoint that `token` was minted for.
    pub fn of_token(&self, token: &str) -> Option<&Mount> {
        self.0.get(token)
    }

    /// The endpoint of a session, and its token.
    pub fn of_session(&self, session_id: &str) -> Option<(&str, &Mount)> {
        let mut mounts = self.0.iter();
        mounts.find(|(_, mount)| mount.session_id == session_id).map(|(token, mount)| (token.as_str(), mount))
    }
}

/// The endpoints of a service.
#[derive(Default)]
pub(crate) struct MountTable(Mutex<Mounts>);

impl MountTable {
    /// Never held over an await.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Mounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
