#include "term_world.h"

#include <bit>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/terms/range.h"

namespace affirm::logic {

using terms::Kind;
using terms::Term;

namespace {

constexpr uint64_t kNan = 0x7FC00000;

bool IsNan(uint64_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

bool IsFloat(Term value) { return terms::IntegerWidth(value->type) == 0; }

uint64_t Mixed(uint64_t k) {
  k += 0x9E3779B97F4A7C15;
  k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9;
  k = (k ^ (k >> 27)) * 0x94D049BB133111EB;
  return k ^ (k >> 31);
}

// One of few values of the type, two NaNs among those of floats.
uint64_t SomeValue(Term of, uint64_t hash) {
  constexpr uint64_t kFloats[] = {0, 0x80000000, 0x3F800000, 0x40000000, 0x7FC00001, 0xFFC00002};
  if (IsFloat(of)) return kFloats[hash % std::size(kFloats)];
  const int64_t width = terms::IntegerWidth(of->type);
  return hash % (uint64_t{1} << std::min<int64_t>(width, 2));
}

}  // namespace

int64_t TermWorld::Integer(Term integer) const {
  return static_cast<int64_t>(terms::Evaluate(integer, [&](Term leaf) -> terms::Int128 {
    if (leaf->kind == Kind::kVariable) return variables_.lookup(leaf);
    if (leaf->kind == Kind::kUnknown) return leaf->range.lo;
    const uint64_t bits = Value(leaf);
    const int64_t width = terms::IntegerWidth(leaf->type);
    if (width <= 1) return static_cast<terms::Int128>(bits);
    const auto sign = uint64_t{1} << (width - 1);
    return static_cast<terms::Int128>(bits) - static_cast<terms::Int128>((bits & sign) << 1);
  }));
}

bool TermWorld::Condition(Term condition) const { return Integer(condition) != 0; }

uint64_t TermWorld::Value(Term value) const {
  switch (value->kind) {
    case Kind::kLiteral:
      return static_cast<uint64_t>(value->number);
    case Kind::kLoad: {
      const auto at = static_cast<uint64_t>(Integer(value->args[0]));
      return SomeValue(value, Mixed(Mixed(seed_ + at) ^ static_cast<uint64_t>(value->number)));
    }
    case Kind::kOfInteger: {
      const int64_t width = terms::IntegerWidth(value->type);
      return static_cast<uint64_t>(Integer(value->args[0])) & ((uint64_t{1} << width) - 1);
    }
    case Kind::kOfCondition:
      return Condition(value->args[0]) ? 1 : 0;
    case Kind::kSelect:
      return Value(value->args[Condition(value->args[0]) ? 1 : 2]);
    case Kind::kFold:
      return Fold(value);
    case Kind::kApply: {
      if (value->op() == terms::Op::kBitcast) return Value(value->args[0]);
      std::vector<uint64_t> operands;
      for (Term arg : value->args) operands.push_back(Value(arg));
      auto number = [&](size_t k) {
        return std::bit_cast<float>(static_cast<uint32_t>(operands[k]));
      };
      if (value->op() == terms::Op::kCompareLt) return number(0) < number(1) ? 1 : 0;
      if (value->op() == terms::Op::kCopysign)
        return (operands[0] & 0x7FFFFFFF) | (operands[1] & 0x80000000);
      for (auto [operand, arg] : llvm::zip_equal(operands, value->args)) {
        if (!IsFloat(arg) || !IsNan(operand)) continue;
        if (IsFloat(value)) return kNan;
        operand = kNan;
      }
      if (terms::IsCommutative(value->op())) llvm::sort(operands);
      uint64_t hash = Mixed(seed_ ^ static_cast<uint64_t>(value->op()));
      for (uint64_t operand : operands) hash = Mixed(hash ^ operand);
      return SomeValue(value, hash);
    }
    default:
      return SomeValue(value, Mixed(seed_ ^ value->id));  // kArbitrary
  }
}

// The same of any order of the values that count.
uint64_t TermWorld::Fold(Term fold) const {
  const auto variables = fold->args.drop_front(2);
  TermWorld inner = *this;
  uint64_t sum = 0;
  std::vector<int64_t> point;
  for (Term variable : variables) point.push_back(static_cast<int64_t>(variable->range.lo));
  while (true) {
    for (size_t k = 0; k < point.size(); ++k) inner.variables_[variables[k]] = point[k];
    if (inner.Condition(fold->args[0])) {
      const uint64_t element = inner.Value(fold->args[1]);
      if (IsFloat(fold) && IsNan(element)) return kNan;
      sum += Mixed(seed_ ^ element);
    }
    size_t k = point.size();
    while (k > 0 && point[k - 1] == variables[k - 1]->range.hi)
      --k, point[k] = static_cast<int64_t>(variables[k]->range.lo);
    if (k == 0) break;
    ++point[k - 1];
  }
  return SomeValue(fold, sum);
}

bool TermWorld::AreEqual(Term a, Term b, bool nans_are_one) const {
  if (a->sort() != b->sort() || a->type != b->type) return false;
  if (a->sort() != terms::Sort::kValue) return Integer(a) == Integer(b);
  const uint64_t x = Value(a), y = Value(b);
  return x == y || (nans_are_one && IsFloat(a) && IsNan(x) && IsNan(y));
}

}  // namespace affirm::logic
