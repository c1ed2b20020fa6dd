// Polynomials over atoms.
#include "verify/prover/polynomial.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::prover {
namespace {

bool IsBefore(const std::pair<Monomial, BigInt>& term, const Monomial& monomial) {
  return term.first < monomial;
}

}  // namespace

std::string Text(const BigInt& n) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << n;
  return text;
}

Polynomial Polynomial::Atom(int atom) {
  Polynomial p;
  p.Add(Monomial{atom}, BigInt(1));
  return p;
}

BigInt Polynomial::CoefficientOf(const Monomial& monomial) const {
  const auto it = llvm::lower_bound(terms_, monomial, IsBefore);
  return it == terms_.end() || it->first != monomial ? BigInt(0) : it->second;
}

BigInt Polynomial::constant() const {
  return terms_.empty() || !terms_.front().first.empty() ? BigInt(0) : terms_.front().second;
}

std::optional<BigInt> Polynomial::AsConstant() const {
  if (terms_.empty()) return BigInt(0);
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

void Polynomial::Add(const Monomial& monomial, const BigInt& c) {
  if (c == 0) return;
  const auto it = llvm::lower_bound(terms_, monomial, IsBefore);
  if (it == terms_.end() || it->first != monomial) {
    terms_.insert(it, {monomial, c});
    return;
  }
  it->second += c;
  if (it->second == 0) terms_.erase(it);
}

void Polynomial::Add(const Polynomial& other, const BigInt& c) {
  if (c == 0 || other.terms_.empty()) return;
  if (&other == this) return Add(Polynomial(other), c);
  Terms sum;
  sum.reserve(terms_.size() + other.terms_.size());
  auto it = terms_.begin();
  for (const auto& [m, k] : other.terms_) {
    for (; it != terms_.end() && it->first < m; ++it) sum.push_back(std::move(*it));
    if (it == terms_.end() || m < it->first) {
      sum.emplace_back(m, k * c);
      continue;
    }
    it->second += k * c;
    if (it->second != 0) sum.push_back(std::move(*it));
    ++it;
  }
  for (; it != terms_.end(); ++it) sum.push_back(std::move(*it));
  terms_ = std::move(sum);
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial result;
  for (const auto& [m, c] : terms_) {
    for (const auto& [n, d] : other.terms_) {
      Monomial both(m.size() + n.size());
      std::merge(m.begin(), m.end(), n.begin(), n.end(), both.begin());
      result.Add(both, c * d);
    }
  }
  return result;
}

std::string Polynomial::ToString() const {
  std::string text;
  for (const auto& [m, c] : terms_) {
    text += (text.empty() ? "" : " ") + Text(c);
    for (int a : m) text += "*" + std::to_string(a);
  }
  return text;
}

int AtomTable::Intern(TableEntry entry) {
  for (size_t k = 0; k < entries_.size(); ++k) {
    const TableEntry& known = entries_[k];
    if (known.op == entry.op && known.left == entry.left && known.right == entry.right)
      return variables_ + 1 + static_cast<int>(k);
  }
  entries_.push_back(std::move(entry));
  return variables_ + static_cast<int>(entries_.size());
}

Polynomial AtomTable::Of(SymbolicExpr e, const VariableForm& variable) {
  using Op = TableEntry::Op;
  auto operand = [&](unsigned i) { return Of(e.op(i), variable); };
  auto atom = [&](Op op, Polynomial a, Polynomial b) {
    return Polynomial::Atom(Intern({op, std::move(a), std::move(b)}));
  };
  switch (e.kind()) {
    case ExprKind::kConstant:
      return Polynomial(BigInt(e.value()));
    case ExprKind::kVariable:
      return variable(e.var_kind(), e.value());
    case ExprKind::kAdd: {
      Polynomial sum(BigInt(e.value()));
      for (SymbolicExpr op : e.ops()) sum.Add(Of(op, variable), BigInt(1));
      return sum;
    }
    case ExprKind::kMul: {
      Polynomial product(BigInt(e.value()));
      for (SymbolicExpr op : e.ops()) product = product * Of(op, variable);
      return product;
    }
    case ExprKind::kFloorDiv:
      return atom(Op::kQuotient, operand(0), operand(1));
    case ExprKind::kCeilDiv: {
      Polynomial opposite, result;
      opposite.Add(operand(0), BigInt(-1));
      result.Add(atom(Op::kQuotient, std::move(opposite), operand(1)), BigInt(-1));
      return result;
    }
    case ExprKind::kMod: {
      Polynomial n = operand(0), m = operand(1);
      n.Add(m * atom(Op::kQuotient, n, m), BigInt(-1));
      return n;
    }
    case ExprKind::kMin:
    case ExprKind::kMax: {
      // min(a, min(b, c)), as the text has it.
      const Op op = e.kind() == ExprKind::kMin ? Op::kMin : Op::kMax;
      auto ops = e.ops();
      Polynomial result = Of(ops.back(), variable);
      for (size_t i = ops.size() - 1; i-- > 0;) result = atom(op, Of(ops[i], variable), result);
      return result;
    }
  }
  return {};
}

}  // namespace affirm::prover
