//! `dpor doctor`.

use dpor_testsuite::tool::Tool;
use std::path::Path;
use std::process::Command;

#[test]
fn this_installation_is_all_right() {
    let tool = Tool::new("reports-doctor");
    let ran = tool.run(&mut tool.dpor("doctor"), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let works = |line: &str| line.starts_with("good") && line.ends_with("races are found");
    // The clang of these tests is one of those that were tried, and C++ was.
    let clang = format!("llvm-{}/bin/clang ", tool.llvm());
    let usual = format!("clang-{} ", tool.llvm());
    let is_ours = |line: &str| line.contains(&clang) || line.contains(&usual);
    assert!(
        ran.stdout.lines().any(|line| works(line) && is_ours(line)),
        "{}",
        ran.shown()
    );
    assert!(
        ran.stdout
            .lines()
            .any(|line| works(line) && line.contains("clang++")),
        "{}",
        ran.shown()
    );
}

#[test]
fn what_is_missing_is_named() {
    let tool = Tool::new("reports-doctor-missing");
    // The commands alone.
    let prefix = tool.path("prefix");
    drop(std::fs::remove_dir_all(&prefix));
    std::fs::create_dir_all(prefix.join("bin")).expect("a folder");
    let built = tool.dpor("doctor").get_program().to_owned();
    let dpor = prefix.join("bin/dpor");
    std::fs::copy(Path::new(&built), &dpor).expect("a copy");
    let ran = tool.run(
        Command::new(&dpor).arg("doctor").env_remove("DPOR_CLANG"),
        "",
    );
    assert_eq!(ran.code, 1, "{}", ran.shown());
    let missing: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("missing"))
        .collect();
    assert_eq!(missing.len(), 2, "{}", ran.shown());
    assert!(
        missing[0].contains("libdpor_rt.so") && missing[1].contains("no pass in"),
        "{missing:?}"
    );
    assert!(
        missing
            .iter()
            .all(|line| line.contains("cargo xtask build")),
        "{missing:?}"
    );
}
