// What a digest is taken of.
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/MD5.h"
#include <array>
#include <vector>

namespace dpor {
using namespace llvm;

using Digest = std::array<uint8_t, 16>;

// What a digest is taken of, in the making.
struct Content {
  MD5 Hash;
  std::vector<unsigned> Refers;
  DenseMap<unsigned, unsigned> Places;
  DenseMap<const Value *, unsigned> Locals;
  DenseMap<const MDNode *, unsigned> Nodes;
  SmallVector<uint8_t, 1024> Bytes;

  void flush() {
    Hash.update(ArrayRef<uint8_t>(Bytes.data(), Bytes.size()));
    Bytes.clear();
  }
  void raw(const void *Start, size_t Length) {
    auto *First = static_cast<const uint8_t *>(Start);
    Bytes.append(First, First + Length);
    if (Bytes.size() > 65536)
      flush();
  }
  void number(uint64_t Value) { raw(&Value, sizeof Value); }
  // What follows, in one byte: no two kinds of things have the same bytes.
  void tag(char Letter) { raw(&Letter, 1); }
  void text(StringRef Text) {
    number(Text.size());
    raw(Text.data(), Text.size());
  }
  void digest(const Digest &D) { raw(D.data(), D.size()); }
  void bits(const APInt &Value) {
    number(Value.getBitWidth());
    raw(Value.getRawData(), Value.getNumWords() * sizeof(uint64_t));
  }
  void refer(unsigned Entry) {
    auto Place = Places.try_emplace(Entry, Refers.size());
    if (Place.second)
      Refers.push_back(Entry);
    number(Place.first->second);
  }
  Digest finish() {
    flush();
    MD5::MD5Result Result;
    Hash.final(Result);
    Digest D;
    for (size_t I = 0; I != D.size(); ++I)
      D[I] = Result[I];
    return D;
  }
};
} // namespace dpor
