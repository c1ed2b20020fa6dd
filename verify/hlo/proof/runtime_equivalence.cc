// Comparison for all runtime values: common runtime variables first, then the producer indices as
// further results where these depend on range variables.
#include "verify/hlo/proof/runtime_equivalence.h"

#include <utility>

#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/rebase_runtime_source.h"
#include "verify/hlo/proof/runtime_congruence.h"
#include "verify/maps/flattened_map.h"
#include "verify/maps/timing.h"

namespace affirm {
namespace {

// A producer index without constraints, over given dims: only which element it names is compared.
IndexingMap WithoutConstraints(const IndexingMap& index, const std::vector<Variable>& dims) {
  return RemoveUnusedVariables(
      IndexingMap(*index.context(), index.map(), dims, index.ranges(), index.runtime()));
}

bool IsRangeDependent(SymbolicExpr e) {
  return e.HasVariables(VarKind::kRange) || e.HasVariables(VarKind::kRuntime);
}

// Whether two variables may be unified. With `alike`: when their producer indices are the same set.
// Without: when one of the indices depends on range or runtime variables, whose constraints may
// make it equal to the other; such indices are compared again together with the maps
// (WithProducerIndices).
bool SameSource(const std::optional<RuntimeSource>& a, const std::optional<RuntimeSource>& b,
                const std::vector<Variable>& dims, bool alike, const DecideOptions& options) {
  if (!a || !b) return !a && !b;
  if (a->producer != b->producer || a->clamp != b->clamp) return false;
  if (!a->map || !b->map) return !a->map && !b->map;
  if (*a->map == *b->map) return true;
  for (const IndexingMap* index : {a->map.get(), b->map.get()}) {
    if (!IsNormal(*index) || index->dims().size() != dims.size()) return false;
  }
  if (!alike) {
    return llvm::any_of(a->map->results(), IsRangeDependent) ||
           llvm::any_of(b->map->results(), IsRangeDependent);
  }
  return ProveEqual(WithoutConstraints(*a->map, dims), WithoutConstraints(*b->map, dims), options)
             .verdict == Verdict::kProved;
}

// The number, among the common variables, of each runtime variable of a map; a variable that cannot
// be unified with any of them is added. A map may have several variables for one value.
std::vector<int64_t> UnifyVariables(const IndexingMap& map, std::vector<Variable>& common,
                                    const DecideOptions& options) {
  const std::vector<Variable>& variables = map.runtime();
  std::vector<size_t> first(variables.size());  // the first variable of the same value
  for (size_t r = 0; r < first.size(); ++r) {
    auto is_same = [&](const Variable& v) { return v.source && v.source == variables[r].source; };
    first[r] = std::min<size_t>(r, llvm::find_if(variables, is_same) - variables.begin());
  }
  std::vector<bool> taken(common.size());
  std::vector<int64_t> numbers(variables.size(), -1);
  for (const bool alike : {true, false}) {
    for (size_t r = 0; r < numbers.size(); ++r) {
      const Variable& v = variables[r];
      for (size_t k = 0; k < taken.size() && first[r] == r && numbers[r] < 0; ++k) {
        if (taken[k] || !SameSource(v.source, common[k].source, map.dims(), alike, options))
          continue;
        common[k].bounds = common[k].bounds.Hull(v.bounds);
        taken[k] = true;
        numbers[r] = static_cast<int64_t>(k);
      }
    }
  }
  for (size_t r = 0; r < numbers.size(); ++r) {
    if (first[r] < r) {
      numbers[r] = numbers[first[r]];
    } else if (numbers[r] < 0) {
      numbers[r] = static_cast<int64_t>(common.size());
      common.push_back(variables[r]);
      // A map that does not use the value has results at each that it can have, those included at
      // which this map has none.
      if (variables[r].source) {
        Interval& bounds = common.back().bounds;
        bounds = bounds.Hull(variables[r].source->clamp);
      }
    }
  }
  return numbers;
}

// Gives maps over the same dims one common list of runtime variables. Variables that may be unified
// are (the n-th such variable of one map with the n-th of another). In a map that does not use a
// variable it has no source. Known-empty and undefined maps stay as they are.
void UnifyRuntimeVariables(std::vector<IndexingMap>& maps, const DecideOptions& options) {
  std::vector<Variable> common;
  std::vector<std::vector<int64_t>> positions(maps.size());
  for (size_t m = 0; m < maps.size(); ++m) {
    if (IsNormal(maps[m])) positions[m] = UnifyVariables(maps[m], common, options);
  }
  for (size_t m = 0; m < maps.size(); ++m) {
    IndexingMap& map = maps[m];
    if (!IsNormal(map)) continue;
    Context& context = *map.context();
    std::vector<Variable> runtime = common;
    for (Variable& variable : runtime) variable.source.reset();
    auto to = [&](VarKind kind, int64_t k) {
      return context.Variable(kind, kind == VarKind::kRuntime ? positions[m][k] : k);
    };
    for (size_t r = 0; r < positions[m].size(); ++r) {
      Variable& unified = runtime[positions[m][r]];
      const bool again =
          llvm::is_contained(llvm::ArrayRef(positions[m]).take_front(r), positions[m][r]);
      const Interval before = again ? unified.bounds : Interval::All();
      unified = RebaseRuntimeVariable(map.runtime()[r], to, map.dims(), map.ranges(), common);
      unified.bounds = unified.bounds.Intersect(before);
    }
    auto rename = [&](SymbolicExpr e) { return Rename(e, context, to); };
    std::vector<SymbolicExpr> results;
    std::vector<Constraint> constraints;
    for (SymbolicExpr e : map.results()) results.push_back(rename(e));
    for (const Constraint& c : map.constraints()) constraints.push_back({rename(c.expr), c.bounds});
    map = IndexingMap(context, results, map.dims(), map.ranges(), std::move(runtime), constraints);
  }
}

bool HasRangeDependentIndex(const IndexingMap& map) {
  for (int64_t v = 0; IsNormal(map) && v < std::ssize(map.runtime()); ++v) {
    const IndexingMap* index = ProducerIndexOf(map, v);
    if (index && llvm::any_of(index->results(), IsRangeDependent)) return true;
  }
  return false;
}

// The map with further results, over further range variables with those bounds.
IndexingMap Extend(const IndexingMap& map, llvm::ArrayRef<SymbolicExpr> more,
                   llvm::ArrayRef<Interval> fresh = {}) {
  std::vector<SymbolicExpr> results = map.results().vec();
  std::vector<Variable> ranges = map.ranges();
  for (Interval bounds : fresh) {
    results.push_back(map.context()->Range(static_cast<int64_t>(ranges.size())));
    ranges.push_back({bounds, "", std::nullopt});
  }
  results.insert(results.end(), more.begin(), more.end());
  return IndexingMap(*map.context(), results, map.dims(), std::move(ranges), map.runtime(),
                     map.constraints());
}

// The map to the values of the range variables themselves.
IndexingMap ToRanges(IndexingMap map) {
  std::vector<SymbolicExpr> results;
  results.reserve(map.ranges().size());
  for (size_t i = 0; i < map.ranges().size(); ++i) results.push_back(map.context()->Range(i));
  map.SetResults(results);
  return map;
}

// The map without redundant constraints on runtime variables, so that it depends on as few of them
// as possible.
IndexingMap WithoutIdleConstraints(IndexingMap map, const DecideOptions& options) {
  for (size_t i = map.constraints().size(); i-- > 0;) {
    if (!map.constraints()[i].expr.HasVariables(VarKind::kRuntime)) continue;
    IndexingMap without = map;
    without.ReplaceConstraints({i}, {});
    MapProofResult same = ProveEqual(ToRanges(map), ToRanges(without), options);
    if (same.verdict == Verdict::kProved) map = std::move(without);
  }
  return map;
}

// The producer index of a covering map at the point where its results are those of the covered map.
// Known when each range variable in the index has a single value or is itself a result.
std::optional<std::vector<SymbolicExpr>> IndexByResults(const IndexingMap& index,
                                                        const IndexingMap& covering,
                                                        const IndexingMap& covered) {
  Context& context = *covering.context();
  std::vector<SymbolicExpr> known;
  for (SymbolicExpr e : index.results()) {
    bool all = !e.HasVariables(VarKind::kRuntime);
    auto by_result = [&](VarKind kind, int64_t k) {
      const SymbolicExpr v = context.Variable(kind, k);
      if (kind != VarKind::kRange) return v;
      const Interval bounds = covering.ranges()[k].bounds;
      if (bounds.IsPoint()) return context.Constant(bounds.lower);
      const auto at = llvm::find(covering.results(), v);
      all &= at != covering.results().end();
      return all ? covered.results()[at - covering.results().begin()] : v;
    };
    known.push_back(Rename(e, context, by_result));
    if (!all) return std::nullopt;
  }
  return known;
}

// The single index that WithProducerIndices gives a map that does not depend on a variable.
std::vector<SymbolicExpr> IndexForCovered(const IndexingMap& covered,
                                          llvm::ArrayRef<IndexingMap> covering, int64_t variable,
                                          size_t rank) {
  for (const IndexingMap& map : covering) {
    const IndexingMap* index = ProducerIndexOf(map, variable);
    if (!index) continue;
    if (auto known = IndexByResults(*index, map, covered)) return *known;
  }
  return std::vector<SymbolicExpr>(rank, covered.context()->Constant(-1));
}

// Adds the producer indices of a variable as results of the maps, as WithProducerIndices says.
// False when that is not necessary: no map depends on the variable, or its index is range-dependent
// in none.
bool AddProducerIndices(std::vector<IndexingMap>& maps, size_t covering, int64_t variable) {
  std::vector<std::optional<std::vector<SymbolicExpr>>> indices(maps.size());
  bool range_dependent = false;
  size_t rank = 0;
  for (size_t m = 0; m < maps.size(); ++m) {
    if (const IndexingMap* index = ProducerIndexOf(maps[m], variable)) {
      indices[m] = index->results().vec();
      rank = indices[m]->size();
      range_dependent |= llvm::any_of(*indices[m], IsRangeDependent);
    }
  }
  if (!range_dependent) return false;
  std::vector<Interval> box(rank, Interval::Empty());  // of all indices
  for (size_t m = 0; m < maps.size(); ++m) {
    if (!IsNormal(maps[m])) continue;
    if (!indices[m] && m >= covering) {
      indices[m] =
          IndexForCovered(maps[m], llvm::ArrayRef(maps).take_front(covering), variable, rank);
    }
    for (size_t i = 0; indices[m] && i < rank; ++i) {
      box[i] = box[i].Hull(maps[m].RangeOf((*indices[m])[i]));
    }
  }
  for (size_t m = 0; m < maps.size(); ++m) {
    if (!IsNormal(maps[m])) continue;
    maps[m] = indices[m] ? Extend(maps[m], *indices[m]) : Extend(maps[m], {}, box);
  }
  return true;
}

// A runtime variable with a range-dependent index has one value for each value of the ranges: a map
// with results r and producer index p leads to {r(s, v(p(s))) : s}, for contents v of the producer.
// If {(r(s, x), p(s)) : s} of one map is, for each x, the same set as that of another map, or a
// superset, then so are the sets above for all v. Here the maps get p as further results, for every
// such variable, nested ones included.
//
// A map that does not depend on the variable gets another p. A map of the superset side gets every
// index, because it leads to its results whatever the value is. A map of the other side gets a
// single index, so that its results have to be reached whatever the value there is: the index at
// which a map of the superset side has the same results, if one can be found, else (-1, -1, ...).
//
// The first `covering` maps are those of the superset side. False when there is no such variable.
bool WithProducerIndices(std::vector<IndexingMap>& maps, size_t covering,
                         const DecideOptions& options) {
  const auto normal = llvm::find_if(maps, IsNormal);
  const int64_t variables = normal == maps.end() ? 0 : std::ssize(normal->runtime());
  bool added = false;
  for (IndexingMap& map : maps) {
    if (HasRangeDependentIndex(map)) map = WithoutIdleConstraints(map, options);
  }
  for (int64_t v = 0; v < variables; ++v) added |= AddProducerIndices(maps, covering, v);
  return added;
}

MapProofResult AtDifferentIndices(Engine engine) {
  return {.engine = engine, .reason = "the maps read runtime values at different places"};
}

}  // namespace

MapProofResult ProveCoversForAllRuntimeValues(llvm::ArrayRef<IndexingMap> a,
                                              llvm::ArrayRef<IndexingMap> b,
                                              const DecideOptions& options) {
  std::vector<IndexingMap> all = a.vec();
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<IndexingMap> before = all;
  UnifyRuntimeVariables(all, options);
  auto covers = [&](llvm::ArrayRef<IndexingMap> maps) {
    return ProveUnionSuperset(maps.take_front(a.size()), maps.drop_front(a.size()), options);
  };
  MapProofResult answer = ProveUnderCongruence(all, covers);
  // A map that lacks a runtime value of the other may have used the value itself, if it is known.
  bool same = true;
  for (auto [old, aligned] : llvm::zip_equal(before, all)) {
    same &= !IsNormal(old) || old.runtime().size() == aligned.runtime().size();
  }
  if (answer.verdict == Verdict::kRefuted && !same) {
    return {.reason = "the maps name different runtime values"};
  }
  if (answer.verdict != Verdict::kProved || !WithProducerIndices(all, a.size(), options))
    return answer;
  MapProofResult with_indices = covers(all);
  with_indices.engine = std::max(with_indices.engine, answer.engine);
  return with_indices.verdict == Verdict::kRefuted ? AtDifferentIndices(with_indices.engine)
                                                   : with_indices;
}

MapProofResult ProveEqualForAllRuntimeValues(const IndexingMap& a, const IndexingMap& b,
                                             const DecideOptions& options) {
  return Timed([&] {
    std::vector<IndexingMap> both = {a, b};
    UnifyRuntimeVariables(both, options);
    MapProofResult answer = ProveUnderCongruence(both, [&](llvm::ArrayRef<IndexingMap> maps) {
      return ProveEqual(maps[0], maps[1], options);
    });
    for (bool swapped : {false, true}) {
      if (answer.verdict != Verdict::kProved) return answer;
      std::vector<IndexingMap> maps = {both[swapped], both[!swapped]};
      if (!WithProducerIndices(maps, 1, options)) return answer;
      MapProofResult with_indices = ProveSuperset(maps[0], maps[1], options);
      with_indices.engine = std::max(with_indices.engine, answer.engine);
      answer = with_indices.verdict == Verdict::kRefuted ? AtDifferentIndices(with_indices.engine)
                                                         : with_indices;
    }
    return answer;
  });
}

}  // namespace affirm
