// Rebuilds terms under the facts of a scope, visits their parts, and prints them.
#include <functional>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
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
      return Apply(term->operation, term->type, args);
    case Kind::kSelect:
      return Select(args[0], args[1], args[2]);
    case Kind::kFold:
      return Fold(term->operation, args[0], args[1], args.drop_front(2));
    default:
      return term;  // without operands
  }
}

Term Scope::Simplify(Term term) {
  return Find<Term, Term>(simplified_, term, term, [&]() -> Term {
    if (pool_.IsSpent()) return term;
    if (term->sort() == Sort::kInteger) {
      Range range = RangeOf(term);
      if (range.single()) return pool_.Number(range.lo);
    } else if (term->sort() == Sort::kCondition) {
      if (auto decided = Decide(term)) return *decided ? pool_.True() : pool_.False();
    }
    if (BindsAnew(term)) return term;
    return Rebuild(term, [&](Term part) { return Simplify(part); });
  });
}

bool Scope::BindsAnew(Term term) const {
  if (term->kind != Kind::kFold) return false;
  return llvm::any_of(term->args.drop_front(2), [&](Term variable) {
    if (IsApart(variable)) return false;
    return llvm::any_of(facts_, [&](Term fact) {
      return AnyPart(fact, [&](Term part) { return part == variable; });
    });
  });
}

Term Scope::Substitute(Term term, const llvm::DenseMap<Term, Term>& variables) {
  llvm::DenseMap<Term, Term> done = variables;
  std::function<Term(Term)> replace = [&](Term part) {
    auto found = done.find(part);
    if (found != done.end()) return found->second;
    Term result =
        BindsAnew(part) ? Scope(pool_).Substitute(part, variables) : Rebuild(part, replace);
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
    case Kind::kApply:
      if (term->op() == Op::kComplex) return ComplexOf(pool_, args[0], args[1], term->type);
      if (args.size() == 2)
        return OperationOnIntegers(*this, term->operation, term->type, args[0], args[1]);
      if (term->op() == Op::kBitcast) return WithBits(pool_, args[0], term->type);
      if (term->op() == Op::kReal) return RealPart(pool_, args[0]);
      if (term->op() == Op::kImag) return ImaginaryPart(pool_, args[0]);
      return pool_.WithArgs(term, args);
    default:
      return pool_.WithArgs(term, args);
  }
}

void ForEachPart(Term root, llvm::function_ref<Visit(Term)> visit) {
  std::vector<Term> stack = {root};
  llvm::DenseSet<Term> seen;
  while (!stack.empty()) {
    Term term = stack.back();
    stack.pop_back();
    if (!seen.insert(term).second) continue;
    const Visit next = visit(term);
    if (next == Visit::kStop) return;
    if (next == Visit::kPast) continue;
    stack.insert(stack.end(), term->args.begin(), term->args.end());
    for (const Monomial& m : term->sum) stack.push_back(m.atom);
  }
}

bool AnyPart(Term root, llvm::function_ref<bool(Term)> is_wanted) {
  bool found = false;
  ForEachPart(root, [&](Term term) {
    found = is_wanted(term);
    return found ? Visit::kStop : Visit::kInto;
  });
  return found;
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

namespace {

// Prints a term up to a limit: terms share parts, so the full text may be exponentially long.
class TermWriter {
 public:
  explicit TermWriter(size_t limit) : limit_(limit) {}

  void Write(Term term);
  std::string Take() {
    if (text_.size() <= limit_) return std::move(text_);
    text_.resize(limit_);
    return text_ + "...";
  }

 private:
  void WriteList(llvm::ArrayRef<Term> terms, llvm::StringRef separator = ", ") {
    for (size_t i = 0; i < terms.size() && text_.size() <= limit_; ++i) {
      if (i > 0) text_ += separator;
      Write(terms[i]);
    }
  }
  void WriteSum(Term term) {
    for (size_t i = 0; i < term->sum.size() && text_.size() <= limit_; ++i) {
      const Monomial& m = term->sum[i];
      if (i > 0) text_ += " + ";
      if (m.coefficient != 1) text_ += ToString(m.coefficient) + "*";
      Write(m.atom);
    }
    if (term->number != 0 || term->sum.empty()) {
      text_ += (term->sum.empty() ? "" : " + ") + ToString(term->number);
    }
  }

  size_t limit_;
  std::string text_;
};

void TermWriter::Write(Term term) {
  if (text_.size() > limit_) return;
  const auto args = term->args;
  // Prints `head`, the operands and ")".
  auto call = [&](const llvm::Twine& head, llvm::ArrayRef<Term> operands,
                  llvm::StringRef separator = ", ") {
    text_ += head.str();
    WriteList(operands, separator);
    text_ += ")";
  };
  switch (term->kind) {
    case Kind::kSum:
      return WriteSum(term);
    case Kind::kVariable:
      text_ += term->name;
      return;
    case Kind::kQuotient:
      call("((", args);
      text_ += " floordiv " + ToString(term->number) + ")";
      return;
    case Kind::kMax:
      return call("max(", args);
    case Kind::kProduct:
      return call("(", args, " * ");
    case Kind::kPick:
    case Kind::kSelect:
      text_ += "(";
      Write(args[0]);
      text_ += " ? ";
      return call("", args.drop_front(), " : ");
    case Kind::kInteger:
    case Kind::kHolds:
    case Kind::kOfCondition:
      return Write(args[0]);
    case Kind::kOfInteger:
      return call(hlo::Name(term->type) + "(", args);
    case Kind::kUnknown:
      text_ += "unknown" + ToString(term->number);
      return;
    case Kind::kTrue:
      text_ += "true";
      return;
    case Kind::kFalse:
      text_ += "false";
      return;
    case Kind::kAtLeastZero:
      Write(args[0]);
      text_ += " >= 0";
      return;
    case Kind::kIsZero:
      Write(args[0]);
      text_ += " = 0";
      return;
    case Kind::kNot:
      return call("not (", args);
    case Kind::kAnd:
      return call("(", args, " and ");
    case Kind::kLiteral:
      text_ += hlo::Name(term->type).str() + "#" + ToString(term->number);
      return;
    case Kind::kLoad:
      text_ += "load" + ToString(term->number) + "[";
      Write(args[0]);
      text_ += "]";
      return;
    case Kind::kApply:
      return call(ToString(term->operation) + "(", args);
    case Kind::kFold:
      text_ += "fold-" + ToString(term->operation) + "(";
      Write(args[1]);
      text_ += " where ";
      Write(args[0]);
      return call(", over ", args.drop_front(2));
    case Kind::kArbitrary:
      text_ += "arbitrary" + ToString(term->number);
      return;
  }
}

}  // namespace

std::string ToString(Term term, size_t limit) {
  TermWriter writer(limit);
  writer.Write(term);
  return writer.Take();
}

}  // namespace affirm::terms
