//! When a module is instrumented: once, after all optimization of it.
//!
//! | how it is compiled | instrumented |
//! |---|---|
//! | `-c`, without link-time optimization | by clang, at the end of the optimizer |
//! | `-flto` | by the linker, at the end of its optimizer: one module, the program |
//! | `-flto=thin` | by the linker, each module after functions of others were imported into it |
//!
//! What clang makes for link-time optimization is bitcode, and is optimized again when all of the program
//! is known: functions are inlined from other files, and what no other file names is private. Hooks must
//! come after that, as they come after everything else.

use crate::llvm::Module;
use crate::{assertions, initializer, instrument};

/// Module flag of a module that has its hooks.
const DONE: &str = "dpor";

/// Module flag of the same, when the linker called us: for a plugin that is loaded twice.
const DONE_AT_LINK: &str = "dpor.linked";

/// Module flag of bitcode that clang has made for link-time optimization.
const AWAITS_LINK: &str = "dpor.awaits-link";

/// The point in the life of a module at which the pass is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// A point that LLVM does not tell (up to 19).
    Unknown,
    /// The compiler makes an object.
    Compiling,
    /// The compiler makes bitcode, which will be optimized again.
    BeforeLink,
    /// The linker optimizes the program.
    Linking,
}

impl Stage {
    /// Returns the stage that a number of `register.cc` stands for.
    #[cfg(not(through_llvm_plugin))]
    pub fn from_number(number: i32) -> Stage {
        match number {
            1 => Stage::Compiling,
            2 => Stage::BeforeLink,
            3 => Stage::Linking,
            _ => Stage::Unknown,
        }
    }

    /// Up to LLVM 19 the callback at the end of the optimizer is the same for all three. The flags that
    /// clang gives to bitcode tell an object from the others, and who is running tells those apart.
    fn known(self, module: Module) -> Stage {
        match self {
            Stage::Unknown if !is_for_link_time_optimization(module) => Stage::Compiling,
            // By hand: clang -flto -c, then clang -c of the bitcode.
            Stage::Unknown if module.has_flag(AWAITS_LINK) || is_linker() => Stage::Linking,
            Stage::Unknown => Stage::BeforeLink,
            known => known,
        }
    }
}

/// Does with the module what its stage asks for.
pub fn run(module: Module, stage: Stage) {
    match stage.known(module) {
        Stage::BeforeLink => {
            initializer::remember(module);
            assertions::remember(module);
            module.set_flag(AWAITS_LINK);
        }
        Stage::Linking => at_link(module),
        Stage::Compiling | Stage::Unknown => {
            if !module.has_flag(DONE) {
                module.set_flag(DONE);
                instrument::run(module);
            }
        }
    }
}

/// A module with hooks of its own must not be part of another: which parts had them could no longer be
/// told, and those without would be missed.
fn at_link(module: Module) {
    if module.has_flag(DONE_AT_LINK) {
        return;
    }
    if module.has_flag(DONE) {
        return module.report_error(
            "dpor: bitcode that is instrumented already cannot be optimized at link time: compile it \
             with -flto",
        );
    }
    module.set_flag(DONE_AT_LINK);
    module.set_flag(DONE);
    instrument::run(module);
}

fn is_for_link_time_optimization(module: Module) -> bool {
    ["ThinLTO", "EnableSplitLTOUnit", "UnifiedLTO"]
        .iter()
        .any(|flag| module.has_flag(flag))
}

/// True if the plugin is loaded into lld.
fn is_linker() -> bool {
    let program = std::env::current_exe();
    program.is_ok_and(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().contains("lld"))
    })
}
