// Every instruction and intrinsic of LLVM, at each type that kernels have: what the lifter says of
// it is what the emulator and the host compute. Nothing is an answer; another value is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "llvm/IR/Instruction.h"
#include "llvm/IR/Intrinsics.h"
#include "tests/kernel/lift_text.h"
#include "tests/kernel/run_form.h"

namespace affirm::kernel {
namespace {

constexpr uint64_t kSeed = 20240607;

struct Totals {
  size_t forms = 0, lifted = 0;
  int64_t compared = 0;
};

// Runs the forms, and fails the test for each fault.
Totals RunForms(const std::vector<Form>& forms) {
  const HostForms host(forms);
  Totals totals;
  for (size_t k = 0; k < forms.size(); ++k) {
    const FormResult result = RunForm(forms[k], host.Find(k), kSeed + k);
    for (const std::string& fault : result.faults) ADD_FAILURE() << fault;
    ++totals.forms;
    totals.lifted += result.lifted;
    totals.compared += result.compared;
  }
  return totals;
}

// Opcodes of LLVM's own list.
std::vector<unsigned> Opcodes() {
  std::vector<unsigned> opcodes;
  for (unsigned opcode = 1; opcode < llvm::Instruction::OtherOpsEnd; ++opcode) {
    if (llvm::StringRef(llvm::Instruction::getOpcodeName(opcode)) != "<Invalid operator> ")
      opcodes.push_back(opcode);
  }
  return opcodes;
}

TEST(LiftInstructions, EveryOpcodeHasForms) {
  std::map<unsigned, int> refused;
  for (const RefusedForm& form : RefusedForms()) ++refused[form.opcode];
  const std::vector<unsigned> without = OpcodesWithoutText();
  for (unsigned opcode : Opcodes()) {
    const bool is_covered = !FormsOf(opcode).empty() || refused.count(opcode) != 0 ||
                            std::find(without.begin(), without.end(), opcode) != without.end();
    EXPECT_TRUE(is_covered) << llvm::Instruction::getOpcodeName(opcode)
                            << " has no form in tests/kernel/instruction_forms.cc";
  }
}

TEST(LiftInstructions, RefusedFormsAreUnknown) {
  for (const RefusedForm& form : RefusedForms()) {
    const bool with_personality = !form.outside.empty();
    const std::string text = "target triple = \"nvptx64-nvidia-cuda\"\n" + form.outside +
                             "define ptx_kernel void @k(ptr %in0, ptr %out) " +
                             (with_personality ? "personality ptr @pers " : "") + "{\n" +
                             form.body + "\n}\n";
    const std::string json =
        R"({"kernel": "k", "grid": [1, 1, 1], "threads": [1, 1, 1], "shared": 0, "params": [
            {"shape": "s32[4]", "bytes": 16, "role": "input", "memory": 0},
            {"shape": "s32[4]", "bytes": 16, "role": "output", "memory": 1}]})";
    EXPECT_THAT(LiftText(text, json)->error, ::testing::HasSubstr("unknown")) << form.body;
  }
}

class LiftOpcode : public ::testing::TestWithParam<unsigned> {};

TEST_P(LiftOpcode, IsWhatItComputes) {
  const std::vector<Form> forms = FormsOf(GetParam());
  const Totals totals = RunForms(forms);
  if (!forms.empty()) {
    EXPECT_GT(totals.lifted, 0U);
    EXPECT_GT(totals.compared, 0);
  }
}

// Poison and undef in each operand: no operation hides them.
TEST_P(LiftOpcode, SaysSoOfUnspecifiedOperands) {
  std::vector<Form> forms;
  for (const Form& form : FormsOf(GetParam())) {
    for (Form& with : WithUnspecifiedOperands(form)) forms.push_back(std::move(with));
  }
  RunForms(forms);
}

INSTANTIATE_TEST_SUITE_P(All, LiftOpcode, ::testing::ValuesIn(Opcodes()),
                         [](const ::testing::TestParamInfo<unsigned>& info) {
                           return std::string(llvm::Instruction::getOpcodeName(info.param)) +
                                  std::to_string(info.param);
                         });

TEST(LiftIntrinsics, AreWhatTheyCompute) {
  Totals all;
  for (unsigned id = 1; id < llvm::Intrinsic::num_intrinsics; ++id) {
    const std::vector<Form> forms = FormsOfIntrinsic(id);
    if (forms.empty()) continue;
    const Totals totals = RunForms(forms);
    all.forms += totals.forms;
    all.lifted += totals.lifted;
    all.compared += totals.compared;
  }
  // The lifter knows at least this many.
  EXPECT_GT(all.lifted, 100U);
  EXPECT_GT(all.compared, 1000);
  RecordProperty("forms", std::to_string(all.forms));
  RecordProperty("lifted", std::to_string(all.lifted));
}

TEST(LiftInlinePtx, IsWhatItComputes) {
  const Totals totals = RunForms(FormsOfInlinePtx());
  EXPECT_GT(totals.lifted, 40U);
  EXPECT_GT(totals.compared, 500);
}

TEST(LiftInlinePtx, SaysSoOfUnspecifiedOperands) {
  std::vector<Form> forms;
  for (const Form& form : FormsOfInlinePtx()) {
    for (Form& with : WithUnspecifiedOperands(form)) forms.push_back(std::move(with));
  }
  RunForms(forms);
}

}  // namespace
}  // namespace affirm::kernel
