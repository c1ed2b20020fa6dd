// Memory that is handed out to the arrays of a module: nothing is overwritten that is needed,
// what is given twice has one pointer, and a result takes the place of a parameter where it may.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

#include "core/hlo/input_output_alias.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "core/hlo/verifier.h"
#include "driver/buffers/buffer_lives.h"
#include "driver/check/check.h"
#include "driver/check/program.h"
#include "fuzz/generators/hlo_generator.h"
#include "tests/parse_module.h"

namespace affirm::driver {
namespace {

ModuleReport Checked(const std::string& text) {
  Checker checker({});
  return checker.Check(*testing::ParseOrFail(text), "test", [](llvm::StringRef) {});
}

// Two kernels of x; `first` reads its operands a and b, and `second` c and x.
std::string Module(const std::string& header, const std::string& first, const std::string& second) {
  return "HloModule m" + header + R"(
    f { a = f32[64] parameter(0)
        b = f32[64] parameter(1)
        )" +
         first + R"( }
    g { c = f32[64] parameter(0)
        x = f32[64] parameter(1)
        )" +
         second + R"( }
    ENTRY e { x = f32[64] parameter(0)
              y = f32[64] fusion(x, x), kind=kLoop, calls=f
              ROOT z = f32[64] fusion(y, x), kind=kLoop, calls=g })";
}
const std::string kAlias = ", input_output_alias={ {}: (0, {}, may-alias) }";
const std::string kReverse = "r = f32[64] reverse(b), dimensions={0} ROOT s = f32[64] add(a, r)";
const std::string kInPlace = "ROOT d = f32[64] multiply(c, x)";

std::vector<int64_t> SlicesOfLastKernel(const std::string& text) {
  auto module = testing::ParseOrFail(text);
  const Program program(*module);
  Context context;
  const FusedComputation& fused =
      program.partitions(program.fused_computations().back()).kernels.back();
  auto kernel = EmitKernel(fused, context);
  if (!kernel) {
    ADD_FAILURE() << llvm::toString(kernel.takeError());
    return {};
  }
  return kernel->slices().vec();
}

TEST(Memory, AResultTakesThePlaceOfAParameterThatItsKernelReads) {
  EXPECT_EQ(SlicesOfLastKernel(Module(kAlias, kReverse, kInPlace)),
            (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(SlicesOfLastKernel(Module("", kReverse, kInPlace)), (std::vector<int64_t>{0, 1, 2}));
  // Another thread's element is read.
  const std::string other =
      "r = f32[64] reverse(x), dimensions={0} ROOT d = f32[64] multiply(c, r)";
  EXPECT_EQ(SlicesOfLastKernel(Module(kAlias, kReverse, other)), (std::vector<int64_t>{0, 1, 2}));
  for (const std::string& second : {kInPlace, other}) {
    const ModuleReport report = Checked(Module(kAlias, kReverse, second));
    EXPECT_EQ(report.verdict(), "affirmed");
    EXPECT_EQ(report.memory.copies, second == other ? 1 : 0);
  }
}

TEST(Memory, AParameterThatIsNeededLaterIsKept) {
  const ModuleReport report = Checked("HloModule m" + kAlias + R"(
    ENTRY e { x = f32[64] parameter(0)
              k = s32[] constant(3)
              y = f32[64] negate(x)
              w = f32[64] custom-call(y, x), custom_call_target="keep"
              ROOT z = f32[64] add(y, w) })");
  EXPECT_EQ(report.memory.conflicts, 0);
}

TEST(Memory, AnOperandThatIsGivenTwiceHasOnePointer) {
  auto module = testing::ParseOrFail(Module("", kReverse, kInPlace));
  const Program program(*module);
  const FusedComputation& first =
      program.partitions(program.fused_computations().front()).kernels.front();
  Context context;
  auto kernel = EmitKernel(first, context);
  ASSERT_TRUE(static_cast<bool>(kernel)) << llvm::toString(kernel.takeError());
  EXPECT_EQ(kernel->slices().vec(), (std::vector<int64_t>{0, 0, 2}));
  auto device = emit::DeviceKernelOf(*kernel);
  ASSERT_TRUE(static_cast<bool>(device)) << llvm::toString(device.takeError());
  EXPECT_EQ(device->ir.kernel->arg_size(), 2u);
}

TEST(Memory, AnArrayThatTheUpdateIsCutFromIsNotUpdatedInPlace) {
  const std::string text = R"(HloModule m
    f { a = f32[64] parameter(0)
        b = f32[64] parameter(1)
        i = s32[] parameter(2)
        w = f32[8] slice(b), slice={[8:16]}
        ROOT s = f32[64] dynamic-update-slice(a, w, i) }
    ENTRY e { x = f32[64] parameter(0)
              y = f32[64] parameter(1)
              i = s32[] parameter(2)
              ROOT r = f32[64] fusion(x, OTHER, i), kind=kLoop, calls=f })";
  auto with = [&](const std::string& other) {
    std::string all = text;
    return SlicesOfLastKernel(all.replace(all.find("OTHER"), 5, other));
  };
  EXPECT_EQ(with("y"), (std::vector<int64_t>{0, 1, 2, 0}));
  EXPECT_EQ(with("x"), (std::vector<int64_t>{0, 0, 2, 3}));
}

// a is needed to the end, b by c alone.
TEST(Memory, IsUsedAgainWhenNobodyNeedsItAnyMore) {
  auto module = testing::ParseOrFail(R"(HloModule m
    f { p = f32[64] parameter(0)
        ROOT n = f32[64] negate(p) }
    g { p = f32[64] parameter(0)
        q = f32[64] parameter(1)
        ROOT n = f32[64] add(p, q) }
    ENTRY e { x = f32[64] parameter(0)
              a = f32[64] fusion(x), kind=kLoop, calls=f
              b = f32[64] fusion(a), kind=kLoop, calls=f
              c = f32[64] fusion(b), kind=kLoop, calls=f
              d = f32[64] fusion(c), kind=kLoop, calls=f
              ROOT z = f32[64] fusion(a, d), kind=kLoop, calls=g })");
  const Program program(*module);
  const BufferAssignment& slices = program.buffers().slices;
  auto of = [&](const char* name) {
    return slices.Find(*program.entry().module->FindInstruction(name), 0)->allocation;
  };
  EXPECT_EQ(of("d"), of("b"));
  EXPECT_NE(of("c"), of("b"));
  for (const char* name : {"b", "c", "d", "z"}) EXPECT_NE(of(name), of("a")) << name;
  EXPECT_TRUE(CheckBufferLives(*program.entry().module, slices).conflicts.empty());
}

TEST(Memory, ResultsOfOneKernelAreApartUnlessTheyAreOneValue) {
  auto module = testing::ParseOrFail(R"(HloModule m
    f { a = f32[8] parameter(0)
        n = f32[8] negate(a)
        s = f32[8] sine(a)
        ROOT t = (f32[8], f32[8], f32[8]) tuple(n, s, n) }
    ENTRY e { x = f32[8] parameter(0)
              ROOT y = (f32[8], f32[8], f32[8]) fusion(x), kind=kLoop, calls=f })");
  const hlo::Instruction &x = *module->entry->parameters[0], &y = *module->entry->root;
  auto conflicts = [&](int64_t second, int64_t third) {
    BufferAssignment slices;
    slices.Add(x, 0, {0, 0, 32});
    slices.Add(y, 0, {1, 0, 32});
    slices.Add(y, 1, {second, 0, 32});
    slices.Add(y, 2, {third, 0, 32});
    return CheckBufferLives(*module, slices).conflicts.size();
  };
  EXPECT_EQ(conflicts(2, 3), 0);
  EXPECT_EQ(conflicts(2, 1), 0);
  EXPECT_EQ(conflicts(1, 3), 1);
  EXPECT_EQ(conflicts(2, 2), 1);
  EXPECT_EQ(conflicts(0, 1), 1);  // the caller reads the parameter
}

// Only what the caller gives away is written over.
// Two ops of one name that are loops, each in a computation of its own: a place is one of a name.
TEST(Memory, LoopsOfOpsOfOneNameAreApart) {
  const std::string solve =
      "triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE ";
  auto module = testing::ParseOrFail(
      "HloModule m\nf { a = f32[4,4] parameter(0) b = f32[4,8] parameter(1)\n"
      "ROOT v0 = f32[4,8] " +
      solve +
      "}\ng { a = f32[4,4] parameter(0) b = f32[4,4] parameter(1)\n"
      "ROOT v0 = f32[4,4] " +
      solve +
      "}\nENTRY e { a = f32[4,4] parameter(0)\n"
      "b = f32[4,8] parameter(1)\n x = f32[4,8] call(a, b), to_apply=f\n"
      "y = f32[4,4] call(a, a), to_apply=g\n ROOT t = (f32[4,8], f32[4,4]) tuple(x, y) }");
  Program program(*module);
  std::set<std::string> names;
  for (const auto& computation : program.entry().module->computations)
    EXPECT_TRUE(names.insert(computation->name).second) << computation->name;
  const BufferLives lives = CheckBufferLives(*program.entry().module, program.buffers().slices);
  for (const BufferConflict& conflict : lives.conflicts)
    ADD_FAILURE() << conflict.overwritten_by << " over " << conflict.value;
}

TEST(Memory, ADonorIsNoOtherParameter) {
  auto conflicts = [](const std::string& donors) {
    auto module = testing::ParseOrFail("HloModule m" + donors + R"(
      ENTRY e { x = f32[8] parameter(0)
                y = (f32[8], f32[8]) parameter(1)
                ROOT n = f32[8] negate(x) })");
    const hlo::Instruction &x = *module->entry->parameters[0], &y = *module->entry->parameters[1];
    BufferAssignment slices;
    slices.Add(x, 0, {0, 0, 32});
    slices.Add(y, 0, {1, 0, 32});
    slices.Add(y, 1, {2, 0, 32});
    slices.Add(*module->entry->root, 0, {2, 0, 32});
    return CheckBufferLives(*module, slices).conflicts.size();
  };
  EXPECT_EQ(conflicts(""), 1);
  EXPECT_EQ(conflicts(", buffer_donor={ (0, {}), (1, {0}) }"), 1);
  EXPECT_EQ(conflicts(", buffer_donor={ (0, {}), (1, {1}) }"), 0);
}

TEST(Memory, ReadsWhatXlaWrites) {
  auto aliases = [](const std::string& text) {
    auto module = testing::ParseOrFail("HloModule m, input_output_alias={" + text + R"(}
      ENTRY e { p = (f32[2], (s32[3], f32[2])) parameter(0)
                q = f32[2] parameter(1)
                ROOT t = (f32[2], f32[2]) tuple(q, q) })");
    llvm::Error error = hlo::VerifyExecutable(*module, "test");
    std::string message = error ? llvm::toString(std::move(error)) : "";
    auto read = hlo::InputOutputAliases(*module);
    if (!read) llvm::consumeError(read.takeError());
    EXPECT_EQ(message.empty(), static_cast<bool>(read));
    return std::pair(message, read ? *read : std::vector<hlo::InputOutputAlias>());
  };
  EXPECT_EQ(aliases("").second.size(), 0u);
  auto [message, both] = aliases(" {0}: (1, {}, may-alias), {1}: (0, {1,1}, must-alias) ");
  ASSERT_EQ(both.size(), 2u) << message;
  EXPECT_EQ(both[1].result_leaf, 1);
  EXPECT_EQ(both[1].parameter_leaf, 2);
  EXPECT_TRUE(both[1].must);
  EXPECT_EQ(aliases("{1}: (0, {0})").second.size(), 1u);
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"{0}: (2, {})", "no parameter 2"},
           {"{0}: (0, {})", "no array there"},
           {"{2}: (1, {})", "no such element"},
           {"{0,0}: (1, {})", "no such element"},
           {"{0}: (0, {1,0})", "two sizes"},
           {"{0}: (1, {}, perhaps)", "may-alias or must-alias"},
           {"{0}: (1, {}), {1}: (1, {})", "aliased twice"},
           {"{0}: (1, {}), {0}: (0, {0})", "aliased twice"},
           {"{0} (1, {})", "':'"}}) {
    EXPECT_NE(aliases(text).first.find(why), std::string::npos) << text << aliases(text).first;
  }
}

TEST(Memory, ParametersMayStandInAnyOrder) {
  constexpr int kParameters = 5000;
  std::string text = "HloModule m" + kAlias + "\nENTRY e {\n", sum;
  for (int k = kParameters; k-- > 0;)
    text += "p" + std::to_string(k) + " = f32[4] parameter(" + std::to_string(k) + ")\n";
  text += "c = f32[4] custom-call(p4999), custom_call_target=\"any\"\nROOT r = f32[4] add(c, p0) }";
  auto module = testing::ParseOrFail(text);
  const Program program(*module);
  const hlo::Computation& entry = program.entry();
  ASSERT_EQ(entry.parameters.size(), size_t{kParameters});
  for (const hlo::Instruction* parameter : entry.parameters) ASSERT_NE(parameter, nullptr);
  const BufferAssignment& slices = program.buffers().slices;
  EXPECT_EQ(slices.Find(*entry.root, 0), slices.Find(*entry.parameters[0], 0));
}

TEST(Memory, TextIsReadAsItIsWritten) {
  auto module = testing::ParseOrFail(Module(kAlias, kReverse, kInPlace));
  const Program program(*module);
  const BufferAssignment& slices = program.buffers().slices;
  const BufferAssignment again(slices.ToString());
  EXPECT_EQ(again.size(), slices.size());
  for (const auto& op : program.entry().instructions)
    EXPECT_EQ(again.Find(*op, 0), slices.Find(*op, 0)) << op->name;
}

// Random modules whose results are to be where parameters of their size are: every array has its
// place, and none is overwritten while it is needed.
RC_GTEST_PROP(Memory, NothingIsOverwrittenThatIsNeeded, ()) {
  const auto bytes = *rc::gen::container<std::vector<uint8_t>>(400, rc::gen::arbitrary<uint8_t>());
  fuzz::Choices choices(bytes);
  auto module = fuzz::GenerateModule(choices, {});
  const hlo::Computation& entry = *module->entry;
  std::string aliases;
  std::vector<bool> taken(entry.parameters.size());
  for (const hlo::LeafRef& leaf : hlo::Leaves(entry.root->shape)) {
    for (size_t p = 0; p < entry.parameters.size(); ++p) {
      const hlo::Shape& shape = entry.parameters[p]->shape;
      const bool flat = entry.root->shape.IsTuple() &&
                        leaf.index < std::ssize(entry.root->shape.tuple) &&
                        entry.root->shape.tuple.size() == hlo::LeafShapes(entry.root->shape).size();
      if (taken[p] || !leaf.shape->SameIgnoringLayout(shape) || !shape.IsArray()) continue;
      if (entry.root->shape.IsTuple() && !flat) continue;
      taken[p] = true;
      aliases += (aliases.empty() ? "{" : ", {") +
                 (flat ? std::to_string(leaf.index) : std::string()) + "}: (" + std::to_string(p) +
                 ", {}, may-alias)";
      break;
    }
  }
  RC_TAG(!aliases.empty());
  module->extra_attributes.emplace_back("input_output_alias", "{" + aliases + "}");
  const Program program(*module);
  const BufferLives lives = CheckBufferLives(*program.entry().module, program.buffers().slices);
  for (const BufferConflict& conflict : lives.conflicts)
    RC_FAIL(conflict.overwritten_by + " over " + conflict.value + ", read by " + conflict.read_by);
  for (const auto& op : program.entry().instructions) {
    for (const hlo::LeafRef& leaf : hlo::Leaves(op->shape))
      RC_ASSERT(!leaf.shape->IsArray() || program.buffers().slices.Find(*op, leaf.index));
  }
}

}  // namespace
}  // namespace affirm::driver
