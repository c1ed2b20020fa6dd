// Tests of the reader of maps: tokens, and properties of texts that are made at random.
#include <string>

#include "core/indexing/map_text.h"
#include "core/symbolic/lexer.h"
#include "fuzz/generators/map_generator.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace affirm {
namespace {

std::string ErrorOf(llvm::StringRef text) {
  Context context;
  auto map = ParseIndexingMap(text, context, "m");
  return map ? "read: " + map->ToString() : llvm::toString(map.takeError());
}

TEST(Lexer, TakesATokenAtAStep) {
  const std::string text = "d0.x_1 // (\n->-  3floordiv\t-12)/2 \x80";
  Lexer lexer(TextCursor(text, "m"));
  std::string kinds, tokens;
  for (; !lexer.Is(Lexer::kEnd); lexer.Next()) {
    for (char kind : {Lexer::kWord, Lexer::kNumber, Lexer::kArrow, Lexer::kOther, '-', '/', ')'}) {
      if (lexer.Is(kind)) kinds += kind;
    }
    tokens += lexer.token().str() + (lexer.IsSign() ? "+" : "") + (lexer.IsAdjacent() ? "&" : "");
    tokens += '|';
  }
  EXPECT_EQ(kinds, "wa-0w-0)/0o");
  EXPECT_EQ(tokens, "d0.x_1&|->|-&|3|floordiv&|-+|12&|)&|/&|2&|\x80|");
  EXPECT_EQ(lexer.at(), text.size());
}

TEST(Lexer, ReadsIntegersOfEachSize) {
  for (int64_t value : {int64_t{0}, int64_t{-7}, int64_t{999999999999999999},
                        int64_t{-1000000000000000000}, kInt64Max, kInt64Min}) {
    const std::string text = std::to_string(value) + "d0";
    Lexer lexer(TextCursor(text, "m"));
    EXPECT_EQ(lexer.TakeInteger(), value);
    EXPECT_TRUE(lexer.IsWord("d0") && lexer.IsAdjacent());
  }
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "99999999999999999999"}) {
    Lexer lexer(TextCursor(text, "m"));
    EXPECT_EQ(lexer.TakeInteger(), std::nullopt);
    EXPECT_EQ(lexer.at(), 0u);
  }
}

TEST(MapText, NamesOfOtherPlacesAndKindsAreNames) {
  EXPECT_EQ(ErrorOf("(d1, d0) -> (d0 * 2 + d1), domain: d0 in [0, 1], d1 in [0, 2]"),
            "read: (d1, d0) -> (d0 * 2 + d1), domain: d1 in [0, 2], d0 in [0, 1]");
  EXPECT_EQ(ErrorOf("(s0)[d0, s1] -> (s0 + s1 * 3 - d0),"
                    " domain: d0 in [0, 1], s0 in [0, 2], s1 in [0, 3]"),
            "read: (s0)[d0, s1] -> (s1 * 3 + s0 - d0),"
            " domain: s0 in [0, 2], d0 in [0, 1], s1 in [0, 3]");
  EXPECT_EQ(ErrorOf("(d00) -> (d0), domain: d00 in [0, 1]"),
            "m:1:11: error: unknown variable 'd0'");
  EXPECT_EQ(ErrorOf("(x, d0)[x] -> ()"), "m:1:9: error: variable 'x' is declared twice");
  EXPECT_EQ(ErrorOf("(d0, d1)[d1] -> ()"), "m:1:10: error: variable 'd1' is declared twice");
  EXPECT_EQ(ErrorOf("(z, a)[d0] -> ()"), "m:1:1: error: variable 'a' has no bounds in the domain");
  EXPECT_EQ(ErrorOf("(min) -> (min(min, 2min)), domain: min in [0, 1]"),
            "read: (min) -> (min(min * 2, min)), domain: min in [0, 1]");
}

TEST(MapText, ErrorsOfTokensNameTheirLocation) {
  EXPECT_EQ(ErrorOf("(d0) - > (d0)"),
            "m:1:6: error: expected '->' between the variables and the results");
  EXPECT_EQ(ErrorOf("(d0) -> (->)"), "m:1:10: error: expected an integer");
  EXPECT_EQ(ErrorOf("(d0) -> (d0 -\n -9223372036854775809)"),
            "m:2:2: error: the integer leaves 64 bits");
  EXPECT_EQ(ErrorOf("(d0) -> (d0), domain: d0 in [0, - 1]"), "m:1:33: error: expected an integer");
  EXPECT_EQ(ErrorOf("(d0) -> (2_x)"), "m:1:11: error: expected ')' after the results");
  EXPECT_EQ(ErrorOf("(d0) -> (2x)"), "m:1:11: error: expected ')' after the results");
  EXPECT_EQ(ErrorOf("#xla.indexing_map<\"() -> ()>"),
            "m:1:28: error: expected '\"' to close the attribute");
}

IndexingMap MapOf(fuzz::Choices& choices, Context& context) {
  fuzz::MapLimits limits;
  limits.extreme = choices.OneIn(2);
  return fuzz::GenerateMap(choices, context, limits);
}

RC_GTEST_PROP(MapTextProperty, WhatIsPrintedReadsBack, (std::vector<uint8_t> bytes)) {
  Context context;
  fuzz::Choices choices(bytes);
  const IndexingMap map = MapOf(choices, context);
  auto read = ParseIndexingMap(map.ToString(), context);
  RC_ASSERT(static_cast<bool>(read));
  RC_ASSERT(*read == map);
}

// Changes a few places of a text.
std::string Mutated(std::string text, fuzz::Choices& choices) {
  for (int64_t n = choices.Between(1, 5); n > 0; --n) {
    const size_t at = choices.Below(text.size() + 1);
    const size_t length = choices.Between(0, 3);
    const std::string piece =
        choices.OneIn(4) ? text.substr(choices.Below(text.size() + 1), choices.Between(1, 20))
                         : choices.Pick({"",         "(",    ")",     "-",   "->",      "//", ",",
                                         "\n",       "min(", "max(",  "d0",  "s9",      "in", "[",
                                         "floordiv", "mod",  "0",     "99",  "-0",      "{",  "\"",
                                         "domain:",  "x.y",  "\x80",  "#",   "ceildiv", "*",  "+",
                                         "/",        "%",    "KNOWN", "]}>", "[0, 3]"});
    text.replace(at, length, piece);
  }
  return text;
}

// A changed text is a map that prints and reads back, or an error that names a place.
RC_GTEST_PROP(MapTextProperty, ChangedTextIsReadOrRejected, (std::vector<uint8_t> bytes)) {
  Context context;
  fuzz::Choices choices(bytes);
  const IndexingMap map = MapOf(choices, context);
  const std::string text = Mutated(map.ToString(), choices);
  auto read = ParseIndexingMap(text, context, "m");
  if (!read) {
    const std::string error = llvm::toString(read.takeError());
    RC_ASSERT(llvm::StringRef(error).starts_with("m:"));
    RC_ASSERT(error.find(": error: ") != std::string::npos);
    return;
  }
  auto again = ParseIndexingMap(read->ToString(), context);
  RC_ASSERT(static_cast<bool>(again));
  RC_ASSERT(*again == *read);
  auto written = ParseWrittenMap(text, context);
  RC_ASSERT(static_cast<bool>(written));
}

}  // namespace
}  // namespace affirm
