#include "fuzz/op_instances.h"

#include "fuzz/op_families.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::fuzz {
namespace {

template <typename Visit>
void ForEachFamily(Visit visit) {
  for (llvm::ArrayRef<OpFamily> families :
       {ElementwiseFamilies(), MovementFamilies(), SliceFamilies(), GatherFamilies(),
        ReductionFamilies(), ContractionFamilies(), ControlFamilies(), CollectiveFamilies(),
        SourceFamilies()}) {
    for (const OpFamily& family : families) visit(family);
  }
}

}  // namespace

std::string Braced(llvm::ArrayRef<int64_t> numbers) {
  std::string text = "{";
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i > 0 ? "," : "") + std::to_string(numbers[i]);
  }
  return text + "}";
}

std::vector<hlo::Opcode> GeneratedOpcodes() {
  std::vector<hlo::Opcode> opcodes;
  ForEachFamily([&](const OpFamily& family) { opcodes.push_back(family.opcode); });
  return opcodes;
}

hlo::Instruction* GenerateOp(OpBuilder& builder, hlo::Opcode opcode) {
  OpGenerator generate = nullptr;
  ForEachFamily([&](const OpFamily& family) {
    if (family.opcode == opcode) generate = family.generate;
  });
  return generate ? generate(builder, opcode) : nullptr;
}

std::unique_ptr<hlo::Module> GenerateOpInstance(Choices& choices, hlo::Opcode opcode,
                                                const OpLimits& limits) {
  auto module = std::make_unique<hlo::Module>();
  module->name = "instance";
  module->computations.push_back(std::make_unique<hlo::Computation>());
  hlo::Computation& entry = *module->computations.back();
  entry.name = "entry";
  entry.module = module.get();
  entry.is_entry = true;
  module->entry = &entry;
  OpBuilder builder(choices, limits, entry);
  entry.root = GenerateOp(builder, opcode);
  return entry.root ? std::move(module) : nullptr;
}

}  // namespace affirm::fuzz
