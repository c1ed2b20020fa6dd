#include "verify/kernel/proof/same_value.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "llvm/ADT/DenseSet.h"
#include "verify/kernel/lift/small_floats.h"
#include "verify/kernel/proof/correspondences.h"
#include "verify/kernel/proof/fold_terms.h"
#include "verify/kernel/proof/narrow_values.h"

namespace affirm::kernel {

using terms::Kind;
using terms::Sort;
using terms::Term;

bool DependsOnData(Term term, llvm::DenseMap<Term, bool>& known) {
  auto found = known.find(term);
  if (found != known.end()) return found->second;
  bool depends = term->sort() == Sort::kValue && term->kind != Kind::kOfInteger &&
                 term->kind != Kind::kOfCondition && term->kind != Kind::kLiteral;
  for (Term arg : term->args) depends = depends || DependsOnData(arg, known);
  for (const terms::Monomial& m : term->sum) depends = depends || DependsOnData(m.atom, known);
  known[term] = depends;
  return depends;
}

bool SameValue::Holds(Term condition) {
  auto decided = scope_.Decide(condition);
  if (decided) return *decided;
  return decider_ && decider_->Proves(scope_, condition);
}

bool SameValue::Fail(Term kernel, Term hlo, const char* what) {
  if (reason_.empty()) {
    auto text = [](Term term) { return terms::ToString(term, 200); };
    reason_ = std::string(what) + ": " + text(kernel) + " against " + text(hlo);
  }
  return false;
}

void SameValue::Begin() {
  reason_.clear();
  cases_ = data_cases_ = written_out_ = 0;
  if (facts_ == scope_.FactsNumber()) return;
  facts_ = scope_.FactsNumber();
  same_.clear();
  different_.clear();
}

bool SameValue::Prove(Term kernel, Term hlo) {
  Begin();
  return Same(kernel, hlo);
}

bool SameValue::ProveElements(Term kernel, Term hlo) {
  Begin();
  return SameElements(kernel, hlo);
}

bool SameValue::Same(Term kernel, Term hlo) {
  kernel = scope_.Simplify(kernel);
  hlo = scope_.Simplify(hlo);
  if (kernel == hlo || same_.contains({kernel, hlo})) return true;
  if (different_.contains({kernel, hlo})) return false;
  // No case makes them of one type.
  if (kernel->sort() != hlo->sort() || kernel->type != hlo->type)
    return Fail(kernel, hlo, "not of one type");
  bool same = SameByChoices(kernel, hlo);
  (same ? same_ : different_).insert({kernel, hlo});
  return same;
}

bool SameValue::SameByChoices(Term kernel, Term hlo) {
  std::string before = reason_;
  undecided_ = nullptr;
  // Values of few bits first: what computes them with integers is long. Facts of indices say
  // nothing of elements, and those of elements only exclude some.
  auto same_element = [&](Term a, Term b) {
    return a->number == b->number && a->type == b->type &&
           Holds(scope_.pool().Equal(a->args[0], b->args[0]));
  };
  constexpr int64_t kFewBits = 8;
  const bool small = IsSmallFloat(hlo->type);
  if (small && SameAtAllValues(kernel, hlo, same_element, steps_, kFewBits) == true) return true;
  if (SameNow(kernel, hlo)) return true;
  if (SameAtAllValues(kernel, hlo, same_element, steps_) == true) return true;
  // Choices that the facts leave open become cases; those of the two roots first.
  Term choice = undecided_;
  for (Term term : {hlo, kernel}) {
    if (!choice && term->kind == Kind::kSelect) choice = term->args[0];
  }
  if (!choice) choice = FindChoice(kernel, false);
  if (!choice) choice = FindChoice(hlo, false);
  if (!choice) return false;
  reason_ = before;
  return ByCases(choice, kernel, hlo, /*elements=*/false);
}

Term SameValue::OpenPart(Term condition) {
  while (condition->kind == Kind::kAnd || condition->kind == Kind::kNot) {
    condition = *std::find_if(condition->args.begin(), condition->args.end(),
                              [&](Term part) { return !scope_.Decide(part); });
  }
  return condition;
}

bool SameValue::ByCases(Term condition, Term kernel, Term hlo, bool elements) {
  // The parts of a conjunction one by one, so that each case is one of bounds.
  condition = OpenPart(condition);
  llvm::DenseMap<Term, bool> known;
  if (DependsOnData(condition, known) && ++data_cases_ > options_.data_cases) {
    return Fail(kernel, hlo, "too many cases of data");
  }
  for (Term side : {condition, scope_.pool().Not(condition)}) {
    if (++cases_ > options_.cases) return Fail(kernel, hlo, "too many cases");
    // What is the same stays so where more is known; what is not may become so.
    llvm::DenseSet<Pair> same = same_, different;
    different.swap(different_);
    size_t saved = scope_.Save();
    bool possible = scope_.Assume(side);
    // A condition that is not known to hold although it was assumed would be asked about for ever.
    bool decided = possible && scope_.Decide(side) == true;
    bool proved =
        !possible || (decided && (elements ? SameElements(kernel, hlo) : Same(kernel, hlo)));
    // Ranges do not see every contradiction.
    if (!proved && decided) proved = decider_ && decider_->Proves(scope_, scope_.pool().False());
    scope_.Restore(saved);
    same_ = std::move(same);
    different_ = std::move(different);
    if (!proved)
      return possible && !decided ? Fail(kernel, hlo, "a case that the facts do not keep") : false;
  }
  return true;
}

bool SameValue::SameNow(Term kernel, Term hlo) {
  if (kernel == hlo) return true;
  if (kernel->sort() != hlo->sort()) return Fail(kernel, hlo, "not of one sort");
  const bool in_form = options_.folds_in_form || options_.folds_of_kernel;
  if (in_form && SameInForm(kernel, hlo)) return true;
  if (HasIntegerFold(hlo)) {
    Term written = WithoutIntegerFolds(hlo);
    return written ? Same(kernel, written) : Fail(kernel, hlo, "a fold that cannot be written out");
  }
  if (kernel->sort() == Sort::kInteger) return SameInteger(kernel, hlo);
  if (kernel->sort() == Sort::kCondition) return SameCondition(kernel, hlo);
  if (kernel->type != hlo->type) return Fail(kernel, hlo, "not of one type");
  if (hlo->kind == Kind::kFold) return SameFold(kernel, nullptr, hlo);
  if (hlo->kind == Kind::kApply && hlo->name.starts_with("computation "))
    return SameFoldByComputation(kernel, hlo);
  if (hlo->kind == Kind::kApply && hlo->args.size() == 2) {
    for (int i : {0, 1}) {
      Term fold = hlo->args[i], init = hlo->args[1 - i];
      if (fold->kind == Kind::kFold && fold->name == hlo->name) return SameFold(kernel, init, fold);
    }
  }
  // Integers are compared as what they are, in whatever form: a loaded one that the facts know.
  if (kernel->kind != hlo->kind && terms::IntegerWidth(hlo->type) > 1) {
    terms::Pool& pool = scope_.pool();
    if (hlo->kind != Kind::kApply || kernel->kind != Kind::kApply) {
      if (Holds(pool.IsZero(pool.Subtract(pool.IntegerOf(kernel), pool.IntegerOf(hlo)))))
        return true;
    }
  }
  const bool corresponds = hlo->kind == Kind::kApply && hlo->sort() == Sort::kValue;
  if (kernel->kind != hlo->kind && corresponds && SameByTable(kernel, hlo)) return true;
  if (kernel->kind != hlo->kind) return Fail(kernel, hlo, "other values");
  switch (hlo->kind) {
    case Kind::kLoad:
      if (kernel->number != hlo->number) return Fail(kernel, hlo, "elements of other arrays");
      return SameInteger(kernel->args[0], hlo->args[0]);
    case Kind::kOfInteger: {
      // Equal as the integers of their width that they are.
      if (SameExtrema(kernel->args[0], hlo->args[0])) return true;
      terms::Pool& pool = scope_.pool();
      Term difference = pool.OfInteger(pool.Subtract(kernel->args[0], hlo->args[0]), hlo->type);
      // A difference that is a loaded integer is that load, whose operand is the element.
      if (difference->kind == Kind::kOfInteger && difference->args[0]->IsNumber() &&
          difference->args[0]->number == 0) {
        return true;
      }
      return SameInteger(pool.IntegerOf(kernel), pool.IntegerOf(hlo));
    }
    case Kind::kOfCondition:
      return SameCondition(kernel->args[0], hlo->args[0]);
    case Kind::kSelect:
      return SameCondition(kernel->args[0], hlo->args[0]) && Same(kernel->args[1], hlo->args[1]) &&
             Same(kernel->args[2], hlo->args[2]);
    case Kind::kApply: {
      if (SameBits(kernel, hlo)) return true;
      if (kernel->name == hlo->name && SameOperands(kernel, hlo)) return true;
      if (SameByTable(kernel, hlo)) return true;
      return Fail(kernel, hlo, "other operations");
    }
    default:
      return Fail(kernel, hlo, "other values");
  }
}

bool SameValue::SameByTable(Term kernel, Term hlo) {
  if (!options_.correspondences) return false;
  return llvm::any_of(CorrespondencesOf(scope_, hlo), [&](Term other) {
    // A choice of which the operation itself is an arm is no form of what is no choice.
    if (kernel->kind != Kind::kSelect && llvm::is_contained(other->args, hlo)) return false;
    return Same(kernel, other);
  });
}

bool SameValue::SameOperands(Term kernel, Term hlo) {
  if (kernel->args.size() != hlo->args.size()) return Fail(kernel, hlo, "other operations");
  auto in_order = [&](bool swapped) {
    for (size_t i = 0; i < hlo->args.size(); ++i) {
      if (!Same(kernel->args[swapped ? 1 - i : i], hlo->args[i])) return false;
    }
    return true;
  };
  if (in_order(false)) return true;
  bool commutes = hlo->args.size() == 2 && terms::IsCommutative(hlo->name);
  if (!commutes) return false;
  std::string first = reason_;
  if (in_order(true)) return true;
  reason_ = first;
  return false;
}

// The integers of which `root` is s times the maximum, and a number: each as it counts there, once.
static std::vector<Term> ExtremaIn(terms::Scope& scope, Term root, int& sign) {
  auto maximum = [](Term term, int of_sign) -> Term {
    if (term->kind == Kind::kMax) return of_sign == 1 ? term : nullptr;
    const bool one =
        term->kind == Kind::kSum && term->sum.size() == 1 && term->sum[0].coefficient == of_sign;
    return one && term->sum[0].atom->kind == Kind::kMax ? term->sum[0].atom : nullptr;
  };
  auto number = [](Term term) { return term->kind == Kind::kSum ? term->number : 0; };
  terms::Pool& pool = scope.pool();
  std::vector<Term> leaves;
  sign = maximum(root, -1) ? -1 : 1;
  Term first = maximum(root, sign);
  if (!first) return leaves;
  llvm::DenseSet<std::pair<Term, Term>> seen;  // with what is added to each
  std::vector<std::pair<Term, Term>> stack = {{first, pool.Number(sign * number(root))}};
  while (!stack.empty()) {
    auto [term, added] = stack.back();
    stack.pop_back();
    if (!seen.insert({term, added}).second) continue;
    if (Term inner = maximum(term, 1)) {
      Term more = pool.Add(added, pool.Number(number(term)));
      for (Term arg : inner->args) stack.emplace_back(arg, more);
    } else {
      leaves.push_back(scope.Simplify(pool.Add(term, added)));
    }
  }
  llvm::sort(leaves, [](Term x, Term y) { return x->id < y->id; });
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  return leaves;
}

// The values that `root` combines by the operation, sorted; of "xor", pairs cancel each other, and
// of the others each counts once.
static std::vector<Term> BitsCombined(Term root) {
  std::vector<Term> values, stack = {root};
  while (!stack.empty()) {
    Term term = stack.back();
    stack.pop_back();
    if (term->kind == Kind::kApply && term->name == root->name && term->type == root->type)
      stack.insert(stack.end(), term->args.begin(), term->args.end());
    else
      values.push_back(term);
  }
  llvm::sort(values, [](Term x, Term y) { return x->id < y->id; });
  std::vector<Term> once;
  for (Term value : values) {
    if (once.empty() || once.back() != value)
      once.push_back(value);
    else if (root->name == "xor")
      once.pop_back();
  }
  return once;
}

// Whether two lists, sorted, are the same, where a few may differ in form.
static bool SameLists(std::vector<Term> a, std::vector<Term> b,
                      llvm::function_ref<bool(Term, Term)> same) {
  constexpr size_t kMostOpen = 8;
  auto by_id = [](Term x, Term y) { return x->id < y->id; };
  std::vector<Term> of_a, of_b;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(of_a), by_id);
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(of_b), by_id);
  if (of_a.size() != of_b.size() || of_a.size() > kMostOpen) return false;
  for (Term x : of_a) {
    auto match = llvm::find_if(of_b, [&](Term y) { return same(x, y); });
    if (match == of_b.end()) return false;
    of_b.erase(match);
  }
  return true;
}

// Maxima and minima of the same integers, in whatever order these are taken.
bool SameValue::SameExtrema(Term a, Term b) {
  int sign_a = 0, sign_b = 0;
  std::vector<Term> of_a = ExtremaIn(scope_, a, sign_a), of_b = ExtremaIn(scope_, b, sign_b);
  if (of_a.empty() || of_b.empty() || sign_a != sign_b) return false;
  const std::string before = reason_;
  const bool same = SameLists(of_a, of_b, [&](Term x, Term y) { return SameInteger(x, y); });
  reason_ = before;
  return same;
}

// Bits combined by one operation, in whatever order.
bool SameValue::SameBits(Term kernel, Term hlo) {
  const bool bits = hlo->name == "and" || hlo->name == "or" || hlo->name == "xor";
  if (!bits || kernel->name != hlo->name) return false;
  std::vector<Term> ours = BitsCombined(hlo), theirs = BitsCombined(kernel);
  if (ours.size() + theirs.size() <= 4) return false;  // operands in one order or the other
  const std::string before = reason_;
  const bool same = SameLists(theirs, ours, [&](Term x, Term y) { return Same(x, y); });
  reason_ = before;
  return same;
}

bool SameValue::SameInteger(Term a, Term b) {
  if (SameExtrema(a, b)) return true;
  Term difference = scope_.Simplify(scope_.pool().Subtract(a, b));
  if (Holds(scope_.pool().IsZero(difference))) return true;
  if (++cases_ > options_.cases) return Fail(a, b, "too many cases");
  if (Term written = WithLeavesOf(a, b)) return SameInteger(a, written);
  return Fail(a, b, "other integers");
}

// The values that an integer or a condition is made of, in order of creation.
static std::vector<Term> LeavesOf(Term root) {
  std::vector<Term> leaves;
  terms::ForEachPart(root, [&](Term term) {
    const bool leaf = term->sort() == Sort::kValue && term->kind != Kind::kOfInteger &&
                      term->kind != Kind::kOfCondition;
    if (leaf) leaves.push_back(term);
    return leaf ? terms::Visit::kPast : terms::Visit::kInto;
  });
  llvm::sort(leaves, [](Term x, Term y) { return x->id < y->id; });
  return leaves;
}

// The computation's term with the kernel's values in the place of those that are the same in
// another form; null where there is none.
Term SameValue::WithLeavesOf(Term kernel, Term hlo) {
  constexpr size_t kMostLeaves = 6;
  std::vector<Term> ours = LeavesOf(hlo), theirs = LeavesOf(kernel);
  auto without = [](std::vector<Term>& from, llvm::ArrayRef<Term> what) {
    llvm::erase_if(from, [&](Term term) { return llvm::is_contained(what, term); });
  };
  const std::vector<Term> of_kernel = theirs;
  without(theirs, ours);
  without(ours, of_kernel);
  if (ours.empty() || ours.size() > kMostLeaves || theirs.size() > kMostLeaves) return nullptr;
  const std::string before = reason_;
  const auto limits = std::pair(cases_, data_cases_);
  llvm::DenseMap<Term, Term> replaced;
  for (Term leaf : ours) {
    auto same = llvm::find_if(theirs, [&](Term other) {
      return other->type == leaf->type && other->kind == leaf->kind && Same(other, leaf);
    });
    if (same != theirs.end()) replaced[leaf] = *same;
  }
  // What was tried in vain is not counted.
  reason_ = before;
  std::tie(cases_, data_cases_) = limits;
  // As they are: in another form the kernel's values would be looked for again, and so on.
  return replaced.empty() ? nullptr : scope_.Substitute(hlo, replaced);
}

bool SameValue::SameCondition(Term a, Term b) {
  if (a == b) return true;
  for (bool truth : {true, false}) {
    if (++cases_ > options_.cases) return Fail(a, b, "too many cases");
    size_t saved = scope_.Save();
    bool possible = scope_.Assume(truth ? a : scope_.pool().Not(a));
    Term there = possible ? scope_.Simplify(b) : nullptr;
    bool same = !possible || there->kind == (truth ? Kind::kTrue : Kind::kFalse) ||
                Holds(truth ? b : scope_.pool().Not(b));
    scope_.Restore(saved);
    if (same) continue;
    if (a->kind == Kind::kHolds && b->kind == Kind::kHolds) return Same(a->args[0], b->args[0]);
    if (a->kind == Kind::kNot && b->kind == Kind::kNot)
      return SameCondition(a->args[0], b->args[0]);
    const bool negated = b->kind == Kind::kNot;
    Term predicate = negated ? b->args[0] : b;
    if (options_.correspondences && predicate->kind == Kind::kHolds &&
        predicate->args[0]->kind == Kind::kApply) {
      for (Term form : CorrespondencesOf(scope_, predicate->args[0])) {
        Term holds = scope_.pool().Holds(form);
        if (SameCondition(a, negated ? scope_.pool().Not(holds) : holds)) return true;
      }
    }
    if (Term written = WithLeavesOf(a, b)) return SameCondition(a, written);
    if (a->kind != Kind::kAnd || b->kind != Kind::kAnd || a->args.size() != b->args.size()) {
      return Fail(a, b, "other conditions");
    }
    for (size_t i = 0; i < a->args.size(); ++i) {
      if (!SameCondition(a->args[i], b->args[i])) return false;
    }
    return true;
  }
  return true;
}

Term SameValue::FindChoice(Term root, bool of_integers_only) {
  llvm::DenseMap<Term, bool> data;
  Term choice = nullptr;
  auto is_choice = [&](Term condition) {
    if (scope_.Decide(condition) || (of_integers_only && DependsOnData(condition, data)))
      return false;
    choice = condition;
    return true;
  };
  terms::ForEachPart(root, [&](Term term) {
    if (term->kind == Kind::kFold) return terms::Visit::kPast;
    const bool chooses = term->kind == Kind::kSelect || term->kind == Kind::kPick;
    if (chooses && is_choice(term->args[0])) return terms::Visit::kStop;
    // A conjunction in a predicate is a choice by each of its parts.
    if (term->kind == Kind::kAnd) {
      for (Term part : term->args) {
        if (part->kind == Kind::kNot) part = part->args[0];
        const bool open = part->kind != Kind::kAnd && part->kind != Kind::kHolds;
        if (open && is_choice(part)) return terms::Visit::kStop;
      }
    }
    return terms::Visit::kInto;
  });
  return choice;
}

bool SameValue::SameElements(Term kernel, Term hlo) {
  kernel = scope_.Simplify(kernel);
  hlo = scope_.Simplify(hlo);
  for (Term term : {kernel, hlo}) {
    // What depends on indices alone says which elements are read; what depends on data reads both
    // sides.
    if (Term choice = FindChoice(term, /*of_integers_only=*/true))
      return ByCases(choice, kernel, hlo, true);
  }
  std::vector<Term> elements[2];
  bool fold = false, unspecified = false;
  for (int side : {0, 1}) {
    terms::ForEachPart(side == 0 ? kernel : hlo, [&](Term term) {
      fold |= term->kind == Kind::kFold;
      unspecified |= term->kind == Kind::kArbitrary;
      if (term->kind == Kind::kLoad) elements[side].push_back(term);
      return terms::Visit::kInto;
    });
  }
  if (unspecified) return Fail(kernel, hlo, "an unspecified value");
  if (fold) return Fail(kernel, hlo, "how often an element counts is not known");
  auto contained = [&](int small, int big) {
    return std::all_of(elements[small].begin(), elements[small].end(), [&](Term load) {
      return std::any_of(elements[big].begin(), elements[big].end(), [&](Term other) {
        return load->number == other->number && load->type == other->type &&
               Holds(scope_.pool().Equal(load->args[0], other->args[0]));
      });
    });
  };
  return (contained(0, 1) && contained(1, 0)) || Fail(kernel, hlo, "other elements");
}

}  // namespace affirm::kernel
