// A simplifier without a fault has no finding in many maps, and faults are found with other seeds.
#include <gtest/gtest.h>

#include "driver/oracle/program_audit.h"
#include "tests/oracle/faults.h"

namespace affirm {
namespace {

driver::ProgramAuditReport Audit(const std::string& arguments,
                                 driver::ProgramAuditOptions options) {
  options.command = std::string(AFFIRM_SIMPLIFIER_PROGRAM) + " " + arguments;
  auto report = driver::AuditProgram(options);
  if (!report) {
    ADD_FAILURE() << llvm::toString(report.takeError());
    return {};
  }
  return std::move(*report);
}

std::string TextOf(const driver::ProgramAuditReport& report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  driver::PrintReport(report, os);
  return text;
}

TEST(ProgramAuditLong, WithoutAFaultThereIsNoFinding) {
  for (auto language : {fuzz::TermLanguage::kAffine, fuzz::TermLanguage::kAll}) {
    driver::ProgramAuditOptions options;
    options.runs = 20000;
    options.seed = 11;
    options.language = language;
    driver::ProgramAuditReport report = Audit("", options);
    EXPECT_EQ(report.tried, 20000);
    EXPECT_EQ(report.NumFindings(), 0) << TextOf(report);
    EXPECT_LE(report.unknown.size(), 20u) << TextOf(report);
  }
}

TEST(ProgramAuditLong, EveryFaultIsFoundWithOtherSeeds) {
  for (uint64_t seed : {1, 2, 3}) {
    for (size_t i = 0; i < testing::Faults().size(); ++i) {
      driver::ProgramAuditOptions options;
      options.runs = 1500;
      options.max_reductions = 1;
      options.seed = seed;
      driver::ProgramAuditReport report = Audit("--fault " + std::to_string(i), options);
      EXPECT_GT(report.NumFindings(), 0)
          << "fault " << i << ", " << testing::Faults()[i].what << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace affirm
