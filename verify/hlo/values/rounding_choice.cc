#include "verify/hlo/values/rounding_choice.h"

#include <string>

namespace affirm::hlo_values {

using terms::Kind;
using terms::Term;

namespace {

// Arms of choices that are rounded one by one.
constexpr int kDeepest = 8;

// Whether a number of f32 has no bit that a rounding to `mantissa_bits` takes.
bool HasFewBits(Term literal, int64_t mantissa_bits) {
  constexpr int64_t kBitsOfF32 = 23;
  const auto bits = static_cast<uint64_t>(literal->number);
  return mantissa_bits >= kBitsOfF32 ||
         (bits & ((uint64_t{1} << (kBitsOfF32 - mantissa_bits)) - 1)) == 0;
}

Term Rounded(terms::Pool& pool, int32_t choice, int64_t mantissa_bits, Term value, int depth) {
  if (value->kind == Kind::kLiteral && HasFewBits(value, mantissa_bits)) return value;
  if (value->kind == Kind::kSelect && depth < kDeepest) {
    return pool.Select(value->args[0],
                       Rounded(pool, choice, mantissa_bits, value->args[1], depth + 1),
                       Rounded(pool, choice, mantissa_bits, value->args[2], depth + 1));
  }
  return pool.Apply(terms::Operation::Licensed(terms::Op::kApproximate, choice), value->type,
                    {value});
}

}  // namespace

Term RoundedByChoice(terms::Pool& pool, const hlo::Instruction& op, Term operand) {
  const std::string* text = op.attributes.FindExtra(kRoundingChoice);
  int32_t choice = 0;
  if (op.opcode != hlo::Opcode::kReducePrecision || text == nullptr ||
      llvm::StringRef(*text).getAsInteger(10, choice) || op.shape.type != hlo::PrimitiveType::kF32)
    return nullptr;
  return Rounded(pool, choice, op.attributes.mantissa_bits, operand, 0);
}

}  // namespace affirm::hlo_values
