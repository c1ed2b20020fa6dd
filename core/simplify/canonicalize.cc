// Runs the simplifier over variables without bounds.
#include "core/simplify/canonicalize.h"

#include <algorithm>

#include "core/simplify/simplify.h"

namespace affirm {
namespace {

std::vector<Variable> Unbounded(int64_t count) {
  Variable anything;
  anything.bounds = Interval::All();
  return std::vector<Variable>(count, anything);
}

}  // namespace

SymbolicMap Canonicalize(Context& context, const SymbolicMap& map, Trace* trace) {
  IndexingMap everywhere(context, map, Unbounded(map.num_dims()), Unbounded(map.num_ranges()),
                         Unbounded(map.num_runtime()));
  return Simplify(everywhere, trace).map();
}

SymbolicExpr Canonicalize(SymbolicExpr e, Trace* trace) {
  if (!e) return e;
  int64_t counts[3] = {0, 0, 0};  // by VarKind
  e.Walk([&](SymbolicExpr node) {
    if (!node.IsVariable()) return;
    int64_t& count = counts[static_cast<int>(node.var_kind())];
    count = std::max(count, node.value() + 1);
  });
  SymbolicMap map(counts[0], counts[1], counts[2], {e});
  return Canonicalize(*e.context(), map, trace).result(0);
}

}  // namespace affirm
