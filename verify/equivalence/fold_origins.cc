#include "verify/equivalence/fold_origins.h"

#include "core/hlo/leaves.h"
#include "verify/compare/fold_orders.h"
#include "verify/equivalence/same_parts.h"
#include "verify/terms/fold_laws.h"

namespace affirm::equivalence {

using hlo_values::ComputationValues;
using terms::Term;

void FoldOrigins::ForEachOpen(Term value, llvm::function_ref<void(Term)> visit) const {
  const ComputationValues::FoldOrigins& folds = of_b_.Folds();
  if (folds.empty()) return;
  terms::ForEachPart(value, [&](Term part) {
    if (compare::IsOpenInOrder(part) && folds.contains(part)) visit(part);
    return terms::Visit::kInto;
  });
}

Term FoldOrigins::Normal(Term fold) {
  Term& form = normal_forms_[fold];
  if (!form) form = terms::WithNumberedVariables(scope_, normal_(fold));
  return form;
}

// Instructions of called computations have no number, and are each of its own.
bool FoldOrigins::AreOne(const hlo::Instruction& a, const hlo::Instruction& b) {
  if (&a == &b) return true;
  if (numbers_.empty()) numbers_ = NumberSameParts(a_, b_);
  const auto first = numbers_.find(&a), second = numbers_.find(&b);
  return first != numbers_.end() && second != numbers_.end() && first->second == second->second;
}

void FoldOrigins::Add(Term value) {
  ForEachOpen(value, [&](Term fold) {
    const Term form = Normal(fold);
    for (const hlo::Instruction* instruction : of_b_.Folds().find(fold)->second) {
      const hlo::Instruction* first = first_.try_emplace(form, instruction).first->second;
      if (!AreOne(*first, *instruction))
        of_two_.try_emplace(form, first->name + " and " + instruction->name);
    }
  });
}

void FoldOrigins::AddResults() {
  for (const hlo::LeafRef& leaf : hlo::Leaves(b_.root->shape)) {
    if (!leaf.shape->IsArray()) continue;
    const auto index = hlo_values::AnyIndex(scope_.pool(), *leaf.shape);
    if (!index) continue;
    auto value = of_b_.At(*b_.root, leaf.index, *index);
    if (value)
      Add(*value);
    else
      llvm::consumeError(value.takeError());  // told where the result is compared
  }
}

std::string FoldOrigins::OfTwo(Term value) {
  Add(value);
  std::string of_two;
  ForEachOpen(value, [&](Term fold) {
    const auto found = of_two_.find(Normal(fold));
    if (found != of_two_.end() && of_two.empty()) of_two = found->second;
  });
  return of_two;
}

LicensedParts::LicensedParts(const hlo::Computation& a, const hlo::Computation& b)
    : numbers_(NumberSameParts(a, b)) {
  for (const auto& op : b.instructions) {
    const int64_t number = numbers_.lookup(op.get());
    stands_for_[number] = number;
  }
}

bool LicensedParts::Add(const hlo::Instruction& of_a, const hlo::Instruction& of_b,
                        const ComputationValues& values) {
  const bool is_open = llvm::any_of(
      values.Folds(), [](const auto& fold) { return compare::IsOpenInOrder(fold.first); });
  const int64_t number = numbers_.lookup(&of_b);
  return !is_open ||
         stands_for_.try_emplace(numbers_.lookup(&of_a), number).first->second == number;
}

}  // namespace affirm::equivalence
