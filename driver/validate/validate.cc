// Merges the verdicts of the judges of a kernel.
#include "driver/validate/validate.h"

#include "driver/exit_status.h"
#include "driver/validate/execute.h"
#include "driver/validate/in_place.h"
#include "driver/validate/open_scalars.h"
#include "driver/validate/rounded_dots.h"
#include "driver/validate/sample.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using kernel::Claim;

Validation Merge(const std::vector<ClaimResult>& proofs, Validation executed) {
  bool others_proved = true;
  auto proof_of = [&](Claim claim) {
    return llvm::find_if(proofs, [&](const ClaimResult& p) { return p.claim == claim; });
  };
  auto is_refuted_alone = [&](const ClaimResult& claim) {
    const auto proof = proof_of(claim.claim);
    return claim.verdict == Verdict::kRefuted &&
           (proof == proofs.end() || proof->verdict != Verdict::kProved);
  };
  // A proof of a claim holds for a kernel for which the earlier claims hold: a load from outside of
  // a buffer, for instance, may give anything; so may everything behind an undefined operation.
  bool rests_on_open = llvm::any_of(executed.claims, [&](const ClaimResult& claim) {
    return claim.claim == Claim::kIntegers && is_refuted_alone(claim);
  });
  ClaimResult* values = nullptr;
  for (ClaimResult& claim : executed.claims) {
    const auto proof = proof_of(claim.claim);
    if (is_refuted_alone(claim)) rests_on_open = true;
    if (proof != proofs.end()) {
      const bool contradiction =
          claim.verdict == Verdict::kRefuted && proof->verdict == Verdict::kProved;
      if (contradiction && !rests_on_open) {
        claim.contradicted = true;
        claim.reason += " (and " + proof->engine + " proves it: one of them is wrong)";
      } else if (claim.verdict != Verdict::kRefuted &&
                 (proof->verdict != Verdict::kUnknown || !proof->reason.empty())) {
        claim = *proof;
      }
    }
    if (claim.claim == Claim::kValues) {
      values = &claim;
    } else {
      others_proved &= claim.verdict == Verdict::kProved;
    }
  }
  // A sample does not stand for a run.
  const bool ran = executed.executed.elements > 0 && !executed.executed.sample &&
                   executed.executed.left_open == 0 && executed.executed.not_tested.empty() &&
                   executed.executed.limit.empty();
  if (values != nullptr && values->verdict == Verdict::kUnknown && others_proved && ran) {
    values->verdict = Verdict::kExecuted;
  }
  const std::string& not_tested = executed.executed.not_tested;
  if (values != nullptr && values->verdict == Verdict::kUnknown && !not_tested.empty() &&
      !llvm::StringRef(values->reason).contains(not_tested)) {
    values->reason += "; " + not_tested;
  }
  executed.verdict =
      MeetOfAll(executed.claims, [](const ClaimResult& claim) { return claim.verdict; });
  return executed;
}

Validation ExecuteClaims(const KernelSubject& subject, const ValidateOptions& options) {
  if (subject.launch.FindOpenScalar() != nullptr) return ExecuteAtPoints(subject, options);
  const bool in_part =
      options.execution == ValidateOptions::Execution::kSample ||
      (options.execution == ValidateOptions::Execution::kAutomatic && IsTooLargeToRun(subject));
  return in_part ? ExecuteSample(subject, options) : ExecuteWhole(subject, options);
}

static Validation ProveAndExecute(const KernelSubject& subject, const ValidateOptions& options) {
  return Merge(ProveClaims(subject, options), ExecuteClaims(subject, options));
}

Validation Validate(const KernelSubject& given, const ValidateOptions& options) {
  const RoundedDots rounded(given);
  Validation validation = ProveAndExecute(rounded.subject(), options);
  KernelSubject on_copies = rounded.subject();
  if (validation.verdict != Verdict::kRefuted || !options.may_omit_contents ||
      !StartResultsAsOperands(*on_copies.computation, on_copies.launch))
    return validation;
  // The launch does not say what the results hold before. A kernel that is right where the program
  // has copied the operands there is neither refuted by other contents nor proved.
  Validation copied = ProveAndExecute(on_copies, options);
  if (copied.verdict == Verdict::kRefuted) return validation;
  for (auto [claim, without] : llvm::zip(copied.claims, validation.claims)) {
    if (without.verdict != Verdict::kRefuted) continue;
    claim.verdict = Verdict::kUnknown;
    claim.reason =
        "it holds where the operands are copied to the results first, which the launch does not "
        "say (\"starts_as\"); else " +
        without.reason;
  }
  copied.verdict = MeetOfAll(copied.claims, [](const ClaimResult& claim) { return claim.verdict; });
  return copied;
}

}  // namespace affirm::driver
