// affirm width: verdicts, exit statuses and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;
namespace json = llvm::json;

// One thread for each of 2^31 + 2 elements.
constexpr char kLarge[] =
    "(th, bl) -> (bl * 128 + th), domain: th in [0, 127], bl in [0, 16777216], "
    "bl * 128 + th in [0, 2147483649]";

json::Value Parse(const std::string& text) {
  auto value = json::parse(text);
  EXPECT_TRUE(!!value) << text;
  return value ? std::move(*value) : (llvm::consumeError(value.takeError()), json::Value(nullptr));
}

TEST(WidthVerbTest, ARefusalNamesTheIndex) {
  RunResult run = RunAffirm({"width", "--width", "32", kLarge});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("i32 signed: refuted"));
  EXPECT_THAT(run.out, HasSubstr("bl * 128 = 2147483648 at th = 0, bl = 16777216"));
  EXPECT_EQ(RunAffirm({"width", "--width", "64", kLarge}).status, 0);
  EXPECT_EQ(RunAffirm({"width", "--width", "32", "--unsigned", kLarge}).status, 0);
}

TEST(WidthVerbTest, TheNarrowestAsJson) {
  RunResult run = RunAffirm({"width", "--json", "--steps", kLarge});
  EXPECT_EQ(run.status, 0);
  json::Value value = Parse(run.out);
  const json::Object& answer = *value.getAsObject();
  EXPECT_EQ(answer.getInteger("width"), 33);
  EXPECT_EQ(answer.getString("verdict"), "proved");
  const json::Object* below = answer.getObject("below");
  ASSERT_TRUE(below);
  EXPECT_EQ(below->getString("verdict"), "refuted");
  EXPECT_EQ(below->getObject("counterexample")->getString("machine"), "-2147483648");
  EXPECT_EQ(answer.getArray("steps")->size(), 6u);
}

TEST(WidthVerbTest, NoWidthIsEnough) {
  RunResult run = RunAffirm({"width", "(d0) -> (d0 * 4), domain: d0 in [0, 9000000000000000000]"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("36000000000000000000"));
}

TEST(WidthVerbTest, BadInput) {
  EXPECT_EQ(RunAffirm({"width"}).status, 3);
  EXPECT_EQ(RunAffirm({"width", "--width", "65", kLarge}).status, 3);
  EXPECT_EQ(RunAffirm({"width", "--rfc", kLarge}).status, 3);
  EXPECT_EQ(RunAffirm({"width", "(d0) -> (d0 mod 0)"}).status, 3);
}

TEST(WidthVerbTest, Kernels) {
  TemporaryFile large("large.hlo",
                      "HloModule m\nENTRY e {\n  p = s8[2147483650] parameter(0)\n"
                      "  ROOT n = s8[2147483650] negate(p)\n}\n");
  RunResult run = RunAffirm({"width", "--kernels", large.path()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("e: i64, proved; i32 is refused: "));
  EXPECT_THAT(run.out, HasSubstr("at bl_x = "));
  run = RunAffirm({"width", "--kernels", "--width", "32", large.path()});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("muli: 2147483648 at bl_x = 16777216, does not fit in 32 bits"));
  EXPECT_EQ(RunAffirm({"emit", "--index-width", "32", large.path()}).status, 3);
  EXPECT_THAT(RunAffirm({"emit", "--stage", "llvm", large.path()}).out,
              HasSubstr("mul nuw nsw i64"));
  run = RunAffirm({"emit", "--stage", "llvm", "corpus/hlo/elementwise.hlo"});
  EXPECT_THAT(run.out, HasSubstr("mul nuw nsw i32"));
}

TEST(WidthVerbTest, TheRewritesOfTheRfc) {
  RunResult run = RunAffirm({"width", "--rfc"});
  EXPECT_NE(run.out.find("index_cast, iM -> index, index of 16 to 64 bits: i8, i16\n"),
            std::string::npos);
  EXPECT_NE(run.out.find("index_castui, index -> iM, index of 16 to 32 bits: i32, i64\n"),
            std::string::npos);
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("with exact on the (inner) cast, 32 of 32 are sound at every "
                                 "width, and 2 of 16 pairs of different casts"));
  EXPECT_THAT(run.out, HasSubstr("index_castui(index_cast(x)) -> x, i16 -> index -> i16\n"
                                 "  no exact: sound at 16 to 64 bits, for at least 16 bits\n"));
  EXPECT_THAT(
      run.out,
      HasSubstr("0x8000 through i8: index of 16 bits, x = 0x8000: before 0x0, after 0x8000"));
}

}  // namespace
}  // namespace affirm::testing
