//! Random graphs of calls: a change of a function is a change of the program if and only if the program can reach it, which
//! the test finds out by itself.

use dpor_driver::cache::code::{digest, How};
use dpor_testsuite::random::Random;
use dpor_testsuite::tool::Tool;
use std::fmt::Write;

const FUNCTIONS: usize = 12;
const FILES: usize = 3;

/// A program: who calls whom. Function 0 is called by `main`.
struct Program {
    /// For each function those that it calls by name, and those in its table.
    calls: Vec<[Vec<usize>; 2]>,
    /// The functions that no other file can name: those that only their own file calls.
    local: Vec<bool>,
    /// A number in each function.
    numbers: Vec<u64>,
}

fn file_of(function: usize) -> usize {
    function % FILES
}

impl Program {
    fn new(random: &mut Random) -> Program {
        let mut some = |most: u64| -> Vec<usize> {
            let count = random.below(most + 1);
            (0..count)
                .map(|_| random.below(FUNCTIONS as u64) as usize)
                .collect()
        };
        let calls: Vec<[Vec<usize>; 2]> = (0..FUNCTIONS).map(|_| [some(2), some(1)]).collect();
        let is_local = |function: usize| {
            let callers =
                (0..FUNCTIONS).filter(|&caller| calls[caller].concat().contains(&function));
            let mut callers = callers.map(file_of);
            function != 0 && callers.all(|file| file == file_of(function))
        };
        let local = (0..FUNCTIONS).map(is_local).collect();
        let numbers = (0..FUNCTIONS as u64).map(|number| 1000 + number).collect();
        Program {
            calls,
            local,
            numbers,
        }
    }

    /// A line for each function. All of them write to a volatile variable, so that no call of them can be left out, and
    /// call only if their argument says so, so that none is known to go on for ever.
    fn file(&self, file: usize) -> String {
        let mut text = "extern volatile long sink;\n".to_owned();
        if file == 0 {
            text += "volatile long sink;\n";
        }
        for function in 0..FUNCTIONS {
            if !self.local[function] {
                writeln!(text, "long f{function}(long);").unwrap();
            } else if file_of(function) == file {
                writeln!(text, "static long f{function}(long);").unwrap();
            }
        }
        for function in (0..FUNCTIONS).filter(|&function| file_of(function) == file) {
            let [named, table] = &self.calls[function];
            for called in table {
                write!(
                    text,
                    "static long (*const table{function}[])(long) = {{ f{called}, 0 }}; "
                )
                .unwrap();
            }
            let storage = if self.local[function] { "static " } else { "" };
            let number = self.numbers[function];
            write!(
                text,
                "{storage}long f{function}(long x) {{ sink += {number};"
            )
            .unwrap();
            for (bit, called) in named.iter().enumerate() {
                write!(text, " if (x >> {bit} & 1) sink += f{called}(x - 1);").unwrap();
            }
            for _ in table {
                write!(
                    text,
                    " if (x & 8) sink += table{function}[x >> 9 & 1](x - 8);"
                )
                .unwrap();
            }
            text += " return sink; }\n";
        }
        if file == 0 {
            text += "int main(int c, char **v) { (void)v; return (int)f0(c); }\n";
        }
        text
    }

    fn reaches(&self, function: usize) -> bool {
        let mut met = [false; FUNCTIONS];
        let mut open = vec![0];
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut met[next], true) {
                open.extend(self.calls[next].concat());
            }
        }
        met[function]
    }
}

struct Build {
    tool: Tool,
    level: &'static str,
}

impl Build {
    fn compile(&self, program: &Program, file: usize) {
        let source = self.tool.path(&format!("{file}.c"));
        std::fs::write(&source, program.file(file)).expect("sources can be written");
        let mut command = self.tool.compiler("dpor-cc");
        command.args(["-w", self.level, "-c"]).arg(&source);
        let ran = self.tool.run(command.arg("-o").arg(self.object(file)), "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
    }

    fn object(&self, file: usize) -> std::path::PathBuf {
        self.tool.path(&format!("{file}.o"))
    }

    fn digest(&self) -> [u8; 16] {
        let path = self.tool.path("program");
        let mut command = self.tool.compiler("dpor-cc");
        command.args((0..FILES).map(|file| self.object(file)));
        let ran = self.tool.run(command.arg("-o").arg(&path), "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let found = digest(&path).expect("the program can be read");
        assert!(matches!(found.how, How::Reached { .. }), "{:?}", found.how);
        found.digest
    }
}

#[test]
fn random_changes_reach_those_who_call() {
    let (mut reached, mut unreached) = (0, 0);
    for (seed, level) in (1..).zip(["-O0", "-O1", "-O2", "-O3", "-Os", "-O0", "-O2", "-O2"]) {
        let mut random = Random(seed);
        let build = Build {
            tool: Tool::new(&format!("reach_random_{seed}")),
            level,
        };
        let mut program = Program::new(&mut random);
        (0..FILES).for_each(|file| build.compile(&program, file));
        let before = build.digest();
        for _ in 0..8 {
            let function = random.below(FUNCTIONS as u64) as usize;
            let number = program.numbers[function];
            program.numbers[function] = 2000 + random.below(1000);
            build.compile(&program, file_of(function));
            let reaches = program.reaches(function);
            let what = format!("seed {seed}, {level}, function {function}");
            assert_eq!(build.digest() != before, reaches, "{what}");
            match reaches {
                true => reached += 1,
                false => unreached += 1,
            }
            program.numbers[function] = number;
            build.compile(&program, file_of(function));
        }
        assert_eq!(build.digest(), before, "all as it was");
    }
    // The seeds are such that both happen.
    assert!(reached > 10 && unreached > 10, "{reached}, {unreached}");
}
