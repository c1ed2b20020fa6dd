#include "verify/enclosure/enclosure.h"

#include <algorithm>
#include <cmath>

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::enclosure {

using hlo::IntType;
using hlo::PrimitiveType;
using hlo::ScalarKind;
using hlo::ScalarKindOf;

namespace {

std::string TextOf(const Interval& a) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (a.HasNumbers()) os << llvm::format("[%.9g, %.9g]", a.lo, a.hi);
  if (a.nan) os << (a.HasNumbers() ? " or nan" : "nan");
  return text;
}

double RelativeWidthOf(const Interval& a) {
  if (a.lo == a.hi || a.IsPoint()) return a.nan && a.HasNumbers() ? kInfinity : 0;
  if (a.nan || !std::isfinite(a.lo) || !std::isfinite(a.hi)) return kInfinity;
  return (a.hi - a.lo) / std::max(std::fabs(a.lo), std::fabs(a.hi));
}

// Relative to the larger part: the error of a complex number is one of its length.
double RelativeWidthOfBoth(const Interval& a, const Interval& b) {
  double width = 0, size = 0;
  for (const Interval& part : {a, b}) {
    if (part.IsPoint() && !part.HasNumbers()) continue;  // NaN
    if (part.nan || ((std::isinf(part.lo) || std::isinf(part.hi)) && part.lo != part.hi))
      return kInfinity;
    if (part.lo != part.hi) width = std::max(width, part.hi - part.lo);
    size = std::max({size, std::fabs(part.lo), std::fabs(part.hi)});
  }
  return width == 0 ? 0 : width / size;
}

}  // namespace

Enclosure Enclosure::Of(PrimitiveType type, const hlo::Scalar& value) {
  switch (ScalarKindOf(type)) {
    case ScalarKind::kFloat:
      return Real(Interval::Of(value.re));
    case ScalarKind::kComplex:
      return {.real = Interval::Of(value.re), .imaginary = Interval::Of(value.im)};
    default:
      return Integers(value.i, value.i);
  }
}

Enclosure Enclosure::Whole(PrimitiveType type) {
  if (ScalarKindOf(type) != ScalarKind::kInt)
    return {.real = Interval::Whole(), .imaginary = Interval::Whole()};
  const auto of = IntType::Of(type);
  return Integers(of.Min(), of.Max());
}

bool IsPoint(PrimitiveType type, const Enclosure& a) {
  switch (ScalarKindOf(type)) {
    case ScalarKind::kFloat:
      return a.real.IsPoint();
    case ScalarKind::kComplex:
      return a.real.IsPoint() && a.imaginary.IsPoint();
    default:
      return a.lo == a.hi;
  }
}

hlo::Scalar ValueOf(PrimitiveType type, const Enclosure& a) {
  auto value = [](const Interval& part) {
    return part.nan ? std::numeric_limits<double>::quiet_NaN() : part.lo;
  };
  switch (ScalarKindOf(type)) {
    case ScalarKind::kFloat:
      return {.re = value(a.real)};
    case ScalarKind::kComplex:
      return {.re = value(a.real), .im = value(a.imaginary)};
    default:
      return {.i = a.lo};
  }
}

bool Contains(PrimitiveType type, const Enclosure& a, const hlo::Scalar& value) {
  return Meet(type, a, Enclosure::Of(type, value));
}

Enclosure Hull(PrimitiveType type, const Enclosure& a, const Enclosure& b) {
  if (ScalarKindOf(type) != ScalarKind::kInt)
    return {.real = Hull(a.real, b.real), .imaginary = Hull(a.imaginary, b.imaginary)};
  const auto of = IntType::Of(type);
  return Enclosure::Integers(of.Less(b.lo, a.lo) ? b.lo : a.lo, of.Less(a.hi, b.hi) ? b.hi : a.hi);
}

bool Meet(PrimitiveType type, const Enclosure& a, const Enclosure& b) {
  switch (ScalarKindOf(type)) {
    case ScalarKind::kFloat:
      return Meet(a.real, b.real);
    case ScalarKind::kComplex:
      return Meet(a.real, b.real) && Meet(a.imaginary, b.imaginary);
    default: {
      const auto of = IntType::Of(type);
      return !of.Less(a.hi, b.lo) && !of.Less(b.hi, a.lo);
    }
  }
}

double RelativeWidth(PrimitiveType type, const Enclosure& a) {
  switch (ScalarKindOf(type)) {
    case ScalarKind::kFloat:
      return RelativeWidthOf(a.real);
    case ScalarKind::kComplex:
      return RelativeWidthOfBoth(a.real, a.imaginary);
    default:
      return a.lo == a.hi ? 0 : kInfinity;
  }
}

std::string ToString(PrimitiveType type, const Enclosure& a) {
  switch (ScalarKindOf(type)) {
    case ScalarKind::kFloat:
      return TextOf(a.real);
    case ScalarKind::kComplex:
      return TextOf(a.real) + " + i " + TextOf(a.imaginary);
    default:
      return "[" + std::to_string(a.lo) + ", " + std::to_string(a.hi) + "]";
  }
}

}  // namespace affirm::enclosure
