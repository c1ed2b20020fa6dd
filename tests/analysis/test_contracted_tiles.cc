// Tiles of contracted dims agree with enumeration: in each step, what the maps read at its indices.
#include <gtest/gtest.h>

#include "core/analysis/uses/contracted_tiles.h"
#include "tests/analysis/hlo_text.h"

namespace affirm {
namespace {

using testing::Parse;
using testing::Parsed;
using testing::Related;
using Sizes = std::vector<int64_t>;

struct Case {
  const char* name;
  const char* text;
  Sizes tile, contracted;
  Sizes extents;             // of the contracted dims
  bool leaves_gaps = false;  // the tile of the parameter `a` covers more than is read
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

// The body of an entry, in a module with a sum to reduce by.
Parsed ParseWithSum(const std::string& body) {
  return Parse(
      "add {\na = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n" +
      body + "\n}\n");
}

// Every (tile, step) of a point of a map, with the element: by division alone.
std::set<Related> Wanted(const std::vector<LabeledMap>& maps, const Sizes& shape, const Case& c,
                         bool has_steps) {
  std::set<Related> out;
  auto size = [](int64_t extent, int64_t size) {
    return std::max<int64_t>(1, std::min(extent, size));
  };
  for (const LabeledMap& map : maps) {
    map.map.ForEachPoint([&](auto dims, auto ranges, auto) {
      std::vector<std::vector<int64_t>> ids = {{}};
      for (size_t k = 0; k < shape.size(); ++k)
        ids[0].push_back(dims[k] / size(shape[k], c.tile[k]));
      for (size_t j = 0; has_steps && j < c.extents.size(); ++j) {
        const int64_t step = size(c.extents[j], c.contracted[j]);
        std::vector<std::vector<int64_t>> next;
        // An element that depends on no contracted dim is needed in each step.
        const bool moves = !ranges.empty();
        for (int64_t s = 0; s * step < c.extents[j]; ++s) {
          if (moves && s != ranges[j] / step) continue;
          for (std::vector<int64_t> id : ids) {
            id.push_back(s);
            next.push_back(id);
          }
        }
        ids = next;
      }
      auto element = llvm::cantFail(map.map.Evaluate(dims, ranges));
      for (const std::vector<int64_t>& id : ids) out.insert({id, {}, element});
      return true;
    });
  }
  return out;
}

class ContractedTilesOf : public ::testing::TestWithParam<Case> {};

TEST_P(ContractedTilesOf, AgreeWithEnumeration) {
  const Case& c = GetParam();
  Parsed p = ParseWithSum(c.text);
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  auto tiles = ContractedTiles(*p.root, 0, c.tile, c.contracted, context);
  ASSERT_TRUE(bool(tiles)) << llvm::toString(tiles.takeError());
  int cut = 0;
  for (const auto& [op, maps] : ComputationIndexing(*p.root, 0, context)) {
    std::set<Related> covered;
    bool has_steps = false, is_exact = true;
    for (const LeafTile& t : (*tiles)[op]) {
      is_exact &= t.tile.exactness == Exactness::kExact;
      has_steps |= t.tile.offsets.dims().size() > c.tile.size();
      covered.merge(testing::Relation(t.tile.Elements()));
    }
    cut += has_steps;
    EXPECT_EQ(is_exact, !c.leaves_gaps || op->opcode != hlo::Opcode::kParameter || !has_steps ||
                            op->name != "a")
        << op->name;
    std::set<Related> wanted = Wanted(maps, p.root->shape.dims, c, has_steps);
    EXPECT_TRUE(std::includes(covered.begin(), covered.end(), wanted.begin(), wanted.end()));
    EXPECT_EQ(covered == wanted, is_exact) << op->name;
  }
  const bool reads = !llvm::is_contained(c.extents, 0);
  EXPECT_EQ(cut > 0, reads);
}

#define DOT(x, y, r, attributes)                                              \
  "a = f32[" x "] parameter(0)\nb = f32[" y "] parameter(1)\nROOT r = f32[" r \
  "] dot(a, b), " attributes
#define REDUCE(x, r, dims)                                                                        \
  "a = f32[" x "] parameter(0)\nz = f32[] constant(0)\nn = f32[" x "] negate(a)\nROOT r = f32[" r \
  "] reduce(n, z), dimensions={" dims "}, to_apply=add"

const char* const kEpilogue =
    "a = f32[4,10] parameter(0)\nb = f32[10,6] parameter(1)\nc = f32[6] parameter(2)\n"
    "n = f32[4,10] negate(a)\nd = f32[4,6] dot(n, b), lhs_contracting_dims={1}, "
    "rhs_contracting_dims={0}\ne = f32[4,6] broadcast(c), dimensions={1}\n"
    "m = f32[4,6] multiply(d, e)\nROOT r = f32[6,4] transpose(m), dimensions={1,0}";
const char* const kReshaped =
    "a = f32[24] parameter(0)\nb = f32[8,2] parameter(1)\nc = f32[3,8] reshape(a)\n"
    "ROOT r = f32[3,2] dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
const char* const kSliced =
    "a = f32[3,20] parameter(0)\nb = f32[2,8] parameter(1)\n"
    "c = f32[3,8] slice(a), slice={[0:3], [1:17:2]}\n"
    "ROOT r = f32[3,2] dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}";

INSTANTIATE_TEST_SUITE_P(
    Ops, ContractedTilesOf,
    ::testing::Values(
        Case{"Matrices",
             DOT("4,10", "10,6", "4,6", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
             {3, 2},
             {4},
             {10}},
        Case{"WholeContraction",
             DOT("4,10", "10,6", "4,6", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
             {4, 6},
             {99},
             {10}},
        Case{"Transposed",
             DOT("9,4", "6,9", "4,6", "lhs_contracting_dims={0}, rhs_contracting_dims={1}"),
             {2, 6},
             {3},
             {9}},
        Case{"Batched",
             DOT("2,4,5", "2,5,3", "2,4,3",
                 "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                 "rhs_contracting_dims={1}"),
             {1, 4, 2},
             {2},
             {5}},
        Case{"TwoContracted",
             DOT("3,4,5", "4,5,2", "3,2", "lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}"),
             {2, 2},
             {3, 2},
             {4, 5}},
        Case{"RankZero",
             DOT("12", "12", "", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
             {},
             {5},
             {12}},
        Case{"NoTerms",
             DOT("4,0", "0,6", "4,6", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
             {3, 2},
             {4},
             {0}},
        Case{"Rows", REDUCE("4,9", "4", "1"), {3}, {2}, {9}},
        Case{"Columns", REDUCE("9,4", "4", "0"), {3}, {4}, {9}},
        Case{"TwoDims", REDUCE("3,4,5", "4", "0,2"), {2}, {2, 3}, {3, 5}},
        Case{"TwoDimsInAnyOrder", REDUCE("3,4,5", "4", "2,0"), {2}, {2, 3}, {3, 5}},
        Case{"ToAScalar", REDUCE("3,4", "", "0,1"), {}, {2, 3}, {3, 4}},
        Case{"Epilogue", kEpilogue, {4, 3}, {3}, {10}},
        Case{"Reshaped", kReshaped, {1, 2}, {4}, {8}},
        Case{"Gaps", kReshaped, {2, 2}, {4}, {8}, true}, Case{"Sliced", kSliced, {2, 1}, {3}, {8}}),
    [](const auto& info) { return std::string(info.param.name); });

std::string ErrorOf(const char* text, const Sizes& tile, const Sizes& contracted) {
  Parsed p = ParseWithSum(text);
  EXPECT_TRUE(p.root) << p.error;
  Context context;
  auto tiles = ContractedTiles(*p.root, 0, tile, contracted, context);
  return tiles ? "" : llvm::toString(tiles.takeError());
}

TEST(ContractedTiles, AreRefusedWhereTheyAreNotOneFamily) {
  constexpr const char* kDims = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const std::string dot = std::string(DOT("4,10", "10,4", "4,4", "")) + kDims;
  EXPECT_EQ(ErrorOf(dot.c_str(), {4, 4}, {2, 2}),
            "'r' has the contracted dims [10], expected a size for each, have 2");
  EXPECT_NE(ErrorOf(dot.c_str(), {4, 4}, {0}), "");
  EXPECT_NE(ErrorOf("a = f32[4] parameter(0)\nROOT r = f32[4] negate(a)", {4}, {2}), "");
  const std::string both = "a = f32[4,4] parameter(0)\nd = f32[4,4] dot(a, a), " +
                           std::string(kDims) + "\nROOT r = f32[4,4] add(d, a)";
  EXPECT_EQ(ErrorOf(both.c_str(), {4, 4}, {2}), "'a' is also read past 'd', for all steps at once");
  const std::string two = "a = f32[4,4] parameter(0)\nd = f32[4,4] dot(a, a), " +
                          std::string(kDims) + "\nROOT r = f32[4,4] dot(d, d), " + kDims;
  EXPECT_NE(ErrorOf(two.c_str(), {4, 4}, {2}).find("both have contracted dims"), std::string::npos);
}

}  // namespace
}  // namespace affirm
