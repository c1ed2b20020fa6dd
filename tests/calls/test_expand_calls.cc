// Custom calls are replaced by what they mean, results without contents are dropped, and what is
// not known stays and says why.
#include <gtest/gtest.h>

#include <string>

#include "tests/calls/expanded.h"

namespace affirm::calls {
namespace {

using hlo::Opcode;

// A product of f32[8,12] and f32[12,16] with more of a configuration.
std::string Gemm(const std::string& config) {
  const std::string alpha =
      llvm::StringRef(config).contains("alpha_real") ? "" : R"("alpha_real":1,)";
  return R"(custom-call(a, b), custom_call_target="__cublas$gemm", backend_config={)"
         R"("gemm_backend_config":{)" +
         alpha +
         R"("dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],)"
         R"("rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],)"
         R"("rhs_batch_dimensions":[]})" +
         config + "}}";
}

std::string Entry(const std::string& rest) {
  return "ENTRY e {\n  a = f32[8,12] parameter(0)\n  b = f32[12,16] parameter(1)\n" + rest + "\n}";
}

TEST(ExpandCalls, AProductIsACallOfADot) {
  auto module = Expanded(Entry("c = (f32[8,16], s8[64]) " + Gemm("") +
                               "\n  ROOT r = f32[8,16] get-tuple-element(c), index=0"));
  const hlo::Instruction* call = module->FindInstruction("c");
  ASSERT_EQ(call->opcode, Opcode::kCall);
  EXPECT_EQ(call->shape.ToString(false), "(f32[8,16])");
  EXPECT_EQ(*call->attributes.FindExtra("frontend_attributes"),
            R"({custom_call_target="__cublas$gemm"})");
  ASSERT_EQ(call->called.size(), 1u);
  EXPECT_EQ(call->called[0]->name, "cublas_gemm.0");
  EXPECT_EQ(call->called[0]->root->operands[0]->opcode, Opcode::kDot);
}

TEST(ExpandCalls, CallsThatMeanTheSameShareAComputation) {
  auto module = Expanded(Entry("c = f32[8,16] " + Gemm("") + "\n  d = f32[8,16] " + Gemm("") +
                               "\n  ROOT r = f32[8,16] add(c, d)"));
  EXPECT_EQ(module->FindInstruction("c")->called, module->FindInstruction("d")->called);
  EXPECT_EQ(module->computations.size(), 2u);
}

TEST(ExpandCalls, TheOldFormOfAConfigurationIsRead) {
  auto module = Expanded(Entry(
      R"(ROOT r = f32[8,16] custom-call(a, b), custom_call_target="__cublas$gemm", )"
      R"(backend_config="{\"alpha_real\":2,\"beta\":0,\"dot_dimension_numbers\":)"
      R"({\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"0\"]}}")"));
  EXPECT_EQ(module->entry->root->opcode, Opcode::kCall);
}

TEST(ExpandCalls, ScratchThatIsHandedOnAndDroppedIsGone) {
  auto module = Expanded(
      Entry("c = (f32[8,16], s8[64]) " + Gemm("") +
            "\n  g = f32[8,16] get-tuple-element(c), index=0 s = s8[64] get-tuple-element(c), "
            "index=1 w = s8[64] bitcast(s) t = (s8[64], f32[8,16]) tuple(w, g) "
            "ROOT r = f32[8,16] get-tuple-element(t), index=1"));
  EXPECT_EQ(module->FindInstruction("c")->opcode, Opcode::kCall);
  EXPECT_EQ(module->FindInstruction("t")->shape.ToString(false), "(f32[8,16])");
  EXPECT_EQ(module->entry->root->attributes.tuple_index, 0);
  EXPECT_EQ(module->FindInstruction("s"), nullptr);
}

// The call is in a fusion, as passes that give a library slices leave it.
TEST(ExpandCalls, ScratchInTheResultOfAFusionIsGone) {
  const std::string parameters = "f { a = f32[8,12] parameter(0)\n b = f32[12,16] parameter(1)\n";
  const std::string fusion = "x = (f32[8,16], s8[64]) fusion(a, b), kind=kCustom, calls=f\n";
  const std::string first = "ROOT r = f32[8,16] get-tuple-element(x), index=0";
  for (const std::string& root :
       {"c = (f32[8,16], s8[64]) " + Gemm("") + "\nROOT t = (f32[8,16], s8[64]) tuple(c#0, c#1)",
        "ROOT c = (f32[8,16], s8[64]) " + Gemm("")}) {
    auto module = Expanded(parameters + root + "}\n" + Entry(fusion + first));
    EXPECT_EQ(module->FindInstruction("c")->opcode, Opcode::kCall) << root;
    EXPECT_EQ(module->FindInstruction("x")->shape.ToString(false), "(f32[8,16])") << root;
    // In the other order the remaining element has another number.
    auto swapped = Expanded(parameters + "c = (f32[8,16], s8[64]) " + Gemm("") +
                            "\nROOT t = (s8[64], f32[8,16]) tuple(c#1, c#0)}\n" +
                            Entry("x = (s8[64], f32[8,16]) fusion(a, b), kind=kCustom, calls=f\n"
                                  "ROOT r = f32[8,16] get-tuple-element(x), index=1"));
    EXPECT_EQ(swapped->entry->root->attributes.tuple_index, 0);
    // A call of the fusion's computation, a fusion of which the scratch is the result, and two
    // fusions of one computation.
    auto outer = Expanded(parameters + root +
                          "}\ng { a = f32[8,12] parameter(0)\n b = f32[12,16] parameter(1)\n "
                          "ROOT " +
                          fusion + "}\n" +
                          Entry("y = (f32[8,16], s8[64]) call(a, b), to_apply=g\n"
                                "ROOT r = f32[8,16] get-tuple-element(y), index=0"));
    EXPECT_EQ(outer->FindInstruction("c")->opcode, Opcode::kCall) << root;
    for (const std::string& rest :
         {std::string("ROOT r = (f32[8,16], s8[64]) copy(x)"),
          std::string("ROOT r = s8[64] get-tuple-element(x), index=1"),
          "y = (f32[8,16], s8[64]) fusion(a, b), kind=kCustom, calls=f\n" + first}) {
      auto kept = Expanded(parameters + root + "}\n" + Entry(fusion + rest));
      EXPECT_EQ(kept->FindInstruction("c")->opcode, Opcode::kCustomCall) << root << rest;
    }
  }
}

TEST(ExpandCalls, ScratchThatIsReadKeepsTheCall) {
  const std::string call = "c = (f32[8,16], s8[128]) " + Gemm("") + "\n";
  const char* const kReads[] = {
      "s = s8[128] get-tuple-element(c), index=1 ROOT r = s8[128] negate(s)",
      "s = s8[128] get-tuple-element(c), index=1 g = f32[8,16] get-tuple-element(c), index=0 "
      "ROOT r = (f32[8,16], s8[128]) tuple(g, s)",
      "s = s8[128] get-tuple-element(c), index=1 ROOT r = s8[128] copy(s)",
      "ROOT r = (f32[8,16], s8[128]) opt-barrier(c)",
  };
  for (const char* read : kReads) {
    auto module = Expanded(Entry(call + read));
    const hlo::Instruction* kept = module->FindInstruction("c");
    ASSERT_EQ(kept->opcode, Opcode::kCustomCall) << read;
    EXPECT_NE(WhyNoMeaning(*kept).find("no defined contents is read"), std::string::npos);
  }
  auto root = Expanded(Entry("ROOT " + call));
  EXPECT_EQ(root->entry->root->opcode, Opcode::kCustomCall);
}

TEST(ExpandCalls, WhatIsNotKnownStaysAndSaysWhy) {
  const std::pair<std::string, std::string> kUnknown[] = {
      {R"(custom-call(a, b), custom_call_target="f")",
       "nothing says what 'f' computes; --meaning 'f=FILE.hlo' does"},
      {R"(custom-call(), custom_call_target="AllocateBuffer")", "no defined contents"},
      {Gemm(R"(,"new_field":1)"), "'new_field' has no known meaning"},
      {R"(custom-call(a, b), custom_call_target="__cublas$gemm", backend_config={"new_field":1,)"
       R"("gemm_backend_config":{"alpha_real":1}})",
       "'new_field' has no known meaning"},
      {Gemm(R"(,"epilogue":"TANH")"), "the epilogue 'TANH' has no known meaning"},
      {Gemm(R"(,"epilogue":"RELU_AUX")"), "has no known meaning"},
      {Gemm(R"(,"epilogue":"_RELU")"), "has no known meaning"},
      {Gemm(R"(,"epilogue":"BIASRELU")"), "has no known meaning"},
      {Gemm(R"(,"epilogue":"")"), "has no known meaning"},
      {Gemm(R"(,"epilogue":"RELU")"), "an epilogue of a product without one"},
      {Gemm(R"(,"alpha_imag":5)"), "alpha_imag of a product of real numbers"},
      {Gemm(R"(,"precision_config":{"algorithm":"DOT_F32_F32_F32"})"), "the algorithm"},
      {Gemm(R"(,"precision_config":{"operand_precision":["default","DEFAULT"]})"), "the precision"},
      {Gemm(R"(,"alpha_real":"2")"), "'alpha_real' is no number"},
      {Gemm(R"(,"alpha_real":0)"), "a product times zero"},
      {Gemm(R"(,"beta":1)"), "2 operands, where its configuration asks for 3"},
      {Gemm(R"(,"alpha_real":1e400)"), "'alpha_real' is no finite number"},
      {Gemm(R"(,"scale_mode":1)"), "scales without operands"},
      {Gemm("") + ", custom_call_has_side_effect=true", "side effect"},
      {R"(custom-call(a, b), custom_call_target="__cublas$gemm")", "contracting dimensions"},
      {R"(custom-call(a, b), custom_call_target="__cublas$gemm", backend_config={x = 1 : i32})",
       "backend_config"},
      {R"(custom-call(a, b), custom_call_target="Sharding", sharding={replicated})",
       "expected one operand"},
      {R"(custom-call(a), custom_call_target="SPMDFullToShardShape", sharding={manual})",
       "which part of the array"},
      {R"(custom-call(a, b), custom_call_target="__cudnn$convForward")", "dim_labels"},
      {R"(custom-call(a), custom_call_target="TopK")", "values with their positions"},
      {R"(custom-call(a, b), custom_call_target="__cub$DeviceRadixSort")", "scratch memory"},
      {R"(custom-call(a), custom_call_target="lapack_spotrf_ffi", backend_config={uplo = 76 : ui8})",
       "columns one after the other"},
      {R"(custom-call(a, b), custom_call_target="lapack_strsm_ffi")", "expected side, uplo"},
      {R"(custom-call(a), custom_call_target="cu_threefry2x32")", "four arrays of u32"},
      {R"(custom-call(a), custom_call_target="__onednn$softmax", )"
       R"(backend_config={"onednn_softmax_config":{"softmax_axis":0}})",
       "only a softmax of the last dimension"},
  };
  for (const auto& [call, reason] : kUnknown) {
    auto module = testing::ParseOrFail(Entry("ROOT r = f32[8,16] " + call));
    ASSERT_TRUE(module) << call;
    EXPECT_EQ(llvm::toString(ExpandCustomCalls(*module, "test.hlo")), "");
    ASSERT_EQ(module->entry->root->opcode, Opcode::kCustomCall) << call;
    EXPECT_NE(WhyNoMeaning(*module->entry->root).find(reason), std::string::npos)
        << WhyNoMeaning(*module->entry->root);
  }
}

// Each of these calls stays, for the reason that stands with it.
void ExpectStays(llvm::ArrayRef<std::pair<std::string, std::string>> calls,
                 const std::string& shape) {
  for (const auto& [call, reason] : calls) {
    auto module = testing::ParseOrFail(Entry("ROOT r = " + shape + " " + call));
    ASSERT_TRUE(module) << call;
    EXPECT_EQ(llvm::toString(ExpandCustomCalls(*module, "test.hlo")), "");
    EXPECT_EQ(module->entry->root->opcode, Opcode::kCustomCall) << call;
    EXPECT_NE(WhyNoMeaning(*module->entry->root).find(reason), std::string::npos)
        << call << "\n"
        << WhyNoMeaning(*module->entry->root);
  }
}

TEST(ExpandCalls, AttributesOfTypedCallsAreAllKnown) {
  const std::string solve = R"(custom-call(a, b), custom_call_target="lapack_strsm_ffi", )"
                            "backend_config={diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8";
  const std::pair<std::string, std::string> kUnknown[] = {
      {solve + ", alpha = 2.0 : f32, uplo = 76 : ui8}", "'alpha' has no known meaning"},
      {solve + R"(, a = ", uplo = 76 : ui8, ", uplo = 85 : ui8})", "'a' has no known meaning"},
      {solve + R"(, uplo = ", uplo = 76 : ui8"})", "expected side, uplo"},
      {solve + ", uplo = {uplo = 76 : ui8}}", "expected side, uplo"},
      {solve + ", uplo = [85, 76 : ui8]}", "expected side, uplo"},
      {solve + ", uplo = 76}", "expected side, uplo"},
      {solve + ", uplo = 76 : i32}", "expected side, uplo"},
      {solve + ", uplo = 85 : ui8, uplo = 76 : ui8}", "'uplo' is given twice"},
      {solve + ", \"\\165plo\" = 76 : ui8}", "a name with escapes"},
      {solve + ", uplo}", "expected '='"},
      {R"(custom-call(a), custom_call_target="lapack_spotrf_ffi", backend_config={lower = true})",
       "'lower' has no known meaning"},
      {R"(custom-call(a), custom_call_target="te_scaled_softmax_forward_ffi", )"
       "backend_config={scale_factor = 0x3FE0000000000000 : f64}",
       "expected scale_factor"},
  };
  ExpectStays(kUnknown, "f32[8,12]{0,1}");
}

TEST(ExpandCalls, AFieldThatIsNotWrittenIsZero) {
  const std::string solve =
      R"(custom-call(a, b), custom_call_target="__cublas$triangularSolve", backend_config=)";
  const std::pair<std::string, std::string> kUnknown[] = {
      {R"(custom-call(a, b), custom_call_target="__cublas$gemm", backend_config={)"
       R"("dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],)"
       R"("rhs_contracting_dimensions":["0"]}})",
       "a product times zero"},
      {R"(custom-call(a), custom_call_target="__onednn$softmax", )"
       R"(backend_config={"onednn_softmax_config":{}})",
       "only a softmax of the last dimension"},
      {solve + R"({"left_side":true,"lower":true})", "a known value of transpose_a"},
  };
  ExpectStays(kUnknown, "f32[8,16]");
  for (const char* config : {R"({"activation_mode":"kNone"})", R"({"conv_result_scale":0})"}) {
    for (const char* target : {"__cudnn$convForward", "__cudnn$convBiasActivationForward"}) {
      const bool has_bias = llvm::StringRef(target).contains("Bias");
      auto module = testing::ParseOrFail(
          std::string("ENTRY e { x = f32[1,4,4,2] parameter(0) k = f32[3,3,2,2] parameter(1) "
                      "b = f32[2] parameter(2) ROOT r = (f32[1,2,2,2], u8[0]) custom-call(x, k") +
          (has_bias ? ", b" : "") + "), window={size=3x3}, dim_labels=b01f_01io->b01f, " +
          "custom_call_target=\"" + target + "\", backend_config=" + config + " }");
      ASSERT_TRUE(module);
      EXPECT_EQ(llvm::toString(ExpandCustomCalls(*module, "test.hlo")), "");
      EXPECT_EQ(module->entry->root->opcode, Opcode::kCustomCall) << target << config;
    }
  }
}

TEST(ExpandCalls, TargetsWithoutAConfigurationAreKnownWithoutOne) {
  const std::string topk = R"(custom-call(a), custom_call_target="TopK", backend_config=)";
  const std::pair<std::string, std::string> kTopK[] = {
      {topk + R"("{\"largest\":false}")", "expected '{' before the attributes"},
      {topk + R"({"largest":false})", "'largest' has no known meaning"},
  };
  ExpectStays(kTopK, "(f32[8,2], s32[8,2])");
  const std::pair<std::string, std::string> kOthers[] = {
      {R"(custom-call(a), custom_call_target="lapack_sgetrf_ffi", backend_config={x = 1 : ui8})",
       "'x' has no known meaning"},
      {R"(custom-call(a), custom_call_target="xla_builder.math.Asin", backend_config="x")",
       "expected '{' before the attributes"},
  };
  ExpectStays(kOthers, "f32[8,12]");
  auto module = Expanded(Entry("c = (f32[8,2], s32[8,2]) " + topk +
                               "\"\" ROOT r = f32[8,2] get-tuple-element(c), index=0"));
  EXPECT_EQ(module->FindInstruction("c")->opcode, Opcode::kCall);
}

TEST(ExpandCalls, DimensionsThatTheOperandsDoNotHaveAreNoMeaning) {
  auto module = testing::ParseOrFail(Entry(
      R"(ROOT r = f32[8,16] custom-call(a, b), custom_call_target="__cublas$gemm", )"
      R"(backend_config={"alpha_real":1,"dot_dimension_numbers":{"lhs_contracting_dimensions":[7],)"
      R"("rhs_contracting_dimensions":[0],"lhs_batch_dimensions":[9]}})"));
  EXPECT_EQ(llvm::toString(ExpandCustomCalls(*module, "test.hlo")), "");
  EXPECT_NE(WhyNoMeaning(*module->entry->root).find("do not fit its operands"), std::string::npos);
}

TEST(ExpandCalls, NotesGiveTheirOperand) {
  for (const char* target : {"Sharding", "MoveToHost", "MoveToDevice", "annotate_device_placement",
                             "SPMDFullToShardShape", "SPMDShardToFullShape"}) {
    auto module = Expanded(std::string("ENTRY e { p = f32[4,5] parameter(0) ROOT r = f32[4,5]{0,1} "
                                       "custom-call(p), custom_call_has_side_effect=true, "
                                       "custom_call_target=\"") +
                           target + "\", sharding={replicated} }");
    EXPECT_EQ(module->entry->root->opcode, Opcode::kCall) << target;
  }
}

GivenMeanings Given(const std::string& target, const std::string& text) {
  std::vector<std::unique_ptr<hlo::Module>> modules;
  modules.push_back(testing::ParseOrFail(text));
  GivenMeanings given;
  given.Add(target, "given.hlo", modules);
  return given;
}

const char* const kCallOfF = R"(ENTRY e { p = f32[4] parameter(0)
  c = (f32[4], u8[8]) custom-call(p), custom_call_target="f", backend_config="anything"
  ROOT r = f32[4] get-tuple-element(c), index=0 })";

std::string ErrorWith(const GivenMeanings& given) {
  auto module = testing::ParseOrFail(kCallOfF);
  return llvm::toString(ExpandCustomCalls(*module, "test.hlo", given));
}

TEST(GivenMeanings, StandForTheirTarget) {
  auto module = testing::ParseOrFail(kCallOfF);
  const GivenMeanings given = Given("f", R"(ENTRY f { x = f32[4] parameter(0)
    n = f32[4] negate(x) w = u8[8] custom-call(), custom_call_target="AllocateBuffer"
    ROOT t = (f32[4], u8[8]) tuple(n, w) })");
  EXPECT_EQ(llvm::toString(ExpandCustomCalls(*module, "test.hlo", given)), "");
  EXPECT_EQ(module->FindInstruction("c")->opcode, Opcode::kCall);
  EXPECT_EQ(module->FindInstruction("c")->called[0]->name, "f.0");
}

TEST(GivenMeanings, FitTheCallOrAreRefused) {
  const std::string error =
      ErrorWith(Given("f", "ENTRY f { x = f32[5] parameter(0) ROOT n = f32[5] negate(x) }"));
  EXPECT_EQ(error,
            "test.hlo:3:3: error: custom-call 'c': expected a meaning (f32[4]) -> (f32[4], u8[8]) "
            "of its target, found (f32[5]) -> f32[5] of given.hlo");
}

TEST(GivenMeanings, MayNotCallThemselves) {
  EXPECT_NE(ErrorWith(Given("f", kCallOfF)).find("expected a meaning"), std::string::npos);
  const std::string error = ErrorWith(Given("f", R"(ENTRY f { x = f32[4] parameter(0)
        ROOT c = (f32[4], u8[8]) custom-call(x), custom_call_target="f" })"));
  EXPECT_NE(error.find("its meaning calls itself"), std::string::npos) << error;
}

TEST(GivenMeanings, DefineWhatIsRead) {
  const std::string error = ErrorWith(Given("f", R"(ENTRY f { x = f32[4] parameter(0)
    u = f32[4] custom-call(), custom_call_target="AllocateBuffer" w = u8[8] iota(),
    iota_dimension=0 ROOT t = (f32[4], u8[8]) tuple(u, w) })"));
  EXPECT_NE(error.find("is read that its meaning does not define"), std::string::npos) << error;
}

}  // namespace
}  // namespace affirm::calls
