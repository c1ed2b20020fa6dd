// From the operations without defined contents on, along whatever reads them.
#include "verify/equivalence/undefined.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/calls/expand.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// For each leaf of a value, an instruction whose undefined contents it may depend on, or null.
using Origins = std::vector<const Instruction*>;

constexpr int kMostNestedComputations = 64;

const Instruction* FirstOf(const Origins& origins) {
  const auto found = llvm::find_if(origins, [](const Instruction* op) { return op != nullptr; });
  return found == origins.end() ? nullptr : *found;
}

// Adds what the other may depend on; whether that is news.
bool Join(Origins& origins, const Origins& other) {
  bool changed = false;
  for (size_t k = 0; k < origins.size() && k < other.size(); ++k) {
    if (origins[k] != nullptr || other[k] == nullptr) continue;
    origins[k] = other[k];
    changed = true;
  }
  return changed;
}

// The elements of a tuple from `first` on, or the whole of what is no tuple, have no contents.
void LoseElements(const Instruction& op, const std::vector<bool>& defined, Origins& origins) {
  for (auto [element, is_defined] : llvm::enumerate(defined)) {
    if (is_defined) continue;
    if (!op.shape.IsTuple()) {
      origins.assign(origins.size(), &op);
      continue;
    }
    const int64_t first = hlo::FirstLeafOfElement(op.shape, static_cast<int64_t>(element));
    const int64_t count = hlo::NumLeaves(op.shape.tuple[element]);
    std::fill_n(origins.begin() + first, count, &op);
  }
}

// Which elements of the results of an operation alone have contents; empty where all have.
std::vector<bool> DefinedElements(const Instruction& op) {
  const size_t elements = op.shape.tuple.size();
  auto but = [&](size_t first, size_t count) {
    std::vector<bool> defined(elements, true);
    for (size_t k = first; k < elements && k < first + count; ++k) defined[k] = false;
    return defined;
  };
  switch (op.opcode) {
    case Opcode::kCustomCall:
      return op.attributes.custom_call_target == "PadToStatic" ? but(0, 1)
                                                               : calls::DefinedElementsOf(op);
    case Opcode::kAsyncStart:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyStart:  // ..., ..., contexts
      return but(2, elements);
    case Opcode::kRecv:
    case Opcode::kSend:  // a value, the context, a token
      return but(1, 1);
    default:
      return {};
  }
}

// Which elements of an operation's results have contents; empty where all have.
using DefinedFunction = llvm::function_ref<std::vector<bool>(const Instruction&)>;

class UndefinedFlow {
 public:
  explicit UndefinedFlow(DefinedFunction defined) : defined_(defined) {}

  // The origins that the result depends on, if the parameters depend on `arguments`.
  Origins Run(const Computation& computation, const std::vector<Origins>& arguments) {
    const auto key = std::make_pair(&computation, arguments);
    const auto known = results_.find(key);
    if (known != results_.end()) return known->second;
    llvm::DenseMap<const Instruction*, Origins> values;
    ++nested_;
    for (const auto& op : computation.instructions) {
      Origins& origins = values[op.get()];
      if (op->opcode == Opcode::kParameter) {
        const auto number = static_cast<size_t>(op->parameter_number);
        if (number < arguments.size()) origins = arguments[number];
        origins.resize(hlo::NumLeaves(op->shape), nullptr);
        continue;
      }
      std::vector<Origins> operands;
      for (const Instruction* operand : op->operands) operands.push_back(values.lookup(operand));
      Origins result = Of(*op, operands);
      LoseElements(*op, defined_(*op), result);
      values[op.get()] = std::move(result);
    }
    --nested_;
    return results_[key] = values.lookup(computation.root);
  }

 private:
  // The origins of an operation's result leaves, given those of its operands.
  Origins Of(const Instruction& op, const std::vector<Origins>& operands) {
    const auto leaves = static_cast<size_t>(hlo::NumLeaves(op.shape));
    Origins all;
    for (const Origins& operand : operands) all.insert(all.end(), operand.begin(), operand.end());
    auto from = [&](int64_t first) {
      Origins some(all.begin() + std::min<int64_t>(first, std::ssize(all)), all.end());
      some.resize(leaves, nullptr);
      return some;
    };
    if (nested_ >= kMostNestedComputations && !op.called.empty()) return Origins(leaves, &op);
    switch (op.opcode) {
      case Opcode::kGetDimensionSize:
        return Origins(leaves, nullptr);
      case Opcode::kGetTupleElement:
        return from(hlo::FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index));
      case Opcode::kAddDependency:
      case Opcode::kAsyncUpdate:
      case Opcode::kCopy:
      case Opcode::kCopyDone:
      case Opcode::kDomain:
      case Opcode::kOptimizationBarrier:
      case Opcode::kSend:
      case Opcode::kTuple:
        return from(0);
      case Opcode::kCopyStart:  // the copy, the operand, the context
        if (all.size() != 1 || leaves < 2) break;
        return {all[0], all[0], nullptr};
      case Opcode::kAsyncDone:
      case Opcode::kCollectivePermuteDone: {
        const int64_t result = hlo::FirstLeafOfElement(op.operands[0]->shape, 1);
        if (result >= 0) return from(result);
        break;
      }
      case Opcode::kRecvDone:  // the value, a token
        if (all.empty() || leaves != 2) break;
        return {all[0], nullptr};
      case Opcode::kSendDone:
        return Origins(leaves, nullptr);
      case Opcode::kCall:
      case Opcode::kFusion:
        if (op.called.size() == 1) return Run(*op.called[0], operands);
        break;
      case Opcode::kAsyncStart:
        if (op.called.size() == 1) {  // the operands, the result, contexts
          Origins result = Run(*op.called[0], operands);
          all.insert(all.end(), result.begin(), result.end());
          return from(0);
        }
        break;
      case Opcode::kConditional:
        return OfBranches(op, operands, leaves);
      case Opcode::kWhile:
        return OfLoop(op, operands[0]);
      default:
        break;
    }
    // Conservative: each leaf may depend on all operands, and on origins in called computations.
    const Instruction* origin = FirstOf(all);
    for (const Computation* called : op.called) {
      if (origin == nullptr) origin = FirstOf(Run(*called, {}));
    }
    return Origins(leaves, origin);
  }

  Origins OfBranches(const Instruction& op, const std::vector<Origins>& operands, size_t leaves) {
    Origins result(leaves, FirstOf(operands[0]));
    for (size_t k = 1; k < operands.size(); ++k) {
      // Conservative: applies each branch to each operand.
      for (const Computation* branch : op.called) {
        if (branch->parameters.size() == 1 &&
            hlo::NumLeaves(branch->parameters[0]->shape) == std::ssize(operands[k])) {
          Join(result, Run(*branch, {operands[k]}));
        }
      }
    }
    return result;
  }

  Origins OfLoop(const Instruction& op, Origins carried) {
    const Instruction* deciding = nullptr;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t k = 0; k < op.called.size(); ++k) {
        const Origins result = Run(*op.called[k], {carried});
        if (op.called_as[k] != "condition") {
          changed = Join(carried, result) || changed;
        } else if (deciding == nullptr) {
          deciding = FirstOf(result);
        }
      }
    }
    return deciding == nullptr ? carried : Origins(carried.size(), deciding);
  }

  DefinedFunction defined_;
  std::map<std::pair<const Computation*, std::vector<Origins>>, Origins> results_;
  int nested_ = 0;
};

// A quick check: most modules have no such operation.
bool HasUndefined(const Computation& computation, DefinedFunction defined,
                  llvm::DenseMap<const Computation*, bool>& known) {
  const auto [at, is_new] = known.try_emplace(&computation, false);
  if (!is_new) return at->second;
  const bool has = llvm::any_of(computation.instructions, [&](const auto& op) {
    return llvm::is_contained(defined(*op), false) ||
           llvm::any_of(op->called, [&](const Computation* called) {
             return HasUndefined(*called, defined, known);
           });
  });
  return known[&computation] = has;
}

std::vector<const Instruction*> FlowOf(const Computation& computation, DefinedFunction defined) {
  llvm::DenseMap<const Computation*, bool> known;
  if (!HasUndefined(computation, defined, known))
    return Origins(hlo::NumLeaves(computation.root->shape), nullptr);
  return UndefinedFlow(defined).Run(computation, {});
}

}  // namespace

std::vector<const Instruction*> UndefinedResults(const Computation& computation) {
  return FlowOf(computation, DefinedElements);
}

std::vector<const Instruction*> OriginsOfResults(
    const Computation& computation, llvm::function_ref<bool(const Instruction&)> is_origin) {
  return FlowOf(computation, [&](const Instruction& op) {
    return is_origin(op) ? std::vector<bool>(std::max<size_t>(op.shape.tuple.size(), 1), false)
                         : std::vector<bool>();
  });
}

std::vector<std::string> WhyUndefined(const Computation& a, const Computation& b) {
  std::vector<std::string> reasons(hlo::NumLeaves(a.root->shape));
  for (const Computation* computation : {&a, &b}) {
    for (auto [leaf, origin] : llvm::enumerate(UndefinedResults(*computation))) {
      if (origin == nullptr || leaf >= reasons.size() || !reasons[leaf].empty()) continue;
      reasons[leaf] = "it may depend on contents that nobody defines, of " + origin->opcode_text +
                      " " + origin->name + " of " + (computation == &a ? "A" : "B");
    }
  }
  return reasons;
}

}  // namespace affirm::equivalence
