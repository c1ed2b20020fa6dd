#include "verify/compare/one_order.h"

#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "verify/terms/query.h"

namespace affirm::compare {

using terms::Int128;
using terms::Kind;
using terms::Term;

namespace {

// Values that the variables which are not determined may have together.
constexpr Int128 kMostTried = 4096;

using Variables = llvm::SmallSetVector<Term, 8>;

// The variables that no fold in the term binds.
Variables FreeVariables(Term root) {
  Variables all, bound, free;
  terms::ForEachPart(root, [&](Term part) {
    if (part->kind == Kind::kVariable) all.insert(part);
    if (part->kind == Kind::kFold) bound.insert(part->args.begin() + 2, part->args.end());
    return terms::Visit::kInto;
  });
  for (Term variable : all) {
    if (!bound.contains(variable)) free.insert(variable);
  }
  return free;
}

// The sizes of blocks that the variable is cut into: by divisors in the term, of it or of a
// multiple, and powers of two. In ascending order.
std::vector<Int128> SizesOf(Term variable, Term root) {
  std::set<Int128> sizes;
  for (Int128 size = 2; size <= variable->range.hi && size < kMostTried; size *= 2)
    sizes.insert(size);
  terms::ForEachPart(root, [&](Term part) {
    if (part->kind != Kind::kQuotient) return terms::Visit::kInto;
    const Term of = part->args[0];
    if (of == variable) sizes.insert(part->number);
    for (const terms::Monomial& m : of->sum) {
      const Int128 factor = m.coefficient < 0 ? -m.coefficient : m.coefficient;
      if (m.atom == variable && part->number % factor == 0) sizes.insert(part->number / factor);
    }
    return terms::Visit::kInto;
  });
  sizes.erase(1);
  return {sizes.begin(), sizes.end()};
}

class Determination {
 public:
  Determination(terms::Scope& scope, llvm::function_ref<bool(Term)> holds)
      : scope_(scope), pool_(scope.pool()), holds_(holds) {}

  bool IsDetermined(Term order, Term reduction) {
    const Variables of_order = FreeVariables(order);
    if (of_order.empty()) return true;
    Variables both = of_order;
    for (Term variable : FreeVariables(reduction)) both.insert(variable);
    for (Term variable : of_order) sizes_[variable] = SizesOf(variable, order);
    const size_t saved = scope_.Save();
    const bool is_possible = AssumeSameReads(both, reduction);
    std::vector<Part> open;
    bool all = is_possible;
    for (Term variable : of_order) {
      auto part = all ? OpenPartOf(variable) : std::nullopt;
      all = all && part;
      if (part && part->size > 1) open.push_back(*part);
    }
    scope_.Restore(saved);
    return all && IsSameForAll(order, open);
  }

 private:
  // What the elements leave open of a variable: variable = size * quotient + a number below size.
  struct Part {
    Term variable, quotient;
    Int128 size;
  };

  // Two threads, or elements, for which the reduction reads the same: the variables of the second
  // one have other names.
  bool AssumeSameReads(const Variables& variables, Term reduction) {
    for (Term variable : variables) {
      const std::string name = "other" + std::to_string(others_.size());
      others_[variable] = pool_.Variable(name, variable->range);
    }
    const std::vector<Term> facts = scope_.facts().vec();
    for (Term fact : facts) {
      if (!scope_.Assume(scope_.Substitute(fact, others_))) return false;
    }
    llvm::SmallSetVector<Term, 8> indices;
    terms::ForEachPart(reduction, [&](Term part) {
      if (part->kind == Kind::kLoad) indices.insert(part->args[0]);
      return terms::Visit::kInto;
    });
    return llvm::all_of(indices, [&](Term index) {
      return scope_.Assume(pool_.IsZero(pool_.Subtract(index, scope_.Substitute(index, others_))));
    });
  }

  bool AreSame(Term a, Term b) { return holds_(pool_.IsZero(pool_.Subtract(a, b))); }

  std::optional<Part> OpenPartOf(Term variable) {
    const Term other = others_.lookup(variable), zero = pool_.Number(0);
    if (AreSame(variable, other)) return Part{variable, variable, 1};
    const terms::Range range = variable->range;
    if (range.lo != 0 || range.hi >= kMostTried) return std::nullopt;
    for (const Int128 size : sizes_.lookup(variable)) {
      if (size > range.hi) break;
      if (!AreSame(scope_.Quotient(variable, size), scope_.Quotient(other, size))) continue;
      const std::string name = "quotient" + std::to_string(others_.size() + next_++);
      return Part{variable, pool_.Variable(name, {0, range.hi / size}), size};
    }
    return Part{variable, zero, range.hi + 1};
  }

  bool IsSameForAll(Term order, llvm::ArrayRef<Part> open) {
    Int128 count = 1;
    for (const Part& part : open) {
      count *= part.size;
      if (count > kMostTried) return false;
    }
    Term first = nullptr;
    for (Int128 k = 0; k < count; ++k) {
      llvm::DenseMap<Term, Term> values;
      Int128 rest = k;
      for (const Part& part : open) {
        values[part.variable] =
            pool_.Add(pool_.Scale(part.quotient, part.size), pool_.Number(rest % part.size));
        rest /= part.size;
      }
      const Term at = values.empty() ? order : scope_.Simplify(scope_.Substitute(order, values));
      if (first && at != first) return false;
      first = at;
    }
    return true;
  }

  terms::Scope& scope_;
  terms::Pool& pool_;
  llvm::function_ref<bool(Term)> holds_;
  llvm::DenseMap<Term, Term> others_;
  llvm::DenseMap<Term, std::vector<Int128>> sizes_;
  size_t next_ = 0;
};

}  // namespace

bool IsDeterminedBy(terms::Scope& scope, Term order, Term reduction,
                    llvm::function_ref<bool(Term)> holds) {
  return Determination(scope, holds).IsDetermined(order, reduction);
}

}  // namespace affirm::compare
