// What shows of an expression at a glance, so that most rules need not be tried at all.
#ifndef AFFIRM_CORE_SIMPLIFY_FEATURES_H_
#define AFFIRM_CORE_SIMPLIFY_FEATURES_H_

#include <cstdint>

#include "core/symbolic/expr.h"
#include "core/symbolic/interval.h"

namespace affirm {

struct CompiledRule;

// The constant factor of a sum's term; of a constant that is a term, all of it.
inline int64_t CoefficientOf(SymbolicExpr term) {
  return term.kind() == ExprKind::kMul || term.IsConstant() ? term.value() : 1;
}

// A set of bits; features.cc says what each one means.
using Features = uint64_t;

// Those that the form shows, and those that a range shows that contains every value of the
// expression.
Features FeaturesOf(SymbolicExpr e);
inline constexpr Features kPointFeature = Features{1} << 11;  // no two values
inline Features FeaturesOf(Interval range) {
  return range.IsBounded() && range.lower >= range.upper ? kPointFeature : 0;
}
// Features of every expression that the rule's last program matches.
Features RequiredBy(const CompiledRule& rule);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_FEATURES_H_
