#include <algorithm>

#include "verify/terms/range.h"
#include "verify/terms/term.h"

namespace affirm::terms {

Int128 Evaluate(Term term, llvm::function_ref<Int128(Term)> leaf) {
  switch (term->kind) {
    case Kind::kSum: {
      Int128 total = term->number;
      for (const Monomial& m : term->sum) total += m.coefficient * Evaluate(m.atom, leaf);
      return total;
    }
    case Kind::kQuotient:
      return FloorDiv(Evaluate(term->args[0], leaf), term->number);
    case Kind::kMax:
      return std::max(Evaluate(term->args[0], leaf), Evaluate(term->args[1], leaf));
    case Kind::kProduct: {
      Int128 product = 1;
      for (Term factor : term->args) product *= Evaluate(factor, leaf);
      return product;
    }
    case Kind::kPick:
      return Evaluate(term->args[Evaluate(term->args[0], leaf) != 0 ? 1 : 2], leaf);
    case Kind::kTrue:
      return 1;
    case Kind::kFalse:
      return 0;
    case Kind::kAtLeastZero:
      return Evaluate(term->args[0], leaf) >= 0;
    case Kind::kIsZero:
      return Evaluate(term->args[0], leaf) == 0;
    case Kind::kNot:
      return Evaluate(term->args[0], leaf) == 0;
    case Kind::kAnd:
      for (Term part : term->args) {
        if (Evaluate(part, leaf) == 0) return 0;
      }
      return 1;
    case Kind::kInteger:
    case Kind::kHolds:
      return leaf(term->args[0]);
    default:
      return leaf(term);
  }
}

}  // namespace affirm::terms
