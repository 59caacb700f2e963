//! Leaves the record of what each function and variable is made of and refers to ([`dpor_abi::reach`]).
//!
//! It is taken when the module has its hooks, so that what is known of functions in the module (which accesses are
//! private, what a loop waits for) is part of the functions that were instrumented by it.
//!
//! The record is assembly beside the functions: only so can it be in a section that is not loaded.

use crate::llvm::{Module, Value};
use dpor_abi::reach::SECTION;
use std::fmt::Write;

/// Puts the record into the module. `info`: the variable with its [`dpor_abi::ModuleInfo`].
pub fn record(module: Module, info: Value) {
    module.append_assembly(&assembly(&module.reach(info).bytes()));
}

/// Bytes to a line of assembly.
const LINE: usize = 1024;

fn assembly(bytes: &[u8]) -> String {
    let mut text = format!(".pushsection {SECTION},\"\",@progbits\n");
    for line in bytes.chunks(LINE) {
        text += ".ascii \"";
        for &byte in line {
            match byte {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => text.push(byte as char),
                // Three digits: the next byte may be one.
                _ => write!(text, "\\{byte:03o}").expect("texts take what is written"),
            }
        }
        text += "\"\n";
    }
    text + ".popsection\n"
}
