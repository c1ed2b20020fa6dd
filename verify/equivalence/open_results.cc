#include "verify/equivalence/open_results.h"

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/undefined.h"
#include "verify/hlo/values/values.h"
#include "verify/reference/ops.h"

namespace affirm::equivalence {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// Whether each element is one of an argument's or a constant's, to the bit.
bool IsGiven(const Instruction& value) {
  switch (value.opcode) {
    case Opcode::kConstant:
    case Opcode::kParameter:
      return true;
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      return !hlo::SeesBitsOfNaN(value) || IsGiven(*value.operands[0]);
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kGetTupleElement:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return llvm::all_of(value.operands,
                          [](const Instruction* operand) { return IsGiven(*operand); });
    case Opcode::kSelect:
      return IsGiven(*value.operands[1]) && IsGiven(*value.operands[2]);
    default:
      return false;
  }
}

constexpr llvm::StringLiteral kSeesNaN =
    " sees the sign and the payload of a NaN that may be computed";

bool SeesComputedNaN(const Instruction& op) {
  return hlo::SeesBitsOfNaN(op) &&
         !llvm::all_of(op.operands, [](const Instruction* operand) { return IsGiven(*operand); });
}

}  // namespace

// A reduction of the computation, or of one that an operation of it calls, which may start from no
// identity; null where there is none.
static const Instruction* FirstOpenReduction(const hlo::Computation& computation) {
  terms::Pool pool;
  terms::Scope scope(pool);
  hlo_values::ComputationValues values(scope, computation);
  for (const auto& op : computation.instructions) {
    for (const hlo::Computation* called : op->called) {
      if (const Instruction* open = FirstOpenReduction(*called)) return open;
    }
    if (values.StartsFromIdentity(*op) != true) return op.get();
  }
  return nullptr;
}

std::string WhyReductionIsOpen(const hlo::Computation& computation) {
  // The operands of a fusion or a call stand at its caller.
  const auto flat = Flattened(computation);
  const Instruction* open = FirstOpenReduction(*flat);
  if (open == nullptr) return "";
  return open->opcode_text + " " + open->name +
         " may start from what is no identity of what it combines by";
}

std::vector<std::string> WhyBitsAreOpen(const hlo::Computation& computation) {
  std::vector<std::string> reasons;
  const auto flat = Flattened(computation);
  for (const Instruction* op : OriginsOfResults(*flat, SeesComputedNaN))
    reasons.push_back(op == nullptr ? "" : op->opcode_text + " " + op->name + kSeesNaN.str());
  return reasons;
}

std::vector<std::string> WhyOpenInOne(const hlo::Computation& a, const hlo::Computation& b) {
  std::vector<std::string> reasons;
  const auto flat_a = Flattened(a), flat_b = Flattened(b);
  const auto of_a = OriginsOfResults(*flat_a, SeesComputedNaN);
  const auto of_b = OriginsOfResults(*flat_b, SeesComputedNaN);
  for (auto [leaf, in_a, in_b] : llvm::zip(hlo::LeafShapes(a.root->shape), of_a, of_b)) {
    std::string& reason = reasons.emplace_back();
    const bool has_elements = leaf->IsArray() && leaf->NumElements() > 0;
    if ((in_a == nullptr) == (in_b == nullptr) || !has_elements) continue;
    const Instruction* op = in_a == nullptr ? in_b : in_a;
    reason = op->opcode_text + " " + op->name +
             (in_a == nullptr ? " of B, and not of A," : " of A, and not of B,") + kSeesNaN.str();
  }
  return reasons;
}

}  // namespace affirm::equivalence
