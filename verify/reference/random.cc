// rng-bit-generator: the counter-based generators ThreeFry2x32-20 and Philox4x32-10 (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011), with XLA's states and order of elements.
//
// A state is {key, counter} or, for Philox, {key, low, high} of a counter of 128 bits, whose upper
// half is the key where there are only two numbers. Each value of the counter gives a block of
// words; elements of up to 32 bits take the low bits of one word, wider ones take two, the lower
// first. The state that is returned counts the blocks that were taken.
#include <array>
#include <bit>

#include "verify/reference/index.h"
#include "verify/reference/ops.h"

namespace affirm::hlo {
namespace {

constexpr int kThreeFryRounds = 20, kPhiloxRounds = 10;

struct Counter {
  uint64_t low = 0, high = 0;

  Counter Plus(int64_t n) const {
    const uint64_t sum = low + static_cast<uint64_t>(n);
    return {sum, high + (sum < low ? 1 : 0)};
  }
};

uint32_t Low(uint64_t v) { return static_cast<uint32_t>(v); }
uint32_t High(uint64_t v) { return static_cast<uint32_t>(v >> 32); }
uint64_t Join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

// The upper half of the counter is not used.
std::array<uint32_t, 2> ThreeFry(uint64_t key, const Counter& counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::array<uint32_t, 3> keys = {Low(key), High(key), 0x1BD11BDA ^ Low(key) ^ High(key)};
  std::array<uint32_t, 2> x = {Low(counter.low) + keys[0], High(counter.low) + keys[1]};
  for (uint32_t round = 0; round < kThreeFryRounds; ++round) {
    x[0] += x[1];
    x[1] = std::rotl(x[1], kRotations[round / 4 % 2][round % 4]) ^ x[0];
    if (round % 4 != 3) continue;
    const uint32_t turn = round / 4 + 1;
    x[0] += keys[turn % 3];
    x[1] += keys[(turn + 1) % 3] + turn;
  }
  return x;
}

std::array<uint32_t, 4> Philox(uint64_t key, const Counter& counter) {
  std::array<uint32_t, 2> keys = {Low(key), High(key)};
  std::array<uint32_t, 4> x = {Low(counter.low), High(counter.low), Low(counter.high),
                               High(counter.high)};
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t p = uint64_t{0xD2511F53} * x[0], q = uint64_t{0xCD9E8D57} * x[2];
    x = {High(q) ^ x[1] ^ keys[0], Low(q), High(p) ^ x[3] ^ keys[1], Low(p)};
    keys[0] += 0x9E3779B9;
    keys[1] += 0xBB67AE85;
  }
  return x;
}

// Stores the elements and returns how many blocks they took.
int64_t FillThreeFry(Literal& bits, uint64_t key, const Counter& counter) {
  llvm::ArrayRef<int64_t> sizes = bits.shape().dims;
  if (BitWidth(bits.shape().type) > 32) {
    for (int64_t i = 0; i < bits.NumElements(); ++i) {
      const auto words = ThreeFry(key, counter.Plus(i));
      bits.SetInt(i, static_cast<int64_t>(Join(words[0], words[1])));
    }
    return bits.NumElements();
  }
  if (sizes.empty()) {
    bits.SetInt(0, ThreeFry(key, counter)[0]);
    return 1;
  }
  // The two words of a block are neighbours in one dimension: the first of even size, else the
  // first of the largest ones.
  const auto* even = llvm::find_if(sizes, [](int64_t size) { return size % 2 == 0; });
  const auto split = (even != sizes.end() ? even : llvm::max_element(sizes)) - sizes.begin();
  Index blocks(sizes.begin(), sizes.end());
  blocks[split] = (blocks[split] + 1) / 2;
  for (IndexIterator at(sizes); !at.Done(); at.Next()) {
    Index block = at.index();
    block[split] /= 2;
    const auto words = ThreeFry(key, counter.Plus(Linearize(block, blocks)));
    bits.SetInt(at.linear(), words[at[split] % 2]);
  }
  int64_t count = 1;
  for (int64_t size : blocks) count *= size;
  return count;
}

int64_t FillPhilox(Literal& bits, uint64_t key, const Counter& counter) {
  const bool wide = BitWidth(bits.shape().type) > 32;
  const int64_t count = bits.NumElements(), in_block = wide ? 2 : 4;
  for (int64_t i = 0; i < count; ++i) {
    const auto words = Philox(key, counter.Plus(i / in_block));
    const auto k = static_cast<size_t>(i % in_block);
    bits.SetInt(i, wide ? static_cast<int64_t>(Join(words[2 * k], words[2 * k + 1])) : words[k]);
  }
  return count / in_block + (count % in_block != 0 ? 1 : 0);
}

}  // namespace

// `rng_default` is Philox, as on XLA's CPU and GPU.
Result EvaluateRngBitGenerator(const OpInvocation& call) {
  const Literal& state = call.operand(0);
  const Shape& shape = call.instruction.shape;
  const std::string* algorithm = call.attributes().FindExtra("algorithm");
  const bool three_fry = algorithm != nullptr && *algorithm == "rng_three_fry";
  const bool philox =
      algorithm != nullptr && (*algorithm == "rng_philox" || *algorithm == "rng_default");
  if (!three_fry && !philox) return Fail(call.instruction, "has an unknown algorithm");
  const int64_t numbers = state.shape().IsArray() && state.shape().rank() == 1 &&
                                  state.shape().type == PrimitiveType::kU64
                              ? state.shape().dims[0]
                              : 0;
  if (numbers != 2 && !(philox && numbers == 3)) {
    return Fail(call.instruction,
                philox ? "needs a state u64[2] or u64[3]" : "needs a state u64[2]");
  }
  const bool fits = shape.IsTuple() && shape.tuple.size() == 2 &&
                    shape.tuple[0].type == PrimitiveType::kU64 &&
                    shape.tuple[0].dims == state.shape().dims && shape.tuple[1].IsArray() &&
                    IsInt(shape.tuple[1].type);
  if (!fits) return Fail(call.instruction, "gives no state with integers");
  Result result = NewLiteral(call);
  if (!result) return result;
  Literal& next = result->tuple()[0];
  Literal& bits = result->tuple()[1];
  auto number = [&](int64_t k) { return state.Get<uint64_t>(k); };
  const uint64_t key = number(0);
  const Counter counter = {number(1), number(numbers == 3 ? 2 : 0)};
  const int64_t blocks = (three_fry ? FillThreeFry : FillPhilox)(bits, key, counter);
  const Counter after = counter.Plus(blocks);
  next.Set(0, key);
  next.Set(1, after.low);
  if (numbers == 3) next.Set(2, after.high);
  if (call.notes_open() && *algorithm == "rng_default")
    call.NoteAllOpen(result->tuple(), OpInvocation::Openness::kChoice,
                     "has an algorithm that each backend chooses");
  // The key stays as it is; the lower half of the counter carries into the upper one.
  for (int64_t from = 0; from < numbers; ++from) {
    for (int64_t to = from; to < numbers; ++to) {
      if (from > 0 || to == 0) call.Read(0, to, 0, 0, from);
    }
    for (int64_t to = 0; to < bits.NumElements(); ++to) call.Read(1, to, 0, 0, from);
  }
  return result;
}

}  // namespace affirm::hlo
