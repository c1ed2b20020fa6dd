// The tables of ops whose result has the type of the operands. Internal to verify/scalar.
#ifndef AFFIRM_VERIFY_SCALAR_ELEMENTWISE_ROWS_H_
#define AFFIRM_VERIFY_SCALAR_ELEMENTWISE_ROWS_H_

#include <complex>

#include "verify/scalar/span_loops.h"

namespace affirm::hlo {

// The functions of an op for each class of types; null where the op does not exist. Integers are
// passed sign- or zero-extended, and results are wrapped to the type afterwards; f16, bf16 and
// narrower floats are computed in f32 and rounded.
struct UnaryRow {
  Opcode opcode;
  uint64_t (*on_int)(int64_t, IntType) = nullptr;
  float (*on_f32)(float) = nullptr;
  double (*on_f64)(double) = nullptr;
  std::complex<float> (*on_c64)(std::complex<float>) = nullptr;
  std::complex<double> (*on_c128)(std::complex<double>) = nullptr;
  bool on_pred = false;  // on_int serves pred too
};
struct BinaryRow {
  Opcode opcode;
  uint64_t (*on_int)(int64_t, int64_t, IntType) = nullptr;
  float (*on_f32)(float, float) = nullptr;
  double (*on_f64)(double, double) = nullptr;
  std::complex<float> (*on_c64)(std::complex<float>, std::complex<float>) = nullptr;
  std::complex<double> (*on_c128)(std::complex<double>, std::complex<double>) = nullptr;
  uint64_t (*on_pred)(int64_t, int64_t, IntType) = nullptr;
};

// A function that is known at compile time, as a type.
template <auto function>
struct Constant {
  auto operator()(auto... x) const { return function(x...); }
};

// Which NaN of two is the result of an addition depends on how a compiler orders the operands. So
// functions of complex numbers, with several additions, are compiled once: for elements and loops.
template <typename Function, typename... T>
[[gnu::noinline]] auto OnComplexes(std::complex<T>... z) {
  return Function{}(z...);
}

// A row, and the loop over each of its functions by element type; null where there is none.
template <typename Base>
struct WithLoops : Base {
  using SpanLoop = void (*)(const uint8_t* const*, uint8_t*, int64_t);
  std::array<SpanLoop, static_cast<size_t>(PrimitiveType::kTuple)> loops = {};

  SpanLoop LoopOf(PrimitiveType type) const { return loops[static_cast<size_t>(type)]; }

  // Sets the loop for each of the types; the function takes an IntType last where they are
  // integers.
  template <typename Function, PrimitiveType... types>
  constexpr WithLoops With(Function, Types<types...>) const {
    WithLoops row = *this;
    ((row.loops[static_cast<size_t>(types)] = Over<types, Function>), ...);
    return row;
  }

 private:
  static constexpr bool kIsBinary = requires(Base row) { row.on_pred(0, 0, IntType()); };

  template <PrimitiveType type, typename Function>
  static void Over(const uint8_t* const* operands, uint8_t* result, int64_t count) {
    const auto function = [](auto... x) {
      if constexpr ((std::is_integral_v<decltype(x)> && ...)) {
        return Function{}(x..., StorageFor<type>::kInt);
      } else if constexpr (type == PrimitiveType::kC64 || type == PrimitiveType::kC128) {
        return OnComplexes<Function>(x...);
      } else {
        return Function{}(x...);
      }
    };
    if constexpr (kIsBinary) {
      Loop<type, type, type>(function, operands, result, count);
    } else {
      Loop<type, type>(function, operands, result, count);
    }
  }
};

// The rows of an op; null for other opcodes.
const WithLoops<UnaryRow>* FindUnary(Opcode opcode);
const WithLoops<BinaryRow>* FindBinary(Opcode opcode);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_ELEMENTWISE_ROWS_H_
