// Matrices that the lanes of a warp load, store and multiply together.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "verify/kernel/emulator/float_ops.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {

using hlo::PrimitiveType;

// PTX ISA, "ldmatrix": row r of matrix m is the 16 bytes at the address of lane 8 m + r; lane l
// gets the two elements of row l / 4 at columns 2 (l mod 4) and the next; of the transposed
// matrix with .trans. Lanes that do not exist give no address.
void Machine::LoadMatrix(const std::vector<Thread*>& lanes, const Code& code) {
  for (uint32_t matrix = 0; matrix < code.c; ++matrix) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (lanes[lane] == nullptr) continue;
      Slot value{0, MakeMark(kUnspecified, code.source)};
      auto row = [&](int64_t number) { return lanes[int64_t{8} * matrix + number]; };
      const int64_t at = lane / 4, pair = lane % 4;
      if ((code.flags & kTransposed) == 0) {
        if (Thread* owner = row(at)) {
          value = Load(*lanes[lane], code, ValueOf(*owner, code.a), 4 * pair, 4, 0);
        }
      } else if (row(2 * pair) != nullptr && row(2 * pair + 1) != nullptr) {
        Slot low = Load(*lanes[lane], code, ValueOf(*row(2 * pair), code.a), 2 * at, 2, 0);
        Slot high = Load(*lanes[lane], code, ValueOf(*row(2 * pair + 1), code.a), 2 * at, 2, 0);
        value = {low.bits | high.bits << 16, Join(low.mark, high.mark)};
      }
      RegisterOf(*lanes[lane], code.dst + matrix) = value;
      if (stopped) return;
    }
  }
}

void Machine::StoreMatrix(const std::vector<Thread*>& lanes, const Code& code) {
  for (uint32_t matrix = 0; matrix < code.c; ++matrix) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (lanes[lane] == nullptr) continue;
      const Slot value = ValueOf(*lanes[lane], program_.lists[code.imm + matrix]);
      auto row = [&](int64_t number) { return lanes[int64_t{8} * matrix + number]; };
      const int64_t at = lane / 4, pair = lane % 4;
      const Slot low{value.bits & 0xffff, Join(value.mark, 0)};
      const Slot high{value.bits >> 16, Join(value.mark, 0)};
      const bool transposed = (code.flags & kTransposed) != 0;
      Thread* first = transposed ? row(2 * pair) : row(at);
      Thread* second = transposed ? row(2 * pair + 1) : first;
      const int64_t place = transposed ? 2 * at : 4 * pair;
      if (first != nullptr) {
        Store(*lanes[lane], code, ValueOf(*first, code.a), place, 2, 0, low);
      }
      if (second != nullptr) {
        Store(*lanes[lane], code, ValueOf(*second, code.a), transposed ? place : place + 2, 2, 0,
              high);
      }
      if (stopped) return;
    }
  }
}

namespace {

double DecodedHalf(uint64_t bits) {
  const auto exponent = static_cast<int>(bits >> 10 & 0x1f);
  const auto mantissa = static_cast<double>(bits & 0x3ff);
  if (exponent == 0x1f) return Decode(kHalf, bits);
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -magnitude : magnitude;
}

double Decoded(PrimitiveType type, uint64_t bits) {
  switch (type) {
    case PrimitiveType::kF64:
      return AsDouble(bits);
    case PrimitiveType::kF32:  // the bits of a tf32 alone
      return AsFloat(bits & ~uint64_t{0x1fff});
    case PrimitiveType::kF16:
      return DecodedHalf(bits);
    case PrimitiveType::kBF16:
      return Decode(kBFloat, bits);
    default:
      return AsDouble(FromSmall(type, kDouble, bits));
  }
}

// c + a[0] * b[0] + a[1] * b[1] + ..., one after the other and rounded each time: the PTX ISA says
// no order, and no more of the precision than that it is that of the sums at least.
template <typename Sum>
Sum SumOfProducts(Sum c, llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  for (size_t k = 0; k < a.size(); ++k) {
    if constexpr (sizeof(Sum) == 8)
      c = std::fma(a[k], b[k], c);
    else
      c += static_cast<Sum>(a[k] * b[k]);  // the product is exact
  }
  return c;
}

uint64_t SumOfFloats(PrimitiveType type, uint64_t c, llvm::ArrayRef<double> a,
                     llvm::ArrayRef<double> b) {
  if (type == PrimitiveType::kF64) return ResultBits(SumOfProducts(AsDouble(c), a, b));
  if (type == PrimitiveType::kF32) return ResultBits(SumOfProducts(AsFloat(c), a, b));
  return EncodeNarrow(kHalf, SumOfProducts(static_cast<float>(Decode(kHalf, c)), a, b));
}

uint64_t SumOfIntegers(bool saturates, uint64_t c, llvm::ArrayRef<int64_t> a,
                       llvm::ArrayRef<int64_t> b) {
  int64_t sum = static_cast<int32_t>(c);
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return static_cast<uint32_t>(saturates ? std::clamp(sum, kLeast, kMost) : sum);
}

int64_t IntegerOf(PrimitiveType type, uint64_t bits) {
  const auto width = static_cast<unsigned>(hlo::BitWidth(type));
  return hlo::IsSignedInt(type) ? SignExtend(bits, width) : static_cast<int64_t>(bits);
}

}  // namespace

// PTX ISA, "mma.sync" (verify/kernel/matrix_product.h says who holds what).
void Machine::MultiplyMatrices(const std::vector<Thread*>& lanes, const Code& code) {
  const MatrixProduct& of = program_.products[code.c];
  const bool integers = hlo::IsInt(of.a);
  // Parts of registers, from the one at `first` in the list on: their bits.
  auto part = [&](int64_t first, MatrixProduct::Place place, int64_t width) {
    Slot slot{0, MakeMark(kUnspecified, code.source)};
    if (const Thread* lane = lanes[place.lane]) {
      slot = ValueOf(*lane, program_.lists[code.imm + first + place.number]);
      slot.bits >>= place.part * width;
      if (width < 64) slot.bits &= (uint64_t{1} << width) - 1;
    }
    return slot;
  };
  constexpr int64_t kMostTerms = 64, kMostRows = 16;
  struct Factors {
    std::array<int64_t, kMostTerms> integers;
    std::array<double, kMostTerms> floats;
    Mark mark;
  };
  auto gather = [&](Factors& all, PrimitiveType type, int64_t first, auto&& place_of) {
    const int64_t width = hlo::BitWidth(type);
    all.mark = 0;
    for (int64_t k = 0; k < of.k; ++k) {
      const Slot slot = part(first, place_of(k), width);
      all.mark = Join(all.mark, slot.mark);
      if (integers)
        all.integers[k] = IntegerOf(type, slot.bits);
      else
        all.floats[k] = Decoded(type, slot.bits);
    }
  };
  std::array<Factors, kMostRows> rows, columns;
  for (int64_t row = 0; row < of.m; ++row)
    gather(rows[row], of.a, 0, [&](int64_t k) { return of.OfA(row, k); });
  for (int64_t column = 0; column < of.n; ++column)
    gather(columns[column], of.b, of.RegistersOfA(), [&](int64_t k) { return of.OfB(k, column); });
  const int64_t added = of.RegistersOfA() + of.RegistersOfB(), in_register = of.SumsInRegister();
  const int64_t width = hlo::BitWidth(of.sum);
  const auto terms = static_cast<size_t>(of.k);
  for (int64_t lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    for (int64_t number = 0; number < of.RegistersOfSums(); ++number) {
      Slot result;
      for (int64_t j = 0; j < in_register; ++j) {
        const int64_t sum = number * in_register + j;
        const Factors& a = rows[of.RowOfSum(lane, sum)];
        const Factors& b = columns[of.ColumnOfSum(lane, sum)];
        const Slot c = part(added, {lane, number, j}, width);
        const uint64_t bits =
            integers
                ? SumOfIntegers(of.saturates, c.bits, {a.integers.data(), terms},
                                {b.integers.data(), terms})
                : SumOfFloats(of.sum, c.bits, {a.floats.data(), terms}, {b.floats.data(), terms});
        result.bits |= bits << (j * width);
        result.mark = Join(result.mark, Join(c.mark, Join(a.mark, b.mark)));
      }
      RegisterOf(*lanes[lane], code.dst + static_cast<uint32_t>(number)) = result;
    }
  }
}

}  // namespace affirm::kernel
