// Chooses the multiples by the widths of the terms' ranges.
#include "core/simplify/nearest_multiples.h"

#include <algorithm>

#include "core/symbolic/checked.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

bool IsName(const Term& t, int metavariable) {
  return t.kind == TermKind::kMetavariable && t.metavariable == metavariable;
}

// Whether the condition says `range(y) within [0, m - 1]`.
bool BoundsTheRest(const Condition& c, int y, int m) {
  auto is_number = [](const Term& t, int64_t n) {
    return t.kind == TermKind::kNumber && t.number == n;
  };
  const Term& upper = c.upper;
  return c.kind == ConditionKind::kWithin && !c.lower_infinite && !c.upper_infinite &&
         IsName(c.lhs, y) && is_number(c.lower, 0) && upper.kind == TermKind::kAdd &&
         upper.ops.size() == 2 && IsName(upper.ops[0], m) && is_number(upper.ops[1], -1);
}

// A term c * atom where the coefficient is r, which is c less a multiple of m.
struct Part {
  int64_t residue = 0;
  Interval atom;
  int128 width() const { return int128{atom.upper} - atom.lower; }
  // The least value of the part, and how many more there are.
  int128 least() const { return int128{residue} * (residue > 0 ? atom.lower : atom.upper); }
  int128 span() const { return (residue > 0 ? int128{residue} : -int128{residue}) * width(); }
};

// The residue of c that is nearest to 0: in [-m / 2, m / 2], and c itself where it is in there.
int64_t NearestResidue(int64_t c, int64_t m) {
  int64_t r = ModUnchecked<int64_t>(c, m), other = r - m;
  if (r == -other) return c < 0 ? other : r;
  return r < -other ? r : other;
}

}  // namespace

std::optional<NearestSplit> FindNearestSplit(const Rule& rule) {
  const Term& lhs = rule.lhs;
  bool divides = lhs.kind == TermKind::kMod || lhs.kind == TermKind::kFloorDiv;
  if (rule.is_constraint_rule || !divides || lhs.ops[0].kind != TermKind::kAdd) return std::nullopt;
  auto is_name = [&](const Term& t, bool is_expr) {
    return t.kind == TermKind::kMetavariable &&
           rule.metavariables[t.metavariable].is_expr == is_expr;
  };
  const std::vector<Term>& sum = lhs.ops[0].ops;
  if (!is_name(lhs.ops[1], false) || sum.size() != 2) return std::nullopt;
  const int m = lhs.ops[1].metavariable;
  for (size_t i : {0, 1}) {
    const Term &multiple = sum[i], &rest = sum[1 - i];
    bool found = multiple.kind == TermKind::kMul && multiple.ops.size() == 2 &&
                 IsName(multiple.ops[0], m) && is_name(multiple.ops[1], true) &&
                 is_name(rest, true) && !(rest == multiple.ops[1]);
    if (!found) continue;
    NearestSplit split{multiple.ops[1].metavariable, rest.metavariable};
    auto bounds = [&](const Condition& c) { return BoundsTheRest(c, split.rest, m); };
    if (llvm::any_of(rule.when, bounds)) return split;
  }
  return std::nullopt;
}

bool SpansLessThan(llvm::ArrayRef<SymbolicExpr> terms, int64_t m, RangeAnalysis& ranges) {
  uint64_t left = m - 1;
  for (SymbolicExpr t : terms) {
    auto [c, atom] = t.SplitCoefficient();
    Interval r = ranges.Of(atom);
    if (!r.IsBounded() || r.IsEmpty()) return false;
    uint64_t width = static_cast<uint64_t>(r.upper) - static_cast<uint64_t>(r.lower);
    uint64_t residue = c < 0 ? -static_cast<uint64_t>(c) : c;
    if (residue >= static_cast<uint64_t>(m)) {
      // Narrow divisions are quicker.
      residue =
          residue >> 32 ? residue % m : static_cast<uint32_t>(residue) % static_cast<uint32_t>(m);
    }
    residue = std::min(residue, m - residue);
    uint64_t span;
    if (__builtin_mul_overflow(residue, width, &span) || span > left) return false;
    left -= span;
  }
  return true;
}

bool ChooseNearestMultiples(llvm::ArrayRef<SymbolicExpr> terms, int64_t constant, int64_t m,
                            RangeAnalysis& ranges, NearestMultiples& out) {
  auto has_multiple = [m](SymbolicExpr t) { return HasNearMultiple(CoefficientOf(t), m); };
  if (constant == 0 && llvm::none_of(terms, has_multiple)) return false;
  llvm::SmallVector<Part, 8> parts;
  int128 least = 0, span = 0;
  for (SymbolicExpr t : terms) {
    if (t.IsConstant()) return false;
    auto [c, atom] = t.SplitCoefficient();
    Part part{NearestResidue(c, m), ranges.Of(atom)};
    if (!part.atom.IsBounded() || part.atom.IsEmpty()) return false;
    span += part.span();
    least += part.least();
    if (span >= m || !Narrow(least)) return false;
    parts.push_back(part);
  }
  auto fits = [&](int128 low, int128 width) {
    return width < m && ModUnchecked<int128>(low + constant, m) + width < m;
  };
  // With a rest over less than m values, only a term of two values has another multiple of m that
  // could leave so few; and only one of them, as two such terms would span m.
  for (size_t i = 0; !fits(least, span); ++i) {
    if (i == parts.size()) return false;
    Part flipped = parts[i];
    if (flipped.width() != 1 || flipped.residue == 0) continue;
    flipped.residue -= flipped.residue > 0 ? m : -m;
    int128 low = least - parts[i].least() + flipped.least();
    int128 width = span - parts[i].span() + flipped.span();
    if (!fits(low, width)) continue;
    parts[i] = flipped;
    least = low;
    span = width;
  }
  // The rest keeps so much of the constant that it starts in [0, m - 1].
  auto kept = Narrow(ModUnchecked<int128>(least + constant, m) - least);
  auto moved = kept ? CheckedSub(constant, *kept) : std::nullopt;
  if (!moved) return false;
  out.constant = *moved / m;
  out.quotients.clear();
  for (size_t i = 0; i < terms.size(); ++i) {
    int128 multiple = int128{terms[i].SplitCoefficient().first} - parts[i].residue;
    out.quotients.push_back(static_cast<int64_t>(multiple / m));
  }
  return true;
}

}  // namespace affirm
