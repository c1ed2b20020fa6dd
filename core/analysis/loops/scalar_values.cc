// The arithmetic of integers in loops, with a check that nothing wraps.
#include "core/analysis/loops/scalar_values.h"

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

constexpr int kMaxDepth = 2000;  // of operations on each other

bool IsIntegerOrPredicate(hlo::PrimitiveType type) {
  return hlo::IsInt(type) || type == hlo::PrimitiveType::kPred;
}

// Ops that move the one element of an array.
bool MovesOneElement(const hlo::Instruction& op) {
  switch (op.opcode) {
    case hlo::Opcode::kBitcast:
    case hlo::Opcode::kBroadcast:
    case hlo::Opcode::kCopy:
    case hlo::Opcode::kReshape:
    case hlo::Opcode::kReverse:
    case hlo::Opcode::kTranspose:
      return op.operands.size() == 1 && op.operands[0]->shape.IsArray() &&
             op.operands[0]->shape.type == op.shape.type &&
             op.operands[0]->shape.NumElements() == 1;
    default:
      return false;
  }
}

// Whether the relation holds of all values of a difference, or of none.
std::optional<bool> Decide(const std::string& direction, Interval difference) {
  auto within = [&](int64_t lower, int64_t upper) { return difference.Within({lower, upper}); };
  const bool less = within(kInt64Min, -1), greater = within(1, kInt64Max);
  const bool equal = difference == Interval::Point(0);
  auto known = [](bool yes, bool no) -> std::optional<bool> {
    if (yes == no) return std::nullopt;
    return yes;
  };
  if (direction == "LT") return known(less, within(0, kInt64Max));
  if (direction == "LE") return known(within(kInt64Min, 0), greater);
  if (direction == "GT") return known(greater, within(kInt64Min, 0));
  if (direction == "GE") return known(within(0, kInt64Max), less);
  if (direction == "EQ") return known(equal, less || greater);
  if (direction == "NE") return known(less || greater, equal);
  return std::nullopt;
}

}  // namespace

Interval ValuesOf(hlo::PrimitiveType type) {
  if (type == hlo::PrimitiveType::kPred) return {0, 1};
  const int bits = hlo::BitWidth(type) - (hlo::IsSignedInt(type) ? 1 : 0);
  // The limits of int64 would stand for infinity.
  if (bits >= 63) return {hlo::IsSignedInt(type) ? kInt64Min + 1 : 0, kInt64Max - 1};
  const int64_t last = (int64_t{1} << bits) - 1;
  return {hlo::IsSignedInt(type) ? -last - 1 : 0, last};
}

ScalarValues::ScalarValues(const CallSites& sites, Carried carried, Interval trips,
                           Context& context)
    : sites_(sites), carried_(std::move(carried)), context_(context) {
  std::vector<Variable> trip = {{trips, "", std::nullopt}};
  range_.Reset(trip, {}, {}, {});
}

InstructionLeaf ScalarValues::Origin(InstructionLeaf at) const {
  for (int step = 0; at && step < kMaxDepth; ++step) {
    const hlo::Instruction& op = *at.op;
    if (InstructionLeaf next = HandedThrough(op, at.leaf)) {
      at = next;
    } else if (MovesOneElement(op)) {
      at = {op.operands[0], 0};
    } else if ((op.opcode == hlo::Opcode::kCall || op.opcode == hlo::Opcode::kFusion) &&
               op.called.size() == 1 && op.called[0] && op.called[0]->root) {
      at.op = op.called[0]->root;
    } else if (op.opcode == hlo::Opcode::kWhile) {
      const LoopParts parts = PartsOf(op);
      if (!parts || !IsPassedThrough(*parts.body, at.leaf)) return at;
      at.op = op.operands[0];
    } else if (op.opcode == hlo::Opcode::kParameter && op.parent != &sites_.top()) {
      const std::vector<InstructionLeaf> arguments = sites_.Arguments(op, at.leaf);
      if (arguments.size() != 1) return at;
      at = arguments[0];
    } else {
      return at;
    }
  }
  return {};
}

SymbolicExpr ScalarValues::ModularValueOf(InstructionLeaf at) {
  modular_ = true;
  SymbolicExpr value = ValueOf(at);
  modular_ = false;
  return value;
}

SymbolicExpr ScalarValues::ValueOf(InstructionLeaf start) {
  if (depth_ >= kMaxDepth) return {};
  const InstructionLeaf at = Origin(start);
  if (!at) return {};
  auto& known = modular_ ? modular_known_ : known_;
  const auto key = std::make_pair(at.op, at.leaf);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  ++depth_;
  SymbolicExpr value = Compute(at);
  --depth_;
  known[key] = value;
  return value;
}

SymbolicExpr ScalarValues::Compute(InstructionLeaf at) {
  const hlo::Instruction& op = *at.op;
  const hlo::Shape* shape = hlo::LeafShape(op.shape, at.leaf);
  if (!shape || !shape->IsArray() || !IsIntegerOrPredicate(shape->type) ||
      shape->NumElements() != 1) {
    return {};
  }
  if (op.opcode == hlo::Opcode::kParameter) {
    if (op.parent == &sites_.top()) {
      if (op.parameter_number != 0) return {};
      if (modular_) return context_.Dim(at.leaf);
      const auto found = carried_.find(at.leaf);
      return found == carried_.end() ? SymbolicExpr() : Fits(found->second, shape->type);
    }
    SymbolicExpr same;
    for (const InstructionLeaf& argument : sites_.Arguments(op, at.leaf)) {
      const SymbolicExpr value = ValueOf(argument);
      if (!value || (same && same != value)) return {};
      same = value;
    }
    return same;
  }
  if (op.opcode == hlo::Opcode::kConstant) {
    if (!op.literal || op.literal->shape().dims != op.shape.dims) return {};
    return Fits(context_.Constant(op.literal->GetInt(0)), shape->type);
  }
  // Each of the ops below has arrays as operands and one array as its result.
  auto is_small = [](const hlo::Instruction* operand) {
    return operand && operand->shape.IsArray() && operand->shape.NumElements() == 1 &&
           IsIntegerOrPredicate(operand->shape.type);
  };
  if (!op.shape.IsArray() || op.operands.empty() || !llvm::all_of(op.operands, is_small)) return {};
  SymbolicExpr value = Apply(op);
  return value && !modular_ ? Fits(value, shape->type) : value;
}

SymbolicExpr ScalarValues::Fits(SymbolicExpr value, hlo::PrimitiveType type) {
  if (modular_) return value;
  return range_.Of(value).Within(ValuesOf(type)) ? value : SymbolicExpr();
}

SymbolicExpr ScalarValues::Apply(const hlo::Instruction& op) {
  const bool is_predicate = op.shape.type == hlo::PrimitiveType::kPred;
  if (op.opcode == hlo::Opcode::kCompare && !modular_) return ApplyCompare(op);
  if (op.opcode == hlo::Opcode::kSelect && !modular_) return ApplySelect(op);
  if (is_predicate) return modular_ ? SymbolicExpr() : ApplyLogic(op);
  // Sums and products are the same in every residue class, and everything else is not.
  const SymbolicExpr a = Operand(op, 0), b = op.operands.size() > 1 ? Operand(op, 1) : a;
  if (!a || !b) return {};
  switch (op.opcode) {
    case hlo::Opcode::kAdd:
      return a + b;
    case hlo::Opcode::kSubtract:
      return a - b;
    case hlo::Opcode::kNegate:
      return -a;
    case hlo::Opcode::kMultiply:
      return a * b;
    case hlo::Opcode::kConvert:
      // To fewer bits; to more only what is known to be the integer itself.
      if (modular_ && hlo::BitWidth(op.shape.type) > hlo::BitWidth(op.operands[0]->shape.type)) {
        return {};
      }
      return a;
    case hlo::Opcode::kMaximum:
      return modular_ ? SymbolicExpr() : a.Max(b);
    case hlo::Opcode::kMinimum:
      return modular_ ? SymbolicExpr() : a.Min(b);
    case hlo::Opcode::kClamp: {
      const SymbolicExpr high = op.operands.size() == 3 ? Operand(op, 2) : SymbolicExpr();
      return modular_ || !high ? SymbolicExpr() : b.Max(a).Min(high);
    }
    case hlo::Opcode::kDivide:
    case hlo::Opcode::kRemainder:
      return modular_ ? SymbolicExpr() : ApplyQuotient(op);
    default:
      return {};
  }
}

SymbolicExpr ScalarValues::ApplyCompare(const hlo::Instruction& op) {
  const SymbolicExpr a = Operand(op, 0), b = Operand(op, 1);
  if (!a || !b) return {};
  const std::string& direction = op.attributes.comparison_direction;
  const SymbolicExpr difference = a - b;
  const std::optional<bool> holds = Decide(direction, range_.Of(difference));
  if (holds) return context_.Constant(*holds ? 1 : 0);
  // In some trips it does: 1 where an integer is positive, and 0 elsewhere.
  auto is_positive = [](SymbolicExpr e) { return e.Max(0).Min(1); };
  if (direction == "LT") return is_positive(-difference);
  if (direction == "LE") return is_positive(-difference + 1);
  if (direction == "GT") return is_positive(difference);
  if (direction == "GE") return is_positive(difference + 1);
  const SymbolicExpr differs = difference.Max(-difference).Min(1);
  if (direction == "NE") return differs;
  return direction == "EQ" ? -differs + 1 : SymbolicExpr();
}

SymbolicExpr ScalarValues::ApplyLogic(const hlo::Instruction& op) {
  const SymbolicExpr a = Operand(op, 0), b = op.operands.size() > 1 ? Operand(op, 1) : a;
  if (!a || !b) return {};
  if (op.opcode == hlo::Opcode::kAnd) return a.Min(b);
  if (op.opcode == hlo::Opcode::kOr) return a.Max(b);
  return op.opcode == hlo::Opcode::kNot ? -a + 1 : SymbolicExpr();
}

SymbolicExpr ScalarValues::ApplySelect(const hlo::Instruction& op) {
  if (op.operands.size() != 3) return {};
  const SymbolicExpr choice = Operand(op, 0);
  if (!choice) return {};
  if (choice.IsConstant()) return Operand(op, choice.value() != 0 ? 1 : 2);
  const SymbolicExpr yes = Operand(op, 1), no = Operand(op, 2);
  if (!yes || !no || !(yes - no).IsConstant()) return {};
  return choice * (yes - no).value() + no;
}

// Only for numbers that are not negative, where rounding toward zero is rounding down.
SymbolicExpr ScalarValues::ApplyQuotient(const hlo::Instruction& op) {
  const SymbolicExpr a = Operand(op, 0), b = Operand(op, 1);
  if (!a || !b || !b.IsConstant() || b.value() <= 0) return {};
  if (!range_.Of(a).Within({0, kInt64Max})) return {};
  return op.opcode == hlo::Opcode::kDivide ? a.FloorDiv(b.value()) : a.Mod(b.value());
}

}  // namespace affirm::analysis
