// Random modules in real arithmetic of 200 bits, in which each result is rounded to its type or not
// and sums are taken in a random order: every element is inside its enclosure.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/generators/hlo_generator.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "tests/enclosure/reals.h"
#include "verify/enclosure/enclose.h"
#include "verify/enclosure/folds.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"

namespace affirm::enclosure {
namespace {

using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;

using Leaf = std::vector<Real>;  // predicates are 0 and 1
using Leaves = std::vector<Leaf>;

void AddLeaves(const Literal& value, Leaves& leaves) {
  if (value.shape().IsTuple()) {
    for (const Literal& element : value.tuple()) AddLeaves(element, leaves);
    return;
  }
  Leaf& leaf = leaves.emplace_back();
  const bool is_float = hlo::IsFloat(value.shape().type);
  for (int64_t i = 0; i < value.NumElements(); ++i) {
    const hlo::Scalar element = hlo::Load(value, i);
    leaf.emplace_back(is_float ? element.re : static_cast<double>(element.i));
  }
}

// One of the values that a module may have. Nothing where a number comes near the end of its type,
// beyond which it may be an infinity or not, and of operations without a meaning here.
class RealInterpreter {
 public:
  explicit RealInterpreter(uint64_t seed) : random_(seed) {}

  std::optional<Leaves> Run(const hlo::Computation& computation, const Leaves& arguments) {
    llvm::DenseMap<const Instruction*, Leaves> values;
    for (const auto& op : computation.instructions) {
      if (op->opcode == Opcode::kParameter) {
        values[op.get()] = {arguments[op->parameter_number]};
        continue;
      }
      std::vector<const Leaves*> operands;
      for (const Instruction* operand : op->operands) operands.push_back(&values[operand]);
      auto value = Evaluate(*op, operands);
      if (!value) return std::nullopt;
      values[op.get()] = std::move(*value);
    }
    return values[computation.root];
  }

 private:
  using Operands = llvm::ArrayRef<const Leaves*>;

  std::optional<Leaves> Evaluate(const Instruction& op, Operands operands) {
    switch (op.opcode) {
      case Opcode::kConstant: {
        Leaves leaves;
        AddLeaves(*op.literal, leaves);
        return leaves;
      }
      case Opcode::kFusion:
      case Opcode::kCall: {
        Leaves arguments;
        for (const Leaves* operand : operands) llvm::append_range(arguments, *operand);
        return Run(*op.called[0], arguments);
      }
      case Opcode::kTuple: {
        Leaves leaves;
        for (const Leaves* operand : operands) llvm::append_range(leaves, *operand);
        return leaves;
      }
      case Opcode::kGetTupleElement: {
        const int64_t first =
            hlo::FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
        return Leaves{(*operands[0])[first]};
      }
      default:
        break;
    }
    if (!op.shape.IsArray()) return std::nullopt;
    auto leaf = hlo::IsElementwise(op.opcode) ? OfElements(op, operands) : OfReads(op, operands);
    if (!leaf) return std::nullopt;
    return Leaves{std::move(*leaf)};
  }

  std::optional<Leaf> OfElements(const Instruction& op, Operands operands) {
    Leaf leaf;
    for (int64_t i = 0; i < op.shape.NumElements(); ++i) {
      std::vector<Real> elements;
      for (const Leaves* operand : operands) {
        const Leaf& of = (*operand)[0];
        elements.push_back(of.size() == 1 ? of[0] : of[i]);
      }
      auto value = Element(op, elements);
      if (!value) return std::nullopt;
      leaf.push_back(*value);
    }
    return leaf;
  }

  std::optional<Real> Element(const Instruction& op, llvm::ArrayRef<Real> operands) {
    switch (op.opcode) {
      case Opcode::kSelect:
        return operands[mpfr_zero_p(operands[0].get()) != 0 ? 2 : 1];
      case Opcode::kCompare:
        return Compared(op.attributes.comparison_direction, operands[0], operands[1]);
      case Opcode::kConvert:
        if (op.shape.type == PrimitiveType::kPred) return std::nullopt;
        // Only narrow types are kept in a wider one.
        if (op.shape.type == PrimitiveType::kF32)
          return Real(hlo::RoundTo(op.shape.type, operands[0].ToDouble()));
        return RoundedOrNot(op.shape.type, operands[0]);
      case Opcode::kCopy:
        return operands[0];
      default:
        break;
    }
    if (!hlo::IsFloat(op.shape.type)) return std::nullopt;
    auto value = Apply(op.opcode, operands);
    if (!value) return std::nullopt;
    return RoundedOrNot(op.shape.type, *value);
  }

  static Real Compared(const std::string& direction, const Real& a, const Real& b) {
    const bool is_ordered = !a.IsNaN() && !b.IsNaN();
    const int order = is_ordered ? mpfr_cmp(a.get(), b.get()) : 0;
    bool holds = false;
    if (direction == "EQ" || direction == "LE" || direction == "GE") holds = order == 0;
    if (direction == "LT" || direction == "LE" || direction == "NE") holds = holds || order < 0;
    if (direction == "GT" || direction == "GE" || direction == "NE") holds = holds || order > 0;
    return Real(is_ordered ? holds : direction == "NE");
  }

  // Nothing near the end of the type's numbers.
  std::optional<Real> RoundedOrNot(PrimitiveType type, const Real& value) {
    if (!std::isfinite(hlo::RoundTo(type, 2 * value.ToDouble()))) return std::nullopt;
    if (random_() % 3 == 0) return value;
    return Real(hlo::RoundTo(type, value.ToDouble()));
  }

  // Operations of which the interpreter says what each element reads.
  std::optional<Leaf> OfReads(const Instruction& op, Operands operands) {
    struct Read {
      int64_t operand, from;
    };
    std::vector<std::vector<Read>> reads(op.shape.NumElements());
    const hlo::ReadObserver observer = [&](const Instruction&, int64_t, int64_t linear,
                                           int64_t operand, int64_t, int64_t from) {
      reads[linear].push_back({operand, from});
    };
    std::vector<Literal> zeros;
    for (const Instruction* operand : op.operands) zeros.emplace_back(operand->shape);
    std::vector<const Literal*> pointers;
    for (const Literal& zero : zeros) pointers.push_back(&zero);
    auto value = hlo::InterpretInstruction(op, pointers, &observer);
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    Leaf leaf;
    for (const std::vector<Read>& of : reads) {
      std::vector<Real> elements;
      for (const Read& read : of) elements.push_back((*operands[read.operand])[0][read.from]);
      auto element = OfRead(op, std::move(elements));
      if (!element) return std::nullopt;
      leaf.push_back(*element);
    }
    return leaf;
  }

  std::optional<Real> OfRead(const Instruction& op, std::vector<Real> elements) {
    const PrimitiveType type = op.shape.type;
    switch (op.opcode) {
      case Opcode::kReduce: {
        const FoldStep step = FoldStepOf(*op.called[0], 1, 0);
        if (step.operation == nullptr || step.type != type || !hlo::IsFloat(type))
          return std::nullopt;
        return Folded(step.operation->opcode, type, std::move(elements));
      }
      case Opcode::kDot: {
        if (!hlo::IsFloat(type)) return std::nullopt;
        const bool is_double = type == PrimitiveType::kF64 ||
                               llvm::any_of(op.operands, [](const Instruction* operand) {
                                 return operand->shape.type == PrimitiveType::kF64;
                               });
        const PrimitiveType sums = is_double ? PrimitiveType::kF64 : PrimitiveType::kF32;
        std::vector<Real> products;
        for (size_t k = 0; k + 1 < elements.size(); k += 2) {
          auto product =
              RoundedOrNot(sums, *Apply(Opcode::kMultiply, {elements[k], elements[k + 1]}));
          if (!product) return std::nullopt;
          products.push_back(*product);
        }
        if (products.empty()) return Real(0);
        auto sum = Folded(Opcode::kAdd, sums, std::move(products));
        if (!sum) return std::nullopt;
        return RoundedOrNot(type, *sum);
      }
      case Opcode::kBroadcast:
      case Opcode::kConcatenate:
      case Opcode::kPad:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kSlice:
      case Opcode::kTranspose:
        if (elements.size() != 1) return std::nullopt;
        return elements[0];
      default:
        return std::nullopt;
    }
  }

  // In a random binary tree over a random order.
  std::optional<Real> Folded(Opcode opcode, PrimitiveType type, std::vector<Real> elements) {
    std::shuffle(elements.begin(), elements.end(), random_);
    while (elements.size() > 1) {
      const size_t at = random_() % (elements.size() - 1);
      auto both = Apply(opcode, {elements[at], elements[at + 1]});
      auto value = both ? RoundedOrNot(type, *both) : std::nullopt;
      if (!value) return std::nullopt;
      elements[at] = *value;
      elements.erase(elements.begin() + static_cast<int64_t>(at) + 1);
    }
    return elements[0];
  }

  std::mt19937_64 random_;
};

std::string Outside(const Enclosures& enclosures, const hlo::Shape& shape, const Leaves& values) {
  for (auto [k, of] : llvm::enumerate(hlo::LeafShapes(shape))) {
    for (int64_t i = 0; i < std::ssize(values[k]); ++i) {
      const Enclosure element = enclosures.result.At(k, i);
      const Real& value = values[k][i];
      const bool is_in =
          hlo::IsFloat(of->type)
              ? value.IsIn(element.real)
              : Contains(of->type, element, {.i = static_cast<int64_t>(value.ToDouble())});
      if (!is_in)
        return "element " + std::to_string(i) + " of leaf " + std::to_string(k) + ", " +
               std::to_string(value.ToDouble()) + ", is not in " + ToString(of->type, element);
    }
  }
  return "";
}

RC_GTEST_PROP(Enclosures, HoldEveryRoundingOfRealArithmetic, ()) {
  fuzz::HloLimits limits;
  const PrimitiveType narrow =
      *rc::gen::element(PrimitiveType::kBF16, PrimitiveType::kF16, PrimitiveType::kF64,
                        PrimitiveType::kF8E5M2, PrimitiveType::kF8E4M3FN);
  limits.types = {PrimitiveType::kF32, narrow};
  limits.ops = {Opcode::kAdd,        Opcode::kSubtract,    Opcode::kMultiply,   Opcode::kDivide,
                Opcode::kMaximum,    Opcode::kMinimum,     Opcode::kNegate,     Opcode::kAbs,
                Opcode::kTanh,       Opcode::kLogistic,    Opcode::kSine,       Opcode::kCosine,
                Opcode::kSqrt,       Opcode::kRsqrt,       Opcode::kErf,        Opcode::kFloor,
                Opcode::kSelect,     Opcode::kCompare,     Opcode::kConvert,    Opcode::kReduce,
                Opcode::kDot,        Opcode::kExponential, Opcode::kTranspose,  Opcode::kBroadcast,
                Opcode::kSlice,      Opcode::kPad,         Opcode::kReshape,    Opcode::kAtan2,
                Opcode::kLogPlusOne, Opcode::kCbrt,        Opcode::kConcatenate};
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  const std::vector<uint8_t> bytes = fuzz::SeededBytes(seed, 300);
  fuzz::Choices choices(bytes);
  auto module = fuzz::GenerateModule(choices, limits);
  const std::vector<Literal> arguments =
      hlo::MakeArguments(*module->entry, seed, hlo::ArgumentKind::kSmall);
  Leaves reals;
  for (const Literal& argument : arguments) {
    RC_PRE(argument.shape().IsArray());
    AddLeaves(argument, reals);
  }
  auto value = RealInterpreter(seed).Run(*module->entry, reals);
  RC_PRE(value.has_value());
  auto enclosures = Enclose(*module->entry, arguments);
  if (!enclosures) {
    llvm::consumeError(enclosures.takeError());
    RC_DISCARD("no enclosures");
  }
  const std::string outside = Outside(*enclosures, module->entry->root->shape, *value);
  if (!outside.empty()) RC_LOG() << hlo::ToString(*module);
  RC_ASSERT(outside == "");
}

}  // namespace
}  // namespace affirm::enclosure
