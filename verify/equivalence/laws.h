// Laws by which two values are the same although their terms differ: the value rules, and a few
// rewrites of folds and of constants.
//
//   x / 4          is   x * 0.25         by divide.power_of_two, which is exact
//   (a + b) + c    is   a + (b + c)      by add.reassociate, which rounds differently
//
// An exact law keeps every value, to the bit (of NaNs, that it is one); these always hold. The
// others are what a compiler may be entitled to, and hold only where the caller allows them by
// name. Both sides are rewritten from left to right until no law applies.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_LAWS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_LAWS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "verify/compare/scalar_operations.h"
#include "verify/logic/inference.h"
#include "verify/terms/scope.h"

namespace affirm::equivalence {

// A sum of sums of floats is one: one reduction has orders that a reduction of reductions has not.
inline constexpr llvm::StringLiteral kNestedSums = "fold.nested_sums";

struct Law {
  std::string name;  // of a value rule, as it is written, or of a rewrite of folds or of constants
  bool exact;
  std::string says;  // "x / c = x * (1.0 / c): c is a power of two"
};

// Every law, the exact ones first.
const std::vector<Law>& Laws();

// The exact laws and those that are named, in the order of the table; `a.b` names a.b.c, too. An
// error names what is no law and lists those that there are.
llvm::Expected<std::vector<const Law*>> ChooseLaws(llvm::ArrayRef<std::string> allowed);

// A number for the operations and arrays that a value is made of, whatever its indices are: alike
// for the elements of one array, and by chance for others.
class ValueSketches {
 public:
  uint64_t Of(terms::Term value);

 private:
  llvm::DenseMap<terms::Term, uint64_t> known_;
};

// Rewrites terms by some laws, inside of folds too. Each step is one of the logic: an exact law
// leaves no oracle behind, one that is allowed `definitions` or `licences`.
class Rewriter {
 public:
  // `kept`: sketches of conversions to narrower floats that no law of precision drops.
  Rewriter(terms::Scope& scope, llvm::ArrayRef<const Law*> laws, std::set<uint64_t> kept = {});

  // |- term = what the laws make of it
  logic::Theorem Rewrite(terms::Term term);
  // The names of the laws that have been applied, in the order of the table.
  std::vector<std::string> Used() const;

 private:
  using Step = logic::Inference::Result;

  // With the laws that may be applied now: `may_grow_`.
  logic::Theorem RewriteNow(terms::Term term);
  logic::Theorem RewriteOperands(terms::Term term);
  // The term by one law, which is named; nullopt where none applies.
  Step ByLaw(terms::Term term, llvm::StringRef& law);
  Step ByRule(const logic::TermRule& rule, terms::Term term);
  Step Believed(logic::Oracle oracle, terms::Term term, terms::Term after);
  logic::Theorem Chain(const logic::Theorem& first, const logic::Theorem& second);

  terms::Scope& scope_;
  logic::Inference infer_{scope_};
  const std::set<uint64_t> kept_;
  ValueSketches sketches_;
  llvm::StringSet<> allowed_, used_;
  compare::ScalarOperations operations_;
  bool may_grow_ = false;  // whether rules may be applied whose right side is the larger one
  // What was found where they may not, and where they may.
  llvm::DenseMap<terms::Term, logic::Theorem> rewritten_[2];
  int64_t steps_left_ = int64_t{1} << 20;
};

// The rewriters of two computations, A and B, where B is to be what a compiler may make of A. Of B
// alone sums of sums are sums (fold.nested_sums): its order is one of those that a sum of A has.
//
// What drops a rounding (convert.narrow_widen) is a law of A alone: B may keep precision that A
// throws away, and not the other way round.
class Rewriters {
 public:
  Rewriters(terms::Scope& scope, llvm::ArrayRef<const Law*> laws);

  // By the laws that hold of both.
  logic::Theorem Rewrite(terms::Term term) { return by_laws_.Rewrite(term); }
  logic::Theorem RewriteB(terms::Term term) { return of_b_.Rewrite(term); }
  // A term of A without those of its roundings that the terms of B, which are rewritten, do not
  // have, as far as sketches tell: whichever are dropped, it is what B may be made of. And the laws
  // that were applied. nullopt where no law allows it.
  struct LessRounded {
    logic::Theorem theorem;
    std::vector<std::string> laws;
  };
  std::optional<LessRounded> RewriteLessRounded(terms::Term term,
                                                llvm::ArrayRef<terms::Term> of_b) const;
  // The names of the laws that both have to allow, of those that have been applied.
  std::vector<std::string> Used() const;

 private:
  terms::Scope& scope_;
  const std::vector<const Law*> laws_;
  Rewriter by_laws_, of_b_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LAWS_H_
