// What shows of an expression at a glance, so that most rules need not be tried at all.
#ifndef AFFIRM_CORE_SIMPLIFY_FEATURES_H_
#define AFFIRM_CORE_SIMPLIFY_FEATURES_H_

#include <cstdint>

#include "core/indexing/range.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/interval.h"

namespace affirm {

struct CompiledRule;

// A set of bits; features.cc says what each one means.
using Features = uint64_t;

// Those that the form shows.
Features FeaturesOf(SymbolicExpr e);

// Those that ranges show.
inline constexpr Features kPointFeature = Features{1} << 11;      // no two values
inline constexpr Features kOnePeriodFeature = Features{1} << 55;  // of a quotient or residue:
// the numerator spans less than the divisor, which is a positive constant
inline constexpr Features kRangeFeatures = kPointFeature | kOnePeriodFeature;
bool IsWithinOnePeriod(SymbolicExpr e, RangeAnalysis& ranges);
// Whether ranges show those of them that are required of `e`.
inline bool RangesShow(Features required, SymbolicExpr e, RangeAnalysis& ranges) {
  return (!(required & kPointFeature) || ranges.IsPoint(e)) &&
         (!(required & kOnePeriodFeature) || IsWithinOnePeriod(e, ranges));
}

// Those that a range shows which is compared with the bounds of a fact.
inline constexpr Features kInsideFeature = Features{1} << 56;
inline constexpr Features kAboveFeature = Features{1} << 57;
inline constexpr Features kBelowFeature = Features{1} << 58;
Features FeaturesOf(Interval range, Interval bounds);

// Features of every expression that the rule's last program matches.
Features RequiredBy(const CompiledRule& rule);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_FEATURES_H_
