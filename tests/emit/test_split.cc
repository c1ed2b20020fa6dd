// The kernels of a partitioned computation compute what the computation does, and no reduction is
// computed twice.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "emit/plan/repeated_calls.h"
#include "emit/plan/split.h"
#include "fuzz/generators/hlo_generator.h"
#include "tests/emit/kernel_testing.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

using ::testing::ElementsAre;

struct Split {
  std::unique_ptr<hlo::Module> module;
  emit::KernelPartitions kernels;

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const emit::KernelPartition& partition : kernels.partitions)
      names.push_back(partition.computation->name);
    return names;
  }
};

Split SplitOf(const std::string& text) {
  auto module = hlo::ParseModule(text, "test");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  Split split{std::move(*module), {}};
  split.kernels = emit::PartitionIntoKernels(*split.module->entry);
  return split;
}

// Whether the interpreter gives the kernels the value that it gives the whole computation.
::testing::AssertionResult IsTheWhole(const hlo::Module& module,
                                      const emit::KernelPartitions& kernels) {
  std::vector<hlo::Literal> arguments = hlo::MakeArguments(*module.entry, 3);
  auto whole = hlo::Interpret(*module.entry, arguments);
  if (!whole) {
    llvm::consumeError(whole.takeError());
    return ::testing::AssertionSuccess();
  }
  auto parts = emit::RunPartitions(
      kernels, arguments,
      [](const hlo::Computation& partition, llvm::ArrayRef<hlo::Literal> values) {
        return hlo::Interpret(partition, values);
      });
  if (!parts) return ::testing::AssertionFailure() << llvm::toString(parts.takeError());
  return SameValue(*whole, *parts);
}

constexpr char kReducers[] = R"(HloModule m
  max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] add(a, b) }
)";

TEST(Split, ASoftmaxOfRowsIsOneKernel) {
  const std::string softmax = kReducers + std::string(R"(ENTRY e {
    p = f32[7,33] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    row_max = f32[7] reduce(p, low), dimensions={1}, to_apply=max
    mb = f32[7,33] broadcast(row_max), dimensions={0}
    d = f32[7,33] subtract(p, mb)
    x = f32[7,33] exponential(d)
    row_sum = f32[7] reduce(x, zero), dimensions={1}, to_apply=sum
    sb = f32[7,33] broadcast(row_sum), dimensions={0}
)");
  Split split = SplitOf(softmax + "ROOT r = f32[7,33] divide(x, sb) }");
  EXPECT_THAT(split.Names(), ElementsAre("e"));
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
  // An op that the row-holding kernel cannot do keeps both reductions in kernels of their own.
  split = SplitOf(softmax + R"(r = f32[7,33] divide(x, sb)
    back = f32[7,33] reverse(r), dimensions={1}
    ROOT t = f32[7,33] add(r, back) })");
  EXPECT_THAT(split.Names(), ElementsAre("row_max", "row_sum", "e"));
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
}

// A normalization of rows stays one kernel, although columns of the same array are reduced too.
TEST(Split, RowNormalizationStaysOneKernelBesideOtherReductions) {
  Split split = SplitOf(kReducers + std::string(R"(ENTRY e {
    p = f32[7,33] parameter(0)
    zero = f32[] constant(0)
    columns = f32[33] reduce(p, zero), dimensions={0}, to_apply=sum
    cb = f32[7,33] broadcast(columns), dimensions={1}
    x = f32[7,33] divide(p, cb)
    rows = f32[7] reduce(x, zero), dimensions={1}, to_apply=sum
    rb = f32[7,33] broadcast(rows), dimensions={0}
    ROOT r = f32[7,33] divide(x, rb)
  })"));
  EXPECT_THAT(split.Names(), ElementsAre("columns", "e"));
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
}

TEST(Split, ASoftmaxOfColumnsIsThreeKernels) {
  Split split = SplitOf(kReducers + std::string(R"(ENTRY e {
    p = f32[33,7] parameter(0)
    low = f32[] constant(-inf)
    zero = f32[] constant(0)
    column_max = f32[7] reduce(p, low), dimensions={0}, to_apply=max
    mb = f32[33,7] broadcast(column_max), dimensions={1}
    d = f32[33,7] subtract(p, mb)
    x = f32[33,7] exponential(d)
    column_sum = f32[7] reduce(x, zero), dimensions={0}, to_apply=sum
    sb = f32[33,7] broadcast(column_sum), dimensions={1}
    ROOT r = f32[33,7] divide(x, sb)
  })"));
  EXPECT_THAT(split.Names(), ElementsAre("column_max", "column_sum", "e"));
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
  // Each reduction gets the emitter of reductions, and no partition holds two of them.
  Context context;
  for (const emit::KernelPartition& partition : split.kernels.partitions) {
    auto kernel = emit::EmitKernel(*partition.computation, context);
    ASSERT_TRUE(!!kernel) << llvm::toString(kernel.takeError());
    bool last = &partition == &split.kernels.partitions.back();
    EXPECT_EQ(kernel->emitter(), last ? "loop" : "column reduction") << partition.computation->name;
    EXPECT_LE(llvm::count_if(partition.computation->instructions,
                             [](const auto& op) { return op->opcode == hlo::Opcode::kReduce; }),
              1);
  }
}

TEST(Split, EpiloguesAndSingleReductionsAreOneKernel) {
  for (const char* root : {"ROOT r = f32[7] reduce(p, z), dimensions={1}, to_apply=sum",
                           "s = f32[7] reduce(p, z), dimensions={1}, to_apply=sum "
                           "n = f32[7] exponential(s) ROOT r = f32[1,7] reshape(n)",
                           "s = f32[7] reduce(p, z), dimensions={1}, to_apply=sum "
                           "ROOT r = f32[7] multiply(s, s)",
                           "s = f32[7] reduce(p, z), dimensions={1}, to_apply=sum "
                           "ROOT r = f32[] reduce(s, z), dimensions={0}, to_apply=sum",
                           "s = f32[7,33] broadcast(z), dimensions={} "
                           "ROOT r = f32[7,33] add(p, s)"}) {
    Split split = SplitOf(std::string(kReducers) + "ENTRY e {\n p = f32[7,33] parameter(0)\n" +
                          " z = f32[] constant(0)\n" + root + "\n}\n");
    EXPECT_THAT(split.Names(), ElementsAre("e")) << root;
    EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
  }
}

TEST(Split, LikeReductionsShareAKernel) {
  Split split = SplitOf(kReducers + std::string(R"(ENTRY e {
    p = f32[7,33] parameter(0)
    q = f32[4,9] parameter(1)
    z = f32[] constant(0)
    a = f32[7] reduce(p, z), dimensions={1}, to_apply=sum
    b = f32[7] reduce(p, z), dimensions={1}, to_apply=max
    c = f32[4] reduce(q, z), dimensions={1}, to_apply=max
    s = f32[7] subtract(b, a)
    sb = f32[7,33] broadcast(s), dimensions={0}
    cb = f32[4,9] broadcast(c), dimensions={0}
    x = f32[7,33] multiply(p, sb)
    y = f32[4,9] multiply(q, cb)
    ROOT t = (f32[7,33], f32[4,9], f32[7]) tuple(x, y, a)
  })"));
  EXPECT_THAT(split.Names(), ElementsAre("c", "a", "e"));
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
}

// Without kernels, each of 40 levels would compute the level before it twice for each element.
TEST(Split, ChainsTakeLinearWork) {
  std::string body = "p0 = f32[5,6] parameter(0)\n z = f32[] constant(0)\n";
  for (int i = 0; i < 40; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    body += "r" + n + " = f32[5] reduce(p" + n + ", z), dimensions={1}, to_apply=max\n";
    body += "b" + n + " = f32[5,6] broadcast(r" + n + "), dimensions={0}\n";
    body += (i == 39 ? "ROOT p" : "p") + next + " = f32[5,6] subtract(p" + n + ", b" + n + ")\n";
  }
  Split split = SplitOf(kReducers + ("ENTRY e {\n" + body + "}\n"));
  // A kernel for each level, or fewer that hold rows of a few levels, but not of all of them.
  EXPECT_LE(split.kernels.partitions.size(), 41u);
  size_t instructions = 0;
  for (const emit::KernelPartition& partition : split.kernels.partitions)
    instructions += partition.computation->instructions.size();
  EXPECT_LT(instructions, size_t{40 * 3 * 4});
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
}

// A value that many kernels use is stored; one that few use, or that is cheap, is not.
TEST(Split, ValuesOfManyKernelsAreStored) {
  for (const auto& [kernels, operations, is_stored] :
       {std::tuple(5, 4, true), {4, 4, false}, {5, 3, false}}) {
    std::string body = "p0 = f32[5,6] parameter(0)\n z = f32[] constant(0)\n";
    for (int i = 0; i < operations; ++i) {
      body += "p" + std::to_string(i + 1) + " = f32[5,6] cosine(p" + std::to_string(i) + ")\n";
    }
    std::string results, shapes;
    // Reductions of the value, each needed for every element of a result.
    for (int i = 0; i < kernels - 1; ++i) {
      const std::string n = std::to_string(i), size = std::to_string(i + 1);
      const std::string part = "f32[" + size + ",6]", rows = "f32[" + size + "]";
      body += "s" + n + " = " + part + " slice(p" + std::to_string(operations) +
              "), slice={[0:" + size + "], [0:6]}\n r" + n + " = " + rows + " reduce(s" + n +
              ", z), dimensions={1}, to_apply=max\n b" + n + " = " +
              rows.substr(0, rows.size() - 1) + ",7] broadcast(r" + n + "), dimensions={0}\n";
      results += "b" + n + ", ";
      shapes += rows.substr(0, rows.size() - 1) + ",7], ";
    }
    const std::string last = "p" + std::to_string(operations);
    body += "ROOT t = (" + shapes + "f32[5,6]) tuple(" + results + last + ")\n";
    Split split = SplitOf(kReducers + ("ENTRY e {\n" + body + "}\n"));
    EXPECT_EQ(llvm::is_contained(split.Names(), last), is_stored) << kernels << " " << operations;
    EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
  }
}

// A scatter updates an array in memory, and later ops read the sum.
TEST(Split, AScatterIsAKernelOfItsOwn) {
  Split split = SplitOf(kReducers + std::string(R"(ENTRY e {
    p = f32[4,5] parameter(0)
    i = s32[3,1] parameter(1)
    zero = f32[] constant(0)
    zeros = f32[9] broadcast(zero), dimensions={}
    two = s32[] constant(2)
    twos = s32[3,1] broadcast(two), dimensions={}
    j = s32[3,1] multiply(i, twos)
    s = f32[1,3] slice(p), slice={[1:2], [0:3]}
    f = f32[3] reshape(s)
    u = f32[3] negate(f)
    histogram = f32[9] scatter(zeros, j, u), update_window_dims={}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
    ROOT r = f32[9] exponential(histogram)
  })"));
  EXPECT_THAT(split.Names(), ElementsAre("zeros", "histogram", "e"));
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
  Context context;
  for (const emit::KernelPartition& partition : split.kernels.partitions) {
    auto kernel = emit::EmitKernel(*partition.computation, context);
    ASSERT_TRUE(!!kernel) << llvm::toString(kernel.takeError());
    bool scatter = partition.computation->name == "histogram";
    EXPECT_EQ(kernel->emitter(), scatter ? "scatter, atomic" : "loop");
  }
}

// A kernel's arguments are compared with its parameters before it runs.
TEST(Split, ArgumentsOfAKernelMatchItsParameters) {
  Split split = SplitOf(R"(HloModule m
  ENTRY e {
    p = f32[2] parameter(0)
    q = f32[3] parameter(1)
    d = f32[3,3] dot(q, q)
    ROOT r = f32[2,3,3] dot(p, d)
  })");
  ASSERT_THAT(split.Names(), ElementsAre("d", "e"));
  for (int64_t wrong : {0, 2}) {
    split.kernels.partitions[0].arguments[0].number = wrong;
    auto result = IsTheWhole(*split.module, split.kernels);
    ASSERT_FALSE(result);
    EXPECT_STREQ(result.message(),
                 wrong == 0 ? "kernel 'd' is not given what it takes: {f32[3]} but {f32[2]}"
                            : "kernel 'd' is not given what it takes: {f32[3]} but {nothing}");
  }
}

// Calls are inlined: a softmax is one kernel, although it calls a function for its maximum and one
// for its sum, and both call a third one. The functions have unused results and parameters.
TEST(Split, ReductionsOfComputationsThatAreCalledAreSeen) {
  Split split = SplitOf(kReducers + std::string(R"(
  less { x = f32[7,33] parameter(0) m = f32[7] parameter(1)
    mb = f32[7,33] broadcast(m), dimensions={0} ROOT d = f32[7,33] subtract(x, mb) }
  shift { unused = f32[5] parameter(1) x = f32[7,33] parameter(0) low = f32[] constant(-inf)
    m = f32[7] reduce(x, low), dimensions={1}, to_apply=max
    d = f32[7,33] call(x, m), to_apply=less
    never = f32[5] negate(unused)
    both = (f32[7,33], f32[5]) tuple(d, never)
    ROOT t = (f32[7], (f32[7,33], f32[5])) tuple(m, both) }
  normal { t = (f32[7,33], f32[5]) parameter(0)
    x = f32[7,33] get-tuple-element(t), index=0
    zero = f32[] constant(0)
    s = f32[7] reduce(x, zero), dimensions={1}, to_apply=sum
    ROOT d = f32[7,33] call(x, s), to_apply=less }
  ENTRY e {
    p = f32[7,33] parameter(0)
    q = f32[5] parameter(1)
    a = (f32[7], (f32[7,33], f32[5])) call(p, q), to_apply=shift
    shifted = (f32[7,33], f32[5]) get-tuple-element(a), index=1
    ROOT r = f32[7,33] call(shifted), to_apply=normal
  })"));
  ASSERT_TRUE(split.module);
  EXPECT_THAT(split.Names(), ElementsAre("e"));
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
  for (const auto& op : split.kernels.partitions.back().computation->instructions) {
    EXPECT_NE(op->opcode, hlo::Opcode::kCall);
    EXPECT_NE(op->opcode, hlo::Opcode::kTuple);
  }
}

// A computation that is called twice has its reductions twice, each computed once. A bitcast in it
// reads the array in the layout that its parameter states.
TEST(Split, EachCallHasItsOwnReductions) {
  Split split = SplitOf(kReducers + std::string(R"(
  columns { x = f32[33,7]{0,1} parameter(0) zero = f32[] constant(0)
    flat = f32[7,33]{1,0} bitcast(x)
    s = f32[33] reduce(flat, zero), dimensions={0}, to_apply=sum
    sb = f32[33,7]{1,0} broadcast(s), dimensions={0}
    ROOT d = f32[33,7]{1,0} divide(x, sb) }
  ENTRY e {
    p = f32[33,7]{1,0} parameter(0)
    a = f32[33,7]{1,0} call(p), to_apply=columns
    ROOT b = f32[33,7]{1,0} call(a), to_apply=columns
  })"));
  EXPECT_THAT(split.Names(), ElementsAre("s", "b.2.s", "e"));
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
}

// Calls stay if their inlining, which doubles the code at each of 40 levels, takes too many
// instructions.
TEST(Split, TooManyCallsStay) {
  std::string text = "f0 { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }\n";
  for (int k = 1; k <= 40; ++k) {
    const std::string callee = "f" + std::to_string(k - 1);
    text += "f" + std::to_string(k) +
            " { x = f32[4] parameter(0) a = f32[4] call(x), to_apply=" + callee +
            " ROOT b = f32[4] call(a), to_apply=" + callee + " }\n";
  }
  Split split =
      SplitOf(text + "ENTRY e { p = f32[4] parameter(0) ROOT r = f32[4] call(p), to_apply=f40 }");
  EXPECT_THAT(split.Names(), ElementsAre("e"));
}

// `count` rounds, each of two values that need both values of the round before. All values have one
// shape, so that results in a wrong order have the right shapes. `end` is the root.
std::string Rounds(int count, const std::string& end) {
  std::string text = "ENTRY e {\n x0 = s32[9] parameter(0)\n y0 = s32[9] parameter(1)\n";
  for (int k = 1; k <= count; ++k) {
    const std::string n = std::to_string(k), before = std::to_string(k - 1);
    text += " x" + n + " = s32[9] add(x" + before + ", y" + before + ")\n";
    text += " y" + n + " = s32[9] xor(y" + before + ", x" + n + ")\n";
  }
  const std::string n = std::to_string(count);
  text += " x = s32[9] copy(x" + n + ")\n y = s32[9] copy(y" + n + ")\n";
  return text + end + "}";
}

TEST(Split, RepeatedlyComputedValuesAreStored) {
  for (const char* end :
       {"ROOT r = s32[18] concatenate(x, y), dimensions={0}",
        "b = s32[9] reverse(y), dimensions={0} ROOT r = s32[9] subtract(x, b)",
        "c = s32[18] concatenate(x, y), dimensions={0} d = s32[18] reverse(c), dimensions={0} "
        "ROOT r = (s32[18], s32[9]) tuple(d, x)"}) {
    SCOPED_TRACE(end);
    for (int count : {1, 3, 5, 20, 200}) {
      Split split = SplitOf(Rounds(count, end));
      EXPECT_LE(split.kernels.partitions.size(), 3u) << count;
      EXPECT_EQ(split.kernels.partitions.size() > 1, count >= 5) << count;
      for (const emit::KernelPartition& partition : split.kernels.partitions) {
        EXPECT_TRUE(emit::ComputedTooOften(*partition.computation).empty());
      }
      EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
    }
  }
}

// A cumulative sum in steps of 1, 2, 4, ..., as recursion would have it.
TEST(Split, StepsOfACumulativeSumAreInMemory) {
  std::string text = "ENTRY e {\n z = s32[] constant(0)\n x0 = s32[4096] parameter(0)\n";
  for (int k = 0; k < 12; ++k) {
    const std::string n = std::to_string(k), next = std::to_string(k + 1),
                      step = std::to_string(1 << k);
    text += " s" + n + " = s32[" + std::to_string(4096 - (1 << k)) + "] slice(x" + n +
            "), slice={[0:" + std::to_string(4096 - (1 << k)) + "]}\n p" + n +
            " = s32[4096] pad(s" + n + ", z), padding=" + step + "_0\n " +
            (k == 11 ? "ROOT " : "") + "x" + next + " = s32[4096] add(x" + n + ", p" + n + ")\n";
  }
  Split split = SplitOf(text + "}");
  EXPECT_GE(split.kernels.partitions.size(), 2u);
  EXPECT_LE(split.kernels.partitions.size(), 12u);
  for (const emit::KernelPartition& partition : split.kernels.partitions) {
    EXPECT_TRUE(emit::ComputedTooOften(*partition.computation).empty());
  }
  EXPECT_TRUE(IsTheWhole(*split.module, split.kernels));
}

TEST(Split, RandomModulesHaveKernelsOfSeveralResults) {
  int several = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 2048);
    fuzz::Choices choices(bytes);
    auto module = fuzz::GenerateModule(choices);
    several += llvm::any_of(module->computations, [](const auto& computation) {
      emit::KernelPartitions kernels = emit::PartitionIntoKernels(*computation);
      return llvm::any_of(llvm::ArrayRef(kernels.partitions).drop_back(),
                          [](const auto& partition) {
                            return partition.computation->root->opcode == hlo::Opcode::kTuple;
                          });
    });
  }
  EXPECT_GE(several, 15);
}

RC_GTEST_PROP(Split, TheKernelsComputeTheWhole, (uint64_t seed)) {
  using hlo::Opcode;
  std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 600);
  fuzz::Choices choices(bytes);
  fuzz::HloLimits limits;
  limits.max_ops = 12;
  limits.max_fusions = 0;
  limits.ops = {Opcode::kReduce,    Opcode::kDot,     Opcode::kBroadcast, Opcode::kReduceWindow,
                Opcode::kTranspose, Opcode::kReverse, Opcode::kAdd,       Opcode::kReshape,
                Opcode::kConvert,   Opcode::kSlice,   Opcode::kMaximum,   Opcode::kScatter};
  auto module = fuzz::GenerateModule(choices, limits);
  emit::KernelPartitions kernels = emit::PartitionIntoKernels(*module->entry);
  RC_CLASSIFY(kernels.partitions.size() > 1, "several kernels");
  auto same = IsTheWhole(*module, kernels);
  if (!same) RC_FAIL(same.message() + std::string("\n") + hlo::ToString(*module));
}

}  // namespace
}  // namespace affirm::testing
