// Names combiners by their function: computations that differ in names alone have one name.
#include <optional>

#include "core/hlo/attribute_rules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

using hlo::Opcode;

// The text of an instruction, its operands being texts already; nullopt for what is not elementwise
// or has an attribute that is not known here.
class CombinerText {
 public:
  std::optional<std::string> Of(const hlo::Instruction& op) {
    auto found = numbers_.find(&op);
    if (found != numbers_.end()) return "%" + std::to_string(found->second);
    std::string text = (op.opcode_text.empty() ? hlo::Name(op.opcode).str() : op.opcode_text) +
                       " " + op.shape.ToString(/*with_layout=*/false);
    if (!AddAttributes(op, text)) return std::nullopt;
    for (const hlo::Instruction* operand : op.operands) {
      auto of = Of(*operand);
      if (!of) return std::nullopt;
      text += " " + *of;
    }
    // A value that is used twice is written once.
    numbers_.try_emplace(&op, numbers_.size());
    return "(" + text + ")";
  }

 private:
  static bool AddAttributes(const hlo::Instruction& op, std::string& text) {
    const hlo::Attributes& a = op.attributes;
    switch (op.opcode) {
      case Opcode::kParameter:
        text += " " + std::to_string(op.parameter_number);
        return true;
      case Opcode::kConstant:
        if (!op.literal || !op.shape.IsArray()) return false;
        text += " " + llvm::toHex(op.literal->bytes());
        return true;
      case Opcode::kGetTupleElement:
        text += " " + std::to_string(a.tuple_index);
        return true;
      case Opcode::kTuple:
      case Opcode::kCopy:
        return true;
      default:
        text += " " + a.comparison_direction + " " + a.comparison_type + " " +
                std::to_string(a.exponent_bits) + " " + std::to_string(a.mantissa_bits);
        return hlo::IsElementwise(op.opcode) && op.called.empty() &&
               hlo::UnmodeledAttribute(op).empty();
    }
  }

  llvm::DenseMap<const hlo::Instruction*, size_t> numbers_;
};

}  // namespace

std::string NameOfCombiner(const hlo::Computation& combiner) {
  constexpr size_t kMostInstructions = 256;
  if (combiner.instructions.size() > kMostInstructions) return "";
  auto text = CombinerText().Of(*combiner.root);
  if (!text) return "";
  *text += " of " + std::to_string(combiner.parameters.size());
  auto digest = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(text->data()), text->size()));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

}  // namespace affirm::hlo_values
