// The emitters of heroes: chosen where they should be, bijections, and equal to the interpreter.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tests/emit/kernel_testing.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

std::string Join(const std::vector<int64_t>& values) {
  std::string text;
  for (int64_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
  return text;
}

// The kernel of `hlo` is the named emitter's, its maps are bijections, and it runs right.
::testing::AssertionResult IsRight(const std::string& hlo, const std::string& emitter) {
  EmittedModule emitted = Emit(hlo);
  if (!emitted.kernel) return ::testing::AssertionFailure() << emitted.error;
  if (!emitter.empty() && emitted.kernel->emitter() != emitter) {
    return ::testing::AssertionFailure() << "the emitter is " << emitted.kernel->emitter();
  }
  auto bijections = MapsAreBijections(*emitted.kernel);
  if (!bijections) return bijections;
  return MatchesInterpreter(emitted, hlo::MakeArguments(emitted.entry(), 1));
}

// `entry` with reductions by each operation on each type at hand.
std::string Module(const std::string& entry) {
  std::string text = "HloModule m\n";
  for (const char* op : {"add", "maximum", "minimum", "multiply"}) {
    for (const char* type : {"f32", "s32", "s8", "bf16", "u64"}) {
      std::string t = type;
      text += std::string(op) + "_" + t + " { a = " + t + "[] parameter(0) b = " + t +
              "[] parameter(1) ROOT r = " + t + "[] " + op + "(a, b) }\n";
    }
  }
  return text + "ENTRY e {\n" + entry + "}\n";
}

std::string Transpose(const std::vector<int64_t>& sizes, const std::vector<int64_t>& permutation,
                      const std::string& type) {
  std::vector<int64_t> result;
  for (int64_t d : permutation) result.push_back(sizes[d]);
  return Module("p = " + type + "[" + Join(sizes) + "] parameter(0)\nROOT t = " + type + "[" +
                Join(result) + "] transpose(p), dimensions={" + Join(permutation) + "}\n");
}

std::string Reduce(const std::vector<int64_t>& sizes, int64_t first, int64_t last,
                   const std::string& operation, const std::string& type) {
  std::vector<int64_t> result, dims;
  for (int64_t d = 0; d < std::ssize(sizes); ++d) {
    if (first <= d && d < last) {
      dims.push_back(d);
    } else {
      result.push_back(sizes[d]);
    }
  }
  return Module("p = " + type + "[" + Join(sizes) + "] parameter(0)\nz = " + type +
                "[] constant(1)\nROOT r = " + type + "[" + Join(result) + "] reduce(p, z), " +
                "dimensions={" + Join(dims) + "}, to_apply=" + operation + "_" + type + "\n");
}

TEST(TransposeEmitter, IsForAFastestDimensionThatMoves) {
  EXPECT_TRUE(IsRight(Transpose({40, 36}, {1, 0}, "f32"), "transpose"));
  EXPECT_TRUE(IsRight(Transpose({5, 40, 36}, {1, 2, 0}, "s8"), "transpose"));
  EXPECT_TRUE(IsRight(Transpose({5, 1, 70, 4}, {2, 3, 1, 0}, "u64"), "transpose"));
  EXPECT_TRUE(IsRight(Transpose({40, 36, 3}, {1, 0, 2}, "f32"), "loop"));  // rows of 3 stay
  EXPECT_TRUE(IsRight(Transpose({40, 2}, {1, 0}, "f32"), "loop"));         // too thin
  EXPECT_TRUE(IsRight(Transpose({0, 36}, {1, 0}, "f32"), "loop"));         // nothing to do
  EXPECT_TRUE(IsRight(Transpose({1, 70, 1}, {2, 1, 0}, "f32"), "loop"));   // a reshape
}

RC_GTEST_PROP(TransposeEmitter, AnySizesAndPermutation, ()) {
  auto rank = *rc::gen::inRange<size_t>(2, 5);
  auto sizes = *rc::gen::container<std::vector<int64_t>>(
      rank, rc::gen::weightedElement<int64_t>({{2, 1}, {2, 3}, {2, 8}, {1, 33}, {1, 40}}));
  std::vector<int64_t> permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  auto swaps = *rc::gen::container<std::vector<size_t>>(rank, rc::gen::inRange<size_t>(0, rank));
  for (size_t i = 0; i < rank; ++i) std::swap(permutation[i], permutation[swaps[i]]);
  RC_PRE(std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()) < 20000);
  auto type = *rc::gen::element<std::string>("f32", "s8", "bf16", "u64");
  auto right = IsRight(Transpose(sizes, permutation, type), "");
  if (!right) RC_FAIL(std::string(right.message()));
}

// `count` arrays transposed by one kernel.
std::string Transposes(int64_t count, const std::string& type) {
  std::string body, shapes, names;
  for (int64_t i = 0; i < count; ++i) {
    std::string n = std::to_string(i), comma = i == 0 ? "" : ", ";
    body += "p" + n + " = " + type + "[40,36] parameter(" + n + ")\nt" + n + " = " + type +
            "[36,40] transpose(p" + n + "), dimensions={1,0}\n";
    shapes += comma + type + "[36,40]";
    names += comma + "t" + n;
  }
  return Module(body + "ROOT t = (" + shapes + ") tuple(" + names + ")\n");
}

bool IsSwizzled(const emit::Kernel& kernel) {
  return llvm::any_of(kernel.thread_maps(), [](const emit::ThreadMap& map) {
    return llvm::StringRef(map.what).starts_with("swizzled");
  });
}

// 48 KiB hold this many tiles, and one less when their rows are padded.
TEST(TransposeEmitter, TilesAreSwizzledWherePaddedOnesDoNotFit) {
  for (auto [type, most] : {std::pair("s32", 12), {"f64", 6}, {"c128", 3}}) {
    EXPECT_TRUE(IsRight(Transposes(most, type), "transpose"));
    EXPECT_TRUE(IsSwizzled(*Emit(Transposes(most, type)).kernel));
    EXPECT_FALSE(IsSwizzled(*Emit(Transposes(most - 1, type)).kernel));
    EXPECT_EQ(Emit(Transposes(most + 1, type)).kernel->emitter(), "loop");
  }
}

// The lanes of a warp that one access of 128 bytes serves lie in different banks of 4 bytes.
TEST(TransposeEmitter, SwizzledTilesHaveNoBankConflicts) {
  EmittedModule emitted = Emit(Transposes(12, "f32"));
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  int64_t maps = 0;
  for (const emit::ThreadMap& tile : emitted.kernel->thread_maps()) {
    if (!llvm::StringRef(tile.what).starts_with("swizzled")) continue;
    ++maps;
    for (int64_t bytes : {1, 2, 4, 8, 16}) {
      const int64_t together = std::min<int64_t>(32, 128 / bytes);
      for (int64_t step = 0; step < 8; ++step) {
        for (int64_t first = 0; first < 128; first += together) {
          std::map<int64_t, int64_t> word_of_bank;
          for (int64_t lane = first; lane < first + together; ++lane) {
            auto at = llvm::cantFail(tile.map.Evaluate({lane, 0}, {step}, {}));
            int64_t word = (at[0] * 32 + at[1]) * bytes / 4;
            EXPECT_EQ(word_of_bank.try_emplace(word % 32, word).first->second, word);
          }
        }
      }
    }
  }
  EXPECT_EQ(maps, 2);
}

// Nor have the tiles of which a lane takes four elements, one after the other.
TEST(TransposeEmitter, TilesOfVectorsHaveNoBankConflicts) {
  EmittedModule emitted = Emit(R"(HloModule m
    ENTRY e { p = f32[256,320] parameter(0)
              ROOT t = f32[320,256] transpose(p), dimensions={1,0} })");
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  int64_t maps = 0;
  for (const emit::ThreadMap& tile : emitted.kernel->thread_maps()) {
    if (!llvm::StringRef(tile.what).starts_with("tile")) continue;
    ++maps;
    ASSERT_EQ(tile.map.ranges().size(), 2u);
    for (int64_t access = 0; access < 32; ++access) {
      std::set<int64_t> banks;
      for (int64_t lane = 0; lane < 32; ++lane) {
        auto at = llvm::cantFail(
            tile.map.Evaluate({access / 8 * 32 + lane, 0}, {access / 4 % 2, access % 4}, {}));
        banks.insert((at[0] * 33 + at[1]) % 32);
      }
      EXPECT_EQ(banks.size(), 32u);
    }
  }
  EXPECT_EQ(maps, 2);
}

TEST(ReductionEmitter, FourKinds) {
  EXPECT_TRUE(IsRight(Reduce({3, 1500}, 1, 2, "add", "f32"), "row reduction"));
  EXPECT_TRUE(IsRight(Reduce({30, 100}, 1, 2, "maximum", "bf16"), "multi-row reduction"));
  EXPECT_TRUE(IsRight(Reduce({100, 50}, 0, 1, "multiply", "s32"), "column reduction"));
  EXPECT_TRUE(IsRight(Reduce({2, 100, 4}, 1, 2, "minimum", "s8"), "small column reduction"));
  EXPECT_TRUE(IsRight(Reduce({9, 4}, 1, 2, "add", "f32"), "loop"));  // four terms
  EXPECT_TRUE(IsRight(Reduce({2000}, 0, 1, "add", "s32"), "row reduction"));
  EXPECT_TRUE(IsRight(Reduce({0, 20}, 1, 2, "add", "s32"), "loop"));
  EXPECT_TRUE(IsRight(Reduce({20, 0}, 1, 2, "add", "s32"), "loop"));
}

// Sizes around those at which the kind or the number of iterations changes.
RC_GTEST_PROP(ReductionEmitter, AnySizes, ()) {
  auto major = *rc::gen::element<int64_t>(1, 2, 5, 40);
  auto reduced =
      *rc::gen::element<int64_t>(8, 9, 16, 31, 33, 64, 255, 256, 300, 1000, 1024, 1025, 1028);
  auto minor = *rc::gen::element<int64_t>(1, 2, 3, 8, 16, 31, 32, 33);
  auto split = *rc::gen::inRange<int>(0, 2);
  std::vector<int64_t> sizes = {major, reduced, minor};
  int64_t last = 2;
  if (split == 1 && reduced % 3 == 0) {  // two reduced dims
    sizes = {major, 3, reduced / 3, minor};
    last = 3;
  }
  auto operation = *rc::gen::element<std::string>("add", "maximum", "minimum");
  auto type = *rc::gen::element<std::string>("f32", "bf16", "s32", "s8", "u64");
  auto right = IsRight(Reduce(sizes, 1, last, operation, type), "");
  if (!right) RC_FAIL(std::string(right.message()));
}

// Sums with cancellation, which each order rounds to other numbers: the order that the kernel says
// gives its bits, and hardly any other does.
TEST(ReductionEmitter, SumsAreTakenInTheOrderThatItSays) {
  struct Case {
    std::vector<int64_t> sizes;
    hlo::EvaluationOrder order;
  };
  for (const Case& c :
       {Case{{3, 1500, 1}, {256, 32}}, Case{{30, 60, 1}, {32, 32}}, Case{{30, 15, 1}, {16, 16}},
        Case{{2, 90, 40}, {8, 1}}, Case{{2, 300, 4}, {64, 8}},
        // A thread takes four neighboring columns, or two.
        Case{{1, 900, 40}, {32, 4}}, Case{{2, 9000, 4}, {256, 32}}, Case{{2, 600, 30}, {16, 2}}}) {
    for (const char* type : {"f32", "bf16"}) {
      EmittedModule emitted = Emit(Reduce(c.sizes, 1, 2, "add", type));
      ASSERT_TRUE(emitted.kernel) << emitted.error;
      hlo::EvaluationOrders orders = emitted.kernel->evaluation_orders();
      ASSERT_EQ(orders.size(), 1u);
      EXPECT_EQ(orders.begin()->second, c.order);
      std::vector<hlo::Literal> arguments = hlo::MakeArguments(emitted.entry(), 1);
      for (int64_t i = 0; i < arguments[0].NumElements(); ++i) {
        const double value = arguments[0].GetFloat(i) / 3;
        arguments[0].SetFloat(i, std::ldexp(value, static_cast<int>(i * 7 % 5)));
      }
      hlo::Literal actual = llvm::cantFail(emit::RunOnEmulator(*emitted.kernel, arguments));
      auto in_order = [&] {
        return llvm::cantFail(hlo::Interpret(emitted.entry(), arguments, &orders));
      };
      EXPECT_TRUE(SameValue(in_order(), actual)) << emitted.kernel->emitter();
      orders.begin()->second = {c.order.slots / 4, 1};
      EXPECT_FALSE(SameValue(in_order(), actual)) << emitted.kernel->emitter();
      orders.clear();
      EXPECT_FALSE(SameValue(in_order(), actual)) << emitted.kernel->emitter();
    }
  }
}

// A reduction in a computation that is called twice is two nodes and has one order all the same.
TEST(ReductionEmitter, CalledTwice) {
  EXPECT_TRUE(IsRight(R"(HloModule m
    add_f32 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
    columns {
      p = f32[40,4] parameter(0)
      z = f32[] constant(0)
      ROOT s = f32[4] reduce(p, z), dimensions={0}, to_apply=add_f32
    }
    ENTRY e {
      p = f32[40,4] parameter(0)
      s = f32[4] call(p), to_apply=columns
      b = f32[40,4] broadcast(s), dimensions={1}
      d = f32[40,4] subtract(p, b)
      ROOT t = f32[4] call(d), to_apply=columns
    })",
                      "loop"));
}

TEST(ReductionEmitter, UnknownCombinersAreLeftToTheLoop) {
  EXPECT_TRUE(IsRight(R"(HloModule m
    odd { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] add(a, a) ROOT r = s32[] add(c, b) }
    ENTRY e {
      p = s32[4,40] parameter(0)
      z = s32[] constant(1)
      ROOT r = s32[4] reduce(p, z), dimensions={1}, to_apply=odd
    })",
                      "loop"));
}

TEST(ReductionEmitter, EpiloguesSideOutputsAndSeveralHeroes) {
  EXPECT_TRUE(IsRight(Module(R"(
    p = f32[6,40,5] parameter(0)
    z = f32[] constant(0)
    l = f32[] constant(-inf)
    s = f32[6,5] reduce(p, z), dimensions={1}, to_apply=add_f32
    m = f32[6,5] reduce(p, l), dimensions={1}, to_apply=maximum_f32
    d = f32[6,5] subtract(s, m)
    t = f32[5,6] transpose(d), dimensions={1,0}
    v = f32[30] reshape(m)
    n = f32[6,40,5] negate(p)
    ROOT o = (f32[5,6], f32[30], f32[6,40,5], f32[6,5]) tuple(t, v, n, s)
  )"),
                      "column reduction"));
}

// An output that reads the hero at an index of its own has no epilogue: the loop emitter's.
TEST(HeroSelection, ABroadcastIsNoEpilogue) {
  EXPECT_TRUE(IsRight(Module(R"(
    p = f32[40,6] parameter(0)
    z = f32[] constant(0)
    s = f32[6] reduce(p, z), dimensions={0}, to_apply=add_f32
    b = f32[40,6] broadcast(s), dimensions={1}
    ROOT d = f32[40,6] divide(p, b)
  )"),
                      "loop"));
}

// A hero that another one needs, and a value of the hero that is read at two indices.
TEST(HeroSelection, HeroesThatDependOnEachOther) {
  EXPECT_TRUE(IsRight(Module(R"(
    p = s32[6,40,9] parameter(0)
    z = s32[] constant(0)
    s = s32[6,40] reduce(p, z), dimensions={2}, to_apply=add_s32
    t = s32[6] reduce(s, z), dimensions={1}, to_apply=add_s32
    ROOT n = s32[6] negate(t)
  )"),
                      ""));
  EXPECT_TRUE(IsRight(Module(R"(
    p = s32[40,40] parameter(0)
    t = s32[40,40] transpose(p), dimensions={1,0}
    u = s32[40,40] transpose(t), dimensions={1,0}
    n = s32[40,40] negate(t)
    ROOT a = s32[40,40] add(n, u)
  )"),
                      ""));
}

TEST(ConcatenateEmitter, OperandsOfAnySize) {
  EXPECT_TRUE(IsRight(Module(R"(
    p = s32[3,5] parameter(0)
    q = s32[3,0] parameter(1)
    r = s32[3,200] parameter(2)
    n = s32[3,5] negate(p)
    c = s32[3,210] concatenate(p, q, r, n), dimensions={1}
    t = s32[210,3] transpose(c), dimensions={1,0}
    ROOT o = (s32[210,3], s32[3,210], s32[3,5]) tuple(t, c, n)
  )"),
                      "concatenate"));
}

TEST(UpdateSliceEmitter, ClampsAndLeavesTheRestAlone) {
  for (const char* start : {"s32", "u64", "s8"}) {
    std::string s = start;
    EXPECT_TRUE(IsRight(Module("p = f32[9,30] parameter(0)\nu = f32[2,7] parameter(1)\ni = " + s +
                               "[] parameter(2)\nj = " + s +
                               "[] parameter(3)\n"
                               "ROOT d = f32[9,30] dynamic-update-slice(p, u, i, j)\n"),
                        "dynamic-update-slice in place"));
  }
  // Not a parameter: there is nothing to update in place.
  EXPECT_TRUE(IsRight(Module(R"(
    p = f32[9] parameter(0)
    u = f32[2] parameter(1)
    i = s32[] parameter(2)
    n = f32[9] negate(p)
    ROOT d = f32[9] dynamic-update-slice(n, u, i)
  )"),
                      "loop"));
}

std::string Scatter(const std::string& type, const std::string& combiner, bool unique) {
  // Unique by construction: an iota; else whatever the arguments are, out of bounds included.
  std::string indices =
      unique ? "i = s32[6,1] iota(), iota_dimension=0\n" : "i = s32[6,1] parameter(2)\n";
  return Module("p = " + type + "[10,8] parameter(0)\nu = " + type + "[6,5] parameter(1)\n" +
                indices + "ROOT s = " + type +
                "[10,8] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, "
                "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=" +
                (unique ? "true" : "false") + ", to_apply=" + combiner + "_" + type + "\n");
}

TEST(ScatterEmitter, UniqueAndAtomic) {
  EXPECT_TRUE(IsRight(Scatter("f32", "add", true), "scatter, unique"));
  for (const char* type : {"f32", "s32", "s8", "bf16", "u64"}) {
    for (const char* combiner : {"add", "maximum"}) {
      if (type == std::string("bf16") && combiner == std::string("add")) continue;  // rounds
      EXPECT_TRUE(IsRight(Scatter(type, combiner, false), "scatter, atomic")) << type << combiner;
    }
  }
}

// Updates of which a thread takes four, of any type, in windows and without.
TEST(ScatterEmitter, ConsecutiveUpdates) {
  for (const char* type : {"f32", "s32", "s8", "bf16", "u64"}) {
    for (bool window : {true, false}) {
      const std::string t = type, updates = window ? "[1000,36]" : "[36000]";
      const std::string operand = window ? "[10,36]" : "[40]";
      const std::string indices = window ? "[1000,1]" : "[36000,1]";
      const std::string dims = window ? "{1}" : "{}";
      EXPECT_TRUE(IsRight(Module("p = " + t + operand + " parameter(0)\nu = " + t + updates +
                                 " parameter(1)\ni = s32" + indices + " parameter(2)\nROOT s = " +
                                 t + operand + " scatter(p, i, u), update_window_dims=" + dims +
                                 ", inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                                 "index_vector_dim=1, to_apply=maximum_" +
                                 t + "\n"),
                          "scatter, atomic"))
          << type << window;
    }
  }
}

TEST(ScatterEmitter, BatchingDimensions) {
  EXPECT_TRUE(IsRight(Module(R"(
    p = s32[4,10] parameter(0)
    i = s32[4,3,1] parameter(1)
    u = s32[4,3] parameter(2)
    ROOT s = s32[4,10] scatter(p, i, u), update_window_dims={}, inserted_window_dims={1},
      scatter_dims_to_operand_dims={1}, index_vector_dim=2, input_batching_dims={0},
      scatter_indices_batching_dims={0}, to_apply=add_s32
  )"),
                      "scatter, atomic"));
}

}  // namespace
}  // namespace affirm::testing
