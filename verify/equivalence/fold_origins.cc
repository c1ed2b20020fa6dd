#include "verify/equivalence/fold_origins.h"

#include <algorithm>
#include <optional>

#include "core/hlo/choices.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/compare/fold_orders.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/product_precision.h"
#include "verify/equivalence/same_parts.h"
#include "verify/terms/fold_laws.h"

namespace affirm::equivalence {

using hlo_values::ComputationValues;
using terms::Term;

// Whether instructions with this value may choose an order, or round operands of a product.
static bool IsOpen(Term value, llvm::ArrayRef<const hlo::Instruction*> instructions) {
  if (compare::IsOpenInOrder(value)) return true;
  return value->kind != terms::Kind::kFold &&
         llvm::any_of(instructions, [](const auto* one) { return MayRoundOperands(*one); });
}

void FoldOrigins::ForEachOpen(Term value, llvm::function_ref<void(Term)> visit) const {
  const ComputationValues::FoldOrigins& folds = of_b_.Folds();
  if (folds.empty()) return;
  terms::ForEachPart(value, [&](Term part) {
    const auto fold = folds.find(part);
    if (fold != folds.end() && IsOpen(part, fold->second.getArrayRef())) visit(part);
    return terms::Visit::kInto;
  });
}

const compare::ReductionForm& FoldOrigins::NormalForm(Term fold) {
  const auto found = normal_forms_.find(fold);
  if (found != normal_forms_.end()) return found->second;
  return normal_forms_
      .try_emplace(fold,
                   compare::FormOf(scope_, scope_.Simplify(rewriters_.RewriteB(fold).right())))
      .first->second;
}

// Instructions of called computations have no number, and equal only themselves.
bool FoldOrigins::AreOne(const hlo::Instruction& a, const hlo::Instruction& b) {
  if (&a == &b) return true;
  if (numbers_.empty()) numbers_ = NumberSameParts(a_, b_);
  const auto first = numbers_.find(&a), second = numbers_.find(&b);
  return first != numbers_.end() && second != numbers_.end() && first->second == second->second &&
         AreWrittenAlike(a, b);
}

void FoldOrigins::Add(Term value) {
  ForEachOpen(value, [&](Term fold) {
    const compare::ReductionForm reduction = NormalForm(fold);
    std::vector<Origin>& origins = origins_[reduction.form];
    for (const hlo::Instruction* instruction : of_b_.Folds().find(fold)->second) {
      Origin added{reduction, instruction};
      bool is_new = true;
      for (Origin& other : origins) {
        is_new &= other.instruction != instruction || other.reduction.begin != reduction.begin;
        if (AreOne(*other.instruction, *instruction) ||
            !compare::MayMeet(scope_, other.reduction, reduction))
          continue;
        added.of_two = other.of_two = other.instruction->name + " and " + instruction->name;
      }
      if (is_new) origins.push_back(std::move(added));
    }
  });
}

// The instruction and its transitive operands in its computation.
static llvm::DenseSet<const hlo::Instruction*> NeededBy(const hlo::Instruction& instruction) {
  llvm::DenseSet<const hlo::Instruction*> needed = {&instruction};
  for (const auto& op : llvm::reverse(instruction.parent->instructions)) {
    if (needed.contains(op.get())) needed.insert(op->operands.begin(), op->operands.end());
  }
  return needed;
}

// Only equal terms cancel, so it suffices to check folds that come from several instructions.
std::string FoldOrigins::OfTwoBehind(const hlo::Instruction& instruction) {
  std::string of_two;
  std::optional<llvm::DenseSet<const hlo::Instruction*>> needed;
  for (const auto& [fold, instructions] : of_b_.Folds()) {
    if (instructions.size() < 2 || !IsOpen(fold, instructions.getArrayRef())) continue;
    if (!needed) needed = NeededBy(instruction);
    std::vector<const hlo::Instruction*> behind;
    for (const hlo::Instruction* one : instructions) {
      if (one->parent != instruction.parent || needed->contains(one)) behind.push_back(one);
    }
    for (const hlo::Instruction* one : behind) {
      if (AreOne(*behind[0], *one)) continue;
      std::string names = behind[0]->name + " and " + one->name;
      if (of_two.empty() || names < of_two) of_two = std::move(names);
    }
  }
  return of_two;
}

// Checks reductions of A with several forms, such as one for each part of a concatenation. If all
// forms come from one instruction of B, they have one order.
std::string FoldOrigins::InTwoForms() {
  llvm::DenseMap<const hlo::Instruction*, llvm::SetVector<Term>> forms;
  for (const auto& [fold, instructions] : of_a_.Folds()) {
    if (!IsOpen(fold, instructions.getArrayRef())) continue;
    const Term form =
        compare::FormOf(scope_, scope_.Simplify(rewriters_.Rewrite(fold).right())).form;
    for (const hlo::Instruction* one : instructions) forms[one].insert(form);
  }
  std::string found;  // the smallest name, so that the order of the map does not matter
  auto note = [&](const std::string& name) {
    if (found.empty() || name < found) found = name;
  };
  for (const auto& [instruction, of_one] : forms) {
    if (of_one.size() < 2) continue;
    const hlo::Instruction* of_b = nullptr;
    for (Term form : of_one) {
      const auto known = origins_.find(form);
      if (known == origins_.end()) {
        note(instruction->name);
        continue;
      }
      for (const Origin& origin : known->second) {
        if (of_b != nullptr && !AreOne(*of_b, *origin.instruction)) note(instruction->name);
        of_b = origin.instruction;
      }
    }
  }
  return found;
}

std::string FoldOrigins::WhyTwo(const hlo::Instruction& instruction, Term value) {
  if (const std::string two = OfTwo(instruction, value); !two.empty())
    return two + " of B are one value, which each may take in an order, or round, of its own";
  if (const std::string two = InTwoForms(); !two.empty())
    return two + " of A has two forms, of which B may have two orders";
  return "";
}

std::string FoldOrigins::OfTwo(const hlo::Instruction& instruction, Term value) {
  Add(value);
  std::string of_two = OfTwoBehind(instruction);
  ForEachOpen(value, [&](Term fold) {
    const compare::ReductionForm& reduction = NormalForm(fold);
    for (const Origin& origin : origins_[reduction.form]) {
      if (of_two.empty() && origin.reduction.begin == reduction.begin) of_two = origin.of_two;
    }
  });
  return of_two;
}

// Pseudo-numbers, from here down, of parts with an explicit sum; -1 is for instructions of callees.
static constexpr int64_t kWrittenOutIn = -2;

LicensedParts::LicensedParts(const hlo::Computation& a, const hlo::Computation& b)
    : numbers_(NumberSameParts(a, b)) {
  for (const auto& op : b.instructions) {
    const int64_t number = numbers_.lookup(op.get());
    stands_for_[number] = number;
  }
}

std::set<int64_t> LicensedParts::OpenReductions(const ComputationValues& values) const {
  std::set<int64_t> open;
  for (const auto& [fold, instructions] : values.Folds()) {
    if (!IsOpen(fold, instructions.getArrayRef())) continue;
    for (const hlo::Instruction* instruction : instructions) {
      const auto number = numbers_.find(instruction);
      open.insert(number == numbers_.end() ? -1 : number->second);
    }
  }
  return open;
}

bool LicensedParts::Agrees(const ComputationValues& values_a,
                           const ComputationValues& values_b) const {
  const std::set<int64_t> of_b = OpenReductions(values_b);
  return llvm::all_of(OpenReductions(values_a), [&](int64_t number) {
    const auto known = reductions_.find(number);
    return known == reductions_.end() ||
           std::includes(of_b.begin(), of_b.end(), known->second.begin(), known->second.end());
  });
}

bool LicensedParts::Add(const hlo::Instruction& of_a, const hlo::Instruction& of_b,
                        const ComputationValues& values_a, const ComputationValues& values_b,
                        const compare::FoldOrders& orders) {
  std::set<int64_t> open_of_b = OpenReductions(values_b);
  const int64_t number = numbers_.lookup(&of_b);
  // An explicit sum of B is not a reduction, and belongs to this part alone.
  if (orders.HasWrittenOut()) open_of_b.insert(kWrittenOutIn - number);
  for (const int64_t reduction : OpenReductions(values_a)) {
    if (reductions_.try_emplace(reduction, open_of_b).first->second != open_of_b) return false;
  }
  // Terms do not show the choices of opaque functions, such as ties of a sort or sums in a loop.
  const bool chooses_inside = IsOpaqueFunction(of_b) && hlo::MayChooseInside(of_b);
  if (open_of_b.empty() && !chooses_inside) return true;
  return stands_for_.try_emplace(numbers_.lookup(&of_a), number).first->second == number;
}

}  // namespace affirm::equivalence
