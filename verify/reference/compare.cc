// Distances between floats in units in the last place, and comparisons of values.
#include "verify/reference/compare.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "llvm/ADT/STLExtras.h"
#include "verify/reference/open_elements.h"
#include "verify/scalar/elementwise.h"

namespace affirm::hlo {
namespace {

// Sign-magnitude bits as a number that grows with the value; both zeros become 0.
template <typename Bits>
__int128 Ordered(Bits bits) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  __int128 magnitude = bits & ~kSign;
  return bits & kSign ? -magnitude : magnitude;
}

// The same for the four bits of an f4e2m1fn.
int OrderedF4(uint8_t bits) { return bits & 8 ? -(bits & 7) : bits & 7; }

template <typename Bits>
int64_t Distance(const Literal& a, const Literal& b, int64_t linear) {
  bool a_nan = std::isnan(a.GetFloat(linear)), b_nan = std::isnan(b.GetFloat(linear));
  if (a_nan || b_nan) return a_nan == b_nan ? 0 : kFarApart;
  __int128 d = Ordered(a.Get<Bits>(linear)) - Ordered(b.Get<Bits>(linear));
  return static_cast<int64_t>(std::min<__int128>(d < 0 ? -d : d, kFarApart - 1));
}

bool SamePart(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

// For parts that are not both finite: whether both are NaN, or the same infinity.
bool SameLimit(double x, double y) {
  return SamePart(x, y) || (std::isfinite(x) && std::isfinite(y));
}

// In units of the larger part of `a`: a function of complex numbers is as exact as its length. An
// infinite number has no digits that could be compared, but each part must be what it should be:
// (inf, 0) is not (inf, NaN).
int64_t ComplexDistance(const Literal& a, const Literal& b, int64_t linear, int digits,
                        double smallest) {
  std::complex<double> x = a.GetComplex(linear), y = b.GetComplex(linear);
  if (SamePart(x.real(), y.real()) && SamePart(x.imag(), y.imag())) return 0;
  auto finite = [](std::complex<double> z) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
  };
  if (!finite(x) || !finite(y)) {
    // An infinity beside a NaN has no direction.
    const bool directed = !std::isnan(x.real()) && !std::isnan(x.imag());
    if (!directed) x = {std::fabs(x.real()), std::fabs(x.imag())};
    if (!directed) y = {std::fabs(y.real()), std::fabs(y.imag())};
    return SameLimit(x.real(), y.real()) && SameLimit(x.imag(), y.imag()) ? 1 : kFarApart;
  }
  double larger = std::max({std::fabs(x.real()), std::fabs(x.imag()), smallest});
  double unit = std::ldexp(1.0, std::ilogb(larger) + 1 - digits);
  double difference = std::max(std::fabs(x.real() - y.real()), std::fabs(x.imag() - y.imag()));
  double units = std::ceil(difference / unit);
  return units < 0x1p62 ? static_cast<int64_t>(units) : kFarApart - 1;
}

bool SameBytes(const Literal& a, const Literal& b, int64_t linear) {
  int64_t width = ByteWidth(a.shape().type);
  return std::memcmp(a.data() + linear * width, b.data() + linear * width, width) == 0;
}

std::vector<int64_t> IndexOf(int64_t linear, const Shape& shape) {
  std::vector<int64_t> index(shape.dims.size());
  for (size_t d = shape.dims.size(); d-- > 0;) {
    index[d] = linear % shape.dims[d];
    linear /= shape.dims[d];
  }
  return index;
}

void CompareArrays(const Literal& expected, const Literal& actual, int64_t leaf, int64_t tolerance,
                   const OpenElements* open, LiteralComparison& out) {
  int64_t n = expected.NumElements();
  out.elements += n;
  bool is_float = IsFloat(expected.shape().type);
  for (int64_t i = 0; i < n; ++i) {
    if (SameBytes(expected, actual, i)) continue;
    if (open != nullptr && open->Has(leaf, i)) {
      ++out.left_open;
      continue;
    }
    int64_t ulp = UlpDistance(expected, actual, i);
    out.max_ulp = std::max(out.max_ulp, ulp);
    double difference = is_float ? std::fabs(expected.GetFloat(i) - actual.GetFloat(i)) : 0;
    if (std::isfinite(difference)) out.max_absolute = std::max(out.max_absolute, difference);
    if (ulp <= tolerance) continue;
    ++out.mismatches;
    if (out.first) continue;
    out.first = Mismatch{leaf, IndexOf(i, expected.shape()), expected.ElementToString(i),
                         actual.ElementToString(i), ulp};
  }
}

void CompareLeaves(const Literal& expected, const Literal& actual, int64_t& leaf, int64_t tolerance,
                   const OpenElements* open, LiteralComparison& out) {
  if (!expected.shape().SameIgnoringLayout(actual.shape())) {
    ++out.mismatches;
    if (!out.first) {
      out.first =
          Mismatch{leaf, {}, expected.shape().ToString(), actual.shape().ToString(), kFarApart};
    }
    return;
  }
  if (expected.shape().IsTuple()) {
    for (size_t i = 0; i < expected.tuple().size(); ++i) {
      CompareLeaves(expected.tuple()[i], actual.tuple()[i], leaf, tolerance, open, out);
    }
    return;
  }
  if (expected.shape().IsArray()) {
    CompareArrays(expected, actual, leaf, tolerance, open, out);
  }
  ++leaf;
}

}  // namespace

int64_t UlpDistance(const Literal& a, const Literal& b, int64_t linear) {
  switch (a.shape().type) {
    case PrimitiveType::kF64:
      return Distance<uint64_t>(a, b, linear);
    case PrimitiveType::kF32:
      return Distance<uint32_t>(a, b, linear);
    case PrimitiveType::kF16:
    case PrimitiveType::kBF16:
      return Distance<uint16_t>(a, b, linear);
    case PrimitiveType::kF8E5M2:
    case PrimitiveType::kF8E4M3:
    case PrimitiveType::kF8E4M3FN:
    case PrimitiveType::kF8E4M3B11FNUZ:
    case PrimitiveType::kF8E5M2FNUZ:
    case PrimitiveType::kF8E4M3FNUZ:
    case PrimitiveType::kF8E3M4:
      return Distance<uint8_t>(a, b, linear);
    case PrimitiveType::kF8E8M0FNU: {  // exponents alone, and a NaN
      const int x = a.Get<uint8_t>(linear), y = b.Get<uint8_t>(linear);
      return x != y && (x == 0xff || y == 0xff) ? kFarApart : std::abs(x - y);
    }
    case PrimitiveType::kF4E2M1FN:
      return std::abs(OrderedF4(a.Get<uint8_t>(linear)) - OrderedF4(b.Get<uint8_t>(linear)));
    case PrimitiveType::kC64:
      return ComplexDistance(a, b, linear, FLT_MANT_DIG, FLT_MIN);
    case PrimitiveType::kC128:
      return ComplexDistance(a, b, linear, DBL_MANT_DIG, DBL_MIN);
    default:
      return SameBytes(a, b, linear) ? 0 : kFarApart;
  }
}

LiteralComparison Compare(const Literal& expected, const Literal& actual, int64_t tolerance) {
  LiteralComparison out;
  int64_t leaf = 0;
  CompareLeaves(expected, actual, leaf, tolerance, /*open=*/nullptr, out);
  return out;
}

LiteralComparison CompareResults(const Computation& computation, llvm::ArrayRef<Literal> arguments,
                                 const EvaluationOrders* orders, const Literal& expected,
                                 const Literal& actual, int64_t tolerance) {
  LiteralComparison out = Compare(expected, actual, tolerance);
  if (out.mismatches == 0) return out;
  auto open = FindOpenElements(computation, arguments, orders);
  if (!open) {
    llvm::consumeError(open.takeError());  // the value would not be there either
    return out;
  }
  LiteralComparison closed;
  int64_t leaf = 0;
  CompareLeaves(expected, actual, leaf, tolerance, &*open, closed);
  return closed;
}

bool HasFormulasOfItsOwn(const Instruction& instruction) {
  if (instruction.operands.empty()) return false;
  if (!IsComplex(instruction.operands[0]->shape.type)) return false;
  switch (instruction.opcode) {
    case Opcode::kAbs:
    case Opcode::kDivide:
    case Opcode::kRsqrt:
    case Opcode::kSign:
    case Opcode::kSqrt:
      return true;
    default:
      return IsApproximated(instruction.opcode);
  }
}

int64_t MathBoundOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kErf:
    case Opcode::kLogPlusOne:
    case Opcode::kAsin:
      return 1;
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsinh:
    case Opcode::kAtanh:
    case Opcode::kCosine:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kPower:
    case Opcode::kSine:
      return 2;
    case Opcode::kAtan2:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kExponential:
    case Opcode::kLogistic:  // as the exponential in it
    case Opcode::kSinh:
    case Opcode::kTan:
    case Opcode::kTanh:
      return 3;
    default:
      return 0;
  }
}

bool HasFormulasOfKernels(const Computation& computation) {
  return llvm::any_of(computation.instructions, [](const auto& op) {
    return HasFormulasOfItsOwn(*op) || llvm::any_of(op->called, [](const Computation* called) {
             return HasFormulasOfKernels(*called);
           });
  });
}

}  // namespace affirm::hlo
