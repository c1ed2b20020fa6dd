// The computation that a kernel is held to, where its dots say, or leave open, to what their
// operands are rounded.
//
//   r = f32[64,64] dot(x, y), ..., algorithm=dot_bf16_bf16_f32
//
// is a dot of operands that are converted to bf16 (verify/calls/dot_algorithms.h). A dot of f32 in
// default precision says nothing; where the kernel has instructions that multiply matrices of TF32,
// it is one of operands that are rounded to ten bits of the mantissa, in whichever direction.
#ifndef AFFIRM_DRIVER_VALIDATE_ROUNDED_DOTS_H_
#define AFFIRM_DRIVER_VALIDATE_ROUNDED_DOTS_H_

#include <memory>

#include "driver/validate/validate.h"

namespace affirm::driver {

// A subject whose computation has only dots of what is multiplied; the one that is given where it
// has no others. That one outlives this.
class RoundedDots {
 public:
  explicit RoundedDots(const KernelSubject& given);
  const KernelSubject& subject() const { return subject_; }

 private:
  std::unique_ptr<hlo::Module> module_;
  KernelSubject subject_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_ROUNDED_DOTS_H_
