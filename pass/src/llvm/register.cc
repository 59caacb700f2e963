// Registers the pass with clang and opt, LLVM 19 and newer.
//
// The struct that llvmGetPassPluginInfo returns grows from version to version, so it is built here,
// by the compiler that knows its layout, and Rust only carries its bytes.

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

using namespace llvm;

extern "C" void dpor_run(LLVMOpaqueModule *module, int before_link_time_optimization);

extern "C" void dpor_begin(LLVMOpaqueModule *module);

namespace {
struct BeginPass : PassInfoMixin<BeginPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    dpor_begin(reinterpret_cast<LLVMOpaqueModule *>(&M));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

struct DporPass : PassInfoMixin<DporPass> {
  bool BeforeLink;
  explicit DporPass(bool BeforeLink) : BeforeLink(BeforeLink) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    dpor_run(reinterpret_cast<LLVMOpaqueModule *>(&M), BeforeLink);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(BeginPass()); });
#if LLVM_VERSION_MAJOR >= 20
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase Phase) {
        MPM.addPass(DporPass(Phase != ThinOrFullLTOPhase::None));
      });
#else
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(DporPass(false)); });
#endif
  PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &MPM,
                                        ArrayRef<PassBuilder::PipelineElement>) {
    if (Name != "dpor")
      return false;
    MPM.addPass(DporPass(false));
    return true;
  });
}
} // namespace

// Rust hands the struct on by value as so many words, whatever is in them.
static_assert(sizeof(PassPluginLibraryInfo) == 8 * DPOR_INFO_WORDS, "update build.rs");

extern "C" void dpor_plugin_info(PassPluginLibraryInfo *Out) {
  *Out = {};
  Out->APIVersion = LLVM_PLUGIN_API_VERSION;
  Out->PluginName = "dpor";
  Out->PluginVersion = "0.1.0";
  Out->RegisterPassBuilderCallbacks = registerCallbacks;
}
