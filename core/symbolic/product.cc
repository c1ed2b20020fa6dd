// The constructors of products, and the split of a term into coefficient and rest.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/symbolic/context_impl.h"

namespace affirm {
namespace {

// A product of sums is multiplied out up to this many terms; beyond it the sums stay as factors.
constexpr size_t kMaxExpandedTerms = 64;

// Multiplies constants until no two of them have a product in int64; in order of size, the sign
// with the first. Factors of 1 go.
void MultiplyWhereItFits(llvm::SmallVectorImpl<int64_t>& constants) {
  std::optional<int64_t> whole = 1;
  for (int64_t c : constants) {
    if (whole) whole = CheckedMul(*whole, c);
  }
  if (whole) {
    constants.assign(1, *whole);
    return;
  }
  bool negative = false;
  llvm::SmallVector<int64_t, 4> bins;
  for (int64_t c : constants) {
    negative ^= c < 0;
    if (c == kInt64Min) {  // has no positive counterpart, but a factor of 2
      bins.append({2, -(c / 2)});
    } else {
      bins.push_back(std::abs(c));
    }
  }
  for (bool merged = true; merged;) {
    merged = false;
    llvm::sort(bins);
    llvm::SmallVector<int64_t, 4> next;
    for (int64_t c : bins) {
      auto fits = llvm::find_if(next, [&](int64_t b) { return CheckedMul(b, c).has_value(); });
      if (fits == next.end()) {
        next.push_back(c);
      } else {
        *fits *= c;
        merged = true;
      }
    }
    bins = next;
  }
  if (negative) bins[0] = -bins[0];
  constants.assign(bins.begin(), bins.end());
}

}  // namespace

SymbolicExpr Context::Scale(SymbolicExpr e, int64_t c) {
  if (!e) return {};
  if (c == 0) return Constant(0);
  if (c == 1) return e;
  switch (e.kind()) {
    case ExprKind::kConstant:
      if (auto v = CheckedMul(e.value(), c)) return Constant(*v);
      return Mul({e, Constant(c)});
    case ExprKind::kMul:
      // Constant factors stand last; with them the coefficient may change places.
      if (auto v = CheckedMul(e.value(), c); v && !e.ops().back().IsConstant()) {
        if (*v == 1 && e.ops().size() == 1) return e.op(0);
        return impl_->Make(ExprKind::kMul, *v, e.ops());
      }
      return Mul({e, Constant(c)});
    case ExprKind::kAdd: {
      auto constant = CheckedMul(e.value(), c);
      bool pieces = IsLimit(e.value());
      ExprList terms;
      for (SymbolicExpr op : e.ops()) {
        int64_t coefficient = op.SplitCoefficient().first;
        pieces |= IsLimit(coefficient);
        if (!CheckedMul(coefficient, c)) constant.reset();
        if (!constant) break;
        terms.push_back(Scale(op, c));
      }
      if (!constant) break;
      // A coefficient past int64 stands as several terms, which may now join.
      if (pieces) return Add(terms, *constant);
      llvm::sort(terms, Less);  // a coefficient that becomes +-1 moves its term
      return impl_->Make(ExprKind::kAdd, *constant, terms);
    }
    default:
      break;
  }
  return impl_->Make(ExprKind::kMul, c, {e});
}

SymbolicExpr Context::Mul(llvm::ArrayRef<SymbolicExpr> operands) {
  if (AnyNull(operands)) return {};
  llvm::SmallVector<int64_t, 4> constants;
  ExprList factors, sums;
  ExprList work(operands.rbegin(), operands.rend());
  while (!work.empty()) {
    SymbolicExpr e = work.pop_back_val();
    if (e.IsConstant()) {
      constants.push_back(e.value());
    } else if (e.kind() == ExprKind::kMul) {
      constants.push_back(e.value());
      work.append(e.ops().begin(), e.ops().end());
    } else {
      (e.kind() == ExprKind::kAdd ? sums : factors).push_back(e);
    }
  }
  if (llvm::is_contained(constants, 0)) return Constant(0);
  // Factors that would take the coefficient out of int64 stay apart as constant factors.
  MultiplyWhereItFits(constants);
  int64_t coefficient = constants.empty() ? 1 : constants[0];
  for (int64_t c : llvm::drop_begin(constants, constants.empty() ? 0 : 1)) {
    factors.push_back(Constant(c));
  }
  llvm::sort(factors, Less);
  auto product = [&](llvm::ArrayRef<SymbolicExpr> fs, int64_t c) {
    if (fs.empty()) return Constant(c);
    if (fs.size() == 1 && !fs[0].IsConstant()) return Scale(fs[0], c);
    return impl_->Make(ExprKind::kMul, c, fs);
  };
  if (sums.empty()) return product(factors, coefficient);
  if (factors.empty() && sums.size() == 1) return Scale(sums[0], coefficient);

  size_t expanded = 1;
  for (SymbolicExpr s : sums) {
    expanded = std::min(expanded * (s.ops().size() + (s.value() != 0)), kMaxExpandedTerms + 1);
  }
  if (expanded > kMaxExpandedTerms) {
    factors.append(sums);
    llvm::sort(factors, Less);
    return product(factors, coefficient);
  }
  // One sum at a time: distribute the product of the others over its terms.
  SymbolicExpr first = sums.front();
  ExprList others(factors);
  others.append(sums.begin() + 1, sums.end());
  others.push_back(Constant(coefficient));
  ExprList terms;
  for (SymbolicExpr t : first.ops()) {
    ExprList one(others);
    one.push_back(t);
    terms.push_back(Mul(one));
  }
  if (first.value() != 0) {
    others.push_back(Constant(first.value()));
    terms.push_back(Mul(others));
  }
  return Add(terms);
}

std::pair<int64_t, SymbolicExpr> SymbolicExpr::SplitCoefficient() const {
  if (kind() == ExprKind::kConstant) return {value(), context()->Constant(1)};
  if (kind() != ExprKind::kMul || value() == 1) return {1, *this};
  if (ops().size() == 1) return {value(), op(0)};
  return {value(), context()->impl_->Make(ExprKind::kMul, 1, ops())};
}

}  // namespace affirm
