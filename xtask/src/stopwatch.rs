//! How long each part of a command took.

use std::time::{Duration, Instant};

/// Parts and their times, in order.
#[derive(Default)]
pub struct Stopwatch(Vec<Part>);

struct Part {
    what: String,
    wall: Duration,
    /// Of the programs that it started: tells the work from the waiting on a busy machine.
    cpu: Duration,
}

impl Stopwatch {
    /// Does one part.
    pub fn time<T>(&mut self, what: &str, work: impl FnOnce() -> T) -> T {
        let (start, before) = (Instant::now(), cpu_of_children());
        let result = work();
        self.0.push(Part {
            what: what.to_owned(),
            wall: start.elapsed(),
            cpu: cpu_of_children().saturating_sub(before),
        });
        result
    }

    /// One line for each part.
    pub fn print(&self) {
        for Part { what, wall, cpu } in &self.0 {
            let (wall, cpu) = (wall.as_secs(), cpu.as_secs());
            println!("{wall:>6} s, {cpu:>6} s CPU: {what}");
        }
    }
}

/// CPU time of ended children; 0 if the system does not tell.
fn cpu_of_children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    Duration::from_millis(10 * ticks(&stat))
}

/// Fields 16 and 17 of proc(5), in hundredths of a second on every Linux of x86-64.
fn ticks(stat: &str) -> u64 {
    // The second field is a name that may hold spaces; it ends with the last parenthesis.
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).and_then(|text| text.parse().ok());
    field(16).unwrap_or(0u64) + field(17).unwrap_or(0u64)
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_are_counted_behind_the_name() {
        let stat = "7 (a) b) S 4 5 6 7 8 9 10 11 12 13 14 15 160 1700 18 19";
        assert_eq!(super::ticks(stat), 1860);
    }
}
