// Rewrites expressions bottom-up with the expression rules of a table, under fixed ranges. Internal
// to core/simplify.
//
// With d0 in [0, 7], (d0 + 8 * s0) floordiv 8 becomes s0 + d0 floordiv 8 (floordiv.split), where
// d0 floordiv 8 is 0 (range.point), and so s0.
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

  // Begins a map: gives it its limits, which grow with its expressions.
  void BeginMap(const IndexingMap& map);
  // Starts over under what `ranges` now knows. Steps go to `trace` when it is not null; `place`
  // says in them which part of the map is rewritten.
  void Reset(Trace* trace, llvm::StringRef place);
  // Charges a rewrite for its result. False when the limits of the map are used up; nothing is
  // rewritten from there on.
  bool Charge(SymbolicExpr result);
  bool is_cut_off() const { return is_cut_off_; }
  SymbolicExpr Simplify(SymbolicExpr e) { return Rewrite(e); }
  // The simplified form without a trace, for `is` conditions.
  SymbolicExpr Normalize(SymbolicExpr e);
  // The features that the form of an expression shows, whatever the ranges are.
  Features FeaturesOf(SymbolicExpr e) { return FormOf(e).features; }

 private:
  // Whether no rule can apply to `e` or within, at a glance: constants, most variables, and most
  // multiples of these.
  bool IsIrreducible(SymbolicExpr e) {
    switch (e.kind()) {
      case ExprKind::kConstant:
        return true;
      case ExprKind::kVariable:
        return OnlyPointRules(e.kind()) && !ranges_.IsPointVariable(e);
      case ExprKind::kMul:
        return e.IsMultiple() && e.op(0).IsVariable() && IsIrreducible(e.op(0)) &&
               IsIrreducibleMultiple(e);
      default:
        return false;
    }
  }
  // The same of a multiple whose factor is irreducible.
  bool IsIrreducibleMultiple(SymbolicExpr e) {
    return OnlyPointRules(e.kind()) && !ranges_.IsPointMultiple(e);
  }
  // Whether all rules for expressions of this kind ask for a range of one value.
  bool OnlyPointRules(ExprKind kind) const { return rules_.ForHead(kind).only_point_rules; }
  SymbolicExpr Rewrite(SymbolicExpr e) { return IsIrreducible(e) ? e : RewriteParts(e); }
  SymbolicExpr RewriteParts(SymbolicExpr e);
  SymbolicExpr RewriteOperands(SymbolicExpr e);
  // Continues RewriteOperands where operand i has become `first`.
  SymbolicExpr RewriteOperandsFrom(SymbolicExpr e, size_t i, SymbolicExpr first);

  static constexpr uint32_t kForms = 256;
  // The features that the form of an expression shows, whatever the ranges are. A cache of the
  // expressions seen last, by id modulo kForms.
  struct Form {
    SymbolicExpr expr;
    Features features;
    uint64_t admitted;  // of the rules for its head; bits as in RuleTable::List
  };
  const Form& FormOf(SymbolicExpr e) {
    Form& form = forms_[e.id() % kForms];
    if (!(form.expr == e)) form = MakeForm(e);
    return form;
  }
  Form MakeForm(SymbolicExpr e) const;
  void Stop();

  // The expression that a rule makes of `e`; null when none applies.
  SymbolicExpr ApplyRules(SymbolicExpr e) {
    uint64_t admitted = FormOf(e).admitted;
    bool only_point_rules = !(admitted & ~rules_.ForHead(e.kind()).points);
    return only_point_rules && !ranges_.IsPoint(e) ? SymbolicExpr() : ApplyRules(e, admitted);
  }
  // The same with the rules that are left.
  SymbolicExpr ApplyRules(SymbolicExpr e, uint64_t left);
  void Record(const CompiledRule& rule, Matcher& matcher, SymbolicExpr before, SymbolicExpr after);

  static constexpr int kMaxIsDepth = 3;

  Context& context_;
  const RuleTable& rules_;
  RangeAnalysis& ranges_;
  Trace* trace_ = nullptr;
  std::string place_;
  EpochMap<SymbolicExpr> memo_;
  EpochMap<SymbolicExpr> untraced_memo_;
  Form forms_[kForms];
  int64_t steps_left_ = 0;
  int64_t work_left_ = 0;  // operands of rewritten nodes, over the whole map
  uint64_t max_size_ = 0, max_depth_ = 0;
  bool is_cut_off_ = false;
  int nesting_ = 0;                // of expressions that are being rewritten
  int depth_ = 0;                  // of `is` conditions within each other
  std::vector<Matcher> matchers_;  // by depth, as those of outer conditions are still at work
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_EXPR_ENGINE_H_
