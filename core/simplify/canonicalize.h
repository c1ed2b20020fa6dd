// Canonical forms of expressions and maps that have no domain.
//
//   SymbolicExpr d0 = context.Dim(0);
//   Canonicalize((d0 * 4 + 1).FloorDiv(2));  // d0 * 2
//   Canonicalize(d0.Min(5).Max(7));          // 7
//
// XLA's `Canonicalize()`. It is the rule table of the simplifier over variables that may be any
// integer: what needs a range that is not there does not apply. The canonical form has the value of
// the expression wherever that has one; equal expressions may have different canonical forms, and
// `affirm equiv` decides.
#ifndef AFFIRM_CORE_SIMPLIFY_CANONICALIZE_H_
#define AFFIRM_CORE_SIMPLIFY_CANONICALIZE_H_

#include "core/simplify/trace.h"
#include "core/symbolic/map.h"

namespace affirm {

// A null expression stays null. `trace`, when given, receives each step.
SymbolicExpr Canonicalize(SymbolicExpr e, Trace* trace = nullptr);
// The map with canonical results over the same variables. The context is that of the results.
SymbolicMap Canonicalize(Context& context, const SymbolicMap& map, Trace* trace = nullptr);

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_CANONICALIZE_H_
