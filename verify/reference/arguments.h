// Arguments for computations that make wrong results likely to show: of several kinds, from a
// random seed.
#ifndef AFFIRM_VERIFY_REFERENCE_ARGUMENTS_H_
#define AFFIRM_VERIFY_REFERENCE_ARGUMENTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

// Which numbers the elements of arguments are. Where integers are used as indices, kRounding,
// kSpecial and kWide take the bounds to which these are clamped, the numbers next to them, and the
// ends of the type. The starts of `dynamic-slice(f32[10], i), dynamic_slice_sizes={3}`, for
// example, are 7, 8 and 2^31 - 1 (kRounding), or 0, -1 and -2^31 (kSpecial). Integers that count
// the trips of a loop are small in every kind.
enum class ArgumentKind : uint8_t {
  kSmall,     // MakeArguments without a kind: exact sums, small integers
  kRounding,  // floats with every bit of the mantissa, whose sums round; indices at the upper end
  kSpecial,   // infinities, NaN, denormals, signed zeros, the largest numbers; indices at the lower
              // end
  kWide,      // floats of all magnitudes; indices in, and somewhat out of, their bounds
  kEdges,     // numbers at which a rounding to a narrower type changes, and, of types of at most
              // eight bits, any; no NaN and no infinity; indices as kWide
  kUniform,   // each array has one value: zero, an infinity, NaN, the largest number or the least,
              // the ends of an integer type; eight seeds one after another give each to the first
  kEnds,      // zeros, or ones, except at the first or the last place of one dimension
  kRows,      // each row along one dimension has one pattern: negative numbers, one number, an
              // infinity, NaN, zeros of one sign; of integers the ends of the type. Seven seeds one
              // after another give each pattern to the first row of the first array, 0 the negative
              // numbers
  kConstants,  // half of the floats and integers are constants of the computation, or next to one
  kPositive,   // floats from 1/4 to 4 and small positive integers, indices in their bounds: numbers
               // on which loops that iterate towards a value come to their end
};
// The kinds that are tried first, one by one.
inline constexpr ArgumentKind kArgumentKinds[] = {ArgumentKind::kSmall, ArgumentKind::kRounding,
                                                  ArgumentKind::kSpecial, ArgumentKind::kWide,
                                                  ArgumentKind::kRows};
const char* Name(ArgumentKind kind);  // "small", ...

// Deterministic arguments for a computation's parameters. Scatters with unique_indices get unique
// indices. Where the undefined bits of a NaN would decide a value (in a bitcast-convert of floats,
// a total order or a reduce-precision), floats are finite and moderate in every kind, but for
// kEdges where what is seen so is an argument, or made of one without making a NaN; where there are
// functions of complex numbers, the parts are small. A parameter that is too large to interpret
// gets an empty literal. Indices are as kSmall has them in kUniform, kEnds, kRows and kConstants.
std::vector<Literal> MakeArguments(const Computation& computation, uint64_t seed,
                                   ArgumentKind kind);

// Changes arguments so that the windows of scatters with unique_indices do not overlap, and the
// index vectors of scatters and gathers with indices_are_sorted ascend, where the indices are an
// argument: copied, reshaped, or counted from the end where they are negative. And of scatters by
// which order counts in what they make of several updates of an element (OrderOfUpdatesCounts), if
// asked for: an executor may take any.
void EnforceIndexPromises(const Computation& computation, std::vector<Literal>& arguments,
                          bool where_order_counts = false);

// Elements of arguments of a kind one by one, for arrays that are too large to be made: numbers as
// MakeArguments has them, though not the same ones. What an element is follows from the seed, the
// kind, the parameter and the position alone.
class ArgumentElements {
 public:
  ArgumentElements(const Computation& computation, uint64_t seed, ArgumentKind kind);
  ~ArgumentElements();
  ArgumentElements(const ArgumentElements&) = delete;
  ArgumentElements& operator=(const ArgumentElements&) = delete;

  // Element `linear`, row-major, of an array leaf of a parameter, as its type has it.
  Scalar At(int64_t parameter, int64_t leaf, int64_t linear) const;
  // Whether indices would have to be unique, which is a property of all of them and is not kept.
  static bool NeedUniqueIndices(const Computation& computation);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_ARGUMENTS_H_
