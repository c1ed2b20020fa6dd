// The Z3 engine: the negated claim over the normal form's atoms, in integer arithmetic without div
// and mod.
#include <z3++.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/decide/decider.h"
#include "verify/decide/engines.h"
#include "verify/decide/linear_normal_form.h"

namespace affirm {
namespace {

constexpr size_t kMaxLinkedQuotients = 64;

class Z3Encoder {
 public:
  explicit Z3Encoder(const SolverQuery& query)
      : query_(query), normal_(query.variables), facts_(context_) {}

  // Sets up query and facts, whose models are the counterexamples. False when that can't be done:
  // see reason().
  bool Encode() {
    negated_claim_ = Claim(query_.claim, /*negated=*/true);
    if (!reason_.empty()) return false;
    // Atoms refer to earlier ones, so one walk down finds all that is needed.
    for (size_t at = needed_.size(); at-- > 0;) {
      if (needed_[at]) NeedOperands(at);
    }
    for (size_t at = 0; at < needed_.size(); ++at) {
      if (needed_[at]) StateFacts(static_cast<uint32_t>(at));
    }
    LinkQuotients();
    return true;
  }

  SolverResult Check(const Budget& budget) {
    z3::params params(context_);
    params.set("arith.solver", 2u);
    params.set("random_seed", 0u);
    z3::tactic tactic = z3::tactic(context_, "simplify") &
                        z3::tactic(context_, "propagate-values") &
                        z3::tactic(context_, "solve-eqs") & z3::tactic(context_, "smt");
    z3::solver solver = z3::with(tactic, params).mk_solver();
    z3::params limits(context_);
    limits.set("rlimit", budget.z3_rlimit);
    limits.set("timeout", budget.wall_ms);
    solver.set(limits);
    for (const z3::expr& fact : facts_) solver.add(fact);
    solver.add(*negated_claim_);
    SolverResult answer{.engine = Engine::kZ3};
    switch (solver.check()) {
      case z3::unsat:
        answer.verdict = Verdict::kProved;
        break;
      case z3::sat:
        answer.verdict = Verdict::kRefuted;
        answer.counterexample = Point(solver.get_model());
        break;
      case z3::unknown:
        answer.reason = "z3: " + solver.reason_unknown();
        break;
    }
    return answer;
  }

  const std::string& reason() const { return reason_; }

 private:
  z3::expr Number(const BigInt& v) {
    std::string text;
    llvm::raw_string_ostream(text) << v;
    return context_.int_val(text.c_str());
  }

  z3::expr Variable(uint32_t atom) {
    return context_.int_const(("a" + std::to_string(atom)).c_str());
  }

  z3::expr Form(const LinearForm& form) {
    z3::expr_vector parts(context_);
    for (const LinearForm::Term& t : form.terms) {
      Need(t.atom);
      z3::expr x = Variable(t.atom);
      parts.push_back(t.coefficient == 1 ? x : Number(t.coefficient) * x);
    }
    if (form.constant != 0 || parts.empty()) parts.push_back(Number(form.constant));
    return parts.size() == 1 ? parts[0] : z3::sum(parts);
  }

  void Need(uint32_t atom) {
    if (needed_.size() <= atom) needed_.resize(atom + 1);
    needed_[atom] = true;
  }

  void NeedOperands(size_t at) {
    const LinearNormalForm::Atom& atom = normal_.atoms()[at];
    for (const LinearForm& form : atom.operands) {
      for (const LinearForm::Term& t : form.terms) Need(t.atom);
    }
    for (uint32_t factor : atom.factors) Need(factor);
  }

  z3::expr Claim(const Formula& f, bool negated) {
    switch (f.kind()) {
      case Formula::Kind::kTrue:
        return context_.bool_val(!negated);
      case Formula::Kind::kFalse:
        return context_.bool_val(negated);
      case Formula::Kind::kEq:
      case Formula::Kind::kLe:
        return Comparison(f, negated);
      case Formula::Kind::kNot:
        return Claim(f.parts()[0], !negated);
      case Formula::Kind::kAnd:
      case Formula::Kind::kOr: {
        z3::expr_vector parts(context_);
        for (const Formula& part : f.parts()) parts.push_back(Claim(part, negated));
        return (f.kind() == Formula::Kind::kAnd) != negated ? z3::mk_and(parts) : z3::mk_or(parts);
      }
      case Formula::Kind::kExists:
        return Quantified(f, negated);
    }
    return context_.bool_val(false);
  }

  // A counterexample may choose the witness of an existence that it asserts, so that the bound
  // variables are unknowns like the others. An existence that it denies is not for this engine.
  z3::expr Quantified(const Formula& f, bool negated) {
    for (int64_t k : f.bound()) {
      if (query_.variables[k].IsEmpty()) return context_.bool_val(negated);
    }
    if (negated) reason_ = "z3: a quantifier";
    for (int64_t k : f.bound()) {
      // Two quantifiers would have to choose the same value.
      if (!chosen_.insert(k).second) reason_ = "z3: a variable that two quantifiers bind";
    }
    return Claim(f.parts()[0], negated);
  }

  z3::expr Comparison(const Formula& f, bool negated) {
    const LinearForm* lhs = normal_.Lower(f.lhs());
    LinearForm a = lhs ? *lhs : LinearForm();
    const LinearForm* rhs = normal_.Lower(f.rhs());
    if (!lhs || !rhs) {
      reason_ = "z3: the terms are too large";
      return context_.bool_val(false);
    }
    LinearForm difference = a - *rhs;
    z3::expr zero = context_.int_val(0);
    z3::expr e = Form(difference);
    if (f.kind() == Formula::Kind::kEq) return negated ? e != zero : e == zero;
    return negated ? e > zero : e <= zero;
  }

  void StateFacts(uint32_t at) {
    const LinearNormalForm::Atom& atom = normal_.atoms()[at];
    z3::expr x = Variable(at);
    if (atom.bounds.lower) facts_.push_back(x >= Number(*atom.bounds.lower));
    if (atom.bounds.upper) facts_.push_back(x <= Number(*atom.bounds.upper));
    switch (atom.kind) {
      case LinearNormalForm::AtomKind::kVariable:
        break;
      case LinearNormalForm::AtomKind::kQuotient: {
        LinearForm rest = atom.operands[0];
        rest.Add(at, -atom.divisor);
        z3::expr r = Form(rest);
        facts_.push_back(r >= 0);
        facts_.push_back(r <= Number(atom.divisor - 1));
        break;
      }
      case LinearNormalForm::AtomKind::kFormQuotient: {
        z3::expr c = Form(atom.operands[1]);
        z3::expr r = Form(atom.operands[0]) - c * x;
        facts_.push_back(z3::implies(c > 0, r >= 0 && r < c));
        // The rest of a rounding toward minus infinity has the sign of the divisor.
        facts_.push_back(z3::implies(c < 0, r <= 0 && r > c));
        break;
      }
      case LinearNormalForm::AtomKind::kFormResidue: {
        z3::expr c = Form(atom.operands[1]);
        z3::expr r = Form(atom.operands[0]) - c * Form(atom.operands[2]);
        facts_.push_back(z3::implies(c > 0, x == r));
        break;
      }
      case LinearNormalForm::AtomKind::kProduct: {
        z3::expr product = Variable(atom.factors[0]);
        for (uint32_t f : llvm::drop_begin(atom.factors)) product = product * Variable(f);
        facts_.push_back(x == product);
        break;
      }
      case LinearNormalForm::AtomKind::kMin:
      case LinearNormalForm::AtomKind::kMax: {
        z3::expr_vector attained(context_);
        for (const LinearForm& form : atom.operands) {
          z3::expr e = Form(form);
          facts_.push_back(atom.kind == LinearNormalForm::AtomKind::kMin ? x <= e : x >= e);
          attained.push_back(x == e);
        }
        facts_.push_back(z3::mk_or(attained));
        break;
      }
    }
  }

  // x div s = (t / s) * (x div t) + r with 0 <= r < t / s when s divides t. It follows from what is
  // stated already, and saves the search for it. The numerators may differ by a multiple of s.
  void LinkQuotients() {
    std::vector<uint32_t> quotients;
    for (size_t at = 0; at < needed_.size(); ++at) {
      if (!needed_[at]) continue;
      if (normal_.atoms()[at].kind == LinearNormalForm::AtomKind::kQuotient)
        quotients.push_back(at);
    }
    if (quotients.size() > kMaxLinkedQuotients) return;
    for (uint32_t fine : quotients) {
      for (uint32_t coarse : quotients) {
        if (fine != coarse) Link(fine, coarse);
      }
    }
  }

  void Link(uint32_t fine, uint32_t coarse) {
    const LinearNormalForm::Atom& f = normal_.atoms()[fine];
    const LinearNormalForm::Atom& c = normal_.atoms()[coarse];
    if (c.divisor <= f.divisor || c.divisor % f.divisor != 0) return;
    LinearForm shift = c.operands[0] - f.operands[0];
    auto multiple = [&](const BigInt& v) { return v % f.divisor == 0; };
    if (!multiple(shift.constant)) return;
    for (const LinearForm::Term& t : shift.terms) {
      if (!multiple(t.coefficient)) return;
    }
    LinearForm rest;
    for (const LinearForm::Term& t : shift.terms) rest.Add(t.atom, t.coefficient / f.divisor);
    rest.constant = shift.constant / f.divisor;
    BigInt ratio = c.divisor / f.divisor;
    rest.Add(fine, BigInt(1));
    rest.Add(coarse, -ratio);
    z3::expr r = Form(rest);
    facts_.push_back(r >= 0);
    facts_.push_back(r <= Number(ratio - 1));
  }

  // Values for the query's variables; those that Z3 did not hear of, since any value does or
  // there is only one, get the value of their bounds nearest to zero.
  std::vector<int64_t> Point(const z3::model& model) {
    std::vector<int64_t> point;
    point.reserve(query_.variables.size());
    for (Interval i : query_.variables) {
      point.push_back(std::max(i.lower, std::min<int64_t>(i.upper, 0)));
    }
    for (size_t at = 0; at < needed_.size(); ++at) {
      const LinearNormalForm::Atom& atom = normal_.atoms()[at];
      if (!needed_[at] || atom.kind != LinearNormalForm::AtomKind::kVariable) continue;
      z3::expr value = model.eval(Variable(static_cast<uint32_t>(at)), /*model_completion=*/true);
      int64_t v = 0;
      if (value.is_numeral_i64(v)) point[atom.variable] = v;
    }
    return point;
  }

  const SolverQuery& query_;
  LinearNormalForm normal_;
  z3::context context_;
  z3::expr_vector facts_;
  std::optional<z3::expr> negated_claim_;
  std::vector<bool> needed_;
  std::set<int64_t> chosen_;  // variables bound so far
  std::string reason_;
};

}  // namespace

SolverResult DecideWithZ3(const SolverQuery& query, const Budget& budget) {
  UsedVariables used;
  if (auto settled = DecideWithoutSearch(query, Engine::kZ3, used)) return *settled;
  SolverResult answer{.engine = Engine::kZ3};
  try {
    Z3Encoder encoder(query);
    if (!encoder.Encode()) {
      answer.reason = encoder.reason();
      return answer;
    }
    answer = encoder.Check(budget);
  } catch (const z3::exception& e) {
    answer.reason = std::string("z3: ") + e.msg();
    return answer;
  }
  return Confirm(query, std::move(answer), budget);
}

}  // namespace affirm
