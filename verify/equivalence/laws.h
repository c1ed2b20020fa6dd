// Rewrite laws that make values equal although their terms differ: the value rules, and a few
// rewrites of folds and constants.
//
//   x / 4          is   x * 0.25         by divide.power_of_two, which is exact
//   (a + b) + c    is   a + (b + c)      by add.reassociate, which rounds differently
//
// An exact law preserves every value, to the bit up to NaN payloads, and is always applied. The
// others change roundings; the caller must allow them by name. Both sides are rewritten from left
// to right until no law applies.
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

// A nested float sum becomes a flat one, which has more orders than the nested one.
inline constexpr llvm::StringLiteral kNestedSums = "fold.nested_sums";

struct Law {
  std::string name;  // of a value rule, or of a rewrite of folds or constants
  bool exact;
  std::string says;  // "x / c = x * (1.0 / c): c is a power of two"
};

// Every law, the exact ones first.
const std::vector<Law>& Laws();

// The exact laws and the allowed ones, in the order of the table; `a.b` allows a.b.c, too. An error
// names an unknown law and lists all laws.
llvm::Expected<std::vector<const Law*>> ChooseLaws(llvm::ArrayRef<std::string> allowed);

// A hash of the operations and arrays in a value that ignores indices: equal for the elements of
// one array.
class ValueSketches {
 public:
  uint64_t Of(terms::Term value);

 private:
  llvm::DenseMap<terms::Term, uint64_t> known_;
};

// Rewrites terms by laws, inside of folds too. Each step is an inference: an exact law adds no
// oracle, an allowed one adds `definitions` or `licences`.
class Rewriter {
 public:
  // `kept`: sketches of narrowing conversions that no law of precision may drop.
  Rewriter(terms::Scope& scope, llvm::ArrayRef<const Law*> laws, std::set<uint64_t> kept = {});

  // |- term = its normal form under the laws
  logic::Theorem Rewrite(terms::Term term);
  // The names of the applied laws, in the order of the table.
  std::vector<std::string> Used() const;

 private:
  using Step = logic::Inference::Result;

  // Rewrites with the laws that `may_grow_` allows now.
  logic::Theorem RewriteNow(terms::Term term);
  logic::Theorem RewriteOperands(terms::Term term);
  // One step by the first law that applies, and its name; nullopt if there is none.
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
  bool may_grow_ = false;  // whether rules with a larger right side may be applied
  // Memos, by may_grow_.
  llvm::DenseMap<terms::Term, logic::Theorem> rewritten_[2];
  int64_t steps_left_ = int64_t{1} << 20;
};

// The rewriters of two computations, where B may be a compiled form of A. Nested sums are flattened
// in B alone (fold.nested_sums): B's nested order is one of the orders of A's flat sum.
//
// Roundings are dropped in A alone (convert.narrow_widen): B may keep precision that A drops, but
// not the other way round.
class Rewriters {
 public:
  Rewriters(terms::Scope& scope, llvm::ArrayRef<const Law*> laws);

  // Rewrites by the laws that apply to both sides; RewriteB also by those for B.
  logic::Theorem Rewrite(terms::Term term) { return by_laws_.Rewrite(term); }
  logic::Theorem RewriteB(terms::Term term) { return of_b_.Rewrite(term); }
  // A term of A without the roundings that B's rewritten terms lack, as far as sketches tell, and
  // the applied laws; nullopt if no law allows it. Sound whichever roundings are dropped.
  struct LessRounded {
    logic::Theorem theorem;
    std::vector<std::string> laws;
  };
  std::optional<LessRounded> RewriteLessRounded(terms::Term term,
                                                llvm::ArrayRef<terms::Term> of_b) const;
  // The names of the applied laws that need the caller's permission for both sides.
  std::vector<std::string> Used() const;

 private:
  terms::Scope& scope_;
  const std::vector<const Law*> laws_;
  Rewriter by_laws_, of_b_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LAWS_H_
