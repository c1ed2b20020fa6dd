#include "verify/kernel/lift/saturation.h"

#include <cmath>
#include <optional>

#include "core/hlo/float_format.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::kernel {

namespace {

using terms::Int128;
using terms::Kind;
using terms::Term;

// Where the float may be: the regions of its values, and what each comparison is there.
enum class Region : uint8_t { kNan, kAbove, kBelow, kInside };

struct Query {
  Term x;            // the float
  double low, high;  // kBelow: x <= low; kAbove: x >= high
  Region region;
};

// Whether `limit` <= x (or <, where strict) in the region; nullopt where that is not one answer.
std::optional<bool> AtLeast(const Query& q, double limit, bool strict) {
  switch (q.region) {
    case Region::kNan:
      return false;
    case Region::kAbove:
      if (strict ? limit < q.high : limit <= q.high) return true;
      return std::nullopt;
    case Region::kBelow:
      if (strict ? limit >= q.low : limit > q.low) return false;
      return std::nullopt;
    case Region::kInside:
      if (limit <= q.low) return true;
      if (limit >= q.high) return false;
      return std::nullopt;
  }
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
  Term a = compare->args[0], b = compare->args[1];
  if (compare->name == "compare-EQ" && a == q.x && b == q.x) return q.region != Region::kNan;
  bool strict = compare->name == "compare-LT";
  if (!strict && compare->name != "compare-LE") return std::nullopt;
  auto number = [](Term literal) {
    return hlo::DecodeFloat(literal->type, static_cast<uint64_t>(literal->number));
  };
  if (a->kind == Kind::kLiteral && b == q.x) return AtLeast(q, number(a), strict);
  if (b->kind == Kind::kLiteral && a == q.x) {
    if (q.region == Region::kNan) return false;
    // x <= limit is not limit < x.
    auto above = AtLeast(q, number(b), !strict);
    return above ? std::optional<bool>(!*above) : std::nullopt;
  }
  return std::nullopt;
}

// The term without choices, in the region.
Term Chosen(const Query& q, Term term) {
  while (term->kind == Kind::kPick || term->kind == Kind::kSelect) {
    auto holds = Holds(q, term->args[0]);
    if (!holds) return nullptr;
    term = term->args[*holds ? 1 : 2];
  }
  return term;
}

// A conversion of a float to an integer, of which nothing is said beyond the integer's range, or
// which saturates.
bool IsConversion(Term term) {
  if (term->kind != Kind::kInteger || term->args[0]->kind != Kind::kApply) return false;
  Term apply = term->args[0];
  return apply->name.starts_with("convert") && hlo::IsFloat(apply->args[0]->type);
}

// More choices inside each other are not those of one conversion. Without a limit, a chain that a
// loop makes longer with each iteration would be walked again and again.
constexpr int kMostSaturating = 32;

bool Saturates(Term convert) { return !convert->name.starts_with("convert-in-range"); }

}  // namespace

Term Saturated(terms::Pool& pool, Term choice) {
  // The conversion that the choices end in.
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
  // The operand of one that does not saturate may be chosen as well: a number where the float is
  // beyond.
  while (!Saturates(convert) && x->kind == Kind::kSelect)
    x = x->args[1]->kind == Kind::kLiteral ? x->args[2] : x->args[1];
  int64_t width = terms::IntegerWidth(convert->type);
  bool is_unsigned = convert->name.ends_with("-unsigned");
  Int128 lowest = is_unsigned ? 0 : -(Int128{1} << (width - 1)),
         highest = (Int128{1} << (is_unsigned ? width : width - 1)) - 1;
  Query q = {x, static_cast<double>(lowest),
             std::ldexp(1.0, static_cast<int>(width) - !is_unsigned), Region::kInside};
  for (Region region : {Region::kNan, Region::kAbove, Region::kBelow, Region::kInside}) {
    q.region = region;
    Term value = Chosen(q, choice);
    if (!value) return nullptr;
    const bool converts = IsConversion(value) && value->args[0] == convert;
    if (converts && Saturates(convert)) continue;
    if (region == Region::kInside) {
      if (!converts) return nullptr;
      if (Chosen(q, convert->args[0]) != x) return nullptr;
      continue;
    }
    Int128 expected = region == Region::kNan ? 0 : region == Region::kAbove ? highest : lowest;
    // A number, or the conversion of one that is chosen there.
    std::optional<Int128> number;
    if (value->IsNumber()) number = value->number;
    if (converts) {
      Term operand = Chosen(q, convert->args[0]);
      if (operand && operand->kind == Kind::kLiteral) {
        const double truncated =
            std::trunc(hlo::DecodeFloat(operand->type, static_cast<uint64_t>(operand->number)));
        // Beyond the range it is poison.
        if (truncated >= q.low && truncated < q.high) number = static_cast<Int128>(truncated);
      }
    }
    // Integers are congruent modulo 2^width.
    Int128 modulus = Int128{1} << width;
    if (!number || (*number - expected) % modulus != 0) return nullptr;
  }
  return pool.IntegerOf(
      pool.Apply(is_unsigned ? "convert-unsigned" : "convert", convert->type, {x}));
}

}  // namespace affirm::kernel
