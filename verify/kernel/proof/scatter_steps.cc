// Steps of a single thread that performs the updates of a scatter in order. A step consists of
// consecutive stores, one to each result, without a read between them.
//
// A load from a result has the term of its initial contents, although earlier steps may have
// changed them. A step is supported in two cases:
// - all its loads come after the earlier steps: its terms then describe the memory before the step;
// - all its loads come before any store to the same element: the values before the step are then
//   those that earlier steps stored.
#include "verify/kernel/proof/result_prover.h"

namespace affirm::kernel {

using terms::Kind;
using terms::Term;

namespace {

// The effects of a thread before a step's first store, in order.
using Before = llvm::ArrayRef<Effect>;

// Whether two effects may access one element.
bool MayMeet(terms::Scope& scope, const Effect& a, const Effect& b) {
  return a.buffer == b.buffer && scope.Decide(scope.pool().Equal(a.element, b.element)) != false;
}

// The last value stored to the element before the step; null if there is none; nullopt if unknown.
std::optional<Term> HeldBefore(terms::Scope& scope, Before before, const Effect& store) {
  for (const Effect& effect : llvm::reverse(before)) {
    if (effect.kind == Effect::Kind::kRead || !MayMeet(scope, effect, store)) continue;
    const bool same = effect.kind == Effect::Kind::kStore && effect.element == store.element &&
                      effect.guard == store.guard;
    return same ? std::optional<Term>(effect.value) : std::nullopt;
  }
  return Term{nullptr};
}

}  // namespace

std::optional<ScatterStep> ResultProver::StepOf(const LiftedCase& c, const Effect& store) {
  const bool alone = llvm::all_of(launch_.grid, [](int64_t n) { return n == 1; }) &&
                     llvm::all_of(launch_.threads, [](int64_t n) { return n == 1; });
  // All results must belong to the scatter.
  if (!alone || buffers_.outputs().size() != producer_->operands.size() / 2) return std::nullopt;
  auto is_store = [](const Effect& e) { return e.kind == Effect::Kind::kStore; };
  llvm::ArrayRef<Effect> effects = c.effects;
  auto at = static_cast<size_t>(&store - effects.begin());
  size_t first = at, end = at + 1;
  llvm::SmallVector<int64_t, 4> stored = {store.buffer};
  auto belongs = [&](const Effect& e) {
    return is_store(e) && e.loops == store.loops && !llvm::is_contained(stored, e.buffer);
  };
  while (first > 0 && belongs(effects[first - 1])) stored.push_back(effects[--first].buffer);
  while (end < effects.size() && belongs(effects[end])) stored.push_back(effects[end++].buffer);
  if (stored.size() != buffers_.outputs().size()) return std::nullopt;
  const Before before = effects.take_front(first);
  if (ReadsWhatIsThere(before, store)) return ScatterStep{};
  return ReadsWhatWasThere(c, before, effects.slice(first, end - first), store);
}

// Whether all loads of results in a store come after the earlier stores.
bool ResultProver::ReadsWhatIsThere(llvm::ArrayRef<Effect> before, const Effect& store) const {
  // Results that start as copies of operands would share load terms with the operands.
  const bool known = llvm::all_of(buffers_.outputs(), [&](size_t output) {
    return buffers_.InitialOf(output) == buffers_.NumberOf(output);
  });
  if (!known) return false;
  llvm::DenseMap<std::pair<int64_t, Term>, bool> read;  // element -> all reads after all stores
  bool since = true;
  for (const Effect& effect : llvm::reverse(before)) {
    since = since && effect.kind == Effect::Kind::kRead && effect.loops == store.loops;
    if (effect.kind != Effect::Kind::kRead) continue;
    auto [found, fresh] = read.try_emplace({effect.buffer, effect.element}, since);
    found->second = found->second && since;
  }
  auto only = [&](Term root, bool any) {
    return !terms::AnyPart(root, [&](Term term) {
      if (term->kind != Kind::kLoad || !IsOfResult(term)) return false;
      auto found = read.find({static_cast<int64_t>(term->number), term->args[0]});
      return !any || found == read.end() || !found->second;
    });
  };
  return only(store.value, true) && only(store.element, false) && only(store.guard, false);
}

// Whether a load is of a result's initial contents.
bool ResultProver::IsOfResult(Term load) const {
  return llvm::any_of(buffers_.outputs(), [&](size_t output) {
    return load->number == buffers_.NumberOf(output) || load->number == buffers_.InitialOf(output);
  });
}

bool ResultProver::ReadsResult(Term root) const {
  return terms::AnyPart(root,
                        [&](Term term) { return term->kind == Kind::kLoad && IsOfResult(term); });
}

// The step, if all its loads of results come before any store to the same element.
std::optional<ScatterStep> ResultProver::ReadsWhatWasThere(const LiftedCase& c,
                                                           llvm::ArrayRef<Effect> before,
                                                           llvm::ArrayRef<Effect> stores,
                                                           const Effect& store) {
  constexpr size_t kMostEffects = 512;
  terms::Scope scope(pool_);
  for (Term fact : c.facts) scope.Assume(fact);
  // The list of effects does not show the stores of earlier iterations.
  auto in_loop = [](const Effect& e) { return !e.loops.empty(); };
  if (llvm::any_of(before, in_loop) || llvm::any_of(stores, in_loop)) return std::nullopt;
  if (before.size() > kMostEffects ||
      llvm::any_of(before, [](const Effect& e) { return e.kind == Effect::Kind::kAtomic; }))
    return std::nullopt;
  // Results with equal initial contents share load terms, so all matching reads are checked.
  auto was_there = [&](Term load) {
    for (size_t k = 0; k < before.size(); ++k) {
      const Effect& read = before[k];
      if (read.kind != Effect::Kind::kRead || read.element != load->args[0]) continue;
      for (const Effect& earlier : before.take_front(k)) {
        if (earlier.kind == Effect::Kind::kStore && MayMeet(scope, earlier, read)) return false;
      }
    }
    return true;
  };
  auto only = [&](Term root) {
    return !terms::AnyPart(root, [&](Term term) {
      return term->kind == Kind::kLoad && IsOfResult(term) && !was_there(term);
    });
  };
  ScatterStep step;
  for (size_t output : llvm::ArrayRef<size_t>(buffers_.outputs())) {
    const Effect* of = llvm::find_if(
        stores, [&](const Effect& e) { return e.buffer == buffers_.NumberOf(output); });
    if (of == stores.end()) return std::nullopt;
    auto held = HeldBefore(scope, before, *of);
    if (!held || (*held && !only(*held))) return std::nullopt;
    step.held.push_back(*held);
  }
  if (!only(store.value) || !only(store.element) || !only(store.guard)) return std::nullopt;
  return step;
}

}  // namespace affirm::kernel
