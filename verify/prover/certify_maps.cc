// Certificates of claims about maps: facts and goals as the checker has them, and witnesses.
#include "verify/prover/certify_maps.h"

#include <functional>
#include <vector>

#include "core/indexing/map_text.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
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

size_t Count(const IndexingMap& m, VarKind kind) { return m.vars(kind).size(); }
size_t Outer(const IndexingMap& m) { return Count(m, VarKind::kRuntime) + Count(m, VarKind::kDim); }

// The number of a variable: runtime variables, dims, range variables.
size_t NumberOf(const IndexingMap& m, VarKind kind, int64_t index) {
  size_t number = static_cast<size_t>(index);
  if (kind != VarKind::kRuntime) number += Count(m, VarKind::kRuntime);
  if (kind == VarKind::kRange) number += Count(m, VarKind::kDim);
  return number;
}

// The facts of the map in the order of its text.
std::vector<Constraint> FactsOf(const IndexingMap& m) {
  std::vector<Constraint> facts;
  Context& context = *m.context();
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    for (size_t i = 0; i < Count(m, kind); ++i)
      facts.push_back({context.Variable(kind, static_cast<int64_t>(i)), m.vars(kind)[i].bounds});
  }
  facts.insert(facts.end(), m.constraints().begin(), m.constraints().end());
  return facts;
}

// That every result of `from` is one of `to`, by one choice of witnesses.
class Inclusion {
 public:
  Inclusion(const IndexingMap& from, const IndexingMap& to)
      : from_(from), to_(to), table_(static_cast<int>(Outer(from) + from.ranges().size())) {}

  // The evidence; empty when none was found.
  std::string Prove(const std::vector<SymbolicExpr>& witness) {
    AtomTable::VariableForm own = [&](VarKind kind, int64_t i) {
      return Polynomial::Atom(static_cast<int>(NumberOf(from_, kind, i)) + 1);
    };
    AtomTable::VariableForm chosen = [&](VarKind kind, int64_t i) {
      return kind == VarKind::kRange ? table_.Of(witness[static_cast<size_t>(i)], own)
                                     : own(kind, i);
    };
    for (const Polynomial& p : Bounds(from_, own)) prover_.Given(p, false);
    std::vector<Goal> goals;
    std::vector<Polynomial> results;
    for (SymbolicExpr e : from_.results()) {
      results.push_back(table_.Of(e, own));
      Obligations(e, own, goals);
    }
    if (!to_.IsKnownEmpty()) {
      for (const Constraint& c : FactsOf(to_)) Obligations(c.expr, chosen, goals);
      for (const Polynomial& p : Bounds(to_, chosen)) goals.push_back({Goal::Kind::kAtLeast0, p});
      for (size_t k = 0; k < results.size(); ++k) {
        Polynomial difference = results[k];
        difference.Add(table_.Of(to_.results()[k], chosen), BigInt(-1));
        goals.push_back({Goal::Kind::kIs0, std::move(difference)});
      }
    }
    prover_.Learn();
    std::string last = "done 0";
    for (const Goal& goal : goals) {
      if (to_.IsKnownEmpty()) break;
      auto shown = prover_.Show(goal);
      if (!shown) return prover_.Refute() ? Evidence("") : "";
      last += " " + std::to_string(*shown);
    }
    if (to_.IsKnownEmpty() && !prover_.Refute()) return "";
    for (size_t i = 0; i < witness.size(); ++i)
      last += (i ? ", " : " with ") + witness[i].ToString();
    return Evidence(last);
  }

 private:
  std::vector<Polynomial> Bounds(const IndexingMap& m, const AtomTable::VariableForm& variable) {
    std::vector<Polynomial> bounds;
    for (const Constraint& c : FactsOf(m)) {
      Polynomial form = table_.Of(c.expr, variable), opposite;
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
  void Obligations(SymbolicExpr e, const AtomTable::VariableForm& variable,
                   std::vector<Goal>& goals) {
    for (SymbolicExpr op : e.ops()) Obligations(op, variable, goals);
    const bool modulus = e.kind() == ExprKind::kMod;
    if (!modulus && e.kind() != ExprKind::kFloorDiv && e.kind() != ExprKind::kCeilDiv) return;
    Polynomial divisor = table_.Of(e.op(1), variable);
    if (divisor.AsConstant()) return;
    if (modulus) divisor.Add(Polynomial(BigInt(-1)), BigInt(1));
    goals.push_back({modulus ? Goal::Kind::kAtLeast0 : Goal::Kind::kIsNot0, divisor});
  }

  std::string Evidence(const std::string& last) const {
    std::string text = "evidence\n";
    for (const prover::TableEntry& entry : table_.entries()) {
      using Op = prover::TableEntry::Op;
      text += entry.op == Op::kQuotient ? "atom / "
              : entry.op == Op::kMin    ? "atom min "
                                        : "atom max ";
      text += entry.left.ToString() + " ; " + entry.right.ToString() + "\n";
    }
    return text + prover_.Text(last);
  }

  const IndexingMap& from_;
  const IndexingMap& to_;
  AtomTable table_;
  Prover prover_{table_};
};

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
  if (from.IsKnownEmpty()) return "";
  if (!to.IsKnownEmpty() &&
      (Outer(from) != Outer(to) || from.results().size() != to.results().size()))
    return "";
  for (const std::vector<SymbolicExpr>& witness : Witnesses(from, to)) {
    std::string text = Inclusion(from, to).Prove(witness);
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

}  // namespace affirm
