#include "driver/validate/executed_claims.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using kernel::Claim;

int64_t MostJumps(const kernel::Launch& launch) {
  int64_t bytes = 0;
  for (const kernel::Param& param : launch.params) bytes += param.bytes;
  return (int64_t{1} << 24) + 4 * bytes;
}

ExecutedClaims::ExecutedClaims() {
  for (Claim claim : kernel::kClaims) {
    ClaimResult unknown;
    unknown.claim = claim;
    unknown.engine = "emulator";
    validation_.claims.push_back(std::move(unknown));
  }
}

bool ExecutedClaims::refuted() const {
  return llvm::any_of(validation_.claims,
                      [](const ClaimResult& claim) { return claim.verdict == Verdict::kRefuted; });
}

void ExecutedClaims::Judge(const kernel::Finding& finding) {
  switch (finding.kind) {
    case kernel::Finding::Kind::kWrong:
      return Refute(finding);
    case kernel::Finding::Kind::kNotModelled:
      if (validation_.executed.limit.empty()) validation_.executed.limit = finding.ToString();
      return;
  }
}

void ExecutedClaims::Refute(const kernel::Finding& finding) {
  ClaimResult& result = Of(finding.claim);
  if (result.verdict == Verdict::kRefuted) return;
  result.verdict = Verdict::kRefuted;
  result.reason = finding.ToString();
  KernelCounterexample example;
  example.block = finding.block;
  example.thread = finding.thread;
  example.buffer = finding.buffer;
  example.element = finding.element;
  example.actual = finding.what;
  example.line = finding.line;
  example.instruction = finding.instruction;
  result.counterexample = std::move(example);
}

void ExecutedClaims::RefuteValue(const kernel::Param& param, const hlo::Mismatch& wrong,
                                 std::optional<kernel::Accessor> writer) {
  ClaimResult& values = Of(Claim::kValues);
  if (values.verdict == Verdict::kRefuted) return;
  KernelCounterexample example;
  example.buffer = param.name.empty() ? "output " + std::to_string(wrong.leaf) : param.name;
  example.element = wrong.element;
  example.expected = wrong.expected;
  example.actual = wrong.actual;
  if (writer) {
    example.block = writer->block;
    example.thread = writer->thread;
  }
  values.verdict = Verdict::kRefuted;
  values.reason = "element " + std::to_string(wrong.element) + " of " + example.buffer + " is " +
                  example.actual + ", should be " + example.expected +
                  (wrong.why.empty() ? "" : ": " + wrong.why);
  values.counterexample = std::move(example);
}

Validation ExecutedClaims::Finish(const std::string& reason) {
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  for (ClaimResult& claim : validation_.claims) {
    claim.ms = ms;
    if (claim.verdict != Verdict::kUnknown) continue;
    const std::string& limit = validation_.executed.limit;
    claim.reason = limit.empty() ? reason : "not executed to the end: " + limit;
  }
  if (refuted()) validation_.verdict = Verdict::kRefuted;
  return std::move(validation_);
}

}  // namespace affirm::driver
