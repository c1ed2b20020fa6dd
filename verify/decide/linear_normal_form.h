// The normal form in which terms reach Z3: linear forms over atoms, every quotient an atom of its
// own. (d0 * 4 + d1) floordiv 4 with d1 in [0, 3] is d0; d0 mod 4 is d0 - 4 * a1 where the atom a1
// is d0 div 4.
//
// A positive divisor may also be a form, such as a variable: (d0 div d1) div d2 is
// d0 div (d1 * d2).
//
// `x mod m` becomes x - m * (x div m), a quotient by a negative constant one by its opposite,
// nested quotients are flattened, and a quotient is shared by everything that divides the same form
// by the same number. Each step is an equation between integers that holds at every point of the
// variables' bounds, so a term and its normal form have the same value wherever the term has one.
// If the bounds do not show that a divisor is not 0, or a modulus positive, the term is an atom
// that may have any value there: no equation about quotients is used for it.
#ifndef AFFIRM_VERIFY_DECIDE_LINEAR_NORMAL_FORM_H_
#define AFFIRM_VERIFY_DECIDE_LINEAR_NORMAL_FORM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/symbolic/expr.h"
#include "core/symbolic/interval.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "verify/decide/linear_form.h"

namespace affirm {

class LinearNormalForm {
 public:
  enum class AtomKind : uint8_t {
    kVariable,      // `variable` of the query
    kQuotient,      // operands[0] div divisor, divisor > 1
    kFormQuotient,  // operands[0] div operands[1]; free where the divisor is 0
    kFormResidue,   // operands[0] mod operands[1], with operands[0] div operands[1] as operands[2];
                    // free where the modulus is not positive
    kProduct,       // the product of `factors`, at least two
    kMin,           // of operands, at least two
    kMax,
  };
  struct Atom {
    AtomKind kind = AtomKind::kVariable;
    int64_t variable = 0;
    BigInt divisor = BigInt(0);
    std::vector<LinearForm> operands = {};
    std::vector<uint32_t> factors = {};
    // Contains every value of the atom.
    BigInterval bounds = {};
  };

  explicit LinearNormalForm(llvm::ArrayRef<Interval> variables) : variables_(variables) {}

  // The normal form of a term over Dim(k); null when it grows past the limits on atoms and terms.
  const LinearForm* Lower(SymbolicExpr e);

  // Contains every value of the form; takes into account how quotients depend on their numerators.
  BigInterval Bounds(const LinearForm& form) const;

  // Atoms in an order in which each refers to earlier ones only.
  llvm::ArrayRef<Atom> atoms() const { return atoms_; }

 private:
  using Key = std::tuple<AtomKind, int64_t, BigInt, std::vector<LinearForm>, std::vector<uint32_t>>;

  LinearForm LowerNode(SymbolicExpr e);
  LinearForm LowerProduct(SymbolicExpr e);
  LinearForm LowerQuotient(SymbolicExpr e);
  LinearForm LowerMinMax(SymbolicExpr e);
  LinearForm Multiply(const LinearForm& a, const LinearForm& b);
  // form div divisor, divisor > 0.
  LinearForm FloorDiv(LinearForm form, BigInt divisor);
  LinearForm FormQuotient(LinearForm form, LinearForm divisor);
  // The same for a divisor that is positive and no constant.
  LinearForm PositiveQuotient(LinearForm form, LinearForm divisor);
  LinearForm FormResidue(const LinearForm& form, const LinearForm& modulus);
  LinearForm PullProducts(LinearForm& form, const LinearForm& divisor);
  // Whether 0 <= form < divisor.
  bool IsWithin(const LinearForm& form, const LinearForm& divisor) const;
  bool FlattenForms(LinearForm& form, LinearForm& divisor);
  bool CancelAtom(LinearForm& form, LinearForm& divisor);
  // The factors of a product, sorted; any other atom is its own factor.
  std::vector<uint32_t> FactorsOf(uint32_t atom) const;
  bool Flatten(LinearForm& form, BigInt& divisor) const;
  bool DropSmallRest(LinearForm& form, BigInt& divisor) const;

  uint32_t Intern(Atom atom);
  BigInterval AtomBounds(const Atom& atom) const;
  BigInterval PlainBounds(const LinearForm& form) const;
  // An end of `form` found by replacing quotients by their rational bounds, outermost first.
  std::optional<BigInt> UpperByElimination(LinearForm form) const;

  llvm::ArrayRef<Interval> variables_;
  std::vector<Atom> atoms_;
  std::map<Key, uint32_t> index_;
  llvm::DenseMap<SymbolicExpr, LinearForm> lowered_;
  bool too_large_ = false;
};

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_LINEAR_NORMAL_FORM_H_
