//! The text of findings, as a whole.

use dpor_driver::flags::MessageFormat;
use dpor_driver::report::{human, View};
use dpor_report::{Access, Finding, FindingKind, Object, Place, Severity, Step};
use std::path::Path;
use tempfile::TempDir;

const BANK: &str = "\
#include <pthread.h>

pthread_mutex_t m;
int balance;

static void *deposit(void *unused) {
    pthread_mutex_lock(&m);
    balance += 10;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *peek(void *unused) {
    return balance ? unused : 0;
}
";

fn place(line: u32, column: u32, function: &str) -> Place {
    Place {
        file: "bank.c".to_owned(),
        line,
        column,
        function: function.to_owned(),
        ..Place::default()
    }
}

fn access(thread: u32, access: &str, place: Place, locks: &[&str]) -> Access {
    Access {
        thread,
        access: access.to_owned(),
        place,
        locks: locks.iter().map(|lock| lock.to_string()).collect(),
        instruction: 0,
        ..Access::default()
    }
}

fn step(thread: u32, operation: &str, object: &str, value: Option<u64>, place: Place) -> Step {
    Step {
        thread,
        operation: operation.to_owned(),
        object: object.to_owned(),
        value,
        value_text: String::new(),
        place,
        ..Step::default()
    }
}

fn view(folder: &Path) -> View {
    View {
        format: MessageFormat::Human,
        folder: folder.to_owned(),
        here: folder.to_owned(),
        styled: false,
        width: 80,
        full: false,
        number: None,
        test: None,
    }
}

fn race() -> Finding {
    Finding {
        kind: FindingKind::DataRace,
        message: "data race on balance".to_owned(),
        object: Some(Object {
            name: "balance".to_owned(),
            size: 4,
            file: Some("bank.c".to_owned()),
            line: 4,
            ..Object::default()
        }),
        accesses: vec![
            access(1, "write", place(8, 13, "deposit"), &["m"]),
            access(2, "read", place(14, 12, "peek"), &[]),
        ],
        trace: vec![
            step(0, "thread-create", "T1", None, place(30, 5, "main")),
            step(1, "lock", "m", None, place(7, 5, "deposit")),
            step(1, "atomic-load", "ready", Some(1), place(8, 5, "deposit")),
        ],
        executions: 1,
        preemptions: 0,
        minimal: false,
        preemptions_at_least: None,
        critical_step: None,
        loop_begins: None,
        loop_decisions: None,
        mark: None,
        replay: String::new(),
        schedule: String::new(),
        details: vec!["nothing orders the two".to_owned()],
        warning: false,
        threads: Vec::new(),
        preemptions_at: Vec::new(),
        scenario: None,
    }
}

const TRACE: &str = "\
trace (3 events):
      T0          T1
  1   starts T1                  bank.c:30
  2             > locks m        bank.c:7
  3               reads ready: 1 bank.c:8
";

#[test]
fn with_the_source() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("bank.c"), BANK).unwrap();
    let expect = "\
error[data-race]: data race on balance
  --> bank.c:8:13
   |
 8 |     balance += 10;
   |             ^^ T1: write in deposit, holding m
...
14 |     return balance ? unused : 0;
   |            ------- T2: read in peek
   |
   = note: balance, 4 bytes, of bank.c:4
   = note: nothing orders the two
";
    assert_eq!(
        human::finding(&race(), Severity::Error, &view(folder.path())),
        expect.to_owned() + TRACE
    );
}

#[test]
fn without_the_source() {
    let folder = TempDir::new().unwrap();
    let expect = "\
error[data-race]: data race on balance
--> bank.c:8:13
 = note: T1: write in deposit, holding m
::: bank.c:14:12
 = note: T2: read in peek
 = note: balance, 4 bytes, of bank.c:4
 = note: nothing orders the two
";
    assert_eq!(
        human::finding(&race(), Severity::Error, &view(folder.path())),
        expect.to_owned() + TRACE
    );
}
