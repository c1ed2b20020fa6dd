// Sets of arguments that are made to show what is wrong: each of a kind, from a seed.
#ifndef AFFIRM_VERIFY_REFERENCE_ARGUMENTS_H_
#define AFFIRM_VERIFY_REFERENCE_ARGUMENTS_H_

#include <cstdint>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace affirm::hlo {

// What the elements of arguments are. Where integers become indices, three kinds have the bounds
// between which these are clamped, the numbers beside them, and the ends of the type; the starts of
// `dynamic-slice(f32[10], i), dynamic_slice_sizes={3}`, for one, are 7, 8 and 2^31 - 1 (kRounding),
// or 0, -1 and -2^31 (kSpecial). Integers that count the trips of a loop are small in every kind.
enum class ArgumentKind : uint8_t {
  kSmall,     // MakeArguments without a kind: exact sums, small integers
  kRounding,  // floats with every bit of the mantissa, whose sums round; indices at the upper end
  kSpecial,   // infinities, NaN, denormals, signed zeros, the largest numbers; indices at the lower
              // end
  kWide,      // floats of all magnitudes; indices in, and somewhat out of, their bounds
};
inline constexpr ArgumentKind kArgumentKinds[] = {ArgumentKind::kSmall, ArgumentKind::kRounding,
                                                  ArgumentKind::kSpecial, ArgumentKind::kWide};
const char* Name(ArgumentKind kind);  // "small", ...

// Deterministic arguments for a computation's parameters. Scatters that promise unique indices get
// them. Where the bits of a NaN decide a value (a bitcast-convert of floats, a total order,
// reduce-precision), which no program defines, floats are finite and moderate in every kind; where
// there are functions of complex numbers, parts are small. A parameter that is too large to
// interpret gets an empty literal.
std::vector<Literal> MakeArguments(const Computation& computation, uint64_t seed,
                                   ArgumentKind kind);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_ARGUMENTS_H_
