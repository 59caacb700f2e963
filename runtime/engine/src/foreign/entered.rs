//! Functions without instrumentation that threads entered, as processes tell each other.

use dpor_model::ThreadId;
use serde::{Deserialize, Serialize};

/// A function without instrumentation that threads of the program entered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entered {
    /// The file that the function is in.
    pub path: String,
    /// Offset of the function in its file; `None`: the file was unloaded since.
    pub offset: Option<u64>,
    /// Numbers of the threads, in ascending order.
    pub threads: Vec<ThreadId>,
}
