//! How an estimate grew while the search went on.

/// The last few estimates of a search, each with the number of executions that were run when it was made.
pub(crate) struct History {
    /// Natural logarithms of the number of executions, rising, and of the estimate.
    points: Vec<(f64, f64)>,
    /// Number of executions at which the next estimate is due.
    next: u64,
}

/// Number of executions at which the first estimate is noted (chosen: before, the tree is hardly begun).
const FIRST: u64 = 256;
/// Factor from one number of executions at which an estimate is noted to the next
/// (chosen: in short searches each one counts).
const STEP: u64 = 2;
/// Estimates made at fewer than the present number of executions divided by this are forgotten.
const BACK: f64 = 16.0;

impl Default for History {
    fn default() -> Self {
        History {
            points: Vec::new(),
            next: FIRST,
        }
    }
}

impl History {
    /// The number of executions at which [`History::note`] wants the next estimate.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Notes that `all` executions were expected in total when `executions` were run.
    pub fn note(&mut self, executions: u64, all: f64) {
        self.next = executions * STEP;
        let now = (executions as f64).ln();
        self.points.retain(|&(then, _)| now - then <= BACK.ln());
        self.points.push((now, all.ln()));
    }

    /// The exponent with which the estimate grew with the number of executions, by least squares of the logarithms:
    /// 0 if the estimate stayed the same, 1 if it always was the same multiple of the executions run. 1 with fewer
    /// than two estimates.
    pub fn growth(&self) -> f64 {
        let count = self.points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| self.points.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            let points = self.points.iter();
            points.map(|point| of(point.0 - x, point.1 - y)).sum()
        };
        let spread = sum(&|x, _| x * x);
        match spread > 0.0 {
            true => sum(&|x, y| x * y) / spread,
            false => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_exponent() {
        let check = |of: fn(f64) -> f64, expect: f64| {
            let mut history = History::default();
            let mut noted = 0;
            for executions in 1..100_000 {
                if executions >= history.next() {
                    history.note(executions, of(executions as f64));
                    noted += 1;
                }
            }
            assert!(
                (history.growth() - expect).abs() < 1e-9,
                "{}",
                history.growth()
            );
            assert!(noted < 15 && history.points.len() <= 5, "{noted}");
        };
        check(|_| 7e6, 0.0);
        check(|executions| 10.0 * executions, 1.0);
        check(|executions| executions.sqrt(), 0.5);
        assert_eq!(History::default().growth(), 1.0);
    }
}
