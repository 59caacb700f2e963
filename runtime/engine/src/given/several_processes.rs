//! Several processes on one search, as far as the engine asks.

use crate::runtime::Runtime;
use crate::searching::Engine;
use dpor_abi::options::Options;

/// What the engine asks of those who explore with several processes.
pub trait Several: Sync {
    /// Reads the rest of the search that the options say to go on with, if they name one, and returns the clocks at its
    /// root, in the words of option `clock`.
    ///
    /// # Errors
    /// One sentence that says why the file cannot be read.
    fn read_left(&self, options: &Options) -> Result<Option<String>, String>;

    /// Whether this process has workers from the beginning of the search.
    fn are_due_at_once(&self, rt: &Runtime) -> bool;

    /// Whether it is time to fork workers.
    fn are_due(&self, rt: &Runtime) -> bool;

    /// Explores with workers, to the end. False: there are none, and this process is to go on alone.
    fn explore(&self, engine: &mut Engine) -> bool;

    /// This process, a worker, is at its end: gives account and ends the process.
    fn leave(&self, engine: &mut Engine) -> !;

    /// The number of processes that explore, with those of other ranks.
    fn all(&self, rt: &Runtime) -> u32;
}
