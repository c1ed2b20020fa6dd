// The constructor of sums: terms collected, constants folded, exact in 128 bits.
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

  explicit SumBuilder(int64_t constant) : constant_(constant) {}

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
    ++num_appended_;
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
  size_t num_appended() const { return num_appended_; }  // terms that are no constants

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

  int128 constant_;
  size_t num_appended_ = 0;
  llvm::SmallVector<Entry, 8> entries_;
  std::optional<llvm::DenseMap<SymbolicExpr, size_t>> index_;
};

// int64 constants whose sum is `total`, as few as possible, largest first: one unless it overflows.
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

// Whether a part of a constant beyond int64 is among the terms of a sum.
bool HasPiece(llvm::ArrayRef<SymbolicExpr> terms) {
  return llvm::any_of(terms, [](SymbolicExpr term) { return term.IsConstant(); });
}

// The same, or a part of a coefficient.
bool HasAnyPiece(llvm::ArrayRef<SymbolicExpr> terms) {
  return llvm::any_of(
      terms, [](SymbolicExpr term) { return term.IsConstant() || IsLimit(CoefficientOf(term)); });
}

// The longest operand plus a few terms: a scan and an insertion each instead of sorting everything.
class SumExtender {
 public:
  // False when there are too many terms, or when an overflow or a shape that the general way has to
  // deal with turns up.
  bool Add(llvm::ArrayRef<SymbolicExpr> operands, int64_t constant) {
    const SymbolicExpr* longest = nullptr;
    size_t most = 0, total = 0;
    for (const SymbolicExpr& e : operands) {
      size_t terms = e.kind() == ExprKind::kAdd ? e.ops().size() : 1;
      total += terms;
      if (terms <= most) continue;
      longest = &e;
      most = terms;
    }
    constant_ = constant;
    if (!longest || total - most > kFew) return false;
    if (longest->kind() == ExprKind::kAdd) {
      if (HasAnyPiece(longest->ops()) || !AppendConstant(longest->value())) return false;
      terms_.append(longest->ops().begin(), longest->ops().end());
      if (operands.size() == 1) return true;
    } else {
      longest = nullptr;
    }
    for (const SymbolicExpr& e : operands) {
      if (&e != longest && !Append(e)) return false;
    }
    return true;
  }

  llvm::ArrayRef<SymbolicExpr> terms() const { return terms_; }
  int64_t constant() const { return constant_; }

 private:
  static constexpr size_t kFew = 8;

  bool Append(SymbolicExpr e) {
    if (e.kind() == ExprKind::kAdd) {
      return AppendConstant(e.value()) &&
             llvm::all_of(e.ops(), [&](SymbolicExpr t) { return AppendTerm(t); });
    }
    return e.IsConstant() ? AppendConstant(e.value()) : AppendTerm(e);
  }

  bool AppendConstant(int64_t c) { return !__builtin_add_overflow(constant_, c, &constant_); }

  bool AppendTerm(SymbolicExpr term) {
    auto [c, rest] = CoefficientAndRest(term);
    if (rest.IsConstant() || rest.kind() == ExprKind::kAdd) return false;
    auto same = [rest = rest](SymbolicExpr t) {
      if (t == rest) return true;
      if (t.kind() != ExprKind::kMul) return false;
      if (t.IsMultiple()) return t.op(0) == rest;
      return rest.kind() == ExprKind::kMul && t.ops() == rest.ops();
    };
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (!same(terms_[i])) continue;
      int64_t have = CoefficientOf(terms_[i]);
      auto total = CheckedAdd(c, have);
      if (!total || IsLimit(have)) return false;
      // Another one of the constant factors may become the coefficient.
      if (rest.kind() == ExprKind::kMul && rest.ops().back().IsConstant()) return false;
      terms_.erase(terms_.begin() + i);
      if (*total == 0) return true;
      term = term.context()->Scale(rest, *total);
      break;
    }
    size_t place = terms_.size();
    terms_.push_back(term);
    for (; place > 0 && Less(term, terms_[place - 1]); --place) terms_[place] = terms_[place - 1];
    terms_[place] = term;
    return true;
  }

  llvm::SmallVector<SymbolicExpr, 32> terms_;
  int64_t constant_ = 0;
};

}  // namespace

SymbolicExpr Context::Add(llvm::ArrayRef<SymbolicExpr> operands, int64_t constant) {
  if (AnyNull(operands)) return {};
  SumExtender sum;
  if (!sum.Add(operands, constant)) return impl_->AddMany(operands, constant);
  if (sum.terms().empty()) return Constant(sum.constant());
  if (sum.terms().size() == 1 && sum.constant() == 0) return sum.terms()[0];
  return impl_->Make(ExprKind::kAdd, sum.constant(), sum.terms());
}

SymbolicExpr Context::Impl::AddMany(llvm::ArrayRef<SymbolicExpr> operands, int64_t summand) {
  SumBuilder sum(summand);
  for (SymbolicExpr e : operands) sum.Append(e);
  ExprList terms;
  bool flat = true, renamed = false;
  for (const SumBuilder::Entry& e : sum.entries()) {
    if (e.term) {
      terms.push_back(e.term);
      continue;
    }
    if (e.total == 0) continue;
    for (int64_t c : Pieces(e.total)) {
      terms.push_back(context->Scale(e.rest, c));
      // A coefficient that overflowed when a sum was scaled may have come back into range.
      flat &= terms.back().kind() != ExprKind::kAdd;
      // Among constant factors another one may have become the coefficient, and the term one that
      // joins with others. Each time there are fewer, so that comes to an end.
      renamed |= CoefficientAndRest(terms.back()).second != e.rest;
    }
  }
  int64_t constant = 0;
  if (auto narrow = Narrow(sum.constant())) {
    constant = *narrow;
  } else {
    auto pieces = Pieces(sum.constant());
    constant = pieces[0];
    for (int64_t c : llvm::drop_begin(pieces)) terms.push_back(context->Constant(c));
  }
  if (terms.empty()) return context->Constant(constant);
  if (!flat || (renamed && terms.size() < sum.num_appended())) return context->Add(terms, constant);
  if (terms.size() == 1 && constant == 0) return terms[0];
  if (!llvm::is_sorted(terms, Less)) llvm::sort(terms, Less);
  return Make(ExprKind::kAdd, constant, terms);
}

SymbolicExpr Context::PartOfSum(llvm::ArrayRef<SymbolicExpr> terms, int64_t constant) {
  if (terms.empty()) return Constant(constant);
  if (terms.size() == 1 && constant == 0) return terms[0];
  // Constants among the terms are there because they did not fit; without the others they may.
  if (HasPiece(terms)) return Add(terms, constant);
  return impl_->Make(ExprKind::kAdd, constant, terms);
}

}  // namespace affirm
