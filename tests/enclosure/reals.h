// Real numbers of 200 bits, and the functions that floating-point operations approximate, correctly
// rounded (MPFR 4.2 manual, "MPFR Interface").
#ifndef AFFIRM_TESTS_ENCLOSURE_REALS_H_
#define AFFIRM_TESTS_ENCLOSURE_REALS_H_

#include <mpfr.h>

#include <optional>

#include "core/hlo/opcode.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/enclosure/interval.h"

namespace affirm::enclosure {

class Real {
 public:
  Real() { mpfr_init2(value_, kBits); }
  explicit Real(double value) : Real() { mpfr_set_d(value_, value, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double ToDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }
  bool IsNaN() const { return mpfr_nan_p(value_) != 0; }
  // Up to the error of 200 bits.
  bool IsIn(const Interval& a) const;

 private:
  static constexpr mpfr_prec_t kBits = 200;
  mpfr_t value_;
};

// The float operation of one or two operands; nullopt of operations that round no function.
std::optional<Real> Apply(hlo::Opcode opcode, llvm::ArrayRef<Real> operands);

}  // namespace affirm::enclosure

#endif  // AFFIRM_TESTS_ENCLOSURE_REALS_H_
