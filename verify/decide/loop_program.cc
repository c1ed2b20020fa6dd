// Compiles terms to instructions sorted by the loop that they belong to, and runs these.
#include "verify/decide/loop_program.h"

#include <algorithm>
#include <tuple>

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// Computes a op b; false when the value leaves int64 or does not exist.
inline bool Apply(ExprKind kind, int64_t a, int64_t b, int64_t& to) {
  switch (kind) {
    case ExprKind::kAdd:
      return !__builtin_add_overflow(a, b, &to);
    case ExprKind::kMul:
      return !__builtin_mul_overflow(a, b, &to);
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv:
      if (b == 0 || (b == -1 && a == kInt64Min)) return false;
      to = kind == ExprKind::kFloorDiv ? FloorDivUnchecked(a, b) : CeilDivUnchecked(a, b);
      return true;
    case ExprKind::kMod:
      if (b <= 0) return false;
      to = ModUnchecked(a, b);
      return true;
    case ExprKind::kMin:
      to = std::min(a, b);
      return true;
    case ExprKind::kMax:
      to = std::max(a, b);
      return true;
    case ExprKind::kConstant:
    case ExprKind::kVariable:
      break;  // these have a register and no code
  }
  return false;
}

}  // namespace

LoopProgram::Register LoopProgram::NewRegister(int64_t loop) {
  register_loop_.push_back(loop);
  values_.push_back(0);
  bad_.push_back(0);
  return static_cast<Register>(values_.size() - 1);
}

LoopProgram::Register LoopProgram::Constant(int64_t v) {
  Register s = NewRegister(-1);
  values_[s] = v;
  return s;
}

LoopProgram::Register LoopProgram::Emit(ExprKind kind, Register a, Register b) {
  int64_t loop = std::max(register_loop_[a], register_loop_[b]);
  Register to = NewRegister(loop);
  code_.push_back({kind, loop, to, a, b});
  return to;
}

LoopProgram::Register LoopProgram::Add(SymbolicExpr e, LoopOf loop_of) {
  // The first registers are the loops' variables.
  while (static_cast<int64_t>(values_.size()) < num_loops_) {
    NewRegister(static_cast<int64_t>(values_.size()));
  }
  e.Walk([&](SymbolicExpr node) {
    if (!registers_.count(node)) registers_[node] = Node(node, loop_of);
  });
  return registers_.find(e)->second;
}

LoopProgram::Register LoopProgram::Node(SymbolicExpr e, LoopOf loop_of) {
  if (e.IsVariable()) return static_cast<Register>(loop_of(e.var_kind(), e.value()));
  if (e.IsConstant()) return Constant(e.value());
  auto register_of = [&](SymbolicExpr op) { return registers_.find(op)->second; };
  Register result = register_of(e.op(0));
  for (SymbolicExpr op : llvm::drop_begin(e.ops()))
    result = Emit(e.kind(), result, register_of(op));
  bool has_constant = (e.kind() == ExprKind::kAdd && e.value() != 0) ||
                      (e.kind() == ExprKind::kMul && e.value() != 1);
  return has_constant ? Emit(e.kind(), result, Constant(e.value())) : result;
}

void LoopProgram::Finish() {
  while (static_cast<int64_t>(values_.size()) < num_loops_) {
    NewRegister(static_cast<int64_t>(values_.size()));
  }
  // Within a loop registers were made in the order in which they depend on each other.
  llvm::sort(code_, [](const Instruction& x, const Instruction& y) {
    return std::tie(x.loop, x.to) < std::tie(y.loop, y.to);
  });
  begin_.assign(num_loops_ + 1, code_.size());
  for (size_t i = code_.size(); i-- > 0;) {
    for (int64_t loop = 0; loop <= code_[i].loop; ++loop) begin_[loop] = std::min(begin_[loop], i);
  }
  // Instructions that depend on constants only are computed once.
  for (const Instruction& i : code_) {
    if (i.loop >= 0) break;
    bad_[i.to] = bad_[i.a] | bad_[i.b] | !Apply(i.kind, values_[i.a], values_[i.b], values_[i.to]);
  }
}

void LoopProgram::Run(int64_t from) {
  for (size_t at = begin_[from]; at < code_.size(); ++at) {
    const Instruction& i = code_[at];
    bad_[i.to] = bad_[i.a] | bad_[i.b] | !Apply(i.kind, values_[i.a], values_[i.b], values_[i.to]);
  }
}

}  // namespace affirm
