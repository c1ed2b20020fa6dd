// Operations on numbers have the properties that the table of operations says.
#include <gtest/gtest.h>

#include <cmath>

#include "verify/compare/scalar_operations.h"

namespace affirm::compare {
namespace {

using hlo::PrimitiveType;
using terms::Op;

constexpr Op kOps[] = {
#define AFFIRM_OP(id, text, opcode, sign, commutes, on_floats) Op::id,
#include "verify/terms/op.def"
#undef AFFIRM_OP
};

// All NaNs are one.
uint64_t Kept(const TypedScalar& x) {
  if (hlo::IsFloat(x.type) && std::isnan(x.value.re)) return ~uint64_t{0};
  const uint64_t bits = BitsOf(x);
  return x.type == PrimitiveType::kPred ? bits & 1 : bits;
}

// For floats and integers of 8 bits: whether no two operands give another result when they change
// places.
TEST(ScalarOperations, CommuteWhereTheTableSaysSo) {
  int64_t tried = 0;
  for (const Op op : kOps) {
    if (op == Op::kComplex) continue;  // whose operands are no complex numbers
    for (const PrimitiveType type : {PrimitiveType::kF8E5M2, PrimitiveType::kS8}) {
      const PrimitiveType result = terms::IsComparison(op) ? PrimitiveType::kPred : type;
      auto function = ScalarOperations::Resolve(op, result, {type, type});
      if (!function) {
        llvm::consumeError(function.takeError());
        continue;
      }
      bool commutes = true;
      for (int64_t a = 0; a < 256; ++a) {
        for (int64_t b = 0; b < a; ++b) {
          const TypedScalar x = OfBits(a, type), y = OfBits(b, type);
          commutes = commutes && Kept((*function)({x, y})) == Kept((*function)({y, x}));
        }
      }
      EXPECT_EQ(commutes, terms::IsCommutative(op))
          << terms::Name(op).str() << " of " << hlo::Name(type).str();
      ++tried;
    }
  }
  EXPECT_GT(tried, 30);
}

}  // namespace
}  // namespace affirm::compare
