//! The published tables, as a copy: JSON fields with their types, kinds of findings with their
//! severity, verdicts with their exit codes. (Options are walked in `driver/src/flags/check.rs`.)

use dpor_report::{FindingKind, Severity};
use dpor_testsuite::tool::Tool;
use serde_json::{json, Value};

/// The example report, field by field. Values only say the type; `null` says that a string or a
/// number may be absent.
fn example() -> Value {
    json!({ "tool": "dpor", "version": "0.1.0", "program": "./x", "args": [],
      "model": "sc", "search": "optimal", "bound": null, "checkpoint": "snapshot", "workers": 1,
      "verdict": "bug", "reason": null,
      "executions": { "complete": 1, "blocked": 0, "redundant": 0, "bound_exceeded": 0,
                      "deadlocked": 0, "failed": 0 },
      "estimate": null,
      "reductions": ["commute", "observers"], "scope": { "instrumented": ["x"], "uninstrumented": ["libc.so.6"] },
      "events": 1, "events_replayed": 1, "threads_max": 4,
      "seconds": { "wall": 0.01, "cpu": 0.01 }, "executions_per_second": 1, "peak_rss_bytes": 1,
      "checkpoints": { "taken": 10, "restored": 1, "bytes_mean": 1, "forks": 0 },
      "outcomes": [ { "values": { "r1": 0 }, "executions": 3 } ],
      "findings": [ { "kind": "data-race", "message": "",
        "object": { "name": "balance", "size": 4, "file": "x.c", "line": 4 },
        "accesses": [ { "thread": 1, "access": "write", "file": "x.c", "line": 9, "column": 11,
                        "function": "deposit", "locks": ["m"] } ],
        "trace": [ { "thread": 0, "operation": "thread-create", "object": "T1", "value": null,
                     "file": "x.c", "line": 30, "function": "main" } ],
        "executions": 1, "preemptions": 1, "replay": "dpor replay x.json#1" } ] })
}

/// A race under a mutex on one side, an outcome, an argument: every list of the report has members.
const PROGRAM: &str = "
#include <dpor.h>
#include <pthread.h>
int balance;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *deposit(void *unused) {
    pthread_mutex_lock(&m);
    balance++;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, deposit, 0);
    balance++;
    pthread_join(thread, 0);
    dpor_observe(\"r1\", 7);
    return 0;
}
";

/// Every field of `want` is in `got`, with the same type; lists by their first member.
fn compare(path: &str, want: &Value, got: &Value, wrong: &mut Vec<String>) {
    match (want, got) {
        (Value::Null, Value::Null | Value::String(_) | Value::Number(_)) => {}
        (Value::Object(want), Value::Object(got)) if path.ends_with(".values") => {
            assert_eq!(want.keys().next(), got.keys().next());
        }
        (Value::Object(want), Value::Object(got)) => {
            for (key, want) in want {
                match got.get(key) {
                    Some(got) => compare(&format!("{path}.{key}"), want, got, wrong),
                    None => wrong.push(format!("{path}.{key} is missing")),
                }
            }
        }
        (Value::Array(want), Value::Array(got)) => {
            let path = format!("{path}[]");
            match (want.first(), got.first()) {
                (Some(want), Some(got)) => compare(&path, want, got, wrong),
                (Some(_), None) => wrong.push(format!("{path} is empty")),
                (None, _) => {}
            }
        }
        (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_)) => {}
        _ => wrong.push(format!("{path} is {got}, published as {want}")),
    }
}

#[test]
fn every_published_field_is_in_a_report() {
    let tool = Tool::new("contract");
    let binary = tool.compile("balance", PROGRAM, &[]);
    let checked = tool.check(&binary, &["-k", "--outcomes"], &["argument"]);
    assert_eq!(checked.ran.code, 42, "{}", checked.ran.shown());
    let text = std::fs::read_to_string(&checked.json).expect("the report");
    let mut got: Value = serde_json::from_str(&text).expect("JSON");
    // The access under the mutex comes first or second.
    let accesses = got["findings"][0]["accesses"]
        .as_array_mut()
        .expect("a list");
    accesses.sort_by_key(|access| {
        access["locks"]
            .as_array()
            .map_or(0, |l| usize::MAX - l.len())
    });
    assert_eq!(got["findings"][0]["accesses"][0]["locks"], json!(["m"]));
    let mut want = example();
    // Published as whatever is in force.
    want["reductions"] = json!(["commute", "observers", "counters"]);
    let mut wrong = Vec::new();
    compare("report", &want, &got, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(got["args"], json!(["argument"]));
    assert_eq!(got["findings"][0]["object"]["name"], "balance");
    assert_eq!(got["findings"][0]["object"]["line"], 4);
    assert_eq!(
        got["findings"][0]["replay"],
        format!("dpor replay {}#1", checked.json.display())
    );
}

#[test]
fn kinds_of_findings_have_their_published_words_and_severity() {
    let words = "data-race deadlock livelock endless-loop assertion abort crash nonzero-exit \
        use-after-free double-free invalid-free out-of-bounds leak uninitialized-object \
        not-destroyed destroyed-in-use unlock-not-owner self-deadlock condvar-mutex-mismatch \
        lost-wakeup main-exits-early thread-misuse invariant outcome-difference";
    let warnings = ["not-destroyed", "leak", "main-exits-early", "lost-wakeup"];
    for word in words.split_whitespace() {
        let kind: FindingKind =
            serde_json::from_value(json!(word)).unwrap_or_else(|_| panic!("{word} is no kind"));
        assert_eq!(serde_json::to_value(kind).expect("a word"), json!(word));
        let warning = kind.severity() == Severity::Warning;
        assert_eq!(warning, warnings.contains(&word), "{word}");
    }
}

#[test]
fn the_verdict_names_what_was_not_looked_for() {
    let tool = Tool::new("contract-not-looked-for");
    let binary = tool.compile(
        "counter",
        "#include <pthread.h>\nint counter, other;\n\
         static void *work(void *unused) { counter = 1; return unused; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); other = counter;\n\
         pthread_join(t, 0); return 0; }\n",
        &[],
    );
    let table: [(&[&str], i32, &[&str], &str); 3] = [
        (
            &["--races=off"],
            0,
            &["races", "memory errors"],
            "verified without looking for races and memory errors: all 1 execution\n",
        ),
        (
            &["--races=off", "--plain=explore"],
            0,
            &["races"],
            "verified without looking for races: all 2 executions\n",
        ),
        (
            &["--races=warn"],
            3,
            &[],
            "incomplete: races, and plain accesses in one order only (--plain=explore) after 1 execution\n",
        ),
    ];
    for (options, code, left_out, line) in table {
        let checked = tool.check(&binary, options, &[]);
        assert_eq!(checked.ran.code, code, "{}", checked.ran.shown());
        assert_eq!(checked.report.scope.not_looked_for, left_out);
        assert!(checked.ran.stdout.contains(line), "{}", checked.ran.shown());
    }
}

#[test]
fn verdicts_have_their_published_exit_codes() {
    let tool = Tool::new("contract-codes");
    let program = |body: &str| {
        format!(
            "#include <dpor.h>\n#include <pthread.h>\n#include <unistd.h>\n#include <stdatomic.h>\n\
             atomic_int cell;\n\
             static void *work(void *unused) {{ atomic_store(&cell, 1); {body}; return unused; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); int s = cell;\n\
             pthread_join(t, 0); return s & 0; }}\n"
        )
    };
    let table: [(&str, &str, &[&str], i32, &str); 6] = [
        ("verified", "", &[], 0, "verified"),
        ("bug", "dpor_assert(0)", &[], 42, "bug"),
        ("incomplete", "", &["--max-executions=1"], 3, "incomplete"),
        ("unsupported", "fork()", &[], 4, "unsupported"),
        (
            "crash",
            "*(volatile int *)unused = 0",
            &["--races=off"],
            42,
            "bug",
        ),
        ("exit", "_exit(5)", &[], 42, "bug"),
    ];
    for (name, body, options, code, verdict) in table {
        let binary = tool.compile(name, &program(body), &["-Wno-nonnull"]);
        let checked = tool.check(&binary, options, &[]);
        assert_eq!(checked.ran.code, code, "{name}: {}", checked.ran.shown());
        assert_eq!(checked.report.verdict.to_string(), verdict, "{name}");
    }
    let mut command = tool.dpor("check");
    assert_eq!(tool.run(command.arg("--no-such-option"), "").code, 2);
    let mut command = tool.dpor("check");
    assert_eq!(tool.run(command.arg("/no/such/file"), "").code, 2);
}
