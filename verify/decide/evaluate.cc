// The value of a claim at one point, in integers of any size; quantifiers are enumerated.
#include "verify/decide/evaluate.h"

#include <vector>

#include "core/symbolic/any_size.h"

namespace affirm {
namespace {

using Value = std::optional<BigInt>;

class ClaimEvaluator {
 public:
  ClaimEvaluator(const SolverQuery& query, llvm::ArrayRef<int64_t> point, int64_t limit)
      : query_(query), point_(point.begin(), point.end()), left_(limit) {
    point_.resize(query.variables.size(), 0);
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
    Interval bounds = query_.variables[f.bound()[at]];
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

  const SolverQuery& query_;
  std::vector<int64_t> point_;
  int64_t left_;
};

}  // namespace

Value EvaluateTerm(SymbolicExpr e, llvm::ArrayRef<int64_t> point) {
  return EvaluateAnySize(e, point);
}

std::optional<bool> EvaluateClaim(const SolverQuery& query, llvm::ArrayRef<int64_t> point,
                                  int64_t limit) {
  return ClaimEvaluator(query, point, limit).Evaluate(query.claim);
}

}  // namespace affirm
