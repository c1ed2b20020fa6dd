// affirm-check and the twin, a second checker: on altered certificates and at limits they agree.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

// A script of this folder, with these arguments.
void ExpectPasses(const std::string& script, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tests/certificate/" + script);
  const RunResult run = RunProgram(PYTHON, arguments);
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST(Twin, AgreesOnForgeries) {
  ExpectPasses("forger.py", {AFFIRM_BINARY, AFFIRM_CHECK, TWIN, "5000"});
}

TEST(Twin, AgreesOnForgedReads) {
  ExpectPasses("reads_forger.py", {AFFIRM_BINARY, AFFIRM_CHECK, TWIN, "5000"});
}

TEST(Twin, AgreesAtLimits) { ExpectPasses("checker_limits.py", {AFFIRM_CHECK, TWIN}); }

}  // namespace
}  // namespace affirm::testing
