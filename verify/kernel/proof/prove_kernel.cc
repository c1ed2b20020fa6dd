#include "verify/kernel/proof/prove_kernel.h"

#include "verify/compare/narrow_values.h"
#include "verify/kernel/lift/lift.h"
#include "verify/kernel/proof/lifting.h"
#include "verify/kernel/proof/result_proof.h"
#include "verify/kernel/proof/seen_nans.h"
#include "verify/kernel/proof/stopwatch.h"
#include "verify/lemma/lemma.h"

namespace affirm::kernel {

namespace {

constexpr int64_t kMostStepsInOrder = 200'000;
// The fuel for each store, in range computations, for a kernel with many stores.
constexpr int64_t kRangesOfStore = 32;
// The fuel for proving conditions by enumeration, in evaluated terms.
constexpr int64_t kMostStepsOfConditions = int64_t{1} << 25;

// Judges the claims that consist of obligations of the lifting: proved if each obligation is.
void JudgeObligations(const LiftedKernel& lifted, KernelProof& proof) {
  for (Claim claim : {Claim::kBounds, Claim::kIntegers, Claim::kBarriers, Claim::kRaces}) {
    proof.Of(claim) = {.verdict = Verdict::kProved, .engine = "terms"};
    if (claim == Claim::kBounds || claim == Claim::kIntegers) {
      if (!lifted.decider.empty()) proof.Of(claim).engine += ", " + lifted.decider;
    }
  }
  for (const Obligation& obligation : lifted.obligations) {
    ClaimProof& claim = proof.Of(static_cast<Claim>(obligation.claim));
    if (obligation.proved() || claim.verdict != Verdict::kProved) continue;
    claim = {.verdict = Verdict::kUnknown, .reason = "line " + ToString(obligation)};
  }
}

// Drops the claims that rest on bits of NaNs which LLVM IR leaves open.
void KeepWhatNansLeave(const LiftedKernel& lifted, const KernelIr& ir, KernelProof& proof) {
  const OpenNans nans = FindOpenNans(lifted, ir);
  if (nans.why.empty()) return;
  for (Claim claim : kClaims) {
    if (proof.Of(claim).verdict == Verdict::kProved && (nans.decide || claim == Claim::kValues))
      proof.Of(claim) = {.verdict = Verdict::kUnknown, .reason = nans.why};
  }
}

}  // namespace

static KernelProof ProveIn(terms::Pool& pool, const KernelIr& ir, const Launch& launch,
                           const hlo::Computation& computation, const ProveKernelOptions& options) {
  KernelProof proof;
  const Stopwatch watch;
  LiftOptions lift;
  lift.name_choices = HasSort(computation);
  int64_t steps = kMostStepsOfConditions;
  lift.holds_at_all_values = [&](terms::Term condition) {
    auto none = [](terms::Term, terms::Term) { return false; };
    return compare::SameAtAllValues(pool.OfCondition(condition), pool.OfCondition(pool.True()),
                                    none, steps) == true;
  };
  // An unrolled iteration makes its own terms and effects, so more steps cost too much memory.
  if (ir.in_order) lift.max_thread_steps = kMostStepsInOrder;
  auto lifted = Lift(ir, launch, pool, lift);
  if (!lifted) {
    std::string reason = llvm::toString(lifted.takeError());
    for (ClaimProof& claim : proof.claims) claim.reason = reason;
    return proof;
  }
  JudgeObligations(*lifted, proof);
  const double lifting_ms = watch.Ms();
  proof.by_block = lifted->by_block;
  proof.cases = static_cast<int64_t>(lifted->cases.size());
  for (const LiftedCase& c : lifted->cases) proof.stores += static_cast<int64_t>(c.effects.size());
  // Kernels with many stores get more fuel.
  if (!pool.IsSpent() && proof.stores * kRangesOfStore > options.ranges)
    pool.Limit(proof.stores * kRangesOfStore);
  std::set<int> exhausted;
  ProveKernelOptions with_lemmas = options;
  with_lemmas.same_value.exhausted = &exhausted;
  logic::OracleTally tally;
  with_lemmas.same_value.tally = &tally;
  compare::FoldOrders orders;
  with_lemmas.same_value.orders = &orders;
  ProveResults(*lifted, launch, computation, pool, with_lemmas, proof);
  if (proof.Of(Claim::kValues).verdict == Verdict::kProved)
    proof.Of(Claim::kValues).oracles = tally.Text();
  for (Claim claim : {Claim::kElements, Claim::kValues}) {
    if (exhausted.empty() || proof.Of(claim).verdict != Verdict::kProved) continue;
    proof.Of(claim).rests_on = lemma::ExhaustionText(exhausted);
    proof.Of(claim).engine += ", " + proof.Of(claim).rests_on;
  }
  proof.Of(Claim::kBounds).ms = lifting_ms;
  ClaimProof& values = proof.Of(Claim::kValues);
  if (values.verdict == Verdict::kProved && FlushesDenormals(ir))
    values = {.verdict = Verdict::kUnknown, .reason = "denormals are flushed to zero"};
  KeepWhatNansLeave(*lifted, ir, proof);
  return proof;
}

static KernelProof Prove(const KernelIr& ir, const Launch& launch,
                         const hlo::Computation& computation, const ProveKernelOptions& options) {
  terms::Pool pool;
  pool.Limit(options.ranges);
  ProveKernelOptions for_ir = options;
  for_ir.same_value.folds_of_kernel = true;
  KernelProof proof = ProveIn(pool, ir, launch, computation, for_ir);
  for (ClaimProof& claim : proof.claims) {
    if (pool.IsSpent() && claim.verdict == Verdict::kUnknown)
      claim.reason = "too much work: " + claim.reason;
  }
  return proof;
}

KernelProof ProveKernel(const KernelIr& ir, const Launch& launch,
                        const hlo::Computation& computation, const ProveKernelOptions& options) {
  KernelProof proof;
  OnLargeStack([&] { proof = Prove(ir, launch, computation, options); });
  return proof;
}

}  // namespace affirm::kernel
