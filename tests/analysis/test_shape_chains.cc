// Chains of shape ops come out in the form that a single op gives, wherever a single op could do
// the same.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "core/analysis/ops/op_helpers.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/shape_chains.h"

namespace affirm {
namespace {

using testing::DirectOps;
using testing::Elements;
using testing::Parse;
using testing::ShapeChain;
using testing::ShapeOp;
using testing::Sizes;

// The map from the result of a chain to its parameter; nullopt when nothing is read.
std::optional<IndexingMap> MapOf(const ShapeChain& chain, Context& context) {
  testing::Parsed p = Parse(ToText(chain));
  if (!p.root) {
    ADD_FAILURE() << p.error << "\n" << ToText(chain);
    return std::nullopt;
  }
  GroupedIndexing grouped = ComputationIndexing(*p.root, 0, context);
  auto maps = grouped.lookup(p.module->entry->parameters[0]);
  if (maps.empty()) return std::nullopt;
  EXPECT_EQ(maps.size(), 1u);
  return analysis::Canonical(maps[0].map);
}

// The source of each element, by the map.
Elements ElementsOf(const std::optional<IndexingMap>& map, const Sizes& from, const Sizes& to) {
  Elements out = testing::Iota(to);
  std::fill(out.from.begin(), out.from.end(), -1);
  if (!map) return out;
  map->ForEachPoint([&](auto dims, auto ranges, auto) {
    auto at = map->Evaluate(dims, ranges);
    EXPECT_TRUE(bool(at));
    int64_t p = 0, q = 0;
    for (size_t i = 0; i < to.size(); ++i) p = p * to[i] + dims[i];
    for (size_t i = 0; i < from.size(); ++i) q = q * from[i] + (*at)[i];
    out.from[p] = q;
    return true;
  });
  return out;
}

struct Tally {
  int64_t same = 0, other = 0;
};

TEST(ShapeChains, HaveTheFormOfASingleOp) {
  const char* text = std::getenv("AFFIRM_CHAINS");
  int64_t runs = text ? std::atoll(text) : 2000;
  std::map<std::string, Tally> by_kind;
  Tally all;
  for (int64_t seed = 0; seed < runs; ++seed) {
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed * 1000, 200);
    fuzz::Choices choices(bytes);
    ShapeChain chain = testing::RandomChain(choices);
    Elements elements = Apply(chain);
    Context context;
    std::optional<IndexingMap> got = MapOf(chain, context);
    ASSERT_EQ(ElementsOf(got, chain.sizes, elements.sizes), elements)
        << "seed " << seed << "\n"
        << ToText(chain) << (got ? got->ToString() : "nothing");
    std::vector<ShapeOp> direct = DirectOps(chain.sizes, elements);
    if (direct.empty()) continue;
    bool same = false;
    std::string wanted;
    for (const ShapeOp& op : direct) {
      std::optional<IndexingMap> want = MapOf({"", chain.sizes, {op}}, context);
      same |= want == got;
      wanted +=
          std::string("\n  want ") + Name(op.kind) + ": " + (want ? want->ToString() : "nothing");
    }
    Tally& tally = by_kind[chain.pattern + " as " + Name(direct[0].kind)];
    ++(same ? tally.same : tally.other);
    ++(same ? all.same : all.other);
    if (!same && std::getenv("AFFIRM_CHAINS_SHOW")) {
      std::printf("seed %ld %s\n%s  got  %s%s\n", seed, chain.pattern.c_str(),
                  ToText(chain).c_str(), got ? got->ToString().c_str() : "nothing", wanted.c_str());
    }
  }
  for (const auto& [kind, tally] : by_kind) {
    if (tally.other)
      std::printf("%-50s %ld of %ld differ\n", kind.c_str(), tally.other, tally.same + tally.other);
  }
  std::printf("%ld of %ld have the form of a single op\n", all.same, all.same + all.other);
  EXPECT_GE(all.same + all.other, runs / 4);
  EXPECT_GE(all.same * 100, (all.same + all.other) * 95);
}

}  // namespace
}  // namespace affirm
