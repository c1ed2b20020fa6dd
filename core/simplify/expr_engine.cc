#include "core/simplify/expr_engine.h"

#include <utility>

#include "core/simplify/match.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {
namespace {

// Each rule lowers the measure, so a chain of rewrites at one node ends by itself; this is the
// backstop for rules that a user brings.
constexpr int kMaxStepsPerNode = 256;
constexpr int kMaxIsDepth = 3;

}  // namespace

SymbolicExpr ExprEngine::Simplify(SymbolicExpr e) { return Rewrite(e); }

SymbolicExpr ExprEngine::Rewrite(SymbolicExpr e) {
  if (e.IsConstant()) return e;
  auto it = memo_.find(e);
  if (it != memo_.end()) return it->second;

  SymbolicExpr current = e;
  for (int step = 0; step < kMaxStepsPerNode; ++step) {
    if (!current.ops().empty()) {
      llvm::SmallVector<SymbolicExpr, 8> ops;
      bool changed = false;
      for (SymbolicExpr op : current.ops()) {
        ops.push_back(Rewrite(op));
        changed |= !(ops.back() == op);
      }
      if (changed) current = context_.Rebuild(current, ops);
    }
    if (current.IsConstant()) break;
    if (!(current == e)) {
      auto known = memo_.find(current);
      if (known != memo_.end()) {
        current = known->second;
        break;
      }
    }
    SymbolicExpr next = ApplyRules(current);
    if (!next) break;
    current = next;
  }
  memo_[e] = current;
  memo_[current] = current;
  return current;
}

SymbolicExpr ExprEngine::ApplyRules(SymbolicExpr e) {
  for (const Rule* rule : rules_.ForHead(e.kind())) {
    auto normalize = [this](SymbolicExpr x) { return Normalize(x); };
    Matcher matcher(context_, *rule, ranges_, normalize);
    SymbolicExpr to = matcher.Apply(e);
    if (!to) continue;
    if (trace_) {
      TraceStep step;
      step.rule = rule->name;
      step.place = place_;
      step.before = e;
      step.after = to;
      step.bindings.assign(matcher.bindings().begin(), matcher.bindings().end());
      trace_->steps.push_back(std::move(step));
    }
    return to;
  }
  return {};
}

SymbolicExpr ExprEngine::Normalize(SymbolicExpr e) {
  if (depth_ >= kMaxIsDepth) return e;
  ++depth_;
  Trace* trace = std::exchange(trace_, nullptr);
  std::swap(memo_, untraced_memo_);
  // Both tables agree on what a form simplifies to; they are apart only so that a trace misses no
  // step.
  SymbolicExpr result = Rewrite(e);
  std::swap(memo_, untraced_memo_);
  trace_ = trace;
  --depth_;
  return result;
}

}  // namespace affirm
