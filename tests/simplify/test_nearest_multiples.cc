// Residues of sums over small boxes: each that is linear by choosing multiples of the modulus is
// simplified to that, and no other value changes.
#include "core/simplify/simplify.h"
#include "gtest/gtest.h"

namespace affirm {
namespace {

struct Sum {
  int64_t a, b, k, m;
  Interval x, y;
};

// Whether a * x + b * y + k, less multiples of m in a, b and k, is in [0, m - 1] on the box.
bool HasMultiples(const Sum& s) {
  for (int64_t a = s.a % s.m - 3 * s.m; a <= 3 * s.m; a += s.m) {
    for (int64_t b = s.b % s.m - 3 * s.m; b <= 3 * s.m; b += s.m) {
      Interval r = Interval::Point(a) * s.x + Interval::Point(b) * s.y;
      int64_t low = ((r.lower + s.k) % s.m + s.m) % s.m;
      if (low + (r.upper - r.lower) < s.m) return true;
    }
  }
  return false;
}

void Check(const Sum& s, int& linear) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  SymbolicExpr sum = d0 * s.a + d1 * s.b + s.k;
  IndexingMap map(context, {sum.Mod(s.m), sum.FloorDiv(s.m)}, {{s.x}, {s.y}}, {}, {});
  IndexingMap simple = Simplify(map);
  for (int64_t x = s.x.lower; x <= s.x.upper; ++x) {
    for (int64_t y = s.y.lower; y <= s.y.upper; ++y) {
      for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(map.results()[i].Evaluate({x, y}).value,
                  simple.results()[i].Evaluate({x, y}).value)
            << simple.ToString() << " at " << x << ", " << y;
      }
    }
  }
  if (!HasMultiples(s)) return;
  ++linear;
  for (SymbolicExpr result : simple.results()) {
    result.Walk([&](SymbolicExpr e) {
      EXPECT_TRUE(e.kind() != ExprKind::kMod && e.kind() != ExprKind::kFloorDiv)
          << map.ToString() << " => " << simple.ToString();
    });
  }
}

TEST(NearestMultiples, AreFoundWhereverTheyLeaveOnePeriod) {
  int linear = 0;
  const Interval boxes[] = {{0, 1}, {0, 2}, {0, 3}};
  for (int64_t m : {2, 3, 4, 6, 8}) {
    for (int64_t a = -m - 1; a <= 2 * m + 1; ++a) {
      for (int64_t b : {int64_t{0}, int64_t{1}, m / 2, m - 1, m, 1 - m}) {
        for (int64_t k : {int64_t{0}, int64_t{1}, m - 1, m + 2}) {
          for (const Interval& x : boxes) Check({a, b, k, m, x, {0, 1}}, linear);
        }
      }
    }
  }
  EXPECT_GT(linear, 2000);
}

}  // namespace
}  // namespace affirm
