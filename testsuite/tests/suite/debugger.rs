//! `dpor replay --gdb`: gdb stops at the finding and moves along the schedule, with scripts of commands.

mod programs;

use dpor_report::{Finding, FindingKind};
use dpor_testsuite::tool::{Checked, Tool};
use programs::{CRASH, DEADLOCK, DECIDES_AGAIN, LOST, PHILOSOPHERS, RACE};
use std::process::Command;

/// Whether gdb is there; otherwise the test says that it is skipped.
fn has_gdb() -> bool {
    let found = Command::new("gdb").arg("--version").output().is_ok();
    if !found {
        println!("skipped: gdb");
    }
    found
}

/// The program, and its first finding, which is of this kind.
fn find(tool: &Tool, name: &str, text: &str, kind: FindingKind) -> (Checked, Finding) {
    // As written: each variable in memory, each function with its frame.
    let program = tool.compile(name, text, &["-O0"]);
    let checked = tool.check(&program, &[], &[]);
    let finding = checked.report.findings.first().expect("a finding").clone();
    assert_eq!(finding.kind, kind, "{}", checked.ran.shown());
    (checked, finding)
}

/// What gdb says to each of the commands, in a batch.
fn session(tool: &Tool, checked: &Checked, commands: &[&str]) -> Vec<String> {
    let mut replay = tool.dpor("replay");
    replay
        .arg(&checked.json)
        .args(["--gdb", "--", "-nx", "-batch"]);
    for command in commands {
        replay.args(["-ex", "echo =====\\n", "-ex", command]);
    }
    let ran = tool.run(&mut replay, "");
    assert_eq!(ran.stderr, "", "{}", ran.shown());
    ran.stdout.split("=====\n").map(str::to_owned).collect()
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
}

/// The value in `$1 = VALUE`.
fn printed(text: &str) -> u64 {
    let value = text.trim().rsplit("= ").next().unwrap_or_default();
    value
        .parse()
        .unwrap_or_else(|_| panic!("no value in {text}"))
}

#[test]
fn a_lost_update_is_stepped_through_in_both_directions() {
    if !has_gdb() {
        return;
    }
    let tool = Tool::new("debugger_lost");
    let (checked, finding) = find(&tool, "lost", LOST, FindingKind::Assertion);
    // Two creations, two starts, two loads, two stores, two joins, the load of main, the exit.
    let events = &finding.trace;
    assert_eq!(events.len(), 12, "{events:?}");
    let at = |operation: &str, which: usize| {
        let all = events.iter().enumerate();
        let mut all = all.filter(|(_, event)| event.operation == operation);
        all.nth(which).expect("such an event").0 + 1
    };
    let (first, second) = (at("atomic-store", 0), at("atomic-store", 1));
    assert!(
        at("atomic-load", 1) < first,
        "no update is lost: {events:?}"
    );
    // Who stores second has read 0, like who stores first: the update of the first is lost.
    let amount = |event: usize| u64::from(events[event - 1].thread) * 10;
    let goto = |event: usize| format!("dpor goto {event}");
    let (goto_first, goto_second) = (goto(first), goto(second));
    let behind = format!("dpor step {}", second + 1 - first);
    let earlier = format!("dpor back {}", second + 1 - first);
    let said = session(
        &tool,
        &checked,
        &[
            "print balance",
            "bt",
            &goto_first,
            "print balance",
            "print before",
            &goto_second,
            "print balance",
            "print before",
            "dpor back",
            &goto_first,
            &behind,
            "print balance",
            &earlier,
            "print balance",
        ],
    );
    assert_has(
        &said[0],
        &["assertion `atomic_load(&balance) == 30` failed"],
    );
    assert_has(&said[0], &["event 12 of 12: T0  exit"]);
    assert_eq!(printed(&said[1]), amount(second));
    assert_has(&said[2], &[" in main () at "]);
    assert!(!said[2].contains("perform"), "{}", said[2]);
    let heading = |event: usize| {
        let thread = events[event - 1].thread;
        format!(
            "event {event} of 12: T{thread}  atomic-store balance = {}",
            amount(event)
        )
    };
    assert_has(&said[3], &[&heading(first), "deposit (amount="]);
    assert_eq!([printed(&said[4]), printed(&said[5])], [0, 0]);
    assert_has(&said[6], &[&heading(second), "deposit (amount="]);
    assert_eq!([printed(&said[7]), printed(&said[8])], [amount(first), 0]);
    assert_has(&said[9], &[&format!("event {} of 12", second - 1)]);
    assert_has(&said[11], &[&format!("event {} of 12", second + 1)]);
    assert_eq!(printed(&said[12]), amount(second));
    assert_has(&said[13], &[&heading(first)]);
    assert_eq!(printed(&said[14]), 0);
    assert_eq!(said.len(), 15);
}

#[test]
fn a_race_stops_before_the_second_access() {
    if !has_gdb() {
        return;
    }
    let tool = Tool::new("debugger_race");
    let (checked, finding) = find(&tool, "race", RACE, FindingKind::DataRace);
    // Starts are no choices: the second thread that starts is the one that races.
    let starts = finding.trace.iter().enumerate();
    let starts = starts.filter(|(_, event)| event.operation == "thread-start");
    let starts: Vec<(usize, u32)> = starts.map(|(at, event)| (at + 1, event.thread)).collect();
    let [(first, one), (second, other)] = starts[..] else {
        panic!("{starts:?}")
    };
    let goto = format!("dpor goto {first}");
    let next = format!("dpor goto {second}");
    let thread = format!("dpor thread T{other}");
    let said = session(
        &tool,
        &checked,
        &[
            "print balance",
            "dpor where",
            "dpor threads",
            "dpor where 0",
            &goto,
            "print balance",
            &next,
            "print balance",
            &thread,
        ],
    );
    let amount = |thread: u32| u64::from(thread) * 10;
    let here = format!("in event {second} of ");
    assert_has(
        &said[0],
        &["data-race: data race on balance", &here, "deposit (amount="],
    );
    // What the first thread wrote; the second is about to read.
    assert_eq!(printed(&said[1]), amount(one));
    assert_has(&said[2], &[&format!("T{other}:\n"), "deposit (amount="]);
    assert_has(
        &said[3],
        &[&format!("* T{other}  deposit at "), "  T0  main at "],
    );
    assert_has(&said[4], &["T0:\n", " in main () at "]);
    assert_eq!(printed(&said[6]), 0);
    assert_eq!(printed(&said[8]), amount(one));
    assert_has(&said[9], &[&format!("T{other} has not begun")]);
}

#[test]
fn a_deadlock_shows_who_stands_where() {
    if !has_gdb() {
        return;
    }
    let tool = Tool::new("debugger_deadlock");
    let (checked, finding) = find(&tool, "deadlock", DEADLOCK, FindingKind::Deadlock);
    assert_eq!(finding.trace.len(), 6, "{:?}", finding.trace);
    let said = session(
        &tool,
        &checked,
        &[
            "dpor threads",
            "dpor where 1",
            "dpor where 2",
            "print first + second",
            "dpor thread 1",
            "up-silently",
            "dpor back 2",
            "print first + second",
            "dpor step",
            "print first + second",
            "dpor step",
            "dpor step",
        ],
    );
    assert_has(&said[0], &["deadlock: ", "after event 6 of 6"]);
    assert_has(&said[1], &["T0  main at ", "T1  forth at ", "T2  back at "]);
    // Each before its second lock: lines 8 and 16 of the text.
    assert_has(
        &said[2],
        &["T1:\n", "in forth (unused=0x0) at ", "deadlock.c:8\n"],
    );
    assert_has(
        &said[3],
        &["T2:\n", "in back (unused=0x0) at ", "deadlock.c:16\n"],
    );
    assert_eq!(printed(&said[4]), 2);
    assert_has(&said[7], &["event 5 of 6: "]);
    // One variable is set behind each lock, and the two locks are the last events.
    assert_eq!(printed(&said[8]), 0);
    assert_has(&said[9], &["event 6 of 6: "]);
    assert_eq!(printed(&said[10]), 1);
    assert_has(&said[11], &["deadlock: "]);
    assert_has(&said[12], &["the execution is over"]);
}

/// That a thread decides again is no event: each event is made by the thread that the trace says.
#[test]
fn who_decides_again_is_no_event_further() {
    if !has_gdb() {
        return;
    }
    let tool = Tool::new("debugger_again");
    let (checked, finding) = find(&tool, "again", DECIDES_AGAIN, FindingKind::Assertion);
    let events = &finding.trace;
    // T2 decides when it begins to wait and, as T1 has given up, again.
    let decides: Vec<u32> = { events.iter() }
        .filter(|event| event.operation == "early-timeout")
        .map(|event| event.thread)
        .collect();
    assert!(
        decides.iter().filter(|&&thread| thread == 2).count() > 1,
        "{events:?}"
    );
    // Joins that are over come by themselves, in the step before.
    let stops = (1..)
        .zip(events)
        .filter(|(_, event)| event.operation != "thread-join");
    let (numbers, stops): (Vec<usize>, Vec<_>) = stops.unzip();
    let commands: Vec<String> = { numbers.iter() }
        .map(|number| format!("dpor goto {number}"))
        .collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let said = session(&tool, &checked, &commands);
    for ((text, number), event) in said[1..].iter().zip(&numbers).zip(stops) {
        let heading = format!(
            "event {number} of {}: T{}  {}",
            events.len(),
            event.thread,
            event.operation
        );
        assert_has(text, &[&heading]);
        assert!(!text.contains("left the schedule"), "{text}");
    }
}

#[test]
fn calls_of_libraries_are_folded() {
    if !has_gdb() {
        return;
    }
    let tool = Tool::new("debugger_folded");
    let source = tool.path("philosophers.cc");
    std::fs::write(&source, PHILOSOPHERS).expect("the source can be written");
    let program = tool.path("philosophers");
    let mut compile = tool.compiler("dpor-c++");
    compile.args(["-O0", "-g"]).arg(&source).arg("-o");
    let ran = tool.run(compile.arg(&program), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let checked = tool.check(&program, &[], &[]);
    assert_eq!(checked.report.findings[0].kind, FindingKind::Deadlock);
    let said = session(
        &tool,
        &checked,
        &[
            "dpor threads",
            "dpor where 1",
            "dpor thread 1",
            "bt",
            "dpor goto 2",
            "dpor where T1",
        ],
    );
    // Lines 7 and 9 of the text; line 6 is where each took its first.
    let waits = |thread: u32, lock: &str, holder: u32| {
        let at = format!("T{thread}  eat at {}:7", source.display());
        let since = format!("held by T{holder} since {}:6\n", source.display());
        format!("{at}, before lock {lock}, {since}")
    };
    assert_has(&said[1], &[&waits(0, "right", 1), &waits(1, "left", 0)]);
    let lines: Vec<&str> = said[2].lines().collect();
    assert_eq!(lines.len(), 4, "{}", said[2]);
    assert_eq!(lines[0], "T1:");
    let is_folded = |line: &str| line.starts_with("… ") && line.ends_with(" of libstdc++");
    assert!(is_folded(lines[1]), "{}", said[2]);
    assert_has(
        lines[2],
        &[
            "in eat(std::mutex&, std::mutex&) (first=",
            "philosophers.cc:7",
        ],
    );
    assert_has(lines[3], &["in dine() () at ", "philosophers.cc:9"]);
    // What is folded is there: gdb's own backtrace has it, and the user's frame is the one that is selected.
    assert_has(&said[3], &["eat (first=", "philosophers.cc:7\n"]);
    assert_has(&said[4], &["std::mutex::lock", "std::thread::"]);
    assert_has(&said[6], &["T1 has not begun\n"]);
}

#[test]
fn a_crash_is_shown_where_it_happens() {
    if !has_gdb() {
        return;
    }
    let tool = Tool::new("debugger_crash");
    let (checked, _) = find(&tool, "crash", CRASH, FindingKind::Crash);
    let said = session(
        &tool,
        &checked,
        &["print at", "up", "dpor back", "print place"],
    );
    // Lines 10 and 14 of the text, of which the first is empty.
    assert_has(&said[0], &["crash: ", "look (at=0x0) at ", "crash.c:10\n"]);
    assert_eq!(said[1], "$1 = (int *) 0x0\n");
    assert_has(&said[2], &["main () at ", "crash.c:14\n"]);
    assert_has(&said[3], &["atomic-load place = 0"]);
    assert_has(&said[4], &["0x0"]);
}

#[test]
fn without_gdb_there_is_one_sentence() {
    let tool = Tool::new("debugger_without");
    let (checked, _) = find(&tool, "alone", RACE, FindingKind::DataRace);
    for (option, needs) in [("--gdb", "gdb"), ("--rr", "rr")] {
        let mut replay = tool.dpor("replay");
        replay
            .arg(&checked.json)
            .arg(option)
            .env("PATH", "/nonexistent");
        let ran = tool.run(&mut replay, "");
        let said = format!(
            "dpor: error: {option} needs {needs}, which is not installed (`apt install {needs}`)\n"
        );
        assert_eq!((ran.code, ran.stderr), (2, said));
    }
}

#[test]
fn rr_records_where_it_runs() {
    let tool = Tool::new("debugger_rr");
    let (checked, _) = find(&tool, "recorded", RACE, FindingKind::DataRace);
    let mut replay = tool.dpor("replay");
    replay.arg(&checked.json).arg("--rr");
    let ran = tool.run(replay.env("_RR_TRACE_DIR", tool.path("rr")), "");
    let said = &ran.stderr;
    if said.contains("rr, which is not installed") || said.contains("rr did not record") {
        println!("skipped: a processor that lets rr count events");
        assert_eq!(ran.code, 2, "{}", ran.shown());
        return;
    }
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(said.contains("`rr replay` runs it"), "{}", ran.shown());
}

/// The lines between the first of the lines `open` and the next of the lines "```".
fn block<'a>(text: &'a str, open: &str) -> &'a str {
    let (_, rest) = text.split_once(open).expect("the block");
    rest.split_once("\n```\n").expect("its end").0
}

#[test]
fn the_session_of_the_documentation_is_one() {
    if !has_gdb() {
        return;
    }
    let tool = Tool::new("debugger_docs");
    let file = dpor_testsuite::trial::root().join("docs/replay.md");
    let doc = std::fs::read_to_string(file).expect("docs/replay.md");
    let source = block(&doc, "\n```c\n");
    let (checked, _) = find(&tool, "balance", source, FindingKind::Assertion);
    let mut parts = block(&doc, "--gdb\n").split("(gdb) ");
    let start = parts.next().expect("what gdb says first").trim_end();
    let (commands, mut expect): (Vec<&str>, Vec<&str>) = parts
        .filter_map(|part| part.trim_end().split_once('\n'))
        .unzip();
    expect.insert(0, start);
    let said = session(&tool, &checked, &commands);
    // Addresses are the compiler's, the program lies elsewhere, and how many of the checker's frames are above is up to
    // what was inlined.
    let numberless = |line: &str| match line.strip_prefix('#') {
        Some(frame) => frame
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .to_owned(),
        None => line.to_owned(),
    };
    let folder = format!("{}/", tool.path("").display()).replace("//", "/");
    let bare = |text: &str| {
        let lines: Vec<String> = text.trim_end().lines().map(numberless).collect();
        let words = lines.join("\n").replace(&folder, "");
        let words = words.split(' ').filter(|word| !word.starts_with("0x0000"));
        words.collect::<Vec<_>>().join(" ")
    };
    let said: Vec<String> = said.iter().map(|text| bare(text)).collect();
    let expect: Vec<String> = expect.into_iter().map(bare).collect();
    assert_eq!(commands.len(), 5);
    assert_eq!(said, expect);
}
