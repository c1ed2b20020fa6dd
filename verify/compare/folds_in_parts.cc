// A fold of the computation that the kernel splits into partial folds, one for each thread or loop,
// and then combines: thread t of 256 has
//   fold of x[256 * i + t] over i in [0, 127]
// and the computation has the fold of x[d] over d in [0, 32767]. Part t is that fold at
// d = 256 * i + t. That the parts cover each d once is a question about maps, so the proof does not
// grow with the number of elements.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/same_value.h"
#include "verify/compare/written_elements.h"
#include "verify/terms/range.h"

namespace affirm::compare {

using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Term;

namespace {

constexpr int64_t kMostParts = int64_t{1} << 14;
constexpr Int128 kMostPoints = Int128{1} << 62;
constexpr size_t kMostLoads = 4;  // pairs of loads tried to find the place of a value

bool Contains(Term root, Term wanted) {
  return terms::AnyPart(root, [&](Term part) { return part == wanted; });
}

// Loads in the value, except for those inside of nested folds.
llvm::SmallVector<Term, 4> LoadsIn(Term value) {
  llvm::SmallVector<Term, 4> loads;
  terms::ForEachPart(value, [&](Term part) {
    if (part->kind == Kind::kFold) return terms::Visit::kPast;
    if (part->kind == Kind::kLoad) loads.push_back(part);
    return terms::Visit::kInto;
  });
  return loads;
}

// The expression factor * linear + constant.
struct Multiple {
  Int128 factor = 0, constant = 0;
};

// `a` as factor * linear + constant; nullopt if it has no such form.
std::optional<Multiple> AsMultiple(terms::Pool& pool, Term a, Term linear) {
  if (a->kind != Kind::kSum || a->sum.empty()) return std::nullopt;
  const bool sum = linear->kind == Kind::kSum;
  if (sum && linear->sum.empty()) return std::nullopt;
  const terms::Monomial first = sum ? linear->sum[0] : terms::Monomial{1, linear};
  for (const terms::Monomial& m : a->sum) {
    if (m.atom != first.atom || m.coefficient % first.coefficient != 0) continue;
    const Int128 factor = m.coefficient / first.coefficient;
    Term rest = pool.Subtract(a, pool.Scale(linear, factor));
    if (rest->IsNumber()) return Multiple{factor, rest->number};
  }
  return std::nullopt;
}

// Whether all variables of the term are among `variables`.
bool HasOnly(Term root, llvm::ArrayRef<Term> variables) {
  return !terms::AnyPart(root, [&](Term part) {
    return part->kind == Kind::kVariable && !llvm::is_contained(variables, part);
  });
}

// The points that the parts cover, as stores to an array with one element for each point. Parts
// whose points differ by a constant alone become one store, with a loop over the constants.
class TakenPoints {
 public:
  TakenPoints(terms::Pool& pool, bool once_is_enough)
      : pool_(pool), once_is_enough_(once_is_enough) {}

  void Add(Term point, Term condition, llvm::ArrayRef<Term> variables) {
    const Int128 constant = point->kind == Kind::kSum ? point->number : 0;
    Alike alike;
    alike.linear = pool_.Subtract(point, pool_.Number(constant));
    alike.variables = variables;
    std::vector<Int128> key = {alike.linear->id};
    for (Term variable : variables) key.push_back(variable->id);
    llvm::ArrayRef<Term> all = condition;
    if (condition->kind == Kind::kAnd) all = condition->args;
    for (Term one : all) {
      if (one == pool_.True()) continue;
      const bool bound = one->kind == Kind::kIsZero || one->kind == Kind::kAtLeastZero;
      auto multiple = bound ? AsMultiple(pool_, one->args[0], point) : std::nullopt;
      if (multiple) {
        llvm::append_range(key, std::array{Int128{one->kind == Kind::kIsZero ? -1 : -2},
                                           multiple->factor, multiple->constant});
        alike.of_point.push_back({one->kind, *multiple});
      } else {
        llvm::append_range(key, std::array{Int128{-3}, Int128{one->id}});
        alike.conditions.push_back(one);
      }
    }
    auto [place, fresh] = places_.try_emplace(std::move(key), alike_.size());
    if (fresh) alike_.push_back(std::move(alike));
    alike_[place->second].numbers.push_back(constant);
  }

  // Whether the parts cover each point in [0, points) once; repeated parts are dropped first where
  // the fold is idempotent.
  bool TakeEach(int64_t points) {
    std::vector<WrittenElements> stores;
    std::vector<terms::Range> intervals;
    for (Alike& alike : alike_) {
      std::vector<Int128>& numbers = alike.numbers;
      llvm::sort(numbers);
      if (once_is_enough_) numbers.erase(llvm::unique(numbers), numbers.end());
      for (const NumberGrid& grid : GridsOf(numbers)) {
        stores.push_back(StoreOf(alike, grid));
        if (auto interval = IntervalOf(alike, grid)) intervals.push_back(*interval);
      }
    }
    if (intervals.size() == stores.size()) return LieEndToEnd(std::move(intervals), points);
    return ProveWrittenOnce(pool_, stores, {}, points).verdict == Verdict::kProved;
  }

 private:
  struct Alike {
    Term linear = nullptr;  // the number of the point without its constant
    std::vector<Term> variables, conditions;
    std::vector<std::pair<Kind, Multiple>> of_point;  // conditions on the point alone
    std::vector<Int128> numbers;                      // the constants
  };

  // The points as an interval, where each is covered once: a mixed-radix number, in which the
  // stride of each digit is the product of the counts of the digits below it.
  static std::optional<terms::Range> IntervalOf(const Alike& alike, const NumberGrid& grid) {
    std::vector<std::pair<Int128, Int128>> digits;  // stride and count
    digits.reserve(grid.strides.size() + alike.variables.size());
    for (auto [stride, count] : grid.strides) digits.push_back({stride, count});
    terms::Range interval = {grid.base, grid.base};
    for (Term variable : alike.variables) {
      Int128 stride = alike.linear == variable ? 1 : 0;
      for (const terms::Monomial& m : alike.linear->sum) {
        if (m.atom == variable) stride = m.coefficient;
      }
      interval.lo += stride * variable->range.lo;
      digits.push_back({stride, SizeOf(variable)});
    }
    const size_t atoms = alike.linear->kind == Kind::kSum ? alike.linear->sum.size() : 1;
    if (atoms != alike.variables.size() || !alike.conditions.empty()) return std::nullopt;
    llvm::sort(digits);
    Int128 size = 1;
    for (auto [stride, count] : digits) {
      if (stride != size || count > kMostPoints / size) return std::nullopt;
      size *= count;
    }
    interval.hi = interval.lo + size - 1;
    for (const auto& [kind, of] : alike.of_point) {
      if (kind != Kind::kAtLeastZero) return std::nullopt;
      // factor * point + constant >= 0
      if (of.factor > 0)
        interval.lo = std::max(interval.lo, -terms::FloorDiv(of.constant, of.factor));
      else
        interval.hi = std::min(interval.hi, terms::FloorDiv(of.constant, -of.factor));
    }
    return interval;
  }

  static bool LieEndToEnd(std::vector<terms::Range> intervals, Int128 points) {
    llvm::sort(intervals, [](auto& a, auto& b) { return a.lo < b.lo; });
    Int128 next = 0;
    for (const terms::Range& interval : intervals) {
      if (interval.empty()) continue;
      if (interval.lo != next) return false;
      next = interval.hi + 1;
    }
    return next == points;
  }

  WrittenElements StoreOf(const Alike& alike, const NumberGrid& grid) {
    WrittenElements store = {alike.conditions, {}, alike.variables};
    Term point = pool_.Add(alike.linear, pool_.Number(grid.base));
    for (const auto& [k, stride] : llvm::enumerate(grid.strides)) {
      Term number = pool_.Variable("parts" + std::to_string(k), {0, stride.second - 1});
      store.loops.push_back(number);
      point = pool_.Add(point, pool_.Scale(number, stride.first));
    }
    for (const auto& [kind, of] : alike.of_point) {
      Term integer = pool_.Add(pool_.Scale(point, of.factor), pool_.Number(of.constant));
      store.conditions.push_back(kind == Kind::kIsZero ? pool_.IsZero(integer)
                                                       : pool_.AtLeastZero(integer));
    }
    store.indices.push_back({point});
    return store;
  }

  terms::Pool& pool_;
  bool once_is_enough_;
  std::map<std::vector<Int128>, size_t> places_;  // in `alike_`
  std::vector<Alike> alike_;
};

}  // namespace

// The values of the fold's variables at which the load reads `element`: its digits, by the strides
// of the variables in the load's index. Only a guess, which the caller proves.
std::optional<SameValue::Place> SameValue::PlaceOf(Term element, Term load,
                                                   llvm::ArrayRef<Term> variables) {
  terms::Pool& pool = scope_.pool();
  Term index = load->args[0], rest = index;
  llvm::SmallVector<std::pair<Int128, size_t>, 4> strides;
  for (const auto& [k, variable] : llvm::enumerate(variables)) {
    Int128 stride = index == variable ? 1 : 0;
    for (const terms::Monomial& m : index->sum) {
      if (m.atom == variable) stride = m.coefficient;
    }
    if (stride <= 0) return std::nullopt;
    strides.push_back({stride, k});
    rest = pool.Subtract(rest, pool.Scale(variable, stride));
  }
  if (llvm::any_of(variables, [&](Term variable) { return Contains(rest, variable); }))
    return std::nullopt;
  llvm::sort(strides, std::greater<>());
  Place place(variables.size());
  Term digits = scope_.Simplify(pool.Subtract(element, rest));
  for (auto [stride, k] : strides) {
    place[k] = scope_.Quotient(digits, stride);
    digits = scope_.Residue(digits, stride);
  }
  return place;
}

// Whether each variable but the first is in its range at that place, wherever the facts hold. The
// first one's range follows from the linearized point, which the caller bounds.
bool SameValue::IsInFold(const Place& place, llvm::ArrayRef<Term> variables) {
  terms::Pool& pool = scope_.pool();
  for (size_t k = 1; k < place.size(); ++k) {
    const terms::Range range = variables[k]->range;
    Term inside = pool.And({pool.AtLeast(place[k], pool.Number(range.lo)),
                            pool.AtLeast(pool.Number(range.hi), place[k])});
    if (scope_.Decide(inside) != true) return false;
  }
  return true;
}

// The values of the fold's variables at which the fold's value equals `value`, wherever the facts
// hold.
std::optional<SameValue::Place> SameValue::PlaceInFold(Term value, Term fold) {
  llvm::ArrayRef<Term> variables = fold->args.drop_front(2);
  size_t tried = 0;
  for (Term load : LoadsIn(fold->args[1])) {
    for (Term element : LoadsIn(value)) {
      if (element->number != load->number || element->type != load->type) continue;
      auto place = PlaceOf(element->args[0], load, variables);
      if (!place || ++tried > kMostLoads || !IsInFold(*place, variables)) continue;
      llvm::DenseMap<Term, Term> at;
      for (const auto& [variable, term] : llvm::zip_equal(variables, *place)) at[variable] = term;
      if (AreSame(value, scope_.Substitute(fold->args[1], at))) return place;
    }
  }
  return std::nullopt;
}

// As PlaceInFold, with the condition as a fact.
std::optional<SameValue::Place> SameValue::PlaceInFoldIf(Term condition, Term value, Term fold) {
  // Without a new fact, memoized failures stay valid.
  if (condition == scope_.pool().True()) return PlaceInFold(value, fold);
  llvm::DenseSet<Pair> different;
  different.swap(different_);
  const size_t saved = scope_.Save();
  std::optional<Place> place;
  if (scope_.Assume(condition)) place = PlaceInFold(value, fold);
  scope_.Restore(saved);
  different_ = std::move(different);
  return place;
}

// The fold over fresh variables, whose names do not depend on the thread, so that equal parts have
// equal terms.
Term SameValue::WithPartVariables(Term fold) {
  terms::Pool& pool = scope_.pool();
  llvm::DenseMap<Term, Term> names;
  std::vector<Term> renamed;
  for (Term variable : fold->args.drop_front(2)) {
    const std::string name =
        "part" + std::to_string(fold_depth_) + "_" + std::to_string(renamed.size());
    renamed.push_back(pool.Variable(name, variable->range));
    names[variable] = renamed.back();
  }
  return pool.Fold(fold->operation, scope_.Substitute(fold->args[0], names),
                   scope_.Substitute(fold->args[1], names), renamed);
}

bool SameValue::SameInParts(Term kernel, Term init, Term fold) {
  terms::Pool& pool = scope_.pool();
  auto is_fold = [&](Term term) {
    return term->kind == Kind::kFold && term->operation == fold->operation;
  };
  auto parts = CombinedValues(scope_, fold->op(), kernel, {}, kMostParts, options_.written_sums);
  if (!parts || llvm::none_of(*parts, is_fold) || fold->args[0] != pool.True()) return false;
  llvm::ArrayRef<Term> variables = fold->args.drop_front(2);
  const auto points = static_cast<int64_t>(NumPoints(variables));
  if (points == 0) return false;
  NoteOpenZeroSigns(kernel);
  const bool once_is_enough = IsIdempotent(fold->op());
  TakenPoints taken(pool, once_is_enough);
  int64_t inits = 0;
  const bool sums_floats = fold->op() == Op::kAdd && terms::IntegerWidth(fold->type) == 0;
  auto is_neutral = [&](Term value) {
    return IsIdentityOf(fold->op(), value) || (sums_floats && IsPositiveZero(value));
  };
  auto take = [&](Term part) {
    part = scope_.Simplify(part);
    if (init && part == init) return ++inits, true;
    if (is_neutral(part)) return true;
    undecided_ = FindChoice(part, /*of_integers_only=*/true);
    if (undecided_) return false;
    Term renamed = is_fold(part) ? WithPartVariables(part) : nullptr;
    Term condition = renamed ? renamed->args[0] : pool.True();
    auto place = PlaceInFoldIf(condition, renamed ? renamed->args[1] : part, fold);
    if (!place) return false;
    Term point = pool.Number(0);
    for (const auto& [variable, at] : llvm::zip_equal(variables, *place))
      point = pool.Add(pool.Scale(point, SizeOf(variable)), at);
    point = scope_.Simplify(point);
    // Each block has to cover all points, so a point must not depend on the block.
    llvm::ArrayRef<Term> own;
    if (renamed) own = renamed->args.drop_front(2);
    if (!HasOnly(point, own) || !HasOnly(condition, own)) return false;
    taken.Add(point, condition, own);
    return true;
  };
  ++fold_depth_;
  const bool same = llvm::all_of(*parts, take);
  --fold_depth_;
  if (!same) return false;
  // An initial value that is neutral, or of an idempotent fold, may count any number of times.
  const bool counts_once = inits == 1 || (once_is_enough && inits > 1);
  if (init && !counts_once && !is_neutral(init)) return false;
  const bool starts_with_zero = init && IsPositiveZero(init);
  const bool same_zeros = starts_with_zero == llvm::any_of(*parts, IsPositiveZero);
  if (!same_zeros && options_.zeros == ZeroSigns::kExact) return missed_.zeros = true, false;
  if (!same_zeros && sums_floats && options_.zeros == ZeroSigns::kOfStarts)
    weakest_ = logic::Equality::kZerosAreOne;
  return taken.TakeEach(points);
}

}  // namespace affirm::compare
