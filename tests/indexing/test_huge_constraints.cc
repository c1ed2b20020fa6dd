// Constraints on expressions whose values exceed 128 bits are checked like any others.
#include <gtest/gtest.h>

#include "core/simplify/simplify.h"

namespace affirm {
namespace {

TEST(HugeConstraints, Beyond128BitsAreChecked) {
  Context context;
  const std::string term = "s0 * s0 * 9223372036854775807 * 9 - s0 * 4611686018427387904";
  for (const char* bounds : {"[1, 9223372036854775807]", "[-9223372036854775808, -1]"}) {
    IndexingMap map =
        llvm::cantFail(ParseIndexingMap("(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in "
                                        "[9223372036854775000, 9223372036854775800], " +
                                            term + " in " + bounds,
                                        context));
    const bool holds = llvm::StringRef(bounds).starts_with("[1");
    EXPECT_EQ(map.InDomain({0}, {9223372036854775005}), holds);
    // The unused variable is removed only if its constraint holds somewhere.
    EXPECT_EQ(RemoveUnusedVariables(map).IsKnownEmpty(), !holds);
  }
  IndexingMap divides = llvm::cantFail(
      ParseIndexingMap("(d0) -> (d0), domain: d0 in [1, 3], 6 floordiv d0 in [0, 9]", context));
  divides.SetBounds(VarKind::kDim, 0, {0, 3});
  EXPECT_FALSE(divides.InDomain({0}, {}));
  EXPECT_TRUE(divides.InDomain({2}, {}));
}

}  // namespace
}  // namespace affirm
