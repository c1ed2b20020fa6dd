// Scatters: each element of the updates is combined with its target once, by an atomic operation,
// by a loop around a compare-and-swap, or, where the indices are unique, by a load and a store.
#include <array>

#include "core/hlo/leaves.h"
#include "verify/kernel/proof/result_prover.h"
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
  bool commutes =
      terms::IsCommutative(terms::OperationName(operation.opcode, operation.shape.type));
  return are(numbers[0], numbers[1]) || (commutes && are(numbers[1], numbers[0]));
}

}  // namespace

// What the effect loads says which element of the updates it is of: an element of the updates in
// its value, or one of the indices in its place. Everything else is proved.
std::optional<std::vector<Term>> ResultProver::UpdateIndexOf(Scope& scope,
                                                             const Effect& effect) const {
  const size_t arity = producer_->operands.size() / 2;
  const hlo::Shape& updates = producer_->operands[arity + 1]->shape;
  const hlo::Shape& indices = producer_->operands[arity]->shape;
  // The elements of an index vector stand beside each other, where there are such vectors.
  const int64_t vector_dim = producer_->attributes.index_vector_dim;
  const bool last = vector_dim == indices.rank() - 1;
  const int64_t vector = vector_dim == indices.rank() ? 1 : last ? indices.dims[vector_dim] : 0;
  llvm::DenseMap<Term, bool> known;
  auto find = [&](llvm::ArrayRef<Term> roots, int64_t divisor) -> std::optional<Term> {
    std::vector<Term> stack = roots.vec();
    llvm::DenseSet<Term> seen;
    while (!stack.empty()) {
      Term term = stack.back();
      stack.pop_back();
      if (!seen.insert(term).second) continue;
      if (term->kind == Kind::kLoad) {
        Term element = scope.Quotient(scope.Simplify(term->args[0]), divisor);
        terms::Range range = scope.RangeOf(element);
        if (range.lo >= 0 && range.hi < updates.NumElements() && !DependsOnData(element, known))
          return element;
        continue;  // not the elements that it is loaded by
      }
      stack.insert(stack.end(), term->args.begin(), term->args.end());
      for (const terms::Monomial& m : term->sum) stack.push_back(m.atom);
    }
    return std::nullopt;
  };
  auto element = find({effect.value}, 1);
  if (!element && vector > 0 && producer_->attributes.update_window_dims.empty())
    element = find({effect.element, effect.guard}, vector);
  if (element) return hlo_values::IndexOfElement(scope, updates, *element);
  return std::nullopt;
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

void ResultProver::ProveUpdate(const LiftedCase& c, const Effect& effect) {
  if (writing_ != Writing::kScatter)
    return Fail(Place(effect) + "an atomic update of a result that is no scatter");
  // What the indices promise: that no two updates go to one element.
  if (effect.kind == Effect::Kind::kStore && !producer_->attributes.unique_indices)
    return Fail(Place(effect) + "a plain store of a scatter whose indices may repeat");
  // What the guard says about indices, and what about data: the latter is to be what decides
  // whether an update is inside.
  std::vector<Term> of_indices, of_data;
  llvm::DenseMap<Term, bool> known;
  llvm::ArrayRef<Term> parts =
      effect.guard->kind == Kind::kAnd ? effect.guard->args : llvm::ArrayRef<Term>(effect.guard);
  for (Term part : parts) (DependsOnData(part, known) ? of_data : of_indices).push_back(part);
  Scope scope(pool_);
  std::vector<Term> conditions(c.facts.begin(), c.facts.end());
  conditions.insert(conditions.end(), of_indices.begin(), of_indices.end());
  for (Term condition : conditions) {
    if (!scope.Assume(condition)) return;
  }
  ComputationValues values = ValuesIn(scope);
  SameValue same(scope, options_.same_value, &decider_);
  auto index = UpdateIndexOf(scope, effect);
  if (!index) return Fail(Place(effect) + "an update of which no element of the updates is seen");
  auto scatter = values.Scatter(*producer_, *index);
  if (!scatter) return Fail(llvm::toString(scatter.takeError()));
  // The guard may leave to the indices what they decide alone.
  Term inside = scope.Simplify(scatter->inside), guard = scope.Simplify(pool_.And(of_data));
  if (!same.Prove(pool_.OfCondition(guard), pool_.OfCondition(inside))) {
    return Fail(Place(effect) +
                "not the condition under which the update is inside: " + same.reason());
  }
  const size_t arity = producer_->operands.size() / 2;
  written_.emplace_back();
  written_.back().conditions = std::move(conditions);
  written_.back().indices.push_back(
      {hlo_values::LinearElement(scope, producer_->operands[arity + 1]->shape, *index)});
  if (!scope.Assume(scatter->inside)) return;
  Term target = hlo_values::LinearElement(scope, *shape_, scatter->target);
  Term same_element = pool_.Equal(scope.Simplify(target), scope.Simplify(effect.element));
  if (scope.Decide(same_element) != true && !decider_.Proves(scope, same_element))
    return Fail(Place(effect) + "an update of another element");
  ProveCombined(scope, effect, *scatter, target);
}

// Whether the effect combines as the scatter's computation does.
void ResultProver::ProveCombined(Scope& scope, const Effect& effect,
                                 const hlo_values::ScatterParts& scatter, Term target) {
  SameValue same(scope, options_.same_value, &decider_);
  Term wanted = nullptr;
  if (effect.kind == Effect::Kind::kAtomic && !effect.old) {
    const Instruction* root = scatter.combiner->root;
    // The operand's element is the first operand of the operation, as in memory.
    bool combines = scatter.updates.size() == 1 && IsParameters(*root, {0, 1}) &&
                    terms::OperationName(root->opcode, root->shape.type) == effect.operation;
    if (!combines) return Fail(Place(effect) + "an atomic update by another operation");
    wanted = scatter.updates[0];
  } else {
    // What the elements hold then: before the kernel runs, or at the compare-and-swap that
    // succeeds.
    std::vector<Term> running;
    for (size_t k = 0; k < scatter.updates.size(); ++k) {
      const size_t output = buffers_.outputs()[first_output_ + k];
      const hlo::Shape& shape = launch_.params[output].shape;
      const int64_t initial = buffers_.InitialOf(output);
      running.push_back(pool_.Load(initial, target, terms::TermType(shape.type)));
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
  if (same.Prove(effect.value, wanted)) return;
  Unknown(Claim::kValues, Place(effect) + same.reason());
  if (!same.ProveElements(effect.value, wanted))
    Unknown(Claim::kElements, Place(effect) + same.reason());
}

}  // namespace affirm::kernel
