// Bottom-up rewriting with memo tables, and the limits that end it under rules of users.
#include "core/simplify/expr_engine.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Compiler.h"

namespace affirm {
namespace {

// Each rule lowers the reduction order, so a chain of rewrites ends by itself; these are the
// backstops for rules that a user brings: in a chain at one node, in all, and within what rewriting
// has made. A rule may also make terms that grow: x mod m => (2 * x - x mod (m * 2)) mod m doubles
// the term each time.
constexpr int kMaxStepsPerNode = 256;
constexpr int64_t kMaxSteps = 100'000;
constexpr int64_t kMaxWork = 20'000'000;
constexpr uint64_t kMaxMadeSize = 1 << 18;
constexpr uint64_t kMaxMadeDepth = 4000;
constexpr int kMaxNesting = 3000;

}  // namespace

ExprEngine::ExprEngine(Context& context, const RuleTable& rules, RangeAnalysis& ranges)
    : context_(context),
      rules_(rules),
      ranges_(ranges),
      matchers_(kMaxIsDepth + 1, Matcher(context, ranges, *this)) {}

void ExprEngine::BeginMap(const IndexingMap& map) {
  work_left_ = kMaxWork;
  is_cut_off_ = false;
  max_size_ = kMaxMadeSize;
  max_depth_ = kMaxMadeDepth;
  auto allow = [&](SymbolicExpr e) {
    max_size_ = std::max(max_size_, kMaxMadeSize + 2 * uint64_t{e.size()});
    max_depth_ = std::max(max_depth_, kMaxMadeDepth + e.depth());
  };
  for (SymbolicExpr e : map.results()) allow(e);
  for (const Constraint& c : map.constraints()) allow(c.expr);
}

void ExprEngine::Stop() {
  is_cut_off_ = true;
  steps_left_ = 0;
}

bool ExprEngine::Charge(SymbolicExpr result) {
  work_left_ -= 1 + std::ssize(result.ops());
  const bool is_too_large = result.size() > max_size_ || result.depth() > max_depth_;
  if (work_left_ > 0 && steps_left_ > 0 && !is_too_large) return true;
  Stop();
  return false;
}

void ExprEngine::Reset(Trace* trace, llvm::StringRef place) {
  trace_ = trace;
  if (trace) place_ = place.str();
  steps_left_ = is_cut_off_ ? 0 : kMaxSteps;
  memo_.Clear();
  untraced_memo_.Clear();
}

LLVM_ATTRIBUTE_ALWAYS_INLINE SymbolicExpr ExprEngine::RewriteOperands(SymbolicExpr e) {
  llvm::ArrayRef<SymbolicExpr> ops = e.ops();
  for (size_t i = 0; i < ops.size(); ++i) {
    SymbolicExpr first = Rewrite(ops[i]);
    if (!(first == ops[i])) return RewriteOperandsFrom(e, i, first);
  }
  return e;
}

SymbolicExpr ExprEngine::RewriteOperandsFrom(SymbolicExpr e, size_t i, SymbolicExpr first) {
  llvm::SmallVector<SymbolicExpr, 8> rewritten(e.ops().begin(), e.ops().end());
  rewritten[i] = first;
  for (size_t k = i + 1; k < rewritten.size(); ++k) rewritten[k] = Rewrite(rewritten[k]);
  // A divisor that is rewritten to zero has no values: nothing satisfies the domain.
  SymbolicExpr rebuilt = context_.Rebuild(e, rewritten);
  return rebuilt ? rebuilt : e;
}

SymbolicExpr ExprEngine::RewriteParts(SymbolicExpr e) {
  if (e.IsMultiple() && Rewrite(e.op(0)) == e.op(0) && IsIrreducibleMultiple(e)) return e;
  if (const SymbolicExpr* known = memo_.Find(e)) return *known;

  if (nesting_ >= kMaxNesting || steps_left_ <= 0) return e;
  ++nesting_;
  SymbolicExpr current = e;
  for (int step = 0;; ++step) {
    current = RewriteOperands(current);
    if (step == kMaxStepsPerNode) Stop();
    if (steps_left_ <= 0 || current.IsConstant()) break;
    if (!(current == e)) {
      if (const SymbolicExpr* known = memo_.Find(current)) {
        current = *known;
        break;
      }
    }
    SymbolicExpr next = ApplyRules(current);
    if (!next) break;
    current = next;
    --steps_left_;
    if (!Charge(current)) break;
  }
  --nesting_;
  memo_.Set(e, current);
  if (!(current == e)) memo_.Set(current, current);
  return current;
}

ExprEngine::Form ExprEngine::MakeForm(SymbolicExpr e) const {
  Features features = affirm::FeaturesOf(e);
  return {e, features, rules_.ForHead(e.kind()).Admitted(features | kRangeFeatures)};
}

SymbolicExpr ExprEngine::ApplyRules(SymbolicExpr e, uint64_t left) {
  const RuleTable::List& rules = rules_.ForHead(e.kind());
  // Ranges are looked at when a rule asks for them.
  for (uint64_t ranged = rules.points | rules.periods; left != 0; left &= left - 1) {
    if (left & -left & ranged) {
      ranged = 0;
      if ((left & rules.points) && !ranges_.IsPoint(e)) left &= ~rules.points;
      if ((left & rules.periods) && !IsWithinOnePeriod(e, ranges_)) left &= ~rules.periods;
      if (left == 0) break;
    }
    if ((left & -left & rules.near_periods) && !IsNearOnePeriod(e, ranges_)) continue;
    for (const RuleTable::Entry& entry : rules.At(llvm::countr_zero(left))) {
      Matcher& matcher = matchers_[depth_];
      SymbolicExpr to = matcher.Apply(*entry.rule, e);
      if (!to) continue;
      if (trace_) Record(*entry.rule, matcher, e, to);
      return to;
    }
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
  step.range_ends = matcher.range_ends();
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
