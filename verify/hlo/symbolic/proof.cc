// The proof for all shapes: the negation of each claim becomes a system of polynomial equations and
// inequalities, which must have no integer solution (verify/rules/unsat_prover.h).
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/symbolic/builder.h"
#include "verify/rules/unsat_prover.h"

namespace affirm {

using namespace rules;

namespace {

// A system over the variables of an op: its parameters, the dims behind them, then range variables.
class Facts {
 public:
  Facts(const SymbolicOp& op, const SymbolicRead& read)
      : num_dims_(op.first_input() + static_cast<int64_t>(read.input_sizes.size())) {
    for (const SizeParameter& p : op.parameters) {
      int v = system_.NewVariable(VarRole::kConstant, p.name);
      if (p.lower) system_.facts.push_back(AtLeast(Poly::Variable(v), Poly(*p.lower)));
    }
    int64_t others = num_dims_ - op.num_parameters() + static_cast<int64_t>(read.results.size());
    for (int64_t i = 0; i < others; ++i) system_.NewVariable(VarRole::kExpression, "x");
  }

  void Assume(const SymbolicFact& fact) {
    Poly lhs = Encode(fact.lhs), rhs = Encode(fact.rhs);
    system_.facts.push_back(fact.equal ? Equal(lhs, rhs) : AtLeast(rhs, lhs));
  }

  // The ways in which a fact can fail: each is a system that must have no solution.
  std::vector<System> AssumeNegation(const SymbolicFact& fact) {
    Poly lhs = Encode(fact.lhs), rhs = Encode(fact.rhs);
    std::vector<System> ways;
    auto add = [&](PolyFact failure) {
      ways.push_back(system_);
      ways.back().facts.push_back(std::move(failure));
    };
    add(AtLeast(lhs, rhs + Poly(1)));
    if (fact.equal) add(AtLeast(rhs, lhs + Poly(1)));
    return ways;
  }

 private:
  Poly Encode(SymbolicExpr e) {
    auto [it, is_new] = polys_.try_emplace(e);
    if (is_new) {
      Poly p = Node(e);
      polys_[e] = p;
      return p;
    }
    return it->second;
  }

  Poly Node(SymbolicExpr e) {
    switch (e.kind()) {
      case ExprKind::kConstant:
        return Poly(e.value());
      case ExprKind::kVariable: {
        bool range = e.var_kind() == VarKind::kRange;
        return Poly::Variable(static_cast<int>(e.value() + (range ? num_dims_ : 0)));
      }
      case ExprKind::kAdd: {
        Poly sum(e.value());
        for (SymbolicExpr op : e.ops()) sum = sum + Encode(op);
        return sum;
      }
      case ExprKind::kMul: {
        Poly product(e.value());
        for (SymbolicExpr op : e.ops()) product = product * Encode(op);
        return product;
      }
      case ExprKind::kFloorDiv:
        return Quotient(e, /*ceil=*/false);
      case ExprKind::kCeilDiv:
        return Quotient(e, /*ceil=*/true);
      case ExprKind::kMod: {
        Poly divisor = Encode(e.op(1));
        return Encode(e.op(0)) - divisor * Encode(e.op(0).FloorDiv(e.op(1)));
      }
      case ExprKind::kMin:
      case ExprKind::kMax:
        break;
    }
    // Nothing is assumed of a minimum or maximum: it is an unknown integer, one for each term.
    return Poly::Variable(system_.NewVariable(VarRole::kChoice, "m"));
  }

  Poly Quotient(SymbolicExpr e, bool ceil) {
    Poly numerator = Encode(e.op(0)), divisor = Encode(e.op(1));
    Poly value = Poly::Variable(system_.NewVariable(VarRole::kQuotient, "q"));
    system_.quotients.push_back({value, numerator, divisor, ceil});
    return value;
  }

  const int64_t num_dims_;
  System system_;
  llvm::DenseMap<SymbolicExpr, Poly> polys_;
};

// 0 <= index < size, for each.
std::vector<SymbolicFact> Inside(Context& context, llvm::ArrayRef<SymbolicExpr> indices,
                                 llvm::ArrayRef<SymbolicExpr> sizes) {
  std::vector<SymbolicFact> facts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    facts.push_back({context.Constant(0), indices[i], /*equal=*/false});
    facts.push_back({indices[i], sizes[i] - 1, /*equal=*/false});
  }
  return facts;
}

class Prover {
 public:
  Prover(const SymbolicOp& op, Context& context, const Budget& budget)
      : op_(op),
        context_(context),
        prover_({.rlimit = budget.z3_rlimit / 4, .wall_ms = budget.wall_ms}) {
    for (int64_t i = 0; i < op.rank(); ++i) out_.push_back(context.Dim(op.num_parameters() + i));
    inside_out_ = Inside(context, out_, op.output_sizes);
  }

  SymbolicAnswer Run() {
    for (size_t k = 0; k < op_.operands.size(); ++k) {
      const SymbolicRead& read = op_.operands[k];
      std::string of = " of operand " + std::to_string(k);
      if (!DivisorsArePositive(read)) return NotShown("that divisors are positive in the map" + of);
      if (!IsSound(read)) return NotShown("that the map" + of + " gives only what is read");
      if (!IsComplete(read)) return NotShown("that the map" + of + " gives all that is read");
    }
    answer_.verdict = Verdict::kProved;
    return std::move(answer_);
  }

 private:
  SymbolicAnswer NotShown(std::string what) {
    answer_.reason = "not shown: " + std::move(what);
    return std::move(answer_);
  }

  bool Follows(const SymbolicRead& read, llvm::ArrayRef<SymbolicFact> given,
               llvm::ArrayRef<SymbolicFact> goals) {
    for (const SymbolicFact& goal : goals) {
      if (goal.equal && goal.lhs == goal.rhs) continue;
      Facts facts(op_, read);
      for (const SymbolicFact& fact : given) facts.Assume(fact);
      ++answer_.queries;
      for (const System& way : facts.AssumeNegation(goal)) {
        if (!prover_.ProveUnsat(way)) return false;
      }
    }
    return true;
  }

  // For all parameters, every divisor of the formulas is positive.
  bool DivisorsArePositive(const SymbolicRead& read) {
    std::vector<SymbolicFact> goals;
    auto look = [&](SymbolicExpr e) {
      e.Walk([&](SymbolicExpr node) {
        bool divides = node.kind() == ExprKind::kFloorDiv || node.kind() == ExprKind::kCeilDiv ||
                       node.kind() == ExprKind::kMod;
        if (divides) goals.push_back({context_.Constant(1), node.op(1), /*equal=*/false});
      });
    };
    for (const auto* list : {&op_.output_sizes, &read.input_sizes, &read.results}) {
      for (SymbolicExpr e : *list) look(e);
    }
    for (const SymbolicFact& fact : read.domain) look(fact.lhs);
    return Follows(read, {}, goals);
  }

  std::vector<SymbolicFact> Rewritten(llvm::ArrayRef<SymbolicFact> facts,
                                      SymbolicExpr::Substitution by) const {
    std::vector<SymbolicFact> list;
    for (const SymbolicFact& fact : facts) {
      list.push_back({fact.lhs.Substitute(by), fact.rhs.Substitute(by), fact.equal});
    }
    return list;
  }

  // Soundness: at every point of the map's domain, its result lies within the operand and is read.
  bool IsSound(const SymbolicRead& read) {
    std::vector<SymbolicExpr> ranges;
    ranges.reserve(read.range_sizes.size());
    for (size_t k = 0; k < read.range_sizes.size(); ++k) ranges.push_back(context_.Range(k));
    std::vector<SymbolicFact> given = inside_out_;
    llvm::append_range(given, Inside(context_, ranges, read.range_sizes));
    llvm::append_range(given, read.domain);
    std::vector<SymbolicFact> goals = Inside(context_, read.results, read.input_sizes);
    llvm::append_range(goals, Rewritten(read.relation, [&](VarKind kind, int64_t k) {
                         bool input = kind == VarKind::kDim && k >= op_.first_input();
                         return input ? read.results[k - op_.first_input()] : SymbolicExpr();
                       }));
    return Follows(read, given, goals);
  }

  // Completeness: what an element of the result reads, the map gives for it, at the witness.
  bool IsComplete(const SymbolicRead& read) {
    std::vector<SymbolicExpr> in;
    in.reserve(read.input_sizes.size());
    for (size_t j = 0; j < read.input_sizes.size(); ++j) {
      in.push_back(context_.Dim(op_.first_input() + static_cast<int64_t>(j)));
    }
    std::vector<SymbolicFact> given = inside_out_;
    llvm::append_range(given, Inside(context_, in, read.input_sizes));
    llvm::append_range(given, read.relation);
    std::vector<SymbolicFact> goals = Inside(context_, read.witness, read.range_sizes);
    auto by_witness = [&](VarKind kind, int64_t k) {
      return kind == VarKind::kRange ? read.witness[k] : SymbolicExpr();
    };
    llvm::append_range(goals, Rewritten(read.domain, by_witness));
    for (size_t j = 0; j < in.size(); ++j) {
      goals.push_back({read.results[j].Substitute(by_witness), in[j]});
    }
    return Follows(read, given, goals);
  }

  const SymbolicOp& op_;
  Context& context_;
  UnsatProver prover_;
  std::vector<SymbolicExpr> out_;
  std::vector<SymbolicFact> inside_out_;
  SymbolicAnswer answer_;
};

}  // namespace

SymbolicAnswer ProveSymbolic(const SymbolicOp& op, Context& context, const Budget& budget) {
  return Prover(op, context, budget).Run();
}

llvm::ArrayRef<llvm::StringLiteral> SymbolicOpNames() {
  static constexpr llvm::StringLiteral kNames[] = {"broadcast", "concatenate", "dot",
                                                   "pad",       "reduce",      "reshape",
                                                   "reverse",   "slice",       "transpose"};
  return kNames;
}

std::vector<SymbolicOp> SymbolicOps(llvm::StringRef name, int64_t rank, Context& context) {
  if (rank < 1 || rank > kMaxSymbolicRank) return {};
  if (name == "broadcast") return hlo_semantics::all_shapes::Broadcasts(rank, context);
  if (name == "concatenate") return hlo_semantics::all_shapes::Concatenates(rank, context);
  if (name == "dot") return hlo_semantics::all_shapes::Dots(rank, context);
  if (name == "pad") return hlo_semantics::all_shapes::Pads(rank, context);
  if (name == "reduce") return hlo_semantics::all_shapes::Reduces(rank, context);
  if (name == "reshape") return hlo_semantics::all_shapes::Reshapes(rank, context);
  if (name == "reverse") return hlo_semantics::all_shapes::Reverses(rank, context);
  if (name == "slice") return hlo_semantics::all_shapes::Slices(rank, context);
  if (name == "transpose") return hlo_semantics::all_shapes::Transposes(rank, context);
  return {};
}

}  // namespace affirm
