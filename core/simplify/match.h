// Matches compiled rules against expressions and facts (program.h says how). Internal to
// core/simplify.
//
// Matching (c * x + y) floordiv c against (8 * s0 + d0) floordiv 8 binds c = 8, x = s0, y = d0.
#ifndef AFFIRM_CORE_SIMPLIFY_MATCH_H_
#define AFFIRM_CORE_SIMPLIFY_MATCH_H_

#include <algorithm>
#include <optional>
#include <vector>

#include "core/indexing/range.h"
#include "core/simplify/features.h"
#include "core/simplify/nearest_multiples.h"
#include "core/simplify/program.h"
#include "core/simplify/trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Compiler.h"

namespace affirm {

class ExprEngine;

class Matcher {
 public:
  using Continuation = llvm::function_ref<bool()>;

  // The engine brings both sides of `is` to their simplified forms.
  Matcher(Context& context, RangeAnalysis& ranges, ExprEngine& engine)
      : context_(context), ranges_(ranges), engine_(engine) {}

  // The replacement when the expression rule applies at `e`; null otherwise.
  SymbolicExpr Apply(const CompiledRule& rule, SymbolicExpr e);

  // Matches premise `i` of a constraint rule against a fact and calls `next` with the bindings;
  // true when `next` agreed. A rule with two premises is matched second premise first, and the
  // first one within its `next`.
  bool MatchFact(const CompiledRule& rule, size_t i, const Constraint& fact, Continuation next);

  // About the rule and the bindings of the match that has succeeded, or whose `next` is running.
  bool ConditionsHold();
  // A conclusion; nullopt when a constant leaves int64.
  std::optional<Constraint> BuildFact(const CompiledBounds& conclusion);
  std::vector<Binding> bindings();
  std::vector<RangeEnd> range_ends();

 private:
  // A sum whose operands are being matched.
  struct Sum {
    enum Use : uint8_t { kFree, kPicked, kMultiple };
    static constexpr size_t kInline = 32;
    llvm::ArrayRef<SymbolicExpr> terms;
    llvm::SmallVector<Use, kInline> use;     // of each term
    llvm::SmallVector<SymbolicExpr, 8> own;  // the terms, when they are of no expression
    int64_t constant = 0;                    // what is still to be taken of it
    int64_t factor = 0, moved = 0;           // of the multiples: g, and their constant times g
    bool found = false;   // kFactor has set these two for the kSplit that follows
    bool shared = false;  // nearest_ says what the multiples take of each term
    bool Free(size_t i) const { return use[i] == kFree; }
    void FreeAll() {
      use.resize_for_overwrite(terms.size());
      // There is always room for kInline terms, and a fixed number needs no loop.
      std::fill_n(use.data(), kInline, kFree);
      if (use.size() > kInline) std::fill(use.begin() + kInline, use.end(), kFree);
    }
  };

  bool Match(const Program& program, SymbolicExpr e, Continuation accept);
  // Runs a program from `step` to its end, and there accept_; true when that agreed.
  bool Run(const Step* step);
  bool MinMax(const Step& step, size_t part, llvm::ArrayRef<SymbolicExpr> ops);
  bool Solve(const Step& step);
  void OpenSum(const Step& step);
  bool Pick(const Step& step);
  bool Subtract(const Step& step);
  bool Factor(const Step& step);
  bool FactorOfAll(const Step& step);
  bool Split(const Step& step);
  bool SplitNearest(const Step& step);
  bool TakeConstant(const Step& step);
  static bool NothingLeft(const Sum& sum);
  // How much of the constant moves to the multiples of g when the rest is to lie in [0, g - 1];
  // nullopt when no choice achieves that.
  std::optional<int64_t> MovedConstant(int64_t g, const Sum& sum);
  SymbolicExpr Rest(const Sum& sum);
  SymbolicExpr Multiples(const Sum& sum);
  // The sums of the quotients of nearest_, and of what remains of each term.
  SymbolicExpr NearestQuotients(const Sum& sum);
  SymbolicExpr NearestRest(const Sum& sum);

  bool Holds(const CompiledCondition& condition);
  bool Within(const CompiledBounds& bounds);

  // The values of terms; false or null when a constant leaves int64, a divisor is zero or a range
  // has no end.
  LLVM_ATTRIBUTE_ALWAYS_INLINE bool Constant(const Postfix& code, int64_t& value) {
    const PostfixStep& first = code.front();
    if (code.size() > 1 || first.op != PostfixStep::Op::kPush) {
      return EvaluateConstant(code, value);
    }
    value = first.metavariable >= 0 ? constants_[first.metavariable] : first.number;
    return true;
  }
  SymbolicExpr Build(const Postfix& code) {
    if (code.size() == 1 && code[0].op == PostfixStep::Op::kExpr)
      return Value(code[0].metavariable);
    return EvaluateExpr(code);
  }
  bool EvaluateConstant(const Postfix& code, int64_t& value);
  SymbolicExpr EvaluateExpr(const Postfix& code);
  // Leaves the value in constant_ or at the bottom of the stack of expressions.
  template <bool kExprs>
  bool Evaluate(const Postfix& code);
  bool EvaluateExpr(const PostfixStep& step, int64_t& top, int64_t*& c, SymbolicExpr*& e);
  SymbolicExpr BuildNode(TermKind kind, llvm::ArrayRef<SymbolicExpr> ops);

  // An expression in a register. What was taken of a sum is built when it's first asked for, as
  // most matches fail before that.
  SymbolicExpr Value(int at) {
    if (!exprs_[at]) {
      const Sum& sum = sums_[pending_[at]->sum];
      exprs_[at] = pending_[at]->op == Step::Op::kRest ? Rest(sum) : Multiples(sum);
    }
    return exprs_[at];
  }
  void SetPending(const Step& step) {
    exprs_[step.to[0]] = {};
    pending_[step.to[0]] = &step;
  }

  Context& context_;
  RangeAnalysis& ranges_;
  ExprEngine& engine_;
  const CompiledRule* rule_ = nullptr;
  Continuation accept_;
  SymbolicExpr exprs_[kMaxRegisters];  // null while pending
  const Step* pending_[kMaxRegisters];
  int64_t constants_[kMaxRegisters] = {};
  Sum sums_[kMaxSums];
  NearestMultiples nearest_;  // of the one sum that is shared
  int64_t constant_ = 0;
  int64_t constant_stack_[kMaxPostfixStack];
  SymbolicExpr expr_stack_[kMaxPostfixStack];
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_MATCH_H_
