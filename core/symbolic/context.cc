// Hash-consing and the normalizing constructors.
#include "core/symbolic/context.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

namespace affirm {
namespace {

using internal::ExprNode;
using Ops = llvm::SmallVector<SymbolicExpr, 8>;

// A product of sums is multiplied out up to this many terms; beyond it the sums stay as factors.
constexpr size_t kMaxExpandedTerms = 64;
constexpr int64_t kCachedConstants = 64;  // constants in [-64, 64] without a lookup
constexpr int64_t kCachedVariables = 16;

uint64_t Mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 32);
}

bool AnyNull(llvm::ArrayRef<SymbolicExpr> ops) {
  return llvm::any_of(ops, [](SymbolicExpr e) { return !e; });
}

}  // namespace

struct Context::Impl {
  llvm::BumpPtrAllocator arena;
  std::vector<const ExprNode*> table{std::vector<const ExprNode*>(1024, nullptr)};
  uint32_t count = 0;
  SymbolicExpr constants[2 * kCachedConstants + 1];
  SymbolicExpr variables[3][kCachedVariables];
  std::vector<std::pair<const void*, std::unique_ptr<Extension>>> extensions;

  SymbolicExpr Make(Context* context, ExprKind kind, int64_t value,
                    llvm::ArrayRef<SymbolicExpr> ops, VarKind var_kind = VarKind::kDim);
  void Grow();
};

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
SymbolicExpr Context::Impl::Make(Context* context, ExprKind kind, int64_t value,
                                 llvm::ArrayRef<SymbolicExpr> ops, VarKind var_kind) {
  uint64_t h = Mix(static_cast<uint64_t>(kind) * 4 + static_cast<uint64_t>(var_kind),
                   static_cast<uint64_t>(value));
  for (SymbolicExpr e : ops) h = Mix(h, e.node()->hash);
  size_t i = h & (table.size() - 1);
  for (; table[i]; i = (i + 1) & (table.size() - 1)) {
    const ExprNode* n = table[i];
    if (n->hash == h && n->kind == kind && n->value == value && n->var_kind == var_kind &&
        n->num_ops == ops.size() && std::equal(ops.begin(), ops.end(), n->ops)) {
      return SymbolicExpr(n);
    }
  }
  auto* n = arena.Allocate<ExprNode>();
  auto* copy = arena.Allocate<SymbolicExpr>(ops.size());
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
  *n = ExprNode{kind,
                var_kind,
                mask,
                count++,
                static_cast<uint32_t>(ops.size()),
                static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX)),
                depth,
                h,
                bits,
                value,
                context,
                copy};
  table[i] = n;
  if (count * 2 > table.size()) Grow();
  return SymbolicExpr(n);
}

Context::Context() : impl_(std::make_unique<Impl>()) {}
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
    return impl_->Make(this, ExprKind::kConstant, v, {});
  }
  SymbolicExpr& cached = impl_->constants[v + kCachedConstants];
  if (!cached) cached = impl_->Make(this, ExprKind::kConstant, v, {});
  return cached;
}

SymbolicExpr Context::Variable(VarKind kind, int64_t index) {
  if (index < 0 || index >= kCachedVariables) {
    return impl_->Make(this, ExprKind::kVariable, index, {}, kind);
  }
  SymbolicExpr& cached = impl_->variables[static_cast<int>(kind)][index];
  if (!cached) cached = impl_->Make(this, ExprKind::kVariable, index, {}, kind);
  return cached;
}

namespace {

// A sum under construction: total coefficients, exact in 128 bits, of the distinct terms.
class SumBuilder {
 public:
  void Append(SymbolicExpr e) {
    if (e.kind() == ExprKind::kAdd) {
      constant_ += e.value();
      for (SymbolicExpr op : e.ops()) Append(op);
      return;
    }
    if (e.IsConstant()) {
      constant_ += e.value();
      return;
    }
    auto [c, rest] = e.SplitCoefficient();
    terms_[Slot(rest)].second += c;
  }

  int128 constant() const { return constant_; }
  llvm::ArrayRef<std::pair<SymbolicExpr, int128>> terms() const { return terms_; }

 private:
  // Position of `rest` among the terms; a linear scan while there are few.
  size_t Slot(SymbolicExpr rest) {
    if (terms_.size() < 16) {
      for (size_t i = 0; i < terms_.size(); ++i) {
        if (terms_[i].first == rest) return i;
      }
    } else {
      if (index_.empty()) {
        for (size_t i = 0; i < terms_.size(); ++i) index_[terms_[i].first] = i;
      }
      auto [it, fresh] = index_.try_emplace(rest, terms_.size());
      if (!fresh) return it->second;
    }
    terms_.emplace_back(rest, 0);
    return terms_.size() - 1;
  }

  int128 constant_ = 0;
  llvm::SmallVector<std::pair<SymbolicExpr, int128>, 8> terms_;
  llvm::DenseMap<SymbolicExpr, size_t> index_;
};

// The int64 pieces whose sum is `total`, as few as possible, largest first: one piece unless it
// overflows.
llvm::SmallVector<int64_t, 2> Pieces(int128 total) {
  llvm::SmallVector<int64_t, 2> out;
  while (!Narrow(total)) {
    int64_t limit = total > 0 ? kInt64Max : kInt64Min;
    out.push_back(limit);
    total -= limit;
  }
  if (total != 0) out.push_back(static_cast<int64_t>(total));
  return out;
}

// A long sum plus a few terms: a scan and an insertion each instead of sorting everything. Returns
// nullopt when an overflow or a shape that the general way has to deal with turns up.
class SumExtender {
 public:
  // A sum with at least this many terms is worth the trouble, for at most this many others.
  static constexpr size_t kLong = 24, kFew = 8;

  explicit SumExtender(SymbolicExpr sum)
      : context_(*sum.context()),
        terms_(sum.ops().begin(), sum.ops().end()),
        constant_(sum.value()) {}

  bool Append(SymbolicExpr e) {
    if (e.kind() == ExprKind::kAdd) {
      return AppendConstant(e.value()) &&
             llvm::all_of(e.ops(), [&](auto t) { return AppendTerm(t); });
    }
    return e.IsConstant() ? AppendConstant(e.value()) : AppendTerm(e);
  }

  llvm::ArrayRef<SymbolicExpr> terms() const { return terms_; }
  int64_t constant() const { return constant_; }

 private:
  bool AppendConstant(int64_t c) {
    auto v = CheckedAdd(constant_, c);
    if (v) constant_ = *v;
    return v.has_value();
  }

  bool AppendTerm(SymbolicExpr term) {
    auto [c, rest] = term.SplitCoefficient();
    if (rest.IsConstant() || rest.kind() == ExprKind::kAdd) return false;
    auto same = [rest = rest](SymbolicExpr t) {
      if (t == rest) return true;
      if (t.kind() != ExprKind::kMul) return false;
      return t.ops().size() == 1 ? t.op(0) == rest : t.SplitCoefficient().second == rest;
    };
    auto it = llvm::find_if(terms_, same);
    if (it != terms_.end()) {
      auto total = CheckedAdd(c, it->SplitCoefficient().first);
      if (!total) return false;
      terms_.erase(it);
      if (*total == 0) return true;
      term = context_.Scale(rest, *total);
    }
    terms_.insert(std::lower_bound(terms_.begin(), terms_.end(), term, Less), term);
    return true;
  }

  Context& context_;
  llvm::SmallVector<SymbolicExpr, 32> terms_;
  int64_t constant_;
};

// Applies when one operand is a long sum and the others are few terms.
std::optional<SumExtender> ExtendLongSum(llvm::ArrayRef<SymbolicExpr> operands) {
  auto count = [](SymbolicExpr e) { return e.kind() == ExprKind::kAdd ? e.ops().size() : 1; };
  if (operands.empty()) return std::nullopt;
  auto longest = std::max_element(operands.begin(), operands.end(),
                                  [&](auto a, auto b) { return count(a) < count(b); });
  if (count(*longest) < SumExtender::kLong || longest->ops().back().IsConstant())
    return std::nullopt;
  size_t others = 0;
  for (SymbolicExpr e : operands) others += count(e);
  if (others - count(*longest) > SumExtender::kFew) return std::nullopt;
  SumExtender sum(*longest);
  for (const SymbolicExpr& e : operands) {
    if (&e != longest && !sum.Append(e)) return std::nullopt;
  }
  return sum;
}

}  // namespace

SymbolicExpr Context::Add(llvm::ArrayRef<SymbolicExpr> operands) {
  if (AnyNull(operands)) return {};
  if (auto extended = ExtendLongSum(operands)) {
    if (extended->terms().size() > 1) {
      return impl_->Make(this, ExprKind::kAdd, extended->constant(), extended->terms());
    }
  }
  SumBuilder sum;
  for (SymbolicExpr e : operands) sum.Append(e);
  Ops terms;
  bool flat = true;
  for (auto& [rest, total] : sum.terms()) {
    for (int64_t c : Pieces(total)) {
      terms.push_back(Scale(rest, c));
      // A coefficient that overflowed when a sum was scaled may have come back into range.
      flat &= terms.back().kind() != ExprKind::kAdd;
    }
  }
  auto constants = Pieces(sum.constant());
  int64_t constant = constants.empty() ? 0 : constants[0];
  for (int64_t c : llvm::drop_begin(constants, constants.empty() ? 0 : 1)) {
    terms.push_back(Constant(c));
  }
  if (terms.empty()) return Constant(constant);
  if (!flat) {
    terms.push_back(Constant(constant));
    return Add(terms);
  }
  if (terms.size() == 1 && constant == 0) return terms[0];
  llvm::sort(terms, Less);
  return impl_->Make(this, ExprKind::kAdd, constant, terms);
}

SymbolicExpr Context::PartOfSum(llvm::ArrayRef<SymbolicExpr> terms, int64_t constant) {
  if (terms.empty()) return Constant(constant);
  if (terms.size() == 1 && constant == 0) return terms[0];
  // Constants among the terms are there because they did not fit; without the others they may.
  if (terms.back().IsConstant()) {
    Ops all(terms.begin(), terms.end());
    all.push_back(Constant(constant));
    return Add(all);
  }
  return impl_->Make(this, ExprKind::kAdd, constant, terms);
}

SymbolicExpr Context::Scale(SymbolicExpr e, int64_t c) {
  if (!e) return {};
  if (c == 0) return Constant(0);
  if (c == 1) return e;
  switch (e.kind()) {
    case ExprKind::kConstant:
      if (auto v = CheckedMul(e.value(), c)) return Constant(*v);
      break;
    case ExprKind::kMul:
      if (auto v = CheckedMul(e.value(), c)) {
        if (*v == 1 && e.ops().size() == 1) return e.op(0);
        return impl_->Make(this, ExprKind::kMul, *v, e.ops());
      }
      break;
    case ExprKind::kAdd: {
      auto constant = CheckedMul(e.value(), c);
      Ops terms;
      for (SymbolicExpr op : e.ops()) {
        auto v = CheckedMul(op.SplitCoefficient().first, c);
        if (!v) constant.reset();
        if (!constant) break;
        terms.push_back(Scale(op, c));
      }
      if (!constant) break;
      llvm::sort(terms, Less);  // a coefficient that becomes +-1 moves its term
      return impl_->Make(this, ExprKind::kAdd, *constant, terms);
    }
    default:
      break;
  }
  return impl_->Make(this, ExprKind::kMul, c, {e});
}

SymbolicExpr Context::Mul(llvm::ArrayRef<SymbolicExpr> operands) {
  if (AnyNull(operands)) return {};
  llvm::SmallVector<int64_t, 4> constants;
  Ops factors, sums;
  Ops work(operands.rbegin(), operands.rend());
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
  // A constant that would take the coefficient out of int64 stays a factor.
  llvm::sort(constants);
  int64_t coefficient = 1;
  for (int64_t c : constants) {
    if (auto v = CheckedMul(coefficient, c)) {
      coefficient = *v;
    } else {
      factors.push_back(Constant(c));
    }
  }
  llvm::sort(factors, Less);
  auto product = [&](llvm::ArrayRef<SymbolicExpr> fs, int64_t c) {
    if (fs.empty()) return Constant(c);
    if (fs.size() == 1) return Scale(fs[0], c);
    return impl_->Make(this, ExprKind::kMul, c, fs);
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
  Ops others(factors);
  others.append(sums.begin() + 1, sums.end());
  others.push_back(Constant(coefficient));
  Ops terms;
  for (SymbolicExpr t : first.ops()) {
    Ops one(others);
    one.push_back(t);
    terms.push_back(Mul(one));
  }
  if (first.value() != 0) {
    others.push_back(Constant(first.value()));
    terms.push_back(Mul(others));
  }
  return Add(terms);
}

SymbolicExpr Context::FloorDiv(SymbolicExpr a, SymbolicExpr b) {
  if (!a || !b || b.IsConstant(0)) return {};
  if (a.IsConstant() && b.IsConstant()) {
    if (auto v = CheckedFloorDiv(a.value(), b.value())) return Constant(*v);
  }
  return impl_->Make(this, ExprKind::kFloorDiv, 0, {a, b});
}

SymbolicExpr Context::CeilDiv(SymbolicExpr a, SymbolicExpr b) {
  if (!a || !b || b.IsConstant(0)) return {};
  if (a.IsConstant() && b.IsConstant()) {
    if (auto v = CheckedCeilDiv(a.value(), b.value())) return Constant(*v);
  }
  return impl_->Make(this, ExprKind::kCeilDiv, 0, {a, b});
}

SymbolicExpr Context::Mod(SymbolicExpr a, SymbolicExpr m) {
  if (!a || !m || (m.IsConstant() && m.value() <= 0)) return {};
  if (a.IsConstant() && m.IsConstant()) return Constant(ModUnchecked(a.value(), m.value()));
  return impl_->Make(this, ExprKind::kMod, 0, {a, m});
}

namespace {

// Flattened, constants folded into one, without repeats, in order.
Ops LatticeOperands(Context& context, ExprKind kind, llvm::ArrayRef<SymbolicExpr> operands) {
  Ops flat;
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
  Ops ops = LatticeOperands(*this, ExprKind::kMin, operands);
  return ops.size() == 1 ? ops[0] : impl_->Make(this, ExprKind::kMin, 0, ops);
}

SymbolicExpr Context::Max(llvm::ArrayRef<SymbolicExpr> operands) {
  if (operands.empty() || AnyNull(operands)) return {};
  Ops ops = LatticeOperands(*this, ExprKind::kMax, operands);
  return ops.size() == 1 ? ops[0] : impl_->Make(this, ExprKind::kMax, 0, ops);
}

SymbolicExpr Context::Rebuild(SymbolicExpr like, llvm::ArrayRef<SymbolicExpr> ops) {
  switch (like.kind()) {
    case ExprKind::kConstant:
    case ExprKind::kVariable:
      return like;
    case ExprKind::kAdd: {
      Ops all(ops.begin(), ops.end());
      all.push_back(Constant(like.value()));
      return Add(all);
    }
    case ExprKind::kMul: {
      if (ops.size() == 1) return Scale(ops[0], like.value());
      Ops all(ops.begin(), ops.end());
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

std::pair<int64_t, SymbolicExpr> SymbolicExpr::SplitCoefficient() const {
  if (kind() == ExprKind::kConstant) return {value(), context()->Constant(1)};
  if (kind() != ExprKind::kMul || value() == 1) return {1, *this};
  if (ops().size() == 1) return {value(), op(0)};
  return {value(), context()->impl_->Make(context(), ExprKind::kMul, 1, ops())};
}

}  // namespace affirm
