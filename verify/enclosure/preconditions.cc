#include "verify/enclosure/preconditions.h"

#include "core/hlo/trip_claim.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// The operand whose elements the comparator compares, by < or > alone; nullopt for others.
std::optional<size_t> ComparedOperand(const Instruction& sort) {
  if (sort.called.size() != 1) return std::nullopt;
  const Instruction& root = *sort.called[0]->root;
  if (root.opcode != Opcode::kCompare) return std::nullopt;
  const Instruction &x = *root.operands[0], &y = *root.operands[1];
  if (x.opcode != Opcode::kParameter || y.opcode != Opcode::kParameter) return std::nullopt;
  const int64_t operand = x.parameter_number / 2;
  const bool compares_both =
      operand == y.parameter_number / 2 && x.parameter_number != y.parameter_number;
  if (!compares_both || (root.attributes.comparison_direction != "LT" &&
                         root.attributes.comparison_direction != "GT"))
    return std::nullopt;
  return static_cast<size_t>(operand);
}

bool MayHaveNaN(const EnclosedValue& array) {
  for (int64_t i = 0; i < CountOf(array.value); ++i) {
    if (array.At(0, i).real.nan) return true;
  }
  return false;
}

bool IsTotalOrder(const Instruction& sort) {
  return sort.called[0]->root->attributes.comparison_type == "TOTALORDER";
}

// Whether roundings may make of the keys what the comparator does not order.
bool MayHaveNoOrder(const Instruction& sort, EnclosedOperands operands) {
  if (AreExact(operands)) return false;
  // Other comparators may order some keys, and not others.
  if (!ComparedOperand(sort)) return true;
  return MaySortNaNs(sort, operands);
}

bool HasPrecondition(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kGather:
    case Opcode::kScatter:
      return op.attributes.indices_are_sorted || op.attributes.unique_indices;
    case Opcode::kSort:
      return true;
    case Opcode::kWhile:
      return true;  // to end, after as many trips as it claims
    default:
      return llvm::any_of(op.called, [](const hlo::Computation* called) {
        return llvm::any_of(called->instructions,
                            [](const auto& inner) { return HasPrecondition(*inner); });
      });
  }
}

}  // namespace

bool MaySortNaNs(const Instruction& sort, EnclosedOperands operands) {
  const std::optional<size_t> operand = ComparedOperand(sort);
  if (!operand || IsTotalOrder(sort)) return false;
  const EnclosedValue& keys = *operands[*operand];
  return hlo::IsFloat(keys.value.shape().type) && MayHaveNaN(keys);
}

bool MayBreak(const Instruction& op, EnclosedOperands operands, bool may_not_run,
              bool follows_calls) {
  switch (op.opcode) {
    case Opcode::kGather:
    case Opcode::kScatter: {
      const size_t indices = op.opcode == Opcode::kGather ? 1 : operands.size() / 2;
      return HasPrecondition(op) && (may_not_run || !IsExact(*operands[indices]));
    }
    case Opcode::kSort:
      return MayHaveNoOrder(op, operands);
    case Opcode::kWhile:
      return may_not_run && hlo::TripClaim(op) != "";
    default:
      if (follows_calls || op.called.empty()) return false;
      return HasPrecondition(op) && (may_not_run || !AreExact(operands));
  }
}

}  // namespace affirm::enclosure
