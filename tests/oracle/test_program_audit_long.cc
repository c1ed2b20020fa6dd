// A simplifier without a fault has no finding in many maps, and faults are found with other seeds.
// AFFIRM_CASES says how many maps; 20000 takes minutes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

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

int64_t Cases() {
  const char* wanted = std::getenv("AFFIRM_CASES");
  return wanted ? std::max<int64_t>(std::atoll(wanted), 1) : 1000;
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
    options.runs = Cases();
    options.seed = 11;
    options.language = language;
    driver::ProgramAuditReport report = Audit("", options);
    EXPECT_EQ(report.tried, Cases());
    EXPECT_EQ(report.NumFindings(), 0) << TextOf(report);
    EXPECT_LE(report.unknown.size(), 20u) << TextOf(report);
  }
}

TEST(ProgramAuditLong, EveryFaultIsFoundWithOtherSeeds) {
  // With few cases one seed, and every eighth fault.
  const bool all = Cases() >= 20000;
  for (uint64_t seed = 1; seed <= (all ? 3 : 1); ++seed) {
    for (size_t i = 0; i < testing::Faults().size(); i += all ? 1 : 8) {
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
