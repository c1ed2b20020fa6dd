// Writes one instruction: its shape, opcode, operands and the computations that it calls.
#include "core/hlo/async_opcode.h"
#include "core/hlo/opcode.h"
#include "core/hlo_proto/values.h"
#include "core/hlo_proto/writer.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo_proto {
namespace {

using hlo::Opcode;

llvm::Expected<const Instruction*> Find(const Scope& scope, int64_t id, llvm::StringRef what) {
  auto found = scope.instructions.find(id);
  if (found != scope.instructions.end()) return found->second;
  return MakeError("expected " + what +
                   " to be an instruction before it in its computation, found id " +
                   llvm::Twine(id));
}

// The keys of the computations that an op calls, in the order of called_computation_ids. A key that
// ends in "{}" takes all of them.
std::vector<llvm::StringRef> KeysOfCalls(const Instruction& op, Opcode opcode, const Scope& scope) {
  switch (opcode) {
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kCall:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReduceScatter:
    case Opcode::kReduceWindow:
    case Opcode::kScan:
    case Opcode::kScatter:
    case Opcode::kSort:
      return {"to_apply"};
    case Opcode::kAsyncStart:
    case Opcode::kFusion:
      return {"calls"};
    case Opcode::kWhile:
      return {"body", "condition"};
    case Opcode::kSelectAndScatter:
      return {"select", "scatter"};
    case Opcode::kCustomCall:
      return {"called_computations{}"};
    case Opcode::kConditional: {
      auto selector = op.operand_ids().empty() ? scope.instructions.end()
                                               : scope.instructions.find(op.operand_ids(0));
      const bool by_pred =
          selector != scope.instructions.end() && selector->second->shape().element_type() == 1;
      if (by_pred) return {"true_computation", "false_computation"};
      return {"branch_computations{}"};
    }
    default:
      return {};
  }
}

// An async-update or async-done may repeat the called computations of its async-start, unchanged.
llvm::Error CheckLaterHalf(const Instruction& op, const Scope& scope) {
  auto first = op.operand_ids().empty() ? scope.instructions.end()
                                        : scope.instructions.find(op.operand_ids(0));
  while (first != scope.instructions.end() && first->second->opcode() == "async-update" &&
         !first->second->operand_ids().empty()) {
    first = scope.instructions.find(first->second->operand_ids(0));
  }
  if (first != scope.instructions.end() &&
      llvm::equal(first->second->called_computation_ids(), op.called_computation_ids())) {
    return llvm::Error::success();
  }
  return MakeError("expected called_computation_ids to be those of the async-start");
}

llvm::Error WriteCalls(const Instruction& op, Opcode opcode, const Scope& scope,
                       llvm::raw_ostream& os) {
  const auto& ids = op.called_computation_ids();
  if (!ids.empty() && (opcode == Opcode::kAsyncDone || opcode == Opcode::kAsyncUpdate))
    return CheckLaterHalf(op, scope);
  const std::vector<llvm::StringRef> keys = KeysOfCalls(op, opcode, scope);
  const bool list = keys.size() == 1 && keys[0].ends_with("{}");
  if (!list && ids.size() != static_cast<int>(keys.size()))
    return MakeError("expected " + llvm::Twine(keys.size()) + " called_computation_ids, found " +
                     llvm::Twine(ids.size()));
  if (ids.empty()) return llvm::Error::success();
  llvm::ListSeparator separator;
  if (list) os << ", " << keys[0].drop_back(2) << "={";
  // Text names the condition of a loop before its body.
  const bool backward = opcode == Opcode::kWhile;
  for (int k = 0; k < ids.size(); ++k) {
    const int i = backward ? ids.size() - 1 - k : k;
    auto callee = scope.computations->find(ids[i]);
    if (callee == scope.computations->end())
      return MakeError("expected called_computation_ids of the module, found " +
                       llvm::Twine(ids[i]));
    if (list) {
      os << separator;
    } else {
      os << ", " << keys[i] << "=";
    }
    os << "%" << callee->second->name();
  }
  if (list) os << "}";
  return llvm::Error::success();
}

llvm::Error WriteOperands(const Instruction& op, Opcode opcode, const Scope& scope,
                          llvm::raw_ostream& os) {
  const bool is_leaf = opcode == Opcode::kParameter || opcode == Opcode::kConstant;
  if (is_leaf && !op.operand_ids().empty())
    return MakeError("expected no operands of a " + hlo::Name(opcode));
  if (opcode == Opcode::kParameter) {
    os << op.parameter_number();
  } else if (opcode == Opcode::kConstant) {
    if (!op.has_literal()) return MakeError("expected a constant with a literal");
    os << "{...}";
  }
  llvm::ListSeparator separator;
  for (const int64_t id : op.operand_ids()) {
    auto operand = Find(scope, id, "an operand");
    if (!operand) return operand.takeError();
    os << separator << "%" << (*operand)->name();
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Error WriteInstruction(const Instruction& op, const Scope& scope, llvm::raw_ostream& os) {
  auto name = Word(op.opcode(), "an opcode");
  if (!name) return name.takeError();
  const Opcode opcode = hlo::OpcodeFromName(*name);
  // "slice-start" is a short form of HLO text, not an opcode of a proto.
  if (opcode == Opcode::kUnknown && hlo::AsyncFormOf(*name).opcode != Opcode::kUnknown)
    return MakeError("expected an opcode, found '" + *name + "'");
  if (!op.has_shape()) return MakeError("expected a shape");
  auto shape = ShapeText(op.shape());
  if (!shape) return shape.takeError();
  os << *shape << " " << *name << "(";
  if (llvm::Error error = WriteOperands(op, opcode, scope, os)) return error;
  os << ")";
  if (llvm::Error error = WriteCalls(op, opcode, scope, os)) return error;
  if (op.control_predecessor_ids_size() > 0) {
    os << ", control-predecessors={";
    llvm::ListSeparator separator;
    for (const int64_t id : op.control_predecessor_ids()) {
      auto predecessor = Find(scope, id, "a control predecessor");
      if (!predecessor) return predecessor.takeError();
      os << separator << "%" << (*predecessor)->name();
    }
    os << "}";
  }
  return WriteAttributes(op, scope, os);
}

}  // namespace affirm::hlo_proto
