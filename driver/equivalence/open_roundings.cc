#include "driver/equivalence/open_roundings.h"

#include <vector>

#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/sizes.h"
#include "verify/equivalence/product_precision.h"
#include "verify/scalar/nan_bits.h"

namespace affirm::driver {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// Whether an element may get two updates. Each window of a select-and-scatter selects one element.
bool UpdatesMayMeet(const Instruction& op) {
  if (op.opcode == Opcode::kScatter) return !op.attributes.unique_indices;
  return op.opcode == Opcode::kSelectAndScatter &&
         llvm::any_of(op.attributes.window, [](const hlo::WindowDimension& of) {
           return of.stride < (of.size - 1) * of.window_dilation + 1;
         });
}

}  // namespace

std::string OpenRounding(const hlo::Computation& a, const hlo::Computation& b, size_t leaf) {
  const auto parts_of_a = enclosure::InstructionsBehind(a, leaf);
  for (const auto& parts : {parts_of_a, enclosure::InstructionsBehind(b, leaf)}) {
    for (const Instruction* op : parts) {
      if (UpdatesMayMeet(*op))
        return op->opcode_text + " " + op->name + " rounds in the order of its updates";
    }
  }
  for (const Instruction* op : parts_of_a) {
    if (equivalence::MayRoundOperands(*op))
      return op->opcode_text + " " + op->name +
             " of A may round its operands, for its precision is not the highest";
  }
  return "";
}

RoundedPair::RoundedPair(const hlo::Computation& a, const hlo::Computation& b,
                         bool excess_precision)
    : a_(a),
      b_(b),
      enclosed_(a, b, {.excess_precision = excess_precision}),
      with_products_(a, b, {.excess_precision = excess_precision, .rounds_products = true}) {}

void RoundedPair::Take(const std::vector<hlo::Literal>& arguments,
                       const std::vector<const hlo::Literal*>& leaves_of_a,
                       const std::vector<const hlo::Literal*>& leaves_of_b) {
  enclosed_.Take(arguments, leaves_of_a, leaves_of_b);
  with_products_.Take(arguments, leaves_of_a, leaves_of_b);
}

const std::string& RoundedPair::OpenRoundingOf(size_t leaf) {
  const auto [known, is_new] = open_roundings_.try_emplace(leaf);
  if (is_new) known->second = OpenRounding(a_, b_, leaf);
  return known->second;
}

EnclosedPair::Judgment RoundedPair::JudgeBy(
    llvm::function_ref<EnclosedPair::Judgment(EnclosedPair&)> judge, size_t leaf, bool rounding,
    bool& is_open) {
  EnclosedPair::Judgment judgment = {EnclosedPair::Answer::kApart, ""};
  const bool may_be_open = !OpenRoundingOf(leaf).empty();
  if (rounding || may_be_open) judgment = judge(enclosed_);
  is_open = may_be_open && !rounding;
  if (judgment.answer != EnclosedPair::Answer::kApart || !may_be_open) return judgment;
  is_open = true;
  return judge(with_products_);
}

EnclosedPair::Judgment RoundedPair::Judge(size_t leaf, int64_t element, bool rounding,
                                          bool& is_open) {
  return JudgeBy([&](EnclosedPair& pair) { return pair.Judge(leaf, element); }, leaf, rounding,
                 is_open);
}

EnclosedPair::Judgment RoundedPair::JudgeSizes(size_t leaf, bool rounding) {
  bool is_open = false;
  EnclosedPair::Judgment judgment =
      JudgeBy([&](EnclosedPair& pair) { return pair.JudgeSizes(leaf); }, leaf, rounding, is_open);
  if (judgment.answer != EnclosedPair::Answer::kApart)
    judgment.why = is_open ? OpenRoundingOf(leaf) : "roundings decide how many elements there are";
  return judgment;
}

std::string RoundedPair::WhyAMayBreak(bool rounding) {
  const bool rounds_openly = llvm::any_of(AllInstructions(a_), [](const Instruction* op) {
    return UpdatesMayMeet(*op) || equivalence::MayRoundOperands(*op);
  });
  if (rounds_openly) return with_products_.WhyAMayBreak();
  return rounding ? enclosed_.WhyAMayBreak() : "";
}

}  // namespace affirm::driver
