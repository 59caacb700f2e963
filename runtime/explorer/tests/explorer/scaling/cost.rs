//! What things take, in nanoseconds, as measured on one machine (docs/scaling.md says how).

use dpor_explorer::worker::Message;
use dpor_explorer::Counters;

/// Costs of one search.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// An execution, taking memory back included.
    execution: f64,
    /// An event, with its analysis.
    event: f64,
    /// An event that is repeated on the way to a branch.
    repeated: f64,
    /// A message between machines, for each of both processors.
    between: f64,
    /// Seconds from one worker's write of a message until another can read it.
    pub latency: f64,
    /// Seconds in addition if the reader sleeps.
    pub wake: f64,
}

impl Costs {
    /// On one machine, of a search that nobody measured.
    ///
    /// Executions and events: least squares of relative errors over nine programs of docs/bench.md
    /// (2026-11-22), none below 0; the largest error is 36 %.
    pub const ON_ONE_MACHINE: Costs = Costs {
        execution: 610.0,
        event: 710.0,
        repeated: 655.0,
        between: 0.0,
        latency: 100.0,
        wake: 25_000.0,
    };

    /// The costs, scaled such that a search by one worker with the counters `alone` takes `seconds` seconds.
    pub fn scaled(alone: Counters, seconds: f64) -> Costs {
        let fitted = Costs::ON_ONE_MACHINE;
        let factor = seconds * 1e9 / fitted.of(alone);
        Costs {
            execution: fitted.execution * factor,
            event: fitted.event * factor,
            repeated: fitted.repeated * factor,
            ..fitted
        }
    }

    /// Workers on machines of their own: a message takes 50 µs on its way and 5 µs of both processors
    /// (chosen: TCP between two machines of one room).
    pub fn over_network(self) -> Costs {
        Costs {
            between: 5_000.0,
            latency: 50_000.0,
            ..self
        }
    }

    /// The seconds that `done` took, by these costs.
    pub fn of(&self, done: Counters) -> f64 {
        done.executions() as f64 * self.execution
            + done.events as f64 * self.event
            + done.events_replayed as f64 * self.repeated
    }

    /// Making a message of so many bytes, and writing it.
    pub fn of_sending(&self, message: &Message, bytes: u32) -> f64 {
        let bytes = f64::from(bytes);
        self.between
            + match message {
                Message::Work(_) => 2_000.0 + 24.0 * bytes,
                Message::Insert(_) | Message::Forward(_) => 400.0 + 7.0 * bytes,
                _ => 200.0,
            }
    }

    /// Reading a message and doing what it asks for, but for sending.
    pub fn of_receiving(&self, message: &Message, bytes: u32) -> f64 {
        let bytes = f64::from(bytes);
        self.between
            + match message {
                Message::Work(_) => 2_000.0 + 29.0 * bytes,
                Message::Insert(_) | Message::Forward(_) => 600.0 + 13.0 * bytes,
                Message::Close { .. } => 1_500.0,
                Message::Free { .. } => 50_000.0,
                Message::Steal { .. } | Message::Refuse | Message::Credit { .. } => 400.0,
            }
    }
}
