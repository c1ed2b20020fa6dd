#include "verify/equivalence/flatten.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "core/hlo/choices.h"
#include "core/hlo/tiles.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/inline_calls.h"
#include "verify/equivalence/same_parts.h"
#include "verify/equivalence/same_structure.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// The live instructions: those that a result or an effect depends on.
llvm::DenseSet<const Instruction*> Needed(const Computation& computation) {
  std::vector<const Instruction*> open = {computation.root};
  for (const auto& op : computation.instructions) {
    if (op->opcode == Opcode::kParameter || !IsFunctionOfOperands(*op)) open.push_back(op.get());
  }
  llvm::DenseSet<const Instruction*> needed;
  while (!open.empty()) {
    const Instruction* op = open.back();
    open.pop_back();
    if (needed.insert(op).second) open.insert(open.end(), op->operands.begin(), op->operands.end());
  }
  return needed;
}

bool IsSame(const Instruction& a, const Instruction& b) {
  if (!SameAttributes(a, b) || !a.shape.SameIgnoringLayout(b.shape)) return false;
  // A bitcast depends on the layout.
  if (a.shape.IsArray() && !hlo::LieAlike(a.shape, b.shape)) return false;
  for (size_t k = 0; k < a.called.size(); ++k) {
    if (!SameStructure(*a.called[k], *b.called[k])) return false;
  }
  return !hlo::MayChooseInside(a) || AreWrittenAlike(a, b);
}

std::unique_ptr<Computation> Simplified(const Computation& from) {
  auto to = std::make_unique<Computation>();
  to->name = from.name;
  const llvm::DenseSet<const Instruction*> needed = Needed(from);
  llvm::DenseMap<const Instruction*, Instruction*> copies;
  std::unordered_map<std::string, std::vector<Instruction*>> alike;
  for (const auto& op : from.instructions) {
    if (!needed.contains(op.get())) continue;
    std::vector<Instruction*> operands;
    std::string key = std::to_string(HashOfAttributes(*op));
    for (const Instruction* operand : op->operands) {
      operands.push_back(copies.lookup(operand));
      key += " " + std::to_string(operands.back()->id);
    }
    if (op->opcode == Opcode::kGetTupleElement && operands[0]->opcode == Opcode::kTuple) {
      Instruction* element = operands[0]->operands[static_cast<size_t>(op->attributes.tuple_index)];
      copies[op.get()] = InLayoutOf(*op, element, *to);
      continue;
    }
    Instruction* same = nullptr;
    if (op->opcode != Opcode::kParameter && IsFunctionOfOperands(*op)) {
      for (Instruction* other : alike[key]) {
        if (same == nullptr && IsSame(*other, *op)) same = other;
      }
    }
    if (same == nullptr) {
      auto copy = hlo::CopyOf(*op);
      copy->operands = std::move(operands);
      same = to->Add(std::move(copy));
      alike[key].push_back(same);
    }
    copies[op.get()] = same;
  }
  to->root = copies.lookup(from.root);
  to->NumberParameters();
  return to;
}

}  // namespace

std::unique_ptr<Computation> Flattened(const Computation& computation) {
  const std::unique_ptr<Computation> inlined = InlineCalls(computation, /*fusions=*/true);
  return Simplified(inlined ? *inlined : computation);
}

std::unique_ptr<hlo::Computation> UpTo(const hlo::Computation& computation,
                                       const Instruction& result) {
  auto copy = std::make_unique<hlo::Computation>();
  copy->name = computation.name;
  llvm::DenseMap<const Instruction*, Instruction*> copies;
  for (const auto& op : computation.instructions) {
    auto one = hlo::CopyOf(*op);
    for (const Instruction* operand : op->operands) one->operands.push_back(copies.lookup(operand));
    copies[op.get()] = copy->Add(std::move(one));
  }
  copy->root = copies.lookup(&result);
  copy->NumberParameters();
  return copy;
}

}  // namespace affirm::equivalence
