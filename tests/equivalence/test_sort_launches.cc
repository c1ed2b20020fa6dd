// Sorts of several launches are put together to the sort that they are, and only where they are
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/hlo/text.h"
#include "emit/plan/expand.h"
#include "tests/parse_module.h"
#include "verify/equivalence/merge_layers.h"
#include "verify/equivalence/prove.h"
#include "verify/equivalence/sort_launches.h"
#include "verify/equivalence/topk_as_sort.h"
#include "verify/reference/interpreter.h"

namespace affirm::equivalence {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

constexpr char kLess[] =
    "less { a = s32[] parameter(0) b = s32[] parameter(1) "
    "ROOT r = pred[] compare(a, b), direction=LT }\n";

constexpr char kLessOfPairs[] =
    "less { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] "
    "parameter(3) ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }\n";

std::string SortOf(int64_t size) {
  const std::string shape = "s32[" + std::to_string(size) + "]";
  return std::string("HloModule m\n") + kLess + "ENTRY e { p = " + shape +
         " parameter(0) ROOT s = " + shape + " sort(p), dimensions={0}, to_apply=less }";
}

std::string SortOfPairs(const std::string& dims, int64_t dimension, bool is_stable) {
  const std::string keys = "f32[" + dims + "]", values = "s32[" + dims + "]";
  return std::string("HloModule m\n") + kLessOfPairs + "ENTRY e { p = " + keys +
         " parameter(0) v = " + values + " parameter(1) ROOT s = (" + keys + ", " + values +
         ") sort(p, v), dimensions={" + std::to_string(dimension) +
         "}, is_stable=" + (is_stable ? "true" : "false") + ", to_apply=less }";
}

// Rows of zeros and ones after sorts of tiles and the layers of merges, computed.
std::vector<int64_t> Sorted(const std::vector<int64_t>& row, int64_t tile) {
  Computation less, all;
  LayerBuilder of_less(less);
  const Shape scalar = Shape::Array(PrimitiveType::kS32, {});
  Instruction *x = of_less.Parameter(scalar), *y = of_less.Parameter(scalar);
  hlo::Attributes direction;
  direction.comparison_direction = "LT";
  less.root =
      of_less.Add(Opcode::kCompare, Shape::Array(PrimitiveType::kPred, {}), {x, y}, direction);
  less.NumberParameters();
  LayerBuilder b(all);
  const auto size = static_cast<int64_t>(row.size());
  const Tiling tiling{{size}, 0, tile};
  auto sort_tiles = [&](Instruction* array) {
    auto sort = [&](Instruction* rows, int64_t dimension) {
      hlo::Attributes attributes;
      attributes.dimensions = {dimension};
      Instruction* sorted = b.Add(Opcode::kSort, rows->shape, {rows}, attributes);
      sorted->called = {&less};
      sorted->called_as = {"to_apply"};
      return sorted;
    };
    const Shape tiles = Shape::Array(PrimitiveType::kS32, {size / tile, tile});
    Instruction* rest = b.Rest(tiling, array);
    return b.Joined(tiling, sort(b.Tiles(tiling, array, tiles), 1), rest ? sort(rest, 0) : nullptr);
  };
  Instruction* array = sort_tiles(b.Parameter(Shape::Array(PrimitiveType::kS32, {size})));
  for (int64_t sorted = tile; sorted < size; sorted *= 2)
    array = sort_tiles(b.Merged(tiling, {array}, &less, sorted)[0]);
  all.root = array;
  all.NumberParameters();
  hlo::Literal argument(Shape::Array(PrimitiveType::kS32, {size}));
  for (int64_t i = 0; i < size; ++i) argument.SetInt(i, row[static_cast<size_t>(i)]);
  auto result = hlo::Interpret(all, {argument});
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  std::vector<int64_t> values;
  for (int64_t i = 0; i < size; ++i) values.push_back(result->GetInt(i));
  return values;
}

// The statement of merge_layers.h, by the 0-1 principle and for rows of numbers.
TEST(MergeLayers, SortEveryRowOfZerosAndOnes) {
  for (int64_t size = 2; size <= 7; ++size) {
    for (int64_t tile = 1; tile <= std::min<int64_t>(size, 4); ++tile) {
      for (int64_t bits = 0; bits < int64_t{1} << size; ++bits) {
        std::vector<int64_t> row;
        for (int64_t i = 0; i < size; ++i) row.push_back(bits >> i & 1);
        std::vector<int64_t> wanted = row;
        std::sort(wanted.begin(), wanted.end());
        ASSERT_EQ(Sorted(row, tile), wanted) << size << " in tiles of " << tile;
      }
    }
  }
}

TEST(MergeLayers, SortRowsOfNumbers) {
  std::mt19937 random(1);
  for (int64_t size : {8, 13, 16, 29, 64, 100}) {
    for (int64_t tile : {1, 2, 3, 4, 7, 8}) {
      std::vector<int64_t> row;
      for (int64_t i = 0; i < size; ++i) row.push_back(static_cast<int64_t>(random() % 50));
      std::vector<int64_t> wanted = row;
      std::sort(wanted.begin(), wanted.end());
      EXPECT_EQ(Sorted(row, tile), wanted) << size << " in tiles of " << tile;
    }
  }
}

bool IsProved(const Computation& a, const Computation& b) {
  const auto wanted = WithWholeSorts(a, true), made = WithWholeSorts(b, false);
  return wanted && made && ProveEquivalent(*wanted->entry, *made->entry, {}).proved();
}

// The launches of a sort are the sort, whatever its size.
TEST(SortLaunches, AreTheSort) {
  for (const std::string& text :
       {SortOf(513), SortOf(1024), SortOf(1030), SortOf(5000), SortOf(int64_t{1} << 17),
        SortOf(1'000'000), SortOfPairs("40", 0, true), SortOfPairs("700", 0, false),
        SortOfPairs("3,1500,2", 1, true), SortOfPairs("1000000", 0, true)}) {
    auto module = testing::ParseOrFail(text);
    ASSERT_TRUE(module);
    const emit::Expansion launches = emit::Expand(*module->entry);
    EXPECT_TRUE(IsProved(*module->entry, *launches.computation)) << text;
    // Several launches are not proved unless they are put together; 40 elements have one launch.
    EXPECT_EQ(ProveEquivalent(*module->entry, *launches.computation, {}).proved(),
              text == SortOfPairs("40", 0, true));
  }
}

// The first of a sort of elements and places are what a topk keeps, and no others.
TEST(SortLaunches, AreATopK) {
  auto topk = [](const std::string& dims, const std::string& of_result, const char* k,
                 const char* largest, const char* type) {
    const std::string result =
        std::string("(") + type + "[" + of_result + "], s32[" + of_result + "])";
    return testing::ParseOrFail("ENTRY e { x = " + std::string(type) + "[" + dims +
                                "] parameter(0) ROOT t = " + result + " topk(x), k=" + k +
                                ", largest=" + largest + " }");
  };
  auto is_proved = [](const hlo::Module& of, const Computation& launches) {
    return IsProved(*WithTopKAsSort(*of.entry)->entry, launches);
  };
  struct Case {
    const char *dims, *of_result, *k, *type;
  };
  for (const Case& c : {Case{"40", "3", "3", "f32"}, Case{"5000", "1000", "1000", "bf16"},
                        Case{"3,700", "3,1", "1", "s32"}, Case{"1000000", "16", "16", "f32"}}) {
    const auto largest = topk(c.dims, c.of_result, c.k, "true", c.type),
               smallest = topk(c.dims, c.of_result, c.k, "false", c.type);
    ASSERT_TRUE(largest && smallest);
    const emit::Expansion launches = emit::Expand(*largest->entry);
    EXPECT_TRUE(is_proved(*largest, *launches.computation)) << c.dims;
    EXPECT_FALSE(is_proved(*smallest, *launches.computation)) << c.dims;
  }
}

// A comparator that is no strict weak order sorts nothing, whatever its launches do.
TEST(SortLaunches, ByWhatIsNoOrderAreNoSort) {
  for (const char* direction : {"LE", "NE", "GE"}) {
    std::string text = SortOfPairs("1500", 0, true);
    text.replace(text.find("GT"), 2, direction);
    const auto module = testing::ParseOrFail(text);
    ASSERT_TRUE(module);
    const emit::Expansion launches = emit::Expand(*module->entry);
    EXPECT_FALSE(IsProved(*module->entry, *launches.computation)) << direction;
  }
}

// A stable sort is not an unstable one.
TEST(SortLaunches, DoNotMakeASortStable) {
  auto stable = testing::ParseOrFail(SortOfPairs("40", 0, true));
  auto unstable = testing::ParseOrFail(SortOfPairs("40", 0, false));
  ASSERT_TRUE(stable && unstable);
  EXPECT_TRUE(IsProved(*stable->entry, *stable->entry));
  EXPECT_FALSE(IsProved(*stable->entry, *unstable->entry));
}

// Users of the positions get the positions of the sorted elements.
TEST(SortLaunches, KeepPositionsThatAreSeen) {
  const std::string less =
      "HloModule m\nless { a = f32[] parameter(0) b = f32[] parameter(1) p = s32[] parameter(2) "
      "q = s32[] parameter(3) e = pred[] compare(p, q), direction=LT "
      "f = pred[] compare(a, b), direction=LT g = pred[] compare(b, a), direction=LT "
      "n = pred[] not(g) ROOT r = pred[] select(e, n, f) }\n"
      "ENTRY e { x = f32[9] parameter(0) i = s32[9] iota(), iota_dimension=0 ";
  const std::string sort =
      "s = (f32[9], s32[9]) sort(x, i), dimensions={0}, to_apply=less "
      "k = f32[9] get-tuple-element(s), index=0 j = s32[9] get-tuple-element(s), index=1 ";
  auto seen = testing::ParseOrFail(less + sort + "ROOT t = (f32[9], s32[9]) tuple(k, j) }");
  auto whole = testing::ParseOrFail(
      less + "ROOT s = (f32[9], s32[9]) sort(x, i), dimensions={0}, to_apply=less }");
  ASSERT_TRUE(seen && whole);
  for (const hlo::Module* module : {seen.get(), whole.get()}) {
    const auto sorts = WithWholeSorts(*module->entry, false);
    EXPECT_TRUE(ProveEquivalent(*module->entry, *sorts->entry, {}).proved());
  }
}

// The first instruction of a computation that `is` is changed.
template <typename Is, typename Change>
bool ChangeFirst(Computation& computation, Is is, Change change) {
  for (const auto& op : computation.instructions) {
    if (!is(*op)) continue;
    change(*op);
    return true;
  }
  return false;
}

bool IsOf(const Instruction& op, Opcode opcode) { return op.opcode == opcode; }

void Become(Instruction& op, Opcode opcode) {
  op.opcode = opcode;
  op.opcode_text = hlo::Name(opcode).str();
}

// Each change leaves something that is no sort, or another one.
TEST(SortLaunches, WithAFaultAreNotTheSort) {
  struct Fault {
    const char* what;
    bool (*apply)(Computation&);
  };
  const Fault faults[] = {
      {"the other half of a merge is not reversed",
       [](Computation& c) {
         return ChangeFirst(
             c,
             [](const Instruction& op) {
               return IsOf(op, Opcode::kReverse) && op.attributes.dimensions.size() == 2;
             },
             [](Instruction& op) { op.attributes.dimensions.pop_back(); });
       }},
      {"the upper half takes what is larger too",
       [](Computation& c) {
         return ChangeFirst(
             c, [](const Instruction& op) { return IsOf(op, Opcode::kXor); },
             [](Instruction& op) { Become(op, Opcode::kOr); });
       }},
      {"elements change places where they should stay",
       [](Computation& c) {
         return ChangeFirst(
             c, [](const Instruction& op) { return IsOf(op, Opcode::kSelect); },
             [](Instruction& op) { std::swap(op.operands[1], op.operands[2]); });
       }},
      {"positions are those of rows",
       [](Computation& c) {
         return ChangeFirst(
             c, [](const Instruction& op) { return IsOf(op, Opcode::kIota); },
             [](Instruction& op) { op.attributes.dimensions = {0}; });
       }},
      {"the last element is exchanged with nothing",
       [](Computation& c) {
         // In all exchanges: in some of them it has no partner.
         bool any = false;
         for (const auto& op : c.instructions) {
           const bool is_end = IsOf(*op, Opcode::kConstant) && op->shape.IsScalar() &&
                               op->shape.type == PrimitiveType::kS32 &&
                               op->literal->GetInt(0) == 1500;
           if (is_end) op->literal->SetInt(0, 1499);
           any |= is_end;
         }
         return any;
       }},
      {"tiles are sorted across",
       [](Computation& c) {
         return ChangeFirst(
             c,
             [](const Instruction& op) {
               return IsOf(op, Opcode::kSort) && op.attributes.dimensions[0] == 2;
             },
             [](Instruction& op) { op.attributes.dimensions = {1}; });
       }},
      {"another order of positions",
       [](Computation& c) {
         return ChangeFirst(
             c, [](const Instruction& op) { return IsOf(op, Opcode::kSort); },
             [](Instruction& op) {
               Instruction& earlier = *op.called[0]->root->operands[0];
               earlier.attributes.comparison_direction = "GT";
             });
       }},
      {"another comparator",
       [](Computation& c) {
         return ChangeFirst(
             c, [](const Instruction& op) { return IsOf(op, Opcode::kSort); },
             [](Instruction& op) {
               for (const auto& part : op.called[0]->instructions) {
                 if (part->attributes.comparison_type == "TOTALORDER")
                   part->attributes.comparison_direction = "LT";
               }
             });
       }},
      {"the last merge is missing",
       [](Computation& c) {
         // The parts taken of the last two sorts are those that the sorts before them have sorted.
         std::vector<Instruction*> sorts;
         for (const auto& op : c.instructions) {
           if (IsOf(*op, Opcode::kSort)) sorts.push_back(op.get());
         }
         if (sorts.size() < 4) return false;
         for (size_t k : {sorts.size() - 1, sorts.size() - 2}) {
           for (Instruction* user : sorts[k]->users) user->operands = {sorts[k - 2]};
         }
         return true;
       }},
      {"the last sort of tiles is missing",
       [](Computation& c) {
         // The parts taken of the last two sorts are those that they were given.
         std::vector<Instruction*> sorts;
         for (const auto& op : c.instructions) {
           if (IsOf(*op, Opcode::kSort)) sorts.push_back(op.get());
         }
         if (sorts.size() < 4) return false;
         for (Instruction* sort : {sorts[sorts.size() - 1], sorts[sorts.size() - 2]}) {
           for (Instruction* user : std::vector<Instruction*>(sort->users)) {
             if (!IsOf(*user, Opcode::kGetTupleElement)) return false;
             Instruction* operand =
                 sort->operands[static_cast<size_t>(user->attributes.tuple_index)];
             Become(*user, Opcode::kCopy);
             user->operands = {operand};
           }
         }
         return true;
       }},
  };
  auto module = testing::ParseOrFail(SortOfPairs("3,1500", 1, true));
  ASSERT_TRUE(module);
  const emit::Expansion launches = emit::Expand(*module->entry);
  const std::string text = hlo::ToString(*launches.module);
  auto same = testing::ParseOrFail(text);
  ASSERT_TRUE(same);
  EXPECT_TRUE(IsProved(*module->entry, *same->entry));
  for (const Fault& fault : faults) {
    auto wrong = testing::ParseOrFail(text);
    ASSERT_TRUE(wrong);
    ASSERT_TRUE(fault.apply(*wrong->entry)) << fault.what;
    EXPECT_FALSE(IsProved(*module->entry, *wrong->entry)) << fault.what;
  }
}

}  // namespace
}  // namespace affirm::equivalence
