#include "verify/equivalence/zero_signs.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/proof/fold_terms.h"

namespace affirm::equivalence {
namespace {

using terms::Kind;
using terms::Term;

bool IsSum(Term term) {
  return term->kind == Kind::kFold && term->name == "add" && terms::IntegerWidth(term->type) == 0;
}

// What the sums of a term start with.
struct Starts {
  bool zero = false, negative_zero = false, value = false, nothing = false;
};

Starts StartsOf(Term root) {
  Starts starts;
  llvm::DenseSet<Term> started;
  terms::ForEachPart(root, [&](Term term) {
    if (term->kind == Kind::kApply && term->name == "add" && term->args.size() == 2) {
      for (size_t k : {0, 1}) {
        if (!IsSum(term->args[k])) continue;
        started.insert(term->args[k]);
        Term start = term->args[1 - k];
        if (kernel::IsPositiveZero(start))
          starts.zero = true;
        else if (kernel::IsIdentityOf("add", start))
          starts.negative_zero = true;
        else
          starts.value = true;
      }
    }
    // What adds it to something is seen before it, or it may be taken for one without a start too.
    if (IsSum(term) && !started.contains(term)) starts.nothing = true;
    return terms::Visit::kInto;
  });
  return starts;
}

}  // namespace

bool SumsStartAlike(Term a, Term b) {
  if (a == b) return true;
  const Starts x = StartsOf(a), y = StartsOf(b);
  if (x.negative_zero != y.negative_zero || x.value != y.value) return false;
  // Of both kinds, one may stand where the other one stood.
  if (x.zero && x.negative_zero) return false;
  return x.zero == y.zero || (x.zero ? y.nothing : x.nothing);
}

}  // namespace affirm::equivalence
