// libFuzzer: the bytes choose a graph; tiles, utilization and coalescing of it are what following
// its maps point by point finds.
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/generators/hlo_generator.h"
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/map_analyses.h"
#include "fuzz/targets/abort_if_wrong.h"

namespace affirm::fuzz {
namespace {

std::string CheckGraph(Choices& choices, const hlo::Instruction& root) {
  const auto shapes = LeafShapes(root.shape);
  const auto id = static_cast<int64_t>(choices.Below(shapes.size()));
  std::vector<int64_t> sizes;
  for (int64_t size : shapes[id]->dims) {
    sizes.push_back(choices.Between(1, std::min<int64_t>(size, 9) + 1));
  }
  TileCheck tiles = CheckTiles(root, id, sizes, static_cast<int64_t>(choices.Below(100)));
  if (!tiles.problem.empty() || !root.shape.IsArray()) return tiles.problem;
  return CheckUtilization(root, 2).problem;
}

std::string CheckAddresses(Choices& choices, const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal || map.dims().empty() || !map.runtime().empty() ||
      map.dims()[0].bounds.lower < 0) {
    return "";
  }
  IndexingMap first = map;
  first.SetResults({map.results()[0]});
  const MemoryModel model{choices.Between(1, 3) * 4, choices.Between(1, 2) * 16};
  const int64_t bytes = choices.Pick<int64_t>({1, 2, 4, 8});
  const Coalescing have = CoalescingOf(first, bytes * 8, model);
  if (have.evidence != Coalescing::Evidence::kVisited) return "";
  const Coalescing want = CountSectors(first, bytes, model);
  const bool same = have.accesses == want.accesses && have.sectors == want.sectors &&
                    have.ideal_sectors == want.ideal_sectors &&
                    have.max_sectors == want.max_sectors &&
                    have.is_contiguous == want.is_contiguous;
  return same ? ""
              : std::to_string(have.sectors) + " sectors of " + std::to_string(have.accesses) +
                    " accesses, counted " + std::to_string(want.sectors) + " of " +
                    std::to_string(want.accesses);
}

}  // namespace
}  // namespace affirm::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace affirm;
  fuzz::Choices choices({data, size});
  if (choices.OneIn(4)) {
    Context context;
    IndexingMap map = fuzz::GenerateMap(choices, context, {.max_points = 300});
    fuzz::AbortIfWrong(map.ToString(), fuzz::CheckAddresses(choices, map));
    return 0;
  }
  fuzz::HloLimits limits;
  limits.max_ops = 4;
  limits.max_elements = 40;
  limits.max_work = 500;
  limits.max_stride = 7;
  limits.max_fusions = 0;
  const auto module = fuzz::GenerateModule(choices, limits);
  fuzz::AbortIfWrong(hlo::ToString(*module), fuzz::CheckGraph(choices, *module->entry->root));
  return 0;
}
