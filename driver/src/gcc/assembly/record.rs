//! The record of a module, [`dpor_abi::ModuleInfo`], as text for the assembler, with the constructor that hands it to the
//! runtime.

use dpor_abi::foreign::{NOTE_NAME, NOTE_TYPE};
use dpor_abi::{module_flag, ABI_VERSION, MODULE_MAGIC, MODULE_SECTION};
use std::collections::HashSet;

/// The functions of a text, and where in it the reader is.
#[derive(Default)]
pub struct Functions<'a> {
    /// Names that have the type of a function.
    typed: HashSet<&'a str>,
    /// Names that other modules see.
    visible: HashSet<&'a str>,
    /// Functions with their code in the text: the name, and whether another module's may take its place.
    defined: Vec<(&'a str, bool)>,
    /// Names that stand for other functions of the text.
    aliases: Vec<&'a str>,
    /// Name of the source file.
    file: &'a str,
    is_inside: bool,
    is_replaceable: bool,
}

impl<'a> Functions<'a> {
    /// Whether the reader is in the code of a function.
    pub fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// Reads a line outside of inline assembly, without white space around it.
    pub fn line(&mut self, line: &'a str) {
        if let Some(label) = line.strip_suffix(':') {
            if self.typed.contains(label) {
                self.defined.push((label, self.is_replaceable));
                self.is_inside = true;
            }
            return;
        }
        let Some((directive, rest)) = line.split_once(['\t', ' ']) else {
            if matches!(line, ".text" | ".data" | ".bss") {
                self.is_replaceable = false;
            }
            return;
        };
        let mut words = rest.split(',').map(str::trim);
        let first = words.next().unwrap_or_default();
        match directive {
            ".type" if words.next() == Some("@function") => {
                self.typed.insert(first);
            }
            ".globl" | ".weak" => {
                self.visible.insert(first);
            }
            ".set" if self.typed.contains(first) => self.aliases.push(first),
            ".section" => {
                let flags = words.next().unwrap_or_default().trim_matches('"');
                self.is_replaceable = flags.contains('G');
            }
            ".size" if self.typed.contains(first) => self.is_inside = false,
            ".file" if self.file.is_empty() && first.starts_with('"') => {
                self.file = rest.trim_matches('"');
            }
            _ => {}
        }
    }

    /// Functions that code outside of the module may call, and whose addresses the linker knows in any case: of one in a
    /// group that another module's may take the place of, only the visible names stay.
    fn listed(&self, instrumented: &HashSet<&str>) -> Vec<&'a str> {
        let of_code = self.defined.iter();
        let lasting =
            of_code.filter(|(name, replaceable)| !replaceable || self.visible.contains(name));
        let aliases = self.aliases.iter();
        let aliases = aliases
            .filter(|name| self.visible.contains(**name))
            .copied();
        let all = lasting.map(|(name, _)| *name).chain(aliases);
        all.filter(|name| instrumented.contains(name)).collect()
    }

    /// Appends the note on functions without hooks, which are as those of an object that is not instrumented
    /// ([`dpor_abi::foreign`]): a line for each.
    fn write_note(&self, instrumented: &HashSet<&str>, text: &mut String) {
        let names = self.defined.iter().map(|(name, _)| *name);
        let without = names.filter(|name| !instrumented.contains(name));
        let file = self.file.rsplit('/').next().unwrap_or(self.file);
        let lines: Vec<String> = without
            .map(|name| format!("{name} of {file}\\t{name}\\n"))
            .collect();
        if lines.is_empty() {
            return;
        }
        // The two characters of an escape are one byte.
        let bytes: usize = lines.iter().map(|line| line.len() - 2).sum();
        *text += &format!(
            "\t.section\t.note.dpor,\"a\",@note\n\t.p2align 2\n\t.long\t{}, {bytes}, {NOTE_TYPE}\n\
             \t.string\t\"{NOTE_NAME}\"\n\t.p2align 2\n\t.ascii\t\"{}\"\n\t.p2align 2\n",
            NOTE_NAME.len() + 1,
            lines.concat()
        );
    }

    /// Appends the record. `accesses`: the number of accesses with hooks.
    pub fn write_record(
        &self,
        instrumented: &HashSet<&str>,
        accesses: u32,
        without_assertions: bool,
        text: &mut String,
    ) {
        let flags = match without_assertions {
            true => module_flag::NDEBUG,
            false => 0,
        };
        let file = self.file;
        self.write_note(instrumented, text);
        *text += &format!(
            "\t.section\t.rodata.dpor,\"a\",@progbits\n\
             .Ldpor_name:\n\t.string\t\"{file}\"\n\
             \t.section\t.data.rel.ro.dpor,\"aw\",@progbits\n\t.p2align 3\n\
             .Ldpor_functions:\n"
        );
        for name in self.listed(instrumented) {
            *text += &format!("\t.quad\t{name}\n");
        }
        *text += &format!(
            "\t.quad\t0\n\
             \t.section\t{MODULE_SECTION},\"aw\",@progbits\n\t.p2align 3\n\
             .Ldpor_module:\n\
             \t.long\t{MODULE_MAGIC}\n\t.long\t{ABI_VERSION}\n\t.quad\t.Ldpor_name\n\
             \t.long\t{accesses}\n\t.long\t{accesses}\n\t.long\t0\n\t.long\t0\n\
             \t.quad\t.Ldpor_functions\n\t.quad\t0\n\t.long\t0\n\t.long\t{flags}\n\
             \t.text\n\
             .Ldpor_constructor:\n\
             \tsubq\t$8, %rsp\n\tleaq\t.Ldpor_module(%rip), %rdi\n\
             \tcall\t*__dpor_module@GOTPCREL(%rip)\n\taddq\t$8, %rsp\n\tret\n\
             \t.section\t.init_array.00000,\"aw\",@init_array\n\t.p2align 3\n\
             \t.quad\t.Ldpor_constructor\n"
        );
    }
}
