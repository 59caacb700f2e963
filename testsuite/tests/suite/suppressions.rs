//! Findings that are not to be counted (`--suppress`).

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::tool::{Checked, Tool};

/// Two races: `bump`, which `legacy` calls, adds to `counter` (two reads and writes that race: a read with a write, and a
/// write with a write); `add` writes `third`. With ASSERT, an assertion fails in every execution; with ORDERS there are
/// several.
const RACES: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int counter, third;
static atomic_int orders;
static void bump(int *p) { (*p)++; }
static void legacy(void) { bump(&counter); }
static void *add(void *unused) { legacy(); third = 1;
#ifdef ORDERS
    atomic_exchange(&orders, 1);
    atomic_exchange(&orders, 2);
#endif
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef ASSERT
    assert(counter == 3);
#endif
}
"#;

struct Races {
    tool: Tool,
}

impl Races {
    fn new(name: &str) -> Races {
        Races {
            tool: Tool::new(name),
        }
    }

    fn check(&self, macros: &[&str], suppressions: &str, options: &[&str]) -> Checked {
        let file = self.tool.path("x.supp");
        std::fs::write(&file, suppressions).expect("it can be written");
        let flags = [&["-O0"], macros].concat();
        let program = self.tool.compile("races", RACES, &flags);
        let suppress = format!("--suppress={}", file.display());
        let options = [&[suppress.as_str()], options].concat();
        self.tool.check(&program, &options, &[])
    }
}

#[test]
fn what_is_suppressed_is_counted_and_no_bug() {
    let races = Races::new("suppressed");
    for (suppressions, count) in [
        ("race:^bump$\nrace:^third$\n", 3),
        ("data-race:*\n", 3),
        ("race_top:^bump$\nrace:^add$\n", 3),
        (
            "{\n old\n Helgrind:Race\n fun:bump\n fun:legacy\n}\n{\n new\n dpor:data-race\n fun:add\n}\n",
            3,
        ),
    ] {
        for more in [&[][..], &["-j2", "--workers-after=0"], &["--states"]] {
            let Checked { ran, report, .. } = races.check(&[], suppressions, more);
            let shown = ran.shown();
            assert_eq!(ran.code, 0, "{suppressions}: {shown}");
            assert_eq!(report.verdict, Verdict::Incomplete, "{shown}");
            assert!(report.findings.is_empty(), "{shown}");
            let suppressed = report.suppressed.expect("they are counted");
            assert_eq!((suppressed.count, suppressed.finished), (count, true), "{shown}");
            assert!(ran.stdout.contains("no other bug"), "{shown}");
            let ends = "; 3 findings suppressed\n";
            assert!(ran.stdout.ends_with(ends), "{shown}");
        }
    }
}

/// The search goes on past the first finding, and what is left is a bug as ever.
#[test]
fn what_is_not_suppressed_is_found_behind_it() {
    let races = Races::new("suppressed-first");
    let Checked { ran, report, .. } = races.check(&["-DASSERT"], "race:*\nleak:x\n", &[]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let kinds: Vec<FindingKind> = report.findings.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::Assertion], "{}", ran.shown());
    let suppressed = report.suppressed.expect("they are counted");
    assert_eq!((suppressed.count, suppressed.finished), (3, false));
    let unused = report
        .notes
        .iter()
        .find(|note| note.starts_with("suppression not used: leak:x"));
    assert!(unused.is_some(), "{}", ran.shown());
    // Only one of the two variables is suppressed.
    let Checked { ran, report, .. } = races.check(&[], "race_top:^bump$\n", &[]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let objects = report.findings.iter().filter_map(|one| one.object.as_ref());
    let objects: Vec<&str> = objects.map(|object| object.name.as_str()).collect();
    assert_eq!(objects, ["third"], "{}", ran.shown());
    // Nothing is: as without.
    let Checked { ran, report, .. } = races.check(&[], "race:nothing\n", &[]);
    assert_eq!(
        (ran.code, report.findings.len()),
        (42, 3),
        "{}",
        ran.shown()
    );
    assert_eq!(report.suppressed, None);
}

#[test]
fn limits_and_samples_stay_what_they_are() {
    let races = Races::new("suppressed-limits");
    let limit = ["--search=dfs", "--max-executions=2"];
    let Checked { ran, report, .. } = races.check(&["-DASSERT", "-DORDERS"], "*:*\n", &limit);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(
        ran.stdout.contains("incomplete: max-executions: 2"),
        "{}",
        ran.shown()
    );
    assert!(
        ran.stdout.ends_with("; 4 findings suppressed\n"),
        "{}",
        ran.shown()
    );
    let samples = ["--search=pos", "--samples=20"];
    let Checked { ran, .. } = races.check(&[], "race:*\n", &samples);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(
        ran.stdout.contains("no bug in 20 samples"),
        "{}",
        ran.shown()
    );
}

#[test]
fn a_file_that_is_none_is_refused() {
    let tool = Tool::new("suppressed-wrong");
    let file = tool.path("x.supp");
    for (text, expect) in [
        (
            "# ok\nrace\n",
            "x.supp:2: 'race' is not of the form KIND:PATTERN\n",
        ),
        ("called_from_lib:libz.so\n", "--trust LIBRARY"),
        (
            "{\n name\n Helgrind:Race\n",
            "x.supp:1: the block has no } behind it\n",
        ),
    ] {
        std::fs::write(&file, text).expect("it can be written");
        let mut command = tool.dpor("check");
        let ran = tool.run(command.arg("--suppress").arg(&file).arg("./x"), "");
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(expect), "{}", ran.shown());
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.shown());
    }
    let mut command = tool.dpor("check");
    let ran = tool.run(command.args(["--suppress", "/no/such/file", "./x"]), "");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("/no/such/file"), "{}", ran.shown());
}
