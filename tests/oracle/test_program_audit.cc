// The audit of programs finds each fault of a simplifier that has one, and makes it small.
#include <gtest/gtest.h>

#include "core/indexing/map_text.h"
#include "driver/exit_status.h"
#include "driver/oracle/program_audit.h"
#include "tests/oracle/faults.h"

namespace affirm {
namespace {

using driver::Cause;
using driver::FaultKind;
using driver::ProgramAuditOptions;
using driver::ProgramAuditReport;

ProgramAuditReport Audit(const std::string& arguments, ProgramAuditOptions options = {}) {
  options.command = std::string(AFFIRM_SIMPLIFIER_PROGRAM) + " " + arguments;
  auto report = driver::AuditProgram(options);
  if (!report) {
    ADD_FAILURE() << llvm::toString(report.takeError());
    return {};
  }
  return std::move(*report);
}

std::string TextOf(const ProgramAuditReport& report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  driver::PrintReport(report, os);
  return text;
}

int64_t Count(const ProgramAuditReport& report, FaultKind kind) {
  return report.kinds[static_cast<size_t>(kind)];
}

const Cause* CauseOf(const ProgramAuditReport& report, FaultKind kind) {
  for (const Cause& cause : report.causes) {
    if (cause.kind == kind) return &cause;
  }
  return nullptr;
}

void ExpectSmall(const std::string& text) {
  Context context;
  auto map = ParseWrittenMap(text, context);
  ASSERT_TRUE(static_cast<bool>(map)) << llvm::toString(map.takeError());
  EXPECT_LE(map->vars[0].size() + map->vars[1].size() + map->vars[2].size(), 2u) << text;
  EXPECT_LE(map->constraints.size(), 2u) << text;
}

class FaultyProgram : public ::testing::TestWithParam<size_t> {};

TEST_P(FaultyProgram, IsFoundAndItsMapMadeSmall) {
  SCOPED_TRACE(testing::Faults()[GetParam()].what);
  ProgramAuditOptions options;
  options.runs = 500;
  options.idempotence = false;
  options.max_reductions = 1;
  ProgramAuditReport report = Audit("--fault " + std::to_string(GetParam()), options);
  EXPECT_EQ(report.status(), driver::kDifferent);
  ASSERT_EQ(report.causes.size(), 1u);
  ExpectSmall(report.causes[0].map);
  EXPECT_TRUE(report.causes[0].witness.has_value()) << report.causes[0].map;
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultyProgram,
                         ::testing::Range(size_t{0}, testing::Faults().size()));

TEST(ProgramAudit, WithoutAFaultThereIsNoFinding) {
  for (const char* arguments : {"", "--conduct unused", "--conduct names", "--conduct lines",
                                "--conduct crlf", "--conduct errors"}) {
    SCOPED_TRACE(arguments);
    ProgramAuditOptions options;
    options.runs = 300;
    options.seed = 5;
    options.language = fuzz::TermLanguage::kAll;
    // It notices variables that are unused after the first time only at the second.
    options.idempotence = std::string(arguments) != "--conduct unused";
    ProgramAuditReport report = Audit(arguments, options);
    EXPECT_EQ(report.NumFindings(), 0) << TextOf(report);
    EXPECT_EQ(report.tried, 300);
    EXPECT_EQ(report.equal + static_cast<int64_t>(report.unknown.size()), report.tried);
  }
}

struct Conduct {
  const char* arguments;
  FaultKind kind;
  const char* says;  // part of why
};

constexpr Conduct kConducts[] = {
    {"--conduct signal", FaultKind::kCrash, "signal 11"},
    {"--conduct status", FaultKind::kCrash, "exit status 7, and it said: no such modulus"},
    {"--conduct half", FaultKind::kUnreadable, "answer:1:"},
    {"--conduct nothing", FaultKind::kMissing, "0 maps printed for 1"},
    {"--conduct twice", FaultKind::kSurplus, "2 maps printed for 1"},
    {"--conduct gigabytes", FaultKind::kTooMuch, "bytes of output"},
    {"--conduct hang", FaultKind::kHang, "no end after 0.2 s"},
    {"--conduct sides", FaultKind::kNotIdempotent, "asked about its answer it prints"},
};

class MisbehavingProgram : public ::testing::TestWithParam<Conduct> {};

TEST_P(MisbehavingProgram, IsFound) {
  const Conduct& conduct = GetParam();
  SCOPED_TRACE(conduct.arguments);
  const bool hangs = conduct.kind == FaultKind::kHang;
  ProgramAuditOptions options;
  options.runs = hangs ? 12 : 16;
  options.max_reductions = 1;
  options.limits.timeout_seconds = hangs ? 0.2 : 10;
  ProgramAuditReport report = Audit(conduct.arguments, options);
  EXPECT_EQ(report.status(), driver::kDifferent);
  const Cause* cause = CauseOf(report, conduct.kind);
  ASSERT_NE(cause, nullptr) << TextOf(report);
  EXPECT_NE(cause->detail.find(conduct.says), std::string::npos) << cause->detail;
  if (!hangs) ExpectSmall(cause->map);
  EXPECT_EQ(Count(report, conduct.kind), report.NumFindings()) << TextOf(report);
}

INSTANTIATE_TEST_SUITE_P(Conducts, MisbehavingProgram, ::testing::ValuesIn(kConducts));

// A program that answers no more than 20 maps goes wrong on 21 of them, and on no single one.
TEST(ProgramAudit, FaultsOfBatchesAreTold) {
  ProgramAuditOptions options;
  options.runs = 100;
  ProgramAuditReport report = Audit("--conduct counts", options);
  ASSERT_EQ(report.causes.size(), 1u) << TextOf(report);
  EXPECT_EQ(report.causes[0].kind, FaultKind::kDependsOnBatch);
  EXPECT_NE(report.causes[0].detail.find("21 maps at once"), std::string::npos)
      << report.causes[0].detail;
  EXPECT_EQ(report.equal, 100);
}

TEST(ProgramAudit, ReportsAreTheSameForAnyNumberOfThreads) {
  ProgramAuditOptions options;
  options.runs = 300;
  options.max_reductions = 2;
  std::string one = TextOf(Audit("--fault 3", options));
  options.jobs = 4;
  EXPECT_EQ(TextOf(Audit("--fault 3", options)), one);
  options.seed = 1;
  EXPECT_NE(TextOf(Audit("--fault 3", options)), one);
}

TEST(ProgramAudit, TimeEndsIt) {
  ProgramAuditOptions options;
  options.runs = UINT64_MAX;
  options.limits.max_seconds = 0.5;
  ProgramAuditReport report = Audit("--conduct hang", options);
  EXPECT_EQ(report.stopped, "the time is over");
  report = Audit("", options);
  EXPECT_EQ(report.stopped, "the time is over");
  EXPECT_GT(report.tried, 0);
}

TEST(ProgramAudit, AProgramThatIsNotThereIsAnError) {
  ProgramAuditOptions options{.command = "no-such-program-at-all"};
  auto report = driver::AuditProgram(options);
  ASSERT_FALSE(static_cast<bool>(report));
  EXPECT_NE(llvm::toString(report.takeError()).find("cannot be started"), std::string::npos);
}

}  // namespace
}  // namespace affirm
