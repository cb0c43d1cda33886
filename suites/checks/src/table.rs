//! How a topic lists its checks.

/// A list of checks of one contract: `"ID" => drive, judge;` for each.
macro_rules! checks {
    ($contract:ident: $($id:literal => $drive:path, $judge:path;)+) => {
        /// The checks of this topic.
        pub(crate) const CHECKS: &[engine::Check] = &[$(engine::Check {
            id: $id,
            contract: spec::Contract::$contract,
            kind: engine::Kind::Single { drive: |driver| Box::pin($drive(driver)), judge: $judge },
        }),+];
    };
}

pub(crate) use checks;
