// Matrices that the lanes of a warp load, store and multiply together.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "verify/kernel/emulator/float_ops.h"
#include "verify/kernel/emulator/machine.h"
#include "verify/kernel/matrix_descriptor.h"

namespace affirm::kernel {

using hlo::PrimitiveType;

// PTX ISA, "ldmatrix": row r of matrix m is the 16 bytes at the address of lane 8 m + r; lane l
// gets the two elements of row l / 4 at columns 2 (l mod 4) and the next; of the transposed
// matrix with .trans. Lanes that do not exist give no address.
void Machine::LoadMatrix(const std::vector<Thread*>& lanes, const Code& code) {
  if (!CheckRows(lanes, code)) return;
  for (uint32_t matrix = 0; matrix < code.c; ++matrix) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (lanes[lane] == nullptr) continue;
      Slot value = Unspecified(code);
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

// PTX ISA, "ldmatrix": a generic address points into shared memory, or the behaviour is undefined.
bool Machine::CheckRows(const std::vector<Thread*>& lanes, const Code& code) {
  for (Thread* lane : llvm::ArrayRef(lanes).take_front(size_t{8} * code.c)) {
    if (lane == nullptr) continue;
    const Slot address = ValueOf(*lane, code.a);
    int64_t offset = 0;
    const Region* region = Check(*lane, code, address, 0, 16, 4, AccessKind::kRead, offset);
    if (region == nullptr) return false;
    if (region->kind == Region::kShared) continue;
    Report(*lane, code, Claim::kBounds, "takes a matrix that does not lie in shared memory");
    return false;
  }
  return true;
}

void Machine::StoreMatrix(const std::vector<Thread*>& lanes, const Code& code) {
  if (!CheckRows(lanes, code)) return;
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

// The elements of a row of A, or of a column of B.
struct Machine::Factors {
  static constexpr int64_t kMost = 64;
  std::array<int64_t, kMost> integers;
  std::array<double, kMost> floats;
  Mark mark = 0;

  void Set(int64_t k, PrimitiveType type, const Slot& slot) {
    mark = Join(mark, slot.mark);
    if (hlo::IsInt(type))
      integers[k] = IntegerOf(type, slot.bits);
    else
      floats[k] = Decoded(type, slot.bits);
  }
};

// A part of a register of a lane, in the list of the code from the one at `first` on.
Slot Machine::PartOf(const std::vector<Thread*>& lanes, const Code& code, int64_t first,
                     MatrixProduct::Place place, int64_t width) const {
  Slot slot = Unspecified(code);
  if (const Thread* lane = lanes[place.lane]) {
    slot = ValueOf(*lane, program_.lists[code.imm + first + place.number]);
    slot.bits >>= place.part * width;
    slot.bits &= MaskOf(static_cast<unsigned>(width));
  }
  return slot;
}

// Gives each lane its sums: of what is in the list from `added` on, if that is added.
void Machine::StoreSums(const std::vector<Thread*>& lanes, const Code& code,
                        const MatrixProduct& of, int64_t added, bool adds,
                        llvm::ArrayRef<Factors> rows, llvm::ArrayRef<Factors> columns) {
  const int64_t width = hlo::BitWidth(of.sum), in_register = of.SumsInRegister();
  const auto terms = static_cast<size_t>(of.k);
  for (int64_t lane = 0; lane < kWarpSize; ++lane) {
    if (lanes[lane] == nullptr) continue;
    for (int64_t number = 0; number < of.RegistersOfSums(); ++number) {
      Slot result;
      for (int64_t j = 0; j < in_register; ++j) {
        const int64_t sum = number * in_register + j;
        const Factors& a = rows[of.RowOfSum(lane, sum)];
        const Factors& b = columns[of.ColumnOfSum(lane, sum)];
        const Slot c = adds ? PartOf(lanes, code, added, {lane, number, j}, width) : Slot{0, 0};
        const uint64_t bits =
            hlo::IsInt(of.a)
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

// PTX ISA, "mma.sync" (verify/kernel/matrix_product.h says who holds what).
void Machine::MultiplyMatrices(const std::vector<Thread*>& lanes, const Code& code) {
  const MatrixProduct& of = program_.products[code.c];
  std::vector<Factors> rows(of.m), columns(of.n);
  for (int64_t k = 0; k < of.k; ++k) {
    for (int64_t row = 0; row < of.m; ++row)
      rows[row].Set(k, of.a, PartOf(lanes, code, 0, of.OfA(row, k), hlo::BitWidth(of.a)));
    for (int64_t column = 0; column < of.n; ++column) {
      columns[column].Set(
          k, of.b, PartOf(lanes, code, of.RegistersOfA(), of.OfB(k, column), hlo::BitWidth(of.b)));
    }
  }
  StoreSums(lanes, code, of, of.RegistersOfA() + of.RegistersOfB(), true, rows, columns);
}

// Rows of A or columns of B as they lie in shared memory, from number `first` on. False where there
// are none.
bool Machine::ReadLines(Thread& thread, const Code& code, const MatrixProduct& of,
                        PrimitiveType type, uint64_t memory, Slot descriptor, bool transposed,
                        int64_t first, std::vector<Factors>& lines) {
  if (descriptor.mark != 0) {
    ReportMark(thread, code, descriptor, "where a matrix lies", Claim::kBounds);
    return false;
  }
  const auto where = FindMatrixDescriptor(descriptor.bits);
  if (!where) {
    GiveUp(thread, code, Claim::kBounds, "the descriptor of a matrix has a form that is not read");
    return false;
  }
  const int64_t bytes = hlo::ByteWidth(type);
  for (int64_t line = 0; line < std::ssize(lines); ++line) {
    for (int64_t k = 0; k < of.k; ++k) {
      const int64_t at = transposed ? where->AddressOf(k, (first + line) * bytes, false)
                                    : where->AddressOf(first + line, k * bytes, true);
      const uint64_t address = memory + static_cast<uint64_t>(at);
      const Slot value = Load(thread, code, {address, 0}, 0, static_cast<unsigned>(bytes), 0);
      if (stopped) return false;
      // Bounds the memory of a thread that never waits for products.
      constexpr int64_t kMostReads = int64_t{1} << 20;
      if (thread.started_reads < kMostReads) {
        ++thread.started_reads;
        thread.reads.push_back({code, address, value});
      }
      lines[line].Set(k, type, value);
    }
  }
  return true;
}

namespace {

constexpr int64_t kThreadsOfGroup = 128;

uint64_t Hashed(uint64_t hash, uint64_t with) {
  hash = (hash ^ with) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

}  // namespace

void Machine::RecordGroupStep(Thread& thread, const Code& code, llvm::ArrayRef<uint64_t> told) {
  thread.last_step = static_cast<uint32_t>(&code - program_.code.data());
  thread.group_steps = Hashed(Hashed(thread.group_steps, thread.last_step + 1), epoch_);
  for (uint64_t bits : told) thread.group_steps = Hashed(thread.group_steps, bits);
}

void Machine::CheckGroups() {
  for (const Thread& thread : threads_) {
    const Thread& first = threads_[thread.index / kThreadsOfGroup * kThreadsOfGroup];
    const Code& code = program_.code[std::max(first.last_step, thread.last_step)];
    if (!thread.reads.empty() ||
        llvm::any_of(thread.product_groups, [](const auto& group) { return !group.empty(); })) {
      Report(thread, code, Claim::kRaces, "ends before products of matrices have ended");
    }
    if (thread.group_steps != first.group_steps) {
      Report(thread, code, Claim::kBarriers,
             "not all threads of a group of warps compute its products of matrices");
    }
    if (stopped) return;
  }
}

// PTX ISA, "wgmma.mma_async": a warp computes 16 rows of the 64. It may read what lies in shared
// memory until it has waited for the product; so that is read again then.
void Machine::MultiplyShared(const std::vector<Thread*>& lanes, const Code& code) {
  const SharedProduct& of = program_.shared_products[code.c];
  const MatrixProduct& product = of.product;
  Thread* reader = lanes[0];
  for (const Thread* lane : lanes) {
    if (lane == nullptr) reader = nullptr;
  }
  if (reader == nullptr) {
    for (Thread* lane : lanes) {
      if (lane == nullptr) continue;
      Report(*lane, code, Claim::kBarriers, "a product of matrices without all lanes of a warp");
      stopped = true;
      return;
    }
  }
  const int64_t of_a = of.a_is_shared ? 1 : product.RegistersOfA();
  auto scalar = [&](int64_t number) { return ValueOf(*reader, program_.lists[code.imm + number]); };
  if ((reader->index / kThreadsOfGroup + 1) * kThreadsOfGroup > num_threads_) {
    Report(*reader, code, Claim::kBarriers, "a product of matrices by a part of a group of warps");
    stopped = true;
    return;
  }
  std::vector<uint64_t> told;
  for (int64_t number = of.a_is_shared ? 0 : of_a; number < of_a + 2; ++number) {
    const Slot first = scalar(number);
    told.push_back(first.bits);
    for (const Thread* lane : lanes) {
      const Slot theirs = ValueOf(*lane, program_.lists[code.imm + number]);
      if (theirs.bits == first.bits && theirs.mark == first.mark) continue;
      Report(*lane, code, Claim::kBarriers,
             "lanes of a warp do not say the same of a product of matrices");
      stopped = true;
      return;
    }
  }
  for (Thread* lane : lanes) RecordGroupStep(*lane, code, told);
  const Slot adds = scalar(of_a + 1);
  if (adds.mark != 0) {
    ReportMark(*reader, code, adds, "whether a product adds", Claim::kValues);
    return;
  }
  std::vector<Factors> rows(product.m), columns(product.n);
  if (of.a_is_shared) {
    const int64_t first = reader->index / kWarpSize % 4 * product.m;
    if (!ReadLines(*reader, code, product, product.a, of.memory, scalar(0), of.a_is_transposed,
                   first, rows)) {
      return;
    }
  } else {
    for (int64_t row = 0; row < product.m; ++row) {
      for (int64_t k = 0; k < product.k; ++k) {
        rows[row].Set(k, product.a,
                      PartOf(lanes, code, 0, product.OfA(row, k), hlo::BitWidth(product.a)));
      }
    }
  }
  if (!ReadLines(*reader, code, product, product.b, of.memory, scalar(of_a), of.b_is_transposed, 0,
                 columns)) {
    return;
  }
  StoreSums(lanes, code, product, of_a + 2, (adds.bits & 1) != 0, rows, columns);
}

void Machine::WaitForProducts(Thread& thread, int64_t but) {
  while (std::ssize(thread.product_groups) > but) {
    for (const StartedRead& read : thread.product_groups.front()) {
      const auto bytes =
          static_cast<unsigned>(hlo::ByteWidth(program_.shared_products[read.code.c].product.a));
      const Slot now = Load(thread, read.code, {read.address, 0}, 0, bytes, 0);
      if (stopped) return;
      if (now.bits == read.value.bits && now.mark == read.value.mark) continue;
      Report(thread, read.code, Claim::kRaces,
             "what a product of matrices reads is written to before it has ended");
      return;
    }
    thread.started_reads -= std::ssize(thread.product_groups.front());
    thread.product_groups.pop_front();
  }
}

}  // namespace affirm::kernel
