// The sets of a map by enumeration of its domain, in arithmetic that does not overflow.
#include "fuzz/properties/enumerated_map.h"

#include <array>

#include "llvm/ADT/DynamicAPInt.h"

namespace affirm::fuzz {
namespace {

std::string ToString(const Point& p) {
  std::string text = "(";
  for (size_t i = 0; i < p.size(); ++i) text += (i ? ", " : "") + std::to_string(p[i]);
  return text + ")";
}

std::string ToString(const std::set<Point>& points) {
  std::string text = "{";
  for (const Point& p : points) text += (text.size() > 1 ? " " : "") + ToString(p);
  return text + "}";
}

using Arguments = std::array<llvm::ArrayRef<int64_t>, 3>;  // by VarKind
using Big = llvm::DynamicAPInt;

Big FoldBig(SymbolicExpr e, const std::vector<Big>& ops) {
  bool sum = e.kind() == ExprKind::kAdd, product = e.kind() == ExprKind::kMul;
  Big v = sum || product ? Big(e.value()) : ops[0];
  for (const Big& op : ops) {
    if (sum) {
      v = v + op;
    } else if (product) {
      v = v * op;
    } else if ((op < v) == (e.kind() == ExprKind::kMin)) {
      v = op;
    }
  }
  return v;
}

// The value in integers of any size; nullopt where there is none.
std::optional<Big> EvaluateBig(SymbolicExpr e, const Arguments& arguments) {
  if (e.IsConstant()) return Big(e.value());
  if (e.IsVariable()) return Big(arguments[static_cast<int>(e.var_kind())][e.value()]);
  std::vector<Big> ops;
  for (SymbolicExpr op : e.ops()) {
    auto v = EvaluateBig(op, arguments);
    if (!v) return std::nullopt;
    ops.push_back(*v);
  }
  bool mod = e.kind() == ExprKind::kMod, floor = e.kind() == ExprKind::kFloorDiv;
  if (!mod && !floor && e.kind() != ExprKind::kCeilDiv) return FoldBig(e, ops);
  if (ops[1] == 0 || (mod && ops[1] < 0)) return std::nullopt;
  if (mod) return llvm::mod(ops[0], ops[1]);
  return floor ? llvm::floorDiv(ops[0], ops[1]) : llvm::ceilDiv(ops[0], ops[1]);
}

// 128 bits where they do, any size where they don't.
std::optional<bool> Holds(const Constraint& c, const Arguments& arguments) {
  if (auto v = c.expr.EvaluateWide(arguments[0], arguments[1], arguments[2])) {
    return c.bounds.ContainsWide(*v);
  }
  auto big = EvaluateBig(c.expr, arguments);
  if (!big) return std::nullopt;
  return (!c.bounds.HasLower() || *big >= c.bounds.lower) &&
         (!c.bounds.HasUpper() || *big <= c.bounds.upper);
}

std::optional<Point> Results(const IndexingMap& map, const Arguments& arguments) {
  Point out;
  for (SymbolicExpr e : map.results()) {
    auto v = e.Evaluate(arguments[0], arguments[1], arguments[2]);
    if (v.value) {
      out.push_back(*v.value);
      continue;
    }
    auto big = EvaluateBig(e, arguments);
    if (!big || *big < kInt64Min || *big > kInt64Max) return std::nullopt;
    out.push_back(static_cast<int64_t>(*big));
  }
  return out;
}

}  // namespace

std::optional<EnumeratedMap> Enumerate(const IndexingMap& map, int64_t limit) {
  if (map.IsUndefined()) return std::nullopt;
  if (map.IsKnownEmpty()) return EnumeratedMap();
  // The points of the box are visited without the constraints: where one of these has no value at a
  // point, the sets are not known.
  IndexingMap box = map;
  box.SetConstraints({});
  EnumeratedMap point_sets;
  auto here = point_sets.end();  // of the last point; points come in the order of the keys
  bool computed = true;
  bool complete = box.ForEachPoint(
      [&](auto dims, auto ranges, auto runtime) {
        Arguments arguments{dims, ranges, runtime};
        // A constraint may have no value here; another that fails decides all the same.
        bool open = false;
        for (const Constraint& c : map.constraints()) {
          auto holds = Holds(c, arguments);
          if (holds && !*holds) return true;
          open |= !holds;
        }
        auto value = open ? std::nullopt : Results(map, arguments);
        if (!value) return computed = false;
        if (here == point_sets.end() || dims != llvm::ArrayRef(here->first.first) ||
            runtime != llvm::ArrayRef(here->first.second)) {
          std::pair<Point, Point> key{dims.vec(), runtime.vec()};
          here = point_sets.try_emplace(point_sets.end(), std::move(key));
        }
        here->second.insert(std::move(*value));
        return true;
      },
      limit);
  if (!complete || !computed) return std::nullopt;
  return point_sets;
}

std::string Difference(const EnumeratedMap& a, const EnumeratedMap& b) {
  auto describe = [](const EnumeratedMap& m, const std::pair<Point, Point>& at) {
    auto it = m.find(at);
    return it == m.end() ? std::string("{}") : ToString(it->second);
  };
  for (const EnumeratedMap* m : {&a, &b}) {
    for (const auto& [at, set] : *m) {
      std::string left = describe(a, at), right = describe(b, at);
      if (left != right) {
        return "at " + ToString(at.first) + ToString(at.second) + ": " + left + " against " + right;
      }
    }
  }
  return "";
}

}  // namespace affirm::fuzz
