// Queries, substitution and evaluation of expressions.
#include "core/symbolic/expr.h"

#include <algorithm>

#include "core/symbolic/context.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

// Trees larger than this are evaluated with a table, since a shared node may occur in them many
// times.
constexpr uint32_t kSharedSize = 256;

class Evaluator {
 public:
  Evaluator(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> ranges,
            llvm::ArrayRef<int64_t> runtime)
      : arguments_{dims, ranges, runtime} {}

  const char* error() const { return error_; }

  int128 Run(SymbolicExpr e) {
    if (error_) return 0;
    bool shared = e.size() > kSharedSize;
    if (shared) {
      auto it = memo_.find(e);
      if (it != memo_.end()) return it->second;
    }
    int128 v = Compute(e);
    if (shared) memo_[e] = v;
    return v;
  }

 private:
  int128 Fail(const char* why) {
    if (!error_) error_ = why;
    return 0;
  }

  int128 Compute(SymbolicExpr e) {
    switch (e.kind()) {
      case ExprKind::kConstant:
        return e.value();
      case ExprKind::kVariable: {
        llvm::ArrayRef<int64_t> args = arguments_[static_cast<int>(e.var_kind())];
        if (e.value() < 0 || e.value() >= static_cast<int64_t>(args.size())) {
          return Fail("a variable has no value");
        }
        return args[e.value()];
      }
      case ExprKind::kAdd:
      case ExprKind::kMul:
        return Fold(e);
      case ExprKind::kFloorDiv:
      case ExprKind::kCeilDiv:
      case ExprKind::kMod:
        return Divide(e.kind(), Run(e.op(0)), Run(e.op(1)));
      case ExprKind::kMin:
      case ExprKind::kMax: {
        int128 v = Run(e.op(0));
        for (SymbolicExpr op : e.ops().drop_front()) {
          int128 w = Run(op);
          v = e.kind() == ExprKind::kMin ? std::min(v, w) : std::max(v, w);
        }
        return v;
      }
    }
    return 0;
  }

  int128 Fold(SymbolicExpr e) {
    int128 v = e.value();
    for (SymbolicExpr op : e.ops()) {
      int128 w = Run(op);
      bool overflow = e.kind() == ExprKind::kAdd ? __builtin_add_overflow(v, w, &v)
                                                 : __builtin_mul_overflow(v, w, &v);
      if (overflow) return Fail("a value leaves 128 bits");
    }
    return v;
  }

  int128 Divide(ExprKind kind, int128 a, int128 b) {
    if (error_) return 0;
    if (kind == ExprKind::kMod) return b > 0 ? ModUnchecked(a, b) : Fail("modulus is not positive");
    if (b == 0) return Fail("division by zero");
    constexpr int128 kMin = static_cast<int128>(1) << 127;
    if (a == kMin && b == -1) return Fail("a value leaves 128 bits");
    return kind == ExprKind::kFloorDiv ? FloorDivUnchecked(a, b) : CeilDivUnchecked(a, b);
  }

  llvm::ArrayRef<int64_t> arguments_[3];
  const char* error_ = nullptr;
  llvm::DenseMap<SymbolicExpr, int128> memo_;
};

// Rebuilds an expression bottom-up where `leaf` answers with something else; a null answer
// descends.
class Rewriter {
 public:
  explicit Rewriter(llvm::function_ref<SymbolicExpr(SymbolicExpr)> leaf) : leaf_(leaf) {}

  SymbolicExpr Run(SymbolicExpr e) {
    if (SymbolicExpr to = leaf_(e)) return to;
    if (e.ops().empty()) return e;
    auto it = memo_.find(e);
    if (it != memo_.end()) return it->second;
    llvm::SmallVector<SymbolicExpr, 8> ops;
    bool changed = false;
    for (SymbolicExpr op : e.ops()) {
      ops.push_back(Run(op));
      changed |= !(ops.back() == op);
    }
    SymbolicExpr result = changed ? e.context()->Rebuild(e, ops) : e;
    memo_[e] = result;
    return result;
  }

 private:
  llvm::function_ref<SymbolicExpr(SymbolicExpr)> leaf_;
  llvm::SmallDenseMap<SymbolicExpr, SymbolicExpr, 16> memo_;
};

}  // namespace

bool SymbolicExpr::Uses(VarKind kind, int64_t index) const {
  if (!HasVariables(kind)) return false;
  if (IsVariable()) return value() == index;
  // The tree walk of a small expression is quicker than a set of visited nodes.
  if (size() <= kSharedSize) {
    return llvm::any_of(ops(), [&](SymbolicExpr e) { return e.Uses(kind, index); });
  }
  bool found = false;
  Walk([&](SymbolicExpr e) {
    found |= e.IsVariable() && e.var_kind() == kind && e.value() == index;
  });
  return found;
}

void SymbolicExpr::Walk(llvm::function_ref<void(SymbolicExpr)> fn) const {
  llvm::SmallDenseSet<SymbolicExpr, 32> seen;
  llvm::SmallVector<std::pair<SymbolicExpr, unsigned>, 16> stack;
  if (seen.insert(*this).second) stack.push_back({*this, 0});
  while (!stack.empty()) {
    SymbolicExpr e = stack.back().first;
    unsigned next = stack.back().second++;
    if (next < e.ops().size()) {
      SymbolicExpr child = e.op(next);
      if (seen.insert(child).second) stack.push_back({child, 0});
    } else {
      stack.pop_back();
      fn(e);
    }
  }
}

SymbolicExpr::Value SymbolicExpr::Evaluate(llvm::ArrayRef<int64_t> dims,
                                           llvm::ArrayRef<int64_t> ranges,
                                           llvm::ArrayRef<int64_t> runtime) const {
  if (!node_) return {std::nullopt, "not an expression"};
  Evaluator evaluator(dims, ranges, runtime);
  int128 v = evaluator.Run(*this);
  if (evaluator.error()) return {std::nullopt, evaluator.error()};
  if (auto narrow = Narrow(v)) return {narrow, nullptr};
  return {std::nullopt, "the value leaves int64"};
}

std::optional<int128> SymbolicExpr::EvaluateWide(llvm::ArrayRef<int64_t> dims,
                                                 llvm::ArrayRef<int64_t> ranges,
                                                 llvm::ArrayRef<int64_t> runtime) const {
  if (!node_) return std::nullopt;
  Evaluator evaluator(dims, ranges, runtime);
  int128 v = evaluator.Run(*this);
  if (evaluator.error()) return std::nullopt;
  return v;
}

SymbolicExpr SymbolicExpr::Substitute(Substitution fn) const {
  if (!node_ || !HasVariables()) return *this;
  auto leaf = [&](SymbolicExpr e) -> SymbolicExpr {
    if (!e.HasVariables()) return e;
    return e.IsVariable() ? fn(e.var_kind(), e.value()) : SymbolicExpr();
  };
  return Rewriter(leaf).Run(*this);
}

SymbolicExpr SymbolicExpr::Replace(SymbolicExpr from, SymbolicExpr to) const {
  auto leaf = [&](SymbolicExpr e) { return e == from ? to : SymbolicExpr(); };
  return Rewriter(leaf).Run(*this);
}

SymbolicExpr SymbolicExpr::operator+(SymbolicExpr o) const {
  return *this && o ? context()->Add({*this, o}) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::operator-(SymbolicExpr o) const { return *this + -o; }
SymbolicExpr SymbolicExpr::operator*(SymbolicExpr o) const {
  return *this && o ? context()->Mul({*this, o}) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::operator-() const { return *this * -1; }
SymbolicExpr SymbolicExpr::operator+(int64_t c) const {
  return *this ? *this + context()->Constant(c) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::operator-(int64_t c) const {
  return *this ? *this - context()->Constant(c) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::operator*(int64_t c) const {
  return *this ? context()->Scale(*this, c) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::FloorDiv(SymbolicExpr o) const {
  return *this && o ? context()->FloorDiv(*this, o) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::FloorDiv(int64_t c) const {
  return *this ? FloorDiv(context()->Constant(c)) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::CeilDiv(SymbolicExpr o) const {
  return *this && o ? context()->CeilDiv(*this, o) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::CeilDiv(int64_t c) const {
  return *this ? CeilDiv(context()->Constant(c)) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::Mod(SymbolicExpr o) const {
  return *this && o ? context()->Mod(*this, o) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::Mod(int64_t c) const {
  return *this ? Mod(context()->Constant(c)) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::Min(SymbolicExpr o) const {
  return *this && o ? context()->Min({*this, o}) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::Max(SymbolicExpr o) const {
  return *this && o ? context()->Max({*this, o}) : SymbolicExpr();
}

SymbolicExpr SymbolicExpr::Min(int64_t c) const {
  return *this ? Min(context()->Constant(c)) : SymbolicExpr();
}
SymbolicExpr SymbolicExpr::Max(int64_t c) const {
  return *this ? Max(context()->Constant(c)) : SymbolicExpr();
}

std::string SymbolicExpr::ToString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (node_) {
    Print(*this, os);
  } else {
    os << "<null>";
  }
  return text;
}

}  // namespace affirm
