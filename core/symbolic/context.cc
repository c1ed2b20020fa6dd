// Hash-consing, and the constructors of everything but sums and products.
#include "core/symbolic/context.h"

#include <algorithm>

#include "core/symbolic/context_impl.h"

namespace affirm {
namespace {

using internal::ExprNode;

// One step of a hash; the last one is followed by Finish.
uint64_t Mix(uint64_t h, uint64_t v) {
  return (((h << 23) | (h >> 41)) ^ v) * 0x9e3779b97f4a7c15ULL;
}
uint64_t Finish(uint64_t h) { return h ^ (h >> 32); }

}  // namespace

void Context::Impl::Grow() {
  std::vector<const ExprNode*> bigger(table.size() * 2, nullptr);
  for (const ExprNode* n : table) {
    if (!n) continue;
    size_t i = n->hash & (bigger.size() - 1);
    while (bigger[i]) i = (i + 1) & (bigger.size() - 1);
    bigger[i] = n;
  }
  table = std::move(bigger);
}

// Finds or creates the node. The hash is a function of the structure alone, so it's the same
// everywhere.
SymbolicExpr Context::Impl::Make(ExprKind kind, int64_t value, llvm::ArrayRef<SymbolicExpr> ops,
                                 VarKind var_kind) {
  uint64_t h = Mix(static_cast<uint64_t>(kind) * 4 + static_cast<uint64_t>(var_kind),
                   static_cast<uint64_t>(value));
  for (SymbolicExpr e : ops) h = Mix(h, e.node()->hash);
  h = Finish(h);
  const size_t mask = table.size() - 1;
  size_t i = h & mask;
  for (const ExprNode* n; (n = table[i]); i = (i + 1) & mask) {
    if (n->hash == h && n->kind == kind && n->value == value && n->var_kind == var_kind &&
        n->num_ops == ops.size() && std::equal(ops.begin(), ops.end(), n->ops)) {
      return SymbolicExpr(n);
    }
  }
  return Create(kind, value, ops, var_kind, h, i);
}

SymbolicExpr Context::Impl::Create(ExprKind kind, int64_t value, llvm::ArrayRef<SymbolicExpr> ops,
                                   VarKind var_kind, uint64_t hash, size_t place) {
  // The operands follow their node.
  size_t bytes = sizeof(ExprNode) + ops.size() * sizeof(SymbolicExpr);
  auto* n = static_cast<ExprNode*>(arena.Allocate(bytes, alignof(ExprNode)));
  auto* copy = reinterpret_cast<SymbolicExpr*>(n + 1);
  std::uninitialized_copy(ops.begin(), ops.end(), copy);
  uint8_t mask = kind == ExprKind::kVariable ? 1u << static_cast<unsigned>(var_kind) : 0;
  uint64_t bits = 0;
  if (kind == ExprKind::kVariable) {
    bits =
        uint64_t{1} << ((static_cast<uint64_t>(value) * 3 + static_cast<uint64_t>(var_kind)) % 64);
  }
  uint64_t size = 1;
  uint32_t depth = 0;
  for (SymbolicExpr e : ops) {
    mask |= e.node()->var_mask;
    bits |= e.node()->var_bits;
    size += e.size();
    depth = std::max(depth, e.depth() + 1);
  }
  new (n) ExprNode{kind,
                   var_kind,
                   mask,
                   count++,
                   static_cast<uint32_t>(ops.size()),
                   static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX)),
                   depth,
                   hash,
                   /*order=*/0,
                   bits,
                   value,
                   context,
                   copy};
  n->order = internal::OrderOf(*n);
  table[place] = n;
  if (size_t{count} * 2 > table.size()) Grow();
  return SymbolicExpr(n);
}

Context::Context() : impl_(std::make_unique<Impl>(this)) {}
Context::~Context() = default;
uint32_t Context::NumExprs() const { return impl_->count; }

Context::Extension* Context::extension(const void* key) const {
  for (const auto& [k, extension] : impl_->extensions) {
    if (k == key) return extension.get();
  }
  return nullptr;
}

void Context::set_extension(const void* key, std::unique_ptr<Extension> extension) {
  impl_->extensions.emplace_back(key, std::move(extension));
}

SymbolicExpr Context::Constant(int64_t v) {
  if (v < -kCachedConstants || v > kCachedConstants) {
    return impl_->Make(ExprKind::kConstant, v, {});
  }
  SymbolicExpr& cached = impl_->constants[v + kCachedConstants];
  if (!cached) cached = impl_->Make(ExprKind::kConstant, v, {});
  return cached;
}

SymbolicExpr Context::Variable(VarKind kind, int64_t index) {
  if (index < 0 || index >= kCachedVariables) {
    return impl_->Make(ExprKind::kVariable, index, {}, kind);
  }
  SymbolicExpr& cached = impl_->variables[static_cast<int>(kind)][index];
  if (!cached) cached = impl_->Make(ExprKind::kVariable, index, {}, kind);
  return cached;
}

SymbolicExpr Context::FloorDiv(SymbolicExpr a, SymbolicExpr b) {
  if (!a || !b || b.IsConstant(0)) return {};
  if (a.IsConstant() && b.IsConstant()) {
    if (auto v = CheckedFloorDiv(a.value(), b.value())) return Constant(*v);
  }
  return impl_->Make(ExprKind::kFloorDiv, 0, {a, b});
}

SymbolicExpr Context::CeilDiv(SymbolicExpr a, SymbolicExpr b) {
  if (!a || !b || b.IsConstant(0)) return {};
  if (a.IsConstant() && b.IsConstant()) {
    if (auto v = CheckedCeilDiv(a.value(), b.value())) return Constant(*v);
  }
  return impl_->Make(ExprKind::kCeilDiv, 0, {a, b});
}

SymbolicExpr Context::Mod(SymbolicExpr a, SymbolicExpr m) {
  if (!a || !m || (m.IsConstant() && m.value() <= 0)) return {};
  if (a.IsConstant() && m.IsConstant()) return Constant(ModUnchecked(a.value(), m.value()));
  return impl_->Make(ExprKind::kMod, 0, {a, m});
}

namespace {

// Flattened, constants folded into one, without repeats, in order.
ExprList LatticeOperands(Context& context, ExprKind kind, llvm::ArrayRef<SymbolicExpr> operands) {
  ExprList flat;
  std::optional<int64_t> constant;
  auto add = [&](SymbolicExpr e) {
    if (!e.IsConstant()) {
      flat.push_back(e);
    } else if (!constant) {
      constant = e.value();
    } else {
      constant =
          kind == ExprKind::kMin ? std::min(*constant, e.value()) : std::max(*constant, e.value());
    }
  };
  for (SymbolicExpr e : operands) {
    if (e.kind() == kind) {
      llvm::for_each(e.ops(), add);
    } else {
      add(e);
    }
  }
  if (constant) flat.push_back(context.Constant(*constant));
  llvm::sort(flat, Less);
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  return flat;
}

}  // namespace

SymbolicExpr Context::Min(llvm::ArrayRef<SymbolicExpr> operands) {
  if (operands.empty() || AnyNull(operands)) return {};
  ExprList ops = LatticeOperands(*this, ExprKind::kMin, operands);
  return ops.size() == 1 ? ops[0] : impl_->Make(ExprKind::kMin, 0, ops);
}

SymbolicExpr Context::Max(llvm::ArrayRef<SymbolicExpr> operands) {
  if (operands.empty() || AnyNull(operands)) return {};
  ExprList ops = LatticeOperands(*this, ExprKind::kMax, operands);
  return ops.size() == 1 ? ops[0] : impl_->Make(ExprKind::kMax, 0, ops);
}

SymbolicExpr Context::Rebuild(SymbolicExpr like, llvm::ArrayRef<SymbolicExpr> ops) {
  switch (like.kind()) {
    case ExprKind::kConstant:
    case ExprKind::kVariable:
      return like;
    case ExprKind::kAdd:
      return Add(ops, like.value());
    case ExprKind::kMul: {
      if (ops.size() == 1) return Scale(ops[0], like.value());
      ExprList all(ops.begin(), ops.end());
      all.push_back(Constant(like.value()));
      return Mul(all);
    }
    case ExprKind::kFloorDiv:
      return FloorDiv(ops[0], ops[1]);
    case ExprKind::kCeilDiv:
      return CeilDiv(ops[0], ops[1]);
    case ExprKind::kMod:
      return Mod(ops[0], ops[1]);
    case ExprKind::kMin:
      return Min(ops);
    case ExprKind::kMax:
      return Max(ops);
  }
  return {};
}

}  // namespace affirm
