// Several maps onto one array: by visiting all points, or as a union of isl relations.
#include "verify/maps/partition.h"

#include <algorithm>
#include <vector>

#include "verify/maps/bijection_prover.h"
#include "verify/maps/flattened_map.h"
#include "verify/maps/isl_maps.h"
#include "verify/maps/timing.h"

namespace affirm {
namespace {

// More elements or points than the budget of enumeration has times this are left to isl: a visit
// costs little here.
constexpr int64_t kPointsPerBudget = 16;

std::string IndexText(llvm::ArrayRef<int64_t> index) {
  std::string text;
  for (int64_t i : index) text += (text.empty() ? "(" : ", ") + std::to_string(i);
  return text.empty() ? "()" : text + ")";
}

MapProofResult Refuted(Engine engine, llvm::ArrayRef<int64_t> index, const char* what) {
  MapProofResult answer{.verdict = Verdict::kRefuted, .engine = engine};
  answer.counterexample = MapCounterexample{.note = IndexText(index) + what};
  return answer;
}

// nullopt where there are too many points, or one has no value.
std::optional<MapProofResult> ByEnumeration(llvm::ArrayRef<IndexingMap> maps,
                                            llvm::ArrayRef<int64_t> shape, const Budget& budget) {
  int64_t limit = budget.enumeration_points * kPointsPerBudget, elements = 1, points = 0;
  for (int64_t size : shape) {
    if (size > limit) return std::nullopt;
    elements *= size;
    if (elements > limit) return std::nullopt;
  }
  for (const IndexingMap& map : maps) {
    auto count = map.IsKnownEmpty() ? 0 : map.NumPoints();
    if (!count || *count > limit - points) return std::nullopt;
    points += *count;
  }
  std::vector<bool> seen(static_cast<size_t>(elements));
  MapProofResult answer{.verdict = Verdict::kProved, .engine = Engine::kEnumeration};
  bool valued = true;
  for (const IndexingMap& map : maps) {
    if (map.IsKnownEmpty()) continue;
    map.ForEachPoint([&](auto dims, auto ranges, auto runtime) {
      auto index = map.Evaluate(dims, ranges, runtime);
      if (!index) {
        llvm::consumeError(index.takeError());
        return valued = false;
      }
      int64_t linear = 0;
      for (size_t i = 0; i < shape.size(); ++i) {
        if ((*index)[i] < 0 || (*index)[i] >= shape[i]) {
          answer = Refuted(Engine::kEnumeration, *index, " is outside the shape");
          return false;
        }
        linear = linear * shape[i] + (*index)[i];
      }
      if (seen[static_cast<size_t>(linear)]) {
        answer = Refuted(Engine::kEnumeration, *index, " appears twice");
        return false;
      }
      seen[static_cast<size_t>(linear)] = true;
      return true;
    });
    if (!valued) return std::nullopt;
    if (answer.verdict != Verdict::kProved) return answer;
  }
  auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing == seen.end()) return answer;
  int64_t linear = missing - seen.begin();
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0; linear /= shape[i]) index[i] = linear % shape[i];
  return Refuted(Engine::kEnumeration, index, " never appears");
}

// Whether the images of maps that are injective each lie apart and are the whole array.
IslResult ImagesPartition(isl_ctx* ctx, llvm::ArrayRef<FlattenedMap> maps,
                          llvm::ArrayRef<int64_t> shape) {
  IslResult finding;
  std::vector<Interval> bounds;
  for (int64_t size : shape) bounds.push_back({0, size - 1});
  IslTerms box(ctx, std::move(bounds));
  IslPtr<isl_set> seen(isl_set_empty(box.Space()));
  for (const FlattenedMap& map : maps) {
    IslPtr<isl_map> relation = MakeIslMap(ctx, map, /*keep_ranges=*/true, finding.reason);
    if (!relation) return finding;
    isl_set* image = isl_set_reset_tuple_id(isl_map_range(relation.release()));
    IslPtr<isl_set> overlap(isl_set_intersect(isl_set_copy(image), isl_set_copy(seen.get())));
    if (isl_set_is_empty(overlap.get()) != isl_bool_true) {
      isl_set_free(image);
      return {.verdict = Verdict::kUnknown, .reason = "isl: images that overlap, or too much work"};
    }
    seen = IslPtr<isl_set>(isl_set_coalesce(isl_set_union(seen.release(), image)));
  }
  IslPtr<isl_set> wanted(box.Box());
  if (isl_set_is_equal(seen.get(), wanted.get()) == isl_bool_true)
    return {.verdict = Verdict::kProved};
  return {.verdict = Verdict::kUnknown,
          .reason = "isl: the images are not the whole array, or too much work"};
}

MapProofResult Partition(llvm::ArrayRef<IndexingMap> all, llvm::ArrayRef<int64_t> shape,
                         const DecideOptions& options) {
  if (HasNegativeSize(shape)) return {.reason = kNegativeSize};
  std::vector<IndexingMap> maps;
  for (const IndexingMap& map : all) {
    if (map.IsUndefined()) return {.reason = "a map is undefined"};
    if (!map.runtime().empty()) return {.reason = "a map has runtime variables"};
    if (!map.IsKnownEmpty() && map.results().size() != shape.size())
      return {.reason = "a map of another rank"};
    if (!map.IsKnownEmpty()) maps.push_back(map);
  }
  if (maps.size() == 1) return ProveBijection(maps[0], shape, options);
  if (auto answer = ByEnumeration(maps, shape, options.budget)) return *answer;
  Engine engine = Engine::kIsl;
  std::vector<FlattenedMap> flat;
  for (const IndexingMap& map : maps) {
    MapProofResult injective = ProveInjective(map, options);
    if (injective.verdict != Verdict::kProved) return injective;
    flat.push_back(Flatten(map, static_cast<int64_t>(map.dims().size()), *map.context(),
                           /*keep_unused=*/true));
  }
  IslResult found =
      RunIsl(options.budget, [&](isl_ctx* ctx) { return ImagesPartition(ctx, flat, shape); });
  return {.verdict = found.verdict, .engine = engine, .reason = found.reason};
}

}  // namespace

MapProofResult ProvePartition(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<int64_t> shape,
                              const DecideOptions& options) {
  return Timed([&] { return Partition(maps, shape, options); });
}

}  // namespace affirm
