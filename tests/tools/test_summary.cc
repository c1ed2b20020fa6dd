// The output of a check fits a screen, and has everything in it that is wrong or open.
#include <gtest/gtest.h>

#include "driver/check/check.h"
#include "llvm/ADT/StringExtras.h"
#include "tests/parse_module.h"
#include "verify/reference/arguments.h"
#include "verify/reference/interpreter.h"

namespace affirm::driver {
namespace {

std::string SummaryOf(const ModuleReport& report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintSummary(ToRunReport(report), os);
  return text;
}

ModuleReport Checked(const std::string& text, FaultInjection faults = {}) {
  CheckOptions options;
  options.faults = std::move(faults);
  return Checker(options).Check(*testing::ParseOrFail(text), "m.hlo", [](llvm::StringRef) {});
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kReversed = R"(HloModule m
ENTRY e {
  p = f32[4,8] parameter(0)
  r = f32[4,8] reverse(p), dimensions={1}
  ROOT n = f32[4,8] negate(r)
})";

TEST(Summary, SaysWhatWasCovered) {
  const std::string text = SummaryOf(Checked(kReversed));
  EXPECT_TRUE(Has(text, "2 of 2 are proved to be what is read")) << text;
  EXPECT_TRUE(Has(text, "1 of 1 are proved, all claims about their LLVM IR")) << text;
  EXPECT_TRUE(Has(text, "1 of 1 that ran agree with the interpreter, largest error 0 ULP")) << text;
  EXPECT_TRUE(Has(text, "\nverdict: affirmed: 3 of 3 instructions")) << text;
  EXPECT_LT(llvm::StringRef(text).count('\n'), 12u) << text;
}

// Powers of complex numbers, less what the interpreter has for them: kernels have another formula,
// so that what is left is noise on all arguments.
TEST(Summary, WhatNoRunTestsIsNotCovered) {
  auto module = [](const std::string& result, const std::string& constant) {
    return "HloModule m\nENTRY e { x = f64[64] parameter(0) z = f64[] constant(0) zs = f64[64] "
           "broadcast(z), dimensions={} n = f64[64] multiply(x, zs) i = f64[64] iota(), "
           "iota_dimension=0 k = f64[] constant(0.0371) ks = f64[64] broadcast(k), dimensions={} "
           "t = f64[64] multiply(i, ks) o = f64[] constant(0.3) os = f64[64] broadcast(o), "
           "dimensions={} b = f64[64] add(t, os) a = f64[64] add(n, b) c = c128[64] complex(a, b) "
           "w = c128[64] power(c, c) r = f64[64] real(w) v = f64[64] constant(" +
           constant + ") ROOT d = f64[64] " + result + "(r, v) }";
  };
  const std::string zeros = "{" + llvm::join(std::vector<std::string>(64, "0"), ", ") + "}";
  auto powers = testing::ParseOrFail(module("add", zeros));
  auto value = hlo::Interpret(*powers->entry,
                              hlo::MakeArguments(*powers->entry, 0, hlo::ArgumentKind::kSmall));
  ASSERT_TRUE(static_cast<bool>(value));
  const std::string text = SummaryOf(Checked(module("subtract", value->ToString())));
  EXPECT_TRUE(Has(text, "verdict: UNKNOWN: element")) << text;
  EXPECT_TRUE(Has(text, "was not tested: roundings move it by more than a tenth")) << text;
  // With digits that are the same in both.
  EXPECT_TRUE(Has(SummaryOf(Checked(module("add", zeros))), "verdict: affirmed"));
}

TEST(Summary, ShowsWhatIsWrong) {
  FaultInjection faults;
  faults.op_map = [](const hlo::Instruction& op, int64_t, LabeledMap& map) {
    if (op.name != "r") return;
    SymbolicExpr row = map.map.results()[0], column = map.map.results()[1];
    map.map.SetResults({row, column + 1});
  };
  const std::string text = SummaryOf(Checked(kReversed, std::move(faults)));
  EXPECT_TRUE(Has(text, "1 of 2 are proved to be what is read")) << text;
  EXPECT_TRUE(Has(text, "REFUTED 4:3: map of reverse 'r'")) << text;
  EXPECT_TRUE(Has(text, "replay: affirm check m.hlo --seed 0")) << text;
  EXPECT_TRUE(Has(text, "\nverdict: REFUTED: ")) << text;
}

// Things that differ in places, names and numbers alone are one line; kinds beyond a screen are
// counted.
TEST(Summary, FitsAScreen) {
  ModuleReport report = Checked(kReversed);
  for (int k = 0; k < 500; ++k) {
    const std::string place = "m.hlo:" + std::to_string(k + 10) + ":3: ";
    report.findings.push_back({Finding::Kind::kUnknown,
                               place + "no kernel computes fft 'fft." + std::to_string(k) + "'",
                               "replay it"});
  }
  for (int k = 0; k < 40; ++k) {
    report.findings.push_back(
        {Finding::Kind::kUnknown,
         "open " + std::string(k + 1, 'x') + std::string(1000, ' ') + "\nand more", ""});
    report.findings.push_back(
        {Finding::Kind::kRefuted, "wrong " + std::string(k + 1, 'y'), "affirm check w"});
  }
  const std::string text = SummaryOf(report);
  EXPECT_LE(llvm::StringRef(text).count('\n'), 40u) << text;
  EXPECT_TRUE(Has(text, "UNKNOWN (500 alike) 10:3: no kernel computes fft 'fft.0'")) << text;
  EXPECT_TRUE(Has(text, "REFUTED wrong y\n")) << text;
  EXPECT_TRUE(Has(text, "and 30 more of other kinds (-v)")) << text;
  EXPECT_TRUE(Has(text, "replay: affirm check w\n")) << text;
  EXPECT_TRUE(Has(text, "\nverdict: REFUTED: wrong y; covered: ")) << text;
}

}  // namespace
}  // namespace affirm::driver
