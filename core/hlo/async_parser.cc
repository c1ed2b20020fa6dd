// The short form of asynchronous operations, read as what it stands for:
//
//   s = ((f32[8]), f32[4], s32[]) slice-start(x), slice={[0:4]}, metadata={op_name="n"}
//
// is an async-start of a computation that slices its parameter. What slices has the attributes of a
// slice, and the async-start all others; a configuration is of both.
#include <algorithm>

#include "core/hlo/async_opcode.h"
#include "core/hlo/attribute_rules.h"
#include "core/hlo/parser.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {
namespace {

std::unique_ptr<Instruction> NewInstruction(Opcode opcode, const Instruction& like) {
  auto instruction = std::make_unique<Instruction>();
  instruction->opcode = opcode;
  instruction->opcode_text = Name(opcode).str();
  instruction->location = like.location;
  return instruction;
}

}  // namespace

llvm::Expected<std::unique_ptr<Instruction>> InstructionListParser::WrapAsync(
    std::unique_ptr<Instruction> wrapped, size_t pos) {
  if (!wrapped->shape.IsTuple() || wrapped->shape.tuple.size() < 2) {
    return scanner_.Fail(pos, "expected the shape of " + wrapped->opcode_text +
                                  " to be a tuple of the operands, the result and more");
  }
  std::unique_ptr<Instruction> start = NewInstruction(Opcode::kAsyncStart, *wrapped);
  start->name = wrapped->name;
  start->shape = wrapped->shape;
  start->operands = std::move(wrapped->operands);
  wrapped->operands.clear();
  wrapped->shape = start->shape.tuple[1];
  wrapped->opcode_text = Name(wrapped->opcode).str();

  Computation* computation = table_.DefineUnique(wrapped->name + ".wrapped", pos);
  for (size_t i = 0; i < start->operands.size(); ++i) {
    std::unique_ptr<Instruction> parameter = NewInstruction(Opcode::kParameter, *wrapped);
    parameter->name = ("operand." + llvm::Twine(i)).str();
    parameter->parameter_number = static_cast<int64_t>(i);
    parameter->shape = start->operands[i]->shape;
    wrapped->operands.push_back(computation->Add(std::move(parameter)));
  }
  auto& texts = wrapped->attributes.extra;
  auto of_start = std::stable_partition(texts.begin(), texts.end(), [&](const auto& text) {
    return OpHasAttribute(wrapped->opcode, text.first);
  });
  start->attributes.extra.assign(of_start, texts.end());
  texts.erase(of_start, texts.end());
  // XLA gives these to both (HloParser, CreateInstruction of an async opcode). Of a custom call
  // they are its meaning.
  for (const auto& text : start->attributes.extra) {
    if (text.first == "backend_config" || text.first == "frontend_attributes" ||
        text.first == "sharding")
      texts.push_back(text);
  }
  computation->root = computation->Add(std::move(wrapped));
  start->called = {computation};
  start->called_as = {"calls"};
  return start;
}

}  // namespace affirm::hlo
