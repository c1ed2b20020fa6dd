// The properties of operations on maps, each compared with enumeration.
#include "fuzz/properties/map_operations.h"

#include "core/indexing/transform.h"
#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {
namespace {

// Empty when `after` means `expected`.
std::string Differs(const char* what, const EnumeratedMap& expected, const IndexingMap& after) {
  auto point_sets = Enumerate(after);
  if (!point_sets) return std::string(what) + ": " + after.ToString() + " can't be enumerated";
  std::string difference = Difference(expected, *point_sets);
  return difference.empty()
             ? ""
             : std::string(what) + ": " + after.ToString() + " differs " + difference;
}

// The sets without the runtime variables that are not `kept`; nullopt when the sets depend on
// them.
std::optional<EnumeratedMap> WithoutRuntime(const IndexingMap& map, const EnumeratedMap& point_sets,
                                            const std::vector<bool>& kept) {
  int64_t copies = 1;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) copies *= map.runtime()[i].bounds.Count().value_or(0);
  }
  EnumeratedMap out;
  std::map<std::pair<Point, Point>, int64_t> seen;
  for (const auto& [at, set] : point_sets) {
    std::pair<Point, Point> key{at.first, {}};
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i]) key.second.push_back(at.second[i]);
    }
    auto [it, is_new] = out.try_emplace(key, set);
    if (!is_new && it->second != set) return std::nullopt;
    ++seen[key];
  }
  bool everywhere = llvm::all_of(seen, [&](const auto& s) { return s.second == copies; });
  return everywhere ? std::optional(std::move(out)) : std::nullopt;
}

// The map with one change: a bound, a constraint, or one more result.
IndexingMap Changed(const IndexingMap& map, Choices& choices) {
  IndexingMap out = map;
  uint64_t what = choices.Below(3);
  size_t d = choices.Below(map.dims().size());
  if (what == 0 && map.dims()[d].bounds.upper < kInt64Max - 1) {
    Interval b = map.dims()[d].bounds;
    out.SetBounds(VarKind::kDim, static_cast<int64_t>(d), {b.lower, b.upper + 1});
  } else if (what == 1 && !map.constraints().empty()) {
    out.SetConstraints(llvm::ArrayRef(map.constraints()).drop_back());
  } else {
    std::vector<SymbolicExpr> results(map.results().begin(), map.results().end());
    results.push_back(map.context()->Dim(0));
    out.SetResults(results);
  }
  return out;
}

// `second` at one index, as a map without free dims.
IndexingMap At(const IndexingMap& second, const Point& index) {
  IndexingMap there = second;
  for (size_t i = 0; i < index.size(); ++i) {
    if (there.state() != IndexingMap::State::kNormal) break;
    there.SetBounds(VarKind::kDim, static_cast<int64_t>(i),
                    Interval::Point(index[i]).Intersect(second.dims()[i].bounds));
  }
  return there;
}

}  // namespace

std::string CheckIdempotent(const IndexingMap& map) {
  IndexingMap simplified = Simplify(map), again = Simplify(simplified);
  if (again == simplified) return "";
  return "not idempotent: " + simplified.ToString() + " then " + again.ToString();
}

std::string CheckSimplify(const IndexingMap& map) {
  auto before = Enumerate(map);
  return before ? CheckSimplify(map, *before) : CheckIdempotent(map);
}

std::string CheckSimplify(const IndexingMap& map, const EnumeratedMap& point_sets) {
  std::string wrong = Differs("simplified", point_sets, Simplify(map));
  return wrong.empty() ? CheckIdempotent(map) : wrong;
}

std::string CheckText(const IndexingMap& map, Context& context) {
  Context other;
  for (bool multi_line : {false, true}) {
    std::string text = map.ToString(multi_line);
    auto back = ParseIndexingMap(text, context), elsewhere = ParseIndexingMap(text, other);
    if (!back || !elsewhere) {
      std::string why = back ? "" : llvm::toString(back.takeError());
      if (!elsewhere) why = llvm::toString(elsewhere.takeError());
      return text + "\ndoes not read back: " + why;
    }
    if (!(*back == map) || back->Hash() != map.Hash()) {
      return text + "\nreads back as " + back->ToString();
    }
    if (elsewhere->ToString(multi_line) != text || elsewhere->Hash() != map.Hash()) {
      return text + "\nreads in another context as " + elsewhere->ToString();
    }
  }
  return "";
}

std::string CheckIdentity(const IndexingMap& map, Choices& choices) {
  if (map.state() != IndexingMap::State::kNormal) return "";
  std::vector<Constraint> backward(map.constraints().rbegin(), map.constraints().rend());
  std::vector<Variable> dims = map.dims();
  for (Variable& v : dims) v.name += "renamed";
  IndexingMap same(*map.context(), map.map(), dims, map.ranges(), map.runtime(), backward);
  if (!(same == map) || same.Hash() != map.Hash()) return "built again it is another map";
  IndexingMap changed = Changed(map, choices);
  return changed == map ? "equal to " + changed.ToString() : "";
}

std::string CheckRemoveUnused(const IndexingMap& map, const EnumeratedMap& point_sets) {
  if (map.state() != IndexingMap::State::kNormal) return "";
  // Names tell which of the runtime variables are left.
  IndexingMap named = map;
  for (size_t i = 0; i < map.runtime().size(); ++i) {
    named.SetName(VarKind::kRuntime, static_cast<int64_t>(i), "v" + std::to_string(i));
  }
  IndexingMap after = RemoveUnusedVariables(named);
  if (after.IsKnownEmpty()) return Differs("without unused variables", point_sets, after);
  std::vector<bool> kept(map.runtime().size());
  for (const Variable& v : after.runtime()) kept[std::stoul(v.name.substr(1))] = true;
  auto expected = WithoutRuntime(map, point_sets, kept);
  if (!expected) return "removed a runtime variable that matters: " + after.ToString();
  return Differs("without unused variables", *expected, after);
}

std::string CheckReparametrized(const IndexingMap& map, const EnumeratedMap& point_sets,
                                Choices& choices) {
  if (map.state() != IndexingMap::State::kNormal) return "";
  std::string wrong = Differs("points replaced", point_sets, ReplacePointVariables(map));
  if (wrong.empty()) wrong = Differs("rescaled", point_sets, RescaleRangeVariables(map));
  if (!wrong.empty()) return wrong;

  int64_t p = static_cast<int64_t>(choices.Below(map.results().size()));
  EnumeratedMap projected;
  for (const auto& [at, set] : point_sets) {
    for (const Point& v : set) projected[at].insert({v[p]});
  }
  wrong = Differs("submap", projected, SubMap(map, {p}));
  if (!wrong.empty() || map.ranges().empty()) return wrong;

  p = static_cast<int64_t>(choices.Below(map.ranges().size()));
  IndexingMap converted = ConvertRangeVariablesToDims(map, {p});
  auto split = Enumerate(converted);
  if (!split) return "converted: " + converted.ToString() + " can't be enumerated";
  EnumeratedMap joined;
  for (const auto& [at, set] : *split) {
    Point dims = at.first;
    dims.pop_back();
    joined[{dims, at.second}].insert(set.begin(), set.end());
  }
  std::string difference = Difference(point_sets, joined);
  return difference.empty() ? "" : "converted: " + converted.ToString() + " differs " + difference;
}

std::string CheckCompose(const IndexingMap& first, const IndexingMap& second) {
  IndexingMap composed = Compose(first, second);
  auto before = Enumerate(first);
  if (!before || !Enumerate(composed)) return "";
  EnumeratedMap expected;
  std::map<Point, std::optional<EnumeratedMap>> memo;
  for (const auto& [at, middle] : *before) {
    for (const Point& m : middle) {
      auto [it, is_new] = memo.try_emplace(m);
      if (is_new) it->second = Enumerate(At(second, m));
      if (!it->second) return "";
      for (const auto& [key, values] : *it->second) {
        Point runtime = key.second;
        runtime.insert(runtime.end(), at.second.begin(), at.second.end());
        expected[{at.first, runtime}].insert(values.begin(), values.end());
      }
    }
  }
  std::string wrong = Differs("composed", expected, composed);
  return wrong.empty() ? CheckSimplify(composed, expected) : wrong;
}

std::string CheckOperations(const IndexingMap& map, Choices& choices, bool* enumerated) {
  std::string wrong = CheckText(map, *map.context());
  if (wrong.empty()) wrong = CheckIdentity(map, choices);
  auto point_sets = Enumerate(map);
  if (enumerated) *enumerated = point_sets.has_value();
  if (wrong.empty() && !point_sets) wrong = CheckIdempotent(map);
  if (!wrong.empty() || !point_sets) return wrong;
  wrong = CheckSimplify(map, *point_sets);
  if (wrong.empty()) wrong = CheckRemoveUnused(map, *point_sets);
  if (wrong.empty()) wrong = CheckReparametrized(map, *point_sets, choices);
  return wrong;
}

}  // namespace affirm::fuzz
