#include "verify/rules/normal.h"

#include <algorithm>

#include "verify/rules/evaluate.h"

namespace affirm::rules {
namespace {

constexpr uint32_t kMaxDepth = 2000;

Poly Broken() {
  Poly p;
  p.Break();
  return p;
}

TermKind Arithmetic(ExprKind kind) {
  switch (kind) {
    case ExprKind::kFloorDiv:
      return TermKind::kFloorDiv;
    case ExprKind::kCeilDiv:
      return TermKind::kCeilDiv;
    default:
      return TermKind::kMod;
  }
}

}  // namespace

Poly NormalForms::Intern(Atom atom) {
  auto [it, inserted] = index_.try_emplace(atom, static_cast<int>(atoms_.size()));
  if (inserted) atoms_.push_back(std::move(atom));
  return Poly::Variable(it->second);
}

// Flattened, sorted, without repetition, with at most one constant.
Poly NormalForms::MinMax(ExprKind kind, llvm::ArrayRef<Poly> operands) {
  std::vector<Poly> flat;
  std::optional<int128> constant;
  auto add = [&](const Poly& p) {
    if (auto c = p.AsConstant())
      constant = !constant                ? *c
                 : kind == ExprKind::kMin ? std::min(*constant, *c)
                                          : std::max(*constant, *c);
    else
      flat.push_back(p);
  };
  for (const Poly& p : operands) {
    const auto* term = p.SingleTerm();
    bool nested =
        term && term->second == 1 && term->first.size() == 1 && atoms_[term->first[0]].kind == kind;
    if (!nested) {
      add(p);
      continue;
    }
    for (const Poly& inner : std::vector<Poly>(atoms_[term->first[0]].operands)) add(inner);
  }
  if (constant) flat.push_back(Poly(*constant));
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.size() == 1) return flat[0];
  return Intern({kind, VarKind::kDim, 0, std::move(flat)});
}

Poly NormalForms::Apply(ExprKind kind, std::vector<Poly> operands) {
  for (const Poly& p : operands)
    if (p.broken()) return p;
  Poly r;
  switch (kind) {
    case ExprKind::kAdd:
      for (const Poly& p : operands) r = r + p;
      return r;
    case ExprKind::kMul:
      r = Poly(1);
      for (const Poly& p : operands) r = r * p;
      return r;
    case ExprKind::kMin:
    case ExprKind::kMax:
      return MinMax(kind, operands);
    default:
      break;
  }
  auto a = operands[0].AsConstant(), b = operands[1].AsConstant();
  if (a && b) {
    Term left, right, term;
    left.kind = right.kind = TermKind::kSlot;
    left.slot = 0;
    right.slot = 1;
    term.kind = Arithmetic(kind);
    term.ops = {left, right};
    TermValue v = Evaluate(term, {*a, *b});
    return v.ok() ? Poly(v.value) : Broken();
  }
  return Intern({kind, VarKind::kDim, 0, std::move(operands)});
}

Poly NormalForms::Of(SymbolicExpr e) {
  if (!e || e.depth() > kMaxDepth) return Broken();
  if (e.IsConstant()) return Poly(e.value());
  if (e.IsVariable()) return Intern({ExprKind::kVariable, e.var_kind(), e.value(), {}});
  auto it = known_.find(e);
  if (it != known_.end()) return it->second;
  std::vector<Poly> operands;
  for (SymbolicExpr op : e.ops()) operands.push_back(Of(op));
  if (e.kind() == ExprKind::kAdd || e.kind() == ExprKind::kMul) operands.push_back(Poly(e.value()));
  Poly p = Apply(e.kind(), std::move(operands));
  known_[e] = p;
  return p;
}

Poly NormalForms::Of(const Term& term, llvm::ArrayRef<Binding> bindings) {
  std::vector<Poly> operands;
  operands.reserve(term.ops.size());
  for (const Term& op : term.ops) operands.push_back(Of(op, bindings));
  switch (term.kind) {
    case TermKind::kNumber:
      return Poly(term.number);
    case TermKind::kSlot: {
      if (term.slot < 0 || static_cast<size_t>(term.slot) >= bindings.size()) return Broken();
      const Binding& b = bindings[term.slot];
      if (!b.bound) return Broken();
      return b.expr ? Of(b.expr) : Poly(b.constant);
    }
    case TermKind::kAdd:
      return Apply(ExprKind::kAdd, std::move(operands));
    case TermKind::kMul:
      return Apply(ExprKind::kMul, std::move(operands));
    case TermKind::kFloorDiv:
      return Apply(ExprKind::kFloorDiv, std::move(operands));
    case TermKind::kCeilDiv:
      return Apply(ExprKind::kCeilDiv, std::move(operands));
    case TermKind::kMod:
      return Apply(ExprKind::kMod, std::move(operands));
    case TermKind::kMin:
      return Apply(ExprKind::kMin, std::move(operands));
    case TermKind::kMax:
      return Apply(ExprKind::kMax, std::move(operands));
    case TermKind::kGcd:
    case TermKind::kLcm:
    case TermKind::kAbs: {
      // Of constants only.
      std::vector<int128> values;
      for (const Poly& p : operands)
        if (auto c = p.AsConstant(); c && !p.broken()) values.push_back(*c);
      if (values.size() != operands.size()) return Broken();
      Term flat;
      flat.kind = term.kind;
      for (size_t i = 0; i < values.size(); ++i) {
        Term slot;
        slot.kind = TermKind::kSlot;
        slot.slot = static_cast<int>(i);
        flat.ops.push_back(slot);
      }
      TermValue v = Evaluate(flat, values);
      return v.ok() ? Poly(v.value) : Broken();
    }
    case TermKind::kLower:
    case TermKind::kUpper:
      return Broken();
  }
  return Broken();
}

}  // namespace affirm::rules
