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

extern "C" void dpor_run_early(LLVMOpaqueModule *module);
extern "C" void dpor_run(LLVMOpaqueModule *module, int stage);

namespace {
// Numbers of Stage::from_number in stage.rs.
enum Stage { Unknown = 0, Compiling = 1, BeforeLink = 2, Linking = 3 };

struct DporPass : PassInfoMixin<DporPass> {
  Stage S;
  explicit DporPass(Stage S) : S(S) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    dpor_run(reinterpret_cast<LLVMOpaqueModule *>(&M), S);
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

struct EarlyPass : PassInfoMixin<EarlyPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    dpor_run_early(reinterpret_cast<LLVMOpaqueModule *>(&M));
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

#if LLVM_VERSION_MAJOR >= 20
Stage stageOf(ThinOrFullLTOPhase Phase) {
  switch (Phase) {
  case ThinOrFullLTOPhase::None:
    return Compiling;
  case ThinOrFullLTOPhase::ThinLTOPreLink:
  case ThinOrFullLTOPhase::FullLTOPreLink:
    return BeforeLink;
  case ThinOrFullLTOPhase::ThinLTOPostLink:
  case ThinOrFullLTOPhase::FullLTOPostLink:
    return Linking;
  }
  return Unknown;
}
#endif

void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(EarlyPass()); });
#if LLVM_VERSION_MAJOR >= 20
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase Phase) {
        MPM.addPass(DporPass(stageOf(Phase)));
      });
#else
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(DporPass(Unknown)); });
#endif
  PB.registerFullLinkTimeOptimizationLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(DporPass(Linking)); });
  PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &MPM,
                                        ArrayRef<PassBuilder::PipelineElement>) {
    if (Name == "dpor-early") {
      MPM.addPass(EarlyPass());
      return true;
    }
    if (Name != "dpor")
      return false;
    MPM.addPass(DporPass(Unknown));
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
