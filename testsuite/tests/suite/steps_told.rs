//! `dpor_step`: code without hooks of which the program says what it touches.

use dpor_report::Verdict;
use dpor_testsuite::tool::Tool;

/// Without hooks: two variables, and a block of bytes.
const PART: &str = "int x, y; char large[80] __attribute__((aligned(16)));
void put(void) { x = 1; }
int get(void) { return x + y + large[0]; }
";

/// One thread puts, the other gets, each after what is told of it.
const PROGRAM: &str = r#"
#include <dpor.h>
#include <pthread.h>
extern int x, y;
extern char large[80];
void put(void); int get(void);
static void *first(void *unused) { FIRST; put(); return unused; }
int main(void) {
    pthread_t thread;
    int seen;
    pthread_create(&thread, 0, first, 0);
    SECOND;
    seen = get();
    pthread_join(thread, 0);
    dpor_observe("seen", seen);
    return 0;
}
"#;

/// What is told of each, and the number of orders that this makes.
const CASES: [(&str, &str, &str, u64); 8] = [
    ("meet", "dpor_step(&x, 4, 1)", "dpor_step(&x, 4, 0)", 2),
    ("silent", "", "", 1),
    ("reads", "dpor_step(&x, 4, 0)", "dpor_step(&x, 4, 0)", 1),
    ("apart", "dpor_step(&x, 4, 1)", "dpor_step(&y, 4, 0)", 1),
    ("part", "dpor_step(&x, 4, 1)", "dpor_step(&x, 1, 0)", 2),
    ("both", "dpor_step(&x, 4, 1)", "dpor_step(&x, 4, 1)", 2),
    ("all", "dpor_step(0, 0, 1)", "dpor_step(&x, 4, 0)", 2),
    // More than a cell, and one byte in common.
    (
        "far",
        "dpor_step(large, 40, 1)",
        "dpor_step(large + 39, 41, 0)",
        2,
    ),
];

#[test]
fn what_is_told_decides_which_orders_are_explored() {
    let tool = Tool::new("steps_told");
    let (source, object) = (tool.path("part.c"), tool.path("told.o"));
    std::fs::write(&source, PART).expect("the source can be written");
    let ran = tool.run(
        tool.clang()
            .args(["-O2", "-c", "-o"])
            .arg(&object)
            .arg(&source),
        "",
    );
    assert_eq!(ran.code, 0, "{}", ran.shown());
    for (name, first, second, orders) in CASES {
        let text = PROGRAM.replace("FIRST", first).replace("SECOND", second);
        let source = tool.path(&format!("{name}.c"));
        std::fs::write(&source, text).expect("the source can be written");
        let binary = tool.path(name);
        let mut compiler = tool.compiler("dpor-cc");
        compiler.args(["-O1", "-g"]).arg(&source).arg(&object);
        let ran = tool.run(compiler.arg("-o").arg(&binary), "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let checked = tool.check(&binary, &["--trust", "told.o"], &[]);
        let report = &checked.report;
        assert_eq!(
            report.verdict,
            Verdict::Verified,
            "{name}: {}",
            checked.ran.shown()
        );
        assert_eq!(
            report.executions.complete,
            orders,
            "{name}: {}",
            checked.ran.shown()
        );
        let (outcomes, shown) = (report.outcomes.len(), checked.ran.shown());
        assert_eq!(outcomes, orders as usize, "{name}: {shown}");
        // Where too little is told, a walk at random may see another outcome.
        let by_states = ["--trust", "told.o", "--states", "--fuse", "8"];
        let fused = tool.check(&binary, &by_states, &[]);
        let (outcomes, shown) = (fused.report.outcomes.len(), fused.ran.shown());
        assert!(outcomes >= orders as usize, "{name}: {shown}");
    }
}
