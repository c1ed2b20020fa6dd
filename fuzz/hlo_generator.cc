#include "fuzz/hlo_generator.h"

#include <algorithm>

#include "fuzz/hlo_body.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {

using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

// Every family, in a fixed order.
std::vector<GraphOp> AllGraphOps() {
  std::vector<GraphOp> all;
  for (llvm::ArrayRef<GraphOp> room :
       {ElementwiseGraphOps(), MovementGraphOps(), ReductionGraphOps(), ContractionGraphOps(),
        IndexedGraphOps(), ControlGraphOps(), SingleGraphOps()}) {
    all.insert(all.end(), room.begin(), room.end());
  }
  return all;
}

// Elementwise ops are many and mean the same to a map: the other rooms are chosen as often.
const GraphOp* ChooseOp(Choices& choices, llvm::ArrayRef<Opcode> ops) {
  std::vector<llvm::ArrayRef<GraphOp>> rooms = {
      MovementGraphOps(), ElementwiseGraphOps(), ReductionGraphOps(),
      MovementGraphOps(), ContractionGraphOps(), IndexedGraphOps(),
      MovementGraphOps(), ElementwiseGraphOps(), ControlGraphOps(),
  };
  auto is_allowed = [&](const GraphOp& family) { return llvm::is_contained(ops, family.opcode); };
  if (llvm::any_of(SingleGraphOps(), is_allowed)) rooms.push_back(SingleGraphOps());
  std::vector<const GraphOp*> allowed;
  size_t start = choices.Below(rooms.size());
  for (size_t i = 0; i < rooms.size() && allowed.empty(); ++i) {
    for (const GraphOp& family : rooms[(start + i) % rooms.size()]) {
      if (is_allowed(family)) allowed.push_back(&family);
    }
  }
  return allowed.empty() ? nullptr : allowed[choices.Below(allowed.size())];
}

// One to four of the types: values meet more often than among all of them.
std::vector<PrimitiveType> SomeTypes(Choices& choices, std::vector<PrimitiveType> types) {
  size_t count = 1 + choices.Below(4);
  for (size_t i = 0; i < types.size() && i < count; ++i) {
    std::swap(types[i], types[i + choices.Below(types.size() - i)]);
  }
  if (count < types.size()) types.resize(count);
  return types;
}

std::vector<hlo::Shape> ShapesOf(llvm::ArrayRef<hlo::Instruction*> arrays) {
  std::vector<hlo::Shape> shapes;
  for (const hlo::Instruction* array : arrays) shapes.push_back(array->shape);
  return shapes;
}

void GrowBy(HloBody& body, int64_t ops) {
  int64_t grown = 0;
  // Some choices come to nothing.
  for (int64_t tries = 0; grown < ops && tries < 3 * ops; ++tries) grown += body.Grow() != nullptr;
}

// A fusion of the entry: its computation, the operands among the entry's values, and the leaves of
// its result as values of the entry.
void AddFusion(HloBody& entry) {
  hlo::Computation* fused = entry.NewComputation("fused");
  HloBody body(entry.choices(), entry.limits(), entry.module(), *fused, ShapesOf(entry.arrays()));
  GrowBy(body, entry.choices().Between(1, entry.limits().max_ops));
  body.Finish();
  std::vector<hlo::Instruction*> operands;
  for (const hlo::Instruction* parameter : fused->parameters) {
    hlo::Instruction* operand =
        entry.ArrayWhere([&](const hlo::Shape& s) { return s == parameter->shape; },
                         [&] { return parameter->shape; });
    // The order of the dimensions is part of what a fusion is called with.
    const bool fits = operand && operand->shape == parameter->shape;
    operands.push_back(fits ? operand : entry.Parameter(parameter->shape));
  }
  hlo::Attributes attributes;
  attributes.fusion_kind = "kLoop";
  hlo::Instruction* fusion =
      entry.Add(Opcode::kFusion, operands, attributes, fused->root->shape, {fused}, {"calls"});
  if (!fusion || !fusion->shape.IsTuple()) return;
  for (size_t i = 0; i < fusion->shape.tuple.size(); ++i) {
    hlo::Attributes which;
    which.tuple_index = static_cast<int64_t>(i);
    entry.Add(Opcode::kGetTupleElement, {fusion}, which);
  }
}

}  // namespace

std::vector<Opcode> GeneratedOps() {
  std::vector<Opcode> ops;
  for (const GraphOp& family : AllGraphOps()) ops.push_back(family.opcode);
  return ops;
}

std::vector<Opcode> AffirmedOps() {
  std::vector<Opcode> ops;
  for (const GraphOp& family : AllGraphOps()) {
    if (family.affirmed) ops.push_back(family.opcode);
  }
  return ops;
}

std::vector<PrimitiveType> AffirmedTypes() {
  return {PrimitiveType::kF32, PrimitiveType::kS32,  PrimitiveType::kPred, PrimitiveType::kF16,
          PrimitiveType::kS8,  PrimitiveType::kBF16, PrimitiveType::kU32,  PrimitiveType::kF64,
          PrimitiveType::kS64, PrimitiveType::kU8,   PrimitiveType::kU64,  PrimitiveType::kS16,
          PrimitiveType::kU16, PrimitiveType::kS4,   PrimitiveType::kU4};
}

hlo::Instruction* HloBody::Grow() {
  const GraphOp* family = ChooseOp(choices_, limits_.ops);
  return family ? family->make(*this, family->opcode) : nullptr;
}

std::unique_ptr<hlo::Module> GenerateModule(Choices& choices, const HloLimits& limits) {
  HloLimits filled = limits;
  if (filled.ops.empty()) filled.ops = AffirmedOps();
  if (filled.types.empty()) filled.types = AffirmedTypes();
  filled.types = SomeTypes(choices, std::move(filled.types));
  auto module = std::make_unique<hlo::Module>();
  module->name = "fuzzed";
  module->computations.push_back(std::make_unique<hlo::Computation>());
  hlo::Computation* entry = module->computations.back().get();
  entry->name = "main";
  entry->module = module.get();
  entry->is_entry = true;
  module->entry = entry;
  HloBody body(choices, filled, *module, *entry);
  int64_t fusions = choices.Between(0, filled.max_fusions);
  for (int64_t i = 0; i < fusions; ++i) {
    if (i > 0) GrowBy(body, choices.Between(0, 1));
    AddFusion(body);
  }
  if (fusions == 0) GrowBy(body, choices.Between(1, filled.max_ops));
  body.Finish();
  // Ids in the order of the text.
  module->next_id = 0;
  for (const auto& computation : module->computations) {
    for (const auto& instruction : computation->instructions) instruction->id = module->next_id++;
  }
  return module;
}

}  // namespace affirm::fuzz
