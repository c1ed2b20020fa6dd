// The simplifier: runs the rule table over a map.
//
//   IndexingMap map = ...;  // (d0)[s0] -> ((d0 * 8 + s0) floordiv 8), d0 in [0, 9], s0 in [0, 7]
//   Simplify(map);          // (d0)[s0] -> (d0), with the same domain
//   RemoveUnusedVariables(Simplify(map));  // (d0) -> (d0), d0 in [0, 9]
#ifndef AFFIRM_CORE_SIMPLIFY_SIMPLIFY_H_
#define AFFIRM_CORE_SIMPLIFY_SIMPLIFY_H_

#include "core/indexing/indexing_map.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/trace.h"

namespace affirm {

// The map with its results, constraints and bounds rewritten by `rules` (default: the built-in
// table) until none applies. Means the same as `map` at every point; simplifying twice changes
// nothing. Variables are kept, used or not. `trace`, when given, receives each step.
IndexingMap Simplify(const IndexingMap& map, const RuleTable& rules, Trace* trace = nullptr);
IndexingMap Simplify(const IndexingMap& map, Trace* trace = nullptr);

// The map without the range and runtime variables that nothing uses (an unused variable with an
// empty range makes the map known-empty). Constraints on removed range variables alone that have a
// solution are dropped too; a variable that constraints tie to a kept one stays, and so does a
// runtime variable that has constraints or whose bounds leave out some of its values.
IndexingMap RemoveUnusedVariables(const IndexingMap& map);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_SIMPLIFY_H_
