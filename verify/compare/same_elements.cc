// Whether two values depend on the same elements, by any operations.
//
// A maximum depends on a set of elements. A sum depends on a multiset, which a set does not show: a
// sum of the computation must equal a part of the kernel's value. Its uses may differ:
//
//   the computation    negate(fold-add of x[d] over d) * y[0]
//   the kernel         (0 - (x[0] + x[1])) * y[0]
//
// depend on x[0] + x[1] and y[0] both.
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/same_value.h"

namespace affirm::compare {

using terms::Kind;
using terms::Term;

namespace {

// Whether the value is a tree of one operation with a fold by it as a leaf:
// add(add(fold-add, 0), y).
bool CombinesFold(Term value) {
  if (value->kind != Kind::kApply) return false;
  bool found = false;
  terms::ForEachPart(value, [&](Term part) {
    found = part->kind == Kind::kFold && part->operation == value->operation;
    if (found) return terms::Visit::kStop;
    const bool same = part->kind == Kind::kApply && part->operation == value->operation;
    return same ? terms::Visit::kInto : terms::Visit::kPast;
  });
  return found;
}

// The maximal trees of the operation in a term. An inner tree is no candidate, since the outer one
// adds more to it.
std::vector<Term> WholeCombinations(Term root, terms::Op operation) {
  llvm::DenseSet<Term> parts;
  std::vector<Term> found;
  auto combines = [&](Term term) { return term->kind == Kind::kApply && term->op() == operation; };
  terms::ForEachPart(root, [&](Term term) {
    if (!combines(term)) return terms::Visit::kInto;
    found.push_back(term);
    for (Term arg : term->args) {
      if (combines(arg)) parts.insert(arg);
    }
    return terms::Visit::kInto;
  });
  llvm::erase_if(found, [&](Term term) { return parts.contains(term); });
  return found;
}

// Parts of `root` whose outermost operation and type are those of `form`.
std::vector<Term> PartsOfForm(Term root, Term form) {
  std::vector<Term> found;
  terms::ForEachPart(root, [&](Term term) {
    if (term->kind == form->kind && term->operation == form->operation && term->type == form->type)
      found.push_back(term);
    return terms::Visit::kInto;
  });
  return found;
}

// Worklist: visits `first` and the values that visits add to `open`, each once. Stops with false
// when a visit returns false.
bool ForEachOpen(Term first, llvm::function_ref<bool(Term, std::vector<Term>& open)> visit) {
  llvm::DenseSet<Term> seen;
  std::vector<Term> open = {first};
  while (!open.empty()) {
    Term value = open.back();
    open.pop_back();
    if (seen.insert(value).second && !visit(value, open)) return false;
  }
  return true;
}

}  // namespace

// The leaves of a value of the computation.
struct SameValue::ElementsRead {
  llvm::SetVector<Term> loads;
  llvm::SetVector<Term> reductions;  // folds that are not idempotent: multiplicities count
  bool unspecified = false;          // whether an arbitrary value is among them
};

// Whether combining with an element again changes nothing: f(f(r, x), x) = f(r, x), as for a
// maximum. f(x, x) = x would not suffice: it also holds for a mean, a - (a - b) / 2.
bool SameValue::CountsOnce(Term reduction) {
  if (!IsFoldByComputation(reduction)) return IsIdempotent(reduction->op());
  if (!combine_ || reduction->operation.IsInOrder()) return false;
  constexpr int64_t kNoBuffer = -1;  // loads from it are arbitrary values
  std::vector<Term> running, element;
  for (Term init : reduction->args.drop_back()) {
    for (std::vector<Term>* of : {&running, &element}) {
      const auto number = static_cast<int64_t>(running.size() + element.size());
      of->push_back(scope_.pool().Load(kNoBuffer, scope_.pool().Number(number), init->type));
    }
  }
  const llvm::StringRef name = reduction->operation.computation();
  const std::vector<Term> once = combine_(name, running, element);
  if (once.size() != element.size()) return false;
  const std::vector<Term> twice = combine_(name, once, element);
  const std::string before = reason_;
  const auto limits = std::pair(cases_, data_cases_);
  const bool outer = std::exchange(inner_choices_first_, true);
  const bool same = llvm::equal(twice, once, [&](Term again, Term value) {
    return AreSame(scope_.Simplify(again), scope_.Simplify(value));
  });
  inner_choices_first_ = outer;
  reason_ = before;
  std::tie(cases_, data_cases_) = limits;
  return same;
}

// False where a condition is open, which is then in `undecided_`, or a fold is too large.
bool SameValue::ReadElements(Term hlo, ElementsRead& read) {
  llvm::DenseSet<Term> written_out;
  return ForEachOpen(hlo, [&](Term value, std::vector<Term>& open) {
    undecided_ = FindChoice(value, /*of_integers_only=*/true);
    if (undecided_) return false;
    std::vector<Term> folds;
    terms::ForEachPart(value, [&](Term term) {
      read.unspecified |= term->kind == Kind::kArbitrary;
      if (term->kind == Kind::kLoad) read.loads.insert(term);
      const bool by_computation = IsFoldByComputation(term);
      if (!by_computation && term->kind != Kind::kFold && !CombinesFold(term))
        return terms::Visit::kInto;
      if (!CountsOnce(term)) {
        read.reductions.insert(term);
        return terms::Visit::kPast;
      }
      if (!by_computation && term->kind != Kind::kFold) return terms::Visit::kInto;
      folds.push_back(by_computation ? term->args.back() : term);
      if (by_computation) llvm::append_range(open, term->args.drop_back());
      return terms::Visit::kPast;
    });
    return llvm::all_of(
        folds, [&](Term fold) { return !written_out.insert(fold).second || WriteOut(fold, open); });
  });
}

// Collects all loads of a value, with its folds unrolled; false where they are too many.
bool SameValue::WriteOutAll(Term hlo, llvm::DenseSet<Term>& loads) {
  return ForEachOpen(hlo, [&](Term value, std::vector<Term>& open) {
    if (value->kind == Kind::kFold) return WriteOut(value, open);
    terms::ForEachPart(value, [&](Term term) {
      if (term->kind == Kind::kLoad) loads.insert(term);
      if (term->kind != Kind::kFold) return terms::Visit::kInto;
      open.push_back(term);
      return terms::Visit::kPast;
    });
    return true;
  });
}

// The part of the kernel's value that equals the computation's reduction; null if none is found.
Term SameValue::FindCombination(Term kernel, Term reduction) {
  constexpr size_t kMostTried = 8;
  llvm::DenseSet<Term> wanted;
  std::vector<Term> parts;
  if (IsFoldByComputation(reduction)) {
    Term combined = CombinedInOrder(reduction);
    if (!combined || !WriteOutAll(combined, wanted)) return nullptr;
    parts = PartsOfForm(kernel, combined);
  } else {
    if (!WriteOutAll(reduction, wanted)) return nullptr;
    parts = WholeCombinations(kernel, reduction->op());
  }
  const std::string before = reason_;
  const auto limits = std::pair(cases_, data_cases_);
  Term found = nullptr;
  size_t tried = 0;
  for (Term term : parts) {
    if (found || tried == kMostTried) break;
    llvm::DenseSet<Term> loads;
    if (!WriteOutAll(term, loads) || loads != wanted) continue;
    ++tried;
    if (AreSame(term, reduction)) found = term;
  }
  reason_ = before;
  std::tie(cases_, data_cases_) = limits;
  return found;
}

bool SameValue::SameElements(Term kernel, Term hlo) {
  kernel = scope_.Simplify(kernel);
  hlo = scope_.Simplify(hlo);
  // A select by indices decides which elements are read, so it is split. A select by data reads
  // both arms.
  if (Term choice = FindChoice(kernel, /*of_integers_only=*/true))
    return ByCases(choice, kernel, hlo, true).has_value();
  ElementsRead read;
  if (!ReadElements(hlo, read)) {
    if (!undecided_) return Fail(kernel, hlo, "a fold that cannot be written out");
    return ByCases(undecided_, kernel, hlo, true).has_value();
  }
  llvm::DenseSet<Term> combinations, met;
  for (Term reduction : read.reductions) {
    Term combination = FindCombination(kernel, reduction);
    if (!combination) return Fail(kernel, hlo, "how often an element counts is not known");
    combinations.insert(combination);
  }
  llvm::SetVector<Term> loads;
  bool fold = false, unspecified = read.unspecified;
  terms::ForEachPart(kernel, [&](Term term) {
    fold |= term->kind == Kind::kFold;
    unspecified |= term->kind == Kind::kArbitrary;
    if (term->kind == Kind::kLoad) loads.insert(term);
    if (!combinations.contains(term)) return terms::Visit::kInto;
    met.insert(term);
    return terms::Visit::kPast;
  });
  if (unspecified) return Fail(kernel, hlo, "an unspecified value");
  if (fold) return Fail(kernel, hlo, "how often an element counts is not known");
  auto contained = [&](const llvm::SetVector<Term>& small, const llvm::SetVector<Term>& big) {
    return llvm::all_of(small, [&](Term load) {
      return big.contains(load) || llvm::any_of(big, [&](Term other) {
               return load->number == other->number && load->type == other->type &&
                      Holds(scope_.pool().Equal(load->args[0], other->args[0]));
             });
    });
  };
  // Each combination must be met by itself, and not only inside of another one.
  const bool same = met.size() == combinations.size() && contained(loads, read.loads) &&
                    contained(read.loads, loads);
  return same || Fail(kernel, hlo, "other elements");
}

}  // namespace affirm::compare
