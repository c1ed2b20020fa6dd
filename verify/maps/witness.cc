// Solves the results of a map for its range variables: sums like `s0 * 4 + s1` are read as numbers
// in a mixed radix, and pairs like `s0 floordiv 4`, `s0 mod 4` as the digits of one number.
#include "verify/maps/witness.h"

#include <algorithm>
#include <cstdlib>
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

  // A variable t that appears as t floordiv p, t mod m or (t floordiv p) mod m, each alone in a
  // row: t is the sum of p * digit.
  bool SolveByDigits() {
    for (int64_t k = 0; k < map_.num_ranges(); ++k) {
      if (solution_[k]) continue;
      SymbolicExpr variable = context_.Dim(map_.first_range + k);
      SymbolicExpr sum = context_.Constant(0);
      std::vector<int64_t> weights;
      for (const Row& row : rows_) {
        auto [summands, rest] = Split(row.result);
        if (summands.size() != 1) continue;
        std::optional<int64_t> weight = DigitWeight(summands[0].term, variable);
        if (!weight || llvm::is_contained(weights, *weight)) continue;
        weights.push_back(*weight);
        sum = sum + (row.target - rest).FloorDiv(summands[0].coefficient) * *weight;
      }
      if (weights.empty() || !sum) continue;
      solution_[k] = sum;
      return true;
    }
    return false;
  }

  static std::optional<int64_t> DigitWeight(SymbolicExpr e, SymbolicExpr variable) {
    if (e.kind() == ExprKind::kMod && e.op(1).IsConstant()) e = e.op(0);
    if (e == variable) return 1;
    bool quotient = e.kind() == ExprKind::kFloorDiv && e.op(0) == variable &&
                    e.op(1).IsConstant() && e.op(1).value() > 0;
    return quotient ? std::optional<int64_t>(e.op(1).value()) : std::nullopt;
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
