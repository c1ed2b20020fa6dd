// Normal forms: expressions and instances of rule terms as polynomials over atoms.
#include "verify/rules/polynomial_normal_forms.h"

#include <algorithm>

namespace affirm::rules {
namespace {

constexpr uint32_t kMaxDepth = 2000;

}  // namespace

Poly PolynomialNormalForms::Intern(Atom atom) {
  auto [it, inserted] = index_.try_emplace(atom, static_cast<int>(atoms_.size()));
  if (inserted) atoms_.push_back(std::move(atom));
  return Poly::Variable(it->second);
}

// Flattened, sorted, without repetition, with at most one constant.
Poly PolynomialNormalForms::MinMax(ExprKind kind, llvm::ArrayRef<Poly> operands) {
  std::vector<Poly> flat;
  std::optional<BigInt> constant;
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

Poly PolynomialNormalForms::Sum(std::vector<Poly> operands) {
  Poly r;
  for (const Poly& p : operands) r = r + p;
  if (!r.IsLarge()) return r;
  std::sort(operands.begin(), operands.end());
  return Intern({ExprKind::kAdd, VarKind::kDim, 0, std::move(operands)});
}

Poly PolynomialNormalForms::Product(std::vector<Poly> operands) {
  std::optional<Poly> r = Poly(1);
  for (const Poly& p : operands)
    if (r) r = r->SmallProduct(p);
  if (r) return *r;
  std::sort(operands.begin(), operands.end());
  return Intern({ExprKind::kMul, VarKind::kDim, 0, std::move(operands)});
}

std::optional<Poly> PolynomialNormalForms::Apply(ExprKind kind, std::vector<Poly> operands) {
  switch (kind) {
    case ExprKind::kAdd:
      return Sum(std::move(operands));
    case ExprKind::kMul:
      return Product(std::move(operands));
    case ExprKind::kMin:
    case ExprKind::kMax:
      return MinMax(kind, operands);
    default:
      break;
  }
  auto a = operands[0].AsConstant(), b = operands[1].AsConstant();
  if (a && b) {
    bool mod = kind == ExprKind::kMod;
    if (*b == 0 || (mod && *b < 0)) return std::nullopt;
    return Poly(mod                           ? llvm::mod(*a, *b)
                : kind == ExprKind::kFloorDiv ? floorDiv(*a, *b)
                                              : ceilDiv(*a, *b));
  }
  return Intern({kind, VarKind::kDim, 0, std::move(operands)});
}

std::optional<Poly> PolynomialNormalForms::Of(SymbolicExpr e) {
  if (!e || e.depth() > kMaxDepth) return std::nullopt;
  if (e.IsConstant()) return Poly(e.value());
  if (e.IsVariable()) return Intern({ExprKind::kVariable, e.var_kind(), e.value(), {}});
  auto it = known_.find(e);
  if (it != known_.end()) return it->second;
  std::vector<Poly> operands;
  for (SymbolicExpr op : e.ops()) {
    auto operand = Of(op);
    if (!operand) return std::nullopt;
    operands.push_back(std::move(*operand));
  }
  if (e.kind() == ExprKind::kAdd || e.kind() == ExprKind::kMul) operands.push_back(Poly(e.value()));
  std::optional<Poly> p = Apply(e.kind(), std::move(operands));
  known_[e] = p;
  return p;
}

namespace {

// A function of constants.
std::optional<Poly> OfConstants(TermKind kind, llvm::ArrayRef<Poly> operands) {
  std::vector<BigInt> values;
  for (const Poly& p : operands) {
    auto v = p.AsConstant();
    if (!v) return std::nullopt;
    values.push_back(abs(*v));
  }
  if (kind == TermKind::kAbs) return Poly(values[0]);
  BigInt g = gcd(values[0], values[1]);
  if (kind == TermKind::kGcd || g == 0) return Poly(g);
  return Poly(values[0] / g * values[1]);
}

std::optional<ExprKind> ExprKindOf(TermKind kind) {
  switch (kind) {
    case TermKind::kAdd:
      return ExprKind::kAdd;
    case TermKind::kMul:
      return ExprKind::kMul;
    case TermKind::kFloorDiv:
      return ExprKind::kFloorDiv;
    case TermKind::kCeilDiv:
      return ExprKind::kCeilDiv;
    case TermKind::kMod:
      return ExprKind::kMod;
    case TermKind::kMin:
      return ExprKind::kMin;
    case TermKind::kMax:
      return ExprKind::kMax;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Poly> PolynomialNormalForms::Of(const Term& term, llvm::ArrayRef<Binding> bindings) {
  if (term.kind == TermKind::kNumber) return Poly(term.number);
  if (term.kind == TermKind::kMetavariable) {
    if (term.metavariable < 0 || static_cast<size_t>(term.metavariable) >= bindings.size())
      return std::nullopt;
    const Binding& b = bindings[term.metavariable];
    if (!b.bound) return std::nullopt;
    return b.expr ? Of(b.expr) : Poly(b.constant);
  }
  if (term.kind == TermKind::kLower || term.kind == TermKind::kUpper) return std::nullopt;
  std::vector<Poly> operands;
  operands.reserve(term.ops.size());
  for (const Term& op : term.ops) {
    auto operand = Of(op, bindings);
    if (!operand) return std::nullopt;
    operands.push_back(std::move(*operand));
  }
  auto kind = ExprKindOf(term.kind);
  return kind ? Apply(*kind, std::move(operands)) : OfConstants(term.kind, operands);
}

}  // namespace affirm::rules
