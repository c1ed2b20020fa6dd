#include "driver/equivalence/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/hlo/leaves.h"
#include "driver/validate/instructions.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace affirm::driver {

using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

// Bits of the mantissa of types to which floats are rounded; 0 for other types.
int MantissaBits(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF64:
      return 52;
    case PrimitiveType::kF32:
      return 23;
    case PrimitiveType::kF16:
      return 10;
    case PrimitiveType::kBF16:
      return 7;
    case PrimitiveType::kF8E4M3:
    case PrimitiveType::kF8E4M3FN:
    case PrimitiveType::kF8E4M3B11FNUZ:
    case PrimitiveType::kF8E4M3FNUZ:
      return 3;
    case PrimitiveType::kF8E3M4:
      return 4;
    case PrimitiveType::kF8E5M2:
    case PrimitiveType::kF8E5M2FNUZ:
      return 2;
    case PrimitiveType::kF4E2M1FN:
      return 1;
    default:
      return 0;
  }
}

// What the value of an instruction is rounded to, of a wider operand; 0: nothing narrower.
int RoundsTo(const hlo::Instruction& op) {
  if (op.opcode == Opcode::kReducePrecision)
    return static_cast<int>(std::max<int64_t>(op.attributes.mantissa_bits, 1));
  if (op.opcode != Opcode::kConvert || !hlo::IsFloat(op.shape.type)) return 0;
  const int bits = MantissaBits(op.shape.type);
  const int from = MantissaBits(op.operands[0]->shape.type);
  return bits > 0 && bits < from ? bits : 0;
}

int Narrower(int a, int b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

int NarrowestIn(const hlo::Instruction& op) {
  if (const int bits = RoundsTo(op); bits > 0) return bits;
  // An operation on a narrow type rounds to it, and a pass may leave that out.
  if (!op.shape.IsArray() || !hlo::IsFloat(op.shape.type)) return 0;
  const int bits = MantissaBits(op.shape.type);
  return bits < MantissaBits(PrimitiveType::kF32) ? bits : 0;
}

// Of an instruction, of what it calls, and of all that it is computed from.
int NarrowestOf(const hlo::Instruction& root) {
  int narrowest = 0;
  llvm::SmallPtrSet<const hlo::Instruction*, 32> seen;
  std::vector<const hlo::Instruction*> stack = {&root};
  while (!stack.empty()) {
    const hlo::Instruction* op = stack.back();
    stack.pop_back();
    if (!seen.insert(op).second) continue;
    narrowest = Narrower(narrowest, NarrowestIn(*op));
    stack.insert(stack.end(), op->operands.begin(), op->operands.end());
    for (const hlo::Computation* called : op->called) stack.push_back(called->root);
  }
  return narrowest;
}

// For each leaf of an instruction, to the end of `narrowest`.
void AddNarrowest(const hlo::Instruction& op, std::vector<int>& narrowest) {
  if (op.opcode == Opcode::kTuple) {
    for (const hlo::Instruction* element : op.operands) AddNarrowest(*element, narrowest);
  } else {
    narrowest.insert(narrowest.end(), hlo::NumLeaves(op.shape), NarrowestOf(op));
  }
}

std::vector<Literal> Copies(const std::vector<const Literal*>& of) {
  std::vector<Literal> copies;
  copies.reserve(of.size());
  for (const Literal* literal : of) copies.push_back(*literal);
  return copies;
}

// The elements that are further off than one distance allows.
std::vector<Distance::Difference> Differences(const Distance& distance,
                                              const std::vector<Literal>& arguments,
                                              const std::vector<const Literal*>& want,
                                              const std::vector<const Literal*>& got, size_t leaf) {
  // The other leaves are none of this question.
  std::vector<Literal> actual = Copies(want);
  actual[leaf] = *got[leaf];
  return distance.Compare(arguments, want, actual, std::numeric_limits<size_t>::max()).all;
}

}  // namespace

Rounding::Rounding(const hlo::Computation& a, const hlo::Computation& b)
    : of_a_(a, {.all_folds = true, .narrow_roundings = true, .judges_open = true}),
      of_b_(b, {.all_folds = false, .narrow_roundings = true, .judges_open = true}) {
  std::vector<int> of_b;
  AddNarrowest(*a.root, narrowest_);
  AddNarrowest(*b.root, of_b);
  for (size_t leaf = 0; leaf < std::min(narrowest_.size(), of_b.size()); ++leaf)
    narrowest_[leaf] = Narrower(narrowest_[leaf], of_b[leaf]);
}

std::optional<Distance::Difference> Rounding::Compare(
    const std::vector<Literal>& arguments, const std::vector<const Literal*>& a,
    const std::vector<const Literal*>& b, size_t leaf,
    llvm::function_ref<bool(int64_t)> is_open) const {
  const auto by_a = Differences(of_a_, arguments, a, b, leaf);
  if (by_a.empty()) return std::nullopt;
  std::set<int64_t> by_b;
  for (const auto& difference : Differences(of_b_, arguments, b, a, leaf))
    by_b.insert(difference.element);
  const Literal &x = *a[leaf], &y = *b[leaf];
  const bool narrow = narrowest_[leaf] > 0 && hlo::IsFloat(x.shape().type);
  double largest = 0;
  for (int64_t i = 0; narrow && i < x.NumElements(); ++i) {
    if (std::isfinite(x.GetFloat(i))) largest = std::max(largest, std::fabs(x.GetFloat(i)));
  }
  const double allowed =
      largest * std::min(std::ldexp(kNarrowPlaces, -narrowest_[leaf]), kNarrowShare);
  for (const auto& difference : by_a) {
    const int64_t i = difference.element;
    if (is_open(i)) continue;
    // Who makes NaN of numbers, where no sum can be at fault, is not excused by what becomes of
    // NaN.
    const bool is_float = hlo::IsFloat(x.shape().type);
    const bool makes_nan = is_float && std::isfinite(x.GetFloat(i)) && std::isnan(y.GetFloat(i));
    if (!by_b.contains(i) && !makes_nan) continue;
    if (narrow && !makes_nan && std::fabs(x.GetFloat(i) - y.GetFloat(i)) <= allowed) continue;
    return difference;
  }
  return std::nullopt;
}

}  // namespace affirm::driver
