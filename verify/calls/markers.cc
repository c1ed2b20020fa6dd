// Calls that stand for one op, or say something about a value and give it back.
#include "core/symbolic/error.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"
#include "verify/calls/meaning_text.h"

namespace affirm::calls {

Meaning SameValue(const hlo::Instruction& call) {
  if (call.operands.size() != 1) return MakeError("expected one operand");
  const hlo::Shape& shape = call.operands[0]->shape;
  if (shape.ToString(false) != call.shape.ToString(false))
    return MakeError("expected a result of the shape of the operand");
  const std::string type = shape.ToString();
  if (!shape.IsArray() || shape.MinorToMajor() == call.shape.MinorToMajor())
    return "HloModule meaning\nENTRY meaning { ROOT p0 = " + type + " parameter(0) }\n";
  return "HloModule meaning\nENTRY meaning {\n  p0 = " + type +
         " parameter(0)\n  ROOT v0 = " + call.shape.ToString() + " copy(p0)\n}\n";
}

// "xla_builder.math.Asin" is asin.
Meaning MathFunction(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  if (call.operands.size() != 1) return MakeError("expected one operand");
  const llvm::StringRef name =
      llvm::StringRef(call.attributes.custom_call_target).rsplit('.').second;
  const hlo::Opcode opcode = hlo::OpcodeFromName(name.lower());
  if (opcode == hlo::Opcode::kUnknown) return MakeError("a function that is no op");
  MeaningText text(call);
  return text.Module({text.Op(call.shape, opcode, {text.Parameter(0)})});
}

Meaning SameShard(const hlo::Instruction& call) {
  if (call.operands.size() == 1 &&
      call.operands[0]->shape.ToString(false) != call.shape.ToString(false)) {
    return MakeError("which part of the array a device has is not followed");
  }
  return SameValue(call);
}

}  // namespace affirm::calls
