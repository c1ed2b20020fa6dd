// Certificates of simplifications: they exist, and a change to one is noticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/simplify/simplify.h"
#include "tests/maps/random_maps.h"
#include "verify/certificate/check.h"
#include "verify/maps/maps.h"
#include "verify/rules/certify.h"

namespace affirm {
namespace {

using certificate::Check;

// The certificate of a map's simplification, or the error behind "error: ".
std::string CertificateOf(const IndexingMap& map) {
  Trace trace;
  IndexingMap after = Simplify(map, &trace);
  auto text = Certify(map, after, trace, RuleTable::Builtin());
  return text ? *text : "error: " + llvm::toString(text.takeError());
}

std::string CertificateOf(llvm::StringRef text) {
  Context context;
  auto map = ParseIndexingMap(text, context);
  EXPECT_TRUE(static_cast<bool>(map)) << text.str();
  return CertificateOf(*map);
}

TEST(CertifyTest, SimplificationsOfTheAcceptanceCases) {
  const char* kMaps[] = {
      "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]",
      "(d0) -> ((d0 floordiv 8) * 8 + d0 mod 8), domain: d0 in [0, 99]",
      ("(d0, d1)[s0] -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8 + s0), domain: d0 in [0, "
       "9], "
       "d1 in [0, 7], s0 in [0, 3]"),
      "(d0) -> ((d0 mod 12) floordiv 3), domain: d0 in [0, 99]",
      "(d0) -> ((d0 floordiv 4) floordiv 3, -(d0 floordiv -2)), domain: d0 in [0, 99]",
      "(d0) -> (d0 ceildiv 4, (d0 + 17) mod 4), domain: d0 in [-9, 99]",
      "(d0) -> (min(d0, 200), max(d0, -1)), domain: d0 in [0, 99]",
      "(d0) -> (d0), domain: d0 in [0, 99], d0 floordiv 4 in [2, 5], d0 * 3 in [10, 100]",
      "(d0, d1) -> (d0), domain: d0 in [0, 99], d1 in [0, 3], d0 * 4 + d1 in [8, 19]",
      "(d0) -> (d0), domain: d0 in [0, 99], d0 mod 4 in [1, 1], d0 mod 6 in [1, 1]",
      "(d0) -> (d0), domain: d0 in [2, 97], d0 mod 5 in [1, 1]",
      "(d0) -> (d0), domain: d0 in [0, 9], d0 + 3 in [20, 30]",
  };
  for (const char* map : kMaps) {
    std::string text = CertificateOf(llvm::StringRef(map));
    certificate::CheckResult verdict = Check(text);
    EXPECT_TRUE(verdict.accepted) << map << "\n" << text << verdict.problem;
  }
}

TEST(CertifyTest, MostRandomMaps) {
  int64_t accepted = 0, all = 0;
  rc::check("random maps", [&] {
    Context context;
    IndexingMap map = RandomMap(context, RandomShape());
    if (map.IsUndefined()) return;
    std::string text = CertificateOf(map);
    ++all;
    bool ok = Check(text).accepted;
    accepted += ok;
    // A correct step fails to be certified only at the limits of the checker's arithmetic.
    RC_ASSERT(ok || llvm::StringRef(text).contains("beyond the checker") ||
              llvm::StringRef(text).contains("no certificate"));
  });
  EXPECT_GE(accepted * 100, all * 80) << accepted << " of " << all;
}

// The numbers in the lines that count (comments and the header do not).
std::vector<std::pair<size_t, size_t>> Numbers(const std::string& text) {
  std::vector<std::pair<size_t, size_t>> found;
  bool comment = true;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') comment = at + 1 < text.size() && text[at + 1] == '#';
    bool digit = std::isdigit(static_cast<unsigned char>(text[at]));
    bool in_name = at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]));
    if (comment || !digit || in_name) continue;
    size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    found.push_back({at, end - at});
    at = end - 1;
  }
  return found;
}

// Whether the maps that a certificate claims to be equal are.
bool ClaimsTheTruth(const certificate::CheckResult& verdict) {
  Context context;
  auto first = ParseIndexingMap(verdict.first, context);
  auto last = ParseIndexingMap(verdict.last, context);
  if (!first || !last) {
    llvm::consumeError(first.takeError());
    llvm::consumeError(last.takeError());
    return false;
  }
  return ProveEqual(*first, *last).verdict == Verdict::kProved;
}

// Changing a number anywhere, dropping a line or doubling one leads to a rejection, or to another
// true statement.
RC_GTEST_PROP(CertifyTest, TamperedCertificatesAreRejectedOrTrue, ()) {
  Context context;
  IndexingMap map = RandomMap(context, {.dims = 2, .ranges = 1, .runtime = 0, .results = 2});
  if (map.IsUndefined()) return;
  std::string text = CertificateOf(map);
  if (!Check(text).accepted) return;
  std::string changed = text;
  std::string how = "number";
  if (Pick(0, 3) == 0) {
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n', -1, false);
    auto which = static_cast<size_t>(Pick(0, static_cast<int64_t>(lines.size()) - 1));
    bool drop = Pick(0, 1);
    how = drop ? "dropped line" : "doubled line";
    changed.clear();
    for (size_t k = 0; k < lines.size(); ++k) {
      for (int n = k != which ? 1 : drop ? 0 : 2; n > 0; --n) changed += lines[k].str() + "\n";
    }
  } else {
    auto numbers = Numbers(text);
    if (numbers.empty()) return;
    auto [at, size] = numbers[Pick(0, static_cast<int64_t>(numbers.size()) - 1)];
    int64_t value = std::stoll(text.substr(at, size));
    changed.replace(at, size, std::to_string(value + Pick(1, 3)));
  }
  certificate::CheckResult verdict = Check(changed);
  RC_TAG(how + (verdict.accepted ? ", accepted" : ", rejected"));
  RC_LOG() << changed;
  RC_ASSERT(!verdict.accepted || ClaimsTheTruth(verdict));
}

// Each line of this certificate matters.
TEST(CertifyTest, EachChangeOfAStepIsRejected) {
  const std::string right =
      "affirm certificate 1\n"
      "map (d0) -> (d0 floordiv 4), domain: d0 in [0, 99], d0 * 3 in [10, 100]\n"
      "  fact 0: scale 3, use fact 1 * 1\n"
      "map (d0) -> (d0 floordiv 4), domain: d0 in [4, 33]\n"
      "map (d0) -> ((d0 + 4) floordiv 4 - 1), domain: d0 in [4, 33]\n"
      "end\n";
  // Results need a scale.
  EXPECT_FALSE(Check(right).accepted);
  std::string with = right;
  with.replace(with.rfind("map"), 0, "  result 0: scale 4\n");
  ASSERT_TRUE(Check(with).accepted) << Check(with).problem;
  auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = with;
    text.replace(text.find(from), from.size(), to);
    return Check(text);
  };
  EXPECT_FALSE(changed("scale 3", "scale 4").accepted);
  EXPECT_FALSE(changed("use fact 1 * 1", "use fact 1 * 2").accepted);
  EXPECT_FALSE(changed("[4, 33]", "[4, 32]").accepted);
  EXPECT_FALSE(changed("[4, 33]", "[3, 33]").accepted);
  EXPECT_FALSE(changed("result 0", "result 1").accepted);
  EXPECT_FALSE(changed("- 1)", "- 2)").accepted);
  EXPECT_FALSE(changed("end", "").accepted);
  EXPECT_FALSE(changed("certificate 1", "certificate 2").accepted);
  EXPECT_FALSE(changed("floordiv 4", "floordiv 0").accepted);
}

TEST(CertifyTest, FalseStatementsHaveNone) {
  for (const char* to :
       {"(d0) -> (d0), domain: d0 in [0, 7]", "(d0) -> (d0 mod 4), domain: d0 in [0, 6]",
        "(d0) -> (d0 mod 4), domain: d0 in [0, 8]", "KNOWN EMPTY"}) {
    for (const char* hint : {"", "  result 0: scale 4\n", "  result 0: modulo fact 0 * 1\n"}) {
      std::string text =
          std::string("affirm certificate 1\nmap (d0) -> (d0 mod 4), domain: d0 in [0, 7]\n") +
          hint + "map " + to + "\nend\n";
      EXPECT_FALSE(Check(text).accepted) << text;
    }
  }
}

}  // namespace
}  // namespace affirm
