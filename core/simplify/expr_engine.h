// Rewrites expressions bottom-up with the expression rules of a table, under fixed facts.
#ifndef AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_
#define AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_

#include <string>

#include "core/indexing/range.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/trace.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm {

class ExprEngine {
 public:
  // `ranges` must stay as it is while the engine is used.
  ExprEngine(Context& context, const RuleTable& rules, RangeAnalysis& ranges, Trace* trace)
      : context_(context), rules_(rules), ranges_(ranges), trace_(trace) {}

  SymbolicExpr Simplify(SymbolicExpr e);
  void set_place(std::string place) { place_ = std::move(place); }

 private:
  SymbolicExpr Rewrite(SymbolicExpr e);
  SymbolicExpr ApplyRules(SymbolicExpr e);
  // The simplified form without a trace, for `is` conditions.
  SymbolicExpr Normalize(SymbolicExpr e);

  Context& context_;
  const RuleTable& rules_;
  RangeAnalysis& ranges_;
  Trace* trace_;
  std::string place_;
  llvm::DenseMap<SymbolicExpr, SymbolicExpr> memo_;
  llvm::DenseMap<SymbolicExpr, SymbolicExpr> untraced_memo_;
  int depth_ = 0;  // of `is` conditions within each other
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_
