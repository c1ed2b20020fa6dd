// Random maps as the page has them, and what affirm's evaluator says of them at points: for the
// browser, which must say the same (page.py).
//
//   write_points SEED COUNT > points.json
//   {"maps": [..], "points": [{"map", "dims", "ranges", "runtime", "inside", "results"}],
//    "images": [{"map", "dims", "results": [..]}]}
#include <cstdlib>
#include <set>

#include "driver/explore/map_json.h"
#include "fuzz/generators/choices.h"
#include "fuzz/generators/map_generator.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

Array Integers(llvm::ArrayRef<int64_t> values) {
  Array json;
  for (int64_t value : values) json.push_back(driver::IntegerJson(value));
  return json;
}

// A value within the bounds, at their ends, or next to them.
int64_t ValueNear(fuzz::Choices& choices, const Interval& bounds) {
  const int64_t lower = bounds.HasLower() ? bounds.lower : -1000;
  const int64_t upper = bounds.HasUpper() ? bounds.upper : 1000;
  switch (choices.Below(5)) {
    case 0:
      return lower;
    case 1:
      return upper;
    case 2:
      return upper < kInt64Max ? upper + 1 : upper;
    case 3:
      return lower > kInt64Min ? lower - 1 : lower;
    default:
      return lower <= upper ? choices.Between(lower, upper) : lower;
  }
}

std::vector<int64_t> ValuesNear(fuzz::Choices& choices, const std::vector<Variable>& variables) {
  std::vector<int64_t> values;
  for (const Variable& v : variables) values.push_back(ValueNear(choices, v.bounds));
  return values;
}

Object PointJson(const IndexingMap& map, int64_t number, fuzz::Choices& choices) {
  const std::vector<int64_t> dims = ValuesNear(choices, map.dims()),
                             ranges = ValuesNear(choices, map.ranges()),
                             runtime = ValuesNear(choices, map.runtime());
  Object json{{"map", number},
              {"dims", Integers(dims)},
              {"ranges", Integers(ranges)},
              {"runtime", Integers(runtime)},
              {"inside", map.InDomain(dims, ranges, runtime)},
              {"results", nullptr}};
  auto results = map.Evaluate(dims, ranges, runtime);
  if (results) {
    json["results"] = Integers(*results);
  } else {
    llvm::consumeError(results.takeError());
  }
  return json;
}

// The set that the map sends the dims of one of its points to, over all runtime values.
void AddImages(const IndexingMap& map, int64_t number, Array& images) {
  std::vector<int64_t> dims;
  std::set<std::vector<int64_t>> results;
  const bool complete = map.ForEachPoint(
      [&](llvm::ArrayRef<int64_t> d, llvm::ArrayRef<int64_t> s, llvm::ArrayRef<int64_t> rt) {
        if (dims.empty()) dims.assign(d.begin(), d.end());
        if (llvm::ArrayRef(dims) != d) return false;
        auto at = map.Evaluate(d, s, rt);
        if (at) {
          results.insert(*at);
        } else {
          llvm::consumeError(at.takeError());
        }
        return true;
      },
      int64_t{1} << 16);
  if (dims.empty() || !complete) return;
  Array list;
  for (const std::vector<int64_t>& result : results) list.push_back(Integers(result));
  images.push_back(Object{{"map", number}, {"dims", Integers(dims)}, {"results", std::move(list)}});
}

void Write(uint64_t seed, int64_t count) {
  Context context;
  Array maps, points, images;
  for (int64_t k = 0; k < count; ++k) {
    const std::vector<uint8_t> bytes = fuzz::SeededBytes(seed + static_cast<uint64_t>(k), 600);
    fuzz::Choices choices(bytes);
    fuzz::MapLimits limits;
    limits.extreme = k % 3 == 0;
    const IndexingMap map = fuzz::GenerateMap(choices, context, limits);
    const auto number = static_cast<int64_t>(maps.size());
    maps.push_back(driver::MapJson(map));
    if (map.IsUndefined() || map.IsKnownEmpty()) continue;
    for (int n = 0; n < 8; ++n) points.push_back(PointJson(map, number, choices));
    AddImages(map, number, images);
  }
  llvm::outs() << Value(Object{{"maps", std::move(maps)},
                               {"points", std::move(points)},
                               {"images", std::move(images)}})
               << "\n";
}

}  // namespace
}  // namespace affirm

int main(int argc, char** argv) {
  if (argc != 3) return 3;
  affirm::Write(std::strtoull(argv[1], nullptr, 10), std::strtoll(argv[2], nullptr, 10));
  return 0;
}
