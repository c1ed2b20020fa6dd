// The texts on a page: the lines of HLO before and after a pass, the LLVM IR of kernels, op_names.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "driver/explore/explore.h"
#include "driver/explore/kernel_source.h"
#include "driver/explore/line_diff.h"
#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm {
namespace {

using driver::AlignLines;
using driver::DiffBudget;
using driver::DiffJson;
using driver::LineDiff;
using llvm::json::Array;
using llvm::json::Object;
using testing::TemporaryFile;

using Matches = std::vector<std::pair<int64_t, int64_t>>;

std::string RandomText(std::mt19937& random, int letters, int most) {
  std::string text;
  const int lines = static_cast<int>(random() % (most + 1));
  for (int k = 0; k < lines; ++k) text += std::string(1, 'a' + random() % letters) + "\n";
  return text;
}

int64_t LongestCommonSubsequence(const LineDiff& diff) {
  const size_t rows = diff.before.size(), columns = diff.after.size();
  std::vector<std::vector<int64_t>> length(rows + 1, std::vector<int64_t>(columns + 1));
  for (size_t r = rows; r-- > 0;) {
    for (size_t c = columns; c-- > 0;) {
      length[r][c] = diff.before[r] == diff.after[c] ? length[r + 1][c + 1] + 1
                                                     : std::max(length[r + 1][c], length[r][c + 1]);
    }
  }
  return length[0][0];
}

// The lines that the rows of a diff hold or count, in order, as numbers; checks the texts.
void ExpectRowsHoldBothTexts(const LineDiff& diff, const Object& json) {
  int64_t a = 0, b = 0, removed = 0, added = 0;
  for (const llvm::json::Value& value : *json.getArray("rows")) {
    const Array& row = *value.getAsArray();
    if (row.size() == 1) {
      for (int64_t n = *row[0].getAsInteger(); n > 0; --n, ++a, ++b)
        ASSERT_EQ(diff.before[a], diff.after[b]);
      continue;
    }
    const int64_t in_a = *row[0].getAsInteger(), in_b = *row[1].getAsInteger();
    if (in_a > 0) {
      ASSERT_EQ(in_a, ++a);
      ASSERT_EQ(row[2].getAsString(), diff.before[a - 1]);
    }
    if (in_b > 0) {
      ASSERT_EQ(in_b, ++b);
      ASSERT_EQ(row[row.size() - 1].getAsString(), diff.after[b - 1]);
    }
    removed += row.size() == 4 && in_a > 0;
    added += row.size() == 4 && in_b > 0;
  }
  EXPECT_EQ(a, std::ssize(diff.before));
  EXPECT_EQ(b, std::ssize(diff.after));
  EXPECT_EQ(removed, json.getInteger("removed"));
  EXPECT_EQ(added, json.getInteger("added"));
  EXPECT_EQ(removed, a - std::ssize(diff.matches));
  EXPECT_EQ(added, b - std::ssize(diff.matches));
}

TEST(LineDiff, MatchesEqualLinesInOrder) {
  EXPECT_EQ(AlignLines("a\nb\nc\n", "a\nx\nc\n").matches, (Matches{{0, 0}, {2, 2}}));
  EXPECT_EQ(AlignLines("", "a").matches, Matches{});
  EXPECT_EQ(AlignLines("a", "a\n").matches, (Matches{{0, 0}}));
  EXPECT_EQ(AlignLines("a\r\nb", "a\nb").matches, (Matches{{0, 0}, {1, 1}}));
  EXPECT_EQ(AlignLines("\n\n", "\n").before.size(), 2U);
}

TEST(LineDiff, MatchesOnlyEqualLinesAndMostOfThem) {
  std::mt19937 random(7);
  int64_t matched = 0, longest = 0;
  for (int k = 0; k < 3000; ++k) {
    const int letters = 1 + static_cast<int>(random() % 12);
    const std::string before = RandomText(random, letters, 40);
    const std::string after = RandomText(random, letters, 40);
    const LineDiff diff = AlignLines(before, after);
    std::pair<int64_t, int64_t> last{-1, -1};
    for (const auto& match : diff.matches) {
      ASSERT_LT(last.first, match.first) << before << "---\n" << after;
      ASSERT_LT(last.second, match.second) << before << "---\n" << after;
      ASSERT_EQ(diff.before[match.first], diff.after[match.second]);
      last = match;
    }
    matched += std::ssize(diff.matches);
    longest += LongestCommonSubsequence(diff);
    ASSERT_EQ(AlignLines(before, before).matches.size(), diff.before.size());
  }
  EXPECT_LE(matched, longest);
  EXPECT_GT(matched * 100, longest * 97);
}

TEST(LineDiff, RowsHoldBothTexts) {
  std::mt19937 random(8);
  for (int k = 0; k < 1000; ++k) {
    const int letters = 1 + static_cast<int>(random() % 30);
    const std::string before = RandomText(random, letters, 60),
                      after = k % 3 == 0 ? before : RandomText(random, letters, 60);
    const LineDiff diff = AlignLines(before, after);
    DiffBudget budget;
    const Object json = DiffJson(diff, budget);
    EXPECT_EQ(json.getInteger("left_out"), 0);
    ExpectRowsHoldBothTexts(diff, json);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(LineDiff, LinesOfOneNameStandBesideEachOther) {
  const LineDiff diff = AlignLines("  one = f32[] constant(1)\n  %sum = f32[] add(one, p)\n",
                                   "  ROOT %sum = f32[] add(p, p)\n  last = f32[] negate(sum)\n");
  DiffBudget budget;
  const Object json = DiffJson(diff, budget);
  const Array& rows = *json.getArray("rows");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ((*rows[1].getAsArray())[0].getAsInteger(), 2);
  EXPECT_EQ((*rows[1].getAsArray())[1].getAsInteger(), 1);
  ExpectRowsHoldBothTexts(diff, json);
}

// A table of all pairs of these lines would have 1.6 * 10^9 cells.
TEST(LineDiff, LongTextsAreAlignedAndShownInPart) {
  for (const int letters : {1, 2, 26}) {
    std::mt19937 random(letters);
    std::string before, after;
    for (int k = 0; k < 40'000; ++k) {
      before += std::string(1, 'a' + random() % letters) + (k % 9 == 0 ? std::to_string(k) : "");
      before += "\n";
      after += std::string(1, 'a' + random() % letters) + (k % 9 == 4 ? std::to_string(k) : "");
      after += "\n";
    }
    const LineDiff diff = AlignLines(before, after);
    DiffBudget budget;
    const Object json = DiffJson(diff, budget);
    EXPECT_LE(json.getArray("rows")->size(), 402U);
    EXPECT_GT(json.getInteger("left_out"), 0);
  }
}

// Each anchor makes a line of both parts beside it unique.
TEST(LineDiff, FindsAnchorsWithinPartsBetweenAnchors) {
  std::string before = "a\n", after = "b\n";
  for (int k = 0; k < 14; ++k) {
    const std::string middle = "m" + std::to_string(k) + "\n";
    before += middle + before;
    after += middle + after;
  }
  EXPECT_EQ(AlignLines(before, after).matches.size(), (size_t{1} << 14) - 1);
}

TEST(LineDiff, KeepsToItsBudget) {
  DiffBudget budget{.bytes = 2000};
  std::string before, after;
  for (int k = 0; k < 100; ++k) {
    before += std::string(60, 'a') + std::to_string(k) + "\n";
    after += std::string(60, 'b') + std::to_string(k) + "\n";
  }
  int64_t rows = 0;
  for (int k = 0; k < 3; ++k) {
    const Object json = DiffJson(AlignLines(before, after), budget);
    rows += std::ssize(*json.getArray("rows"));
    EXPECT_EQ(*json.getInteger("left_out") + std::ssize(*json.getArray("rows")), 100);
  }
  EXPECT_GE(budget.bytes, 0);
  EXPECT_GT(rows, 5);
  EXPECT_LT(rows, 20);
}

TEST(LineDiff, CutsLongLinesAroundTheirFirstDifference) {
  for (size_t shift = 0; shift < 5; ++shift) {
    std::string part;
    for (int k = 0; k < 5000; ++k) part += "ü€";
    part += std::string(shift, 'a');
    DiffBudget budget;
    const Object json = DiffJson(AlignLines(part + "old" + part, part + "new" + part), budget);
    const Array& row = *(*json.getArray("rows"))[0].getAsArray();
    for (const auto& [place, word] : {std::pair(2, "old"), std::pair(3, "new")}) {
      const llvm::StringRef text = *row[place].getAsString();
      EXPECT_LT(text.size(), 300U);
      EXPECT_TRUE(text.contains(word)) << text.str();
      EXPECT_TRUE(text.starts_with("… ")) << text.str();
      EXPECT_FALSE(text.contains("\xEF\xBF\xBD")) << text.str();  // half a character
    }
  }
}

Object DataOf(const driver::ExploreOptions& options) {
  auto page = driver::ExplorePage(options, [](const std::string&) {});
  EXPECT_TRUE(bool(page)) << llvm::toString(page.takeError());
  if (!page) return {};
  auto [before, rest] = llvm::StringRef(page->html).split("id=\"data\">");
  auto json = llvm::json::parse(rest.split("</script>").first);
  EXPECT_TRUE(bool(json));
  return json ? *json->getAsObject() : Object{};
}

const Object& ModuleOf(const Object& data, size_t number) {
  return *(*data.getArray("modules"))[number].getAsObject();
}

TEST(KernelSource, HasTheLinesThatAccessesName) {
  for (const char* name : {"softmax", "transpose", "row_reduction", "concatenate_odd"}) {
    const std::string path = "corpus/hlo/" + std::string(name) + ".hlo";
    const Object data = DataOf({.input = path, .check = false});
    for (const llvm::json::Value& value : *ModuleOf(data, 0).getArray("kernels")) {
      const Object& kernel = *value.getAsObject();
      const Array* source = kernel.getArray("source");
      ASSERT_TRUE(source) << path;
      ASSERT_EQ(source->size(), 1U);
      const Object& part = *(*source)[0].getAsObject();
      const Array& lines = *part.getArray("lines");
      EXPECT_EQ(kernel.getInteger("source_lines"), std::ssize(lines));
      EXPECT_TRUE(lines.front().getAsString()->starts_with("define "));
      EXPECT_EQ(lines.back().getAsString(), "}");
      for (const llvm::json::Value& group : *kernel.getArray("groups")) {
        const int64_t line = *group.getAsObject()->getInteger("line");
        const size_t place = line - *part.getInteger("first");
        ASSERT_LT(place, lines.size());
        EXPECT_EQ(lines[place].getAsString()->trim(), group.getAsObject()->getString("text"));
      }
    }
  }
}

// A kernel with this number of pairs of a load and a store.
std::string LongKernel(int pairs) {
  std::string text = "; before\ndefine ptx_kernel void @k(ptr %a, ptr %r) {\n";
  for (int k = 0; k < pairs; ++k) {
    const std::string n = std::to_string(k);
    text += "  %p" + n + " = getelementptr float, ptr %a, i32 " + n + "\n";
    text += "  %x" + n + " = load float, ptr %p" + n + "\n";
    text += "  %q" + n + " = getelementptr float, ptr %r, i32 " + n + "\n";
    text += "  store float %x" + n + ", ptr %q" + n + "\n";
  }
  return text + "  ret void\n}\n; behind\n";
}

TEST(KernelSource, OfALongKernelHasTheLinesAroundAccesses) {
  const std::string text = LongKernel(1000);
  auto ir = kernel::ReadKernelIr(text, "k.ll");
  ASSERT_TRUE(bool(ir)) << llvm::toString(ir.takeError());
  driver::KernelBudget budget;
  Object json;
  driver::AddSource({*ir, text}, {4, 6, 2000, 4001}, budget, json);
  EXPECT_EQ(json.getInteger("source_lines"), 4003);
  std::set<int64_t> shown;
  for (const llvm::json::Value& part : *json.getArray("source")) {
    const int64_t first = *part.getAsObject()->getInteger("first");
    for (int64_t k = 0; k < std::ssize(*part.getAsObject()->getArray("lines")); ++k)
      EXPECT_TRUE(shown.insert(first + k).second);
  }
  for (int64_t line : {2, 4, 6, 1994, 2000, 2006, 4001, 4004}) EXPECT_TRUE(shown.contains(line));
  EXPECT_LT(shown.size(), 60U);
  EXPECT_FALSE(shown.contains(1));
  EXPECT_FALSE(shown.contains(4005));
}

TEST(KernelSource, IsLeftOutBeyondItsBudgetAndWithoutAText) {
  const std::string text = LongKernel(10);
  auto ir = kernel::ReadKernelIr(text, "k.ll");
  ASSERT_TRUE(bool(ir)) << llvm::toString(ir.takeError());
  driver::KernelBudget budget{.source_bytes = 500};
  Object json;
  driver::AddSource({*ir, text}, {4}, budget, json);
  driver::AddSource({*ir, ""}, {4}, budget, json);
  EXPECT_TRUE(json.empty());
}

TEST(OpName, IsReadFromTheMetadata) {
  const TemporaryFile file("m.hlo", R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] negate(p), metadata={op_type="op_name=\"x\"" op_name="jit(f)/\"q\"\\/neg" source_line=3}
  b = f32[4] negate(a), metadata={source_file="op_name=x"}
  ROOT c = f32[4] negate(b), metadata={op_name=""}
})");
  const Object data = DataOf({.input = file.path(), .check = false});
  const Array& ops =
      *(*ModuleOf(data, 0).getArray("computations"))[0].getAsObject()->getArray("instructions");
  EXPECT_EQ(ops[1].getAsObject()->getString("op_name"), "jit(f)/\"q\"\\/neg");
  for (const size_t k : {0, 2, 3}) EXPECT_FALSE(ops[k].getAsObject()->getString("op_name"));
}

// The status of a module is its own, and that of the file is the worst.
TEST(Page, ModulesOfAFileHaveTheirOwnVerdicts) {
  const TemporaryFile file("m.hlo", R"(HloModule open
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[4] custom-call(p), custom_call_target="unknown"
}

HloModule good
ENTRY e {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
})");
  auto page = driver::ExplorePage({.input = file.path()}, [](const std::string&) {});
  ASSERT_TRUE(bool(page)) << llvm::toString(page.takeError());
  const Object data = DataOf({.input = file.path()});
  EXPECT_EQ(ModuleOf(data, 0).getInteger("status"), 2);
  EXPECT_EQ(ModuleOf(data, 1).getInteger("status"), 0);
  EXPECT_EQ(page->status, 2);
  EXPECT_EQ(page->verdict, ModuleOf(data, 0).getString("verdict"));
}

}  // namespace
}  // namespace affirm
