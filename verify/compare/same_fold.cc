// Compares a fold of the computation, unrolled, with the values that the kernel combines.
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/compare/correspondences.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/integer_folds.h"
#include "verify/compare/same_value.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::compare {

using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

constexpr int64_t kMaxCombined = int64_t{1} << 21;

// Whether both are NaN literals; their payloads are ignored.
bool BothNan(Term a, Term b) {
  auto nan = [](Term term) {
    return term->kind == Kind::kLiteral && hlo::IsFloat(term->type) &&
           std::isnan(hlo::DecodeFloat(term->type, static_cast<uint64_t>(term->number)));
  };
  return nan(a) && nan(b);
}

// The ids of the loads in a value, ascending.
std::vector<uint32_t> ElementsIn(Term root) {
  std::vector<uint32_t> elements;
  terms::ForEachPart(root, [&](Term term) {
    if (term->kind == Kind::kLoad) elements.push_back(term->id);
    return terms::Visit::kInto;
  });
  llvm::sort(elements);
  return elements;
}

// Evaluates a fold from left to right; null where it has many values, or one contains a load.
Term FoldOfNumbers(terms::Pool& pool, Term fold, Term init, llvm::ArrayRef<Term> values) {
  constexpr size_t kMostNumbers = 1024;
  if (values.size() > kMostNumbers || (init && !ElementsIn(init).empty())) return nullptr;
  Term folded = init;
  for (Term value : values) {
    if (!ElementsIn(value).empty()) return nullptr;
    folded = folded ? pool.Apply(fold->operation, fold->type, {folded, value}) : value;
  }
  return folded;
}

}  // namespace

bool SameValue::WriteOut(Term fold, std::vector<Term>& values) {
  llvm::ArrayRef<Term> variables = fold->args.drop_front(2);
  std::vector<terms::Int128> point;
  for (Term v : variables) {
    if (v->range.empty()) return true;
    point.push_back(v->range.lo);
  }
  while (true) {
    if (++written_out_ > options_.fold_elements) return false;
    llvm::DenseMap<Term, Term> replaced;
    for (size_t i = 0; i < point.size(); ++i)
      replaced[variables[i]] = scope_.pool().Number(point[i]);
    Term condition = scope_.Substitute(fold->args[0], replaced);
    auto taken = scope_.Decide(condition);
    if (!taken) {
      undecided_ = condition;
      return false;
    }
    if (*taken) values.push_back(scope_.Simplify(scope_.Substitute(fold->args[1], replaced)));
    size_t i = point.size();
    while (i > 0 && point[i - 1] == variables[i - 1]->range.hi)
      --i, point[i] = variables[i]->range.lo;
    if (i == 0) return true;
    ++point[i - 1];
  }
}

// A fold, or one combined with an initial value.
SameValue::Proof SameValue::SameFoldIn(Term kernel, Term hlo) {
  Term fold = hlo, init = nullptr;
  for (int i = 0; i < 2 && fold->kind == Kind::kApply; ++i) {
    const Term arg = hlo->args[static_cast<size_t>(i)];
    if (arg->kind != Kind::kFold || arg->operation != hlo->operation) continue;
    fold = arg;
    init = hlo->args[static_cast<size_t>(1 - i)];
  }
  Proof same = ByStrategy(logic::Oracles::One(logic::Oracle::kFolds), kernel, hlo,
                          [&] { return SameFold(kernel, init, fold); });
  if (same && !IsInOneOrder(kernel, hlo))
    return Fail(kernel, hlo, "one reduction is combined in two orders");
  return same;
}

bool SameValue::IsInOneOrder(Term kernel, Term hlo) {
  FoldOrders& orders = options_.orders ? *options_.orders : orders_;
  const bool first = FirstIsLicensed();
  return orders.Add(scope_, first ? kernel : hlo, first ? hlo : kernel, OrdersPlace());
}

bool SameValue::SameFold(Term kernel, Term init, Term fold) {
  if (fold->operation.IsInOrder()) return Fail(kernel, fold, "folds in another order");
  if (hlo::IsComplex(fold->type)) return SameComplexSum(kernel, init, fold);
  const std::string at_first = reason_;
  if (options_.folds_of_kernel && SameInParts(kernel, init, fold)) return true;
  if (undecided_) return false;
  reason_ = at_first;
  std::vector<Term> wanted;
  if (!WriteOut(fold, wanted)) return Fail(kernel, fold, "a fold that cannot be written out");
  if (init && !WriteOutInit(fold->op(), init, wanted))
    return Fail(kernel, fold, "a fold that cannot be written out");
  const std::string before = reason_;
  wanted = WithKnownReductions(std::move(wanted));
  if (SameMultiset(kernel, init, fold, wanted)) return true;
  if (undecided_) return false;
  std::vector<Term> inner = wanted;
  if (MayWriteOutNested(fold, !FirstIsLicensed(), inner) && !WriteOutReductions(fold->op(), inner))
    return Fail(kernel, fold, "a fold that cannot be written out");
  if (inner != wanted) {
    const std::string outer = std::exchange(reason_, before);
    if (SameMultiset(kernel, init, fold, inner)) return true;
    reason_ = outer;
  }
  // A literal may be the fold of constants from left to right: one of the orders that the
  // computation leaves open.
  if (kernel->kind == Kind::kLiteral && !undecided_ && !FirstIsLicensed()) {
    const std::string first = std::exchange(reason_, before);
    Term number = FoldOfNumbers(scope_.pool(), fold, init, wanted);
    if (number && AreSame(kernel, number)) return true;
    reason_ = first;
  }
  // Summands of integers may cancel, or have another form: compares the combined integers.
  const int64_t width = terms::IntegerWidth(fold->type);
  if (undecided_ || width <= 1 || !IntegerOperationOf(fold->op())) return false;
  if (init) wanted.push_back(init);
  Term combined = Combined(fold->op(), width, wanted);
  if (!combined) return false;
  const std::string first = std::exchange(reason_, before);
  if (AreSame(kernel, scope_.pool().OfInteger(combined, fold->type))) return true;
  reason_ = first;
  return false;
}

// Unrolls the folds by the operation among the values.
bool SameValue::WriteOutFolds(Op operation, std::vector<Term>& values) {
  std::vector<Term> written;
  for (Term value : values) {
    if (value->kind != Kind::kFold || value->op() != operation)
      written.push_back(value);
    else if (!WriteOut(value, written))
      return false;
  }
  values = std::move(written);
  return true;
}

// Replaces reductions by the operation among the values by their operands, recursively: a sum of
// sums becomes the sum of all summands. Drops initial values that do not count.
bool SameValue::WriteOutReductions(Op operation, std::vector<Term>& values) {
  std::vector<Term> open = values;
  std::vector<Term> written;
  while (!open.empty()) {
    Term value = open.back();
    open.pop_back();
    if (value->op() != operation || !IsReduction(value)) {
      written.push_back(value);
    } else if (value->kind == Kind::kFold) {
      if (!WriteOut(value, open)) return false;
    } else {
      for (Term part : value->args) {
        if (!CountsForNothing(operation, part)) open.push_back(part);
      }
    }
  }
  if (written.size() != values.size()) values = std::move(written);
  return true;
}

// Unrolls an initial value that contains a fold by the same operation, and sets `init` to null.
// Only for integers, maxima and minima, whose result does not depend on the order.
bool SameValue::WriteOutInit(Op operation, Term& init, std::vector<Term>& values) {
  if (terms::IntegerWidth(init->type) == 0 && !IsIdempotent(operation)) return true;
  auto is_fold = [&](Term term) { return term->kind == Kind::kFold && term->op() == operation; };
  auto parts = CombinedValues(scope_, operation, init, {}, kMaxCombined);
  if (!parts || llvm::none_of(*parts, is_fold)) return true;
  for (Term part : *parts) {
    if (!is_fold(part))
      values.push_back(part);
    else if (!WriteOut(part, values))
      return false;
  }
  init = nullptr;
  return true;
}

// Whether the initial value of a nested reduction may be left out.
bool SameValue::CountsForNothing(Op operation, Term start) {
  if (IsIdentityOf(operation, start)) return true;
  if (operation != Op::kAdd || !IsPositiveZero(start)) return false;
  if (options_.zeros == ZeroSigns::kOfStarts) weakest_ = logic::Equality::kZerosAreOne;
  missed_.zeros |= options_.zeros == ZeroSigns::kExact;
  return options_.zeros != ZeroSigns::kExact;
}

// Whether zeros among the summands of floats may be dropped on both sides. A sum with a summand
// that is never -0.0 is never -0.0 (IEEE 754, 6.3). So the sums of equal summands agree even in the
// sign of a zero if both have such a summand, or neither.
bool SameValue::SameZeros(llvm::ArrayRef<Term> kernel, Term init, llvm::ArrayRef<Term> wanted) {
  const bool of_kernel = llvm::any_of(kernel, IsNeverNegativeZero);
  if (options_.zeros == ZeroSigns::kNone ||
      of_kernel ==
          (llvm::any_of(wanted, IsNeverNegativeZero) || (init && IsNeverNegativeZero(init))))
    return true;
  missed_.zeros |= options_.zeros == ZeroSigns::kExact;
  if (options_.zeros == ZeroSigns::kExact) return false;
  // The sums may differ in the sign of a zero.
  weakest_ = logic::Equality::kZerosAreOne;
  return of_kernel || llvm::none_of(wanted, IsPositiveZero);
}

void SameValue::NoteOpenZeroSigns(Term kernel) {
  if (parts_.Of(kernel).open_zero_sign) weakest_ = logic::Equality::kZerosAreOne;
}

// Whether the kernel combines the multiset `wanted`, and the initial value once.
bool SameValue::SameMultiset(Term kernel, Term init, Term fold, std::vector<Term> wanted) {
  const llvm::DenseSet<Term> whole(wanted.begin(), wanted.end());
  auto combined =
      CombinedValues(scope_, fold->op(), kernel, whole, kMaxCombined, options_.written_sums);
  if (!combined) return Fail(kernel, fold, "too many values are combined");
  auto writes_out = [&](std::vector<Term>& values, bool of_open_side) {
    return !MayWriteOutNested(fold, of_open_side, values) || WriteOutNested(fold->op(), values);
  };
  if (options_.folds_in_form &&
      (!writes_out(wanted, !FirstIsLicensed()) || !writes_out(*combined, FirstIsLicensed())))
    return Fail(kernel, fold, "a fold that cannot be written out");
  if (options_.folds_of_kernel && !WriteOutFolds(fold->op(), *combined))
    return Fail(kernel, fold, "a fold that cannot be written out");
  NoteOpenZeroSigns(kernel);
  const bool sums_floats = fold->op() == Op::kAdd && terms::IntegerWidth(fold->type) == 0;
  if (sums_floats && !SameZeros(*combined, init, wanted))
    return Fail(kernel, fold, "the sums may differ in the sign of a zero");
  auto is_neutral = [&](Term value) {
    return IsIdentityOf(fold->op(), value) || (sums_floats && IsPositiveZero(value));
  };
  llvm::DenseMap<Term, int64_t> missing;
  for (Term value : wanted) ++missing[value];
  int64_t inits = 0;
  std::vector<Term> extra;
  const bool once_is_enough = IsIdempotent(fold->op());
  for (Term value : *combined) {
    value = scope_.Simplify(value);
    auto found = missing.find(value);
    if (found != missing.end() && (found->second > 0 || once_is_enough))
      found->second -= once_is_enough ? found->second : 1;
    else if (init && (value == init || BothNan(value, init)))
      ++inits;
    else if (!is_neutral(value))  // lanes without an element hold a neutral value
      extra.push_back(value);
  }
  // The initial value must count once, unless the operation is idempotent or the value is neutral.
  if (init && once_is_enough && (inits > 1 || whole.contains(init))) inits = 1;
  if (init && inits == 0) inits += TakeSame(extra, init) ? 1 : 0;
  if (init && inits != 1 && !is_neutral(init))
    return Fail(kernel, fold, "the initial value counts otherwise than once");
  std::vector<Term> rest;
  for (Term value : wanted) {
    auto found = missing.find(value);
    if (found->second <= 0) continue;
    found->second -= once_is_enough ? found->second : 1;
    if (!is_neutral(value)) rest.push_back(value);
  }
  if (!extra.empty() && !rest.empty() && ProveReductionsIn(extra, rest[0]))
    return SameMultiset(kernel, init, fold, WithKnownReductions(std::move(wanted)));
  TakeAlike(extra, rest);
  for (llvm::ArrayRef<Term> open : {llvm::ArrayRef<Term>(extra), llvm::ArrayRef<Term>(rest)}) {
    for (Term value : open) {
      if (!undecided_) undecided_ = FindChoice(value, /*of_integers_only=*/true);
    }
  }
  if (undecided_) return Fail(kernel, fold, "open choices among the values");
  if (extra.size() != rest.size()) {
    return Fail(extra.empty() ? kernel : extra[0], rest.empty() ? fold : rest[0],
                "other values are combined");
  }
  return SameOneByOne(extra, rest);
}

// Removes a value that is proved equal to `wanted`; false if none is found.
bool SameValue::TakeSame(std::vector<Term>& values, Term wanted) {
  constexpr size_t kMostTried = 16;
  const std::vector<uint32_t> elements = ElementsIn(wanted);
  const std::string before = reason_;
  const auto limits = std::pair(cases_, data_cases_);
  size_t tried = 0;
  auto same = llvm::find_if(values, [&](Term value) {
    return ElementsIn(value) == elements && ++tried <= kMostTried && AreSame(value, wanted);
  });
  reason_ = before;
  std::tie(cases_, data_cases_) = limits;
  if (same == values.end()) return false;
  values.erase(same);
  return true;
}

// Matches the values that differ in form: all pairs where they are few, else only pairs with the
// same set of loads.
bool SameValue::SameOneByOne(llvm::ArrayRef<Term> extra, std::vector<Term> rest) {
  constexpr size_t kEachWithEach = 64, kMostOfOneKind = 8;
  const bool little = extra.size() <= kEachWithEach;
  std::map<std::vector<uint32_t>, std::vector<Term>> by_elements;
  for (Term value : rest)
    by_elements[little ? std::vector<uint32_t>() : ElementsIn(value)].push_back(value);
  for (Term value : extra) {
    auto& others = by_elements[little ? std::vector<uint32_t>() : ElementsIn(value)];
    if (!little && others.size() > kMostOfOneKind)
      return Fail(value, others[0], "too many values of the same elements");
    auto match = llvm::find_if(others, [&](Term other) { return AreSame(value, other); });
    if (match == others.end()) {
      return Fail(value, others.empty() ? rest[0] : others[0],
                  "a value is combined that is not among those");
    }
    others.erase(match);
  }
  return true;
}

// HLO allows any order of the elements; this tries the order of their indices.
Term SameValue::CombinedInOrder(Term fold_by_computation) {
  constexpr size_t kMostElements = 1024;
  const terms::Operation& result = fold_by_computation->operation;
  const auto leaf = static_cast<size_t>(result.leaf());
  Term fold = fold_by_computation->args.back();
  std::vector<Term> elements, running = fold_by_computation->args.drop_back();
  if (result.IsInOrder() || !combine_ || !WriteOut(fold, elements) ||
      elements.size() > kMostElements) {
    return nullptr;
  }
  for (Term element : elements) {
    running = combine_(result.computation(), running, element->args);
    if (leaf >= running.size()) return nullptr;
    for (Term& value : running) value = scope_.Simplify(value);
  }
  return running[leaf];
}

SameValue::Proof SameValue::SameFoldByComputation(Term kernel, Term hlo) {
  const auto folds = logic::Oracles::One(logic::Oracle::kFolds);
  if (Term combined = CombinedInOrder(hlo)) return SameAs(kernel, Believed(folds, hlo, combined));
  return Fail(kernel, hlo, "a fold by a computation that cannot be written out");
}

// Unrolls folds by computations inside of a value, so that it simplifies with their users: a sum
// that rounds to a type at each step, and is then converted to it, is a sum in that type.
SameValue::Proof SameValue::WithoutComputations(Term hlo) {
  const auto folds = logic::Oracles::One(logic::Oracle::kFolds);
  std::vector<logic::Theorem> combined;
  const Term undecided = undecided_;
  terms::ForEachPart(hlo, [&](Term term) {
    if (term->kind == Kind::kFold) return terms::Visit::kPast;
    if (!IsFoldByComputation(term)) return terms::Visit::kInto;
    Term in_order = term == hlo ? nullptr : CombinedInOrder(term);
    const Proof same = in_order ? Believed(folds, term, in_order) : std::nullopt;
    if (same) combined.push_back(*same);
    return terms::Visit::kPast;
  });
  undecided_ = undecided;
  return combined.empty() ? std::nullopt : infer_.Replaced(hlo, combined);
}

// Zips two terms into one term of pairs: sums of the same shape become a sum of pairs. Two positive
// zeros are one zero.
Term SameValue::InPairs(Term real, Term imaginary, bool of_sums) {
  terms::Pool& pool = scope_.pool();
  const bool sums = real->operation == imaginary->operation && real->op() == Op::kAdd &&
                    real->kind == imaginary->kind && real->args.size() == imaginary->args.size();
  if (sums && real->kind == Kind::kFold && real->args[0] == imaginary->args[0] &&
      real->args.drop_front(2) == imaginary->args.drop_front(2)) {
    return pool.Fold(real->operation, real->args[0],
                     InPairs(real->args[1], imaginary->args[1], of_sums), real->args.drop_front(2));
  }
  if (sums && real->kind == Kind::kApply && (of_sums || IsReduction(real))) {
    std::vector<Term> args;
    for (auto [a, b] : llvm::zip_equal(real->args, imaginary->args))
      args.push_back(InPairs(a, b, of_sums));
    return pool.Apply(real->operation, real->type, args);
  }
  if (real == imaginary && real->kind == Kind::kLiteral && IsPositiveZero(real)) return real;
  return pool.Apply(Op::kElements, real->type, {real, imaginary});
}

// Whether the real and the imaginary part of the kernel's sum are combined in one order, that is,
// are one sum of pairs. Each part has been proved equal to the computation's.
bool SameValue::PartsHaveOneOrder(Term kernel, Term init, Term fold) {
  using enum ComplexPart;
  terms::Pool& pool = scope_.pool();
  auto parts = [&](Term value, bool of_sums) {
    return InPairs(terms::WithNumberedVariables(scope_, PartOf(pool, value, kReal)),
                   terms::WithNumberedVariables(scope_, PartOf(pool, value, kImaginary)), of_sums);
  };
  const Term values = pool.Fold(fold->operation, fold->args[0], parts(fold->args[1], false),
                                fold->args.drop_front(2));
  const Term first = init ? parts(init, false) : nullptr;
  return SameFold(parts(kernel, true), first, values) ||
         SameFold(parts(kernel, false), first, values);
}

// Proves a sum of complex numbers by parts. Fails for two computations whose other side sums the
// parts by two instructions, since each of these may have an order of its own.
bool SameValue::SameComplexSum(Term kernel, Term init, Term fold) {
  if (fold->op() != Op::kAdd) return Fail(kernel, fold, "a fold of complex numbers");
  const bool of_two =
      options_.folds_in_form && !FirstIsLicensed() && terms::AnyPart(kernel, [](Term part) {
        return part->kind == Kind::kApply && part->op() == Op::kComplex &&
               terms::AnyPart(part, IsOpenInOrder);
      });
  if (of_two) return Fail(kernel, fold, "the parts of one sum are two reductions");
  terms::Pool& pool = scope_.pool();
  for (ComplexPart part : {ComplexPart::kReal, ComplexPart::kImaginary}) {
    Term of_fold = pool.Fold(fold->operation, fold->args[0], PartOf(pool, fold->args[1], part),
                             fold->args.drop_front(2));
    Term of_init = init ? PartOf(pool, init, part) : nullptr;
    if (!SameFold(PartOf(pool, kernel, part), of_init, of_fold)) return false;
  }
  const std::string before = reason_;
  if (PartsHaveOneOrder(kernel, init, fold)) return true;
  reason_ = before;
  return Fail(kernel, fold, "the parts of one sum are combined in two orders");
}

}  // namespace affirm::compare
