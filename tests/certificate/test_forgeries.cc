// Forged certificates: false statements with hints made to pass the checker, which must reject
// them.
#include <gtest/gtest.h>

#include "verify/certificate/check.h"

namespace affirm::certificate {
namespace {

std::string Step(const std::string& first, const std::string& hints, const std::string& last) {
  return "affirm certificate 1\nmap " + first + "\n" + hints + "map " + last + "\nend\n";
}

// 3 * d0 leaves the residue 0 modulo 3, which hints write as 2^127 - 5: far from the bounds of d0
// as that is, no bound moves past -12.
TEST(Forgeries, AResidueNearTwoToThe127) {
  const std::string rest =
      "d1 in [9223372036854775806, 9223372036854775806], d2 in [1, 1], d0 * 3 ";
  const std::string of = "(d0, d1, d2) -> (d0), domain: d0 in [-4, 3], " + rest;
  const std::string hints =
      "modulo fact 1 * 9223372036854775806, modulo fact 1 * 9223372036854775806, "
      "modulo fact 1 * 6, modulo fact 2 * 9223372036854775806, ";
  for (const char* last : {"modulo fact 2 * 9223372036854775803",
                           "modulo fact 2 * "
                           "9223372036854775806",
                           "modulo fact 2 * 9223372036854775806, modulo fact 2 * 3",
                           "modulo fact 2 * 9223372036854775806, modulo fact 2 * 6"}) {
    std::string hint = "  fact 3: " + hints + last + "\n";
    EXPECT_FALSE(Check(Step(of + "in [-12, 9]", hint, of + "in [-11, 9]")).accepted) << last;
    // The same hints show a true statement.
    EXPECT_TRUE(Check(Step(of + "in [-14, 9]", hint, of + "in [-13, 9]")).accepted) << last;
  }
}

// The slack of the facts puts the lower end of 2 * d0 at -2^127, whose opposite is no number of 128
// bits.
TEST(Forgeries, AnEndAtMinusTwoToThe127) {
  const std::string rest = ", d1 in [0, 9223372036854775806], d2 in [0, 1]";
  const std::string of = "(d0, d1, d2) -> (d0), domain: d0 in ";
  const std::string hints =
      "  fact 0: scale 2, use fact 1 * 9223372036854775807, use fact 1 * 9223372036854775807, "
      "use fact 1 * 5, use fact 2 * 9223372036854775798\n  fact 0: \n";
  EXPECT_FALSE(Check(Step(of + "[-8, -1]" + rest, hints, of + "[-7, -1]" + rest)).accepted);
}

// Facts that no point satisfies prove that the map is empty, and no other statement.
TEST(Forgeries, AnEmptyRangeShowsEmptinessAlone) {
  const std::string none = "(d0) -> (d0), domain: d0 in [0, 9], d0 * 2 in [3, 3]";
  const std::string hint = ": scale 2, use fact 1 * 1\n";
  EXPECT_FALSE(Check(Step(none, "  result 0" + hint,
                          "(d0) -> (d0 + 5), domain: d0 in [0, 9], d0 * 2 in [3, 3]"))
                   .accepted);
  EXPECT_FALSE(
      Check(Step(none, "  fact 0" + hint, "(d0) -> (d0), domain: d0 in [0, 3], d0 * 2 in [3, 3]"))
          .accepted);
  EXPECT_TRUE(Check(Step(none, "  empty 0: scale 2, use fact 0 * 1\n", "KNOWN EMPTY")).accepted);
  EXPECT_FALSE(Check(Step("(d0) -> (d0), domain: d0 in [0, 9], d0 * 2 in [4, 4]",
                          "  empty 0: scale 2, use fact 0 * 1\n", "KNOWN EMPTY"))
                   .accepted);
}

// A map with a term that has no value at some point is refused.
TEST(Forgeries, DivisorsThatMayBeZero) {
  auto same = [](const std::string& term, const std::string& domain) {
    std::string map = "(d0, d1) -> (" + term + "), domain: d0 in [0, 9], " + domain;
    return Check(Step(map, "", map)).accepted;
  };
  for (const char* term : {"d0 floordiv d1", "d0 ceildiv d1", "d0 mod d1", "(d0 floordiv d1) * 0",
                           "d0 mod d1 - d0 mod d1", "d0 mod (d1 * 2)"}) {
    EXPECT_TRUE(same(term, "d1 in [1, 3]")) << term;
    EXPECT_FALSE(same(term, "d1 in [0, 3]")) << term;
    EXPECT_FALSE(same(term, "d1 in [-1, 3]")) << term;
  }
  EXPECT_TRUE(same("d0 floordiv d1", "d1 in [-3, -1]"));
  EXPECT_FALSE(same("d0 mod d1", "d1 in [-3, -1]"));
  EXPECT_TRUE(same("d0 floordiv (d1 + d0)", "d1 in [0, 3], d0 + d1 in [1, 4]"));
}

// A text that another reader of maps would read differently, or not at all, is refused.
TEST(Forgeries, TextsThatAreNoMaps) {
  for (const char* map :
       {"(3) -> (3), domain: 3 in [0, 5]", "(d0, d0) -> (d0), domain: d0 in [0, 5]",
        "(d0) -> (d0), domain: d0 in [-9223372036854775809, 5]",
        "(d0) -> (d0), domain: d0 in [0, 9223372036854775808]", "(d0) -> (d0 floordiv 0)",
        "(d0) -> (d0 mod -4), domain: d0 in [0, 5]", "(d0) -> (d0 mod (4 - 4))"}) {
    EXPECT_FALSE(Check(Step(map, "", map)).accepted) << map;
  }
  // The limits themselves are infinite.
  const std::string all = "(d0) -> (d0), domain: d0 in [-9223372036854775808, 9223372036854775807]";
  EXPECT_TRUE(Check(Step(all, "", "(d0) -> (d0)")).accepted);
}

TEST(Forgeries, NumbersOfHintsAreReadWhole) {
  const std::string map = "(d0) -> (d0 floordiv 4), domain: d0 in [0, 9]";
  const std::string other = "(d0) -> ((d0 + 4) floordiv 4 - 1), domain: d0 in [0, 9]";
  EXPECT_TRUE(Check(Step(map, "  result 0: scale 4\n", other)).accepted);
  for (const char* hint :
       {"scale 4x", "scale -4", "scale 0", "scale", "use fact -1 * 1", "use fact 0 * ",
        "use fact 0 1", "modulo fact 99999999999 * 1", "unless fact 0 * 1"}) {
    EXPECT_FALSE(Check(Step(map, std::string("  result 0: ") + hint + "\n", other)).accepted)
        << hint;
  }
}

// Only a fact with a single value tells a residue.
TEST(Forgeries, AResidueOfManyValues) {
  const std::string of = "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 3], ";
  auto accepted = [&](const std::string& fact) {
    return Check(Step(of + fact + ", d0 in [1, 9]", "  fact 3: modulo fact 2 * 1\n",
                      of + fact + ", d0 in [2, 9]"))
        .accepted;
  };
  EXPECT_FALSE(accepted("d0 - d1 * 4 in [-2, 1]"));
  EXPECT_FALSE(accepted("d0 - d1 * 4 in [-2, 9223372036854775807]"));
  EXPECT_FALSE(accepted("d0 - d1 * 4 in [1, 1]"));
  EXPECT_TRUE(accepted("d0 - d1 * 4 in [-2, -2]"));
}

// Products of long sums are refused, not computed.
TEST(Forgeries, ProductsThatGrow) {
  std::string sum = "(d0", names = "d0";
  for (int k = 1; k < 40; ++k) {
    sum += " + d" + std::to_string(k);
    names += ", d" + std::to_string(k);
  }
  sum += ")";
  std::string product = sum;
  for (int k = 0; k < 8; ++k) product += " * " + sum;
  std::string map = "(" + names + ") -> (" + product + ")";
  EXPECT_FALSE(Check(Step(map, "", map)).accepted);
}

}  // namespace
}  // namespace affirm::certificate
