// The trace of a simplification: what was rewritten, by which rule, where. A step of the example in
// expr_engine.h is {rule "range.point", place "results", before d0 floordiv 8, after 0}.
#ifndef AFFIRM_CORE_SIMPLIFY_TRACE_H_
#define AFFIRM_CORE_SIMPLIFY_TRACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "core/simplify/rule.h"

namespace affirm {

// The value of a rule's metavariable.
struct Binding {
  SymbolicExpr expr;     // expression metavariables
  int64_t constant = 0;  // constant metavariables
  bool bound = false;
};

// An end of the known range of an expression, as a condition has read it: lower(expr) = value or
// upper(expr) = value.
struct RangeEnd {
  SymbolicExpr expr;
  bool lower = true;
  int64_t value = 0;
};

// One rewrite. For an expression rule `before` and `after` are the subexpression; for a constraint
// rule the lists of facts. The domain (bounds and constraints) under which the conditions were
// found true is that of the trace at this step.
struct TraceStep {
  std::string rule;
  std::string place;  // "results", "constraints", or "constraint <expr>"
  SymbolicExpr before, after;
  std::vector<Constraint> facts_before, facts_after;
  std::vector<Binding> bindings;  // by metavariable
  // The values of lower() and upper() in the conditions; in a `let` they are free to be anything.
  std::vector<RangeEnd> range_ends;
};

struct Trace {
  std::vector<TraceStep> steps;
  // The rules were stopped at a limit of the engine: what came out is equal, but not simplified.
  // The built-in rules lower a reduction order and never get there.
  bool is_cut_off = false;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_TRACE_H_
