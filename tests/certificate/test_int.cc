// The checker's integers against LLVM's, at sizes where digits, carries and signs change.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/certificate/int.h"

namespace affirm::certificate {
namespace {

using Other = llvm::DynamicAPInt;

int64_t Pick(int64_t lo, int64_t hi) { return *rc::gen::inRange<int64_t>(lo, hi + 1); }

std::string TextOf(const Other& v) {
  std::string text;
  llvm::raw_string_ostream(text) << v;
  return text;
}

// A sum of a few signed powers of two and a small number.
Other RandomNumber() {
  Other v(Pick(-3, 3));
  for (int64_t n = Pick(0, 3); n > 0; --n) {
    Other power(Pick(0, 1) ? 1 : -1);
    for (int64_t k = Pick(0, 1) ? 32 * Pick(0, 6) : Pick(0, 200); k > 0; --k) power *= 2;
    v += power;
  }
  return v;
}

Int Same(const Other& v) { return *Int::Read(TextOf(v)); }

RC_GTEST_PROP(Int, AgreesWithLlvm, ()) {
  Other a = RandomNumber(), b = RandomNumber();
  Int x = Same(a), y = Same(b);
  RC_LOG() << TextOf(a) << " and " << TextOf(b) << "\n";
  RC_ASSERT((x.Text() == TextOf(a)));
  RC_ASSERT(((x + y).Text() == TextOf(a + b)));
  RC_ASSERT(((x - y).Text() == TextOf(a - b)));
  RC_ASSERT(((x * y).Text() == TextOf(a * b)));
  RC_ASSERT(((-x).Text() == TextOf(-a)));
  RC_ASSERT(((x < y) == (a < b) && (x == y) == (a == b) && (x <= y) == (a <= b)));
  RC_ASSERT(((x - x) == 0 && !(x < x)));
  auto [quotient, remainder] = Divide(x, y);
  RC_ASSERT((quotient * y + remainder == x));
  if (b == 0) {
    RC_ASSERT((quotient == 0));
  } else {
    Other floor = b < 0 ? llvm::floorDiv(-a, -b) : llvm::floorDiv(a, b);
    RC_ASSERT((quotient.Text() == TextOf(floor)));
    RC_ASSERT((b < 0 ? remainder <= 0 && remainder > y : remainder >= 0 && remainder < y));
    RC_ASSERT((FloorOf(x, y) == quotient && IsMultiple(x, y) == (a % b == 0)));
  }
  Int g = Gcd(x, y);
  RC_ASSERT((g >= 0 && IsMultiple(x, g) && IsMultiple(y, g)));
  RC_ASSERT((TextOf(llvm::gcd(a < 0 ? -a : a, b < 0 ? -b : b)) == g.Text()));
}

TEST(Int, LimitsOfMachineIntegers) {
  EXPECT_EQ(Int(INT64_MIN).Text(), "-9223372036854775808");
  EXPECT_EQ((-Int(INT64_MIN)).Text(), "9223372036854775808");
  EXPECT_EQ((Int(INT64_MAX) + 1).Text(), "9223372036854775808");
  Int power(1);
  for (int k = 0; k < 127; ++k) power = power * 2;
  EXPECT_EQ((-power).Text(), "-170141183460469231731687303715884105728");
  EXPECT_GT(-(-power), 0);
  EXPECT_EQ(FloorOf(-power, -1), power);
}

TEST(Int, ReadsNumbersOnly) {
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1a", "0x1", "--1", "1.0"}) {
    EXPECT_FALSE(Int::Read(text)) << text;
  }
  EXPECT_FALSE(Int::Read(std::string(Int::kMaxDigits + 1, '1')));
  EXPECT_EQ(*Int::Read("-0"), 0);
  EXPECT_EQ(Int::Read("007")->Text(), "7");
  EXPECT_FALSE(Int(-1).AsIndex());
  EXPECT_FALSE((Int(INT64_MAX) * 2).AsIndex());
  EXPECT_EQ(*Int(17).AsIndex(), 17u);
}

}  // namespace
}  // namespace affirm::certificate
