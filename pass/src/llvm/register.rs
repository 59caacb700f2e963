//! Where the compiler enters: through `register.cc` for LLVM 19 and newer, through the
//! `llvm-plugin` crate before.

use super::sys::prelude::LLVMModuleRef;
use super::Module;
use crate::stage::Stage;

extern "C" {
    /// Ends the process with one sentence if the compiler is another LLVM.
    fn dpor_check_version();
}

/// What LLVM asks for first. Exported from here because rustc hides the symbols of C++ objects.
#[cfg(not(through_llvm_plugin))]
mod through_shim {
    /// Words of LLVM's `PassPluginLibraryInfo`; register.cc checks the number and fills them in.
    const WORDS: usize = if cfg!(five_word_plugin_info) { 5 } else { 4 };

    #[repr(C)]
    struct PassPluginLibraryInfo([u64; WORDS]);

    extern "C" {
        fn dpor_plugin_info(out: *mut PassPluginLibraryInfo);
    }

    #[no_mangle]
    extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
        let mut info = PassPluginLibraryInfo([0; WORDS]);
        // SAFETY: the check comes first: another LLVM expects a struct of another size. It only
        // looks up a symbol and prints. The second call writes WORDS words.
        unsafe {
            super::dpor_check_version();
            dpor_plugin_info(&mut info);
        }
        info
    }
}

/// Called by `register.cc`, once per module.
#[cfg(not(through_llvm_plugin))]
#[no_mangle]
extern "C" fn dpor_run(module: LLVMModuleRef, stage: std::ffi::c_int) {
    // SAFETY: the pass manager hands its module over until this call returns.
    let module = unsafe { Module::from_raw(module) };
    crate::stage::run(module, Stage::from_number(stage));
}

/// Called by `register.cc`, once per module, before anything is optimized.
#[cfg(not(through_llvm_plugin))]
#[no_mangle]
extern "C" fn dpor_run_early(module: LLVMModuleRef) {
    // SAFETY: the pass manager hands its module over until this call returns.
    crate::early::run(unsafe { Module::from_raw(module) });
}

#[cfg(through_llvm_plugin)]
mod through_llvm_plugin {
    use super::{LLVMModuleRef, Module, Stage};
    use llvm_plugin::inkwell::module::Module as InkwellModule;
    use llvm_plugin::{
        LlvmModulePass, ModuleAnalysisManager, PassBuilder, PassPluginLibraryInfo, PipelineParsing,
        PreservedAnalyses,
    };

    struct Instrumentation(Stage);

    impl LlvmModulePass for Instrumentation {
        fn run_pass(
            &self,
            module: &mut InkwellModule<'_>,
            _manager: &ModuleAnalysisManager,
        ) -> PreservedAnalyses {
            let raw: LLVMModuleRef = module.as_mut_ptr();
            // SAFETY: the pass manager hands its module over until this call returns.
            crate::stage::run(unsafe { Module::from_raw(raw) }, self.0);
            PreservedAnalyses::None
        }
    }

    struct Early;

    impl LlvmModulePass for Early {
        fn run_pass(
            &self,
            module: &mut InkwellModule<'_>,
            _manager: &ModuleAnalysisManager,
        ) -> PreservedAnalyses {
            let raw: LLVMModuleRef = module.as_mut_ptr();
            // SAFETY: the pass manager hands its module over until this call returns.
            crate::early::run(unsafe { Module::from_raw(raw) });
            PreservedAnalyses::None
        }
    }

    extern "C" fn register(builder: *mut std::ffi::c_void) {
        // SAFETY: LLVM passes its PassBuilder, alive and used by nobody else during the call.
        let mut builder = unsafe { PassBuilder::from_raw(builder) };
        builder.add_pipeline_start_ep_callback(|manager, _level| {
            manager.add_pass(Early);
        });
        builder.add_optimizer_last_ep_callback(|manager, _level| {
            manager.add_pass(Instrumentation(Stage::Unknown));
        });
        builder.add_full_lto_last_ep_callback(|manager, _level| {
            manager.add_pass(Instrumentation(Stage::Linking));
        });
        builder.add_module_pipeline_parsing_callback(|name, manager| match name {
            "dpor-early" => {
                manager.add_pass(Early);
                PipelineParsing::Parsed
            }
            "dpor" => {
                manager.add_pass(Instrumentation(Stage::Unknown));
                PipelineParsing::Parsed
            }
            _ => PipelineParsing::NotParsed,
        });
    }

    /// What LLVM asks for first. The struct has had this shape from LLVM 7 to 21.
    #[no_mangle]
    extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
        // SAFETY: only looks up a symbol and prints.
        unsafe { super::dpor_check_version() };
        PassPluginLibraryInfo {
            api_version: 1,
            plugin_name: c"dpor".as_ptr().cast(),
            plugin_version: c"0.1.0".as_ptr().cast(),
            plugin_registrar: register,
        }
    }
}
