// Translates terms into postfix form.
#include "core/simplify/postfix.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using PostfixOp = PostfixStep::Op;

class Converter {
 public:
  Converter(const Rule& rule, llvm::ArrayRef<MatchedTerm> matched)
      : rule_(rule), matched_(matched) {}

  Postfix Run(const Term& t, TermValue value) {
    value == TermValue::kExpr ? Expr(t) : Constant(t);
    return highest_ <= kMaxPostfixStack ? std::move(out_) : Postfix();
  }

 private:
  void Emit(PostfixStep step, int pushed) {
    out_.push_back(step);
    height_ += pushed;
    highest_ = std::max(highest_, height_);
  }

  void Constant(const Term& t) {
    switch (t.kind) {
      case TermKind::kNumber:
      case TermKind::kMetavariable:
        return Emit({.op = PostfixOp::kPush,
                     .metavariable = static_cast<int8_t>(t.metavariable),
                     .number = t.number},
                    1);
      case TermKind::kLower:
      case TermKind::kUpper:
        Expr(t.ops[0]);
        return Emit({.op = t.kind == TermKind::kLower ? PostfixOp::kLower : PostfixOp::kUpper}, 0);
      case TermKind::kAbs:
        Constant(t.ops[0]);
        return Emit({.op = PostfixOp::kAbs}, 0);
      default:
        Constant(t.ops[0]);
        for (const Term& op : llvm::drop_begin(t.ops)) Fold(t.kind, op);
    }
  }

  void Fold(TermKind kind, const Term& second) {
    if (kind == TermKind::kAdd && second.kind == TermKind::kMul && second.ops.size() == 2 &&
        second.ops[0] == MinusOne()) {
      return FoldWith(PostfixOp::kSubtract, second.ops[1]);
    }
    FoldWith(FoldOp(kind), second);
  }

  static Term MinusOne() {
    Term t;
    t.number = -1;
    return t;
  }

  void FoldWith(PostfixOp op, const Term& second) {
    if (second.kind == TermKind::kNumber || second.kind == TermKind::kMetavariable) {
      return Emit({.op = op,
                   .metavariable = static_cast<int8_t>(second.metavariable),
                   .number = second.number},
                  0);
    }
    Constant(second);
    Emit({.op = op, .from_stack = true}, -1);
  }

  static PostfixOp FoldOp(TermKind kind) {
    switch (kind) {
      case TermKind::kAdd:
        return PostfixOp::kAdd;
      case TermKind::kMul:
        return PostfixOp::kMul;
      case TermKind::kFloorDiv:
        return PostfixOp::kFloorDiv;
      case TermKind::kCeilDiv:
        return PostfixOp::kCeilDiv;
      case TermKind::kMod:
        return PostfixOp::kMod;
      case TermKind::kMin:
        return PostfixOp::kMin;
      case TermKind::kMax:
        return PostfixOp::kMax;
      case TermKind::kGcd:
        return PostfixOp::kGcd;
      default:
        return PostfixOp::kLcm;
    }
  }

  void Expr(const Term& t) {
    if (!HasExpr(rule_, t)) {
      Constant(t);
      return Emit({.op = PostfixOp::kLift}, 0);
    }
    if (t.kind == TermKind::kMetavariable) {
      return Emit({.op = PostfixOp::kExpr, .metavariable = static_cast<int8_t>(t.metavariable)}, 1);
    }
    for (const auto& [term, at] : matched_) {
      if (*term == t)
        return Emit({.op = PostfixOp::kExpr, .metavariable = static_cast<int8_t>(at)}, 1);
    }
    if (t.kind == TermKind::kMul && t.ops.size() == 2 && !HasExpr(rule_, t.ops[0])) {
      Constant(t.ops[0]);
      Expr(t.ops[1]);
      return Emit({.op = PostfixOp::kScale}, -1);
    }
    for (const Term& op : t.ops) Expr(op);
    auto count = static_cast<uint8_t>(std::min<size_t>(t.ops.size(), kMaxPostfixStack + 1));
    Emit({.op = PostfixOp::kBuild, .kind = t.kind, .count = count}, 1 - count);
  }

  const Rule& rule_;
  llvm::ArrayRef<MatchedTerm> matched_;
  Postfix out_;
  int height_ = 0, highest_ = 0;  // of both stacks together
};

}  // namespace

bool HasExpr(const Rule& rule, const Term& t) {
  if (t.kind == TermKind::kMetavariable) return rule.metavariables[t.metavariable].is_expr;
  return llvm::any_of(t.ops, [&](const Term& op) { return HasExpr(rule, op); });
}

Postfix ToPostfix(const Rule& rule, const Term& term, TermValue value,
                  llvm::ArrayRef<MatchedTerm> matched) {
  return Converter(rule, matched).Run(term, value);
}

}  // namespace affirm
