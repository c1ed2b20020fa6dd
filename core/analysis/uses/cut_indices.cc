// Writes constraints as cuts of sums of variables, and the results with these sums as variables.
#include "core/analysis/uses/cut_indices.h"

#include <numeric>

#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

// A sum: multiples of variables that move, and what is fixed.
struct LinearForm {
  std::vector<std::pair<SymbolicExpr, int64_t>> terms;
  SymbolicExpr fixed;
};

std::vector<SymbolicExpr> TermsOf(SymbolicExpr e) {
  if (e.kind() == ExprKind::kAdd) return {e.ops().begin(), e.ops().end()};
  return {e};
}

std::optional<LinearForm> LinearOf(SymbolicExpr e) {
  LinearForm form{{}, e};
  for (SymbolicExpr term : TermsOf(e)) {
    if (!Moves(term)) continue;
    auto [coefficient, variable] = term.SplitCoefficient();
    if (!variable.IsVariable() || coefficient == kInt64Min) return std::nullopt;
    form.terms.push_back({variable, coefficient});
    form.fixed = form.fixed - term;
  }
  return form;
}

// The cut of an index that a constraint on factor * index + fixed implies.
struct ConstrainedIndex {
  SymbolicExpr index;
  IndexCut cut;
};

std::optional<ConstrainedIndex> Bounded(const LinearForm& form, SymbolicExpr index, int64_t factor,
                                        Interval bounds) {
  Context& context = *index.context();
  // least <= |factor| * index <= most
  SymbolicExpr least, most;
  if (bounds.HasLower()) least = context.Constant(bounds.lower) - form.fixed;
  if (bounds.HasUpper()) most = context.Constant(bounds.upper) - form.fixed;
  if (factor < 0) {
    std::swap(least, most);
    if (least) least = -least;
    if (most) most = -most;
  }
  const int64_t by = std::abs(factor);
  ConstrainedIndex out{index, {}};
  if (least) out.cut.lower = (least + (by - 1)).FloorDiv(by);
  if (most) out.cut.upper = most.FloorDiv(by);
  // An end that leaves 64 bits is none that is left out.
  const bool has_lower = factor < 0 ? bounds.HasUpper() : bounds.HasLower();
  const bool has_upper = factor < 0 ? bounds.HasLower() : bounds.HasUpper();
  const bool known = bool(out.cut.lower) == has_lower && bool(out.cut.upper) == has_upper;
  return known ? std::optional(out) : std::nullopt;
}

std::optional<ConstrainedIndex> ConstrainedBy(const Constraint& c) {
  const bool residue = c.expr.kind() == ExprKind::kMod && c.expr.op(1).IsConstant();
  std::optional<LinearForm> form = LinearOf(residue ? c.expr.op(0) : c.expr);
  if (!form || form->terms.empty()) return std::nullopt;
  int64_t factor = 0;
  for (const auto& [variable, coefficient] : form->terms) factor = std::gcd(factor, coefficient);
  if (form->terms.front().second < 0) factor = -factor;
  SymbolicExpr index = form->fixed.context()->Constant(0);
  for (const auto& [variable, coefficient] : form->terms)
    index = index + variable * (coefficient / factor);
  if (!residue) return Bounded(*form, index, factor, c.bounds);
  // factor * index + fixed == value (mod m)
  if (c.bounds.lower != c.bounds.upper || std::abs(factor) != 1) return std::nullopt;
  SymbolicExpr rest = form->fixed.context()->Constant(c.bounds.lower) - form->fixed;
  if (!rest || !-rest) return std::nullopt;
  return ConstrainedIndex{index, {factor > 0 ? rest : -rest, {}, c.expr.op(1).value()}};
}

bool SharesVariable(SymbolicExpr a, SymbolicExpr b) {
  bool shares = false;
  a.Walk([&](SymbolicExpr part) {
    shares = shares || (part.IsVariable() && part.var_kind() != VarKind::kRuntime &&
                        b.Uses(part.var_kind(), part.value()));
  });
  return shares;
}

// Writes expressions with the variables that stand for indices.
class Rewriter {
 public:
  Rewriter(Context& context, int64_t first, const std::vector<CutIndex>& indices)
      : context_(context), first_(first), indices_(indices) {}

  // Null where a variable of an index stands in it otherwise than by that index.
  SymbolicExpr operator()(SymbolicExpr e) const {
    const bool meets =
        llvm::any_of(indices_, [&](const CutIndex& cut) { return SharesVariable(cut.index, e); });
    if (!meets) return e;
    const bool divides = e.kind() == ExprKind::kFloorDiv || e.kind() == ExprKind::kMod;
    if (divides && e.op(1).IsConstant()) {
      SymbolicExpr of = (*this)(e.op(0));
      if (!of) return {};
      const int64_t by = e.op(1).value();
      return e.kind() == ExprKind::kMod ? of.Mod(by) : of.FloorDiv(by);
    }
    return OfSum(e);
  }

 private:
  SymbolicExpr OfSum(SymbolicExpr e) const {
    SymbolicExpr linear = e, rest = context_.Constant(0);
    for (SymbolicExpr term : TermsOf(e)) {
      auto [coefficient, of] = term.SplitCoefficient();
      if (!Moves(term) || of.IsVariable()) continue;
      if (of == e) return {};  // no sum, quotient or residue
      SymbolicExpr written = (*this)(of);
      if (!written) return {};
      linear = linear - term;
      rest = rest + written * coefficient;
    }
    for (const auto& [k, cut] : llvm::enumerate(indices_)) {
      const auto [leading, leading_factor] = FirstTerm(cut.index);
      int64_t factor = 0;
      for (SymbolicExpr term : TermsOf(linear)) {
        auto [coefficient, variable] = term.SplitCoefficient();
        if (variable == leading) factor = coefficient;
      }
      if (factor % leading_factor != 0) return {};
      factor /= leading_factor;
      linear = linear - cut.index * factor;
      rest = rest + context_.Range(first_ + static_cast<int64_t>(k)) * factor;
      if (SharesVariable(cut.index, linear)) return {};
    }
    return linear + rest;
  }

  static std::pair<SymbolicExpr, int64_t> FirstTerm(SymbolicExpr index) {
    auto [coefficient, variable] = TermsOf(index).front().SplitCoefficient();
    return {variable, coefficient};
  }

  Context& context_;
  int64_t first_;
  const std::vector<CutIndex>& indices_;
};

}  // namespace

std::optional<CutMap> CutByConstraints(const IndexingMap& map) {
  Context& context = *map.context();
  CutMap out;
  out.first = std::ssize(map.ranges());
  for (const Constraint& c : map.constraints()) {
    if (!Moves(c.expr)) {
      out.fixed.push_back(c);
      continue;
    }
    std::optional<ConstrainedIndex> constrained = ConstrainedBy(c);
    if (!constrained) return std::nullopt;
    auto known = llvm::find_if(
        out.indices, [&](const CutIndex& cut) { return cut.index == constrained->index; });
    if (known == out.indices.end()) {
      for (const CutIndex& other : out.indices) {
        if (SharesVariable(other.index, constrained->index)) return std::nullopt;
      }
      known = out.indices.insert(known, CutIndex{constrained->index, {}});
    }
    known->cuts.push_back(constrained->cut);
  }
  const Rewriter write(context, out.first, out.indices);
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) {
    results.push_back(write(e));
    if (!results.back()) return std::nullopt;
  }
  std::vector<Variable> ranges = map.ranges();
  for (CutIndex& cut : out.indices) {
    llvm::stable_sort(cut.cuts, [](const IndexCut& a, const IndexCut& b) {
      return a.modulus.has_value() < b.modulus.has_value();
    });
    ranges.push_back({map.RangeOf(cut.index), "", std::nullopt});
  }
  out.map = IndexingMap(context, results, map.dims(), std::move(ranges), map.runtime());
  return out;
}

}  // namespace affirm::analysis
