// Writes a system of facts for Z3's nonlinear integer arithmetic.
#include "verify/rules/nonlinear.h"

#include <z3++.h>

#include <string>

namespace affirm::rules {
namespace {

class Writer {
 public:
  Writer(z3::context& context, const System& system) : context_(context) {
    for (size_t v = 0; v < system.roles.size(); ++v)
      variables_.push_back(context.int_const(("v" + std::to_string(v)).c_str()));
  }

  z3::expr variable(size_t v) const { return variables_[v]; }

  z3::expr Write(const Poly& p) const {
    z3::expr sum = context_.int_val(0);
    for (const auto& [m, c] : p.terms()) {
      z3::expr term = context_.int_val(ToDecimal(c).c_str());
      for (int v : m) term = term * variables_[v];
      sum = sum + term;
    }
    return sum;
  }

  z3::expr Write(const PolyFact& f) const {
    z3::expr p = Write(f.p);
    return f.equality ? p == 0 : p >= 0;
  }

  z3::expr Write(const Alternatives& split) const {
    z3::expr any = context_.bool_val(false);
    for (const auto& alternative : split) {
      z3::expr all = context_.bool_val(true);
      for (const PolyFact& f : alternative) all = all && Write(f);
      any = any || all;
    }
    return any;
  }

  z3::expr Write(const QuotientDef& q) const {
    z3::expr d = Write(q.divisor);
    z3::expr rest = Write(q.numerator - q.divisor * q.value);
    z3::expr up = rest >= 0 && rest < d, down = rest <= 0 && rest > d;
    z3::expr up_ceil = rest <= 0 && rest > -d, down_ceil = rest >= 0 && rest < -d;
    return (d > 0 && (q.ceil ? up_ceil : up)) || (d < 0 && (q.ceil ? down_ceil : down));
  }

 private:
  z3::context& context_;
  std::vector<z3::expr> variables_;
};

}  // namespace

NonlinearResult SolveNonlinear(const System& system, size_t num_values, const Budget& budget) {
  NonlinearResult answer;
  try {
    z3::context context;
    Writer writer(context, system);
    z3::solver solver(context);
    z3::params params(context);
    params.set("random_seed", 0u);
    params.set("rlimit", budget.z3_rlimit / 4);
    params.set("timeout", budget.wall_ms);
    solver.set(params);
    for (const PolyFact& f : system.facts) solver.add(writer.Write(f));
    for (const Alternatives& split : system.splits) solver.add(writer.Write(split));
    for (const QuotientDef& q : system.quotients) solver.add(writer.Write(q));
    z3::check_result result = solver.check();
    answer.unsatisfiable = result == z3::unsat;
    if (result != z3::sat) return answer;
    z3::model model = solver.get_model();
    for (size_t v = 0; v < num_values; ++v) {
      int64_t value = 0;
      if (!model.eval(writer.variable(v), true).is_numeral_i64(value)) {
        answer.model.clear();
        return answer;
      }
      answer.model.push_back(value);
    }
  } catch (const z3::exception&) {
    return NonlinearResult();
  }
  return answer;
}

}  // namespace affirm::rules
