// The forms by integers of conversions between f32 and small floats are these conversions: for all
// values of the small types, and for values of f32 as many as there is time for. With
// AFFIRM_CASES=4294967296 these are all.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/hlo/float_format.h"
#include "verify/kernel/proof/narrow_values.h"
#include "verify/kernel/proof/small_floats.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {
namespace {

using hlo::PrimitiveType;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kSmall[] = {
    PrimitiveType::kF8E5M2,     PrimitiveType::kF8E4M3,        PrimitiveType::kF8E4M3FN,
    PrimitiveType::kF8E3M4,     PrimitiveType::kF8E4M3B11FNUZ, PrimitiveType::kF8E5M2FNUZ,
    PrimitiveType::kF8E4M3FNUZ, PrimitiveType::kF8E8M0FNU,     PrimitiveType::kF4E2M1FN};

TEST(SmallFloats, WideningIsTheConversion) {
  for (PrimitiveType type : kSmall) {
    Pool pool;
    Scope scope(pool);
    Term x = pool.Load(0, pool.Number(0), type);
    Term converted = pool.Apply("convert", PrimitiveType::kF32, {x});
    auto never = [](Term, Term) { return false; };
    EXPECT_EQ(SameAtAllValues(WidenedByBits(scope, x), converted, never), true) << hlo::Name(type).str();
    // And one step away it is not.
    Term next = pool.Apply("add", PrimitiveType::kF32, {converted, converted});
    EXPECT_EQ(SameAtAllValues(WidenedByBits(scope, x), next, never), false) << hlo::Name(type).str();
  }
}

// The bits of a value of f32 come in two halves of 16 bits: the upper ones are numbers in the term,
// the lower ones those of a loaded integer, of which all are tried.
TEST(SmallFloats, NarrowingIsTheConversion) {
  const char* wanted = std::getenv("AFFIRM_CASES");
  const int64_t cases = wanted ? std::atoll(wanted) : int64_t{1} << 21;
  const int64_t highs = std::clamp<int64_t>(cases >> 16, 1, 1 << 16);
  for (PrimitiveType type : kSmall) {
    // Evenly spread, and the ends of exponents.
    for (int64_t k = 0; k < highs; ++k) {
      const int64_t high = (k * ((1 << 16) / highs) + (highs < 1 << 16 ? k % 128 : 0)) & 0xffff;
      Pool pool;
      Scope scope(pool);
      Term low = pool.IntegerOf(pool.Load(0, pool.Number(0), PrimitiveType::kS16));
      Term bits = pool.Add(pool.Number(high << 16), scope.Residue(low, 1 << 16));
      Term x =
          terms::WithBits(pool, pool.OfInteger(bits, PrimitiveType::kS32), PrimitiveType::kF32);
      Term converted = pool.Apply("convert", type, {x});
      auto never = [](Term, Term) { return false; };
      ASSERT_EQ(SameAtAllValues(NarrowedByBits(scope, x, type), converted, never), true)
          << hlo::Name(type).str() << ", upper bits " << high;
    }
  }
}

}  // namespace
}  // namespace affirm::kernel
