// Rewrites expressions bottom-up with the expression rules of a table, under fixed facts.
#ifndef AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_
#define AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_

#include <string>

#include "core/indexing/range.h"
#include "core/simplify/match.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/trace.h"
#include "core/symbolic/epoch_map.h"

namespace affirm {

class ExprEngine {
 public:
  ExprEngine(Context& context, const RuleTable& rules, RangeAnalysis& ranges);

  // Starts over under what `ranges` now knows. Steps go to `trace` when it's not null, with the
  // place given.
  void Reset(Trace* trace, std::string place);
  SymbolicExpr Simplify(SymbolicExpr e) { return Rewrite(e); }
  // The simplified form without a trace, for `is` conditions.
  SymbolicExpr Normalize(SymbolicExpr e);

 private:
  SymbolicExpr Rewrite(SymbolicExpr e);
  SymbolicExpr RewriteOperands(SymbolicExpr e);
  SymbolicExpr ApplyRules(SymbolicExpr e);
  void Record(const CompiledRule& rule, Matcher& matcher, SymbolicExpr before, SymbolicExpr after);

  static constexpr int kMaxIsDepth = 3;

  Context& context_;
  const RuleTable& rules_;
  RangeAnalysis& ranges_;
  Trace* trace_ = nullptr;
  std::string place_;
  EpochMap<SymbolicExpr> memo_;
  EpochMap<SymbolicExpr> untraced_memo_;
  int depth_ = 0;                  // of `is` conditions within each other
  std::vector<Matcher> matchers_;  // by depth, as those of outer conditions are still at work
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_
