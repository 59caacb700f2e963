//! Changes of a part of the program.

use super::{cached, empty};
use dpor_testsuite::tool::Tool;

/// Six tests link one library of three functions. A function is changed: those that call it are explored, and no others.
#[test]
fn a_change_of_one_function_is_for_the_tests_that_reach_it() {
    let tool = Tool::new("cache-reached");
    let folder = empty(&tool, "kept");
    let run = |command: &mut std::process::Command| {
        let ran = tool.run(command, "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
    };
    // What each function adds.
    let build = |adds: [u32; 3]| {
        let function = |(k, add): (usize, &u32)| {
            format!(
                "static pthread_mutex_t lock{k} = PTHREAD_MUTEX_INITIALIZER;\nstatic int sum{k};\n\
                 void step{k}(void) {{ pthread_mutex_lock(&lock{k}); sum{k} += {add}; pthread_mutex_unlock(&lock{k}); }}\n"
            )
        };
        let functions: String = adds.iter().enumerate().map(function).collect();
        let text = format!("#include <pthread.h>\n{functions}");
        std::fs::write(tool.path("steps.c"), text).expect("written");
        let mut compiler = tool.compiler("dpor-cc");
        compiler.args(["-O2", "-g", "-c"]).arg(tool.path("steps.c"));
        run(compiler.arg("-o").arg(tool.path("steps.o")));
        for k in 0..6 {
            let text = format!(
                "#include <pthread.h>\nvoid step{}(void);\nstatic void *work(void *p) {{ step{}(); return p; }}\n\
                 int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); }}\n",
                k % 3,
                k % 3
            );
            let object = tool.path("steps.o");
            let object = object.to_str().expect("UTF-8");
            tool.compile(&format!("test{k}"), &text, &[object]);
        }
    };
    let checked = || {
        let known = |k: usize| cached(&tool, &tool.path(&format!("test{k}")), &folder, &[]);
        let all = (0..6).map(known);
        all.map(|(is_known, count)| {
            assert_eq!(count, 2);
            is_known
        })
        .collect::<Vec<bool>>()
    };
    build([1, 1, 1]);
    assert_eq!(checked(), [false; 6]);
    build([1, 1, 1]);
    assert_eq!(checked(), [true; 6]);
    build([1, 2, 1]);
    assert_eq!(checked(), [true, false, true, true, false, true]);
    build([2, 2, 1]);
    assert_eq!(checked(), [false, true, true, false, true, true]);
    // As it was: the first verdicts still hold.
    build([1, 1, 1]);
    assert_eq!(checked(), [true; 6]);
}
