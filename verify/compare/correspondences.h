// The forms in which a kernel may compute an HLO op and that no value rule states
// (verify/logic/term_rule.h):
//
//   op                            what a kernel may compute instead
//   sign(x)                       x where x is NaN or 0, else 1 with the sign of x
//   atan2(y, x)                   where both are 0: 0 or pi by the sign of x, with the sign of y
//   reduce-precision              integers (reduced_precision.h)
//   a comparison in total order   that of the integers x ^ (x >>s (w - 1) >>u 1) of the bits
//                                 of x, for types whose bits order so
//   convert between f32 and       integers (verify/terms/small_floats.h)
//     floats of eight bits, and
//     of bf16 to f32
//   convert of integers to        through f32, where what is rounded there is exact, or beyond all
//     narrow floats                 values of the narrow type
//   convert of f64 and integers   through an f32 that is rounded to odd (narrowed_values.h)
//     to narrow floats
//   power of integers             products of squares, one for each bit (terms/machine.h)
//   an operation on constants     the constant that the interpreter computes of them
//                                 (constant_sums.h, terms/float_operations.cc)
//   add, subtract, negate of      the same of each part
//     complex numbers
//   equality of complex numbers   that of both parts
//   multiply of complex numbers   (re a * re b - im a * im b, re a * im b + im a * re b)
//   divide and sqrt of f32, bf16  the device's approximation in f32, which may be wrong by some
//     and f16                       ulp: an opaque function, equal to nothing else
//   exponential, rounded to f16   the device's fast function, rounded: CUDA Math API, "Intrinsic
//     or bf16                       Functions", has __expf wrong by 2 + floor(abs(1.173 * x)) ulp
//                                   of f32, less than 2^7 where it is finite; rounding drops 13
//                                   bits or more
//
// Every other operation must be the same on equal operands; reductions are compared as multisets.
#ifndef AFFIRM_VERIFY_COMPARE_CORRESPONDENCES_H_
#define AFFIRM_VERIFY_COMPARE_CORRESPONDENCES_H_

#include <vector>

#include "verify/terms/scope.h"

namespace affirm::compare {

// The forms in which a kernel may compute an operation (kApply) of the computation.
std::vector<terms::Term> CorrespondencesOf(terms::Scope& scope, terms::Term hlo);

// Which float functions a kernel's value uses: correctly rounded quotients and square roots
// (`exact_`), or the device's approximations; and fast exponentials that are rounded to 16 bits.
struct FunctionsOfDevice {
  bool exact_quotients = false, quotients = false, exact_roots = false, roots = false;
  bool fast_exponentials = false;

  void Add(const FunctionsOfDevice& more) {
    exact_quotients |= more.exact_quotients;
    quotients |= more.quotients;
    exact_roots |= more.exact_roots;
    roots |= more.roots;
    fast_exponentials |= more.fast_exponentials;
  }
  bool Any() const { return quotients || roots || fast_exponentials; }
  // A mix would let one operation of HLO have two values.
  bool AreMixed() const { return (exact_quotients && quotients) || (exact_roots && roots); }
};
// The flags of one operation, without its operands.
FunctionsOfDevice FunctionOfDevice(terms::Term operation);
// The computation's value with every quotient, root or exponential replaced by the device's
// function if the kernel uses that. Null where one exponential would be both fast and exact.
terms::Term WithFunctionsOfDevice(terms::Scope& scope, terms::Term hlo,
                                  const FunctionsOfDevice& of_kernel);

// The real or imaginary part of a complex value; sums and products are expanded by the table.
enum class ComplexPart : uint8_t { kReal, kImaginary };
terms::Term PartOf(terms::Pool& pool, terms::Term value, ComplexPart part);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_CORRESPONDENCES_H_
