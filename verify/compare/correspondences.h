// Where a kernel may differ in form from the op that it computes, beside the value rules that are
// exact or defined (verify/logic/term_rule.h): the table of what has no such rule.
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
//   divide and sqrt of f32, bf16  the device's function of that name, computed in f32, which may be
//     and f16                       wrong by some ulp: a value that nothing else is equal to
//   exponential, rounded to f16   the device's fast function, rounded: CUDA Math API, "Intrinsic
//     or bf16                       Functions", has __expf wrong by 2 + floor(abs(1.173 * x)) ulp
//                                   of f32, less than 2^7 where it is finite; 13 bits and more go
//
// Everything else is the same operation on the same operands, reductions being multisets.
#ifndef AFFIRM_VERIFY_COMPARE_CORRESPONDENCES_H_
#define AFFIRM_VERIFY_COMPARE_CORRESPONDENCES_H_

#include <vector>

#include "verify/terms/scope.h"

namespace affirm::compare {

// What a kernel may compute in the place of an operation (kApply) of the computation.
std::vector<terms::Term> CorrespondencesOf(terms::Scope& scope, terms::Term hlo);

// How a kernel's value computes quotients and square roots of floats: rounded correctly, or by a
// function of its device; and exponentials that are rounded to 16 bits.
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
  // One operation of HLO could be exact here and the device's there: two values.
  bool AreMixed() const { return (exact_quotients && quotients) || (exact_roots && roots); }
};
// Those that an operation itself is.
FunctionsOfDevice FunctionOfDevice(terms::Term operation);
// The value of the computation with the device's functions that the kernel has, everywhere: all of
// one operation or none. Null where an exponential would be fast and be itself as well.
terms::Term WithFunctionsOfDevice(terms::Scope& scope, terms::Term hlo,
                                  const FunctionsOfDevice& of_kernel);

// A part of a complex value, of sums and products by the table.
enum class ComplexPart : uint8_t { kReal, kImaginary };
terms::Term PartOf(terms::Pool& pool, terms::Term value, ComplexPart part);

}  // namespace affirm::compare

#endif  // AFFIRM_VERIFY_COMPARE_CORRESPONDENCES_H_
