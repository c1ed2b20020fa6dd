// Builds the programs of one rule, term by term from the outside in. Internal to core/simplify.
#ifndef AFFIRM_CORE_SIMPLIFY_PROGRAM_BUILDER_H_
#define AFFIRM_CORE_SIMPLIFY_PROGRAM_BUILDER_H_

#include <optional>
#include <string>
#include <vector>

#include "core/simplify/nearest_multiples.h"
#include "core/simplify/program.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const Rule& rule)
      : rule_(rule),
        bound_(rule.metavariables.size()),
        nearest_(FindNearestSplit(rule)),
        next_register_(static_cast<int>(bound_.size())) {}

  // Bindings of a program stay bound in the programs that follow.
  Program Compile(const Term& lhs);
  Program Compile(const BoundPattern& premise);
  // The conditions in their order; those that no program checks find their names bound by then.
  std::vector<CompiledCondition> Conditions();
  std::vector<CompiledRangeEnd> RangeEnds();
  CompiledBounds Bounds(const Term& expr, const Term& lower, bool lower_infinite, const Term& upper,
                        bool upper_infinite);
  Postfix Code(const Term& t, TermValue value = TermValue::kConstant);

  // Why the engine can't match the rule; the first problem stands.
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
    Emit(Step::Op::kMatched);
    return std::move(program_);
  }
  Step& Emit(Step::Op op) {
    program_.steps.emplace_back();
    program_.steps.back().op = op;
    return program_.steps.back();
  }
  void AddRangeEnds(const Term& t, std::vector<CompiledRangeEnd>& out);
  int NewRegister();
  // Each name is bound once.
  void Bind(int metavariable);
  // The register for what is matched with `t`: that of a free name, which this binds, or a fresh
  // one.
  int RegisterFor(const Term& t);
  // The same for constants; emits what compares the register with `t`.
  int MatchValue(const Term& t);

  void Match(const Term& t, int at);
  void MatchQuotient(const Term& t, int at);
  void MatchMinMax(const Term& t, int at);
  // Conditions on constants, as soon as all their names are bound.
  void Schedule();
  // Whether the condition says that the modulus that is being matched is positive.
  bool SaysModulusIsPositive(const Condition& c) const;
  // The product of the factors is `value`, where one name may be free.
  void Solve(const std::vector<const Term*>& factors, int value);
  Postfix Product(const std::vector<const Term*>& factors);

  // program_sums.cc
  void MatchSum(llvm::ArrayRef<Term> terms, int at);
  int NewSum();
  // K * core; the one factor with an expression is the core.
  Operand Decompose(const Term& t);
  void Pick(const Operand& o);
  void Subtract(const Operand& o);
  void Split(const Operand& o, bool last);
  void TakeConstant(const Operand& o);
  void Rest(const Operand& o);

  // Whether the term's value needs its expressions, and not only their ranges.
  bool NeedsExpr(const Term& t) const;
  bool IsExpr(const Term& t) const { return rule_.metavariables[t.metavariable].is_expr; }
  bool IsConstantName(const Term& t) const {
    return t.kind == TermKind::kMetavariable && !IsExpr(t);
  }
  bool HasExpr(const Term& t) const { return affirm::HasExpr(rule_, t); }
  bool AllBound(const Term& t) const {
    if (t.kind == TermKind::kMetavariable) return bound_[t.metavariable];
    return llvm::all_of(t.ops, [&](const Term& op) { return AllBound(op); });
  }
  bool AllBound(const std::vector<const Term*>& terms) const {
    return llvm::all_of(terms, [&](const Term* t) { return AllBound(*t); });
  }

  const Rule& rule_;
  std::vector<bool> bound_;
  std::optional<NearestSplit> nearest_;
  int next_register_;
  int next_sum_ = 0;
  int sum_ = 0;                       // whose operands are being matched
  int divisor_ = -1;                  // around what is being matched
  int modulus_ = -1;                  // the constant name that is being matched as a modulus
  std::vector<MatchedTerm> matched_;  // quotients and residues of names
  Program program_;
  std::vector<const Condition*> scheduled_;
  std::string problem_;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_PROGRAM_BUILDER_H_
