//! The journal on its way to other tools: as JSON, as lines of JSON and as an HTTP Archive.

mod excerpt;
mod har;
mod response;
mod selection;
mod written;

use excerpt::Excerpt;

pub use selection::{Format, Selection, SelectionError};
pub(crate) use selection::{number, once};
pub use written::Export;

use crate::host::Host;

impl Host {
    /// The entries of the journal that are wanted, as text, taken at this moment. The error names a turn
    /// that the script of the session does not have.
    pub fn export(&self, selection: &Selection) -> Result<Export, SelectionError> {
        let excerpt = Excerpt::of(self, selection)?;
        Ok(Export::new(self, excerpt, selection.format))
    }
}
