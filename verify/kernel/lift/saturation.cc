#include "verify/kernel/lift/saturation.h"

#include <cmath>
#include <limits>
#include <optional>

#include "core/hlo/float_format.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::kernel {

namespace {

using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Term;

// A set of floats: NaN, or an interval.
struct Region {
  bool is_nan = false;
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
  bool without_from = false, without_to = false;  // whether the ends are excluded
};

struct Query {
  Term x;  // the float, before any exact widening
  Region region;
};

// Strips exact conversions from narrower floats.
Term Unwidened(Term term) {
  while (term->kind == Kind::kApply && term->op() == Op::kConvert) {
    const hlo::PrimitiveType from = term->args[0]->type, to = term->type;
    const bool exact = hlo::IsFloat(from) && hlo::ByteWidth(from) < hlo::ByteWidth(to) &&
                       (to == hlo::PrimitiveType::kF32 || to == hlo::PrimitiveType::kF64);
    if (!exact) return term;
    term = term->args[0];
  }
  return term;
}

double Nearest(hlo::PrimitiveType type, double number) {
  return hlo::DecodeFloat(type, hlo::EncodeFloat(type, number));
}

// A power of two, or one less, rounded up in a float type; infinity above the largest number.
double RoundedUp(hlo::PrimitiveType type, double number) {
  const double nearest = Nearest(type, number);
  return nearest >= number ? nearest : std::numeric_limits<double>::infinity();
}

// Whether `limit` <= x (or < if strict) for all floats of the region; nullopt if it depends.
std::optional<bool> AtLeast(const Query& q, double limit, bool strict) {
  const Region& region = q.region;
  if (region.is_nan) return false;
  // Only an infinity reaches a limit beyond the type's numbers.
  if (std::isfinite(limit) && !std::isfinite(Nearest(q.x->type, limit))) {
    strict = limit < 0;
    limit = std::copysign(std::numeric_limits<double>::infinity(), limit);
  }
  if (limit < region.from) return true;
  if (limit == region.from && (!strict || region.without_from)) return true;
  if (limit > region.to) return false;
  if (limit == region.to && (strict || region.without_to)) return false;
  return std::nullopt;
}

std::optional<bool> Holds(const Query& q, Term condition) {
  switch (condition->kind) {
    case Kind::kTrue:
      return true;
    case Kind::kFalse:
      return false;
    case Kind::kNot: {
      auto inner = Holds(q, condition->args[0]);
      return inner ? std::optional<bool>(!*inner) : std::nullopt;
    }
    case Kind::kAnd: {
      bool all = true;
      for (Term part : condition->args) {
        auto holds = Holds(q, part);
        if (holds == false) return false;
        all = all && holds.has_value();
      }
      return all ? std::optional<bool>(true) : std::nullopt;
    }
    case Kind::kHolds:
      break;
    default:
      return std::nullopt;
  }
  Term compare = condition->args[0];
  if (compare->kind != Kind::kApply || compare->args.size() != 2) return std::nullopt;
  Term a = Unwidened(compare->args[0]), b = Unwidened(compare->args[1]);
  if (compare->op() == Op::kCompareEq && a == q.x && b == q.x) return !q.region.is_nan;
  bool strict = compare->op() == Op::kCompareLt;
  if (!strict && compare->op() != Op::kCompareLe) return std::nullopt;
  auto number = [](Term literal) {
    return hlo::DecodeFloat(literal->type, static_cast<uint64_t>(literal->number));
  };
  if (a->kind == Kind::kLiteral && b == q.x) return AtLeast(q, number(a), strict);
  if (b->kind == Kind::kLiteral && a == q.x) {
    if (q.region.is_nan) return false;
    // x <= limit is not limit < x.
    auto above = AtLeast(q, number(b), !strict);
    return above ? std::optional<bool>(!*above) : std::nullopt;
  }
  return std::nullopt;
}

// The arm that picks and selects take in the region.
Term Chosen(const Query& q, Term term) {
  while (term->kind == Kind::kPick || term->kind == Kind::kSelect) {
    auto holds = Holds(q, term->args[0]);
    if (!holds) return nullptr;
    term = term->args[*holds ? 1 : 2];
  }
  return term;
}

// Whether the term is a conversion of a float to an integer, saturating or not.
bool IsConversion(Term term) {
  if (term->kind != Kind::kInteger || term->args[0]->kind != Kind::kApply) return false;
  Term apply = term->args[0];
  return terms::IsConversion(apply->op()) && hlo::IsFloat(apply->args[0]->type);
}

// The most nested picks around a conversion. Without a limit, a chain of picks that a loop extends
// would be walked again in each iteration.
constexpr int kMostSaturating = 32;

bool Saturates(Term convert) { return !terms::IsConversionInRange(convert->op()); }

}  // namespace

Term Saturated(terms::Pool& pool, Term choice) {
  // The conversion inside of the picks.
  Term convert = nullptr;
  int choices = 0;
  auto find = [&](auto& self, Term term) -> void {
    if (term->kind == Kind::kPick) {
      if (++choices > kMostSaturating) return;
      self(self, term->args[1]);
      self(self, term->args[2]);
    } else if (IsConversion(term)) {
      convert = term->args[0];
    }
  };
  if (choice->kind != Kind::kPick) return nullptr;
  find(find, choice);
  if (!convert || choices > kMostSaturating) return nullptr;
  Term x = convert->args[0];
  // The operand of a conversion that does not saturate may be clamped by a select as well.
  while (!Saturates(convert) && x->kind == Kind::kSelect)
    x = x->args[1]->kind == Kind::kLiteral ? x->args[2] : x->args[1];
  int64_t width = terms::IntegerWidth(convert->type);
  bool is_unsigned = terms::IsUnsigned(convert->op());
  Int128 lowest = is_unsigned ? 0 : -(Int128{1} << (width - 1)),
         highest = (Int128{1} << (is_unsigned ? width : width - 1)) - 1;
  const Int128 highest_signed = (Int128{1} << (width - 1)) - 1;
  const double below = static_cast<double>(lowest),
               above = std::ldexp(1.0, static_cast<int>(width) - !is_unsigned);
  // Whether the pick has the value of the saturating conversion in the region: the expected number,
  // if it has only one, or the result of a conversion that is defined there.
  auto is_right = [&](const Region& region, std::optional<Int128> expected, bool is_inside) {
    const Query q = {Unwidened(x), region};
    Term value = Chosen(q, choice);
    if (!value) return false;
    const bool converts = IsConversion(value) && value->args[0] == convert;
    if (converts && Saturates(convert)) return true;
    Term operand = converts ? Chosen(q, convert->args[0]) : nullptr;
    if (is_inside && operand == x) return true;
    if (!expected) return false;
    // A constant, as the integer of the conversion has it: signed, since the pick may have more
    // bits than the conversion.
    const bool wraps = *expected > highest_signed;
    if (value->IsNumber())
      return value->number == (wraps ? *expected - 2 * (highest_signed + 1) : *expected);
    // The conversion of a constant. Out of range it is poison.
    if (!operand || operand->kind != Kind::kLiteral) return false;
    const double truncated =
        std::trunc(hlo::DecodeFloat(operand->type, static_cast<uint64_t>(operand->number)));
    return truncated >= below && truncated < above && static_cast<Int128>(truncated) == *expected;
  };
  // The ends of the integer range, rounded in the float type: infinities for f16.
  const hlo::PrimitiveType type = Unwidened(x)->type;
  const double low = -RoundedUp(type, -below), high = RoundedUp(type, above),
               last = RoundedUp(type, static_cast<double>(highest));
  const bool is_right_everywhere =
      is_right({.is_nan = true}, 0, false) && is_right({.to = low}, lowest, false) &&
      is_right({.from = high}, highest, false) &&
      is_right({.from = low, .to = last, .without_from = true, .without_to = true}, std::nullopt,
               true) &&
      // Floats that truncate to the largest integer, if there are any.
      (last == high || is_right({.from = last, .to = high, .without_to = true}, highest, true));
  if (!is_right_everywhere) return nullptr;
  return pool.IntegerOf(
      pool.Apply(is_unsigned ? Op::kConvertUnsigned : Op::kConvert, convert->type, {x}));
}

}  // namespace affirm::kernel
