// Emits, runs and compares the kernels that tests write as HLO text.
#include "tests/emit/kernel_testing.h"

#include <cmath>
#include <limits>
#include <set>

#include "core/hlo/text.h"
#include "emit/plan/split.h"
#include "verify/reference/compare.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

using hlo::Literal;
using hlo::PrimitiveType;

bool SameElement(const Literal& a, const Literal& b, int64_t i, int64_t ulps) {
  if (hlo::IsFloat(a.shape().type) && ulps == 0) {
    double x = a.GetFloat(i), y = b.GetFloat(i);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y && std::signbit(x) == std::signbit(y);
  }
  int width = hlo::ByteWidth(a.shape().type);
  return std::memcmp(a.data() + i * width, b.data() + i * width, width) == 0 ||
         hlo::UlpDistance(a, b, i) <= ulps;
}

}  // namespace

EmittedModule Emit(const std::string& hlo, const emit::EmitOptions& options) {
  EmittedModule emitted;
  auto module = hlo::ParseModule(hlo, "test");
  if (!module) {
    emitted.error = llvm::toString(module.takeError());
    ADD_FAILURE() << emitted.error << "\n" << hlo;
    return emitted;
  }
  emitted.module = std::move(*module);
  auto kernel = emit::EmitKernel(emitted.entry(), *emitted.context, options);
  if (kernel) {
    emitted.kernel = std::make_unique<emit::Kernel>(std::move(*kernel));
  } else {
    emitted.error = llvm::toString(kernel.takeError());
  }
  return emitted;
}

::testing::AssertionResult MapsAreBijections(const emit::Kernel& kernel) {
  for (const emit::ThreadMap& map : kernel.thread_maps()) {
    std::set<std::vector<int64_t>> seen;
    int64_t elements = 1, points = 0;
    bool inside = true;
    for (int64_t size : map.shape) elements *= size;
    auto visit = [&](auto dims, auto ranges, auto runtime) {
      std::vector<int64_t> at = llvm::cantFail(map.map.Evaluate(dims, ranges, runtime));
      inside &= at.size() == map.shape.size();
      for (size_t d = 0; inside && d < at.size(); ++d) inside = 0 <= at[d] && at[d] < map.shape[d];
      seen.insert(std::move(at));
      ++points;
      return inside;
    };
    if (!map.map.IsKnownEmpty() && !map.map.ForEachPoint(visit)) inside = false;
    if (inside && points == elements && std::ssize(seen) == elements) continue;
    return ::testing::AssertionFailure()
           << map.what << ": " << map.map.ToString() << " sends " << points << " points to "
           << seen.size() << " of " << elements << " elements";
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult SameValue(const Literal& expected, const Literal& actual, int64_t ulps) {
  if (!expected.shape().SameIgnoringLayout(actual.shape())) {
    return ::testing::AssertionFailure()
           << "shapes " << expected.shape().ToString() << " and " << actual.shape().ToString();
  }
  for (size_t k = 0; k < expected.tuple().size(); ++k) {
    auto same = SameValue(expected.tuple()[k], actual.tuple()[k], ulps);
    if (!same) return same << " (tuple element " << k << ")";
  }
  if (expected.shape().IsTuple()) return ::testing::AssertionSuccess();
  for (int64_t i = 0; i < expected.NumElements(); ++i) {
    if (SameElement(expected, actual, i, ulps)) continue;
    return ::testing::AssertionFailure() << "element " << i << " is " << actual.ElementToString(i)
                                         << ", expected " << expected.ElementToString(i);
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult MatchesInterpreter(const EmittedModule& emitted,
                                              const std::vector<Literal>& arguments, int64_t ulps) {
  if (!emitted.kernel) return ::testing::AssertionFailure() << emitted.error;
  auto expected = hlo::Interpret(emitted.entry(), arguments, &emitted.kernel->evaluation_orders());
  if (!expected) {
    return ::testing::AssertionFailure() << "interpreter: " << llvm::toString(expected.takeError());
  }
  for (uint64_t seed : {0, 1, 2}) {
    auto actual = emit::RunOnEmulator(*emitted.kernel, arguments, seed);
    if (!actual) return ::testing::AssertionFailure() << llvm::toString(actual.takeError());
    auto same = SameValue(*expected, *actual, ulps + 2 * emitted.kernel->unordered_terms());
    if (!same) return same << " (thread order " << seed << ")";
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult MatchesInterpreter(const std::string& hlo, int64_t ulps) {
  EmittedModule emitted = Emit(hlo);
  if (!emitted.kernel) return ::testing::AssertionFailure() << emitted.error;
  for (uint64_t seed : {1, 2}) {
    auto same = MatchesInterpreter(emitted, hlo::MakeArguments(emitted.entry(), seed), ulps);
    if (!same) return same << " (arguments " << seed << ")";
  }
  return ::testing::AssertionSuccess();
}

int64_t NumKernelsThatMatch(const hlo::Computation& entry,
                            const std::vector<hlo::Literal>& arguments) {
  auto expected = hlo::Interpret(entry, arguments);
  if (!expected) {
    ADD_FAILURE() << llvm::toString(expected.takeError());
    return 0;
  }
  const emit::KernelPartitions kernels = emit::PartitionIntoKernels(entry);
  auto actual =
      emit::RunPartitions(kernels, arguments,
                          [](const hlo::Computation& part,
                             llvm::ArrayRef<hlo::Literal> values) -> llvm::Expected<hlo::Literal> {
                            Context context;
                            auto kernel = emit::EmitKernel(part, context);
                            if (!kernel) return kernel.takeError();
                            EXPECT_TRUE(MapsAreBijections(*kernel));
                            return emit::RunOnEmulator(*kernel, values);
                          });
  if (!actual) {
    ADD_FAILURE() << llvm::toString(actual.takeError());
    return 0;
  }
  EXPECT_TRUE(SameValue(*expected, *actual)) << hlo::ToString(*entry.module);
  return std::ssize(kernels.partitions);
}

std::vector<double> NotableFloats(PrimitiveType type) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values = {0.0,  -0.0, 1.0,   -1.0,  0.5,   -0.5,  1.5,    2.5,
                                -2.5, 3.25, 127.5, 128.0, 255.9, 256.0, -129.0, 1e-3,
                                0.7,  -0.9, 10.0,  -20.5, 65504, 1e9,   -1e9,   Limits::infinity()};
  values.push_back(-Limits::infinity());
  values.push_back(Limits::quiet_NaN());
  values.push_back(-Limits::quiet_NaN());
  if (type == PrimitiveType::kF32) values.insert(values.end(), {1e-42, 3e38, 9.3e18, 1.9e19});
  if (type == PrimitiveType::kF64) values.insert(values.end(), {1e-310, 1e300, 9.3e18, -1e19});
  if (type == PrimitiveType::kF16) values.insert(values.end(), {6e-8, 6.1e-5});
  return values;
}

std::vector<int64_t> NotableInts(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return {0, 1};
  int bits = hlo::BitWidth(type);
  std::vector<int64_t> values = {0, 1, 2, 3, 5, -1, -2, -3, bits - 1, bits, bits + 1};
  // The lowest signed value, and its neighbours on both sides, modulo the width.
  uint64_t top = uint64_t{1} << (bits - 1);
  for (uint64_t v : {top, top - 1, top + 1, top / 3}) values.push_back(static_cast<int64_t>(v));
  return values;
}

std::vector<std::complex<double>> NotableComplexes(PrimitiveType type) {
  double tiny = type == PrimitiveType::kC64 ? 1e-30 : 1e-200;
  std::vector<double> parts = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-3, -3.25, 10.0, tiny, -1 / tiny};
  std::vector<std::complex<double>> values;
  for (double re : parts) {
    for (double im : parts) values.emplace_back(re, im);
  }
  return values;
}

std::vector<Literal> NotablePairs(PrimitiveType type) {
  std::vector<Literal> singles;
  auto fill = [&](const auto& values, auto set) {
    auto n = static_cast<int64_t>(values.size());
    Literal x(hlo::Shape::Array(type, {n * n})), y = x;
    for (int64_t i = 0; i < n * n; ++i) {
      set(x, i, values[i / n]);
      set(y, i, values[i % n]);
    }
    singles = {x, y};
  };
  if (hlo::IsComplex(type)) {
    fill(NotableComplexes(type),
         [](Literal& l, int64_t i, std::complex<double> v) { l.SetComplex(i, v); });
  } else if (hlo::IsFloat(type)) {
    fill(NotableFloats(type), [](Literal& l, int64_t i, double v) { l.SetFloat(i, v); });
  } else {
    fill(NotableInts(type), [](Literal& l, int64_t i, int64_t v) { l.SetInt(i, v); });
  }
  return singles;
}

}  // namespace affirm::testing
