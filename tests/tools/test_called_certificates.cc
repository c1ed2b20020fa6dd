// Certificates of what instructions read that call computations, and of select-and-scatter.
#include <string>

#include "tests/tools/certificates.h"

namespace affirm::testing {
namespace {

using CalledCertificates = ReadsCertificates;

constexpr char kCalls[] =
    "row {\n"
    "  x = f32[4,3] parameter(0)\n"
    "  at = s32[] parameter(1)\n"
    "  zero = s32[] constant(0)\n"
    "  r = f32[1,3] dynamic-slice(x, at, zero), dynamic_slice_sizes={1,3}\n"
    "  ROOT f = f32[3] reshape(r)\n"
    "}\n"
    "turned {\n"
    "  a = f32[3] parameter(0)\n"
    "  ROOT r = f32[3] reverse(a), dimensions={0}\n"
    "}\n"
    "kept {\n"
    "  a = f32[3] parameter(0)\n"
    "  ROOT r = f32[3] negate(a)\n"
    "}\n"
    "ENTRY e {\n"
    "  x = f32[4,3] parameter(0)\n"
    "  i = s32[] parameter(1)\n"
    "  c = pred[] parameter(2)\n"
    "  y = f32[3] parameter(3)\n"
    "  one = f32[3] call(x, i), to_apply=row\n"
    "  b = f32[3] conditional(c, y, one), true_computation=turned, false_computation=kept\n"
    "  ROOT d = f32[3] conditional(i, y, one, b), branch_computations={turned, kept, kept}\n"
    "}\n";

// A computation that is called is written out: its parameters are the operands.
TEST_F(CalledCertificates, FollowCalls) {
  const std::string text = CertificatesOf(kCalls, "one").at(0);
  ExpectStatement(text,
                  "one reads exactly of x:\n  (d0){rt0, rt1} -> (rt0, d0), domain: d0 in [0, 2], "
                  "rt0 in [0, 3], rt1 in [0, 0]\n"
                  "  rt0 is i () in [0, 3]\n  rt1 is one/zero () in [0, 0]\n  where\n    row:\n"
                  "      x = f32[4,3] parameter(0)\n");
  TemporaryFile hlo("m.hlo", std::string("HloModule m\n\n") + kCalls), certificate("c.cert", text);
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--hlo", hlo.path(), certificate.path()}).status, 0);
  TemporaryFile renamed("r.hlo", "HloModule m\n\n" + Replaced(kCalls, "row {", "line {"));
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--hlo", renamed.path(), certificate.path()}).status, 1);
  const auto reject = RejecterOf(text);
  reject("op x = f32[4,3] parameter(0)", "op x = f32[3,4] parameter(0)", "");
  reject("op x = f32[4,3] parameter(0)", "op x = f32[4,3] parameter(1)", "given twice");
  reject("op x = f32[4,3] parameter(0)", "op x = f32[4,3] parameter(7)", "has another type");
  reject("op x = f32[4,3] parameter(0)", "array x = f32[4,3] parameter(0)", "");
  reject("parameter(1)\narray zero", "parameter(2)\narray zero", "has another type");
  reject("op ROOT f", "op f", "one ROOT");
  reject("to_apply=row", "to_apply=rows", "there is no computation 'rows'");
  reject("to_apply=row", "calls=row", "a computation that it calls");
  reject("to_apply=row", "to_apply=row, calls=row", "a computation that it calls");
  reject("op one = f32[3]", "op one = f32[1,3]", "another type than its call");
  reject("runtime i ()", "runtime one/at ()", "there is no array 'one/at'");
  reject("runtime i ()", "runtime one/zero ()", "");
}

TEST_F(CalledCertificates, BranchesAreReadWhereTheyAreChosen) {
  const auto texts = CertificatesOf(kCalls, "b");
  ExpectStatement(texts.at(1),
                  "b reads exactly of y:\n  (d0){rt0} -> (-d0 + 2), domain: d0 in [0, 2], rt0 in "
                  "[1, 1]\n  rt0 is c () in [0, 1]\n");
  ExpectStatement(texts.at(2), "b reads exactly of one:\n  (d0){rt0} -> (d0), ");
  const auto reject = RejecterOf(texts.at(1));
  reject("rt0 in [1, 1]", "rt0 in [0, 0]", "does not show");
  reject("rt0 in [1, 1]", "rt0 in [0, 1]", "does not show");
  reject("true_computation=turned, false_computation=kept",
         "true_computation=kept, false_computation=turned", "");
  reject("conditional(c, y, one)", "conditional(c, one, y)", "");
  reject("conditional(c, y, one)", "conditional(c, y)", "an operand for each");
  reject("conditional(c, y, one)", "conditional(y, y, one)", "a selector that fits");
  reject("true_computation=turned, false_computation=kept", "branch_computations={turned,kept}",
         "a selector that fits");
  reject("c = pred[]", "c = s32[]", "a selector that fits");
}

// An index outside chooses the last branch: it is clamped otherwise than what a claim can say.
TEST_F(CalledCertificates, BranchesOfAnIndexHaveNone) {
  const auto texts = CertificatesOf(kCalls, "d");
  ASSERT_EQ(texts.size(), 1u);
  ExpectStatement(texts[0], "d reads exactly of i:\n  (d0) -> (), domain: d0 in [0, 2]\n");
  ExpectRejected(Replaced(texts[0], "reads exact i", "reads exact y"), "");
}

TEST_F(CalledCertificates, ALoopWithinALoopKeepsNoOtherArray) {
  const std::string kept =
      "affirm certificate 2\nclaim reads exact s{0} by l{0}\n"
      "body inner\nop s = (f32[3]) parameter(0)\nop p = f32[3] get-tuple-element(s), index=0\n"
      "op v = f32[3] copy(p)\nop ROOT t = (f32[3]) tuple(v)\nend body\n"
      "body outer\nop s = (f32[3]) parameter(0)\n"
      "op ROOT t = (f32[3]) while(s), condition=c, body=inner\nend body\n"
      "array s = (f32[3]) parameter(0)\nop l = (f32[3]) while(s), condition=c, body=outer\n"
      "map (d0) -> (d0), domain: d0 in [0, 2]\nevidence\nc 1 1@1\nc 1 1@2\nc 1\n= 5 5\n"
      "done 0 1 2 1 2 6\nevidence\nc 1\n= 5 5\ndone 0 1 2 6\nend\n";
  EXPECT_EQ(Check(kept).status, 0);
  ExpectRejected(Replaced(kept, "copy(p)", "reverse(p), dimensions={0}"), "is not stated");
}

TEST_F(CalledCertificates, SelectAndScatterReadsWindows) {
  const std::string text =
      CertificatesOf(
          "ge {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
          "  ROOT r = pred[] compare(a, b), direction=GE\n}\n"
          "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
          "  ROOT r = f32[] add(a, b)\n}\n"
          "ENTRY e {\n  x = f32[5] parameter(0)\n  o = f32[3] parameter(1)\n"
          "  z = f32[] parameter(2)\n  ROOT r = f32[5] select-and-scatter(x, o, z), "
          "window={size=3 stride=2 pad=1_1}, select=ge, scatter=sum\n}\n",
          "r", "--multi-line")
          .at(1);
  ExpectStatement(text, "r reads at most of o:\n");
  const auto reject = RejecterOf(text);
  reject("pad=1_1", "pad=0_2", "does not show");
  reject("pad=1_1", "pad=1_3", "the result has another size");
  reject("size=3", "size=3 lhs_dilate=2", "is dilated");
  reject("z = f32[]", "z = f32[1]", "sizes do not fit");
  reject("r = f32[5]", "r = f32[4]", "sizes do not fit");
}

}  // namespace
}  // namespace affirm::testing
