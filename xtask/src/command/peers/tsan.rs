//! compiler-rt's test/tsan: the programs that ThreadSanitizer is tested with.
//!
//! Built as their RUN lines say, at -O1, but for the header that all include: in ours the barrier
//! that fixes the order of each test does nothing. What is expected are the CHECK lines.

mod notes;

use super::suite::{files, marked, Suite, Test};
use super::Part;
use crate::stop::{Context, Outcome};
use crate::{process, source, tree};
use std::path::{Path, PathBuf};
use std::process::Command;

/// ThreadSanitizer's words for our kinds. The most special first.
const MARKS: [(&str, &str); 17] = [
    ("heap-use-after-free", "use-after-free"),
    ("data race", "data-race"),
    ("lock-order-inversion", "lock-order-inversion"),
    ("thread leak", "thread-misuse"),
    ("destroy of a locked mutex", "destroyed-in-use"),
    ("use of an invalid mutex", "uninitialized-object"),
    ("double lock", "self-deadlock"),
    ("read lock of a write locked", "self-deadlock"),
    ("unlock of an unlocked", "unlock-not-owner"),
    ("read unlock of a write locked", "unlock-not-owner"),
    ("signal-unsafe call", "signal-unsafe call"),
    ("spoils errno", "signal handler spoils errno"),
    ("wrong context", "mutex held in the wrong context"),
    ("too long mutex cycle", "too long mutex cycle"),
    ("starting new threads after", "thread after fork"),
    ("bad pointer", "bad pointer"),
    ("reported 1 warnings", "data-race"),
];

/// Builds and checks each program.
///
/// # Errors
/// If the sources cannot be fetched.
pub fn run(only: &[String]) -> Outcome<Part> {
    let folder = with_our_header(&source::fetch_parts(
        "llvm-toolchain-19",
        "llvm-toolchain-19",
        &["*/compiler-rt/test/tsan"],
    )?)?;
    let suite = Suite {
        title: "compiler-rt/test/tsan (llvm-toolchain-19)",
        text: "Built at -O1 with our own test.h, in which the barrier that ThreadSanitizer cannot see does nothing: every order is explored anyway. \
               Explored with `--volatile=plain`, as ThreadSanitizer has it. \
               \"thread-misuse\" is what it calls a thread leak, a warning here."
            .to_owned(),
        tests: tests(&folder)?,
        levels: &["-O1"],
        flags: vec![format!("-I{}", folder.display())],
        options: &["--volatile=plain"],
        notes: notes::NOTES,
    };
    suite.run(only)
}

/// A copy of the tests with our test.h: theirs lies beside them and would be found first.
fn with_our_header(source: &Path) -> Outcome<PathBuf> {
    let folder = tree::scratch("peers/tsan");
    let tests = source.join("compiler-rt/test/tsan");
    let mut copy = Command::new("cp");
    process::run(copy.arg("-r").arg(tests.join(".")).arg(&folder))?;
    let header = folder.join("test.h");
    std::fs::write(&header, include_str!("tsan/test.h")).while_doing(header.display())?;
    Ok(folder)
}

fn tests(folder: &Path) -> Outcome<Vec<Test>> {
    let mut tests = Vec::new();
    for part in ["", "Linux", "libcxx"] {
        for source in files(&folder.join(part), &["c", "cpp"]) {
            let text = std::fs::read_to_string(&source).while_doing(source.display())?;
            let name = source.strip_prefix(folder).unwrap_or(&source);
            tests.push(Test {
                name: name.display().to_string(),
                arguments: arguments(&text),
                flags: definitions(&text),
                theirs: marked(&checks(&text), &MARKS),
                not_run: not_run(&text),
                source,
            });
        }
    }
    Ok(tests)
}

/// Lines that FileCheck looks for; those it must not find say what is not expected.
fn checks(text: &str) -> String {
    let lines = text.lines().filter(|line| {
        line.contains("CHECK") && line.contains("ThreadSanitizer") && !line.contains("-NOT:")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a RUN line gives the first program that is run.
fn arguments(text: &str) -> Vec<String> {
    let mut lines = text.lines().filter(|line| line.contains("RUN:"));
    let line = lines.find_map(|line| line.split_once("%run %t"));
    let words = line.map_or("", |(_, after)| after).split_whitespace();
    let given = words.take_while(|word| !word.starts_with(['|', '2', '>', '&', '\\']));
    given
        .map(|word| word.trim_end_matches(';').to_owned())
        .collect()
}

/// Macros that the first RUN line that compiles a program defines.
fn definitions(text: &str) -> Vec<String> {
    let mut lines = text.lines().filter(|line| line.contains("RUN:"));
    let line = lines.find(|line| line.contains("%clang") && !line.contains("-DBUILD_SO"));
    let words = line.unwrap_or_default().split_whitespace();
    words
        .filter(|word| word.starts_with("-D"))
        .map(str::to_owned)
        .collect()
}

/// Why a program is about ThreadSanitizer and not about threads.
fn not_run(text: &str) -> Option<&'static str> {
    const REASONS: [(&str, &str); 12] = [
        ("\"java.h\"", "the interface for Java"),
        ("\"bench.h\"", "measures ThreadSanitizer's speed"),
        ("_fiber", "the interface for fibers"),
        ("custom_mutex.h", "ThreadSanitizer's own interface"),
        ("#include <sanitizer", "ThreadSanitizer's own interface"),
        ("#include \"sanitizer", "ThreadSanitizer's own interface"),
        ("\"syscall.h\"", "ThreadSanitizer's own interface"),
        ("__tsan_", "ThreadSanitizer's own interface"),
        ("__sanitizer_", "ThreadSanitizer's own interface"),
        ("nnotate", "annotations for ThreadSanitizer"),
        ("ANNOTATE_", "annotations for ThreadSanitizer"),
        ("ignorelist=", "a list of what ThreadSanitizer is to ignore"),
    ];
    let suppressed = text.lines().find(|line| line.contains("%run %t"));
    if suppressed.is_some_and(|line| line.contains("suppressions="))
        || text.contains("ignore_lib_lib.h")
    {
        return Some("suppressions of ThreadSanitizer");
    }
    let mut reasons = REASONS.iter().filter(|(mark, _)| text.contains(mark));
    reasons.next().map(|(_, reason)| *reason)
}
