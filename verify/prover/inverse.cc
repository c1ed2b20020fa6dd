// Inverses of maps between mixed radix numbers.
#include "verify/prover/inverse.h"

#include <algorithm>
#include <cstdint>

namespace affirm::prover {
namespace {

// coefficient * ((variable floordiv place) mod size), a summand of a result.
struct Digit {
  SymbolicExpr variable;
  int64_t coefficient = 1, place = 1;
  int64_t size = 0;  // how many values it has
};

std::optional<int64_t> PositiveConstant(SymbolicExpr e) {
  if (!e.IsConstant() || e.value() <= 0) return std::nullopt;
  return e.value();
}

// The digit that e is, without its coefficient.
std::optional<Digit> DigitOf(const IndexingMap& m, SymbolicExpr e) {
  if (e.IsVariable()) {
    if (e.var_kind() == VarKind::kRuntime) return std::nullopt;
    const Interval bounds = m.vars(e.var_kind())[static_cast<size_t>(e.value())].bounds;
    if (bounds.lower != 0 || !bounds.HasUpper()) return std::nullopt;
    return Digit{e, 1, 1, bounds.upper + 1};
  }
  if (e.kind() != ExprKind::kFloorDiv && e.kind() != ExprKind::kMod) return std::nullopt;
  auto inner = DigitOf(m, e.op(0));
  auto by = PositiveConstant(e.op(1));
  if (!inner || !by) return std::nullopt;
  if (e.kind() == ExprKind::kMod) {
    inner->size = std::min(inner->size, *by);
  } else {
    inner->place *= *by;
    inner->size = (inner->size - 1) / *by + 1;
  }
  return inner;
}

}  // namespace

std::optional<std::vector<SymbolicExpr>> InverseOf(const IndexingMap& m) {
  Context& context = *m.context();
  std::vector<SymbolicExpr> values(m.dims().size() + m.ranges().size(), context.Constant(0));
  auto variable_at = [&](SymbolicExpr v) {
    const size_t dims = v.var_kind() == VarKind::kRange ? m.dims().size() : 0;
    return dims + static_cast<size_t>(v.value());
  };
  for (size_t k = 0; k < m.results().size(); ++k) {
    SymbolicExpr e = m.results()[k];
    std::vector<SymbolicExpr> summands = {e};
    int64_t constant = 0;
    if (e.kind() == ExprKind::kAdd) {
      summands.assign(e.ops().begin(), e.ops().end());
      constant = e.value();
    } else if (e.IsConstant()) {
      continue;
    }
    // k - x is read backwards.
    const bool backwards = summands.front().SplitCoefficient().first < 0;
    std::vector<Digit> digits;
    for (SymbolicExpr summand : summands) {
      auto [coefficient, rest] = summand.SplitCoefficient();
      auto digit = DigitOf(m, rest);
      if (!digit || (coefficient < 0) != backwards || coefficient == INT64_MIN) return std::nullopt;
      digit->coefficient = backwards ? -coefficient : coefficient;
      digits.push_back(*digit);
    }
    SymbolicExpr index = context.Range(static_cast<int64_t>(k)) - constant;
    if (backwards) index = -index;
    int64_t greatest = 0;
    for (const Digit& digit : digits) greatest = std::max(greatest, digit.coefficient);
    for (const Digit& digit : digits) {
      SymbolicExpr value = index;
      if (digit.coefficient != 1) value = value.FloorDiv(digit.coefficient);
      if (digit.coefficient != greatest) value = value.Mod(digit.size);
      SymbolicExpr& sum = values[variable_at(digit.variable)];
      sum = sum + value * digit.place;
    }
  }
  return values;
}

}  // namespace affirm::prover
