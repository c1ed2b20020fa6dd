// The enumerating engine: a question over few points is answered by looking at each of them.
#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/decide/decider.h"
#include "verify/decide/engines.h"
#include "verify/decide/evaluate.h"
#include "verify/decide/program.h"
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
  CompiledClaim(const Question& question, llvm::ArrayRef<int64_t> loops)
      : question_(question), program_(static_cast<int64_t>(loops.size())) {
    loop_of_.assign(question.variables.size(), 0);
    for (size_t i = 0; i < loops.size(); ++i) loop_of_[loops[i]] = static_cast<int64_t>(i);
    root_ = Compile(question.claim);
    program_.Finish();
    program_.Run(0);
    point_.assign(question.variables.size(), 0);
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
    LoopProgram::Slot lhs = 0, rhs = 0;
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
    Interval range = question_.variables[bound[at]];
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

  const Question& question_;
  LoopProgram program_;
  std::vector<int64_t> loop_of_, point_;
  Node root_{.formula = nullptr};
};

// Number of points of the variables, saturating just past `limit`; infinite ranges saturate too.
int64_t CountPoints(const Question& question, llvm::ArrayRef<int64_t> variables, int64_t limit) {
  int64_t points = 1;
  for (int64_t k : variables) {
    std::optional<int64_t> count = question.variables[k].Count();
    if (count == 0) return 0;
    std::optional<int64_t> product = count ? CheckedMul(points, *count) : std::nullopt;
    points = product && *product <= limit ? *product : limit + 1;
  }
  return points;
}

// The most evaluations of `f` that one evaluation of the claim can cause.
int64_t CountSearch(const Question& question, const Formula& f, int64_t limit) {
  int64_t inside = 1;
  for (const Formula& part : f.parts()) {
    inside = std::max(inside, CountSearch(question, part, limit));
  }
  std::optional<int64_t> all = CheckedMul(inside, CountPoints(question, f.bound(), limit));
  return all && *all <= limit ? *all : limit + 1;
}

Answer Refute(const Question& question, const UsedVariables& used, const CompiledClaim& claim) {
  Answer answer{.verdict = Verdict::kRefuted, .engine = Engine::kEnumeration};
  answer.counterexample = claim.point().vec();
  CompleteCounterexample(question, used, answer.counterexample);
  return answer;
}

// Steps to the next point in lexicographic order; false after the last.
bool NextPoint(const Question& question, llvm::ArrayRef<int64_t> free, CompiledClaim& claim) {
  for (size_t i = free.size(); i-- > 0;) {
    Interval range = question.variables[free[i]];
    int64_t v = claim.point()[free[i]];
    claim.Set(free[i], v == range.upper ? range.lower : v + 1);
    if (v == range.upper) continue;
    claim.Run(free[i]);
    return true;
  }
  return false;
}

}  // namespace

UsedVariables FindVariables(const Question& question) {
  UsedVariables used;
  std::vector<uint8_t> seen(question.variables.size(), 0);  // 1: occurs, 2: bound
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
  visit(visit, question.claim);
  for (size_t k = 0; k < seen.size(); ++k) {
    if (seen[k] == 1) used.free.push_back(static_cast<int64_t>(k));
    if (seen[k] < 2 && question.variables[k].IsEmpty()) used.vacuous = true;
  }
  return used;
}

std::optional<Answer> AnswerWithoutSearch(const Question& question, Engine engine,
                                          UsedVariables& used) {
  if (auto problem = FindProblem(question)) return Answer{.engine = engine, .reason = *problem};
  used = FindVariables(question);
  if (used.vacuous) return Answer{.verdict = Verdict::kProved, .engine = engine};
  return std::nullopt;
}

void CompleteCounterexample(const Question& question, const UsedVariables& used,
                            std::vector<int64_t>& point) {
  std::vector<bool> is_free(point.size());
  for (int64_t k : used.free) is_free[k] = true;
  for (size_t k = 0; k < point.size(); ++k) {
    Interval bounds = question.variables[k];
    if (!is_free[k]) point[k] = std::max(bounds.lower, std::min<int64_t>(bounds.upper, 0));
  }
  for (int64_t k : used.bound) point[k] = 0;
}

Answer DecideByEnumeration(const Question& question, const Budget& budget) {
  UsedVariables used;
  if (auto settled = AnswerWithoutSearch(question, Engine::kEnumeration, used)) return *settled;
  Answer answer{.engine = Engine::kEnumeration};
  int64_t limit = budget.enumeration_points;
  std::optional<int64_t> work = CheckedMul(CountPoints(question, used.free, limit),
                                           CountSearch(question, question.claim, limit));
  if (!work || *work > limit) {
    answer.reason = "more points than the budget allows";
    return answer;
  }
  std::vector<int64_t> loops = used.free;
  llvm::append_range(loops, used.bound);
  CompiledClaim claim(question, loops);
  for (int64_t k : used.free) claim.Set(k, question.variables[k].lower);
  if (!loops.empty()) claim.Run(loops.front());
  bool all_defined = true;
  do {
    Truth t = claim.Evaluate();
    if (t == Truth::kFalse) return Refute(question, used, claim);
    if (t == Truth::kNone) all_defined = false;
  } while (NextPoint(question, used.free, claim));
  if (all_defined) {
    answer.verdict = Verdict::kProved;
  } else {
    answer.reason = "a term that matters has no value at some point";
  }
  return answer;
}

Answer DecideBySampling(const Question& question) {
  Answer answer{.engine = Engine::kEnumeration, .reason = "no sample refutes the claim"};
  UsedVariables used = FindVariables(question);
  if (used.vacuous || question.claim.HasQuantifier()) return answer;
  CompiledClaim claim(question, used.free);
  std::vector<Interval> box;
  for (int64_t k : used.free) box.push_back(question.variables[k]);
  constexpr int64_t kSamples = 256;
  for (const std::vector<int64_t>& point : SamplePoints(box, kSamples)) {
    for (size_t i = 0; i < point.size(); ++i) claim.Set(used.free[i], point[i]);
    if (!used.free.empty()) claim.Run(used.free.front());
    if (claim.Evaluate() == Truth::kFalse) return Refute(question, used, claim);
  }
  return answer;
}

}  // namespace affirm
