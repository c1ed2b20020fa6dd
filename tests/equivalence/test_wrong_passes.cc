// Passes that are wrong, of every kind that was thought of: each changes a module, and the change
// is seen with an element and both values, though all that XLA is entitled to is allowed.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "driver/equivalence/equivalence.h"
#include "llvm/ADT/StringRef.h"
#include "tests/parse_module.h"
#include "tests/tools/run_affirm.h"
#include "verify/equivalence/laws.h"

namespace affirm::driver {
namespace {

struct Case {
  std::string name, before, after;
};

std::string WithHeader(llvm::StringRef text) {
  return text.starts_with("HloModule") ? text.str() : "HloModule m\n\n" + text.str();
}

// "=== name", the module before, "---", the module after; what stands before the first is a remark.
std::vector<Case> Cases() {
  const std::string file = testing::ReadFile("corpus/equivalence/wrong_passes.txt");
  llvm::StringRef rest = llvm::StringRef(file).split("=== ").second;
  std::vector<Case> cases;
  while (!rest.empty()) {
    auto [text, further] = rest.split("=== ");
    auto [name, modules] = text.split('\n');
    auto [before, after] = modules.split("\n---\n");
    cases.push_back({name.str(), WithHeader(before), WithHeader(after)});
    rest = further;
  }
  return cases;
}

class WrongPass : public ::testing::TestWithParam<Case> {};

TEST_P(WrongPass, IsSeen) {
  auto before = testing::ParseOrFail(GetParam().before);
  auto after = testing::ParseOrFail(GetParam().after);
  ASSERT_TRUE(before && after);
  EquivalenceOptions options;
  options.rounding = true;
  for (const equivalence::Law& law : equivalence::Laws()) {
    if (!law.exact) options.allowed_laws.push_back(law.name);
  }
  auto result = CompareModules(*before, *after, options);
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->verdict, Verdict::kRefuted);
  ASSERT_TRUE(result->difference.has_value());
  EXPECT_NE(result->difference->a, result->difference->b);

  auto none = CompareModules(*before, *before, options);
  ASSERT_TRUE(static_cast<bool>(none)) << llvm::toString(none.takeError());
  EXPECT_FALSE(none->difference.has_value());
}

INSTANTIATE_TEST_SUITE_P(Corpus, WrongPass, ::testing::ValuesIn(Cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace affirm::driver
