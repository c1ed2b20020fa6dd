// Rewrites expressions bottom-up with the expression rules of a table, under fixed facts.
#ifndef AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_
#define AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_

#include <string>

#include "core/indexing/range.h"
#include "core/simplify/match.h"
#include "core/simplify/rule_table.h"
#include "core/simplify/trace.h"
#include "core/symbolic/epoch_map.h"
#include "llvm/ADT/StringRef.h"

namespace affirm {

class ExprEngine {
 public:
  ExprEngine(Context& context, const RuleTable& rules, RangeAnalysis& ranges);

  // Starts over under what `ranges` now knows. Steps go to `trace` when it's not null, with the
  // place given.
  void Reset(Trace* trace, llvm::StringRef place);
  SymbolicExpr Simplify(SymbolicExpr e) { return Rewrite(e); }
  // The simplified form without a trace, for `is` conditions.
  SymbolicExpr Normalize(SymbolicExpr e);
  // The features that the form of an expression shows.
  Features FormOf(SymbolicExpr e) {
    Form& form = forms_[e.id() % kForms];
    if (!(form.expr == e)) form = {e, FeaturesOf(e)};
    return form.features;
  }

 private:
  // Whether no rule can apply to `e`: constants, and most variables.
  bool Stays(SymbolicExpr e) {
    if (!e.IsVariable()) return e.IsConstant();
    return points_only_[static_cast<int>(ExprKind::kVariable)] && !ranges_.IsPoint(e);
  }
  SymbolicExpr Rewrite(SymbolicExpr e) { return Stays(e) ? e : RewriteParts(e); }
  SymbolicExpr RewriteParts(SymbolicExpr e);
  SymbolicExpr RewriteOperands(SymbolicExpr e);
  SymbolicExpr ApplyRules(SymbolicExpr e);
  void Record(const CompiledRule& rule, Matcher& matcher, SymbolicExpr before, SymbolicExpr after);

  static constexpr int kMaxIsDepth = 3;
  static constexpr uint32_t kForms = 256;

  Context& context_;
  const RuleTable& rules_;
  RangeAnalysis& ranges_;
  Trace* trace_ = nullptr;
  std::string place_;
  EpochMap<SymbolicExpr> memo_;
  EpochMap<SymbolicExpr> untraced_memo_;
  // The features that the form of an expression shows, of those seen last; by id modulo kForms.
  struct Form {
    SymbolicExpr expr;
    Features features;
  };
  Form forms_[kForms];
  // By ExprKind: whether all rules for such expressions ask for a range of one value.
  bool points_only_[kNumKinds];
  int depth_ = 0;                  // of `is` conditions within each other
  std::vector<Matcher> matchers_;  // by depth, as those of outer conditions are still at work
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_
