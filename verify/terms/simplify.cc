// Terms rebuilt where more is known, printed, and evaluated.
#include <functional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/terms/range.h"
#include "verify/terms/scope.h"

namespace affirm::terms {

Term Pool::WithArgs(Term term, llvm::ArrayRef<Term> args) {
  if (args == term->args) return term;
  switch (term->kind) {
    case Kind::kQuotient:
      return QuotientAtom(args[0], term->number);
    case Kind::kMax:
      return MaxAtom(args[0], args[1]);
    case Kind::kProduct: {
      Term product = Number(1);
      for (Term arg : args) product = Multiply(product, arg);
      return product;
    }
    case Kind::kPick:
      return PickAtom(args[0], args[1], args[2]);
    case Kind::kInteger:
      return IntegerOf(args[0]);
    case Kind::kAtLeastZero:
      return AtLeastZero(args[0]);
    case Kind::kIsZero:
      return IsZero(args[0]);
    case Kind::kNot:
      return Not(args[0]);
    case Kind::kAnd:
      return And(args);
    case Kind::kHolds:
      return Holds(args[0]);
    case Kind::kLoad:
      return Load(static_cast<int64_t>(term->number), args[0], term->type);
    case Kind::kOfInteger:
      return OfInteger(args[0], term->type);
    case Kind::kOfCondition:
      return OfCondition(args[0]);
    case Kind::kApply:
      return Apply(term->name, term->type, args);
    case Kind::kSelect:
      return Select(args[0], args[1], args[2]);
    case Kind::kFold:
      return Fold(term->name, args[0], args[1], args.drop_front(2));
    default:
      return term;  // without operands
  }
}

Term Scope::Simplify(Term term) {
  auto found = simplified_.find(term);
  if (found != simplified_.end()) return found->second;
  Term result = nullptr;
  if (term->sort() == Sort::kInteger) {
    Range range = RangeOf(term);
    if (range.single()) result = pool_.Number(range.lo);
  } else if (term->sort() == Sort::kCondition) {
    auto decided = Decide(term);
    if (decided) result = *decided ? pool_.True() : pool_.False();
  }
  if (!result) result = Rebuild(term, [&](Term part) { return Simplify(part); });
  simplified_[term] = result;
  return result;
}

Term Scope::Substitute(Term term, const llvm::DenseMap<Term, Term>& variables) {
  llvm::DenseMap<Term, Term> done = variables;
  std::function<Term(Term)> replace = [&](Term part) {
    auto found = done.find(part);
    if (found != done.end()) return found->second;
    Term result = Rebuild(part, replace);
    done[part] = result;
    return result;
  };
  return replace(term);
}

Term Scope::Rebuild(Term term, llvm::function_ref<Term(Term)> part) {
  if (term->kind == Kind::kSum) {
    llvm::SmallVector<Monomial, 8> monomials;
    bool changed = false;
    for (const Monomial& m : term->sum) {
      monomials.push_back({m.coefficient, part(m.atom)});
      changed |= monomials.back().atom != m.atom;
    }
    return changed ? pool_.Sum(term->number, monomials) : term;
  }
  if (term->args.empty()) return term;
  llvm::SmallVector<Term, 4> args;
  for (Term arg : term->args) args.push_back(part(arg));
  switch (term->kind) {
    case Kind::kQuotient:
      return Quotient(args[0], term->number);
    case Kind::kMax:
      return Max(args[0], args[1]);
    case Kind::kPick:
      return Pick(args[0], args[1], args[2]);
    case Kind::kSelect:
      return Select(args[0], args[1], args[2]);
    default:
      return pool_.WithArgs(term, args);
  }
}

std::string ToString(Int128 number) {
  if (number == 0) return "0";
  std::string digits;
  bool negative = number < 0;
  for (Int128 n = number; n != 0; n /= 10) {
    int digit = static_cast<int>(n % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return negative ? "-" + digits : digits;
}

std::string ToString(const Range& range) {
  return "[" + (IsInfinite(range.lo) ? "-inf" : ToString(range.lo)) + ", " +
         (IsInfinite(range.hi) ? "inf" : ToString(range.hi)) + "]";
}

static std::string Join(llvm::ArrayRef<Term> terms, llvm::StringRef separator = ", ") {
  std::string text;
  for (Term t : terms) {
    if (!text.empty()) text += separator;
    text += ToString(t);
  }
  return text;
}

std::string ToString(Term term) {
  const auto args = term->args;
  switch (term->kind) {
    case Kind::kSum: {
      std::string text;
      for (const Monomial& m : term->sum) {
        if (!text.empty()) text += " + ";
        if (m.coefficient != 1) text += ToString(m.coefficient) + "*";
        text += ToString(m.atom);
      }
      if (term->number != 0 || text.empty())
        text += (text.empty() ? "" : " + ") + ToString(term->number);
      return text;
    }
    case Kind::kVariable:
      return term->name.str();
    case Kind::kQuotient:
      return "((" + ToString(args[0]) + ") floordiv " + ToString(term->number) + ")";
    case Kind::kMax:
      return "max(" + Join(args) + ")";
    case Kind::kProduct:
      return "(" + Join(args, " * ") + ")";
    case Kind::kPick:
    case Kind::kSelect:
      return "(" + ToString(args[0]) + " ? " + ToString(args[1]) + " : " + ToString(args[2]) + ")";
    case Kind::kInteger:
    case Kind::kHolds:
    case Kind::kOfCondition:
      return ToString(args[0]);
    case Kind::kOfInteger:
      return hlo::Name(term->type).str() + "(" + ToString(args[0]) + ")";
    case Kind::kUnknown:
      return "unknown" + ToString(term->number);
    case Kind::kTrue:
      return "true";
    case Kind::kFalse:
      return "false";
    case Kind::kAtLeastZero:
      return ToString(args[0]) + " >= 0";
    case Kind::kIsZero:
      return ToString(args[0]) + " = 0";
    case Kind::kNot:
      return "not (" + ToString(args[0]) + ")";
    case Kind::kAnd:
      return "(" + Join(args, " and ") + ")";
    case Kind::kLiteral:
      return hlo::Name(term->type).str() + "#" + ToString(term->number);
    case Kind::kLoad:
      return "load" + ToString(term->number) + "[" + ToString(args[0]) + "]";
    case Kind::kApply:
      return term->name.str() + "(" + Join(args) + ")";
    case Kind::kFold:
      return "fold-" + term->name.str() + "(" + ToString(args[1]) + " where " + ToString(args[0]) +
             ", over " + Join(args.drop_front(2)) + ")";
    case Kind::kArbitrary:
      return "arbitrary" + ToString(term->number);
  }
  return "";
}

}  // namespace affirm::terms
