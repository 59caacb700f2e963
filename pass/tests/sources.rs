//! C and C++ programs at every optimization level, with and without debug information: the result
//! passes LLVM's verifier, links, and prints what the plain build prints. And what the plugin must
//! refuse, or leave as it is.

mod toolchain;

use std::path::PathBuf;
use std::process::Command;
use toolchain::{
    instrumenting, llvm_version, plugin, printed, run, scratch, source, succeed, tool,
};

/// Compiles, verifies, links and runs `file`, plain and instrumented. `stem` names the results.
fn agree(stem: &str, file: &str, compiler: &str, flags: &[&str]) {
    let hooks = scratch(&format!("hooks_{stem}.o"));
    let hooks_source = source("exec/hooks.c");
    succeed(
        tool("clang")
            .args(["-O1", "-mcx16", "-c"])
            .arg(hooks_source)
            .arg("-o")
            .arg(&hooks),
    );
    let file = source(&format!("source/{file}"));
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for debug in ["-g0", "-g"] {
            let name = format!("{stem}{level}{debug}");
            let bitcode = scratch(&format!("{name}.bc"));
            let mut clang = instrumenting(compiler);
            clang
                .args(flags)
                .args([level, debug, "-w", "-emit-llvm", "-c"])
                .arg(&file);
            let messages = printed(&succeed(clang.arg("-o").arg(&bitcode)));
            assert_eq!(messages, "", "{name}: the plugin is silent");
            succeed(
                tool("opt")
                    .args(["-passes=verify", "-disable-output"])
                    .arg(&bitcode),
            );
            let plain = scratch(&format!("{name}.plain"));
            let mut clang = tool(compiler);
            succeed(
                clang
                    .args(flags)
                    .args([level, "-w"])
                    .arg(&file)
                    .arg("-o")
                    .arg(&plain),
            );
            let program = scratch(&name);
            let mut link = tool(compiler);
            succeed(
                link.args([level, "-w"])
                    .arg(&bitcode)
                    .arg(&hooks)
                    .arg("-o")
                    .arg(&program),
            );
            let expected = printed(&succeed(&mut Command::new(plain)));
            assert!(!expected.is_empty());
            assert_eq!(
                expected,
                printed(&succeed(&mut Command::new(program))),
                "{name}"
            );
        }
    }
}

/// The one that also versions of LLVM run which are not tested in full.
#[test]
fn smoke_c() {
    agree("c", "c.c", "clang", &[]);
}

#[test]
fn c_position_dependent() {
    let flags = ["-fno-pic", "-no-pie", "-mavx2", "-fsemantic-interposition"];
    agree("c_position_dependent", "c.c", "clang", &flags);
}

#[test]
fn cxx() {
    agree("cxx", "cxx.cc", "clang++", &["-std=c++17"]);
}

#[test]
fn coroutine() {
    agree("coroutine", "coroutine.cc", "clang++", &["-std=c++20"]);
}

/// Objects from different modules, with and without position independence, linked with
/// --gc-sections: every module's record is in the section, and the section is bounded by symbols.
#[test]
fn records_survive_linking() {
    let main = scratch("records.c");
    let text =
        "struct info { unsigned magic, version; const char *name; unsigned counts[4]; long r[3]; };
        extern struct info __start_dpor_modules[], __stop_dpor_modules[];
        int puts(const char *);
        void __dpor_module(void *m) {} void __dpor_call(void *s) {}
        void __dpor_call_unseen(void *f, void *s) {}
        void __dpor_read8(void *p, void *s) {} void __dpor_write4(void *p, void *s) {}
        void __dpor_read4(void *p, void *s) {} void __dpor_read_range(void *p, long n, void *s) {}
        int main(void) {
          for (struct info *i = __start_dpor_modules; i < __stop_dpor_modules; i++) puts(i->name);
          return sizeof(struct info) - 56;
        }";
    std::fs::write(&main, text).expect("scratch file");
    let mut objects: Vec<PathBuf> = Vec::new();
    for (name, flag) in [("one", "-fPIC"), ("two", "-fno-pic"), ("three", "-fPIE")] {
        let (file, object) = (scratch(&format!("{name}.c")), scratch(&format!("{name}.o")));
        std::fs::write(&file, format!("int {name};")).expect("scratch file");
        let mut clang = instrumenting("clang");
        clang
            .args([flag, "-ffunction-sections", "-fdata-sections", "-c"])
            .arg(&file);
        succeed(clang.arg("-o").arg(&object));
        objects.push(object);
    }
    let program = scratch("records");
    let mut link = tool("clang");
    link.args(["-w", "-no-pie", "-Wl,--gc-sections"])
        .arg(&main)
        .args(&objects);
    succeed(link.arg("-o").arg(&program));
    let names = printed(&succeed(&mut Command::new(program)));
    let found: Vec<&str> = names.lines().filter_map(|l| l.rsplit('/').next()).collect();
    assert_eq!(found, ["one.c", "two.c", "three.c"]);
}

/// Bitcode for link-time optimization has no hooks, whatever the level: the linker puts them in. LLVM 15
/// tells the pass nothing of it; dpor-cc refuses there.
#[test]
fn smoke_link_time_optimization_comes_first() {
    if llvm_version() < 16 {
        return;
    }
    for kind in ["-flto", "-flto=thin"] {
        for level in ["-O0", "-O2"] {
            let text = scratch("lto.ll");
            let mut clang = instrumenting("clang");
            clang
                .args([kind, level, "-w", "-S"])
                .arg(source("exec/log.c"));
            let messages = printed(&succeed(clang.arg("-o").arg(&text)));
            assert_eq!(messages, "", "{kind} {level}: the plugin is silent");
            let text = std::fs::read_to_string(&text).expect("text");
            assert!(text.contains("define "), "{kind} {level}");
            assert!(!text.contains("@__dpor_"), "{kind} {level}: {text}");
        }
    }
}

/// Loaded twice, and bitcode that is compiled again: instrumented once.
#[test]
fn a_second_run_changes_nothing() {
    let (once, twice) = (scratch("once.ll"), scratch("twice.ll"));
    let mut clang = instrumenting("clang");
    clang
        .args(["-w", "-O1", "-S", "-emit-llvm"])
        .arg(source("exec/log.c"));
    succeed(clang.arg("-o").arg(&once));
    let mut clang = instrumenting("clang");
    succeed(
        clang
            .args(["-w", "-O1", "-S", "-emit-llvm"])
            .arg(&once)
            .arg("-o")
            .arg(&twice),
    );
    let count = |path: &PathBuf, what: &str| {
        std::fs::read_to_string(path)
            .expect("result")
            .matches(what)
            .count()
    };
    for what in [
        "call void @__dpor_write4(",
        "call void @__dpor_module(",
        "call i64 @__dpor_rmw8(",
    ] {
        assert!(count(&once, what) > 0, "{what}");
        assert_eq!(count(&once, what), count(&twice, what), "{what}");
    }
}

/// The plugin, loaded by another LLVM's clang, ends with one sentence that names both versions.
#[test]
fn another_llvm_gets_one_clear_line() {
    let mut tried = 0;
    for other in [14, 15, 16, 17, 18, 19, 20, 21, 22] {
        let clang = format!("/usr/lib/llvm-{other}/bin/clang");
        if other == llvm_version() || !std::path::Path::new(&clang).exists() {
            continue;
        }
        tried += 1;
        let mut command = Command::new(clang);
        command.arg(format!("-fpass-plugin={}", plugin().display()));
        let output = run(command
            .args(["-c", "-o", "/dev/null"])
            .arg(source("exec/log.c")));
        let message = printed(&output);
        assert!(!output.status.success());
        let ours: Vec<&str> = message
            .lines()
            .filter(|l| l.starts_with("dpor: "))
            .collect();
        let [line] = ours[..] else {
            panic!("LLVM {other}: {message}")
        };
        let own = llvm_version();
        assert!(line.contains(&format!("is for LLVM {own}")), "{line}");
        assert!(
            other < 16 || line.contains(&format!("is LLVM {other}")),
            "{line}"
        );
    }
    if tried == 0 {
        eprintln!("no other clang is installed: nothing to compare with");
    }
}

#[test]
fn verbose_prints_one_line_per_module() {
    let mut clang = instrumenting("clang");
    clang
        .args(["-w", "-O1", "-c", "-o", "/dev/null"])
        .arg(source("exec/log.c"));
    let message = printed(&succeed(clang.env("DPOR_PASS_VERBOSE", "1")));
    let line = message.trim_end();
    assert!(
        line.starts_with("dpor: ") && line.ends_with(" private"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "{message}");
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |before: &str| -> u32 {
        let at = words
            .iter()
            .position(|w| w.trim_end_matches(',') == before)
            .expect(before);
        words[at - 1]
            .trim_end_matches("accesses")
            .trim()
            .parse()
            .unwrap_or(0)
    };
    let seen: u32 = words[2].parse().expect("a number");
    assert_eq!(
        seen,
        number("instrumented") + number("private"),
        "{message}"
    );
}
