#include "verify/compare/narrow_values.h"

#include <bit>
#include <cmath>
#include <vector>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "verify/compare/scalar_operations.h"
#include "verify/terms/machine.h"
#include "verify/terms/range.h"

namespace affirm::compare {

namespace {

using hlo::PrimitiveType;
using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Sort;
using terms::Term;

constexpr int64_t kMostBits = 16;
constexpr size_t kMostTerms = 4000;
constexpr size_t kNanPatterns = 4;
constexpr int64_t kMostWork = int64_t{1} << 24;  // terms times values

// Operations with one right result, on whatever device.
bool IsExact(Op op) {
  switch (op) {
    case Op::kAnd:
    case Op::kBitcast:
    case Op::kConvertUnsigned:
    case Op::kCountLeadingZeros:
    case Op::kDivideUnsigned:
    case Op::kNot:
    case Op::kOr:
    case Op::kPopcnt:
    case Op::kPower:
    case Op::kPowerUnsigned:
    case Op::kRemainder:
    case Op::kRemainderUnsigned:
    case Op::kShiftLeft:
    case Op::kShiftRightArithmetic:
    case Op::kShiftRightLogical:
    case Op::kXor:
      return true;
    default:
      return terms::IsRoundedOnce(op) || terms::IsTotalComparison(op);
  }
}

bool IsComparison(Term term) {
  return term->kind == Kind::kApply && term->type == PrimitiveType::kPred &&
         terms::IsComparison(term->op());
}

// A term is an integer, a condition (0 or 1), or a scalar.
struct Number {
  Int128 integer = 0;  // modulo 2^128 where it is not exact
  bool exact = true;
  TypedScalar scalar = {};
};

// Two terms over few elements, in an order in which operands come first.
class Program {
 public:
  // Without `same_comparison` comparisons are computed.
  explicit Program(llvm::function_ref<bool(Term, Term)> same_element,
                   llvm::function_ref<bool(Term, Term)> same_comparison = nullptr)
      : same_element_(same_element), same_comparison_(same_comparison) {}

  // These values are leaves, of as many bits as a point has, and operations that are no opcodes are
  // computed too (BeyondOpcodes).
  void SetLeaves(llvm::ArrayRef<Term> leaves) {
    given_leaves_ = leaves;
    for (Term leaf : leaves) {
      const int64_t width = terms::IntegerWidth(leaf->type);
      AddLeaf(leaf, width > 0 ? width : hlo::BitWidth(leaf->type));
    }
  }

  // False where the terms are none that can be tried: with other functions than those that have one
  // right result, if these are of constants and may be `rounded`.
  bool Add(Term root, bool rounded = false) {
    rounded_ = rounded;
    leaves_before_ = leaves_.size();
    struct Visit {
      Term term;
      bool operands_done;
    };
    std::vector<Visit> stack = {{root, false}};
    while (!stack.empty()) {
      auto [term, done] = stack.back();
      stack.pop_back();
      if (place_.contains(term)) continue;
      if (done) {
        place_[term] = order_.size();
        order_.push_back(term);
        functions_.emplace_back();
        const bool computes = term->kind == Kind::kApply && term->op() != Op::kBitcast;
        if (computes && !leaf_of_.contains(term) && !ResolveLast()) return false;
        continue;
      }
      const bool is_given = llvm::is_contained(given_leaves_, term);
      const bool is_comparison = IsLeafComparison(term);
      const bool takes = is_given || (is_comparison ? AddLeaf(term, 1) : Takes(term));
      if (!takes || order_.size() > kMostTerms) return false;
      stack.push_back({term, true});
      if (term->kind == Kind::kLoad || is_comparison || is_given) continue;
      for (Term arg : term->args) stack.push_back({arg, false});
      for (const terms::Monomial& m : term->sum) stack.push_back({m.atom, false});
    }
    return true;
  }

  int64_t bits() const { return bits_; }
  size_t size() const { return order_.size(); }

  // Computes every term where the elements and variables have these bits, one after the other, and
  // computed NaNs those of a pattern. False where an operation has no result.
  bool Run(uint64_t bits, size_t nan_pattern);
  // Whether the bits of a NaN mattered in a run.
  bool saw_nan_bits() const { return saw_nan_bits_; }
  // Whether these bits are values of the variables.
  bool IsInRange(uint64_t bits) const {
    return llvm::all_of(leaves_, [&](const Leaf& leaf) {
      return leaf.term->kind != Kind::kVariable ||
             leaf.term->range.lo + Int128{leaf.Of(bits)} <= leaf.term->range.hi;
    });
  }
  const Number& At(Term term) const { return numbers_[place_.lookup(term)]; }

 private:
  bool Takes(Term term) {
    switch (term->kind) {
      case Kind::kLoad:
        return !hlo::IsComplex(term->type) && AddLeaf(term, hlo::BitWidth(term->type));
      case Kind::kVariable: {
        const Int128 size = term->range.hi - term->range.lo;
        if (term->range.lo < INT64_MIN || size < 0 || size >= Int128{1} << kMostBits) return false;
        return AddLeaf(term, std::bit_width(static_cast<uint64_t>(size)));
      }
      case Kind::kUnknown:
      case Kind::kArbitrary:
      case Kind::kFold:
        return false;
      case Kind::kApply:
        if (hlo::IsComplex(term->type)) return false;
        if (rounded_) return true;
        // A power of floats is rounded by each device in its own way.
        if (term->op() == Op::kPower && terms::IntegerWidth(term->type) == 0) return false;
        return IsExact(term->op()) ||
               (!given_leaves_.empty() && ScalarOperations::BeyondOpcodes(term->op(), term->type));
      default:
        return true;
    }
  }
  // An element or a variable: some of the bits that a run is given.
  struct Leaf {
    Term term;
    int64_t from, width;
    uint64_t Of(uint64_t bits) const { return bits >> from & ((uint64_t{1} << width) - 1); }
  };

  bool IsSameLeaf(size_t k, Term term) const {
    const Term leaf = leaves_[k].term;
    if (leaf->kind != term->kind) return false;
    if (term->kind == Kind::kLoad) return same_element_(leaf, term);
    // One of the first term with one of the second: on one side no form stands for another.
    return term->kind == Kind::kApply && k < leaves_before_ && same_comparison_(leaf, term);
  }

  bool IsLeafComparison(Term term) const {
    return same_comparison_ && IsComparison(term) &&
           !terms::AnyPart(term, [&](Term part) { return part != term && IsComparison(part); });
  }

  bool AddLeaf(Term term, int64_t width) {
    for (size_t k = 0; k < leaves_.size(); ++k) {
      if (leaves_[k].term != term && !IsSameLeaf(k, term)) continue;
      leaf_of_[term] = k;
      return true;
    }
    if (!given_leaves_.empty() && leaves_.size() >= given_leaves_.size()) return false;
    leaf_of_[term] = leaves_.size();
    leaves_.push_back({term, bits_, width});
    bits_ += width;
    return bits_ <= kMostBits || !given_leaves_.empty();
  }
  bool ResolveLast() {
    Term term = order_.back();
    if (!given_leaves_.empty()) {
      functions_.back() = ScalarOperations::BeyondOpcodes(term->op(), term->type);
      if (functions_.back()) return true;
    }
    llvm::SmallVector<PrimitiveType, 3> types;
    for (Term arg : term->args) types.push_back(arg->type);
    auto function = ScalarOperations::Resolve(term->operation, term->type, types);
    if (function) functions_.back() = std::move(*function);
    const bool resolved = static_cast<bool>(function);
    if (!resolved) llvm::consumeError(function.takeError());
    return resolved;
  }
  bool Compute(size_t place, Number& number);
  // The value of the operation that stands there, whose operands are computed.
  TypedScalar OperationAt(size_t place);
  TypedScalar Bits(Term bitcast);
  Int128 Integer(Term term) const { return At(term).integer; }

  uint64_t BitsOfLeaf(Term leaf) const { return leaves_[leaf_of_.lookup(leaf)].Of(given_); }

  llvm::function_ref<bool(Term, Term)> same_element_, same_comparison_;
  llvm::ArrayRef<Term> given_leaves_;
  size_t leaves_before_ = 0;  // of the terms that were added before
  std::vector<Term> order_;
  std::vector<ScalarOperations::Function> functions_;  // of operations, in that order
  std::vector<Leaf> leaves_;
  llvm::DenseMap<Term, size_t> place_, leaf_of_;
  std::vector<Number> numbers_;
  uint64_t given_ = 0;
  size_t nan_pattern_ = 0;
  bool saw_nan_bits_ = false, rounded_ = false;
  int64_t bits_ = 0;
};

// The bits of an element are as they stand in memory; those of a computed NaN are anything.
TypedScalar Program::Bits(Term bitcast) {
  Term arg = bitcast->args[0];
  if (leaf_of_.contains(arg) && arg->type != PrimitiveType::kPred)
    return OfBits(Int128{BitsOfLeaf(arg)}, bitcast->type);
  const TypedScalar& value = At(arg).scalar;
  uint64_t bits = BitsOf(value);
  if (terms::IntegerWidth(arg->type) == 0 && std::isnan(value.value.re)) {
    saw_nan_bits_ = true;
    const uint64_t sign = uint64_t{1} << (hlo::BitWidth(arg->type) - 1);
    // All patterns with ones alone are NaNs, whatever the type.
    if (nan_pattern_ == 1) bits = sign | (sign - 1);
    if (nan_pattern_ == 2) bits = sign - 1;
    if (nan_pattern_ == 3) bits ^= sign;
    if (!std::isnan(hlo::DecodeFloat(arg->type, bits))) bits = BitsOf(value);
  }
  const int width = hlo::BitWidth(bitcast->type);
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  return OfBits(Int128{bits}, bitcast->type);
}

Number Product(const Number& a, const Number& b) {
  Number product{.exact = a.exact && b.exact};
  product.exact &= !__builtin_mul_overflow(a.integer, b.integer, &product.integer);
  return product;
}

TypedScalar Program::OperationAt(size_t place) {
  Term term = order_[place];
  if (term->op() == Op::kBitcast) return Bits(term);
  llvm::SmallVector<TypedScalar, 3> scalars;
  for (Term arg : term->args) scalars.push_back(At(arg).scalar);
  return functions_[place](scalars);
}

bool Program::Compute(size_t place, Number& number) {
  Term term = order_[place];
  const auto args = term->args;
  number = {};
  if (term->kind != Kind::kVariable && leaf_of_.contains(term)) {
    number.scalar = OfBits(Int128{BitsOfLeaf(term)}, term->type);
    return true;
  }
  // What an integer is modulo 2^128 is enough for sums, products and values of a width.
  const bool modular = term->kind == Kind::kSum || term->kind == Kind::kProduct ||
                       term->kind == Kind::kOfInteger || term->kind == Kind::kPick;
  if (!modular && llvm::any_of(args, [&](Term arg) { return !At(arg).exact; })) return false;
  switch (term->kind) {
    case Kind::kSum:
      number.integer = term->number;
      for (const terms::Monomial& m : term->sum) {
        Number product = Product({m.coefficient}, At(m.atom));
        number.exact &= product.exact;
        number.exact &= !__builtin_add_overflow(number.integer, product.integer, &number.integer);
      }
      return true;
    case Kind::kQuotient:
      number.integer = terms::FloorDiv(Integer(args[0]), term->number);
      return true;
    case Kind::kMax:
      number.integer = std::max(Integer(args[0]), Integer(args[1]));
      return true;
    case Kind::kProduct:
      number.integer = 1;
      for (Term arg : args) number = Product(number, At(arg));
      return true;
    case Kind::kPick:
      number = At(args[Integer(args[0]) != 0 ? 1 : 2]);
      return true;
    case Kind::kInteger:
    case Kind::kHolds:
      number.integer = At(args[0]).scalar.value.i;
      return true;
    case Kind::kTrue:
    case Kind::kFalse:
      number.integer = term->kind == Kind::kTrue;
      return true;
    case Kind::kAtLeastZero:
      number.integer = Integer(args[0]) >= 0;
      return true;
    case Kind::kIsZero:
    case Kind::kNot:
      number.integer = Integer(args[0]) == 0;
      return true;
    case Kind::kAnd:
      number.integer = llvm::all_of(args, [&](Term arg) { return Integer(arg) != 0; });
      return true;
    case Kind::kLiteral:
      number.scalar = OfBits(term->number, term->type);
      return true;
    case Kind::kLoad:
      number.scalar = OfBits(Int128{BitsOfLeaf(term)}, term->type);
      return true;
    case Kind::kVariable:
      number.integer = term->range.lo + Int128{BitsOfLeaf(term)};
      return true;
    case Kind::kOfInteger:
      number.scalar = OfInteger(Integer(args[0]), term->type);
      return true;
    case Kind::kOfCondition:
      number.scalar = OfInteger(Integer(args[0]), PrimitiveType::kPred);
      return true;
    case Kind::kSelect:
      number.scalar = At(args[Integer(args[0]) != 0 ? 1 : 2]).scalar;
      return true;
    default:
      break;
  }
  number.scalar = OperationAt(place);
  return true;
}

bool Program::Run(uint64_t bits, size_t nan_pattern) {
  given_ = bits;
  nan_pattern_ = nan_pattern;
  numbers_.resize(order_.size());
  for (size_t k = 0; k < order_.size(); ++k) {
    if (!Compute(k, numbers_[k])) return false;
  }
  return true;
}

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
  Program program(same_element);
  program.SetLeaves(leaves);
  if (!program.Add(a) || !program.Add(b)) return false;
  for (uint64_t point : points) {
    if (!program.Run(point, nan_pattern)) return false;
    if (!see(program.At(a).scalar, program.At(b).scalar)) return true;
  }
  return true;
}

// Whether neither elements nor variables are in the term.
static bool IsConstant(Term root) {
  return !terms::AnyPart(root, [](Term term) {
    return term->kind == Kind::kLoad || term->kind == Kind::kVariable ||
           term->kind == Kind::kUnknown || term->kind == Kind::kArbitrary ||
           term->kind == Kind::kFold;
  });
}

// Whether the program computes the same of both terms at all values of what is in them.
static std::optional<bool> RunAtAllValues(Program& program, Term a, Term b, int64_t& steps) {
  const int64_t values = int64_t{1} << program.bits();
  const int64_t each = program.size();
  if (values * each > kMostWork) return std::nullopt;
  for (size_t pattern = 0; pattern < kNanPatterns; ++pattern) {
    for (int64_t bits = 0; bits < values; ++bits) {
      if (!program.IsInRange(static_cast<uint64_t>(bits))) continue;
      steps -= each;
      if (steps < 0) return std::nullopt;
      if (!program.Run(static_cast<uint64_t>(bits), pattern)) return std::nullopt;
      if (!SameScalar(program.At(a).scalar, program.At(b).scalar)) return false;
    }
    if (!program.saw_nan_bits()) break;
  }
  return true;
}

std::optional<bool> SameAtAllValues(Term a, Term b,
                                    llvm::function_ref<bool(Term load, Term other)> same_element,
                                    int64_t& steps, int64_t most_bits) {
  if (a->sort() != Sort::kValue || b->type != a->type || hlo::IsComplex(a->type))
    return std::nullopt;
  Program program(same_element);
  // Of constants, a compiler computes what the interpreter does.
  if (!program.Add(a) || !program.Add(b, IsConstant(b)) || program.bits() > most_bits)
    return std::nullopt;
  return RunAtAllValues(program, a, b, steps);
}

// Whether all elements in the term are in comparisons, of which there is one.
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
  Program program(no_element, same_comparison);
  return program.Add(a) && program.Add(b) && program.bits() <= kFewBits &&
         RunAtAllValues(program, a, b, steps) == true;
}

}  // namespace affirm::compare
