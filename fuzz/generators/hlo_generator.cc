// Which op comes next in a random module, which element types it has, and the entry itself.
#include "fuzz/generators/hlo_generator.h"

#include <algorithm>

#include "fuzz/generators/hlo_body.h"
#include "fuzz/generators/ops/families.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {

using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

// Families that are chosen together.
using FamilyGroup = std::vector<llvm::ArrayRef<OpEntry>>;

// Elementwise ops are many and mean the same to a map. So a group is chosen first and an op of it
// second, and the groups whose ops have the richer maps stand in the list twice.
std::vector<FamilyGroup> FamilyGroups() {
  const FamilyGroup movement = {MovementFamily()};
  const FamilyGroup elementwise = {ElementwiseFamily()};
  const FamilyGroup reductions = {ReductionFamily(), WindowFamily(), SortingFamily()};
  const FamilyGroup parts = {SlicingFamily(), GatherScatterFamily()};
  const FamilyGroup products = {ContractionFamily(), LinalgFamily()};
  const FamilyGroup rest = {NormalizationFamily(), NullaryFamily(), RandomFamily(), ControlFamily(),
                            CollectiveFamily()};
  return {movement, elementwise, reductions, parts,      products,
          movement, elementwise, parts,      reductions, rest};
}

// The ops of a group, each as often as it weighs.
std::vector<Opcode> OpsOf(const FamilyGroup& group,
                          llvm::function_ref<bool(const OpEntry&)> wanted) {
  std::vector<Opcode> ops;
  for (llvm::ArrayRef<OpEntry> family : group) {
    for (const OpEntry& op : family) {
      if (wanted(op)) ops.insert(ops.end(), static_cast<size_t>(op.weight), op.opcode);
    }
  }
  return ops;
}

std::vector<Opcode> OpsOf(llvm::function_ref<bool(const OpEntry&)> wanted) {
  std::vector<Opcode> ops;
  for (const FamilyGroup& group : FamilyGroups()) {
    for (Opcode op : OpsOf(group, wanted)) {
      if (!llvm::is_contained(ops, op)) ops.push_back(op);
    }
  }
  return ops;
}

// One to four of the types, the earlier ones more often: values meet more often than among all of
// them.
std::vector<PrimitiveType> SomeTypes(Choices& choices, std::vector<PrimitiveType> types) {
  std::vector<PrimitiveType> some;
  for (uint64_t more = 1 + choices.Below(4); more > 0 && !types.empty(); --more) {
    const uint64_t one = choices.Below(types.size()), other = choices.Below(types.size());
    const auto chosen = types.begin() + static_cast<std::ptrdiff_t>(std::min(one, other));
    some.push_back(*chosen);
    types.erase(chosen);
  }
  return some;
}

}  // namespace

std::vector<Opcode> GeneratedOps() {
  return OpsOf([](const OpEntry& op) { return op.in_graphs != InGraphs::kNever; });
}

std::vector<Opcode> AffirmedOps() {
  return OpsOf([](const OpEntry& op) { return op.in_graphs == InGraphs::kAffirmed; });
}

Opcode ChooseGraphOp(Choices& choices, llvm::ArrayRef<Opcode> allowed) {
  const std::vector<FamilyGroup> groups = FamilyGroups();
  const size_t start = choices.Below(groups.size());
  std::vector<Opcode> ops;
  for (size_t i = 0; i < groups.size() && ops.empty(); ++i) {
    ops = OpsOf(groups[(start + i) % groups.size()],
                [&](const OpEntry& op) { return llvm::is_contained(allowed, op.opcode); });
  }
  return ops.empty() ? Opcode::kUnknown : ops[choices.Below(ops.size())];
}

std::vector<PrimitiveType> AffirmedTypes() {
  using enum PrimitiveType;
  return {kF32, kS32,    kPred,       kF16,        kS8,           kBF16,   kU32,
          kF64, kS64,    kU8,         kU64,        kS16,          kU16,    kS4,
          kU4,  kF8E5M2, kF8E4M3FN,   kF4E2M1FN,   kF8E8M0FNU,    kF8E4M3, kF8E3M4,
          kS2,  kU2,     kF8E5M2FNUZ, kF8E4M3FNUZ, kF8E4M3B11FNUZ};
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
  HloBody body(choices, filled, *entry);
  int64_t fusions = choices.Between(filled.min_fusions, filled.max_fusions);
  for (int64_t i = 0; i < fusions; ++i) {
    if (i > 0) body.GrowBy(choices.Between(0, 1));
    body.AddFusion();
  }
  if (fusions == 0) body.GrowBy(choices.Between(filled.min_ops, filled.max_ops));
  body.Finish();
  // Ids in the order of the text.
  module->next_id = 0;
  for (const auto& computation : module->computations) {
    for (const auto& instruction : computation->instructions) instruction->id = module->next_id++;
  }
  return module;
}

}  // namespace affirm::fuzz
