// ThreeFry on counters that are given, which JAX calls where it does not write the rounds out.
#include <array>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/calls/backend_config.h"
#include "verify/calls/families.h"
#include "verify/calls/meaning_text.h"

namespace affirm::calls {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

constexpr double kParity = 0x1BD11BDA;
constexpr std::array<std::array<int, 4>, 2> kRotations = {{{13, 15, 26, 6}, {17, 29, 16, 24}}};

Value RotateLeft(MeaningText& text, const Value& x, int bits) {
  const Value left = text.Binary(Opcode::kShiftLeft, x, text.Constant(x.shape, bits));
  const Value right = text.Binary(Opcode::kShiftRightLogical, x, text.Constant(x.shape, 32 - bits));
  return text.Binary(Opcode::kOr, left, right);
}

}  // namespace

// Operands: both words of the key, both words of the counter. 20 rounds, and a key in front and
// behind each four.
Meaning ThreeFry(const hlo::Instruction& call) {
  if (llvm::Error error = CheckNoConfig(call)) return error;
  const bool fits = call.operands.size() == 4 && call.shape.IsTuple() &&
                    call.shape.tuple.size() == 2 &&
                    llvm::all_of(call.operands, [&](const hlo::Instruction* operand) {
                      return operand->shape.type == PrimitiveType::kU32 &&
                             operand->shape.dims == call.shape.tuple[0].dims;
                    });
  if (!fits) return MakeError("expected four arrays of u32 of the shape of both results");
  MeaningText text(call);
  const Value first = text.Parameter(0), second = text.Parameter(1);
  const Value mixed = text.Binary(Opcode::kXor, text.Binary(Opcode::kXor, first, second),
                                  text.Constant(first.shape, kParity));
  const std::array<Value, 3> keys = {first, second, mixed};
  Value x = text.Binary(Opcode::kAdd, text.Parameter(2), keys[0]);
  Value y = text.Binary(Opcode::kAdd, text.Parameter(3), keys[1]);
  for (size_t group = 0; group < 5; ++group) {
    for (int bits : kRotations[group % 2]) {
      x = text.Binary(Opcode::kAdd, x, y);
      y = text.Binary(Opcode::kXor, RotateLeft(text, y, bits), x);
    }
    x = text.Binary(Opcode::kAdd, x, keys[(group + 1) % 3]);
    const Value key = text.Binary(Opcode::kAdd, keys[(group + 2) % 3],
                                  text.Constant(y.shape, static_cast<double>(group + 1)));
    y = text.Binary(Opcode::kAdd, y, key);
  }
  return text.Module({x, y});
}

}  // namespace affirm::calls
