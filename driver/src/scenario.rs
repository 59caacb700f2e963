//! Tests of data structures from their operations: what a program of `dpor/scenario.hpp` says of itself, and one report of
//! the searches of all sizes.

pub mod emit;
pub mod merged;

use crate::framework::natively;
use crate::program::Program;
use dpor_report::scenario;

/// A size, as the program knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Number of threads.
    pub threads: u32,
    /// Number of calls of each, at most.
    pub calls: u32,
    /// Scenarios in which no thread makes more calls are of a size before.
    pub above: u32,
    /// The number of scenarios; `None`: there are too many sequences of their calls.
    pub scenarios: Option<u64>,
}

impl Listed {
    /// The size as the command line has it: `2x3`.
    pub fn word(&self) -> String {
        format!("{}x{}", self.threads, self.calls)
    }

    /// The arguments that let the program explore it; if its threads are to make their calls again and again, that.
    pub fn arguments(&self, question: &str, is_endless: bool) -> Vec<String> {
        let mut all = vec![
            format!("--dpor-scenario={}", self.word()),
            format!("--dpor-above={}", self.above),
            format!("--dpor-check={question}"),
        ];
        all.extend(again(is_endless));
        all
    }
}

/// What a test says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The name of the data structure.
    pub object: String,
    /// The source, as the compiler was given it.
    pub source: String,
    /// The sizes that it was asked for.
    pub sizes: Vec<Listed>,
    /// The calls that there are: each operation with each combination of its values.
    pub calls: Vec<String>,
}

/// The argument that says that threads make their calls again and again.
fn again(is_endless: bool) -> Option<String> {
    is_endless.then(|| "--dpor-again".to_owned())
}

/// Asks the test for the sizes. `is_endless`: of scenarios whose calls are made again and again.
///
/// # Errors
/// One sentence: the program is no such test.
pub fn list(
    program: &Program,
    args: &[String],
    sizes: &[(u32, u32)],
    is_endless: bool,
) -> Result<Listing, String> {
    let words = sizes
        .iter()
        .map(|(threads, calls)| format!("{threads}x{calls}"));
    let words: Vec<String> = words.collect();
    let mut command = program.command();
    command.args(again(is_endless));
    command.arg(format!("--dpor-list={}", words.join(",")));
    let output = natively(program, command.args(args))?;
    let text = String::from_utf8_lossy(&output.stdout);
    listed(&text).ok_or_else(|| {
        format!(
            "{} is no test of a data structure: it has no DPOR_SCENARIO of dpor/scenario.hpp, or does not get to it",
            program.path.display()
        )
    })
}

/// What the program wrote.
fn listed(text: &str) -> Option<Listing> {
    // What it writes before is its own.
    let mut lines = text.lines();
    let object = lines.find_map(|line| line.strip_prefix("dpor scenarios of "))?;
    let source = lines.next()?;
    let size = |line: &str| {
        let mut words = line.split(' ');
        let (threads, calls) = words.next()?.split_once('x')?;
        Some(Listed {
            threads: threads.parse().ok()?,
            calls: calls.parse().ok()?,
            above: words.next()?.parse().ok()?,
            scenarios: words.next()?.parse().ok(),
        })
    };
    let mut lines = lines.peekable();
    let sizes = std::iter::from_fn(|| {
        let size = size(lines.peek()?)?;
        lines.next();
        Some(size)
    });
    let sizes = sizes.collect();
    let calls = lines.map_while(|line| line.strip_prefix("call "));
    Some(Listing {
        object: object.to_owned(),
        source: source.to_owned(),
        sizes,
        calls: calls.map(scenario::read).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list() {
        let listing = listed("hello\ndpor scenarios of Stack\nx.cc\n2x1 0 6\n2x2 1 -1\ncall push(1)\ncall say(\"a\u{1b}Jb\")\nbye\n");
        let Listing {
            object,
            source,
            sizes,
            calls,
        } = listing.unwrap();
        assert_eq!((object.as_str(), source.as_str()), ("Stack", "x.cc"));
        let size = |calls, above, scenarios| Listed {
            threads: 2,
            calls,
            above,
            scenarios,
        };
        assert_eq!(sizes, [size(1, 0, Some(6)), size(2, 1, None)]);
        assert_eq!(calls, ["push(1)", "say(\"a\nb\")"]);
        assert_eq!(
            sizes[0].arguments("quiescent", false),
            [
                "--dpor-scenario=2x1",
                "--dpor-above=0",
                "--dpor-check=quiescent"
            ]
        );
        assert_eq!(sizes[0].arguments("progress", true)[3], "--dpor-again");
        assert_eq!(listed("usage: x FILE\n"), None);
    }
}
