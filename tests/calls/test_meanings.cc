// Compares the meanings of library calls with the HLO from which XLA makes them: pairs from its
// passes, and products that are drawn at random. A call that is wrong in one point is seen to
// differ.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "core/hlo/text.h"
#include "driver/equivalence/equivalence.h"
#include "tests/parse_module.h"
#include "tests/tools/run_affirm.h"
#include "verify/calls/expand.h"

namespace affirm::calls {
namespace {

using testing::ReadFile;

driver::ModuleEquivalence Compare(const std::string& a, const std::string& b,
                                  const driver::EquivalenceOptions& options = {}) {
  auto of_a = testing::ParseOrFail(a), of_b = testing::ParseOrFail(b);
  if (!of_a || !of_b) return {};
  EXPECT_EQ(llvm::toString(ExpandCustomCalls(*of_a, "a")), "");
  EXPECT_EQ(llvm::toString(ExpandCustomCalls(*of_b, "b")), "");
  auto result = CompareModules(*of_a, *of_b, options);
  if (result) return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

std::string ReasonOf(const driver::ModuleEquivalence& equivalence) {
  std::string text = Name(equivalence.verdict) + (": " + equivalence.not_executed);
  for (const auto& result : equivalence.results) text += " " + result.reason;
  return text;
}

// `name` with each `from` replaced once; the text must be there.
std::string With(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << from << " is not in " << text;
    return text;
  }
  return text.replace(at, from.size(), to);
}

struct Pair {
  const char* name;
  const char* law;            // that changes roundings, by which it is proved
  const char *right, *wrong;  // a wrong call
};

const Pair kPairs[] = {
    {"conv_depthwise_grad_w", "", "dim_labels=b01f_o01i->b01f", "dim_labels=b10f_o01i->b01f"},
    {"conv_dilated", "", "pad=2_2x1_1", "pad=3_1x1_1"},
    {"conv_grad_x", "", "pad=0_1x0_1", "pad=1_0x1_0"},
    {"conv_group_grad_w", "", "dim_labels=b01f_01io->b01f", "dim_labels=b10f_01io->b01f"},
    {"conv_group_grad_x", "", "pad=1_1x1_1", "pad=0_2x1_1"},
    {"conv_side", "", R"("side_input_scale":0.5)", R"("side_input_scale":0.25)"},
    {"dot_alpha_beta", "", R"("alpha_real":2.5)", R"("alpha_real":2)"},
    {"dot_batch", "", R"("beta":0)", R"("alpha_imag":0,"alpha_real":-1,"beta":0)"},
    {"dot_bcast_l", "", R"("epilogue":"DEFAULT")", R"("epilogue":"RELU")"},
    {"dot_bias_c", "add.reassociate", R"("alpha_real":1)", R"("alpha_real":2)"},
    {"dot_bias_gelu_aux", "", "get-tuple-element(%cublas-lt-matmul.3), index=1",
     "get-tuple-element(%cublas-lt-matmul.3), index=0"},
    {"dot_bias_relu", "", R"("epilogue":"BIAS_RELU")", R"("epilogue":"BIAS")"},
    {"dot_c64_alpha", "", R"("alpha_imag":3)", R"("alpha_imag":-3)"},
    {"dot_f16_bias_relu", "convert.narrow_widen", R"("epilogue":"BIAS_RELU")",
     R"("epilogue":"BIAS_GELU")"},
};

class PassOfXla : public ::testing::TestWithParam<Pair> {
 protected:
  static std::string File(const char* which) {
    return ReadFile(std::string("corpus/calls/") + GetParam().name + "." + which + ".hlo");
  }
  static driver::EquivalenceOptions Options() {
    driver::EquivalenceOptions options;
    if (GetParam().law[0] != '\0') options.allowed_laws = {GetParam().law};
    return options;
  }
};

TEST_P(PassOfXla, IsProved) {
  const auto equivalence = Compare(File("before"), File("after"), Options());
  EXPECT_EQ(equivalence.verdict, Verdict::kProved) << ReasonOf(equivalence);
}

TEST_P(PassOfXla, IsSeenToDifferWhereTheCallIsWrong) {
  const std::string wrong = With(File("after"), GetParam().right, GetParam().wrong);
  const auto equivalence = Compare(File("before"), wrong, {.rounding = true});
  EXPECT_EQ(equivalence.verdict, Verdict::kRefuted) << ReasonOf(equivalence);
}

INSTANTIATE_TEST_SUITE_P(Corpus, PassOfXla, ::testing::ValuesIn(kPairs),
                         [](const auto& info) { return std::string(info.param.name); });

struct Twin {
  const char* name;
  const char *call, *hlo, *wrong;  // entries
};

const char* const kFunctions =
    "greater { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) "
    "d = s32[] parameter(3) ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }\n"
    "smaller { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) "
    "d = s32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n"
    "less { a = u32[] parameter(0) b = u32[] parameter(1) c = f32[] parameter(2) "
    "d = f32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }\n"
    "more { a = u32[] parameter(0) b = u32[] parameter(1) c = f32[] parameter(2) "
    "d = f32[] parameter(3) ROOT r = pred[] compare(a, b), direction=GT }\n"
    "bits { a = f32[] parameter(0) b = f32[] parameter(1) c = u32[] parameter(2) "
    "d = u32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }\n"
    "numbers { a = f32[] parameter(0) b = f32[] parameter(1) c = u32[] parameter(2) "
    "d = u32[] parameter(3) z = f32[] constant(0) p = pred[] compare(a, z), direction=EQ "
    "q = pred[] compare(b, z), direction=EQ a1 = f32[] select(p, z, a) b1 = f32[] select(q, z, b) "
    "ROOT r = pred[] compare(a1, b1), direction=LT, type=TOTALORDER }\n"
    "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n";

const Twin kTwins[] = {
    {"TopK",
     R"(ROOT t = (f32[2,3], s32[2,3]) custom-call(x), custom_call_target="TopK",
        called_computations={greater})",
     R"(i = s32[2,9] iota(), iota_dimension=1
        s = (f32[2,9], s32[2,9]) sort(x, i), dimensions={1}, is_stable=true, to_apply=greater
        v = f32[2,9] get-tuple-element(s), index=0 w = s32[2,9] get-tuple-element(s), index=1
        a = f32[2,3] slice(v), slice={[0:2], [0:3]} b = s32[2,3] slice(w), slice={[0:2], [0:3]}
        ROOT t = (f32[2,3], s32[2,3]) tuple(a, b))",
     R"(i = s32[2,9] iota(), iota_dimension=1
        s = (f32[2,9], s32[2,9]) sort(x, i), dimensions={1}, is_stable=true, to_apply=greater
        v = f32[2,9] get-tuple-element(s), index=0 w = s32[2,9] get-tuple-element(s), index=1
        a = f32[2,3] slice(v), slice={[0:2], [6:9]} b = s32[2,3] slice(w), slice={[0:2], [6:9]}
        ROOT t = (f32[2,3], s32[2,3]) tuple(a, b))"},
    {"TopKOfTheSmallest",
     R"(c = (f32[2,3], s32[2,3]) custom-call(x), custom_call_target="__gpu$TopK",
        called_computations={smaller}
        ROOT r = f32[2,3] get-tuple-element(c), index=0)",
     R"(i = s32[2,9] iota(), iota_dimension=1
        s = (f32[2,9], s32[2,9]) sort(x, i), dimensions={1}, is_stable=true, to_apply=smaller
        v = f32[2,9] get-tuple-element(s), index=0
        ROOT r = f32[2,3] slice(v), slice={[0:2], [0:3]})",
     R"(i = s32[2,9] iota(), iota_dimension=1
        s = (f32[2,9], s32[2,9]) sort(x, i), dimensions={1}, is_stable=true, to_apply=greater
        v = f32[2,9] get-tuple-element(s), index=0
        ROOT r = f32[2,3] slice(v), slice={[0:2], [0:3]})"},
    {"RadixSort",
     R"(c = (u32[2,9], f32[2,9], u8[77]) custom-call(k, x),
        custom_call_target="__cub$DeviceRadixSort", backend_config={"descending":true}
        a = u32[2,9] get-tuple-element(c), index=0 b = f32[2,9] get-tuple-element(c), index=1
        ROOT t = (u32[2,9], f32[2,9]) tuple(a, b))",
     R"(ROOT s = (u32[2,9], f32[2,9]) sort(k, x), dimensions={1}, is_stable=true, to_apply=more)",
     R"(ROOT s = (u32[2,9], f32[2,9]) sort(k, x), dimensions={1}, is_stable=true, to_apply=less)"},
    {"RadixSortOfFloats",
     R"(c = (f32[2,9], u32[2,9], u8[77]) custom-call(x, k),
        custom_call_target="__cub$DeviceRadixSort", backend_config={"descending":false}
        a = f32[2,9] get-tuple-element(c), index=0 b = u32[2,9] get-tuple-element(c), index=1
        ROOT t = (f32[2,9], u32[2,9]) tuple(a, b))",
     R"(ROOT s = (f32[2,9], u32[2,9]) sort(x, k), dimensions={1}, is_stable=true, to_apply=numbers)",
     R"(s = (f32[2,9], u32[2,9]) sort(x, k), dimensions={1}, is_stable=true, to_apply=numbers
        a = f32[2,9] get-tuple-element(s), index=0 b = u32[2,9] get-tuple-element(s), index=1
        c = f32[2,9] reverse(a), dimensions={1} ROOT t = (f32[2,9], u32[2,9]) tuple(c, b))"},
    {"TriangularSolve",
     R"(m = f32[3,3]{0,1} copy(y) n = f32[3,2]{0,1} copy(z)
        ROOT c = f32[3,2]{0,1} custom-call(m, n), custom_call_target="lapack_strsm_ffi",
        backend_config={diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, "uplo" = 85 : ui8})",
     R"(ROOT s = f32[3,2] triangular-solve(y, z), left_side=true, unit_diagonal=true,
        transpose_a=TRANSPOSE)",
     R"(ROOT s = f32[3,2] triangular-solve(y, z), left_side=true, unit_diagonal=true,
        transpose_a=NO_TRANSPOSE)"},
    {"TriangularSolveOfCublas",
     R"(m = f32[3,3]{0,1} copy(y) n = f32[3,2]{0,1} copy(z)
        c = (f32[3,2]{0,1}, s8[64]) custom-call(m, n), custom_call_target="__cublas$triangularSolve",
        backend_config={"left_side":true,"lower":true,"unit_diagonal":false,"transpose_a":"ADJOINT"}
        ROOT r = f32[3,2]{0,1} get-tuple-element(c), index=0)",
     R"(ROOT s = f32[3,2] triangular-solve(y, z), left_side=true, lower=true,
        transpose_a=ADJOINT)",
     R"(ROOT s = f32[3,2] triangular-solve(y, z), left_side=true, transpose_a=ADJOINT)"},
    {"ScaledSoftmax",
     R"(ROOT c = f32[2,9] custom-call(x), custom_call_target="te_scaled_softmax_forward_ffi",
        backend_config={scale_factor = 5.000000e-01 : f64})",
     R"(h = f32[] constant(0.5) hs = f32[2,9] broadcast(h), dimensions={}
        u = f32[2,9] multiply(x, hs) ninf = f32[] constant(-inf) zero = f32[] constant(0)
        m = f32[2] reduce(u, ninf), dimensions={1}, to_apply=most
        ms = f32[2,9] broadcast(m), dimensions={0} d = f32[2,9] subtract(u, ms)
        e = f32[2,9] exponential(d) s = f32[2] reduce(e, zero), dimensions={1}, to_apply=sum
        ss = f32[2,9] broadcast(s), dimensions={0} ROOT r = f32[2,9] divide(e, ss))",
     R"(ninf = f32[] constant(-inf) zero = f32[] constant(0)
        m = f32[2] reduce(x, ninf), dimensions={1}, to_apply=most
        ms = f32[2,9] broadcast(m), dimensions={0} d = f32[2,9] subtract(x, ms)
        e = f32[2,9] exponential(d) s = f32[2] reduce(e, zero), dimensions={1}, to_apply=sum
        ss = f32[2,9] broadcast(s), dimensions={0} ROOT r = f32[2,9] divide(e, ss))"},
    {"LayerNorm",
     // 925353388 are the bits of 1e-5.
     R"(ROOT c = f32[2,9] custom-call(x, gain, shift), custom_call_target="__onednn$layernorm",
        backend_config={"onednn_layer_norm_config":{"rescale":"SCALE_AND_SHIFT",
        "epsilon_typecast":925353388}})",
     R"(zero = f32[] constant(0) n = f32[] constant(9) ns = f32[2,9] broadcast(n), dimensions={}
        s = f32[2] reduce(x, zero), dimensions={1}, to_apply=sum
        ss = f32[2,9] broadcast(s), dimensions={0} m = f32[2,9] divide(ss, ns)
        d = f32[2,9] subtract(x, m) q = f32[2,9] multiply(d, d)
        v = f32[2] reduce(q, zero), dimensions={1}, to_apply=sum
        vs = f32[2,9] broadcast(v), dimensions={0} w = f32[2,9] divide(vs, ns)
        e = f32[] constant(1e-5) es = f32[2,9] broadcast(e), dimensions={}
        a = f32[2,9] add(w, es) r = f32[2,9] rsqrt(a) o = f32[2,9] multiply(d, r)
        gs = f32[2,9] broadcast(gain), dimensions={1} og = f32[2,9] multiply(o, gs)
        bs = f32[2,9] broadcast(shift), dimensions={1} ROOT out = f32[2,9] add(og, bs))",
     R"(ROOT out = f32[2,9] negate(x))"},
    {"MathFunction",
     R"(ROOT c = f32[2,9] custom-call(x), custom_call_target="xla_builder.math.Asinh")",
     R"(ROOT c = f32[2,9] asinh(x))", R"(ROOT c = f32[2,9] sinh(x))"},
};

// CUB takes zeros of both signs for one, and total order does not.
TEST(RadixSort, OfFloatsIsNoSortInTotalOrder) {
  const std::string entry =
      kFunctions + std::string("ENTRY e { x = f32[2,9] parameter(0) k = u32[2,9] parameter(1)\n");
  const auto same = Compare(entry +
                                "ROOT s = (f32[2,9], u32[2,9]) sort(x, k), dimensions={1}, "
                                "is_stable=true, to_apply=bits }",
                            entry + R"(c = (f32[2,9], u32[2,9], u8[77]) custom-call(x, k),
        custom_call_target="__cub$DeviceRadixSort", backend_config={"descending":false}
        a = f32[2,9] get-tuple-element(c), index=0 b = u32[2,9] get-tuple-element(c), index=1
        ROOT t = (f32[2,9], u32[2,9]) tuple(a, b) })");
  EXPECT_NE(same.verdict, Verdict::kProved);
}

class CallAndHlo : public ::testing::TestWithParam<Twin> {};

TEST_P(CallAndHlo, AreTheSame) {
  auto entry = [](const std::string& body) {
    return kFunctions +
           std::string(
               "ENTRY e { x = f32[2,9] parameter(0) k = u32[2,9] parameter(1) "
               "y = f32[3,3] parameter(2) z = f32[3,2] parameter(3) "
               "gain = f32[9] parameter(4) shift = f32[9] parameter(5)\n") +
           body + "\n}";
  };
  const auto same = Compare(entry(GetParam().hlo), entry(GetParam().call));
  EXPECT_EQ(same.verdict, Verdict::kProved) << ReasonOf(same);
  const auto wrong = Compare(entry(GetParam().wrong), entry(GetParam().call), {.rounding = true});
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted) << ReasonOf(wrong);
}

INSTANTIATE_TEST_SUITE_P(Twins, CallAndHlo, ::testing::ValuesIn(kTwins),
                         [](const auto& info) { return std::string(info.param.name); });

// The values of a call on these arguments.
std::string ValueOf(const std::string& text, const std::vector<std::string>& arguments) {
  const testing::TemporaryFile file("m.hlo", text);
  testing::TemporaryFolder folder;
  std::vector<std::string> line = {"run", file.path()};
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::string name = "input" + std::to_string(k) + ".txt";
    folder.Add(name, arguments[k]);
    line.insert(line.end(), {"--input", folder.path() + "/" + name});
  }
  const testing::RunResult result = testing::RunAffirm(line);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

// JAX gives the same numbers.
TEST(ThreeFry, GivesTheNumbersOfJax) {
  EXPECT_EQ(
      ValueOf(R"(ENTRY e { a = u32[2] parameter(0) b = u32[2] parameter(1) c = u32[2] parameter(2)
                   d = u32[2] parameter(3) ROOT r = (u32[2], u32[2]) custom-call(a, b, c, d),
                   custom_call_target="cu_threefry2x32_ffi" })",
              {"{1, 322420958}", "{2, 322420958}", "{3, 322420958}", "{4, 322420958}"}),
      "({1576285164, 317456931}, {2249660814, 1367195201})\n");
}

// A factor in one triangle, the operand in the other, and the first pivot that is none.
TEST(Cholesky, SaysWhereThereIsNoFactor) {
  const std::string call = R"(ENTRY e { a = f32[3,3]{0,1} parameter(0)
    ROOT c = (f32[3,3]{0,1}, s32[]) custom-call(a), custom_call_target="lapack_spotrf_ffi",
    backend_config={uplo = 76 : ui8} })";
  EXPECT_EQ(ValueOf(call, {"{{4, 2, 2}, {2, 10, 7}, {2, 7, 21}}"}),
            "({{2, 2, 2}, {1, 3, 7}, {1, 2, 4}}, 0)\n");
  const std::string upper = With(call, "76", "85");
  EXPECT_EQ(ValueOf(upper, {"{{4, 2, 2}, {2, 10, 7}, {2, 7, 21}}"}),
            "({{2, 1, 1}, {2, 3, 2}, {2, 7, 4}}, 0)\n");
  EXPECT_NE(ValueOf(call, {"{{4, 2, 1}, {2, 1, 3}, {1, 3, 5}}"}).find(", 2)"), std::string::npos);
  EXPECT_NE(ValueOf(call, {"{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}"}).find(", 1)"), std::string::npos);
}

// The tool's answer to an unknown call, and to one that is given a meaning.
TEST(Check, TakesMeaningsFromTheCommandLine) {
  const testing::TemporaryFolder folder(
      {{"m.hlo", R"(ENTRY e { p = f32[4] parameter(0)
  ROOT c = f32[4] custom-call(p), custom_call_target="f" })"},
       {"f.hlo", "ENTRY f { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }"},
       {"g.hlo", "ENTRY g { x = f32[9] parameter(0) ROOT n = f32[9] negate(x) }"},
       {"n.hlo", "ENTRY n { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }"}});
  const std::string module = folder.path() + "/m.hlo", f = folder.path() + "/f.hlo";
  const auto unknown = testing::RunAffirm({"check", module});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.out.find("nothing says what 'f' computes; --meaning 'f=FILE.hlo' does"),
            std::string::npos)
      << unknown.out;
  const auto known = testing::RunAffirm({"check", "--meaning", "f=" + f, module});
  EXPECT_EQ(known.status, 0) << known.out;
  const auto equal = testing::RunAffirm(
      {"equiv", "--hlo", module, folder.path() + "/n.hlo", "--meaning", "f=" + f});
  EXPECT_EQ(equal.status, 0) << equal.out;
  for (const std::string& wrong :
       {std::string("f"), "f=" + folder.path() + "/none.hlo", "f=" + folder.path() + "/g.hlo"}) {
    const auto refused = testing::RunAffirm({"check", module, "--meaning", wrong});
    EXPECT_EQ(refused.status, 3) << wrong << refused.out;
    EXPECT_NE(refused.err.find("error: "), std::string::npos) << refused.err;
  }
}

// XLA turns this gradient into a forward convolution; the library has one of its own.
TEST(BackwardInput, TakesTheFilterOfAForwardConvolutionInGroups) {
  const std::string call = R"(ENTRY e { w = f32[3,3,2,6] parameter(0) g = f32[2,8,8,6] parameter(1)
    c = (f32[2,8,8,4], u8[0]) custom-call(g, w), window={size=3x3 pad=1_1x1_1},
      dim_labels=b01f_01io->b01f, feature_group_count=2,
      custom_call_target="__cudnn$convBackwardInput", backend_config={"conv_result_scale":1}
    ROOT r = f32[2,8,8,4] get-tuple-element(c), index=0 })";
  const std::string before = ReadFile("corpus/calls/conv_group_grad_x.before.hlo");
  const auto right = Compare(before, call);
  EXPECT_EQ(right.verdict, Verdict::kProved) << ReasonOf(right);
  const auto wrong = Compare(before, With(call, "pad=1_1x1_1", "pad=2_0x1_1"), {.rounding = true});
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted) << ReasonOf(wrong);
}

TEST(ProductOf8BitFloats, AgreesWithinRounding) {
  const std::string before = ReadFile("corpus/calls/dot_f8_amax.before.hlo");
  const std::string after = ReadFile("corpus/calls/dot_f8_amax.after.hlo");
  const driver::EquivalenceOptions options{.rounding = true};
  const auto equivalence = Compare(before, after, options);
  EXPECT_EQ(equivalence.verdict, Verdict::kExecuted) << ReasonOf(equivalence);
  for (const auto& result : equivalence.results) EXPECT_EQ(result.verdict, Verdict::kExecuted);
  const auto wrong =
      Compare(before, With(after, "%sa.1, %sb.1, %divide", "%sa.1, %sa.1, %divide"), options);
  EXPECT_EQ(wrong.verdict, Verdict::kRefuted) << ReasonOf(wrong);
}

// A product of matrices with everything that cuBLAS does besides, written as HLO and as a call.
struct Product {
  std::vector<int64_t> batch;
  int64_t m, n, k;
  bool lhs_transposed, rhs_transposed, addend, bias;
  int64_t alpha, beta;
  std::string activation;

  static std::string Sizes(std::vector<int64_t> sizes) {
    std::string text;
    for (int64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
    return text;
  }
  std::string Matrix(int64_t rows, int64_t columns, bool transposed) const {
    std::vector<int64_t> sizes = batch;
    sizes.push_back(transposed ? columns : rows);
    sizes.push_back(transposed ? rows : columns);
    return "f32[" + Sizes(sizes) + "]";
  }
  std::string Batch() const { return batch.empty() ? "" : "0"; }
  int64_t First() const { return std::ssize(batch); }
  int64_t LhsContracting() const { return First() + !lhs_transposed; }
  int64_t RhsContracting() const { return First() + rhs_transposed; }
  std::string Result() const { return Matrix(m, n, false); }

  std::string Parameters() const {
    std::string text = "a = " + Matrix(m, k, lhs_transposed) +
                       " parameter(0)\nb = " + Matrix(k, n, rhs_transposed) + " parameter(1)\n";
    if (addend) text += "c = " + Result() + " parameter(2)\n";
    if (bias)
      text += "d = f32[" + std::to_string(n) + "] parameter(" + (addend ? "3" : "2") + ")\n";
    return text;
  }

  std::string Number(const std::string& name, int64_t number) const {
    return name + "s = f32[] constant(" + std::to_string(number) + ")\n" + name + " = " + Result() +
           " broadcast(" + name + "s), dimensions={}\n";
  }

  std::string AsHlo() const {
    std::string value = "dot", type = Result();
    std::string text = Parameters() + "dot = " + type + " dot(a, b), lhs_batch_dims={" + Batch() +
                       "}, rhs_batch_dims={" + Batch() + "}, lhs_contracting_dims={" +
                       std::to_string(LhsContracting()) + "}, rhs_contracting_dims={" +
                       std::to_string(RhsContracting()) + "}\n";
    auto then = [&](const std::string& name, const std::string& op) {
      text += name + " = " + type + " " + op + "\n";
      value = name;
    };
    text += Number("al", alpha) + Number("be", beta) + Number("ze", 0);
    if (alpha != 1) then("scaled", "multiply(" + value + ", al)");
    if (addend) {
      text += "addend = " + type + " multiply(c, be)\n";
      then("sum", "add(" + value + ", addend)");
    }
    if (bias) {
      text +=
          "wide = " + type + " broadcast(d), dimensions={" + std::to_string(First() + 1) + "}\n";
      then("biased", "add(" + value + ", wide)");
    }
    if (activation == "RELU") then("active", "maximum(" + value + ", ze)");
    return "ENTRY e {\n" + text + "ROOT result = " + type + " copy(" + value + ")\n}";
  }

  std::string Epilogue() const {
    if (!bias) return activation.empty() ? "DEFAULT" : activation;
    return activation.empty() ? "BIAS" : "BIAS_" + activation;
  }

  std::string AsCall() const {
    const std::string quote = batch.empty() ? "" : "\"0\"";
    return "ENTRY e {\n" + Parameters() + "call = (" + Result() +
           ", s8[4194304]) custom-call(a, b" + (addend ? ", c" : "") + (bias ? ", d" : "") +
           R"(), custom_call_target="__cublas$lt$matmul", backend_config={"gemm_backend_config":)"
           R"({"alpha_real":)" +
           std::to_string(alpha) + R"(,"alpha_imag":0,"beta":)" +
           std::to_string(addend ? beta : 0) +
           R"(,"dot_dimension_numbers":{"lhs_contracting_dimensions":[")" +
           std::to_string(LhsContracting()) + R"("],"rhs_contracting_dimensions":[")" +
           std::to_string(RhsContracting()) + R"("],"lhs_batch_dimensions":[)" + quote +
           R"(],"rhs_batch_dimensions":[)" + quote + R"(]},"epilogue":")" + Epilogue() +
           "\"}}\nROOT result = " + Result() + " get-tuple-element(call), index=0\n}";
  }
};

rc::Gen<Product> Products() {
  return rc::gen::apply(
      [](bool batched, std::array<int64_t, 4> sizes, std::array<bool, 4> flags,
         std::array<int64_t, 2> numbers, bool relu) {
        Product p;
        if (batched) p.batch = {sizes[3]};
        p.m = sizes[0], p.n = sizes[1], p.k = sizes[2];
        p.lhs_transposed = flags[0], p.rhs_transposed = flags[1];
        p.addend = flags[2], p.bias = flags[3];
        p.alpha = numbers[0] == 0 ? 4 : numbers[0], p.beta = numbers[1] == 0 ? 4 : numbers[1];
        p.activation = relu ? "RELU" : "";
        return p;
      },
      rc::gen::arbitrary<bool>(),
      rc::gen::container<std::array<int64_t, 4>>(rc::gen::inRange<int64_t>(2, 5)),
      rc::gen::arbitrary<std::array<bool, 4>>(),
      rc::gen::container<std::array<int64_t, 2>>(rc::gen::inRange<int64_t>(-2, 4)),
      rc::gen::arbitrary<bool>());
}

RC_GTEST_PROP(Product, IsTheDotThatItStandsFor, ()) {
  const Product product = *Products();
  const auto equivalence = Compare(product.AsHlo(), product.AsCall());
  if (equivalence.verdict != Verdict::kProved)
    RC_FAIL(ReasonOf(equivalence) + "\n" + product.AsHlo() + "\n" + product.AsCall());
}

// The same call with one thing changed is another function, and is never proved to be the dot.
RC_GTEST_PROP(Product, DiffersFromAWrongCall, ()) {
  const Product product = *Products();
  Product wrong = product;
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      wrong.alpha += 7;
      break;
    case 1:
      wrong.activation = product.activation.empty() ? "RELU" : "";
      break;
    default:
      RC_PRE(product.addend);
      wrong.beta += 5;
  }
  const auto equivalence = Compare(product.AsHlo(), wrong.AsCall(), {.rounding = true});
  if (equivalence.verdict != Verdict::kRefuted)
    RC_FAIL(ReasonOf(equivalence) + "\n" + product.AsHlo() + "\n" + wrong.AsCall());
}

}  // namespace
}  // namespace affirm::calls
