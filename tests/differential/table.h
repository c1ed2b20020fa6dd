// Maps as tables in integers of any size, by an evaluation of their own.
#ifndef AFFIRM_TESTS_DIFFERENTIAL_TABLE_H_
#define AFFIRM_TESTS_DIFFERENTIAL_TABLE_H_

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/DynamicAPInt.h"

namespace affirm {

using Number = llvm::DynamicAPInt;
using Numbers = std::vector<Number>;

// The variables' values, by kind.
struct Values {
  std::vector<int64_t> of[3];
};

inline std::optional<Number> ValueAt(SymbolicExpr e, const Values& at) {
  if (e.IsConstant()) return Number(e.value());
  if (e.IsVariable()) return Number(at.of[static_cast<int>(e.var_kind())][e.value()]);
  Numbers ops;
  for (SymbolicExpr op : e.ops()) {
    auto v = ValueAt(op, at);
    if (!v) return std::nullopt;
    ops.push_back(*v);
  }
  Number total(e.kind() == ExprKind::kAdd || e.kind() == ExprKind::kMul ? e.value() : 0);
  // The quotient q with q * |b| <= +-a < (q + 1) * |b|.
  auto floor = [](const Number& a, const Number& b) {
    Number n = b < 0 ? -a : a, d = b < 0 ? -b : b, q = n / d;
    return q * d > n ? q - 1 : q;
  };
  switch (e.kind()) {
    case ExprKind::kAdd:
      for (const Number& v : ops) total += v;
      return total;
    case ExprKind::kMul:
      for (const Number& v : ops) total *= v;
      return total;
    case ExprKind::kFloorDiv:
      return ops[1] == 0 ? std::nullopt : std::optional(floor(ops[0], ops[1]));
    case ExprKind::kCeilDiv:
      return ops[1] == 0 ? std::nullopt : std::optional(-floor(-ops[0], ops[1]));
    case ExprKind::kMod:
      if (ops[1] <= 0) return std::nullopt;
      return ops[0] - ops[1] * floor(ops[0], ops[1]);
    case ExprKind::kMin:
      return *std::min_element(ops.begin(), ops.end());
    default:
      return *std::max_element(ops.begin(), ops.end());
  }
}

// A bound at the limit of int64 is none.
inline bool Within(const Number& v, Interval bounds) {
  return (bounds.lower == kInt64Min || v >= bounds.lower) &&
         (bounds.upper == kInt64Max || v <= bounds.upper);
}

// Calls fn(values, results) for each point of the domain; false when a result has no value there.
template <typename Fn>
bool ForEachOfDomain(const IndexingMap& map, Fn fn) {
  if (map.state() != IndexingMap::State::kNormal) return true;
  Values at;
  std::vector<std::pair<int64_t*, Interval>> odometer;
  for (int kind = 0; kind < 3; ++kind) {
    auto& vars = map.vars(static_cast<VarKind>(kind));
    at.of[kind].resize(vars.size());
    for (size_t k = 0; k < vars.size(); ++k) {
      if (vars[k].bounds.IsEmpty()) return true;
      at.of[kind][k] = vars[k].bounds.lower;
      odometer.push_back({&at.of[kind][k], vars[k].bounds});
    }
  }
  while (true) {
    bool inside = true;
    for (const Constraint& c : map.constraints()) {
      auto v = ValueAt(c.expr, at);
      inside = inside && v && Within(*v, c.bounds);
    }
    Numbers results;
    for (SymbolicExpr e : map.results()) {
      if (!inside) break;
      auto v = ValueAt(e, at);
      if (!v) return false;
      results.push_back(*v);
    }
    if (inside) fn(at, results);
    size_t k = 0;
    for (; k < odometer.size() && *odometer[k].first == odometer[k].second.upper; ++k) {
      *odometer[k].first = odometer[k].second.lower;
    }
    if (k == odometer.size()) return true;
    ++*odometer[k].first;
  }
}

// (dims, runtime) -> results.
using Table = std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, std::set<Numbers>>;

// nullopt where a result has no value.
inline std::optional<Table> TableOf(const IndexingMap& map) {
  Table table;
  bool defined = ForEachOfDomain(map, [&](const Values& at, const Numbers& results) {
    table[{at.of[0], at.of[2]}].insert(results);
  });
  return defined ? std::optional(std::move(table)) : std::nullopt;
}

// Whether each set of b lies inside a's.
inline bool Includes(const Table& a, const Table& b) {
  for (const auto& [point, set] : b) {
    auto at = a.find(point);
    if (at == a.end()) return false;
    if (!std::includes(at->second.begin(), at->second.end(), set.begin(), set.end())) return false;
  }
  return true;
}

}  // namespace affirm

#endif  // AFFIRM_TESTS_DIFFERENTIAL_TABLE_H_
