// A module as a host runs it: kernels compute everything that can be computed by one, in loops,
// branches and calls too, and the program means what the module means.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/program.h"
#include "fuzz/generators/hlo_generator.h"
#include "tests/parse_module.h"
#include "verify/reference/compare.h"
#include "verify/reference/interpreter.h"

namespace affirm::driver {
namespace {

std::vector<std::string> Names(const Program& program) {
  std::vector<std::string> names;
  for (const FusedComputation& fused : program.fused_computations()) names.push_back(fused.name);
  return names;
}

// The program, its kernels' parts interpreted, against the module. A module without a value has
// none as a program.
bool MeansTheSame(const hlo::Module& module, int64_t* parts_run = nullptr) {
  const Program program(module);
  const std::vector<hlo::Literal> arguments = hlo::MakeArguments(*module.entry, 5);
  auto expected = hlo::Interpret(*module.entry, arguments);
  auto actual = RunProgram(program, arguments,
                           [&](const FusedComputation& part, llvm::ArrayRef<hlo::Literal> values) {
                             if (parts_run != nullptr) ++*parts_run;
                             return hlo::Interpret(*part.computation, values);
                           });
  if (!expected) {
    llvm::consumeError(expected.takeError());
    llvm::consumeError(actual.takeError());
    return true;
  }
  if (!actual) {
    ADD_FAILURE() << llvm::toString(actual.takeError());
    return false;
  }
  return hlo::Compare(*expected, *actual, 0).mismatches == 0;
}

constexpr char kLoop[] = R"(HloModule m
body { s = (s32[], c64[2,2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = c64[2,2] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = c64[2,2] add(x, x)
  z = c64[2,2] while(y), condition=never, body=twice
  w = c64[2,2] negate(z)
  ROOT t = (s32[], c64[2,2]) tuple(j, w) }
condition { s = (s32[], c64[2,2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT }
never { p = c64[2,2] parameter(0)
  ROOT c = pred[] constant(false) }
twice { p = c64[2,2] parameter(0)
  ROOT r = c64[2,2] add(p, p) }
ENTRY e { p = c64[2,2] parameter(0)
  zero = s32[] constant(0)
  start = c64[2,2] negate(p)
  t = (s32[], c64[2,2]) tuple(zero, start)
  l = (s32[], c64[2,2]) while(t), condition=condition, body=body
  x = c64[2,2] get-tuple-element(l), index=1
  both = c64[2,2] add(x, start)
  ROOT r = c64[2,2] triangular-solve(both, both), left_side=true, lower=true, transpose_a=NO_TRANSPOSE })";

TEST(ProgramTest, LoopsRunTheKernelsOfTheirBodies) {
  auto module = testing::ParseOrFail(kLoop);
  ASSERT_NE(module, nullptr);
  const Program program(*module);
  EXPECT_EQ(Names(program),
            (std::vector<std::string>{"e.0", "condition.0", "body.0", "twice.0", "body.1", "e.1"}));
  int64_t parts_run = 0;
  EXPECT_TRUE(MeansTheSame(*module, &parts_run));
  // Five trips with two kernels each, six conditions, two kernels of the entry.
  EXPECT_EQ(parts_run, 5 * 2 + 6 + 2);
  const hlo::Instruction* factor = module->entry->root;
  EXPECT_EQ(program.RoleOf(*factor), HostRole::kLibrary);
  EXPECT_EQ(program.RoleOf(*factor->operands[0]), HostRole::kKernel);
  EXPECT_EQ(program.RoleOf(*module->entry->parameters[0]), HostRole::kForward);
}

TEST(ProgramTest, InstructionsOfKernelsStandForThoseOfTheModule) {
  auto module = testing::ParseOrFail(kLoop);
  ASSERT_NE(module, nullptr);
  const Program program(*module);
  int64_t negates = 0;
  for (const FusedComputation& fused : program.fused_computations()) {
    for (const FusedComputation& part : program.partitions(fused).kernels) {
      for (const auto& op : part.computation->instructions) {
        const hlo::Instruction* original = program.Original(*op);
        if (original == nullptr || op->opcode == hlo::Opcode::kParameter) continue;
        EXPECT_EQ(original->opcode, op->opcode);
        EXPECT_EQ(module->FindComputation(original->parent->name), original->parent);
        negates += original == module->FindInstruction("w");
      }
    }
  }
  EXPECT_EQ(negates, 1);
}

TEST(ProgramTest, AnEntryWithoutAnythingForTheHostIsOneUnit) {
  auto module = testing::ParseOrFail(R"(HloModule m
f { p = f32[4] parameter(0)
  ROOT r = f32[4] negate(p) }
ENTRY e { p = f32[4] parameter(0)
  q = f32[4] call(p), to_apply=f
  ROOT t = (f32[4], f32[4]) tuple(q, p) })");
  ASSERT_NE(module, nullptr);
  const Program program(*module);
  ASSERT_EQ(program.fused_computations().size(), 1u);
  EXPECT_EQ(program.fused_computations()[0].computation, module->entry);
  EXPECT_TRUE(MeansTheSame(*module));
}

TEST(ProgramTest, EveryBranchHasItsKernel) {
  auto module = testing::ParseOrFail(R"(HloModule m
f0 { p = f32[4] parameter(0) ROOT r = f32[4] negate(p) }
f1 { p = f32[4] parameter(0) ROOT r = f32[4] exponential(p) }
f2 { p = f32[4] parameter(0) ROOT r = f32[4] add(p, p) }
ENTRY e { i = s32[] parameter(0)
  p = f32[4] parameter(1)
  c = f32[4] conditional(i, p, p, p), branch_computations={f0, f1, f2}
  ROOT r = f32[4] multiply(c, p) })");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Names(Program(*module)), (std::vector<std::string>{"f0.0", "f1.0", "f2.0", "e.0"}));
  EXPECT_TRUE(MeansTheSame(*module));
}

// Kernels are told apart by their names, whatever the module calls its fusions.
TEST(ProgramTest, NamesOfUnitsAreTheirOwn) {
  auto module = testing::ParseOrFail(R"(HloModule m
f { x = f32[4] parameter(0) ROOT s = f32[4] abs(x) }
ENTRY e { p = f32[4] parameter(0)
  n = f32[4] negate(p)
  e.0 = f32[4] fusion(n), kind=kLoop, calls=f
  ROOT x = f32[4] cosine(e.0) })");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Names(Program(*module)), (std::vector<std::string>{"e.0_", "e.0", "e.1"}));
  EXPECT_TRUE(MeansTheSame(*module));
}

// The operands of a value run before it, however kernels and the host alternate.
TEST(ProgramTest, KernelsAndTheHostAlternate) {
  auto module = testing::ParseOrFail(R"(HloModule m
ENTRY e { p = c64[2,2] parameter(0)
  unused = c64[2,2] negate(p)
  a = c64[2,2] negate(p)
  s = c64[2,2] triangular-solve(a, a), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  b = c64[2,2] add(a, s)
  t = c64[2,2] triangular-solve(b, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  c = c64[2,2] subtract(t, a)
  barrier = (c64[2,2], c64[2,2]) opt-barrier(c, a)
  d = c64[2,2] get-tuple-element(barrier), index=0
  u = c64[2,2] multiply(d, b)
  ROOT r = (c64[2,2], c64[2,2], c64[2,2]) tuple(u, a, t) })");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Names(Program(*module)), (std::vector<std::string>{"e.0", "e.1", "e.2", "e.3"}));
  EXPECT_TRUE(MeansTheSame(*module));
}

RC_GTEST_PROP(ProgramProperty, RandomModulesMeanTheSame, (const std::vector<uint8_t>& bytes)) {
  fuzz::HloLimits limits;
  fuzz::Choices choices(bytes);
  RC_ASSERT(MeansTheSame(*fuzz::GenerateModule(choices, limits)));
}

}  // namespace
}  // namespace affirm::driver
