// batch-norm-inference, batch-norm-training, batch-norm-grad ("XLA operation semantics",
// BatchNorm*), as the operations are defined and as XLA expands them
// (xla/service/batchnorm_expander.cc): the hull of both.
#include <cmath>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "verify/enclosure/arithmetic.h"
#include "verify/enclosure/rules.h"

namespace affirm::enclosure {

namespace {

// The numbers of one feature, and how they are computed.
class Feature {
 public:
  Feature(const Evaluation& of, int64_t feature, std::vector<int64_t> elements)
      : of_(of),
        in_(of.TypeOf(0), of.freedom),
        feature_(feature),
        elements_(std::move(elements)),
        count_(Interval::Of(static_cast<double>(elements_.size()))) {
    const std::string* text = of.op.attributes.FindExtra("epsilon");
    float epsilon = 0;  // the interpreter has read it
    if (text != nullptr) llvm::to_float(*text, epsilon);
    epsilon_ = in_.Constant(epsilon);
  }

  const std::vector<int64_t>& elements() const { return elements_; }
  // The number of an operand with one element for each feature.
  Interval Number(int64_t operand) const { return of_.At(operand, feature_).real; }
  std::vector<Interval> Numbers(int64_t operand) const {
    std::vector<Interval> numbers;
    numbers.reserve(elements_.size());
    for (const int64_t i : elements_) numbers.push_back(of_.At(operand, i).real);
    return numbers;
  }
  Interval Mean(llvm::ArrayRef<Interval> numbers) const {
    return in_.Divide(in_.Sum(numbers), count_);
  }
  Interval AboveZero(const Interval& variance) const { return in_.Add(variance, epsilon_); }
  const Arithmetic& arithmetic() const { return in_; }
  const Interval& count() const { return count_; }

 private:
  const Evaluation& of_;
  Arithmetic in_;
  int64_t feature_;
  std::vector<int64_t> elements_;
  Interval count_, epsilon_;
};

std::vector<Feature> FeaturesOf(const Evaluation& of) {
  const hlo::Shape& array = of.operands[0]->value.shape();
  int64_t dim = 0;  // the interpreter has read it
  if (const std::string* text = of.op.attributes.FindExtra("feature_index"))
    (void)llvm::StringRef(*text).getAsInteger(10, dim);
  int64_t stride = 1;
  for (int64_t d = dim + 1; d < array.rank(); ++d) stride *= array.dims[d];
  std::vector<std::vector<int64_t>> elements(array.dims[dim]);
  for (int64_t i = 0; i < array.NumElements(); ++i)
    elements[i / stride % array.dims[dim]].push_back(i);
  std::vector<Feature> features;
  features.reserve(elements.size());
  for (size_t f = 0; f < elements.size(); ++f)
    features.emplace_back(of, static_cast<int64_t>(f), std::move(elements[f]));
  return features;
}

void Resize(Evaluation& of) {
  for (auto [leaf, value] : llvm::zip(of.result.leaves, LeavesOf(of.result.value)))
    leaf.resize(CountOf(*value));
}

// (x - mean) * rsqrt(variance + epsilon) * scale + offset, from the left or with the scale first.
Interval Normalized(const Feature& feature, const Interval& x, const Interval& mean,
                    const Interval& inverse) {
  const Arithmetic& in = feature.arithmetic();
  const Interval scale = feature.Number(1), offset = feature.Number(2);
  const Interval centred = in.Subtract(x, mean);
  return Hull(in.Add(in.Multiply(in.Multiply(centred, inverse), scale), offset),
              in.Add(in.Multiply(centred, in.Multiply(inverse, scale)), offset));
}

}  // namespace

// Expanded as x * s + (offset - mean * s), where s = scale * rsqrt(variance + epsilon).
void EncloseBatchNormInference(Evaluation& of) {
  Resize(of);
  for (const Feature& feature : FeaturesOf(of)) {
    const Arithmetic& in = feature.arithmetic();
    const Interval mean = feature.Number(3);
    const Interval inverse = in.Rsqrt(feature.AboveZero(feature.Number(4)));
    const Interval scale = in.Multiply(feature.Number(1), inverse);
    const Interval shift = in.Subtract(feature.Number(2), in.Multiply(mean, scale));
    for (const int64_t i : feature.elements()) {
      const Interval x = of.At(0, i).real;
      of.result.leaves[0][i] = Enclosure::Real(
          Hull(Normalized(feature, x, mean, inverse), in.Add(in.Multiply(x, scale), shift)));
    }
  }
}

// The variance is the mean of the squared distances from the mean; expanded, the mean of the
// squares less the square of the mean.
void EncloseBatchNormTraining(Evaluation& of) {
  Resize(of);
  for (const auto& [f, feature] : llvm::enumerate(FeaturesOf(of))) {
    const Arithmetic& in = feature.arithmetic();
    const std::vector<Interval> x = feature.Numbers(0);
    const Interval mean = feature.Mean(x);
    std::vector<Interval> squares, distances;
    for (const Interval& each : x) {
      squares.push_back(in.Multiply(each, each));
      // A square is not negative.
      const Interval distance = Magnitude(in.Subtract(each, mean));
      distances.push_back(in.Multiply(distance, distance));
    }
    const Interval variance =
        Hull(in.Subtract(feature.Mean(squares), in.Multiply(mean, mean)), feature.Mean(distances));
    const Interval inverse = in.Rsqrt(feature.AboveZero(variance));
    for (auto [i, each] : llvm::zip(feature.elements(), x))
      of.result.leaves[0][i] = Enclosure::Real(Normalized(feature, each, mean, inverse));
    of.result.leaves[1][f] = Enclosure::Real(mean);
    of.result.leaves[2][f] = Enclosure::Real(variance);
  }
}

// With centred = x - mean, inverse = rsqrt(variance + epsilon), n elements and gradient g, that of
// x is scale * inverse * (g - sum(g) / n - centred * inverse^2 * sum(g * centred) / n); expanded,
// scale * inverse / n * (n * g - sum(g) - sum(g * centred) * centred / (variance + epsilon)).
void EncloseBatchNormGrad(Evaluation& of) {
  Resize(of);
  for (const auto& [f, feature] : llvm::enumerate(FeaturesOf(of))) {
    const Arithmetic& in = feature.arithmetic();
    const Interval mean = feature.Number(2), n = feature.count();
    const Interval above_zero = feature.AboveZero(feature.Number(3));
    const Interval inverse = in.Rsqrt(above_zero);
    const std::vector<Interval> gradients = feature.Numbers(4);
    std::vector<Interval> centred, products;
    for (auto [x, gradient] : llvm::zip(feature.Numbers(0), gradients)) {
      centred.push_back(in.Subtract(x, mean));
      products.push_back(in.Multiply(gradient, centred.back()));
    }
    const Interval sum = in.Sum(gradients), product = in.Sum(products);
    const Interval scale = in.Multiply(feature.Number(1), inverse);
    const Interval shared = in.Divide(in.Multiply(in.Multiply(inverse, inverse), product), n);
    for (size_t k = 0; k < centred.size(); ++k) {
      const Interval rest = in.Subtract(in.Subtract(gradients[k], in.Divide(sum, n)),
                                        in.Multiply(centred[k], shared));
      const Interval expanded =
          in.Subtract(in.Subtract(in.Multiply(gradients[k], n), sum),
                      in.Divide(in.Multiply(product, centred[k]), above_zero));
      of.result.leaves[0][feature.elements()[k]] = Enclosure::Real(
          Hull(in.Multiply(scale, rest), in.Multiply(in.Divide(scale, n), expanded)));
    }
    of.result.leaves[1][f] = Enclosure::Real(in.Multiply(product, inverse));
    of.result.leaves[2][f] = Enclosure::Real(sum);
  }
}

}  // namespace affirm::enclosure
