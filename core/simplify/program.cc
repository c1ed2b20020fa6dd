#include "core/simplify/program.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using Op = Step::Op;

class Compiler {
 public:
  explicit Compiler(const Rule& rule)
      : rule_(rule), bound_(rule.slots.size()), next_register_(static_cast<int>(bound_.size())) {}

  Program Compile(const Term& lhs) {
    program_ = Program();
    program_.root = Place(lhs);
    Match(lhs, program_.root);
    return Finish();
  }

  Program Compile(const BoundPattern& premise) {
    program_ = Program();
    program_.root = Place(premise.expr);
    Match(premise.expr, program_.root);
    if (!premise.lower_infinite) program_.lower = MatchValue(premise.lower);
    if (!premise.upper_infinite) program_.upper = MatchValue(premise.upper);
    return Finish();
  }

  // The conditions in their order; those that no program checks find their names bound by then.
  std::vector<CompiledCondition> Conditions() {
    std::vector<CompiledCondition> out;
    for (const Condition& c : rule_.when) {
      CompiledCondition& compiled = out.emplace_back();
      compiled.source = &c;
      compiled.scheduled = llvm::is_contained(scheduled_, &c);
      if (c.kind == ConditionKind::kWithin) {
        compiled.bounds = Bounds(c.lhs, c.lower, c.lower_infinite, c.upper, c.upper_infinite);
        continue;
      }
      auto value = c.kind == ConditionKind::kIs ? TermValue::kExpr : TermValue::kConstant;
      compiled.rhs = Code(c.rhs, value);
      compiled.binds = c.kind == ConditionKind::kLet && !bound_[c.lhs.slot];
      if (compiled.binds) bound_[c.lhs.slot] = true;
      compiled.lhs = Code(c.lhs, value);
    }
    return out;
  }

  CompiledBounds Bounds(const Term& expr, const Term& lower, bool lower_infinite, const Term& upper,
                        bool upper_infinite) {
    CompiledBounds out;
    out.expr = Code(expr, TermValue::kExpr);
    if (!lower_infinite) out.lower = Code(lower);
    if (!upper_infinite) out.upper = Code(upper);
    return out;
  }

  Postfix Code(const Term& t, TermValue value = TermValue::kConstant) {
    if (!AllBound(t)) Problem("the names of '" + ToString(t, rule_) + "' are not all matched");
    Postfix code = ToPostfix(rule_, t, value);
    if (code.empty()) Problem("'" + ToString(t, rule_) + "' is nested too deeply");
    return code;
  }

  void Problem(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }
  const std::string& problem() const { return problem_; }

 private:
  struct Operand {
    std::vector<const Term*> factors;  // the constant factors in front
    const Term* core = nullptr;        // the factor with an expression; null for a constant operand
  };

  Program Finish() {
    Emit(Op::kMatched);
    return std::move(program_);
  }

  Step& Emit(Op op) {
    program_.steps.emplace_back();
    program_.steps.back().op = op;
    return program_.steps.back();
  }

  int NewRegister() {
    if (next_register_ == kMaxRegisters) {
      Problem("the left side has too many parts");
      return 0;
    }
    return next_register_++;
  }

  // The register for what is matched with `t`: a free name's own, which binds it, or a fresh one.
  int Place(const Term& t) {
    if (t.kind != TermKind::kSlot || !IsExpr(t) || bound_[t.slot]) return NewRegister();
    bound_[t.slot] = true;
    return t.slot;
  }

  // The same for constants; emits what compares the register with `t`.
  int MatchValue(const Term& t) {
    if (t.kind == TermKind::kSlot && !bound_[t.slot]) {
      bound_[t.slot] = true;
      Schedule();
      return t.slot;
    }
    int value = NewRegister();
    Solve({&t}, value);
    return value;
  }

  void Match(const Term& t, int at) {
    if (!HasExpr(t)) {
      size_t step = program_.steps.size();
      Emit(Op::kConstant).at = at;
      program_.steps[step].value = MatchValue(t);
      return;
    }
    switch (t.kind) {
      case TermKind::kSlot:
        if (at != t.slot) {
          Step& s = Emit(Op::kSame);
          s.at = at;
          s.to[0] = t.slot;
        }
        return;
      case TermKind::kFloorDiv:
      case TermKind::kCeilDiv:
      case TermKind::kMod:
        return MatchQuotient(t, at);
      case TermKind::kMin:
      case TermKind::kMax:
        return MatchLattice(t, at);
      case TermKind::kAdd:
        return MatchSum(t.ops, at);
      case TermKind::kMul:
        return MatchSum(t, at);
      default:
        Problem("'" + ToString(t, rule_) + "' can't stand in a pattern");
    }
  }

  // The divisor first: what it binds steers the numerator.
  void MatchQuotient(const Term& t, int at) {
    int divisor = Place(t.ops[1]), numerator = Place(t.ops[0]);
    Step& s = Emit(Op::kQuotient);
    s.at = at;
    s.kind = *AtomKind(t.kind);
    s.to[0] = divisor;
    s.to[1] = numerator;
    Match(t.ops[1], divisor);
    int outer = std::exchange(divisor_, divisor);
    Match(t.ops[0], numerator);
    divisor_ = outer;
  }

  void MatchLattice(const Term& t, int at) {
    if (t.ops.size() > kMaxParts) return Problem("too many operands of min or max");
    Step s;
    s.op = Op::kLattice;
    s.at = at;
    s.kind = *AtomKind(t.kind);
    for (const Term& op : t.ops) s.to[s.parts++] = Place(op);
    program_.steps.push_back(s);
    for (size_t i = 0; i < t.ops.size(); ++i) Match(t.ops[i], s.to[i]);
  }

  // Conditions on constants, as soon as all their names are bound.
  void Schedule() {
    for (size_t i = 0; i < rule_.when.size(); ++i) {
      const Condition& c = rule_.when[i];
      bool constant = c.kind == ConditionKind::kCompare || c.kind == ConditionKind::kDivides;
      if (!constant || llvm::is_contained(scheduled_, &c)) continue;
      if (HasExpr(c.lhs) || HasExpr(c.rhs) || !AllBound(c.lhs) || !AllBound(c.rhs)) continue;
      Emit(Op::kCheck).condition = static_cast<uint8_t>(i);
      scheduled_.push_back(&c);
    }
  }

  // The product of the factors is `value`, where one name may be free.
  void Solve(const std::vector<const Term*>& factors, int value) {
    int free = -1;
    std::vector<const Term*> known;
    for (const Term* f : factors) {
      if (AllBound(*f)) {
        known.push_back(f);
      } else if (f->kind == TermKind::kSlot && free < 0) {
        free = f->slot;
      } else {
        return Problem("the factor '" + ToString(*f, rule_) + "' can't be solved for");
      }
    }
    Step& s = Emit(Op::kSolve);
    s.factors = Product(known);
    s.value = value;
    s.free = free;
    if (free >= 0) {
      bound_[free] = true;
      Schedule();
    }
  }

  Postfix Product(const std::vector<const Term*>& factors) {
    if (factors.size() == 1) return Code(*factors[0]);
    Term product;
    product.kind = factors.empty() ? TermKind::kNumber : TermKind::kMul;
    product.number = 1;
    for (const Term* f : factors) product.ops.push_back(*f);
    return Code(product);
  }

  void MatchSum(llvm::ArrayRef<Term> terms, int at) {
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
    auto is_name = [](const Operand& o) { return o.core && o.core->kind == TermKind::kSlot; };
    int splits = 0, rests = 0;
    take([&](const Operand& o) { return o.core && AtomKind(o.core->kind); },
         [&](const Operand& o) { Pick(o); });
    take([&](const Operand& o) { return is_name(o) && bound_[o.core->slot]; },
         [&](const Operand& o) { Subtract(o); });
    take([&](const Operand& o) { return is_name(o) && !o.factors.empty(); },
         [&](const Operand& o) { Split(o, pending.empty()), ++splits; });
    take([](const Operand& o) { return !o.core; }, [&](const Operand& o) { TakeConstant(o); });
    take(is_name, [&](const Operand& o) { Rest(o), ++rests; });
    if (!pending.empty()) Problem("a sum within a sum can't be matched");
    if (rests > 1) Problem("a sum has two names for the rest");
    if (splits > 1) Problem("a sum is split twice");
    if (rests == 0) Emit(Op::kNothingLeft).sum = sum_;
  }
  void MatchSum(const Term& product, int at) { MatchSum(llvm::ArrayRef<Term>(product), at); }

  int NewSum() {
    if (next_sum_ == kMaxSums) Problem("the left side has too many sums");
    return next_sum_ == kMaxSums ? 0 : next_sum_++;
  }

  // K * core; the one factor with an expression is the core.
  Operand Decompose(const Term& t) {
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

  void Pick(const Operand& o) {
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

  void Subtract(const Operand& o) {
    Step& s = Emit(Op::kSubtract);
    s.sum = sum_;
    s.left = sum_ = NewSum();
    s.to[0] = o.core->slot;
    s.factors = Product(o.factors);
  }

  void Split(const Operand& o, bool last) {
    bool known = AllBound(o.factors);
    int g = NewRegister();
    Step& find = Emit(known ? Op::kProduct : Op::kFactor);
    find.sum = sum_;
    find.value = g;
    find.divisor = divisor_;
    find.last = last;
    if (known) find.factors = Product(o.factors);
    if (!known) Solve(o.factors, g);
    bound_[o.core->slot] = true;
    Step& s = Emit(Op::kSplit);
    s.sum = sum_;
    s.value = g;
    s.to[0] = o.core->slot;
    s.last = last;
  }

  void TakeConstant(const Operand& o) {
    size_t step = program_.steps.size();
    Emit(Op::kTakeConstant).sum = sum_;
    program_.steps[step].value = MatchValue(*o.factors[0]);
  }

  void Rest(const Operand& o) {
    bound_[o.core->slot] = true;
    Step& s = Emit(Op::kRest);
    s.sum = sum_;
    s.to[0] = o.core->slot;
  }

  bool IsExpr(const Term& t) const { return rule_.slots[t.slot].is_expr; }
  bool HasExpr(const Term& t) const { return affirm::HasExpr(rule_, t); }
  bool AllBound(const Term& t) const {
    if (t.kind == TermKind::kSlot) return bound_[t.slot];
    return llvm::all_of(t.ops, [&](const Term& op) { return AllBound(op); });
  }

  bool AllBound(const std::vector<const Term*>& terms) const {
    return llvm::all_of(terms, [&](const Term* t) { return AllBound(*t); });
  }

  const Rule& rule_;
  std::vector<bool> bound_;
  int next_register_;
  int next_sum_ = 0;
  int sum_ = 0;       // whose operands are being matched
  int divisor_ = -1;  // around what is being matched
  Program program_;
  std::vector<const Condition*> scheduled_;
  std::string problem_;
};

bool UsesRanges(const Condition& c) {
  return c.kind == ConditionKind::kWithin || c.kind == ConditionKind::kIs ||
         (c.kind == ConditionKind::kLet && !c.defines);
}

}  // namespace

std::optional<ExprKind> AtomKind(TermKind kind) {
  switch (kind) {
    case TermKind::kFloorDiv:
      return ExprKind::kFloorDiv;
    case TermKind::kCeilDiv:
      return ExprKind::kCeilDiv;
    case TermKind::kMod:
      return ExprKind::kMod;
    case TermKind::kMin:
      return ExprKind::kMin;
    case TermKind::kMax:
      return ExprKind::kMax;
    default:
      return std::nullopt;
  }
}

CompiledRule Compile(const Rule& rule) {
  CompiledRule out;
  out.rule = &rule;
  if (rule.slots.size() > kMaxRegisters / 2 || rule.when.size() > kMaxConditions) {
    out.problem = "too many names or conditions";
    return out;
  }
  Compiler compiler(rule);
  if (rule.is_constraint_rule) {
    if (rule.premises.size() > 2) compiler.Problem("more than two premises");
    for (const BoundPattern& premise : llvm::reverse(rule.premises)) {
      out.programs.insert(out.programs.begin(), compiler.Compile(premise));
    }
  } else {
    out.programs.push_back(compiler.Compile(rule.lhs));
  }
  out.conditions = compiler.Conditions();
  if (!rule.is_constraint_rule) out.rhs = compiler.Code(rule.rhs, TermValue::kExpr);
  for (const BoundPattern& p : rule.conclusions) {
    out.conclusions.push_back(
        compiler.Bounds(p.expr, p.lower, p.lower_infinite, p.upper, p.upper_infinite));
  }
  out.uses_ranges = llvm::any_of(rule.when, UsesRanges);
  out.required = RequiredBy(out);
  out.problem = compiler.problem();
  return out;
}

}  // namespace affirm
