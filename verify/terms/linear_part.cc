#include "verify/terms/linear_part.h"

#include "llvm/ADT/SmallVector.h"

namespace affirm::terms {

LinearPart LinearPartOf(Pool& pool, Term e) {
  if (e->kind != Kind::kSum) return {e, 1, 0};
  Int128 factor = 0;
  for (const Monomial& m : e->sum) {
    Int128 a = m.coefficient < 0 ? -m.coefficient : m.coefficient, b = factor;
    while (b != 0) {
      Int128 r = a % b;
      a = b;
      b = r;
    }
    factor = a;
  }
  if (e->sum[0].coefficient < 0) factor = -factor;
  if (factor == 1 && e->number == 0) return {e, 1, 0};
  llvm::SmallVector<Monomial, 8> reduced;
  for (const Monomial& m : e->sum) reduced.push_back({m.coefficient / factor, m.atom});
  return {pool.Sum(0, reduced), factor, e->number};
}

}  // namespace affirm::terms
