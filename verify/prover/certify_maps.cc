// Certificates of claims about maps: facts and goals as the checker has them, and witnesses.
#include "verify/prover/certify_maps.h"

#include <functional>
#include <vector>

#include "core/indexing/map_text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/prover/inverse.h"
#include "verify/prover/prover.h"

namespace affirm {
namespace {

using prover::AtomTable;
using prover::Goal;
using prover::Polynomial;
using prover::Prover;

// The map with the default names of variables, as the certificate writes it.
WrittenMap Plain(const IndexingMap& map) {
  WrittenMap written = Written(map);
  for (auto& vars : written.vars) {
    for (Variable& v : vars) v.name.clear();
  }
  return written;
}

// A map as the checker has it: counts of variables, facts in the order of the text, results.
struct View {
  size_t runtime = 0, dims = 0, ranges = 0;
  std::vector<Constraint> facts;
  std::vector<SymbolicExpr> results;
  bool empty = false;  // known to be

  size_t variables() const { return runtime + dims + ranges; }
  // The number of a variable: runtime variables, dims, range variables.
  size_t NumberOf(VarKind kind, int64_t index) const {
    size_t number = static_cast<size_t>(index);
    if (kind != VarKind::kRuntime) number += runtime;
    if (kind == VarKind::kRange) number += dims;
    return number;
  }
};

size_t Count(const IndexingMap& m, VarKind kind) { return m.vars(kind).size(); }

View ViewOf(const IndexingMap& m) {
  View view{.runtime = Count(m, VarKind::kRuntime),
            .dims = Count(m, VarKind::kDim),
            .ranges = Count(m, VarKind::kRange),
            .facts = {},
            .results = m.results(),
            .empty = m.IsKnownEmpty()};
  Context& context = *m.context();
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    for (size_t i = 0; i < Count(m, kind); ++i) {
      view.facts.push_back(
          {context.Variable(kind, static_cast<int64_t>(i)), m.vars(kind)[i].bounds});
    }
  }
  view.facts.insert(view.facts.end(), m.constraints().begin(), m.constraints().end());
  return view;
}

// The indices of an array as results of range variables; the runtime variables are those of m.
View ArrayOf(const IndexingMap& m, llvm::ArrayRef<int64_t> shape) {
  View view{.runtime = Count(m, VarKind::kRuntime),
            .dims = 0,
            .ranges = shape.size(),
            .facts = {},
            .results = {}};
  Context& context = *m.context();
  for (size_t i = 0; i < view.runtime; ++i) {
    view.facts.push_back({context.Variable(VarKind::kRuntime, static_cast<int64_t>(i)),
                          m.vars(VarKind::kRuntime)[i].bounds});
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    view.results.push_back(context.Range(static_cast<int64_t>(i)));
    view.facts.push_back({view.results.back(), Interval{0, shape[i] - 1}});
  }
  return view;
}

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

// What has to be shown for e to have a value, operands first.
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

std::string EvidenceText(const AtomTable& table, const Prover& prover, const std::string& last) {
  std::string text = "evidence\n";
  for (const prover::TableEntry& entry : table.entries()) {
    using Op = prover::TableEntry::Op;
    text += entry.op == Op::kQuotient ? "atom / "
            : entry.op == Op::kMin    ? "atom min "
                                      : "atom max ";
    text += entry.left.ToString() + " ; " + entry.right.ToString() + "\n";
  }
  return text + prover.Text(last);
}

// The evidence by which the goals follow; empty when none was found. A goal may need what others
// show, so those that fail are tried again while any other succeeds.
std::string ProveGoals(const AtomTable& table, Prover& prover, const std::vector<Goal>& goals,
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
  if (left > 0) return prover.Refute() ? EvidenceText(table, prover, "") : "";
  std::string last = "done 0";
  for (int fact : shown) last += " " + std::to_string(fact);
  return EvidenceText(table, prover, last + witness);
}

// That every result of `from` is one of `to` with the same first `outer` variables: `witness` has
// the values of the others, over the variables of `from`.
std::string ProveInclusion(const View& from, const View& to, size_t outer,
                           const std::vector<SymbolicExpr>& witness) {
  AtomTable table(static_cast<int>(from.variables()));
  Prover prover(table);
  auto atom = [](size_t number) { return Polynomial::Atom(static_cast<int>(number) + 1); };
  AtomTable::VariableForm own = [&](VarKind kind, int64_t i) {
    return atom(from.NumberOf(kind, i));
  };
  AtomTable::VariableForm chosen = [&](VarKind kind, int64_t i) {
    const size_t number = to.NumberOf(kind, i);
    return number < outer ? atom(number) : table.Of(witness[number - outer], own);
  };
  for (const Polynomial& p : BoundsOf(from, table, own)) prover.Given(p, false);
  std::vector<Goal> goals;
  std::vector<Polynomial> results;
  for (SymbolicExpr e : from.results) {
    results.push_back(table.Of(e, own));
    AddObligations(e, table, own, goals);
  }
  if (to.empty) {
    prover.Learn();
    return prover.Refute() ? EvidenceText(table, prover, "") : "";
  }
  for (const Constraint& c : to.facts) AddObligations(c.expr, table, chosen, goals);
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
  return ProveGoals(table, prover, goals, values);
}

// That two points with the same runtime variables and results are one.
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
  return ProveGoals(table, prover, goals, "");
}

// Values for the range variables of `to`, by those of `from`.
std::vector<std::vector<SymbolicExpr>> Witnesses(const IndexingMap& from, const IndexingMap& to) {
  std::vector<std::vector<SymbolicExpr>> choices;
  if (to.IsKnownEmpty()) return {{}};
  Context& context = *from.context();
  auto range = [&](size_t i) { return context.Range(static_cast<int64_t>(i)); };
  const size_t count = to.ranges().size();
  std::vector<SymbolicExpr> matched, solved;
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const Interval bounds = to.ranges()[i].bounds;
    size_t at = next;
    while (at < from.ranges().size() && !(from.ranges()[at].bounds == bounds)) ++at;
    const bool found = at < from.ranges().size();
    matched.push_back(found ? range(at) : context.Constant(bounds.HasLower() ? bounds.lower : 0));
    if (found) next = at + 1;
    solved.push_back(matched.back());
    for (size_t k = 0; k < to.results().size(); ++k) {
      SymbolicExpr e = to.results()[k];
      if (e.IsVariable() && e.var_kind() == VarKind::kRange && e.value() == static_cast<int64_t>(i))
        solved.back() = from.results()[k];
    }
  }
  if (count == from.ranges().size()) {
    choices.emplace_back();
    for (size_t i = 0; i < count; ++i) choices.back().push_back(range(i));
  }
  for (const auto& choice : {matched, solved}) {
    if (!llvm::is_contained(choices, choice)) choices.push_back(choice);
  }
  return choices;
}

std::string ProveInclusion(const IndexingMap& from, const IndexingMap& to) {
  const View a = ViewOf(from), b = ViewOf(to);
  if (!b.empty &&
      (a.runtime != b.runtime || a.dims != b.dims || a.results.size() != b.results.size()))
    return "";
  for (const std::vector<SymbolicExpr>& witness : Witnesses(from, to)) {
    std::string text = ProveInclusion(a, b, a.runtime + a.dims, witness);
    if (!text.empty()) return text;
  }
  return "";
}

llvm::Expected<std::string> Certify(const IndexingMap& a, const IndexingMap& b, bool equal) {
  if (a.IsUndefined() || b.IsUndefined())
    return MakeError("no certificate: an undefined map has none");
  std::string text = "affirm certificate 2\nclaim ";
  text += equal ? "equal\n" : "covers\n";
  text += "map " + ToString(Plain(a)) + "\nand\nmap " + ToString(Plain(b)) + "\n";
  for (bool forward : {true, false}) {
    if (forward && !equal) continue;
    const IndexingMap& from = forward ? a : b;
    const IndexingMap& to = forward ? b : a;
    if (from.IsKnownEmpty()) continue;
    std::string evidence = ProveInclusion(from, to);
    if (evidence.empty()) {
      return MakeError(llvm::Twine("no certificate: found no proof that the ") +
                       (forward ? "second covers the first" : "first covers the second"));
    }
    text += evidence;
  }
  return text + "end\n";
}

}  // namespace

llvm::Expected<std::string> CertifyEqual(const IndexingMap& a, const IndexingMap& b) {
  return Certify(a, b, true);
}
llvm::Expected<std::string> CertifyCovers(const IndexingMap& a, const IndexingMap& b) {
  return Certify(a, b, false);
}

llvm::Expected<std::string> CertifyBijection(const IndexingMap& m, llvm::ArrayRef<int64_t> shape) {
  if (m.state() != IndexingMap::State::kNormal || m.results().size() != shape.size())
    return MakeError("no certificate: expected a map with a result for each size of the shape");
  const View map = ViewOf(m), array = ArrayOf(m, shape);
  std::string text = "affirm certificate 2\nclaim bijection shape ";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? "," : "") + std::to_string(shape[i]);
  text += "\nmap " + ToString(Plain(m)) + "\n";
  auto inverse = prover::InverseOf(m);
  if (!inverse) return MakeError("no certificate: found no inverse of the map");
  const std::pair<const char*, std::string> parts[] = {
      {"the map is injective", ProveInjectivity(map)},
      {"results are indices", ProveInclusion(map, array, map.runtime, map.results)},
      {"each index is a result", ProveInclusion(array, map, map.runtime, *inverse)}};
  for (const auto& [what, evidence] : parts) {
    if (evidence.empty())
      return MakeError(llvm::Twine("no certificate: found no proof that ") + what);
    text += evidence;
  }
  return text + "end\n";
}

}  // namespace affirm
