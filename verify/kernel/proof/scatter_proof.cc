// Proves scatters: each update is combined with its target once, by an atomic operation, by a
// compare-and-swap loop, or by a load and a store. The latter needs unique indices, or a single
// thread.
#include <array>

#include "core/hlo/leaves.h"
#include "llvm/IR/Instructions.h"
#include "verify/kernel/proof/result_prover.h"
#include "verify/scalar/nan_bits.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using hlo::Instruction;
using hlo_values::ComputationValues;
using terms::Kind;
using terms::Scope;
using terms::Term;

namespace {

// Whether the operands are these parameters, up to commutativity of the operation.
bool IsParameters(const Instruction& operation, std::array<int64_t, 2> numbers) {
  if (operation.operands.size() != 2) return false;
  auto are = [&](int64_t a, int64_t b) {
    const Instruction &x = *operation.operands[0], &y = *operation.operands[1];
    return x.opcode == hlo::Opcode::kParameter && y.opcode == hlo::Opcode::kParameter &&
           x.parameter_number == a && y.parameter_number == b;
  };
  bool commutes = terms::IsCommutative(terms::OpOf(operation.opcode, operation.shape.type));
  return are(numbers[0], numbers[1]) || (commutes && are(numbers[1], numbers[0]));
}

// Whether the integer, over loop variables alone, strictly increases with each iteration of the
// loop nest; the last loop is the innermost.
bool CountsUp(Term integer, llvm::ArrayRef<Term> loops) {
  if (integer->kind != Kind::kSum && integer->kind != Kind::kVariable) return false;
  llvm::DenseMap<Term, terms::Int128> coefficients;
  if (integer->kind == Kind::kVariable) coefficients[integer] = 1;
  for (const terms::Monomial& m : integer->sum) coefficients[m.atom] = m.coefficient;
  terms::Int128 reach = 0;  // largest contribution of the inner loops
  size_t found = 0;
  for (Term loop : llvm::reverse(loops)) {
    auto it = coefficients.find(loop);
    if (it == coefficients.end() || it->second <= reach) return false;
    reach += it->second * (loop->range.hi - loop->range.lo);
    ++found;
  }
  return found == coefficients.size();
}

}  // namespace

// Candidates for the update that an effect performs, guessed from its loads: an update element in
// its value, or an index vector in its address. ProveUpdate proves the right one.
std::vector<std::vector<Term>> ResultProver::UpdateIndicesOf(Scope& scope,
                                                             const Effect& effect) const {
  constexpr size_t kMost = 4;
  const size_t arity = producer_->operands.size() / 2;
  const hlo::Shape& updates = producer_->operands[arity + 1]->shape;
  const hlo::Shape& indices = producer_->operands[arity]->shape;
  // The elements of an index vector must be contiguous.
  const int64_t vector_dim = producer_->attributes.index_vector_dim;
  const bool last = vector_dim == indices.rank() - 1;
  const int64_t vector = vector_dim == indices.rank() ? 1 : last ? indices.dims[vector_dim] : 0;
  llvm::DenseMap<Term, bool> known;
  std::vector<std::vector<Term>> found;
  const hlo::Shape row_major = hlo::Shape::Array(updates.type, updates.dims);
  // A thread for each update, or for some consecutive ones.
  if (updates.NumElements() > 0) {
    Term thread =
        pool_.Add(pool_.Scale(VariableOf("bl_x"), launch_.threads[0]), VariableOf("th_x"));
    const terms::Range range = scope.RangeOf(thread);
    if (!lifted_.by_block && !range.single() && range.lo >= 0 && range.hi < updates.NumElements()) {
      const terms::Int128 all = updates.NumElements() / (range.hi + 1);
      const terms::Int128 each = all <= kMost ? all : 1;
      for (terms::Int128 k = 0; k < each; ++k) {
        Term element = pool_.Add(pool_.Scale(thread, each), pool_.Number(k));
        found.push_back(hlo_values::IndexOfElement(scope, row_major, element));
      }
    }
  }
  auto is_result = [&](int64_t number) {
    return llvm::any_of(buffers_.outputs(),
                        [&](size_t output) { return buffers_.NumberOf(output) == number; });
  };
  auto find = [&](Term root, int64_t divisor) {
    terms::ForEachPart(root, [&](Term term) {
      if (term->kind != Kind::kLoad) return terms::Visit::kInto;
      // Skips loads of the result's old value, and their indices: they are not updates.
      if (term->number < 0 || is_result(static_cast<int64_t>(term->number)))
        return terms::Visit::kPast;
      Term element = scope.Quotient(scope.Simplify(term->args[0]), divisor);
      terms::Range range = scope.RangeOf(element);
      if (range.lo < 0 || range.hi >= updates.NumElements() ||
          compare::DependsOnData(element, known))
        return terms::Visit::kPast;
      // Uses the array's layout in memory if it has the shape of the updates.
      const hlo::Shape& loaded = launch_.params[static_cast<size_t>(term->number)].shape;
      auto index = hlo_values::IndexOfElement(
          scope, loaded.dims == updates.dims && divisor == 1 ? loaded : row_major, element);
      if (found.size() < 2 * kMost && !llvm::is_contained(found, index)) found.push_back(index);
      return terms::Visit::kPast;
    });
  };
  // A single update.
  if (updates.NumElements() == 1) return {std::vector<Term>(updates.dims.size(), pool_.Number(0))};
  find(effect.value, 1);
  if (vector > 0 && producer_->attributes.update_window_dims.empty())
    for (Term root : {effect.element, effect.guard}) find(root, vector);
  return found;
}

Term ResultProver::VariableOf(llvm::StringRef name) const {
  const auto& sizes = name.starts_with("bl") ? launch_.grid : launch_.threads;
  return pool_.Variable(name, {0, sizes[static_cast<size_t>(name.back() - 'x')] - 1});
}

// Whether the scatter has a single window, so that no element gets two updates.
bool ResultProver::HasOneWindow() const {
  const hlo::Shape& indices = producer_->operands[producer_->operands.size() / 2]->shape;
  int64_t windows = 1;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d != producer_->attributes.index_vector_dim) windows *= indices.dims[d];
  }
  return windows == 1;
}

std::vector<Term> ResultProver::Combine(Scope& scope, const hlo::Computation& combiner,
                                        llvm::ArrayRef<Term> running,
                                        llvm::ArrayRef<Term> element) const {
  const size_t arity = running.size();
  if (element.size() != arity || combiner.parameters.size() != 2 * arity) return {};
  ComputationValues values(scope, combiner, [&](int64_t parameter, int64_t, auto) {
    const auto p = static_cast<size_t>(parameter);
    return p < arity ? running[p] : element[p - arity];
  });
  std::vector<Term> combined;
  const int64_t leaves = hlo::NumLeaves(combiner.root->shape);
  for (int64_t leaf = 0; leaf < leaves; ++leaf) {
    auto value = values.At(*combiner.root, leaf, {});
    if (!value) {
      llvm::consumeError(value.takeError());
      return {};
    }
    combined.push_back(*value);
  }
  return combined;
}

// For a kernel without stores: accounts for updates that are out of bounds for all data, and thus
// skipped (XLA operation semantics, "Scatter"), as if the first thread had performed them.
void ResultProver::AddUpdatesOutside() {
  constexpr int64_t kMostUpdates = 4096;
  Scope scope(pool_);
  ComputationValues values = ValuesIn(scope);
  const hlo::Shape& updates = producer_->operands[producer_->operands.size() / 2 + 1]->shape;
  for (int64_t k = 0; k < std::min(updates.NumElements(), kMostUpdates); ++k) {
    const hlo::Shape row_major = hlo::Shape::Array(updates.type, updates.dims);
    auto scatter =
        values.Scatter(*producer_, hlo_values::IndexOfElement(scope, row_major, pool_.Number(k)));
    if (!scatter) return llvm::consumeError(scatter.takeError());
    if (scope.Decide(scatter->inside) != false) return;
    written_.emplace_back();
    for (const char* name : {"bl_x", "bl_y", "bl_z", "th_x", "th_y", "th_z"})
      written_.back().conditions.push_back(pool_.IsZero(VariableOf(name)));
    written_.back().indices.push_back({pool_.Number(k)});
  }
}

// The value, or its bits if the combiner observes NaN payloads.
Term ResultProver::AsSeenBy(const hlo::Computation& combiner, Term value) {
  return hlo::SeesBitsOfNaN(combiner) ? terms::BitsOf(pool_, value) : value;
}

// Whether swapping two updates of an element never changes it; then all orders give one result.
bool ResultProver::TakesAnyOrder(Scope& scope, const hlo::Computation& combiner) {
  const Instruction& root = *combiner.root;
  const terms::Op operation = terms::OpOf(root.opcode, root.shape.type);
  // The order of a commutative operation is open, as for reductions.
  if (IsParameters(root, {0, 1}) && terms::IsCommutative(operation)) return true;
  std::vector<Term> values[3];  // an element, and two updates of it
  int64_t number = std::ssize(launch_.params);
  for (std::vector<Term>& list : values) {
    for (size_t k = 0; k < combiner.parameters.size() / 2; ++k) {
      const hlo::PrimitiveType type = terms::TermType(combiner.parameters[k]->shape.type);
      list.push_back(pool_.Load(number++, pool_.Number(0), type));
    }
  }
  auto in_order = [&](int first, int second) {
    return Combine(scope, combiner, Combine(scope, combiner, values[0], values[first]),
                   values[second]);
  };
  const std::vector<Term> forth = in_order(1, 2), back = in_order(2, 1);
  SameValue same(scope, options_.same_value, &decider_);
  bool all = !forth.empty() && forth.size() == back.size();
  for (size_t k = 0; all && k < forth.size(); ++k) {
    const Term a = AsSeenBy(combiner, forth[k]), b = AsSeenBy(combiner, back[k]);
    all = compare::Settles(same.Prove(a, b), scope, a, b);
  }
  return all;
}

// Whether each update overwrites the element, by an atomic store: HLO leaves open which of several
// updates of one element is last. With several results, different updates might win.
bool ResultProver::MayBeLast(const Effect& effect) const {
  const auto* store = llvm::dyn_cast_or_null<llvm::StoreInst>(effect.instruction);
  if (effect.kind != Effect::Kind::kStore || store == nullptr || !store->isAtomic() ||
      store->getSyncScopeID() != llvm::SyncScope::System)
    return false;
  if (producer_->operands.size() != 3 || producer_->called.size() != 1) return false;
  const Instruction* root = producer_->called[0]->root;
  return root->opcode == hlo::Opcode::kParameter && root->parameter_number == 1;
}

// Whether no two updates target one element: by unique_indices, or because there is one window.
bool ResultProver::IndicesAreUnique() const {
  return producer_->attributes.unique_indices || HasOneWindow();
}

void ResultProver::ProveUpdate(const LiftedCase& c, const Effect& effect) {
  if (writing_ != Writing::kScatter)
    return Fail(Place(effect) + "an atomic update of a result that is no scatter");
  // If updates may share a target, plain stores need a single thread that updates in order.
  std::optional<ScatterStep> step;
  if (effect.kind == Effect::Kind::kStore) step = StepOf(c, effect);
  in_order_ = in_order_ && step;
  if (effect.kind == Effect::Kind::kStore && !IndicesAreUnique() && !step && !MayBeLast(effect))
    return Fail(Place(effect) + "a plain store of a scatter whose indices may repeat");
  // Splits the guard: its conditions on data must be those that decide whether the update is in
  // bounds.
  std::vector<Term> of_indices, of_data;
  llvm::DenseMap<Term, bool> known;
  llvm::ArrayRef<Term> parts =
      effect.guard->kind == Kind::kAnd ? effect.guard->args : llvm::ArrayRef<Term>(effect.guard);
  for (Term part : parts)
    (compare::DependsOnData(part, known) ? of_data : of_indices).push_back(part);
  Scope scope(pool_);
  std::vector<Term> conditions(c.facts.begin(), c.facts.end());
  conditions.insert(conditions.end(), of_indices.begin(), of_indices.end());
  for (Term condition : conditions) {
    if (!scope.Assume(condition)) return;
  }
  ComputationValues values = ValuesIn(scope);
  SameValue same(scope, options_.same_value, &decider_);
  const auto candidates = UpdateIndicesOf(scope, effect);
  std::string why = "an update of which no element of the updates is seen";
  for (const auto& [k, index] : llvm::enumerate(candidates)) {
    auto scatter = values.Scatter(*producer_, index);
    if (!scatter) return Fail(llvm::toString(scatter.takeError()));
    // Bounds checks that indices alone decide may be missing from the guard.
    Term inside = scope.Simplify(scatter->inside), guard = scope.Simplify(pool_.And(of_data));
    const Term guarded = pool_.OfCondition(guard), is_inside = pool_.OfCondition(inside);
    if (!compare::Settles(same.Prove(guarded, is_inside), scope, guarded, is_inside)) {
      if (k == 0) why = "not the condition under which the update is inside: " + same.reason();
      continue;
    }
    const size_t saved = scope.Save();
    const bool possible = scope.Assume(scatter->inside);
    Term target = hlo_values::LinearElement(scope, *shape_, scatter->target);
    Term same_element = pool_.Equal(scope.Simplify(target), scope.Simplify(effect.element));
    // The address may contain a sum that the computation has as a fold.
    if (possible && scope.Decide(same_element) != true && !decider_.Proves(scope, same_element) &&
        !compare::Settles(same.Prove(effect.element, target), scope, effect.element, target)) {
      if (k == 0) why = "an update of another element";
      scope.Restore(saved);
      continue;
    }
    const hlo::Shape& updates = producer_->operands[producer_->operands.size() / 2 + 1]->shape;
    // HLO computes updates from the initial contents, not from those before the step.
    const bool is_first = written_.empty() && effect.loops.empty();
    const bool is_now = step && step->held.empty() && !is_first;
    auto reads = [&](Term of) { return ReadsResult(of); };
    if (is_now &&
        (llvm::any_of(scatter->updates, reads) || reads(target) || reads(scatter->inside)))
      return Fail(Place(effect) + "an update that is computed from what is updated");
    written_.emplace_back();
    written_.back().conditions = std::move(conditions);
    written_.back().loops = effect.loops;
    Term update = hlo_values::LinearElement(scope, updates, index);
    written_.back().indices.push_back({update});
    if (!ProveOrder(scope, effect, *scatter->combiner, update, step.has_value())) return;
    if (possible) ProveCombined(scope, effect, *scatter, target, step.value_or(ScatterStep{}));
    return;
  }
  Fail(Place(effect) + why);
}

// Proves that the updates of one element happen in an order that HLO allows; `update` is the next
// one that the case writes. False, with the reason recorded, ends the case.
bool ResultProver::ProveOrder(Scope& scope, const Effect& effect, const hlo::Computation& combiner,
                              Term update, bool is_step) {
  // All results must perform the updates in one order, so that a step is one update.
  if (leaf_ == 0) order_.push_back(update);
  const size_t place = written_.size() - 1;
  // The updates of one element happen in index order, or the order must not matter.
  const bool next =
      is_step && (place == 0 ? CountsUp(update, effect.loops)
                             : last_update_ && last_update_->IsNumber() && effect.loops.empty() &&
                                   update->IsNumber() && last_update_->number < update->number);
  last_update_ = next ? update : nullptr;
  const bool unique = IndicesAreUnique(), any_is_last = MayBeLast(effect);
  const bool atomic = effect.kind == Effect::Kind::kAtomic && !effect.old;
  const bool any_order = atomic || unique || any_is_last;
  if (!next && !any_order && !TakesAnyOrder(scope, combiner)) {
    Unknown(Claim::kValues, Place(effect) + "updates in an order of their own");
  }
  // HLO performs the updates of one scatter in one order for all of its results.
  const Instruction& root = *combiner.root;
  const bool order_counts =
      any_is_last || terms::RoundsInOrder(terms::OpOf(root.opcode, root.shape.type),
                                          terms::TermType(root.shape.type));
  if (!next && !unique && order_counts && with_orders_.contains(producer_))
    Unknown(Claim::kValues, Place(effect) + "two results of one scatter, each in its own order");
  const bool same_step = place < order_.size() && order_[place] == update;
  in_order_ = in_order_ && same_step;
  if (same_step || !is_step || unique) return true;
  Fail(Place(effect) + "results that take the updates in different orders");
  return false;
}

// Proves that the effect combines the old value and the update as the scatter's combiner does.
void ResultProver::ProveCombined(Scope& scope, const Effect& effect,
                                 const hlo_values::ScatterParts& scatter, Term target,
                                 const ScatterStep& step) {
  SameValue same(scope, options_.same_value, &decider_);
  Term wanted = nullptr;
  if (effect.kind == Effect::Kind::kAtomic && !effect.old) {
    const Instruction* root = scatter.combiner->root;
    // The first parameter of the combiner is the old element, as for atomicrmw.
    bool combines = scatter.updates.size() == 1 && IsParameters(*root, {0, 1}) &&
                    terms::OpOf(root->opcode, root->shape.type) == effect.operation &&
                    effect.operation != terms::Op::kNone;
    if (!combines) return Fail(Place(effect) + "an atomic update by another operation");
    wanted = scatter.updates[0];
  } else {
    // The old values: initial contents, values after the previous step, or the value at the
    // successful compare-and-swap.
    std::vector<Term> running;
    for (size_t k = 0; k < scatter.updates.size(); ++k) {
      const size_t output = buffers_.outputs()[first_output_ + k];
      const hlo::Shape& shape = launch_.params[output].shape;
      const int64_t initial = buffers_.InitialOf(output);
      running.push_back(pool_.Load(initial, target, terms::TermType(shape.type)));
      if (k < step.held.size() && step.held[k]) running.back() = step.held[k];
    }
    const bool one_leaf = scatter.updates.size() == 1;
    if (effect.old && !one_leaf)
      return Fail(Place(effect) + "a compare-and-swap of one result of several");
    if (effect.old) running[0] = effect.old;
    auto combined = Combine(scope, *scatter.combiner, running, scatter.updates);
    if (combined.size() != scatter.updates.size())
      return Fail(Place(effect) + "a combiner of this kind");
    wanted = combined[static_cast<size_t>(leaf_)];
  }
  // The stored value becomes the next update's old value, so payloads matter if it observes them.
  const Term stored = AsSeenBy(*scatter.combiner, effect.value);
  wanted = AsSeenBy(*scatter.combiner, wanted);
  if (compare::Settles(same.Prove(stored, wanted), scope, stored, wanted)) return;
  Unknown(Claim::kValues, Place(effect) + same.reason());
  if (!same.ProveElements(stored, wanted)) Unknown(Claim::kElements, Place(effect) + same.reason());
}

}  // namespace affirm::kernel
