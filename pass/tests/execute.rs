//! Runs instrumented programs with the hooks of `exec/hooks.c`: they must compute what the plain
//! builds compute, and the hooks must run where the comments say.

mod toolchain;

use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::{instrumenting, llvm_version, plugin, printed, scratch, source, succeed, tool};

/// The object file of the hooks, without instrumentation.
fn hooks(test: &str) -> PathBuf {
    let object = scratch(&format!("hooks_{test}.o"));
    let hooks = source("exec/hooks.c");
    succeed(
        tool("clang")
            .args(["-O1", "-mcx16", "-c"])
            .arg(hooks)
            .arg("-o")
            .arg(&object),
    );
    object
}

/// Compiles with the given compiler command and flags, links with the hooks, returns the output.
fn output(mut compiler: Command, flags: &[&str], inputs: &[PathBuf], name: &str) -> String {
    let program = scratch(name);
    succeed(
        compiler
            .args(flags)
            .args(inputs)
            .arg("-latomic")
            .arg("-lm")
            .arg("-o")
            .arg(&program),
    );
    printed(&succeed(&mut Command::new(program)))
}

/// Compiles `file` into an object with a compiler that has the plugin: the hooks must not be instrumented with it.
fn object(mut clang: Command, file: &str, flags: &[&str], name: &str) -> PathBuf {
    let object = scratch(name);
    succeed(
        clang
            .args(flags)
            .arg("-c")
            .arg(source(file))
            .arg("-o")
            .arg(&object),
    );
    object
}

#[test]
fn values_are_those_of_the_plain_build() {
    let hooks = hooks("values");
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for shared in [false, true] {
            let flags = [level, "-mcx16", "-mavx2", "-w"];
            let file = source("exec/values.c");
            let plain = output(
                tool("clang"),
                &flags,
                &[file, hooks.clone()],
                "values_plain",
            );
            assert!(plain.lines().count() > 12, "{plain}");
            let name = format!("values{level}{shared}.o");
            let mut clang = instrumenting("clang");
            if shared {
                clang.env("DPOR_PASS", "shared-all");
            }
            let object = object(clang, "exec/values.c", &flags, &name);
            let instrumented = output(
                tool("clang"),
                &flags,
                &[object, hooks.clone()],
                "values_instrumented",
            );
            assert_eq!(plain, instrumented, "{level}, everything shared: {shared}");
        }
    }
}

/// The lines that the comments `//= …` of a source promise, in order of execution. A promise is for
/// the line it stands on or the last one before it that is code.
fn promised(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("readable test");
    let (mut inlined, mut all) = (Vec::new(), Vec::new());
    let mut statement = 0;
    for (line, number) in text.lines().zip(1..) {
        let (code, promise) = line.split_once("//= ").unwrap_or((line, ""));
        if !code.trim().is_empty() {
            statement = number;
        }
        if code.trim() == "inlined();" {
            all.append(&mut inlined);
        }
        if let Some(hook) = promise.strip_suffix(" inlined") {
            inlined.push(format!("{hook} line {statement} inlined"));
        } else if !promise.is_empty() {
            all.push(format!("{promise} line {statement}"));
        }
    }
    all
}

#[test]
fn hooks_run_where_the_comments_say() {
    let hooks = hooks("log");
    let promised = promised(&source("exec/log.c"));
    assert_eq!(promised.len(), 21, "{promised:?}");
    for level in ["-O0", "-O1", "-O2"] {
        let name = format!("log{level}.o");
        let object = object(instrumenting("clang"), "exec/log.c", &[level, "-g"], &name);
        let logged = output(
            tool("clang"),
            &[],
            &[object, hooks.clone()],
            &format!("log{level}"),
        );
        let logged: Vec<&str> = logged.lines().collect();
        assert_eq!(logged, promised, "{level}");
    }
}

#[test]
fn operators_are_those_of_the_plain_build() {
    let hooks = hooks("operators");
    let (module, main) = (source("exec/operators.ll"), source("exec/operators.c"));
    let flags = ["-w", "-fno-builtin"];
    let plain = output(
        tool("clang"),
        &flags,
        &[module.clone(), main.clone(), hooks.clone()],
        "ops_plain",
    );
    let rewritten = scratch("operators.instrumented.ll");
    let mut opt = tool("opt");
    opt.arg("-load-pass-plugin")
        .arg(plugin())
        .arg("-passes=dpor,verify")
        .arg("-S");
    succeed(opt.arg(&module).arg("-o").arg(&rewritten));
    let text = std::fs::read_to_string(&rewritten).expect("result of opt");
    assert!(
        !text.contains("= atomicrmw") && !text.contains("= cmpxchg"),
        "{text}"
    );
    let instrumented = output(
        tool("clang"),
        &flags,
        &[rewritten, main, hooks],
        "ops_instrumented",
    );
    assert_eq!(plain, instrumented, "LLVM {}", llvm_version());
    // By hand: old values of +1.5, +2.25, -0.5 starting at 0, and the bits of 3.25.
    assert!(plain.starts_with("0 1.5 3.75 40500000\n"), "{plain}");
    // By hand: incrementing below 4 from 3, then decrementing within 3, then 9 is out of range.
    assert!(plain.ends_with("3 4 0 1 2 1 0 3 2 9 5\n"), "{plain}");
}
