//! The eleven programs of examples/cxx, each with its bug and without it, at -O0 and at -O2: what the check says, and that
//! places and names in its report are the program's own.
//!
//! What is looked at is the JSON report; and the text, for whether it is still what somebody read and found good
//! (testsuite/eleven).

use dpor_report::{Finding, FindingKind, Report, Severity, Verdict};
use dpor_testsuite::deal;
use dpor_testsuite::tool::{Checked, Tool};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// A program of examples/cxx, and what a check of it must say.
struct Example {
    name: &'static str,
    kind: FindingKind,
    /// The lines of the finding's accesses: a part of each that no other line of the finding has.
    lines: &'static [&'static str],
    /// Parts of names of objects that the finding and its trace have.
    objects: &'static [&'static str],
    /// Complete executions of the fixed program, where they can be counted by hand.
    executions: Option<u64>,
}

/// The program, in the folder of the examples.
fn source(example: &Example) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.with_file_name("examples").join("cxx");
    folder.join(format!("{}.cc", example.name))
}

/// What checks of a program say that was compiled with these flags: by the versions of clang that it is dealt at this
/// level.
fn checked(test: &str, example: &Example, level: usize, flags: &[&str]) -> Vec<(Tool, Checked)> {
    let versions = Tool::versions();
    let dealt = versions[level % versions.len()];
    let is_dealt = |&version: &u32| deal::is_each() || version == dealt;
    let level = LEVELS[level];
    let check = |version: u32| {
        let name = format!("eleven_{test}_{}{level}", example.name);
        let tool = Tool::with(&name, version);
        let binary = tool.path("program");
        let mut compile = tool.compiler("dpor-c++");
        compile.args(["-std=c++20", "-pthread", "-g", level]);
        compile
            .args(flags)
            .arg(source(example))
            .arg("-o")
            .arg(&binary);
        let ran = tool.run(&mut compile, "");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.shown());
        let checked = tool.check(&binary, &[], &[]);
        (tool, checked)
    };
    { versions.iter().copied() }
        .filter(is_dealt)
        .map(check)
        .collect()
}

/// What checks say of the program with its bug: once for all tests.
fn buggy(example: &Example, level: usize) -> &'static [(Tool, Checked)] {
    type Checks = OnceLock<Vec<(Tool, Checked)>>;
    static ALL: [[Checks; LEVELS.len()]; EXAMPLES.len()] =
        [const { [const { OnceLock::new() }; LEVELS.len()] }; EXAMPLES.len()];
    let mut names = EXAMPLES.iter().map(|example| example.name);
    let index = names.position(|name| name == example.name);
    let cell = &ALL[index.expect("one of the examples")][level];
    cell.get_or_init(|| checked("buggy", example, level, &[]))
}

/// Checks both forms of a program at each level.
fn check(example: &Example) {
    for level in 0..LEVELS.len() {
        for (tool, checked) in buggy(example, level) {
            let shown = checked.ran.shown();
            assert_eq!(checked.ran.code, 42, "{shown}");
            assert_eq!(checked.report.verdict, Verdict::Bug, "{shown}");
            assert_found(example, &checked.report);
            let replayed = tool.run(tool.dpor("replay").arg(&checked.json), "");
            assert_eq!(replayed.code, 42, "{}", replayed.shown());
        }
        for (_, checked) in checked("fixed", example, level, &["-DFIXED"]) {
            let shown = checked.ran.shown();
            assert_eq!(checked.ran.code, 0, "{shown}");
            assert_eq!(checked.report.verdict, Verdict::Verified, "{shown}");
            assert!(checked.report.findings.is_empty(), "{shown}");
            if let Some(executions) = example.executions {
                assert_eq!(checked.report.executions.complete, executions, "{shown}");
            }
        }
    }
}

/// The bug is found first, and everything that has a place is in the program.
fn assert_found(example: &Example, report: &Report) {
    let path = source(example);
    let text = std::fs::read_to_string(&path).expect("the program is there");
    let lines: Vec<&str> = text.lines().collect();
    let first = &report.findings[0];
    assert_eq!(first.kind, example.kind);
    let is_error = |finding: &&Finding| report.severity(finding) == Severity::Error;
    assert_eq!(report.findings.iter().filter(is_error).count(), 1);
    for finding in &report.findings {
        let accesses = finding.accesses.iter().map(|access| &access.place);
        for place in accesses.chain(finding.trace.iter().map(|step| &step.place)) {
            assert_eq!(Path::new(&place.file), path, "{place:?}");
            assert!((1..=lines.len()).contains(&(place.line as usize)));
        }
        for sentence in finding.details.iter().chain([&finding.message]) {
            assert!(!sentence.contains("/usr/"), "{sentence}");
        }
    }
    let accessed = { first.accesses.iter() }.map(|access| lines[access.place.line as usize - 1]);
    let accessed: BTreeSet<&str> = accessed.collect();
    assert_eq!(accessed.len(), example.lines.len(), "{accessed:?}");
    for part in example.lines {
        let is_there = accessed.iter().any(|line| line.contains(part));
        assert!(is_there, "{part}: {accessed:?}");
    }
}

/// The names of all objects of a finding: what it is on, the locks held, and those of its trace's events.
fn objects(finding: &Finding) -> BTreeSet<&str> {
    let of_accesses = finding.accesses.iter().flat_map(|access| &access.locks);
    let of_trace = finding.trace.iter().map(|step| &step.object);
    let of_finding = finding.object.iter().map(|object| &object.name);
    let all = of_accesses.chain(of_trace).chain(of_finding);
    all.map(String::as_str).collect()
}

#[test]
fn objects_have_the_programs_names() {
    let mut wrong = Vec::new();
    for example in &EXAMPLES {
        for (level, flag) in LEVELS.iter().enumerate() {
            for (_, checked) in buggy(example, level) {
                let said = |what: &str| format!("{} {flag}: {what}", example.name);
                let findings = &checked.report.findings;
                for name in findings.iter().flat_map(objects) {
                    let nameless = ["0x", "stack of thread", "heap block of"];
                    // What is inside a library has the library's name.
                    let is_library = name.starts_with("lib") && name.contains(".so.");
                    if !is_library && nameless.iter().any(|words| name.contains(words)) {
                        wrong.push(said(name));
                    }
                }
                let all = objects(&findings[0]);
                for part in example.objects {
                    if !all.iter().any(|name| name.contains(part)) {
                        wrong.push(said(&format!("no {part}")));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The version of clang whose reports are kept word for word in testsuite/eleven, for each level; another one may order
/// code otherwise.
const KEPT: [u32; LEVELS.len()] = [22, 19];

/// A report as it is kept: paths from the root of the project on, without temporary folders; offsets in libraries, which
/// differ with their versions, left out.
fn as_kept(text: &str, checked: &Checked) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.expect("the project's folder");
    let folder = checked.json.parent().expect("it is in a folder");
    let text = text.replace(&format!("{}/", root.display()), "");
    let text = text.replace(&format!("{}/", folder.display()), "");
    let mut pieces = text.split("+0x");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        kept = kept + "+…" + rest;
    }
    kept
}

/// `DPOR_BLESS=1` writes the reports; read them afterwards.
#[test]
fn reports_are_as_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("eleven");
    let mut wrong = Vec::new();
    for example in &EXAMPLES {
        for (level, flag) in LEVELS.iter().enumerate() {
            for (tool, checked) in buggy(example, level) {
                if tool.llvm() != KEPT[level] {
                    continue;
                }
                let file = folder.join(format!("{}{flag}.txt", example.name));
                let found = as_kept(&checked.ran.stdout, checked);
                if std::env::var_os("DPOR_BLESS").is_some() {
                    std::fs::write(&file, &found).expect("a golden");
                }
                let kept = std::fs::read_to_string(&file).unwrap_or_default();
                if kept != found {
                    wrong.push(format!("{}:\n{kept}--- found\n{found}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

macro_rules! examples {
    ($($name:ident: $example:expr,)*) => {
        const EXAMPLES: [Example; 11] = [$(Example { name: stringify!($name), ..$example },)*];
        $(
            #[test]
            fn $name() {
                let is_it = |example: &&Example| example.name == stringify!($name);
                check(EXAMPLES.iter().find(is_it).expect("an example of that name"));
            }
        )*
    };
}

/// An example of no name whose fixed form has too many executions to count.
const fn example(
    kind: FindingKind,
    lines: &'static [&'static str],
    objects: &'static [&'static str],
) -> Example {
    Example {
        name: "",
        kind,
        lines,
        objects,
        executions: None,
    }
}

impl Example {
    /// Complete executions of the fixed form.
    const fn executions(mut self, executions: u64) -> Example {
        self.executions = Some(executions);
        self
    }
}

examples! {
    // Alice has 100. Let A and B be withdrawals of 80 and 60 from her account, C the deposit of 10 there, b the deposit of
    // what A took in Bob's, c the withdrawal from it; c comes before C. The order of A, B and C, and where A succeeds that
    // of b and c: ABC, ACB with bc or cb; CAB with cb alone; in BAC, BCA, CBA A fails. 2 + 2 + 1 + 3 = 8.
    bank: example(FindingKind::Assertion, &["assert(balance_ >= 0)"], &["mutex_"]).executions(8),
    bounded_queue: example(
        FindingKind::DataRace,
        &["ring_[tail_] = ", "tail_ = (tail_ + 1)"],
        &["tail_"],
    ),
    thread_pool: example(
        FindingKind::Deadlock,
        &["worker.join()", "ready_.wait(lock"],
        &["mutex_", "ready_", "stopping_"],
    ),
    // Three sections of one mutex: 3!.
    cache: example(
        FindingKind::DataRace,
        &["recent_.splice("],
        &["mutex_", "recent_"],
    ).executions(6),
    producers_consumers: example(
        FindingKind::Assertion,
        &["assert(order->number > 0)"],
        &["mutex_", "changed_"],
    ),
    // Either thread makes the settings; the other one sees that without the lock, or under it: 2 · 2.
    singleton: example(
        FindingKind::DataRace,
        &["values_.at(key)", "values_{{"],
        &["Settings::instance_", "Settings::mutex_", "values_"],
    ).executions(4),
    lock_free_stack: example(
        FindingKind::DataRace,
        &["compare_exchange_weak(node, node->next)", "delete node;"],
        &["head_", "popping_", "next"],
    ),
    work_stealing: example(
        FindingKind::Assertion,
        &["assert(count == 1)"],
        &["top_", "bottom_", "runs"],
    ),
    // Any two of three philosophers share a fork, so that all orders of their six meals differ: 6!/(2!·2!·2!).
    philosophers: example(
        FindingKind::Deadlock,
        &["right(right_.mutex)", "thread.join()"],
        &["mutex"],
    ).executions(90),
    // Nothing is shared.
    parallel_sort: example(FindingKind::DataRace, &["std::sort(first, last)"], &[]).executions(1),
    logger: example(
        FindingKind::Assertion,
        &["assert(file.size() == 3)"],
        &["mutex_", "changed_"],
    ),
}
