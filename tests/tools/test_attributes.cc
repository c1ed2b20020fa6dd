// Nothing that an attribute may change counts as proved: unknown ones are bad input, and one
// whose values are not modeled leaves the verdict open.
#include <gtest/gtest.h>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

std::string DotWith(const std::string& attributes) {
  return "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  y = f32[3,4] parameter(1)\n"
         "  ROOT r = f32[2,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
         attributes + "\n}\n";
}

TEST(Attributes, AnUnknownOneIsBadInput) {
  RunResult run =
      RunAffirm({"check", "-"},
                "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n"
                "  ROOT r = f32[3,2] transpose(x), dimensions={1,0}, changes_meaning=true\n}\n");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find(":4:53: error: expected an attribute that transpose is known to have"),
            std::string::npos)
      << run.err;
}

TEST(Attributes, AnAlgorithmThatRoundsLeavesTheVerdictOpen) {
  EXPECT_EQ(RunAffirm({"check", "-"}, DotWith("")).status, 0);
  for (const char* algorithm : {"dot_f32_f32_f32", "dot_bf16_bf16_f32", "dot_tf32_tf32_f32_x3"}) {
    RunResult run = RunAffirm({"check", "-"}, DotWith(", algorithm=" + std::string(algorithm)));
    EXPECT_EQ(run.status, 0) << algorithm << run.out << run.err;
  }
  for (const char* attribute :
       {", algorithm=dot_bf16_bf16_bf16", ", algorithm=dot_any_f8_any_f8_f32_fast_accum",
        ", algorithm=dot_bf16_bf16_f32, operand_precision={packed_nibble,default}",
        ", operand_precision={packed_nibble,default}"}) {
    RunResult run = RunAffirm({"check", "-"}, DotWith(attribute));
    EXPECT_EQ(run.status, 2) << attribute << run.out << run.err;
    EXPECT_NE(run.out.find("has values that depend on "), std::string::npos) << run.out;
    EXPECT_EQ(RunAffirm({"run", "-"}, DotWith(attribute)).status, 3) << attribute;
    RunResult emitted = RunAffirm({"emit", "-"}, DotWith(attribute));
    EXPECT_NE(emitted.status, 0) << attribute;
    EXPECT_NE(emitted.err.find("its values depend on "), std::string::npos) << emitted.err;
  }
}

// An asynchronous reduction is the reduction, not one call of what it applies: with f(a, b) = a - 2
// b, init 7 and 5 that is 7 - 2 * 5, not 5 - 2 * 7.
TEST(Attributes, AsynchronousOpsAreWhatTheyWrap) {
  const std::string text =
      "HloModule m\nf { a = f32[] parameter(0) b = f32[] parameter(1) t = f32[] constant(2) c = "
      "f32[] "
      "multiply(b, t) ROOT r = f32[] subtract(a, c) }\nENTRY e { x = f32[] constant(5) y = f32[] "
      "constant(7) "
      "s = ((f32[], f32[]), f32[], s32[]) reduce-start(x, y), dimensions={}, to_apply=f "
      "d = f32[] reduce-done(s) q = f32[] reduce(x, y), dimensions={}, to_apply=f "
      "ROOT r = (f32[], f32[]) tuple(d, q) }";
  EXPECT_EQ(RunAffirm({"run", "-"}, text).out, "(-3, -3)\n");
  // The computation that a custom-call applies is not its result.
  RunResult run = RunAffirm(
      {"check", "-"},
      "HloModule m\nf { a = f32[4] parameter(0) ROOT r = f32[4] negate(a) }\nENTRY e { x = f32[4] "
      "parameter(0) "
      "s = ((f32[4]), f32[4], s32[]) custom-call-start(x), custom_call_target=\"t\", to_apply=f "
      "ROOT d = f32[4] custom-call-done(s) }");
  EXPECT_EQ(run.status, 2) << run.out << run.err;
}

// Within a computation that is applied to elements, where another code emits and interprets.
TEST(Attributes, AnAccuracyWithinAFusionOrAReductionToo) {
  for (const char* accuracy : {"", ", result_accuracy={mode=highest}"}) {
    const std::string sum =
        "sum { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] exponential(b)" +
        std::string(accuracy) + " ROOT r = f32[] add(a, c) }\n";
    const std::string entry = "ENTRY e { x = f32[4,4] parameter(0) c = f32[] constant(0) ";
    for (const char* root :
         {"ROOT r = f32[4] reduce(x, c), dimensions={1}, to_apply=sum }",
          "ROOT r = f32[4,4] map(x, x), dimensions={0,1}, to_apply=sum }",
          "ROOT r = f32[4,4] reduce-window(x, c), window={size=1x2 pad=0_0x1_0}, to_apply=sum }"}) {
      RunResult run = RunAffirm({"check", "-"}, "HloModule m\n" + sum + entry + root);
      EXPECT_EQ(run.status, *accuracy == '\0' ? 0 : 2) << root << run.out << run.err;
    }
  }
}

}  // namespace
}  // namespace affirm::testing
