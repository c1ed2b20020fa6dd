// Programs from patterns: everything but sums.
#include "core/simplify/program_builder.h"

#include <utility>

namespace affirm {

using Op = Step::Op;

Program ProgramBuilder::Compile(const Term& lhs) {
  program_ = Program();
  program_.root = RegisterFor(lhs);
  Match(lhs, program_.root);
  return Finish();
}

Program ProgramBuilder::Compile(const BoundPattern& premise) {
  program_ = Program();
  program_.root = RegisterFor(premise.expr);
  Match(premise.expr, program_.root);
  if (!premise.lower_infinite) program_.lower = MatchValue(premise.lower);
  if (!premise.upper_infinite) program_.upper = MatchValue(premise.upper);
  return Finish();
}

std::vector<CompiledCondition> ProgramBuilder::Conditions() {
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
    if (c.kind == ConditionKind::kLet && !IsConstantName(c.lhs)) {
      Problem("a 'let' gives a value to no constant");
      continue;
    }
    compiled.binds = c.kind == ConditionKind::kLet && !bound_[c.lhs.metavariable];
    if (compiled.binds) Bind(c.lhs.metavariable);
    compiled.lhs = Code(c.lhs, value);
  }
  return out;
}

std::vector<CompiledRangeEnd> ProgramBuilder::RangeEnds() {
  std::vector<CompiledRangeEnd> out;
  for (const Condition& c : rule_.when) {
    if (c.kind == ConditionKind::kLet) continue;
    for (const Term* t : {&c.lhs, &c.rhs, &c.lower, &c.upper}) AddRangeEnds(*t, out);
  }
  return out;
}

void ProgramBuilder::AddRangeEnds(const Term& t, std::vector<CompiledRangeEnd>& out) {
  for (const Term& op : t.ops) AddRangeEnds(op, out);
  if (t.kind != TermKind::kLower && t.kind != TermKind::kUpper) return;
  out.push_back({Code(t.ops[0], TermValue::kExpr), t.kind == TermKind::kLower});
}

CompiledBounds ProgramBuilder::Bounds(const Term& expr, const Term& lower, bool lower_infinite,
                                      const Term& upper, bool upper_infinite) {
  CompiledBounds out;
  out.expr = Code(expr, TermValue::kExpr);
  if (!lower_infinite) out.lower = Code(lower);
  if (!upper_infinite) out.upper = Code(upper);
  return out;
}

Postfix ProgramBuilder::Code(const Term& t, TermValue value) {
  if (!AllBound(t)) Problem("the names of '" + ToString(t, rule_) + "' are not all matched");
  if (value == TermValue::kConstant && NeedsExpr(t))
    Problem("'" + ToString(t, rule_) + "' is no constant");
  Postfix code = ToPostfix(rule_, t, value, matched_);
  if (code.empty()) Problem("'" + ToString(t, rule_) + "' is nested too deeply");
  return code;
}

void ProgramBuilder::Bind(int metavariable) {
  // A name that is bound stands for what is bound; what else it is matched with is compared.
  if (bound_[metavariable])
    Problem("'" + rule_.metavariables[metavariable].name + "' is matched twice");
  bound_[metavariable] = true;
}

bool ProgramBuilder::NeedsExpr(const Term& t) const {
  if (t.kind == TermKind::kLower || t.kind == TermKind::kUpper) return false;
  if (t.kind == TermKind::kMetavariable) return IsExpr(t);
  return llvm::any_of(t.ops, [&](const Term& op) { return NeedsExpr(op); });
}

int ProgramBuilder::NewRegister() {
  if (next_register_ == kMaxRegisters) {
    Problem("the left side has too many parts");
    return 0;
  }
  return next_register_++;
}

int ProgramBuilder::RegisterFor(const Term& t) {
  if (t.kind != TermKind::kMetavariable || !IsExpr(t) || bound_[t.metavariable])
    return NewRegister();
  Bind(t.metavariable);
  return t.metavariable;
}

int ProgramBuilder::MatchValue(const Term& t) {
  if (IsConstantName(t) && !bound_[t.metavariable]) {
    Bind(t.metavariable);
    Schedule();
    return t.metavariable;
  }
  int value = NewRegister();
  Solve({&t}, value);
  return value;
}

void ProgramBuilder::Match(const Term& t, int at) {
  if (!HasExpr(t)) {
    size_t step = program_.steps.size();
    Emit(Op::kConstant).at = at;
    program_.steps[step].value = MatchValue(t);
    return;
  }
  switch (t.kind) {
    case TermKind::kMetavariable:
      if (at != t.metavariable) {
        Step& s = Emit(Op::kSame);
        s.at = at;
        s.to[0] = t.metavariable;
      }
      return;
    case TermKind::kFloorDiv:
    case TermKind::kCeilDiv:
    case TermKind::kMod:
      return MatchQuotient(t, at);
    case TermKind::kMin:
    case TermKind::kMax:
      return MatchMinMax(t, at);
    case TermKind::kAdd:
      return MatchSum(t.ops, at);
    case TermKind::kMul:
      return MatchSum(llvm::ArrayRef<Term>(t), at);
    default:
      Problem("'" + ToString(t, rule_) + "' can't stand in a pattern");
  }
}

// The divisor first: what it binds steers the numerator.
void ProgramBuilder::MatchQuotient(const Term& t, int at) {
  int divisor = RegisterFor(t.ops[1]), numerator = RegisterFor(t.ops[0]);
  Step& s = Emit(Op::kQuotient);
  s.at = at;
  s.kind = *AtomKind(t.kind);
  s.to[0] = divisor;
  s.to[1] = numerator;
  // An expression has no constant modulus but a positive one.
  if (t.kind == TermKind::kMod && IsConstantName(t.ops[1])) modulus_ = t.ops[1].metavariable;
  Match(t.ops[1], divisor);
  modulus_ = -1;
  if (llvm::all_of(t.ops, [](const Term& op) { return op.kind == TermKind::kMetavariable; })) {
    matched_.push_back({&t, at});
  }
  int outer = std::exchange(divisor_, divisor);
  Match(t.ops[0], numerator);
  divisor_ = outer;
}

void ProgramBuilder::MatchMinMax(const Term& t, int at) {
  if (t.ops.size() > kMaxParts) return Problem("too many operands of min or max");
  Step s;
  s.op = Op::kMinMax;
  s.at = at;
  s.kind = *AtomKind(t.kind);
  for (const Term& op : t.ops) s.to[s.parts++] = RegisterFor(op);
  program_.steps.push_back(s);
  for (size_t i = 0; i < t.ops.size(); ++i) Match(t.ops[i], s.to[i]);
}

void ProgramBuilder::Schedule() {
  for (size_t i = 0; i < rule_.when.size(); ++i) {
    const Condition& c = rule_.when[i];
    bool constant = c.kind == ConditionKind::kCompare || c.kind == ConditionKind::kDivides;
    if (!constant || llvm::is_contained(scheduled_, &c)) continue;
    if (HasExpr(c.lhs) || HasExpr(c.rhs) || !AllBound(c.lhs) || !AllBound(c.rhs)) continue;
    scheduled_.push_back(&c);
    if (!SaysModulusIsPositive(c)) Emit(Op::kCheck).condition = static_cast<uint8_t>(i);
  }
}

bool ProgramBuilder::SaysModulusIsPositive(const Condition& c) const {
  return c.kind == ConditionKind::kCompare && c.op == CompareOp::kGt && modulus_ >= 0 &&
         c.lhs.kind == TermKind::kMetavariable && c.lhs.metavariable == modulus_ &&
         c.rhs.kind == TermKind::kNumber && c.rhs.number == 0;
}

void ProgramBuilder::Solve(const std::vector<const Term*>& factors, int value) {
  int free = -1;
  std::vector<const Term*> known;
  for (const Term* f : factors) {
    if (AllBound(*f)) {
      known.push_back(f);
    } else if (IsConstantName(*f) && free < 0) {
      free = f->metavariable;
    } else {
      return Problem("the factor '" + ToString(*f, rule_) + "' can't be solved for");
    }
  }
  Step& s = Emit(Op::kSolve);
  s.factors = Product(known);
  s.value = value;
  s.free = free;
  if (free >= 0) {
    Bind(free);
    Schedule();
  }
}

Postfix ProgramBuilder::Product(const std::vector<const Term*>& factors) {
  if (factors.size() == 1) return Code(*factors[0]);
  Term product;
  product.kind = factors.empty() ? TermKind::kNumber : TermKind::kMul;
  product.number = 1;
  for (const Term* f : factors) product.ops.push_back(*f);
  return Code(product);
}

}  // namespace affirm
