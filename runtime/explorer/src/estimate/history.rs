//! How an estimate grew while the search went on.

/// The estimates at rising numbers of executions, the last ones.
pub(crate) struct History {
    /// Logarithms of the number of executions, and of the estimate.
    points: Vec<(f64, f64)>,
    next: u64,
}

/// Executions from which on it is noted (chosen: before, the tree is hardly begun).
const FIRST: u64 = 256;
/// From a number of executions to the next at which an estimate is noted: twice as many
/// (chosen: in short searches each one counts).
const STEP: u64 = 2;
/// How far back it looks, as a factor of executions.
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
    /// From how many executions on the next one is wanted.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    pub fn note(&mut self, executions: u64, all: f64) {
        self.next = executions * STEP;
        let now = (executions as f64).ln();
        self.points.retain(|&(then, _)| now - then <= BACK.ln());
        self.points.push((now, all.ln()));
    }

    /// The exponent with which the estimate grew with the number of executions: 0 if it stayed, 1 if it always
    /// was the same multiple of what was run, and as long as there are no two estimates. By least squares.
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
