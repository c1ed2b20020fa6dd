#include "verify/scalar/float_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/hlo/float_format.h"
#include "core/hlo/literal.h"

namespace affirm::hlo {

double LargestFinite(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF64:
      return std::numeric_limits<double>::max();
    case PrimitiveType::kF32:
      return std::numeric_limits<float>::max();
    case PrimitiveType::kBF16:
      return DecodeFloat(type, 0x7f7f);
    case PrimitiveType::kF16:
      return 65504;
    case PrimitiveType::kF8E5M2:
      return 57344;
    case PrimitiveType::kF8E4M3FN:
      return 448;
    default: {
      double largest = 0;
      for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
        const double value = DecodeFloat(type, bits);
        if (std::isfinite(value)) largest = std::max(largest, value);
      }
      return largest;
    }
  }
}

}  // namespace affirm::hlo
