#include "verify/decide/evaluate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"

namespace affirm {
namespace {

using Value = std::optional<BigInt>;

Value Quotient(ExprKind kind, const BigInt& a, const BigInt& b) {
  if (b == 0 || (kind == ExprKind::kMod && b < 0)) return std::nullopt;
  // Both roundings and either sign of divisor from floorDiv by a positive number.
  BigInt sign(b < 0 ? -1 : 1);
  BigInt n = a * sign, d = b * sign;
  if (kind == ExprKind::kMod) return n - floorDiv(n, d) * d;
  if (kind == ExprKind::kCeilDiv) return -floorDiv(-n, d);
  return floorDiv(n, d);
}

Value EvaluateNode(SymbolicExpr e, llvm::ArrayRef<int64_t> point, llvm::ArrayRef<BigInt> ops) {
  switch (e.kind()) {
    case ExprKind::kConstant:
      return BigInt(e.value());
    case ExprKind::kVariable:
      if (e.value() < 0 || e.value() >= static_cast<int64_t>(point.size())) return std::nullopt;
      return BigInt(point[e.value()]);
    case ExprKind::kAdd: {
      BigInt sum(e.value());
      for (const BigInt& v : ops) sum += v;
      return sum;
    }
    case ExprKind::kMul: {
      BigInt product(e.value());
      for (const BigInt& v : ops) product *= v;
      return product;
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv:
    case ExprKind::kMod:
      return Quotient(e.kind(), ops[0], ops[1]);
    case ExprKind::kMin:
      return *std::min_element(ops.begin(), ops.end());
    case ExprKind::kMax:
      return *std::max_element(ops.begin(), ops.end());
  }
  return std::nullopt;
}

class ClaimEvaluator {
 public:
  ClaimEvaluator(const Question& question, llvm::ArrayRef<int64_t> point, int64_t limit)
      : question_(question), point_(point.begin(), point.end()), left_(limit) {
    point_.resize(question.variables.size(), 0);
  }

  std::optional<bool> Evaluate(const Formula& f) {
    switch (f.kind()) {
      case Formula::Kind::kTrue:
        return true;
      case Formula::Kind::kFalse:
        return false;
      case Formula::Kind::kEq:
      case Formula::Kind::kLe: {
        Value a = EvaluateTerm(f.lhs(), point_), b = EvaluateTerm(f.rhs(), point_);
        if (!a || !b) return std::nullopt;
        return f.kind() == Formula::Kind::kEq ? *a == *b : *a <= *b;
      }
      case Formula::Kind::kNot: {
        std::optional<bool> v = Evaluate(f.parts()[0]);
        return v ? std::optional<bool>(!*v) : v;
      }
      case Formula::Kind::kAnd:
        return Combine(f, /*decisive=*/false);
      case Formula::Kind::kOr:
        return Combine(f, /*decisive=*/true);
      case Formula::Kind::kExists:
        return Search(f, 0);
    }
    return std::nullopt;
  }

 private:
  // One part of the decisive value settles it; otherwise one without a value leaves it open.
  std::optional<bool> Combine(const Formula& f, bool decisive) {
    std::optional<bool> result = !decisive;
    for (const Formula& part : f.parts()) {
      std::optional<bool> v = Evaluate(part);
      if (v == decisive) return decisive;
      if (!v) result = std::nullopt;
    }
    return result;
  }

  std::optional<bool> Search(const Formula& f, size_t at) {
    if (at == f.bound().size()) {
      if (left_-- <= 0) return std::nullopt;
      return Evaluate(f.parts()[0]);
    }
    Interval bounds = question_.variables[f.bound()[at]];
    if (bounds.IsEmpty()) return false;
    if (!bounds.IsBounded()) return std::nullopt;
    std::optional<bool> result = false;
    for (int64_t v = bounds.lower;; ++v) {
      point_[f.bound()[at]] = v;
      std::optional<bool> found = Search(f, at + 1);
      if (found == true) return true;
      if (!found) result = std::nullopt;
      if (v == bounds.upper || left_ <= 0) break;
    }
    return left_ <= 0 ? std::nullopt : result;
  }

  const Question& question_;
  std::vector<int64_t> point_;
  int64_t left_;
};

}  // namespace

Value EvaluateTerm(SymbolicExpr e, llvm::ArrayRef<int64_t> point) {
  if (!e) return std::nullopt;
  llvm::DenseMap<SymbolicExpr, BigInt> values;
  bool defined = true;
  std::vector<BigInt> ops;
  e.Walk([&](SymbolicExpr node) {
    if (!defined) return;
    ops.clear();
    for (SymbolicExpr op : node.ops()) ops.push_back(values.find(op)->second);
    Value v = EvaluateNode(node, point, ops);
    if (v) {
      values.try_emplace(node, *v);
    } else {
      defined = false;
    }
  });
  if (!defined) return std::nullopt;
  return values.find(e)->second;
}

std::optional<bool> EvaluateClaim(const Question& question, llvm::ArrayRef<int64_t> point,
                                  int64_t limit) {
  return ClaimEvaluator(question, point, limit).Evaluate(question.claim);
}

}  // namespace affirm
