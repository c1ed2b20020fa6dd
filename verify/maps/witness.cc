// Solves the results of a map for its range variables: sums like `s0 * 4 + s1` are read as numbers
// in a mixed radix, and pairs like `s0 floordiv 4`, `s0 mod 4` as the digits of one number.
#include "verify/maps/witness.h"

#include <cstdlib>
#include <map>
#include <utility>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// A summand `coefficient * term` of a result; the term depends on range variables that are not
// solved for yet.
struct Summand {
  int64_t coefficient;
  SymbolicExpr term;
};

class WitnessSolver {
 public:
  WitnessSolver(const FlattenedMap& map, llvm::ArrayRef<SymbolicExpr> targets)
      : map_(map), context_(*map.context), solution_(map.num_ranges()) {
    for (size_t i = 0; i < targets.size(); ++i) rows_.push_back({map.results[i], targets[i]});
  }

  std::optional<std::vector<SymbolicExpr>> Solve() {
    while (llvm::is_contained(solution_, SymbolicExpr())) {
      for (Row& row : rows_) row.result = SubstituteRanges(map_, row.result, solution_);
      if (!SolveByRow() && !SolveByDigits()) return std::nullopt;
    }
    return solution_;
  }

 private:
  struct Row {
    SymbolicExpr result, target;
  };

  int64_t Index(SymbolicExpr variable) const { return variable.value() - map_.first_range; }

  // Splits a result into the summands with unsolved range variables and the sum of all others.
  std::pair<std::vector<Summand>, SymbolicExpr> Split(SymbolicExpr e) const {
    std::vector<Summand> unsolved;
    SymbolicExpr rest = context_.Constant(e.kind() == ExprKind::kAdd ? e.value() : 0);
    llvm::ArrayRef<SymbolicExpr> all = e;
    if (e.kind() == ExprKind::kAdd) all = e.ops();
    for (SymbolicExpr s : all) {
      if (!map_.UsesRange(s)) {
        rest = rest + s;
        continue;
      }
      auto [coefficient, term] = s.SplitCoefficient();
      unsolved.push_back({coefficient, term});
    }
    return {std::move(unsolved), rest};
  }

  // A row in which every summand is a bare variable: digits of a mixed-radix number, largest weight
  // first.
  bool SolveByRow() {
    for (const Row& row : rows_) {
      auto [summands, rest] = Split(row.result);
      bool bare = !summands.empty() && llvm::all_of(summands, [&](const Summand& p) {
        return p.term.IsVariable() && p.coefficient != kInt64Min;
      });
      if (!bare) continue;
      llvm::sort(summands, [](const Summand& a, const Summand& b) {
        int64_t x = std::abs(a.coefficient), y = std::abs(b.coefficient);
        return x != y ? x > y : a.term.value() < b.term.value();
      });
      SymbolicExpr left = row.target - rest;
      // Digits count from the end of the variable that makes the weight positive.
      auto base = [&](const Summand& p) {
        Interval bounds = map_.ranges[Index(p.term)];
        return p.coefficient > 0 ? bounds.lower : bounds.upper;
      };
      if (summands.size() > 1) {
        for (const Summand& p : summands) left = left - context_.Constant(base(p)) * p.coefficient;
      }
      for (const Summand& p : summands) {
        int64_t weight = std::abs(p.coefficient);
        SymbolicExpr digit = left.FloorDiv(weight);
        left = left.Mod(weight);
        if (p.coefficient < 0) digit = -digit;
        if (summands.size() > 1) digit = digit + base(p);
        if (!digit) return false;
        solution_[Index(p.term)] = digit;
      }
      return true;
    }
    return false;
  }

  // Rows that are numbers whose digits are those of variables: a variable t that appears as
  // t floordiv p, t mod m or (t floordiv p) mod m is the sum of p * digit. In
  //
  //   (th floordiv 32 + (bl floordiv 4) * 8, th mod 32 + (bl mod 4) * 32)
  //
  // th is (row 0 mod 8) * 32 + row 1 mod 32, and bl is (row 0 floordiv 8) * 4 + row 1 floordiv 32.
  bool SolveByDigits() {
    std::map<int64_t, std::map<int64_t, SymbolicExpr>> digits;  // by variable and weight in it
    for (const Row& row : rows_) AddDigits(row, digits);
    for (const auto& [variable, by_weight] : digits) {
      SymbolicExpr sum = context_.Constant(0);
      for (const auto& [weight, digit] : by_weight) sum = sum + digit * weight;
      if (!sum) return false;
      solution_[variable] = sum;
    }
    return !digits.empty();
  }

  void AddDigits(const Row& row, std::map<int64_t, std::map<int64_t, SymbolicExpr>>& digits) const {
    auto [summands, rest] = Split(row.result);
    for (const Summand& summand : summands) {
      const bool counts = summand.coefficient > 0 || summands.size() == 1;
      if (!counts || summand.coefficient == kInt64Min || !DigitOf(summand.term)) return;
    }
    llvm::stable_sort(
        summands, [](const Summand& a, const Summand& b) { return a.coefficient > b.coefficient; });
    SymbolicExpr left = row.target - rest;
    for (const Summand& summand : summands) {
      const Digit digit = *DigitOf(summand.term);
      digits[digit.variable].try_emplace(digit.weight, left.FloorDiv(summand.coefficient));
      left = left.Mod(summand.coefficient);
    }
  }

  struct Digit {
    int64_t variable, weight;
  };
  std::optional<Digit> DigitOf(SymbolicExpr e) const {
    if (e.kind() == ExprKind::kMod && e.op(1).IsConstant()) e = e.op(0);
    int64_t weight = 1;
    if (e.kind() == ExprKind::kFloorDiv && e.op(1).IsConstant() && e.op(1).value() > 0) {
      weight = e.op(1).value();
      e = e.op(0);
    }
    if (!e.IsVariable() || !map_.IsRange(e.value())) return std::nullopt;
    return Digit{Index(e), weight};
  }

  const FlattenedMap& map_;
  Context& context_;
  std::vector<SymbolicExpr> solution_;
  std::vector<Row> rows_;
};

}  // namespace

SymbolicExpr SubstituteRanges(const FlattenedMap& map, SymbolicExpr e,
                              llvm::ArrayRef<SymbolicExpr> values) {
  return e.Substitute([&](VarKind, int64_t k) {
    return map.IsRange(k) ? values[k - map.first_range] : SymbolicExpr();
  });
}

std::optional<std::vector<SymbolicExpr>> FindWitness(const FlattenedMap& map,
                                                     llvm::ArrayRef<SymbolicExpr> targets) {
  if (targets.size() != map.results.size()) return std::nullopt;
  return WitnessSolver(map, targets).Solve();
}

}  // namespace affirm
