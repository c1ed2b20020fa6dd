#include "fuzz/meaning.h"

#include "llvm/Support/Error.h"

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

}  // namespace

std::optional<Meaning> Enumerate(const IndexingMap& map, int64_t limit) {
  if (map.IsUndefined()) return std::nullopt;
  if (map.IsKnownEmpty()) return Meaning();
  // The box is walked without the constraints: one that can't be computed at a point leaves the
  // meaning open.
  IndexingMap box = map;
  box.SetConstraints({});
  Meaning meaning;
  bool computed = true;
  bool complete = box.ForEachPoint(
      [&](auto dims, auto ranges, auto runtime) {
        bool open =
            false;  // a constraint can't be computed; another that fails decides all the same
        for (const Constraint& c : map.constraints()) {
          auto v = c.expr.EvaluateWide(dims, ranges, runtime);
          if (v && !c.bounds.ContainsWide(*v)) return true;
          open |= !v;
        }
        if (open) return computed = false;
        auto value = map.Evaluate(dims, ranges, runtime);
        if (!value) {
          llvm::consumeError(value.takeError());
          return computed = false;
        }
        meaning[{dims.vec(), runtime.vec()}].insert(*value);
        return true;
      },
      limit);
  if (!complete || !computed) return std::nullopt;
  return meaning;
}

std::string Difference(const Meaning& a, const Meaning& b) {
  auto describe = [](const Meaning& m, const std::pair<Point, Point>& at) {
    auto it = m.find(at);
    return it == m.end() ? std::string("{}") : ToString(it->second);
  };
  for (const Meaning* m : {&a, &b}) {
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
