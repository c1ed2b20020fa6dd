// Instances of the elementwise ops.
#include <utility>

#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {
namespace {

PrimitiveType TypeOf(const Instruction* instruction) { return instruction->shape.type; }

// Another array of the same sizes.
Instruction* Sibling(OpBuilder& b, const Instruction* array, PrimitiveType type) {
  return b.Operand(b.Array(type, array->shape.dims));
}
Instruction* Sibling(OpBuilder& b, const Instruction* array) {
  return Sibling(b, array, TypeOf(array));
}

template <TypeClass kTypes>
Instruction* Unary(OpBuilder& b, Opcode opcode) {
  return b.Add(opcode, {b.MainOperand(0, kTypes)});
}

template <TypeClass kTypes>
Instruction* Binary(OpBuilder& b, Opcode opcode) {
  Instruction* lhs = b.MainOperand(0, kTypes);
  // One array twice is a case of its own.
  Instruction* rhs = b.choices().OneIn(6) ? lhs : Sibling(b, lhs);
  if (b.Flip()) std::swap(lhs, rhs);
  return b.Add(opcode, {lhs, rhs});
}

Instruction* Convert(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  PrimitiveType type = b.AnyType(TypeClass::kAny);
  // Complex numbers do not become real ones.
  if (hlo::IsComplex(TypeOf(operand)) && !hlo::IsComplex(type)) type = TypeOf(operand);
  return b.Add(opcode, {operand}, {}, b.Array(type, operand->shape.dims));
}

Instruction* ReducePrecision(OpBuilder& b, Opcode opcode) {
  Attributes attributes;
  attributes.exponent_bits = b.Small(1, 11);
  attributes.mantissa_bits = b.choices().Pick<int64_t>({10, 7, 3, 23, 52, 0});
  Instruction* operand = b.MainOperand(0, TypeClass::kReal);
  // Without a mantissa a NaN becomes an infinity of its sign.
  if (attributes.mantissa_bits == 0) operand = b.WithDefinedBits(operand);
  return b.Add(opcode, {operand}, attributes);
}

Instruction* Compare(OpBuilder& b, Opcode opcode) {
  Instruction* lhs = b.MainOperand();
  Attributes attributes;
  // Complex numbers have no order.
  attributes.comparison_direction = hlo::IsComplex(TypeOf(lhs))
                                        ? b.choices().Pick({"EQ", "NE"})
                                        : b.choices().Pick({"EQ", "NE", "GE", "GT", "LE", "LT"});
  Instruction* rhs = Sibling(b, lhs);
  // A total order tells one NaN from another.
  const bool has_total = hlo::IsFloat(TypeOf(lhs)) && HasDefinedBits(*lhs) && HasDefinedBits(*rhs);
  if (has_total && b.choices().OneIn(3)) attributes.comparison_type = "TOTALORDER";
  return b.Add(opcode, {lhs, rhs}, attributes);
}

Instruction* Complex(OpBuilder& b, Opcode opcode) {
  Instruction* real = b.MainOperand(0, TypeClass::kReal);
  const bool fits = TypeOf(real) == PrimitiveType::kF32 || TypeOf(real) == PrimitiveType::kF64;
  if (!fits) real = Sibling(b, real, b.choices().Pick({PrimitiveType::kF32, PrimitiveType::kF64}));
  return b.Add(opcode, {real, Sibling(b, real)});
}

// The bits are an unsigned integer as wide as the operand.
Instruction* StochasticConvert(OpBuilder& b, Opcode opcode) {
  struct Pair {
    PrimitiveType from, bits;
  };
  const Pair pair = b.choices().Pick({Pair{PrimitiveType::kF32, PrimitiveType::kU32},
                                      Pair{PrimitiveType::kF16, PrimitiveType::kU16},
                                      Pair{PrimitiveType::kBF16, PrimitiveType::kU16},
                                      Pair{PrimitiveType::kF64, PrimitiveType::kU64}});
  const Sizes sizes = b.AnySizes(0, b.limits().max_rank);
  const PrimitiveType to = b.choices().Pick({PrimitiveType::kS32, PrimitiveType::kS8});
  Instruction* from = b.Operand(b.Array(pair.from, sizes));
  Instruction* bits = Sibling(b, from, pair.bits);
  return b.Add(opcode, {from, bits}, {}, b.Array(to, sizes));
}

Instruction* Clamp(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand(0, TypeClass::kSortable);
  auto bound = [&] {
    return b.Flip() ? b.Operand(Shape::Array(TypeOf(operand), {})) : Sibling(b, operand);
  };
  Instruction* low = bound();
  Instruction* high = bound();
  return b.Add(opcode, {low, operand, high});
}

Instruction* Select(OpBuilder& b, Opcode opcode) {
  Instruction* on_true = b.MainOperand();
  Instruction* on_false = Sibling(b, on_true);
  Instruction* predicate = b.Flip() ? b.Operand(Shape::Array(PrimitiveType::kPred, {}))
                                    : Sibling(b, on_true, PrimitiveType::kPred);
  return b.Add(opcode, {predicate, on_true, on_false});
}

// Scalars of one type to a scalar.
Instruction* Map(OpBuilder& b, Opcode opcode) {
  std::vector<Instruction*> operands = {b.MainOperand()};
  const PrimitiveType type = operands[0]->shape.type;
  const Opcode combine = b.CombiningOpcode(type);
  for (int64_t more = b.Small(0, 2); more > 0; --more) {
    operands.push_back(b.Operand(b.Array(type, operands[0]->shape.dims)));
  }
  Computation* callee = b.AddComputation("mapped", [&](OpBuilder& body) {
    std::vector<Instruction*> scalars;
    scalars.reserve(operands.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      scalars.push_back(body.Parameter(Shape::Array(type, {})));
    }
    return body.Add(combine, {scalars.front(), scalars.back()});
  });
  Attributes attributes;
  for (int64_t d = 0; d < operands[0]->shape.rank(); ++d) attributes.dimensions.push_back(d);
  return b.Add(opcode, operands, attributes, {}, {{"to_apply", callee}});
}

constexpr OpEntry kElementwiseOps[] = {
    {Opcode::kAbs, Unary<TypeClass::kSignedNumber>},
    {Opcode::kAcos, Unary<TypeClass::kFloating>},
    {Opcode::kAcosh, Unary<TypeClass::kFloating>},
    {Opcode::kAsin, Unary<TypeClass::kFloating>},
    {Opcode::kAsinh, Unary<TypeClass::kFloating>},
    {Opcode::kAtanh, Unary<TypeClass::kFloating>},
    {Opcode::kCbrt, Unary<TypeClass::kReal>},
    {Opcode::kCeil, Unary<TypeClass::kReal>},
    {Opcode::kConvert, Convert, InGraphs::kAffirmed, 3},
    {Opcode::kCopy, Unary<TypeClass::kAny>},
    {Opcode::kCosh, Unary<TypeClass::kFloating>},
    {Opcode::kCosine, Unary<TypeClass::kFloating>},
    {Opcode::kCountLeadingZeros, Unary<TypeClass::kInteger>},
    {Opcode::kErf, Unary<TypeClass::kReal>},
    {Opcode::kExponential, Unary<TypeClass::kFloating>},
    {Opcode::kExponentialMinusOne, Unary<TypeClass::kFloating>},
    {Opcode::kFloor, Unary<TypeClass::kReal>},
    {Opcode::kImag, Unary<TypeClass::kComplex>, InGraphs::kGenerated},
    {Opcode::kIsFinite, Unary<TypeClass::kReal>},
    {Opcode::kLog, Unary<TypeClass::kFloating>},
    {Opcode::kLogPlusOne, Unary<TypeClass::kFloating>},
    {Opcode::kLogistic, Unary<TypeClass::kFloating>},
    {Opcode::kNegate, Unary<TypeClass::kNumber>},
    {Opcode::kNot, Unary<TypeClass::kBits>},
    {Opcode::kPopcnt, Unary<TypeClass::kInteger>},
    {Opcode::kReal, Unary<TypeClass::kComplex>, InGraphs::kGenerated},
    {Opcode::kReducePrecision, ReducePrecision},
    {Opcode::kRoundNearestAfz, Unary<TypeClass::kReal>},
    {Opcode::kRoundNearestEven, Unary<TypeClass::kReal>},
    {Opcode::kRsqrt, Unary<TypeClass::kFloating>},
    {Opcode::kSign, Unary<TypeClass::kSignedNumber>},
    {Opcode::kSine, Unary<TypeClass::kFloating>},
    {Opcode::kSinh, Unary<TypeClass::kFloating>},
    {Opcode::kSqrt, Unary<TypeClass::kFloating>},
    {Opcode::kTan, Unary<TypeClass::kFloating>},
    {Opcode::kTanh, Unary<TypeClass::kFloating>},
    {Opcode::kAdd, Binary<TypeClass::kAny>},
    {Opcode::kAnd, Binary<TypeClass::kBits>},
    {Opcode::kAtan2, Binary<TypeClass::kReal>},
    {Opcode::kCompare, Compare, InGraphs::kAffirmed, 3},
    {Opcode::kComplex, Complex, InGraphs::kGenerated},
    {Opcode::kDivide, Binary<TypeClass::kNumber>, InGraphs::kAffirmed, 3},
    {Opcode::kMaximum, Binary<TypeClass::kOrdered>},
    {Opcode::kMinimum, Binary<TypeClass::kOrdered>},
    {Opcode::kMultiply, Binary<TypeClass::kAny>},
    {Opcode::kOr, Binary<TypeClass::kBits>},
    {Opcode::kPower, Binary<TypeClass::kNumber>, InGraphs::kAffirmed, 3},
    {Opcode::kRemainder, Binary<TypeClass::kSortable>, InGraphs::kAffirmed, 3},
    {Opcode::kShiftLeft, Binary<TypeClass::kInteger>, InGraphs::kAffirmed, 3},
    {Opcode::kShiftRightArithmetic, Binary<TypeClass::kInteger>, InGraphs::kAffirmed, 3},
    {Opcode::kShiftRightLogical, Binary<TypeClass::kInteger>, InGraphs::kAffirmed, 3},
    {Opcode::kStochasticConvert, StochasticConvert, InGraphs::kNever},
    {Opcode::kSubtract, Binary<TypeClass::kNumber>},
    {Opcode::kXor, Binary<TypeClass::kBits>},
    {Opcode::kClamp, Clamp, InGraphs::kAffirmed, 3},
    {Opcode::kSelect, Select, InGraphs::kAffirmed, 3},
    {Opcode::kMap, Map},
};

}  // namespace

llvm::ArrayRef<OpEntry> ElementwiseFamily() { return kElementwiseOps; }

}  // namespace affirm::fuzz
