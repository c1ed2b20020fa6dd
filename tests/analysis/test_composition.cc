// Maps of fusions and computations agree with following the instructions point by point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/analysis/layout.h"
#include "core/analysis/ops/movement_reshape.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using testing::F32;
using testing::Parse;
using testing::Parsed;
using testing::Sizes;

using Point = std::vector<int64_t>;

// The elements of each parameter that `at` of `op` reads, found by following the maps of single
// instructions point by point.
void Follow(const hlo::Instruction& op, const Point& at, Context& context,
            std::map<int64_t, std::set<Point>>& reads) {
  if (op.opcode == hlo::Opcode::kParameter) {
    reads[op.parameter_number].insert(at);
    return;
  }
  InstructionIndexing step = OutputToInput(op, 0, context);
  for (size_t k = 0; k < op.operands.size(); ++k) {
    for (const LabeledMap& m : step.maps[k]) {
      std::vector<int64_t> no_runtime;
      IndexingMap here = m.map;
      for (size_t i = 0; i < at.size(); ++i) {
        here.SetBounds(VarKind::kDim, static_cast<int64_t>(i),
                       here.state() == IndexingMap::State::kNormal
                           ? here.dims()[i].bounds.Intersect(Interval::Point(at[i]))
                           : Interval::Empty());
      }
      for (const testing::Related& r : testing::Relation(here)) {
        Follow(*op.operands[k], r.results, context, reads);
      }
    }
  }
}

RC_GTEST_PROP(Composition, AgreesPointByPoint, ()) {
  const auto module = testing::RandomGraph(testing::MovingOps(), /*fused=*/false);
  const hlo::Instruction& root = *module->entry->root;
  Context context;
  GroupedIndexing grouped = ComputationIndexing(root, 0, context);
  std::map<int64_t, std::set<testing::Related>> composed, followed;
  for (const hlo::Instruction* param : module->entry->parameters) {
    for (const LabeledMap& m : grouped.lookup(param)) {
      RC_ASSERT(m.exactness == Exactness::kExact);
      RC_LOG() << m.map.ToString() << "\n";
      composed[param->parameter_number].merge(testing::Relation(m.map));
    }
  }
  IndexingMap all = IndexingMap::Identity(context, root.shape.dims);
  all.ForEachPoint([&](auto dims, auto, auto) {
    std::map<int64_t, std::set<Point>> reads;
    Follow(root, dims.vec(), context, reads);
    for (const auto& [number, elements] : reads) {
      for (const Point& r : elements) followed[number].insert({dims.vec(), {}, r});
    }
    return true;
  });
  for (size_t number = 0; number < module->entry->parameters.size(); ++number) {
    RC_ASSERT(composed[number] == followed[number]);
  }
}

// A fusion from its result to its operands, and from each of these to its result.
RC_GTEST_PROP(Composition, FusionsInBothDirections, ()) {
  const auto module = testing::RandomGraph(testing::MovingOps(), /*fused=*/true);
  const hlo::Instruction& root = *module->entry->root;
  Context context;
  InstructionIndexing reads = OutputToInput(root, 0, context);
  for (size_t k = 0; k < root.operands.size(); ++k) {
    std::set<testing::Related> to_input, to_output;
    InstructionIndexing read_by = InputToOutput(root, static_cast<int64_t>(k), context);
    for (const LabeledMap& m : reads.maps[k]) to_input.merge(testing::Relation(m.map));
    for (const LabeledMap& m : read_by.maps[0]) to_output.merge(testing::Relation(m.map));
    RC_ASSERT(to_input == testing::Transposed(to_output));
  }
}

RC_GTEST_PROP(Reshapes, KeepTheRowMajorPosition, ()) {
  fuzz::OpLimits limits;
  limits.max_rank = 8;
  limits.max_size = 64;
  limits.max_elements = 256;
  limits.zero_sizes = false;
  const auto module = testing::RandomInstance(hlo::Opcode::kReshape, limits);
  const hlo::Instruction& root = *module->entry->root;
  const Sizes &from = root.operands[0]->shape.dims, &to = root.shape.dims;
  Context context;
  IndexingMap map = analysis::ReshapeMap(context, from, to);
  RC_LOG() << map.ToString();
  auto position = [](llvm::ArrayRef<int64_t> index, const Sizes& sizes) {
    int64_t p = 0;
    for (size_t i = 0; i < sizes.size(); ++i) p = p * sizes[i] + index[i];
    return p;
  };
  int64_t points = 0;
  map.ForEachPoint([&](auto dims, auto, auto) {
    auto to_index = map.Evaluate(dims, {});
    RC_ASSERT(bool(to_index));
    for (size_t i = 0; i < to.size(); ++i) {
      RC_ASSERT((*to_index)[i] >= 0 && (*to_index)[i] < to[i]);
    }
    RC_ASSERT(position(dims, from) == position(*to_index, to));
    ++points;
    return true;
  });
  int64_t count = 1;
  for (int64_t n : from) count *= n;
  RC_ASSERT(points == count);
}

TEST(Reshapes, OfNothingIsEmptyAndOfDifferentSizesUndefined) {
  Context context;
  EXPECT_TRUE(analysis::ReshapeMap(context, {0, 4}, {2, 0, 7}).IsKnownEmpty());
  EXPECT_TRUE(analysis::ReshapeMap(context, {2}, {3}).IsUndefined());
  EXPECT_TRUE(analysis::ReshapeMap(context, {kInt64Max, 4}, {4, kInt64Max}).IsUndefined());
  EXPECT_EQ(analysis::ReshapeMap(context, {1, 1}, {}).results().size(), 0u);
}

// An array of at most `max_rank` dims of at most `max_size`, in any order.
hlo::Shape RandomArray(int64_t max_rank, int64_t max_size) {
  fuzz::OpLimits limits;
  limits.max_rank = max_rank;
  limits.max_size = max_size;
  limits.max_elements = 400;
  limits.zero_sizes = false;
  hlo::Shape shape = testing::RandomInstance(hlo::Opcode::kParameter, limits)->entry->root->shape;
  if (!shape.layout) shape.layout = hlo::Layout{shape.MinorToMajor(), ""};
  return shape;
}

// Logical to physical indices and back, logical indices to linear positions and back.
RC_GTEST_PROP(Layouts, RoundTrip, ()) {
  const hlo::Shape shape = RandomArray(4, 3);
  Context context;
  IndexingMap there = LogicalToPhysical(shape, context), back = PhysicalToLogical(shape, context);
  auto is_identity = [](const IndexingMap& m) {
    auto relation = testing::Relation(m);
    return std::all_of(relation.begin(), relation.end(),
                       [](const testing::Related& r) { return r.dims == r.results; });
  };
  RC_ASSERT(is_identity(Compose(there, back)));
  IndexingMap linear = LogicalToLinear(shape, context);
  RC_ASSERT(is_identity(Compose(linear, LinearToLogical(shape, context))));
  // The most minor dim moves the position by one.
  std::vector<int64_t> minor_to_major = shape.MinorToMajor();
  int64_t stride = 1;
  for (int64_t d : minor_to_major) {
    Point origin(shape.rank(), 0), step = origin;
    if (shape.dims[d] == 1) continue;
    step[d] = 1;
    RC_ASSERT((*linear.Evaluate(step, {}))[0] - (*linear.Evaluate(origin, {}))[0] == stride);
    stride *= shape.dims[d];
  }
}

hlo::Shape Tiled(const Sizes& dims, const std::string& tiles) {
  hlo::Shape shape = hlo::Shape::Array(hlo::PrimitiveType::kF32, dims);
  shape.layout = hlo::Layout{shape.MinorToMajor(), tiles};
  return shape;
}

// Tiles of random sizes, one or two levels of them: each element has its own position, below the
// padded size, and the inverse map leads back to it; positions of padding have no element.
RC_GTEST_PROP(Layouts, TilesRoundTrip, ()) {
  hlo::Shape shape = RandomArray(3, 7);
  std::string& tiles = shape.layout->annotations;
  tiles = "T(";
  int64_t rank = testing::In(1, 3);
  for (int64_t i = 0; i < rank; ++i) tiles += (i ? "," : "") + std::to_string(testing::In(1, 4));
  tiles += ")";
  if (testing::In(0, 1)) tiles += "(" + std::to_string(testing::In(1, 3)) + ")S(5)";
  RC_LOG() << shape.ToString();
  Context context;
  auto physical = PhysicalDims(shape);
  RC_ASSERT(physical.has_value());
  int64_t space = 1;
  for (int64_t n : *physical) space *= n;
  auto there = testing::Relation(LogicalToLinear(shape, context));
  RC_ASSERT(static_cast<int64_t>(there.size()) == shape.NumElements());
  for (const testing::Related& r : there) RC_ASSERT(r.results[0] >= 0 && r.results[0] < space);
  RC_ASSERT(testing::Transposed(there) == testing::Relation(LinearToLogical(shape, context)));
  RC_ASSERT(testing::Transposed(testing::Relation(LogicalToPhysical(shape, context))) ==
            testing::Relation(PhysicalToLogical(shape, context)));
}

TEST(Layouts, TilesAreWhereTheDocumentSays) {
  Context context;
  // Six tiles of two by two; the element stands in the fifth of them, in its first row.
  EXPECT_EQ(*LogicalToLinear(Tiled({3, 5}, "T(2,2)"), context).Evaluate({2, 3}, {}), Sizes({17}));
  EXPECT_EQ(LogicalToPhysical(Tiled({3, 5}, "T(2,2)"), context).ToString(),
            "(d0, d1) -> (d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2), domain: d0 in [0, 2], "
            "d1 in [0, 4]");
  EXPECT_EQ(PhysicalDims(Tiled({100, 200}, "T(8,128)(2,1)")), Sizes({13, 2, 4, 128, 2, 1}));
  EXPECT_EQ(PhysicalDims(Tiled({100}, "T(8,128)")), Sizes({1, 1, 8, 128}));
  for (const char* tiles : {"T(*,128)", "T(0)", "T(-1)", "T()", "T(9223372036854775807)(2)"}) {
    EXPECT_FALSE(PhysicalDims(Tiled({100, 200}, tiles))) << tiles;
    EXPECT_TRUE(LogicalToLinear(Tiled({100, 200}, tiles), context).IsUndefined());
  }
}

// An all-gather of an all-gather names a replica for each of the two.
TEST(Computations, CollectivesOneAfterTheOther) {
  Parsed p = Parse(R"(p0 = f32[2,3] parameter(0)
      a = f32[8,3] all-gather(p0), dimensions={0}, replica_groups={{0,1,2,3}}
      t = f32[3,8] transpose(a), dimensions={1,0}
      ROOT b = f32[6,8] all-gather(t), dimensions={0}, replica_groups={{0,1},{2,3}})");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  GroupedIndexing grouped = ComputationIndexing(*p.root, 0, context);
  const std::vector<LabeledMap>& maps = grouped.lookup(p.module->entry->parameters[0]);
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].exactness, Exactness::kExact);
  ASSERT_TRUE(maps[0].replica_id);
  constexpr char kDomain[] = ", domain: d0 in [0, 5], d1 in [0, 7]";
  EXPECT_EQ(maps[0].map.ToString(), std::string("(d0, d1) -> (d1 mod 2, d0 mod 3)") + kDomain);
  EXPECT_EQ(maps[0].replica_id->ToString(),
            std::string("(d0, d1) -> (d0 floordiv 3, d1 floordiv 2)") + kDomain);
}

// Every node has two users, in 60 levels: there are 2^60 paths and two maps.
TEST(Computations, ManyPathsFewMaps) {
  std::string text = "v0 = f32[4,4] parameter(0)\n";
  for (int i = 1; i <= 60; ++i) {
    std::string in = "v" + std::to_string(i - 1), n = std::to_string(i);
    text += "t" + n + " = f32[4,4] transpose(" + in + "), dimensions={1,0}\n";
    text +=
        std::string(i == 60 ? "ROOT " : "") + "v" + n + " = f32[4,4] add(" + in + ", t" + n + ")\n";
  }
  Parsed p = Parse(text);
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  GroupedIndexing grouped = ComputationIndexing(*p.root, 0, context);
  EXPECT_EQ(grouped.lookup(p.module->entry->parameters[0]).size(), 2u);
  // Users come before operands.
  std::set<const hlo::Instruction*> seen;
  for (const auto& [op, maps] : grouped) {
    for (const hlo::Instruction* user : op->users) EXPECT_TRUE(seen.count(user));
    seen.insert(op);
  }
}

// Each level adds a different offset, so that there would be 2^12 maps, more than kMaxMapsPerLeaf.
TEST(Computations, PastTheCapAnyElementMayBeRead) {
  std::string text = "v0 = f32[8192] parameter(0)\n";
  int64_t size = 8192;
  for (int i = 0; i < 12; ++i) {
    std::string in = "v" + std::to_string(i), n = std::to_string(i + 1);
    int64_t shift = int64_t{1} << i, left = size - shift;
    std::string shape = F32({left});
    text +=
        "a" + n + " = " + shape + " slice(" + in + "), slice={[0:" + std::to_string(left) + "]}\n";
    text += "b" + n + " = " + shape + " slice(" + in + "), slice={[" + std::to_string(shift) + ":" +
            std::to_string(size) + "]}\n";
    text += std::string(i == 11 ? "ROOT " : "") + "v" + n + " = " + shape + " add(a" + n + ", b" +
            n + ")\n";
    size = left;
  }
  Parsed p = Parse(text);
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  GroupedIndexing grouped = ComputationIndexing(*p.root, 0, context);
  std::vector<LabeledMap> maps = grouped.lookup(p.module->entry->parameters[0]);
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].map.ToString(), "(d0)[s0] -> (s0), domain: d0 in [0, 4096], s0 in [0, 8191]");
  EXPECT_EQ(maps[0].exactness, Exactness::kOverApproximate);
}

// Nested calls, each computation called twice, are analyzed once each.
TEST(Computations, NestedCallsAreComputedOnce) {
  std::string text =
      "HloModule m\nf0 {\n p = f32[2,3] parameter(0)\n"
      " ROOT r = f32[3,2] transpose(p), dimensions={1,0}\n}\n";
  for (int i = 1; i <= 40; ++i) {
    std::string from = i % 2 ? "f32[2,3]" : "f32[2,3]", callee = "f" + std::to_string(i - 1);
    text += "f" + std::to_string(i) + " {\n p = " + from +
            " parameter(0)\n a = f32[3,2] call(p), to_apply=" + callee + "\n n = " + from +
            " negate(p)\n b = f32[3,2] call(n), to_apply=" + callee +
            "\n ROOT r = f32[3,2] add(a, b)\n}\n";
  }
  text += "ENTRY e {\n p = f32[2,3] parameter(0)\n ROOT c = f32[3,2] call(p), to_apply=f40\n}\n";
  Parsed p = Parse(text);
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  InstructionIndexing got = OutputToInput(*p.root, 0, context);
  ASSERT_EQ(got.maps[0].size(), 1u);
  EXPECT_EQ(got.maps[0][0].map.ToString(),
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]");
  EXPECT_EQ(InputToOutput(*p.root, 0, context).maps[0].size(), 1u);
}

TEST(Computations, UnknownOpsMakeUndefinedOnlyWhatIsBehindThem) {
  Parsed p = Parse(R"(p0 = f32[4] parameter(0)
      p1 = f32[4] parameter(1)
      c = f32[4] custom-call(p0), custom_call_target="foo"
      ROOT r = f32[4] add(c, p1))");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  GroupedIndexing grouped = ComputationIndexing(*p.root, 0, context);
  EXPECT_TRUE(grouped.lookup(p.module->entry->parameters[0])[0].map.IsUndefined());
  EXPECT_EQ(grouped.lookup(p.module->entry->parameters[1])[0].exactness, Exactness::kExact);
}

TEST(Computations, IdsOutOfRangeGiveNothing) {
  Parsed p = Parse("p0 = f32[4] parameter(0)\nROOT r = f32[4] negate(p0)");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  for (int64_t id : {-1, 1, 7}) {
    EXPECT_TRUE(OutputToInput(*p.root, id, context).maps.empty());
    EXPECT_TRUE(InputToOutput(*p.root, id, context).maps.empty());
    EXPECT_TRUE(ComputationIndexing(*p.root, id, context).empty());
  }
}

}  // namespace
}  // namespace affirm
