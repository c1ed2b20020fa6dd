#include "verify/prover/inclusion.h"

#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/prover/prover.h"

namespace affirm::prover {
namespace {

std::vector<Polynomial> BoundsOf(const View& m, AtomTable& table,
                                 const AtomTable::VariableForm& variable) {
  std::vector<Polynomial> bounds;
  for (const Constraint& c : m.facts) {
    Polynomial form = table.Of(c.expr, variable), opposite;
    opposite.Add(form, BigInt(-1));
    if (c.bounds.HasLower()) {
      form.Add(Polynomial(BigInt(c.bounds.lower)), BigInt(-1));
      bounds.push_back(form);
    }
    if (c.bounds.HasUpper()) {
      opposite.Add(Polynomial(BigInt(c.bounds.upper)), BigInt(1));
      bounds.push_back(opposite);
    }
  }
  return bounds;
}

// Adds the goals that give e a value, operands first.
void AddObligations(SymbolicExpr e, AtomTable& table, const AtomTable::VariableForm& variable,
                    std::vector<Goal>& goals) {
  for (SymbolicExpr op : e.ops()) AddObligations(op, table, variable, goals);
  const bool modulus = e.kind() == ExprKind::kMod;
  if (!modulus && e.kind() != ExprKind::kFloorDiv && e.kind() != ExprKind::kCeilDiv) return;
  Polynomial divisor = table.Of(e.op(1), variable);
  if (divisor.AsConstant()) return;
  if (modulus) divisor.Add(Polynomial(BigInt(-1)), BigInt(1));
  goals.push_back({modulus ? Goal::Kind::kAtLeast0 : Goal::Kind::kIsNot0, divisor});
}

std::string AtomsText(const AtomTable& table) {
  std::string text = "evidence\n";
  for (const TableEntry& entry : table.entries()) {
    using Op = TableEntry::Op;
    text += entry.op == Op::kQuotient ? "atom / "
            : entry.op == Op::kMin    ? "atom min "
                                      : "atom max ";
    text += entry.left.ToString() + " ; " + entry.right.ToString() + "\n";
  }
  return text;
}

// The lines by which the goals follow; empty when no proof was found. A goal may need what others
// show, so those that fail are tried again while any other succeeds.
std::string ProveGoals(Prover& prover, const std::vector<Goal>& goals, size_t position,
                       const std::string& witness) {
  prover.Learn();
  std::vector<int> shown(goals.size(), 0);
  size_t left = goals.size();
  for (bool progress = true; progress && left > 0;) {
    progress = false;
    for (size_t k = 0; k < goals.size(); ++k) {
      if (shown[k]) continue;
      auto fact = prover.Show(goals[k]);
      if (!fact) continue;
      shown[k] = *fact;
      --left;
      progress = true;
    }
  }
  if (left > 0) return prover.Refute() ? prover.Text("") : "";
  std::string last = "done " + std::to_string(position);
  for (int fact : shown) last += " " + std::to_string(fact);
  return prover.Text(last + witness);
}

// A part of a map: the points at which some forms are at least 0.
using Parts = llvm::ArrayRef<Polynomial>;

AtomTable::VariableForm VariablesOf(const View& m) {
  return [&m](VarKind kind, int64_t i) {
    return Polynomial::Atom(static_cast<int>(m.NumberOf(kind, i)) + 1);
  };
}

// Proves that every result of the part of `from` is one of `to`, which stands at `position` of its
// union.
std::string ProvePart(AtomTable& table, const View& from, Parts parts, const View& to, size_t outer,
                      llvm::ArrayRef<SymbolicExpr> witness, size_t position) {
  Prover prover(table);
  const AtomTable::VariableForm own = VariablesOf(from);
  const AtomTable::VariableForm chosen = [&](VarKind kind, int64_t i) {
    const size_t number = to.NumberOf(kind, i);
    return number < outer ? Polynomial::Atom(static_cast<int>(number) + 1)
                          : table.Of(witness[number - outer], own);
  };
  for (const Polynomial& p : BoundsOf(from, table, own)) prover.Given(p, false);
  for (const Polynomial& p : parts) prover.Given(p, false);
  std::vector<Goal> goals;
  std::vector<Polynomial> results;
  for (SymbolicExpr e : from.results) {
    results.push_back(table.Of(e, own));
    AddObligations(e, table, own, goals);
  }
  if (to.empty) {
    prover.Learn();
    return prover.Refute() ? prover.Text("") : "";
  }
  for (const Constraint& c : to.facts) AddObligations(c.expr, table, chosen, goals);
  for (SymbolicExpr e : to.results) AddObligations(e, table, chosen, goals);
  for (Polynomial& p : BoundsOf(to, table, chosen))
    goals.push_back({Goal::Kind::kAtLeast0, std::move(p)});
  for (size_t k = 0; k < results.size(); ++k) {
    Polynomial difference = results[k];
    difference.Add(table.Of(to.results[k], chosen), BigInt(-1));
    goals.push_back({Goal::Kind::kIs0, std::move(difference)});
  }
  std::string values;
  for (size_t i = 0; i < witness.size(); ++i)
    values += (i ? ", " : " with ") + witness[i].ToString();
  return ProveGoals(prover, goals, position, values);
}

// Values for the range variables of `to` that its results determine, one after the other: from a
// result `rest + c * s` that is to be `target`, s is (target - rest) floordiv c. A value is over
// the variables of `from`.
class ResultSolver {
 public:
  explicit ResultSolver(size_t count) : values_(count) {}

  void Solve(const View& from, const View& to) {
    for (bool progress = true; progress;) {
      progress = false;
      for (size_t k = 0; k < to.results.size(); ++k)
        progress |= SolveOne(to.results[k], from.results[k]);
    }
  }
  const std::vector<SymbolicExpr>& values() const { return values_; }

 private:
  bool HasValue(SymbolicExpr e) const {
    bool has_value = true;
    e.Walk([&](SymbolicExpr part) {
      if (part.IsVariable() && part.var_kind() == VarKind::kRange)
        has_value &= static_cast<bool>(values_[part.value()]);
    });
    return has_value;
  }
  // Collects the summands; false where more than one has no value, or is no multiple of a variable.
  bool AddSummands(SymbolicExpr e) {
    Context& context = *e.context();
    if (HasValue(e)) {
      rest_ = rest_ + e.Substitute([&](VarKind kind, int64_t i) {
        return kind == VarKind::kRange ? values_[i] : SymbolicExpr();
      });
      return true;
    }
    if (e.kind() == ExprKind::kAdd) {
      rest_ = rest_ + context.Constant(e.value());
      return llvm::all_of(e.ops(), [&](SymbolicExpr op) { return AddSummands(op); });
    }
    if (e.kind() == ExprKind::kFloorDiv && e.op(1) == context.Constant(1))
      return AddSummands(e.op(0));
    const bool is_multiple = e.kind() == ExprKind::kMul && e.ops().size() == 1;
    const SymbolicExpr variable = is_multiple ? e.op(0) : e;
    if (!variable.IsVariable() || variable_ >= 0) return false;
    variable_ = variable.value();
    factor_ = is_multiple ? e.value() : 1;
    return true;
  }
  bool SolveOne(SymbolicExpr e, SymbolicExpr target) {
    if (HasValue(e)) return false;
    // A division that leaves no remainder.
    if (e.kind() == ExprKind::kFloorDiv && e.op(1).IsConstant()) {
      target = target * e.op(1).value();
      e = e.op(0);
    }
    rest_ = e.context()->Constant(0);
    variable_ = -1;
    if (!AddSummands(e) || factor_ == 0) return false;
    const SymbolicExpr difference = factor_ > 0 ? target - rest_ : rest_ - target;
    const int64_t size = factor_ > 0 ? factor_ : -factor_;
    values_[variable_] = size == 1 ? difference : difference.FloorDiv(size);
    return true;
  }

  std::vector<SymbolicExpr> values_;
  // State of the current result.
  SymbolicExpr rest_;
  int64_t factor_ = 0, variable_ = -1;
};

// Values for the range variables of `to`, by those of `from`.
std::vector<std::vector<SymbolicExpr>> Witnesses(const View& from, const View& to,
                                                 Context& context) {
  std::vector<std::vector<SymbolicExpr>> choices;
  if (to.empty) return {{}};
  auto range = [&](size_t i) { return context.Range(static_cast<int64_t>(i)); };
  const size_t count = to.ranges.size();
  // Range variables with the same bounds: in order, and each the first that is left.
  std::vector<SymbolicExpr> in_order, first_left;
  std::vector<bool> taken(from.ranges.size(), false);
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const Interval bounds = to.ranges[i];
    const SymbolicExpr otherwise = context.Constant(bounds.HasLower() ? bounds.lower : 0);
    size_t at = next, left = 0;
    while (at < from.ranges.size() && !(from.ranges[at] == bounds)) ++at;
    while (left < from.ranges.size() && (taken[left] || !(from.ranges[left] == bounds))) ++left;
    const bool found = at < from.ranges.size(), is_left = left < from.ranges.size();
    in_order.push_back(found ? range(at) : otherwise);
    first_left.push_back(is_left ? range(left) : otherwise);
    if (found) next = at + 1;
    if (is_left) taken[left] = true;
  }
  ResultSolver solver(count);
  solver.Solve(from, to);
  std::vector<SymbolicExpr> solved = solver.values();
  for (size_t i = 0; i < count; ++i) {
    if (!solved[i]) solved[i] = in_order[i];
  }
  if (count == from.ranges.size()) {
    choices.emplace_back();
    for (size_t i = 0; i < count; ++i) choices.back().push_back(range(i));
  }
  for (const auto& choice : {in_order, solved, first_left}) {
    if (!llvm::is_contained(choices, choice)) choices.push_back(choice);
  }
  return choices;
}

constexpr int kMostSplits = 12;

// The operands of a maximum that is at least a bound, or of a minimum that is at most one: one of
// them is, too. As forms that are then at least 0.
void AddAlternatives(SymbolicExpr e, Interval bounds, AtomTable& table,
                     const AtomTable::VariableForm& variable, std::vector<Polynomial>& forms) {
  const bool is_max = e.kind() == ExprKind::kMax && bounds.HasLower();
  const bool is_min = e.kind() == ExprKind::kMin && bounds.HasUpper();
  if (!is_max && !is_min) return;
  for (SymbolicExpr op : e.ops()) {
    if (op.kind() == e.kind()) {
      AddAlternatives(op, bounds, table, variable, forms);
      continue;
    }
    Polynomial form;
    form.Add(table.Of(op, variable), BigInt(is_max ? 1 : -1));
    form.Add(Polynomial(BigInt(is_max ? bounds.lower : bounds.upper)), BigInt(is_max ? -1 : 1));
    forms.push_back(std::move(form));
  }
}

}  // namespace

std::string ProveInclusion(const View& from, const View& to, size_t outer,
                           llvm::ArrayRef<SymbolicExpr> witness) {
  AtomTable table(static_cast<int>(from.variables()));
  std::string text = ProvePart(table, from, {}, to, outer, witness, 0);
  return text.empty() ? "" : AtomsText(table) + text;
}

namespace {

// Proves that the part of `from` lies in one of the union, or each of two parts of it does.
std::string ProveParts(AtomTable& table, const View& from, std::vector<Polynomial>& parts,
                       llvm::ArrayRef<View> to, llvm::ArrayRef<Polynomial> alternatives,
                       Context& context) {
  for (size_t k = 0; k < to.size(); ++k) {
    for (const std::vector<SymbolicExpr>& witness : Witnesses(from, to[k], context)) {
      std::string text = ProvePart(table, from, parts, to[k], from.runtime + from.dims, witness, k);
      if (!text.empty()) return text;
    }
  }
  if (alternatives.empty()) {
    View nothing;
    nothing.empty = true;
    return ProvePart(table, from, parts, nothing, 0, {}, 0);
  }
  const Polynomial& form = alternatives.front();
  Polynomial opposite(BigInt(-1));
  opposite.Add(form, BigInt(-1));
  std::string text = "split " + form.ToString() + "\n";
  for (const Polynomial& p : {form, opposite}) {
    parts.push_back(p);
    std::string one = ProveParts(table, from, parts, to, alternatives.drop_front(), context);
    parts.pop_back();
    if (one.empty()) return "";
    text += one;
  }
  return text;
}

}  // namespace

std::string ProveInclusion(const View& from, llvm::ArrayRef<View> to, Context& context) {
  for (const View& m : to) {
    if (!m.empty && (from.runtime != m.runtime || from.dims != m.dims ||
                     from.results.size() != m.results.size())) {
      return "";
    }
  }
  AtomTable table(static_cast<int>(from.variables()));
  std::vector<Polynomial> alternatives, parts;
  for (const Constraint& c : from.facts)
    AddAlternatives(c.expr, c.bounds, table, VariablesOf(from), alternatives);
  if (to.size() < 2 || alternatives.size() > kMostSplits) alternatives.clear();
  std::string text = ProveParts(table, from, parts, to, alternatives, context);
  return text.empty() ? "" : AtomsText(table) + text;
}

std::string ProveInjectivity(const View& m) {
  const size_t own = m.variables() - m.runtime;
  AtomTable table(static_cast<int>(m.variables() + own));
  Prover prover(table);
  auto atom = [](size_t number) { return Polynomial::Atom(static_cast<int>(number) + 1); };
  AtomTable::VariableForm first = [&](VarKind kind, int64_t i) {
    return atom(m.NumberOf(kind, i));
  };
  AtomTable::VariableForm second = [&](VarKind kind, int64_t i) {
    const size_t number = m.NumberOf(kind, i);
    return atom(number < m.runtime ? number : number + own);
  };
  for (const AtomTable::VariableForm* form : {&first, &second})
    for (const Polynomial& p : BoundsOf(m, table, *form)) prover.Given(p, false);
  std::vector<Goal> goals;
  for (SymbolicExpr e : m.results) {
    Polynomial difference = table.Of(e, first);
    difference.Add(table.Of(e, second), BigInt(-1));
    prover.Given(std::move(difference), true);
    AddObligations(e, table, first, goals);
  }
  for (size_t number = m.runtime; number < m.variables(); ++number) {
    Polynomial difference = atom(number);
    difference.Add(atom(number + own), BigInt(-1));
    goals.push_back({Goal::Kind::kIs0, std::move(difference)});
  }
  // Each summand of a result is the same at both points, where it is a digit of it.
  prover.Learn();
  std::vector<Goal> summands;
  for (SymbolicExpr e : m.results) {
    if (e.kind() != ExprKind::kAdd) continue;
    for (SymbolicExpr op : e.ops()) {
      const SymbolicExpr digit = op.SplitCoefficient().second;
      Polynomial difference = table.Of(digit, first);
      difference.Add(table.Of(digit, second), BigInt(-1));
      summands.push_back({Goal::Kind::kIs0, std::move(difference)});
    }
  }
  for (int round = 0; round < 2; ++round)
    llvm::erase_if(summands, [&](const Goal& goal) { return prover.Show(goal).has_value(); });
  std::string text = ProveGoals(prover, goals, 0, "");
  return text.empty() ? "" : AtomsText(table) + text;
}

}  // namespace affirm::prover
