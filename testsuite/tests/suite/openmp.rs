//! `dpor-cc -fopenmp`: programs of testsuite/openmp, with executions counted by hand. All of the folder:
//! `cargo xtask openmp`.

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::tool::{Checked, Tool};
use std::path::{Path, PathBuf};

fn source(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("openmp");
    folder.join(format!("{name}.c"))
}

/// A program of the folder, compiled and checked: by default a region has two threads.
fn check(tool: &Tool, name: &str, level: &str) -> Checked {
    let binary = tool.path(&format!("{name}{level}"));
    let mut compile = tool.compiler("dpor-cc");
    compile.args(["-fopenmp", "-g", "-w", level]);
    compile.arg(source(name)).arg("-o").arg(&binary);
    let ran = tool.run(&mut compile, "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    tool.check(&binary, &["-k"], &[])
}

/// Checks the text of a program.
fn check_text(tool: &Tool, name: &str, text: &str) -> Checked {
    let binary = tool.compile(name, text, &["-fopenmp"]);
    tool.check(&binary, &["-k"], &[])
}

fn assert_verified(checked: &Checked, name: &str, executions: u64) {
    let report = &checked.report;
    let said = (report.verdict, report.executions.complete);
    let expect = (Verdict::Verified, executions);
    assert_eq!(said, expect, "{name}: {}", checked.ran.shown());
    assert_eq!(report.executions.total(), executions, "{name}");
}

/// Two threads. A single has two executions: who comes first. All loops, barriers and tasks of these programs add
/// none; where a program has more than that, the orders of its critical regions, its additions of doubles or
/// its chunks are counted.
const COUNTS: [(&str, u64); 13] = [
    // Static loops and barriers.
    ("carried-none", 1),
    ("barrier", 1),
    ("for-barrier", 1),
    // Integers are added in any order, which is one; doubles in two.
    ("sum-reduction", 1),
    ("sum-reduction-double", 2),
    // The regions of two threads: 2; of two names: 2 * 2.
    ("counter-critical", 2),
    ("criticals-of-two-counters", 4),
    // Each of three chunks is taken by one of two threads: 2 * 2 * 2.
    ("dynamic", 8),
    ("single", 2),
    // In these, a single makes tasks: 2, and 2 * 2 where two of them have critical regions.
    ("task-wait", 2),
    ("task-fibonacci", 2),
    ("task-depend-chain", 2),
    ("task-critical", 4),
];

#[test]
fn executions_are_those_counted_by_hand() {
    let versions = Tool::versions();
    for (at, (name, executions)) in COUNTS.iter().enumerate() {
        let tool = Tool::with(&format!("openmp_{name}"), versions[at % versions.len()]);
        let level = ["-O0", "-O2"][at / 2 % 2];
        assert_verified(&check(&tool, name, level), name, *executions);
    }
}

#[test]
fn three_threads_have_six_orders_of_a_critical_region() {
    let tool = Tool::new("openmp_three");
    let text = "int main(void) {\n    int n = 0;\n#pragma omp parallel num_threads(3)\n#pragma omp critical\n    n++;\n    return n != 3;\n}\n";
    assert_verified(&check_text(&tool, "three", text), "three", 6);
}

/// The finding is in the program's own lines, and both threads are those of the region.
#[test]
fn races_are_at_the_programs_own_lines() {
    for (version, level) in Tool::versions().into_iter().zip(["-O0", "-O2"]) {
        let tool = Tool::with("openmp_races", version);
        for name in ["sum-no-reduction", "task-no-wait", "reduction-nowait-read"] {
            let checked = check(&tool, name, level);
            let shown = checked.ran.shown();
            let findings = &checked.report.findings;
            assert!(!findings.is_empty(), "{name}: {shown}");
            for finding in findings {
                assert_eq!(finding.kind, FindingKind::DataRace, "{name}: {shown}");
                for access in &finding.accesses {
                    let file = &access.place.file;
                    assert!(file.ends_with(&format!("{name}.c")), "{file}: {shown}");
                }
            }
        }
    }
}

#[test]
fn threadprivate_variables_last_and_tasks_have_numbers_of_the_team() {
    let tool = Tool::new("openmp_private");
    for name in [
        "threadprivate-lasts",
        "threadprivate-initial",
        "task-thread-number",
    ] {
        let checked = check(&tool, name, "-O1");
        let shown = checked.ran.shown();
        assert_eq!(checked.report.verdict, Verdict::Verified, "{name}: {shown}");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let tool = Tool::new("openmp_absent");
    let text = "int main(void) {\n#pragma omp teams\n    ;\n    return 0;\n}\n";
    let checked = check_text(&tool, "teams", text);
    let shown = checked.ran.shown();
    assert_eq!(checked.report.verdict, Verdict::Unsupported, "{shown}");
    let reason = checked.report.reason.unwrap_or_default();
    assert!(
        reason.contains("OpenMP: teams is not supported"),
        "{reason}"
    );
    // The user's own line, also where a function of another library is between.
    assert!(reason.ends_with("teams.c:2 in main"), "{reason}");
    // Without the driver nobody knows the user's line; nothing unreadable is there instead.
    let mut alone = std::process::Command::new(tool.path("teams"));
    let ran = tool.run(&mut alone, "");
    let said = "unsupported: OpenMP: teams is not supported at /usr/lib/dpor/openmp/state.c:";
    assert!(ran.stderr.contains(said), "{}", ran.shown());
}

/// Functions that the compiler makes of regions have the names of those that have the regions.
#[test]
fn regions_are_shown_as_the_functions_that_have_them() {
    for (version, level) in Tool::versions().into_iter().zip(["-O0", "-O2"]) {
        let tool = Tool::with("openmp_names", version);
        let shown = check(&tool, "sum-no-reduction", level).ran.stdout;
        assert!(!shown.contains("omp_"), "{shown}");
        for part in [" in main\n", "T0 (main)", "T1 (region in main)"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}

/// With real threads, tasks and their numbers come to an end, too.
#[test]
fn programs_run_without_the_checker() {
    let tool = Tool::new("openmp_native");
    for name in [
        "task-fibonacci",
        "task-thread-number",
        "ordered",
        "task-depend-chain",
    ] {
        let binary = tool.path(name);
        let mut compile = tool.compiler("dpor-cc");
        compile.args(["-fopenmp", "-O2", "-w"]).arg(source(name));
        let ran = tool.run(compile.arg("-o").arg(&binary), "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let mut native = std::process::Command::new(&binary);
        let ran = tool.run(native.env("DPOR_OPTIONS", "off=1"), "");
        assert_eq!(ran.code, 0, "{name}: {}", ran.shown());
    }
}
