//! The table of what `test` took: seconds and tests of each part, the longest first.

use std::time::Duration;

/// Parts that ended.
#[derive(Default)]
pub struct Table(Vec<Row>);

struct Row {
    what: String,
    wall: Duration,
    /// Tests that ran to an end; none for a build.
    tests: Option<u64>,
}

impl Table {
    /// Adds a part that ended.
    pub fn add(&mut self, what: &str, wall: Duration, tests: Option<u64>) {
        self.0.push(Row {
            what: what.to_owned(),
            wall,
            tests,
        });
    }

    /// One line for each part, and one with the time of all: parts overlap, so it is not their sum.
    pub fn lines(mut self, total: Duration) -> Vec<String> {
        self.0.sort_by_key(|row| std::cmp::Reverse(row.wall));
        self.add("in all; parts overlap", total, None);
        self.0.iter().map(Row::line).collect()
    }
}

impl Row {
    fn line(&self) -> String {
        let tests = match self.tests {
            Some(tests) => format!("{tests:>6} tests"),
            None => " ".repeat(12),
        };
        format!("{:>8.1} s {tests}  {}", self.wall.as_secs_f64(), self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_comes_first_and_the_whole_last() {
        let mut table = Table::default();
        table.add("tests: races", Duration::from_millis(1500), Some(72));
        table.add("build: product", Duration::from_secs(70), None);
        assert_eq!(
            table.lines(Duration::from_secs(71)),
            [
                "    70.0 s               build: product",
                "     1.5 s     72 tests  tests: races",
                "    71.0 s               in all; parts overlap",
            ]
        );
    }
}
