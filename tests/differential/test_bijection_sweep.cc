// Long sweep: verdicts on injective, surjective and bijective maps against counting.
#include <gtest/gtest.h>

#include "tests/differential/cases.h"
#include "tests/differential/table.h"
#include "tests/differential/tally.h"
#include "verify/maps/maps.h"

namespace affirm {
namespace {

struct Counted {
  bool injective = true, surjective = true, inside = true;
};

// How often each element of the shape is written, for each value of the runtime variables.
std::optional<Counted> Count(const IndexingMap& map, llvm::ArrayRef<int64_t> shape) {
  std::map<std::pair<std::vector<int64_t>, Numbers>, int64_t> hits;
  Counted counted;
  bool defined = ForEachOfDomain(map, [&](const Values& at, const Numbers& results) {
    counted.injective &= ++hits[{at.of[2], results}] == 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      counted.inside &= results[i] >= 0 && results[i] < shape[i];
    }
  });
  if (!defined) return std::nullopt;
  int64_t elements = 1, runtimes = 1;
  for (int64_t size : shape) elements *= std::max<int64_t>(size, 0);
  for (const Variable& v : map.runtime()) {
    runtimes *= v.bounds.IsEmpty() ? 0 : v.bounds.upper - v.bounds.lower + 1;
  }
  int64_t written = 0;
  for (const auto& [key, count] : hits) {
    bool is_index = true;
    for (size_t i = 0; i < shape.size(); ++i) {
      is_index &= key.second[i] >= 0 && key.second[i] < shape[i];
    }
    written += is_index;
  }
  counted.surjective = written == elements * runtimes;
  return counted;
}

// A map that is likely a bijection onto the shape: the elements in another order, or one missing.
IndexingMap Reordered(MapDraw& maps, Draw& draw, Context& context, std::vector<int64_t>& shape) {
  int64_t a = draw.Pick(1, 6), b = draw.Pick(1, 5), c = draw.Pick(1, 4), total = a * b * c;
  SymbolicExpr x = context.Dim(0), y = context.Dim(1), z = context.Range(0);
  SymbolicExpr linear = draw.Of(std::vector<SymbolicExpr>{
      x * (b * c) + y * c + z, x + y * a + z * (a * b), x * c + y * (a * c) + z,
      x * b + y + z * (a * b), x * (b * c) + y * c + z + draw.Pick(0, 1)});
  if (draw.OneIn(4)) linear = (linear * draw.Pick(1, 7) + draw.Pick(0, 5)).Mod(total);
  if (draw.OneIn(4)) linear = linear * -1 + (total - 1);
  std::vector<SymbolicExpr> results;
  int64_t inner = draw.Of(std::vector<int64_t>{a, b, c, b * c, a * c});
  if (draw.OneIn(2)) {
    results = {linear};
    shape = {total - (draw.OneIn(6) ? 1 : 0)};
  } else {
    results = {linear.FloorDiv(inner), linear.Mod(inner)};
    shape = {(total + inner - 1) / inner, inner};
  }
  IndexingMap map = IndexingMap::FromShapes(context, results, {a, b}, {c});
  return draw.OneIn(3) ? maps.Variant(map) : map;
}

void RunSweep(const CaseStyle& style, int64_t cases) {
  Sweep sweep;
  for (int64_t number = 0; number < NumCases(cases) && !::testing::Test::HasFailure(); ++number) {
    Context context;
    Draw draw(number);
    MapDraw maps(draw, context, style);
    std::vector<int64_t> shape;
    IndexingMap map = IndexingMap::Undefined();
    if (style.near_limits || draw.OneIn(3)) {
      int64_t rank = draw.Pick(0, 2);
      map = maps.Map(draw.Pick(0, 2), draw.Pick(0, 2), draw.Pick(0, 1), rank);
      for (int64_t i = 0; i < rank; ++i) shape.push_back(draw.Pick(0, 4));
    } else {
      map = Reordered(maps, draw, context, shape);
    }
    if (map.state() != IndexingMap::State::kNormal) continue;
    std::optional<Counted> counted = Count(map, shape);
    if (!counted) continue;
    std::string sizes;
    for (int64_t size : shape) sizes += std::to_string(size) + " ";
    SCOPED_TRACE("case " + std::to_string(number) + ": " + map.ToString() + " onto " + sizes);
    sweep.Add(ProveInjective(map), counted->injective);
    sweep.Add(ProveSurjective(map, shape), counted->surjective);
    sweep.Add(ProveBijection(map, shape),
              counted->injective && counted->surjective && counted->inside);
  }
}

TEST(BijectionSweep, Small) { RunSweep({.products = true}, 300); }
TEST(BijectionSweep, NearTheLimits) {
  RunSweep({.max_points = 64, .near_limits = true, .products = true}, 300);
}

}  // namespace
}  // namespace affirm
