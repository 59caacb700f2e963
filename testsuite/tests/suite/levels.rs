//! C++ programs that are compiled without optimization and with it.

use dpor_testsuite::tool::{Checked, Tool};
use std::path::PathBuf;

pub const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// Compiles C++ text.
pub fn compile(tool: &Tool, name: &str, text: &str, flags: &[&str]) -> PathBuf {
    let source = tool.path(&format!("{name}.cc"));
    std::fs::write(&source, text).expect("the source can be written");
    let binary = tool.path(name);
    let mut command = tool.compiler("dpor-c++");
    command.args(["-g", "-std=c++20", "-pthread"]).args(flags);
    command.arg(&source).arg("-o").arg(&binary);
    let ran = tool.run(&mut command, "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    binary
}

/// What a check of the program finds, at each level.
pub fn at_each_level(name: &str, text: &str, test: impl Fn(&Checked, &Tool)) {
    for level in LEVELS {
        let tool = Tool::new(&format!("{name}{level}"));
        let program = compile(&tool, name, text, &[level]);
        let checked = tool.check(&program, &[], &[]);
        assert_eq!(checked.ran.code, 42, "{level}: {}", checked.ran.shown());
        test(&checked, &tool);
        // What is shown is what is replayed.
        let replayed = tool.run(tool.dpor("replay").arg(&checked.json), "");
        assert_eq!(replayed.code, 42, "{level}: {}", replayed.shown());
    }
}
