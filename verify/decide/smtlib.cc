// Queries as SMT-LIB 2, straight from the terms (no normal form in between), so that any solver
// can check an answer.
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "verify/decide/decider.h"
#include "verify/decide/engines.h"

namespace affirm {
namespace {

std::string Number(int64_t v) {
  std::string text = std::to_string(v);
  return v < 0 ? "(- " + text.substr(1) + ")" : text;
}

std::string Apply(llvm::StringRef op, llvm::ArrayRef<std::string> args) {
  std::string text = "(" + op.str();
  for (const std::string& a : args) text += " " + a;
  return text + ")";
}

// SMT-LIB's div and mod are Euclidean: they round as floordiv does for positive divisors only.
std::string FloorDiv(const std::string& a, const std::string& b) {
  return "(ite (> " + b + " 0) (div " + a + " " + b + ") (div (- " + a + ") (- " + b + ")))";
}

std::string NodeText(SymbolicExpr e, llvm::ArrayRef<std::string> ops) {
  switch (e.kind()) {
    case ExprKind::kConstant:
      return Number(e.value());
    case ExprKind::kVariable:
      return "v" + std::to_string(e.value());
    case ExprKind::kAdd:
    case ExprKind::kMul: {
      llvm::SmallVector<std::string> all(ops.begin(), ops.end());
      bool add = e.kind() == ExprKind::kAdd;
      if (e.value() != (add ? 0 : 1) || all.size() < 2) all.push_back(Number(e.value()));
      return Apply(add ? "+" : "*", all);
    }
    case ExprKind::kFloorDiv:
      return FloorDiv(ops[0], ops[1]);
    case ExprKind::kCeilDiv:
      return "(- " + FloorDiv("(- " + ops[0] + ")", ops[1]) + ")";
    case ExprKind::kMod:
      return Apply("mod", ops);
    case ExprKind::kMin:
    case ExprKind::kMax: {
      std::string result = ops[0];
      const char* relation = e.kind() == ExprKind::kMin ? "<=" : ">=";
      for (const std::string& next : ops.drop_front()) {
        std::string wins = Apply(relation, {result, next});
        result = Apply("ite", {wins, result, next});
      }
      return result;
    }
  }
  return "0";
}

// An atom with one `let` for each distinct inner node, so that sharing is kept.
std::string AtomText(llvm::StringRef relation, SymbolicExpr lhs, SymbolicExpr rhs) {
  if (!lhs || !rhs) return "false";
  llvm::DenseMap<SymbolicExpr, std::string> names;
  std::string lets, closing;
  auto visit = [&](SymbolicExpr node) {
    if (names.count(node)) return;
    llvm::SmallVector<std::string> ops;
    for (SymbolicExpr op : node.ops()) ops.push_back(names.find(op)->second);
    std::string text = NodeText(node, ops);
    if (node.ops().empty()) {
      names[node] = text;
      return;
    }
    std::string name = "t" + std::to_string(names.size());
    lets += "(let ((" + name + " " + text + ")) ";
    closing += ")";
    names[node] = name;
  };
  lhs.Walk(visit);
  rhs.Walk(visit);
  return lets + Apply(relation, {names[lhs], names[rhs]}) + closing;
}

std::string InBounds(int64_t variable, Interval bounds) {
  std::string name = "v" + std::to_string(variable);
  llvm::SmallVector<std::string> parts = {"true"};
  if (bounds.HasLower()) parts.push_back(Apply("<=", {Number(bounds.lower), name}));
  if (bounds.HasUpper()) parts.push_back(Apply("<=", {name, Number(bounds.upper)}));
  return Apply("and", parts);
}

std::string FormulaText(const SolverQuery& query, const Formula& f) {
  llvm::SmallVector<std::string> parts;
  for (const Formula& part : f.parts()) parts.push_back(FormulaText(query, part));
  switch (f.kind()) {
    case Formula::Kind::kTrue:
      return "true";
    case Formula::Kind::kFalse:
      return "false";
    case Formula::Kind::kEq:
      return AtomText("=", f.lhs(), f.rhs());
    case Formula::Kind::kLe:
      return AtomText("<=", f.lhs(), f.rhs());
    case Formula::Kind::kAnd:
      return Apply("and", parts);
    case Formula::Kind::kOr:
      return Apply("or", parts);
    case Formula::Kind::kNot:
      return Apply("not", parts);
    case Formula::Kind::kExists: {
      std::string variables;
      llvm::SmallVector<std::string> body;
      for (int64_t k : f.bound()) {
        variables += "(v" + std::to_string(k) + " Int)";
        body.push_back(InBounds(k, query.variables[k]));
      }
      body.push_back(parts[0]);
      return "(exists (" + variables + ") " + Apply("and", body) + ")";
    }
  }
  return "false";
}

}  // namespace

std::string ToSmtLib(const SolverQuery& query) {
  std::string text = "; unsat: the claim holds for all values within the bounds\n";
  if (auto problem = FindProblem(query)) return text + "; " + *problem + "\n";
  text += query.claim.HasQuantifier() ? "(set-logic NIA)\n" : "(set-logic QF_NIA)\n";
  // Variables that a quantifier binds are declared, and bounded, there.
  std::vector<int64_t> bound = FindVariables(query).bound;
  std::string bounds;
  for (int64_t k = 0; k < static_cast<int64_t>(query.variables.size()); ++k) {
    if (llvm::is_contained(bound, k)) continue;
    text += "(declare-const v" + std::to_string(k) + " Int)  ; " + VariableName(query, k) + "\n";
    bounds += "(assert " + InBounds(k, query.variables[k]) + ")\n";
  }
  text += bounds;
  text += "(assert (not " + FormulaText(query, query.claim) + "))\n(check-sat)\n";
  return text;
}

}  // namespace affirm
