// Certificates of what HLO instructions read.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/certificates.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kSlice[] =
    "ENTRY e {\n"
    "  %p = f32[9,4]{1,0} parameter(0)\n"
    "  ROOT %s = f32[3,4]{1,0} slice(f32[9,4]{1,0} %p), slice={[1:8:3], [0:4]}, "
    "metadata={op_name=\"a, (b\"}\n"
    "}\n";

TEST_F(ReadsCertificates, AreAcceptedAndPrintTheInstructions) {
  const auto texts = CertificatesOf(kSlice, "s");
  ASSERT_EQ(texts.size(), 1u);
  ExpectStatement(texts[0],
                  "s reads exactly of p:\n"
                  "  (d0, d1) -> (d0 * 3 + 1, d1), domain: d0 in [0, 2], d1 in [0, 3]\n"
                  "  where\n"
                  "    p = f32[9,4]\n"
                  "    s = f32[3,4] slice(p), slice={[1:8:3],[0:4:1]}\n");
}

TEST_F(ReadsCertificates, FollowAllWaysThroughAFusion) {
  const auto texts = CertificatesOf(
      "f {\n"
      "  p = f32[6,6] parameter(0)\n"
      "  t = f32[6,6] transpose(p), dimensions={1,0}\n"
      "  ROOT a = f32[6,6] add(t, p)\n"
      "}\n"
      "ENTRY e {\n"
      "  p = f32[6,6] parameter(0)\n"
      "  ROOT r = f32[6,6] fusion(p), kind=kLoop, calls=f\n"
      "}\n",
      "r");
  ASSERT_EQ(texts.size(), 1u);
  ExpectStatement(texts[0], "a reads exactly of p:\n  (d0, d1) -> (d0, d1), ");
  // One of the ways alone is not all that is read.
  ExpectRejected(Replaced(texts[0], "(d0, d1) -> (d1, d0), ", "(d0, d1) -> (d0, d1), "), "");
  ExpectRejected(Replaced(texts[0], "dimensions={1,0}", "dimensions={0,1}"), "");
}

TEST_F(ReadsCertificates, RuntimeVariablesAreClampedElements) {
  const auto texts = CertificatesOf(
      "ENTRY e {\n"
      "  p = f32[9,5] parameter(0)\n"
      "  i = s32[2] parameter(1)\n"
      "  ROOT s = f32[3,5] dynamic-slice(p, i), dynamic_slice_sizes={3,5}\n"
      "}\n",
      "s");
  ASSERT_EQ(texts.size(), 2u);
  ExpectStatement(texts[0], "  rt0 is i (0) in [0, 6]\n  rt1 is i (1) in [0, 0]\n");
  ExpectRejected(Replaced(texts[0], "runtime i (0) in [0, 6]", "runtime i (1) in [0, 6]"),
                 "have no maps");
  ExpectRejected(Replaced(texts[0], "in [0, 6]\nruntime", "in [0, 7]\nruntime"), "have no maps");
}

// Some ways have no runtime variable, and two variables stand for one element.
TEST_F(ReadsCertificates, WaysDifferInTheirRuntimeVariables) {
  const auto texts = CertificatesOf(
      "f {\n"
      "  y = f32[9] parameter(0)\n"
      "  x = f32[9] parameter(1)\n"
      "  i = s32[] parameter(2)\n"
      "  j = s32[] parameter(3)\n"
      "  v = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}\n"
      "  ROOT w = f32[9] dynamic-update-slice(y, v, i)\n"
      "}\n"
      "ENTRY e {\n"
      "  y = f32[9] parameter(0)\n"
      "  x = f32[9] parameter(1)\n"
      "  i = s32[] parameter(2)\n"
      "  j = s32[] parameter(3)\n"
      "  ROOT r = f32[9] fusion(y, x, i, j), kind=kLoop, calls=f\n"
      "}\n",
      "r", "--multi-line");
  ASSERT_GE(texts.size(), 3u);
  ExpectStatement(texts[1], "w reads at most of x:\n  (d0){rt0} -> (d0), ");
  ExpectStatement(texts[2], "w reads at most of i:\n");
  const auto reject = RejecterOf(texts[1]);
  reject("runtime i () in [0, 8]", "runtime i () in [0, 7]", "have no maps");
  reject("runtime i () in [0, 8]", "runtime i () in [0, -1]", "have no maps");
  reject("rt0 in [0, 8], d0 - rt0 in [0, 0]", "rt0 in [1, 8], d0 - rt0 in [0, 0]", "does not show");
  reject("runtime i () in [0, 8]", "runtime j () in [0, 8]", "");
  reject("dynamic-update-slice(y, v, i)", "dynamic-update-slice(y, x, i)", "");
}

TEST_F(ReadsCertificates, SayWhereAMapIsWider) {
  const auto texts = CertificatesOf(
      "ENTRY e {\n"
      "  p = f32[9] parameter(0)\n"
      "  u = f32[2] parameter(1)\n"
      "  i = s32[] parameter(2)\n"
      "  ROOT s = f32[9] dynamic-update-slice(p, u, i)\n"
      "}\n",
      "s", "--multi-line");
  ASSERT_EQ(texts.size(), 3u);
  ExpectStatement(texts[0], "s reads at most of p:\n  (d0) -> (d0), domain: d0 in [0, 8]\n");
  ExpectRejected(Replaced(texts[0], "claim reads at-most", "claim reads exact"), "");
}

TEST_F(ReadsCertificates, InstructionsAreReadWholeOrNotAtAll) {
  const std::string text = CertificatesOf(kSlice, "s").at(0);
  const auto reject = RejecterOf(text);
  reject("[1:8:3]", "[1:7:2]", "does not show");
  reject("[1:8:3]", "[1:9:2]", "a range and a size differ");
  reject("[1:8:3]", "[4:11:3]", "sizes do not fit");
  reject("slice={[1:8:3], [0:4]}", "slice={[1:8:3]}", "a range for each dimension");
  reject("metadata=", "dimensions=", "unknown attribute dimensions");
  reject("slice(f32[9,4]{1,0} %p)", "slice(f32[4,9]{1,0} %p)", "type of an operand");
  reject("slice(f32[9,4]{1,0} %p)", "reverse(%p), dimensions={0}", "sizes do not fit");
  reject("slice(f32[9,4]{1,0} %p), slice={[1:8:3], [0:4]}", "reshape(%p)", "sizes do not fit");
  reject("slice(f32[9,4]{1,0} %p), slice={[1:8:3], [0:4]}", "negate(%p)", "sizes do not fit");
  reject("slice(f32[9,4]{1,0} %p)", "slice(%q)", "no instruction 'q'");
  reject("slice(f32[9,4]{1,0} %p)", "custom-call(%p)", "no meaning of 'custom-call'");
  reject("f32[9,4]{1,0} parameter", "f32[<=9,4]{1,0} parameter", "expected an integer");
  reject("f32[9,4]{1,0} parameter", "f-32[9,4]{1,0} parameter", "the type of an array");
  reject("metadata=", "metadata={a=1}, metadata=", "metadata is given twice");
  reject("metadata={op_name=\"a, (b\"}", "metadata={op_name=\"a, (b\"", "does not end");
}

// Instructions that XLA refuses, of operands whose maps do not depend on the fault.
TEST_F(ReadsCertificates, SizesAreThoseOfXla) {
  const auto certificate = [](const std::string& operands, const std::string& instruction,
                              size_t number) {
    std::string body =
        "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
        "  ROOT c = f32[] add(a, b)\n}\nENTRY e {\n" +
        operands + "  ROOT r = " + instruction + "\n}\n";
    return CertificatesOf(body, "r").at(number);
  };
  const auto reject = [&](const std::string& text, const std::string& from, const std::string& to) {
    EXPECT_EQ(Check(text).status, 0) << text;
    ExpectRejected(Replaced(text, from, to), "sizes do not fit");
  };
  const std::string gather = certificate(
      "  p = f32[5,3] parameter(0)\n  i = s32[4,1] parameter(1)\n",
      "f32[4,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,3}",
      1);
  reject(gather, "start_index_map={0}", "start_index_map={8}");
  reject(gather, "start_index_map={0}", "start_index_map={0,1}");
  reject(gather, "collapsed_slice_dims={0}", "collapsed_slice_dims={1}");
  reject(gather, "slice_sizes={1,3}", "slice_sizes={1,2}");
  const std::string scatter = certificate(
      "  p = f32[4,3] parameter(0)\n  i = s32[2,1] parameter(1)\n  u = f32[2,3] parameter(2)\n",
      "f32[4,3] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
      0);
  reject(scatter, "scatter_dims_to_operand_dims={0}", "scatter_dims_to_operand_dims={0,1}");
  reject(scatter, "inserted_window_dims={0}", "inserted_window_dims={}");
  const std::string two = "  p = f32[2,3] parameter(0)\n  q = f32[3,4] parameter(1)\n";
  const std::string dot =
      certificate(two, "f32[2,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}", 0);
  reject(dot, "q = f32[3,4]", "q = f32[2,4]");
  const std::string array = "  p = f32[2,3] parameter(0)\n  z = f32[] parameter(1)\n";
  const std::string reduce =
      certificate(array, "f32[2] reduce(p, z), dimensions={1}, to_apply=add", 1);
  reject(reduce, "dimensions={1}", "dimensions={0}");
  const std::string pad = certificate(array, "f32[4,3] pad(p, z), padding=1_1x0_0", 0);
  reject(pad, "padding=1_1x0_0", "padding=1_2x0_0");
  const std::string slice = certificate("  p = f32[5] parameter(0)\n  i = s32[] parameter(1)\n",
                                        "f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}", 1);
  reject(slice, "dynamic-slice(p, i)", "dynamic-slice(p, i, i)");
  const std::string sum = certificate("  p = f32[2] parameter(0)\n  z = f32[] parameter(1)\n",
                                      "f32[2] broadcast(z), dimensions={}", 0);
  reject(sum, "broadcast(z), dimensions={}", "negate(z)");
  const std::string row = "  p = f32[2,6] parameter(0)\n";
  const std::string top = certificate(row, "(f32[2,3], s32[2,3]) topk(p), k=3, largest=true", 0);
  reject(top, "k=3", "k=4");
  const std::string bitcast = certificate(row, "f32[3,4]{1,0} bitcast(p)", 0);
  ExpectRejected(Replaced(bitcast, "{1,0} bitcast", "{0,1} bitcast"), "no meaning of 'bitcast'");
  ExpectRejected(Replaced(bitcast, "f32[3,4]", "f64[3,4]"), "no meaning of 'bitcast'");
}

// 2^31 * 2^31 * 2 elements are 0 to a machine of 63 bits, as 0 * 5 elements are.
TEST_F(ReadsCertificates, ProductsOfSizesDoNotOverflow) {
  const std::string text = CertificatesOf(
                               "ENTRY e {\n  p = f32[0,5] parameter(0)\n"
                               "  ROOT r = f32[5,0] reshape(p)\n}\n",
                               "r")
                               .at(0);
  EXPECT_EQ(Check(text).status, 0);
  ExpectRejected(Replaced(text, "p = f32[0,5]", "p = f32[2147483648,2147483648,2]"),
                 "too many elements");
}

TEST_F(ReadsCertificates, FollowTheArraysOfTuples) {
  const std::string text = CertificatesOf(
                               "f {\n"
                               "  p = f32[3] parameter(0)\n"
                               "  q = f32[3] parameter(1)\n"
                               "  t = (f32[3], f32[3]) tuple(p, q)\n"
                               "  g = f32[3] get-tuple-element(t), index=1\n"
                               "  v = f32[3] reverse(g), dimensions={0}\n"
                               "  ROOT r = (f32[3], f32[3]) tuple(v, p)\n"
                               "}\n"
                               "ENTRY e {\n"
                               "  p = f32[3] parameter(0)\n"
                               "  q = f32[3] parameter(1)\n"
                               "  ROOT r = (f32[3], f32[3]) fusion(p, q), kind=kLoop, calls=f\n"
                               "}\n",
                               "r")
                               .at(1);
  ExpectStatement(text, "r{0} reads exactly of q:\n  (d0) -> (-d0 + 2), domain: d0 in [0, 2]\n");
  const auto reject = RejecterOf(text);
  reject("index=1", "index=0", "");
  reject("index=1", "index=2", "the type is another");
  reject("index=1", "dimensions={1}", "has one operand, a tuple, and an index");
  reject("by r{0}", "by r{1}", "");
  reject("by r{0}", "by r{00}", "expected an array");
  reject("by r{0}", "by r", "is no array");
  reject("(f32[3], f32[3]) tuple(p, q)", "(f32[3], f32[4]) tuple(p, q)", "types of its elements");
  reject("reverse(g)", "reverse(t)", "a tuple as an operand");
}

constexpr char kLoop[] =
    "c {\n"
    "  s = (s32[], f32[3], f32[3]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(4)\n"
    "  ROOT l = pred[] compare(i, n), direction=LT\n"
    "}\n"
    "b {\n"
    "  s = (s32[], f32[3], f32[3]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  one = s32[] constant(1)\n"
    "  next = s32[] add(i, one)\n"
    "  p = f32[3] get-tuple-element(s), index=1\n"
    "  q = f32[3] get-tuple-element(s), index=2\n"
    "  v = f32[3] reverse(q), dimensions={0}\n"
    "  ROOT t = (s32[], f32[3], f32[3]) tuple(next, p, v)\n"
    "}\n"
    "ENTRY e {\n"
    "  s = (s32[], f32[3], f32[3]) parameter(0)\n"
    "  ROOT l = (s32[], f32[3], f32[3]) while(s), condition=c, body=b\n"
    "}\n";

// Nothing is stated about the other arrays.
TEST_F(ReadsCertificates, LoopsKeepWhatTheirBodiesMakeOfThemselves) {
  TemporaryFolder folder;
  TemporaryFile hlo("m.hlo", std::string("HloModule m\n\n") + kLoop);
  RunResult run =
      RunAffirm({"indexing", hlo.path(), "--all", "--exact", "--certificates", folder.path()});
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string text = ReadFile(folder.path() + "/e.l.1.0.1.cert");
  ExpectStatement(text, "l{1} reads exactly of s{1}:\n  (d0) -> (d0), domain: d0 in [0, 2]\n");
  ExpectStatement(ReadFile(folder.path() + "/e.l.0.0.0.cert"), "l{0} reads exactly of s{0}:\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/e.l.2.0.2.cert"));
  TemporaryFile certificate("c.cert", text);
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--hlo", hlo.path(), certificate.path()}).status, 0);
  const auto reject = RejecterOf(text);
  const std::string unstated = "is not stated";
  reject("tuple(next, p, v)", "tuple(next, s, v)", "");
  reject("tuple(next, p, v)", "tuple(next, v, p)", unstated);
  reject("(s), index=1", "(s), index=2", unstated);
  reject("by l{1}", "by l{2}", unstated);
  reject("op p = ", "array p = ", unstated);
  reject("condition=c, body=b", "condition=c, body=d", "there is no computation 'd'");
  reject("condition=c, body=b", "body=b", "a condition and a body");
  reject("op ROOT t", "op t", "one ROOT");
  reject("op s = (s32[], f32[3], f32[3]) parameter(0)", "array s = (s32[], f32[3], f32[3])",
         "a parameter");
  // A value that is given may be made of the other arrays.
  const std::string with_given =
      Replaced(text, "op ROOT t", "array y = f32[3] negate(q)\nop w = f32[3] add(p, y)\nop ROOT t");
  ExpectRejected(Replaced(with_given, "tuple(next, p, v)", "tuple(next, w, v)"), unstated);
  // The lines are those of another computation.
  TemporaryFile renamed("r.hlo",
                        Replaced(std::string("HloModule m\n\n") + kLoop, "\nb {\n", "\nd {\n"));
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--hlo", renamed.path(), certificate.path()}).status, 1);
}

TEST_F(ReadsCertificates, AreOfTheModuleThatIsNamed) {
  TemporaryFile module("m.hlo", std::string("HloModule m\n\n") + kSlice);
  TemporaryFile other("o.hlo",
                      "HloModule o\n\nENTRY e {\n  ROOT %p = f32[9,4]{1,0} parameter(0)\n}\n");
  TemporaryFile certificate("c.cert", CertificatesOf(kSlice, "s").at(0));
  EXPECT_EQ(RunProgram(AFFIRM_CHECK, {"--hlo", module.path(), certificate.path()}).status, 0);
  RunResult run = RunProgram(AFFIRM_CHECK, {"--hlo", other.path(), certificate.path()});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("not lines of one computation"));
}

// Text in a comment or in a string is no line of the module, nor is a line of another computation
// one of this.
TEST_F(ReadsCertificates, LinesAreInstructionsOfOneComputation) {
  const std::string copy = "ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT out = f32[4] copy(p)\n}\n";
  TemporaryFile certificate("c.cert", CertificatesOf(copy, "out").at(0));
  auto verdict = [&](const std::string& module) {
    TemporaryFile file("m.hlo", "HloModule m, frontend_attributes={a={b}}\n\n" + module);
    const RunResult run = RunProgram(AFFIRM_CHECK, {"--hlo", file.path(), certificate.path()});
    return run.status == 0 ? "accepted" : run.status == 1 ? run.out : run.err;
  };
  const std::string accepted = "accepted", other = "not lines of one computation";
  EXPECT_EQ(verdict(copy), accepted);
  EXPECT_EQ(verdict("/* one */ ENTRY e { // two\n  p = f32[4] parameter(0)\n"
                    "  ROOT out = f32[4] copy(p)\n} // three\n"),
            accepted);
  const std::string reverse = "  ROOT out = f32[4] reverse(p), dimensions={0}";
  auto entry = [&](const std::string& rest) {
    return "ENTRY e {\n  p = f32[4] parameter(0)\n" + rest + "\n}\n";
  };
  EXPECT_THAT(verdict(entry("/* before\n  ROOT out = f32[4] copy(p)\n*/\n" + reverse)),
              HasSubstr(other));
  EXPECT_THAT(verdict(entry(reverse + ", metadata={op_name=\"\\\\\" source_file=\"a\n"
                                      "  ROOT out = f32[4] copy(p)\n\"}")),
              HasSubstr(other));
  EXPECT_THAT(verdict("f {\n  ROOT out = f32[4] copy(p)\n} // f\n" + entry(reverse)),
              HasSubstr(other));
  EXPECT_THAT(verdict("  ROOT out = f32[4] copy(p)\n" + entry(reverse)), HasSubstr(other));
  EXPECT_THAT(verdict(entry(reverse + " /*")), HasSubstr("m.hlo: a comment does not end"));
  EXPECT_THAT(verdict("ENTRY e {\n" + reverse), HasSubstr("m.hlo: a brace does not end"));
}

TEST_F(ReadsCertificates, AFolderThatCannotBeMadeIsAnError) {
  TemporaryFile hlo("m.hlo", std::string("HloModule m\n\n") + kSlice);
  for (const char* flag : {"--exact", "--all"}) {
    RunResult run =
        RunAffirm({"indexing", hlo.path(), flag, "--certificates", hlo.path() + "/folder"});
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("cannot write the certificate"));
  }
}

}  // namespace
}  // namespace affirm::testing
