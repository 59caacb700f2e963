// What each function and variable of a module is made of and refers to, for dpor_abi::reach.
//
// A digest is taken of everything of the IR that code is generated from: but for debug information, places in
// the source, and names and numbers that change with the rest of the module. What is referred to stands in it as
// an index into the list of what this function or variable refers to.
//
// Of instructions all state goes in that LLVM keeps in common fields (opcode, type, operands, the bits of Value),
// and by hand what an instruction has beside them (llvm/IR/Instructions.h; the same list as in
// Instruction::hasSameSpecialState).

#include "reach/content.h"
#include "reach/parts.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <map>
#include <string>

using namespace llvm;
using namespace dpor;

namespace {
// Bits of dpor_abi::reach::kind.
enum Kind : unsigned { Defined = 1, Local = 2, Root = 4, Word = 8, Weak = 16 };

// Fields of dpor_abi::ModuleInfo.
enum Field : unsigned { AbiVersion = 1, LlvmVersion = 6, Functions = 7, Variables = 8, Initializers = 9, Flags = 10 };

struct Entry {
  std::string Name;
  unsigned Kind = 0;
  Digest Content = {};
  std::vector<unsigned> Refers;
};

// A digest of something with references; to be mentioned in others.
struct Piece {
  Digest Content;
  std::vector<unsigned> Refers;
};

class Reach : Parts {
  Module &M;
  const GlobalVariable *Info;
  DenseMap<const GlobalValue *, unsigned> Known;
  std::map<std::string, unsigned> Words;
  DenseMap<const Constant *, Piece> Constants;
  SmallPtrSet<const Constant *, 8> Pending;
  SmallPtrSet<const GlobalValue *, 32> Listed;

public:
  std::vector<Entry> Entries;
  Digest ModuleWords = {};
  bool Unknown = false;

  Reach(Module &M, const GlobalVariable *Info) : Parts(M.getContext()), M(M), Info(Info) {}

  void run() {
    assembly();
    lists();
    std::vector<const GlobalValue *> Nodes;
    for (const GlobalValue &G : M.global_values())
      if (isNode(G)) {
        entryOf(G);
        Nodes.push_back(&G);
      }
    for (const GlobalValue *G : Nodes) {
      Content C;
      global(C, *G);
      Entry &E = Entries[Known[G]];
      E.Content = C.finish();
      E.Refers = std::move(C.Refers);
    }
    roots();
  }

private:
  // Of assembly beside the functions only declarations are understood.
  void assembly() {
    SmallVector<StringRef, 8> Lines;
    StringRef(M.getModuleInlineAsm()).split(Lines, '\n');
    for (StringRef Line : Lines) {
      StringRef Text = Line.trim();
      bool Declares = (Text.consume_front(".globl ") || Text.consume_front(".global ")) &&
                      Text.trim().find_first_of(";#/ \t,\"\\") == StringRef::npos;
      Unknown |= !Text.empty() && !Declares;
    }
  }

  // The functions and variables that the runtime is told of.
  void lists() {
    auto *Record = cast<ConstantStruct>(Info->getInitializer());
    for (unsigned Index : {Functions, Variables})
      if (auto *List = dyn_cast<GlobalVariable>(Record->getOperand(Index)->stripPointerCasts()))
        for (const Use &U : List->getInitializer()->operands())
          if (auto *G = dyn_cast<GlobalValue>(U->stripPointerCasts()))
            Listed.insert(G);
  }

  static bool isOurs(const GlobalValue &G) {
    StringRef Section = G.getSection();
    return Section == "dpor_modules" || Section == "dpor_accesses" || Section == ".dpor.marked" ||
           (G.hasLocalLinkage() && isa<Function>(G) && begins(G.getName(), "dpor.constructor"));
  }

  // A constant whose address nobody can rely on: what it contains belongs to those who refer to it.
  static bool isContents(const GlobalValue &G) {
    auto *V = dyn_cast<GlobalVariable>(&G);
    return V && V->isConstant() && V->hasLocalLinkage() && V->hasGlobalUnnamedAddr() && V->hasInitializer() &&
           !V->hasSection() && !V->isThreadLocal() && !V->hasComdat();
  }

  static bool isDefined(const GlobalValue &G) {
    return !G.isDeclaration() && !G.hasAvailableExternallyLinkage();
  }

  static bool isNode(const GlobalValue &G) {
    return isDefined(G) && !isContents(G) && !isOurs(G) && !begins(G.getName(), "llvm.");
  }

  // In a section that the source names: others may go through all that is there.
  static bool hasPlace(const GlobalValue &G) {
    auto *V = dyn_cast<GlobalVariable>(&G);
    auto *F = dyn_cast<Function>(&G);
    return (isa<GlobalObject>(G) && G.hasSection()) || (V && V->hasImplicitSection()) ||
           (F && F->hasFnAttribute("implicit-section-name"));
  }

  static StringRef linkerName(const GlobalValue &G) {
    StringRef Name = G.getName();
    Name.consume_front("\1");
    return Name;
  }

  unsigned entryOf(const GlobalValue &G) {
    auto Place = Known.try_emplace(&G, Entries.size());
    if (!Place.second)
      return Place.first->second;
    Entry E;
    E.Name = linkerName(G).str();
    if (isDefined(G))
      E.Kind |= Defined;
    if (G.hasLocalLinkage())
      E.Kind |= Local;
    if (isDefined(G) && (isa<GlobalIFunc>(G) || hasPlace(G)))
      E.Kind |= Root;
    if (G.hasExternalWeakLinkage())
      E.Kind |= Weak;
    Entries.push_back(std::move(E));
    return Place.first->second;
  }

  void global(Content &C, const GlobalValue &G) {
    header(C, G);
    C.number(Listed.count(&G));
    if (auto *F = dyn_cast<Function>(&G))
      return function(C, *F);
    if (auto *V = dyn_cast<GlobalVariable>(&G)) {
      C.number(V->getAlign() ? V->getAlign()->value() : 0);
      C.number(V->isConstant() | V->isExternallyInitialized() << 1);
      attributes(C, V->getAttributes());
      return value(C, V->getInitializer());
    }
    // Aliases and ifuncs: what they stand for.
    C.number(G.getNumOperands());
    for (const Use &U : G.operands())
      value(C, U.get());
  }

  // What a declaration has, too.
  void header(Content &C, const GlobalValue &G) {
    C.tag('H');
    C.number(G.getValueID());
    type(C, G.getValueType());
    type(C, G.getType());
    for (unsigned Part : {(unsigned)G.getLinkage(), (unsigned)G.getVisibility(), (unsigned)G.getUnnamedAddr(),
                          (unsigned)G.getDLLStorageClass(), (unsigned)G.getThreadLocalMode(),
                          (unsigned)G.isDSOLocal()})
      C.number(Part);
    C.text(G.getPartition());
    if (auto *O = dyn_cast<GlobalObject>(&G)) {
      C.text(O->getSection());
      if (const Comdat *Group = O->getComdat()) {
        C.number(Group->getSelectionKind());
        C.text(Group->getName());
      }
      metadata(C, *O);
    }
    if (auto *F = dyn_cast<Function>(&G)) {
      C.number(F->getAlign() ? F->getAlign()->value() : 0);
      C.number(F->getCallingConv());
      attributes(C, F->getAttributes());
      C.text(F->hasGC() ? StringRef(F->getGC()) : StringRef());
    }
  }

  void function(Content &C, const Function &F) {
    // The personality, and data before and behind the function's first byte.
    C.number(F.hasPersonalityFn() | F.hasPrefixData() << 1 | F.hasPrologueData() << 2);
    for (const Use &U : F.operands())
      value(C, U.get());
    // If nothing is caught after all, nothing asks for the personality.
    if (F.hasPersonalityFn())
      if (auto *P = dyn_cast<GlobalValue>(F.getPersonalityFn()->stripPointerCasts()))
        if (!isDefined(*P))
          Entries[entryOf(*P)].Kind |= Weak;
    for (const Argument &A : F.args())
      C.Locals.try_emplace(&A, C.Locals.size());
    for (const BasicBlock &B : F)
      C.Locals.try_emplace(&B, C.Locals.size());
    for (const BasicBlock &B : F)
      for (const Instruction &I : B)
        if (!isa<DbgInfoIntrinsic>(I))
          C.Locals.try_emplace(&I, C.Locals.size());
    SmallPtrSet<const BasicBlock *, 32> Live = reachable(F);
    for (const BasicBlock &B : F) {
      C.tag(Live.count(&B) ? 'B' : 'U');
      if (!Live.count(&B))
        continue;
      for (const Instruction &I : B)
        if (!isa<DbgInfoIntrinsic>(I))
          instruction(C, I);
    }
  }

  // No code is made of the other blocks.
  static SmallPtrSet<const BasicBlock *, 32> reachable(const Function &F) {
    SmallPtrSet<const BasicBlock *, 32> Live;
    SmallVector<const BasicBlock *, 32> Open;
    if (!F.empty())
      Open.push_back(&F.getEntryBlock());
    while (!Open.empty()) {
      const BasicBlock *B = Open.pop_back_val();
      if (Live.insert(B).second)
        Open.append(succ_begin(B), succ_end(B));
    }
    return Live;
  }

  void instruction(Content &C, const Instruction &I) {
    C.tag('I');
    C.number(I.getOpcode());
    C.number(Bits::of(I));
    C.number(I.getRawSubclassOptionalData());
    type(C, I.getType());
    C.number(I.getNumOperands());
    for (const Use &U : I.operands())
      value(C, U.get());
    special(C, I);
    if (I.hasMetadataOtherThanDebugLoc()) {
      SmallVector<std::pair<unsigned, MDNode *>, 4> All;
      I.getAllMetadataOtherThanDebugLoc(All);
      metadata(C, All);
    }
  }

  void value(Content &C, const Value *V) override {
    if (!V)
      return C.tag('0');
    if (auto *K = dyn_cast<Constant>(V))
      return constant(C, K);
    if (auto *A = dyn_cast<InlineAsm>(V))
      return inlineAssembly(C, *A);
    if (auto *MV = dyn_cast<MetadataAsValue>(V)) {
      C.tag('M');
      return metadata(C, MV->getMetadata());
    }
    // A local that is nowhere in the function does not occur in valid IR.
    auto Place = C.Locals.find(V);
    C.tag('L');
    C.number(Place == C.Locals.end() ? ~0ull : Place->second);
  }

  void constant(Content &C, const Constant *K) {
    if (auto *G = dyn_cast<GlobalValue>(K))
      return reference(C, *G);
    if (auto *D = dyn_cast<ConstantData>(K))
      return data(C, *D);
    mention(C, pieceOf(K));
  }

  void reference(Content &C, const GlobalValue &G) {
    if (auto *F = dyn_cast<Function>(&G))
      if (F->isIntrinsic()) {
        C.tag('N');
        type(C, F->getFunctionType());
        attributes(C, F->getAttributes());
        return C.text(F->getName());
      }
    if (isContents(G) && !Known.count(&G)) {
      if (!Pending.count(&G))
        return mention(C, pieceOf(&G));
      // It refers to itself, if through others: then it is no part of anything.
      unsigned Own = entryOf(G);
      Content Of;
      global(Of, G);
      Digest D = Of.finish();
      Entries[Own].Content = D;
      Entries[Own].Refers = std::move(Of.Refers);
    }
    C.tag('G');
    C.refer(entryOf(G));
    if (!isDefined(G))
      header(C, G);
  }

  void mention(Content &C, const Piece &P) {
    C.tag('P');
    C.digest(P.Content);
    for (unsigned Entry : P.Refers)
      C.refer(Entry);
  }

  const Piece &pieceOf(const Constant *K) {
    auto Place = Constants.find(K);
    if (Place != Constants.end())
      return Place->second;
    Pending.insert(K);
    Content C;
    if (auto *G = dyn_cast<GlobalValue>(K))
      global(C, *G);
    else
      made(C, *K);
    Pending.erase(K);
    Piece P;
    P.Content = C.finish();
    P.Refers = std::move(C.Refers);
    return Constants[K] = std::move(P);
  }

  // Aggregates and expressions.
  void made(Content &C, const Constant &K) {
    C.number(K.getValueID());
    C.number(K.getRawSubclassOptionalData());
    C.number(Bits::of(K));
    type(C, K.getType());
    if (auto *B = dyn_cast<BlockAddress>(&K)) {
      reference(C, *B->getFunction());
      unsigned Index = 0;
      for (const BasicBlock &One : *B->getFunction()) {
        if (&One == B->getBasicBlock())
          break;
        ++Index;
      }
      return C.number(Index);
    }
    if (auto *E = dyn_cast<ConstantExpr>(&K)) {
      C.number(E->getOpcode());
#if LLVM_VERSION_MAJOR < 19
      if (E->isCompare())
        C.number(E->getPredicate());
#endif
      if (E->getOpcode() == Instruction::ShuffleVector)
        for (int Lane : E->getShuffleMask())
          C.number(Lane);
    }
    if (auto *G = dyn_cast<GEPOperator>(&K)) {
      type(C, G->getSourceElementType());
#if LLVM_VERSION_MAJOR >= 19
      if (auto Range = G->getInRange()) {
        C.bits(Range->getLower());
        C.bits(Range->getUpper());
      }
#endif
    }
    C.number(K.getNumOperands());
    for (const Use &U : K.operands())
      value(C, U.get());
  }

  // Any word of the text may be a name.
  void inlineAssembly(Content &C, const InlineAsm &A) {
    C.tag('S');
    C.text(A.getAsmString());
    C.text(A.getConstraintString());
    C.number(A.hasSideEffects() | A.isAlignStack() << 1 | A.canThrow() << 2 | (unsigned)A.getDialect() << 3);
    type(C, A.getFunctionType());
    StringRef Text = A.getAsmString();
    auto In = [](char Letter) { return isAlnum(Letter) || Letter == '_' || Letter == '.' || Letter == '@'; };
    bool AfterName = false;
    while (!Text.empty()) {
      StringRef Name = Text.take_while(In);
      // Directives, what puts words together, and names with letters that are not understood.
      Unknown |= begins(Name, ".") || Text[0] == '\\' || Text[0] == '"' || !isASCII(Text[0]) ||
                 (AfterName && Text[0] == '$');
      AfterName = !Name.empty();
      if (!Name.empty() && !isDigit(Name[0]))
        C.refer(wordOf(Name.split('@').first));
      Text = Text.drop_front(std::max<size_t>(Name.size(), 1));
    }
  }

  unsigned wordOf(StringRef Name) {
    for (StringRef Spelled : {Name, StringRef("\1" + Name.str())})
      if (const GlobalValue *G = M.getNamedValue(Spelled))
        if (isNode(*G) || G->isDeclaration())
          return entryOf(*G);
    auto Place = Words.try_emplace(Name.str(), Entries.size());
    if (Place.second) {
      Entry E;
      E.Name = Name.str();
      E.Kind = Word;
      Entries.push_back(std::move(E));
    }
    return Place.first->second;
  }

  // Constructors and destructors, what is kept whether or not it is used, and what the whole module is.
  void roots() {
    Content Start, Of;
    for (const char *Name : {"llvm.global_ctors", "llvm.global_dtors"}) {
      const GlobalVariable *List = M.getNamedGlobal(Name);
      if (!List || !List->hasInitializer())
        continue;
      for (const Use &U : List->getInitializer()->operands()) {
        auto *Function = dyn_cast<GlobalValue>(cast<Constant>(U)->getAggregateElement(1)->stripPointerCasts());
        if (Function && isOurs(*Function))
          continue;
        Start.text(Name);
        value(Start, U.get());
      }
    }
    for (const char *Name : {"llvm.used", "llvm.compiler.used"})
      if (const GlobalVariable *List = M.getNamedGlobal(Name))
        for (const Use &U : List->getInitializer()->operands()) {
          auto *G = dyn_cast<GlobalValue>(cast<Constant>(U)->stripPointerCasts());
          if (G && isOurs(*G))
            continue;
          value(Start, U.get());
        }
    auto *Record = cast<ConstantStruct>(Info->getInitializer());
    for (unsigned Index : {AbiVersion, LlvmVersion, Initializers, Flags})
      value(Of, Record->getOperand(Index));
    Of.text(M.getDataLayoutStr());
#if LLVM_VERSION_MAJOR >= 21
    Of.text(M.getTargetTriple().str());
#else
    Of.text(M.getTargetTriple());
#endif
    for (const NamedMDNode &Named : M.named_metadata()) {
      if (begins(Named.getName(), "llvm.dbg"))
        continue;
      Of.text(Named.getName());
      for (const MDNode *Node : Named.operands())
        metadata(Of, Node);
    }
    ModuleWords = Of.finish();
    for (unsigned Entry : Of.Refers)
      Start.refer(Entry);
    if (Start.Refers.empty())
      return;
    Entry E;
    E.Kind = Defined | Local | Root;
    E.Content = Start.finish();
    E.Refers = std::move(Start.Refers);
    Entries.push_back(std::move(E));
  }
};
} // namespace

extern "C" {

// Tells of each entry in turn, and of what the entry refers to behind all entries. Info: the variable with the
// ModuleInfo. The digest of the module goes to Words. True if the module has assembly that is not understood.
int dpor_reach(LLVMModuleRef M, LLVMValueRef Info, uint8_t *Words, void *To,
               void (*Tell)(void *To, const char *Name, size_t Length, unsigned Kind, const uint8_t *Content),
               void (*Refers)(void *To, unsigned Entry, unsigned Other)) {
  Reach R(*unwrap(M), cast<GlobalVariable>(unwrap(Info)));
  R.run();
  for (const Entry &E : R.Entries)
    Tell(To, E.Name.data(), E.Name.size(), E.Kind, E.Content.data());
  for (unsigned At = 0; At != R.Entries.size(); ++At)
    for (unsigned Other : R.Entries[At].Refers)
      Refers(To, At, Other);
  std::copy(R.ModuleWords.begin(), R.ModuleWords.end(), Words);
  return R.Unknown;
}
}
