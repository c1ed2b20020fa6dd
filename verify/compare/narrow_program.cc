#include "verify/compare/narrow_program.h"

#include <cmath>

#include "core/hlo/float_format.h"
#include "verify/terms/machine.h"
#include "verify/terms/range.h"

namespace affirm::compare {

using hlo::PrimitiveType;
using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

constexpr int64_t kMostBits = 16;
constexpr size_t kMostTerms = 4000;

// Operations whose result is the same on every device.
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

}  // namespace

bool IsComparison(Term term) {
  return term->kind == Kind::kApply && term->type == PrimitiveType::kPred &&
         terms::IsComparison(term->op());
}

bool NarrowProgram::Add(Term root, bool rounded) {
  rounded_ = rounded;
  leaves_before_ = leaves_.size();
  size_before_ = order_.size();
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

bool NarrowProgram::Takes(Term term) {
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
      // pow of floats is not correctly rounded, so devices differ.
      if (term->op() == Op::kPower && terms::IntegerWidth(term->type) == 0) return false;
      return IsExact(term->op()) ||
             (!given_leaves_.empty() && ScalarOperations::BeyondOpcodes(term->op(), term->type));
    default:
      return true;
  }
}

bool NarrowProgram::IsLeafComparison(Term term) const {
  return same_comparison_ && IsComparison(term) &&
         !terms::AnyPart(term, [&](Term part) { return part != term && IsComparison(part); });
}

bool NarrowProgram::AddLeaf(Term term, int64_t width) {
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

bool NarrowProgram::ResolveLast() {
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

Term NarrowProgram::Chosen(Term value) const {
  while (value->kind == Kind::kSelect && !leaf_of_.contains(value))
    value = value->args[Integer(value->args[0]) != 0 ? 1 : 2];
  return value;
}

uint64_t NarrowProgram::BitsOfNan(size_t place, Term nan, uint64_t bits) {
  auto& seen = seen_nans_[place < size_before_ ? 0 : 1];
  const auto at = llvm::find(seen, nan);
  const size_t pattern =
      at == seen.begin() ? nan_pattern_ % kNanPatterns : nan_pattern_ / kNanPatterns;
  if (at == seen.end()) seen.push_back(nan);
  most_nans_ = std::max(most_nans_, seen.size());
  const uint64_t sign = uint64_t{1} << (hlo::BitWidth(nan->type) - 1);
  uint64_t other = bits;
  // Ones in exponent and mantissa are a NaN in most float types; the others keep `bits`.
  if (pattern == 1) other = sign | (sign - 1);
  if (pattern == 2) other = sign - 1;
  if (pattern == 3) other ^= sign;
  return std::isnan(hlo::DecodeFloat(nan->type, other)) ? other : bits;
}

// A bitcast: the bits of an element are those in memory, and those of a computed NaN are arbitrary.
TypedScalar NarrowProgram::Bits(size_t place) {
  const PrimitiveType type = order_[place]->type;
  Term arg = Chosen(order_[place]->args[0]);
  if (leaf_of_.contains(arg) && arg->type != PrimitiveType::kPred)
    return OfBits(Int128{BitsOfLeaf(arg)}, type);
  if (arg->kind == Kind::kLiteral) return OfBits(arg->number, type);
  const TypedScalar& value = At(arg).scalar;
  uint64_t bits = BitsOf(value);
  if (terms::IntegerWidth(arg->type) == 0 && std::isnan(value.value.re))
    bits = BitsOfNan(place, arg, bits);
  const int width = hlo::BitWidth(type);
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  return OfBits(Int128{bits}, type);
}

namespace {

TermNumber Product(const TermNumber& a, const TermNumber& b) {
  TermNumber product{.exact = a.exact && b.exact};
  product.exact &= !__builtin_mul_overflow(a.integer, b.integer, &product.integer);
  return product;
}

}  // namespace

TypedScalar NarrowProgram::OperationAt(size_t place) {
  Term term = order_[place];
  if (term->op() == Op::kBitcast) return Bits(place);
  llvm::SmallVector<TypedScalar, 3> scalars;
  for (Term arg : term->args) scalars.push_back(At(arg).scalar);
  return functions_[place](scalars);
}

bool NarrowProgram::Compute(size_t place, TermNumber& number) {
  Term term = order_[place];
  const auto args = term->args;
  number = {};
  if (term->kind != Kind::kVariable && leaf_of_.contains(term)) {
    number.scalar = OfBits(Int128{BitsOfLeaf(term)}, term->type);
    return true;
  }
  // Sums, products and truncations need their operands modulo 2^128 alone.
  const bool modular = term->kind == Kind::kSum || term->kind == Kind::kProduct ||
                       term->kind == Kind::kOfInteger || term->kind == Kind::kPick;
  if (!modular && llvm::any_of(args, [&](Term arg) { return !At(arg).exact; })) return false;
  switch (term->kind) {
    case Kind::kSum:
      number.integer = term->number;
      for (const terms::Monomial& m : term->sum) {
        TermNumber product = Product({m.coefficient}, At(m.atom));
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

bool NarrowProgram::Run(uint64_t bits, size_t nan_pattern) {
  given_ = bits;
  nan_pattern_ = nan_pattern;
  for (auto& seen : seen_nans_) seen.clear();
  numbers_.resize(order_.size());
  for (size_t k = 0; k < order_.size(); ++k) {
    if (!Compute(k, numbers_[k])) return false;
  }
  return true;
}

}  // namespace affirm::compare
