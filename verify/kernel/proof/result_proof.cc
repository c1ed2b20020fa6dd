#include "verify/kernel/proof/result_proof.h"

#include <optional>
#include <string>

#include "core/hlo/leaves.h"
#include "verify/kernel/proof/result_prover.h"
#include "verify/kernel/proof/sort_proof.h"
#include "verify/kernel/proof/stopwatch.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using hlo::Instruction;
using terms::Kind;
using terms::Scope;
using terms::Term;

namespace {

// A store to a buffer that is not a result's; docs/kernels.md counts it among the bounds.
std::optional<std::string> FindStoreIntoOperand(const LiftedKernel& lifted, const Launch& launch) {
  for (const LiftedCase& c : lifted.cases) {
    for (const Effect& effect : c.effects) {
      if (effect.kind == Effect::Kind::kRead) continue;
      const int64_t memory = launch.params[static_cast<size_t>(effect.buffer)].memory;
      const bool result = llvm::any_of(launch.params, [&](const Param& param) {
        return param.memory == memory && param.role == Param::kOutput;
      });
      if (!result)
        return "line " + std::to_string(effect.line) + ": a store into what is only read";
    }
  }
  return std::nullopt;
}

// Finds a read that may not find the initial contents, which its term stands for; nullopt if each
// read of a written buffer is of an element that the same thread writes later, in the same
// iteration. That suffices if each element is written once: then no other thread or iteration
// writes the element.
std::optional<std::string> FindForeignRead(const LiftedKernel& lifted, bool elements_may_repeat,
                                           terms::Pool& pool) {
  for (const LiftedCase& c : lifted.cases) {
    Scope scope(pool);
    bool possible = llvm::all_of(c.facts, [&](Term fact) { return scope.Assume(fact); });
    if (!possible) continue;
    for (const Effect& read : c.effects) {
      if (elements_may_repeat && read.is_read_back)
        return "line " + std::to_string(read.line) + ": another thread may write what is read back";
      if (read.kind != Effect::Kind::kRead) continue;
      size_t saved = scope.Save();
      if (!scope.Assume(read.guard)) {
        scope.Restore(saved);
        continue;
      }
      bool own = false, changed = false;
      for (const Effect& store : c.effects) {
        if (changed) break;
        if (store.kind == Effect::Kind::kRead || store.buffer != read.buffer ||
            store.thread != read.thread) {
          continue;
        }
        Term same = pool.Equal(scope.Simplify(store.element), scope.Simplify(read.element));
        auto always = scope.Decide(pool.And({store.guard, same}));
        own = own || (store.kind == Effect::Kind::kStore && always == true);
        changed = changed || (store.order < read.order && always != false);
      }
      scope.Restore(saved);
      const std::string place = "line " + std::to_string(read.line) + ": ";
      if (changed) return place + "what is read may have been written by the thread before";
      if (!own || elements_may_repeat) return place + "another thread may write what is read";
    }
  }
  return std::nullopt;
}

// Terms stand for the initial contents of buffers. If a read of a written buffer may find other
// contents, no claim that rests on terms holds: neither bounds nor conditions.
void KeepWhatIsRead(const LiftedKernel& lifted, KernelProof& proof) {
  const bool reads = llvm::any_of(lifted.cases, [](const LiftedCase& c) {
    return llvm::any_of(c.effects, [](const Effect& e) { return e.kind == Effect::Kind::kRead; });
  });
  if (!reads || proof.Of(Claim::kRaces).verdict == Verdict::kProved) return;
  for (Claim claim : {Claim::kBounds, Claim::kIntegers, Claim::kBarriers}) {
    if (proof.Of(claim).verdict != Verdict::kProved) continue;
    proof.Of(claim) = {
        .verdict = Verdict::kUnknown,
        .reason = "rests on what is read of a result: " + proof.Of(Claim::kRaces).reason};
  }
}

// A proof about stores is one about results only if each element is stored once, and the program
// has no poison, races or out-of-bounds accesses: drops claims whose foundations are not proved.
void KeepFoundations(KernelProof& proof) {
  for (Claim claim : {Claim::kElements, Claim::kValues}) {
    for (Claim foundation :
         {Claim::kBounds, Claim::kIntegers, Claim::kBarriers, Claim::kRaces, Claim::kWrites}) {
      if (proof.Of(claim).verdict != Verdict::kProved ||
          proof.Of(foundation).verdict == Verdict::kProved) {
        continue;
      }
      proof.Of(claim) = {
          .verdict = Verdict::kUnknown,
          .reason = std::string("rests on ") + Name(foundation) + ", which are unknown"};
    }
  }
}

}  // namespace

const hlo::Computation& Innermost(const hlo::Computation& computation) {
  const hlo::Computation* inner = &computation;
  while (inner->root->opcode == hlo::Opcode::kFusion && inner->root->called.size() == 1 &&
         llvm::ArrayRef<Instruction*>(inner->root->operands) ==
             llvm::ArrayRef<Instruction*>(inner->parameters)) {
    inner = inner->root->called[0];
  }
  return *inner;
}

bool HasSort(const hlo::Computation& computation) {
  return llvm::any_of(Innermost(computation).instructions, [](const auto& instruction) {
    return instruction->opcode == hlo::Opcode::kSort;
  });
}

void ProveResults(const LiftedKernel& lifted, const Launch& launch,
                  const hlo::Computation& computation, terms::Pool& pool,
                  const ProveKernelOptions& options, KernelProof& proof) {
  const Stopwatch watch;
  for (Claim claim : {Claim::kWrites, Claim::kElements, Claim::kValues}) {
    proof.Of(claim) = {.verdict = Verdict::kProved};
  }
  const hlo::Computation& inner = Innermost(computation);
  Buffers buffers(launch, inner);
  if (auto problem = buffers.Problem()) {
    for (ClaimProof& claim : proof.claims)
      claim = {.verdict = Verdict::kUnknown, .reason = *problem};
    return;
  }
  ResultProver prover(lifted, launch, buffers, inner, pool, options, proof);
  for (const auto& [leaf, param] : llvm::enumerate(buffers.outputs()))
    prover.Prove(static_cast<int64_t>(leaf), param);
  if (auto store = FindStoreIntoOperand(lifted, launch)) {
    for (Claim claim : {Claim::kBounds, Claim::kWrites}) {
      proof.Of(claim) = {.verdict = Verdict::kUnknown, .reason = *store};
    }
  }
  const Stopwatch of_races;
  ClaimProof& races = proof.Of(Claim::kRaces);
  if (races.verdict == Verdict::kProved) {
    std::optional<std::string> foreign;
    if (!prover.in_order()) foreign = FindForeignRead(lifted, prover.elements_may_repeat(), pool);
    if (foreign)
      races = {.verdict = Verdict::kUnknown, .reason = *foreign};
    else if (proof.Of(Claim::kWrites).verdict != Verdict::kProved) {
      races = {.verdict = Verdict::kUnknown,
               .reason = "two threads may write one element, as writes are unknown"};
    }
  }
  races.ms = of_races.Ms();
  KeepWhatIsRead(lifted, proof);
  KeepFoundations(proof);
  for (Claim claim : {Claim::kElements, Claim::kValues})
    proof.Of(claim).engine = proof.Of(claim).verdict == Verdict::kProved ? "terms" : "";
  proof.Of(Claim::kWrites).ms = prover.writes_ms();
  proof.Of(Claim::kElements).ms = prover.elements_ms();
  // Equal values imply equal elements, which thus cost no extra time.
  proof.Of(Claim::kValues).ms = watch.Ms() - races.ms - prover.writes_ms() - prover.elements_ms();
}

}  // namespace affirm::kernel
