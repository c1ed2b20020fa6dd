#include "verify/compare/narrow_values.h"

#include <cmath>

#include "verify/compare/narrow_program.h"

namespace affirm::compare {

using hlo::PrimitiveType;
using terms::Kind;
using terms::Sort;
using terms::Term;

namespace {

constexpr int64_t kMostWork = int64_t{1} << 24;  // terms times values

}  // namespace

bool SameScalar(const TypedScalar& a, const TypedScalar& b) {
  if (terms::IntegerWidth(a.type) > 0) return a.value.i == b.value.i;
  if (std::isnan(a.value.re) || std::isnan(b.value.re))
    return std::isnan(a.value.re) && std::isnan(b.value.re);
  return a.value.re == b.value.re && std::signbit(a.value.re) == std::signbit(b.value.re);
}

bool EvaluateAt(Term a, Term b, llvm::ArrayRef<Term> leaves,
                llvm::function_ref<bool(Term load, Term other)> same_element,
                llvm::ArrayRef<uint64_t> points, size_t nan_pattern,
                llvm::function_ref<bool(const TypedScalar& a, const TypedScalar& b)> see) {
  NarrowProgram program(same_element);
  program.SetLeaves(leaves);
  if (!program.Add(a) || !program.Add(b)) return false;
  for (uint64_t point : points) {
    if (!program.Run(point, nan_pattern)) return false;
    if (!see(program.At(a).scalar, program.At(b).scalar)) return true;
  }
  return true;
}

// Whether the term has neither loads nor variables.
static bool IsConstant(Term root) {
  return !terms::AnyPart(root, [](Term term) {
    return term->kind == Kind::kLoad || term->kind == Kind::kVariable ||
           term->kind == Kind::kUnknown || term->kind == Kind::kArbitrary ||
           term->kind == Kind::kFold;
  });
}

// Whether the program evaluates both terms to the same value at all points.
static std::optional<bool> RunAtAllValues(NarrowProgram& program, Term a, Term b, int64_t& steps) {
  const int64_t values = int64_t{1} << program.bits();
  const int64_t each = program.size();
  if (values * each > kMostWork) return std::nullopt;
  std::optional<size_t> patterns = 1;
  for (size_t pattern = 0; pattern < *patterns; ++pattern) {
    for (int64_t bits = 0; bits < values; ++bits) {
      if (!program.IsInRange(static_cast<uint64_t>(bits))) continue;
      steps -= each;
      if (steps < 0) return std::nullopt;
      if (!program.Run(static_cast<uint64_t>(bits), pattern)) return std::nullopt;
      if (!SameScalar(program.At(a).scalar, program.At(b).scalar)) return false;
    }
    patterns = program.patterns();
    if (!patterns) return std::nullopt;
  }
  return true;
}

std::optional<bool> SameAtAllValues(Term a, Term b,
                                    llvm::function_ref<bool(Term load, Term other)> same_element,
                                    int64_t& steps, int64_t most_bits) {
  if (a->sort() != Sort::kValue || b->type != a->type || hlo::IsComplex(a->type))
    return std::nullopt;
  NarrowProgram program(same_element);
  // A compiler folds an operation on constants to the interpreter's value.
  if (!program.Add(a) || !program.Add(b, IsConstant(b)) || program.bits() > most_bits)
    return std::nullopt;
  return RunAtAllValues(program, a, b, steps);
}

// Whether the term has a comparison, and no loads outside of comparisons.
static bool ReadsByComparisons(Term root) {
  constexpr size_t kMostParts = 64;
  size_t parts = 0;
  bool compares = false, other = false;
  terms::ForEachPart(root, [&](Term term) {
    if (IsComparison(term)) {
      compares = true;
      return terms::Visit::kPast;
    }
    other = ++parts > kMostParts || term->kind == Kind::kLoad || term->kind == Kind::kFold;
    return other ? terms::Visit::kStop : terms::Visit::kInto;
  });
  return compares && !other;
}

bool SameByComparisons(Term a, Term b,
                       llvm::function_ref<bool(Term of_a, Term of_b)> same_comparison,
                       int64_t& steps) {
  constexpr int64_t kFewBits = 8;
  if (a->sort() != Sort::kValue || b->type != a->type || hlo::IsComplex(a->type) ||
      a->type == PrimitiveType::kPred || !ReadsByComparisons(b)) {
    return false;
  }
  auto no_element = [](Term, Term) { return false; };
  NarrowProgram program(no_element, same_comparison);
  return program.Add(a) && program.Add(b) && program.bits() <= kFewBits &&
         RunAtAllValues(program, a, b, steps) == true;
}

}  // namespace affirm::compare
