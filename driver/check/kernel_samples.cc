// Some blocks of a kernel that is too large to run, as a part of the check of its module.
#include <optional>

#include "driver/check/steps.h"
#include "driver/errors.h"
#include "driver/validate/sample.h"

namespace affirm::driver {
namespace {

std::string FindingText(const KernelCheck& check, const ClaimResult& claim) {
  std::string text = "kernel of '" + check.fusion +
                     "', executed in part: " + kernel::Name(claim.claim) + ": " + claim.reason;
  if (claim.counterexample && claim.counterexample->block >= 0) {
    text += ", by thread " + std::to_string(claim.counterexample->thread) + " of block " +
            std::to_string(claim.counterexample->block);
  }
  return text;
}

Validation Execute(State& state, const KernelSubject& subject, double share,
                   std::optional<int64_t> blocks = std::nullopt) {
  ValidateOptions options;
  options.seed = state.options().seed;
  options.sample.blocks = blocks.value_or(options.sample.blocks);
  for (int64_t* steps : {&options.sample.most_codes, &options.sample.most_steps})
    *steps = static_cast<int64_t>(static_cast<double>(*steps) * share);
  return ExecuteSample(subject, options);
}

}  // namespace

void CheckSample(State& state, const KernelSubject& subject, double share, KernelCheck& check) {
  if (llvm::Error error = CheckSubject(subject)) {
    check.why_not =
        "the kernel of '" + check.fusion + "' cannot be run: " + MessageOf(std::move(error));
    return;
  }
  Validation validation = Execute(state, subject, share);
  // One block alone may take more than a part of a usual sample.
  if (share < 1 && validation.executed.sample->blocks == 0)
    validation = Execute(state, subject, /*share=*/1, /*blocks=*/1);
  check.sample = validation.executed;
  check.run_ms = validation.claims.front().ms;
  for (const ClaimResult& claim : validation.claims) {
    if (claim.verdict != Verdict::kRefuted) continue;
    check.failed = true;
    state.AddFinding(Finding::Kind::kMismatch, "run", FindingText(check, claim));
  }
  const SampleSummary& sample = *check.sample->sample;
  const std::string too_large = "the kernel of '" + check.fusion + "' is too large to run";
  if (!check.is_proved()) {
    check.why_not = too_large + ", and not all claims about it are proved";
  } else if (sample.elements == 0) {
    check.has_empty_sample = !check.failed;
    check.why_not = too_large + ", and no element could be compared: " + sample.not_compared;
  }
}

}  // namespace affirm::driver
