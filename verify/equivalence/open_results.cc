#include "verify/equivalence/open_results.h"

#include <cmath>
#include <optional>

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/same_parts.h"
#include "verify/equivalence/undefined.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar.h"

namespace affirm::equivalence {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// The value behind moves and conversions.
const Instruction& Unmoved(const Instruction& value) {
  const Instruction* op = &value;
  while (op->operands.size() == 1 &&
         (op->opcode == Opcode::kBroadcast || op->opcode == Opcode::kConvert ||
          op->opcode == Opcode::kCopy || op->opcode == Opcode::kReshape ||
          (op->opcode == Opcode::kBitcast && op->shape.type == op->operands[0]->shape.type)))
    op = op->operands[0];
  return *op;
}

// The operation by which a reduction combines each element of array k with what it has of that
// array alone, perhaps in a wider type; nullopt where there is more to it.
std::optional<Opcode> CombinerOf(const Instruction& reduce, size_t k) {
  const size_t arity = reduce.operands.size() / 2;
  if (reduce.called.size() != 1 || reduce.called[0]->parameters.size() != 2 * arity)
    return std::nullopt;
  const Instruction* result = reduce.called[0]->root;
  if (result->opcode == Opcode::kTuple) result = result->operands[k];
  const Instruction& root = Unmoved(*result);
  if (root.operands.size() != 2) return std::nullopt;
  const Instruction &x = Unmoved(*root.operands[0]), &y = Unmoved(*root.operands[1]);
  const Instruction *running = reduce.called[0]->parameters[k],
                    *element = reduce.called[0]->parameters[arity + k];
  const bool combines = (&x == running && &y == element) || (&x == element && &y == running);
  return combines ? std::optional(root.opcode) : std::nullopt;
}

// Whether the number is an identity of the operation; nullopt where that is not known.
std::optional<bool> IsIdentity(Opcode opcode, hlo::PrimitiveType type, const hlo::Scalar& number) {
  if (hlo::IsComplex(type)) return std::nullopt;
  const bool is_float = hlo::IsFloat(type);
  const auto of = hlo::IntType::Of(is_float ? hlo::PrimitiveType::kS64 : type);
  auto is = [&](int64_t i) {
    return is_float ? number.re == static_cast<double>(i) : number.i == of.Wrap(i);
  };
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kOr:
    case Opcode::kXor:
      return is(0);
    case Opcode::kMultiply:
      return is(1);
    case Opcode::kAnd:
      return is(-1);
    // The largest finite float may stand for infinity.
    case Opcode::kMaximum:
      if (is_float) return number.re > -1e4 ? std::optional(false) : std::nullopt;
      return number.i == of.Min();
    case Opcode::kMinimum:
      if (is_float) return number.re < 1e4 ? std::optional(false) : std::nullopt;
      return number.i == of.Max();
    default:
      return std::nullopt;
  }
}

const Instruction& InitialOf(const Instruction& reduce, size_t k) {
  return Unmoved(*reduce.operands[reduce.operands.size() / 2 + k]);
}

// Whether a reduction of array k starts from an identity; nullopt where that is not known.
std::optional<bool> StartsFromIdentity(const Instruction& reduce, size_t k) {
  const auto combiner = CombinerOf(reduce, k);
  const Instruction& initial = InitialOf(reduce, k);
  if (!combiner || initial.opcode != Opcode::kConstant || !initial.literal ||
      initial.literal->NumElements() != 1)
    return std::nullopt;
  const hlo::PrimitiveType from = initial.shape.type, type = hlo::LeafShapes(reduce.shape)[k]->type;
  if (from != type && !hlo::CanConvert(from, type)) return std::nullopt;
  const hlo::Scalar number = hlo::Load(*initial.literal, 0);
  return IsIdentity(*combiner, type, from == type ? number : hlo::Convert(number, from, type));
}

// Whether it holds of one of the arrays that an operation reduces. A reduction of no elements is
// its initial value.
bool AnyReduced(const Instruction& op, llvm::function_ref<bool(size_t)> holds) {
  const bool is_reduction = op.opcode == Opcode::kReduce || op.opcode == Opcode::kReduceWindow;
  return is_reduction && op.operands[0]->shape.NumElements() > 0 &&
         llvm::any_of(llvm::seq<size_t>(0, op.operands.size() / 2), holds);
}

bool StartsFromOther(const Instruction& op) {
  return AnyReduced(op, [&](size_t k) { return StartsFromIdentity(op, k) == false; });
}

// From a parameter of the entry, or what is computed of one.
bool MayStartFromOther(const Instruction& op, const hlo::Computation& entry) {
  return AnyReduced(op, [&](size_t k) {
    if (!CombinerOf(op, k)) return false;
    const Instruction& initial = InitialOf(op, k);
    const bool is_in_entry =
        llvm::any_of(entry.instructions, [&](const auto& each) { return each.get() == &initial; });
    return StartsFromIdentity(op, k) == false ||
           (is_in_entry && initial.opcode != Opcode::kConstant);
  });
}

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

bool SeesComputedNaN(const Instruction& op) {
  return hlo::SeesBitsOfNaN(op) &&
         !llvm::all_of(op.operands, [](const Instruction* operand) { return IsGiven(*operand); });
}

}  // namespace

// The first reduction of a computation that the entry calls which may start from no identity.
static const Instruction* FirstOpenReduction(const hlo::Computation& computation,
                                             const hlo::Computation& entry) {
  const auto open = llvm::find_if(computation.instructions,
                                  [&](const auto& op) { return MayStartFromOther(*op, entry); });
  return open == computation.instructions.end() ? nullptr : open->get();
}

// A reduction of B that may start from no identity and is none of A's by its value, in the entry or
// in what an instruction of the entry calls. One open element of A excuses that element alone, so
// that each open reduction of B has to be one of A; null where each is.
static const Instruction* FindNewOpenReduction(const hlo::Computation& a, const hlo::Computation& b,
                                               SameValueFunction have_same_value) {
  std::optional<llvm::DenseMap<const Instruction*, int64_t>> numbers;
  for (const auto& op : b.instructions) {
    const Instruction* found = MayStartFromOther(*op, b) ? op.get() : nullptr;
    for (const hlo::Computation* called : op->called) {
      if (found == nullptr) found = FirstOpenReduction(*called, b);
    }
    if (found == nullptr) continue;
    if (!numbers) numbers = NumberSameParts(a, b);
    const bool in_a = llvm::any_of(a.instructions, [&](const auto& other) {
      if (numbers->lookup(other.get()) == numbers->lookup(op.get())) return true;
      if (other->opcode != op->opcode || !other->shape.SameIgnoringLayout(op->shape)) return false;
      if (found == op.get() && !MayStartFromOther(*other, a)) return false;
      return have_same_value(*UpTo(a, *other), *UpTo(b, *op));
    });
    if (!in_a) return found;
  }
  return nullptr;
}

static std::vector<std::string> WhyOpen(const hlo::Computation& a, const hlo::Computation& b,
                                        SameValueFunction have_same_value) {
  std::vector<std::string> reasons(hlo::NumLeaves(a.root->shape));
  auto compare = [&](const std::vector<const Instruction*>& of_a,
                     const std::vector<const Instruction*>& of_b, const std::string& why) {
    for (size_t leaf = 0; leaf < reasons.size() && leaf < of_b.size(); ++leaf) {
      if ((of_a[leaf] == nullptr) == (of_b[leaf] == nullptr) || !reasons[leaf].empty()) continue;
      const Instruction* op = of_a[leaf] == nullptr ? of_b[leaf] : of_a[leaf];
      reasons[leaf] = op->opcode_text + " " + op->name +
                      (of_a[leaf] == nullptr ? " of B, and not of A, " : " of A, and not of B, ") +
                      why;
    }
  };
  auto origins = [](const hlo::Computation& of, bool (*is_origin)(const Instruction&)) {
    return OriginsOfResults(of, is_origin);
  };
  const std::string no_identity =
      "starts from what is no identity of what it combines by, which HLO requires";
  const auto others_of_a = origins(a, StartsFromOther), others_of_b = origins(b, StartsFromOther);
  compare(others_of_a, others_of_b, no_identity);
  compare(origins(a, SeesComputedNaN), origins(b, SeesComputedNaN),
          "sees the sign and the payload of a NaN that may be computed");
  // A reduction of A that may be open excuses the same one of B.
  auto may = [](const hlo::Computation& of) {
    return OriginsOfResults(of, [&](const Instruction& op) { return MayStartFromOther(op, of); });
  };
  const auto of_a = may(a), of_b = may(b);
  const Instruction* new_in_b = FindNewOpenReduction(a, b, have_same_value);
  for (size_t leaf = 0; leaf < reasons.size() && leaf < of_b.size(); ++leaf) {
    if (of_b[leaf] == nullptr || !reasons[leaf].empty()) continue;
    const Instruction* op = of_a[leaf] == nullptr ? of_b[leaf] : new_in_b;
    if (op == nullptr) continue;
    reasons[leaf] = op->opcode_text + " " + op->name +
                    " of B, and not of A, may start from what is no identity of what it combines "
                    "by, which HLO requires";
  }
  return reasons;
}

std::string WhyReductionIsOpen(const hlo::Computation& computation) {
  const auto flat = Flattened(computation);
  const Instruction* open = nullptr;
  for (const auto& op : flat->instructions) {
    if (open == nullptr && MayStartFromOther(*op, *flat)) open = op.get();
    for (const hlo::Computation* called : op->called) {
      if (open == nullptr) open = FirstOpenReduction(*called, *flat);
    }
  }
  if (open == nullptr) return "";
  return open->opcode_text + " " + open->name +
         " may start from what is no identity of what it combines by";
}

std::vector<std::string> WhyOpenInOne(const hlo::Computation& a, const hlo::Computation& b,
                                      SameValueFunction have_same_value) {
  // The operands of a fusion or a call stand at its caller.
  const auto of_a = Flattened(a), of_b = Flattened(b);
  std::vector<std::string> reasons = WhyOpen(*of_a, *of_b, have_same_value);
  for (auto [leaf, reason] : llvm::zip(hlo::LeafShapes(a.root->shape), reasons)) {
    const bool has_elements = leaf->IsArray() && leaf->NumElements() > 0;
    if (!has_elements) reason.clear();
  }
  return reasons;
}

}  // namespace affirm::equivalence
