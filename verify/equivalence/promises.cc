#include "verify/equivalence/promises.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace affirm::equivalence {
namespace {

using hlo::Instruction;
using hlo::Opcode;

const Instruction& IndicesOf(const Instruction& op) {
  return *op.operands[op.opcode == Opcode::kGather ? 1 : op.operands.size() / 2];
}

// One index vector is unique, and sorted.
bool HasSeveralVectors(const Instruction& op) {
  const hlo::Shape& shape = IndicesOf(op).shape;
  const int64_t dim = op.attributes.index_vector_dim;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != dim && shape.dims[d] > 1) return true;
  }
  return false;
}

bool IsUnique(const Instruction& op) {
  return op.opcode == Opcode::kScatter && op.attributes.unique_indices && HasSeveralVectors(op);
}
bool IsSorted(const Instruction& op) {
  return (op.opcode == Opcode::kScatter || op.opcode == Opcode::kGather) &&
         op.attributes.indices_are_sorted && HasSeveralVectors(op);
}
bool HasNoTies(const Instruction& op) {
  return op.opcode == Opcode::kSort && !op.attributes.is_stable;
}

// The computation and what it calls.
llvm::SetVector<const hlo::Computation*> Reached(const hlo::Computation& computation) {
  llvm::SetVector<const hlo::Computation*> reached;
  reached.insert(&computation);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const auto& op : reached[i]->instructions)
      reached.insert(op->called.begin(), op->called.end());
  }
  return reached;
}

// The first instruction of the computation, or of what it calls, of which it holds.
const Instruction* Find(const hlo::Computation& computation,
                        llvm::function_ref<bool(const Instruction&)> holds) {
  for (const hlo::Computation* of : Reached(computation)) {
    for (const auto& op : of->instructions) {
      if (holds(*op)) return op.get();
    }
  }
  return nullptr;
}

// Whether a value of the entry is the same in each execution: no parameter reaches it, and nothing
// else that comes from outside.
bool IsFixed(const Instruction& value) {
  llvm::SetVector<const Instruction*> reached;
  reached.insert(&value);
  for (size_t i = 0; i < reached.size(); ++i) {
    const Instruction& op = *reached[i];
    const bool is_constant = op.opcode == Opcode::kConstant || op.opcode == Opcode::kIota;
    if (op.operands.empty() && !is_constant) return false;
    if (op.opcode == Opcode::kRng || op.opcode == Opcode::kCustomCall ||
        op.opcode == Opcode::kInfeed)
      return false;
    reached.insert(op.operands.begin(), op.operands.end());
  }
  return true;
}

}  // namespace

Promises NewPromises(const hlo::Computation& a, const hlo::Computation& b) {
  Promises promises;
  auto find_new = [&](bool (*holds)(const Instruction&)) -> const Instruction* {
    return Find(a, holds) == nullptr ? Find(b, holds) : nullptr;
  };
  auto say = [&](bool (*holds)(const Instruction&), const char* what) {
    const Instruction* op = Find(b, holds);
    if (promises.unproved.empty())
      promises.unproved = op->opcode_text + " " + op->name + " of B, that its indices are " + what;
    for (const hlo::Computation* of : Reached(b)) {
      // One that is called may get indices as arguments, and a branch may not be taken.
      const bool is_entry = of == &b;
      for (const auto& each : of->instructions) {
        if (holds(*each) && (!is_entry || !IsFixed(IndicesOf(*each))))
          promises.one_run_decides = false;
      }
    }
  };
  if (find_new(IsUnique) != nullptr) {
    promises.held.unique_indices = true;
    say(IsUnique, "unique");
  }
  if (find_new(IsSorted) != nullptr) {
    promises.held.indices_are_sorted = true;
    say(IsSorted, "sorted");
  }
  // A module without sorts has none that are stable.
  const bool sorts = Find(a, [](const Instruction& op) { return op.opcode == Opcode::kSort; });
  promises.held.no_ties = sorts && find_new(HasNoTies) != nullptr;
  return promises;
}

}  // namespace affirm::equivalence
