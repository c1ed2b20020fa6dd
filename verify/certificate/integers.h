// Integer terms for the certificate checker: polynomials over variables, quotients, min and max.
//
// It knows no more of integers than this:
//   - sums and products are polynomials;
//   - x mod m is x - m * (x floordiv m), x ceildiv c is -((-x) floordiv c), and a quotient by -c is
//     that of the opposite by c;
//   - (x floordiv a + z) floordiv b is (x + a * z) floordiv (a * b) for a, b > 0;
//   - c * (x floordiv c) lies between x - (c - 1) and x;
//   - the range of a sum, a product, a quotient, a minimum and a maximum from those of its parts.
// Arithmetic is on integers of any size. After a division by the constant 0, a modulus that is not
// positive or a product of too many terms the table is `broken`, and nothing is accepted.
#ifndef AFFIRM_VERIFY_CERTIFICATE_INTEGERS_H_
#define AFFIRM_VERIFY_CERTIFICATE_INTEGERS_H_

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "verify/certificate/int.h"

namespace affirm::certificate {

// An absent end is infinite.
struct Range {
  std::optional<Int> lower, upper;
  bool IsPoint() const { return lower && upper && *lower == *upper; }
  bool IsEmpty() const { return lower && upper && *lower > *upper; }
  friend bool operator==(const Range&, const Range&) = default;
};
Range Sum(const Range& a, const Range& b);
Range Scaled(const Range& a, const Int& by);

// Atoms whose product it is, in increasing order; none: the constant 1.
using Monomial = std::vector<int>;
// Coefficients, none of them 0.
using Form = std::map<Monomial, Int>;

struct Fact {
  Form form;
  Range range;
};

// The constant summand of a form.
Int ConstantOf(const Form& form);
// The greatest common divisor of the coefficients other than the constant; 0 when there are none.
Int CommonFactor(const Form& form);

class Integers {
 public:
  Form Constant(const Int& value);
  Form Variable(int index);
  // a + scale * b
  Form Add(Form a, const Form& b, const Int& scale = 1);
  Form Multiply(const Form& a, const Form& b);
  Form FloorDiv(Form x, const Form& divisor);
  Form CeilDiv(const Form& x, const Form& divisor);
  Form Mod(const Form& x, const Form& modulus);
  Form Min(std::vector<Form> of) { return Extremum(Kind::kMin, std::move(of)); }
  Form Max(std::vector<Form> of) { return Extremum(Kind::kMax, std::move(of)); }

  // Contains every value that the form takes where the facts hold.
  Range Bounds(const Form& form, const std::vector<Fact>& facts);

  // A form that something was divided by, or taken modulo.
  struct Divisor {
    Form form;
    bool is_modulus = false;
  };
  // Those that are not constants, since the last call. They are the reader's to judge: a quotient
  // by 0 and a residue modulo less than 1 have no value.
  std::vector<Divisor> TakeDivisors() { return std::exchange(divisors_, {}); }

  // A division by the constant 0, a modulus that is not positive, or a product of too many terms.
  bool broken() const { return broken_; }

  // The divisors of the quotients in a form, inner ones included.
  std::vector<Int> Divisors(const Form& form) const;

 private:
  enum class Kind { kVariable, kQuotient, kFormQuotient, kMin, kMax };
  struct Atom {
    Kind kind;
    int variable;
    Int divisor;                 // kQuotient, greater than 1
    std::vector<Form> operands;  // in a fixed order for min and max
    friend auto operator<=>(const Atom&, const Atom&) = default;
  };

  int Intern(Atom atom);
  static Form OfAtom(int atom) { return {{{atom}, 1}}; }
  Form Extremum(Kind kind, std::vector<Form> of);
  bool Flatten(Form& x, Int& divisor);

  Range BoundsWithin(const Form& form, const std::vector<Fact>& facts, int eliminations);
  Range OfChoices(const Form& rest, const Atom& m, const Int& a, const std::vector<Fact>& facts,
                  int eliminations);
  Range PlainBounds(const Form& form, const std::vector<Fact>& facts);
  Range AtomBounds(int atom, const std::vector<Fact>& facts);
  Range BoundsOfNewAtom(int atom, const std::vector<Fact>& facts);

  std::vector<Atom> atoms_;
  std::map<Atom, int> index_;
  std::vector<Divisor> divisors_;
  bool broken_ = false;
  // During one call of Bounds, whose facts don't change:
  int budget_ = 0;                 // forms that may still be looked at
  std::map<int, Range> of_atoms_;  // ranges that are known already
};

}  // namespace affirm::certificate

#endif  // AFFIRM_VERIFY_CERTIFICATE_INTEGERS_H_
