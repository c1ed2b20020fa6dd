// Splits of a sum into nearest multiples of a modulus and a rest in [0, m - 1]. Internal to
// core/simplify and verify/rules.
//
// In (d0 * 3 + 3) mod 4 no coefficient is a multiple of 4. The multiple nearest to 3 is 4, so that
// the sum is 4 * d0 + (3 - d0): with d0 in [0, 3] the rest is the residue, and d0 the quotient.
#ifndef AFFIRM_CORE_SIMPLIFY_NEAREST_MULTIPLES_H_
#define AFFIRM_CORE_SIMPLIFY_NEAREST_MULTIPLES_H_

#include <optional>

#include "core/indexing/range.h"
#include "core/simplify/rule.h"
#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

// The names x and y of a left side `(m * x + y) mod m` or `(m * x + y) floordiv m` with the
// condition `range(y) within [0, m - 1]`.
struct NearestSplit {
  int multiple = -1, rest = -1;
};
// The names by which the rule splits a sum like this; nullopt for any other rule.
std::optional<NearestSplit> FindNearestSplit(const Rule& rule);

// The sum less m * (the sum of quotients[i] * atom i, and constant) is the rest.
struct NearestMultiples {
  llvm::SmallVector<int64_t, 8> quotients;  // for each term
  int64_t constant = 0;
};
// Whether the coefficient c has a nearest multiple of m > 0 that is not 0, or may have one. A sum
// of other terms, without a constant, is taken for its own rest: of variables that start at 0 it
// is.
inline bool HasNearMultiple(int64_t c, int64_t m) { return c < 0 || c >= m - c; }

// Whether the sum, less the nearest multiple of m > 0 in each coefficient, spans less than m.
// Quick.
bool SpansLessThan(llvm::ArrayRef<SymbolicExpr> terms, int64_t m, RangeAnalysis& ranges);

// Multiples of m > 1 that leave a rest in [0, m - 1], whatever values the atoms of the terms have
// in their ranges: the nearest to each coefficient, or in one term of two values those on the other
// side. False where no multiples leave such a rest, and for a sum that is its own rest (see above).
// Linear in the terms.
bool ChooseNearestMultiples(llvm::ArrayRef<SymbolicExpr> terms, int64_t constant, int64_t m,
                            RangeAnalysis& ranges, NearestMultiples& out);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_NEAREST_MULTIPLES_H_
