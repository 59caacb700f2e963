// What neither inkwell nor the C API of every supported LLVM offers, one small question each.
//
// Values, modules and metadata are handed over as the C API does; strings are handed back as
// pointer and length into memory that LLVM owns.

#include "llvm-c/Core.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

using namespace llvm;

#define LLVM_TEXT_OF(X) #X
#define LLVM_TEXT(X) LLVM_TEXT_OF(X)
#define LLVM_MAJOR_TEXT LLVM_TEXT(LLVM_VERSION_MAJOR)

namespace {
const char *give(StringRef Text, size_t *Length) {
  *Length = Text.size();
  return Text.data();
}
} // namespace

extern "C" {

// Ends the compiler with one sentence if it is not the LLVM that this plugin was built for.
void dpor_check_version() {
  using GetVersion = void (*)(unsigned *, unsigned *, unsigned *);
  auto Ask = reinterpret_cast<GetVersion>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
  // A plugin that brings its LLVM along must not have that one answer for a compiler that cannot be asked.
  Dl_info Asked, Compiler;
  void *Always = dlsym(RTLD_DEFAULT, "LLVMContextCreate");
  if (Ask && dladdr(reinterpret_cast<void *>(Ask), &Asked) && dladdr(Always, &Compiler) &&
      Asked.dli_fbase != Compiler.dli_fbase)
    Ask = nullptr;
  unsigned Major = 0, Minor = 0, Patch = 0;
  if (Ask)
    Ask(&Major, &Minor, &Patch);
  if (Major == LLVM_VERSION_MAJOR)
    return;
#if LLVM_VERSION_MAJOR < 16
  // LLVM 15 cannot be asked; the version of its library's symbols says it.
  if (!Ask && dlvsym(RTLD_DEFAULT, "LLVMContextCreate", "LLVM_" LLVM_MAJOR_TEXT))
    return;
#endif
  if (Ask)
    fprintf(stderr,
            "dpor: this libdpor.so is for LLVM %d, but the compiler that loads it is LLVM %u: use "
            "the libdpor.so of LLVM %u or clang-%d\n",
            LLVM_VERSION_MAJOR, Major, Major, LLVM_VERSION_MAJOR);
  else
    fprintf(stderr,
            "dpor: this libdpor.so is for LLVM %d, and the compiler that loads it is another or "
            "does not export LLVM's C interface: use clang-%d\n",
            LLVM_VERSION_MAJOR, LLVM_VERSION_MAJOR);
  _exit(1);
}

// What the pointer is an offset into; the offset in *Offset if it is a constant, and *Known says so.
LLVMValueRef dpor_pointer_base(LLVMModuleRef M, LLVMValueRef Pointer, int64_t *Offset, int *Known) {
  const DataLayout &DL = unwrap(M)->getDataLayout();
  Value *V = unwrap(Pointer);
  APInt Sum(DL.getIndexTypeSizeInBits(V->getType()), 0);
  Value *Base = V->stripAndAccumulateConstantOffsets(DL, Sum, /*AllowNonInbounds=*/true);
  *Offset = Sum.getSExtValue();
  Value *Object = const_cast<Value *>(getUnderlyingObject(Base));
  *Known = Object == Base;
  return wrap(Object);
}

int dpor_ordering(LLVMValueRef Inst) {
  Value *V = unwrap(Inst);
  if (auto *I = dyn_cast<LoadInst>(V))
    return (int)I->getOrdering();
  if (auto *I = dyn_cast<StoreInst>(V))
    return (int)I->getOrdering();
  if (auto *I = dyn_cast<FenceInst>(V))
    return (int)I->getOrdering();
  if (auto *I = dyn_cast<AtomicRMWInst>(V))
    return (int)I->getOrdering();
  if (auto *I = dyn_cast<AtomicCmpXchgInst>(V))
    return (int)I->getSuccessOrdering();
  return 0;
}

int dpor_failure_ordering(LLVMValueRef Inst) {
  return (int)unwrap<AtomicCmpXchgInst>(Inst)->getFailureOrdering();
}

int dpor_is_weak(LLVMValueRef Inst) { return unwrap<AtomicCmpXchgInst>(Inst)->isWeak(); }

int dpor_is_volatile(LLVMValueRef Inst) { return unwrap<Instruction>(Inst)->isVolatile(); }

int dpor_is_single_thread(LLVMValueRef Inst) {
  auto Id = getAtomicSyncScopeID(unwrap<Instruction>(Inst));
  return Id && *Id == SyncScope::SingleThread;
}

const char *dpor_rmw_name(LLVMValueRef Inst, size_t *Length) {
  return give(AtomicRMWInst::getOperationName(unwrap<AtomicRMWInst>(Inst)->getOperation()), Length);
}

int dpor_may_be_speculated(LLVMValueRef Inst) {
  return isSafeToSpeculativelyExecute(unwrap<Instruction>(Inst));
}

int dpor_only_computes(LLVMValueRef Inst) {
  auto *I = unwrap<Instruction>(Inst);
  return !I->isTerminator() && !isa<PHINode>(I) && !I->mayReadOrWriteMemory() &&
         isSafeToSpeculativelyExecute(I);
}

int dpor_call_reaches_memory(LLVMValueRef Inst) {
  auto *Call = unwrap<CallBase>(Inst);
  return !Call->doesNotAccessMemory() && !Call->onlyAccessesInaccessibleMemory();
}

// What a call may read: 0 nothing of the program's, 1 what its arguments point to, 2 anything.
int dpor_call_reads(LLVMValueRef Inst) {
  auto *Call = unwrap<CallBase>(Inst);
  if (Call->doesNotAccessMemory() || Call->onlyAccessesInaccessibleMemory() ||
      Call->onlyWritesMemory())
    return 0;
  return Call->onlyAccessesArgMemory() || Call->onlyAccessesInaccessibleMemOrArgMem() ? 1 : 2;
}

int dpor_argument_not_read(LLVMValueRef Inst, unsigned Index) {
  auto *Call = unwrap<CallBase>(Inst);
  return Call->doesNotAccessMemory(Index) || Call->onlyWritesMemory(Index);
}

int dpor_argument_not_captured(LLVMValueRef Inst, unsigned Index) {
  return unwrap<CallBase>(Inst)->doesNotCapture(Index);
}

// Lets the address of a declared function come from the table that the dynamic linker fills, which
// works in every kind of executable; -fno-pic would have it in the code.
void dpor_address_from_table(LLVMValueRef Function) {
  auto *F = dyn_cast<llvm::Function>(unwrap(Function));
  if (F && F->isDeclaration() && F->hasDefaultVisibility())
    F->setDSOLocal(false);
}

// A block of its own in front of an instruction, entered if the condition holds, which is unlikely. Its end.
LLVMValueRef dpor_split_before(LLVMValueRef Inst, LLVMValueRef Condition) {
  auto *I = unwrap<Instruction>(Inst);
  MDNode *Unlikely = MDBuilder(I->getContext()).createBranchWeights(1, 2000);
  return wrap(SplitBlockAndInsertIfThen(unwrap(Condition), I, /*Unreachable=*/false, Unlikely));
}

int dpor_is_swifterror(LLVMValueRef Pointer) { return unwrap(Pointer)->isSwiftError(); }

const char *dpor_asm_text(LLVMValueRef Asm, size_t *Length) {
  auto *A = dyn_cast<InlineAsm>(unwrap(Asm));
  return give(A ? StringRef(A->getAsmString()) : StringRef(), Length);
}

const char *dpor_asm_constraints(LLVMValueRef Asm, size_t *Length) {
  auto *A = dyn_cast<InlineAsm>(unwrap(Asm));
  return give(A ? StringRef(A->getConstraintString()) : StringRef(), Length);
}

// The subprogram that encloses a scope: its linkage name, or its name if it has none.
const char *dpor_scope_function(LLVMMetadataRef Scope, size_t *Length) {
  auto *Local = dyn_cast<DILocalScope>(unwrap(Scope));
  DISubprogram *Program = Local ? Local->getSubprogram() : nullptr;
  if (!Program)
    return give(StringRef(), Length);
  StringRef Linkage = Program->getLinkageName();
  return give(Linkage.empty() ? Program->getName() : Linkage, Length);
}

const char *dpor_source_name(LLVMValueRef Fn, size_t *Length) {
  DISubprogram *Program = unwrap<llvm::Function>(Fn)->getSubprogram();
  return give(Program ? Program->getName() : StringRef(), Length);
}

const char *dpor_scope_filename(LLVMMetadataRef Scope, size_t *Length) {
  return give(cast<DIScope>(unwrap(Scope))->getFilename(), Length);
}

const char *dpor_scope_directory(LLVMMetadataRef Scope, size_t *Length) {
  return give(cast<DIScope>(unwrap(Scope))->getDirectory(), Length);
}

// A line 0 location in the function, for code that has none of its own; null without debug info.
LLVMMetadataRef dpor_artificial_location(LLVMValueRef Function) {
  DISubprogram *Program = unwrap<llvm::Function>(Function)->getSubprogram();
  if (!Program)
    return nullptr;
  return wrap(DILocation::get(Program->getContext(), 0, 0, Program));
}

// Where the loop that this branch goes back in begins in the source; null if nothing says so.
LLVMMetadataRef dpor_loop_location(LLVMValueRef Branch) {
  if (MDNode *Loop = unwrap<Instruction>(Branch)->getMetadata(LLVMContext::MD_loop))
    for (const MDOperand &Operand : Loop->operands())
      if (auto *Place = dyn_cast_or_null<DILocation>(Operand.get()))
        return wrap(Place);
  return nullptr;
}

// The constant of a case of a switch.
LLVMValueRef dpor_switch_case(LLVMValueRef Switch, unsigned Index) {
  auto Case = unwrap<SwitchInst>(Switch)->case_begin() + Index;
  return wrap(static_cast<Value *>(Case->getCaseValue()));
}

void dpor_append_used(LLVMModuleRef M, LLVMValueRef Global) {
  appendToUsed(*unwrap(M), {unwrap<GlobalValue>(Global)});
}

void dpor_append_constructor(LLVMModuleRef M, LLVMValueRef Function, int Priority) {
  appendToGlobalCtors(*unwrap(M), unwrap<llvm::Function>(Function), Priority);
}

LLVMValueRef dpor_constant_text(LLVMModuleRef M, const char *Start, size_t Length) {
  return wrap(ConstantDataArray::getString(unwrap(M)->getContext(), StringRef(Start, Length)));
}

void dpor_append_assembly(LLVMModuleRef M, const char *Start, size_t Length) {
  unwrap(M)->appendModuleInlineAsm(StringRef(Start, Length));
}

void dpor_report_error(LLVMModuleRef M, const char *Message) {
  unwrap(M)->getContext().emitError(Message);
}
}
