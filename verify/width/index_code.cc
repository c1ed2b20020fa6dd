// The operations by which a kernel evaluates a map, in the order in which it runs them.
#include "verify/width/index_code.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using Op = IndexStep::Op;

class CodeBuilder {
 public:
  CodeBuilder(const IndexingMap& map, Signedness signedness)
      : map_(map), context_(*map.context()), box_(map) {
    box_.SetConstraints({});
    code_.signedness = signedness;
  }

  void TestConstraints() {
    for (const Constraint& c : map_.constraints()) {
      if (!box_.RangeOf(c.expr).Within(c.bounds)) Test(c);
    }
  }

  IndexCode Results() {
    guarded_ = true;
    for (SymbolicExpr e : map_.results()) code_.results.push_back(Emit(e));
    return std::move(code_);
  }

 private:
  const IndexingMap& domain() const { return guarded_ ? map_ : box_; }

  // The comparisons themselves can't overflow; what they compare with must be representable.
  void Test(const Constraint& c) {
    Emit(c.expr);
    bool lower_known = box_.RangeOf(c.expr).Within({c.bounds.lower, kInt64Max});
    if (c.bounds.HasLower() && !lower_known) Constant(c.bounds.lower);
    if (c.bounds.HasUpper()) Constant(c.bounds.upper);
  }

  uint32_t Add(Op op, std::vector<uint32_t> operands, SymbolicExpr value) {
    code_.steps.push_back({op, std::move(operands), value, guarded_});
    return static_cast<uint32_t>(code_.steps.size() - 1);
  }
  uint32_t Constant(int64_t v) {
    auto [it, fresh] = emitted_.try_emplace(context_.Constant(v), 0);
    if (fresh) it->second = Add(Op::kConstant, {}, context_.Constant(v));
    return it->second;
  }
  SymbolicExpr ValueOf(uint32_t step) const { return code_.steps[step].value; }
  // Null operands give null values.
  uint32_t Binary(Op op, uint32_t a, uint32_t b) {
    SymbolicExpr x = ValueOf(a), y = ValueOf(b), value;
    if (x && y) {
      switch (op) {
        case Op::kAdd:
          value = x + y;
          break;
        case Op::kSub:
          value = x - y;
          break;
        case Op::kMul:
          value = x * y;
          break;
        case Op::kMin:
          value = x.Min(y);
          break;
        case Op::kMax:
          value = x.Max(y);
          break;
        case Op::kDivU:
          value = x.FloorDiv(y);
          break;
        case Op::kRemU:
          value = x.Mod(y);
          break;
        case Op::kDivS:
          value = Truncated(x, y);
          break;
        case Op::kRemS:
          value = Truncated(x, y);
          if (value) value = x - y * value;
          break;
        default:
          break;
      }
    }
    return Add(op, {a, b}, value);
  }

  // x / y rounded toward zero, by the sign that the range of y has.
  SymbolicExpr Truncated(SymbolicExpr x, SymbolicExpr y) {
    SymbolicExpr zero = context_.Constant(0);
    if (AtLeast(y, 1)) return x.Max(zero).FloorDiv(y) - (-x).Max(zero).FloorDiv(y);
    if (AtLeast(-y, 1)) return (-x).Max(zero).FloorDiv(-y) - x.Max(zero).FloorDiv(-y);
    return {};
  }

  bool AtLeast(SymbolicExpr e, int64_t bound) const {
    return e.IsConstant() ? e.value() >= bound : domain().RangeOf(e).Within({bound, kInt64Max});
  }

  uint32_t Emit(SymbolicExpr e) {
    auto known = emitted_.find(e);
    if (known != emitted_.end()) return known->second;
    uint32_t step = Compute(e);
    emitted_[e] = step;
    return step;
  }

  uint32_t Chain(Op op, llvm::ArrayRef<uint32_t> ops) {
    uint32_t step = ops.front();
    for (uint32_t next : ops.drop_front()) step = Binary(op, step, next);
    return step;
  }

  uint32_t Compute(SymbolicExpr e) {
    std::vector<uint32_t> ops;
    for (SymbolicExpr op : e.ops()) ops.push_back(Emit(op));
    switch (e.kind()) {
      case ExprKind::kConstant:
        return Constant(e.value());
      case ExprKind::kVariable:
        return Add(Op::kVariable, {}, e);
      case ExprKind::kAdd: {
        uint32_t sum = Chain(Op::kAdd, ops);
        return e.value() == 0 ? sum : Binary(Op::kAdd, sum, Constant(e.value()));
      }
      case ExprKind::kMul: {
        uint32_t product = Chain(Op::kMul, ops);
        return e.value() == 1 ? product : Binary(Op::kMul, product, Constant(e.value()));
      }
      case ExprKind::kMin:
        return Chain(Op::kMin, ops);
      case ExprKind::kMax:
        return Chain(Op::kMax, ops);
      case ExprKind::kFloorDiv:
      case ExprKind::kMod: {
        bool simple = AtLeast(e.op(0), 0) && AtLeast(e.op(1), 1);
        return e.kind() == ExprKind::kMod ? Mod(ops[0], ops[1], simple)
                                          : FloorDiv(ops[0], ops[1], simple);
      }
      case ExprKind::kCeilDiv: {
        uint32_t minus = Binary(Op::kSub, Constant(0), ops[0]);
        return Binary(Op::kSub, Constant(0), FloorDiv(minus, ops[1], false));
      }
    }
    return 0;
  }

  uint32_t FloorDiv(uint32_t n, uint32_t d, bool simple) {
    if (simple || code_.signedness == Signedness::kUnsigned) return Binary(Op::kDivU, n, d);
    Constant(0);
    uint32_t q = Binary(Op::kDivS, n, d), r = Binary(Op::kRemS, n, d);
    uint32_t less = Binary(Op::kSub, q, Constant(1));
    SymbolicExpr x = ValueOf(n), y = ValueOf(d);
    return Add(Op::kFloorFixUp, {q, r, d, less}, x && y ? x.FloorDiv(y) : SymbolicExpr());
  }

  uint32_t Mod(uint32_t n, uint32_t m, bool simple) {
    if (simple || code_.signedness == Signedness::kUnsigned) return Binary(Op::kRemU, n, m);
    Constant(0);
    uint32_t r = Binary(Op::kRemS, n, m), sum = Binary(Op::kAdd, r, m);
    SymbolicExpr x = ValueOf(n), y = ValueOf(m);
    return Add(Op::kModFixUp, {r, sum}, x && y ? x.Mod(y) : SymbolicExpr());
  }

  const IndexingMap& map_;
  Context& context_;
  IndexingMap box_;
  bool guarded_ = false;
  IndexCode code_;
  llvm::DenseMap<SymbolicExpr, uint32_t> emitted_;
};

using Value = std::optional<llvm::APInt>;

Value Divide(Op op, const llvm::APInt& a, const llvm::APInt& b) {
  if (b.isZero()) return std::nullopt;
  if (op == Op::kDivS) return a.sdiv(b);
  if (op == Op::kRemS) return a.srem(b);
  return op == Op::kDivU ? a.udiv(b) : a.urem(b);
}

Value ExecuteStep(const IndexStep& step, Signedness signedness, llvm::ArrayRef<Value> values) {
  for (uint32_t k : step.operands) {
    if (!values[k]) return std::nullopt;
  }
  auto v = [&](size_t k) -> const llvm::APInt& { return *values[step.operands[k]]; };
  bool is_signed = signedness == Signedness::kSigned;
  switch (step.op) {
    case Op::kAdd:
      return v(0) + v(1);
    case Op::kSub:
      return v(0) - v(1);
    case Op::kMul:
      return v(0) * v(1);
    case Op::kMin:
    case Op::kMax: {
      bool first = is_signed ? v(0).slt(v(1)) : v(0).ult(v(1));
      return first == (step.op == Op::kMin) ? v(0) : v(1);
    }
    case Op::kFloorFixUp:
      return !v(1).isZero() && v(1).isNegative() != v(2).isNegative() ? v(3) : v(0);
    case Op::kModFixUp:
      return v(0).isNegative() ? v(1) : v(0);
    default:
      return Divide(step.op, v(0), v(1));
  }
}

}  // namespace

const char* Name(Signedness s) { return s == Signedness::kSigned ? "signed" : "unsigned"; }

const char* Name(IndexStep::Op op) {
  static constexpr const char* kNames[] = {"constant", "variable", "add",    "sub",  "mul",
                                           "divs",     "divu",     "rems",   "remu", "min",
                                           "max",      "floor",    "residue"};
  return kNames[static_cast<size_t>(op)];
}

IndexCode MakeIndexCode(const IndexingMap& map, Signedness signedness) {
  if (map.state() != IndexingMap::State::kNormal) return {.signedness = signedness};
  CodeBuilder builder(map, signedness);
  builder.TestConstraints();
  return builder.Results();
}

IndexCode MakeResultCode(const IndexingMap& map, Signedness signedness) {
  if (map.state() != IndexingMap::State::kNormal) return {.signedness = signedness};
  return CodeBuilder(map, signedness).Results();
}

std::vector<std::optional<llvm::APInt>> Execute(const IndexCode& code, unsigned width,
                                                const IndexPoint& point) {
  std::vector<Value> values;
  auto bits = [&](int64_t v) {
    return llvm::APInt(width, static_cast<uint64_t>(v), /*isSigned=*/true, /*implicitTrunc=*/true);
  };
  for (const IndexStep& step : code.steps) {
    if (step.op == Op::kConstant) {
      values.push_back(bits(step.value.value()));
    } else if (step.op == Op::kVariable) {
      const std::vector<int64_t>* of[] = {&point.dims, &point.ranges, &point.runtime};
      values.push_back(bits((*of[static_cast<int>(step.value.var_kind())])[step.value.value()]));
    } else {
      values.push_back(ExecuteStep(step, code.signedness, values));
    }
  }
  return values;
}

}  // namespace affirm
