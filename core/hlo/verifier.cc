// Checks operands, the shape that the rule of the opcode gives, and the graph.
#include "core/hlo/verifier.h"

#include <array>

#include "core/hlo/attribute_values.h"
#include "core/hlo/diagnostic.h"
#include "core/hlo/entry_layout.h"
#include "core/hlo/input_output_alias.h"
#include "core/hlo/shape_inference.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {
namespace {

constexpr size_t kNumOpcodes = static_cast<size_t>(Opcode::kUnknown) + 1;

std::array<ShapeRule, kNumOpcodes> CollectRules() {
  std::array<ShapeRule, kNumOpcodes> rules{};
  for (llvm::ArrayRef<OpcodeRule> family :
       {ContractionRules(), ControlRules(), ElementwiseRules(), GatherScatterRules(), LinalgRules(),
        MovementRules(), NormalizationRules(), NullaryRules(), ReductionRules(), SlicingRules(),
        SortingRules(), WindowRules()}) {
    for (const OpcodeRule& rule : family) rules[static_cast<size_t>(rule.opcode)] = rule.rule;
  }
  return rules;
}

llvm::Error CheckOperandCount(const Instruction& instruction) {
  const int arity = Arity(instruction.opcode);
  const size_t count = instruction.operands.size();
  if (arity >= 0 && count != static_cast<size_t>(arity)) {
    return Violation("expected " + llvm::Twine(arity) + " operands of " + instruction.opcode_text +
                     ", found " + llvm::Twine(count));
  }
  for (const Instruction* operand : instruction.operands) {
    if (operand == nullptr || operand->shape.type == PrimitiveType::kInvalid) {
      return Violation("expected an operand with a shape");
    }
  }
  for (const Computation* callee : instruction.called) {
    if (callee == nullptr || callee->root == nullptr) {
      return Violation("expected a called computation with a root");
    }
  }
  return llvm::Error::success();
}

llvm::Error CheckShape(const Shape& shape) {
  if (shape.type == PrimitiveType::kInvalid) return Violation("expected a shape");
  for (int64_t size : shape.dims) {
    if (size < 0 && size != kUnboundedSize) return Violation("expected sizes of at least 0");
  }
  if (!CheckedByteSize(shape)) {
    return Violation("expected a shape whose size in bytes fits 64 bits, found " +
                     shape.ToString(false));
  }
  for (const Shape& element : shape.tuple) {
    if (llvm::Error error = CheckShape(element)) return error;
  }
  return llvm::Error::success();
}

// XLA lets the float types of operands and results differ, as its own changes of precision do,
// except where an op passes a value on unchanged.
bool KeepsPrecision(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kConstant:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

// Groups of global devices are those of a channel (XLA's GetCollectiveOpGroupMode), and have
// members.
llvm::Error CheckGroups(const Attributes& attributes) {
  if (llvm::any_of(attributes.replica_groups, [](const auto& group) { return group.empty(); }))
    return Violation("expected a device in each group of replica_groups, found none");
  if (BoolAttribute(attributes, "use_global_device_ids") != true ||
      IntegerAttribute(attributes, "channel_id")) {
    return llvm::Error::success();
  }
  return Violation("expected a channel_id where use_global_device_ids is true, found none");
}

llvm::Error VerifyInstruction(const Instruction& instruction) {
  if (llvm::Error error = CheckShape(instruction.shape)) return error;
  if (llvm::Error error = CheckGroups(instruction.attributes)) return error;
  llvm::Expected<Shape> inferred = InferShape(instruction);
  if (!inferred) return inferred.takeError();
  const bool agrees = KeepsPrecision(instruction.opcode)
                          ? Compatible(*inferred, instruction.shape)
                          : CompatibleUpToPrecision(*inferred, instruction.shape);
  if (!agrees) {
    return Violation("expected the shape " + inferred->ToString(false) + " for " +
                     instruction.opcode_text + ", found " + instruction.shape.ToString(false));
  }
  return llvm::Error::success();
}

llvm::Error VerifyParameters(const Computation& computation, llvm::StringRef where) {
  for (size_t i = 0; i < computation.parameters.size(); ++i) {
    if (computation.parameters[i] == nullptr) {
      return MakeErrorAt(where, computation.location,
                         "expected the parameters of computation " + computation.name +
                             " to be numbered from 0 on, found no parameter " + llvm::Twine(i));
    }
  }
  for (const auto& instruction : computation.instructions) {
    if (instruction->opcode != Opcode::kParameter) continue;
    const int64_t number = instruction->parameter_number;
    const bool listed = number >= 0 &&
                        number < static_cast<int64_t>(computation.parameters.size()) &&
                        computation.parameters[number] == instruction.get();
    if (!listed) {
      return MakeErrorAt(
          where, instruction->location,
          "expected each parameter once, found a second parameter " + llvm::Twine(number));
    }
  }
  return llvm::Error::success();
}

llvm::Error VerifyComputation(const Computation& computation,
                              const llvm::DenseSet<const Computation*>& callees,
                              llvm::DenseSet<int64_t>& ids, llvm::StringRef where) {
  if (computation.root == nullptr || computation.root->parent != &computation) {
    return MakeErrorAt(where, computation.location,
                       "expected a root in computation " + computation.name);
  }
  if (llvm::Error error = VerifyParameters(computation, where)) return error;
  llvm::StringSet<> names;
  llvm::DenseSet<const Instruction*> defined;
  for (const auto& instruction : computation.instructions) {
    if (!names.insert(instruction->name).second || !ids.insert(instruction->id).second) {
      return MakeErrorAt(where, instruction->location,
                         "expected a name and a number of its own for '" + instruction->name + "'");
    }
    for (const Instruction* operand : instruction->operands) {
      if (!defined.contains(operand)) {
        return MakeErrorAt(
            where, instruction->location,
            "expected operands of '" + instruction->name + "' that are defined before it");
      }
    }
    for (const Computation* callee : instruction->called) {
      if (!callees.contains(callee)) {
        return MakeErrorAt(where, instruction->location,
                           "expected '" + instruction->name +
                               "' to call computations of the module that stand before its own");
      }
    }
    defined.insert(instruction.get());
    if (llvm::Error error = VerifyInstruction(*instruction)) {
      return MakeErrorAt(where, instruction->location, llvm::toString(std::move(error)));
    }
  }
  return llvm::Error::success();
}

// XLA's generators have a state for their counter, of which Philox's has one number more or none.
llvm::Error CheckRandomState(const Instruction& op) {
  const std::string* algorithm = op.attributes.FindExtra("algorithm");
  const bool is_three_fry = algorithm != nullptr && *algorithm == "rng_three_fry";
  const Shape& state = op.operands[0]->shape;
  const int64_t numbers = state.IsArray() && state.rank() == 1 ? state.dims[0] : 0;
  if (state.type == PrimitiveType::kU64 && (numbers == 2 || (numbers == 3 && !is_three_fry))) {
    return llvm::Error::success();
  }
  return Violation(llvm::Twine("expected a state u64[2]") + (is_three_fry ? "" : " or u64[3]") +
                   " of " + op.opcode_text + ", found " + state.ToString(false));
}

// The instruction that completes what another one starts; kUnknown for others.
Opcode DoneOf(Opcode start) {
  switch (start) {
    case Opcode::kAllGatherStart:
      return Opcode::kAllGatherDone;
    case Opcode::kAllReduceStart:
      return Opcode::kAllReduceDone;
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
      return Opcode::kAsyncDone;
    case Opcode::kCollectivePermuteStart:
      return Opcode::kCollectivePermuteDone;
    case Opcode::kCopyStart:
      return Opcode::kCopyDone;
    default:
      return Opcode::kUnknown;
  }
}

// Whether a tuple only carries what is started from one trip of a loop to the next.
bool GoesRound(const Instruction& tuple) {
  const bool is_next = tuple.parent->root == &tuple && !tuple.parent->is_entry;
  return (is_next || !tuple.users.empty()) &&
         llvm::all_of(tuple.users,
                      [](const Instruction* user) { return user->opcode == Opcode::kWhile; });
}

// A started operation has one user, which completes it or carries it to another trip of a loop
// (HloVerifier, VerifyAsynchronousInstructionPairs). Until then its result is not there. A start
// that is a root is an instruction that someone asks about.
llvm::Error CheckStart(const Instruction& start) {
  const Opcode done = DoneOf(start.opcode);
  if (done == Opcode::kUnknown) return llvm::Error::success();
  const bool is_result = start.parent->root == &start;
  if (start.users.size() != 1 && !(start.users.empty() && is_result)) {
    return Violation("expected one user of " + start.opcode_text + ", which completes it, found " +
                     llvm::Twine(start.users.size()));
  }
  for (const Instruction* user : start.users) {
    const bool carries =
        user->opcode == Opcode::kWhile || (user->opcode == Opcode::kTuple && GoesRound(*user));
    const bool updates = done == Opcode::kAsyncDone && user->opcode == Opcode::kAsyncUpdate;
    if (carries || user->opcode == done || updates || user->opcode == Opcode::kUnknown) continue;
    return Violation("expected " + llvm::Twine(Name(done)) + " before " + start.name +
                     " is read, found " + user->name);
  }
  return llvm::Error::success();
}

llvm::Error CheckArguments(const Instruction& caller) {
  if (llvm::Error error = CheckStart(caller)) return error;
  if (caller.opcode == Opcode::kRngBitGenerator) return CheckRandomState(caller);
  if (caller.opcode != Opcode::kFusion && caller.opcode != Opcode::kCall) {
    return llvm::Error::success();
  }
  const Computation& callee = *caller.called[0];
  for (size_t i = 0; i < caller.operands.size(); ++i) {
    const Shape& argument = caller.operands[i]->shape;
    const Shape& parameter = callee.parameters[i]->shape;
    if (!Compatible(argument, parameter)) {
      return Violation("expected the shape " + parameter.ToString(false) + " of parameter " +
                       llvm::Twine(i) + " of " + callee.name + " for operand " + llvm::Twine(i) +
                       ", found " + argument.ToString(false));
    }
  }
  return llvm::Error::success();
}

// The header's shapes are those of the entry, but for layouts and for sizes that are bounds there.
llvm::Error CheckEntryLayout(const Module& module, llvm::StringRef where) {
  const std::optional<EntryLayout> layout = EntryLayoutOf(module);
  if (!layout) return llvm::Error::success();
  const Computation& entry = *module.entry;
  Shape operands;
  operands.type = PrimitiveType::kTuple;
  for (const Instruction* parameter : entry.parameters) operands.tuple.push_back(parameter->shape);
  for (const auto& [written, shape] :
       {std::pair(&layout->operands, &operands), {&layout->result, &entry.root->shape}}) {
    if (Compatible(*written, *shape)) continue;
    return MakeErrorAt(where, entry.location,
                       "expected the shape " + shape->ToString(false) + " of the entry in " +
                           "entry_computation_layout, found " + written->ToString(false));
  }
  return llvm::Error::success();
}

// An elementwise operation computes in one type; mixed precision is not defined.
llvm::Error CheckElementTypes(const Instruction& instruction) {
  if (!IsElementwise(instruction.opcode) || instruction.operands.size() < 2) {
    return llvm::Error::success();
  }
  llvm::Expected<Shape> inferred = InferShape(instruction);
  if (!inferred) return inferred.takeError();
  const size_t last = instruction.operands.size() - 1;
  const bool same =
      instruction.opcode == Opcode::kStochasticConvert ||
      instruction.operands[last]->shape.type == instruction.operands[last - 1]->shape.type;
  if (same && Compatible(*inferred, instruction.shape)) return llvm::Error::success();
  return Violation("expected operands and result of " + instruction.opcode_text +
                   " of the same precision");
}

llvm::Error CheckExecutable(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kUnknown) {
    return Violation("expected a known opcode, found " + instruction.opcode_text);
  }
  if (instruction.shape.HasUnboundedSize()) {
    return Violation("expected sizes with bounds, found " + instruction.shape.ToString(false));
  }
  if (instruction.opcode == Opcode::kConstant && !instruction.literal) {
    return Violation("expected the values of the constant, found '{...}'");
  }
  return CheckElementTypes(instruction);
}

// The first violation of any instruction, at its place.
llvm::Error CheckEach(const Module& module, llvm::StringRef where,
                      llvm::Error (*check)(const Instruction&)) {
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) {
      if (llvm::Error error = check(*instruction))
        return MakeErrorAt(where, instruction->location, llvm::toString(std::move(error)));
    }
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Expected<Shape> InferShape(const Instruction& instruction) {
  static const std::array<ShapeRule, kNumOpcodes> kRules = CollectRules();
  if (llvm::Error error = CheckOperandCount(instruction)) return error;
  const ShapeRule rule = kRules[static_cast<size_t>(instruction.opcode)];
  return rule != nullptr ? rule(instruction) : WrittenShape(instruction);
}

llvm::Error Verify(const Module& module, llvm::StringRef where) {
  if (module.entry == nullptr || module.entry->module != &module) {
    return MakeErrorAt(where, {1, 1}, "expected an entry computation in module " + module.name);
  }
  llvm::StringSet<> names;
  llvm::DenseSet<int64_t> ids;
  llvm::DenseSet<const Computation*> callees;
  for (const auto& computation : module.computations) {
    if (!names.insert(computation->name).second) {
      return MakeErrorAt(where, computation->location,
                         "expected a name of its own for computation " + computation->name);
    }
    if (llvm::Error error = VerifyComputation(*computation, callees, ids, where)) return error;
    callees.insert(computation.get());
  }
  return llvm::Error::success();
}

llvm::Error VerifyArguments(const Module& module, llvm::StringRef where) {
  if (llvm::Error error = CheckEntryLayout(module, where)) return error;
  if (auto aliases = InputOutputAliases(module); !aliases)
    return MakeErrorAt(where, {1, 1}, llvm::toString(aliases.takeError()));
  return CheckEach(module, where, CheckArguments);
}

llvm::Error VerifyExecutable(const Module& module, llvm::StringRef where) {
  if (llvm::Error error = Verify(module, where)) return error;
  if (auto aliases = InputOutputAliases(module); !aliases) {
    return MakeErrorAt(where, {1, 1}, llvm::toString(aliases.takeError()));
  }
  if (llvm::Error error = CheckEach(module, where, CheckExecutable)) return error;
  return VerifyArguments(module, where);
}

}  // namespace affirm::hlo
