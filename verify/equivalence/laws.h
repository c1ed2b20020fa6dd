// Algebraic laws by which two values are the same although their terms differ: one table.
//
//   x / 4          is   x * 0.25         by divide.power_of_two, which is exact
//   (a + b) + c    is   a + (b + c)      by add.reassociate, which rounds differently
//
// An exact law keeps every value, to the bit (of NaNs, that it is one); these always hold. The
// others are what a compiler may be entitled to, and hold only where the caller allows them by
// name. Both sides are rewritten from left to right until no law applies.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_LAWS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_LAWS_H_

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "verify/terms/scope.h"

namespace affirm::equivalence {

struct Law {
  llvm::StringLiteral name;
  bool exact;
  llvm::StringLiteral says;  // "x / c = x * (1 / c), c a power of two"
  // What the term is rewritten to, or null where the law does not apply. Operands are rewritten
  // already.
  terms::Term (*apply)(terms::Scope& scope, terms::Term term);
};

// Every law, the exact ones first.
llvm::ArrayRef<Law> Laws();

// The exact laws and those that are named, in the order of the table. An error names what is no law
// and lists those that there are.
llvm::Expected<std::vector<const Law*>> ChooseLaws(llvm::ArrayRef<std::string> allowed);

// Rewrites terms by some laws, inside of folds too.
class Rewriter {
 public:
  Rewriter(terms::Scope& scope, llvm::ArrayRef<const Law*> laws) : scope_(scope), laws_(laws) {}

  terms::Term Rewrite(terms::Term term);
  // The names of the laws that have been applied, in the order of the table.
  std::vector<std::string> Used() const;

 private:
  terms::Term RewriteOperands(terms::Term term);

  terms::Scope& scope_;
  std::vector<const Law*> laws_;
  llvm::DenseMap<terms::Term, terms::Term> rewritten_;
  llvm::DenseMap<const Law*, int64_t> used_;
};

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LAWS_H_
