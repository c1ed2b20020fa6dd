// Inverses of maps between mixed radix numbers.
#include "verify/prover/inverse.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace affirm::prover {
namespace {

// coefficient * ((base floordiv place) mod size), a summand of a result. The base is a variable, or
// a sum of which several results are digits.
struct Digit {
  SymbolicExpr base;
  int64_t coefficient = 1, place = 1;
  int64_t size = 0;  // how many values it has
};
constexpr int64_t kUnknownSize = INT64_MAX / 2;
constexpr int kMostRounds = 4;

std::optional<int64_t> PositiveConstant(SymbolicExpr e) {
  if (!e.IsConstant() || e.value() <= 0) return std::nullopt;
  return e.value();
}

// 16 * x + y floordiv 8 is (128 * x + y) floordiv 8, where y is below 128: the sum and the divisor.
std::pair<SymbolicExpr, int64_t> WithoutQuotients(SymbolicExpr e) {
  auto split = [](SymbolicExpr summand) {
    auto [coefficient, rest] = summand.SplitCoefficient();
    const bool is_quotient = rest.kind() == ExprKind::kFloorDiv && PositiveConstant(rest.op(1));
    return std::tuple(coefficient, is_quotient ? rest.op(0) : rest,
                      is_quotient ? rest.op(1).value() : int64_t{1});
  };
  int64_t place = 1;
  for (SymbolicExpr summand : e.ops()) place = std::max(place, std::get<2>(split(summand)));
  SymbolicExpr sum = e.context()->Constant(e.value()) * place;
  for (SymbolicExpr summand : e.ops()) {
    const auto& [coefficient, base, divisor] = split(summand);
    if (coefficient > kUnknownSize / place || place % divisor != 0) return {e, 1};
    sum = sum + base * (coefficient * (place / divisor));
  }
  return {sum, place};
}

// The digit that e is, without its coefficient.
std::optional<Digit> DigitOf(const IndexingMap& m, SymbolicExpr e, bool is_divided) {
  if (e.IsVariable()) {
    if (e.var_kind() == VarKind::kRuntime) return std::nullopt;
    const Interval bounds = m.vars(e.var_kind())[static_cast<size_t>(e.value())].bounds;
    if (bounds.lower != 0 || !bounds.HasUpper()) return std::nullopt;
    return Digit{e, 1, 1, bounds.upper + 1};
  }
  if (e.kind() == ExprKind::kAdd && is_divided) {
    const auto [sum, place] = WithoutQuotients(e);
    return Digit{sum, 1, place, kUnknownSize};
  }
  if (e.kind() != ExprKind::kFloorDiv && e.kind() != ExprKind::kMod) return std::nullopt;
  auto inner = DigitOf(m, e.op(0), true);
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

// The digits of e, which are all positive or all negative, and the constant.
struct Digits {
  std::vector<Digit> digits;
  int64_t constant = 0;
  bool backwards = false;  // k - x
};
std::optional<Digits> DigitsOf(const IndexingMap& m, SymbolicExpr e) {
  Digits result;
  std::vector<SymbolicExpr> summands = {e};
  if (e.kind() == ExprKind::kAdd) {
    summands.assign(e.ops().begin(), e.ops().end());
    result.constant = e.value();
  }
  result.backwards = summands.front().SplitCoefficient().first < 0;
  result.digits.reserve(summands.size());
  for (SymbolicExpr summand : summands) {
    auto [coefficient, rest] = summand.SplitCoefficient();
    auto digit = DigitOf(m, rest, false);
    if (!digit || (coefficient < 0) != result.backwards || coefficient == INT64_MIN)
      return std::nullopt;
    digit->coefficient = result.backwards ? -coefficient : coefficient;
    result.digits.push_back(*digit);
  }
  return result;
}

}  // namespace

std::optional<std::vector<SymbolicExpr>> InverseOf(const IndexingMap& m) {
  Context& context = *m.context();
  std::vector<SymbolicExpr> values(m.dims().size() + m.ranges().size(), context.Constant(0));
  auto variable_at = [&](SymbolicExpr v) {
    const size_t dims = v.var_kind() == VarKind::kRange ? m.dims().size() : 0;
    return dims + static_cast<size_t>(v.value());
  };
  // The values that are known. Sums of which digits are known come in the next round.
  std::vector<std::pair<SymbolicExpr, SymbolicExpr>> wanted;
  wanted.reserve(m.results().size());
  for (SymbolicExpr e : m.results())
    wanted.emplace_back(e, context.Range(static_cast<int64_t>(wanted.size())));
  for (int round = 0; !wanted.empty(); ++round) {
    if (round == kMostRounds) return std::nullopt;
    // The last digits of a sum may be results of their own, as those of its variables.
    for (auto& [e, target] : wanted) {
      if (round == 0 || e.kind() != ExprKind::kAdd) continue;
      for (SymbolicExpr summand : e.ops()) {
        if (!summand.IsVariable() || summand.var_kind() == VarKind::kRuntime) continue;
        target = target + std::exchange(values[variable_at(summand)], context.Constant(0));
      }
    }
    std::vector<std::pair<SymbolicExpr, SymbolicExpr>> sums;
    for (const auto& [e, target] : wanted) {
      if (e.IsConstant()) continue;
      const auto of = DigitsOf(m, e);
      if (!of) return std::nullopt;
      SymbolicExpr index = target - of->constant;
      if (of->backwards) index = -index;
      int64_t greatest = 0;
      for (const Digit& digit : of->digits) greatest = std::max(greatest, digit.coefficient);
      for (const Digit& digit : of->digits) {
        SymbolicExpr value = index;
        if (digit.coefficient != 1) value = value.FloorDiv(digit.coefficient);
        if (digit.coefficient != greatest) value = value.Mod(digit.size);
        if (digit.base.IsVariable()) {
          SymbolicExpr& sum = values[variable_at(digit.base)];
          sum = sum + value * digit.place;
          continue;
        }
        auto known = llvm::find_if(sums, [&](const auto& sum) { return sum.first == digit.base; });
        if (known == sums.end())
          sums.emplace_back(digit.base, value * digit.place);
        else
          known->second = known->second + value * digit.place;
      }
    }
    wanted = std::move(sums);
  }
  return values;
}

}  // namespace affirm::prover
