// Constructors of formulas, which simplify true and false away, and the check that a query is
// well-formed.
#include "verify/decide/formula.h"

#include <utility>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm {
namespace {

bool IsTrue(const Formula& f) { return f.kind() == Formula::Kind::kTrue; }
bool IsFalse(const Formula& f) { return f.kind() == Formula::Kind::kFalse; }

// Appends f to parts; nested connectives of the same kind are merged.
void Flatten(Formula::Kind kind, Formula f, std::vector<Formula>& parts) {
  if (f.kind() == kind) {
    llvm::append_range(parts, f.parts());
  } else {
    parts.push_back(std::move(f));
  }
}

std::string Join(llvm::ArrayRef<Formula> parts, llvm::StringRef separator) {
  std::string text = "(";
  llvm::StringRef between;
  for (const Formula& f : parts) {
    text += between;
    text += f.ToString();
    between = separator;
  }
  return text + ")";
}

}  // namespace

Formula Formula::Make(Node node) {
  Formula f;
  f.node_ = std::make_shared<const Node>(std::move(node));
  return f;
}

Formula Formula::True() { return Make({.kind = Kind::kTrue}); }
Formula Formula::False() { return Make({.kind = Kind::kFalse}); }

Formula Formula::Eq(SymbolicExpr a, SymbolicExpr b) {
  if (a && b && a.IsConstant() && b.IsConstant()) return a.value() == b.value() ? True() : False();
  return Make({.kind = Kind::kEq, .lhs = a, .rhs = b});
}

Formula Formula::Le(SymbolicExpr a, SymbolicExpr b) {
  if (a && b && a.IsConstant() && b.IsConstant()) return a.value() <= b.value() ? True() : False();
  return Make({.kind = Kind::kLe, .lhs = a, .rhs = b});
}

Formula Formula::In(SymbolicExpr e, Interval bounds) {
  if (bounds.IsEmpty()) return False();
  if (!e) return Eq(e, e);
  Context& context = *e.context();
  if (bounds.IsPoint()) return Eq(e, context.Constant(bounds.lower));
  std::vector<Formula> parts;
  if (bounds.HasLower()) parts.push_back(Le(context.Constant(bounds.lower), e));
  if (bounds.HasUpper()) parts.push_back(Le(e, context.Constant(bounds.upper)));
  return And(std::move(parts));
}

Formula Formula::And(std::vector<Formula> parts) {
  std::vector<Formula> kept;
  for (Formula& f : parts) {
    if (IsFalse(f)) return f;
    if (!IsTrue(f)) Flatten(Kind::kAnd, std::move(f), kept);
  }
  if (kept.empty()) return True();
  if (kept.size() == 1) return kept.front();
  return Make({.kind = Kind::kAnd, .parts = std::move(kept)});
}

Formula Formula::Or(std::vector<Formula> parts) {
  std::vector<Formula> kept;
  for (Formula& f : parts) {
    if (IsTrue(f)) return f;
    if (!IsFalse(f)) Flatten(Kind::kOr, std::move(f), kept);
  }
  if (kept.empty()) return False();
  if (kept.size() == 1) return kept.front();
  return Make({.kind = Kind::kOr, .parts = std::move(kept)});
}

Formula Formula::Not(Formula f) {
  if (IsTrue(f)) return False();
  if (IsFalse(f)) return True();
  if (f.kind() == Kind::kNot) return f.parts().front();
  return Make({.kind = Kind::kNot, .parts = {std::move(f)}});
}

Formula Formula::Implies(Formula a, Formula b) { return Or({Not(std::move(a)), std::move(b)}); }

Formula Formula::Exists(std::vector<int64_t> variables, Formula body) {
  if (variables.empty()) return body;
  return Make({.kind = Kind::kExists, .parts = {std::move(body)}, .bound = std::move(variables)});
}

bool Formula::HasQuantifier() const {
  return kind() == Kind::kExists ||
         llvm::any_of(parts(), [](const Formula& f) { return f.HasQuantifier(); });
}

Formula Substitute(const Formula& f, SymbolicExpr::Substitution fn) {
  using Kind = Formula::Kind;
  std::vector<Formula> parts;
  for (const Formula& part : f.parts()) parts.push_back(Substitute(part, fn));
  auto term = [&](SymbolicExpr e) { return e ? e.Substitute(fn) : e; };
  switch (f.kind()) {
    case Kind::kTrue:
    case Kind::kFalse:
      break;
    case Kind::kEq:
      return Formula::Eq(term(f.lhs()), term(f.rhs()));
    case Kind::kLe:
      return Formula::Le(term(f.lhs()), term(f.rhs()));
    case Kind::kAnd:
      return Formula::And(std::move(parts));
    case Kind::kOr:
      return Formula::Or(std::move(parts));
    case Kind::kNot:
      return Formula::Not(std::move(parts[0]));
    case Kind::kExists:
      return Formula::Exists(f.bound().vec(), std::move(parts[0]));
  }
  return f;
}

std::string Formula::ToString() const {
  auto text = [](SymbolicExpr e) { return e ? e.ToString() : std::string("<ill-formed>"); };
  switch (kind()) {
    case Kind::kTrue:
      return "true";
    case Kind::kFalse:
      return "false";
    case Kind::kEq:
      return text(lhs()) + " = " + text(rhs());
    case Kind::kLe:
      return text(lhs()) + " <= " + text(rhs());
    case Kind::kAnd:
      return Join(parts(), " and ");
    case Kind::kOr:
      return Join(parts(), " or ");
    case Kind::kNot:
      return "not " + Join(parts(), "");
    case Kind::kExists: {
      std::string names = llvm::join(
          llvm::map_range(bound(), [](int64_t k) { return "d" + std::to_string(k); }), ", ");
      return "exists " + names + ": " + Join(parts(), "");
    }
  }
  return "";
}

namespace {

// Looks for what makes a query ill-formed.
class Validator {
 public:
  explicit Validator(int64_t num_variables)
      : open_(num_variables), bound_(num_variables), free_(num_variables) {}

  const char* Check(const Formula& f) {
    if (const char* problem = Visit(f)) return problem;
    for (size_t k = 0; k < free_.size(); ++k) {
      if (free_[k] && bound_[k]) return "a variable that is both free and bound";
    }
    return nullptr;
  }

 private:
  bool Known(int64_t k) const { return k >= 0 && k < static_cast<int64_t>(open_.size()); }

  const char* VisitTerm(SymbolicExpr e) {
    if (!e) return "an ill-formed term";
    const char* problem = nullptr;
    e.Walk([&](SymbolicExpr node) {
      if (!node.IsVariable()) return;
      if (node.var_kind() != VarKind::kDim) {
        problem = "a variable that is not Dim(k)";
      } else if (!Known(node.value())) {
        problem = "a variable without bounds";
      } else if (!open_[node.value()]) {
        free_[node.value()] = true;
      }
    });
    return problem;
  }

  const char* Visit(const Formula& f) {
    if (f.kind() == Formula::Kind::kEq || f.kind() == Formula::Kind::kLe) {
      const char* problem = VisitTerm(f.lhs());
      return problem ? problem : VisitTerm(f.rhs());
    }
    for (int64_t k : f.bound()) {
      if (!Known(k)) return "a bound variable without bounds";
      if (open_[k]) return "a variable that is bound twice";
      open_[k] = bound_[k] = true;
    }
    const char* problem = nullptr;
    for (const Formula& part : f.parts()) {
      if (!problem) problem = Visit(part);
    }
    for (int64_t k : f.bound()) open_[k] = false;
    return problem;
  }

  std::vector<bool> open_, bound_, free_;
};

}  // namespace

std::optional<std::string> FindProblem(const SolverQuery& query) {
  Validator validator(static_cast<int64_t>(query.variables.size()));
  const char* problem = validator.Check(query.claim);
  if (!problem) return std::nullopt;
  return std::string("the query holds ") + problem;
}

std::string VariableName(const SolverQuery& query, int64_t variable) {
  if (variable < static_cast<int64_t>(query.names.size()) && !query.names[variable].empty()) {
    return query.names[variable];
  }
  return "d" + std::to_string(variable);
}

}  // namespace affirm
