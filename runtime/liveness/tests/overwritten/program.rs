//! Random programs in C++: values that live across calls, loops, switches, exceptions.

use core::fmt::Write;

/// A program's text: `run(hook, input)` returns a number that depends on everything that it did.
pub struct Source {
    pub text: String,
}

/// Variables of a function.
const VARIABLES: usize = 9;

/// Functions of a program; each calls those before it.
const FUNCTIONS: usize = 6;

struct Writer<'a> {
    random: &'a mut fastrand::Rng,
    text: String,
    /// Number of the function that is being written.
    function: usize,
    /// Loops so far, for the names of their counters.
    loops: usize,
}

impl Source {
    pub fn random(random: &mut fastrand::Rng) -> Source {
        let mut writer = Writer {
            random,
            text: String::new(),
            function: 0,
            loops: 0,
        };
        writer.text.push_str(
            "static long (*hook)(long);\nstruct error { long value; };\nstatic long total;\n",
        );
        writer
            .text
            .push_str("struct scope { long &at; ~scope() { total += hook(at) * 7; } };\n");
        for function in 0..FUNCTIONS {
            writer.function = function;
            writer.function();
        }
        let last = FUNCTIONS - 1;
        let _ = write!(
            writer.text,
            "extern \"C\" long run(long (*given)(long), long input) {{\n\
             hook = given; total = 0; long found = 0;\n\
             try {{ found = f{last}(input, input ^ 5); }} catch (error &e) {{ found = e.value * 11; }}\n\
             return found * 31 + total; }}\n"
        );
        Source { text: writer.text }
    }
}

impl Writer<'_> {
    fn function(&mut self) {
        let number = self.function;
        let _ = writeln!(
            self.text,
            "__attribute__((noinline)) static long f{number}(long v0, long v1) {{"
        );
        for variable in 2..VARIABLES {
            let factor = self.random.i64(1..100);
            let _ = writeln!(self.text, "long v{variable} = v0 * {factor} + v1;");
        }
        self.block(3);
        let sum: Vec<String> = (0..VARIABLES)
            .map(|v| format!("v{v} * {}", v + 1))
            .collect();
        let _ = writeln!(self.text, "return {};\n}}", sum.join(" + "));
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..self.random.usize(2..6) {
            self.statement(depth);
        }
    }

    fn variable(&mut self) -> String {
        format!("v{}", self.random.usize(..VARIABLES))
    }

    fn term(&mut self) -> String {
        let (one, other) = (self.variable(), self.variable());
        let number = self.random.i64(1..50);
        match self.random.usize(..4) {
            0 => format!("{one} + {other} * {number}"),
            1 => format!("({one} ^ {other}) - {number}"),
            2 => format!("({one} & 1023) * {number}"),
            _ => format!("{one} - {other}"),
        }
    }

    fn statement(&mut self, depth: usize) {
        let (to, term) = (self.variable(), self.term());
        match self.random.usize(..if depth == 0 { 4 } else { 9 }) {
            0 | 1 => {
                let _ = writeln!(self.text, "{to} = {term};");
            }
            2 => {
                let _ = writeln!(self.text, "{to} += hook({term});");
            }
            3 if self.function > 0 => {
                let called = self.random.usize(..self.function);
                let other = self.variable();
                let _ = writeln!(self.text, "{to} ^= f{called}({term}, {other});");
            }
            3 => {
                let _ = writeln!(self.text, "if (({term}) % 7 == 3) throw error{{{to}}};");
            }
            4 => {
                let name = self.loops;
                self.loops += 1;
                let turns = self.random.usize(2..4);
                let _ = writeln!(
                    self.text,
                    "for (long n{name} = 0; n{name} < {turns}; n{name}++) {{ {to} += n{name};"
                );
                self.block(depth - 1);
                self.text.push_str("}\n");
            }
            5 => {
                let _ = writeln!(self.text, "if (({term}) & 4) {{");
                self.block(depth - 1);
                self.text.push_str("} else {\n");
                self.block(depth - 1);
                self.text.push_str("}\n");
            }
            6 => {
                let _ = writeln!(self.text, "switch (({term}) & 7) {{");
                for case in 0..6 {
                    let _ = writeln!(self.text, "case {case}:");
                    self.statement(0);
                    let _ = writeln!(self.text, "break;");
                }
                self.text.push_str("}\n");
            }
            7 => {
                self.text.push_str("try {\n");
                self.block(depth - 1);
                let _ = writeln!(self.text, "}} catch (error &e) {{ {to} += e.value;");
                self.block(depth - 1);
                self.text.push_str("}\n");
            }
            _ => {
                let _ = writeln!(self.text, "{{ scope s{{{to}}};");
                self.block(depth - 1);
                self.text.push_str("}\n");
            }
        }
    }
}
