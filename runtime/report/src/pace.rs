//! The pace of looks at the clock, which is a system call: not after every execution.

/// Nanoseconds between two looks, about (chosen: a tenth of the time between two words on progress).
const LOOK_NS: u64 = 20_000_000;

/// The number of executions at which it is time to look again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    next: u64,
    /// Number of executions at the last look.
    executions: u64,
    /// Nanoseconds that the clock showed at the last look.
    ns: u64,
}

impl Pace {
    /// Whether it is time for progress after so many executions. `clock`: nanoseconds now.
    #[inline]
    pub fn is_due(&mut self, executions: u64, clock: impl FnOnce() -> u64) -> bool {
        // Fewer than at the last look: the search began again.
        if executions < self.next && executions >= self.executions {
            return false;
        }
        self.look(executions, clock());
        true
    }

    fn look(&mut self, executions: u64, ns: u64) {
        let done = executions.saturating_sub(self.executions);
        let taken = ns.saturating_sub(self.ns).max(1);
        let next = u128::from(done) * u128::from(LOOK_NS) / u128::from(taken);
        // Not many more than last time: they may take longer.
        let next = (next as u64).clamp(1, 2 * done.max(1));
        (self.next, self.executions, self.ns) = (executions + next, executions, ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_less_often_where_executions_are_short() {
        let mut pace = Pace::default();
        let (mut executions, mut ns, mut looks) = (0, 1_000_000_000, 0);
        // A second of executions of 5 µs.
        while executions < 200_000 {
            executions += 1;
            ns += 5_000;
            if executions >= pace.next {
                pace.look(executions, ns);
                looks += 1;
            }
        }
        assert!((40..100).contains(&looks), "{looks}");
        // One of a second each: looked at within twice as many as last time.
        assert!(pace.next - pace.executions <= 8_000);
    }
}
