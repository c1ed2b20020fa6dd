// Polynomials over numbered atoms and a table of the quotients, minima and maxima among them, as
// the certificate checker has them (verify/coq/certificate). Nothing here is trusted.
#ifndef AFFIRM_VERIFY_PROVER_POLYNOMIAL_H_
#define AFFIRM_VERIFY_PROVER_POLYNOMIAL_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/symbolic/any_size.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm::prover {

// Atoms in increasing order; none: the constant 1.
using Monomial = llvm::SmallVector<int, 2>;

// A sum of multiples of monomials; no coefficient is 0.
class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(const BigInt& constant) { Add(Monomial{}, constant); }
  static Polynomial Atom(int atom);

  using Terms = std::vector<std::pair<Monomial, BigInt>>;  // in increasing order
  const Terms& terms() const { return terms_; }
  BigInt CoefficientOf(const Monomial& monomial) const;  // 0 where it has none
  BigInt constant() const;
  std::optional<BigInt> AsConstant() const;
  void Add(const Monomial& monomial, const BigInt& c);
  // *this += c * other
  void Add(const Polynomial& other, const BigInt& c);
  Polynomial operator*(const Polynomial& other) const;
  friend bool operator==(const Polynomial&, const Polynomial&) = default;

  // "3*1*2 -7", as certificates write it.
  std::string ToString() const;

 private:
  Terms terms_;
};

struct TableEntry {
  enum class Op { kQuotient, kMin, kMax };
  Op op = Op::kQuotient;
  Polynomial left, right;
};

// Atoms 1..variables are variables; atom variables + 1 + k is entries()[k].
class AtomTable {
 public:
  explicit AtomTable(int variables) : variables_(variables) {}

  using VariableForm = std::function<Polynomial(VarKind, int64_t)>;
  // The polynomial of an expression. Adds the atoms that are missing.
  Polynomial Of(SymbolicExpr e, const VariableForm& variable);
  int Intern(TableEntry entry);

  int variables() const { return variables_; }
  const std::vector<TableEntry>& entries() const { return entries_; }
  // Null for a variable.
  const TableEntry* Find(int atom) const {
    return atom > variables_ ? &entries_[static_cast<size_t>(atom - variables_ - 1)] : nullptr;
  }

 private:
  int variables_;
  std::vector<TableEntry> entries_;
};

std::string Text(const BigInt& n);

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_POLYNOMIAL_H_
