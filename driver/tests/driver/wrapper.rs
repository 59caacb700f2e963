//! dpor-cc and dpor-c++ in place of clang: by hand, and under CMake, Meson and a configure script.
//! They need the pass and the runtime in target/dpor (`cargo xtask build`).

use crate::installation::{Installation, Ran};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const HELLO: &str = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 7; }\n";

struct Project {
    installation: Installation,
    /// Major version of clang; `None` leaves the choice to dpor-cc.
    llvm: Option<u32>,
}

impl Project {
    fn new(llvm: Option<u32>, files: &[(&str, &str)]) -> Project {
        let installation = Installation::built();
        for (name, text) in files {
            installation.write(name, text);
        }
        Project { installation, llvm }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.installation.path(name)
    }

    /// Runs a line of shell commands with CC and CXX set.
    fn shell(&self, line: &str) -> Ran {
        let mut command = Command::new("sh");
        command
            .args(["-ec", line])
            .current_dir(self.path(""))
            .stdin(Stdio::null());
        command
            .env("CC", self.path("bin/dpor-cc"))
            .env("CXX", self.path("bin/dpor-c++"));
        for name in [
            "DPOR_OPTIONS",
            "LD_LIBRARY_PATH",
            "DPOR_CLANG",
            "DPOR_CLANGXX",
            "CFLAGS",
            "CXXFLAGS",
        ] {
            command.env_remove(name);
        }
        if let Some(version) = self.llvm {
            let folder = format!("/usr/lib/llvm-{version}/bin");
            command.env("DPOR_CLANG", format!("{folder}/clang"));
            command.env("DPOR_CLANGXX", format!("{folder}/clang++"));
            command.env("PLAIN_CLANG", format!("{folder}/clang"));
        }
        let output = command.output().unwrap();
        Ran {
            code: output.status.code().expect("no signal"),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Versions of clang that are installed and have a pass.
fn versions() -> Vec<u32> {
    let installation = Installation::built();
    let passes = installation.path("lib/dpor");
    let has_both = |version: &u32| {
        passes.join(format!("llvm-{version}/libdpor.so")).is_file()
            && PathBuf::from(format!("/usr/lib/llvm-{version}/bin/clang")).is_file()
    };
    let versions: Vec<u32> = dpor_abi::llvm::VERSIONS
        .into_iter()
        .filter(has_both)
        .collect();
    assert!(!versions.is_empty(), "no clang with a pass");
    versions
}

#[test]
fn it_compiles_whatever_clang_compiles() {
    for version in versions() {
        let project = Project::new(Some(version), &[("x.c", HELLO), ("y.cc", HELLO)]);
        // Each line leaves a program p; none may print a warning.
        for line in [
            "$CC -Werror x.c -o p",
            "$CC -Werror -O2 -g x.c -o p",
            "$CC -Werror -c x.c && $CC -Werror x.o -o p",
            "$CC -Werror -x c - -o p < x.c",
            "$CC -Werror -S x.c && $CC -Werror x.s -o p",
            "$CC -Werror -E x.c -o x.i && $CC -Werror x.i -o p",
            "echo '-O1 x.c -o p' > args && $CC -Werror @args",
            "$PLAIN_CLANG -S -emit-llvm x.c -o x.ll && $CC -Werror x.ll -o p",
            "$PLAIN_CLANG -c -emit-llvm x.c -o x.bc && $CC -Werror -O2 x.bc -o p",
            "$CXX -Werror y.cc -o p",
            "$CXX -Werror -O2 -c y.cc && $CXX -Werror y.o -o p",
        ] {
            let ran = project.shell(&format!("rm -f p; {line}; ./p"));
            assert_eq!(ran.text(), (7, "hello\n", ""), "clang {version}: {line}");
        }
        let ran = project.shell("$CC -print-search-dirs; $CC --version; $CC -dumpmachine");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "clang {version}");
        assert!(
            ran.stdout.contains(&format!("clang version {version}.")),
            "{}",
            ran.stdout
        );
        let ran = project.shell("$CC -M x.c");
        assert!(ran.stdout.starts_with("x.o: x.c "), "{}", ran.stdout);
        let ran = project.shell("$CC -v");
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "clang {version}");
    }
}

#[test]
fn debug_information_is_the_users_choice() {
    let project = Project::new(None, &[("x.c", HELLO)]);
    let sections = |flags: &str| {
        let ran = project.shell(&format!("$CC {flags} -c x.c && objdump -h x.o"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    };
    assert!(sections("").contains(".debug_line"));
    assert!(!sections("-g0").contains(".debug_info"));
}

#[test]
fn the_runtime_comes_first() {
    let files = [("x.c", HELLO), ("l.c", "int l(void) { return 1; }\n")];
    let project = Project::new(None, &files);
    let line = "$CC -shared -fPIC l.c -o libl.so; $CC x.c -L. -ll -lm -o p; readelf -d p";
    let ran = project.shell(line);
    let first = ran.stdout.lines().find(|line| line.contains("NEEDED"));
    assert!(first.unwrap().contains("[libdpor_rt.so]"), "{}", ran.stdout);
    assert!(ran.stdout.contains("BIND_NOW"), "{}", ran.stdout);
}

#[test]
fn the_header_serves_with_and_without_the_runtime() {
    let text = "#include <dpor.h>\n\
                int main(void) { dpor_assume(1); dpor_assert(1); dpor_yield();\n\
                dpor_atomic_begin(); dpor_atomic_end(); dpor_ignore_begin(); dpor_ignore_end();\n\
                dpor_observe(\"x\", 1); return dpor_choose(1) + dpor_checking(); }\n";
    let project = Project::new(None, &[("x.c", text), ("y.cc", text)]);
    for line in [
        "$CC -Wall -Werror -DDPOR_DISABLE x.c -o p && ./p",
        "$CXX -Wall -Werror -DDPOR_DISABLE y.cc -o p && ./p",
        "$CC -Wall -Wextra -Wpedantic -Werror -std=c99 -c x.c",
        "$CXX -Wall -Wextra -Wpedantic -Werror -c y.cc",
    ] {
        assert_eq!(project.shell(line).text(), (0, "", ""), "{line}");
    }
}

/// Whether the tools are there; says so if not, for `cargo xtask test` to count.
fn has(tools: &[(&str, &str)]) -> bool {
    let is_missing = |tool: &str| Command::new(tool).arg("--version").output().is_err();
    let missing: Vec<_> = tools.iter().filter(|(tool, _)| is_missing(tool)).collect();
    for (_, package) in &missing {
        println!("skipped: {package}");
    }
    missing.is_empty()
}

const MUTEX: &str = "#include <pthread.h>\n\
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
    int main(void) { return pthread_mutex_lock(&mutex); }\n";

/// A `<pthread.h>` of ours stands before the system's. It compiles wherever that does, without a word.
#[test]
fn the_header_before_the_systems_is_not_noticed() {
    let text = "#include <pthread.h>\n#include <mutex>\nstd::mutex mutex;\n\
                pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;\n\
                int main() { mutex.lock(); return pthread_mutex_lock(&posix); }\n";
    let c_text = format!("#include <pthread.h>\n{MUTEX}");
    let files = [("x.c", c_text.as_str()), ("y.cc", text), ("z.cc", MUTEX)];
    for version in versions() {
        let project = Project::new(Some(version), &files);
        let strict = "-pedantic -Wall -Wextra -Werror -Wsystem-headers -D_XOPEN_SOURCE=700";
        for standard in ["c89", "c99", "c11", "gnu17"] {
            let ran = project.shell(&format!("$CC -std={standard} {strict} x.c -o p; ./p"));
            assert_eq!(ran.text(), (0, "", ""), "clang {version}, {standard}");
        }
        for standard in ["c++11", "c++17", "c++2b"] {
            let line = format!("$CXX -std={standard} -pedantic -Wall -Werror y.cc -o p; ./p");
            assert_eq!(
                project.shell(&line).text(),
                (0, "", ""),
                "clang {version}, {line}"
            );
        }
        for line in [
            "$CXX -std=c++98 -pedantic -Wall -Werror z.cc -o p",
            // Compiled before, as text or as a header of headers, it is the same.
            "$CC -E x.c -o x.i && $CC -Werror x.i -o p",
            "echo '#include <pthread.h>' > h.h; $CC -x c-header -c h.h -o h.pch && $CC -include-pch h.pch x.c -o p",
        ] {
            let ran = project.shell(&format!("rm -f p; {line}; objdump -h p; ./p > /dev/null"));
            assert!(ran.stdout.contains(".dpor.marked"), "{line}: {}", ran.stderr);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "clang {version}: {line}");
        }
    }
}

#[test]
fn the_header_before_the_systems_is_one_of_the_systems() {
    let project = Project::new(None, &[("x.c", MUTEX)]);
    let ran = project.shell("$CC -MMD -MF x.d -c x.c; cat x.d");
    assert_eq!(ran.text(), (0, "x.o: x.c\n", ""));
    // Where the user says which system it is, or that there is none.
    for flags in [
        "-nostdinc -I/usr/include -I/usr/include/x86_64-linux-gnu",
        "--sysroot=/",
    ] {
        let ran = project.shell(&format!("$CC {flags} -E x.c"));
        assert!(!ran.stdout.contains("dpor"), "{flags}: {}", ran.stdout);
    }
    let ran = project.shell("$CC -nostdinc -c x.c || true");
    assert!(
        ran.stderr.contains("'pthread.h' file not found"),
        "{}",
        ran.stderr
    );
}

const LIBRARY: &str = "#include <string>\n\
                       extern \"C\" int m() { return static_cast<int>(std::string(\"x\").size()); }\n";
const MAIN: &str = "#include <stdio.h>\n\
                    int m(void);\nint main(void) { printf(\"%d\\n\", m()); return 0; }\n";

#[test]
fn cmake() {
    if !has(&[("cmake", "cmake"), ("make", "make")]) {
        return;
    }
    let lists = "cmake_minimum_required(VERSION 3.13)\n\
        project(t C CXX)\n\
        find_package(Threads REQUIRED)\n\
        include(CheckCSourceRuns)\n\
        include(CheckCCompilerFlag)\n\
        check_c_compiler_flag(-Wall WALL)\n\
        check_c_compiler_flag(-fno-such-flag NOSUCH)\n\
        check_c_source_runs(\"int main(void) { return 0; }\" RUNS)\n\
        message(STATUS \"found ${WALL}/${NOSUCH}/${RUNS}\")\n\
        add_library(m SHARED m.cc)\n\
        add_executable(p p.c)\n\
        target_link_libraries(p m Threads::Threads)\n";
    let files = [("CMakeLists.txt", lists), ("m.cc", LIBRARY), ("p.c", MAIN)];
    let project = Project::new(None, &files);
    let ran = project.shell("cmake -S . -B b -DCMAKE_C_FLAGS=-Werror -DCMAKE_BUILD_TYPE=Release");
    assert!(
        ran.stdout.contains("found 1//1\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let ran = project.shell("cmake --build b >log 2>&1 || cat log; b/p");
    assert_eq!(ran.text(), (0, "1\n", ""));
}

#[test]
fn meson() {
    if !has(&[("meson", "meson"), ("ninja", "ninja-build")]) {
        return;
    }
    let build = "project('t', 'c', 'cpp', default_options: ['werror=true', 'warning_level=3'])\n\
        cc = meson.get_compiler('c')\n\
        assert(not cc.has_argument('-fno-such'))\n\
        assert(cc.has_link_argument('-Wl,--as-needed'))\n\
        assert(cc.has_function('pthread_create', dependencies: dependency('threads')))\n\
        assert(cc.run('int main(void) { return 77; }').returncode() == 77)\n\
        executable('p', 'p.c', 'm.cc', dependencies: dependency('threads'))\n";
    let files = [("meson.build", build), ("m.cc", LIBRARY), ("p.c", MAIN)];
    let project = Project::new(None, &files);
    let ran = project.shell("(meson setup b && meson compile -C b) >log 2>&1 || cat log; b/p");
    assert_eq!(ran.text(), (0, "1\n", ""));
}

#[test]
fn configure() {
    if !has(&[("autoconf", "autoconf"), ("make", "make")]) {
        return;
    }
    let input = "AC_INIT([t], [1])\nAC_PROG_CC\nAC_PROG_CXX\nAC_PROG_CPP\n\
        AC_CHECK_HEADERS([pthread.h])\nAC_CHECK_FUNCS([fork nosuchfunction])\n\
        AC_SEARCH_LIBS([pthread_create], [pthread])\nAC_CHECK_SIZEOF([long])\n\
        AC_RUN_IFELSE([AC_LANG_PROGRAM([], [return 77])], [echo bad], [echo 77 is 77])\n\
        AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n";
    let makefile = "p: p.o m.o\n\t@CXX@ -o p p.o m.o\n\
        .SUFFIXES: .cc\n.c.o:\n\t@CC@ @CFLAGS@ -c $<\n.cc.o:\n\t@CXX@ @CXXFLAGS@ -c $<\n";
    let files = [
        ("configure.ac", input),
        ("Makefile.in", makefile),
        ("m.cc", LIBRARY),
        ("p.c", MAIN),
    ];
    let project = Project::new(None, &files);
    let ran = project.shell("autoconf && ./configure");
    for expect in [
        "checking for pthread.h... yes",
        "checking for fork... yes",
        "checking for nosuchfunction... no",
        "checking for library containing pthread_create... none required",
        "checking size of long... 8",
        "77 is 77",
    ] {
        assert!(
            ran.stdout.contains(expect),
            "{expect}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    let ran = project.shell("make >log 2>&1 || cat log; ./p");
    assert_eq!(ran.text(), (0, "1\n", ""));
}
