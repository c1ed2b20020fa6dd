#include "verify/equivalence/effect_order.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/same_structure.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

bool IsOfState(const Instruction& op) { return op.opcode == Opcode::kRngGetAndUpdateState; }

// Whether the instruction, or one that it calls, has an effect (if `of_state`, on the random
// state).
bool Affects(const Instruction& op, bool of_state) {
  return (HasEffect(op) && (!of_state || IsOfState(op))) ||
         llvm::any_of(op.called, [&](const Computation* called) {
           return llvm::any_of(called->instructions,
                               [&](const auto& inner) { return Affects(*inner, of_state); });
         });
}

// The first effectful instruction that does not depend on its predecessor among these by operands;
// if `of_state`, of effects on the random state alone.
const Instruction* FindUnordered(const Computation& computation, bool of_state) {
  llvm::DenseSet<const Instruction*> behind;  // the last effect, and its transitive users
  bool is_first = true;
  for (const auto& op : computation.instructions) {
    const bool depends =
        llvm::any_of(op->operands, [&](const auto* operand) { return behind.contains(operand); });
    if (Affects(*op, of_state)) {
      if (!is_first && !depends) return op.get();
      is_first = false;
      behind = {op.get()};
    } else if (depends) {
      behind.insert(op.get());
    }
    for (const Computation* called : op->called) {
      if (const Instruction* inner = FindUnordered(*called, of_state)) return inner;
    }
  }
  return nullptr;
}

// The positions of the control predecessors of an instruction.
std::set<size_t> PredecessorsOf(const Instruction& op,
                                const std::map<llvm::StringRef, size_t>& places) {
  std::set<size_t> found;
  const std::string* text = op.attributes.FindExtra("control-predecessors");
  if (text == nullptr) return found;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(*text).trim("{}").split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    const auto place = places.find(name.trim(" %\t\n"));
    if (place != places.end()) found.insert(place->second);
  }
  return found;
}

bool HasPredecessors(const Computation& computation) {
  return llvm::any_of(computation.instructions, [](const auto& op) {
    return op->attributes.FindExtra("control-predecessors") != nullptr ||
           llvm::any_of(op->called, [](const auto* called) { return HasPredecessors(*called); });
  });
}

std::vector<std::set<size_t>> AllPredecessors(const Computation& computation) {
  std::map<llvm::StringRef, size_t> places;
  for (const auto& [place, op] : llvm::enumerate(computation.instructions))
    places[op->name] = place;
  std::vector<std::set<size_t>> all;
  for (const auto& op : computation.instructions) {
    all.push_back(PredecessorsOf(*op, places));
    for (const Computation* called : op->called) llvm::append_range(all, AllPredecessors(*called));
  }
  return all;
}

bool IsScheduled(const hlo::Module& module) {
  return llvm::any_of(module.extra_attributes, [](const auto& attribute) {
    return attribute.first == "is_scheduled" && attribute.second == "true";
  });
}

}  // namespace

const Instruction* FindReorderedEffect(const hlo::Module& a, const hlo::Module& b) {
  if (const Instruction* state = FindUnordered(*b.entry, /*of_state=*/true)) return state;
  // If A has no order beside its graph, B may choose any order.
  if (!IsScheduled(a) && !HasPredecessors(*a.entry)) return nullptr;
  const Instruction* unordered = FindUnordered(*b.entry, /*of_state=*/false);
  if (unordered == nullptr) return nullptr;
  const bool same = IsScheduled(a) == IsScheduled(b) && SameInOrder(*a.entry, *b.entry) &&
                    AllPredecessors(*a.entry) == AllPredecessors(*b.entry);
  return same ? nullptr : unordered;
}

}  // namespace affirm::equivalence
