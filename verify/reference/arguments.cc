// Arguments for computations, from a seed.
#include "verify/reference/interpreter.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar.h"

namespace affirm::hlo {
namespace {

// splitmix64: every seed, 0 included, starts a sequence of its own.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  int64_t Below(int64_t bound) { return static_cast<int64_t>(Next() % bound); }

 private:
  uint64_t state_;
};

// One in eight is 0, one in eight 1, the others multiples of 1/64 in [-2, 2]: short enough that
// sums of many of them are exact in f32, whatever the order.
double SmallFloat(Random& random) {
  switch (random.Below(8)) {
    case 0:
      return 0;
    case 1:
      return 1;
    default:
      return static_cast<double>(random.Below(257) - 128) / 64;
  }
}

Scalar SmallValue(PrimitiveType type, Random& random) {
  switch (ClassOf(type)) {
    case TypeClass::kInt:
      if (IsSignedInt(type)) return {.i = IntType::Of(type).Wrap(random.Below(19) - 9)};
      return {.i = IntType::Of(type).Wrap(random.Below(20))};
    case TypeClass::kFloat:
      // Only positive powers of two exist.
      if (type == PrimitiveType::kF8E8M0FNU) return {.re = 0.25 * (int64_t{1} << random.Below(5))};
      return {.re = SmallFloat(random)};
    default: {
      const double re = SmallFloat(random);
      return {0, re, SmallFloat(random)};
    }
  }
}

void Fill(Literal& literal, Random& random) {
  for (Literal& element : literal.tuple()) Fill(element, random);
  const Shape& shape = literal.shape();
  if (!shape.IsArray()) return;
  for (int64_t i = 0; i < shape.NumElements(); ++i)
    Store(literal, i, SmallValue(shape.type, random));
}

}  // namespace

std::vector<Literal> MakeArguments(const Computation& computation, uint64_t seed) {
  std::vector<Literal> arguments;
  for (size_t k = 0; k < computation.parameters.size(); ++k) {
    // A sequence for each parameter, so that adding one leaves the others alone.
    Random random(Random(seed ^ Random(k).Next()).Next());
    const Instruction* parameter = computation.parameters[k];
    Result literal = parameter == nullptr ? Literal() : NewLiteral(*parameter, parameter->shape);
    if (!literal) {
      llvm::consumeError(literal.takeError());
      arguments.emplace_back();
      continue;
    }
    Fill(*literal, random);
    arguments.push_back(std::move(*literal));
  }
  KeepPromises(computation, arguments);
  return arguments;
}

}  // namespace affirm::hlo
