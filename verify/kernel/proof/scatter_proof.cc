// Scatters: each element of the updates is combined with its target once, by an atomic operation,
// by a loop around a compare-and-swap, or by a load and a store, where the indices are unique or
// one thread does all.
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

// Whether the operands are these parameters, in this order, or in the other one where the operation
// does not mind.
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

// Whether the integer, which has no variables but those of the loops, becomes larger with each
// iteration of these, the last of which is the innermost.
bool CountsUp(Term integer, llvm::ArrayRef<Term> loops) {
  if (integer->kind != Kind::kSum && integer->kind != Kind::kVariable) return false;
  llvm::DenseMap<Term, terms::Int128> coefficients;
  if (integer->kind == Kind::kVariable) coefficients[integer] = 1;
  for (const terms::Monomial& m : integer->sum) coefficients[m.atom] = m.coefficient;
  terms::Int128 reach = 0;  // of the inner loops
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

// What the effect loads says which element of the updates it may be of: an element of the updates
// in its value, or one of the indices in its place. Everything else is proved.
std::vector<std::vector<Term>> ResultProver::UpdateIndicesOf(Scope& scope,
                                                             const Effect& effect) const {
  constexpr size_t kMost = 4;
  const size_t arity = producer_->operands.size() / 2;
  const hlo::Shape& updates = producer_->operands[arity + 1]->shape;
  const hlo::Shape& indices = producer_->operands[arity]->shape;
  // The elements of an index vector stand beside each other, where there are such vectors.
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
      // What the result held, or holds at a compare-and-swap, is no element of the updates; nor are
      // the elements that it is loaded by.
      if (term->number < 0 || is_result(static_cast<int64_t>(term->number)))
        return terms::Visit::kPast;
      Term element = scope.Quotient(scope.Simplify(term->args[0]), divisor);
      terms::Range range = scope.RangeOf(element);
      if (range.lo < 0 || range.hi >= updates.NumElements() ||
          compare::DependsOnData(element, known))
        return terms::Visit::kPast;
      // In the layout that the array has in memory, if it is one of the updates.
      const hlo::Shape& loaded = launch_.params[static_cast<size_t>(term->number)].shape;
      auto index = hlo_values::IndexOfElement(
          scope, loaded.dims == updates.dims && divisor == 1 ? loaded : row_major, element);
      if (found.size() < 2 * kMost && !llvm::is_contained(found, index)) found.push_back(index);
      return terms::Visit::kPast;
    });
  };
  // The only element there is.
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

// Whether there is one index alone, for one window of the updates: none is met again.
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

// A kernel that writes nothing leaves out the updates that are outside of the operand whatever the
// data are, as if the first thread had taken them.
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

// The value, or its bits where the combiner sees those of a NaN.
Term ResultProver::AsSeenBy(const hlo::Computation& combiner, Term value) {
  return hlo::SeesBitsOfNaN(combiner) ? terms::BitsOf(pool_, value) : value;
}

// Whether an element is the same in whichever order it takes two updates: then in all orders.
bool ResultProver::TakesAnyOrder(Scope& scope, const hlo::Computation& combiner) {
  const Instruction& root = *combiner.root;
  const terms::Op operation = terms::OpOf(root.opcode, root.shape.type);
  // As reductions do, in the order of their choice.
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

// Whether each update takes the place of the element, by stores of which one stays: which of
// several updates of one element comes last is open. Of two results they might be those of two
// updates.
bool ResultProver::MayBeLast(const Effect& effect) const {
  const auto* store = llvm::dyn_cast_or_null<llvm::StoreInst>(effect.instruction);
  if (effect.kind != Effect::Kind::kStore || store == nullptr || !store->isAtomic() ||
      store->getSyncScopeID() != llvm::SyncScope::System)
    return false;
  if (producer_->operands.size() != 3 || producer_->called.size() != 1) return false;
  const Instruction* root = producer_->called[0]->root;
  return root->opcode == hlo::Opcode::kParameter && root->parameter_number == 1;
}

// Whether no two updates go to one element: the indices promise it, or there is one window.
bool ResultProver::IndicesAreUnique() const {
  return producer_->attributes.unique_indices || HasOneWindow();
}

void ResultProver::ProveUpdate(const LiftedCase& c, const Effect& effect) {
  if (writing_ != Writing::kScatter)
    return Fail(Place(effect) + "an atomic update of a result that is no scatter");
  // Unless no two updates go to one element, one thread takes the updates one after the other.
  std::optional<ScatterStep> step;
  if (effect.kind == Effect::Kind::kStore) step = StepOf(c, effect);
  in_order_ = in_order_ && step;
  if (effect.kind == Effect::Kind::kStore && !IndicesAreUnique() && !step && !MayBeLast(effect))
    return Fail(Place(effect) + "a plain store of a scatter whose indices may repeat");
  // What the guard says about indices, and what about data: the latter is to be what decides
  // whether an update is inside.
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
    // The guard may leave to the indices what they decide alone.
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
    // An index may be a sum, which the computation has as a fold.
    if (possible && scope.Decide(same_element) != true && !decider_.Proves(scope, same_element) &&
        !compare::Settles(same.Prove(effect.element, target), scope, effect.element, target)) {
      if (k == 0) why = "an update of another element";
      scope.Restore(saved);
      continue;
    }
    const hlo::Shape& updates = producer_->operands[producer_->operands.size() / 2 + 1]->shape;
    // HLO's updates are of what the results hold before the kernel, not before the step.
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

// Whether the updates of one element, of which this is the next that the case writes, are taken in
// an order that HLO allows. False, with the reason recorded, ends the case.
bool ResultProver::ProveOrder(Scope& scope, const Effect& effect, const hlo::Computation& combiner,
                              Term update, bool is_step) {
  // All results take the updates in one order, so that a step is one update.
  if (leaf_ == 0) order_.push_back(update);
  const size_t place = written_.size() - 1;
  // The updates of one element are taken in the order in which they stand; or each order will do.
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
  // HLO takes the updates of one scatter in one order, for all of its results.
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

// Whether the effect combines as the scatter's computation does.
void ResultProver::ProveCombined(Scope& scope, const Effect& effect,
                                 const hlo_values::ScatterParts& scatter, Term target,
                                 const ScatterStep& step) {
  SameValue same(scope, options_.same_value, &decider_);
  Term wanted = nullptr;
  if (effect.kind == Effect::Kind::kAtomic && !effect.old) {
    const Instruction* root = scatter.combiner->root;
    // The operand's element is the first operand of the operation, as in memory.
    bool combines = scatter.updates.size() == 1 && IsParameters(*root, {0, 1}) &&
                    terms::OpOf(root->opcode, root->shape.type) == effect.operation &&
                    effect.operation != terms::Op::kNone;
    if (!combines) return Fail(Place(effect) + "an atomic update by another operation");
    wanted = scatter.updates[0];
  } else {
    // What the elements hold then: before the kernel runs, after the step before, or at the
    // compare-and-swap that succeeds.
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
  // The next update is combined with what is stored.
  const Term stored = AsSeenBy(*scatter.combiner, effect.value);
  wanted = AsSeenBy(*scatter.combiner, wanted);
  if (compare::Settles(same.Prove(stored, wanted), scope, stored, wanted)) return;
  Unknown(Claim::kValues, Place(effect) + same.reason());
  if (!same.ProveElements(stored, wanted)) Unknown(Claim::kElements, Place(effect) + same.reason());
}

}  // namespace affirm::kernel
