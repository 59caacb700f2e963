//! What the searches explored that were given up for one that knows more.

/// How often a search began anew, because it learnt something that it has to know from its beginning.
#[derive(Clone, Copy, Default)]
pub struct BegunAnew {
    /// Beginnings but the first.
    pub times: u64,
    /// Executions of all searches but the last.
    pub executions: u64,
}
