// The partitioner shares what may be shared, and keeps code size linear.
#include "core/hlo/text.h"
#include "emit/emitters/hero.h"
#include "emit/plan/flat_graph.h"
#include "emit/plan/partition.h"
#include "tests/emit/kernel_testing.h"

namespace affirm::testing {
namespace {

struct Parts {
  std::unique_ptr<hlo::Module> module;
  std::unique_ptr<Context> context = std::make_unique<Context>();
  emit::FlatGraph graph;
  emit::Partition partition;
};

Parts PartitionOf(const std::string& body) {
  Parts parts;
  auto module = hlo::ParseModule("HloModule m\n" + body, "test");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return parts;
  }
  parts.module = std::move(*module);
  parts.graph = llvm::cantFail(emit::Flatten(*parts.module->entry));
  emit::PartitionRequest request;
  emit::GroupOutputs(parts.graph, request);
  parts.partition = llvm::cantFail(emit::MakePartition(parts.graph, *parts.context, request));
  return parts;
}

// The transposed and the plain read of the log need it as a function of its own, which is all that
// the criteria ask for: the transpose has one user and joins it. Around a transpose that threads
// share there are three: what it reads, what reads it, and the log.
TEST(Partition, LogThatIsReadAtTwoIndices) {
  const std::string text = R"(ENTRY e {
    p = f32[20,20] parameter(0)
    l = f32[20,20] log(p)
    t = f32[20,20] transpose(l), dimensions={1,0}
    ROOT a = f32[20,20] add(l, t)
  })";
  Parts parts = PartitionOf(text);
  ASSERT_EQ(parts.partition.subgraphs.size(), 2u);
  EXPECT_EQ(parts.partition.subgraphs[1].name, "l");
  for (bool loop_only : {true, false}) {
    EmittedModule emitted = Emit("HloModule m\n" + text, {.loop_only = loop_only});
    ASSERT_TRUE(emitted.kernel);
    EXPECT_EQ(emitted.kernel->num_functions(), loop_only ? 3 : 4);  // the entry is one
  }
}

TEST(Partition, EqualIndicesJoin) {
  Parts parts = PartitionOf(R"(ENTRY e {
    p = f32[8,8] parameter(0)
    l = f32[8,8] log(p)
    t = f32[8,8] transpose(l), dimensions={1,0}
    u = f32[8,8] transpose(l), dimensions={1,0}
    s = f32[8,8] sine(t)
    ROOT a = f32[8,8] add(s, u)
  })");
  EXPECT_EQ(parts.partition.subgraphs.size(), 1u);
}

// Equal after simplification only: two ways to write the identity.
TEST(Partition, IndicesAreComparedAfterSimplification) {
  Parts parts = PartitionOf(R"(ENTRY e {
    p = f32[6,4] parameter(0)
    l = f32[6,4] log(p)
    r = f32[24] reshape(l)
    b = f32[6,4] reshape(r)
    t = f32[4,6] transpose(l), dimensions={1,0}
    c = f32[6,4] transpose(t), dimensions={1,0}
    ROOT a = f32[6,4] add(b, c)
  })");
  EXPECT_EQ(parts.partition.subgraphs.size(), 1u);
}

TEST(Partition, OutputsOfOneShapeShareAFunction) {
  Parts parts = PartitionOf(R"(ENTRY e {
    p = f32[6] parameter(0)
    a = f32[6] log(p)
    b = f32[6] sine(a)
    ROOT t = (f32[6], f32[6], f32[6]) tuple(a, b, a)
  })");
  ASSERT_EQ(parts.partition.subgraphs.size(), 1u);
  EXPECT_EQ(parts.partition.subgraphs[0].roots.size(), 2u);  // a is written once
}

TEST(Partition, ParametersAreNeverFunctions) {
  Parts parts = PartitionOf(R"(ENTRY e {
    p = f32[6,6] parameter(0)
    t = f32[6,6] transpose(p), dimensions={1,0}
    r = f32[6,6] reverse(p), dimensions={0}
    s = f32[6,6] add(t, r)
    ROOT a = f32[6,6] add(s, p)
  })");
  EXPECT_EQ(parts.partition.subgraphs.size(), 1u);
}

// A value that is read inside two loops is not emitted twice.
TEST(Partition, TwoLoopsOverOneValue) {
  Parts parts = PartitionOf(R"(
  sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
  ENTRY e {
    p = f32[6,7] parameter(0)
    l = f32[6,7] log(p)
    z = f32[] constant(0)
    r = f32[6] reduce(l, z), dimensions={1}, to_apply=sum
    q = f32[6] reduce(l, z), dimensions={1}, to_apply=sum
    ROOT a = f32[6] multiply(r, q)
  })");
  EXPECT_EQ(parts.partition.subgraphs.size(), 2u);
}

// x -> x + transpose(x), n times: each level reads the one before at two indices.
std::string Doubling(int levels) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[3,3] parameter(0)\n";
  for (int i = 0; i < levels; ++i) {
    std::string from = "x" + std::to_string(i), to = "x" + std::to_string(i + 1);
    text += "  t" + to + " = f32[3,3] transpose(" + from + "), dimensions={1,0}\n";
    text +=
        (i + 1 == levels ? "  ROOT " : "  ") + to + " = f32[3,3] add(" + from + ", t" + to + ")\n";
  }
  return text + "}\n";
}

size_t SizeOf(const std::string& hlo) {
  EmittedModule emitted = Emit(hlo);
  if (!emitted.kernel) return 0;
  return llvm::cantFail(emitted.kernel->Text(emit::Target::kNvptx, emit::Stage::kMlir)).size();
}

TEST(CodeSize, IsLinearInTheNumberOfInstructions) {
  size_t ten = SizeOf(Doubling(10)), twenty = SizeOf(Doubling(20)), thirty = SizeOf(Doubling(30));
  ASSERT_GT(ten, 0u);
  // Equal steps but for longer numbers in names.
  EXPECT_LT(thirty - twenty, (twenty - ten) + (twenty - ten) / 10);
}

// A concatenation, each operand of which is read by a function of its own.
TEST(CodeSize, IsLinearInTheNumberOfArrays) {
  auto text_of = [](int64_t arrays) {
    std::string module = "HloModule m\nENTRY e {\n", operands;
    for (int64_t i = 0; i < arrays; ++i) {
      const std::string name = "p" + std::to_string(i);
      module += "  " + name + " = f32[4] parameter(" + std::to_string(i) + ")\n";
      operands += (i > 0 ? ", " : "") + name;
    }
    EmittedModule emitted = Emit(module + "  ROOT c = f32[" + std::to_string(4 * arrays) +
                                 "] concatenate(" + operands + "), dimensions={0}\n}\n");
    return llvm::cantFail(emitted.kernel->Text(emit::Target::kNvptx, emit::Stage::kMlir));
  };
  const std::string ten = text_of(10), twenty = text_of(20), thirty = text_of(30);
  EXPECT_LT(thirty.size() - twenty.size(), (twenty.size() - ten.size()) * 11 / 10);
  EXPECT_TRUE(llvm::StringRef(ten).contains("operand_7(%arg0: tensor<4xf32>, %arg1: index)"));
  // One loop for all of them.
  EXPECT_EQ(llvm::StringRef(ten).count("affirm.loop"), 1u);
}

// Each level adds as many operations as the one before, up to the 64th: measured in operations.
TEST(CodeSize, ALadderOf64LevelsIsLinear) {
  auto operations = [](int levels) {
    EmittedModule emitted = Emit(Doubling(levels));
    std::string text =
        llvm::cantFail(emitted.kernel->Text(emit::Target::kNvptx, emit::Stage::kMlir));
    return std::count(text.begin(), text.end(), '\n');
  };
  auto first = operations(8), second = operations(16), last = operations(64);
  EXPECT_EQ(last - second, 6 * (second - first));
}

TEST(CodeSize, DoublingStillComputesTheSame) { EXPECT_TRUE(MatchesInterpreter(Doubling(6))); }

// Chains that would nest loops and branches without end, or recurse once an instruction.
TEST(CodeSize, LongChains) {
  std::string text =
      "HloModule m\nENTRY e {\n  x0 = s32[4] parameter(0)\n  z = s32[] constant(1)\n";
  constexpr int kLevels = 400;
  for (int i = 0; i < kLevels; ++i) {
    std::string from = "x" + std::to_string(i), to = "x" + std::to_string(i + 1);
    text += "  p" + to + " = s32[6] pad(" + from + ", z), padding=1_1\n";
    text += "  n" + to + " = s32[6] negate(p" + to + ")\n";
    text += std::string(i + 1 == kLevels ? "  ROOT " : "  ") + to + " = s32[4] slice(n" + to +
            "), slice={[0:4]}\n";
  }
  EXPECT_TRUE(MatchesInterpreter(text + "}\n"));
  text = "HloModule m\nENTRY e {\n  x0 = s32[4] parameter(0)\n";
  for (int i = 0; i < 5000; ++i) {
    text += std::string(i == 4999 ? "  ROOT x" : "  x") + std::to_string(i + 1) +
            " = s32[4] negate(x" + std::to_string(i) + ")\n";
  }
  EXPECT_TRUE(MatchesInterpreter(text + "}\n"));
}

}  // namespace
}  // namespace affirm::testing
