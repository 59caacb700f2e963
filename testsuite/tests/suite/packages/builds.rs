//! examples/account by CMake, Meson, autotools and pkg-config.

use super::project::{has, Project};

const CMAKE: [(&str, &str); 2] = [("cmake", "cmake"), ("make", "make")];

#[test]
fn cmake() {
    if !has(&CMAKE) {
        return;
    }
    let project = Project::new("cmake", "account");
    project.cmake();
    let ran = project.works("ctest --test-dir build");
    assert!(
        ran.stdout.contains("0 tests failed out of 4"),
        "{}",
        ran.shown()
    );
}

/// A tree of the system's own compiler, in which only what is to be checked is built with dpor.
#[test]
fn cmake_of_another_compiler() {
    if !has(&CMAKE) || !has(&[("cc", "gcc")]) {
        return;
    }
    let project = Project::new("cmake-other", "account");
    let lists = "cmake_minimum_required(VERSION 3.19)
project(other C)
enable_testing()
find_package(dpor REQUIRED)
add_executable(plain balance_test.c account.c)
dpor_add_executable(deposit_test deposit_test.c account.c)
dpor_add_executable(balance_test balance_test.c account.c COMPILE_OPTIONS -O0 -g -DUNUSED INCLUDE_DIRECTORIES .)
dpor_add_test(deposit_test EXECUTIONS 2)
dpor_add_test(balance_test EXPECT data-race)
add_test(NAME other COMMAND plain)
";
    std::fs::write(project.path("CMakeLists.txt"), lists).expect("the lists can be written");
    let configure =
        "cmake -S . -B build -DCMAKE_C_COMPILER=cc -Ddpor_DIR=$DPOR_PREFIX/lib/cmake/dpor";
    let ran = project.works(configure);
    let said = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("does not compile for dpor"),
        "{}",
        ran.shown()
    );
    assert!(
        said.contains("dpor_add_executable(NAME SOURCE...)"),
        "{said}"
    );
    project.works("cmake --build build");
    let ran = project.works("ctest --test-dir build -L dpor");
    let all = "0 tests failed out of 2";
    assert!(ran.stdout.contains(all), "{}", ran.shown());
    // A header that changes is one of the program's.
    project.works("sleep 1; echo '#error again' >> account.h");
    let ran = project.shell("cmake --build build --target deposit_test");
    assert!(
        ran.code != 0 && ran.stderr.contains("again"),
        "{}",
        ran.shown()
    );
    for (line, why) in [
        ("dpor_add_executable(x)", "no source"),
        ("dpor_add_executable(x y.c)", "there is no file y.c"),
        (
            "dpor_add_executable(x account.h)",
            "account.h is no source in C or C++",
        ),
    ] {
        project.works(&format!("echo '{line}' > last.cmake; cp CMakeLists.txt all.txt; cat all.txt last.cmake > CMakeLists.txt"));
        let ran = project.shell("cmake -S . -B build 2>&1");
        project.works("mv all.txt CMakeLists.txt");
        let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            ran.code != 0 && said.contains(why),
            "{line}: {}",
            ran.shown()
        );
    }
    // Who knows can say so.
    project.works(
        "sed -i 's/find_package(dpor REQUIRED)/find_package(dpor QUIET REQUIRED)/' CMakeLists.txt",
    );
    let ran = project.works(configure);
    assert!(!ran.stderr.contains("does not compile"), "{}", ran.shown());
}

/// Each condition of dpor_add_test, where it does not hold.
#[test]
fn cmake_tests_that_fail() {
    if !has(&CMAKE) {
        return;
    }
    let project = Project::new("cmake-fails", "account");
    let lists = std::fs::read_to_string(project.path("CMakeLists.txt")).expect("the lists");
    let kept = lists
        .lines()
        .filter(|line| !line.starts_with("dpor_add_test"));
    let mut lists: String = kept.map(|line| format!("{line}\n")).collect();
    for (name, test, why) in FAILING {
        lists += &format!("dpor_add_test({test} NAME {name})\nset_tests_properties({name} PROPERTIES PASS_REGULAR_EXPRESSION \"{why}\")\n");
    }
    std::fs::write(project.path("CMakeLists.txt"), lists).expect("the lists can be written");
    project.cmake();
    // With an expression, only the output decides whether a test passes.
    let ran = project.works("ctest --test-dir build --output-on-failure");
    assert!(
        ran.stdout.contains(&format!("out of {}", FAILING.len())),
        "{}",
        ran.shown()
    );
    // And without, each of them fails.
    project.works("sed -i /set_tests_properties/d CMakeLists.txt");
    project.cmake();
    let ran = project.shell("ctest --test-dir build");
    let all = format!("{0} tests failed out of {0}", FAILING.len());
    assert!(ran.stdout.contains(&all), "{}", ran.shown());
}

const FAILING: [(&str, &str, &str); 6] = [
    (
        "count",
        "deposit_test EXECUTIONS 3",
        "2 complete executions, expected 3",
    ),
    (
        "none",
        "deposit_test EXPECT data-race",
        "expected a finding data-race, found:",
    ),
    (
        "kind",
        "balance_test EXPECT deadlock",
        "expected a finding deadlock, found: data-race",
    ),
    ("bug", "transfer_test", "exit code 42"),
    // The deadlock needs one.
    ("bound", "transfer_test BOUND 1", "exit code 42"),
    (
        "usage",
        "deposit_test EXPECT deadlock OPTIONS --no-such-option",
        "nothing is known",
    ),
];

/// Data structures from their operations.
#[test]
fn cmake_of_scenarios() {
    if !has(&CMAKE) {
        return;
    }
    let project = Project::new("cmake-scenarios", "account");
    let mailbox = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/programs/mailbox.cc");
    project.works(&format!("cp {mailbox} ."));
    let lists = "cmake_minimum_required(VERSION 3.19)
project(scenarios CXX)
enable_testing()
find_package(dpor REQUIRED)
set(CMAKE_CXX_STANDARD 17)
add_executable(right mailbox.cc)
add_executable(wrong mailbox.cc)
target_compile_definitions(wrong PRIVATE IN_TWO_STEPS)
dpor_add_scenario(right SIZES 2x1 3x1)
dpor_add_scenario(wrong EXPECT not-linearizable)
dpor_add_scenario(wrong NAME order CHECK sequentially-consistent SIZES 2x1 EXPECT not-linearizable)
dpor_add_scenario(wrong NAME fails SIZES 2x1 TIME 30)
dpor_add_scenario(right NAME late SIZES 2x1 3x2 TIME 0.5)
set_tests_properties(fails PROPERTIES PASS_REGULAR_EXPRESSION \"exit code 42\")
set_tests_properties(late PROPERTIES PASS_REGULAR_EXPRESSION \"exit code 3\")
";
    std::fs::write(project.path("CMakeLists.txt"), lists).expect("the lists can be written");
    project.cmake();
    let ran = project.works("ctest --test-dir build --output-on-failure");
    let all = "0 tests failed out of 5";
    assert!(ran.stdout.contains(all), "{}", ran.shown());
}

#[test]
fn cmake_by_either_name_and_version() {
    if !has(&CMAKE) {
        return;
    }
    let project = Project::new("cmake-names", "account");
    let version = env!("CARGO_PKG_VERSION");
    for (package, is_found) in [
        ("dpor".to_owned(), true),
        ("Dpor".to_owned(), true),
        (format!("dpor {version} EXACT"), true),
        ("dpor 999".to_owned(), false),
    ] {
        let lists = format!(
            "cmake_minimum_required(VERSION 3.19)\nproject(p NONE)\nenable_testing()\nfind_package({package})\n\
             string(REGEX MATCH \"^[a-zA-Z]+\" name \"{package}\")\n\
             message(STATUS \"found: ${{${{name}}_FOUND}}\")\n"
        );
        std::fs::write(project.path("CMakeLists.txt"), lists).expect("the lists can be written");
        let ran = project.works("rm -rf b && cmake -S . -B b -DCMAKE_PREFIX_PATH=$DPOR_PREFIX");
        let found = match is_found {
            true => ["found: TRUE", "found: 1"],
            false => ["found: 0", "found: FALSE"],
        };
        assert!(
            found.iter().any(|f| ran.stdout.contains(f)),
            "{package}: {}",
            ran.shown()
        );
    }
    // Wrong use is said when the project is configured.
    for (call, why) in [
        ("p EXECUTIONS", "no value for EXECUTIONS"),
        ("p EXECUTIONS few", "EXECUTIONS few is no number"),
        ("p EXPECTED deadlock", "unknown arguments: EXPECTED"),
    ] {
        let lists = format!(
            "cmake_minimum_required(VERSION 3.19)\nproject(p NONE)\nenable_testing()\n\
             find_package(dpor REQUIRED)\ndpor_add_test({call})\n"
        );
        std::fs::write(project.path("CMakeLists.txt"), lists).expect("the lists can be written");
        let ran = project.shell("rm -rf b && cmake -S . -B b -DCMAKE_PREFIX_PATH=$DPOR_PREFIX");
        assert_ne!(ran.code, 0, "{call}");
        assert!(ran.stderr.contains(why), "{call}: {}", ran.shown());
    }
}

#[test]
fn meson() {
    let needs = [
        ("meson", "meson"),
        ("ninja", "ninja-build"),
        ("pkg-config", "pkg-config"),
    ];
    if !has(&needs) {
        return;
    }
    let project = Project::new("meson", "account");
    project.works("CC=dpor-cc meson setup build");
    let ran = project.works("meson test -C build");
    let passed = |line: &str| line.split_whitespace().eq(["Ok:", "3"]);
    assert!(ran.stdout.lines().any(passed), "{}", ran.shown());
    // A bug that is not there is not found.
    project.works(
        "sed -i 's/int balance = account_balance(&account)/int balance = 0/' balance_test.c",
    );
    let ran = project.shell("meson test -C build");
    assert_ne!(ran.code, 0, "{}", ran.shown());
}

#[test]
fn autotools() {
    let needs = [
        ("autoreconf", "autoconf"),
        ("automake", "automake"),
        ("make", "make"),
    ];
    if !has(&needs) {
        return;
    }
    let project = Project::new("autotools", "account");
    project.works("autoreconf -i && ./configure CC=dpor-cc");
    let ran = project.works("make check");
    assert!(ran.stdout.contains("# PASS:  2"), "{}", ran.shown());
    project.works(
        "sed -i 's/int balance = account_balance(&account)/int balance = 0/' balance_test.c",
    );
    let ran = project.shell("make check");
    assert_ne!(ran.code, 0, "{}", ran.shown());
}

/// What pkg-config says is enough for a clang that is not dpor-cc.
#[test]
fn pkg_config() {
    if !has(&[("pkg-config", "pkg-config")]) {
        return;
    }
    let project = Project::new("pkg-config", "account");
    let source = "#include <dpor.h>\n#include \"deposit_test.c\"\n";
    std::fs::write(project.path("observed.c"), source).expect("the source can be written");
    let pass = "$(pkg-config --variable=passdir dpor)/llvm-$(basename $(dirname $(dirname $DPOR_CLANG)) | sed s/llvm-//)/libdpor.so";
    let flags = "$(pkg-config --cflags --libs dpor)";
    project.works(&format!(
        "$DPOR_CLANG -O2 -g1 -fpass-plugin={pass} observed.c account.c {flags} -o observed"
    ));
    let ran = project.works("$(pkg-config --variable=dpor dpor) check ./observed");
    assert!(
        ran.stdout.contains("verified: all 2 executions"),
        "{}",
        ran.shown()
    );
    let version = project.works("pkg-config --modversion dpor");
    assert_eq!(version.stdout.trim(), env!("CARGO_PKG_VERSION"));
}
