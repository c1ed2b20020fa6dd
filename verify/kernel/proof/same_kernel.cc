#include "verify/kernel/proof/same_kernel.h"

#include <tuple>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "verify/kernel/lift/lift.h"
#include "verify/kernel/proof/comparable_kernels.h"
#include "verify/kernel/proof/lifting.h"
#include "verify/kernel/proof/seen_nans.h"

namespace affirm::kernel {

namespace {

using terms::Term;

bool IsUnspecified(Term root) {
  return terms::AnyPart(root, [](Term term) { return term->kind == terms::Kind::kArbitrary; });
}

bool SameChoice(const NamedChoice& a, const NamedChoice& b) {
  return a.name == b.name && a.condition == b.condition && a.stored == b.stored && a.kept == b.kept;
}

// Whether two accesses have the same atomic ordering, scope and volatility.
bool SameOrder(const llvm::Instruction* a, const llvm::Instruction* b) {
  if (a == nullptr || b == nullptr) return a == b;
  const auto order = [](const llvm::Instruction& i) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      return std::tuple(store->getOrdering(), store->getSyncScopeID(), store->isVolatile());
    if (const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
      return std::tuple(atomic->getOrdering(), atomic->getSyncScopeID(), atomic->isVolatile());
    return std::tuple(llvm::AtomicOrdering::NotAtomic, llvm::SyncScope::ID{0}, false);
  };
  // For inline PTX, compares the text, which contains for example ".relaxed.gpu".
  const auto text = [](const llvm::Instruction& i) -> llvm::StringRef {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call == nullptr || !call->isInlineAsm()) return "";
    return llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString();
  };
  return a->getOpcode() == b->getOpcode() && order(*a) == order(*b) && text(*a) == text(*b);
}

// Compares everything but the value. Terms are hash-consed, so == compares structure.
bool SameAccess(const Effect& a, const Effect& b) {
  return a.kind == b.kind && a.buffer == b.buffer && a.element == b.element && a.guard == b.guard &&
         a.operation == b.operation && a.old == b.old && a.thread == b.thread &&
         a.loops == b.loops && a.order == b.order && a.phase == b.phase &&
         SameOrder(a.instruction, b.instruction);
}

// Compares the values of two accesses under their guard. Neither side is an HLO computation, so
// folds keep their order and operations have no other forms.
bool SameValueOf(const Effect& a, const Effect& b, terms::Scope& scope) {
  if (a.value == b.value) return true;
  if (a.value == nullptr || b.value == nullptr) return false;
  if (IsUnspecified(a.value) || IsUnspecified(b.value)) return false;
  const size_t saved = scope.Save();
  bool same = true;  // vacuously, if the access never happens
  if (scope.Assume(a.guard)) {
    compare::SameValueOptions options;
    options.correspondences = false;
    compare::SameValue values(scope, options);
    same = compare::Settles(values.Prove(b.value, a.value), scope, b.value, a.value);
  }
  scope.Restore(saved);
  return same;
}

// Why two cases are not proved equal; empty if they are.
std::string DifferenceOf(const LiftedCase& a, const LiftedCase& b, terms::Pool& pool) {
  if (a.facts != b.facts) return "cases of other blocks";
  if (a.effects.size() != b.effects.size()) return "another number of accesses";
  if (!llvm::equal(a.choices, b.choices, SameChoice)) return "other choices in shared memory";
  terms::Scope scope(pool);
  for (Term fact : a.facts) {
    if (!scope.Assume(fact)) return "";  // no block is of this case
  }
  for (const auto& [before, after] : llvm::zip_equal(a.effects, b.effects)) {
    const std::string place = "line " + std::to_string(after.line);
    if (!SameAccess(before, after)) return place + ": another access";
    if (!SameValueOf(before, after, scope)) return place + ": another value";
  }
  return "";
}

std::string Difference(const KernelIr& before, const KernelIr& after, const Launch& launch,
                       const SameKernelOptions& options) {
  if (std::string why = WhyNotCompared(before, after, launch); !why.empty()) return why;
  terms::Pool pool;
  pool.Limit(options.ranges);
  LiftOptions lift;
  lift.name_choices = options.name_choices;
  lift.summarize_loops = false;  // the order counts
  auto a = Lift(before, launch, pool, lift);
  if (!a) return llvm::toString(a.takeError());
  auto b = Lift(after, launch, pool, lift);
  if (!b) return llvm::toString(b.takeError());
  for (const Obligation& obligation : b->obligations) {
    if (!obligation.proved()) return "line " + ToString(obligation);
  }
  // NaNs that `before` leaves open may be resolved by `after`, so only `after` is checked.
  if (std::string why = FindOpenNans(*b, after).why; !why.empty()) return why;
  if (a->by_block != b->by_block || a->cases.size() != b->cases.size()) return "other cases";
  for (const auto& [of_a, of_b] : llvm::zip_equal(a->cases, b->cases)) {
    std::string difference = DifferenceOf(of_a, of_b, pool);
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace

SameKernelProof ProveSameKernel(const KernelIr& before, const KernelIr& after, const Launch& launch,
                                const SameKernelOptions& options) {
  SameKernelProof proof;
  OnLargeStack([&] {
    proof.reason = Difference(before, after, launch, options);
    proof.same = proof.reason.empty();
  });
  return proof;
}

}  // namespace affirm::kernel
