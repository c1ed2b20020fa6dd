// Powers of the relation between the leaves of a group, until they repeat.
#include "core/analysis/loops/path_sets.h"

#include "core/analysis/computation.h"
#include "core/analysis/ops/op_helpers.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

constexpr size_t kMaxSteps = 12;
constexpr size_t kMaxPaths = 16;  // from a leaf, of one length

bool SameSet(const std::vector<LabeledMap>& a, const std::vector<LabeledMap>& b) {
  return a.size() == b.size() &&
         llvm::all_of(a, [&](const LabeledMap& m) { return llvm::is_contained(b, m); });
}

bool SameSets(const GroupEdges& a, const GroupEdges& b) {
  return llvm::all_of(a,
                      [&](const auto& entry) { return SameSet(entry.second, b.at(entry.first)); });
}

// One trip more: first the paths, then an edge.
std::optional<GroupEdges> Longer(const GroupEdges& paths, const GroupEdges& edges) {
  GroupEdges longer;
  for (const auto& [leaf, maps] : paths) {
    std::vector<LabeledMap>& list = longer[leaf];
    for (const LabeledMap& path : maps) {
      for (const LabeledMap& edge : edges.at(path.leaf)) {
        LabeledMap composed = ComposeLabeled(path, edge);
        if (composed.map.IsUndefined()) return std::nullopt;
        if (!composed.map.IsKnownEmpty()) AddDistinct(list, std::move(composed));
      }
    }
    if (list.size() > kMaxPaths) return std::nullopt;
  }
  return longer;
}

// Which coordinates of the index are handed on in their places; the others may be any.
using Kept = std::vector<bool>;

Kept KeptBy(const IndexingMap& map, const hlo::Shape& from, const hlo::Shape& to) {
  Kept kept(to.dims.size());
  for (size_t i = 0; i < kept.size() && i < from.dims.size(); ++i) {
    kept[i] = from.dims[i] == to.dims[i] && i < map.results().size() &&
              map.results()[i] == map.context()->Dim(static_cast<int64_t>(i));
  }
  return kept;
}

// Intersects the entry of the pair with `more`; true when the entry is new or changed.
bool Join(std::map<std::pair<int64_t, int64_t>, Kept>& all, std::pair<int64_t, int64_t> pair,
          const Kept& more) {
  auto [at, is_new] = all.try_emplace(pair, more);
  if (is_new) return true;
  bool changed = false;
  for (size_t i = 0; i < more.size(); ++i) {
    changed |= at->second[i] && !more[i];
    at->second[i] = at->second[i] && more[i];
  }
  return changed;
}

}  // namespace

std::optional<PathSets> FindPathSets(const GroupEdges& edges,
                                     const std::map<int64_t, hlo::Shape>& shapes,
                                     Session& session) {
  PathSets sets;
  GroupEdges next;
  for (const auto& [leaf, shape] : shapes) {
    next[leaf] = {Exact(IndexingMap::Identity(session.context, shape.dims), leaf)};
  }
  while (sets.steps.size() < kMaxSteps) {
    for (size_t n = 0; n < sets.steps.size(); ++n) {
      if (!SameSets(sets.steps[n], next)) continue;
      sets.period = std::ssize(sets.steps) - static_cast<int64_t>(n);
      return sets;
    }
    sets.steps.push_back(next);
    std::optional<GroupEdges> longer = Longer(next, edges);
    if (!longer) return std::nullopt;
    next = std::move(*longer);
  }
  return std::nullopt;
}

GroupEdges BoundPaths(const GroupEdges& edges, const std::map<int64_t, hlo::Shape>& shapes,
                      Session& session) {
  std::map<std::pair<int64_t, int64_t>, Kept> all;
  for (const auto& [leaf, shape] : shapes) all[{leaf, leaf}] = Kept(shape.dims.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    const auto before = all;
    for (const auto& [pair, kept] : before) {
      for (const LabeledMap& edge : edges.at(pair.second)) {
        Kept longer = KeptBy(edge.map, shapes.at(pair.second), shapes.at(edge.leaf));
        for (size_t i = 0; i < longer.size(); ++i) {
          longer[i] = longer[i] && i < kept.size() && kept[i];
        }
        changed |= Join(all, {pair.first, edge.leaf}, longer);
      }
    }
  }
  GroupEdges paths;
  for (const auto& [leaf, shape] : shapes) paths[leaf];
  for (const auto& [pair, kept] : all) {
    const std::vector<int64_t>& to = shapes.at(pair.second).dims;
    std::vector<SymbolicExpr> results;
    std::vector<int64_t> free;
    for (size_t i = 0; i < to.size(); ++i) {
      results.push_back(kept[i] ? session.context.Dim(static_cast<int64_t>(i))
                                : session.context.Range(std::ssize(free)));
      if (!kept[i]) free.push_back(to[i]);
    }
    paths[pair.first].push_back(OverApproximate(
        IndexingMap::FromShapes(session.context, results, shapes.at(pair.first).dims, free),
        pair.second));
  }
  return paths;
}

}  // namespace affirm::analysis
