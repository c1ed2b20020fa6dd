// The constructor of sums: terms collected, constants folded, exact in 128 bits.
#include <algorithm>
#include <optional>

#include "core/symbolic/context_impl.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm {
namespace {

// A sum under construction: total coefficients, exact in 128 bits, of the distinct terms.
class SumBuilder {
 public:
  struct Entry {
    SymbolicExpr rest;
    int128 total;
    SymbolicExpr term;  // total * rest as it came; null once another was added
  };

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
    auto [c, rest] = CoefficientAndRest(e);
    if (Entry* known = Find(rest)) {
      known->total += c;
      known->term = {};
    } else {
      entries_.push_back({rest, c, e});
    }
  }

  int128 constant() const { return constant_; }
  llvm::ArrayRef<Entry> entries() const { return entries_; }

 private:
  // The entry of `rest`, or null; a linear scan while there are few. The index gets the entry that
  // is to follow.
  Entry* Find(SymbolicExpr rest) {
    if (entries_.size() < 16) {
      for (Entry& e : entries_) {
        if (e.rest == rest) return &e;
      }
      return nullptr;
    }
    if (!index_) {
      index_.emplace();
      for (size_t i = 0; i < entries_.size(); ++i) (*index_)[entries_[i].rest] = i;
    }
    auto [it, fresh] = index_->try_emplace(rest, entries_.size());
    return fresh ? nullptr : &entries_[it->second];
  }

  int128 constant_ = 0;
  llvm::SmallVector<Entry, 8> entries_;
  std::optional<llvm::DenseMap<SymbolicExpr, size_t>> index_;
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
      int64_t have = it->SplitCoefficient().first;
      auto total = CheckedAdd(c, have);
      if (!total || IsLimit(have)) return false;
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

// Whether a piece of a constant that does not fit is among the terms of a sum.
bool HasPiece(llvm::ArrayRef<SymbolicExpr> terms) {
  return llvm::any_of(terms, [](SymbolicExpr term) { return term.IsConstant(); });
}

// Applies when one operand is a long sum and the others are few terms.
std::optional<SumExtender> ExtendLongSum(llvm::ArrayRef<SymbolicExpr> operands) {
  const SymbolicExpr* longest = nullptr;
  size_t most = SumExtender::kLong - 1, total = 0;
  for (const SymbolicExpr& e : operands) {
    size_t terms = e.kind() == ExprKind::kAdd ? e.ops().size() : 1;
    total += terms;
    if (terms <= most) continue;
    longest = &e;
    most = terms;
  }
  if (!longest || total - most > SumExtender::kFew) return std::nullopt;
  if (HasPiece(longest->ops())) return std::nullopt;
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
  ExprList terms;
  bool flat = true;
  for (const SumBuilder::Entry& e : sum.entries()) {
    if (e.term) {
      terms.push_back(e.term);
      continue;
    }
    if (e.total == 0) continue;
    for (int64_t c : Pieces(e.total)) {
      terms.push_back(Scale(e.rest, c));
      // A coefficient that overflowed when a sum was scaled may have come back into range.
      flat &= terms.back().kind() != ExprKind::kAdd;
    }
  }
  int64_t constant = 0;
  if (auto narrow = Narrow(sum.constant())) {
    constant = *narrow;
  } else {
    auto pieces = Pieces(sum.constant());
    constant = pieces[0];
    for (int64_t c : llvm::drop_begin(pieces)) terms.push_back(Constant(c));
  }
  if (terms.empty()) return Constant(constant);
  if (!flat) {
    terms.push_back(Constant(constant));
    return Add(terms);
  }
  if (terms.size() == 1 && constant == 0) return terms[0];
  if (!llvm::is_sorted(terms, Less)) llvm::sort(terms, Less);
  return impl_->Make(this, ExprKind::kAdd, constant, terms);
}

SymbolicExpr Context::PartOfSum(llvm::ArrayRef<SymbolicExpr> terms, int64_t constant) {
  if (terms.empty()) return Constant(constant);
  if (terms.size() == 1 && constant == 0) return terms[0];
  // Constants among the terms are there because they did not fit; without the others they may.
  if (HasPiece(terms)) {
    ExprList all(terms.begin(), terms.end());
    all.push_back(Constant(constant));
    return Add(all);
  }
  return impl_->Make(this, ExprKind::kAdd, constant, terms);
}

}  // namespace affirm
