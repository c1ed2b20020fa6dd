// Programs from patterns: sums, up to the order of their terms (see program.h).
#include "core/simplify/program_builder.h"

namespace affirm {

using Op = Step::Op;

void ProgramBuilder::MatchSum(llvm::ArrayRef<Term> terms, int at) {
  sum_ = NewSum();
  Step& open = Emit(Op::kSum);
  open.at = at;
  open.sum = sum_;
  std::vector<Operand> pending;
  for (const Term& t : terms) pending.push_back(Decompose(t));
  auto take = [&](auto pred, auto match) {
    for (size_t i = 0; i < pending.size();) {
      if (!pred(pending[i])) {
        ++i;
        continue;
      }
      Operand o = std::move(pending[i]);
      pending.erase(pending.begin() + i);
      match(o);
      i = 0;  // what it bound may make others ready
    }
  };
  auto is_name = [](const Operand& o) { return o.core && o.core->kind == TermKind::kMetavariable; };
  int splits = 0, rests = 0;
  take([&](const Operand& o) { return o.core && AtomKind(o.core->kind); },
       [&](const Operand& o) { Pick(o); });
  auto subtract_known = [&] {
    take([&](const Operand& o) { return is_name(o) && bound_[o.core->metavariable]; },
         [&](const Operand& o) { Subtract(o); });
  };
  subtract_known();
  take(
      [&](const Operand& o) {
        return is_name(o) && !o.factors.empty() && !bound_[o.core->metavariable];
      },
      [&](const Operand& o) { Split(o, pending.empty()), ++splits; });
  subtract_known();  // what the split has bound
  take([](const Operand& o) { return !o.core; }, [&](const Operand& o) { TakeConstant(o); });
  take([&](const Operand& o) { return is_name(o) && !bound_[o.core->metavariable]; },
       [&](const Operand& o) { Rest(o), ++rests; });
  if (llvm::any_of(pending, is_name)) Problem("a sum has its rest twice");
  if (!pending.empty()) Problem("a sum within a sum can't be matched");
  if (rests > 1) Problem("a sum has two names for the rest");
  if (splits > 1) Problem("a sum is split twice");
  if (rests == 0) Emit(Op::kNothingLeft).sum = sum_;
}

int ProgramBuilder::NewSum() {
  if (next_sum_ == kMaxSums) Problem("the left side has too many sums");
  return next_sum_ == kMaxSums ? 0 : next_sum_++;
}

ProgramBuilder::Operand ProgramBuilder::Decompose(const Term& t) {
  Operand o;
  if (!HasExpr(t) || t.kind != TermKind::kMul) {
    (HasExpr(t) ? o.core : o.factors.emplace_back()) = &t;
    return o;
  }
  for (const Term& f : t.ops) {
    if (!HasExpr(f)) {
      o.factors.push_back(&f);
    } else if (o.core) {
      Problem("a product of two expressions can't stand in a pattern");
    } else {
      o.core = &f;
    }
  }
  return o;
}

void ProgramBuilder::Pick(const Operand& o) {
  int sum = sum_, term = NewRegister(), coefficient = NewRegister();
  Step& s = Emit(Op::kPick);
  s.sum = sum;
  s.kind = *AtomKind(o.core->kind);
  s.to[0] = term;
  s.value = coefficient;
  bool solved = AllBound(o.factors), known = AllBound(*o.core);
  s.factors_known = solved;
  s.known = known;
  if (solved) s.factors = Product(o.factors);
  if (known) s.term = Code(*o.core, TermValue::kExpr);
  if (!known) Match(*o.core, term);
  // The factors are solved once the core is matched, so its names count as bound.
  if (!solved) Solve(o.factors, coefficient);
  sum_ = sum;
}

void ProgramBuilder::Subtract(const Operand& o) {
  Step& s = Emit(Op::kSubtract);
  s.sum = sum_;
  s.left = sum_ = NewSum();
  s.to[0] = o.core->metavariable;
  s.factors = Product(o.factors);
}

void ProgramBuilder::Split(const Operand& o, bool last) {
  bool known = AllBound(o.factors);
  int g = NewRegister();
  Step& find = Emit(known ? Op::kProduct : Op::kFactor);
  find.sum = sum_;
  find.value = g;
  find.divisor = divisor_;
  find.last = last;
  if (known) find.factors = Product(o.factors);
  if (!known) Solve(o.factors, g);
  Bind(o.core->metavariable);
  bool nearest = nearest_ && nearest_->multiple == o.core->metavariable;
  Step& s = Emit(nearest ? Op::kSplitNearest : Op::kSplit);
  s.sum = sum_;
  s.value = g;
  s.to[0] = o.core->metavariable;
  s.last = last;
}

void ProgramBuilder::TakeConstant(const Operand& o) {
  size_t step = program_.steps.size();
  Emit(Op::kTakeConstant).sum = sum_;
  program_.steps[step].value = MatchValue(*o.factors[0]);
}

void ProgramBuilder::Rest(const Operand& o) {
  Bind(o.core->metavariable);
  Step& s = Emit(Op::kRest);
  s.sum = sum_;
  s.to[0] = o.core->metavariable;
}

}  // namespace affirm
