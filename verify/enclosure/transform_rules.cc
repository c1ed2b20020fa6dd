// fft: the exact transform and the error of fast algorithms.
#include <algorithm>
#include <cmath>

#include "core/hlo/attribute_values.h"
#include "verify/enclosure/rules.h"

namespace affirm::enclosure {

using hlo::PrimitiveType;

namespace {

// Unit roundoffs by which one stage may be off: two additions, and a product with a root of unity
// that is itself off by a few (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
// section 24.1, where this is 4 sqrt(2) + 1).
constexpr double kOfStage = 8;
// Real transforms have a stage more before or after those of half the length, and scale the result.
constexpr double kMoreStages = 2;
// Lengths with larger prime factors may be convolved with a chirp.
constexpr int64_t kLargestDirectFactor = 7;
// The largest element of the transform of a chirp of n elements, padded with zeros, over sqrt(n).
constexpr double kOfChirp = 1.5;

// Norms of the numbers of one transform.
struct Norms {
  double one = 0, two = 0;
  double deviation = 0;  // sum of how far each may be from the interpreter's
};

double LargestOf(const Interval& a) { return std::max(std::fabs(a.lo), std::fabs(a.hi)); }
double DeviationOf(const Interval& a, double value) {
  return std::max(std::fabs(a.lo - value), std::fabs(a.hi - value));
}

Norms NormsOf(const Evaluation& of, int64_t first, int64_t count, bool is_complex) {
  Norms norms;
  double squares = 0;
  for (int64_t i = first; i < first + count; ++i) {
    const Enclosure element = of.At(0, i);
    const hlo::Scalar value = hlo::Load(of.operands[0]->value, i);
    double size = LargestOf(element.real), deviation = DeviationOf(element.real, value.re);
    if (is_complex) {
      size = std::hypot(size, LargestOf(element.imaginary));
      deviation = std::hypot(deviation, DeviationOf(element.imaginary, value.im));
    }
    if (MayBeNaN(element) || !std::isfinite(size)) size = kInfinity;
    norms.one += size;
    norms.deviation += deviation;
    squares += size * size;
  }
  norms.two = std::sqrt(squares);
  return norms;
}

// How the roundings of one dimension add up.
struct Stages {
  // Each output is reached from each input by one path of additions and products, whose factors are
  // of magnitude one: the error is at most this many unit roundoffs of the sum of magnitudes.
  double of_paths = kMoreStages * kOfStage;
  // In multiples of sqrt(n) times the Euclidean norm: three transforms of up to four times the
  // length.
  double of_chirps = 0;
  // The interpreter sums in double, with roots of unity that are a few roundings off.
  double of_interpreter = 24;
};

Stages StagesOf(int64_t length) {
  Stages stages;
  stages.of_interpreter += static_cast<double>(length);
  int64_t rest = length;
  for (int64_t factor = 2; rest > 1; ++factor) {
    if (factor * factor > rest) factor = rest;
    for (; rest % factor == 0; rest /= factor) {
      stages.of_paths += static_cast<double>(factor - 2) + kOfStage;
      if (factor > kLargestDirectFactor)
        stages.of_chirps =
            3 * kOfChirp * kOfStage * (std::log2(4 * static_cast<double>(length)) + kMoreStages);
    }
  }
  return stages;
}

}  // namespace

// XLA's CPU has mixed radices and chirps (Bluestein), as libraries for GPUs have. Any plan is held.
void EncloseFft(Evaluation& of) {
  const hlo::Shape &in = of.operands[0]->value.shape(), &out = of.op.shape;
  const auto lengths = hlo::IntsAttribute(of.op.attributes, "fft_length");
  const llvm::StringRef type = hlo::WordAttribute(of.op.attributes, "fft_type");
  const bool is_inverse = type.starts_with("I"), from_half = type == "IRFFT";
  const bool of_complex = hlo::IsComplex(in.type), to_complex = hlo::IsComplex(out.type);
  const PrimitiveType part = to_complex ? hlo::PartType(out.type) : out.type;
  double size = 1;
  Stages stages;
  for (const int64_t length : *lengths) {
    size *= static_cast<double>(length);
    const Stages added = StagesOf(length);
    stages.of_paths += added.of_paths;
    stages.of_chirps += added.of_chirps;
    stages.of_interpreter += added.of_interpreter;
  }
  int64_t batches = 1;
  for (int64_t d = 0; d < in.rank() - std::ssize(*lengths); ++d) batches *= in.dims[d];
  if (out.NumElements() == 0) return;
  const int64_t inputs = in.NumElements() / batches, outputs = out.NumElements() / batches;
  const double u = UnitRoundoff(part);
  for (int64_t batch = 0; batch < batches; ++batch) {
    Norms norms = NormsOf(of, batch * inputs, inputs, of_complex);
    // All but the first and the middle one stand for two.
    const double copies = from_half ? 2 : 1;
    const double of_roundings =
        u * (stages.of_paths * norms.one + stages.of_chirps * std::sqrt(size) * norms.two) +
        0x1p-53 * stages.of_interpreter * norms.one;
    double error = copies * (1 + 0x1p-10) * (of_roundings + norms.deviation);
    if (is_inverse) error /= size;
    // Numbers below the normal ones may be lost at every stage.
    if (norms.one > 0) error += size * (part == PrimitiveType::kF64 ? 0x1p-1022 : 0x1p-126);
    const bool overflows = !std::isfinite(hlo::RoundTo(part, copies * size * norms.one));
    for (int64_t i = batch * outputs; i < (batch + 1) * outputs; ++i) {
      const hlo::Scalar value = hlo::Load(of.result.value, i);
      auto around = [&](double exact) {
        if (overflows) return Interval::Whole();
        return Rounded(Sum(Rounded(Interval::Of(exact), part), {.lo = -error, .hi = error}), part);
      };
      Enclosure element = Enclosure::Real(around(value.re));
      if (to_complex) element.imaginary = around(value.im);
      of.result.leaves[0].push_back(element);
    }
  }
}

}  // namespace affirm::enclosure
