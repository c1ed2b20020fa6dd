// batch-norm-training, batch-norm-inference and batch-norm-grad, computed in f64 and rounded once.
// The statistics of a feature are taken over all dimensions but the feature's.
#include <cmath>

#include "llvm/ADT/StringExtras.h"
#include "verify/reference/index.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

// The elements of the array, by feature.
struct Features {
  int64_t dim = 0;
  float epsilon = 0;  // XLA keeps it as one, whatever the type of the array
  std::vector<std::vector<int64_t>> elements;
};

llvm::Expected<Features> FindFeatures(const OpInvocation& call) {
  Features features;
  const Shape& array = call.operand(0).shape();
  const std::string* dim = call.attributes().FindExtra("feature_index");
  const std::string* epsilon = call.attributes().FindExtra("epsilon");
  if (!IsFloat(array.type) || dim == nullptr || epsilon == nullptr ||
      llvm::StringRef(*dim).getAsInteger(10, features.dim) ||
      !llvm::to_float(*epsilon, features.epsilon) || features.dim < 0 ||
      features.dim >= array.rank()) {
    return Fail(call.instruction, "needs an array of floats, feature_index and epsilon");
  }
  features.elements.resize(array.dims[features.dim]);
  for (IndexIterator at(array.dims); !at.Done(); at.Next()) {
    features.elements[at[features.dim]].push_back(at.linear());
  }
  for (size_t k = 1; k < call.operands.size(); ++k) {
    const bool vector = call.operand(k).shape().rank() == 1 &&
                        call.operand(k).NumElements() == array.dims[features.dim];
    if (!vector && call.operand(k).shape().dims != array.dims) {
      return Fail(call.instruction, "does not fit its operands");
    }
  }
  return features;
}

double Sum(llvm::ArrayRef<int64_t> elements, llvm::function_ref<double(int64_t)> value) {
  double sum = 0;
  for (int64_t element : elements) sum += value(element);
  return sum;
}

double Mean(llvm::ArrayRef<int64_t> elements, llvm::function_ref<double(int64_t)> value) {
  return Sum(elements, value) / static_cast<double>(elements.size());
}

void ReadAll(const OpInvocation& call, int64_t leaf, int64_t to, int64_t operand,
             llvm::ArrayRef<int64_t> elements) {
  for (int64_t from : elements) call.Read(leaf, to, operand, 0, from);
}

}  // namespace

// (array, scale, offset) -> (normalized array, means, variances)
Result EvaluateBatchNormTraining(const OpInvocation& call) {
  auto features = FindFeatures(call);
  if (!features) return features.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  auto x = [&](int64_t i) { return Load(call.operand(0), i).re; };
  for (size_t f = 0; f < features->elements.size(); ++f) {
    const std::vector<int64_t>& elements = features->elements[f];
    const double mean = Mean(elements, x);
    const double variance =
        Mean(elements, [&](int64_t i) { return (x(i) - mean) * (x(i) - mean); });
    const double scale = Load(call.operand(1), f).re / std::sqrt(variance + features->epsilon);
    for (int64_t i : elements) {
      Store(result->tuple()[0], i, {.re = (x(i) - mean) * scale + Load(call.operand(2), f).re});
      ReadAll(call, 0, i, 0, elements);
      for (int64_t k : {1, 2}) call.Read(0, i, k, 0, f);
    }
    Store(result->tuple()[1], f, {.re = mean});
    Store(result->tuple()[2], f, {.re = variance});
    for (int64_t leaf : {1, 2}) ReadAll(call, leaf, f, 0, elements);
  }
  return result;
}

// (array, scale, offset, means, variances) -> normalized array
Result EvaluateBatchNormInference(const OpInvocation& call) {
  auto features = FindFeatures(call);
  if (!features) return features.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  for (size_t f = 0; f < features->elements.size(); ++f) {
    auto number = [&](int64_t k) { return Load(call.operand(k), f).re; };
    const double scale = number(1) / std::sqrt(number(4) + features->epsilon);
    for (int64_t i : features->elements[f]) {
      Store(*result, i, {.re = (Load(call.operand(0), i).re - number(3)) * scale + number(2)});
      call.Read(0, i, 0, 0, i);
      for (int64_t k = 1; k <= 4; ++k) call.Read(0, i, k, 0, f);
    }
  }
  return result;
}

// (array, scale, means, variances, gradient of the output) -> gradients of (array, scale, offset)
Result EvaluateBatchNormGrad(const OpInvocation& call) {
  auto features = FindFeatures(call);
  if (!features) return features.takeError();
  Result result = NewLiteral(call);
  if (!result) return result;
  for (size_t f = 0; f < features->elements.size(); ++f) {
    const std::vector<int64_t>& elements = features->elements[f];
    auto number = [&](int64_t k) { return Load(call.operand(k), f).re; };
    auto centred = [&](int64_t i) { return Load(call.operand(0), i).re - number(2); };
    auto gradient = [&](int64_t i) { return Load(call.operand(4), i).re; };
    const double inverse = 1 / std::sqrt(number(3) + features->epsilon);
    const double sum = Sum(elements, gradient);
    const double product = Sum(elements, [&](int64_t i) { return gradient(i) * centred(i); });
    const auto count = static_cast<double>(elements.size());
    for (int64_t i : elements) {
      const double rest =
          gradient(i) - sum / count - centred(i) * inverse * inverse * product / count;
      Store(result->tuple()[0], i, {.re = number(1) * inverse * rest});
      for (int64_t k : {0, 4}) ReadAll(call, 0, i, k, elements);
      for (int64_t k : {1, 2, 3}) call.Read(0, i, k, 0, f);
    }
    Store(result->tuple()[1], f, {.re = product * inverse});
    Store(result->tuple()[2], f, {.re = sum});
    for (int64_t k : {0, 4}) ReadAll(call, 1, f, k, elements);
    for (int64_t k : {2, 3}) call.Read(1, f, k, 0, f);
    ReadAll(call, 2, f, 4, elements);
  }
  return result;
}

}  // namespace affirm::hlo
