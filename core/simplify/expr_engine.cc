#include "core/simplify/expr_engine.h"

#include <utility>

#include "llvm/ADT/SmallVector.h"

namespace affirm {
namespace {

// Each rule lowers the measure, so a chain of rewrites at one node ends by itself; this is the
// backstop for rules that a user brings.
constexpr int kMaxStepsPerNode = 256;

}  // namespace

ExprEngine::ExprEngine(Context& context, const RuleTable& rules, RangeAnalysis& ranges)
    : context_(context),
      rules_(rules),
      ranges_(ranges),
      matchers_(kMaxIsDepth + 1, Matcher(context, ranges, *this)) {
  for (int kind = 0; kind < kNumKinds; ++kind) {
    points_only_[kind] = rules.ForHead(static_cast<ExprKind>(kind)).common & kPointFeature;
  }
}

void ExprEngine::Reset(Trace* trace, llvm::StringRef place) {
  trace_ = trace;
  if (trace) place_ = place.str();
  memo_.Clear();
  untraced_memo_.Clear();
}

SymbolicExpr ExprEngine::RewriteOperands(SymbolicExpr e) {
  llvm::ArrayRef<SymbolicExpr> ops = e.ops();
  for (size_t i = 0; i < ops.size(); ++i) {
    SymbolicExpr first = Rewrite(ops[i]);
    if (first == ops[i]) continue;
    llvm::SmallVector<SymbolicExpr, 8> rewritten(ops.begin(), ops.end());
    rewritten[i] = first;
    for (size_t k = i + 1; k < ops.size(); ++k) rewritten[k] = Rewrite(ops[k]);
    return context_.Rebuild(e, rewritten);
  }
  return e;
}

SymbolicExpr ExprEngine::RewriteParts(SymbolicExpr e) {
  if (e.IsMultiple() && points_only_[static_cast<int>(ExprKind::kMul)]) {
    SymbolicExpr factor = e.op(0);
    if (Rewrite(factor) == factor && !ranges_.IsPoint(e)) return e;
  }
  if (const SymbolicExpr* known = memo_.Find(e)) return *known;

  SymbolicExpr current = e;
  for (int step = 0; step < kMaxStepsPerNode; ++step) {
    if (!current.ops().empty()) current = RewriteOperands(current);
    if (current.IsConstant()) break;
    if (!(current == e)) {
      if (const SymbolicExpr* known = memo_.Find(current)) {
        current = *known;
        break;
      }
    }
    SymbolicExpr next = ApplyRules(current);
    if (!next) break;
    current = next;
  }
  memo_.Set(e, current);
  if (!(current == e)) memo_.Set(current, current);
  return current;
}

SymbolicExpr ExprEngine::ApplyRules(SymbolicExpr e) {
  const RuleTable::List& rules = rules_.ForHead(e.kind());
  // Ranges are looked at when a rule asks that the form admits.
  Features features = FormOf(e) | kRangeFeatures;
  if (rules.common & ~features) return {};
  bool has_ranges = false;
  Matcher& matcher = matchers_[depth_];
  for (const auto& [required, rule] : rules.entries) {
    if (required & ~features) continue;
    if (!has_ranges && (required & kRangeFeatures)) {
      has_ranges = true;
      features = (features & ~kRangeFeatures) | FeaturesOf(e, ranges_);
      if (required & ~features) continue;
    }
    SymbolicExpr to = matcher.Apply(*rule, e);
    if (!to) continue;
    if (trace_) Record(*rule, matcher, e, to);
    return to;
  }
  return {};
}

void ExprEngine::Record(const CompiledRule& rule, Matcher& matcher, SymbolicExpr before,
                        SymbolicExpr after) {
  TraceStep step;
  step.rule = rule.rule->name;
  step.place = place_;
  step.before = before;
  step.after = after;
  step.bindings = matcher.bindings();
  trace_->steps.push_back(std::move(step));
}

SymbolicExpr ExprEngine::Normalize(SymbolicExpr e) {
  if (depth_ >= kMaxIsDepth) return e;
  // Both tables agree on what a form simplifies to; they are apart so that a trace misses no step.
  Trace* trace = std::exchange(trace_, nullptr);
  if (trace) std::swap(memo_, untraced_memo_);
  ++depth_;
  SymbolicExpr result = Rewrite(e);
  --depth_;
  if (trace) std::swap(memo_, untraced_memo_);
  trace_ = trace;
  return result;
}

}  // namespace affirm
