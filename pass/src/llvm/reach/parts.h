// The parts of functions and variables that refer to none by themselves: types, attributes, metadata, plain data, and
// what instructions have beside their operands.
#pragma once

#include "content.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalObject.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

namespace dpor {
// StringRef's own function has one name up to LLVM 15 and another since.
bool begins(StringRef Text, StringRef With) { return Text.take_front(With.size()) == With; }

// The bits that a value keeps what is special about its kind in.
struct Bits : Value {
  static unsigned of(const Value &V) { return (V.*(&Bits::getSubclassDataFromValue))(); }
};

class Parts {
  DenseMap<Type *, Digest> Types;
  DenseMap<AttributeSet, Digest> Attributes;
  SmallVector<StringRef, 64> KindNames;

protected:
  explicit Parts(const LLVMContext &Context) { Context.getMDKindNames(KindNames); }
  virtual ~Parts() = default;

  // Anything that an instruction or constant has as an operand.
  virtual void value(Content &C, const Value *V) = 0;

  void special(Content &C, const Instruction &I) {
    if (auto Scope = getAtomicSyncScopeID(&I))
      C.number(*Scope);
    if (auto *Call = dyn_cast<CallBase>(&I)) {
      type(C, Call->getFunctionType());
      attributes(C, Call->getAttributes());
      C.number(Call->getNumOperandBundles());
      for (unsigned At = 0; At != Call->getNumOperandBundles(); ++At) {
        OperandBundleUse Bundle = Call->getOperandBundleAt(At);
        C.text(Bundle.getTagName());
        C.number(Bundle.Inputs.size());
      }
      if (auto *Branch = dyn_cast<CallBrInst>(Call))
        C.number(Branch->getNumIndirectDests());
    } else if (auto *A = dyn_cast<AllocaInst>(&I)) {
      type(C, A->getAllocatedType());
      C.number(A->getAlign().value());
    } else if (auto *G = dyn_cast<GetElementPtrInst>(&I)) {
      type(C, G->getSourceElementType());
    } else if (auto *E = dyn_cast<ExtractValueInst>(&I)) {
      indices(C, E->getIndices());
    } else if (auto *N = dyn_cast<InsertValueInst>(&I)) {
      indices(C, N->getIndices());
    } else if (auto *S = dyn_cast<ShuffleVectorInst>(&I)) {
      for (int Lane : S->getShuffleMask())
        C.number(Lane);
    } else if (auto *P = dyn_cast<PHINode>(&I)) {
      for (const BasicBlock *From : P->blocks())
        value(C, From);
    } else if (auto *W = dyn_cast<SwitchInst>(&I)) {
      for (auto Case : W->cases()) {
        value(C, Case.getCaseValue());
        value(C, Case.getCaseSuccessor());
      }
    }
  }

  void indices(Content &C, ArrayRef<unsigned> Indices) {
    C.number(Indices.size());
    for (unsigned Index : Indices)
      C.number(Index);
  }

  void data(Content &C, const ConstantData &D) {
    C.tag('K');
    C.number(D.getValueID());
    type(C, D.getType());
    if (auto *I = dyn_cast<ConstantInt>(&D))
      return C.bits(I->getValue());
    if (auto *S = dyn_cast<ConstantDataSequential>(&D))
      return C.text(S->getRawDataValues());
    if (isa<ConstantAggregateZero, ConstantPointerNull, UndefValue, ConstantTokenNone>(D))
      return;
    // Text tells them from each other exactly. Of numbers with a point the bits are not asked for: that takes a variable
    // that each LLVM has another name for, and a plugin for another LLVM must load as far as the version check.
    std::string Text;
    raw_string_ostream Out(Text);
    D.print(Out);
    C.text(Out.str());
  }

  void type(Content &C, Type *T) { C.digest(typeOf(T)); }

  Digest typeOf(Type *T) {
    auto Place = Types.find(T);
    if (Place != Types.end())
      return Place->second;
    Content C;
    C.number(T->getTypeID());
    if (auto *I = dyn_cast<IntegerType>(T)) {
      C.number(I->getBitWidth());
    } else if (auto *P = dyn_cast<PointerType>(T)) {
      C.number(P->getAddressSpace());
    } else if (auto *A = dyn_cast<ArrayType>(T)) {
      C.number(A->getNumElements());
      type(C, A->getElementType());
    } else if (auto *V = dyn_cast<VectorType>(T)) {
      C.number(V->getElementCount().getKnownMinValue());
      type(C, V->getElementType());
    } else if (auto *F = dyn_cast<FunctionType>(T)) {
      C.number(F->isVarArg());
      C.number(F->getNumParams());
      for (Type *Part : F->subtypes())
        type(C, Part);
    } else if (auto *S = dyn_cast<StructType>(T)) {
      C.number(S->isPacked() | S->isOpaque() << 1);
      C.number(S->getNumElements());
      for (Type *Part : S->elements())
        type(C, Part);
    } else if (!T->isFloatingPointTy() && !T->isVoidTy() && !T->isLabelTy() && !T->isMetadataTy() &&
               !T->isTokenTy()) {
      std::string Text;
      raw_string_ostream Out(Text);
      T->print(Out);
      C.text(Out.str());
    }
    return Types[T] = C.finish();
  }

  void attributes(Content &C, AttributeList List) {
    for (unsigned Index : List.indexes()) {
      AttributeSet Set = List.getAttributes(Index);
      if (Set.hasAttributes()) {
        C.number(Index);
        attributes(C, Set);
      }
    }
    C.tag('a');
  }

  void attributes(Content &C, AttributeSet Set) {
    auto Place = Attributes.find(Set);
    if (Place != Attributes.end())
      return C.digest(Place->second);
    Content Of;
    for (Attribute A : Set) {
      if (A.isTypeAttribute()) {
        Of.number(A.getKindAsEnum());
        Of.number(A.getValueAsType() != nullptr);
        if (Type *T = A.getValueAsType())
          type(Of, T);
      } else {
        Of.text(A.getAsString());
      }
    }
    Digest D = Of.finish();
    Attributes.try_emplace(Set, D);
    C.digest(D);
  }

  void metadata(Content &C, const GlobalObject &O) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> All;
    O.getAllMetadata(All);
    metadata(C, All);
  }

  void metadata(Content &C, ArrayRef<std::pair<unsigned, MDNode *>> All) {
    for (auto [Kind, Node] : All) {
      StringRef Name = KindNames[Kind];
      // Places in the source, and what debuggers want to know.
      if (Name == "dbg" || Name == "srcloc" || Name == "heapallocsite" || Name == "DIAssignID")
        continue;
      C.tag('m');
      C.text(Name);
      metadata(C, Node);
    }
  }

  void metadata(Content &C, const Metadata *D) {
    if (!D)
      return C.tag('0');
    if (auto *Text = dyn_cast<MDString>(D)) {
      C.tag('T');
      return C.text(Text->getString());
    }
    if (auto *V = dyn_cast<ValueAsMetadata>(D))
      return value(C, V->getValue());
    auto *Tuple = dyn_cast<MDTuple>(D);
    // All other nodes are debug information.
    if (!Tuple)
      return C.tag('D');
    auto Place = C.Nodes.try_emplace(Tuple, C.Nodes.size());
    C.tag(Place.second ? 'X' : 'R');
    C.number(Place.first->second);
    if (!Place.second)
      return;
    C.number(Tuple->getNumOperands());
    for (const MDOperand &Part : Tuple->operands())
      metadata(C, Part.get());
  }
};
} // namespace dpor
