// Matching of a compiled rule against expressions and facts, and its conditions.
#ifndef AFFIRM_CORE_SIMPLIFY_MATCH_H_
#define AFFIRM_CORE_SIMPLIFY_MATCH_H_

#include <optional>
#include <vector>

#include "core/indexing/range.h"
#include "core/simplify/pattern.h"
#include "core/simplify/trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {

class Matcher {
 public:
  using Continuation = llvm::function_ref<bool()>;
  // Brings an expression to its simplified form, for `is`.
  using Normalizer = llvm::function_ref<SymbolicExpr(SymbolicExpr)>;

  Matcher(Context& context, RangeAnalysis& ranges, Normalizer normalize)
      : context_(context), ranges_(ranges), normalize_(normalize) {}

  // Turns to `rule`, without bindings. The rule must outlive what is asked about it.
  void Begin(const CompiledRule& rule) {
    rule_ = rule.rule;
    compiled_ = &rule;
    bound_ = 0;
  }

  // The replacement when the rule applies at `e`; null otherwise.
  SymbolicExpr Apply(SymbolicExpr e);

  // Matches premise `i` against a fact and calls `next` with the bindings; true when `next` agreed.
  bool MatchFact(size_t i, const Constraint& fact, Continuation next);
  bool ConditionsHold();
  // A conclusion under the bindings; nullopt when a constant leaves int64.
  std::optional<Constraint> BuildFact(const BoundPattern& pattern);

  std::vector<Binding> bindings();

 private:
  // The terms of a sum that are still to be taken.
  struct Sum {
    llvm::ArrayRef<SymbolicExpr> terms;
    llvm::MutableArrayRef<uint8_t> taken;
    int64_t constant = 0;
    bool in_order = true;  // the terms are some of one sum's, as they stand there
  };

  bool Match(const Pattern& p, SymbolicExpr e, Continuation next);
  bool MatchConstant(const Term& t, int64_t value, Continuation next);
  bool MatchQuotient(const Pattern& p, SymbolicExpr e, Continuation next);
  bool MatchLattice(const Pattern& p, llvm::ArrayRef<SymbolicExpr> ops, size_t at,
                    Continuation next);
  bool MatchSum(const Pattern& p, SymbolicExpr e, Continuation next);
  bool MatchOperand(const Pattern& p, size_t at, const Sum& sum, Continuation next);
  bool Pick(const Pattern& p, size_t at, const Sum& sum, Continuation next);
  bool Subtract(const Pattern& p, size_t at, const Sum& sum, Continuation next);
  bool Split(const Pattern& p, size_t at, const Sum& sum, Continuation next);
  bool SplitBy(int64_t g, const Pattern& p, size_t at, const Sum& sum, Continuation next);
  // K = value, solved for the free factor.
  bool MatchCoefficient(const SumOperand& o, int64_t value, Continuation next);
  // The product of the factors that are bound; nullopt on overflow.
  std::optional<int64_t> Known(const SumOperand& o);
  // How much of the constant moves to the multiples of g when the rest is to lie in [0, g - 1];
  // nullopt when it can't.
  std::optional<int64_t> MovedConstant(int64_t g, const Sum& sum);
  SymbolicExpr Rest(const Sum& sum);

  bool Holds(const Condition& condition);
  bool Let(const Condition& condition);
  bool Within(const Condition& condition);

  bool IsExpr(int slot) const { return rule_->slots[slot].is_expr; }
  bool HasExpr(const Term& t) const;
  std::optional<int64_t> Constant(const Term& t) {
    if (t.kind == TermKind::kNumber) return t.number;
    if (t.kind != TermKind::kSlot) return Combine(t);
    if (!Bound(t.slot) || IsExpr(t.slot)) return std::nullopt;
    return constants_[t.slot];
  }
  std::optional<int64_t> Combine(const Term& t);
  SymbolicExpr Build(const Term& t) {
    if (t.kind != TermKind::kSlot || !IsExpr(t.slot)) return BuildNode(t);
    return Bound(t.slot) ? Value(t.slot) : SymbolicExpr();
  }
  SymbolicExpr BuildNode(const Term& t);

  bool Bound(int slot) const { return bound_ & (1u << slot); }
  void Bind(int slot, SymbolicExpr e) {
    exprs_[slot] = e;
    bound_ |= 1u << slot;
  }
  // The value of an expression name; what was left of a sum is built when it's first asked for, as
  // most matches fail before that.
  SymbolicExpr Value(int slot) {
    if (!exprs_[slot]) exprs_[slot] = Rest(*pending_[slot]);
    return exprs_[slot];
  }
  void Bind(int slot, int64_t v) {
    constants_[slot] = v;
    bound_ |= 1u << slot;
  }
  // Runs `next`; takes the bindings made since `saved` back when it does not agree.
  bool OrUndo(uint32_t saved, bool agreed) {
    if (!agreed) bound_ = saved;
    return agreed;
  }

  Context& context_;
  const Rule* rule_ = nullptr;
  const CompiledRule* compiled_ = nullptr;
  RangeAnalysis& ranges_;
  Normalizer normalize_;
  uint32_t bound_ = 0;
  SymbolicExpr exprs_[kMaxSlots];  // null while pending
  const Sum* pending_[kMaxSlots];
  int64_t constants_[kMaxSlots];
  int64_t divisor_ = 0;  // of the quotient or residue being matched; 0: none
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_MATCH_H_
