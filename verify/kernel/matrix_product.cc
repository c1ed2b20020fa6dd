#include "verify/kernel/matrix_product.h"

#include <iterator>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace affirm::kernel {

using hlo::PrimitiveType;

namespace {

PrimitiveType ElementType(llvm::StringRef name) {
  return llvm::StringSwitch<PrimitiveType>(name)
      .Case("s4", PrimitiveType::kS4)
      .Case("u4", PrimitiveType::kU4)
      .Case("s8", PrimitiveType::kS8)
      .Case("u8", PrimitiveType::kU8)
      .Case("s32", PrimitiveType::kS32)
      .Case("e4m3", PrimitiveType::kF8E4M3FN)
      .Case("e5m2", PrimitiveType::kF8E5M2)
      .Case("f16", PrimitiveType::kF16)
      .Case("bf16", PrimitiveType::kBF16)
      .Case("tf32", PrimitiveType::kF32)
      .Case("f32", PrimitiveType::kF32)
      .Case("f64", PrimitiveType::kF64)
      .Default(PrimitiveType::kInvalid);
}

// The shapes that the PTX ISA has for elements of the type of A: both may be of other types of as
// many bits where these are integers, or floats of eight bits.
struct Shapes {
  PrimitiveType a;
  int64_t m;
  llvm::SmallVector<int64_t, 3> k;
  llvm::SmallVector<PrimitiveType, 2> sums;
};

const Shapes* ShapesOf(PrimitiveType a) {
  using P = PrimitiveType;
  static const Shapes kShapes[] = {
      {P::kS4, 16, {32, 64}, {P::kS32}},          {P::kU4, 16, {32, 64}, {P::kS32}},
      {P::kS8, 16, {16, 32}, {P::kS32}},          {P::kU8, 16, {16, 32}, {P::kS32}},
      {P::kF8E4M3FN, 16, {32}, {P::kF32}},        {P::kF8E5M2, 16, {32}, {P::kF32}},
      {P::kF16, 16, {8, 16}, {P::kF32, P::kF16}}, {P::kBF16, 16, {8, 16}, {P::kF32}},
      {P::kF32, 16, {4, 8}, {P::kF32}},           {P::kF64, 8, {4}, {P::kF64}},
  };
  const auto* found = llvm::find_if(kShapes, [&](const Shapes& s) { return s.a == a; });
  return found == std::end(kShapes) ? nullptr : found;
}

}  // namespace

std::optional<MatrixProduct> FindMatrixProduct(llvm::ArrayRef<llvm::StringRef> opcode) {
  MatrixProduct of;
  llvm::SmallVector<llvm::StringRef, 11> parts(opcode.begin(), opcode.end());
  if (parts.size() == 11 && parts[6] == "satfinite") {
    of.saturates = true;
    parts.erase(parts.begin() + 6);
  }
  if (parts.size() != 10 || parts[0] != "mma" || parts[1] != "sync" || parts[2] != "aligned" ||
      parts[4] != "row" || parts[5] != "col" || parts[6] != parts[9]) {
    return std::nullopt;
  }
  of.sum = ElementType(parts[6]);
  of.a = ElementType(parts[7]);
  of.b = ElementType(parts[8]);
  llvm::StringRef shape = parts[3];
  if (!shape.consume_front("m") || shape.consumeInteger(10, of.m) || !shape.consume_front("n8k") ||
      shape.getAsInteger(10, of.k)) {
    return std::nullopt;
  }
  // f32 as an element is written tf32.
  if (parts[7] == "f32" || parts[8] == "f32") return std::nullopt;
  const Shapes *a = ShapesOf(of.a), *b = ShapesOf(of.b);
  const bool mixes = hlo::IsInt(of.a) || hlo::BitWidth(of.a) == 8;
  const bool alike = of.a == of.b || (mixes && hlo::IsInt(of.a) == hlo::IsInt(of.b) &&
                                      hlo::BitWidth(of.a) == hlo::BitWidth(of.b));
  if (a == nullptr || b == nullptr || !alike || of.m != a->m || !llvm::is_contained(a->k, of.k) ||
      !llvm::is_contained(a->sums, of.sum) || (of.saturates && of.sum != PrimitiveType::kS32)) {
    return std::nullopt;
  }
  return of;
}

std::optional<MatrixProduct> FindWarpGroupProduct(llvm::ArrayRef<llvm::StringRef> opcode) {
  MatrixProduct of;
  llvm::SmallVector<llvm::StringRef, 9> parts(opcode.begin(), opcode.end());
  if (parts.size() == 9 && parts[5] == "satfinite") {
    of.saturates = true;
    parts.erase(parts.begin() + 5);
  }
  if (parts.size() != 8 || parts[0] != "wgmma" || parts[1] != "mma_async" || parts[2] != "sync" ||
      parts[3] != "aligned") {
    return std::nullopt;
  }
  of.sum = ElementType(parts[5]);
  of.a = ElementType(parts[6]);
  of.b = ElementType(parts[7]);
  llvm::StringRef shape = parts[4];
  if (!shape.consume_front("m64n") || shape.consumeInteger(10, of.n) || !shape.consume_front("k") ||
      shape.getAsInteger(10, of.k)) {
    return std::nullopt;
  }
  constexpr int64_t kMostColumns = 256, kBits = 256;  // of a row of A in one step
  const Shapes *a = ShapesOf(of.a), *b = ShapesOf(of.b);
  const bool alike = of.a == of.b || (hlo::BitWidth(of.a) == 8 && hlo::BitWidth(of.b) == 8 &&
                                      hlo::IsInt(of.a) == hlo::IsInt(of.b));
  const bool narrow = hlo::BitWidth(of.a) == 4 || parts[6] == "f32" || parts[7] == "f32";
  if (a == nullptr || b == nullptr || !alike || narrow || of.a == PrimitiveType::kF64 ||
      of.n % 8 != 0 || of.n < 8 || of.n > kMostColumns || of.k * hlo::BitWidth(of.a) != kBits ||
      !llvm::is_contained(a->sums, of.sum) || (of.saturates && of.sum != PrimitiveType::kS32)) {
    return std::nullopt;
  }
  return of;
}

}  // namespace affirm::kernel
