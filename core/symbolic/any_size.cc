// Evaluates an expression bottom-up in integers of any size.
#include "core/symbolic/any_size.h"

#include <algorithm>
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

// The arguments, by VarKind.
using Arguments = llvm::ArrayRef<int64_t>[3];

Value EvaluateNode(SymbolicExpr e, const Arguments& arguments, llvm::ArrayRef<BigInt> ops) {
  switch (e.kind()) {
    case ExprKind::kConstant:
      return BigInt(e.value());
    case ExprKind::kVariable: {
      llvm::ArrayRef<int64_t> of = arguments[static_cast<int>(e.var_kind())];
      if (e.value() < 0 || e.value() >= static_cast<int64_t>(of.size())) return std::nullopt;
      return BigInt(of[e.value()]);
    }
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

}  // namespace

Value EvaluateAnySize(SymbolicExpr e, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> ranges,
                      llvm::ArrayRef<int64_t> runtime) {
  if (!e) return std::nullopt;
  const Arguments arguments = {dims, ranges, runtime};
  llvm::DenseMap<SymbolicExpr, BigInt> values;
  bool defined = true;
  std::vector<BigInt> ops;
  e.Walk([&](SymbolicExpr node) {
    if (!defined) return;
    ops.clear();
    for (SymbolicExpr op : node.ops()) ops.push_back(values.find(op)->second);
    Value v = EvaluateNode(node, arguments, ops);
    if (v) {
      values.try_emplace(node, *v);
    } else {
      defined = false;
    }
  });
  if (!defined) return std::nullopt;
  return values.find(e)->second;
}

}  // namespace affirm
