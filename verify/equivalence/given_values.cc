#include "verify/equivalence/given_values.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/scalar/nan_bits.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Computes the greatest fixed point of "a value is given if its operands are", so that a loop state
// may depend on itself.
GivenValues::GivenValues(const Computation& entry, llvm::DenseSet<const Instruction*> known)
    : known_(std::move(known)) {
  Visit(entry);
  for (const Computation* computation : computations_) {
    for (const auto& op : computation->instructions) {
      const bool is_called_on_unknown =
          op->opcode == Opcode::kParameter && computation != &entry && !passed_.contains(op.get());
      const size_t elements = op->shape.IsTuple() ? op->shape.tuple.size() : 1;
      given_[op.get()] = Flags(elements, !is_called_on_unknown);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Computation* computation : computations_) {
      for (const auto& op : computation->instructions) {
        Flags& flags = given_[op.get()];
        const Flags now = Of(*op);
        for (size_t k = 0; k < flags.size(); ++k) {
          if (!flags[k] || now[k]) continue;
          flags[k] = false;
          changed = true;
        }
      }
    }
  }
}

void GivenValues::Visit(const Computation& computation) {
  if (llvm::is_contained(computations_, &computation)) return;
  for (const auto& op : computation.instructions) {
    for (const Computation* called : op->called) Visit(*called);
  }
  for (const auto& op : computation.instructions) Passes(*op);
  computations_.push_back(&computation);
}

// Records the arguments of called computations' parameters.
void GivenValues::Passes(const Instruction& caller) {
  auto pass = [&](const Computation& to, int64_t parameter, const Instruction* value) {
    if (parameter < std::ssize(to.parameters)) passed_[to.parameters[parameter]].push_back(value);
  };
  const auto operands = llvm::ArrayRef<Instruction*>(caller.operands);
  switch (caller.opcode) {
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kMap:
      for (const Computation* called : caller.called) {
        for (auto [k, operand] : llvm::enumerate(operands))
          pass(*called, static_cast<int64_t>(k), operand);
      }
      break;
    case Opcode::kSort:
      for (const Computation* called : caller.called) {
        for (int64_t k = 0; k < 2 * std::ssize(operands); ++k) pass(*called, k, operands[k / 2]);
      }
      break;
    case Opcode::kWhile:
      // Body and condition get the initial state, and the results of the body.
      for (const Computation* called : caller.called) pass(*called, 0, &caller);
      break;
    case Opcode::kConditional:
      for (auto [branch, operand] : llvm::zip(caller.called, operands.drop_front()))
        pass(*branch, 0, operand);
      break;
    default:
      break;
  }
}

bool MovesFloats(const Instruction& value) {
  switch (value.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kOptimizationBarrier:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSelect:
    case Opcode::kSlice:
    case Opcode::kSort:
    case Opcode::kTranspose:
      return true;
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      // The bits of a given integer are given as a float too, even if they are a NaN's; those of a
      // computed NaN stay open.
      return true;
    default:
      return false;
  }
}

GivenValues::Flags GivenValues::Of(const Instruction& value) const {
  const Flags& before = given_.find(&value)->second;
  auto all = [&](llvm::ArrayRef<const Instruction*> of) {
    Flags flags(before.size(), true);
    for (const Instruction* one : of) {
      const Flags& given = given_.find(one)->second;
      for (size_t k = 0; k < flags.size(); ++k) flags[k] = flags[k] && k < given.size() && given[k];
    }
    return flags;
  };
  if (known_.contains(&value)) return before;
  switch (value.opcode) {
    case Opcode::kConstant:
      return before;
    case Opcode::kParameter: {
      const auto passed = passed_.find(&value);
      return passed == passed_.end() ? before : all(passed->second);
    }
    case Opcode::kTuple: {
      Flags flags;
      for (const Instruction* operand : value.operands) flags.push_back(IsGiven(*operand));
      return flags;
    }
    case Opcode::kGetTupleElement: {
      const Flags& tuple = given_.find(value.operands[0])->second;
      const auto k = static_cast<size_t>(value.attributes.tuple_index);
      return Flags(before.size(), k < tuple.size() && tuple[k]);
    }
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kMap: {
      std::vector<const Instruction*> roots;
      roots.reserve(value.called.size());
      for (const Computation* called : value.called) roots.push_back(called->root);
      return roots.empty() ? Flags(before.size(), false) : all(roots);
    }
    case Opcode::kWhile: {
      std::vector<const Instruction*> states = {value.operands[0]};
      for (auto [called, as] : llvm::zip(value.called, value.called_as)) {
        if (as == "body") states.push_back(called->root);
      }
      if (states.size() < 2) return Flags(before.size(), false);
      return all(states);
    }
    default:
      break;
  }
  const bool given =
      MovesFloats(value) && llvm::all_of(value.operands, [&](const Instruction* operand) {
        return !hlo::HasFloats(operand->shape) || IsGiven(*operand);
      });
  return Flags(before.size(), given);
}

bool GivenValues::IsGiven(const Instruction& value) const {
  const auto flags = given_.find(&value);
  return flags != given_.end() && llvm::all_of(flags->second, [](bool flag) { return flag; });
}

}  // namespace affirm::equivalence
