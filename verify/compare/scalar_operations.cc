#include "verify/compare/scalar_operations.h"

#include <bit>
#include <cmath>
#include <vector>

#include "core/hlo/float_format.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/scalar/elementwise_convert.h"
#include "verify/terms/machine.h"

namespace affirm::compare {

namespace {

using hlo::PrimitiveType;
using hlo::Scalar;

PrimitiveType UnsignedType(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kS2:
      return PrimitiveType::kU2;
    case PrimitiveType::kS4:
      return PrimitiveType::kU4;
    case PrimitiveType::kS8:
      return PrimitiveType::kU8;
    case PrimitiveType::kS16:
      return PrimitiveType::kU16;
    case PrimitiveType::kS32:
      return PrimitiveType::kU32;
    case PrimitiveType::kS64:
      return PrimitiveType::kU64;
    default:
      return type;
  }
}

}  // namespace

TypedScalar OfInteger(Int128 integer, PrimitiveType type) {
  const auto width = static_cast<int>(terms::IntegerWidth(type));
  const hlo::IntType of = {width, /*is_signed=*/width > 1};  // a predicate is 0 or 1
  return {type, {.i = of.Wrap(static_cast<uint64_t>(integer))}};
}

TypedScalar OfScalar(PrimitiveType type, const Scalar& value) {
  PrimitiveType term_type = terms::TermType(type);
  if (terms::IntegerWidth(term_type) > 0) return OfInteger(value.i, term_type);
  return {type, value};
}

Scalar AsType(const TypedScalar& x, PrimitiveType type) {
  if (!hlo::IsInt(type)) return x.value;
  return {.i = hlo::IntType::Of(type).Wrap(static_cast<uint64_t>(x.value.i))};
}

TypedScalar OfBits(Int128 number, PrimitiveType type) {
  if (terms::IntegerWidth(type) > 0) return OfInteger(number, terms::TermType(type));
  auto bits = static_cast<unsigned __int128>(number);
  auto low = static_cast<uint64_t>(bits), high = static_cast<uint64_t>(bits >> 64);
  if (type == PrimitiveType::kC64) {
    return {type,
            {0, hlo::DecodeFloat(PrimitiveType::kF32, low & 0xffffffff),
             hlo::DecodeFloat(PrimitiveType::kF32, low >> 32)}};
  }
  if (type == PrimitiveType::kC128)
    return {type, {0, std::bit_cast<double>(low), std::bit_cast<double>(high)}};
  return {type, {.re = hlo::DecodeFloat(type, low)}};
}

uint64_t BitsOf(const TypedScalar& x) {
  if (terms::IntegerWidth(x.type) > 0) return static_cast<uint64_t>(x.value.i);
  return hlo::EncodeFloat(x.type, x.value.re);
}

std::unique_ptr<ScalarInstruction> InstructionOf(const Operation& operation, PrimitiveType type,
                                                 llvm::ArrayRef<PrimitiveType> arg_types) {
  const terms::Op op = operation.op();
  if (terms::OpcodeOf(op) == hlo::Opcode::kUnknown) return nullptr;
  auto shape_of = [&](PrimitiveType of) {
    return hlo::Shape::Array(terms::IsUnsigned(op) ? UnsignedType(of) : of, {});
  };
  auto made = std::make_unique<ScalarInstruction>();
  hlo::Instruction& instruction = made->instruction;
  instruction.opcode = terms::OpcodeOf(op);
  const terms::Comparison comparison = terms::ComparisonOf(op);
  instruction.attributes.comparison_direction = comparison.direction.str();
  if (comparison.total_order) instruction.attributes.comparison_type = "TOTALORDER";
  if (op == terms::Op::kReducePrecision) {
    instruction.attributes.exponent_bits = operation.exponent_bits();
    instruction.attributes.mantissa_bits = operation.mantissa_bits();
  }
  instruction.shape = shape_of(type);
  made->operands = std::vector<hlo::Instruction>(arg_types.size());
  for (auto [operand, of] : llvm::zip(made->operands, arg_types)) {
    operand.shape = shape_of(of);
    instruction.operands.push_back(&operand);
  }
  return made;
}

llvm::Expected<ScalarOperations::Function> ScalarOperations::Resolve(
    const Operation& operation, PrimitiveType type, llvm::ArrayRef<PrimitiveType> arg_types) {
  if (operation.op() == terms::Op::kRounded && arg_types.size() == 1)
    return [](llvm::ArrayRef<TypedScalar> args) { return args[0]; };
  if (operation.op() == terms::Op::kBitcast && arg_types.size() == 1) {
    const int width = hlo::BitWidth(type);
    return [type, width](llvm::ArrayRef<TypedScalar> args) {
      const uint64_t bits = BitsOf(args[0]);
      return OfBits(width < 64 ? bits & ((uint64_t{1} << width) - 1) : bits, type);
    };
  }
  const auto made = InstructionOf(operation, type, arg_types);
  if (made == nullptr) return MakeError("no operation on elements: " + ToString(operation));
  const hlo::Instruction& op = made->instruction;
  llvm::SmallVector<PrimitiveType, 3> types;
  for (const hlo::Instruction& operand : made->operands) types.push_back(operand.shape.type);
  if (op.opcode == hlo::Opcode::kConvert && types.size() == 1) {
    return [from = types[0], to = op.shape.type](llvm::ArrayRef<TypedScalar> args) {
      return OfScalar(to, hlo::Convert(AsType(args[0], from), from, to));
    };
  }
  auto function = hlo::ResolveElementwise(op);
  if (!function)
    return MakeError(ToString(operation) + ": " + llvm::toString(function.takeError()));
  return [function = std::move(*function), types,
          result = op.shape.type](llvm::ArrayRef<TypedScalar> args) {
    llvm::SmallVector<Scalar, 3> scalars;
    for (size_t k = 0; k < args.size(); ++k) scalars.push_back(AsType(args[k], types[k]));
    return OfScalar(result, function(scalars.data()));
  };
}

ScalarOperations::Function ScalarOperations::BeyondOpcodes(terms::Op op, PrimitiveType type) {
  using Args = llvm::ArrayRef<TypedScalar>;
  auto float_of = [type](double number) {
    return TypedScalar{type, {.re = hlo::RoundTo(type, number)}};
  };
  if (op == terms::Op::kCopysign)
    return [=](Args x) { return float_of(std::copysign(x[0].value.re, x[1].value.re)); };
  if (op == terms::Op::kTruncate)
    return [=](Args x) { return float_of(std::trunc(x[0].value.re)); };
  if (op == terms::Op::kMaximumNumber || op == terms::Op::kMinimumNumber) {
    const bool maximum = op == terms::Op::kMaximumNumber;
    return [=](Args x) {
      const double a = x[0].value.re, b = x[1].value.re;
      if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? x[1] : x[0];
      const bool b_is_greater = a < b || (a == b && std::signbit(a));
      return b_is_greater == maximum ? x[1] : x[0];
    };
  }
  if (!terms::IsConversionInRange(op) || terms::IntegerWidth(type) <= 1) return nullptr;
  const hlo::IntType to{static_cast<int>(terms::IntegerWidth(type)), !terms::IsUnsigned(op)};
  return [=](Args x) { return OfInteger(hlo::SaturateToInt(x[0].value.re, to), type); };
}

llvm::Expected<TypedScalar> ScalarOperations::Apply(const Operation& operation, PrimitiveType type,
                                                    llvm::ArrayRef<TypedScalar> args) {
  llvm::SmallVector<PrimitiveType, 3> types;
  for (const TypedScalar& arg : args) types.push_back(arg.type);
  Key key{operation.op(), operation.payload(), type, {types.begin(), types.end()}};
  auto found = functions_.find(key);
  if (found == functions_.end()) {
    auto resolved = Resolve(operation, type, types);
    if (!resolved) return resolved.takeError();
    found = functions_.emplace(std::move(key), std::move(*resolved)).first;
  }
  return found->second(args);
}

}  // namespace affirm::compare
