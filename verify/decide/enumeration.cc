// The enumerating engine: a query over few points is answered by looking at each of them.
#include <algorithm>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/decide/decider.h"
#include "verify/decide/engines.h"
#include "verify/decide/evaluate.h"
#include "verify/decide/loop_program.h"
#include "verify/decide/sampling.h"

namespace affirm {
namespace {

enum class Truth : uint8_t { kFalse, kTrue, kNone };

Truth Negate(Truth t) {
  if (t == Truth::kNone) return t;
  return t == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}

// A claim with its terms compiled. Loops are the free variables in order, then the bound ones.
class CompiledClaim {
 public:
  CompiledClaim(const SolverQuery& query, llvm::ArrayRef<int64_t> loops)
      : query_(query), program_(static_cast<int64_t>(loops.size())) {
    loop_of_.assign(query.variables.size(), 0);
    for (size_t i = 0; i < loops.size(); ++i) loop_of_[loops[i]] = static_cast<int64_t>(i);
    root_ = Compile(query.claim);
    program_.Finish();
    program_.Run(0);
    point_.assign(query.variables.size(), 0);
  }

  void Set(int64_t variable, int64_t value) {
    point_[variable] = value;
    program_.Set(loop_of_[variable], value);
  }
  void Run(int64_t from_variable) { program_.Run(loop_of_[from_variable]); }
  Truth Evaluate() { return Evaluate(root_); }
  llvm::ArrayRef<int64_t> point() const { return point_; }

 private:
  struct Node {
    const Formula* formula;
    LoopProgram::Register lhs = 0, rhs = 0;
    std::vector<Node> parts = {};
  };

  Node Compile(const Formula& f) {
    Node node{.formula = &f};
    if (f.kind() == Formula::Kind::kEq || f.kind() == Formula::Kind::kLe) {
      auto loop = [&](VarKind, int64_t k) { return loop_of_[k]; };
      node.lhs = program_.Add(f.lhs(), loop);
      node.rhs = program_.Add(f.rhs(), loop);
    }
    for (const Formula& part : f.parts()) node.parts.push_back(Compile(part));
    return node;
  }

  Truth Evaluate(const Node& node) {
    switch (node.formula->kind()) {
      case Formula::Kind::kTrue:
        return Truth::kTrue;
      case Formula::Kind::kFalse:
        return Truth::kFalse;
      case Formula::Kind::kEq:
      case Formula::Kind::kLe:
        return Compare(node);
      case Formula::Kind::kNot:
        return Negate(Evaluate(node.parts[0]));
      case Formula::Kind::kAnd:
        return Combine(node, Truth::kFalse);
      case Formula::Kind::kOr:
        return Combine(node, Truth::kTrue);
      case Formula::Kind::kExists:
        return Search(node, 0);
    }
    return Truth::kNone;
  }

  Truth Compare(const Node& node) {
    bool is_eq = node.formula->kind() == Formula::Kind::kEq;
    if (program_.Ok(node.lhs) && program_.Ok(node.rhs)) {
      int64_t a = program_.Get(node.lhs), b = program_.Get(node.rhs);
      return (is_eq ? a == b : a <= b) ? Truth::kTrue : Truth::kFalse;
    }
    std::optional<BigInt> a = EvaluateTerm(node.formula->lhs(), point_);
    std::optional<BigInt> b = EvaluateTerm(node.formula->rhs(), point_);
    if (!a || !b) return Truth::kNone;
    return (is_eq ? *a == *b : *a <= *b) ? Truth::kTrue : Truth::kFalse;
  }

  Truth Combine(const Node& node, Truth decisive) {
    Truth result = Negate(decisive);
    for (const Node& part : node.parts) {
      Truth t = Evaluate(part);
      if (t == decisive) return t;
      if (t == Truth::kNone) result = t;
    }
    return result;
  }

  Truth Search(const Node& node, size_t at) {
    llvm::ArrayRef<int64_t> bound = node.formula->bound();
    if (at == bound.size()) return Evaluate(node.parts[0]);
    Interval range = query_.variables[bound[at]];
    Truth result = Truth::kFalse;
    for (int64_t v = range.lower; v <= range.upper; ++v) {
      Set(bound[at], v);
      Run(bound[at]);
      Truth t = Search(node, at + 1);
      if (t == Truth::kTrue) return t;
      if (t == Truth::kNone) result = t;
    }
    return result;
  }

  const SolverQuery& query_;
  LoopProgram program_;
  std::vector<int64_t> loop_of_, point_;
  Node root_{.formula = nullptr};
};

// Number of points of the variables, saturating just past `limit`; infinite ranges saturate too.
int64_t CountPoints(const SolverQuery& query, llvm::ArrayRef<int64_t> variables, int64_t limit) {
  int64_t points = 1;
  for (int64_t k : variables) {
    std::optional<int64_t> count = query.variables[k].Count();
    if (count == 0) return 0;
    std::optional<int64_t> product = count ? CheckedMul(points, *count) : std::nullopt;
    points = product && *product <= limit ? *product : limit + 1;
  }
  return points;
}

// The most evaluations of `f` that one evaluation of the claim can cause.
int64_t CountSearch(const SolverQuery& query, const Formula& f, int64_t limit) {
  int64_t inside = 1;
  for (const Formula& part : f.parts()) {
    inside = std::max(inside, CountSearch(query, part, limit));
  }
  std::optional<int64_t> all = CheckedMul(inside, CountPoints(query, f.bound(), limit));
  return all && *all <= limit ? *all : limit + 1;
}

SolverResult Refute(const SolverQuery& query, const UsedVariables& used,
                    const CompiledClaim& claim) {
  SolverResult answer{.verdict = Verdict::kRefuted, .engine = Engine::kEnumeration};
  answer.counterexample = claim.point().vec();
  CompleteCounterexample(query, used, answer.counterexample);
  return answer;
}

// variable + number, or a number alone.
struct Side {
  std::optional<size_t> variable;
  int64_t number = 0;
};

std::optional<Side> SideOf(SymbolicExpr e) {
  if (e.IsConstant()) return Side{std::nullopt, e.value()};
  const bool is_shifted = e.kind() == ExprKind::kAdd && e.ops().size() == 1;
  const SymbolicExpr variable = is_shifted ? e.op(0) : e;
  if (!variable.IsVariable()) return std::nullopt;
  return Side{static_cast<size_t>(variable.value()), is_shifted ? e.value() : 0};
}

// Leaves points out of the box at which the formula has the value `settled`, where a comparison of
// two sides says so: of `d0 < 8 or ..`, which is settled as true, those below 8, and of
// `not d0 = d1 + 8 or ..` those where d0 - 8 is outside of the range of d1.
void LeaveOut(const Formula& f, bool settled, std::vector<Interval>& box) {
  if (f.kind() == Formula::Kind::kNot) return LeaveOut(f.parts()[0], !settled, box);
  // One part alone settles it, whatever the others are.
  if (f.kind() == (settled ? Formula::Kind::kOr : Formula::Kind::kAnd)) {
    for (const Formula& part : f.parts()) LeaveOut(part, settled, box);
  }
  const bool is_le = f.kind() == Formula::Kind::kLe;
  if (!is_le && (f.kind() != Formula::Kind::kEq || settled)) return;
  const std::optional<Side> lhs = SideOf(f.lhs()), rhs = SideOf(f.rhs());
  if (!lhs || !rhs) return;
  for (bool is_left : {true, false}) {
    const Side &side = is_left ? *lhs : *rhs, &other = is_left ? *rhs : *lhs;
    const std::optional<int64_t> shift = CheckedSub(other.number, side.number);
    if (!side.variable || !shift) continue;
    // The values of the variable at which both sides are equal.
    const Interval at =
        (other.variable ? box[*other.variable] : Interval::Point(0)) + Interval::Point(*shift);
    if (!at.IsBounded()) continue;
    const int64_t strict = settled ? 1 : 0;
    Interval kept = at;
    if (is_le) {
      kept = is_left != settled ? Interval{kInt64Min, at.upper - strict}
                                : Interval{at.lower + strict, kInt64Max};
    }
    box[*side.variable] = box[*side.variable].Intersect(kept);
  }
}

// Steps to the next point of the box in lexicographic order; false after the last.
bool NextPoint(llvm::ArrayRef<Interval> box, llvm::ArrayRef<int64_t> free, CompiledClaim& claim) {
  for (size_t i = free.size(); i-- > 0;) {
    Interval range = box[static_cast<size_t>(free[i])];
    int64_t v = claim.point()[free[i]];
    claim.Set(free[i], v == range.upper ? range.lower : v + 1);
    if (v == range.upper) continue;
    claim.Run(free[i]);
    return true;
  }
  return false;
}

}  // namespace

UsedVariables FindVariables(const SolverQuery& query) {
  UsedVariables used;
  std::vector<uint8_t> seen(query.variables.size(), 0);  // 1: occurs, 2: bound
  auto visit = [&](auto& self, const Formula& f) -> void {
    for (SymbolicExpr e : {f.lhs(), f.rhs()}) {
      if (!e) continue;
      e.Walk([&](SymbolicExpr node) {
        if (node.IsVariable()) seen[node.value()] |= 1;
      });
    }
    for (int64_t k : f.bound()) {
      if (seen[k] < 2) used.bound.push_back(k);
      seen[k] |= 2;
    }
    for (const Formula& part : f.parts()) self(self, part);
  };
  visit(visit, query.claim);
  for (size_t k = 0; k < seen.size(); ++k) {
    if (seen[k] == 1) used.free.push_back(static_cast<int64_t>(k));
    if (seen[k] < 2 && query.variables[k].IsEmpty()) used.vacuous = true;
  }
  return used;
}

std::optional<SolverResult> DecideWithoutSearch(const SolverQuery& query, Engine engine,
                                                UsedVariables& used) {
  if (auto problem = FindProblem(query)) return SolverResult{.engine = engine, .reason = *problem};
  used = FindVariables(query);
  if (used.vacuous) return SolverResult{.verdict = Verdict::kProved, .engine = engine};
  return std::nullopt;
}

void CompleteCounterexample(const SolverQuery& query, const UsedVariables& used,
                            std::vector<int64_t>& point) {
  std::vector<bool> is_free(point.size());
  for (int64_t k : used.free) is_free[k] = true;
  for (size_t k = 0; k < point.size(); ++k) {
    Interval bounds = query.variables[k];
    if (!is_free[k]) point[k] = std::max(bounds.lower, std::min<int64_t>(bounds.upper, 0));
  }
  for (int64_t k : used.bound) point[k] = 0;
}

SolverResult DecideByEnumeration(const SolverQuery& query, const Budget& budget) {
  UsedVariables used;
  if (auto settled = DecideWithoutSearch(query, Engine::kEnumeration, used)) return *settled;
  SolverResult answer{.engine = Engine::kEnumeration};
  int64_t limit = budget.enumeration_points;
  std::optional<int64_t> work =
      CheckedMul(CountPoints(query, used.free, limit), CountSearch(query, query.claim, limit));
  if (!work || *work > limit) {
    answer.reason = "more points than the budget allows";
    return answer;
  }
  std::vector<int64_t> loops = used.free;
  llvm::append_range(loops, used.bound);
  CompiledClaim claim(query, loops);
  // Elsewhere the claim is true.
  std::vector<Interval> box = query.variables;
  LeaveOut(query.claim, /*settled=*/true, box);
  if (llvm::any_of(used.free, [&](int64_t k) { return box[static_cast<size_t>(k)].IsEmpty(); })) {
    answer.verdict = Verdict::kProved;
    return answer;
  }
  for (int64_t k : used.free) claim.Set(k, box[static_cast<size_t>(k)].lower);
  if (!loops.empty()) claim.Run(loops.front());
  bool all_defined = true;
  do {
    Truth t = claim.Evaluate();
    if (t == Truth::kFalse) return Refute(query, used, claim);
    if (t == Truth::kNone) all_defined = false;
  } while (NextPoint(box, used.free, claim));
  if (all_defined) {
    answer.verdict = Verdict::kProved;
  } else {
    answer.reason = "a term that matters has no value at some point";
  }
  return answer;
}

SolverResult DecideBySampling(const SolverQuery& query) {
  SolverResult answer{.engine = Engine::kEnumeration, .reason = "no sample refutes the claim"};
  UsedVariables used = FindVariables(query);
  if (used.vacuous || query.claim.HasQuantifier()) return answer;
  CompiledClaim claim(query, used.free);
  std::vector<Interval> box;
  box.reserve(used.free.size());
  for (int64_t k : used.free) box.push_back(query.variables[k]);
  constexpr int64_t kSamples = 256;
  for (const std::vector<int64_t>& point : SamplePoints(box, kSamples)) {
    for (size_t i = 0; i < point.size(); ++i) claim.Set(used.free[i], point[i]);
    if (!used.free.empty()) claim.Run(used.free.front());
    if (claim.Evaluate() == Truth::kFalse) return Refute(query, used, claim);
  }
  return answer;
}

}  // namespace affirm
