// Features of expressions: a bit set by which most rules are excluded without trying to match them.
// Internal to core/simplify.
//
// A rule (c * x + y) floordiv c requires, among others, "a quotient whose numerator is a sum"; it
// is tried only on expressions that have all of its features.
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

// Features that the form of the expression shows.
Features FeaturesOf(SymbolicExpr e);

// Features that ranges show.
// The expression takes at most one value.
inline constexpr Features kPointFeature = Features{1} << 11;
// A quotient or residue by a positive constant whose numerator spans less than that constant.
inline constexpr Features kOnePeriodFeature = Features{1} << 55;
// A quotient or residue by a positive constant whose numerator, less nearest multiples of that
// constant, may span less than it (nearest_multiples.h).
inline constexpr Features kNearPeriodFeature = Features{1} << 60;
inline constexpr Features kRangeFeatures = kPointFeature | kOnePeriodFeature | kNearPeriodFeature;
bool IsWithinOnePeriod(SymbolicExpr e, RangeAnalysis& ranges);
bool IsNearOnePeriod(SymbolicExpr e, RangeAnalysis& ranges);
// Whether `e` has those range features that are in `required`.
inline bool RangesShow(Features required, SymbolicExpr e, RangeAnalysis& ranges) {
  return (!(required & kPointFeature) || ranges.IsPoint(e)) &&
         (!(required & kOnePeriodFeature) || IsWithinOnePeriod(e, ranges)) &&
         (!(required & kNearPeriodFeature) || IsNearOnePeriod(e, ranges));
}

// Features of a range in comparison with the bounds of a fact.
inline constexpr Features kInsideFeature = Features{1} << 56;
inline constexpr Features kAboveFeature = Features{1} << 57;
inline constexpr Features kBelowFeature = Features{1} << 58;
Features FeaturesOf(Interval range, Interval bounds);

// Features of every expression that the rule's last program matches.
Features RequiredBy(const CompiledRule& rule);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_FEATURES_H_
