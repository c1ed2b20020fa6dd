// dot, ragged-dot, convolution: sums of products in any order.
#include <algorithm>
#include <cmath>

#include "core/hlo/operand_precision.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/rules.h"

namespace affirm::enclosure {

using hlo::PrimitiveType;

namespace {

bool IsUnbounded(const Interval& a) { return a.nan || a.lo == -kInfinity || a.hi == kInfinity; }

// Padding of a convolution may be written out, and 0 times what is not finite is NaN.
bool MultipliesPadding(const Evaluation& of) {
  const bool is_padded = llvm::any_of(of.op.attributes.window, [](const auto& dimension) {
    return dimension.padding_low > 0 || dimension.padding_high > 0 || dimension.base_dilation > 1 ||
           dimension.window_dilation > 1;
  });
  if (!is_padded) return false;
  return llvm::any_of(of.operands, [](const EnclosedValue* operand) {
    for (int64_t i = 0; i < CountOf(operand->value); ++i) {
      const Enclosure element = operand->At(0, i);
      if (IsUnbounded(element.real)) return true;
      if (hlo::IsComplex(operand->value.shape().type) && IsUnbounded(element.imaginary))
        return true;
    }
    return false;
  });
}

// The value that a product takes for an operand. XLA's PrecisionConfig: default precision is the
// fastest computation that the backend has; units that multiply bf16 are the least exact ones.
Interval Factor(const Evaluation& of, int64_t operand, const Interval& element) {
  const PrimitiveType part = hlo::PartType(of.TypeOf(operand));
  const Interval flushed = Flushed(element, part);
  const bool rounds = of.freedom.rounds_products && part == PrimitiveType::kF32 &&
                      hlo::PrecisionOf(of.op, operand) != hlo::OperandPrecision::kHighest;
  if (!rounds || !flushed.HasNumbers()) return flushed;
  Interval rounded = Rounded(flushed, PrimitiveType::kBF16);
  if (rounded.lo == flushed.lo && rounded.hi == flushed.hi) return flushed;  // it has few bits
  // Digits may be cut off, and types between the two may round in the other direction.
  const double error = 2 * UnitRoundoff(PrimitiveType::kBF16);
  rounded.lo = std::min(rounded.lo, flushed.lo - std::abs(flushed.lo) * error);
  rounded.hi = std::max(rounded.hi, flushed.hi + std::abs(flushed.hi) * error);
  return rounded;
}

}  // namespace

// A sum of narrow floats is taken in f32 or wider. Each part of a complex sum has two products for
// each of its terms.
void EncloseProducts(Evaluation& of) {
  const PrimitiveType type = of.op.shape.type, left_type = of.TypeOf(0), right_type = of.TypeOf(1);
  const bool is_complex = hlo::IsComplex(type);
  auto has_kind = [&](PrimitiveType each) {
    return is_complex ? hlo::IsComplex(each) : hlo::IsFloat(each);
  };
  // Algorithms that the interpreter does not expand round in ways of their own.
  const bool has_algorithm = of.op.attributes.FindExtra("algorithm") != nullptr;
  const bool has_sizes = of.operands.size() == 3 && of.op.opcode == hlo::Opcode::kRaggedDot;
  if (!has_kind(type) || !has_kind(left_type) || !has_kind(right_type) || has_algorithm ||
      (of.operands.size() != 2 && !has_sizes) || (has_sizes && !IsExact(*of.operands[2])))
    return of.MakeWhole();
  const PrimitiveType part = hlo::PartType(type);
  const bool is_double =
      llvm::any_of(std::initializer_list<PrimitiveType>{type, left_type, right_type},
                   [&](PrimitiveType each) { return hlo::PartType(each) == PrimitiveType::kF64; });
  const AnyOrderSum zero(is_double ? PrimitiveType::kF64 : PrimitiveType::kF32);
  std::vector<AnyOrderSum> real(CountOf(of.result.value), zero), imaginary;
  if (is_complex) imaginary = real;
  // The left factor comes right before its right one.
  Enclosure left;
  for (const Read& read : of.reads) {
    if (read.operand == 2) continue;
    Enclosure element = of.At(read.operand, read.from);
    element.real = Factor(of, read.operand, element.real);
    if (is_complex) element.imaginary = Factor(of, read.operand, element.imaginary);
    if (read.operand == 0) {
      left = element;
      continue;
    }
    auto add = [](AnyOrderSum& sum, const Interval& product) { sum.Add(product, 1); };
    add(real[read.linear], Product(left.real, element.real));
    if (!is_complex) continue;
    add(real[read.linear], Negated(Product(left.imaginary, element.imaginary)));
    add(imaginary[read.linear], Product(left.real, element.imaginary));
    add(imaginary[read.linear], Product(left.imaginary, element.real));
  }
  const bool multiplies_padding = MultipliesPadding(of);
  auto result = [&](const AnyOrderSum& sum) {
    Interval value = Rounded(sum.Result(), part);
    value.nan = value.nan || multiplies_padding;
    return value;
  };
  for (size_t i = 0; i < real.size(); ++i) {
    Enclosure value = Enclosure::Real(result(real[i]));
    if (is_complex) value.imaginary = result(imaginary[i]);
    of.result.leaves[0].push_back(value);
  }
}

}  // namespace affirm::enclosure
